//! What feedback is worth: callers are simulated who cite what a data set judges relevant, and held-out queries are
//! scored against a twin of the store that was asked the same and told nothing.

mod cache;
mod channel;
mod clicks;
mod pooled;
mod report;
mod reword;
mod session;
mod stores;
mod streams;

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64_with_seed;

pub use channel::Channel;
pub use clicks::{ClickLog, ClickReport, ClickedSearch, Taught, replay_clicks};
pub use pooled::PooledFeedback;
pub use report::{ChannelShift, FeedbackReport, OverlapBin, QueryShift, Rewording, Shift};
pub use reword::{Twin, twins};
pub use streams::PerStream;

use super::dataset::Dataset;
use super::metrics::{DEEP, ndcg};
use super::run::EvalProgress;
use crate::config::Config;
use crate::error::{Error, Result};
use cache::QueryCache;
use report::Scores;
use session::{Question, ask, train};
use stores::Stores;

/// How feedback is simulated. Start from [`FeedbackOptions::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedbackOptions {
    /// How many notes callers are shown and judge, and the cutoff of nDCG; from 1 to 100. Default 10.
    pub k: usize,
    /// Seed of twins, halves, wrong citations and intervals, and of ids where the configuration has none. Default 1.
    pub seed: u64,
    /// Resamples of the bootstrap. Default 10 000.
    pub resamples: usize,
    /// Whether each way in which feedback teaches is also measured alone, on the clean stream. Default false.
    pub ablate: bool,
}

impl Default for FeedbackOptions {
    fn default() -> Self {
        Self { k: 10, seed: 1, resamples: 10_000, ablate: false }
    }
}

/// Simulates one pass of feedback on a data set and scores held-out queries before and after, over stores below `dir`,
/// an empty directory.
///
/// Two regimes. *Same needs in other words*: every judged query is learned from, and its [twin](twins) is scored. *New
/// needs*: a seeded half of the judged queries is learned from, the other half is scored. In each, a caller opens a task
/// per query in the set's order, retrieves `k` notes, and completes the task citing some of them, as [`PerStream`] says;
/// then the store is maintained. Every stream, and the frozen twin that the shift is measured against, begins with a copy
/// of one store and is asked the same; the twin's tasks are closed without a verdict. Scoring leaves no trace in a store.
///
/// Time stands still at the set's present: what decay does to what was learned is not measured.
///
/// ```
/// use terrace::Config;
/// use terrace::eval::{Dataset, DatasetOptions, FeedbackOptions, simulate_feedback};
/// # let dir = std::env::temp_dir().join(format!("terrace-doc-simulate-{}", std::process::id()));
/// let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
/// let set = Dataset::load(&root.join("data/eval"), &DatasetOptions { limit_queries: Some(4), ..Default::default() })?;
/// let options = FeedbackOptions { resamples: 100, ..FeedbackOptions::default() };
/// let report = simulate_feedback(&dir, &Config::default(), &set, &options, &mut |_, _, _| {})?;
/// assert_eq!(report.same_needs.clean.queries, 4);
/// assert_eq!(report.new_needs.clean.queries, 2);
/// # std::fs::remove_dir_all(&dir).ok();
/// # Ok::<(), terrace::Error>(())
/// ```
///
/// # Errors
/// `invalid_input` for a `k` out of range or a query that cannot be asked; `conflict` when `dir` holds other notes; the
/// engine's.
pub fn simulate_feedback(
    dir: &Path,
    config: &Config,
    set: &Dataset,
    options: &FeedbackOptions,
    progress: EvalProgress<'_>,
) -> Result<FeedbackReport> {
    if options.k == 0 || options.k > DEEP {
        return Err(Error::invalid(format!("expected k from 1 to {DEEP}, found {}", options.k)));
    }
    let FeedbackOptions { k, seed, resamples, .. } = *options;
    let stores = Stores::new(dir, config, set, seed, progress)?;
    let judged: Vec<Question<'_>> =
        set.judged().map(|(query, judged)| Question { id: &query.id, text: &query.text, judged }).collect();
    let twins = twins(set, seed);
    let reworded = judged.iter().zip(&twins).map(|(question, twin)| Question { text: &twin.text, ..*question });
    let same = Regime { stage: "same needs", taught: judged.clone(), asked: reworded.collect() };
    let same = same.run(&stores, options, progress)?;
    let (taught, asked) = halves(&judged, seed);
    let new_ids: Vec<&str> = asked.iter().map(|question| question.id).collect();
    let new = Regime { stage: "new needs", taught, asked }.run(&stores, options, progress)?;
    Ok(FeedbackReport {
        same_needs: same.engine.shifts(resamples, seed, |_| true),
        new_needs: new.engine.shifts(resamples, seed, |_| true),
        same_needs_by_overlap: same.engine.by_overlap(&twins, resamples, seed),
        exact_query_cache: same.cache.shifts(resamples, seed, |_| true),
        channels: channels(&same, &new, resamples, seed),
        rewording: Rewording::of(&twins, &same.taught),
        same_needs_by_query: same.engine.by_query(judged.iter().map(|question| question.id)),
        new_needs_by_query: new.engine.by_query(new_ids.into_iter()),
        k,
        seed,
    })
}

