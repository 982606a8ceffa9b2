//! The lexical index: BM25 over the words of each note, on tantivy.
//!
//! It stores nothing but an ordinal per note, and knows nothing of SQLite. What it is given are terms that `text/`
//! has analysed already; what it returns are ordinals and scores.
//!
//! A score is the sum over the query's terms, in a fixed order, of `weight · (bm25(body) + name_boost · bm25(name))`
//! with tantivy's BM25 (k1 1.2, b 0.75, idf `ln(1 + (N − n + ½)/(n + ½))`, lengths rounded to one byte). `N`, `n` and
//! the mean length count living notes only, so that deleting, replacing and merging leave the other scores as a fresh
//! index would have them.

mod document;
mod faults;
mod index;
mod opening;
mod payload;
mod query;
mod read_only;
mod schema;
mod search;
mod segment;
mod statistics;
#[cfg(test)]
mod tests;

pub use document::{LexicalDoc, LexicalParams, QueryWeight};
pub use index::LexicalIndex;
pub use opening::Opened;
