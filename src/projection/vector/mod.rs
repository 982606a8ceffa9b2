//! The vector index: int8 codes of the notes' passages, scanned exactly, with an HNSW graph over them when large.

mod hnsw;
mod index;

pub use hnsw::HnswLayer;
pub use index::{PreparedQuery, SearchMode, VectorHit, VectorIndex};
