//! Why a scout proposes a note: kept as numbers, put into words only for the notes that are returned.

use std::fmt;

use super::source::TaskLink;
use crate::projection::{NamedHow, NeighbourKind};

/// One scout's ground for one note.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reason {
    /// Words match: the BM25 score.
    Lexical { score: f32 },
    /// A passage is near in meaning: its number and the cosine.
    Vector { cosine: f32, passage: u32 },
    /// Linked from a seed.
    Graph { activation: f32, kind: NeighbourKind, from: String, hops: u8 },
    /// Retrieved together with a seed before.
    Coactivated { times: f32, from: String },
    /// A tag that the query's words name.
    Tag { tag: String, score: f32 },
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

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lexical { score } => write!(f, "lexical match score {score:.2}"),
            Self::Vector { cosine, passage } => write!(f, "semantic similarity {cosine:.2} (passage {})", passage + 1),
            Self::Graph { activation, kind, from, hops } => {
                write!(
                    f,
                    "graph: {kind} {from:?}, {hops} hop{}, activation {activation:.2}",
                    if *hops == 1 { "" } else { "s" }
                )
            }
            Self::Coactivated { times, from } => write!(f, "graph: coactivated with {from:?}, strength {times:.1}"),
            Self::Tag { tag, score } => write!(f, "tag #{tag} named by the query, rarity {score:.2}"),
            Self::TagFilter { score } => write!(f, "tag filter: carries every tag of it, {score:.2}"),
            Self::Named { how, score } => write!(f, "path: the query names its {how}, share {score:.2}"),
            Self::PathFilter { score } => write!(f, "path prefix: lies below it, {score:.2}"),
            Self::Task { link, score } => write!(f, "task context: {link}, strength {score:.2}"),
            Self::Associated { similarity, question } => {
                write!(f, "association: cited for a similar question, similarity {similarity:.2}")?;
                question.as_ref().map_or(Ok(()), |question| write!(f, ": {question:?}"))
            }
            Self::Recent { days, asked: true } => {
                write!(f, "recency: updated {days:.1} days ago, and the query asks for it")
            }
            Self::Recent { days, asked: false } => write!(f, "recency: updated {days:.1} days ago"),
            Self::Expiring { days_past } if *days_past >= 0.0 => {
                write!(f, "freshness: expired {days_past:.1} days ago")
            }
            Self::Expiring { days_past } => write!(f, "freshness: expires in {:.1} days", -days_past),
        }
    }
}
