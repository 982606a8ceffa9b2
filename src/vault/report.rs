//! What indexing is told, and what it tells.

use serde::{Deserialize, Serialize};

/// How files are read into a store. Start from [`IndexOptions::default`].
///
/// ```
/// use terrace::vault::IndexOptions;
/// let options = IndexOptions { prune: true, ..IndexOptions::default() };
/// assert_eq!(options.max_bytes, 16 << 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexOptions {
    /// Delete the notes of files that are gone. Default false: they are kept and counted as `missing`.
    pub prune: bool,
    /// Bytes of the largest file, and of the longest line of a record file, that is read. Default 16 MiB.
    pub max_bytes: u64,
    /// Record files: write the good lines and list the bad ones. Default false: one bad line and nothing is written.
    pub skip_bad: bool,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self { prune: false, max_bytes: 16 << 20, skip_bad: false }
    }
}

/// How far indexing has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexProgress {
    /// The folder is walked, or the record file checked; how much there is to do is not known yet.
    Scanning,
    /// Files are read and parsed.
    Reading {
        /// Files read.
        done: usize,
        /// Files to read: those that are new or may have changed.
        total: usize,
    },
    /// Notes are written.
    Writing {
        /// Files or records whose note is in the store.
        done: usize,
        /// Files or records to write.
        total: usize,
    },
}

/// A file and what was the matter with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Relative to the root; where the name is not UTF-8, with U+FFFD in it.
    pub path: String,
    /// Why, and what to do about it.
    pub reason: String,
}

/// The warnings about one file.
pub(super) fn warned(path: &str, reasons: Vec<String>) -> impl Iterator<Item = Skipped> {
    reasons.into_iter().map(move |reason| Skipped { path: path.to_owned(), reason })
}

/// What indexing a folder did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexReport {
    /// The folder, absolute and with symbolic links resolved: the vault's identity in the store.
    pub root: String,
    /// Markdown files found, those that were skipped for their content included.
    pub files: usize,
    /// Files that became a new note.
    pub added: usize,
    /// Files whose note was written anew.
    pub updated: usize,
    /// Files that were known under another path.
    pub renamed: usize,
    /// Files that are as they were.
    pub unchanged: usize,
    /// Notes deleted because their file is gone.
    pub pruned: usize,
    /// Notes whose file is gone and that were kept, since pruning was not asked for.
    pub missing: usize,
    /// What was not indexed, by path.
    pub skipped: Vec<Skipped>,
    /// Notes that were indexed with something wrong in their file, by path; at every run, until the file is mended.
    pub warnings: Vec<Skipped>,
}

/// A line of a record file that is no record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadLine {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// What indexing a record file did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordReport {
    /// The file as it was named.
    pub file: String,
    /// Lines that are not blank.
    pub lines: usize,
    /// Notes written.
    pub written: usize,
    /// Lines left out; empty unless `skip_bad`.
    pub bad: Vec<BadLine>,
}
