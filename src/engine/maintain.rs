//! Maintenance: folding, training, retention, eviction, durable decay, and keeping files small. Training moves answers: what
//! verdicts say of weights and of association's proposals counts from then on. So does evicting working memory. Of the
//! rest no answer depends on whether or when it ran.

use serde::{Deserialize, Serialize};

use super::{Engine, rows};
use crate::error::Result;
use crate::store::{Checkpoint, changes, coactivation, receipts, stats, tasks, working_memory};

/// Rows deleted per transaction, so that a retrieve does not wait for all of it.
const PRUNE_BATCH: usize = 2_000;
/// Notes whose decay is made durable per transaction.
const DECAY_BATCH: usize = 1_000;
/// Segments from which the lexical index is merged.
const MERGE_SEGMENTS: usize = 12;

/// What a maintenance did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaintainReport {
    /// Receipts whose counters were folded into their tables.
    pub receipts_folded: u64,
    /// Judged receipts that the weights were trained on.
    pub receipts_trained_on: u64,
    /// Receipts past their retention.
    pub receipts_pruned: u64,
    /// Working-memory entries of closed tasks, or unseen for too long.
    pub working_memory_evicted: u64,
    /// Coactivation pairs beyond those kept per note.
    pub coactivation_trimmed: u64,
    /// Queries that led to cited notes, forgotten because no citation is left to remember.
    pub traces_evicted: u64,
    /// Notes whose decay was made durable.
    pub notes_decayed: u64,
    /// Changes that every projection has seen.
    pub changes_pruned: u64,
    /// Pages given back to the file system.
    pub pages_freed: u64,
}

impl Engine {
    /// Folds receipts, trains the weights on the judged ones, applies retention, evicts working memory, makes decay
    /// durable, merges and compacts the indexes, builds the vector graph where one is wanted, and lets the files shrink.
    /// Run it daily or when idle. A graph that is being built in the background is waited for.
    ///
    /// # Errors
    /// `read_only`; SQLite's own.
    pub fn maintain(&self) -> Result<MaintainReport> {
        self.writable("maintain")?;
        let mut report = MaintainReport { receipts_folded: self.folder.fold()?, ..MaintainReport::default() };
        report.receipts_trained_on = self.train()?;
        report.receipts_pruned = self.prune_receipts()?;
        report.working_memory_evicted = self.evict_working_memory()?;
        report.coactivation_trimmed = self.trim_coactivation()?;
        report.traces_evicted = self.evict_traces()?;
        report.notes_decayed = self.decay_durably()?;
        self.commit_lexical()?;
        if self.lexical.segments() >= MERGE_SEGMENTS {
            self.lexical.merge()?;
        }
        let seen = self.lexical.seq();
        report.changes_pruned = self.store.write(|conn| changes::prune(conn, seen))?;
        self.compact_vectors();
        report.pages_freed = self.store.incremental_vacuum()?;
        self.store.checkpoint(Checkpoint::Truncate)?;
        Ok(report)
    }

    fn prune_receipts(&self) -> Result<u64> {
        let retention = &self.config.retention;
        let older_than = self.now().plus_days(-retention.receipt_days);
        let mut pruned = 0;
        loop {
            let done = self.store.write(|conn| {
                receipts::prune(
                    conn,
                    &receipts::Pruning {
                        older_than,
                        up_to: receipts::row_limit(conn, retention.receipt_rows)?,
                        folded_up_to: self.folder.folded(),
                        limit: PRUNE_BATCH,
                    },
                )
            })?;
            pruned += done;
            if done == 0 {
                return Ok(pruned);
            }
        }
    }

    fn trim_coactivation(&self) -> Result<u64> {
        let keep = self.config.memory.coactivation_per_note;
        let beyond = self.store.read(|conn| coactivation::beyond(conn, keep))?;
        let batches = beyond.chunks(PRUNE_BATCH);
        batches.map(|batch| self.store.write(|conn| coactivation::forget(conn, batch))).sum()
    }

    fn evict_working_memory(&self) -> Result<u64> {
        let unseen_since = self.now().plus_days(-self.config.memory.working_memory_days);
        let evicted = self.store.write(|conn| working_memory::evict(conn, unseen_since))?;
        let closed: rustc_hash::FxHashSet<String> = self.store.read(|conn| {
            let all = tasks::list(conn, &tasks::TaskQuery::default())?;
            Ok(all
                .into_iter()
                .filter(|task| task.status != crate::model::TaskStatus::Open)
                .map(|task| task.id)
                .collect())
        })?;
        self.memory.working.write().retain(|task, notes| {
            notes.retain(|_, entry| entry.last_seen_at >= unseen_since);
            !notes.is_empty() && !closed.contains(task)
        });
        Ok(evicted)
    }

    fn decay_durably(&self) -> Result<u64> {
        let now = self.now();
        let snapshot = self.snapshot();
        let ords: Vec<_> = self.memory.nodes.read().keys().copied().collect();
        for batch in ords.chunks(DECAY_BATCH) {
            // Verdicts are taken in under the same gate: none is lost between reading a state and writing it.
            let _gate = self.gate.lock();
            let mut states = Vec::with_capacity(batch.len());
            for &ord in batch {
                let Some(entry) = snapshot.entry(ord) else { continue };
                // Forgotten meanwhile, it is as new, and a new note has no row.
                let Some(mut state) = self.memory.nodes.read().get(&ord).copied() else { continue };
                state.decay(now, entry.created_at, self.memory.config());
                states.push((ord, state));
            }
            self.store.write(|conn| {
                states.iter().try_for_each(|(ord, state)| stats::save_if_note(conn, *ord, &rows::stats_row(state)))
            })?;
            let mut nodes = self.memory.nodes.write();
            for (ord, state) in states {
                if let Some(known) = nodes.get_mut(&ord) {
                    *known = state;
                }
            }
        }
        Ok(ords.len() as u64)
    }

    fn compact_vectors(&self) {
        let snapshot = self.snapshot();
        let Some(index) = &snapshot.vectors else { return };
        if index.dead() > index.rows() / 4 {
            let _gate = self.gate.lock();
            let mut next = (*self.snapshot()).clone();
            if let Some(index) = &mut next.vectors {
                index.compact();
            }
            self.publish(next);
        }
        self.graphs.build();
    }
}
