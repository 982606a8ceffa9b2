//! Indexing a folder of Markdown files.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::batch::{Batch, Change, Entry, delete};
use super::identity::Identities;
use super::note::{Draft, draft};
use super::plan::{Candidate, Plan, fingerprint};
use super::read::{NoText, decode};
use super::report::{IndexOptions, IndexProgress, IndexReport, Skipped, warned};
use super::walk::walk;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::store::notes;
use crate::store::vault_files::{self, VaultFile};

/// Files read and parsed together, between two reports of progress.
const READ_TOGETHER: usize = 256;
/// Files written together.
const WRITE_TOGETHER: usize = 1_024;
/// Bytes of files from which fewer are written together.
const WRITE_BYTES: u64 = 32 << 20;

/// Brings a store up to date with the Markdown files (`.md`, `.markdown`) below `root`; the files stay untouched.
///
/// What is remembered of each file tells what to do: one of the same size and time is not read; one of the same bytes
/// is not embedded again; one that moved unchanged keeps its note, with id and statistics; one that changed replaces its
/// note's text under the same id. A note whose file is gone stays, unless [`IndexOptions::prune`] is set; a note that
/// was deleted while its file stayed comes back. Front matter gives fields as [`text::parse_front_matter`] reads them;
/// without it, the title is the file name, the namespace the folder (`default` at the top), `updated_at` the file's own
/// time. An `id` given there makes a note the same wherever its file goes. A front-matter block that is no YAML is kept
/// at the beginning of the note's text. Hidden files and folders are left out and symbolic links are not followed.
///
/// The folder's absolute path is its identity. A vault that moved or was renamed as a whole is found again by its files:
/// those that did not change meanwhile, of a folder that is not there any more, keep their notes, and those that did
/// keep them where their front matter has an `id`; the others are new notes.
///
/// [`text::parse_front_matter`]: crate::text::parse_front_matter
///
/// ```
/// use terrace::vault::{IndexOptions, index_folder};
/// # let dir = std::env::temp_dir().join(format!("terrace-doc-vault-{}", std::process::id()));
/// # let (notes, store) = (dir.join("notes"), dir.join("store"));
/// # std::fs::create_dir_all(&notes).unwrap();
/// std::fs::write(notes.join("Slugs.md"), "Wool pellets keep them off lettuce. #garden").unwrap();
/// let engine = terrace::Engine::open(&store, terrace::Config::default())?;
/// let report = index_folder(&engine, &notes, &IndexOptions::default(), &mut |_| {})?;
/// assert_eq!((report.added, report.skipped.len()), (1, 0));
/// let again = index_folder(&engine, &notes, &IndexOptions::default(), &mut |_| {})?;
/// assert_eq!(again.unchanged, 1);
/// # drop(engine); std::fs::remove_dir_all(&dir).ok();
/// # Ok::<(), terrace::Error>(())
/// ```
///
/// # Errors
/// `io` when the root is missing or cannot be read, `invalid_input` when it is no folder, both naming it; `read_only`;
/// an embedder's own. A file that cannot be read is skipped, with a reason in the report.
pub fn index_folder(
    engine: &Engine,
    root: &Path,
    options: &IndexOptions,
    progress: &mut dyn FnMut(IndexProgress),
) -> Result<IndexReport> {
    if engine.store().is_read_only() {
        return Err(Error::ReadOnly("index"));
    }
    progress(IndexProgress::Scanning);
    let (folder, root) = canonical(root)?;
    let found = walk(&folder, options.max_bytes);
    if found.unseen.iter().any(String::is_empty) {
        let why = found.skipped.into_iter().find(|skipped| skipped.path.is_empty()).map(|skipped| skipped.reason);
        return Err(Error::io(format!("reading the folder {root}"), std::io::Error::other(why.unwrap_or_default())));
    }
    let (known, lost) = engine.store().read(|conn| Ok((vault_files::of_root(conn, &root)?, lost(conn, &root)?)))?;
    let identities = Identities::new(&root, &known);
    let mut plan = Plan::of(&found, known, lost, engine);
    let report = IndexReport {
        root,
        files: found.files.len(),
        unchanged: plan.unchanged,
        warnings: std::mem::take(&mut plan.warnings),
        skipped: found.skipped,
        ..IndexReport::default()
    };
    let mut run = Run { engine, identities, plan, report, batch: Batch::default() };
    run.read_and_write(progress)?;
    run.settle_gone(options.prune)?;
    let mut report = run.report;
    for list in [&mut report.skipped, &mut report.warnings] {
        list.sort_by(|a, b| a.path.cmp(&b.path));
    }
    Ok(report)
}

