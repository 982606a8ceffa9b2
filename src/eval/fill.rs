//! A data set taken into a store.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::dataset::Dataset;
use super::run::EvalProgress;
use crate::clock::ManualClock;
use crate::config::Config;
use crate::engine::Engine;
use crate::error::{Error, Result};

/// Notes taken in per call.
const CHUNK: usize = 1_000;

/// A store that holds a data set, and what it took to have it.
pub(super) struct Filled {
    pub engine: Engine,
    /// Seconds of taking the notes in; `None` where they were there already.
    pub seconds: Option<f64>,
    /// Milliseconds of opening the store with its notes; `None` where it was empty then.
    pub open_ms: Option<f64>,
}

/// Opens the store in `dir` with the set's present as its own, and puts the notes into it where it is empty.
///
/// # Errors
/// The engine's; `conflict` when the store holds another number of notes than the set.
pub(super) fn filled(dir: &Path, config: &Config, set: &Dataset, progress: EvalProgress<'_>) -> Result<Filled> {
    let opening = Instant::now();
    let engine = Engine::open(dir, Config { clock: Arc::new(ManualClock::at(set.now)), ..config.clone() })?;
    let open_ms = opening.elapsed().as_secs_f64() * 1e3;
    let (there, total) = (engine.stats()?.notes, set.notes.len());
    if there > 0 {
        if there != total as u64 {
            return Err(Error::Conflict(format!(
                "{} holds {there} notes, and {} has {total}; name an empty directory for the store",
                dir.display(),
                set.name
            )));
        }
        return Ok(Filled { engine, seconds: None, open_ms: Some(open_ms) });
    }
    let started = Instant::now();
    for (at, chunk) in set.notes.chunks(CHUNK).enumerate() {
        progress("index", at * CHUNK, total);
        engine.put_many(chunk.to_vec())?;
    }
    engine.maintain()?;
    Ok(Filled { engine, seconds: Some(started.elapsed().as_secs_f64()), open_ms: None })
}
