//! What memory knows of each note: its learned state, its use, and whether it is in quarantine.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::{Ordinal, Quarantine};
use crate::store::changes::{self, Op};
use crate::store::column;

/// What verdicts made of a note.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StatsRow {
    /// As of `last_decay_applied_at`.
    pub(crate) salience: f64,
    pub(crate) strength: f64,
    pub(crate) cited_count: u64,
    pub(crate) ignored_count: u64,
    pub(crate) misleading_count: u64,
    pub(crate) last_used_at: Option<Timestamp>,
    pub(crate) last_decay_applied_at: Option<Timestamp>,
}

/// How often a note was retrieved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsageRow {
    /// By every receipt.
    pub(crate) retrieval_count: u64,
    /// By receipts that do not repeat another.
    pub(crate) usage_count: u64,
    pub(crate) last_retrieved_at: Option<Timestamp>,
}

/// Writes the learned state of note `ord`.
pub(crate) fn save(conn: &Connection, ord: Ordinal, stats: &StatsRow) -> Result<()> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO node_stats (ord, salience, strength, cited_count, ignored_count, misleading_count, last_used_at,
             last_decay_applied_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (ord) DO UPDATE SET salience = excluded.salience, strength = excluded.strength,
             cited_count = excluded.cited_count, ignored_count = excluded.ignored_count,
             misleading_count = excluded.misleading_count, last_used_at = excluded.last_used_at,
             last_decay_applied_at = excluded.last_decay_applied_at",
    )?;
    statement.execute((
        ord,
        stats.salience,
        stats.strength,
        column::stored(stats.cited_count),
        column::stored(stats.ignored_count),
        column::stored(stats.misleading_count),
        stats.last_used_at.map(Timestamp::micros),
        stats.last_decay_applied_at.map(Timestamp::micros),
    ))?;
    Ok(())
}

/// [`save`], unless the note is gone.
pub(crate) fn save_if_note(conn: &Connection, ord: Ordinal, stats: &StatsRow) -> Result<()> {
    let there = conn.prepare_cached("SELECT 1 FROM notes WHERE ord = ?1")?.exists([ord])?;
    if there { save(conn, ord, stats) } else { Ok(()) }
}

/// Calls `f` with the learned state of every note that has one, in the order of their ordinals.
pub(crate) fn load_all(conn: &Connection, mut f: impl FnMut(Ordinal, StatsRow) -> Result<()>) -> Result<()> {
    let mut statement = conn.prepare_cached("SELECT * FROM node_stats ORDER BY ord")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        f(row.get("ord")?, read_stats(row)?)?;
    }
    Ok(())
}

/// Deletes the learned state of every note; answers how many had one.
pub(crate) fn clear(conn: &Connection) -> Result<u64> {
    Ok(conn.execute("DELETE FROM node_stats", [])? as u64)
}

/// Adds what receipts counted of note `ord`; nothing when the note is gone.
pub(crate) fn add_usage(
    conn: &Connection,
    ord: Ordinal,
    retrievals: u64,
    counted: u64,
    last_at: Timestamp,
) -> Result<()> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO node_usage (ord, retrieval_count, usage_count, last_retrieved_at)
         SELECT ord, ?2, ?3, ?4 FROM notes WHERE ord = ?1
         ON CONFLICT (ord) DO UPDATE SET retrieval_count = retrieval_count + excluded.retrieval_count,
             usage_count = usage_count + excluded.usage_count,
             last_retrieved_at = max(coalesce(last_retrieved_at, excluded.last_retrieved_at),
                 excluded.last_retrieved_at)",
    )?;
    statement.execute((ord, column::stored(retrievals), column::stored(counted), last_at.micros()))?;
    Ok(())
}

/// Calls `f` with the use of every note that was ever retrieved, in the order of their ordinals.
pub(crate) fn load_usage(conn: &Connection, mut f: impl FnMut(Ordinal, UsageRow) -> Result<()>) -> Result<()> {
    let mut statement = conn.prepare_cached("SELECT * FROM node_usage ORDER BY ord")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let usage = UsageRow {
            retrieval_count: column::count(row, "retrieval_count")?,
            usage_count: column::count(row, "usage_count")?,
            last_retrieved_at: column::optional_time(row, "last_retrieved_at")?,
        };
        f(row.get("ord")?, usage)?;
    }
    Ok(())
}

/// Puts note `ord` into quarantine, leaving its status; gives the number of the change.
pub(crate) fn quarantine(conn: &Connection, ord: Ordinal, reason: &str, at: Timestamp) -> Result<u64> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO quarantine (ord, reason, at) VALUES (?1, ?2, ?3)
         ON CONFLICT (ord) DO UPDATE SET reason = excluded.reason, at = excluded.at",
    )?;
    statement.execute((ord, reason, at.micros()))?;
    changes::record(conn, ord, Op::State)
}

