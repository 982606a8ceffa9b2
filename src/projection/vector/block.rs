//! Rows in blocks: the unit of sharing between snapshots, and of work in a scan.

use std::sync::Arc;

use ndarray::Array2;

use super::codes::Row;
/// Rows per block. A block of 256-dimensional rows is 256 kB: what the first append after a snapshot copies, and a
/// fraction of the second-level cache.
pub(super) const BLOCK_ROWS: usize = 1024;

/// Up to [`BLOCK_ROWS`] rows. Codes are shared by all snapshots until one appends; which rows live is each
/// snapshot's own.
///
/// The sign bits of the codes, for a Hamming prefilter above about 50 000 rows, belong into [`Rows`] beside the codes.
#[derive(Clone)]
pub(super) struct Block {
    rows: Arc<Rows>,
    live: [u64; BLOCK_ROWS / 64],
}

#[derive(Clone)]
struct Rows {
    codes: Array2<i8>,
    factors: Vec<f32>,
    owners: Vec<Owner>,
}

/// Whose vector a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) ord: u32,
    pub(super) passage: u32,
}

/// One row as a search reads it.
#[derive(Clone, Copy)]
pub(super) struct RowRef<'a> {
    pub(super) codes: &'a [i8],
    pub(super) factor: f32,
    pub(super) owner: Owner,
}

impl Block {
    pub(super) fn new(dims: usize) -> Self {
        let rows = Rows { codes: Array2::zeros((BLOCK_ROWS, dims)), factors: Vec::new(), owners: Vec::new() };
        Self { rows: Arc::new(rows), live: [0; BLOCK_ROWS / 64] }
    }

    /// Rows, living and dead.
    pub(super) fn len(&self) -> usize {
        self.rows.owners.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.len() >= BLOCK_ROWS
    }

    /// Appends a living row; the block must not be full.
    pub(super) fn push(&mut self, row: &Row, owner: Owner) {
        let slot = self.len();
        let rows = Arc::make_mut(&mut self.rows);
        let dims = rows.codes.ncols();
        let target = rows.codes.as_slice_mut().and_then(|all| all.get_mut(slot * dims..(slot + 1) * dims));
        if let (Some(target), Some(word)) = (target, self.live.get_mut(slot / 64)) {
            target.copy_from_slice(&row.codes);
            rows.factors.push(row.factor);
            rows.owners.push(owner);
            *word |= 1 << (slot % 64);
        }
    }

    /// Marks a row as dead.
    pub(super) fn kill(&mut self, slot: usize) {
        if let Some(word) = self.live.get_mut(slot / 64) {
            *word &= !(1 << (slot % 64));
        }
    }

    #[inline]
    pub(super) fn is_live(&self, slot: usize) -> bool {
        self.live.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// A row, living or dead.
    #[inline]
    pub(super) fn row(&self, slot: usize) -> Option<RowRef<'_>> {
        let dims = self.rows.codes.ncols();
        Some(RowRef {
            codes: self.rows.codes.as_slice()?.get(slot * dims..(slot + 1) * dims)?,
            factor: *self.rows.factors.get(slot)?,
            owner: *self.rows.owners.get(slot)?,
        })
    }

    /// The living rows in order.
    #[inline]
    pub(super) fn live(&self) -> impl Iterator<Item = (usize, RowRef<'_>)> {
        let codes = self.rows.codes.as_slice().unwrap_or_default().chunks_exact(self.rows.codes.ncols().max(1));
        let rows = codes.zip(&self.rows.factors).zip(&self.rows.owners).enumerate();
        let live = rows.filter(|&(slot, _)| self.is_live(slot));
        live.map(|(slot, ((codes, &factor), &owner))| (slot, RowRef { codes, factor, owner }))
    }
}
