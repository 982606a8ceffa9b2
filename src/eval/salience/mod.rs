//! Salience over a year of traffic: does it keep its order, and neither collapse nor run away?

mod bare;
mod reach;
mod report;
mod traffic;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

pub use bare::BareLoop;
pub use reach::Reach;
pub use report::{GroupEnd, NoteGroup, Quantiles, SalienceDay, SalienceReport};

use super::run::EvalProgress;
use super::synthetic::{SyntheticCorpus, SyntheticOptions};
use crate::clock::ManualClock;
use crate::config::Config;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::{Feedback, Note, RetrieveRequest, Viewer};
use crate::random::Random;
use traffic::Traffic;

/// Days between two maintenances.
const MAINTAIN_EVERY: u32 = 7;
/// Days between two readings.
const READ_EVERY: u32 = 10;

/// How salience is simulated. Start from [`SalienceOptions::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SalienceOptions {
    /// Notes in the store; at least 50. Default 2 000.
    pub notes: usize,
    /// Days that pass; at least 1. Default 400.
    pub days: u32,
    /// Retrieves a day, at least 1. Default 10.
    pub per_day: u32,
    /// Notes that a retrieve shows, 1 to 1 000. All but the one that was meant are ignored where a verdict is given: with
    /// 1, callers judge only what they meant. Default 5.
    pub shown: usize,
    /// Bare retrieves of the loop that is held against the rankings at the end. Default 200.
    pub bare_loop: usize,
    /// Notes never asked for whose reach is measured, at most. Default 200.
    pub reach: usize,
    /// Seed of notes and traffic, and of ids where the configuration has none. Default 1.
    pub seed: u64,
}

impl Default for SalienceOptions {
    fn default() -> Self {
        Self { notes: 2_000, days: 400, per_day: 10, shown: 5, bare_loop: 200, reach: 200, seed: 1 }
    }
}

/// Lets days of mixed traffic pass over a store of synthetic notes below `dir`, an empty directory, and reads the notes'
/// salience as they go by.
///
/// The engine is the real one under a clock that is moved. Each retrieve is meant for one note and asks by its title and
/// rarest words; of the notes it shows, the caller cites or blames those that the [groups](NoteGroup) say, and ignores
/// the others; lookups end without a verdict. The store is maintained weekly. Afterwards a loop of bare retrieves is held
/// against the rankings ([`BareLoop`]), and notes that nobody asked for are looked up ([`Reach`]).
///
/// ```
/// use terrace::eval::{NoteGroup, SalienceOptions, simulate_salience};
/// use terrace::{Config, EmbedderChoice};
/// # let dir = std::env::temp_dir().join(format!("terrace-doc-salience-{}", std::process::id()));
/// let options =
///     SalienceOptions { notes: 60, days: 20, per_day: 2, bare_loop: 5, reach: 5, ..SalienceOptions::default() };
/// let config = Config { embedder: EmbedderChoice::None, ..Config::default() };
/// let report = simulate_salience(&dir, &config, &options, &mut |_, _, _| {})?;
/// assert_eq!(report.days.first().map(|day| day.groups[&NoteGroup::Untouched].median), Some(0.5));
/// # std::fs::remove_dir_all(&dir).ok();
/// # Ok::<(), terrace::Error>(())
/// ```
///
/// # Errors
/// `invalid_input` for options out of range; `conflict` when `dir` holds notes already; the engine's.
pub fn simulate_salience(
    dir: &Path,
    config: &Config,
    options: &SalienceOptions,
    progress: EvalProgress<'_>,
) -> Result<SalienceReport> {
    if options.notes < 50 || options.days == 0 || options.per_day == 0 {
        return Err(Error::invalid(format!(
            "expected at least 50 notes, 1 day and 1 retrieve a day, found {}, {} and {}",
            options.notes, options.days, options.per_day
        )));
    }
    let corpus = SyntheticCorpus::new(SyntheticOptions {
        notes: options.notes,
        seed: options.seed,
        ..SyntheticOptions::default()
    });
    let notes: Vec<Note> = corpus.notes(0..options.notes).collect();
    let newest = notes.iter().filter_map(|note| note.created_at).max().unwrap_or_default();
    let clock = ManualClock::at(newest);
    let config = Config { clock: Arc::new(clock.clone()), seed: config.seed.or(Some(options.seed)), ..config.clone() };
    let engine = filled(&dir.join("used"), &config, &notes)?;
    let fresh = filled(&dir.join("fresh"), &config, &notes)?;
    let traffic = Traffic::new(&notes, options.seed);

    let mut report = SalienceReport { notes: options.notes, seed: options.seed, ..SalienceReport::default() };
    report.days.push(reading(&engine, &traffic, 0)?);
    let mut random = Random::new(options.seed, 1);
    for day in 1..=options.days {
        progress("days", day as usize - 1, options.days as usize);
        for _ in 0..options.per_day {
            clock.advance_days(1.0 / f64::from(options.per_day));
            report.retrieves += 1;
            report.judged += u64::from(visit(&engine, &traffic, options.shown, &mut random)?);
        }
        if day % MAINTAIN_EVERY == 0 {
            engine.maintain()?;
        }
        if day % READ_EVERY == 0 || day == options.days {
            report.days.push(reading(&engine, &traffic, day)?);
        }
    }
    let stats = traffic.ids().map(|(_, id)| engine.node_stats(id, &Viewer::owner())).collect::<Result<Vec<_>>>()?;
    let groups = traffic.ids().map(|(group, _)| group);
    report.groups = report::ends(groups.zip(&stats), config.memory.salience_floor);
    report.ordered_pairs = report::ordered_pairs(&stats);
    report.reach = Reach::measure(&engine, &fresh, &traffic, options.reach)?;
    report.bare = BareLoop::run(&engine, &fresh, &traffic, options.bare_loop)?;
    Ok(report)
}

