//! Working memory: which notes a task has met, how often and when.

use rusqlite::{Connection, Row};

use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::Ordinal;
use crate::store::column;

/// One note in the working memory of one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) task_id: String,
    pub(crate) ord: Ordinal,
    pub(crate) activation_count: u64,
    pub(crate) first_seen_at: Timestamp,
    pub(crate) last_seen_at: Timestamp,
    pub(crate) last_receipt_seq: i64,
}

/// Adds what `entry` counts to what the task remembers of the note; nothing when the note is gone. The first time
/// stays the first, the last time the last.
pub(crate) fn add(conn: &Connection, entry: &Entry) -> Result<()> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO working_memory (task_id, ord, activation_count, first_seen_at, last_seen_at, last_receipt_seq)
         SELECT ?1, ord, ?3, ?4, ?5, ?6 FROM notes WHERE ord = ?2
         ON CONFLICT (task_id, ord) DO UPDATE SET activation_count = activation_count + excluded.activation_count,
             last_seen_at = max(last_seen_at, excluded.last_seen_at),
             last_receipt_seq = max(last_receipt_seq, excluded.last_receipt_seq)",
    )?;
    statement.execute((
        &entry.task_id,
        entry.ord,
        column::stored(entry.activation_count),
        entry.first_seen_at.micros(),
        entry.last_seen_at.micros(),
        entry.last_receipt_seq,
    ))?;
    Ok(())
}

/// Calls `f` with every entry, by task, then by note.
pub(crate) fn for_each(conn: &Connection, mut f: impl FnMut(Entry) -> Result<()>) -> Result<()> {
    let mut statement = conn.prepare_cached("SELECT * FROM working_memory ORDER BY task_id, ord")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        f(read(row)?)?;
    }
    Ok(())
}

/// Forgets entries of tasks that are closed, and those last seen before `unseen_since`; gives how many.
pub(crate) fn evict(conn: &Connection, unseen_since: Timestamp) -> Result<u64> {
    let mut statement = conn.prepare_cached(
        "DELETE FROM working_memory WHERE last_seen_at < ?1
         OR task_id IN (SELECT id FROM tasks WHERE status <> 'open')",
    )?;
    Ok(statement.execute([unseen_since.micros()])? as u64)
}

fn read(row: &Row<'_>) -> Result<Entry> {
    Ok(Entry {
        task_id: row.get("task_id")?,
        ord: row.get("ord")?,
        activation_count: column::count(row, "activation_count")?,
        first_seen_at: column::time(row, "first_seen_at")?,
        last_seen_at: column::time(row, "last_seen_at")?,
        last_receipt_seq: row.get("last_receipt_seq")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TaskStatus;
    use crate::store::testing::{NOW, store_with_notes, task};
    use crate::store::{Store, notes, tasks};

    fn entry(task_id: &str, ord: Ordinal, at: Timestamp) -> Entry {
        Entry {
            task_id: task_id.into(),
            ord,
            activation_count: 1,
            first_seen_at: at,
            last_seen_at: at,
            last_receipt_seq: at.micros(),
        }
    }

    fn all(store: &Store) -> Vec<Entry> {
        let mut entries = Vec::new();
        store
            .read(|conn| {
                for_each(conn, |entry| {
                    entries.push(entry);
                    Ok(())
                })
            })
            .unwrap();
        entries
    }

    #[test]
    fn seeing_a_note_again_counts_and_keeps_the_first_time() {
        let (_dir, store) = store_with_notes(1);
        let later = NOW.plus_days(1.0);
        store.write(|conn| add(conn, &entry("t", 1, NOW)).and_then(|()| add(conn, &entry("t", 1, later)))).unwrap();
        let expected = Entry { activation_count: 2, first_seen_at: NOW, ..entry("t", 1, later) };
        assert_eq!(all(&store), [expected]);
    }

    #[test]
    fn closed_tasks_and_old_entries_are_forgotten_and_unknown_tasks_kept() {
        let (_dir, store) = store_with_notes(2);
        store
            .write(|conn| {
                tasks::create(conn, &task("open"))?;
                tasks::create(conn, &task("closed"))?;
                tasks::set_status(conn, "closed", TaskStatus::Cancelled, None, Some(NOW))?;
                for task_id in ["open", "closed", "label"] {
                    add(conn, &entry(task_id, 1, NOW))?;
                }
                add(conn, &entry("open", 2, NOW.plus_days(-8.0)))
            })
            .unwrap();
        assert_eq!(store.write(|conn| evict(conn, NOW.plus_days(-7.0))).unwrap(), 2);
        let left: Vec<_> = all(&store).into_iter().map(|entry| (entry.task_id, entry.ord)).collect();
        assert_eq!(left, [("label".to_owned(), 1), ("open".to_owned(), 1)]);
    }

    #[test]
    fn an_entry_goes_with_its_note_and_is_not_made_without_it() {
        let (_dir, store) = store_with_notes(1);
        store.write(|conn| add(conn, &entry("t", 1, NOW))).unwrap();
        store.write(|conn| notes::delete(conn, 1)).unwrap();
        store.write(|conn| add(conn, &entry("t", 1, NOW))).unwrap();
        assert!(all(&store).is_empty());
    }
}