/// Takes note `ord` out of quarantine; gives the number of the change, `None` when it was not in it.
pub(crate) fn restore(conn: &Connection, ord: Ordinal) -> Result<Option<u64>> {
    let restored = conn.prepare_cached("DELETE FROM quarantine WHERE ord = ?1")?.execute([ord])?;
    if restored == 0 { Ok(None) } else { changes::record(conn, ord, Op::State).map(Some) }
}

/// Why and since when note `ord` is in quarantine, if it is.
pub(crate) fn quarantine_of(conn: &Connection, ord: Ordinal) -> Result<Option<Quarantine>> {
    let mut statement = conn.prepare_cached("SELECT reason, at FROM quarantine WHERE ord = ?1")?;
    let found = statement
        .query_row([ord], |row| Ok(Quarantine { reason: row.get(0)?, at: Timestamp::from_micros(row.get(1)?) }));
    Ok(found.optional()?)
}

/// Calls `f` with every note in quarantine, in the order of their ordinals.
pub(crate) fn load_quarantine(conn: &Connection, mut f: impl FnMut(Ordinal, Quarantine) -> Result<()>) -> Result<()> {
    let mut statement = conn.prepare_cached("SELECT ord, reason, at FROM quarantine ORDER BY ord")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        f(row.get(0)?, Quarantine { reason: row.get(1)?, at: column::time(row, "at")? })?;
    }
    Ok(())
}

fn read_stats(row: &Row<'_>) -> Result<StatsRow> {
    Ok(StatsRow {
        salience: row.get("salience")?,
        strength: row.get("strength")?,
        cited_count: column::count(row, "cited_count")?,
        ignored_count: column::count(row, "ignored_count")?,
        misleading_count: column::count(row, "misleading_count")?,
        last_used_at: column::optional_time(row, "last_used_at")?,
        last_decay_applied_at: column::optional_time(row, "last_decay_applied_at")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::{NOW, store_with_notes};
    use crate::store::{Store, notes};

    fn usage(store: &Store) -> Vec<(Ordinal, UsageRow)> {
        let mut seen = Vec::new();
        store
            .read(|conn| {
                load_usage(conn, |ord, row| {
                    seen.push((ord, row));
                    Ok(())
                })
            })
            .unwrap();
        seen
    }

    #[test]
    fn the_learned_state_saved_last_is_the_one_that_is_read() {
        let (_dir, store) = store_with_notes(1);
        let first = StatsRow {
            salience: 0.5,
            strength: 1.0,
            cited_count: 0,
            ignored_count: 6,
            misleading_count: 0,
            last_used_at: None,
            last_decay_applied_at: Some(NOW),
        };
        let second = StatsRow { salience: 0.52, cited_count: 1, last_used_at: Some(NOW), ..first.clone() };
        store.write(|conn| save(conn, 1, &first).and_then(|()| save(conn, 1, &second))).unwrap();
        let mut seen = Vec::new();
        store
            .read(|conn| {
                load_all(conn, |ord, row| {
                    seen.push((ord, row));
                    Ok(())
                })
            })
            .unwrap();
        assert_eq!(seen, [(1, second)]);
    }

    #[test]
    fn usage_adds_up_and_its_time_never_goes_back() {
        let (_dir, store) = store_with_notes(1);
        let earlier = NOW.plus_days(-1.0);
        store.write(|conn| add_usage(conn, 1, 3, 1, NOW).and_then(|()| add_usage(conn, 1, 2, 2, earlier))).unwrap();
        let expected = UsageRow { retrieval_count: 5, usage_count: 3, last_retrieved_at: Some(NOW) };
        assert_eq!(usage(&store), [(1, expected)]);
    }

    #[test]
    fn usage_of_a_note_that_is_gone_is_dropped() {
        let (_dir, store) = store_with_notes(1);
        store.write(|conn| notes::delete(conn, 1)).unwrap();
        store.write(|conn| add_usage(conn, 1, 1, 1, NOW)).unwrap();
        assert!(usage(&store).is_empty());
    }

    #[test]
    fn quarantine_is_a_change_of_state_that_restoring_undoes() {
        let (_dir, store) = store_with_notes(1);
        assert_eq!(store.write(|conn| quarantine(conn, 1, "misled 3 times", NOW)).unwrap(), 2);
        let reason = Quarantine { reason: "misled 3 times".into(), at: NOW };
        assert_eq!(store.read(|conn| quarantine_of(conn, 1)).unwrap(), Some(reason));
        assert_eq!(store.write(|conn| restore(conn, 1)).unwrap(), Some(3));
        assert_eq!(store.write(|conn| restore(conn, 1)).unwrap(), None);
        assert_eq!(store.read(|conn| quarantine_of(conn, 1)).unwrap(), None);
    }

    #[test]
    fn what_is_known_of_a_note_goes_with_it() {
        let (_dir, store) = store_with_notes(1);
        store.write(|conn| add_usage(conn, 1, 1, 1, NOW).and_then(|()| quarantine(conn, 1, "", NOW))).unwrap();
        store.write(|conn| notes::delete(conn, 1)).unwrap();
        assert!(usage(&store).is_empty());
        assert_eq!(store.read(|conn| quarantine_of(conn, 1)).unwrap(), None);
    }
}
