//! Fusion: a convex combination over scouts, a scout that did not propose a note counting 0.

use rustc_hash::FxHashMap;

use super::{Ranked, Scale, ScoutPart, calibrate};
use crate::model::Ordinal;
use crate::scouts::{Candidate, PerScout, ScoutKind};

/// `s(d) = Σ_i w_i · n_i(d)` with `Σ w = 1`, `w ≥ 0` (Bruch, Gai, Ingber, TOIS 2023). Raising any scout's score for a
/// note, or adding a scout, never lowers it: the weights do not depend on which scouts answered.
pub(crate) fn fuse<'a>(
    found: impl IntoIterator<Item = (ScoutKind, &'a [Candidate])>,
    weights: &PerScout<f32>,
    scale: Scale,
) -> Vec<Ranked> {
    let mut place: FxHashMap<Ordinal, usize> = FxHashMap::default();
    let mut ranked: Vec<Ranked> = Vec::new();
    for (kind, candidates) in found {
        for candidate in candidates {
            let at = *place.entry(candidate.ord).or_insert_with(|| {
                ranked.push(Ranked::new(candidate.ord));
                ranked.len() - 1
            });
            let Some(entry) = ranked.get_mut(at) else { continue };
            let part = ScoutPart {
                raw: candidate.raw,
                calibrated: calibrate(kind, candidate.raw, scale),
                weight: *weights.get(kind),
            };
            entry.passage = entry.passage.or(candidate.passage);
            *entry.parts.get_mut(kind) = Some(part);
        }
    }
    ranked.iter_mut().for_each(Ranked::refuse);
    ranked
}
