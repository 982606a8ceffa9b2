//! What verdicts taught, as a document for the store's owner.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::Engine;
use super::edges::edge;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::{
    Edge, LearnedExport, LearnedNote, LearnedTrace, LearnedTraceEvent, LearnedVerdict, MovedEdge, Ordinal, Quarantine,
    Verdict,
};
use crate::store::edges::{self, EdgeRow};
use crate::store::{ids, meta, notes, stats, traces, verdicts};

impl Engine {
    /// Everything that verdicts taught this store, in one consistent state: verdicts, what they made of notes and edges,
    /// the queries kept with cited notes, and trained weights. What retrieves alone count (usage, coactivation, working memory) is not in
    /// it.
    ///
    /// For the store's owner: it shows what single viewers may not see. [`Engine::learned`] is the summary.
    ///
    /// ```
    /// # let dir = std::env::temp_dir().join(format!("terrace-doc-export-{}", std::process::id()));
    /// # use terrace::{Config, Engine, Feedback, Note, RetrieveRequest};
    /// let engine = Engine::open(&dir, Config::default())?;
    /// engine.put(Note::new("Priming the pump", "Open valve B.").with_id("priming"))?;
    /// let receipt_id = engine.retrieve(&RetrieveRequest::new("start the pump"))?.receipt_id;
    /// engine.feedback(&Feedback { receipt_id, cited: Some(vec!["priming".into()]), misleading: None, ..Feedback::default() })?;
    ///
    /// let learned = engine.export_learned()?;
    /// assert_eq!(learned.traces[0].question, "start the pump");
    /// engine.reset_learned()?;
    /// assert!(engine.export_learned()?.traces.is_empty());
    /// # drop(engine); std::fs::remove_dir_all(&dir).ok();
    /// # Ok::<(), terrace::Error>(())
    /// ```
    ///
    /// # Errors
    /// `corrupt` when a row cannot be read; SQLite's own.
    pub fn export_learned(&self) -> Result<LearnedExport> {
        let seed = self.store.seed();
        self.store.read(|conn| {
            let mut ids = Ids { conn, known: BTreeMap::new() };
            Ok(LearnedExport {
                format: LearnedExport::FORMAT,
                exported_at: self.now(),
                verdicts: exported_verdicts(&mut ids, seed)?,
                notes: exported_notes(&mut ids)?,
                edges: learned_edges(&mut ids)?,
                moved_edges: moved_edges(&mut ids)?,
                traces: exported_traces(&mut ids, seed)?,
                association: meta::association_rates(conn)?,
                weights: meta::learned_weights(conn)?,
            })
        })
    }
}

/// The ids of notes, each read once.
struct Ids<'a> {
    conn: &'a Connection,
    known: BTreeMap<Ordinal, Option<String>>,
}

impl Ids<'_> {
    /// `None` of a note that is gone: what is known of a note goes with it, so there is none.
    fn of(&mut self, ord: Ordinal) -> Result<Option<String>> {
        if let Some(known) = self.known.get(&ord) {
            return Ok(known.clone());
        }
        let id = notes::id_of(self.conn, ord)?;
        self.known.insert(ord, id.clone());
        Ok(id)
    }

    fn edge(&mut self, row: &EdgeRow) -> Result<Option<Edge>> {
        let ends = self.of(row.from_ord)?.zip(self.of(row.to_ord)?);
        Ok(ends.map(|(from_id, to_id)| edge(row, from_id, to_id)))
    }
}

fn exported_verdicts(ids: &mut Ids<'_>, seed: u64) -> Result<Vec<LearnedVerdict>> {
    let mut exported = Vec::new();
    verdicts::for_each(ids.conn, |event| {
        if let Some(note_id) = ids.of(event.ord)? {
            let receipt_id = ids::receipt_id(seed, event.receipt_seq);
            exported.push(LearnedVerdict { receipt_id, note_id, verdict: event.verdict, at: event.at });
        }
        Ok(())
    })?;
    Ok(exported)
}

fn exported_notes(ids: &mut Ids<'_>) -> Result<Vec<LearnedNote>> {
    let mut quarantined: BTreeMap<Ordinal, Quarantine> = BTreeMap::new();
    stats::load_quarantine(ids.conn, |ord, quarantine| {
        quarantined.insert(ord, quarantine);
        Ok(())
    })?;
    let mut exported = Vec::new();
    stats::load_all(ids.conn, |ord, row| {
        if let Some(note_id) = ids.of(ord)? {
            exported.push(LearnedNote {
                note_id,
                salience: row.salience,
                spaced_rep_strength: row.strength,
                cited_count: row.cited_count,
                ignored_count: row.ignored_count,
                misleading_count: row.misleading_count,
                last_used_at: row.last_used_at,
                last_decay_applied_at: row.last_decay_applied_at,
                quarantine: quarantined.get(&ord).cloned(),
            });
        }
        Ok(())
    })?;
    exported.sort_by(|a, b| a.note_id.cmp(&b.note_id));
    Ok(exported)
}

fn learned_edges(ids: &mut Ids<'_>) -> Result<Vec<Edge>> {
    let mut exported = Vec::new();
    for row in edges::learned(ids.conn)? {
        exported.extend(ids.edge(&row)?);
    }
    Ok(exported)
}

fn moved_edges(ids: &mut Ids<'_>) -> Result<Vec<MovedEdge>> {
    let mut exported = Vec::new();
    for (row, standing) in edges::moved(ids.conn)? {
        if let (Some(edge), Some(stated_weight)) = (ids.edge(&row)?, standing.stated) {
            let (cited_together, misleading) = (standing.raised, standing.taken);
            exported.push(MovedEdge { edge, stated_weight, cited_together, misleading });
        }
    }
    Ok(exported)
}

fn exported_traces(ids: &mut Ids<'_>, seed: u64) -> Result<Vec<LearnedTrace>> {
    let mut exported = Vec::new();
    traces::for_each(ids.conn, |ord, row| {
        let Some(note_id) = ids.of(ord)? else { return Ok(()) };
        let event = |(seq, at, cited): (i64, i64, bool)| LearnedTraceEvent {
            receipt_id: ids::receipt_id(seed, seq),
            at: Timestamp::from_micros(at),
            verdict: if cited { Verdict::Cited } else { Verdict::Misleading },
        };
        exported.push(LearnedTrace {
            note_id,
            question: row.question,
            agent_id: row.agent_id,
            task_id: row.task_id,
            terms: row.terms.into_iter().collect(),
            vector: row.vector,
            events: row.events.into_iter().map(event).collect(),
        });
        Ok(())
    })?;
    // Stable: of one note they stay in the order in which they were made.
    exported.sort_by(|a, b| a.note_id.cmp(&b.note_id));
    Ok(exported)
}
