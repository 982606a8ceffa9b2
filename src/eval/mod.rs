//! Measuring the engine: quality over judged data sets; latency, throughput and memory over synthetic corpora.

mod dataset;
mod load;
mod machine;
pub mod metrics;
#[cfg(feature = "cli")]
pub mod plot;
mod random;
mod split;
mod synthetic;

pub use dataset::{Dataset, DatasetOptions, EvalQuery};
pub use load::{IndexSizes, IngestRate, LoadOptions, LoadReport, Percentiles, measure_load};
pub use machine::Machine;
pub use split::Half;
pub use synthetic::{SyntheticCorpus, SyntheticOptions};