/// The folder with symbolic links resolved, and its name in the store.
fn canonical(root: &Path) -> Result<(PathBuf, String)> {
    let shown = root.display();
    let folder = root.canonicalize().map_err(|source| Error::io(format!("opening the folder {shown}"), source))?;
    if !folder.is_dir() {
        return Err(Error::invalid(format!("{shown} is a file, expected a folder of Markdown files")));
    }
    match folder.to_str().map(str::to_owned) {
        Some(name) => Ok((folder, name)),
        None => Err(Error::invalid(format!("the path {shown} is not UTF-8; rename the folder"))),
    }
}

/// The remembered files of vaults whose folder is gone, each with its root. One that cannot be looked at is not gone.
fn lost(conn: &rusqlite::Connection, root: &str) -> Result<Vec<(String, VaultFile)>> {
    let mut files = Vec::new();
    for other in vault_files::roots(conn)? {
        let gone = match std::fs::metadata(&other) {
            Ok(found) => !found.is_dir(),
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        };
        if gone && other != root {
            files.extend(vault_files::of_root(conn, &other)?.into_iter().map(|row| (other.clone(), row)));
        }
    }
    Ok(files)
}

/// One indexing under way.
struct Run<'a> {
    engine: &'a Engine,
    identities: Identities,
    plan: Plan,
    report: IndexReport,
    batch: Batch,
}

/// What reading a file gave.
enum Reading {
    /// The bytes that are remembered.
    Same {
        hash: String,
    },
    Note {
        hash: String,
        draft: Box<Draft>,
    },
    Not {
        reason: String,
        empty: bool,
    },
}

impl Run<'_> {
    fn read_and_write(&mut self, progress: &mut dyn FnMut(IndexProgress)) -> Result<()> {
        let candidates = std::mem::take(&mut self.plan.read);
        for candidate in candidates.iter().filter(|candidate| candidate.moved()) {
            if let Some(known) = &candidate.known {
                self.identities.moved(&known.note_id, &candidate.file.path);
            }
        }
        let total = candidates.len();
        let (mut read, mut written) = (0, 0);
        for together in candidates.chunks(READ_TOGETHER) {
            progress(IndexProgress::Reading { done: read, total });
            let readings: Vec<Reading> = together.par_iter().map(|candidate| self.read(candidate)).collect();
            read += together.len();
            progress(IndexProgress::Reading { done: read, total });
            self.engine.store().read(|conn| {
                for (candidate, reading) in together.iter().zip(readings) {
                    if let Some(entry) =
                        decide(conn, candidate, reading, &mut self.identities, &mut self.plan, &mut self.report)?
                    {
                        self.batch.push(entry);
                    }
                }
                Ok(())
            })?;
            if self.batch.len() >= WRITE_TOGETHER || self.batch.bytes() >= WRITE_BYTES || read == total {
                progress(IndexProgress::Writing { done: written, total });
                std::mem::take(&mut self.batch).write(self.engine, &self.report.root.clone(), &mut self.report)?;
                written = read;
                progress(IndexProgress::Writing { done: written, total });
            }
        }
        Ok(())
    }

    fn read(&self, candidate: &Candidate) -> Reading {
        let bytes = match std::fs::read(&candidate.file.absolute) {
            Ok(bytes) => bytes,
            Err(error) => return Reading::Not { reason: format!("it could not be read: {error}"), empty: false },
        };
        let hash = fingerprint(&bytes);
        let snapshot = self.engine.snapshot();
        let same = candidate
            .known
            .as_ref()
            .is_some_and(|known| known.hash == hash && snapshot.catalog.ord(&known.note_id).is_some());
        if same && !candidate.moved() {
            return Reading::Same { hash };
        }
        match decode(bytes) {
            Ok(decoded) => {
                let mut draft = draft(&candidate.file, &decoded.text);
                draft.warnings.extend(decoded.warning);
                Reading::Note { hash, draft: Box::new(draft) }
            }
            Err(why) => Reading::Not { reason: why.reason(), empty: why == NoText::Empty },
        }
    }

    /// Files that are gone: their notes are deleted, or counted.
    fn settle_gone(&mut self, prune: bool) -> Result<()> {
        let root = self.report.root.clone();
        for (path, row) in std::mem::take(&mut self.plan.gone) {
            let in_store = self.engine.snapshot().catalog.ord(&row.note_id).is_some();
            if in_store && !prune {
                self.report.missing += 1;
                continue;
            }
            if in_store {
                let others = self.engine.store().read(|conn| vault_files::of_note(conn, &row.note_id))?;
                if !others.iter().any(|(of, at)| (of, at) != (&root, &path)) {
                    delete(self.engine, &row.note_id)?;
                }
                self.report.pruned += 1;
            }
            self.engine.store().write(|conn| vault_files::delete(conn, &root, &path))?;
        }
        Ok(())
    }
}

