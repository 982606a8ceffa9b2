//! The gate: whether learned weights rank what was cited better than the shipped ones, on receipts they were not trained
//! on.

use std::collections::BTreeMap;

use super::fit::{fit, position_weight};
use super::{JudgedReceipt, Weights};
use crate::config::LearningConfig;

const FOLDS: u64 = 5;
/// Differences of nDCG up to this are none.
const SAME: f64 = 1e-9;

/// What ranking held-out receipts by both weightings showed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shadowed {
    /// Receipts that were ranked.
    pub receipts: usize,
    /// Questions whose citations the two rank differently.
    pub discordant: usize,
    /// Those that learned weights rank better.
    pub wins: usize,
    /// Wilson's lower bound of the share of wins.
    pub lower_bound: f64,
    /// How much learned weights are to count; 0 where they are not adopted.
    pub blend: f64,
}

/// Ranks every receipt by weights trained on the folds that it is not in. Receipts that asked the same are one
/// observation, by their mean: a question that comes a hundred times says no more of others than one that comes once.
pub(crate) fn shadow(receipts: &[JudgedReceipt], shipped: &Weights, config: &LearningConfig) -> Shadowed {
    let mut seen = Shadowed { receipts: receipts.len(), ..Shadowed::default() };
    for fold in 0..FOLDS {
        let held_out = |receipt: &&JudgedReceipt| receipt.question % FOLDS == fold;
        let learned = fit(receipts.iter().filter(|receipt| !held_out(receipt)), shipped, config);
        let mut gained: BTreeMap<u64, f64> = BTreeMap::new();
        for receipt in receipts.iter().filter(held_out) {
            let gain = gain(receipt, &learned, config) - gain(receipt, shipped, config);
            *gained.entry(receipt.question).or_default() += gain;
        }
        seen.discordant += gained.values().filter(|gain| gain.abs() > SAME).count();
        seen.wins += gained.values().filter(|gain| **gain > SAME).count();
    }
    seen.lower_bound = wilson_lower_bound(seen.wins, seen.discordant, config.wilson_z);
    if seen.receipts >= config.min_receipts
        && seen.discordant >= config.min_discordant
        && seen.lower_bound > config.min_lower_bound
    {
        seen.blend = (config.blend_slope * (seen.lower_bound - config.min_lower_bound)).clamp(0.0, config.max_blend);
    }
    seen
}

/// nDCG of the citations under these weights, each citation counting by where it stood when it was made.
fn gain(receipt: &JudgedReceipt, weights: &Weights, config: &LearningConfig) -> f64 {
    let mut ranked: Vec<(f64, f64)> = receipt
        .nodes
        .iter()
        .enumerate()
        .map(|(rank, node)| (node.score(weights), if node.is_cited() { position_weight(rank, config) } else { 0.0 }))
        .collect();
    let dcg = |ranked: &[(f64, f64)]| -> f64 {
        ranked.iter().enumerate().map(|(rank, (_, gain))| gain / ((rank + 2) as f64).log2()).sum()
    };
    // Stable: of equal scores, the one that stood higher.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let own = dcg(&ranked);
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let ideal = dcg(&ranked);
    if ideal > 0.0 { own / ideal } else { 0.0 }
}

/// The lower end of Wilson's score interval of a share (E. B. Wilson, 1927).
pub(super) fn wilson_lower_bound(wins: usize, of: usize, z: f64) -> f64 {
    if of == 0 {
        return 0.0;
    }
    let (n, z2) = (of as f64, z * z);
    let share = wins as f64 / n;
    let spread = z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    (share + z2 / (2.0 * n) - spread) / (1.0 + z2 / n)
}
