//! Everything a store can be told, with its defaults.

mod exploration;
mod learning;

use std::sync::Arc;

use serde::Serialize;

use crate::clock::{Clock, SystemClock};
use crate::embed::{Embedder, EmbedderIdentity};

pub use exploration::Exploration;
pub use learning::LearningConfig;

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

/// Weights of the scouts in the convex combination, in canonical order; used in proportion to their sum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoutWeights {
    /// `scout_lexical`.
    pub lexical: f32,
    /// `scout_vector`.
    pub vector: f32,
    /// `scout_graph`.
    pub graph: f32,
    /// `scout_tag`.
    pub tag: f32,
    /// `scout_path`.
    pub path: f32,
    /// `scout_task_context`. Most of what it can say is what earlier queries ended up citing; where it says nothing, all
    /// scores are lower by one factor and stand in the same order.
    pub task_context: f32,
    /// `scout_recency`.
    pub recency: f32,
}

impl Default for ScoutWeights {
    fn default() -> Self {
        Self { lexical: 0.47, vector: 0.16, graph: 0.12, tag: 0.03, path: 0.14, task_context: 0.6, recency: 0.02 }
    }
}

impl ScoutWeights {
    /// No scout counts.
    pub const ZERO: Self =
        Self { lexical: 0.0, vector: 0.0, graph: 0.0, tag: 0.0, path: 0.0, task_context: 0.0, recency: 0.0 };

    /// The weight of a scout by its canonical name, such as `scout_lexical`; `None` for a name that no scout has.
    ///
    /// ```
    /// let mut weights = terrace::ScoutWeights::default();
    /// *weights.get_mut("scout_vector").unwrap() = 0.0;
    /// assert_eq!(weights.vector, 0.0);
    /// assert!(weights.get_mut("vector").is_none());
    /// ```
    pub fn get_mut(&mut self, scout: &str) -> Option<&mut f32> {
        match scout {
            "scout_lexical" => Some(&mut self.lexical),
            "scout_vector" => Some(&mut self.vector),
            "scout_graph" => Some(&mut self.graph),
            "scout_tag" => Some(&mut self.tag),
            "scout_path" => Some(&mut self.path),
            "scout_task_context" => Some(&mut self.task_context),
            "scout_recency" => Some(&mut self.recency),
            _ => None,
        }
    }

    /// The weights in canonical order, scaled to sum to 1; all zero when none is positive.
    pub fn normalised(&self) -> [f32; 7] {
        let raw = [self.lexical, self.vector, self.graph, self.tag, self.path, self.task_context, self.recency]
            .map(|weight| if weight.is_finite() { weight.max(0.0) } else { 0.0 });
        let sum: f32 = raw.iter().sum();
        if sum > 0.0 { raw.map(|weight| weight / sum) } else { raw }
    }
}

/// Fusion and reranking.
#[derive(Clone, Debug, Serialize)]
pub struct RankingConfig {
    /// Scout weights before anything is learned.
    pub weights: ScoutWeights,
    /// Boost of title and aliases over the body in BM25; default 0.3.
    pub name_boost: f32,
    /// BM25 calibration: `s / (s + κ·Σ idf)`; default 0.7.
    pub lexical_kappa: f32,
    /// Largest |δ| of salience; default 0.05.
    pub salience_delta: f64,
    /// Largest δ of usage; at most 0.0025, so that popularity moves no score by more than 0.5 %. Default 0.0025.
    pub usage_delta: f64,
    /// Largest δ of recency; default 0.01.
    pub recency_delta: f64,
    /// Largest |δ| of the note type's prior; default 0.01.
    pub note_type_delta: f64,
    /// Largest δ of graph affinity; default 0.03.
    pub graph_delta: f64,
    /// Largest |δ| of the knowledge status; default 0.02.
    pub status_delta: f64,
    /// Factor on a note that nearly repeats a better one; default 0.85.
    pub near_duplicate_factor: f64,
    /// Jaccard similarity of content shingles from which two notes nearly repeat each other; default 0.8.
    pub near_duplicate_jaccard: f64,
}

impl Default for RankingConfig {
    fn default() -> Self {
        Self {
            weights: ScoutWeights::default(),
            name_boost: 0.3,
            lexical_kappa: 0.7,
            salience_delta: 0.05,
            usage_delta: 0.0025,
            recency_delta: 0.01,
            note_type_delta: 0.01,
            graph_delta: 0.03,
            status_delta: 0.02,
            near_duplicate_factor: 0.85,
            near_duplicate_jaccard: 0.8,
        }
    }
}

