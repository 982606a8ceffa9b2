//! The graph beside the codes.

use super::VectorIndex;
use crate::{Error, Result};

/// An HNSW graph over a snapshot of a [`VectorIndex`].
pub struct HnswLayer {}

#[allow(unused_variables, missing_docs)]
impl HnswLayer {
    pub fn build(snapshot: &VectorIndex) -> Result<Self> {
        Err(Error::SearchBackend("not built yet".into()))
    }
}
