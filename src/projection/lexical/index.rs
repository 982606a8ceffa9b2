//! The index as its owner sees it.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering as Atomic};

use parking_lot::{Mutex, MutexGuard, RwLock};
use tantivy::index::SegmentComponent;
use tantivy::indexer::{LogMergePolicy, MergePolicy, NoMergePolicy};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, Term};

use super::faults::{backend, guarded};
use super::opening::{self, Opened};
use super::payload;
use super::query::{Compiled, merged};
use super::schema::{Fields, register, schema};
use super::search::{self, Way};
use super::segment::Snapshot;
use super::{LexicalDoc, LexicalParams, QueryWeight};
use crate::projection::eligible::Eligible;
use crate::{Error, Result};

/// BM25 over the words of the notes. `Send + Sync`; searches run beside a commit and see the state before it.
///
/// Changes are pending until [`commit`](Self::commit) makes them visible and durable together. After an error from a
/// changing call the index may have lost what was pending: open it anew and replay from [`seq`](Self::seq).
pub struct LexicalIndex {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    /// `None` when opened read-only; the inner `None` only while a merge exchanges the writer, or after that failed.
    writer: Option<Mutex<Option<IndexWriter>>>,
    snapshot: RwLock<Arc<Snapshot>>,
    params: RwLock<LexicalParams>,
    pending: AtomicUsize,
    seq: AtomicU64,
    dir: Option<PathBuf>,
    /// The store it belongs to.
    store: u64,
}

impl LexicalIndex {
    /// Opens the index of a store, known by its number, in a directory, which is made when missing.
    ///
    /// A damaged or foreign index, or one of another format, is removed and made anew; [`Opened`] says so. Every
    /// file's checksum is compared.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] while another handle writes here, [`Error::Io`] when the directory cannot be used; never
    /// because of what is in it.
    pub fn open(dir: &Path, store: u64) -> Result<(Self, Opened)> {
        opening::open(dir, store)
    }

    /// Opens the index for searching only; nothing is written, not even a lock file. `None` when there is no index:
    /// search an [`in_memory`](Self::in_memory) one instead. For one that cannot be used such an empty one is given, with
    /// [`Opened::Discarded`].
    ///
    /// # Errors
    ///
    /// [`Error::SearchBackend`] when tantivy cannot start its worker.
    pub fn open_read_only(dir: &Path, store: u64) -> Result<Option<(Self, Opened)>> {
        opening::open_read_only(dir, store)
    }

    /// An empty index that lives in memory.
    ///
    /// # Errors
    ///
    /// [`Error::SearchBackend`] when tantivy cannot start its worker.
    pub fn in_memory() -> Result<Self> {
        opening::in_memory()
    }

    pub(super) fn assemble(
        index: Index,
        writer: Option<IndexWriter>,
        (store, seq): (u64, u64),
        dir: Option<&Path>,
    ) -> Result<Self> {
        register(&index);
        let fields = schema().1;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(backend)?;
        let snapshot = Snapshot::load(reader.searcher(), fields, None)?;
        Ok(Self {
            index,
            reader,
            fields,
            writer: writer.map(|writer| Mutex::new(Some(writer))),
            snapshot: RwLock::new(Arc::new(snapshot)),
            params: RwLock::default(),
            pending: AtomicUsize::new(0),
            seq: AtomicU64::new(seq),
            dir: dir.map(Path::to_owned),
            store,
        })
    }

    /// Sets how the fields are put together, from the next search on.
    pub fn set_params(&self, params: LexicalParams) {
        *self.params.write() = params;
    }

    /// Adds a note, or replaces it. Pending until the next commit.
    ///
    /// # Errors
    ///
    /// [`Error::ReadOnly`], or [`Error::SearchBackend`] when the writer has failed.
    pub fn upsert(&self, doc: LexicalDoc) -> Result<()> {
        self.write(|writer| {
            writer.delete_term(self.fields.key(doc.ord));
            writer.add_document(self.fields.document(&doc)).map_err(backend)?;
            self.pending.fetch_add(1, Atomic::Relaxed);
            Ok(())
        })
    }

    /// Removes a note, if it is there. Pending until the next commit.
    ///
    /// # Errors
    ///
    /// As [`upsert`](Self::upsert).
    pub fn delete(&self, ord: u32) -> Result<()> {
        self.write(|writer| {
            writer.delete_term(self.fields.key(ord));
            self.pending.fetch_add(1, Atomic::Relaxed);
            Ok(())
        })
    }

