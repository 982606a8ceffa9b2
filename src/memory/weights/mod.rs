//! The weights of fusion and reranking, as this store's callers would have them.

mod fit;
mod gate;
mod judged;
mod replay;

pub(crate) use fit::fit;
pub(crate) use gate::shadow;
pub(crate) use judged::{JudgedNode, JudgedReceipt};
pub(crate) use replay::{check_weight, citations, ndcg, order};

use crate::config::RankingConfig;

/// Rerank factors that are learned. Usage is not: what is merely retrieved often must not gain by it.
pub(crate) const FACTORS: [&str; 5] = ["salience", "recency", "note_type", "graph_affinity", "status"];
/// The feature of a note that association proposed: how like the query was to the trace.
pub(crate) const ASSOCIATION_SIMILARITY: &str = "association_similarity";
/// Bounds of a factor, as a multiple of the shipped one: above 0, so that a receipt shows what it would have been.
const FACTOR_BOUNDS: (f64, f64) = (0.25, 2.0);
/// Scouts and factors.
pub(super) const DIMS: usize = 12;

/// A weight for each scout, 1 in sum, and a multiple of each shipped rerank factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weights {
    pub scouts: [f64; 7],
    pub factors: [f64; 5],
}

impl Weights {
    /// Those of a configuration.
    pub(crate) fn shipped(config: &RankingConfig) -> Self {
        Self { scouts: config.weights.normalised().map(f64::from), factors: [1.0; 5] }
    }

    /// Scouts' weights never negative and 1 in sum, factors within their bounds.
    pub(super) fn bounded(self) -> Self {
        let scouts = self.scouts.map(|weight| weight.max(0.0));
        let sum: f64 = scouts.iter().sum();
        Self {
            scouts: if sum > 0.0 { scouts.map(|weight| weight / sum) } else { scouts },
            factors: self.factors.map(|factor| factor.clamp(FACTOR_BOUNDS.0, FACTOR_BOUNDS.1)),
        }
    }

    /// `share` of these and the rest of `shipped`.
    pub(crate) fn blended(&self, shipped: &Self, share: f64) -> Self {
        let mix = |own: f64, other: f64| share * own + (1.0 - share) * other;
        let mut blended = *shipped;
        blended.scouts.iter_mut().zip(self.scouts).for_each(|(weight, own)| *weight = mix(own, *weight));
        blended.factors.iter_mut().zip(self.factors).for_each(|(factor, own)| *factor = mix(own, *factor));
        blended.bounded()
    }

    /// The multiple of a rerank factor by its δ's name; 1 for one that is not learned.
    pub(crate) fn factor(&self, name: &str) -> f64 {
        FACTORS.iter().zip(self.factors).find(|(own, _)| **own == name).map_or(1.0, |(_, factor)| factor)
    }

    fn values(&self) -> [f64; DIMS] {
        let mut values = [0.0; DIMS];
        values.iter_mut().zip(self.scouts.into_iter().chain(self.factors)).for_each(|(to, from)| *to = from);
        values
    }

    fn from_values(values: [f64; DIMS]) -> Self {
        let mut weights = Self { scouts: [0.0; 7], factors: [0.0; 5] };
        weights.scouts.iter_mut().chain(&mut weights.factors).zip(values).for_each(|(to, from)| *to = from);
        weights
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;
