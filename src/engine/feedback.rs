//! Feedback without a task, restoring from quarantine, and taking what was judged into memory.

use super::Engine;
use super::judge::{Learned, Said};
use crate::error::{Error, Result};
use crate::model::{Feedback, FeedbackOutcome, Note, Receipt, Status, Viewer};
use crate::store::{notes, stats};

impl Engine {
    /// Judges a retrieve without a task: by the rules of [`Engine::complete_task`].
    ///
    /// A verdict on a receipt's note counts once, until [`Engine::reset_learned`] forgets it: repeating it changes
    /// nothing, another one replaces it. An agent judges receipts of its own, and of what these hold what it can see.
    ///
    /// # Errors
    /// `receipt_not_found`, also where it is another agent's; `read_only`.
    pub fn feedback(&self, feedback: &Feedback) -> Result<FeedbackOutcome> {
        if self.store.is_read_only() {
            return Err(Error::ReadOnly("feedback"));
        }
        let said = Said { cited: feedback.cited.as_deref(), misleading: feedback.misleading.as_deref() };
        let judged = self.store.read(|conn| self.receipt_to_judge(conn, &feedback.receipt_id))?;
        let viewer = match &feedback.agent_id {
            Some(agent) if judged.receipt.agent_id.as_ref() == Some(agent) => maker(&judged.receipt),
            Some(_) => return Err(Error::ReceiptNotFound(feedback.receipt_id.clone())),
            None => Viewer::owner(),
        };
        let lesson = self.lesson(&judged, said);
        let _gate = self.gate.lock();
        let learned = self.store.write(|conn| self.judge(conn, &judged, lesson.as_ref(), said, &viewer))?;
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

/// Who asked what a receipt answers.
fn maker(receipt: &Receipt) -> Viewer {
    let agent = receipt.agent_id.as_ref().map_or_else(Viewer::default, Viewer::agent);
    match &receipt.task_id {
        Some(task_id) => agent.on_task(task_id),
        None => agent,
    }
}
