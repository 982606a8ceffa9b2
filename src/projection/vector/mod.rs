//! The vector index: int8 codes of the notes' passages, scanned exactly, with an HNSW graph over them when large.
//!
//! It knows ordinals, passages and vectors, and nothing of SQLite or of what the vectors mean.

mod block;
mod codes;
mod hnsw;
mod index;
mod scan;
#[cfg(test)]
mod tests;

pub(crate) use codes::{PreparedQuery, Row, row_cosine};
pub use hnsw::HnswLayer;
pub use index::{SearchMode, VectorHit, VectorIndex};
