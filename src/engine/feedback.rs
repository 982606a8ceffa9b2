//! Verdicts: what callers say of the notes a retrieve gave them, and what that does.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::associate::Lesson;
use super::{Engine, Snapshot, rows};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::memory::{NodeState, NoteTraces};
use crate::model::{Applied, DroppedNode, Feedback, FeedbackOutcome, Note, Ordinal, Receipt, Status, Verdict};
use crate::store::edges::{self, EdgeRow};
use crate::store::verdicts::{self, Change};
use crate::store::{ids, notes, receipts, stats};

/// A receipt under judgement.
pub(super) struct Judged {
    pub receipt: Receipt,
    pub seq: i64,
}

/// What a judgement wrote, to be taken into memory once its transaction is committed.
#[derive(Default)]
pub(super) struct Learned {
    pub outcome: FeedbackOutcome,
    states: Vec<(Ordinal, NodeState)>,
    traces: Vec<(Ordinal, NoteTraces)>,
    edges: Vec<EdgeRow>,
    removed_edges: Vec<EdgeRow>,
    quarantine: Vec<(Ordinal, bool)>,
    seq: u64,
}

impl Engine {
    /// Judges a retrieve without a task: by the rules of [`Engine::complete_task`].
    ///
    /// A verdict on a receipt's note counts once, ever: repeating it changes nothing, another one replaces it.
    ///
    /// # Errors
    /// `receipt_not_found`; `read_only`.
    pub fn feedback(&self, feedback: &Feedback) -> Result<FeedbackOutcome> {
        if self.store.is_read_only() {
            return Err(Error::ReadOnly("feedback"));
        }
        let _gate = self.gate.lock();
        let learned = self.store.write(|conn| {
            let judged = self.receipt_to_judge(conn, &feedback.receipt_id)?;
            self.judge(conn, &judged, feedback.cited.as_deref(), feedback.misleading.as_deref())
        })?;
        Ok(self.take_in(learned))
    }

    /// Takes a note out of quarantine, whether misleading verdicts put it there or the note itself came with the status
    /// `quarantined`, which becomes `active`.
    ///
    /// # Errors
    /// `doc_not_found`; `not_found` when it is not in quarantine; `read_only`.
    pub fn restore(&self, id: &str) -> Result<()> {
        if self.store.is_read_only() {
            return Err(Error::ReadOnly("restore"));
        }
        let _gate = self.gate.lock();
        let ord = self.snapshot().catalog.ord(id).ok_or_else(|| Error::DocNotFound(id.to_owned()))?;
        let (condemned, declared) = self.store.write(|conn| {
            let condemned = stats::restore(conn, ord)?;
            let note = notes::by_ord(conn, ord)?.filter(|note| note.status == Status::Quarantined);
            let Some(note) = note else { return Ok((condemned, None)) };
            let seq = notes::set_status(conn, ord, Status::Active)?;
            Ok((condemned, seq.map(|seq| (Note { status: Status::Active, ..note }, seq))))
        })?;
        if condemned.is_none() && declared.is_none() {
            let what = format!("note {id:?} is not in quarantine; there is nothing to restore");
            return Err(Error::NotFound(what));
        }
        if let Some(seq) = condemned {
            self.take_in(Learned { quarantine: vec![(ord, false)], seq, ..Learned::default() });
        }
        if let Some((note, seq)) = declared {
            self.refresh(ord, note, seq);
        }
        Ok(())
    }

    pub(super) fn receipt_to_judge(&self, conn: &Connection, id: &str) -> Result<Judged> {
        let missing = || Error::ReceiptNotFound(id.to_owned());
        let seed = self.store.seed();
        let seq = ids::receipt_seq(seed, id).ok_or_else(missing)?;
        let receipt = receipts::get(conn, seed, seq)?.ok_or_else(missing)?;
        Ok(Judged { receipt, seq })
    }

    /// Writes the verdicts on one receipt and what follows from them. Nothing in memory changes yet.
    pub(super) fn judge(
        &self,
        conn: &Connection,
        judged: &Judged,
        cited: Option<&[String]>,
        misleading: Option<&[String]>,
    ) -> Result<Learned> {
        let mut learned = Learned::default();
        if cited.is_none() && misleading.is_none() {
            return Ok(learned);
        }
        let present = present(conn, judged)?;
        let misleading =
            self.named(&judged.receipt, &present, misleading.unwrap_or_default(), &mut learned.outcome.dropped);
        let cited = self.named(&judged.receipt, &present, cited.unwrap_or_default(), &mut learned.outcome.dropped);
        if cited.is_empty() && misleading.is_empty() && !learned.outcome.dropped.is_empty() {
            return Ok(learned);
        }
        let now = self.now();
        let snapshot = self.snapshot();
        // Made once a verdict needs it.
        let mut lesson: Option<Option<Lesson>> = None;
        let mut newly_cited = Vec::new();
        let mut no_longer_cited = Vec::new();
        for (id, ord) in &present {
            let verdict = if misleading.contains(id) {
                Verdict::Misleading
            } else if cited.contains(id) {
                Verdict::Cited
            } else {
                Verdict::Ignored
            };
            let change = verdicts::set(conn, judged.seq, *ord, verdict, now)?;
            if change == Change::Same {
                continue;
            }
            learned.outcome.feedback_applied = true;
            applied(&mut learned.outcome.applied, verdict).push(id.clone());
            let state = self.judged_state(conn, &snapshot, *ord, verdict, &change, now)?;
            stats::save(conn, *ord, &rows::stats_row(&state))?;
            self.quarantine_if_condemned(conn, *ord, &state, (verdict, &change), &mut learned)?;
            learned.states.push((*ord, state));
            let before = match change {
                Change::Replaced(before) => Some(before),
                _ => None,
            };
            if verdict != Verdict::Ignored || before.is_some() {
                let lesson = lesson.get_or_insert_with(|| self.lesson(&judged.receipt, judged.seq));
                let at = verdicts::get(conn, judged.seq, *ord)?.map_or(now, |event| event.at);
                if let Some(lesson) = lesson
                    && let Some(traces) = self.associate(conn, *ord, lesson, (before, verdict), at)?
                {
                    learned.traces.push((*ord, traces));
                }
            }
            let by = self.memory.config().misleading_edge;
            if verdict == Verdict::Misleading {
                learned.edges.extend(edges::weaken_incident(conn, *ord, by, now)?);
            } else if before == Some(Verdict::Misleading) {
                learned.edges.extend(edges::weaken_incident(conn, *ord, -by, now)?);
            }
            if verdict == Verdict::Cited {
                newly_cited.push(*ord);
            } else if before == Some(Verdict::Cited) {
                no_longer_cited.push(*ord);
            }
        }
        self.relate(conn, judged.seq, &newly_cited, &no_longer_cited, &snapshot, &mut learned)?;
        Ok(learned)
    }

