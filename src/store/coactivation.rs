//! Coactivation: which notes answered the same retrieves, by namespace.

use rusqlite::Connection;

use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::Ordinal;
use crate::store::column;

/// One unordered pair.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) namespace: String,
    /// The lower ordinal.
    pub(crate) a_ord: Ordinal,
    pub(crate) b_ord: Ordinal,
    pub(crate) strength: f64,
    pub(crate) last_at: Timestamp,
}

/// Adds `delta` to the strength of a pair; nothing when either note is gone, or both are one.
pub(crate) fn add(
    conn: &Connection,
    namespace: &str,
    (a, b): (Ordinal, Ordinal),
    delta: f64,
    at: Timestamp,
) -> Result<()> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO coactivation (namespace, a_ord, b_ord, strength, last_at)
         SELECT ?1, a.ord, b.ord, ?4, ?5 FROM notes a, notes b WHERE a.ord = ?2 AND b.ord = ?3 AND a.ord < b.ord
         ON CONFLICT (namespace, a_ord, b_ord) DO UPDATE SET strength = strength + excluded.strength,
             last_at = max(last_at, excluded.last_at)",
    )?;
    statement.execute((namespace, a.min(b), a.max(b), delta, at.micros()))?;
    Ok(())
}

/// A pair by its namespace and its notes.
pub(crate) type Key = (String, Ordinal, Ordinal);

/// The pairs that are not among the `per_note` strongest, then newest, pairs of both their notes in their namespace. On a
/// reader: it ranks them all.
pub(crate) fn beyond(conn: &Connection, per_note: usize) -> Result<Vec<Key>> {
    let mut statement = conn.prepare_cached(
        "WITH ends AS (
             SELECT namespace, a_ord, b_ord, a_ord AS ord, strength, last_at FROM coactivation
             UNION ALL SELECT namespace, a_ord, b_ord, b_ord, strength, last_at FROM coactivation
         ), ranked AS (
             SELECT namespace, a_ord, b_ord, row_number() OVER (
                 PARTITION BY namespace, ord ORDER BY strength DESC, last_at DESC, a_ord, b_ord) AS place
             FROM ends
         )
         SELECT DISTINCT namespace, a_ord, b_ord FROM ranked WHERE place > ?1",
    )?;
    let rows =
        statement.query_map([column::stored(per_note as u64)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Deletes these pairs; gives how many there were.
pub(crate) fn forget(conn: &Connection, pairs: &[Key]) -> Result<u64> {
    let mut statement =
        conn.prepare_cached("DELETE FROM coactivation WHERE namespace = ?1 AND a_ord = ?2 AND b_ord = ?3")?;
    let mut forgotten = 0;
    for (namespace, a, b) in pairs {
        forgotten += statement.execute((namespace, a, b))? as u64;
    }
    Ok(forgotten)
}

/// Calls `f` with every pair, by namespace, then by notes.
pub(crate) fn for_each(conn: &Connection, mut f: impl FnMut(Pair) -> Result<()>) -> Result<()> {
    let mut statement = conn.prepare_cached("SELECT * FROM coactivation ORDER BY namespace, a_ord, b_ord")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        f(Pair {
            namespace: row.get("namespace")?,
            a_ord: row.get("a_ord")?,
            b_ord: row.get("b_ord")?,
            strength: row.get("strength")?,
            last_at: column::time(row, "last_at")?,
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::{NOW, store_with_notes};
    use crate::store::{Store, notes};

    fn pairs(store: &Store) -> Vec<(Ordinal, Ordinal, f64)> {
        let mut seen = Vec::new();
        store
            .read(|conn| {
                for_each(conn, |pair| {
                    seen.push((pair.a_ord, pair.b_ord, pair.strength));
                    Ok(())
                })
            })
            .unwrap();
        seen
    }

    #[test]
    fn a_pair_is_the_same_either_way_round_and_adds_up() {
        let (_dir, store) = store_with_notes(2);
        store.write(|conn| add(conn, "ns", (2, 1), 1.0, NOW).and_then(|()| add(conn, "ns", (1, 2), 0.5, NOW))).unwrap();
        assert_eq!(pairs(&store), [(1, 2, 1.5)]);
    }

    #[test]
    fn a_note_does_not_pair_with_itself_or_with_one_that_is_gone() {
        let (_dir, store) = store_with_notes(1);
        store.write(|conn| add(conn, "ns", (1, 1), 1.0, NOW).and_then(|()| add(conn, "ns", (1, 9), 1.0, NOW))).unwrap();
        assert!(pairs(&store).is_empty());
    }

    #[test]
    fn no_note_keeps_more_than_its_strongest_pairs() {
        let (_dir, store) = store_with_notes(5);
        store
            .write(|conn| {
                for b in 2..=5 {
                    add(conn, "ns", (1, b), f64::from(b), NOW)?;
                }
                add(conn, "ns", (2, 3), 9.0, NOW)?;
                // Another namespace has its own bound.
                add(conn, "other", (1, 2), 0.1, NOW)
            })
            .unwrap();
        assert_eq!(store.write(|conn| forget(conn, &beyond(conn, 2)?)).unwrap(), 2);
        assert_eq!(pairs(&store), [(1, 4, 4.0), (1, 5, 5.0), (2, 3, 9.0), (1, 2, 0.1)]);
    }

    #[test]
    fn a_pair_goes_with_either_of_its_notes() {
        let (_dir, store) = store_with_notes(3);
        store.write(|conn| add(conn, "ns", (1, 2), 1.0, NOW).and_then(|()| add(conn, "ns", (2, 3), 1.0, NOW))).unwrap();
        store.write(|conn| notes::delete(conn, 1)).unwrap();
        assert_eq!(pairs(&store), [(2, 3, 1.0)]);
    }
}
