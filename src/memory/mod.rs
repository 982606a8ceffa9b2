//! Memory: what receipts and verdicts leave behind. Salience and its decay, usage, habits, working memory.
//!
//! Everything here is kept current in memory. What receipts move is folded into tables in batches, up to a watermark;
//! what verdicts move is written with the verdict.

mod fold;
mod habits;
mod node;
mod repeats;
mod state;
mod usage;

pub(crate) use fold::{Fold, ReceiptEffect};
pub(crate) use habits::Habits;
pub(crate) use node::NodeState;
pub(crate) use repeats::{REPEAT_WINDOW_MICROS, Repeats};
pub(crate) use state::{Memory, WorkingEntry};
pub(crate) use usage::Usage;
