//! Every note's traces, in memory.

use std::sync::Arc;

use imbl::OrdMap;

use super::note_traces::NoteTraces;
use crate::clock::Timestamp;
use crate::config::AssociationConfig;
use crate::model::Ordinal;

/// Every note's traces. A clone shares them all and costs nothing: whoever compares a query with them takes one instead
/// of holding a lock.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Association {
    pub(super) notes: OrdMap<Ordinal, Arc<NoteTraces>>,
}

impl Association {
    /// A note's traces.
    pub(crate) fn of(&self, ord: Ordinal) -> NoteTraces {
        self.notes.get(&ord).map(|traces| traces.to_vec()).unwrap_or_default()
    }

    /// Gives a note these traces in place of those it had.
    pub(crate) fn set(&mut self, ord: Ordinal, traces: NoteTraces) {
        if traces.is_empty() {
            self.notes.remove(&ord);
        } else {
            self.notes.insert(ord, Arc::new(traces));
        }
    }

    /// Forgets a note.
    pub(crate) fn forget(&mut self, ord: Ordinal) {
        self.notes.remove(&ord);
    }

    /// Whether there is no trace at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    /// How many traces there are.
    pub(crate) fn len(&self) -> u64 {
        self.notes.values().map(|traces| traces.len() as u64).sum()
    }

    /// The notes with a trace that is forgotten.
    pub(crate) fn forgetful(&self, now: Timestamp, config: &AssociationConfig) -> Vec<Ordinal> {
        let forgets = |traces: &NoteTraces| traces.iter().any(|trace| !trace.is_live(now, config));
        self.notes.iter().filter(|(_, traces)| forgets(traces)).map(|(ord, _)| *ord).collect()
    }
}
