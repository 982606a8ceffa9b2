//! Building the vector graph, which takes minutes in a large store, off every caller's path. Exact scans answer
//! meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use parking_lot::{Mutex, RwLock};

use super::Snapshot;
use crate::config::VectorIndexKind;
use crate::projection::vector::{HnswLayer, VectorIndex};

/// Builds the graph that the configuration asks for, and publishes the snapshot that has it.
///
/// It touches no file. A build over rows that a compaction or a rebuild has numbered anew ends by itself, since no
/// snapshot would take its graph.
pub(super) struct GraphBuilder {
    kind: VectorIndexKind,
    snapshot: Arc<RwLock<Arc<Snapshot>>>,
    /// The engine's, held while the graph is attached and its snapshot published.
    gate: Arc<Mutex<()>>,
    /// One build at a time.
    turn: Arc<Mutex<()>>,
    closing: AtomicBool,
    /// After a failure no write tries again, only who waits for the graph: a build takes long to fail.
    failed: AtomicBool,
    worker: Mutex<Option<JoinHandle<()>>>,
}

/// How a build ended.
enum End {
    Attached,
    /// The rows have other numbers now, or the engine closes.
    GivenUp,
    Failed,
}

impl GraphBuilder {
    pub(super) fn new(
        kind: VectorIndexKind,
        snapshot: Arc<RwLock<Arc<Snapshot>>>,
        gate: Arc<Mutex<()>>,
        turn: Arc<Mutex<()>>,
    ) -> Self {
        let (closing, failed, worker) = (AtomicBool::new(false), AtomicBool::new(false), Mutex::new(None));
        Self { kind, snapshot, gate, turn, closing, failed, worker }
    }

    /// Told of a new snapshot: starts a build in the background when a graph is wanted and none is being built.
    pub(super) fn nudge(self: &Arc<Self>) {
        if self.failed.load(Ordering::SeqCst) || self.wanted().is_none() {
            return;
        }
        let Some(mut worker) = self.worker.try_lock() else { return };
        if worker.as_ref().is_some_and(|running| !running.is_finished()) {
            return;
        }
        let builder = Arc::clone(self);
        let run = move || {
            let _turn = builder.turn.lock();
            while let Some(index) = builder.wanted() {
                if matches!(builder.build_over(&index), End::Failed) {
                    break;
                }
            }
        };
        match std::thread::Builder::new().name("terrace-graph".into()).spawn(run) {
            Ok(handle) => *worker = Some(handle),
            Err(error) => tracing::warn!(%error, "no thread to build the vector graph on; exact scans answer"),
        }
    }

    /// Builds the graph on the caller's thread, or waits for the build that is under way, where one is wanted: seconds
    /// for ten thousand passages.
    pub(super) fn build(&self) {
        let _turn = self.turn.lock();
        // Once is enough: when others write faster than a graph is built, there is always another to build.
        while let Some(index) = self.wanted() {
            if !matches!(self.build_over(&index), End::GivenUp) {
                return;
            }
        }
    }

    /// Ends a build that runs in the background, and waits for its end: the time of one row.
    pub(super) fn cease(&self) {
        self.closing.store(true, Ordering::SeqCst);
        self.join();
    }

    fn join(&self) {
        let running = self.worker.lock().take();
        if running.is_some_and(|running| running.join().is_err()) {
            tracing::error!("building the vector graph panicked; exact scans answered");
        }
    }

    /// The index to build a graph over, if the configuration or the store's size asks for one.
    fn wanted(&self) -> Option<VectorIndex> {
        if self.closing.load(Ordering::SeqCst) {
            return None;
        }
        let snapshot = self.snapshot.read();
        let index = snapshot.vectors.as_ref()?;
        let wanted = match self.kind {
            VectorIndexKind::Exact => false,
            VectorIndexKind::Hnsw => index.rows() > 0 && index.needs_graph(),
            VectorIndexKind::Auto => index.needs_rebuild(),
        };
        wanted.then(|| index.clone())
    }

    fn build_over(&self, index: &VectorIndex) -> End {
        let give_up = || self.closing.load(Ordering::SeqCst) || !self.fits(index);
        let built = HnswLayer::build(index, &give_up);
        self.failed.store(built.is_err(), Ordering::SeqCst);
        match built {
            Ok(Some(layer)) => self.attach(Arc::new(layer)),
            Ok(None) => End::GivenUp,
            Err(error) => {
                tracing::warn!(%error, "the vector graph was not built; exact scans answer");
                End::Failed
            }
        }
    }

    fn fits(&self, index: &VectorIndex) -> bool {
        self.snapshot.read().vectors.as_ref().is_some_and(|now| now.numbered_as(index))
    }

    fn attach(&self, layer: Arc<HnswLayer>) -> End {
        let _gate = self.gate.lock();
        let mut next = (**self.snapshot.read()).clone();
        if self.closing.load(Ordering::SeqCst) || !next.vectors.as_mut().is_some_and(|index| index.attach(layer)) {
            return End::GivenUp;
        }
        *self.snapshot.write() = Arc::new(next);
        End::Attached
    }
}

#[cfg(test)]
mod tests;
