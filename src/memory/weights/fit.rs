//! Training: a pairwise logistic model over judged receipts, with the shipped weights as its prior.

use super::{DIMS, JudgedReceipt, Weights};
use crate::config::LearningConfig;
use crate::model::Verdict;

/// Newton's method on 12 dimensions is there long before.
const STEPS: usize = 30;
/// Largest change of a step, in spreads of the prior, below which it is there.
const CLOSE: f64 = 1e-6;

/// Pairs of a receipt that are kept: a list of 1 000 with half of it cited has 250 000, which say little more.
const MAX_PAIRS: usize = 500;

/// A cited note and one that was not, about the shipped weights.
struct Pair {
    /// By how much the cited one leads, times the slope.
    lead: f64,
    /// How the lead changes with each weight, in spreads of the prior.
    slope: [f64; DIMS],
    weight: f64,
}

/// The weights under which what was cited stands above what was not, as far as the receipts outweigh the prior:
/// minimises `Σ ω·ln(1 + e^−lead) + ½ Σ ((θ − θ₀)/spread)²`, ω summing to a receipt's mean position weight.
///
/// Scores are taken as linear about the shipped weights, so the problem is convex and its answer is the receipts' alone.
pub(crate) fn fit<'a>(
    receipts: impl Iterator<Item = &'a JudgedReceipt>,
    shipped: &Weights,
    config: &LearningConfig,
) -> Weights {
    let spreads = spreads(config);
    let pairs: Vec<Pair> = receipts.flat_map(|receipt| pairs(receipt, shipped, &spreads, config)).collect();
    let mut moved = [0.0; DIMS];
    for _ in 0..STEPS {
        let (gradient, hessian) = derivatives(&pairs, &moved);
        let Some(step) = solve(hessian, gradient) else { break };
        let largest = step.iter().fold(0.0_f64, |largest, by| largest.max(by.abs()));
        // Far from the answer the second order may overshoot.
        let scale = (1.0 / largest.max(1.0)).min(1.0);
        moved.iter_mut().zip(step).for_each(|(value, by)| *value -= by * scale);
        if largest < CLOSE {
            break;
        }
    }
    let mut values = shipped.values();
    values.iter_mut().zip(moved).zip(spreads).for_each(|((value, by), spread)| *value += by * spread);
    if values.iter().any(|value| !value.is_finite()) {
        return *shipped;
    }
    Weights::from_values(values).bounded()
}

fn spreads(config: &LearningConfig) -> [f64; DIMS] {
    let mut spreads = [config.scout_spread; DIMS];
    spreads.iter_mut().skip(7).for_each(|spread| *spread = config.factor_spread);
    spreads
}

fn pairs(receipt: &JudgedReceipt, shipped: &Weights, spreads: &[f64; DIMS], config: &LearningConfig) -> Vec<Pair> {
    let described: Vec<_> = receipt.nodes.iter().map(|node| (node.score(shipped), node.gradient(shipped))).collect();
    let mut pairs = Vec::new();
    for ((rank, cited), (score, gradient)) in receipt.nodes.iter().enumerate().zip(&described) {
        if !cited.is_cited() {
            continue;
        }
        let position = position_weight(rank, config);
        for (other, (other_score, other_gradient)) in receipt.nodes.iter().zip(&described) {
            let against = match other.verdict {
                Some(Verdict::Misleading) => config.misleading_weight,
                Some(Verdict::Ignored) => 1.0,
                Some(Verdict::Cited) | None => continue,
            };
            let mut slope = [0.0; DIMS];
            for (at, ((own, other), spread)) in slope.iter_mut().zip(gradient.iter().zip(other_gradient).zip(spreads)) {
                *at = config.slope * (own - other) * spread;
            }
            pairs.push(Pair { lead: config.slope * (score - other_score), slope, weight: position * against });
        }
    }
    if pairs.len() > MAX_PAIRS {
        // Evenly over the list, so that no place is favoured.
        let (of, mut at) = (pairs.len(), 0);
        pairs.retain(|_| {
            let kept = at * MAX_PAIRS / of != (at + 1) * MAX_PAIRS / of;
            at += 1;
            kept
        });
    }
    let count = pairs.len() as f64;
    pairs.iter_mut().for_each(|pair| pair.weight /= count);
    pairs
}

/// What a citation at this place counts: the inverse of how likely it was looked at, clipped.
pub(super) fn position_weight(rank: usize, config: &LearningConfig) -> f64 {
    ((rank + 1) as f64).sqrt().min(config.max_position_weight)
}

fn derivatives(pairs: &[Pair], moved: &[f64; DIMS]) -> ([f64; DIMS], [[f64; DIMS]; DIMS]) {
    let mut gradient = *moved;
    let mut hessian = [[0.0; DIMS]; DIMS];
    hessian.iter_mut().enumerate().for_each(|(at, row)| row.iter_mut().skip(at).take(1).for_each(|own| *own = 1.0));
    for pair in pairs {
        let lead = pair.lead + pair.slope.iter().zip(moved).map(|(slope, by)| slope * by).sum::<f64>();
        let wrong = 1.0 / (1.0 + lead.exp());
        let curve = pair.weight * wrong * (1.0 - wrong);
        gradient.iter_mut().zip(pair.slope).for_each(|(sum, slope)| *sum -= pair.weight * wrong * slope);
        for (row, of_row) in hessian.iter_mut().zip(pair.slope) {
            row.iter_mut().zip(pair.slope).for_each(|(sum, slope)| *sum += curve * of_row * slope);
        }
    }
    (gradient, hessian)
}

/// The solution of a symmetric positive definite system, by Cholesky's decomposition; `None` where it is not one.
fn solve(mut matrix: [[f64; DIMS]; DIMS], mut right: [f64; DIMS]) -> Option<[f64; DIMS]> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for at in 0..DIMS {
        for of in at..DIMS {
            let (upper, row) = (*matrix.get(at)?, *matrix.get(of)?);
            let rest = row.get(at)? - dot(upper.get(..at)?, row.get(..at)?);
            let own = if of == at {
                if rest <= 0.0 || !rest.is_finite() {
                    return None;
                }
                rest.sqrt()
            } else {
                rest / upper.get(at)?
            };
            *matrix.get_mut(of)?.get_mut(at)? = own;
        }
    }
    for at in 0..DIMS {
        let row = matrix.get(at)?;
        let value = (right.get(at)? - dot(row.get(..at)?, right.get(..at)?)) / row.get(at)?;
        *right.get_mut(at)? = value;
    }
    for at in (0..DIMS).rev() {
        let below: f64 =
            matrix.iter().zip(right).skip(at + 1).map(|(row, value)| row.get(at).unwrap_or(&0.0) * value).sum();
        let value = (right.get(at)? - below) / matrix.get(at)?.get(at)?;
        *right.get_mut(at)? = value;
    }
    Some(right)
}
