//! Data sets: notes, queries, and which notes answer which query.

mod files;
mod pool;
mod structure;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::metrics::Judgements;
use super::split::Half;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::Note;
use crate::vault::read_notes;

/// Now, for a corpus without dates: 2026-01-01T00:00:00Z.
const UNDATED_NOW: Timestamp = Timestamp::from_seconds(1_767_225_600);

/// A data set in memory.
///
/// ```
/// use terrace::eval::{Dataset, DatasetOptions};
/// # let dir = std::env::temp_dir().join(format!("terrace-doc-dataset-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir).unwrap();
/// std::fs::write(dir.join("corpus.jsonl"), r#"{"_id": "d1", "title": "Slugs", "text": "Wool keeps them off."}"#).unwrap();
/// std::fs::write(dir.join("queries.jsonl"), r#"{"_id": "q1", "text": "how to keep slugs away"}"#).unwrap();
/// std::fs::write(dir.join("qrels.tsv"), "query-id\tcorpus-id\tscore\nq1\td1\t1\n").unwrap();
/// let set = Dataset::load(&dir, &DatasetOptions::default())?;
/// assert_eq!(set.qrels["q1"]["d1"], 1.0);
/// # std::fs::remove_dir_all(&dir).ok();
/// # Ok::<(), terrace::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// The directory's name, or those of the pooled directories joined by `+`.
    pub name: String,
    /// The corpus, in file order; ids are unique.
    pub notes: Vec<Note>,
    /// The queries, in file order, judged or not.
    pub queries: Vec<EvalQuery>,
    /// Judgements by query id. Queries that are not in `queries` and notes that are not in `notes` may be among them.
    pub qrels: BTreeMap<String, Judgements>,
    /// What the engine takes for the present: `dataset.json`'s, else a day after the newest date in the corpus,
    /// else 2026-01-01T00:00:00Z.
    pub now: Timestamp,
    /// Links that [`DatasetOptions::structure`] added to notes, by type.
    pub links: BTreeMap<String, usize>,
}

/// A query of a data set.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct EvalQuery {
    /// Unique in the set.
    #[serde(rename = "_id", alias = "id")]
    pub id: String,
    /// What is asked.
    pub text: String,
    /// Whatever the set says about it.
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

/// How a data set is read. Start from [`DatasetOptions::default`]: plain text, every query.
#[derive(Clone, Debug, PartialEq)]
pub struct DatasetOptions {
    /// Give notes the structure that the set carries beside its text: links of `links.tsv` and `links_derived.tsv`; of
    /// conversation turns (`metadata.speaker`, `session`, `datetime`) the session as folder, the speaker as tag, the
    /// time, and links to the turns before and after. Default false.
    pub structure: bool,
    /// Types of `links.tsv` that become links; links without a type always do. Default `reference`.
    pub link_types: Vec<String>,
    /// Write `speaker: ` before the text of conversation turns. Default false.
    pub speaker: bool,
    /// Leave out queries whose `metadata.category` is one of these. Default none.
    pub exclude_categories: Vec<i64>,
    /// Which half of the queries; see [`Half`]. Default all.
    pub half: Half,
    /// At most this many judged queries, the first ones. Default no limit.
    pub limit_queries: Option<usize>,
    /// Another file of judgements, relative to the directory: `qrels_graded.tsv`. Default `qrels.tsv`, else
    /// `qrels/test.tsv`.
    pub qrels: Option<PathBuf>,
}

impl Default for DatasetOptions {
    fn default() -> Self {
        Self {
            structure: false,
            link_types: vec!["reference".to_owned()],
            speaker: false,
            exclude_categories: Vec::new(),
            half: Half::All,
            limit_queries: None,
            qrels: None,
        }
    }
}

/// `dataset.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Manifest {
    /// Where the corpus is, relative to the directory.
    corpus: Option<PathBuf>,
    kind: Kind,
    now: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// A file of records.
    #[default]
    Records,
    /// A folder of Markdown files; judgements name them by path.
    Vault,
}

impl Dataset {
    /// Reads a directory in BEIR's layout: `corpus.jsonl` (`_id`, `title`, `text`; other keys of a [`Note`] become the
    /// note's, unknown ones go to its metadata), `queries.jsonl` (`_id`, `text`, `metadata`) and `qrels.tsv` or
    /// `qrels/test.tsv` (query, note, score; with or without a header).
    ///
    /// `dataset.json` may name another corpus and the present: `{"corpus": "../vault", "kind": "vault", "now":
    /// "2026-10-20T12:00:00Z"}` judges a folder of Markdown files, by path.
    ///
    /// # Errors
    /// `invalid_input` naming file, line and what is wrong with it, also where no query is left to be asked; `io` naming
    /// a file that cannot be read.
    pub fn load(dir: &Path, options: &DatasetOptions) -> Result<Self> {
        let manifest: Manifest = files::read_manifest(dir)?;
        let corpus = dir.join(manifest.corpus.as_deref().unwrap_or(Path::new("corpus.jsonl")));
        let mut notes = match manifest.kind {
            Kind::Records => files::read_corpus(&corpus)?,
            Kind::Vault => read_notes(&corpus)?,
        };
        let links = structure::apply(dir, &mut notes, options)?;
        let qrels = files::read_qrels(dir, options.qrels.as_deref())?;
        let queries = files::read_queries(&dir.join("queries.jsonl"))?;
        let newest = notes.iter().filter_map(|note| note.updated_at.max(note.created_at)).max();
        let now = manifest.now.or(newest.map(|newest| newest.plus_days(1.0))).unwrap_or(UNDATED_NOW);
        let mut set = Self { name: name(dir)?, notes, queries, qrels, now, links };
        set.keep_queries(options);
        if set.judged().next().is_none() {
            return Err(Error::invalid(format!(
                "{}: expected queries with relevant notes, found none; check the ids in its qrels, and which queries the options leave out",
                dir.display()
            )));
        }
        Ok(set)
    }

    /// The queries that have relevant notes, in file order, with their judgements: those that count in means.
    pub fn judged(&self) -> impl Iterator<Item = (&EvalQuery, &Judgements)> {
        self.queries.iter().filter_map(|query| {
            let judged = self.qrels.get(&query.id)?;
            judged.values().any(|&score| score > 0.0).then_some((query, judged))
        })
    }

    /// Leaves out what the options exclude.
    fn keep_queries(&mut self, options: &DatasetOptions) {
        let name = self.name.clone();
        self.queries.retain(|query| {
            let category = query.metadata.get("category").and_then(Value::as_i64);
            options.half.has(&name, &query.id)
                && !category.is_some_and(|category| options.exclude_categories.contains(&category))
        });
        if let Some(limit) = options.limit_queries {
            let kept: Vec<EvalQuery> = self.judged().take(limit).map(|(query, _)| query.clone()).collect();
            self.queries = kept;
        }
    }
}

/// The directory's own name, also where it was given as `.`.
fn name(dir: &Path) -> Result<String> {
    let whole = dir.canonicalize().map_err(|source| Error::io(format!("opening {}", dir.display()), source))?;
    Ok(whole.file_name().map_or_else(|| "dataset".to_owned(), |name| name.to_string_lossy().into_owned()))
}

#[cfg(test)]
mod tests;
