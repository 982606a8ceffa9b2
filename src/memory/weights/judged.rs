//! A judged receipt as the ranking saw it: what scores are made of, and what the caller said.

use super::{ASSOCIATION_SIMILARITY, DIMS, FACTORS, Weights};
use crate::model::{FinalNode, Verdict};
use crate::rank::MAX_DELTA;
use crate::scouts::ScoutKind;

/// One note of a judged receipt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JudgedNode {
    /// Calibrated scores of the scouts.
    pub scouts: [f64; 7],
    /// δs of the learned factors, as shipped.
    pub deltas: [f64; 5],
    /// The sum of the other δs.
    pub fixed_delta: f64,
    /// Near-duplicate and diversity factors.
    pub factor: f64,
    /// How like the query was to the trace by which association proposed it, if it did.
    pub association: Option<f32>,
    /// `None` where nothing was said of it.
    pub verdict: Option<Verdict>,
}

/// A receipt with at least one verdict, its notes in the order in which they were shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JudgedReceipt {
    /// Equal for receipts that asked the same.
    pub question: u64,
    pub nodes: Vec<JudgedNode>,
}

impl JudgedNode {
    /// A receipt's note, ranked under `weights` then.
    pub(crate) fn new(node: &FinalNode, weights: &Weights, verdict: Option<Verdict>) -> Self {
        let feature = |name: &str| node.features.get(name).copied().unwrap_or(0.0);
        let mut scouts = [0.0; 7];
        scouts.iter_mut().zip(ScoutKind::ALL).for_each(|(score, kind)| *score = feature(kind.name()));
        let mut deltas = [0.0; 5];
        let named = FACTORS.iter().zip(weights.factors);
        deltas
            .iter_mut()
            .zip(named)
            .for_each(|(delta, (name, factor))| *delta = feature(&format!("delta_{name}")) / factor);
        let all: f64 =
            node.features.iter().filter(|(name, _)| name.starts_with("delta_")).map(|(_, delta)| delta).sum();
        let learned: f64 = deltas.iter().zip(weights.factors).map(|(delta, factor)| delta * factor).sum();
        let or_one = |name: &str| node.features.get(name).copied().unwrap_or(1.0);
        Self {
            scouts,
            deltas,
            fixed_delta: all - learned,
            factor: or_one("near_duplicate") * or_one("diversity"),
            association: node.features.get(ASSOCIATION_SIMILARITY).map(|similarity| *similarity as f32),
            verdict,
        }
    }

    /// Its score under these weights.
    pub(crate) fn score(&self, weights: &Weights) -> f64 {
        self.fused(weights) * (1.0 + self.delta(weights)) / (1.0 + MAX_DELTA) * self.factor
    }

    fn fused(&self, weights: &Weights) -> f64 {
        // As precise as fusion's own weights: notes that it tells apart by less than an f32 holds stay in their order.
        let parts = self.scouts.iter().zip(weights.scouts).map(|(score, weight)| score * f64::from(weight as f32));
        parts.sum::<f64>().clamp(0.0, 1.0)
    }

    fn delta(&self, weights: &Weights) -> f64 {
        let learned: f64 = self.deltas.iter().zip(weights.factors).map(|(delta, factor)| delta * factor).sum();
        (self.fixed_delta + learned).clamp(-MAX_DELTA, MAX_DELTA)
    }

    /// How its score changes with each weight, about `shipped`.
    pub(super) fn gradient(&self, shipped: &Weights) -> [f64; DIMS] {
        let (of_scouts, of_factors) = ((1.0 + self.delta(shipped)) * self.factor, self.fused(shipped) * self.factor);
        let scouts = self.scouts.iter().map(|score| score * of_scouts);
        let factors = self.deltas.iter().map(|delta| delta * of_factors);
        let mut gradient = [0.0; DIMS];
        gradient.iter_mut().zip(scouts.chain(factors)).for_each(|(to, from)| *to = from / (1.0 + MAX_DELTA));
        gradient
    }

    pub(super) fn is_cited(&self) -> bool {
        self.verdict == Some(Verdict::Cited)
    }
}

impl JudgedReceipt {
    /// Whether it says which notes belong above which.
    pub(crate) fn compares(&self) -> bool {
        let cited = self.nodes.iter().filter(|node| node.is_cited()).count();
        cited > 0 && cited < self.nodes.len()
    }
}
