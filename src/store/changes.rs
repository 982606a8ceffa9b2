//! The change sequence: every write of a note takes the next number, and projections catch up from it.

use rusqlite::{Connection, OptionalExtension};

use crate::error::{Error, Result};
use crate::model::Ordinal;

/// What happened to a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Written: everything made from it is to be made anew.
    Put,
    /// Gone.
    Delete,
    /// Only its status or quarantine changed; its text did not.
    State,
}

impl Op {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Delete => "delete",
            Self::State => "state",
        }
    }

    fn parse(name: &str) -> Result<Self> {
        [Self::Put, Self::Delete, Self::State]
            .into_iter()
            .find(|op| op.as_str() == name)
            .ok_or_else(|| Error::Corrupt(format!("unknown change {name:?}; run `terrace check`")))
    }
}

/// Records a change of note `ord` and gives its number.
pub(crate) fn record(conn: &Connection, ord: Ordinal, op: Op) -> Result<u64> {
    let mut statement = conn.prepare_cached("INSERT INTO changes (ord, op) VALUES (?1, ?2)")?;
    Ok(statement.insert((ord, op.as_str()))?.cast_unsigned())
}

/// The number of the last change ever made, also when it was pruned since; 0 before the first.
pub(crate) fn latest(conn: &Connection) -> Result<u64> {
    let mut statement = conn.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'changes'")?;
    let seq: Option<i64> = statement.query_row([], |row| row.get(0)).optional()?;
    Ok(seq.unwrap_or(0).cast_unsigned())
}

/// The changes after number `seq`, oldest first.
pub(crate) fn since(conn: &Connection, seq: u64) -> Result<Vec<(u64, Ordinal, Op)>> {
    let mut statement = conn.prepare_cached("SELECT seq, ord, op FROM changes WHERE seq > ?1 ORDER BY seq")?;
    let mut rows = statement.query([i64::try_from(seq).unwrap_or(i64::MAX)])?;
    let mut changes = Vec::new();
    while let Some(row) = rows.next()? {
        changes.push((
            row.get::<_, i64>(0)?.cast_unsigned(),
            row.get(1)?,
            Op::parse(row.get_ref(2)?.as_str().map_err(unreadable)?)?,
        ));
    }
    Ok(changes)
}

/// The number of the oldest change still kept: a projection that has not reached the one before it must be rebuilt.
pub(crate) fn oldest(conn: &Connection) -> Result<Option<u64>> {
    let mut statement = conn.prepare_cached("SELECT min(seq) FROM changes")?;
    let seq: Option<i64> = statement.query_row([], |row| row.get(0))?;
    Ok(seq.map(i64::cast_unsigned))
}

/// Forgets the changes up to and including number `up_to`; gives how many.
pub(crate) fn prune(conn: &Connection, up_to: u64) -> Result<u64> {
    let mut statement = conn.prepare_cached("DELETE FROM changes WHERE seq <= ?1")?;
    Ok(statement.execute([i64::try_from(up_to).unwrap_or(i64::MAX)])? as u64)
}

fn unreadable(reason: rusqlite::types::FromSqlError) -> Error {
    Error::Corrupt(format!("a change cannot be read ({reason}); run `terrace check`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::store;

    #[test]
    fn changes_come_back_in_the_order_they_were_made() {
        let (_dir, store) = store();
        store.write(|conn| record(conn, 5, Op::Put).and_then(|_| record(conn, 5, Op::Delete))).unwrap();
        assert_eq!(store.read(|conn| since(conn, 0)).unwrap(), [(1, 5, Op::Put), (2, 5, Op::Delete)]);
        assert_eq!(store.read(|conn| since(conn, 1)).unwrap(), [(2, 5, Op::Delete)]);
    }

    #[test]
    fn the_latest_number_survives_pruning_and_is_not_given_again() {
        let (_dir, store) = store();
        store.write(|conn| record(conn, 1, Op::Put)).unwrap();
        store.write(|conn| record(conn, 1, Op::State)).unwrap();
        assert_eq!(store.write(|conn| prune(conn, 2)).unwrap(), 2);
        assert_eq!(store.read(latest).unwrap(), 2);
        assert_eq!(store.read(oldest).unwrap(), None);
        assert_eq!(store.write(|conn| record(conn, 1, Op::Put)).unwrap(), 3);
    }

    #[test]
    fn a_new_store_has_no_changes() {
        let (_dir, store) = store();
        assert_eq!(store.read(latest).unwrap(), 0);
        assert!(store.read(|conn| since(conn, u64::MAX)).unwrap().is_empty());
    }
}