/// Which queries are learned from, and which are scored.
struct Regime<'a> {
    /// What progress calls it.
    stage: &'static str,
    taught: Vec<Question<'a>>,
    asked: Vec<Question<'a>>,
}

/// How the scored queries fared.
struct Outcome {
    /// nDCG of the frozen twin for each query that was learned from.
    taught: Vec<f64>,
    /// By what the engine learned.
    engine: Scores,
    /// By a cache in front of an engine that learned nothing.
    cache: Scores,
    /// By what the engine learned in one way alone.
    channels: Vec<(Channel, Vec<f64>)>,
}

impl Regime<'_> {
    fn run(&self, stores: &Stores<'_>, options: &FeedbackOptions, progress: EvalProgress<'_>) -> Result<Outcome> {
        let FeedbackOptions { k, seed, .. } = *options;
        let channels = if options.ablate { Channel::ALL.len() } else { 0 };
        let total = (5 + channels) * self.taught.len() + (4 + channels) * self.asked.len();
        let mut done = 0;
        let mut step = || {
            progress(self.stage, done, total);
            done += 1;
        };
        let (shown, known, frozen) = stores.with_copy(|engine| {
            let trained = train(engine, &self.taught, k, |_, _| None, &mut step)?;
            let known = ask(engine, &self.taught, k, &mut step)?;
            Ok((trained, known, ask(engine, &self.asked, k, &mut step)?))
        })?;
        let shown = self.taught.iter().zip(&shown).map(|(question, task)| (question.judged, task.shown.as_slice()));
        let popular = streams::popular(shown);
        let told = PerStream::try_from_fn(|stream| {
            stores.with_copy(|engine| {
                let cite =
                    |question: &Question<'_>, shown: &[String]| Some(stream.cited(question, shown, &popular, seed));
                let trained = train(engine, &self.taught, k, cite, &mut step)?;
                Ok((trained, ask(engine, &self.asked, k, &mut step)?))
            })
        })?;
        let mut channels = Vec::new();
        for channel in Channel::ALL.into_iter().filter(|_| options.ablate) {
            let answers = stores.with_copy_under(&channel.alone(stores.config()), |engine| {
                let cite = |question: &Question<'_>, shown: &[String]| {
                    Some(streams::Stream::Clean.cited(question, shown, &popular, seed))
                };
                train(engine, &self.taught, k, cite, &mut step)?;
                ask(engine, &self.asked, k, &mut step)
            })?;
            channels.push((channel, scores(&self.asked, &answers, k)));
        }
        let before = scores(&self.asked, &frozen, k);
        let cache = told.map(|(trained, _)| {
            let cache = QueryCache::of(&self.taught, trained);
            let answers = self.asked.iter().zip(&frozen).map(|(question, answer)| cache.applied(question, answer, k));
            scores(&self.asked, &answers.collect::<Vec<_>>(), k)
        });
        let after = told.map(|(_, answers)| scores(&self.asked, answers, k));
        Ok(Outcome {
            taught: scores(&self.taught, &known, k),
            engine: Scores { before: before.clone(), after },
            cache: Scores { before, after: cache },
            channels,
        })
    }
}

/// The shifts of each channel alone, in both regimes.
fn channels(same: &Outcome, new: &Outcome, resamples: usize, seed: u64) -> Vec<ChannelShift> {
    let shift = |outcome: &Outcome, after: &[f64]| {
        let pairs = outcome.engine.before.iter().copied().zip(after.iter().copied());
        Shift::of(&pairs.collect::<Vec<_>>(), resamples, seed)
    };
    let of_both = same.channels.iter().zip(&new.channels);
    of_both
        .map(|((channel, same_after), (_, new_after))| ChannelShift {
            channel: *channel,
            same_needs: shift(same, same_after),
            new_needs: shift(new, new_after),
        })
        .collect()
}

/// nDCG of each question's answer.
fn scores(questions: &[Question<'_>], answers: &[Vec<(String, f64)>], k: usize) -> Vec<f64> {
    questions.iter().zip(answers).map(|(question, answer)| ndcg(answer, question.judged, k)).collect()
}

/// Two halves of the queries, each in its order: those with the lower hashes, and one more where their number is odd.
fn halves<'a>(questions: &[Question<'a>], seed: u64) -> (Vec<Question<'a>>, Vec<Question<'a>>) {
    let hash = |question: &Question<'_>| xxh3_64_with_seed(question.id.as_bytes(), seed);
    let mut hashes: Vec<u64> = questions.iter().map(hash).collect();
    hashes.sort_unstable();
    let middle = hashes.get(hashes.len() / 2).copied().unwrap_or_default();
    questions.iter().partition(|question| hash(question) < middle)
}

#[cfg(test)]
mod tests;
