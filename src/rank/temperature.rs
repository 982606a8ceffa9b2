//! Temperature: how little the top candidates have in common.

use super::Ranked;
use crate::model::Ordinal;

/// Candidates whose coherence is measured.
const TOP: usize = 10;
/// Fewer candidates with vectors than this say nothing about coherence.
const MIN_WITH_VECTORS: usize = 3;
/// The answer while nothing can be said.
const UNKNOWN: f64 = 0.5;

/// 1 − coherence, coherence being the mean pairwise similarity of the top candidates' vectors, negative ones as 0.
/// `ranked` is in order; `similarity` is `None` where a note has no vector.
pub(crate) fn temperature(ranked: &[Ranked], similarity: impl Fn(Ordinal, Ordinal) -> Option<f32>) -> f64 {
    let top: Vec<Ordinal> =
        ranked.iter().take(TOP).map(|candidate| candidate.ord).filter(|ord| similarity(*ord, *ord).is_some()).collect();
    if top.len() < MIN_WITH_VECTORS {
        return UNKNOWN;
    }
    let mut sum = 0.0;
    let mut pairs = 0.0;
    for (at, &a) in top.iter().enumerate() {
        for &b in top.iter().skip(at + 1) {
            sum += similarity(a, b).map_or(0.0, f64::from).clamp(0.0, 1.0);
            pairs += 1.0;
        }
    }
    1.0 - sum / pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Vec<Ranked> {
        (0..3).map(Ranked::new).collect()
    }

    #[test]
    fn candidates_that_all_say_the_same_are_cold() {
        assert_eq!(temperature(&three(), |_, _| Some(1.0)), 0.0);
    }

    #[test]
    fn candidates_with_nothing_in_common_are_hot() {
        assert_eq!(temperature(&three(), |a, b| Some(if a == b { 1.0 } else { -0.2 })), 1.0);
    }

    #[test]
    fn fewer_than_three_vectors_say_nothing() {
        assert_eq!(temperature(&three(), |a, _| (a < 2).then_some(1.0)), 0.5);
    }
}
