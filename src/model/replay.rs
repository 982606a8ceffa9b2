//! Which receipts are ranked anew, and under which weights.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;

/// Weights that a replay starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayWeights {
    /// The configured ones, as if nothing had been learned.
    Shipped,
    /// Those that retrieves use now: the configured ones, and what was learned as far as it was adopted. The default.
    #[default]
    InForce,
    /// What the last training made of the judged receipts, at full weight, adopted or not.
    Trained,
}

/// What to replay: [`Engine::replay`](crate::Engine::replay). Conditions AND together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplayRequest {
    /// The weights to start from; default those in force.
    pub weights: ReplayWeights,
    /// Weights that take the place of those: a scout's by its canonical name (`scout_lexical`), 0 and up, all of them
    /// being scaled to 1 in sum then; or `delta_salience`, `delta_recency`, `delta_note_type`, `delta_graph_affinity`
    /// or `delta_status`, a rerank factor as a multiple of the configured one, 0 and up. Default none.
    pub set: BTreeMap<String, f64>,
    /// Receipts of this task.
    pub task_id: Option<String>,
    /// Receipts of this agent.
    pub agent_id: Option<String>,
    /// At or after this instant.
    pub since: Option<Timestamp>,
    /// Before this instant.
    pub until: Option<Timestamp>,
    /// How many receipts at most, the newest ones, failed and empty ones included; from 1, default 1 000.
    pub limit: usize,
    /// The cut-off of nDCG and how many first places are compared; from 1, default 10.
    pub k: usize,
    /// How many changed receipts are shown at most; default 20.
    pub show: usize,
    /// Seed of the interval; default 1.
    pub seed: u64,
}

impl Default for ReplayRequest {
    fn default() -> Self {
        Self {
            weights: ReplayWeights::InForce,
            set: BTreeMap::new(),
            task_id: None,
            agent_id: None,
            since: None,
            until: None,
            limit: 1000,
            k: 10,
            show: 20,
            seed: 1,
        }
    }
}
