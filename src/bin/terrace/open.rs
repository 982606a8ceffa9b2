//! Opening the store as a command needs it.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, Instant};

use terrace::{Config, Engine, Error, ManualClock, Result, VectorConfig};

use crate::arguments::Global;

/// Between two tries to open a store that another process has.
const PAUSE: Duration = Duration::from_millis(20);

/// What a command does with the store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Begins to fill it, and makes it where there is none.
    Create,
    /// Changes one that is there.
    Write,
    /// Reads one that is there, beside another process that has it open if need be.
    Read,
}

impl Global {
    /// Opens the store; to write, waits as long as `--wait` says while another process has it.
    ///
    /// # Errors
    /// `not_found` where there is no store and the command does not make one; else those of [`Engine::open`].
    pub(crate) fn open(&self, access: Access) -> Result<Engine> {
        if access != Access::Create && !self.store.join("terrace.db").is_file() {
            return Err(Error::NotFound(format!(
                "no terrace store in {}; check --store, or make one with `terrace index PATH`",
                self.store.display()
            )));
        }
        let config = self.config()?;
        let until = Instant::now() + Duration::from_secs(self.wait.into());
        let mut waiting = false;
        loop {
            match Engine::open(&self.store, config.clone()) {
                Err(error) if access == Access::Read && may_still_be_read(&error) => {
                    tracing::info!(%error, "opening read-only");
                    return Engine::open(&self.store, Config { read_only: true, ..config });
                }
                Err(Error::Locked { owner, .. }) if Instant::now() < until => {
                    if !std::mem::replace(&mut waiting, true) {
                        tracing::info!(owner, "waiting for the store");
                    }
                    std::thread::sleep(PAUSE);
                }
                opened => return opened,
            }
        }
    }

    /// The configuration that the global flags ask for.
    pub(crate) fn config(&self) -> Result<Config> {
        let mut config = Config {
            threads: self.threads,
            vector: VectorConfig { index: self.vector_index.into(), ..VectorConfig::default() },
            ..Config::default()
        };
        if let Some(embedder) = &self.embedder {
            config.embedder = embedder.choice()?;
        }
        if let Some(now) = self.now {
            config.clock = Arc::new(ManualClock::at(now));
        }
        Ok(config)
    }
}

/// Whether what forbids writing leaves reading possible.
fn may_still_be_read(error: &Error) -> bool {
    match error {
        Error::Locked { .. } => true,
        Error::Io { source, .. } => {
            matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
        }
        _ => false,
    }
}
