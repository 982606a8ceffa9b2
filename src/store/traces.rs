//! Traces: the queries that led to each note.

use rusqlite::{Connection, Row};

use crate::error::Result;
use crate::model::Ordinal;
use crate::store::column;

/// One trace of a note.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TraceRow {
    pub(crate) agent_id: Option<String>,
    pub(crate) task_id: Option<String>,
    pub(crate) question: String,
    /// Each with how rare it was.
    pub(crate) terms: Vec<(String, f32)>,
    /// int8 codes, one per dimension.
    pub(crate) vector: Option<Vec<i8>>,
    /// Receipt, time in microseconds, and whether it cited the note or was misled.
    pub(crate) events: Vec<(i64, i64, bool)>,
}

/// Gives note `ord` these traces in place of those it had; nothing when the note is gone.
pub(crate) fn put(conn: &Connection, ord: Ordinal, traces: &[TraceRow]) -> Result<()> {
    conn.prepare_cached("DELETE FROM traces WHERE ord = ?1")?.execute([ord])?;
    let mut statement = conn.prepare_cached(
        "INSERT INTO traces (ord, idx, agent_id, task_id, question, terms, events, vector)
         SELECT ord, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM notes WHERE ord = ?1",
    )?;
    for (idx, trace) in traces.iter().enumerate() {
        statement.execute((
            ord,
            column::stored(idx as u64),
            &trace.agent_id,
            &trace.task_id,
            &trace.question,
            column::to_json(&trace.terms)?,
            column::to_json(&trace.events)?,
            trace.vector.as_deref().map(column::to_codes),
        ))?;
    }
    Ok(())
}

/// Deletes every trace; answers how many there were.
pub(crate) fn clear(conn: &Connection) -> Result<u64> {
    Ok(conn.execute("DELETE FROM traces", [])? as u64)
}

/// Calls `f` with every trace, by note, then in the order in which they were put.
pub(crate) fn for_each(conn: &Connection, mut f: impl FnMut(Ordinal, TraceRow) -> Result<()>) -> Result<()> {
    let mut statement = conn.prepare_cached("SELECT * FROM traces ORDER BY ord, idx")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        f(row.get("ord")?, read(row)?)?;
    }
    Ok(())
}

fn read(row: &Row<'_>) -> Result<TraceRow> {
    let vector: Option<Vec<u8>> = row.get("vector")?;
    Ok(TraceRow {
        agent_id: row.get("agent_id")?,
        task_id: row.get("task_id")?,
        question: row.get("question")?,
        terms: column::json(row, "terms")?,
        vector: vector.map(column::from_codes),
        events: column::json(row, "events")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::store_with_notes;
    use crate::store::{Store, notes};

    fn trace(question: &str) -> TraceRow {
        TraceRow {
            agent_id: Some("a".into()),
            task_id: None,
            question: question.into(),
            terms: vec![("pump".into(), 1.1), ("prime".into(), 0.3)],
            vector: Some(vec![127, -127, 0]),
            events: vec![(4, 1_000, true), (9, 2_000, false)],
        }
    }

    fn all(store: &Store) -> Vec<(Ordinal, TraceRow)> {
        let mut traces = Vec::new();
        store
            .read(|conn| {
                for_each(conn, |ord, trace| {
                    traces.push((ord, trace));
                    Ok(())
                })
            })
            .unwrap();
        traces
    }

    #[test]
    fn the_traces_put_last_are_the_ones_that_are_read() {
        let (_dir, store) = store_with_notes(1);
        let textual = TraceRow { vector: None, agent_id: None, task_id: Some("t".into()), ..trace("c") };
        store.write(|conn| put(conn, 1, &[trace("a")])).unwrap();
        store.write(|conn| put(conn, 1, &[trace("b"), textual.clone()])).unwrap();
        assert_eq!(all(&store), [(1, trace("b")), (1, textual)]);
    }

    #[test]
    fn a_trace_goes_with_its_note_and_is_not_made_without_it() {
        let (_dir, store) = store_with_notes(1);
        store.write(|conn| put(conn, 1, &[trace("a")])).unwrap();
        store.write(|conn| notes::delete(conn, 1)).unwrap();
        store.write(|conn| put(conn, 1, &[trace("a")])).unwrap();
        assert!(all(&store).is_empty());
    }
}
