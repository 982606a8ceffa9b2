//! terrace: an embedded search engine with a cognitive reranking core.

pub mod embed;
mod error;
pub mod text;

pub use error::{Error, Result};
