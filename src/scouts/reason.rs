//! Why a scout proposes a note: kept as numbers, put into words only for the notes that are returned.

use std::sync::Arc;

use super::source::{Notes, TaskLink};
use crate::model::Ordinal;
use crate::projection::{NamedHow, NeighbourKind};

/// One scout's ground for one note.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reason {
    /// Words match: the BM25 score.
    Lexical { score: f32 },
    /// A passage is near in meaning: its number and the cosine.
    Vector { cosine: f32, passage: u32 },
    /// Linked from a seed.
    Graph { activation: f32, kind: NeighbourKind, from: Ordinal, hops: u8 },
    /// Retrieved together with a seed before.
    Coactivated { times: f32, from: Ordinal },
    /// A tag that the query's words name.
    Tag { tag: Arc<str>, score: f32 },
    /// Carries every tag of the filter.
    TagFilter { score: f32 },
    /// The query names it.
    Named { how: NamedHow, score: f32 },
    /// Lies below the path prefix.
    PathFilter { score: f32 },
    /// Belongs to the task.
    Task { link: TaskLink, score: f32 },
    /// Cited for a query like this one; which, where whoever asks may know of it.
    Associated { similarity: f32, question: Option<String> },
    /// Updated lately, this many days ago.
    Recent { days: f64, asked: bool },
    /// Past its expiry by this many days; negative: days left.
    Expiring { days_past: f64 },
}

impl Reason {
    /// The sentence that a result shows; `notes` lends the seeds' names.
    pub(crate) fn in_words(&self, notes: &dyn Notes) -> String {
        match self {
            Self::Lexical { score } => format!("lexical match score {score:.2}"),
            Self::Vector { cosine, passage } => format!("semantic similarity {cosine:.2} (passage {})", passage + 1),
            Self::Graph { activation, kind, from, hops } => {
                let (from, plural) = (notes.label(*from), if *hops == 1 { "" } else { "s" });
                format!("graph: {kind} {from:?}, {hops} hop{plural}, activation {activation:.2}")
            }
            Self::Coactivated { times, from } => {
                format!("graph: coactivated with {:?}, strength {times:.1}", notes.label(*from))
            }
            Self::Tag { tag, score } => format!("tag #{tag} named by the query, rarity {score:.2}"),
            Self::TagFilter { score } => format!("tag filter: carries every tag of it, {score:.2}"),
            Self::Named { how, score } => format!("path: the query names its {how}, share {score:.2}"),
            Self::PathFilter { score } => format!("path prefix: lies below it, {score:.2}"),
            Self::Task { link, score } => format!("task context: {link}, strength {score:.2}"),
            Self::Associated { similarity, question: None } => {
                format!("association: cited for a similar question, similarity {similarity:.2}")
            }
            Self::Associated { similarity, question: Some(question) } => {
                format!("association: cited for a similar question, similarity {similarity:.2}: {question:?}")
            }
            Self::Recent { days, asked: true } => {
                format!("recency: updated {days:.1} days ago, and the query asks for it")
            }
            Self::Recent { days, asked: false } => format!("recency: updated {days:.1} days ago"),
            Self::Expiring { days_past } if *days_past >= 0.0 => format!("freshness: expired {days_past:.1} days ago"),
            Self::Expiring { days_past } => format!("freshness: expires in {:.1} days", -days_past),
        }
    }
}
