//! The index as its owner sees it.

use std::cmp::Ordering;
use std::sync::Arc;

use imbl::Vector;

use super::block::{BLOCK_ROWS, Block, Owner, RowRef};
use super::codes::{PreparedQuery, Row, cosine};
use super::hnsw::HnswLayer;
use super::scan;
use crate::projection::eligible::Eligible;
use crate::projection::top::Scored;
use crate::{Error, Result};

/// With fewer rows than this, `Auto` does without the graph: an exact scan of the codes takes a few milliseconds.
pub(super) const GRAPH_ROWS: usize = 300_000;
/// The graph is used only when at least this share of the notes is eligible: it cannot be told what to skip.
const GRAPH_SHARE: f32 = 0.9;
/// After this share of the rows has changed, the graph is to be built anew.
const CHURN: f32 = 0.1;

/// One passage's cosine with the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorHit {
    /// The note.
    pub ord: u32,
    /// Its best passage, counted from 0; the first of equals.
    pub passage: u32,
    /// The cosine, from -1 to 1, within about 0.005 of the one in 32-bit floats.
    pub cosine: f32,
}

impl Scored for VectorHit {
    fn ord(&self) -> u32 {
        self.ord
    }

    fn score(&self) -> f32 {
        self.cosine
    }
}

/// Which way a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMode {
    /// The graph when there are at least 300 000 rows and 90 % of the notes eligible, else the exact scan.
    #[default]
    Auto,
    /// The graph whenever one is attached and at least 90 % of the notes eligible, else the exact scan.
    Hnsw,
    /// Always the exact scan.
    Exact,
}

/// The passages' vectors, as int8 codes: one quarter of their size.
///
/// A value of this type is a snapshot. A clone shares its blocks and costs next to nothing; readers search a clone
/// while the writer edits the original, and what the writer does is not seen in the clone.
///
/// Ordinals should be dense, as they are when a store counts them up: the index holds eight bytes for each up to the
/// largest.
#[derive(Clone)]
pub struct VectorIndex {
    dims: usize,
    blocks: Vector<Block>,
    spans: Vector<Span>,
    notes: usize,
    live: usize,
    /// Living and dead ones: the number of the next row.
    numbered: usize,
    /// The identity of the row numbers, which a graph refers to; compaction gives new ones.
    numbering: Arc<()>,
    layer: Option<Arc<HnswLayer>>,
}

/// The rows of a note, always next to each other.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    first: u32,
    count: u32,
}

impl VectorIndex {
    /// An empty index for vectors of `dims` components.
    pub fn new(dims: usize) -> Self {
        Self {
            dims,
            blocks: Vector::new(),
            spans: Vector::new(),
            notes: 0,
            live: 0,
            numbered: 0,
            numbering: Arc::new(()),
            layer: None,
        }
    }

    /// The width of every vector.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The living rows, one per passage with a vector.
    pub fn rows(&self) -> usize {
        self.live
    }

    /// The rows of removed and replaced notes, which [`compact`](Self::compact) frees.
    pub fn dead(&self) -> usize {
        self.numbered - self.live
    }

    /// The notes with at least one row.
    pub fn notes(&self) -> usize {
        self.notes
    }

    /// Gives a note these passages' vectors in place of those it had. Only their direction counts. A zero vector is
    /// no vector: its passage cannot be found.
    ///
    /// # Errors
    ///
    /// [`Error::DimensionMismatch`] for a wrong width and [`Error::InvalidInput`] for a component that is not finite;
    /// the note then keeps what it had. [`Error::Unsupported`] beyond 2³² rows.
    pub fn insert(&mut self, ord: u32, passages: &[(u32, Vec<f32>)]) -> Result<()> {
        let mut rows = Vec::with_capacity(passages.len());
        for (passage, vector) in passages {
            let passage = *passage;
            if let Some(row) = Row::new(vector, self.dims)? {
                rows.push((row, Owner { ord, passage }));
            }
        }
        let (Ok(first), Ok(count)) = (u32::try_from(self.numbered + rows.len()), u32::try_from(rows.len())) else {
            return Err(Error::Unsupported("the vector index holds up to 2^32 passages; split the store".into()));
        };
        self.remove(ord);
        if count == 0 {
            return Ok(());
        }
        for (row, owner) in &rows {
            if self.blocks.back().is_none_or(Block::is_full) {
                self.blocks.push_back(Block::new(self.dims));
            }
            if let Some(block) = self.blocks.back_mut() {
                block.push(row, *owner);
            }
        }
        self.set_span(ord, Span { first: first - count, count });
        self.numbered += rows.len();
        self.live += rows.len();
        self.notes += 1;
        Ok(())
    }