    /// Ids that the caller named and that can be judged; the others are reported.
    fn named(
        &self,
        receipt: &Receipt,
        present: &[(String, Ordinal)],
        ids: &[String],
        dropped: &mut Vec<DroppedNode>,
    ) -> BTreeSet<String> {
        let mut named = BTreeSet::new();
        for id in ids {
            if present.iter().any(|(known, _)| known == id) {
                named.insert(id.clone());
                continue;
            }
            let was_there = receipt.final_nodes.iter().any(|node| node.id == *id);
            let why = if was_there { "deleted since" } else { "not among the receipt's results" };
            let entry = DroppedNode { id: id.clone(), why: why.to_owned() };
            if !dropped.contains(&entry) {
                dropped.push(entry);
            }
        }
        named
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

    /// Raises `related_to` between notes that are now cited together, and takes back what no longer holds.
    fn relate(
        &self,
        conn: &Connection,
        receipt_seq: i64,
        newly_cited: &[Ordinal],
        no_longer_cited: &[Ordinal],
        snapshot: &Snapshot,
        learned: &mut Learned,
    ) -> Result<()> {
        let config = self.memory.config();
        let now = self.now();
        let cited: Vec<Ordinal> = verdicts::of_receipt(conn, receipt_seq)?
            .into_iter()
            .filter(|event| event.verdict == Verdict::Cited)
            .map(|event| event.ord)
            .collect();
        let namespace = |ord| snapshot.entry(ord).map(|entry| entry.namespace.clone());
        for (at, &a) in cited.iter().enumerate() {
            for &b in cited.iter().skip(at + 1) {
                let together = newly_cited.contains(&a) || newly_cited.contains(&b);
                let (Some(of_a), Some(of_b)) = (namespace(a), namespace(b)) else { continue };
                if together && of_a == of_b {
                    let steps = (config.related_initial, config.related_step);
                    learned.edges.push(edges::raise_learned(conn, (a, b), &of_a, steps, now)?);
                }
            }
        }
        for &a in no_longer_cited {
            for &b in cited.iter().chain(no_longer_cited).filter(|b| **b != a) {
                if no_longer_cited.contains(&b) && b < a {
                    continue;
                }
                let Some(of_a) = namespace(a) else { continue };
                let still = verdicts::co_cited(conn, a, b)?;
                match edges::lower_learned(conn, (a, b), &of_a, config.related_step, still, now)? {
                    edges::Lowered::Kept(row) => learned.edges.push(row),
                    edges::Lowered::Removed(row) => learned.removed_edges.push(row),
                    edges::Lowered::None => {}
                }
            }
        }
        Ok(())
    }

    /// Takes a committed judgement into memory and the snapshot.
    pub(super) fn take_in(&self, learned: Learned) -> FeedbackOutcome {
        {
            let mut nodes = self.memory.nodes.write();
            for (ord, state) in &learned.states {
                nodes.insert(*ord, *state);
            }
        }
        {
            let mut association = self.memory.association.write();
            learned.traces.into_iter().for_each(|(ord, traces)| association.set(ord, traces));
        }
        if !learned.edges.is_empty() || !learned.removed_edges.is_empty() || !learned.quarantine.is_empty() {
            let mut next = (*self.snapshot()).clone();
            learned.edges.iter().for_each(|row| next.graph.put_edge(&super::edges::graph_edge(row)));
            for row in &learned.removed_edges {
                next.graph.remove_edge(&row.edge_id, row.from_ord, row.to_ord);
            }
            for (ord, quarantined) in &learned.quarantine {
                next.catalog.set_quarantined(*ord, *quarantined);
            }
            if learned.seq > 0 {
                next.seq = learned.seq;
                self.lexical_took(learned.seq, Ok(()));
            }
            self.publish(next);
        }
        learned.outcome
    }
}

/// The receipt's notes that are still the notes it showed.
fn present(conn: &Connection, judged: &Judged) -> Result<Vec<(String, Ordinal)>> {
    let ords = receipts::final_ords(conn, judged.seq)?.unwrap_or_default();
    let mut present = Vec::with_capacity(ords.len());
    for (node, ord) in judged.receipt.final_nodes.iter().zip(ords) {
        if notes::id_of(conn, ord)?.as_deref() == Some(node.id.as_str()) {
            present.push((node.id.clone(), ord));
        }
    }
    Ok(present)
}

fn applied(applied: &mut Applied, verdict: Verdict) -> &mut Vec<String> {
    match verdict {
        Verdict::Cited => &mut applied.cited,
        Verdict::Misleading => &mut applied.misleading,
        Verdict::Ignored => &mut applied.ignored,
    }
}
