//! Forgetting what verdicts taught.

use std::sync::atomic::Ordering;

use rusqlite::Connection;

use super::Engine;
use super::edges::graph_edge;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::memory::weights::Weights;
use crate::memory::{Association, Trust};
use crate::model::{LearnedReset, Ordinal};
use crate::store::edges::{self, Moved};
use crate::store::{meta, stats, traces, verdicts};

/// What a reset wrote, to be taken into memory once its transaction is committed.
struct Forgotten {
    report: LearnedReset,
    edges: Moved,
    released: Vec<(Ordinal, u64)>,
}

impl Engine {
    /// Forgets everything that verdicts taught, in one transaction: the verdicts themselves, the salience, strength and
    /// counts of notes, learned edges, what was added to and taken from stated ones, quarantines that misleading verdicts
    /// caused, the queries kept with cited notes, and trained weights. From then on the store answers as one that was never told a verdict.
    ///
    /// Receipts stay and can be judged anew. What retrieves alone count (usage, coactivation, working memory) stays, and
    /// so does a note's own status, `quarantined` included. [`Engine::export_learned`] first, to keep a record; there is
    /// no way back.
    ///
    /// # Errors
    /// `read_only`; SQLite's own. Nothing is forgotten then.
    pub fn reset_learned(&self) -> Result<LearnedReset> {
        self.writable("reset_learned")?;
        let now = self.now();
        let _gate = self.gate.lock();
        let forgotten = self.store.write(|conn| forget(conn, now))?;
        self.resets.fetch_add(1, Ordering::Release);
        self.memory.nodes.write().clear();
        *self.memory.association.write() = Association::default();
        *self.memory.trust.write() = Trust::default();
        *self.weights.write() = Weights::shipped(&self.config.ranking);
        let mut next = (*self.snapshot()).clone();
        for row in &forgotten.edges.removed {
            next.graph.remove_edge(&row.edge_id, row.from_ord, row.to_ord);
        }
        forgotten.edges.kept.iter().for_each(|row| next.graph.put_edge(&graph_edge(row)));
        for &(ord, seq) in &forgotten.released {
            next.catalog.set_quarantined(ord, false);
            next.seq = seq;
            self.lexical_took(seq, Ok(()));
        }
        self.publish(next);
        Ok(forgotten.report)
    }
}

fn forget(conn: &Connection, now: Timestamp) -> Result<Forgotten> {
    let judged_receipts = verdicts::judged_receipts(conn)?;
    let edges = edges::unlearn(conn, now)?;
    let mut released = Vec::new();
    for ord in quarantined(conn)? {
        released.extend(stats::restore(conn, ord)?.map(|seq| (ord, seq)));
    }
    let report = LearnedReset {
        judged_receipts,
        verdicts: verdicts::clear(conn)?,
        notes: stats::clear(conn)?,
        learned_edges: edges.removed.len() as u64,
        moved_edges: edges.kept.len() as u64,
        traces: traces::clear(conn)?,
        weights: meta::forget_learned(conn)?,
        quarantines: released.len() as u64,
    };
    Ok(Forgotten { report, edges, released })
}

fn quarantined(conn: &Connection) -> Result<Vec<Ordinal>> {
    let mut ords = Vec::new();
    stats::load_quarantine(conn, |ord, _| {
        ords.push(ord);
        Ok::<(), Error>(())
    })?;
    Ok(ords)
}
