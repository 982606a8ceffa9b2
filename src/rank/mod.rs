//! From the scouts' answers to one ranking: calibrate, fuse, rerank within bounds, demote near-duplicates.

mod calibrate;
mod candidate;
mod diversify;
mod explore;
mod fuse;
mod rerank;
mod temperature;

pub(crate) use calibrate::{Scale, calibrate};
pub(crate) use candidate::{Deltas, Ranked, ScoutPart};
pub(crate) use diversify::{demote_near_duplicates, diversify};
pub(crate) use explore::{Arm, pick, propensities};
pub(crate) use fuse::fuse;
pub(crate) use rerank::{MAX_DELTA, RerankInput, rerank};
pub(crate) use temperature::temperature;

use std::cmp::Ordering;

use crate::model::Ordinal;
use crate::scouts::Notes;

/// Best first, ties by id.
///
/// Small keys are sorted and the candidates, a few hundred bytes each, moved once.
pub(crate) fn sort(ranked: &mut [Ranked], notes: &dyn Notes) {
    let mut keys: Vec<(f64, Ordinal, usize)> =
        ranked.iter().enumerate().map(|(at, candidate)| (candidate.score, candidate.ord, at)).collect();
    let order = |a: &(f64, Ordinal, usize), b: &(f64, Ordinal, usize)| -> Ordering {
        b.0.total_cmp(&a.0).then_with(|| notes.id(a.1).cmp(&notes.id(b.1)))
    };
    if keys.is_sorted_by(|a, b| order(a, b).is_le()) {
        return;
    }
    keys.sort_unstable_by(order);
    let sorted: Vec<Ranked> = keys.iter().filter_map(|&(_, _, at)| ranked.get(at).copied()).collect();
    ranked.copy_from_slice(&sorted);
}

#[cfg(test)]
mod properties;
