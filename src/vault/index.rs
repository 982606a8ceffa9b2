//! Indexing a folder of Markdown files.

use std::path::Path;

use super::report::{IndexOptions, IndexProgress, IndexReport};
use crate::engine::Engine;
use crate::error::{Error, Result};

/// Brings a store up to date with the Markdown files below `root`.
///
/// # Errors
/// `invalid_input` or `io`, naming the root, when it is missing or no directory; `read_only`.
pub fn index_folder(
    engine: &Engine,
    root: &Path,
    options: &IndexOptions,
    progress: &mut dyn FnMut(IndexProgress),
) -> Result<IndexReport> {
    let _ = (engine, options);
    progress(IndexProgress::Scanning);
    Err(Error::invalid(format!("{} cannot be indexed yet", root.display())))
}
