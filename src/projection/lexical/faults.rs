//! Keeping tantivy's faults inside: its errors become ours, and a panic over damaged bytes becomes an error.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tantivy::TantivyError;

use crate::{Error, Result};

/// The kinder form of an error from tantivy.
pub(super) fn backend(error: impl Into<TantivyError>) -> Error {
    Error::SearchBackend(format!("lexical index: {}", error.into()))
}

/// Runs a step that reads index files. tantivy trusts their bytes and may panic where they are damaged, and a
/// damaged projection must not take the process with it.
pub(super) fn guarded<T>(step: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|panic| {
        let reason = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no reason given".to_owned());
        Err(Error::SearchBackend(format!("lexical index: tantivy stopped on its own files: {reason}")))
    })
}
