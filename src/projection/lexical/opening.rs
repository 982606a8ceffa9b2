//! Opening what is there, or saying why it cannot be used and starting anew.

use std::fs;
use std::path::Path;

use tantivy::directory::error::LockError;
use tantivy::directory::{Directory, INDEX_WRITER_LOCK, MmapDirectory};
use tantivy::indexer::IndexWriterOptions;
use tantivy::{Index, IndexWriter, TantivyError};

use super::LexicalIndex;
use super::faults::{backend, guarded};
use super::payload;
use super::read_only::ReadOnlyDirectory;
use super::schema::{register, schema};
use crate::{Error, Result};

/// 15 MB flushed 93 segments during a bulk load where 50 MB flushed a few.
const ARENA_BYTES: usize = 50_000_000;

/// What was found when a lexical index was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// There was nothing; an empty index was made.
    Fresh,
    /// A sound index that has reached this number of the store's change sequence.
    At(u64),
    /// There was something unusable, for this reason; an empty index was made in its place, by a reader in memory.
    Discarded(String),
}

/// The owner's way in: see [`LexicalIndex::open`].
pub(super) fn open(dir: &Path, store: u64) -> Result<(LexicalIndex, Opened)> {
    fs::create_dir_all(dir).map_err(|error| Error::io(format!("making {}", dir.display()), error))?;
    refuse_if_locked(dir)?;
    if !has_files(dir)? {
        return Ok((create(dir, store)?, Opened::Fresh));
    }
    match guarded(|| existing(dir, store)) {
        Ok((index, Some(seq))) => Ok((index, Opened::At(seq))),
        Ok((index, None)) => Ok((index, Opened::Fresh)),
        Err(locked @ Error::Locked { .. }) => Err(locked),
        Err(error) => {
            wipe(dir)?;
            Ok((create(dir, store)?, Opened::Discarded(reason(&error))))
        }
    }
}

/// The reader's way in: see [`LexicalIndex::open_read_only`].
pub(super) fn open_read_only(dir: &Path, store: u64) -> Result<Option<(LexicalIndex, Opened)>> {
    let opened = guarded(|| {
        let directory = MmapDirectory::open(dir).map_err(backend)?;
        let index = Index::open(ReadOnlyDirectory(directory)).map_err(backend)?;
        let seq = sequence(&index, store)?;
        let index = LexicalIndex::assemble(index, None, (store, seq.unwrap_or(0)), Some(dir))?;
        Ok((index, seq))
    });
    match opened {
        Ok((index, Some(seq))) => Ok(Some((index, Opened::At(seq)))),
        Ok((_, None)) => Ok(None),
        // A reader leaves what is damaged to the owner.
        Err(error) if has_files(dir).unwrap_or(false) => Ok(Some((in_memory()?, Opened::Discarded(reason(&error))))),
        Err(error) => {
            tracing::debug!(%error, dir = %dir.display(), "no lexical index to read here");
            Ok(None)
        }
    }
}

/// An empty index in memory.
pub(super) fn in_memory() -> Result<LexicalIndex> {
    let index = Index::create_in_ram(schema().0);
    LexicalIndex::assemble(index.clone(), Some(writer(&index, None)?), (0, 0), None)
}

/// The one writer, with one worker: a second one would only split the arena and make more segments.
pub(super) fn writer(index: &Index, dir: Option<&Path>) -> Result<IndexWriter> {
    register(index);
    let options = IndexWriterOptions::builder()
        .num_worker_threads(1)
        .memory_budget_per_thread(ARENA_BYTES)
        .num_merge_threads(1)
        .build();
    index.writer_with_options(options).map_err(|error| match error {
        TantivyError::LockFailure(LockError::LockBusy, _) => locked(dir),
        other => backend(other),
    })
}

fn existing(dir: &Path, store: u64) -> Result<(LexicalIndex, Option<u64>)> {
    let index = Index::open_in_dir(dir).map_err(backend)?;
    let seq = sequence(&index, store)?;
    let writer = writer(&index, Some(dir))?;
    let index = LexicalIndex::assemble(index, Some(writer), (store, seq.unwrap_or(0)), Some(dir))?;
    // A flipped bit may leave a file that opens and answers wrongly. The sums of 20 MB, 100 000 notes' worth, are
    // checked in about 10 ms.
    let damaged = index.verify()?;
    if damaged.is_empty() {
        Ok((index, seq))
    } else {
        Err(Error::SearchBackend(format!("damaged files: {}", damaged.join(", "))))
    }
}

fn create(dir: &Path, store: u64) -> Result<LexicalIndex> {
    let index = Index::create_in_dir(dir, schema().0).map_err(backend)?;
    let writer = writer(&index, Some(dir))?;
    LexicalIndex::assemble(index, Some(writer), (store, 0), Some(dir))
}

/// The sequence of the last commit; `None` when nothing was ever committed.
fn sequence(index: &Index, store: u64) -> Result<Option<u64>> {
    if index.schema() != schema().0 {
        return Err(Error::SearchBackend("its fields are not those of this release".into()));
    }
    let meta = index.load_metas().map_err(backend)?;
    match meta.payload {
        Some(line) => payload::read(store, &line).map(Some).map_err(Error::SearchBackend),
        None if meta.segments.is_empty() => Ok(None),
        None => Err(Error::SearchBackend("its commit does not say how far it has come".into())),
    }
}

/// Looked at before anything is removed: what another handle writes is not ours to wipe.
fn refuse_if_locked(dir: &Path) -> Result<()> {
    let directory = MmapDirectory::open(dir).map_err(backend)?;
    match directory.acquire_lock(&INDEX_WRITER_LOCK) {
        Ok(_released_at_once) => Ok(()),
        Err(LockError::LockBusy) => Err(locked(Some(dir))),
        Err(LockError::IoError(error)) => {
            let error = std::io::Error::new(error.kind(), error);
            Err(Error::io(format!("locking {}", dir.display()), error))
        }
    }
}

fn locked(dir: Option<&Path>) -> Error {
    let path = dir.map_or_else(|| "in memory".to_owned(), |dir| dir.display().to_string());
    Error::Locked { path, owner: "another writer".into() }
}

fn has_files(dir: &Path) -> Result<bool> {
    Ok(!files(dir)?.is_empty())
}

/// Removes the index's files. Folders are left alone: tantivy makes none, so they belong to somebody else.
fn wipe(dir: &Path) -> Result<()> {
    for path in files(dir)? {
        fs::remove_file(&path).map_err(|error| Error::io(format!("removing {}", path.display()), error))?;
    }
    Ok(())
}

/// The files in the directory but for tantivy's lock files, which stay empty and may be held.
fn files(dir: &Path) -> Result<Vec<std::path::PathBuf>> {
    let failed = |error| Error::io(format!("reading {}", dir.display()), error);
    let mut out = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_dir = entry.file_type().map_err(failed)?.is_dir();
        let is_lock = entry.path().extension().is_some_and(|extension| extension == "lock");
        if !is_dir && !is_lock {
            out.push(entry.path());
        }
    }
    Ok(out)
}

fn reason(error: &Error) -> String {
    match error {
        Error::SearchBackend(text) => text.clone(),
        other => other.to_string(),
    }
}
