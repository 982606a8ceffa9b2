//! Plain data: what callers give the engine and what it gives back. No behaviour beyond validation.

mod cache;
mod edge;
mod learned;
mod learned_weights;
mod note;
mod null;
mod receipt;
mod replay;
mod request;
mod response;
mod scope;
mod stats;
mod task;

pub use cache::{CacheLookup, CacheResponse, CachedDocument};
pub use edge::{ConflictResolution, Edge, EdgeDraft, EdgeFilter, EdgeOrigin};
pub use learned::{
    LearnedExport, LearnedNote, LearnedReset, LearnedTrace, LearnedTraceEvent, LearnedVerdict, MovedEdge,
};
pub use learned_weights::{AssociationRate, LearnedWeights};
pub use note::{AccessScope, Note, Status};
pub use receipt::{FinalNode, Receipt, ReceiptFilter};
pub use replay::{ReplayRequest, ReplayWeights};
pub use request::{RetrieveRequest, SearchMode, SearchRequest};
pub use response::{Conflict, Explanation, RetrieveResponse, RetrievedNote, ScoutScore, SearchResponse, SearchResult};
pub(crate) use scope::check_namespace;
pub use scope::{NamespacePattern, Viewer};
pub use stats::{LearnedState, NodeStats, Quarantine, StoreStats};
pub use task::{
    Applied, Completion, CompletionRequest, DroppedNode, Feedback, FeedbackOutcome, Finding, Task, TaskDraft,
    TaskStatus, Verdict,
};

/// A note's number inside one store: given at its first `put`, never reused.
pub(crate) type Ordinal = u32;
