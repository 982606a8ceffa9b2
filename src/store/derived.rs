//! What is derived from a note's text once, at `put`, so that opening a store need not read the text again.

use rusqlite::Connection;

use crate::error::Result;
use crate::model::Ordinal;

/// A note's derived row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Derived {
    /// The near-duplicate sketch, 32 bytes; empty for a note without words.
    pub(crate) sketch: Vec<u8>,
    /// Links found in the body, as JSON.
    pub(crate) links: String,
}

/// Writes a note's derived row, replacing what was there.
pub(crate) fn put(conn: &Connection, ord: Ordinal, derived: &Derived) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO derived (ord, sketch, links) VALUES (?1, ?2, ?3)
         ON CONFLICT (ord) DO UPDATE SET sketch = ?2, links = ?3",
    )?
    .execute((ord, &derived.sketch, &derived.links))?;
    Ok(())
}

/// Calls `f` with every derived row, in the order of their ordinals.
pub(crate) fn for_each(conn: &Connection, mut f: impl FnMut(Ordinal, Derived)) -> Result<()> {
    let mut statement = conn.prepare_cached("SELECT ord, sketch, links FROM derived ORDER BY ord")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        f(row.get(0)?, Derived { sketch: row.get(1)?, links: row.get(2)? });
    }
    Ok(())
}
