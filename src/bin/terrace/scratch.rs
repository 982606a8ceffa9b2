//! A folder for a measurement's store.

use std::path::{Path, PathBuf};

/// A folder of this process in the system's temporary one, removed with what is in it when this is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// `purpose` keeps folders of one process apart.
    pub(crate) fn new(purpose: &str) -> Self {
        Self(std::env::temp_dir().join(format!("terrace-{purpose}-{}", std::process::id())))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        match std::fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(%error, place = %self.0.display(), "the measurement's store was not removed");
            }
            _ => {}
        }
    }
}
