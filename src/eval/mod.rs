//! Measuring the engine: synthetic corpora, latency, throughput and memory.

mod load;
mod machine;
mod synthetic;

pub use load::{IndexSizes, IngestRate, LoadOptions, LoadReport, Percentiles, measure_load};
pub use machine::Machine;
pub use synthetic::{SyntheticCorpus, SyntheticOptions};
