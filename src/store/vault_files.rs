//! What a vault's files were when they were last read, so that only changed ones are read again.

use rusqlite::{Connection, Row};

use crate::error::Result;
use crate::store::column;

/// A file as it was last read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VaultFile {
    /// Relative to the vault's root.
    pub(crate) path: String,
    /// Bytes.
    pub(crate) size: u64,
    /// Modification time, in nanoseconds since the Unix epoch or whatever the caller compares by.
    pub(crate) mtime: i64,
    pub(crate) hash: String,
    pub(crate) note_id: String,
    /// What was wrong in it, so that it is said again while it stays as it is.
    pub(crate) warnings: Vec<String>,
}

/// Remembers a file of the vault at `root`, replacing what was known of it.
pub(crate) fn put(conn: &Connection, root: &str, file: &VaultFile) -> Result<()> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO vault_files (root, path, size, mtime, hash, note_id, warnings) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (root, path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, hash = excluded.hash,
             note_id = excluded.note_id, warnings = excluded.warnings",
    )?;
    let warnings = column::to_json(&file.warnings)?;
    statement.execute((
        root,
        &file.path,
        column::stored(file.size),
        file.mtime,
        &file.hash,
        &file.note_id,
        warnings,
    ))?;
    Ok(())
}

/// The files of the vault at `root`, by path.
pub(crate) fn of_root(conn: &Connection, root: &str) -> Result<Vec<VaultFile>> {
    let mut statement = conn.prepare_cached("SELECT * FROM vault_files WHERE root = ?1 ORDER BY path")?;
    let mut rows = statement.query([root])?;
    let mut files = Vec::new();
    while let Some(row) = rows.next()? {
        files.push(read(row)?);
    }
    Ok(files)
}

/// The roots of all vaults that are remembered, in order.
pub(crate) fn roots(conn: &Connection) -> Result<Vec<String>> {
    let mut statement = conn.prepare_cached("SELECT DISTINCT root FROM vault_files ORDER BY root")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The files a note was read from: root and path.
pub(crate) fn of_note(conn: &Connection, note_id: &str) -> Result<Vec<(String, String)>> {
    let mut statement =
        conn.prepare_cached("SELECT root, path FROM vault_files WHERE note_id = ?1 ORDER BY root, path")?;
    let rows = statement.query_map([note_id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Forgets a file; answers whether it was known.
pub(crate) fn delete(conn: &Connection, root: &str, path: &str) -> Result<bool> {
    Ok(conn.prepare_cached("DELETE FROM vault_files WHERE root = ?1 AND path = ?2")?.execute([root, path])? > 0)
}

fn read(row: &Row<'_>) -> Result<VaultFile> {
    Ok(VaultFile {
        path: row.get("path")?,
        size: row.get::<_, i64>("size")?.cast_unsigned(),
        mtime: row.get("mtime")?,
        hash: row.get("hash")?,
        note_id: row.get("note_id")?,
        warnings: column::json(row, "warnings")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::store;

    fn file(path: &str, hash: &str) -> VaultFile {
        VaultFile {
            path: path.into(),
            size: 3,
            mtime: -1,
            hash: hash.into(),
            note_id: "n".into(),
            warnings: vec!["w".into()],
        }
    }

    #[test]
    fn a_file_read_again_replaces_what_was_known_of_it() {
        let (_dir, store) = store();
        store.write(|conn| put(conn, "/v", &file("a", "1")).and_then(|()| put(conn, "/v", &file("a", "2")))).unwrap();
        assert_eq!(store.read(|conn| of_root(conn, "/v")).unwrap(), [file("a", "2")]);
    }

    #[test]
    fn the_same_path_in_two_vaults_is_two_files() {
        let (_dir, store) = store();
        store.write(|conn| put(conn, "/v", &file("a", "1")).and_then(|()| put(conn, "/w", &file("a", "2")))).unwrap();
        assert!(store.write(|conn| delete(conn, "/v", "a")).unwrap());
        assert_eq!(store.read(|conn| of_root(conn, "/v")).unwrap(), []);
        assert_eq!(store.read(|conn| of_root(conn, "/w")).unwrap(), [file("a", "2")]);
        assert_eq!(store.read(|conn| of_note(conn, "n")).unwrap(), [("/w".to_owned(), "a".to_owned())]);
    }
}
