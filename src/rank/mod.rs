//! From the scouts' answers to one ranking: calibrate, fuse, rerank within bounds, demote near-duplicates.

mod calibrate;
mod candidate;
mod diversify;
mod explore;
mod fuse;
mod rerank;
mod temperature;

pub(crate) use calibrate::{Scale, calibrate};
pub(crate) use candidate::{Delta, Ranked, ScoutPart};
pub(crate) use diversify::{demote_near_duplicates, diversify};
pub(crate) use explore::{Arm, pick, propensities};
pub(crate) use fuse::fuse;
pub(crate) use rerank::{MAX_DELTA, RerankInput, rerank};
pub(crate) use temperature::temperature;

use std::cmp::Ordering;

use crate::scouts::Notes;

/// Best first, ties by id.
pub(crate) fn sort(ranked: &mut [Ranked], notes: &dyn Notes) {
    ranked.sort_unstable_by(|a, b| order(a, b, notes));
}

fn order(a: &Ranked, b: &Ranked, notes: &dyn Notes) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| notes.id(a.ord).cmp(&notes.id(b.ord)))
}

#[cfg(test)]
mod properties;
