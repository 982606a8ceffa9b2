//! The vector graph held against the exact scan: recall by width of search, and under filters.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Instant;

use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};

use super::dataset::Dataset;
use super::load::Percentiles;
use super::run::EvalProgress;
use crate::engine::Engine;
use crate::error::Result;
use crate::model::Ordinal;
use crate::projection::Eligible;
use crate::projection::vector::{HnswLayer, SearchMode, VectorHit, VectorIndex};
use crate::random::Random;

/// Widths of search that are measured.
const WIDTHS: [usize; 6] = [16, 32, 64, 128, 256, 512];
/// Shares of the notes that the measured filters pass.
const SHARES: [f64; 4] = [0.001, 0.01, 0.1, 0.5];

/// How vector recall is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VectorRecallOptions {
    /// Of the random filters.
    pub seed: u64,
}

/// How much of what the exact scan finds the graph finds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VectorRecall {
    /// Passages in the index.
    pub rows: usize,
    /// Seconds the graph took to build.
    pub build_s: f64,
    /// The exact scan.
    pub exact_ms: Percentiles,
    /// The search as retrieval does it where `vector.index` is `hnsw`.
    pub shipped: GraphRecall,
    /// Graph searches of several widths.
    pub widths: Vec<GraphRecall>,
    /// Searches under filters, as retrieval does them where `vector.index` is `hnsw`.
    pub filtered: Vec<FilteredRecall>,
}

/// One way of searching the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphRecall {
    /// Candidates kept in a search (`ef`); `null` where the index chose by what was asked for.
    pub ef: Option<usize>,
    /// Share of the exact first 10 that are among the first 10.
    #[serde(rename = "recall@10")]
    pub recall_10: f64,
    /// Share of the exact first 30 that are among the first 30.
    #[serde(rename = "recall@30")]
    pub recall_30: f64,
    /// One search of 30 notes.
    pub ms: Percentiles,
}

/// Searches in which only some notes were eligible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilteredRecall {
    /// Their share, chosen at random.
    pub share: f64,
    /// Share of the exact first 10 that are among the first 10.
    #[serde(rename = "recall@10")]
    pub recall_10: f64,
}

impl VectorRecall {
    /// Measures with the vectors of the set's judged queries; `None` in a store without vectors.
    pub(super) fn measure(
        engine: &Engine,
        set: &Dataset,
        options: &VectorRecallOptions,
        progress: EvalProgress<'_>,
    ) -> Result<Option<Self>> {
        let snapshot = engine.snapshot();
        let Some(mut index) = snapshot.vectors.clone() else { return Ok(None) };
        let mut queries = Vec::new();
        for (query, _) in set.judged() {
            queries.extend(engine.embedding().query_vector(&query.text, None)?);
        }
        progress("vector graph", 0, 0);
        let started = Instant::now();
        let Some(layer) = HnswLayer::build(&index, &|| false)? else { return Ok(None) };
        let build_s = started.elapsed().as_secs_f64();
        index.attach(Arc::new(layer));
        let live: Vec<Ordinal> = snapshot.catalog.live().iter().collect();
        let all = Eligible::from_bitmap(&live.iter().copied().collect(), live.len() as u32);
        let tie: &(dyn Fn(Ordinal, Ordinal) -> Ordering + Sync) = &|a, b| a.cmp(&b);
        let probe = Probe { index: &index, queries: &queries };
        let (exact, exact_ms) = probe.all(|query| index.search(query, &all, 30, SearchMode::Exact, tie))?;
        let (found, ms) = probe.all(|query| index.search(query, &all, 30, SearchMode::Hnsw, tie))?;
        let shipped =
            GraphRecall { ef: None, recall_10: recall(&exact, &found, 10), recall_30: recall(&exact, &found, 30), ms };
        let mut widths = Vec::new();
        for (done, ef) in WIDTHS.into_iter().enumerate() {
            progress("vector recall", done, WIDTHS.len());
            let (found, ms) = probe.all(|query| index.search_graph(query, &all, 30, Some(ef), tie))?;
            let (recall_10, recall_30) = (recall(&exact, &found, 10), recall(&exact, &found, 30));
            widths.push(GraphRecall { ef: Some(ef), recall_10, recall_30, ms });
        }
        let mut filtered = Vec::new();
        for (stream, share) in (0..).zip(SHARES) {
            let mut random = Random::new(options.seed, stream);
            let some: RoaringBitmap = live.iter().copied().filter(|_| random.unit() < share).collect();
            let some = Eligible::from_bitmap(&some, live.len() as u32);
            let (exact, _) = probe.all(|query| index.search(query, &some, 10, SearchMode::Exact, tie))?;
            let (found, _) = probe.all(|query| index.search(query, &some, 10, SearchMode::Hnsw, tie))?;
            filtered.push(FilteredRecall { share, recall_10: recall(&exact, &found, 10) });
        }
        Ok(Some(Self { rows: probe.index.rows(), build_s, exact_ms, shipped, widths, filtered }))
    }
}

struct Probe<'a> {
    index: &'a VectorIndex,
    queries: &'a [Vec<f32>],
}

impl Probe<'_> {
    /// What every query finds, and the milliseconds it took.
    fn all(&self, search: impl Fn(&[f32]) -> Result<Vec<VectorHit>>) -> Result<(Vec<Vec<Ordinal>>, Percentiles)> {
        let (mut found, mut millis) = (Vec::new(), Vec::new());
        for query in self.queries {
            let started = Instant::now();
            let hits = search(query)?;
            millis.push(started.elapsed().as_secs_f64() * 1e3);
            found.push(hits.into_iter().map(|hit| hit.ord).collect());
        }
        Ok((found, Percentiles::of(millis)))
    }
}

/// Share of the exact first `k` of every query that are among the first `k` found; 1 where there is nothing to find.
fn recall(exact: &[Vec<Ordinal>], found: &[Vec<Ordinal>], k: usize) -> f64 {
    let (mut hit, mut wanted) = (0, 0);
    for (exact, found) in exact.iter().zip(found) {
        let found: Vec<Ordinal> = found.iter().copied().take(k).collect();
        wanted += exact.len().min(k);
        hit += exact.iter().take(k).filter(|ord| found.contains(ord)).count();
    }
    if wanted == 0 { 1.0 } else { f64::from(hit as u32) / f64::from(wanted as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_counts_what_both_found_among_the_first() {
        let exact = [vec![1, 2, 3], vec![4]];
        assert_eq!(recall(&exact, &[vec![2, 1, 9], vec![]], 2), 2.0 / 3.0);
        assert_eq!(recall(&[vec![]], &[vec![]], 5), 1.0);
    }
}
