//! The engine: one open store, its projections, and every call an application makes.

mod associate;
mod check;
mod edges;
mod embedding;
mod feedback;
mod folder;
mod graph_builder;
mod indexes;
mod judge;
mod judgeable;
mod learned_export;
mod learned_reset;
mod maintain;
mod open;
mod prepare;
mod receipts;
mod relate;
mod replay;
mod retrieve;
mod rows;
mod snapshot;
mod sources;
mod stats;
mod tasks;
mod weights;
mod write;

pub use check::{CheckProblem, CheckReport, CheckSeverity};
pub use indexes::ProjectionState;
pub use maintain::MaintainReport;
pub(crate) use prepare::validate;
pub(crate) use replay::Replayed;
pub(crate) use retrieve::{Ask, Ranking, Stopwatch};
pub(crate) use snapshot::Snapshot;
pub use stats::Capabilities;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use parking_lot::{Mutex, RwLock};

use crate::clock::Timestamp;
use crate::config::Config;
use crate::error::Result;
use crate::memory::Memory;
use crate::memory::weights::Weights;
use crate::model::{Note, Viewer};
use crate::projection::lexical::LexicalIndex;
use crate::scouts::Panel;
use crate::store::{Store, notes};

use embedding::Embedding;
use folder::Folder;
use graph_builder::GraphBuilder;

/// An open store. Share it by reference or in an `Arc`: every call takes `&self` and may come from any thread.
///
/// ```
/// use terrace::{Engine, Note, RetrieveRequest};
/// # let dir = std::env::temp_dir().join(format!("terrace-doc-engine-{}", std::process::id()));
/// let engine = Engine::open(&dir, terrace::Config::default())?;
/// engine.put(Note::new("Priming the pump", "Open valve B, then fill the riser."))?;
/// let answer = engine.retrieve(&RetrieveRequest::new("how do I prime the pump"))?;
/// assert_eq!(answer.results[0].result.title, "Priming the pump");
/// # drop(engine); std::fs::remove_dir_all(&dir).ok();
/// # Ok::<(), terrace::Error>(())
/// ```
pub struct Engine {
    config: Config,
    embedding: Embedding,
    snapshot: Arc<RwLock<Arc<Snapshot>>>,
    /// Held from a write's transaction until its snapshot is published, so that snapshots follow the change sequence.
    gate: Arc<Mutex<()>>,
    lexical: LexicalIndex,
    /// The change up to which everything was handed to the lexical index.
    lexical_handed: AtomicU64,
    /// Whether a note did not reach the lexical index, so that it has to be made anew.
    lexical_broken: AtomicBool,
    /// What was wrong with the lexical index when it was opened, if it had to be discarded.
    mended: Option<String>,
    memory: Memory,
    /// Of scouts and rerank factors, as retrieves use them.
    weights: RwLock<Weights>,
    /// How often what was learned was forgotten: what was trained before must not come back.
    resets: AtomicU64,
    /// Held by whoever trains.
    training: Mutex<()>,
    folder: Arc<Folder>,
    graphs: Arc<GraphBuilder>,
    panel: Panel,
    /// Last, so that the lock is released after everything else is closed.
    store: Arc<Store>,
}

impl Engine {
    /// The note of this id, as it was put, if this viewer may see it. Among what it derives from and supersedes, notes that
    /// the viewer may not see are left out; ids of no note stay as they were given.
    ///
    /// # Errors
    /// `doc_not_found` when there is no such note or the viewer may not see it.
    pub fn get(&self, id: &str, viewer: &Viewer) -> Result<Note> {
        let snapshot = self.snapshot();
        let missing = || crate::Error::DocNotFound(id.to_owned());
        let ord = snapshot.catalog.visible_ord(id, viewer).ok_or_else(missing)?;
        // The row may be newer than the snapshot: what it says of who may see it decides.
        let note = self.store.read(|conn| notes::by_ord(conn, ord))?;
        let mut note = note
            .filter(|note| viewer.may_see(note.access_scope, note.author.as_deref(), note.source.as_deref()))
            .ok_or_else(missing)?;
        let hidden =
            |id: &String| snapshot.catalog.ord(id).is_some() && snapshot.catalog.visible_ord(id, viewer).is_none();
        note.derived_from_ids.retain(|id| !hidden(id));
        note.supersedes = note.supersedes.filter(|id| !hidden(id));
        Ok(note)
    }

    /// The configuration it was opened with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.config.clock.now()
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read())
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn embedding(&self) -> &Embedding {
        &self.embedding
    }

    fn publish(&self, next: Snapshot) {
        *self.snapshot.write() = Arc::new(next);
        self.graphs.nudge();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.graphs.cease();
        if self.store.is_read_only() {
            return;
        }
        self.folder.join();
        // Nothing is lost when these fail: receipts are folded, and the index catches up, at the next open.
        if let Err(error) = self.folder.fold() {
            tracing::warn!(%error, "receipts were not folded at close");
        }
        if let Err(error) = self.commit_lexical() {
            tracing::warn!(%error, "the lexical index was not committed at close");
        }
    }
}
