//! What exploration is worth: callers ask every question of a set again and again, cite the relevant notes among those
//! they are shown and ignore the rest; with the last place drawn, and without. Off by default, and this says why.
//!
//! ```sh
//! cargo run --release --example explore -- [PASSES] SET...
//! ```
//!
//! A SET is a directory in BEIR's layout (default `data/eval`), with `+structure` behind it for what `terrace eval
//! --structure` does. Half of the questions are asked in each pass (default 6), the other half is held out. Printed, in
//! hundredths of nDCG@10 with the paired 95 % interval: what callers were shown in later passes, the drawn place
//! included; and what the store has learned, asked without exploring, for the questions of the passes and the held-out.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use terrace::eval::{Dataset, DatasetOptions, EvalOptions, Half, evaluate, mean_interval, metrics};
use terrace::{Config, Engine, Error, Exploration, Feedback, ManualClock, Result, RetrieveRequest};

const K: usize = 10;
/// Seeds of the draws; a question's gain is the mean over them.
const SEEDS: u64 = 3;

/// nDCG@10 by query.
type Scores = BTreeMap<String, f64>;

/// What one store came to.
struct Outcome {
    /// Of what was shown, pass by pass.
    shown: Vec<Scores>,
    /// Of what the store answers afterwards without exploring, every question.
    learned: Scores,
}

fn main() -> Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let passes = arguments.first().and_then(|first| first.parse().ok());
    if passes.is_some() {
        arguments.remove(0);
    }
    if arguments.is_empty() {
        arguments.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/eval").display().to_string());
    }
    arguments.iter().try_for_each(|name| compare(name, passes.unwrap_or(6)))
}

fn compare(name: &str, passes: usize) -> Result<()> {
    let options = DatasetOptions { structure: name.contains("+structure"), ..DatasetOptions::default() };
    let set = Dataset::load(Path::new(name.split('+').next().unwrap_or(name)), &options)?;
    let without = simulate(&set, None, passes)?;
    let with = (0..SEEDS)
        .map(|seed| simulate(&set, Some(Exploration { seed, ..Exploration::default() }), passes))
        .collect::<Result<Vec<_>>>()?;
    println!("\n{}", name.rsplit('/').next().unwrap_or(name));
    for pass in 0..passes {
        let shown: Vec<&Scores> = with.iter().map(|outcome| &outcome.shown[pass]).collect();
        print(&format!("shown, pass {}", pass + 1), &without.shown[pass], &shown, |_| true);
    }
    let learned: Vec<&Scores> = with.iter().map(|outcome| &outcome.learned).collect();
    print("learned, asked before", &without.learned, &learned, |id| Half::Train.has(&set.name, id));
    print("learned, held out", &without.learned, &learned, |id| Half::Test.has(&set.name, id));
    Ok(())
}

fn simulate(set: &Dataset, exploration: Option<Exploration>, passes: usize) -> Result<Outcome> {
    let store = tempfile::tempdir().map_err(|source| Error::io("making a directory", source))?;
    let plain = Config { clock: Arc::new(ManualClock::at(set.now)), seed: Some(1), ..Config::default() };
    let engine = Engine::open(store.path(), Config { exploration, ..plain.clone() })?;
    engine.put_many(set.notes.clone())?;
    let mut shown = Vec::with_capacity(passes);
    for _ in 0..passes {
        let asked = set.judged().filter(|(query, _)| Half::Train.has(&set.name, &query.id));
        let pass = asked.map(|(query, judged)| Ok((query.id.clone(), ask(&engine, &query.text, judged)?)));
        shown.push(pass.collect::<Result<Scores>>()?);
        engine.maintain()?;
    }
    drop(engine);
    let options = EvalOptions { timed: false, resamples: 100, ..EvalOptions::default() };
    let report = evaluate(store.path(), &plain, set, &options, &mut |_, _, _| {})?;
    let ndcg = |(query, metrics): (String, BTreeMap<String, f64>)| (query, metrics["ndcg@10"]);
    Ok(Outcome { shown, learned: report.per_query.into_iter().map(ndcg).collect() })
}

/// Asks, cites what is relevant, and answers how good the shown list was.
fn ask(engine: &Engine, text: &str, judged: &metrics::Judgements) -> Result<f64> {
    let answer = engine.retrieve(&RetrieveRequest { limit: K, ..RetrieveRequest::new(text) })?;
    let list: Vec<(String, f64)> = answer.results.into_iter().map(|note| (note.result.id, note.result.score)).collect();
    let relevant = |id: &String| judged.get(id).is_some_and(|&score| score > 0.0);
    let cited = list.iter().map(|(id, _)| id.clone()).filter(relevant).collect();
    engine.feedback(&Feedback {
        receipt_id: answer.receipt_id,
        cited: Some(cited),
        misleading: None,
        ..Feedback::default()
    })?;
    Ok(metrics::ndcg(&list, judged, K))
}

fn print(what: &str, without: &Scores, with: &[&Scores], of: impl Fn(&str) -> bool) {
    let asked: Vec<(&String, &f64)> = without.iter().filter(|(id, _)| of(id)).collect();
    let gain = |(id, plain): &(&String, &f64)| {
        let explored = with.iter().map(|scores| scores.get(*id).copied().unwrap_or_default()).sum::<f64>();
        100.0 * (explored / with.len() as f64 - **plain)
    };
    let gains: Vec<f64> = asked.iter().map(gain).collect();
    let plain = 100.0 * asked.iter().map(|(_, plain)| **plain).sum::<f64>() / asked.len().max(1) as f64;
    let interval = mean_interval(&gains, 2_000, 1);
    println!(
        "  {what:<24}{:>4} questions  without {plain:>6.2}  exploring {:+.2} [{:+.2}, {:+.2}]",
        asked.len(),
        interval.mean,
        interval.lo,
        interval.hi
    );
}
