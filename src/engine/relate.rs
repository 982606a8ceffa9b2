//! What verdicts make of edges: notes cited together become related, and what misleads is trusted less.

use rusqlite::Connection;

use super::judge::Learned;
use super::{Engine, Snapshot};
use crate::error::Result;
use crate::model::{Ordinal, Verdict};
use crate::store::edges::{self, Steps};
use crate::store::verdicts::{self, Event};

/// A note whose verdict on the receipt in hand is new or another.
pub(super) struct Changed {
    pub ord: Ordinal,
    pub before: Option<Verdict>,
    pub verdict: Verdict,
}

impl Engine {
    /// Brings edges to the verdicts that now stand on a receipt.
    pub(super) fn relate(
        &self,
        conn: &Connection,
        receipt_seq: i64,
        changed: &[Changed],
        snapshot: &Snapshot,
        learned: &mut Learned,
    ) -> Result<()> {
        let now = self.now();
        let steps = self.edge_steps();
        let namespace = |ord| snapshot.entry(ord).map(|entry| entry.namespace.clone());
        let events = verdicts::of_receipt(conn, receipt_seq)?.into_iter();
        let cited: Vec<(Event, bool, bool)> = events
            .map(|event| (event, event.verdict == Verdict::Cited, was_cited(&event, changed)))
            .filter(|(_, is, was)| *is || *was)
            .collect();
        for (at, (a, is_a, was_a)) in cited.iter().enumerate() {
            for (b, is_b, was_b) in cited.iter().skip(at + 1) {
                let together = *is_a && *is_b;
                if together == (*was_a && *was_b) {
                    continue;
                }
                let shared = namespace(a.ord).filter(|of_a| namespace(b.ord).as_ref() == Some(of_a));
                let event = together.then_some(a.event.max(b.event));
                let moved = edges::cited_together(conn, (a.ord, b.ord), shared.as_deref(), event, steps, now)?;
                learned.edges.extend(moved.kept);
                learned.removed_edges.extend(moved.removed);
            }
        }
        for note in changed {
            if note.verdict == Verdict::Misleading || note.before == Some(Verdict::Misleading) {
                learned.edges.extend(edges::misled(conn, note.ord, steps, now)?);
            }
        }
        Ok(())
    }

    /// The configured constants.
    fn edge_steps(&self) -> Steps {
        let config = self.memory.config();
        Steps { initial: config.related_initial, raise: config.related_step, take: config.misleading_edge }
    }
}

fn was_cited(event: &Event, changed: &[Changed]) -> bool {
    let change = changed.iter().find(|note| note.ord == event.ord);
    change.map_or(Some(event.verdict), |note| note.before) == Some(Verdict::Cited)
}
