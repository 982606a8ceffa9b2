//! Folding receipts into the tables that follow from them, and moving SQLite's log into its file, off the path of a
//! retrieve.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;

use parking_lot::{Mutex, RwLock};

use super::{Snapshot, rows};
use crate::error::Result;
use crate::memory::Fold;
use crate::store::{Checkpoint, Store, coactivation, meta, receipts, stats, working_memory};

/// Receipts folded per transaction: a few milliseconds.
const BATCH: usize = 128;
/// Receipts after which a retrieve has them folded in the background.
const EVERY: i64 = 512;

/// Folds, and knows how far folding has come.
pub(super) struct Folder {
    store: Arc<Store>,
    snapshot: Arc<RwLock<Arc<Snapshot>>>,
    /// The last receipt that is folded into the tables.
    folded: AtomicI64,
    /// One fold at a time.
    folding: Mutex<()>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

impl Folder {
    pub(super) fn new(store: Arc<Store>, snapshot: Arc<RwLock<Arc<Snapshot>>>, folded: i64) -> Self {
        let (folded, folding, worker) = (AtomicI64::new(folded), Mutex::new(()), Mutex::new(None));
        Self { store, snapshot, folded, folding, worker }
    }

    /// The last receipt that is folded.
    pub(super) fn folded(&self) -> i64 {
        self.folded.load(Ordering::SeqCst)
    }

    /// Told of the last receipt written: starts a fold in the background when enough have gathered and none is running.
    pub(super) fn wrote(self: &Arc<Self>, seq: i64) {
        if seq - self.folded() < EVERY {
            return;
        }
        let Some(mut worker) = self.worker.try_lock() else { return };
        if worker.as_ref().is_some_and(|running| !running.is_finished()) {
            return;
        }
        let folder = Arc::clone(self);
        let run = move || {
            let done = folder.fold().and_then(|_| folder.store.checkpoint(Checkpoint::Passive));
            if let Err(error) = done {
                tracing::warn!(%error, "receipts were not folded; they are at the next fold");
            }
        };
        match std::thread::Builder::new().name("terrace-fold".into()).spawn(run) {
            Ok(handle) => *worker = Some(handle),
            Err(error) => tracing::warn!(%error, "no thread to fold receipts on; they are folded at close"),
        }
    }

    /// Waits for a fold that runs in the background.
    pub(super) fn join(&self) {
        if let Some(running) = self.worker.lock().take()
            && running.join().is_err()
        {
            tracing::error!("folding receipts panicked; they are folded at the next open");
        }
    }

    /// Folds every receipt that is not folded yet; answers how many.
    pub(super) fn fold(&self) -> Result<u64> {
        let _folding = self.folding.lock();
        let mut folded = 0;
        loop {
            let batch = self.store.read(|conn| receipts::since(conn, self.folded(), BATCH))?;
            if batch.is_empty() {
                return Ok(folded);
            }
            folded += batch.len() as u64;
            let mut fold = Fold::default();
            batch.into_iter().map(rows::effect).for_each(|effect| fold.take(&effect));
            let snapshot = Arc::clone(&self.snapshot.read());
            self.store.write(|conn| write(conn, &fold, &snapshot))?;
            self.folded.store(fold.up_to, Ordering::SeqCst);
        }
    }
}

fn write(conn: &rusqlite::Connection, fold: &Fold, snapshot: &Snapshot) -> Result<()> {
    for (ord, change) in &fold.usage {
        stats::add_usage(conn, *ord, change.retrievals, change.counted, change.last_at)?;
    }
    for ((task_id, ord), activation) in &fold.working {
        let entry = working_memory::Entry {
            task_id: task_id.clone(),
            ord: *ord,
            activation_count: activation.count,
            first_seen_at: activation.first_seen_at,
            last_seen_at: activation.last_seen_at,
            last_receipt_seq: activation.last_receipt,
        };
        working_memory::add(conn, &entry)?;
    }
    for ((a, b), (strength, at)) in &fold.pairs {
        let (Some(of_a), Some(of_b)) = (snapshot.entry(*a), snapshot.entry(*b)) else { continue };
        // Pairs across namespaces belong to neither.
        let namespace = if of_a.namespace == of_b.namespace { &*of_a.namespace } else { "" };
        coactivation::add(conn, namespace, (*a, *b), *strength, *at)?;
    }
    meta::set_folded_receipt(conn, fold.up_to)
}
