//! The store's format: numbered migrations, each run once, in order, in one transaction.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::error::{Error, Result};

/// Format N is what the first N migrations make.
pub(crate) const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_init.sql")];

/// Marks a SQLite file as a terrace store: "TRCE".
const APPLICATION_ID: i64 = 0x5452_4345;

/// What a file holds, as far as opening it is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Nothing yet.
    Empty,
    /// A store of this format.
    Version(i64),
}

/// Reads the format of the file behind `conn` without changing it.
///
/// # Errors
/// `corrupt` when the file is not a terrace store.
pub(crate) fn format(conn: &Connection, file: &Path) -> Result<Format> {
    let read = |pragma: &str| conn.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let found = read("application_id").and_then(|id| Ok((id, read("user_version")?)));
    let (application, version) = match found {
        Ok(found) => found,
        Err(reason) => return Err(foreign(file, reason)),
    };
    let tables: i64 = conn
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|reason| foreign(file, reason))?;
    match (application, version, tables) {
        // A process that died between creating the file and its first migration leaves this.
        (0, 0, 0) => Ok(Format::Empty),
        (APPLICATION_ID, version, _) if version > 0 => Ok(Format::Version(version)),
        _ => Err(Error::Corrupt(format!(
            "{} is a SQLite file, but not a terrace store (application id {application:#x}, expected \
             {APPLICATION_ID:#x}); nothing was changed; choose another directory",
            file.display()
        ))),
    }
}

/// Refuses a format newer than `supported`.
pub(crate) fn check_supported(found: Format, supported: &[&str]) -> Result<()> {
    let supported = newest(supported);
    match found {
        Format::Version(found) if found > supported => Err(Error::UnsupportedVersion { found, supported }),
        _ => Ok(()),
    }
}

/// Brings the store behind `conn` to the newest format. An older store is first copied to
/// `terrace.db.before-N`, N being the format it is brought to.
pub(crate) fn upgrade(conn: &mut Connection, file: &Path, migrations: &[&str]) -> Result<()> {
    let found = format(conn, file)?;
    check_supported(found, migrations)?;
    let target = newest(migrations);
    let version = match found {
        Format::Version(version) if version == target => return Ok(()),
        Format::Version(version) => {
            back_up(conn, &backup_path(file, target))?;
            version
        }
        Format::Empty => 0,
    };
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for sql in migrations.iter().skip(usize::try_from(version).unwrap_or(0)) {
        transaction.execute_batch(sql)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", target)?;
    Ok(transaction.commit()?)
}

fn newest(migrations: &[&str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

fn backup_path(file: &Path, target: i64) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".before-{target}"));
    PathBuf::from(name)
}

/// A copy that stands by itself: what the log holds is in it.
fn back_up(conn: &Connection, to: &Path) -> Result<()> {
    // Left by an upgrade that did not finish; the store it was made from is still the same.
    if to.exists() {
        std::fs::remove_file(to)
            .map_err(|source| Error::io(format!("replacing the old backup {}", to.display()), source))?;
    }
    let Some(name) = to.to_str() else {
        return Err(Error::Unsupported(format!(
            "cannot back up to {}: the path is not UTF-8; move the store and open it again",
            to.display()
        )));
    };
    conn.execute("VACUUM INTO ?1", [name])?;
    Ok(())
}

/// The error for a file that cannot be read as a store.
pub(crate) fn foreign(file: &Path, reason: rusqlite::Error) -> Error {
    match reason.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => Error::Corrupt(format!(
            "{} is not a SQLite file, so not a terrace store; nothing was changed; choose another directory",
            file.display()
        )),
        _ => Error::Sqlite(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::connect;

    #[test]
    fn an_older_store_is_backed_up_and_brought_up_to_date() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("terrace.db");
        let mut conn = connect::writer(&file, false).unwrap();
        upgrade(&mut conn, &file, &["CREATE TABLE a (x INTEGER) STRICT"]).unwrap();
        conn.execute("INSERT INTO a VALUES (7)", []).unwrap();
        upgrade(&mut conn, &file, &["not run again", "CREATE TABLE b (x INTEGER) STRICT"]).unwrap();
        assert_eq!(format(&conn, &file).unwrap(), Format::Version(2));

        let backup = dir.path().join("terrace.db.before-2");
        let old = connect::reader(&backup).unwrap();
        assert_eq!(format(&old, &backup).unwrap(), Format::Version(1));
        assert_eq!(old.query_row("SELECT x FROM a", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
    }

    #[test]
    fn a_failing_migration_leaves_the_store_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("terrace.db");
        let mut conn = connect::writer(&file, false).unwrap();
        upgrade(&mut conn, &file, &["CREATE TABLE a (x INTEGER) STRICT"]).unwrap();
        upgrade(&mut conn, &file, &["", "CREATE TABLE b (x INTEGER) STRICT; nonsense"]).unwrap_err();
        assert_eq!(format(&conn, &file).unwrap(), Format::Version(1));
        let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 1);
    }

    #[test]
    fn a_new_store_makes_no_backup() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("terrace.db");
        let mut conn = connect::writer(&file, false).unwrap();
        upgrade(&mut conn, &file, MIGRATIONS).unwrap();
        assert!(!dir.path().join("terrace.db.before-1").exists());
    }
}
