//! What a simulation of feedback says.

use serde::{Deserialize, Serialize};

use super::channel::Channel;
use super::reword::Twin;
use super::streams::PerStream;
use crate::eval::bootstrap::paired;

/// The outcome of [`simulate_feedback`](super::simulate_feedback): shifts of nDCG, absolute, by stream of feedback.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeedbackReport {
    /// Feedback over every judged query; then their twins, which ask the same in other words.
    pub same_needs: PerStream<Shift>,
    /// Feedback over one half of the judged queries; then the other half.
    pub new_needs: PerStream<Shift>,
    /// The shifts of `same_needs` by how many words the twins share with their queries; bins without twins are left
    /// out.
    pub same_needs_by_overlap: Vec<OverlapBin>,
    /// `same_needs`, had the store learned nothing, and a cache put what was cited for exactly the same words first.
    pub exact_query_cache: PerStream<Shift>,
    /// How the twins came out.
    pub rewording: Rewording,
    /// The clean stream's shifts where feedback teaches in one way alone, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<ChannelShift>,
    /// What `same_needs` is made of.
    #[serde(default)]
    pub same_needs_by_query: Vec<QueryShift>,
    /// What `new_needs` is made of.
    #[serde(default)]
    pub new_needs_by_query: Vec<QueryShift>,
    /// The cutoff of nDCG, and how many notes callers were shown.
    pub k: usize,
    /// Seed of twins, halves, wrong citations and intervals.
    pub seed: u64,
}

/// A mean before and after feedback, over the same queries. Before is the frozen twin: a store that was asked the same
/// and told nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// Mean nDCG of the frozen twin.
    pub before: f64,
    /// Mean nDCG of the store that was told.
    pub after: f64,
    /// `after` − `before`.
    pub delta: f64,
    /// Lower end of the difference's 95 % interval (paired bootstrap over queries).
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// Queries scored.
    pub queries: usize,
}

/// Feedback that teaches in one way alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelShift {
    /// The way.
    pub channel: Channel,
    /// As [`FeedbackReport::same_needs`], clean.
    pub same_needs: Shift,
    /// As [`FeedbackReport::new_needs`], clean.
    pub new_needs: Shift,
}

/// One query's nDCG before and after feedback.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryShift {
    /// The query.
    pub id: String,
    /// nDCG of the frozen twin.
    pub before: f64,
    /// nDCG of the store that was told.
    pub after: PerStream<f64>,
}

/// Twins that share a like part of their words with their queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OverlapBin {
    /// The least share of a twin's content words that the query has too.
    pub from: f64,
    /// The share that is too much, but that the last bin includes it.
    pub to: f64,
    /// The shifts.
    #[serde(flatten)]
    pub shifts: PerStream<Shift>,
}

/// How twins came out, over all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rewording {
    /// Twins.
    pub twins: usize,
    /// Share of the queries' content words that was dropped.
    pub dropped: f64,
    /// Share that was replaced.
    pub replaced: f64,
    /// Mean share of a twin's content words that its query has too.
    pub overlap: f64,
    /// Mean nDCG of the frozen twin store for the queries themselves. Where `same_needs` starts from more, the words that
    /// replaced others made the twins easier, not harder.
    pub ndcg_of_queries: f64,
}

/// Ends of the bins of overlap.
const BINS: [(f64, f64); 3] = [(0.0, 1.0 / 3.0), (1.0 / 3.0, 2.0 / 3.0), (2.0 / 3.0, 1.0)];

/// nDCG of each query before feedback, and after it by stream.
pub(super) struct Scores {
    pub before: Vec<f64>,
    pub after: PerStream<Vec<f64>>,
}

impl Scores {
    /// The shifts over the queries at places that `wanted` admits.
    pub fn shifts(&self, resamples: usize, seed: u64, wanted: impl Fn(usize) -> bool) -> PerStream<Shift> {
        self.after.map(|after| {
            let pairs = self.before.iter().zip(after).enumerate().filter(|(at, _)| wanted(*at));
            Shift::of(&pairs.map(|(_, (before, after))| (*before, *after)).collect::<Vec<_>>(), resamples, seed)
        })
    }

    /// Query by query, in the order in which they were asked.
    pub fn by_query<'a>(&self, ids: impl Iterator<Item = &'a str>) -> Vec<QueryShift> {
        let PerStream { clean, noisy, adversarial } = &self.after;
        let values = self.before.iter().zip(clean).zip(noisy.iter().zip(adversarial));
        let shift = |(id, ((&before, &clean), (&noisy, &adversarial))): (&str, _)| QueryShift {
            id: id.to_owned(),
            before,
            after: PerStream { clean, noisy, adversarial },
        };
        ids.zip(values).map(shift).collect()
    }

    /// The shifts by the twins' overlap.
    pub fn by_overlap(&self, twins: &[Twin], resamples: usize, seed: u64) -> Vec<OverlapBin> {
        let bin = |(from, to): (f64, f64)| {
            let within = |overlap: f64| overlap >= from && (overlap < to || to >= 1.0);
            let shifts = self.shifts(resamples, seed, |at| twins.get(at).is_some_and(|twin| within(twin.overlap())));
            OverlapBin { from, to, shifts }
        };
        BINS.into_iter().map(bin).filter(|bin| bin.shifts.clean.queries > 0).collect()
    }
}

impl Shift {
    /// From the values before and after, query by query.
    pub(super) fn of(pairs: &[(f64, f64)], resamples: usize, seed: u64) -> Self {
        let (before, after, of) = paired(pairs, resamples, seed);
        Self { before, after, delta: of.mean, lo: of.lo, hi: of.hi, queries: pairs.len() }
    }
}

impl Rewording {
    pub(super) fn of(twins: &[Twin], ndcg_of_queries: &[f64]) -> Self {
        let sum = |of: fn(&Twin) -> usize| twins.iter().map(of).sum::<usize>() as f64;
        let words = sum(|twin| twin.words).max(1.0);
        Self {
            twins: twins.len(),
            dropped: sum(|twin| twin.dropped) / words,
            replaced: sum(|twin| twin.replaced) / words,
            overlap: twins.iter().map(Twin::overlap).sum::<f64>() / twins.len().max(1) as f64,
            ndcg_of_queries: ndcg_of_queries.iter().sum::<f64>() / ndcg_of_queries.len().max(1) as f64,
        }
    }
}