/// What to write for a file that was read.
fn decide(
    conn: &rusqlite::Connection,
    candidate: &Candidate,
    reading: Reading,
    identities: &mut Identities,
    plan: &mut Plan,
    report: &mut IndexReport,
) -> Result<Option<Entry>> {
    let file = &candidate.file;
    let row = |hash: String, note_id: String, warnings: Vec<String>| VaultFile {
        path: file.path.clone(),
        size: file.size,
        mtime: file.mtime,
        hash,
        note_id,
        warnings,
    };
    let (hash, draft) = match (reading, &candidate.known) {
        (Reading::Same { hash }, Some(known)) => {
            report.warnings.extend(warned(&file.path, known.warnings.clone()));
            let row = row(hash, known.note_id.clone(), known.warnings.clone());
            let (note, forget) = (None, Vec::new());
            return Ok(Some(Entry { change: Change::Touched, row, note, rename: false, forget, replaces: None }));
        }
        (Reading::Same { .. }, None) => return Ok(None),
        (Reading::Not { reason, empty }, known) => {
            let kept = if known.is_some() { "; its note stays as it was last read" } else { "" };
            if let Some(known) = known.as_ref().filter(|_| empty) {
                // A note of which nothing is left is gone like one whose file is.
                plan.gone.insert(known.path.clone(), known.clone());
                report.skipped.push(Skipped { path: file.path.clone(), reason });
            } else {
                report.skipped.push(Skipped { path: file.path.clone(), reason: format!("{reason}{kept}") });
            }
            return Ok(None);
        }
        (Reading::Note { hash, draft }, _) => (hash, draft),
    };
    let Draft { mut note, warnings } = *draft;
    let known = candidate.known.as_ref();
    let known_id = known.map(|known| known.note_id.as_str());
    let identity = identities.assign(conn, &file.path, &note.id, known_id, &plan.gone)?;
    note.id = identity.id;
    let mut forget: Vec<(String, String)> = identity.taken_from.into_iter().collect();
    if candidate.moved() {
        let root = candidate.from.as_ref().unwrap_or(&report.root);
        forget.extend(known.map(|known| (root.clone(), known.path.clone())));
    }
    for (root, path) in &forget {
        if *root == report.root {
            plan.gone.remove(path);
        }
    }
    let mut replaces = None;
    let warnings: Vec<String> = warnings.into_iter().chain(identity.warning).collect();
    if let Some(known_id) = known_id.filter(|known| *known != note.id)
        && !identities.is_owned(conn, known_id)?
    {
        // Said once: there is nothing to mend in the file.
        let reason =
            format!("its id was {known_id:?} and is {:?} now; what was learned of the old one is gone", note.id);
        report.warnings.push(Skipped { path: file.path.clone(), reason });
        replaces = Some(known_id.to_owned());
    }
    report.warnings.extend(warned(&file.path, warnings.clone()));
    let stored = notes::get(conn, &note.id)?.map(|(_, stored)| stored);
    if stored.is_none() {
        note.created_at = note.created_at.or(file.born);
    }
    let change = match (&stored, known) {
        _ if !forget.is_empty() => Change::Renamed,
        (Some(_), Some(_)) => Change::Updated,
        _ => Change::Added,
    };
    let rename = candidate.moved()
        && known.is_some_and(|known| known.hash == hash)
        && stored.is_some_and(|stored| stored.title == note.title && stored.namespace == note.namespace);
    let row = row(hash, note.id.clone(), warnings);
    let note = (!rename).then_some(note);
    Ok(Some(Entry { change, row, note, rename, forget, replaces }))
}
