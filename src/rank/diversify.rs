//! Diversity: notes that nearly repeat a better one move down; full MMR only on request.

use super::Ranked;
use crate::model::Ordinal;
use crate::scouts::Notes;
use crate::text::Sketch;

/// Agreeing bytes of two sketches from which their shingles are compared exactly.
const SKETCH_AGREEMENT: u32 = 18;
/// How many of the best MMR reorders.
const MMR_WINDOW: usize = 30;

/// Multiplies `factor` onto every note whose shingles are at least `jaccard` like those of a better note that stands.
/// The best `compared` are looked at; `ranked` is in order before and after. `similarity` is exact and asked only where sketches agree.
pub(crate) fn demote_near_duplicates(
    ranked: &mut [Ranked],
    factor: f64,
    jaccard: f64,
    compared: usize,
    notes: &dyn Notes,
    sketch: impl Fn(Ordinal) -> Option<Sketch>,
    mut similarity: impl FnMut(Ordinal, Ordinal) -> f64,
) {
    let mut originals: Vec<(Ordinal, Sketch)> = Vec::new();
    let mut changed = false;
    for candidate in ranked.iter_mut().take(compared) {
        let Some(sketch) = sketch(candidate.ord) else { continue };
        let repeats = originals.iter().any(|(original, of)| {
            sketch.agreement(of) >= SKETCH_AGREEMENT && similarity(*original, candidate.ord) >= jaccard
        });
        if repeats {
            candidate.near_duplicate = factor.clamp(0.0, 1.0);
            candidate.score *= candidate.near_duplicate;
            changed = true;
        } else {
            originals.push((candidate.ord, sketch));
        }
    }
    if changed {
        super::sort(ranked, notes);
    }
}

/// Maximal marginal relevance (Carbonell, Goldstein, SIGIR 1998) over the best 30: each next note is the one whose
/// score, less `diversity` times its similarity to what stands above it, is highest. Scores are lowered so that they
/// still never increase down the list.
pub(crate) fn diversify(
    ranked: &mut Vec<Ranked>,
    diversity: f64,
    notes: &dyn Notes,
    similarity: impl Fn(Ordinal, Ordinal) -> Option<f32>,
) {
    if diversity <= 0.0 {
        return;
    }
    let window = ranked.len().min(MMR_WINDOW);
    let mut rest: Vec<Ranked> = ranked.drain(..window).collect();
    let top = rest.first().map_or(0.0, |first| first.score);
    let mut chosen: Vec<Ranked> = Vec::with_capacity(window);
    while !rest.is_empty() {
        let marginal = |candidate: &Ranked| {
            let nearest =
                chosen.iter().filter_map(|above| similarity(above.ord, candidate.ord)).fold(0.0_f32, f32::max);
            (1.0 - diversity) * candidate.score - diversity * top * f64::from(nearest)
        };
        let best = rest
            .iter()
            .enumerate()
            .map(|(at, candidate)| (at, marginal(candidate)))
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let Some((at, _)) = best else { break };
        let mut next = rest.remove(at);
        let ceiling = chosen.last().map_or(next.score, |above: &Ranked| above.score);
        if next.score >= ceiling && !chosen.is_empty() {
            lower(&mut next, ceiling);
        }
        chosen.push(next);
    }
    // Those beyond the window stay below it.
    let floor = chosen.last().map_or(0.0, |last| last.score);
    for candidate in ranked.iter_mut().filter(|candidate| candidate.score >= floor) {
        lower(candidate, floor);
    }
    super::sort(ranked, notes);
    chosen.append(ranked);
    *ranked = chosen;
}

/// Just below `ceiling`, so that the order is the scores' order and ids decide only between true ties.
fn lower(candidate: &mut Ranked, ceiling: f64) {
    if candidate.score > 0.0 {
        let score = ceiling.next_down().max(0.0);
        candidate.diversity = score / candidate.score;
        candidate.score = score;
    }
}
