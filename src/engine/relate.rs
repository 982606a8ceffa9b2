//! What verdicts make of edges: notes cited together become related, and what misleads is trusted less.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::Engine;
use super::judge::Learned;
use crate::error::Result;
use crate::model::{Ordinal, Verdict};
use crate::store::edges::{self, Steps};
use crate::store::verdicts::{self, Event, PAIRED_PLACES};

/// A verdict on the receipt in hand that is new or another.
pub(super) struct Changed {
    pub before: Option<Verdict>,
    pub verdict: Verdict,
}

impl Engine {
    /// Brings edges to the verdicts that now stand on a receipt.
    pub(super) fn relate(
        &self,
        conn: &Connection,
        receipt_seq: i64,
        changed: &BTreeMap<Ordinal, Changed>,
        learned: &mut Learned,
    ) -> Result<()> {
        let now = self.now();
        let steps = self.edge_steps();
        let events = verdicts::of_receipt(conn, receipt_seq)?.into_iter().filter(|event| event.place < PAIRED_PLACES);
        let cited: Vec<(Event, bool, bool)> = events
            .map(|event| {
                let (is, was) = (event.verdict == Verdict::Cited, was_cited(&event, changed));
                (event, is, was)
            })
            .filter(|(_, is, was)| *is || *was)
            .collect();
        for (at, (a, is_a, was_a)) in cited.iter().enumerate() {
            for (b, is_b, was_b) in cited.iter().skip(at + 1) {
                let together = *is_a && *is_b;
                if together == (*was_a && *was_b) {
                    continue;
                }
                let shared = (a.namespace == b.namespace).then_some(a.namespace.as_str());
                let event = together.then_some(a.event.max(b.event));
                let moved = edges::cited_together(conn, (a.ord, b.ord), shared, event, steps, now)?;
                learned.edges.extend(moved.kept);
                learned.removed_edges.extend(moved.removed);
            }
        }
        for (ord, note) in changed {
            if note.verdict == Verdict::Misleading || note.before == Some(Verdict::Misleading) {
                learned.edges.extend(edges::misled(conn, *ord, steps, now)?);
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

fn was_cited(event: &Event, changed: &BTreeMap<Ordinal, Changed>) -> bool {
    let change = changed.get(&event.ord);
    change.map_or(Some(event.verdict), |note| note.before) == Some(Verdict::Cited)
}
