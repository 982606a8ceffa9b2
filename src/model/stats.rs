//! A note's cognitive-memory state, and the store's figures.

use serde::{Deserialize, Serialize};

use super::{AssociationRate, LearnedWeights};
use crate::clock::Timestamp;

/// One note's cognitive-memory state: the keys of `lithos_node_stats`, with terrace's own after them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeStats {
    /// The note's id.
    pub node_id: String,
    /// Learned usefulness now, decay included, 0 to 1; starts at 0.5.
    pub salience: f64,
    /// How many retrieves returned it.
    pub retrieval_count: u64,
    /// How many receipts cited it.
    pub cited_count: u64,
    /// When a retrieve last returned it.
    pub last_retrieved_at: Option<Timestamp>,
    /// When it was last cited.
    pub last_used_at: Option<Timestamp>,
    /// How many receipts ignored it.
    pub ignored_count: u64,
    /// How many receipts called it misleading.
    pub misleading_count: u64,
    /// The decay rate in force, per day of idleness.
    pub decay_rate: f64,
    /// How firmly citations have fixed it; divides the decay rate. Starts at 1.
    pub spaced_rep_strength: f64,
    /// Up to when decay is already in the stored salience.
    pub last_decay_applied_at: Option<Timestamp>,
    /// How often and how recently it was retrieved, 0 to 1.
    pub usage_score: f64,
    /// Why it is kept out of retrieval, if it is.
    pub quarantine: Option<Quarantine>,
}

/// Why and since when a note is kept out of retrieval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantine {
    /// What happened.
    pub reason: String,
    /// Since when.
    pub at: Timestamp,
}

/// The store in figures, as its owner sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoreStats {
    /// Notes held.
    pub notes: u64,
    /// Notes that retrieval may return by default.
    pub retrievable: u64,
    /// Passages with a vector.
    pub vectors: u64,
    /// Edges asserted or learned.
    pub edges: u64,
    /// Receipts kept.
    pub receipts: u64,
    /// Tasks, open and closed.
    pub tasks: u64,
    /// Distinct tags, each ancestor of a nested tag counting as one.
    pub tags: u64,
    /// Distinct namespaces.
    pub namespaces: u64,
    /// Notes in quarantine.
    pub quarantined: u64,
    /// The number of the last change.
    pub sequence: u64,
    /// Documents in the lexical index.
    pub lexical_docs: u64,
    /// Segments of the lexical index.
    pub lexical_segments: u64,
    /// The embedder's name, when the store has vectors.
    pub embedder: Option<String>,
    /// Vector width.
    pub dims: Option<usize>,
    /// Bytes of the SQLite file and its log.
    pub sqlite_bytes: u64,
    /// Bytes of the lexical index.
    pub lexical_bytes: u64,
}

/// What feedback has taught this store beyond the notes' own statistics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LearnedState {
    /// The scout weights in force, by canonical name.
    pub weights: std::collections::BTreeMap<String, f64>,
    /// Receipts with at least one verdict.
    pub judged_receipts: u64,
    /// Learned `related_to` edges.
    pub learned_edges: u64,
    /// Queries kept with the notes that they ended up citing.
    #[serde(default)]
    pub traces: u64,
    /// What became of notes that association proposed, as of the last training.
    #[serde(default)]
    pub association: Vec<AssociationRate>,
    /// What training made of the judged receipts, adopted or not; `None` before the first training.
    #[serde(default)]
    pub trained: Option<LearnedWeights>,
}
