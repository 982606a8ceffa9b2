//! What an evaluation says.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::bootstrap::{Interval, mean_interval};
use super::feedback::{ClickReport, FeedbackReport};
use super::load::Percentiles;
use super::machine::Machine;
use super::run::{QueryScores, Run};
use super::vector_recall::VectorRecall;
use crate::config::Config;
use crate::engine::Engine;

/// Means over queries, each with its interval, by metric.
pub type Means = BTreeMap<String, Interval>;

/// The outcome of [`evaluate`](super::evaluate), and the document that `terrace eval --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The set's name.
    pub dataset: String,
    /// Notes in it.
    pub docs: usize,
    /// Judged queries that were asked.
    pub queries: usize,
    /// The cutoff of nDCG, recall, MRR and the golds.
    pub k: usize,
    /// Seed of the intervals.
    pub seed: u64,
    /// The machine of the latencies and of the index rate.
    pub machine: Machine,
    /// Links that the set's structure added, by type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub links: BTreeMap<String, usize>,
    /// What decides the ranking: embedder, weights, passages, bounds.
    pub config: Value,
    /// The whole engine's quality.
    pub metrics: Means,
    /// Each scout's own ranking, by scout.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scouts: BTreeMap<String, Means>,
    /// The engine with the weight of one scout set to 0, by scout.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub without: BTreeMap<String, Means>,
    /// One retrieve of `k` notes, its receipt included, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<Percentiles>,
    /// The same of queries that come with their vectors: what is left of the latency without embedding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_embedded_ms: Option<Percentiles>,
    /// Opening the store with its notes, in milliseconds; `null` where it was filled just now.
    #[serde(default)]
    pub open_ms: Option<f64>,
    /// Resident memory of the process after the retrieves, in megabytes, the data set included, and what filling the
    /// store left where it was filled just now; `null` where the system does not say.
    #[serde(default)]
    pub rss_mb: Option<f64>,
    /// Taking the notes in.
    pub index: IndexCost,
    /// The vector graph beside the exact scan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<VectorRecall>,
    /// What feedback is worth, where that was simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<FeedbackReport>,
    /// What a log of clicks taught, where one was replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clicks: Option<ClickReport>,
    /// Every query's metrics: what two reports are compared by.
    pub per_query: QueryScores,
    /// The rankings themselves.
    #[serde(skip)]
    pub run: Run,
}

/// What taking the notes in costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexCost {
    /// Seconds, maintenance included; `null` where the store was filled already.
    pub seconds: Option<f64>,
    /// Notes per second.
    pub notes_per_s: Option<f64>,
    /// Megabytes on disk, the text itself included.
    pub mb: f64,
}

/// The mean of every metric over the queries, with its interval.
pub(super) fn means(scores: &QueryScores, resamples: usize, seed: u64) -> Means {
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for metrics in scores.values() {
        for (metric, value) in metrics {
            values.entry(metric).or_default().push(*value);
        }
    }
    values.into_iter().map(|(metric, of)| (metric.to_owned(), mean_interval(&of, resamples, seed))).collect()
}

/// What decides a ranking, for a reader who compares two reports.
pub(super) fn settings(engine: &Engine, config: &Config, embedder: Option<&str>) -> Value {
    json!({
        "terrace": env!("CARGO_PKG_VERSION"),
        "embedder": embedder,
        "vector": config.vector,
        "ranking": config.ranking,
        "lcma": config.lcma,
        "threads": config.threads,
        "sequence": engine.snapshot().seq,
    })
}