/// One retrieve and what the caller says of it; whether it says anything.
fn visit(engine: &Engine, traffic: &Traffic, shown: usize, random: &mut Random) -> Result<bool> {
    let Some(target) = traffic.draw(random) else { return Ok(false) };
    let request = RetrieveRequest { limit: shown, ..RetrieveRequest::new(target.query.as_str()) };
    let answer = engine.retrieve(&request)?;
    let named = |wanted: bool| wanted.then(|| target.id.clone()).into_iter().collect::<Vec<_>>();
    match target.group {
        NoteGroup::LookedUp | NoteGroup::Untouched => Ok(false),
        group => {
            engine.feedback(&Feedback {
                receipt_id: answer.receipt_id,
                cited: Some(named(group.is_cited())),
                misleading: Some(named(group == NoteGroup::Misleading)),
                ..Feedback::default()
            })?;
            Ok(true)
        }
    }
}

fn reading(engine: &Engine, traffic: &Traffic, day: u32) -> Result<SalienceDay> {
    let mut by_group: BTreeMap<NoteGroup, Vec<f64>> = BTreeMap::new();
    for (group, id) in traffic.ids() {
        by_group.entry(group).or_default().push(engine.node_stats(id, &Viewer::owner())?.salience);
    }
    let groups = by_group.into_iter().map(|(group, values)| (group, Quantiles::of(values))).collect();
    Ok(SalienceDay { day, groups })
}

fn filled(dir: &Path, config: &Config, notes: &[Note]) -> Result<Engine> {
    std::fs::create_dir_all(dir).map_err(|source| Error::io(format!("creating {}", dir.display()), source))?;
    let engine = Engine::open(dir, config.clone())?;
    let there = engine.stats()?.notes;
    if there > 0 {
        return Err(Error::Conflict(format!("{} holds {there} notes; name an empty directory", dir.display())));
    }
    engine.put_many(notes.to_vec())?;
    Ok(engine)
}

#[cfg(test)]
mod tests;
