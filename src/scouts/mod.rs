//! The seven scouts. Each proposes notes with a raw score and the number it rests on; none filters, ranks or writes.

mod graph;
mod kind;
mod lexical;
mod panel;
mod path;
mod query;
mod reason;
mod recency;
mod source;
mod tag;
mod task_context;
mod vector;

pub(crate) use graph::{GraphScout, spread};
pub(crate) use kind::{PerScout, ScoutKind};
pub(crate) use lexical::LexicalScout;
pub(crate) use panel::{Panel, PanelOutcome, guarded};
pub(crate) use path::PathScout;
pub(crate) use query::Query;
pub(crate) use reason::Reason;
pub(crate) use recency::RecencyScout;
pub(crate) use source::{
    AssociationSource, LexicalSource, LinkSource, Notes, Sources, TaskLink, TaskSource, VectorSource, Via,
};
pub(crate) use tag::TagScout;
pub(crate) use task_context::TaskContextScout;
pub(crate) use vector::VectorScout;

use crate::error::Result;
use crate::model::Ordinal;

/// A note that a scout proposes.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// Which note.
    pub ord: Ordinal,
    /// The scout's own score, before calibration.
    pub raw: f32,
    /// Why, with the number it rests on.
    pub reason: Reason,
    /// The passage that matched, where the scout knows it.
    pub passage: Option<u32>,
}

/// What a scout came back with.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// It ran; the list may be empty.
    Found(Vec<Candidate>),
    /// It had nothing to work with, and says what was missing.
    Skipped(&'static str),
}

/// One way of proposing notes for a query, inside the eligible set.
pub(crate) trait Scout: Sync {
    /// Which of the seven it is.
    fn kind(&self) -> ScoutKind;

    /// Proposes at most `query.depth` eligible notes, best first, ties by id.
    fn search(&self, query: &Query<'_>, sources: &Sources<'_>) -> Result<Answer>;
}
