//! A note on its way through the ranking, carrying everything its score is made of.

use crate::model::Ordinal;
use crate::scouts::{PerScout, Reason};

/// One scout's part in a candidate.
#[derive(Clone, Debug)]
pub(crate) struct ScoutPart {
    pub raw: f32,
    /// In [0, 1].
    pub calibrated: f32,
    pub weight: f32,
    pub reason: Reason,
}

/// One bounded rerank factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Delta {
    pub name: &'static str,
    pub value: f64,
}

/// A candidate and its score so far.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub ord: Ordinal,
    pub parts: PerScout<Option<ScoutPart>>,
    /// The passage nearest in meaning, where the vector scout found one.
    pub passage: Option<u32>,
    pub fused: f64,
    pub deltas: Vec<Delta>,
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
            deltas: Vec::new(),
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
