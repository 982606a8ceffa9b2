//! What verdicts teach association: the query of a receipt becomes a trace of the notes it cited.

use rusqlite::Connection;

use super::judge::{Judged, Said};
use super::{Engine, rows};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::memory::{Asked, NoteTraces, Trace, TraceEvent, TraceScope, WeightedTerms, note_traces};
use crate::model::{Ordinal, Verdict};
use crate::projection::vector::{PreparedQuery, Row};
use crate::scouts::LexicalSource;
use crate::store::traces;
use crate::text::{self, QueryTerm};

use super::sources::Words;

/// Notes whose traces are evicted per transaction, so that a verdict does not wait for all of it.
const EVICT_BATCH: usize = 500;

/// A receipt's query, ready to be kept with the notes it cited.
pub(super) struct Lesson {
    asked: Asked,
    /// A trace of it; it has no verdict yet.
    trace: Trace,
}

impl Engine {
    /// Whether verdicts move traces.
    pub(super) fn learns_associations(&self) -> bool {
        let learning = &self.config.learning;
        learning.enabled && learning.association
    }

    /// What can be learned from a receipt's query; `None` where learning is off, where it has neither words nor a vector of the caller's, and
    /// where no note of the receipt is named. A query that the embedder refuses is learned by its words. Embeds a query
    /// that came without a vector, so it is called outside transactions and locks.
    pub(super) fn lesson(&self, judged: &Judged, said: Said<'_>) -> Option<Lesson> {
        let receipt = &judged.receipt;
        let terms = text::query_terms(&receipt.query);
        let says_something = !terms.is_empty() || judged.vector.is_some();
        if !says_something || !self.learns_associations() || !said.names_one_of(receipt) {
            return None;
        }
        let vector = match &judged.vector {
            Some(codes) => Some(codes.iter().copied().map(f32::from).collect()),
            None => self.embedding.query_vector(&receipt.query, None).unwrap_or_else(|error| {
                tracing::warn!(%error, "a query was not embedded; it is remembered by its words alone");
                None
            }),
        };
        let row = vector.as_deref().and_then(|vector| Row::new(vector, vector.len()).ok().flatten());
        let asked = asked(&terms, vector.as_deref(), &Words(&self.lexical));
        let scope = TraceScope::of(receipt.agent_id.as_deref(), receipt.task_id.as_deref());
        let trace = Trace::new(scope, &receipt.query, asked.terms.clone(), row);
        Some(Lesson { asked, trace })
    }

    /// Writes what a verdict on a receipt makes of a note's traces, and answers them where they changed. `before` is the
    /// verdict it replaces, `at` the time of the first one on this receipt and note. Being ignored moves no trace; see
    /// [`AssociationConfig`](crate::AssociationConfig).
    pub(super) fn associate(
        &self,
        conn: &Connection,
        ord: Ordinal,
        (receipt_seq, lesson): (i64, Option<&Lesson>),
        (before, verdict): (Option<Verdict>, Verdict),
        at: Timestamp,
    ) -> Result<Option<NoteTraces>> {
        let config = &self.memory.config().association;
        let known = self.memory.association.read().of(ord);
        let mut next = known.clone();
        if before.is_some() {
            note_traces::take_back(&mut next, receipt_seq);
        }
        let event = TraceEvent { receipt_seq, at, cited: verdict == Verdict::Cited };
        match (verdict, lesson) {
            (Verdict::Cited, Some(lesson)) => {
                note_traces::cite(&mut next, lesson.trace.clone(), event, self.now(), config);
            }
            (Verdict::Misleading, Some(lesson)) => note_traces::mislead(&mut next, &lesson.asked, event, config),
            _ => {}
        }
        if next == known {
            return Ok(None);
        }
        let rows: Vec<_> = next.iter().map(rows::trace_row).collect();
        traces::put(conn, ord, &rows)?;
        Ok(Some(next))
    }

    /// Forgets traces whose citations are all too old; answers how many.
    pub(super) fn evict_traces(&self) -> Result<u64> {
        let (now, config) = (self.now(), &self.memory.config().association);
        let forgetful = self.memory.association.read().clone().forgetful(now, config);
        let mut evicted = 0;
        for batch in forgetful.chunks(EVICT_BATCH) {
            let _gate = self.gate.lock();
            let known = self.memory.association.read().clone();
            let pruned: Vec<(Ordinal, NoteTraces)> = batch
                .iter()
                .map(|&ord| {
                    let mut traces = known.of(ord);
                    evicted += note_traces::prune(&mut traces, now, config);
                    (ord, traces)
                })
                .collect();
            self.store.write(|conn| {
                pruned.iter().try_for_each(|(ord, left)| {
                    let rows: Vec<_> = left.iter().map(rows::trace_row).collect();
                    traces::put(conn, *ord, &rows)
                })
            })?;
            let mut association = self.memory.association.write();
            pruned.into_iter().for_each(|(ord, left)| association.set(ord, left));
        }
        Ok(evicted)
    }
}

/// A query as traces are compared with it: by its vector, and by its terms weighted with their idf. Where the words
/// cannot be searched, terms weigh the same.
pub(super) fn asked(terms: &[QueryTerm], vector: Option<&[f32]>, words: &dyn LexicalSource) -> Asked {
    let weight = |term: &QueryTerm| {
        let once = QueryTerm { text: term.text.clone(), count: 1 };
        (term.text.clone(), words.idf_sum(&[once]).unwrap_or(1.0))
    };
    Asked {
        vector: vector.and_then(|vector| PreparedQuery::new(vector, vector.len()).ok()),
        terms: WeightedTerms::new(terms.iter().map(weight)),
    }
}
