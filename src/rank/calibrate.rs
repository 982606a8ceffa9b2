//! Raw scores to [0, 1], by bounds that depend on the query and the corpus alone: never on the list that came back,
//! so that one lone weak hit does not become 1.

use crate::scouts::ScoutKind;

/// What calibration knows of the query beside the raw score.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scale {
    /// Σ count·idf of the query's terms.
    pub idf_sum: f32,
    /// BM25 at half of which a note is half certain, as a share of `idf_sum`.
    pub kappa: f32,
}

/// A scout's raw score in [0, 1]; rises with it.
///
/// BM25: `s / (s + κ·Σ idf)` (bounds that depend on the query alone cost nothing against list-local ones; Bruch,
/// Gai, Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023). Cosine: `max(0, c)`. The other
/// scouts' scores are bounded already.
pub(crate) fn calibrate(kind: ScoutKind, raw: f32, scale: Scale) -> f32 {
    if !raw.is_finite() {
        return 0.0;
    }
    let value = match kind {
        ScoutKind::Lexical => {
            let half = scale.kappa * scale.idf_sum;
            if raw <= 0.0 { 0.0 } else { raw / (raw + half.max(f32::MIN_POSITIVE)) }
        }
        _ => raw,
    };
    value.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: Scale = Scale { idf_sum: 10.0, kappa: 0.5 };

    #[test]
    fn a_lone_weak_hit_stays_weak() {
        assert!(calibrate(ScoutKind::Lexical, 0.5, SCALE) < 0.1);
        assert!(calibrate(ScoutKind::Vector, 0.12, SCALE) < 0.13);
    }

    #[test]
    fn an_opposite_vector_counts_nothing() {
        assert_eq!(calibrate(ScoutKind::Vector, -0.4, SCALE), 0.0);
    }

    #[test]
    fn a_score_that_is_no_number_counts_nothing() {
        for raw in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(calibrate(ScoutKind::Lexical, raw, SCALE), 0.0);
        }
    }
}
