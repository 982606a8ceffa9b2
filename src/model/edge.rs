//! Edges: typed, weighted relations between notes, asserted by callers or learned from feedback.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::clock::Timestamp;

/// Where an edge comes from, which decides who may change it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeOrigin {
    /// Stated by a caller through `edge_upsert`.
    #[default]
    Asserted,
    /// Made by feedback: notes that were cited together.
    Learned,
    /// Follows a note's links; changes with the note only.
    WikiLink,
    /// Follows a note's `derived_from_ids` or `supersedes`; changes with the note only.
    Lineage,
}

impl EdgeOrigin {
    /// The name in JSON and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asserted => "asserted",
            Self::Learned => "learned",
            Self::WikiLink => "wiki_link",
            Self::Lineage => "lineage",
        }
    }
}

/// What a caller states about two notes. Unique by `from_id`, `to_id`, `type` and `namespace`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EdgeDraft {
    /// The note it starts at; must exist.
    pub from_id: String,
    /// The note it ends at; must exist and differ from `from_id`.
    pub to_id: String,
    /// The relation: `related_to`, `contradicts`, `depends_on`, or any other word.
    #[serde(rename = "type")]
    pub edge_type: String,
    /// `None`: the namespace of the `from` note.
    #[serde(default)]
    pub namespace: Option<String>,
    /// How strong, 0 to 1; default 0.5.
    #[serde(default = "default_weight")]
    pub weight: f64,
    /// Who says so.
    #[serde(default)]
    pub provenance: Option<String>,
    /// Why: any JSON, kept as the text that was given.
    #[serde(default)]
    pub evidence: Option<Box<RawValue>>,
}

fn default_weight() -> f64 {
    0.5
}

impl EdgeDraft {
    /// An edge of weight 0.5 without provenance or evidence.
    pub fn new(from_id: impl Into<String>, edge_type: impl Into<String>, to_id: impl Into<String>) -> Self {
        Self {
            from_id: from_id.into(),
            to_id: to_id.into(),
            edge_type: edge_type.into(),
            namespace: None,
            weight: default_weight(),
            provenance: None,
            evidence: None,
        }
    }
}

/// An edge as the store holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Edge {
    /// `edge_` and 12 hex digits; for edges that follow notes, the relation and both ends: `links_to:a:b`.
    pub edge_id: String,
    /// The note it starts at.
    pub from_id: String,
    /// The note it ends at.
    pub to_id: String,
    /// The relation.
    #[serde(rename = "type")]
    pub edge_type: String,
    /// The namespace it was stated in.
    pub namespace: String,
    /// How strong, 0 to 1.
    pub weight: f64,
    /// Where it comes from.
    pub origin: EdgeOrigin,
    /// Who says so.
    pub provenance: Option<String>,
    /// Why.
    pub evidence: Option<Box<RawValue>>,
    /// For `contradicts`: `None` and `unreviewed` are unresolved, `accepted_dual` too; else how it was resolved.
    pub conflict_state: Option<String>,
    /// When it was first stated.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Which edges to list; conditions AND together.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EdgeFilter {
    /// Edges that touch this note at either end.
    pub node_id: Option<String>,
    /// Edges that start at this note.
    pub from_id: Option<String>,
    /// Edges that end at this note.
    pub to_id: Option<String>,
    /// Edges of this relation.
    #[serde(rename = "type")]
    pub edge_type: Option<String>,
    /// Edges of this namespace.
    pub namespace: Option<String>,
    /// Also list the edges that follow links and lineage; default false.
    pub include_derived: bool,
}

/// How a contradiction was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictResolution {
    /// Both may stand; it stays visible as a conflict.
    AcceptedDual,
    /// One replaces the other; needs a winner.
    Superseded,
    /// The contradiction does not hold.
    Refuted,
    /// Both were merged elsewhere.
    Merged,
}

impl ConflictResolution {
    /// The name in JSON and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AcceptedDual => "accepted_dual",
            Self::Superseded => "superseded",
            Self::Refuted => "refuted",
            Self::Merged => "merged",
        }
    }
}