    /// Makes everything pending durable and visible at once, as the state at `seq` of the store's change sequence.
    ///
    /// # Errors
    ///
    /// As [`upsert`](Self::upsert).
    pub fn commit(&self, seq: u64) -> Result<()> {
        self.write(|writer| {
            self.commit_with(writer, seq)?;
            self.reload()
        })
    }

    /// Changes since the last commit.
    pub fn pending(&self) -> usize {
        self.pending.load(Atomic::Relaxed)
    }

    /// The change sequence of the last commit; 0 before the first.
    pub fn seq(&self) -> u64 {
        self.seq.load(Atomic::Acquire)
    }

    /// During a bulk load segments are not merged in the background; call [`merge`](Self::merge) after it.
    pub fn set_bulk(&self, bulk: bool) {
        let policy: Box<dyn MergePolicy> =
            if bulk { Box::new(NoMergePolicy) } else { Box::new(LogMergePolicy::default()) };
        if let Ok(slot) = self.writer()
            && let Some(writer) = slot.as_ref()
        {
            writer.set_merge_policy(policy);
        }
    }

    /// Merges all segments into one and frees the space of deleted notes. Anything pending is committed first, still
    /// under the sequence reached so far, so that a replay after a crash repeats rather than misses a change.
    ///
    /// # Errors
    ///
    /// As [`upsert`](Self::upsert).
    pub fn merge(&self) -> Result<()> {
        let mut slot = self.writer()?;
        guarded(|| {
            let writer = slot.as_mut().ok_or_else(gone)?;
            if self.pending() > 0 {
                self.commit_with(writer, self.seq())?;
            }
            // A merge in the background may hold segments; exchanging the writer waits for it.
            let policy = writer.get_merge_policy();
            let old = slot.take().ok_or_else(gone)?;
            old.wait_merging_threads().map_err(backend)?;
            let writer = slot.insert(opening::writer(&self.index, self.dir.as_deref())?);
            writer.set_merge_policy(Box::new(Shared(policy)));
            let metas = self.index.searchable_segment_metas().map_err(backend)?;
            let worth_it = metas.len() > 1 || metas.iter().any(tantivy::SegmentMeta::has_deletes);
            if worth_it {
                let ids: Vec<_> = metas.iter().map(tantivy::SegmentMeta::id).collect();
                writer.merge(&ids).wait().map_err(backend)?;
            }
            self.reload()?;
            writer.garbage_collect_files().wait().map_err(backend)?;
            Ok(())
        })
    }

    /// Removes all notes and goes back to sequence 0, at once.
    ///
    /// # Errors
    ///
    /// As [`upsert`](Self::upsert).
    pub fn clear(&self) -> Result<()> {
        self.write(|writer| {
            writer.delete_all_documents().map_err(backend)?;
            self.commit_with(writer, 0)?;
            self.reload()
        })
    }

    /// The segments a search visits.
    pub fn segments(&self) -> usize {
        self.snapshot().notes.len()
    }

    /// The notes a search can find.
    pub fn num_docs(&self) -> u64 {
        self.snapshot().searcher.num_docs()
    }

    /// The size of the index: of its files, or in memory.
    pub fn size_bytes(&self) -> u64 {
        match &self.dir {
            Some(dir) => walkdir::WalkDir::new(dir)
                .max_depth(1)
                .into_iter()
                .filter_map(|entry| entry.ok()?.metadata().ok())
                .filter(std::fs::Metadata::is_file)
                .map(|file| file.len())
                .sum(),
            None => self.snapshot().searcher.space_usage().map_or(0, |usage| usage.total().get_bytes()),
        }
    }

    /// Reads every file and compares its checksum; the names of those that are damaged or missing, sorted.
    ///
    /// # Errors
    ///
    /// None at present: what cannot be read is damaged.
    pub fn verify(&self) -> Result<Vec<String>> {
        let Ok(meta) = guarded(|| self.index.load_metas().map_err(backend)) else {
            return Ok(vec!["meta.json".into()]);
        };
        let mut damaged = Vec::new();
        if meta.payload.as_deref().is_some_and(|line| payload::read(self.store, line) != Ok(self.seq())) {
            damaged.push("meta.json".into());
        }
        let mut files = meta.list_segment_files();
        // tantivy lists a file of deletions for every segment, also for those that have none.
        for segment in meta.segments.iter().filter(|segment| !segment.has_deletes()) {
            files.remove(&segment.relative_path(SegmentComponent::Delete));
        }
        for path in files {
            let sound = guarded(|| self.index.directory().validate_checksum(&path).map_err(backend));
            if !sound.unwrap_or(false) {
                damaged.push(path.display().to_string());
            }
        }
        damaged.sort();
        Ok(damaged)
    }

