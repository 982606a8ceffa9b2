//! What scouts search through: small traits, so that they run over any store that can answer them.

use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::Query;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::memory::Recall;
use crate::model::Ordinal;
use crate::projection::{Eligible, Named, Neighbour, NeighbourKind};
use crate::text::QueryTerm;

/// Everything the panel needs beside the query.
pub(crate) struct Sources<'a> {
    /// Notes that this request may return.
    pub eligible: &'a Eligible,
    /// Notes that this caller may know of: what the graph may pass through.
    pub visible: &'a Eligible,
    pub notes: &'a dyn Notes,
    pub lexical: &'a dyn LexicalSource,
    pub vector: &'a dyn VectorSource,
    pub links: &'a dyn LinkSource,
    pub task: &'a dyn TaskSource,
    pub association: &'a dyn AssociationSource,
    /// What [`Sources::named`] found, once it was asked.
    pub named: OnceLock<Vec<Named>>,
}

impl Sources<'_> {
    /// The visible notes that the query names, best first. Two scouts ask; the first finds out.
    pub(crate) fn named(&self, query: &Query<'_>) -> &[Named] {
        self.named.get_or_init(|| self.notes.named(query.text, self.visible))
    }

    /// The order of equals: by id.
    pub(crate) fn by_id(&self, a: Ordinal, b: Ordinal) -> Ordering {
        self.notes.id(a).cmp(&self.notes.id(b))
    }

    /// Best first, ties by id, at most `depth`.
    pub(crate) fn best(&self, mut found: Vec<super::Candidate>, depth: usize) -> Vec<super::Candidate> {
        let order =
            |a: &super::Candidate, b: &super::Candidate| b.raw.total_cmp(&a.raw).then_with(|| self.by_id(a.ord, b.ord));
        if found.len() > depth {
            found.select_nth_unstable_by(depth, order);
            found.truncate(depth);
        }
        found.sort_unstable_by(order);
        found
    }
}

/// Names, tags and times of notes.
pub(crate) trait Notes: Sync {
    /// The note's id; `None` when there is no such note.
    fn id(&self, ord: Ordinal) -> Option<&str>;
    /// What to call it in a reason: its title, else its path, else its id.
    fn label(&self, ord: Ordinal) -> String;
    /// The visible notes that this text names, best first, each once.
    fn named(&self, query: &str, visible: &Eligible) -> Vec<Named>;
    /// Tags that these words name: the tag, its rarity in [0, 1] among the visible notes, and its eligible members.
    fn tags_named(&self, query: &str, visible: &Eligible, eligible: &Eligible) -> Vec<(Arc<str>, f32, Vec<Ordinal>)>;
    /// The most recently updated eligible notes, newest first, then by id, at most `depth`; with `whole`, without the
    /// last of them where only some of its instant's notes would fit.
    fn newest(&self, eligible: &Eligible, depth: usize, whole: bool) -> Vec<(Ordinal, Timestamp)>;
    /// Eligible notes that expire before `until`, earliest first, until `depth`.
    fn expiring(&self, eligible: &Eligible, until: Timestamp, depth: usize) -> Vec<(Ordinal, Timestamp)>;
}

/// BM25 over words.
pub(crate) trait LexicalSource: Sync {
    /// The best `depth` eligible notes, best first, ties by `tie`.
    fn search(
        &self,
        terms: &[QueryTerm],
        eligible: &Eligible,
        depth: usize,
        tie: &dyn Fn(Ordinal, Ordinal) -> Ordering,
    ) -> Result<Vec<(Ordinal, f32)>>;
    /// Σ count·idf of the query's terms: the scale of its scores.
    fn idf_sum(&self, terms: &[QueryTerm]) -> Result<f32>;
}

/// Nearest passages.
pub(crate) trait VectorSource: Sync {
    /// Why there is nothing to search, if so.
    fn unavailable(&self) -> Option<&'static str>;
    /// The best `depth` eligible notes as (note, passage, cosine), best first, ties by `tie`.
    fn search(
        &self,
        query: &[f32],
        eligible: &Eligible,
        depth: usize,
        tie: &(dyn Fn(Ordinal, Ordinal) -> Ordering + Sync),
    ) -> Result<Vec<(Ordinal, u32, f32)>>;
}

/// The graph.
pub(crate) trait LinkSource: Sync {
    /// Every visible neighbour of a note, each once, in a fixed order.
    fn neighbours(&self, ord: Ordinal, visible: &Eligible) -> Vec<Neighbour>;
    /// Notes retrieved together with it before, with the strength of the habit.
    fn coactivated(&self, ord: Ordinal) -> Vec<(Ordinal, f32)>;
}

/// How a note belongs to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TaskLink {
    /// Its `source` is the task.
    Authored,
    /// A finding of the task points at it.
    Finding,
    /// Earlier retrieves of the task returned it.
    WorkingMemory,
}

impl fmt::Display for TaskLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Authored => "written for this task",
            Self::Finding => "a finding of this task",
            Self::WorkingMemory => "in the task's working memory",
        })
    }
}

/// What a task knows.
pub(crate) trait TaskSource: Sync {
    /// The task's notes, with the activation count where it is working memory.
    fn notes_of(&self, task_id: &str) -> Result<Vec<(Ordinal, TaskLink, f32)>>;
}

/// What queries before this one ended up citing.
pub(crate) trait AssociationSource: Sync {
    /// The eligible notes that similar queries cited, by traces that whoever asks may know of.
    fn recall(&self, query: &Query<'_>, eligible: &Eligible) -> Recall;
}

/// The seed a spread note was reached from.
#[derive(Clone, Debug)]
pub(crate) struct Via {
    pub seed: Ordinal,
    pub kind: NeighbourKind,
    pub hops: u8,
    pub activation: f32,
}
