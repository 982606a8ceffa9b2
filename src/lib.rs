//! terrace: an embedded search engine with a cognitive reranking core.

mod clock;
pub mod embed;
mod error;
pub mod model;
#[allow(dead_code)] // Until the engine uses all of it.
pub(crate) mod store;
pub mod text;

pub use clock::{Clock, ManualClock, SystemClock, Timestamp};
pub use error::{Error, Result};
pub use model::*;
