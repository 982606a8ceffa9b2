//! BERT-family sentence transformers from a local directory, on candle.

use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::BertModel;
use tokenizers::{Encoding, Tokenizer, TruncationParams};
use xxhash_rust::xxh3::Xxh3;

use super::model_dir::ModelDir;
use super::vector::unit;
use crate::embed::{Embedder, EmbedderIdentity};
use crate::{Error, Result};

/// Text beyond this many bytes for each token that may be kept is not tokenised, so that megabytes cost no more than
/// kilobytes. Tokens of English have four or five.
const BYTES_PER_TOKEN: usize = 64;

/// How the vectors of a text's tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// Their mean, `[CLS]` and `[SEP]` with them (all-MiniLM-L6-v2).
    Mean,
    /// That of `[CLS]` alone (bge-small-en-v1.5).
    Cls,
}

/// How to run a transformer. The default is right for all-MiniLM-L6-v2.
#[derive(Clone, Debug)]
pub struct TransformerOptions {
    /// The name in the identity. By default the last part of `_name_or_path` in config.json, else the directory's.
    pub name: Option<String>,
    /// By default what `1_Pooling/config.json` says, else the mean.
    pub pooling: Option<Pooling>,
    /// Put before queries and not before passages, such as bge's `Represent this sentence for searching relevant
    /// passages: `. By default none.
    pub query_prefix: Option<String>,
    /// The tokens that are kept of a text, `[CLS]` and `[SEP]` among them: at least 3, at most what the model has
    /// positions for (more is reduced to that). By default 256.
    pub max_tokens: usize,
    /// Texts that go through the network together, at least 1. More is faster and takes more memory (about 50 MB at
    /// the default of 32 with all-MiniLM-L6-v2 and long texts).
    pub batch: usize,
}

impl Default for TransformerOptions {
    fn default() -> Self {
        Self { name: None, pooling: None, query_prefix: None, max_tokens: 256, batch: 32 }
    }
}

/// A sentence transformer of the BERT family: milliseconds a text, and finer than the static model.
///
/// Vectors of one text may differ in their last bits with the texts that it is embedded together with.
///
/// ```no_run
/// use terrace::embed::{Embedder, TransformerEmbedder, TransformerOptions};
///
/// # fn main() -> terrace::Result<()> {
/// let embedder = TransformerEmbedder::open("models/all-MiniLM-L6-v2", TransformerOptions::default())?;
/// let vector = embedder.embed_query("Which pet does Caroline's sister have?")?;
/// assert_eq!(vector.map(|v| v.len()), Some(384));
/// # Ok(())
/// # }
/// ```
pub struct TransformerEmbedder {
    identity: EmbedderIdentity,
    model: BertModel,
    tokenizer: Tokenizer,
    unknown: Option<u32>,
    pooling: Pooling,
    query_prefix: String,
    max_tokens: usize,
    batch: usize,
}

impl TransformerEmbedder {
    /// Reads a model's `config.json`, `model.safetensors` and `tokenizer.json` from a directory.
    ///
    /// The identity's hash covers the weights, the tokenizer and the pooling.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] naming the file that cannot be read, [`Error::InvalidInput`] if one does not hold what it should
    /// or an option is out of range, [`Error::Unsupported`] for models other than BERT and poolings other than mean
    /// and CLS.
    pub fn open(dir: impl AsRef<Path>, options: TransformerOptions) -> Result<Self> {
        if options.max_tokens < 3 || options.batch == 0 {
            return Err(Error::invalid(format!(
                "a transformer needs max_tokens of 3 or more and batch of 1 or more, got {} and {}",
                options.max_tokens, options.batch
            )));
        }
        let dir = ModelDir::new(dir.as_ref());
        let config = dir.config()?;
        let name = options.name.map_or_else(|| dir.name(), Ok)?;
        let pooling = options.pooling.map_or_else(|| dir.pooling(), Ok)?;
        let max_tokens = options.max_tokens.min(config.max_position_embeddings);
        let (weights, vocabulary) = (dir.read("model.safetensors")?, dir.read("tokenizer.json")?);
        let hash = hash_of(&weights, &vocabulary, pooling);

        let tokenizer = read_tokenizer(&vocabulary, max_tokens).map_err(|e| dir.unreadable("tokenizer.json", &e))?;
        let model = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)
            .and_then(|weights| BertModel::load(weights, &config))
            .map_err(|error| dir.unreadable("model.safetensors", &error))?;
        Ok(Self {
            identity: EmbedderIdentity { name, hash, dims: config.hidden_size },
            model,
            unknown: tokenizer.token_to_id("[UNK]"),
            tokenizer,
            pooling,
            query_prefix: options.query_prefix.unwrap_or_default(),
            max_tokens,
            batch: options.batch,
        })
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Encoding>> {
        let read = self.max_tokens.saturating_mul(BYTES_PER_TOKEN);
        let starts = texts.iter().map(|text| text.get(..text.floor_char_boundary(read)).unwrap_or_default()).collect();
        self.tokenizer.encode_batch_fast::<&str>(starts, true).map_err(|error| self.failed(&error))
    }