/// Reinforcement and decay: how verdicts and idle time move a note.
#[derive(Clone, Debug)]
pub struct MemoryConfig {
    /// Salience of a new note; default 0.5.
    pub initial_salience: f64,
    /// Added to salience by a citation; default 0.02.
    pub cited_salience: f64,
    /// Added to `spaced_rep_strength` by a citation; default 0.05.
    pub cited_strength: f64,
    /// Taken from salience by a misleading verdict; default 0.05.
    pub misleading_salience: f64,
    /// Taken from every incident asserted or learned edge by a misleading verdict, to 0 at least, and given back with it;
    /// default 0.05.
    pub misleading_edge: f64,
    /// Misleading verdicts that quarantine a note; default 3.
    pub quarantine_after: u64,
    /// Taken from salience per ignored verdict beyond the grace; default 0.02.
    pub ignored_salience: f64,
    /// Ignored verdicts that cost nothing; default 5.
    pub ignored_grace: u64,
    /// Weight of a `related_to` edge that co-citation creates; default 0.5.
    pub related_initial: f64,
    /// Added to it by each further co-citation; default 0.03.
    pub related_step: f64,
    /// `lcma.salience_floor`: what idle time erodes salience toward; default 0.3.
    pub salience_floor: f64,
    /// Decay per idle day, divided by `max(1, spaced_rep_strength)`; default 0.005.
    pub decay_rate: f64,
    /// Idle days that cost nothing; default 7.
    pub decay_grace_days: f64,
    /// Days after which an unseen entry leaves working memory; default 7.
    pub working_memory_days: f64,
    /// Coactivation pairs kept per note; default 32.
    pub coactivation_per_note: usize,
    /// Queries that led to cited notes.
    pub association: AssociationConfig,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            initial_salience: 0.5,
            cited_salience: 0.02,
            cited_strength: 0.05,
            misleading_salience: 0.05,
            misleading_edge: 0.05,
            quarantine_after: 3,
            ignored_salience: 0.02,
            ignored_grace: 5,
            related_initial: 0.5,
            related_step: 0.03,
            salience_floor: 0.3,
            decay_rate: 0.005,
            decay_grace_days: 7.0,
            working_memory_days: 7.0,
            coactivation_per_note: 32,
            association: AssociationConfig::default(),
        }
    }
}

/// Association: how a note is found again by the queries that ended up citing it.
///
/// How like a query is to a trace is `0.6·cosine of their vectors + 0.4·cosine of their terms`, terms weighted by idf. A
/// note scores as its best trace, for similarities above its floor f:
/// `strength · ((similarity − f)/(1 − f))^1.3 · trust / (1 + unlike/breadth)²`. The floor is τ, or higher where questions
/// that led to other notes are as much like the query (`rivals`). Trust is learned by
/// [`Engine::maintain`](crate::Engine::maintain): at similarities where callers seldom cited what was proposed, proposals
/// count less. The defaults were chosen by simulated feedback (`terrace eval --feedback`) on seven judged sets. A verdict of ignored makes no trace and moves
/// none: whoever reads a list leaves most of it unnamed, which says little of what those notes answer.
#[derive(Clone, Debug)]
pub struct AssociationConfig {
    /// τ: how like a trace a query has to be, 0 to 1; default 0.25.
    pub min_similarity: f32,
    /// How many questions that led to other notes, and not to this one, may be more like the query before the next one's
    /// similarity is the note's floor instead of τ; default 1.
    pub rivals: usize,
    /// Similarity from which a misleading verdict weakens a trace; default 0.5.
    pub misleading_similarity: f32,
    /// Similarity from which two queries are kept as one trace; default 0.95.
    pub merge_similarity: f32,
    /// Traces kept per note; default 16.
    pub per_note: usize,
    /// Citations, decayed, at which a trace has half of its full strength; default 0.25.
    pub half_strength: f64,
    /// Days in which a verdict's weight in a trace halves; default 90.
    pub half_life_days: f64,
    /// Days after which it is forgotten; default 365.
    pub forget_days: f64,
    /// The rate at which callers cite what it proposes from which a proposal counts in full; default 0.25.
    pub trusted_rate: f32,
    /// How many judged proposals, half of them cited, what is known of that rate is weighed against; default 8.
    pub trust_prior: f32,
    /// How many unlike traces beside it take a trace to a quarter: a note that is cited for everything answers nothing
    /// in particular. Default 2.
    pub breadth: f32,
}

impl Default for AssociationConfig {
    fn default() -> Self {
        Self {
            min_similarity: 0.25,
            rivals: 1,
            misleading_similarity: 0.5,
            merge_similarity: 0.95,
            per_note: 16,
            half_strength: 0.25,
            half_life_days: 90.0,
            forget_days: 365.0,
            trusted_rate: 0.25,
            trust_prior: 8.0,
            breadth: 2.0,
        }
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
