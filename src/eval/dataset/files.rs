//! The files of a data set's directory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::EvalQuery;
use crate::error::{Error, Result};
use crate::eval::metrics::Judgements;
use crate::model::Note;
use crate::vault::{IndexOptions, parse_records};

/// `dataset.json`, its defaults where there is none.
pub(super) fn read_manifest<T: DeserializeOwned + Default>(dir: &Path) -> Result<T> {
    let path = dir.join("dataset.json");
    if !path.exists() {
        return Ok(T::default());
    }
    serde_json::from_str(&read(&path)?).map_err(|error| Error::invalid(format!("{}: {error}", path.display())))
}

pub(super) fn read_corpus(path: &Path) -> Result<Vec<Note>> {
    let shown = path.display().to_string();
    let file = File::open(path).map_err(|source| Error::io(format!("opening {shown}"), source))?;
    let notes = parse_records(&shown, BufReader::new(file), &IndexOptions::default())?.notes;
    match notes.iter().position(|note| note.id.is_empty()) {
        None => Ok(notes),
        Some(at) => {
            Err(Error::invalid(format!("{shown}: record {} has no `_id`; judgements need one to name it by", at + 1)))
        }
    }
}

pub(super) fn read_queries(path: &Path) -> Result<Vec<EvalQuery>> {
    let mut seen = BTreeSet::new();
    each_line(path, |line| {
        let query: EvalQuery = serde_json::from_str(line).map_err(|error| format!("not a query: {error}"))?;
        if !seen.insert(query.id.clone()) {
            return Err(format!("the query {:?} stands in an earlier line too", query.id));
        }
        Ok(query)
    })
}

/// Judgements by query. A first line whose score is no number is the header.
pub(super) fn read_qrels(dir: &Path, named: Option<&Path>) -> Result<BTreeMap<String, Judgements>> {
    let path = qrels_path(dir, named);
    let mut qrels: BTreeMap<String, Judgements> = BTreeMap::new();
    let mut first = true;
    each_line(&path, |line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let header = std::mem::take(&mut first);
        // trec_eval's own form has an unused second column.
        let (query, note, score) = match columns.as_slice() {
            [query, note, score] | [query, _, note, score] => (*query, *note, score.trim()),
            _ => {
                return Err(format!("expected query, note and score between tabs, found {} columns", columns.len()));
            }
        };
        match score.parse::<f64>() {
            Ok(score) if score.is_finite() => {
                qrels.entry(query.to_owned()).or_default().insert(note.to_owned(), score);
                Ok(())
            }
            _ if header => Ok(()),
            _ => Err(format!("expected a number as score, found {score:?}")),
        }
    })?;
    Ok(qrels)
}

fn qrels_path(dir: &Path, named: Option<&Path>) -> PathBuf {
    let usual = dir.join("qrels.tsv");
    match named {
        Some(named) => dir.join(named),
        None if usual.exists() => usual,
        None => {
            let downloaded = dir.join("qrels").join("test.tsv");
            if downloaded.exists() { downloaded } else { usual }
        }
    }
}

/// What `parse` makes of every line that is not blank; its refusals get file and line.
pub(super) fn each_line<T>(path: &Path, mut parse: impl FnMut(&str) -> Result<T, String>) -> Result<Vec<T>> {
    let text = read(path)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            parse(line).map_err(|reason| Error::invalid(format!("{}, line {}: {reason}", path.display(), at + 1)))
        })
        .collect()
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|source| Error::io(format!("reading {}", path.display()), source))
}
