//! One step from a note to another.

use std::fmt;

use crate::model::Ordinal;

/// How two notes are related.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NeighbourKind {
    /// The seed links to it.
    LinkedFrom,
    /// It links to the seed.
    LinksTo,
    /// A typed edge.
    Edge(std::sync::Arc<str>),
    /// Learned from notes cited together.
    CitedWith,
    /// One was derived from, or supersedes, the other.
    Lineage,
    /// Both come from the same page.
    SameSource,
}

impl fmt::Display for NeighbourKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LinkedFrom => f.write_str("linked from"),
            Self::LinksTo => f.write_str("links to"),
            Self::Edge(kind) => write!(f, "edge {kind} with"),
            Self::CitedWith => f.write_str("cited with"),
            Self::Lineage => f.write_str("lineage with"),
            Self::SameSource => f.write_str("same source page as"),
        }
    }
}

/// One step from a note.
#[derive(Clone, Debug)]
pub(crate) struct Neighbour {
    pub ord: Ordinal,
    pub kind: NeighbourKind,
    /// 0 to 1.
    pub weight: f32,
}
