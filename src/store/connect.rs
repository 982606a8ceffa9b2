//! How connections to `terrace.db` are opened and set up.

use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::{Error, Result};

/// How long a statement waits for another connection's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Statements kept prepared per connection: more than the store has, so that none is ever prepared twice.
const CACHED_STATEMENTS: usize = 256;
/// Pages in the log at which a commit checkpoints after all, should `maintain` never run: 16 MB.
const AUTO_CHECKPOINT_PAGES: i64 = 4000;
/// Memory for the writer's pages, in KiB as SQLite counts it: enough for the inner pages of a large store's indexes.
const WRITER_CACHE_KIB: i64 = 16 * 1024;
/// Idle read connections kept.
const KEPT_READERS: usize = 8;

/// Opens the writing connection, creating the file when it is missing.
pub(crate) fn writer(file: &Path, power_safe: bool) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = set_up(Connection::open_with_flags(file, flags)?)?;
    // Must come before the first page is written, and switching to the log writes one.
    conn.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    let mode: String = conn.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if !mode.eq_ignore_ascii_case("wal") {
        return Err(Error::Unsupported(format!(
            "{} cannot use a write-ahead log on this file system (SQLite answered {mode:?}); move the store to a local disk",
            file.display()
        )));
    }
    conn.pragma_update(None, "synchronous", if power_safe { "FULL" } else { "NORMAL" })?;
    conn.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    conn.pragma_update(None, "wal_autocheckpoint", AUTO_CHECKPOINT_PAGES)?;
    Ok(conn)
}

/// Opens a second writing connection, for checkpoints that run beside commits.
pub(crate) fn checkpointer(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    set_up(Connection::open_with_flags(file, flags)?)
}

/// Opens a connection that cannot write.
///
/// Beside a log SQLite wants to write its index of it, which an unwritable directory forbids. Where there is no
/// log either, the file is complete by itself and is read as it stands.
pub(crate) fn reader(file: &Path) -> Result<Connection> {
    match readable(Connection::open_with_flags(file, reader_flags())) {
        Err(Error::Sqlite(reason)) if refused(&reason) && !log_of(file).exists() => readable(immutable(file)),
        other => other,
    }
}

/// The write-ahead log of `file`.
pub(crate) fn log_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// Read connections, opened when needed and kept for the next caller.
#[derive(Debug)]
pub(crate) struct Readers {
    file: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self { file, idle: Mutex::new(Vec::new()) }
    }

    /// An idle connection, or a new one.
    pub(crate) fn take(&self) -> Result<Connection> {
        let idle = self.idle.lock().pop();
        idle.map_or_else(|| reader(&self.file), Ok)
    }

    /// Keeps `conn` for the next caller, or closes it when enough are kept.
    pub(crate) fn give_back(&self, conn: Connection) {
        let mut idle = self.idle.lock();
        if idle.len() < KEPT_READERS {
            idle.push(conn);
        }
    }
}

fn set_up(conn: Connection) -> Result<Connection> {
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    conn.pragma_update(None, "foreign_keys", "ON")?;
    Ok(conn)
}

fn reader_flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// SQLite opens lazily: only a first read shows whether the file can be read.
fn readable(opened: rusqlite::Result<Connection>) -> Result<Connection> {
    let conn = set_up(opened?)?;
    conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(conn)
}

fn refused(reason: &rusqlite::Error) -> bool {
    matches!(reason.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

fn immutable(file: &Path) -> rusqlite::Result<Connection> {
    let mut uri = String::from("file:");
    for byte in file.to_string_lossy().bytes() {
        match byte {
            b'%' | b'?' | b'#' => uri.push_str(&format!("%{byte:02X}")),
            b'\\' if cfg!(windows) => uri.push('/'),
            _ if byte.is_ascii() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    Connection::open_with_flags(uri, reader_flags() | OpenFlags::SQLITE_OPEN_URI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_awkward_characters_in_its_name_opens_as_immutable() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a%20b#ü.db");
        writer(&file, false).unwrap().execute_batch("CREATE TABLE t (x) ; INSERT INTO t VALUES (7)").unwrap();
        let conn = readable(immutable(&file)).unwrap();
        assert_eq!(conn.query_row("SELECT x FROM t", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
    }

    #[test]
    fn a_reader_cannot_write() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x.db");
        let _writer = writer(&file, false).unwrap();
        assert!(reader(&file).unwrap().execute_batch("CREATE TABLE t (x)").is_err());
    }

    #[test]
    fn a_new_file_can_give_pages_back() {
        let dir = tempfile::tempdir().unwrap();
        let conn = writer(&dir.path().join("x.db"), false).unwrap();
        conn.execute_batch("CREATE TABLE t (x)").unwrap();
        let mode: i64 = conn.pragma_query_value(None, "auto_vacuum", |row| row.get(0)).unwrap();
        assert_eq!(mode, 2, "2 is incremental");
    }

    #[test]
    fn power_safety_waits_for_the_disk_at_every_commit() {
        let dir = tempfile::tempdir().unwrap();
        let level = |name: &str, power_safe| -> i64 {
            let conn = writer(&dir.path().join(name), power_safe).unwrap();
            conn.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap()
        };
        assert_eq!((level("a.db", false), level("b.db", true)), (1, 2), "1 is NORMAL, 2 is FULL");
    }
}
