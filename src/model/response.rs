//! What retrieval answers.

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;

/// One result of `search`: the nine keys of `lithos_search`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchResult {
    /// The note's id.
    pub id: String,
    /// The note's title.
    pub title: String,
    /// The passage that matches best: plain text, at most 240 characters.
    pub snippet: String,
    /// Relevance, 0 to 1.
    pub score: f64,
    /// The note's path, `""` when it has none.
    pub path: String,
    /// The page it came from, `""` when there is none.
    pub source_url: String,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Whether it has expired by now.
    pub is_stale: bool,
    /// Ids of the notes it was derived from; those that do not exist, or that the caller cannot see, are left out.
    pub derived_from_ids: Vec<String>,
}

/// One result of `retrieve`: the search keys, then what the cognitive layer adds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RetrievedNote {
    /// The nine keys shared with `search`.
    #[serde(flatten)]
    pub result: SearchResult,
    /// Why it is here, in words, each with the number it rests on.
    pub reasons: Vec<String>,
    /// Which scouts proposed it.
    pub scouts: Vec<String>,
    /// Its learned usefulness now, 0 to 1.
    pub salience: f64,
    /// How often and how recently it was retrieved, 0 to 1.
    pub usage_score: f64,
    /// How the score came about; present when the request says `explain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// How one score came about: `score = fused · (1 + Σ deltas) / 1.15 · near_duplicate · diversity`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// What each scout contributed, in canonical order; scouts that did not propose the note are absent.
    pub scouts: Vec<ScoutScore>,
    /// Σ weight · calibrated over the scouts above.
    pub fused: f64,
    /// The bounded rerank factors by name, each with its δ.
    pub deltas: Vec<(String, f64)>,
    /// 1, or less when a better result says nearly the same.
    pub near_duplicate: f64,
    /// 1 unless the request asked for diversity.
    pub diversity: f64,
}

/// One scout's part in a fused score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoutScore {
    /// The scout's canonical name.
    pub scout: String,
    /// Its score before calibration, in its own unit.
    pub raw: f64,
    /// Its score in [0, 1].
    pub calibrated: f64,
    /// Its weight in the convex combination.
    pub weight: f64,
}

/// An unresolved contradiction that touches what was retrieved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The `contradicts` edge.
    pub edge_id: String,
    /// The note it starts at.
    pub from_id: String,
    /// The note it ends at.
    pub to_id: String,
    /// `null`, `unreviewed` or `accepted_dual`.
    pub conflict_state: Option<String>,
}

/// The answer of `retrieve`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RetrieveResponse {
    /// Best first.
    pub results: Vec<RetrievedNote>,
    /// 1 − coherence of the top candidates: 0 they all say the same, 1 they have nothing in common;
    /// 0.5 while fewer than 3 of them have vectors.
    pub temperature: f64,
    /// 0 nothing to rank, 1 reranked, 2 widened because the temperature was high.
    pub terrace_reached: u8,
    /// The row this retrieve left behind; give it to `complete_task` or `feedback`.
    pub receipt_id: String,
    /// Whether a scout failed.
    pub degraded: bool,
    /// The scouts that failed.
    pub failed_scouts: Vec<String>,
    /// The scouts that had nothing to work with (no embedder, no task, …).
    pub skipped_scouts: Vec<String>,
    /// Unresolved contradictions; present when the request says `surface_conflicts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<Vec<Conflict>>,
}

/// The answer of `search`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchResponse {
    /// Best first.
    pub results: Vec<SearchResult>,
    /// Whether a backend failed.
    pub degraded: bool,
    /// The scouts that failed.
    pub failed_scouts: Vec<String>,
}
