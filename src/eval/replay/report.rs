//! What other weights would have changed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::eval::Interval;

/// What stored receipts would have been under other weights; see [`Engine::replay`](crate::Engine::replay).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplayReport {
    /// The weights replayed under, as a receipt records them: each scout's by its canonical name, 1 in sum, and as
    /// `delta_…` each rerank factor that is not the configured one, as a multiple of it.
    pub weights: BTreeMap<String, f64>,
    /// The cut-off of nDCG.
    pub k: usize,
    /// Receipts that were ranked anew.
    pub receipts: usize,
    /// Receipts of failed retrieves, left out.
    pub failed: usize,
    /// Receipts that answered with no note, left out.
    pub empty: usize,
    /// Those ranked anew with at least one citation: what the gains below are means over.
    pub judged: usize,
    /// Those whose order changes at all.
    pub reordered: usize,
    /// Those with another note in the first place.
    pub first_changed: usize,
    /// Those with other notes, in whatever order, among the first `k`.
    pub top_changed: usize,
    /// What citations gain, each counting 1.
    pub citations: ReplayGain,
    /// The same with each citation counting by where it stood when it was made, √rank up to
    /// [`max_position_weight`](crate::LearningConfig::max_position_weight), as in the gate of learned weights: what
    /// stands on top is cited for standing there, which favours the ranking as answered. It weighs the citations of one
    /// receipt against each other: a receipt that cites a single note has the same nDCG in both.
    pub position_corrected: ReplayGain,
    /// Reordered receipts, those whose nDCG changes most first, newest first among equals.
    pub changed: Vec<ReplayedReceipt>,
}

/// nDCG of the citations as answered and as ranked anew, over the judged receipts; all 0 where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplayGain {
    /// Mean nDCG as answered, 0 to 1.
    pub before: f64,
    /// Mean nDCG as ranked anew.
    pub after: f64,
    /// The mean of after − before, receipt by receipt, with its 95 % interval (paired bootstrap, 2 000 resamples).
    pub difference: Interval,
    /// Receipts whose nDCG differs.
    pub discordant: usize,
    /// Those whose nDCG rises.
    pub wins: usize,
    /// Those whose nDCG falls.
    pub losses: usize,
}

/// A receipt that other weights order otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayedReceipt {
    /// The receipt's id.
    pub receipt_id: String,
    /// Its query.
    pub query: String,
    /// nDCG of its citations as answered; `None` where nothing was cited.
    pub before: Option<f64>,
    /// nDCG as ranked anew; `None` where nothing was cited.
    pub after: Option<f64>,
    /// Ids of the first `k` notes as answered.
    pub first_before: Vec<String>,
    /// Ids of the first `k` notes as ranked anew.
    pub first_after: Vec<String>,
}

impl ReplayedReceipt {
    /// By how much its nDCG changes, whichever way.
    pub(super) fn change(&self) -> f64 {
        self.before.zip(self.after).map_or(0.0, |(before, after)| (after - before).abs())
    }
}
