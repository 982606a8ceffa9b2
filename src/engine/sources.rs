//! The projections as the scouts see them.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::clock::Timestamp;
use crate::config::VectorIndexKind;
use crate::error::Result;
use crate::memory::{Memory, Recall, Recaller};
use crate::model::{Ordinal, Viewer};
use crate::projection::lexical::{LexicalIndex, QueryWeight};
use crate::projection::vector::{SearchMode, VectorIndex};
use crate::projection::{Catalog, Eligible, Named, Neighbour};
use crate::scouts::{AssociationSource, LexicalSource, LinkSource, Notes, Query, TaskLink, TaskSource, VectorSource};
use crate::store::Store;
use crate::text::QueryTerm;

use super::associate::asked;
use super::snapshot::Snapshot;

fn weighted(terms: &[QueryTerm]) -> Vec<QueryWeight> {
    terms.iter().map(|term| QueryWeight { term: term.text.clone(), weight: term.count as f32 }).collect()
}

impl Notes for Catalog {
    fn id(&self, ord: Ordinal) -> Option<&str> {
        self.id(ord)
    }

    fn label(&self, ord: Ordinal) -> String {
        self.label(ord)
    }

    fn named(&self, query: &str, visible: &Eligible) -> Vec<Named> {
        self.named(query, visible)
    }

    fn tags_named(&self, query: &str, visible: &Eligible, eligible: &Eligible) -> Vec<(Arc<str>, f32, Vec<Ordinal>)> {
        self.tags_named(query, visible, eligible)
    }

    fn newest(&self, eligible: &Eligible, depth: usize, whole: bool) -> Vec<(Ordinal, Timestamp)> {
        self.newest(eligible, depth, whole)
    }

    fn expiring(&self, eligible: &Eligible, until: Timestamp, depth: usize) -> Vec<(Ordinal, Timestamp)> {
        self.expiring(eligible, until, depth)
    }
}

/// BM25 by tantivy.
pub(crate) struct Words<'a>(pub &'a LexicalIndex);

impl LexicalSource for Words<'_> {
    fn search(
        &self,
        terms: &[QueryTerm],
        eligible: &Eligible,
        depth: usize,
        tie: &dyn Fn(Ordinal, Ordinal) -> Ordering,
    ) -> Result<Vec<(Ordinal, f32)>> {
        self.0.search(&weighted(terms), eligible, depth, tie)
    }

    fn idf_sum(&self, terms: &[QueryTerm]) -> Result<f32> {
        self.0.idf_sum(&weighted(terms))
    }
}

/// Nearest passages of one snapshot.
pub(crate) struct Vectors<'a> {
    pub index: Option<&'a VectorIndex>,
    pub kind: VectorIndexKind,
    /// Why there is nothing to search, if so.
    pub unavailable: Option<&'static str>,
}

impl VectorSource for Vectors<'_> {
    fn unavailable(&self) -> Option<&'static str> {
        self.unavailable
    }

    fn search(
        &self,
        query: &[f32],
        eligible: &Eligible,
        depth: usize,
        tie: &(dyn Fn(Ordinal, Ordinal) -> Ordering + Sync),
    ) -> Result<Vec<(Ordinal, u32, f32)>> {
        let Some(index) = self.index else { return Ok(Vec::new()) };
        let mode = match self.kind {
            VectorIndexKind::Auto => SearchMode::Auto,
            VectorIndexKind::Hnsw => SearchMode::Hnsw,
            VectorIndexKind::Exact => SearchMode::Exact,
        };
        let hits = index.search(query, eligible, depth, mode, tie)?;
        Ok(hits.into_iter().map(|hit| (hit.ord, hit.passage, hit.cosine)).collect())
    }
}

/// The graph of one snapshot, with the habits of memory.
pub(crate) struct Links<'a> {
    pub snapshot: &'a Snapshot,
    /// `None` where habits are to play no part.
    pub memory: Option<&'a Memory>,
}

