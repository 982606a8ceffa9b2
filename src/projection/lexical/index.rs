//! The index as its owner sees it.

use std::cmp::Ordering;
use std::path::Path;

use super::{LexicalDoc, LexicalParams, QueryWeight};
use crate::projection::eligible::Eligible;
use crate::{Error, Result};

/// What was found when a lexical index was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// There was nothing; an empty index was made.
    Fresh,
    /// A sound index that has reached this number of the store's change sequence.
    At(u64),
    /// There was something unusable, for this reason; it was removed and an empty index made.
    Discarded(String),
}

/// BM25 over the words of the notes.
pub struct LexicalIndex {}

fn todo<T>() -> Result<T> {
    Err(Error::SearchBackend("not built yet".into()))
}

#[allow(unused_variables, missing_docs)]
impl LexicalIndex {
    pub fn open(dir: &Path) -> Result<(Self, Opened)> {
        todo()
    }
    pub fn open_read_only(dir: &Path) -> Result<Option<(Self, Opened)>> {
        todo()
    }
    pub fn in_memory() -> Result<Self> {
        todo()
    }
    pub fn set_params(&self, params: LexicalParams) {}
    pub fn upsert(&self, doc: LexicalDoc) -> Result<()> {
        todo()
    }
    pub fn delete(&self, ord: u32) -> Result<()> {
        todo()
    }
    pub fn commit(&self, seq: u64) -> Result<()> {
        todo()
    }
    pub fn pending(&self) -> usize {
        0
    }
    pub fn seq(&self) -> u64 {
        0
    }
    pub fn set_bulk(&self, bulk: bool) {}
    pub fn merge(&self) -> Result<()> {
        todo()
    }
    pub fn clear(&self) -> Result<()> {
        todo()
    }
    pub fn segments(&self) -> usize {
        0
    }
    pub fn num_docs(&self) -> u64 {
        0
    }
    pub fn size_bytes(&self) -> u64 {
        0
    }
    /// Names of files whose checksum is wrong.
    pub fn verify(&self) -> Result<Vec<String>> {
        todo()
    }
    pub fn search(
        &self,
        terms: &[QueryWeight],
        eligible: &Eligible,
        k: usize,
        tie: &dyn Fn(u32, u32) -> Ordering,
    ) -> Result<Vec<(u32, f32)>> {
        todo()
    }
    pub fn score_of(&self, terms: &[QueryWeight], ords: &[u32]) -> Result<Vec<f32>> {
        todo()
    }
    pub fn idf_sum(&self, terms: &[QueryWeight]) -> Result<f32> {
        todo()
    }
    pub fn doc_freq(&self, term: &str) -> Result<u64> {
        todo()
    }
}
