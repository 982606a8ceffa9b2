//! Stores that begin as one: filled once, copied for each pass.

use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::config::Config;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::eval::dataset::Dataset;
use crate::eval::fill::{Filled, filled};
use crate::eval::run::EvalProgress;

/// A filled store that was never asked, and the place of its copies.
pub(super) struct Stores<'a> {
    set: &'a Dataset,
    config: Config,
    filled: PathBuf,
    copy: PathBuf,
}

impl<'a> Stores<'a> {
    /// Fills a store below `dir`, or takes up the one that is there. Where the configuration has no seed for ids, `seed`
    /// is it.
    pub fn new(dir: &Path, config: &Config, set: &'a Dataset, seed: u64, progress: EvalProgress<'_>) -> Result<Self> {
        let config = Config { seed: config.seed.or(Some(seed)), ..config.clone() };
        let stores = Self { set, config, filled: dir.join("filled"), copy: dir.join("copy") };
        fs::create_dir_all(&stores.filled)
            .map_err(|source| Error::io(format!("creating {}", stores.filled.display()), source))?;
        filled(&stores.filled, &stores.config, set, progress)?;
        Ok(stores)
    }

    /// What the stores are opened with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Calls `f` with an engine over a copy, which is gone afterwards.
    pub fn with_copy<T>(&self, f: impl FnOnce(&Engine) -> Result<T>) -> Result<T> {
        self.with_copy_under(&self.config, f)
    }

    /// The same, opened with another configuration.
    pub fn with_copy_under<T>(&self, config: &Config, f: impl FnOnce(&Engine) -> Result<T>) -> Result<T> {
        remove(&self.copy)?;
        copy_tree(&self.filled, &self.copy)?;
        let config = Config { seed: self.config.seed, ..config.clone() };
        let Filled { engine, .. } = filled(&self.copy, &config, self.set, &mut |_, _, _| {})?;
        let outcome = f(&engine);
        drop(engine);
        remove(&self.copy)?;
        outcome
    }
}

fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io(format!("removing {}", dir.display()), source))
        }
        _ => Ok(()),
    }
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    let failed = |source| Error::io(format!("copying {} to {}", from.display(), to.display()), source);
    for entry in WalkDir::new(from) {
        let entry = entry.map_err(|error| failed(error.into()))?;
        let Ok(below) = entry.path().strip_prefix(from) else { continue };
        let target = to.join(below);
        if entry.file_type().is_dir() {
            fs::create_dir_all(&target).map_err(failed)?;
        } else {
            fs::copy(entry.path(), &target).map_err(failed)?;
        }
    }
    Ok(())
}
