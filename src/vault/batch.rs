//! Writing a batch of files: the notes first, then what is remembered of their files, in one transaction.

use crate::engine::{Engine, validate};
use crate::error::{Error, Result};
use crate::model::Note;
use crate::store::vault_files::{self, VaultFile};

use super::report::{IndexReport, Skipped};

/// How a file is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Added,
    Updated,
    Renamed,
    /// Its bytes are as they were; only its time is another.
    Touched,
}

/// A file to write.
#[derive(Debug)]
pub(super) struct Entry {
    pub change: Change,
    /// What to remember of the file, the note's id included.
    pub row: VaultFile,
    /// The note to put; `None` when the store has it already.
    pub note: Option<Note>,
    /// The note only gets another path.
    pub rename: bool,
    /// Files under which the note was known: root and path.
    pub forget: Vec<(String, String)>,
    /// The note that the file was before it got another id.
    pub replaces: Option<String>,
}

/// Files to write together.
#[derive(Debug, Default)]
pub(super) struct Batch {
    entries: Vec<Entry>,
    bytes: u64,
}

impl Batch {
    pub fn push(&mut self, entry: Entry) {
        self.bytes += entry.row.size;
        self.entries.push(entry);
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes everything and counts it. A note that the engine refuses is skipped with its reason.
    ///
    /// A death in between leaves notes that are not remembered; they get the same ids at the next run and are written
    /// once more, so nothing comes twice.
    pub fn write(self, engine: &Engine, root: &str, report: &mut IndexReport) -> Result<()> {
        let mut written = Vec::with_capacity(self.entries.len());
        let mut puts = Vec::new();
        for mut entry in self.entries {
            let Some(note) = entry.note.take() else {
                if entry.rename {
                    engine.rename(&entry.row.note_id, &entry.row.path)?;
                }
                written.push(entry);
                continue;
            };
            match validate(note) {
                Ok(note) => puts.push((entry, note)),
                Err(error) => report.skipped.push(skipped(&entry, &error)),
            }
        }
        written.extend(put(engine, puts, report)?);
        for entry in &written {
            if let Some(id) = &entry.replaces {
                delete(engine, id)?;
            }
        }
        engine.store().write(|conn| {
            for entry in &written {
                for (root, path) in &entry.forget {
                    vault_files::delete(conn, root, path)?;
                }
                vault_files::put(conn, root, &entry.row)?;
            }
            Ok(())
        })?;
        for entry in written {
            match entry.change {
                Change::Added => report.added += 1,
                Change::Updated => report.updated += 1,
                Change::Renamed => report.renamed += 1,
                Change::Touched => report.unchanged += 1,
            }
        }
        Ok(())
    }
}

/// Deletes a note that may be gone already.
pub(super) fn delete(engine: &Engine, id: &str) -> Result<()> {
    match engine.delete(id) {
        Err(Error::DocNotFound(_)) => Ok(()),
        answer => answer,
    }
}

/// Puts all notes at once, and one by one when one of them cannot be embedded, so that it is the only one left out.
fn put(engine: &Engine, puts: Vec<(Entry, Note)>, report: &mut IndexReport) -> Result<Vec<Entry>> {
    let notes = puts.iter().map(|(_, note)| note.clone()).collect();
    match engine.put_many(notes) {
        Ok(_) => Ok(puts.into_iter().map(|(entry, _)| entry).collect()),
        Err(Error::InvalidInput(_)) => {
            let mut written = Vec::new();
            for (entry, note) in puts {
                match engine.put(note) {
                    Ok(_) => written.push(entry),
                    Err(error @ Error::InvalidInput(_)) => report.skipped.push(skipped(&entry, &error)),
                    Err(error) => return Err(error),
                }
            }
            Ok(written)
        }
        Err(error) => Err(error),
    }
}

fn skipped(entry: &Entry, error: &Error) -> Skipped {
    Skipped { path: entry.row.path.clone(), reason: error.to_string() }
}
