//! `terrace eval`.

mod feedback;
mod plots;
mod tables;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use terrace::eval::{
    ClickLog, Comparison, Dataset, DatasetOptions, EvalOptions, FeedbackOptions, FeedbackReport, Half, PooledFeedback,
    Report, evaluate, replay_clicks, simulate_feedback,
};
use terrace::{Config, Error, Result, ScoutWeights};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::output::Output;
use crate::progress::Progress;
use crate::scratch::Scratch;

/// Measure the quality of retrieval on a judged data set
///
/// A data set is a directory in BEIR's layout: corpus.jsonl, queries.jsonl, and qrels.tsv or qrels/test.tsv. Extra keys
/// of a corpus line (tags, path, links, updated_at, namespace, …) become the note's. Its notes are indexed into a
/// temporary store, or into the one that --store names, which is kept and taken up again by the next evaluation.
/// Metrics are trec_eval's; intervals are 95 % (bootstrap over queries).
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace eval data/eval\n  \
terrace eval ~/beir/scifact --ablate --plot scifact.svg\n  \
terrace eval ~/beir/scifact --json > after.json && terrace eval --compare before.json after.json")]
pub(crate) struct Eval {
    /// The data set's directory; several are pooled into one index
    #[arg(required_unless_present_any = ["compare", "pool"], value_name = "DATASET")]
    datasets: Vec<PathBuf>,

    /// Cutoff of nDCG, recall and MRR: 1 to 100
    #[arg(long, value_name = "K", default_value_t = 10)]
    k: usize,

    /// Use only these scouts: lexical, vector, graph, tag, path, task_context, recency
    #[arg(long, value_name = "SCOUT", value_delimiter = ',', num_args = 1.., value_parser = scout_name)]
    scouts: Vec<String>,

    /// Also score each scout alone, the engine without each, and with --feedback each way of learning alone
    #[arg(long)]
    ablate: bool,

    /// Also hold the vector graph against the exact scan
    #[arg(long)]
    vector_recall: bool,

    /// Also simulate callers who say which notes helped, and score held-out queries before and after
    #[arg(long)]
    feedback: bool,

    /// Also replay a log of clicks (JSON lines), and score before and after
    #[arg(long, value_name = "LOG.jsonl")]
    clicks: Option<PathBuf>,

    /// Pool the feedback of reports written with --feedback --json, every query counting the same
    #[arg(long, num_args = 1.., value_name = "R.json", conflicts_with_all = ["datasets", "compare"])]
    pool: Vec<PathBuf>,

    /// Compare two reports written with --json, query by query
    #[arg(long, num_args = 2, value_names = ["A.json", "B.json"], conflicts_with = "datasets")]
    compare: Vec<PathBuf>,

    /// Write the rankings in TREC's format
    #[arg(long, value_name = "OUT.trec")]
    run: Option<PathBuf>,

    /// Draw the quality as SVG; with --vector-recall also OUT-vectors.svg
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,

    /// Use the structure that the set carries: links.tsv, and of conversations sessions, speakers, dates and neighbours
    #[arg(long)]
    structure: bool,

    /// Write the speaker before the text of conversation turns
    #[arg(long)]
    speaker: bool,

    /// Leave out queries of these categories (their metadata.category)
    #[arg(long, value_name = "N", value_delimiter = ',')]
    exclude_category: Vec<i64>,

    /// Ask one half of the queries, split by a hash of their ids
    #[arg(long, value_enum, default_value = "all")]
    half: HalfName,

    /// Ask at most this many queries, the first ones
    #[arg(long, value_name = "N")]
    limit_queries: Option<usize>,

    /// Another file of judgements in the data set's directory
    #[arg(long, value_name = "FILE")]
    qrels: Option<PathBuf>,

    /// Resamples of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    resamples: u32,

