//! terrace: an embedded search engine with a cognitive reranking core.

pub mod embed;
mod error;
#[allow(dead_code, unused_imports)] // until the engine uses it
mod projection;
pub mod text;

pub use error::{Error, Result};
