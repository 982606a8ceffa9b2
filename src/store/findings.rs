//! What agents found out while working on their tasks.

use rusqlite::{Connection, Row};

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::{Finding, Ordinal};

/// Posts a finding on a task; gives its number.
///
/// # Errors
/// `task_not_found` when there is no such task.
pub(crate) fn post(
    conn: &Connection,
    task_id: &str,
    agent: &str,
    summary: &str,
    note_ord: Option<Ordinal>,
    at: Timestamp,
) -> Result<i64> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO findings (task_id, agent, summary, note_ord, created_at)
         SELECT id, ?2, ?3, ?4, ?5 FROM tasks WHERE id = ?1",
    )?;
    if statement.execute((task_id, agent, summary, note_ord, at.micros()))? == 0 {
        return Err(Error::no_task(task_id));
    }
    Ok(conn.last_insert_rowid())
}

/// The findings of a task, in the order they were posted. One whose note was deleted has no note any more.
pub(crate) fn of_task(conn: &Connection, task_id: &str) -> Result<Vec<Finding>> {
    let mut statement = conn.prepare_cached(
        "SELECT f.id, f.task_id, f.agent, f.summary, n.id, f.created_at
         FROM findings f LEFT JOIN notes n ON n.ord = f.note_ord WHERE f.task_id = ?1 ORDER BY f.id",
    )?;
    let rows = statement.query_map([task_id], read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The notes that a task's findings point at.
pub(crate) fn notes_of_task(conn: &Connection, task_id: &str) -> Result<Vec<Ordinal>> {
    let mut statement = conn.prepare_cached(
        "SELECT DISTINCT note_ord FROM findings WHERE task_id = ?1 AND note_ord IS NOT NULL ORDER BY note_ord",
    )?;
    let rows = statement.query_map([task_id], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Finding> {
    Ok(Finding {
        id: row.get(0)?,
        task_id: row.get(1)?,
        agent: row.get(2)?,
        summary: row.get(3)?,
        note_id: row.get(4)?,
        created_at: Timestamp::from_micros(row.get(5)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::{NOW, store, store_with_notes, task};
    use crate::store::{notes, tasks};

    #[test]
    fn a_finding_outlives_the_note_it_points_to() {
        let (_dir, store) = store_with_notes(1);
        store.write(|conn| tasks::create(conn, &task("t"))).unwrap();
        let id = store.write(|conn| post(conn, "t", "agent", "found", Some(1), NOW)).unwrap();
        let note_id = || store.read(|conn| of_task(conn, "t")).unwrap()[0].note_id.clone();
        assert_eq!(note_id().as_deref(), Some("n1"));
        store.write(|conn| notes::delete(conn, 1)).unwrap();
        let expected = Finding {
            id,
            task_id: "t".into(),
            agent: "agent".into(),
            summary: "found".into(),
            note_id: None,
            created_at: NOW,
        };
        assert_eq!(store.read(|conn| of_task(conn, "t")).unwrap(), [expected]);
    }

    #[test]
    fn a_finding_needs_its_task() {
        let (_dir, store) = store();
        let error = store.write(|conn| post(conn, "none", "a", "s", None, NOW)).unwrap_err();
        assert_eq!(error.code(), "task_not_found");
    }
}
