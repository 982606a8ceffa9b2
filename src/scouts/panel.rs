//! The panel: runs the scouts side by side, times them, and confines what fails to the scout that failed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use parking_lot::Mutex;

use super::{
    Answer, Candidate, GraphScout, LexicalScout, PathScout, PerScout, Query, Reason, RecencyScout, Scout, ScoutKind,
    Sources, TagScout, TaskContextScout, VectorScout,
};
use crate::error::{Error, Result};
use crate::model::Ordinal;

/// Below this many notes the scouts take microseconds each, and handing them to threads costs more than it saves.
const SERIAL_BELOW: usize = 20_000;
/// Most threads of a panel; seven scouts never need as many.
const MAX_THREADS: usize = 1024;

/// The seven scouts and the threads they run on.
pub(crate) struct Panel {
    pool: Option<rayon::ThreadPool>,
}

/// How one scout fared.
#[derive(Clone, Debug)]
pub(crate) struct ScoutRun {
    pub state: ScoutState,
    /// What it proposes; what it had found before it failed.
    pub found: Vec<Candidate>,
    pub micros: u64,
}

/// What became of one scout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScoutState {
    Ran,
    Skipped,
    Failed,
}

/// What the whole panel came back with.
#[derive(Clone, Debug, Default)]
pub(crate) struct PanelOutcome {
    pub runs: PerScout<Option<ScoutRun>>,
}

impl PanelOutcome {
    /// The candidates of one scout.
    pub(crate) fn found(&self, kind: ScoutKind) -> &[Candidate] {
        self.runs.get(kind).as_ref().map(|run| run.found.as_slice()).unwrap_or_default()
    }

    /// Why a scout proposed this note, if it did.
    pub(crate) fn reason(&self, kind: ScoutKind, ord: Ordinal) -> Option<&Reason> {
        self.found(kind).iter().find(|candidate| candidate.ord == ord).map(|candidate| &candidate.reason)
    }

    /// Whether the scout ran cleanly so far.
    pub(crate) fn ran(&self, kind: ScoutKind) -> bool {
        self.runs.get(kind).as_ref().is_some_and(|run| run.state == ScoutState::Ran)
    }

    /// Takes over what a scout found when it ran once more. One that failed the second time has failed, and keeps what
    /// it found the first time.
    pub(crate) fn again(&mut self, kind: ScoutKind, run: ScoutRun) {
        let Some(known) = self.runs.get_mut(kind) else { return };
        known.micros += run.micros;
        match run.state {
            ScoutState::Ran => known.found = run.found,
            ScoutState::Failed => known.state = ScoutState::Failed,
            ScoutState::Skipped => {}
        }
    }

    /// Names of the scouts that ran cleanly, were skipped, and failed, each in canonical order.
    pub(crate) fn names(&self) -> (Vec<String>, Vec<String>, Vec<String>) {
        let of = |state: ScoutState| {
            let runs = self.runs.iter().filter(|(_, run)| run.as_ref().is_some_and(|run| run.state == state));
            runs.map(|(kind, _)| kind.name().to_owned()).collect()
        };
        (of(ScoutState::Ran), of(ScoutState::Skipped), of(ScoutState::Failed))
    }
}

impl Panel {
    /// A panel on `threads` threads of its own; 0: one per core; 1: on the caller's thread.
    ///
    /// # Errors
    /// `invalid_input` for more than 1024: rayon would start whatever it is told, until the machine gives in.
    pub(crate) fn new(threads: usize) -> Result<Self> {
        if threads > MAX_THREADS {
            return Err(Error::invalid(format!("expected threads from 0 to {MAX_THREADS}, found {threads}")));
        }
        if threads == 1 {
            return Ok(Self { pool: None });
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|number| format!("terrace-scout-{number}"))
            .build()
            .map_err(|reason| {
                Error::Unsupported(format!("could not start the scouts' threads: {reason}; set threads = 1"))
            })?;
        Ok(Self { pool: Some(pool) })
    }

    /// Runs the wanted scouts over the sources.
    pub(crate) fn run(&self, wanted: &[ScoutKind], query: &Query<'_>, sources: &Sources<'_>) -> PanelOutcome {
        let scouts: [&dyn Scout; 7] =
            [&LexicalScout, &VectorScout, &GraphScout, &TagScout, &PathScout, &TaskContextScout, &RecencyScout];
        let scouts = scouts.into_iter().filter(|scout| wanted.contains(&scout.kind()));
        let serial = (sources.eligible.len() as usize) < SERIAL_BELOW;
        let mut outcome = PanelOutcome::default();
        match &self.pool {
            Some(pool) if !serial => {
                let runs = Mutex::new(PerScout::<Option<ScoutRun>>::default());
                pool.in_place_scope(|scope| {
                    for scout in scouts {
                        let runs = &runs;
                        scope.spawn(move |_| {
                            let run = run_one(scout, query, sources);
                            *runs.lock().get_mut(scout.kind()) = Some(run);
                        });
                    }
                });
                outcome.runs = runs.into_inner();
            }
            _ => {
                for scout in scouts {
                    *outcome.runs.get_mut(scout.kind()) = Some(run_one(scout, query, sources));
                }
            }
        }
        outcome
    }
}

fn run_one(scout: &dyn Scout, query: &Query<'_>, sources: &Sources<'_>) -> ScoutRun {
    guarded(scout.kind(), sources, || scout.search(query, sources))
}

/// One scout's work, timed; an error or a panic in it is its own.
pub(crate) fn guarded(kind: ScoutKind, sources: &Sources<'_>, work: impl FnOnce() -> Result<Answer>) -> ScoutRun {
    let started = Instant::now();
    let (state, found) = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(Answer::Found(found))) => (ScoutState::Ran, admissible(found, sources)),
        Ok(Ok(Answer::Skipped(why))) => {
            tracing::debug!(scout = kind.name(), why, "a scout had nothing to work with");
            (ScoutState::Skipped, Vec::new())
        }
        Ok(Err(error)) => {
            tracing::warn!(scout = kind.name(), %error, "a scout failed; the others answer");
            (ScoutState::Failed, Vec::new())
        }
        Err(_) => {
            tracing::error!(scout = kind.name(), "a scout panicked; the others answer");
            (ScoutState::Failed, Vec::new())
        }
    };
    ScoutRun { state, found, micros: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX) }
}

/// The last gate before ranking: whatever an index says, no ineligible note and no score that is not a number passes.
fn admissible(mut found: Vec<Candidate>, sources: &Sources<'_>) -> Vec<Candidate> {
    found.retain(|candidate| sources.eligible.contains(candidate.ord) && candidate.raw.is_finite());
    found
}
