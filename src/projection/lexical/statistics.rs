//! The corpus as BM25 sees it: living notes only, so that a score does not depend on which segments tantivy has merged.

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tantivy::index::SegmentId;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, Searcher, SegmentReader, TERMINATED, Term};

use super::faults::backend;
use super::schema::Fields;
use crate::Result;

/// Counts over the living notes of one snapshot.
pub(super) struct Statistics {
    searcher: Searcher,
    fields: Fields,
    docs: u64,
    segments: Vec<SegmentLengths>,
    /// Counting a term walks its postings wherever a segment has deletions; once per snapshot is enough.
    frequencies: Mutex<FxHashMap<Term, u64>>,
}

/// Lengths of a segment's living notes, by field. They change with its deletions only.
#[derive(Clone, Copy)]
struct SegmentLengths {
    id: SegmentId,
    deleted: u32,
    name: u64,
    body: u64,
}

impl Statistics {
    /// Counts the segments that the previous snapshot did not have, or had with fewer deletions.
    pub(super) fn load(searcher: &Searcher, fields: Fields, previous: Option<&Self>) -> Result<Self> {
        let mut segments = Vec::with_capacity(searcher.segment_readers().len());
        let mut docs = 0;
        for reader in searcher.segment_readers() {
            docs += u64::from(reader.num_docs());
            let (id, deleted) = (reader.segment_id(), reader.num_deleted_docs());
            let known = previous.and_then(|old| old.segments.iter().find(|old| old.id == id && old.deleted == deleted));
            segments.push(match known {
                Some(known) => *known,
                None => SegmentLengths {
                    id,
                    deleted,
                    name: length(reader, fields.name)?,
                    body: length(reader, fields.body)?,
                },
            });
        }
        Ok(Self { searcher: searcher.clone(), fields, docs, segments, frequencies: Mutex::default() })
    }

    /// Living notes.
    pub(super) fn docs(&self) -> u64 {
        self.docs
    }

    /// The mean length of a field over the living notes, each length as its one byte holds it.
    pub(super) fn mean_length(&self, field: Field) -> f32 {
        if self.docs == 0 { 0.0 } else { self.tokens(field) as f32 / self.docs as f32 }
    }

    /// Living notes with this term.
    pub(super) fn frequency(&self, term: &Term) -> Result<u64> {
        if let Some(&known) = self.frequencies.lock().get(term) {
            return Ok(known);
        }
        let mut count = 0;
        for reader in self.searcher.segment_readers() {
            let inverted = reader.inverted_index(term.field()).map_err(backend)?;
            if !reader.has_deletes() {
                count += u64::from(inverted.doc_freq(term).map_err(backend)?);
                continue;
            }
            let Some(mut postings) = inverted.read_postings(term, IndexRecordOption::Basic).map_err(backend)? else {
                continue;
            };
            let mut doc = postings.doc();
            while doc != TERMINATED {
                count += u64::from(!reader.is_deleted(doc));
                doc = postings.advance();
            }
        }
        self.frequencies.lock().insert(term.clone(), count);
        Ok(count)
    }

    fn tokens(&self, field: Field) -> u64 {
        let of = |segment: &SegmentLengths| if field == self.fields.name { segment.name } else { segment.body };
        self.segments.iter().map(of).sum()
    }
}

fn length(reader: &SegmentReader, field: Field) -> Result<u64> {
    let norms = reader.get_fieldnorms_reader(field).map_err(backend)?;
    Ok((0..reader.max_doc()).filter(|doc| !reader.is_deleted(*doc)).map(|doc| u64::from(norms.fieldnorm(doc))).sum())
}

impl Bm25StatisticsProvider for Statistics {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        Ok(self.tokens(field))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.docs)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        self.frequency(term).map_err(|error| tantivy::TantivyError::InternalError(error.to_string()))
    }
}
