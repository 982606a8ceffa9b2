//! Time per stage, in microseconds.

use std::collections::BTreeMap;
use std::time::Instant;

/// Laps since the last lap, and the whole.
pub(crate) struct Stopwatch {
    started: Instant,
    last: Instant,
    laps: BTreeMap<String, u64>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        let now = Instant::now();
        Self { started: now, last: now, laps: BTreeMap::new() }
    }

    /// Ends a stage; a stage that ran twice has both.
    pub(crate) fn lap(&mut self, stage: &str) {
        let now = Instant::now();
        let micros = micros(now.duration_since(self.last));
        self.last = now;
        self.add(stage, micros);
    }

    /// Adds to a stage what was measured elsewhere.
    pub(crate) fn add(&mut self, stage: &str, micros: u64) {
        *self.laps.entry(stage.to_owned()).or_default() += micros;
    }

    /// Stages so far, and `total`.
    pub(crate) fn laps(&self) -> BTreeMap<String, u64> {
        let mut laps = self.laps.clone();
        laps.insert("total".to_owned(), micros(self.started.elapsed()));
        laps
    }
}

pub(crate) fn micros(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
