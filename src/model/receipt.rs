//! The receipt: one row per retrieve, from which counters, feedback and replay follow.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;

/// One note of a receipt's answer, with what the reranker saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinalNode {
    /// The note's id.
    pub id: String,
    /// Its score in that answer.
    pub score: f64,
    /// Why it was there.
    pub reasons: Vec<String>,
    /// Which scouts proposed it.
    pub scouts: Vec<String>,
    /// The reranker's inputs by name: calibrated scout scores, δs, the near-duplicate factor; and `propensity`, the
    /// probability it was shown with, where [`Exploration`](crate::Exploration) drew it.
    pub features: BTreeMap<String, f64>,
}

/// What a retrieve left behind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    /// `rcpt_` and 12 hex digits.
    pub id: String,
    /// When it was written.
    pub ts: Timestamp,
    /// The query as given.
    pub query: String,
    /// The agent that asked.
    pub agent_id: Option<String>,
    /// The task it asked for, resolved.
    pub task_id: Option<String>,
    /// The request's other fields that differ from their defaults.
    pub request: serde_json::Value,
    /// The scout weights in force; with them and the nodes' features, `score` follows.
    pub weights: BTreeMap<String, f64>,
    /// Scouts that ran cleanly, an empty answer included.
    pub scouts_fired: Vec<String>,
    /// Scouts that failed.
    pub failed_scouts: Vec<String>,
    /// Distinct eligible notes that were ranked.
    pub candidates_considered: usize,
    /// What was answered, best first.
    pub final_nodes: Vec<FinalNode>,
    /// Ids of the contradictions that were reported.
    pub conflicts_surfaced: Vec<String>,
    /// As in the answer.
    pub temperature: f64,
    /// As in the answer.
    pub terrace_reached: u8,
    /// What widening did, when it was done: seeds and pool depth.
    pub widening: Option<serde_json::Value>,
    /// Microseconds by stage: eligibility, each scout, fuse, rerank, hydrate, total.
    pub timings: BTreeMap<String, u64>,
    /// The error, when the retrieve failed.
    pub error: Option<serde_json::Value>,
}

/// Which receipts to list, newest first; conditions AND together.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct ReceiptFilter {
    /// Receipts of this task.
    pub task_id: Option<String>,
    /// Receipts of this agent.
    pub agent_id: Option<String>,
    /// At or after this instant.
    pub since: Option<Timestamp>,
    /// Before this instant.
    pub until: Option<Timestamp>,
    /// How many at most; default 20.
    pub limit: usize,
    /// How many to skip; default 0.
    pub offset: usize,
}

impl Default for ReceiptFilter {
    fn default() -> Self {
        Self { task_id: None, agent_id: None, since: None, until: None, limit: 20, offset: 0 }
    }
}
