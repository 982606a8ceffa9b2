//! A log of clicks as feedback: what users clicked is cited where a retrieve shows it too.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::channel::Channel;
use super::report::Shift;
use super::reword::twins;
use super::session::{Question, ask, train};
use super::stores::Stores;
use super::{FeedbackOptions, scores};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::eval::dataset::Dataset;
use crate::eval::run::EvalProgress;
use crate::model::LearnedWeights;

/// Notes that a retrieve shows whoever clicks.
const SHOWN: usize = 20;

/// Searches and clicks over a judged data set, in the order in which they happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClickLog {
    /// Whether it was simulated.
    pub synthetic: bool,
    /// Ids of the queries that occur in it.
    pub train_queries: Vec<String>,
    /// Ids of queries that do not.
    pub heldback_queries: Vec<String>,
    /// The searches.
    pub searches: Vec<ClickedSearch>,
}

/// One search, and what was clicked.
#[derive(Clone, Debug, PartialEq)]
pub struct ClickedSearch {
    /// The query's id.
    pub query_id: String,
    /// Its text.
    pub query: String,
    /// Notes clicked.
    pub clicked: Vec<String>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Header {
        #[serde(default)]
        synthetic: bool,
        train_queries: Vec<String>,
        heldback_queries: Vec<String>,
    },
    Search {
        query_id: String,
        query: String,
        clicks: Vec<Click>,
    },
}

#[derive(Deserialize)]
struct Click {
    id: String,
}

impl ClickLog {
    /// Reads a log: JSON lines, first one of kind `header` with `train_queries`, `heldback_queries` and `synthetic`, then of
    /// kind `search` with `query_id`, `query` and `clicks` (each with the `id` of a note).
    ///
    /// # Errors
    /// `io`; `invalid_input` for a line that is neither, with its number.
    pub fn load(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).map_err(|source| Error::io(format!("reading {}", path.display()), source))?;
        let mut log = Self::default();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let bad = |error| {
                let place = format!("{}:{}", path.display(), at + 1);
                Error::invalid(format!("{place}: expected a line of kind header or search, found {error}"))
            };
            match serde_json::from_str(line).map_err(bad)? {
                Line::Header { synthetic, train_queries, heldback_queries } => {
                    (log.synthetic, log.train_queries, log.heldback_queries) =
                        (synthetic, train_queries, heldback_queries);
                }
                Line::Search { query_id, query, clicks } => {
                    let clicked = clicks.into_iter().map(|click| click.id).collect();
                    log.searches.push(ClickedSearch { query_id, query, clicked });
                }
            }
        }
        Ok(log)
    }
}

/// What a log of clicks taught: shifts of nDCG against a twin that was asked the same and told nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClickReport {
    /// Whether the log was simulated.
    pub synthetic: bool,
    /// Searches replayed.
    pub searches: usize,
    /// Clicks in them.
    pub clicks: usize,
    /// Clicks on notes that the retrieve did not show, which could not be cited.
    pub not_shown: usize,
    /// The cutoff of nDCG.
    pub k: usize,
    /// All channels together, then each alone.
    pub taught: Vec<Taught>,
}

/// What was taught by some channels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Taught {
    /// `all`, or a [`Channel`] alone.
    pub by: String,
    /// Over the log's own queries.
    pub same_queries: Shift,
    /// Over their [twins](super::twins), which ask the same in other words.
    pub same_needs: Shift,
    /// Over the queries that the log held back.
    pub new_needs: Shift,
    /// What training made of it, where weights were learned.
    #[serde(default)]
    pub trained: Option<LearnedWeights>,
}