    /// The `k` best eligible notes by BM25 over both fields, best first, each with its score; notes with none of the
    /// terms are not returned. Equal scores are ordered by `tie`, then by ordinal, so that the result for a smaller
    /// `k` is the head of the result for a larger one, whatever the segments.
    ///
    /// # Errors
    ///
    /// [`Error::SearchBackend`] when a file of the index is damaged.
    pub fn search(
        &self,
        terms: &[QueryWeight],
        eligible: &Eligible,
        k: usize,
        tie: &dyn Fn(u32, u32) -> Ordering,
    ) -> Result<Vec<(u32, f32)>> {
        self.search_by(terms, eligible, k, tie, None)
    }

    pub(super) fn search_by(
        &self,
        terms: &[QueryWeight],
        eligible: &Eligible,
        k: usize,
        tie: &dyn Fn(u32, u32) -> Ordering,
        way: Option<Way>,
    ) -> Result<Vec<(u32, f32)>> {
        guarded(|| {
            let snapshot = self.snapshot();
            let query = self.compile(&snapshot, terms)?;
            if k == 0 || eligible.is_empty() || query.is_empty() {
                return Ok(Vec::new());
            }
            let way = way.unwrap_or_else(|| Way::choose(&query, eligible));
            search::top(&snapshot, &query, eligible, k, tie, way)
        })
    }

    /// `Σ weight · idf` over the query's terms in the body field, including terms that no note has: a yardstick for
    /// scores that depends on the query alone.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub fn idf_sum(&self, terms: &[QueryWeight]) -> Result<f32> {
        guarded(|| {
            let snapshot = self.snapshot();
            let total = snapshot.statistics.docs();
            merged(terms).iter().try_fold(0.0, |sum, (term, weight)| {
                let with_it = self.frequency(&snapshot, term)?;
                let odds = (total.saturating_sub(with_it) as f32 + 0.5) / (with_it as f32 + 0.5);
                Ok(sum + weight * (1.0 + odds).ln())
            })
        })
    }

    /// The living notes with this term in their body field. For tests.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    #[cfg(test)]
    pub(super) fn doc_freq(&self, term: &str) -> Result<u64> {
        guarded(|| self.frequency(&self.snapshot(), term))
    }

    fn frequency(&self, snapshot: &Snapshot, term: &str) -> Result<u64> {
        snapshot.statistics.frequency(&Term::from_field_text(self.fields.body, term))
    }

    fn compile(&self, snapshot: &Snapshot, terms: &[QueryWeight]) -> Result<Compiled> {
        Compiled::new(&snapshot.statistics, self.fields, *self.params.read(), terms)
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read())
    }

    fn reload(&self) -> Result<()> {
        self.reader.reload().map_err(backend)?;
        let next = Snapshot::load(self.reader.searcher(), self.fields, Some(&self.snapshot()))?;
        *self.snapshot.write() = Arc::new(next);
        Ok(())
    }

    fn commit_with(&self, writer: &mut IndexWriter, seq: u64) -> Result<()> {
        let mut prepared = writer.prepare_commit().map_err(backend)?;
        prepared.set_payload(&payload::write(self.store, seq));
        prepared.commit().map_err(backend)?;
        self.pending.store(0, Atomic::Relaxed);
        self.seq.store(seq, Atomic::Release);
        Ok(())
    }

    fn writer(&self) -> Result<MutexGuard<'_, Option<IndexWriter>>> {
        self.writer.as_ref().map(Mutex::lock).ok_or(Error::ReadOnly("changing the lexical index"))
    }

    fn write<T>(&self, step: impl FnOnce(&mut IndexWriter) -> Result<T>) -> Result<T> {
        let mut slot = self.writer()?;
        let writer = slot.as_mut().ok_or_else(gone)?;
        guarded(|| step(writer))
    }
}

fn gone() -> Error {
    Error::SearchBackend("lexical index: its writer failed before".into())
}

/// A merge policy carried over from one writer to the next.
#[derive(Debug)]
struct Shared(Arc<dyn MergePolicy>);

impl MergePolicy for Shared {
    fn compute_merge_candidates(&self, segments: &[tantivy::SegmentMeta]) -> Vec<tantivy::indexer::MergeCandidate> {
        self.0.compute_merge_candidates(segments)
    }
}
