//! Finding the Markdown files of a folder.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use walkdir::{DirEntry, WalkDir};

use super::report::Skipped;
use crate::clock::Timestamp;
use crate::text;

/// A Markdown file as the walk found it, unread.
#[derive(Clone, Debug)]
pub(super) struct FoundFile {
    /// Relative to the root, `/` between segments.
    pub path: String,
    pub absolute: PathBuf,
    pub size: u64,
    /// Nanoseconds since the Unix epoch; 0 where the system does not say.
    pub mtime: i64,
    /// The earlier of the file's birth and its last change: a copy is born after its content was written.
    pub born: Option<Timestamp>,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// By path.
    pub files: Vec<FoundFile>,
    pub skipped: Vec<Skipped>,
    /// Folders and files that could not be looked at, relative; what lies in them is not known to be gone.
    pub unseen: Vec<String>,
}

impl Found {
    /// Whether a file at `path` would have been seen if it were there.
    pub fn would_have_seen(&self, path: &str) -> bool {
        !self.unseen.iter().any(|unseen| {
            unseen.is_empty() || path.strip_prefix(unseen.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('/'))
        })
    }
}

/// Walks the folder: `.md` and `.markdown` of any case, hidden files and folders left out, symbolic links not followed
/// (they may lead out of the folder or round in a circle, and a link inside it leads to a file that is found anyway).
pub(super) fn walk(root: &Path, max_bytes: u64) -> Found {
    let mut found = Found::default();
    let entries = WalkDir::new(root).min_depth(1).follow_links(false).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry)) {
        match entry {
            Ok(entry) => take(root, &entry, max_bytes, &mut found),
            Err(error) => {
                let path = error.path().map_or_else(String::new, |path| shown(root, path));
                let reason = format!("it could not be read: {error}; what was indexed of it before is kept");
                found.skipped.push(Skipped { path: path.clone(), reason });
                found.unseen.push(path);
            }
        }
    }
    // Walked folder by folder, `a b/x` would come before `a/x`; one order for reports and for who comes first.
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn take(root: &Path, entry: &DirEntry, max_bytes: u64, found: &mut Found) {
    let mut skip = |reason: &str| {
        found.skipped.push(Skipped { path: shown(root, entry.path()), reason: reason.to_owned() });
    };
    if entry.path_is_symlink() {
        if is_markdown(entry) || std::fs::metadata(entry.path()).is_ok_and(|target| target.is_dir()) {
            skip("it is a symbolic link, which is not followed; index the folder that it leads to");
        }
        return;
    }
    if !entry.file_type().is_file() || !is_markdown(entry) {
        return;
    }
    let Some(path) = relative(root, entry.path()) else {
        return skip("its name is not UTF-8; rename it");
    };
    if path.contains(char::is_control) {
        return skip("its name contains a line break or another control character; rename it");
    }
    match text::normalise_path(&path) {
        Ok(normal) if normal == path => {}
        _ => return skip("its name reads as a drive, expected a path relative to the folder; rename it"),
    }
    let metadata = match entry.metadata() {
        Ok(metadata) => metadata,
        Err(error) => {
            skip(&format!("it could not be read: {error}; what was indexed of it before is kept"));
            found.unseen.push(path);
            return;
        }
    };
    if metadata.len() > max_bytes {
        skip(&format!("it has {} bytes, more than the {max_bytes} allowed; split it", metadata.len()));
        found.unseen.push(path);
        return;
    }
    let nanos = |time: std::io::Result<std::time::SystemTime>| {
        let since = match time.ok()?.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).ok()?,
            Err(before) => i64::try_from(before.duration().as_nanos()).ok()?.checked_neg()?,
        };
        Some(since)
    };
    let mtime = nanos(metadata.modified());
    let born = [mtime, nanos(metadata.created())].into_iter().flatten().min();
    found.files.push(FoundFile {
        path,
        absolute: entry.path().to_owned(),
        size: metadata.len(),
        mtime: mtime.unwrap_or_default(),
        born: born.map(|nanos| Timestamp::from_micros(nanos.div_euclid(1_000))),
    });
}

impl FoundFile {
    /// When the file was last changed, `None` where the system does not say.
    pub fn changed(&self) -> Option<Timestamp> {
        (self.mtime != 0).then(|| Timestamp::from_micros(self.mtime.div_euclid(1_000)))
    }
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

fn is_markdown(entry: &DirEntry) -> bool {
    let name = entry.file_name().as_encoded_bytes();
    [".md", ".markdown"].iter().any(|extension| {
        let at = name.len().saturating_sub(extension.len());
        at > 0 && name.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(extension.as_bytes()))
    })
}

fn relative(root: &Path, path: &Path) -> Option<String> {
    let segments: Option<Vec<&str>> = path.strip_prefix(root).ok()?.iter().map(|segment| segment.to_str()).collect();
    Some(segments?.join("/"))
}

/// A path for a report, whatever its bytes.
fn shown(root: &Path, path: &Path) -> String {
    let segments = path.strip_prefix(root).unwrap_or(path).iter();
    segments.map(|segment| segment.to_string_lossy()).collect::<Vec<_>>().join("/")
}
