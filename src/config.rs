//! Everything a store can be told, with its defaults.

mod check;
mod exploration;
mod learning;
mod memory;
mod ranking;

use std::sync::Arc;

use serde::Serialize;

use crate::clock::{Clock, SystemClock};
use crate::embed::{Embedder, EmbedderIdentity};

pub use exploration::Exploration;
pub use learning::LearningConfig;
pub use memory::{AssociationConfig, MemoryConfig};
pub use ranking::{RankingConfig, ScoutWeights};

/// How an engine is opened. Start from [`Config::default`] and change what differs.
///
/// ```
/// use terrace::{Config, EmbedderChoice};
/// let text_only = Config { embedder: EmbedderChoice::None, ..Config::default() };
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    /// Where vectors come from.
    pub embedder: EmbedderChoice,
    /// Whether an acknowledged write survives the loss of power, or only the death of the process (the default).
    pub durability: Durability,
    /// Open without taking the store's lock and without writing anything. Default false.
    pub read_only: bool,
    /// The engine's time.
    pub clock: Arc<dyn Clock>,
    /// Seed for generated ids in a new store; `None` takes one from the clock and the process.
    pub seed: Option<u64>,
    /// Threads for the panel of scouts: 0 (default) one per core, 1 serial, at most 1024.
    pub threads: usize,
    /// Cognitive retrieval as a whole.
    pub lcma: LcmaConfig,
    /// Passages and vectors.
    pub vector: VectorConfig,
    /// Fusion and reranking.
    pub ranking: RankingConfig,
    /// Reinforcement and decay.
    pub memory: MemoryConfig,
    /// What verdicts teach retrieval.
    pub learning: LearningConfig,
    /// Whether the last place of an answer is drawn; `None` (the default): no, and nothing is random.
    pub exploration: Option<Exploration>,
    /// Receipts' retention.
    pub retention: RetentionConfig,
    /// `cache_lookup`.
    pub cache: CacheConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            embedder: EmbedderChoice::Stored,
            durability: Durability::Process,
            read_only: false,
            clock: Arc::new(SystemClock),
            seed: None,
            threads: 0,
            lcma: LcmaConfig::default(),
            vector: VectorConfig::default(),
            ranking: RankingConfig::default(),
            memory: MemoryConfig::default(),
            learning: LearningConfig::default(),
            exploration: None,
            retention: RetentionConfig::default(),
            cache: CacheConfig::default(),
        }
    }
}

/// Where a store's vectors come from. The first choice is written into the store; later ones must agree with it.
#[derive(Clone, Default)]
pub enum EmbedderChoice {
    /// What the store was made with; for a new store the built-in model, or none without feature
    /// `builtin-embedder`. A store made with a model that is not at hand opens without its vector scout.
    #[default]
    Stored,
    /// No vectors: words, names, tags, links and time only.
    None,
    /// The caller gives a vector with each note and request; this names their model and width.
    Supplied(EmbedderIdentity),
    /// This embedder.
    Custom(Arc<dyn Embedder>),
}

impl std::fmt::Debug for EmbedderChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stored => f.write_str("Stored"),
            Self::None => f.write_str("None"),
            Self::Supplied(identity) => f.debug_tuple("Supplied").field(identity).finish(),
            Self::Custom(embedder) => f.debug_tuple("Custom").field(embedder.identity()).finish(),
        }
    }
}

/// What an acknowledged write survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The death of the process (SQLite `synchronous=NORMAL`).
    #[default]
    Process,
    /// The loss of power too (`synchronous=FULL`); each write waits for the disk.
    Full,
}

/// Cognitive retrieval as a whole.
#[derive(Clone, Debug, Serialize)]
pub struct LcmaConfig {
    /// Whether `retrieve`, `cache_lookup` and `node_stats` answer; `search` does regardless. Default true.
    pub enabled: bool,
    /// The largest `limit`; default 1000.
    pub max_limit: usize,
    /// Notes that seed the second graph wave unless the request says; default 10.
    pub context_nodes: usize,
    /// How many notes each scout proposes at most while `limit` is at most 100 (beyond, in proportion); default 200.
    pub pool_depth: usize,
    /// Temperature, 0 to 1, above which a retrieve looks twice as deep from twice as many seeds; above 1: never. Default
    /// 1.1: on judged sets it gained nothing where it was hot, and took about twice the time (README, *How the weights
    /// were chosen*; `examples/depth.rs` measures it on yours).
    pub widen_above: f64,
}

impl Default for LcmaConfig {
    fn default() -> Self {
        Self { enabled: true, max_limit: 1000, context_nodes: 10, pool_depth: 200, widen_above: 1.1 }
    }
}

/// How the vector index is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorIndexKind {
    /// Exact scan while it is the faster, HNSW for large stores when nearly everything is eligible.
    #[default]
    Auto,
    /// HNSW wherever a filter allows it.
    Hnsw,
    /// Exact scan always.
    Exact,
}

/// Passages and vectors.
#[derive(Clone, Debug, Serialize)]
pub struct VectorConfig {
    /// How vectors are searched.
    pub index: VectorIndexKind,
    /// Characters a passage aims at; default 600.
    pub passage_chars: usize,
}

impl Default for VectorConfig {
    fn default() -> Self {
        Self { index: VectorIndexKind::Auto, passage_chars: 600 }
    }
}

/// How long receipts are kept; applied by `maintain()`, never to one whose task is open or that is not folded yet.
#[derive(Clone, Debug)]
pub struct RetentionConfig {
    /// Days; default 90.
    pub receipt_days: f64,
    /// Rows; default 1 000 000.
    pub receipt_rows: u64,
}

impl Default for RetentionConfig {
    fn default() -> Self {
        Self { receipt_days: 90.0, receipt_rows: 1_000_000 }
    }
}

/// `cache_lookup`.
#[derive(Clone, Debug)]
pub struct CacheConfig {
    /// Cosine that a question and a cached note need; default 0.55, above what unrelated questions reach.
    pub min_similarity: f64,
}

impl Default for CacheConfig {
    fn default() -> Self {
        Self { min_similarity: 0.55 }
    }
}
