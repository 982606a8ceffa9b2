//! The index as its owner sees it.

use std::cmp::Ordering;
use std::sync::Arc;

use super::HnswLayer;
use crate::Result;
use crate::projection::eligible::Eligible;

/// One passage's cosine with the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorHit {
    /// The note.
    pub ord: u32,
    /// Its best passage, counted from 0.
    pub passage: u32,
    /// The cosine, from -1 to 1.
    pub cosine: f32,
}

/// Which way a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMode {
    /// The graph when the index is large and nearly all of it eligible, else the exact scan.
    #[default]
    Auto,
    /// The graph whenever there is one and nearly everything is eligible, else the exact scan.
    Hnsw,
    /// Always the exact scan.
    Exact,
}

/// A query vector, checked and quantised once for many comparisons.
#[derive(Debug, Clone)]
pub struct PreparedQuery {}

/// The passages' vectors.
#[derive(Clone)]
pub struct VectorIndex {}

#[allow(unused_variables, missing_docs)]
impl VectorIndex {
    pub fn new(dims: usize) -> Self {
        Self {}
    }
    pub fn dims(&self) -> usize {
        0
    }
    pub fn rows(&self) -> usize {
        0
    }
    pub fn dead(&self) -> usize {
        0
    }
    pub fn memory_bytes(&self) -> usize {
        0
    }
    pub fn insert(&mut self, ord: u32, passages: &[Vec<f32>]) -> Result<()> {
        Ok(())
    }
    pub fn remove(&mut self, ord: u32) {}
    pub fn prepare(&self, query: &[f32]) -> Result<PreparedQuery> {
        Ok(PreparedQuery {})
    }
    pub fn search(
        &self,
        query: &[f32],
        eligible: &Eligible,
        k: usize,
        how: SearchMode,
        tie: &(dyn Fn(u32, u32) -> Ordering + Sync),
    ) -> Result<Vec<VectorHit>> {
        Ok(Vec::new())
    }
    pub fn best_passage(&self, query: &PreparedQuery, ord: u32) -> Option<VectorHit> {
        None
    }
    pub fn similarity(&self, a: u32, b: u32) -> Option<f32> {
        None
    }
    pub fn compact(&mut self) {}
    /// `false` when the layer was built over other row numbers and cannot be used.
    pub fn attach(&mut self, layer: Arc<HnswLayer>) -> bool {
        false
    }
    pub fn detach(&mut self) {}
    pub fn needs_rebuild(&self) -> bool {
        false
    }
}