impl LinkSource for Links<'_> {
    fn neighbours(&self, ord: Ordinal, visible: &Eligible) -> Vec<Neighbour> {
        self.snapshot.graph.neighbours(ord, &self.snapshot.catalog, &|ord| visible.contains(ord))
    }

    fn coactivated(&self, ord: Ordinal) -> Vec<(Ordinal, f32)> {
        self.memory.map(|memory| memory.habits.read().of(ord)).unwrap_or_default()
    }
}

/// What a task knows, from the store and working memory.
pub(crate) struct TaskNotes<'a> {
    pub store: &'a Store,
    pub snapshot: &'a Snapshot,
    pub memory: &'a Memory,
}

impl TaskSource for TaskNotes<'_> {
    fn notes_of(&self, task_id: &str) -> Result<Vec<(Ordinal, TaskLink, f32)>> {
        let mut notes: Vec<(Ordinal, TaskLink, f32)> =
            self.snapshot.catalog.of_source(task_id).map(|ord| (ord, TaskLink::Authored, 1.0)).collect();
        let found = self.store.read(|conn| crate::store::findings::notes_of_task(conn, task_id))?;
        notes.extend(found.into_iter().map(|ord| (ord, TaskLink::Finding, 1.0)));
        if let Some(working) = self.memory.working.read().get(task_id) {
            notes.extend(
                working.iter().map(|(ord, entry)| (*ord, TaskLink::WorkingMemory, entry.activation_count as f32)),
            );
        }
        notes.sort_by_key(|&(ord, link, _)| (ord, link));
        Ok(notes)
    }
}

/// The traces that a viewer may know of.
pub(crate) struct Associations<'a> {
    pub memory: &'a Memory,
    pub viewer: &'a Viewer,
    pub words: &'a dyn LexicalSource,
}

impl AssociationSource for Associations<'_> {
    fn recall(&self, query: &Query<'_>, eligible: &Eligible) -> Recall {
        let association = self.memory.association.read().clone();
        if association.is_empty() || query.is_bare() {
            return Recall::default();
        }
        let asked = asked(&query.terms, query.vector.as_deref(), self.words);
        let by = Recaller { agent_id: self.viewer.agent_id(), task_id: self.viewer.task_id(), now: query.now };
        let trust = *self.memory.trust.read();
        association.recall(&asked, by, eligible, &trust, &self.memory.config().association)
    }
}

impl super::Engine {
    /// Notes whose meaning is at least `cache.min_similarity` near the question, best first; by words where the store
    /// has no vectors.
    pub(crate) fn similar_notes(
        &self,
        question: &str,
        eligible: &Eligible,
        limit: usize,
        snapshot: &Snapshot,
    ) -> Result<Vec<Ordinal>> {
        let tie = |a: Ordinal, b: Ordinal| {
            let id = |ord| snapshot.entry(ord).map(|entry| &entry.id);
            id(a).cmp(&id(b))
        };
        let floor = self.config().cache.min_similarity as f32;
        let vector = self.embedding().query_vector(question, None)?;
        if let (Some(index), Some(vector)) = (&snapshot.vectors, &vector) {
            let hits = index.search(vector, eligible, limit, SearchMode::Auto, &tie)?;
            return Ok(hits.into_iter().filter(|hit| hit.cosine >= floor).map(|hit| hit.ord).collect());
        }
        self.commit_lexical()?;
        let terms = crate::text::query_terms(question);
        let words = Words(&self.lexical);
        let (hits, scale) = (words.search(&terms, eligible, limit, &tie)?, words.idf_sum(&terms)?);
        // BM25 of a note that holds every word of the question about once is near the sum of their idf.
        Ok(hits.into_iter().filter(|(_, score)| scale > 0.0 && score / scale >= floor).map(|(ord, _)| ord).collect())
    }
}
