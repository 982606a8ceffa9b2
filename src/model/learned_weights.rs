//! Weights that verdicts have taught a store, and how sure it is of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;

/// What callers said of notes that association proposed to them, at similarities alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssociationRate {
    /// From this similarity of query and trace, 0 to 1, to 0.05 more.
    pub similarity: f64,
    /// Notes proposed and judged.
    pub judged: u64,
    /// Those of them that were cited.
    pub cited: u64,
}

/// Weights trained on what this store's callers cited, and how they fared on receipts that they were not trained on.
/// [`LearningConfig`](crate::LearningConfig) says how and when they count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedWeights {
    /// Each scout's weight by its canonical name, 1 in sum.
    pub scouts: BTreeMap<String, f64>,
    /// Each rerank factor as a multiple of the configured one, by name.
    pub factors: BTreeMap<String, f64>,
    /// The scouts' configured weights that they started from; under other ones they do not count.
    pub shipped: BTreeMap<String, f64>,
    /// Judged receipts that say which notes belong above which: those it was trained on and, in turns, tried on.
    pub receipts: usize,
    /// Those whose citations the learned and the configured weights rank differently.
    pub discordant: usize,
    /// Those that the learned weights rank better.
    pub wins: usize,
    /// Wilson's lower bound of the share of `wins` among `discordant`.
    pub lower_bound: f64,
    /// How much the learned weights count beside the configured ones, 0 to 1; 0 where they are not adopted.
    pub blend: f64,
    /// When they were trained.
    pub trained_at: Timestamp,
}
