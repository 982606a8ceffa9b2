//! An embedded search engine with a cognitive reranking core: your application opens a directory and calls
//! [`Engine::retrieve`]; when a task completes, it says which notes helped, and the store learns.
//!
//! # Overview
//!
//! * **Notes** ([`Note`]) are Markdown or plain text with tags, links, a path, a namespace, times and any metadata.
//!   They live in SQLite; the lexical index (tantivy), the vectors (int8 scan, HNSW) and the graph are rebuilt from it.
//! * **A retrieve** ([`RetrieveRequest`]) first decides which notes the caller may see and the filters admit, then asks
//!   seven scouts inside that set (words, meaning, links, tags, names, task, time), fuses their calibrated scores by a
//!   convex combination, reranks within ±15 %, and demotes near-duplicates. Every result says why it is there.
//! * **A receipt** ([`Receipt`]) is left by every retrieve: one row from which counters, working memory and feedback
//!   follow. [`Engine::replay`] ranks stored receipts under other weights, and shows what that would have changed.
//! * **Feedback** ([`Engine::complete_task`], [`Engine::feedback`]) names the notes that helped and those that misled.
//!   It moves salience, relates notes that were cited together, and quarantines what misleads three times. All of it
//!   can be looked at ([`Engine::export_learned`]) and forgotten ([`Engine::reset_learned`]).
//! * **Callers** ([`Viewer`]) see shared notes, their own private ones and their task's; others leave no trace.
//!
//! # Example
//!
//! ```
//! use terrace::{CompletionRequest, Config, Engine, Note, RetrieveRequest, TaskDraft};
//!
//! # let dir = std::env::temp_dir().join(format!("terrace-doc-root-{}", std::process::id()));
//! let engine = Engine::open(&dir, Config::default())?;
//! engine.put_many(vec![
//!     Note::new("Priming the pump", "Open valve B, fill the riser, then switch the pump on.").with_id("priming"),
//!     Note::new("Seed swap", "Bring labelled packets on the first Sunday of March.").with_id("swap"),
//! ])?;
//! let task = engine.create_task(&TaskDraft { title: "Start the pump".into(), ..TaskDraft::default() })?;
//! let answer = engine.retrieve(&RetrieveRequest {
//!     task_id: Some(task.id.clone()),
//!     ..RetrieveRequest::new("how do I get water up the riser?")
//! })?;
//! assert_eq!(answer.results[0].result.id, "priming");
//!
//! let learned = engine.complete_task(&CompletionRequest {
//!     task_id: task.id,
//!     cited_nodes: Some(vec!["priming".into()]),
//!     receipt_id: Some(answer.receipt_id),
//!     ..CompletionRequest::default()
//! })?;
//! assert_eq!(learned.feedback.applied.cited, ["priming"]);
//! # drop(engine); std::fs::remove_dir_all(&dir).ok();
//! # Ok::<(), terrace::Error>(())
//! ```
//!
//! # Features
//!
//! * `builtin-embedder` (default): a static English model of 256 dimensions, compiled in (7.7 MB).
//! * `cli` (default): the `terrace` binary. A library user writes `default-features = false`.
//! * `transformer`: sentence transformers of the BERT family from a local directory, on candle.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]

mod clock;
mod config;
mod contract;
pub mod embed;
mod engine;
mod error;
pub mod eval;
mod memory;
pub mod model;
mod projection;
mod random;
mod rank;
mod scouts;
mod store;
pub mod text;
pub mod vault;

pub use clock::{Clock, ManualClock, SystemClock, Timestamp};
pub use config::{
    AssociationConfig, CacheConfig, Config, Durability, EmbedderChoice, Exploration, LcmaConfig, LearningConfig,
    MemoryConfig, RankingConfig, RetentionConfig, ScoutWeights, VectorConfig, VectorIndexKind,
};
pub use engine::{Capabilities, CheckProblem, CheckReport, CheckSeverity, Engine, MaintainReport, ProjectionState};
pub use error::{Error, Result};
pub use model::*;

/// The README's program, compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
