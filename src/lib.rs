//! terrace: an embedded search engine with a cognitive reranking core.

mod clock;
mod config;
mod contract;
pub mod embed;
mod engine;
mod error;
mod memory;
pub mod model;
#[allow(dead_code, unused_imports)] // until the engine uses it
mod projection;
mod rank;
mod scouts;
#[allow(dead_code)] // until the engine uses all of it
mod store;
pub mod text;
pub mod vault;

pub use clock::{Clock, ManualClock, SystemClock, Timestamp};
pub use config::{
    CacheConfig, Config, Durability, EmbedderChoice, LcmaConfig, MemoryConfig, RankingConfig, RetentionConfig,
    ScoutWeights, VectorConfig, VectorIndexKind,
};
pub use engine::{Capabilities, CheckProblem, CheckReport, CheckSeverity, Engine, MaintainReport, ProjectionState};
pub use error::{Error, Result};
pub use model::*;
