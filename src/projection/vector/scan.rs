//! The exact scan.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::block::{BLOCK_ROWS, Block, Owner, RowRef};
use super::codes::PreparedQuery;
use super::index::{VectorHit, VectorIndex};
use crate::projection::eligible::Eligible;
use crate::projection::top::{Top, rank};

/// While fewer than one note in this many is eligible, notes are looked up one by one instead of streaming all rows.
const SPARSE: usize = 4;
/// Blocks per task: about 16 000 rows, half a millisecond, so that handing out tasks costs nothing.
const TASK_BLOCKS: usize = 16;
/// Notes per task where notes are looked up.
const TASK_NOTES: usize = 8192;

type SyncTie<'a> = &'a (dyn Fn(u32, u32) -> Ordering + Sync);

/// The best `k` eligible notes, by their exact scores.
pub(super) fn exact(
    index: &VectorIndex,
    query: &PreparedQuery,
    eligible: &Eligible,
    k: usize,
    tie: SyncTie<'_>,
) -> Vec<VectorHit> {
    if eligible.len() as usize * SPARSE < index.notes() {
        let ords: Vec<u32> = eligible.iter().collect();
        return best_of(index, query, eligible, &ords, k, tie);
    }
    let blocks: Vec<&Block> = index.blocks().iter().collect();
    let task = |blocks: &[&Block]| stream(blocks, query, eligible, k, tie);
    if blocks.len() <= TASK_BLOCKS {
        return task(&blocks);
    }
    together(blocks.par_chunks(TASK_BLOCKS).flat_map_iter(task).collect(), k, tie)
}

/// The best `k` of these notes that are eligible; each must be named once.
pub(super) fn best_of(
    index: &VectorIndex,
    query: &PreparedQuery,
    eligible: &Eligible,
    ords: &[u32],
    k: usize,
    tie: SyncTie<'_>,
) -> Vec<VectorHit> {
    let blocks: Vec<&Block> = index.blocks().iter().collect();
    let task = |ords: &[u32]| {
        let mut top = Top::new(k, tie);
        // A focus stays in the leaf it last read, where ascending ordinals mostly find their next span too.
        let mut spans = index.spans().focus();
        for &ord in ords.iter().filter(|&&ord| eligible.contains(ord)) {
            let rows = spans.get(ord as usize).copied().unwrap_or_default().rows();
            let best = best_row(rows.filter_map(|row| blocks.get(row / BLOCK_ROWS)?.row(row % BLOCK_ROWS)), query);
            if let Some(hit) = best {
                top.offer(hit);
            }
        }
        top.into_sorted()
    };
    if ords.len() <= TASK_NOTES {
        return task(ords);
    }
    together(ords.par_chunks(TASK_NOTES).flat_map_iter(task).collect(), k, tie)
}

/// The best of one note's rows, the first of equals.
#[inline]
pub(super) fn best_row<'a>(rows: impl Iterator<Item = RowRef<'a>>, query: &PreparedQuery) -> Option<VectorHit> {
    let mut best: Option<VectorHit> = None;
    for row in rows {
        let cosine = query.cosine(row.codes, row.factor);
        if best.is_none_or(|best| cosine > best.cosine) {
            best = Some(VectorHit { ord: row.owner.ord, passage: row.owner.passage, cosine });
        }
    }
    best
}

/// The best of some blocks in a row. A note's rows follow one another, so its best is known when the next note begins.
fn stream(blocks: &[&Block], query: &PreparedQuery, eligible: &Eligible, k: usize, tie: SyncTie<'_>) -> Vec<VectorHit> {
    let mut top = Top::new(k, tie);
    let mut current: Option<VectorHit> = None;
    // Inner iteration: an outer loop over nested iterators would ask at each row which block it is in.
    blocks.iter().flat_map(|block| block.live()).for_each(|(_, row)| {
        let Owner { ord, passage } = row.owner;
        if !eligible.contains(ord) {
            return;
        }
        let hit = VectorHit { ord, passage, cosine: query.cosine(row.codes, row.factor) };
        match &mut current {
            Some(best) if best.ord == ord => {
                if hit.cosine > best.cosine {
                    *best = hit;
                }
            }
            _ => {
                if let Some(done) = current.replace(hit) {
                    top.offer(done);
                }
            }
        }
    });
    if let Some(done) = current {
        top.offer(done);
    }
    top.into_sorted()
}

/// The best of the tasks' results. A note whose rows lie across the border of two tasks comes from both; only its
/// better part counts.
fn together(mut hits: Vec<VectorHit>, k: usize, tie: SyncTie<'_>) -> Vec<VectorHit> {
    hits.sort_unstable_by(|a, b| a.ord.cmp(&b.ord).then(b.cosine.total_cmp(&a.cosine)).then(a.passage.cmp(&b.passage)));
    hits.dedup_by_key(|hit| hit.ord);
    hits.sort_unstable_by(|a, b| rank(a, b, tie));
    hits.truncate(k);
    hits
}