    /// Removes a note's rows, if it has any.
    pub fn remove(&mut self, ord: u32) {
        let Some(span) = self.span(ord) else {
            return;
        };
        for row in span.rows() {
            if let Some(block) = self.blocks.get_mut(row / BLOCK_ROWS) {
                block.kill(row % BLOCK_ROWS);
            }
        }
        self.set_span(ord, Span::default());
        self.live -= span.count as usize;
        self.notes -= 1;
    }

    /// Checks and quantises a query.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub(super) fn prepare(&self, query: &[f32]) -> Result<PreparedQuery> {
        PreparedQuery::new(query, self.dims)
    }

    /// The `k` eligible notes nearest to the query, each by its best passage, best first; equal cosines are ordered
    /// by `tie`, then by ordinal. A zero query finds nothing.
    ///
    /// The exact scan goes through the eligible notes when they are few, and through all rows, on all threads, when
    /// they are many; its result does not depend on which, nor on the number of threads. The graph may miss a note
    /// now and then; the scores it returns are those of the scan.
    ///
    /// # Errors
    ///
    /// [`Error::DimensionMismatch`] for a wrong width, [`Error::InvalidInput`] for a component that is not finite.
    pub fn search(
        &self,
        query: &[f32],
        eligible: &Eligible,
        k: usize,
        how: SearchMode,
        tie: &(dyn Fn(u32, u32) -> Ordering + Sync),
    ) -> Result<Vec<VectorHit>> {
        let prepared = self.prepare(query)?;
        if k == 0 || eligible.is_empty() || prepared.is_zero() {
            return Ok(Vec::new());
        }
        if self.suits_graph(eligible, how) {
            let hits = self.search_graph(query, eligible, k, None, tie)?;
            if hits.len() >= k.min(eligible.len() as usize).min(self.notes) {
                return Ok(hits);
            }
        }
        Ok(scan::exact(self, &prepared, eligible, k, tie))
    }

    /// What the graph alone leads to, `ef` candidates wide, by default as wide as `k` asks for; nothing where there is
    /// no graph.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub fn search_graph(
        &self,
        query: &[f32],
        eligible: &Eligible,
        k: usize,
        ef: Option<usize>,
        tie: &(dyn Fn(u32, u32) -> Ordering + Sync),
    ) -> Result<Vec<VectorHit>> {
        let prepared = self.prepare(query)?;
        let (Some(layer), Some(row)) = (&self.layer, Row::new(query, self.dims)?) else { return Ok(Vec::new()) };
        let near = layer.near(self, &row, ef.unwrap_or_else(|| layer.width(self, k)));
        Ok(near.map_or_else(Vec::new, |candidates| scan::best_of(self, &prepared, eligible, &candidates, k, tie)))
    }

    /// The exact cosine of one note's best passage; `None` for a note without vectors, or a zero query. The dull way
    /// that the tests hold every search against.
    #[cfg(test)]
    pub(super) fn best_passage(&self, query: &PreparedQuery, ord: u32) -> Option<VectorHit> {
        if query.is_zero() {
            return None;
        }
        scan::best_row(self.span(ord)?.rows().filter_map(|row| self.row(row)), query)
    }

    /// The cosine of two notes' first passages; `None` when either has no vector.
    pub fn similarity(&self, a: u32, b: u32) -> Option<f32> {
        let (a, b) = (self.row(self.span(a)?.first as usize)?, self.row(self.span(b)?.first as usize)?);
        Some(cosine(a.codes, b.codes, a.factor * b.factor))
    }

    /// Frees dead rows by giving the living ones new numbers, which detaches a graph. Clones keep what they have.
    pub fn compact(&mut self) {
        let mut next = Self::new(self.dims);
        for (_, row) in self.live_rows() {
            if next.blocks.back().is_none_or(Block::is_full) {
                next.blocks.push_back(Block::new(self.dims));
            }
            if let Some(block) = next.blocks.back_mut() {
                block.push(&Row { codes: row.codes.to_vec(), factor: row.factor }, row.owner);
            }
            let ord = row.owner.ord;
            let span = next.span(ord).unwrap_or_else(|| {
                next.notes += 1;
                Span { first: u32::try_from(next.numbered).unwrap_or(u32::MAX), count: 0 }
            });
            next.set_span(ord, Span { count: span.count + 1, ..span });
            next.numbered += 1;
        }
        next.live = next.numbered;
        *self = next;
    }

    /// Takes a graph into use. `false`, and nothing happens, when it was built over other row numbers: over another
    /// index, or before a compaction.
    pub fn attach(&mut self, layer: Arc<HnswLayer>) -> bool {
        let fits = Arc::ptr_eq(&self.numbering, layer.numbering()) && layer.rows() <= self.numbered;
        if fits {
            self.layer = Some(layer);
        }
        fits
    }

    /// Whether a graph over this index fits the other too: no compaction lies between them.
    pub fn numbered_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.numbering, &other.numbering)
    }

    /// Whether a graph is attached.
    #[cfg(test)]
    pub(crate) fn has_graph(&self) -> bool {
        self.layer.is_some()
    }

    /// Whether there is no graph, or one that has changed by a tenth, whatever the size.
    pub fn needs_graph(&self) -> bool {
        self.layer.is_none() || self.needs_rebuild()
    }

    /// Whether to build a graph: there is none though the index is large enough for one, or at least 10 % of its rows
    /// came or went since it was built.
    pub fn needs_rebuild(&self) -> bool {
        match &self.layer {
            None => self.live >= GRAPH_ROWS,
            Some(layer) => {
                let changed = (self.numbered - layer.rows()) + self.dead().saturating_sub(layer.dead());
                changed as f32 >= CHURN * layer.rows() as f32
            }
        }
    }

    pub(super) fn numbering(&self) -> &Arc<()> {
        &self.numbering
    }

    /// Rows, living and dead: the next row's number.
    pub(super) fn all_rows(&self) -> usize {
        self.numbered
    }

    pub(super) fn blocks(&self) -> &Vector<Block> {
        &self.blocks
    }

    pub(super) fn spans(&self) -> &Vector<Span> {
        &self.spans
    }

    /// A row by its number, if it lives.
    pub(super) fn live_row(&self, row: usize) -> Option<RowRef<'_>> {
        let block = self.blocks.get(row / BLOCK_ROWS)?;
        if block.is_live(row % BLOCK_ROWS) { block.row(row % BLOCK_ROWS) } else { None }
    }

    /// The living rows with their numbers, ascending.
    pub(super) fn live_rows(&self) -> impl Iterator<Item = (usize, RowRef<'_>)> {
        let numbered = self.blocks.iter().enumerate();
        numbered.flat_map(|(number, block)| block.live().map(move |(slot, row)| (number * BLOCK_ROWS + slot, row)))
    }

    fn row(&self, row: usize) -> Option<RowRef<'_>> {
        self.blocks.get(row / BLOCK_ROWS)?.row(row % BLOCK_ROWS)
    }

    fn span(&self, ord: u32) -> Option<Span> {
        self.spans.get(ord as usize).copied().filter(|span| span.count > 0)
    }

    fn set_span(&mut self, ord: u32, span: Span) {
        while self.spans.len() <= ord as usize {
            self.spans.push_back(Span::default());
        }
        if let Some(place) = self.spans.get_mut(ord as usize) {
            *place = span;
        }
    }

    fn suits_graph(&self, eligible: &Eligible, how: SearchMode) -> bool {
        let wanted = match how {
            SearchMode::Auto => self.live >= GRAPH_ROWS,
            SearchMode::Hnsw => true,
            SearchMode::Exact => false,
        };
        wanted && eligible.fraction() >= GRAPH_SHARE
    }
}

impl Span {
    pub(super) fn rows(self) -> std::ops::Range<usize> {
        self.first as usize..(self.first as usize + self.count as usize)
    }
}
