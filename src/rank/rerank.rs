//! Reranking: bounded factors on the fused score, so that usefulness decides between equals and lifts nothing that
//! does not match.

use super::{Deltas, Ranked};
use crate::clock::Timestamp;
use crate::config::RankingConfig;
use crate::model::Status;

/// |Σ δ| never exceeds this.
pub(crate) const MAX_DELTA: f64 = 0.15;

/// Days in which a note's recency factor halves.
const RECENCY_HALF_LIFE_DAYS: f64 = 30.0;
/// Largest effect of having been retrieved together, inside the graph factor. With the usage factor's 0.0025 it stays
/// under 0.5 % of a score even where the other factors take 15 %.
const COACTIVATION_DELTA: f64 = 0.0015;
/// Largest effect of usage, whatever the configuration says: see [`COACTIVATION_DELTA`].
const USAGE_CAP: f64 = 0.0025;

/// What reranking reads of one note.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RerankInput<'a> {
    /// 0 to 1.
    pub salience: f64,
    /// 0 to 1.
    pub usage: f64,
    pub updated_at: Timestamp,
    pub now: Timestamp,
    pub note_type: &'a str,
    pub status: Status,
    /// How strongly the notes at the top lead to it, 0 to 1.
    pub affinity: f64,
    /// How habitually it was retrieved with them, 0 to 1.
    pub coactivation: f64,
}

/// Sets `deltas`, each its factor times what the configuration makes of it, and `score = fused · (1 + Σ δ) / 1.15`.
pub(crate) fn rerank(ranked: &mut Ranked, input: &RerankInput<'_>, config: &RankingConfig, factors: &Deltas) {
    let bounded = |value: f64, low: f64| if value.is_finite() { value.clamp(low, 1.0) } else { 0.0 };
    let age = input.now.days_since(input.updated_at);
    let graph = (config.graph_delta - COACTIVATION_DELTA).max(0.0);
    let deltas = Deltas::new([
        config.salience_delta * (2.0 * bounded(input.salience, 0.0) - 1.0),
        config.usage_delta.min(USAGE_CAP) * bounded(input.usage, 0.0),
        config.recency_delta * 0.5_f64.powf(age / RECENCY_HALF_LIFE_DAYS),
        config.note_type_delta * note_type_prior(input.note_type),
        graph * bounded(input.affinity, 0.0) + COACTIVATION_DELTA * bounded(input.coactivation, 0.0),
        config.status_delta * status_prior(input.status),
    ])
    .times(factors);
    let sum = deltas.sum();
    // A configuration whose factors together pass the bound is scaled back into it, each in proportion.
    ranked.deltas = if sum.abs() > MAX_DELTA { deltas.scaled(MAX_DELTA / sum.abs()) } else { deltas };
    ranked.score = ranked.fused * (1.0 + ranked.deltas.sum()) / (1.0 + MAX_DELTA);
}

/// Notes that only point elsewhere answer less than those they point to.
fn note_type_prior(note_type: &str) -> f64 {
    match note_type {
        "index" | "moc" | "template" | "hub" => -1.0,
        _ => 0.0,
    }
}

/// Accepted outranks proposed at equal evidence; what has lost its ground comes last.
fn status_prior(status: Status) -> f64 {
    match status {
        Status::Accepted => 1.0,
        Status::Active => 0.0,
        Status::Proposed => -0.5,
        Status::Rejected | Status::Superseded | Status::Stale | Status::Archived | Status::Quarantined => -1.0,
    }
}
