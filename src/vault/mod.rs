//! Reading Markdown folders and record files into an open engine. The files themselves are never written to.

mod access;
mod batch;
mod identity;
mod index;
mod lines;
mod note;
mod notes;
mod plan;
mod read;
mod record;
mod records;
mod report;
mod walk;

pub use index::index_folder;
pub(crate) use notes::read_notes;
pub use records::{Records, index_records, parse_records, put_records};
pub use report::{BadLine, IndexOptions, IndexProgress, IndexReport, RecordReport, Skipped};
