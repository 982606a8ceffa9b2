//! The static model: a text's vector is the sum of its tokens' rows (data/static-en-256/FORMAT.md).

use std::borrow::Cow;
use std::path::Path;
#[cfg(feature = "builtin-embedder")]
use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::Xxh3;

use super::table::Table;
use super::vector::unit;
use super::wordpiece::Vocabulary;
use crate::embed::{Embedder, EmbedderIdentity};
use crate::{Error, Result};

/// Tokens beyond these are not read.
const MAX_TOKENS: usize = 512;

#[cfg(feature = "builtin-embedder")]
const BUILTIN_WEIGHTS: &[u8] = include_bytes!("../../data/static-en-256/model.safetensors");
#[cfg(feature = "builtin-embedder")]
const BUILTIN_VOCABULARY: &str = include_str!("../../data/static-en-256/vocab.txt");
/// Written down rather than computed, so that opening a store does not read all of the weights from disk.
#[cfg(feature = "builtin-embedder")]
const BUILTIN_HASH: &str = "1b7e006fe73cc38a09006b0270ff28c3";

/// Sums the rows of an int8 token table: microseconds a text, on any machine, without word order.
///
/// Reads the first 512 tokens of a text and takes time for no more, whatever its length. Queries and passages are
/// embedded alike. The same text gives the same bits on every call and thread.
///
/// ```
/// # #[cfg(feature = "builtin-embedder")]
/// # fn main() -> terrace::Result<()> {
/// use terrace::embed::{Embedder, StaticEmbedder};
///
/// let embedder = StaticEmbedder::builtin()?;
/// let vectors = embedder.embed_passages(&["A kitten sleeps.", "The cat is napping.", "Interest rates rose.", " "])?;
/// let dot = |a: usize, b: usize| -> Option<f32> {
///     Some(vectors[a].as_ref()?.iter().zip(vectors[b].as_ref()?).map(|(x, y)| x * y).sum())
/// };
/// assert!(dot(0, 1) > dot(0, 2));
/// assert_eq!(vectors[3], None);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "builtin-embedder"))]
/// # fn main() {}
/// ```
pub struct StaticEmbedder {
    identity: EmbedderIdentity,
    table: Table,
    vocabulary: Vocabulary,
}

/// The model that is compiled in, shared by the whole process: the first call takes a few milliseconds, the next ones
/// copy a pointer.
///
/// # Errors
///
/// None in practice: the files are those the tests run on.
#[cfg(feature = "builtin-embedder")]
pub fn builtin() -> Result<Arc<dyn Embedder>> {
    static SHARED: OnceLock<Arc<StaticEmbedder>> = OnceLock::new();
    if let Some(shared) = SHARED.get() {
        return Ok(Arc::clone(shared) as Arc<dyn Embedder>);
    }
    // Two threads may both come here; one of the models is dropped again.
    let made = Arc::new(StaticEmbedder::builtin()?);
    Ok(Arc::clone(SHARED.get_or_init(|| made)) as Arc<dyn Embedder>)
}

impl StaticEmbedder {
    /// The compiled-in English model `static-en-256`. [`builtin`] shares one between all that use it.
    ///
    /// # Errors
    ///
    /// None in practice: the files are those the tests run on.
    #[cfg(feature = "builtin-embedder")]
    pub fn builtin() -> Result<Self> {
        let lines = BUILTIN_VOCABULARY.split_terminator('\n').map(Cow::Borrowed);
        Self::new("static-en-256".into(), BUILTIN_HASH.into(), BUILTIN_WEIGHTS.into(), lines)
    }

    /// A model of the same format from a directory with `model.safetensors` and `vocab.txt`. Its name is the
    /// directory's.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if a file cannot be read, [`Error::InvalidInput`] if it is not of the format
    /// (data/static-en-256/FORMAT.md in terrace's sources).
    pub fn from_dir(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = |name: &str| {
            let path = path.join(name);
            std::fs::read(&path).map_err(|error| {
                let path = path.display();
                Error::io(format!("reading {path}, expected with {name} in a static model's directory"), error)
            })
        };
        let (weights, vocabulary) = (file("model.safetensors")?, file("vocab.txt")?);
        let hash = hash_of(&weights, &vocabulary);
        let vocabulary = String::from_utf8(vocabulary).map_err(|error| {
            Error::InvalidInput(format!("vocab.txt is not UTF-8 ({}); copy it anew", error.utf8_error()))
        })?;
        let lines = vocabulary.lines().map(|line| Cow::Owned(line.to_owned()));
        Self::new(folder_name(path), hash, weights.into(), lines)
    }

    /// The rows of a text's first 512 tokens; row 0 stands for a word that the vocabulary cannot make up.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.vocabulary.tokens(text, MAX_TOKENS)
    }

    fn new(
        name: String,
        hash: String,
        weights: Cow<'static, [u8]>,
        lines: impl Iterator<Item = Cow<'static, str>>,
    ) -> Result<Self> {
        let (table, vocabulary) = (Table::read(weights)?, Vocabulary::read(lines)?);
        if table.len() != vocabulary.len() {
            return Err(Error::InvalidInput(format!(
                "the static model {name:?} has {} rows and {} vocabulary lines, expected as many of each; \
                 copy model.safetensors and vocab.txt from one model",
                table.len(),
                vocabulary.len()
            )));
        }
        Ok(Self { identity: EmbedderIdentity { name, hash, dims: table.dims() }, table, vocabulary })
    }
}

impl Embedder for StaticEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>> {
        Ok(texts.iter().map(|text| unit(&self.table.sum(&self.tokens(text)))).collect())
    }
}

fn hash_of(weights: &[u8], vocabulary: &[u8]) -> String {
    let mut hasher = Xxh3::new();
    hasher.update(weights);
    hasher.update(vocabulary);
    format!("{:032x}", hasher.digest128())
}

/// The last part of a path, resolved first so that `.` has a name too.
pub(super) fn folder_name(path: &Path) -> String {
    let resolved = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    resolved.file_name().unwrap_or(resolved.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(all(test, feature = "builtin-embedder"))]
mod tests {
    use super::*;

    #[test]
    fn the_written_down_hash_is_that_of_the_files() {
        assert_eq!(BUILTIN_HASH, hash_of(BUILTIN_WEIGHTS, BUILTIN_VOCABULARY.as_bytes()));
    }

    #[test]
    fn the_shared_model_is_made_once() {
        let (one, other) = (builtin().unwrap(), builtin().unwrap());
        assert!(Arc::ptr_eq(&one, &other));
    }
}
