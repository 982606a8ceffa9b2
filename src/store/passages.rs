//! The passages a note was cut into: what is embedded, and what snippets are made from.

use rusqlite::Connection;

use crate::error::Result;
use crate::model::Ordinal;

/// Replaces the passages of note `ord`; their indexes count from 0.
pub(crate) fn put<T: AsRef<str>>(conn: &Connection, ord: Ordinal, texts: &[T]) -> Result<()> {
    delete(conn, ord)?;
    let mut statement = conn.prepare_cached("INSERT INTO passages (ord, idx, text) VALUES (?1, ?2, ?3)")?;
    for (idx, text) in (0_u32..).zip(texts) {
        statement.execute((ord, idx, text.as_ref()))?;
    }
    Ok(())
}

/// The passages of note `ord`, in order.
pub(crate) fn of(conn: &Connection, ord: Ordinal) -> Result<Vec<String>> {
    let mut statement = conn.prepare_cached("SELECT text FROM passages WHERE ord = ?1 ORDER BY idx")?;
    let rows = statement.query_map([ord], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Passage `idx` of note `ord`.
pub(crate) fn get(conn: &Connection, ord: Ordinal, idx: u32) -> Result<Option<String>> {
    use rusqlite::OptionalExtension;
    let mut statement = conn.prepare_cached("SELECT text FROM passages WHERE ord = ?1 AND idx = ?2")?;
    Ok(statement.query_row((ord, idx), |row| row.get(0)).optional()?)
}

/// Forgets the passages of note `ord`.
pub(crate) fn delete(conn: &Connection, ord: Ordinal) -> Result<()> {
    conn.prepare_cached("DELETE FROM passages WHERE ord = ?1")?.execute([ord])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::store_with_notes;

    #[test]
    fn the_passages_of_a_note_replace_those_it_had() {
        let (_dir, store) = store_with_notes(1);
        store.write(|conn| put(conn, 1, &["a", "b", "c"]).and_then(|()| put(conn, 1, &["d", "e"]))).unwrap();
        assert_eq!(store.read(|conn| of(conn, 1)).unwrap(), ["d", "e"]);
        assert_eq!(store.read(|conn| get(conn, 1, 1)).unwrap().as_deref(), Some("e"));
        assert_eq!(store.read(|conn| get(conn, 1, 2)).unwrap(), None);
    }
}
