//! The truth: one SQLite file, the lock that makes it ours, and one file per family of tables.
//!
//! The functions of the table files take a `&Connection`, so that the caller decides what is one transaction:
//! [`Store::write`] commits all of a closure or nothing, [`Store::read`] shows all of a closure the same state.

mod column;
mod connect;
mod lock;
mod migrations;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) mod changes;
pub(crate) mod coactivation;
pub(crate) mod derived;
pub(crate) mod edges;
pub(crate) mod findings;
pub(crate) mod ids;
pub(crate) mod meta;
pub(crate) mod notes;
pub(crate) mod passages;
pub(crate) mod receipts;
pub(crate) mod replayed;
pub(crate) mod stats;
pub(crate) mod tasks;
pub(crate) mod traces;
pub(crate) mod vault_files;
pub(crate) mod vectors;
pub(crate) mod verdicts;
pub(crate) mod working_memory;

use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode};

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use lock::StoreLock;
use migrations::Format;

/// How a store is opened.
#[derive(Clone, Debug)]
pub(crate) struct StoreOptions {
    /// Take no lock and write nothing.
    pub(crate) read_only: bool,
    /// Let every commit wait for the disk, so that it survives the loss of power.
    pub(crate) power_safe: bool,
    /// Seed of generated ids, used when the store is made; `None` takes one from the time, the process and the place.
    pub(crate) seed: Option<u64>,
    /// The present instant.
    pub(crate) now: Timestamp,
}

/// Whether a checkpoint waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checkpoint {
    /// Moves what it can while readers and the writer go on.
    Passive,
    /// Holds the writer, moves everything, and empties the log; does less while a reader is in an old state.
    Truncate,
}

/// An open store. Dropping it releases the lock.
// Fields are dropped in this order: readers cannot checkpoint, so the writer closes last and leaves no log behind;
// the lock outlives both.
#[derive(Debug)]
pub(crate) struct Store {
    file: PathBuf,
    seed: u64,
    number: u64,
    readers: connect::Readers,
    writer: Option<Mutex<Connection>>,
    _lock: Option<StoreLock>,
}

impl Store {
    /// Opens the store in `dir`, making the directory and the store when they are missing and may be written.
    ///
    /// # Errors
    /// `locked` when another process owns it; `not_found` when it is to be read only and there is none; `corrupt`
    /// when the file is not a terrace store; `unsupported_version` when a newer release wrote it.
    pub(crate) fn open(dir: &Path, options: &StoreOptions) -> Result<Self> {
        let file = dir.join("terrace.db");
        if options.read_only {
            return Self::open_read_only(dir, file);
        }
        std::fs::create_dir_all(dir)
            .map_err(|source| Error::io(format!("making the store's directory {}", dir.display()), source))?;
        let lock = StoreLock::take(dir)?;
        // Looked at through a reader first: a file that is refused is not to be changed in a single byte.
        if size(&file) > 0 {
            inspect(&file)?;
        }
        let mut conn = connect::writer(&file, options.power_safe)?;
        migrations::upgrade(&mut conn, &file, migrations::MIGRATIONS)?;
        let writer = Mutex::new(conn);
        let fresh = options.seed.unwrap_or_else(|| seed_from(dir, options.now));
        let (seed, number) = transaction(&writer.lock(), "BEGIN IMMEDIATE", |conn| {
            // From time and place, also where the seed is given: two stores of one seed are still two.
            let number = meta::claim_store_number(conn, seed_from(dir, options.now))?;
            Ok((meta::claim_id_seed(conn, fresh)?, number))
        })?;
        let readers = connect::Readers::new(file.clone());
        Ok(Self { file, seed, number, readers, writer: Some(writer), _lock: Some(lock) })
    }

    /// Runs `f` in one write transaction: all of it is committed when it answers `Ok`, none of it otherwise.
    /// Other writers wait, so `f` must not call `write` itself; it may call `read`, which sees the state before.
    ///
    /// # Errors
    /// `read_only` on a store opened so; else what `f` or SQLite answers.
    pub(crate) fn write<T>(&self, f: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let writer = self.writer.as_ref().ok_or(Error::ReadOnly("this call"))?.lock();
        transaction(&writer, "BEGIN IMMEDIATE", f)
    }

    /// Runs `f` on a connection that cannot write, in one read transaction: it sees every write that was
    /// acknowledged before, and none that comes after its first statement. Writers do not wait for it.
    pub(crate) fn read<T>(&self, f: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let conn = self.readers.take()?;
        let answer = transaction(&conn, "BEGIN", f);
        // A connection whose transaction could not be ended is closed, not handed on.
        if conn.is_autocommit() {
            self.readers.give_back(conn);
        }
        answer
    }

    /// Whether it was opened read-only.
    pub(crate) fn is_read_only(&self) -> bool {
        self.writer.is_none()
    }

    /// The number by which its indexes know it.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The seed of its generated ids.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// Bytes of the SQLite file and its log.
    pub(crate) fn sqlite_bytes(&self) -> u64 {
        size(&self.file) + self.log_bytes()
    }

    /// Bytes of the log alone, which checkpoints keep down. It keeps its size when it is emptied by a passive one.
    pub(crate) fn log_bytes(&self) -> u64 {
        size(&connect::log_of(&self.file))
    }

