//! A note on its way through the ranking, carrying everything its score is made of.
//!
//! Candidates are plain numbers, copied and sorted by the hundred in every retrieve: why a scout proposed one stays with
//! the scout's answer, and is put into words only for what is shown.

use crate::model::Ordinal;
use crate::scouts::PerScout;

/// One scout's part in a candidate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScoutPart {
    pub raw: f32,
    /// In [0, 1].
    pub calibrated: f32,
    pub weight: f32,
}

/// The bounded rerank factors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Deltas([f64; Self::NAMES.len()]);

impl Deltas {
    /// Their names, as explanations and receipts have them.
    pub(crate) const NAMES: [&'static str; 6] =
        ["salience", "usage", "recency", "note_type", "graph_affinity", "status"];

    /// One value for each name, in their order.
    pub(crate) fn new(values: [f64; Self::NAMES.len()]) -> Self {
        Self(values)
    }

    /// A value for each name.
    pub(crate) fn by_name(value: impl Fn(&'static str) -> f64) -> Self {
        Self(Self::NAMES.map(value))
    }

    /// Each multiplied by that of the same name.
    pub(crate) fn times(mut self, factors: &Self) -> Self {
        self.0.iter_mut().zip(factors.0).for_each(|(delta, factor)| *delta *= factor);
        self
    }

    /// All multiplied by one number.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self(self.0.map(|delta| delta * factor))
    }

    pub(crate) fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Name and value.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        Self::NAMES.into_iter().zip(self.0)
    }
}

/// A candidate and its score so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    pub ord: Ordinal,
    pub parts: PerScout<Option<ScoutPart>>,
    /// The passage nearest in meaning, where the vector scout found one.
    pub passage: Option<u32>,
    pub fused: f64,
    pub deltas: Deltas,
    pub near_duplicate: f64,
    pub diversity: f64,
    /// `fused · (1 + Σ δ) / 1.15 · near_duplicate · diversity` once reranked.
    pub score: f64,
    /// The probability with which a draw showed it; `None` where its score did.
    pub propensity: Option<f64>,
}

impl Ranked {
    pub(crate) fn new(ord: Ordinal) -> Self {
        Self {
            ord,
            parts: PerScout::default(),
            passage: None,
            fused: 0.0,
            deltas: Deltas::default(),
            near_duplicate: 1.0,
            diversity: 1.0,
            score: 0.0,
            propensity: None,
        }
    }

    /// Σ weight · calibrated.
    pub(crate) fn refuse(&mut self) {
        let terms = self.parts.iter().filter_map(|(_, part)| part.as_ref());
        let sum: f64 = terms.map(|part| f64::from(part.weight) * f64::from(part.calibrated)).sum();
        self.fused = sum.clamp(0.0, 1.0);
    }
}
