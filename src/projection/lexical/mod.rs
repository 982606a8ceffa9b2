//! The lexical index: BM25 over the words of each note, on tantivy.
//!
//! It stores nothing but an ordinal per note, and knows nothing of SQLite. What it is given are terms that `text/`
//! has analysed already; what it returns are ordinals and scores.

mod document;
mod index;

pub use document::{LexicalDoc, LexicalParams, QueryWeight};
pub use index::{LexicalIndex, Opened};