    /// Moves the log into the file; answers whether all of it was moved.
    pub(crate) fn checkpoint(&self, kind: Checkpoint) -> Result<bool> {
        let writer = self.writer.as_ref().ok_or(Error::ReadOnly("a checkpoint"))?;
        match kind {
            Checkpoint::Passive => run_checkpoint(&connect::checkpointer(&self.file)?, "PASSIVE"),
            Checkpoint::Truncate => run_checkpoint(&writer.lock(), "TRUNCATE"),
        }
    }

    /// What SQLite finds wrong with the file: damaged pages, indexes that miss rows, references to missing rows.
    /// Empty when all is well.
    pub(crate) fn integrity_check(&self) -> Result<Vec<String>> {
        self.read(|conn| {
            let mut problems = Vec::new();
            let mut check = conn.prepare("PRAGMA integrity_check")?;
            for line in check.query_map([], |row| row.get::<_, String>(0))? {
                problems.push(line?);
            }
            problems.retain(|line| line != "ok");
            let mut check = conn.prepare("PRAGMA foreign_key_check")?;
            let dangling = check.query_map([], |row| {
                let (table, row, parent): (String, Option<i64>, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let row = row.map_or_else(|| "a row".to_owned(), |row| format!("row {row}"));
                Ok(format!("{row} of {table} refers to a missing row of {parent}"))
            })?;
            for line in dangling {
                problems.push(line?);
            }
            Ok(problems)
        })
    }

    /// Gives pages that deletions freed back to the file system; answers how many.
    pub(crate) fn incremental_vacuum(&self) -> Result<u64> {
        let writer = self.writer.as_ref().ok_or(Error::ReadOnly("a vacuum"))?;
        let mut freed = 0;
        loop {
            // The lock is let go between slices, so that a receipt never waits for the whole of it.
            let step = vacuum_slice(&writer.lock())?;
            if step == 0 {
                return Ok(freed);
            }
            freed += step;
        }
    }

    fn open_read_only(dir: &Path, file: PathBuf) -> Result<Self> {
        let missing = || {
            Error::NotFound(format!(
                "no terrace store in {}; check the path, or open it writable once to make one",
                dir.display()
            ))
        };
        if size(&file) == 0 {
            return Err(missing());
        }
        let newest = i64::try_from(migrations::MIGRATIONS.len()).unwrap_or(i64::MAX);
        match inspect(&file)? {
            Format::Empty => return Err(missing()),
            Format::Version(found) if found != newest => {
                return Err(Error::Unsupported(format!(
                    "the store in {} has an older format ({found}, expected {newest}); open it writable once to upgrade it",
                    dir.display()
                )));
            }
            Format::Version(_) => {}
        }
        let readers = connect::Readers::new(file.clone());
        let mut store = Self { file, seed: 0, number: 0, readers, writer: None, _lock: None };
        (store.seed, store.number) = store.read(|conn| Ok((meta::id_seed(conn)?, meta::store_number(conn)?)))?;
        Ok(store)
    }
}

/// Runs `f` between `begin` and COMMIT; an error or a panic in it rolls back.
fn transaction<T>(conn: &Connection, begin: &str, f: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    conn.prepare_cached(begin)?.execute([])?;
    let scope = RollBack(conn);
    let answer = f(conn)?;
    conn.prepare_cached("COMMIT")?.execute([])?;
    drop(scope);
    Ok(answer)
}

/// Ends the transaction that is still open when it is dropped.
struct RollBack<'c>(&'c Connection);

impl Drop for RollBack<'_> {
    fn drop(&mut self) {
        // SQLite may have rolled back by itself, a full disk for one. Should this fail, the next BEGIN says so.
        if !self.0.is_autocommit()
            && let Err(reason) = self.0.execute_batch("ROLLBACK")
        {
            tracing::error!(%reason, "a transaction could not be rolled back");
        }
    }
}

fn inspect(file: &Path) -> Result<Format> {
    let conn = match connect::reader(file) {
        Err(Error::Sqlite(reason)) if reason.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            return Err(migrations::foreign(file, reason));
        }
        opened => opened?,
    };
    let found = migrations::format(&conn, file)?;
    migrations::check_supported(found, migrations::MIGRATIONS)?;
    Ok(found)
}

fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |found| found.len())
}

fn seed_from(dir: &Path, now: Timestamp) -> u64 {
    let text = format!("{}\0{}\0{}", now.micros(), std::process::id(), dir.display());
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

fn run_checkpoint(conn: &Connection, kind: &str) -> Result<bool> {
    let sql = format!("PRAGMA wal_checkpoint({kind})");
    let (busy, log, moved): (i64, i64, i64) =
        conn.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(busy == 0 && log == moved)
}

/// Frees up to 500 pages (2 MB), a few milliseconds' work.
fn vacuum_slice(conn: &Connection) -> Result<u64> {
    let free = || conn.pragma_query_value(None, "freelist_count", |row| row.get::<_, i64>(0));
    let before = free()?;
    let mut statement = conn.prepare("PRAGMA incremental_vacuum(500)")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(u64::try_from(before - free()?).unwrap_or(0))
}

#[cfg(test)]
mod tests;