/// Replays a log of clicks over stores below `dir`, an empty directory: each search opens a task, retrieves 20 notes and
/// completes the task citing what was clicked and is among them; then the store is maintained, and nDCG at `options.k` is
/// scored as for [`simulate_feedback`](super::simulate_feedback).
///
/// # Errors
/// `invalid_input` for a log without searches, or one that names queries that the set does not judge; the engine's.
pub fn replay_clicks(
    dir: &Path,
    config: &Config,
    set: &Dataset,
    log: &ClickLog,
    options: &FeedbackOptions,
    progress: EvalProgress<'_>,
) -> Result<ClickReport> {
    let FeedbackOptions { k, seed, resamples, .. } = *options;
    let judged: Vec<Question<'_>> =
        set.judged().map(|(query, judged)| Question { id: &query.id, text: &query.text, judged }).collect();
    let find = |id: &str| {
        let found = judged.iter().position(|question| question.id == id);
        found.ok_or_else(|| Error::invalid(format!("expected queries that {} judges, found {id:?}", set.name)))
    };
    let at_of = |ids: &[String]| ids.iter().map(|id| find(id)).collect::<Result<Vec<usize>>>();
    let (own, held_back) = (at_of(&log.train_queries)?, at_of(&log.heldback_queries)?);
    let asked_in_log = |search: &'_ ClickedSearch| find(&search.query_id);
    let places = log.searches.iter().map(asked_in_log).collect::<Result<Vec<usize>>>()?;
    if places.is_empty() {
        return Err(Error::invalid("expected a log with searches, found none"));
    }
    let of =
        |places: &[usize]| -> Vec<Question<'_>> { places.iter().filter_map(|&at| judged.get(at).copied()).collect() };
    let twins = twins(set, seed);
    let reworded = |at: &usize| Some(Question { text: &twins.get(*at)?.text, ..*judged.get(*at)? });
    let probes = [of(&own), own.iter().filter_map(reworded).collect(), of(&held_back)];
    let searches: Vec<Question<'_>> = of(&places)
        .into_iter()
        .zip(&log.searches)
        .map(|(question, search)| Question { text: &search.query, ..question })
        .collect();
    let stores = Stores::new(dir, config, set, seed, progress)?;
    let (mut done, total) = (0, (Channel::ALL.len() + 2) * searches.len());
    let mut pass = |config: &Config, tell: bool| {
        stores.with_copy_under(config, |engine| {
            let mut clicked = log.searches.iter().map(|search| &search.clicked);
            let mut not_shown = 0;
            let cite = |_: &Question<'_>, shown: &[String]| {
                let clicked = clicked.next()?;
                let (cited, missed): (Vec<String>, Vec<String>) =
                    clicked.iter().cloned().partition(|id| shown.contains(id));
                not_shown += missed.len();
                tell.then_some(cited)
            };
            train(engine, &searches, SHOWN, cite, || {
                progress("clicks", done, total);
                done += 1;
            })?;
            let mut values = Vec::new();
            for probe in &probes {
                values.push(scores(probe, &ask(engine, probe, k, || ())?, k));
            }
            Ok((values, not_shown, engine.learned()?.trained))
        })
    };
    let (frozen, ..) = pass(config, false)?;
    let shift = |before: Option<&Vec<f64>>, after: Option<&Vec<f64>>| {
        let pairs = before.into_iter().flatten().copied().zip(after.into_iter().flatten().copied());
        Shift::of(&pairs.collect::<Vec<_>>(), resamples, seed)
    };
    let (mut taught, mut not_shown) = (Vec::new(), 0);
    let alone = Channel::ALL.map(|channel| (channel.name(), channel.alone(config)));
    for (by, config) in [("all", config.clone())].into_iter().chain(alone) {
        let (after, missed, trained) = pass(&config, true)?;
        if taught.is_empty() {
            not_shown = missed;
        }
        taught.push(Taught {
            by: by.to_owned(),
            same_queries: shift(frozen.first(), after.first()),
            same_needs: shift(frozen.get(1), after.get(1)),
            new_needs: shift(frozen.get(2), after.get(2)),
            trained,
        });
    }
    Ok(ClickReport {
        synthetic: log.synthetic,
        searches: searches.len(),
        clicks: log.searches.iter().map(|search| search.clicked.len()).sum(),
        not_shown,
        k,
        taught,
    })
}
