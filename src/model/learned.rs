//! What verdicts taught a store, as a document, and what forgetting it took away.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{AssociationRate, Edge, LearnedWeights, Quarantine, Verdict};
use crate::clock::Timestamp;

/// Everything that verdicts taught a store, for its owner: it names queries and notes of every agent and task.
///
/// Lists are ordered by what they are of, so that two exports of one state are equal. Fields that a later release adds
/// read as empty from an earlier document.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LearnedExport {
    /// The form of the document: 1. It changes when a field comes to mean something else.
    pub format: u32,
    /// When it was made.
    pub exported_at: Timestamp,
    /// What was said of the notes of each receipt, in the order in which it was first said.
    pub verdicts: Vec<LearnedVerdict>,
    /// What verdicts made of each note that has one, by id.
    pub notes: Vec<LearnedNote>,
    /// `related_to` edges that being cited together made, by id.
    pub edges: Vec<Edge>,
    /// Edges stated by callers that verdicts raised or weakened since, by id.
    pub moved_edges: Vec<MovedEdge>,
    /// The queries kept with the notes that they ended up citing, by note.
    pub traces: Vec<LearnedTrace>,
    /// What became of notes that association proposed, as of the last training.
    pub association: Vec<AssociationRate>,
    /// What training made of the judged receipts; `None` before the first training.
    pub weights: Option<LearnedWeights>,
}

impl LearnedExport {
    /// The form that this release writes.
    pub const FORMAT: u32 = 1;
}

/// One verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedVerdict {
    /// The receipt; its retention may have ended.
    pub receipt_id: String,
    /// The note.
    pub note_id: String,
    /// What stands now.
    pub verdict: Verdict,
    /// When the receipt's note was first judged.
    pub at: Timestamp,
}

/// What verdicts made of a note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedNote {
    /// The note.
    pub note_id: String,
    /// Salience as it is stored, 0 to 1: as of `last_decay_applied_at`.
    pub salience: f64,
    /// How firmly citations have fixed it; divides the decay rate. Starts at 1.
    pub spaced_rep_strength: f64,
    /// How many receipts cited it.
    pub cited_count: u64,
    /// How many receipts ignored it.
    pub ignored_count: u64,
    /// How many receipts called it misleading.
    pub misleading_count: u64,
    /// When it was last cited.
    #[serde(default)]
    pub last_used_at: Option<Timestamp>,
    /// Up to when decay is in the salience already.
    #[serde(default)]
    pub last_decay_applied_at: Option<Timestamp>,
    /// Why misleading verdicts keep it out of retrieval, if they do.
    #[serde(default)]
    pub quarantine: Option<Quarantine>,
}

/// An edge that a caller stated and verdicts moved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MovedEdge {
    /// As it now stands.
    pub edge: Edge,
    /// The weight that it was stated with, and would have again without the verdicts.
    pub stated_weight: f64,
    /// Receipts since then that cited both of its notes.
    pub cited_together: u64,
    /// Misleading verdicts on either of its notes since then.
    pub misleading: u64,
}

/// A query that led to a note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedTrace {
    /// The note.
    pub note_id: String,
    /// The query, cut off after 240 characters.
    pub question: String,
    /// The one agent that it serves, if it is an agent's.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The one task that it serves, if it is nobody's but a task's. With neither, it serves everyone.
    #[serde(default)]
    pub task_id: Option<String>,
    /// The query's terms, each with how rare it was among the notes.
    pub terms: BTreeMap<String, f32>,
    /// The query's vector as the store keeps it: one code from −127 to 127 per dimension, in proportion to the vector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector: Option<Vec<i8>>,
    /// The verdicts that it rests on, oldest first: citations, and misleading verdicts on queries like it.
    pub events: Vec<LearnedTraceEvent>,
}

/// One verdict that a trace rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedTraceEvent {
    /// The receipt.
    pub receipt_id: String,
    /// When its note was first judged.
    pub at: Timestamp,
    /// Cited or misleading.
    pub verdict: Verdict,
}

/// How much [`Engine::reset_learned`](crate::Engine::reset_learned) took away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LearnedReset {
    /// Receipts that had a verdict.
    pub judged_receipts: u64,
    /// Verdicts.
    pub verdicts: u64,
    /// Notes whose salience, strength and counts are those of new notes again.
    pub notes: u64,
    /// Learned edges, deleted.
    pub learned_edges: u64,
    /// Stated edges that weigh again what they were stated with.
    pub moved_edges: u64,
    /// Queries kept with the notes that they cited, deleted.
    pub traces: u64,
    /// Whether there were trained weights.
    pub weights: bool,
    /// Notes that misleading verdicts kept out of retrieval, and that are back.
    pub quarantines: u64,
}
