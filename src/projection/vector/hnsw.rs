//! The graph beside the codes: hnsw_rs, wrapped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hnsw_rs::prelude::{Distance, Hnsw};

use super::VectorIndex;
use super::codes::{Row, cosine};
use crate::{Error, Result};

/// Links per node; twice as many on the lowest level.
const LINKS: usize = 16;
const EF_CONSTRUCTION: usize = 200;
/// Candidates kept in a search, at least; four for each note asked for when that is more.
const EF_SEARCH: usize = 64;
const LEVELS: usize = 16;
/// A row's factor travels behind its codes.
const FACTOR_BYTES: usize = size_of::<f32>();

/// An HNSW graph over a snapshot of a [`VectorIndex`], to be built in the background and attached when it is done.
///
/// hnsw_rs leaves some outliers and duplicates where no search arrives. After the build each row is therefore sought
/// by its own vector, and those not found are kept in a list that a search scans exactly beside the graph, with all
/// rows added since. Rows removed since are masked by the index.
///
/// Rows are inserted one after another and hnsw_rs draws its levels from a fixed seed, so that the same snapshot gives
/// the same graph.
pub struct HnswLayer {
    graph: Hnsw<'static, i8, CodeDistance>,
    numbering: Arc<()>,
    rows: usize,
    dead: usize,
    misses: Vec<u32>,
}

impl HnswLayer {
    /// Builds the graph, on the caller's thread. This takes milliseconds per row (10 000 random vectors of 256
    /// dimensions, the worst case: 46 s on a busy core), so it belongs into the background. Asks `give_up` before each
    /// row, and answers `None` once that is so.
    ///
    /// # Errors
    ///
    /// [`Error::SearchBackend`] when hnsw_rs fails.
    pub fn build(snapshot: &VectorIndex, give_up: &dyn Fn() -> bool) -> Result<Option<Self>> {
        let built = catch_unwind(AssertUnwindSafe(|| {
            let distance = CodeDistance { dims: snapshot.dims() };
            let mut graph = Hnsw::new(LINKS, snapshot.rows().max(1), LEVELS, EF_CONSTRUCTION, distance);
            for (number, row) in snapshot.live_rows() {
                if give_up() {
                    return None;
                }
                graph.insert_slice((&point(row.codes, row.factor), number));
            }
            graph.set_searching_mode(true);
            let lost = |&(number, row): &(usize, super::block::RowRef<'_>)| {
                let near = graph.search(&point(row.codes, row.factor), EF_SEARCH, EF_SEARCH);
                near.iter().all(|neighbour| neighbour.d_id != number)
            };
            let mut misses = Vec::new();
            for found in snapshot.live_rows() {
                if give_up() {
                    return None;
                }
                if lost(&found) {
                    misses.extend(u32::try_from(found.0));
                }
            }
            Some((graph, misses))
        }));
        let built = built.map_err(|_| Error::SearchBackend("the graph of vectors could not be built".into()))?;
        Ok(built.map(|(graph, misses)| Self {
            graph,
            numbering: Arc::clone(snapshot.numbering()),
            rows: snapshot.all_rows(),
            dead: snapshot.dead(),
            misses,
        }))
    }

    /// The rows that the graph does not lead to and that are scanned beside it: a test tells how many by it.
    #[cfg(test)]
    pub(super) fn misses(&self) -> usize {
        self.misses.len()
    }

    /// How many candidates a search for `k` notes keeps.
    pub(super) fn width(&self, index: &VectorIndex, k: usize) -> usize {
        // Several passages of one note fill several places.
        let per_note = index.rows().div_ceil(index.notes().max(1));
        k.saturating_mul(4).saturating_mul(per_note).clamp(EF_SEARCH, self.rows.max(EF_SEARCH))
    }

    /// The notes that may be among the nearest, each once, for exact scoring, from a search `ef` candidates wide; `None`
    /// when hnsw_rs fails, and the scan has to answer.
    pub(super) fn near(&self, index: &VectorIndex, query: &Row, ef: usize) -> Option<Vec<u32>> {
        let search = AssertUnwindSafe(|| self.graph.search(&point(&query.codes, query.factor), ef, ef));
        let found = catch_unwind(search).ok()?;
        let rows = found.iter().map(|neighbour| neighbour.d_id);
        let beside = self.misses.iter().map(|&row| row as usize).chain(self.rows..index.all_rows());
        let mut ords: Vec<u32> =
            rows.chain(beside).filter_map(|row| index.live_row(row)).map(|row| row.owner.ord).collect();
        ords.sort_unstable();
        ords.dedup();
        Some(ords)
    }

    pub(super) fn numbering(&self) -> &Arc<()> {
        &self.numbering
    }

    /// Rows in the index, living and dead, when the graph was built.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Dead rows in the index when the graph was built.
    pub(super) fn dead(&self) -> usize {
        self.dead
    }
}

/// One minus the cosine, kept at or above zero, where hnsw_rs's own dot distance would panic.
struct CodeDistance {
    dims: usize,
}

impl Distance<i8> for CodeDistance {
    fn eval(&self, a: &[i8], b: &[i8]) -> f32 {
        let (Some((a, a_factor)), Some((b, b_factor))) = (a.split_at_checked(self.dims), b.split_at_checked(self.dims))
        else {
            return 2.0;
        };
        1.0 - cosine(a, b, factor(a_factor) * factor(b_factor))
    }
}

fn point(codes: &[i8], factor: f32) -> Vec<i8> {
    let mut out = Vec::with_capacity(codes.len() + FACTOR_BYTES);
    out.extend_from_slice(codes);
    out.extend(factor.to_le_bytes().map(u8::cast_signed));
    out
}

fn factor(bytes: &[i8]) -> f32 {
    match bytes {
        &[a, b, c, d] => f32::from_le_bytes([a, b, c, d].map(i8::cast_unsigned)),
        _ => 0.0,
    }
}
