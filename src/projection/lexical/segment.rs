//! Which note each document of a segment is, held in memory: a search asks for it at every posting.

use std::sync::Arc;

use tantivy::index::SegmentId;
use tantivy::{DocId, Searcher, SegmentReader};

use super::faults::backend;
use super::schema::{Fields, ORD};
use super::statistics::Statistics;
use crate::{Error, Result};

/// One state of the index to search in: a searcher, and the ordinals of its segments in the same order.
pub(super) struct Snapshot {
    pub(super) searcher: Searcher,
    pub(super) notes: Vec<Arc<SegmentNotes>>,
    pub(super) statistics: Statistics,
}

impl Snapshot {
    /// Loads the ordinals of the segments that the previous snapshot does not have.
    pub(super) fn load(searcher: Searcher, fields: Fields, previous: Option<&Self>) -> Result<Self> {
        let mut notes = Vec::with_capacity(searcher.segment_readers().len());
        for reader in searcher.segment_readers() {
            let known = previous.and_then(|old| old.notes.iter().find(|known| known.id == reader.segment_id()));
            notes.push(match known {
                Some(known) => Arc::clone(known),
                None => Arc::new(SegmentNotes::load(reader, fields)?),
            });
        }
        let statistics = Statistics::load(&searcher, fields, previous.map(|old| &old.statistics))?;
        Ok(Self { searcher, notes, statistics })
    }

    /// The segments with their ordinals.
    pub(super) fn segments(&self) -> impl Iterator<Item = (&SegmentReader, &SegmentNotes)> {
        self.searcher.segment_readers().iter().zip(self.notes.iter().map(Arc::as_ref))
    }
}

/// The ordinals of one segment. A segment never changes but for deletions, so this is loaded once.
pub(super) struct SegmentNotes {
    id: SegmentId,
    ords: Vec<u32>,
    /// Document ids in ascending order of their ordinals, unless the documents are in that order already.
    by_ord: Option<Vec<DocId>>,
}

impl SegmentNotes {
    /// Reads the ordinals, and on the way touches every part of the segment that a search needs, so that a missing
    /// or shortened file shows here and not under a query.
    fn load(reader: &SegmentReader, fields: Fields) -> Result<Self> {
        let count = reader.max_doc();
        for field in [fields.name, fields.body, fields.ord] {
            let inverted = reader.inverted_index(field).map_err(backend)?;
            let _ = inverted.terms().num_terms();
        }
        for field in [fields.name, fields.body] {
            let norms = reader.get_fieldnorms_reader(field).map_err(backend)?;
            agree("field lengths", norms.num_docs(), count)?;
        }
        let alive = reader.alive_bitset().map_or(count as usize, |alive| alive.num_alive_docs());
        agree("living documents", u32::try_from(alive).unwrap_or(u32::MAX), reader.num_docs())?;

        let column = reader.fast_fields().u64(ORD).map_err(backend)?;
        agree("ordinals", column.num_docs(), count)?;
        let mut ords = Vec::with_capacity(count as usize);
        for doc in 0..count {
            let ord = column.first(doc).and_then(|ord| u32::try_from(ord).ok());
            ords.push(ord.ok_or_else(|| damaged(&format!("document {doc} has no ordinal below 2^32")))?);
        }
        let by_ord = (!ords.is_sorted()).then(|| {
            let mut docs: Vec<DocId> = (0..count).collect();
            docs.sort_by_key(|&doc| ords.get(doc as usize).copied());
            docs
        });
        Ok(Self { id: reader.segment_id(), ords, by_ord })
    }

    /// The ordinal of a document, whether living or deleted.
    #[inline]
    pub(super) fn ord(&self, doc: DocId) -> Option<u32> {
        self.ords.get(doc as usize).copied()
    }

    /// The living document of a note, if it is in this segment.
    pub(super) fn doc(&self, ord: u32, reader: &SegmentReader) -> Option<DocId> {
        let at = |place: usize| match &self.by_ord {
            None => u32::try_from(place).ok(),
            Some(docs) => docs.get(place).copied(),
        };
        let first = match &self.by_ord {
            None => self.ords.partition_point(|&other| other < ord),
            Some(docs) => docs.partition_point(|&doc| self.ord(doc).is_some_and(|other| other < ord)),
        };
        (first..)
            .map_while(|place| at(place).filter(|&doc| self.ord(doc) == Some(ord)))
            .find(|&doc| !reader.is_deleted(doc))
    }
}

fn agree(what: &str, found: u32, expected: u32) -> Result<()> {
    if found == expected { Ok(()) } else { Err(damaged(&format!("expected {expected} {what}, found {found}"))) }
}

fn damaged(what: &str) -> Error {
    Error::SearchBackend(format!("lexical index: a segment contradicts itself: {what}"))
}
