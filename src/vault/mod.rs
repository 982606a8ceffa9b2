//! Reading Markdown folders and record files into an open engine. The files themselves are never written to.

mod index;
mod records;
mod report;

pub use index::index_folder;
pub use records::{Records, index_records, parse_records, put_records};
pub use report::{BadLine, IndexOptions, IndexProgress, IndexReport, RecordReport, Skipped};
