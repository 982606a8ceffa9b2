//! Verdicts: what callers say of the notes a retrieve gave them, and what that does.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::associate::Lesson;
use super::judgeable::{Judgeable, Place};
use super::relate::Changed;
use super::{Engine, Snapshot, rows};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::memory::{NodeState, NoteTraces};
use crate::model::{Applied, FeedbackOutcome, Ordinal, Receipt, Verdict, Viewer};
use crate::store::edges::EdgeRow;
use crate::store::verdicts::{self, Change, Given};
use crate::store::{ids, receipts, stats};

/// A receipt under judgement, with all of it that judging needs. It does not change once it is written, so it may be
/// read before the transaction that judges it, and may be forgotten by then.
pub(super) struct Judged {
    pub receipt: Receipt,
    pub seq: i64,
    /// Of its notes, best first.
    pub ords: Vec<Ordinal>,
    /// Codes of the query's vector, where the caller gave it.
    pub vector: Option<Vec<i8>>,
}

/// What a caller says of a receipt's notes.
#[derive(Clone, Copy)]
pub(super) struct Said<'a> {
    pub cited: Option<&'a [String]>,
    pub misleading: Option<&'a [String]>,
}

impl Said<'_> {
    fn is_nothing(self) -> bool {
        self.cited.is_none() && self.misleading.is_none()
    }

    /// Whether it names one of the receipt's notes.
    pub(super) fn names_one_of(self, receipt: &Receipt) -> bool {
        let mut named = [self.cited, self.misleading].into_iter().flatten().flatten();
        named.any(|id| receipt.final_nodes.iter().any(|node| node.id == *id))
    }
}

/// What a judgement wrote, to be taken into memory once its transaction is committed.
#[derive(Default)]
pub(super) struct Learned {
    pub outcome: FeedbackOutcome,
    pub states: Vec<(Ordinal, NodeState)>,
    pub traces: Vec<(Ordinal, NoteTraces)>,
    pub edges: Vec<EdgeRow>,
    pub removed_edges: Vec<EdgeRow>,
    pub quarantine: Vec<(Ordinal, bool)>,
    pub seq: u64,
}

impl Engine {
    pub(super) fn receipt_to_judge(&self, conn: &Connection, id: &str) -> Result<Judged> {
        let missing = || Error::ReceiptNotFound(id.to_owned());
        let seq = ids::receipt_seq(self.store.seed(), id).ok_or_else(missing)?;
        self.judged(conn, seq)?.ok_or_else(missing)
    }

    /// The receipt of this number; `None` when there is no such receipt.
    pub(super) fn judged(&self, conn: &Connection, seq: i64) -> Result<Option<Judged>> {
        let Some(receipt) = receipts::get(conn, self.store.seed(), seq)? else { return Ok(None) };
        let ords = receipts::final_ords(conn, seq)?.unwrap_or_default();
        let vector = receipts::query_vector(conn, seq)?;
        Ok(Some(Judged { receipt, seq, ords, vector }))
    }

    /// Writes the verdicts on one receipt and what follows from them. Nothing in memory changes yet. `lesson` is the
    /// receipt's, made before the transaction: a query is embedded in milliseconds, and every writer waits for this. What
    /// `viewer` may not see is neither judged nor named. The gate is held, so the snapshot is what the transaction sees.
    pub(super) fn judge(
        &self,
        conn: &Connection,
        judged: &Judged,
        lesson: Option<&Lesson>,
        said: Said<'_>,
        viewer: &Viewer,
    ) -> Result<Learned> {
        let mut learned = Learned::default();
        if said.is_nothing() {
            return Ok(learned);
        }
        let snapshot = self.snapshot();
        let judgeable = Judgeable::new(judged, &snapshot, viewer);
        let [misleading, cited] = [said.misleading, said.cited]
            .map(|ids| judgeable.named(ids.unwrap_or_default(), &mut learned.outcome.dropped));
        if cited.is_empty() && misleading.is_empty() && !learned.outcome.dropped.is_empty() {
            return Ok(learned);
        }
        let now = self.now();
        let mut changed = BTreeMap::new();
        for &Place { id, ord, place, namespace } in judgeable.places() {
            let verdict = if misleading.contains(id) {
                Verdict::Misleading
            } else if cited.contains(id) {
                Verdict::Cited
            } else {
                Verdict::Ignored
            };
            let change =
                verdicts::set(conn, Given { receipt_seq: judged.seq, ord, place, namespace, verdict, at: now })?;
            if change == Change::Same {
                continue;
            }
            learned.outcome.feedback_applied = true;
            applied(&mut learned.outcome.applied, verdict).push(id.to_owned());
            let state = self.judged_state(conn, &snapshot, ord, verdict, &change, now)?;
            stats::save(conn, ord, &rows::stats_row(&state))?;
            self.quarantine_if_condemned(conn, ord, &state, (verdict, &change), &mut learned)?;
            learned.states.push((ord, state));
            let before = match change {
                Change::Replaced(before) => Some(before),
                _ => None,
            };
            // What is taken back is forgotten also where nothing new is learned.
            if before.is_some() || self.learns_associations() && verdict != Verdict::Ignored {
                let at = verdicts::get(conn, judged.seq, ord)?.map_or(now, |event| event.at);
                if let Some(traces) = self.associate(conn, ord, (judged.seq, lesson), (before, verdict), at)? {
                    learned.traces.push((ord, traces));
                }
            }
            changed.insert(ord, Changed { before, verdict });
        }
        self.relate(conn, judged.seq, &changed, &mut learned)?;
        Ok(learned)
    }

    fn judged_state(
        &self,
        conn: &Connection,
        snapshot: &Snapshot,
        ord: Ordinal,
        verdict: Verdict,
        change: &Change,
        now: Timestamp,
    ) -> Result<NodeState> {
        let config = self.memory.config();
        let created_at = snapshot.entry(ord).map_or(now, |entry| entry.created_at);
        if *change == Change::New {
            let mut state = self.memory.node(ord);
            state.judge(verdict, now, created_at, config);
            return Ok(state);
        }
        let events = verdicts::of_note(conn, ord)?;
        Ok(NodeState::replay(events.into_iter().map(|event| (event.verdict, event.at)), created_at, config))
    }

    fn quarantine_if_condemned(
        &self,
        conn: &Connection,
        ord: Ordinal,
        state: &NodeState,
        (verdict, change): (Verdict, &Change),
        learned: &mut Learned,
    ) -> Result<()> {
        let now = self.now();
        let condemned = state.is_condemned(self.memory.config());
        if condemned && verdict == Verdict::Misleading && stats::quarantine_of(conn, ord)?.is_none() {
            let reason = format!("called misleading by {} receipts", state.misleading);
            learned.seq = stats::quarantine(conn, ord, &reason, now)?;
            learned.quarantine.push((ord, true));
        } else if !condemned
            && *change == Change::Replaced(Verdict::Misleading)
            && let Some(seq) = stats::restore(conn, ord)?
        {
            learned.seq = seq;
            learned.quarantine.push((ord, false));
        }
        Ok(())
    }
}

fn applied(applied: &mut Applied, verdict: Verdict) -> &mut Vec<String> {
    match verdict {
        Verdict::Cited => &mut applied.cited,
        Verdict::Misleading => &mut applied.misleading,
        Verdict::Ignored => &mut applied.ignored,
    }
}
