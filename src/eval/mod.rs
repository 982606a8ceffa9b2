//! Measuring the engine: quality over judged data sets; latency, throughput and memory over synthetic corpora.

mod ablation;
mod bootstrap;
mod compare;
mod dataset;
mod evaluate;
mod feedback;
mod fill;
mod load;
mod machine;
pub mod metrics;
#[cfg(feature = "cli")]
pub mod plot;
mod replay;
mod report;
mod run;
mod salience;
mod split;
mod synthetic;
mod vector_recall;

pub use bootstrap::{Interval, mean_interval};
pub use compare::{Comparison, Difference};
pub use dataset::{Dataset, DatasetOptions, EvalQuery};
pub use evaluate::{EvalOptions, evaluate};
pub use feedback::{
    Channel, ChannelShift, ClickLog, ClickReport, ClickedSearch, FeedbackOptions, FeedbackReport, OverlapBin,
    PerStream, PooledFeedback, QueryShift, Rewording, Shift, Taught, Twin, replay_clicks, simulate_feedback, twins,
};
pub use load::{IndexSizes, IngestRate, LoadOptions, LoadReport, Percentiles, measure_load};
pub use machine::Machine;
pub use replay::{ReplayGain, ReplayReport, ReplayedReceipt, check_replay_weight};
pub use report::{IndexCost, Means, Report};
pub use run::{EvalProgress, QueryScores, Run};
pub use salience::{
    BareLoop, GroupEnd, NoteGroup, Quantiles, Reach, SalienceDay, SalienceOptions, SalienceReport, simulate_salience,
};
pub use split::Half;
pub use synthetic::{SyntheticCorpus, SyntheticOptions};
pub use vector_recall::{FilteredRecall, GraphRecall, VectorRecall};