    /// Whether a text has more than special and unknown tokens.
    fn says_something(&self, encoding: &Encoding) -> bool {
        let mut tokens = encoding.get_ids().iter().zip(encoding.get_special_tokens_mask());
        tokens.any(|(&id, &special)| special == 0 && Some(id) != self.unknown)
    }

    /// The vectors of one batch, padded to its longest text.
    fn forward(&self, batch: &[&Encoding]) -> candle_core::Result<Vec<Vec<f32>>> {
        let width = batch.iter().map(|encoding| encoding.len()).max().unwrap_or(0);
        let padded = |row: fn(&Encoding) -> &[u32]| -> candle_core::Result<Tensor> {
            let rows = batch.iter().map(|encoding| row(encoding));
            let flat: Vec<u32> =
                rows.flat_map(|row| row.iter().copied().chain([0].into_iter().cycle()).take(width)).collect();
            Tensor::from_vec(flat, (batch.len(), width), &Device::Cpu)
        };
        // Padding is masked, so it does not matter which token it is; 0 exists in every vocabulary.
        let (ids, mask) = (padded(Encoding::get_ids)?, padded(Encoding::get_attention_mask)?);
        let hidden = self.model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        let pooled = match self.pooling {
            // The sum has the direction of the mean, and the length becomes 1 in any case.
            Pooling::Mean => hidden.broadcast_mul(&mask.to_dtype(DType::F32)?.unsqueeze(2)?)?.sum(1)?,
            Pooling::Cls => hidden.narrow(1, 0, 1)?.squeeze(1)?,
        };
        pooled.to_vec2()
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> Error {
        Error::Unsupported(format!(
            "the transformer {:?} failed on a text: {error}; check that its files belong together, or use the built-in \
             embedder",
            self.identity.name
        ))
    }
}

impl Embedder for TransformerEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>> {
        let encodings = self.encode(texts)?;
        let (mut order, mut vectors) = (Vec::new(), vec![None; texts.len()]);
        order.extend(encodings.iter().zip(&mut vectors).filter(|(encoding, _)| self.says_something(encoding)));
        // Texts of about the same length go together, so that little is padded.
        order.sort_by_key(|(encoding, _)| encoding.len());
        for batch in order.chunks_mut(self.batch) {
            let inputs: Vec<&Encoding> = batch.iter().map(|(encoding, _)| *encoding).collect();
            let outputs = self.forward(&inputs).map_err(|error| self.failed(&error))?;
            for ((_, vector), output) in batch.iter_mut().zip(outputs) {
                **vector = unit(&output);
            }
        }
        Ok(vectors)
    }

    fn embed_query(&self, text: &str) -> Result<Option<Vec<f32>>> {
        // A prefix alone would have a vector.
        let prefix = if text.trim().is_empty() { "" } else { &self.query_prefix };
        Ok(self.embed_passages(&[&format!("{prefix}{text}")])?.pop().flatten())
    }
}

fn read_tokenizer(json: &[u8], max_tokens: usize) -> tokenizers::Result<Tokenizer> {
    let mut tokenizer = Tokenizer::from_bytes(json)?;
    tokenizer.with_padding(None);
    // The tokenizer subtracts its special tokens from the limit without looking whether that can be done.
    let special = tokenizer.with_truncation(None)?.encode_fast("", true)?.len();
    if special >= max_tokens {
        return Err(format!("{special} special tokens leave no room in {max_tokens}").into());
    }
    tokenizer.with_truncation(Some(TruncationParams { max_length: max_tokens, ..TruncationParams::default() }))?;
    Ok(tokenizer)
}

fn hash_of(weights: &[u8], tokenizer: &[u8], pooling: Pooling) -> String {
    let mut hasher = Xxh3::new();
    hasher.update(weights);
    hasher.update(tokenizer);
    hasher.update(match pooling {
        Pooling::Mean => b"mean",
        Pooling::Cls => b"cls",
    });
    format!("{:032x}", hasher.digest128())
}
