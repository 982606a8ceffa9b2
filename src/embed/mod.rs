//! From text to vectors: the [`Embedder`] trait and its two implementations.
//!
//! [`StaticEmbedder`] sums rows of a token table, and costs microseconds; a small English table is compiled in under
//! the feature `builtin-embedder` (`builtin`). `TransformerEmbedder` (feature `transformer`) runs a sentence
//! transformer from a local directory, and costs milliseconds. Anything else that turns text into vectors joins by
//! implementing the trait:
//!
//! ```
//! use terrace::embed::{Embedder, EmbedderIdentity};
//!
//! /// Counts the vowels.
//! struct Vowels(EmbedderIdentity);
//!
//! impl Embedder for Vowels {
//!     fn identity(&self) -> &EmbedderIdentity {
//!         &self.0
//!     }
//!
//!     fn embed_passages(&self, texts: &[&str]) -> terrace::Result<Vec<Option<Vec<f32>>>> {
//!         let counts = |text: &str| "aeiou".chars().map(|v| text.matches(v).count() as f32).collect::<Vec<_>>();
//!         texts.iter().map(|text| terrace::embed::check_vector(&counts(text), &self.0)).collect()
//!     }
//! }
//!
//! # fn main() -> terrace::Result<()> {
//! let vowels = Vowels(EmbedderIdentity { name: "vowels".into(), hash: "1".into(), dims: 5 });
//! assert_eq!(vowels.embed_query("sea")?.map(|v| v.len()), Some(5));
//! assert_eq!(vowels.embed_query("hmm")?, None);
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "transformer")]
mod model_dir;
mod static_model;
mod table;
#[cfg(feature = "transformer")]
mod transformer;
mod vector;
mod wordpiece;
mod words;

pub use static_model::StaticEmbedder;
#[cfg(feature = "builtin-embedder")]
pub use static_model::builtin;
#[cfg(feature = "transformer")]
pub use transformer::{Pooling, TransformerEmbedder, TransformerOptions};
pub use vector::check_vector;

use crate::Result;

/// What makes the vectors of two embedders comparable; stored with the store.
///
/// Two embedders with equal identities must give the same vectors, up to rounding. A store whose identity is another
/// than its embedder's has to be embedded anew.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct EmbedderIdentity {
    /// The model's name, such as `static-en-256`; shown to people.
    pub name: String,
    /// What distinguishes two models of one name: for terrace's own embedders the XXH3-128 of the files that decide
    /// the vectors, in hexadecimal.
    pub hash: String,
    /// The number of dimensions of every vector.
    pub dims: usize,
}

/// Turns text into vectors whose dot product says how near two texts are in meaning.
///
/// The engine passes every vector through [`check_vector`], so an implementation need not be trusted: a vector of
/// another width than the identity's or with a component that is not finite is refused, and lengths are made 1.
/// Calls may come from several threads at once.
pub trait Embedder: Send + Sync {
    /// What the vectors of this embedder are comparable with. Must not change while the embedder lives.
    fn identity(&self) -> &EmbedderIdentity;

    /// The vectors of passages, one entry per text and in the same order. `None` where a text has no vector (blank,
    /// or nothing in it known to the model), otherwise of length 1.
    ///
    /// # Errors
    ///
    /// Whatever keeps the model from running. One failing text fails the batch.
    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>>;

    /// The vector of a query. By default that of the same text as a passage; a model that was trained with a prefix
    /// before queries puts it here.
    ///
    /// # Errors
    ///
    /// As [`embed_passages`](Embedder::embed_passages).
    fn embed_query(&self, text: &str) -> Result<Option<Vec<f32>>> {
        Ok(self.embed_passages(&[text])?.pop().flatten())
    }
}
