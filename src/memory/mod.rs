//! Memory: what receipts and verdicts leave behind. Salience and its decay, usage, habits, working memory,
//! and the queries that led to cited notes.
//!
//! Everything here is kept current in memory. What receipts move is folded into tables in batches, up to a watermark;
//! what verdicts move is written with the verdict.

mod association;
mod fold;
mod habits;
mod node;
pub(crate) mod note_traces;
mod recall;
mod repeats;
mod state;
mod trace;
mod trust;
mod usage;
pub(crate) mod weights;

pub(crate) use association::Association;
pub(crate) use fold::{Fold, ReceiptEffect};
pub(crate) use habits::Habits;
pub(crate) use node::NodeState;
pub(crate) use note_traces::NoteTraces;
pub(crate) use recall::{Recall, Recaller};
pub(crate) use repeats::{REPEAT_WINDOW_MICROS, Repeats};
pub(crate) use state::{Memory, WorkingEntry};
pub(crate) use trace::{Asked, Trace, TraceEvent, TraceScope, WeightedTerms};
pub(crate) use trust::Trust;
pub(crate) use usage::Usage;