    /// Seed of everything drawn at random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// The names of [`Half`].
#[derive(Clone, Copy, ValueEnum)]
enum HalfName {
    Train,
    Test,
    All,
}

/// A scout's name as people write it, without its beginning.
fn scout_name(name: &str) -> std::result::Result<String, String> {
    let canonical = format!("scout_{name}");
    match ScoutWeights::default().get_mut(&canonical) {
        Some(_) => Ok(canonical),
        None => Err("expected lexical, vector, graph, tag, path, task_context or recency".to_owned()),
    }
}

impl Eval {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        if let [a, b] = self.compare.as_slice() {
            let comparison = Comparison::of(&read_report(a)?, &read_report(b)?, self.resamples as usize, self.seed)?;
            return output.answer(&comparison, |to, style| tables::comparison(to, style, &comparison));
        }
        if !self.pool.is_empty() {
            let pooled = PooledFeedback::of(&self.feedback_reports()?, self.resamples as usize, self.seed)?;
            return output.answer(&pooled, |to, style| feedback::pooled(to, style, &pooled));
        }
        let set = self.dataset()?;
        let config = self.config(global)?;
        let scratch = Scratch::new("eval");
        let place = global.named_store().unwrap_or(scratch.path());
        let progress = Progress::new();
        let report =
            evaluate(place, &config, &set, &self.options(), &mut |stage, done, total| progress.at(stage, done, total));
        let mut report = report?;
        let options =
            FeedbackOptions { k: self.k, seed: self.seed, resamples: self.resamples as usize, ablate: self.ablate };
        if let Some(path) = &self.clicks {
            let (log, places) = (ClickLog::load(path)?, Scratch::new("eval-clicks"));
            let replayed = replay_clicks(places.path(), &config, &set, &log, &options, &mut |stage, done, total| {
                progress.at(stage, done, total);
            })?;
            report.clicks = Some(replayed);
        }
        if self.feedback {
            let places = Scratch::new("eval-feedback");
            let simulated = simulate_feedback(places.path(), &config, &set, &options, &mut |stage, done, total| {
                progress.at(stage, done, total);
            })?;
            report.feedback = Some(simulated);
        }
        drop(progress);
        if let Some(path) = &self.run {
            write(path, &report.run.to_trec())?;
        }
        if let Some(path) = &self.plot {
            plots::draw(&report, path)?;
        }
        output.answer(&report, |to, style| tables::report(to, style, &report))
    }

    fn feedback_reports(&self) -> Result<Vec<FeedbackReport>> {
        let of = |path: &PathBuf| {
            read_report(path)?.feedback.ok_or_else(|| {
                let path = path.display();
                Error::invalid(format!("{path}: expected a report with feedback, found none; measure with --feedback"))
            })
        };
        self.pool.iter().map(of).collect()
    }

    fn dataset(&self) -> Result<Dataset> {
        let options = DatasetOptions {
            structure: self.structure,
            speaker: self.speaker,
            exclude_categories: self.exclude_category.clone(),
            half: match self.half {
                HalfName::Train => Half::Train,
                HalfName::Test => Half::Test,
                HalfName::All => Half::All,
            },
            limit_queries: self.limit_queries,
            qrels: self.qrels.clone(),
            ..DatasetOptions::default()
        };
        let mut sets = self.datasets.iter().map(|dir| Dataset::load(dir, &options)).collect::<Result<Vec<_>>>()?;
        match sets.pop() {
            Some(only) if sets.is_empty() => Ok(only),
            Some(last) => Dataset::pool(sets.into_iter().chain([last]).collect()),
            None => Dataset::pool(sets),
        }
    }

    fn config(&self, global: &Global) -> Result<Config> {
        let mut config = global.config()?;
        if !self.scouts.is_empty() {
            let mut shipped = config.ranking.weights;
            config.ranking.weights = ScoutWeights::ZERO;
            for scout in &self.scouts {
                if let (Some(wanted), Some(weight)) = (config.ranking.weights.get_mut(scout), shipped.get_mut(scout)) {
                    *wanted = *weight;
                }
            }
        }
        Ok(config)
    }

    fn options(&self) -> EvalOptions {
        EvalOptions {
            k: self.k,
            ablate: self.ablate,
            vector_recall: self.vector_recall,
            resamples: self.resamples as usize,
            seed: self.seed,
            ..EvalOptions::default()
        }
    }
}

fn read_report(path: &Path) -> Result<Report> {
    let text =
        std::fs::read_to_string(path).map_err(|source| Error::io(format!("reading {}", path.display()), source))?;
    serde_json::from_str(&text).map_err(|error| {
        Error::invalid(format!("{}: expected a report of `terrace eval --json`, found {error}", path.display()))
    })
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|source| Error::io(format!("writing {}", path.display()), source))
}
