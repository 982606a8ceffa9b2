//! What deepening is worth: a retrieve whose temperature exceeds `lcma.widen_above` looks twice as deep from twice as
//! many seeds. Nothing is chosen here; the table says what each threshold would gain and cost.
//!
//! ```sh
//! cargo run --release --example depth -- SET...
//! ```
//!
//! A SET is a directory in BEIR's layout (default `data/eval`), or several joined by commas and pooled into one index,
//! with `+structure`, `+speaker` or `+nocat5` behind it for what `terrace eval` does with `--structure`, `--speaker` and
//! `--exclude-category 5`.
//!
//! Each query is answered twice, never and always widened. A threshold between is one answer or the other, by the
//! query's temperature, so that thresholds differ in nothing else. Gains are differences to never, in hundredths, with
//! the paired 95 % interval over all queries.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use terrace::eval::{Dataset, DatasetOptions, EvalOptions, Report, evaluate, mean_interval, metrics};
use terrace::{Config, Engine, Error, LcmaConfig, ManualClock, Result, RetrieveRequest};

/// Above every temperature, and below.
const NEVER: f64 = 1.1;
const ALWAYS: f64 = -1.0;
/// Thresholds of the table.
const THRESHOLDS: [f64; 4] = [0.85, 0.7, 0.5, ALWAYS];
/// Rounds of timed retrieves per setting; the fastest of a query's counts.
const ROUNDS: usize = 3;
/// Resamples and seed of the intervals.
const BOOTSTRAP: (usize, u64) = (2_000, 1);

/// One query, answered both ways: nDCG@10, and recall at 10, 30 and 100.
struct Answered {
    temperature: f64,
    never: [f64; 4],
    always: [f64; 4],
    /// Milliseconds, never and always widened.
    millis: [f64; 2],
}

fn main() -> Result<()> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/eval").display().to_string());
    }
    println!("{:<34}{:>7}{:>9}  {:<22}{:<22}{:<22}{:<22}", "", "above", "widened", "nDCG@10", "R@10", "R@30", "R@100");
    names.iter().try_for_each(|name| {
        let set = load(name)?;
        print(name, &measure(&set)?);
        Ok(())
    })
}

fn load(name: &str) -> Result<Dataset> {
    let mut parts = name.split('+');
    let dirs = parts.next().unwrap_or_default();
    let flags: Vec<&str> = parts.collect();
    let options = DatasetOptions {
        structure: flags.contains(&"structure"),
        speaker: flags.contains(&"speaker"),
        exclude_categories: if flags.contains(&"nocat5") { vec![5] } else { Vec::new() },
        ..DatasetOptions::default()
    };
    let mut sets = dirs.split(',').map(|dir| Dataset::load(Path::new(dir), &options)).collect::<Result<Vec<_>>>()?;
    if sets.len() == 1 { Ok(sets.remove(0)) } else { Dataset::pool(sets) }
}

fn config(set: &Dataset, widen_above: f64) -> Config {
    let lcma = LcmaConfig { widen_above, ..LcmaConfig::default() };
    Config { lcma, clock: Arc::new(ManualClock::at(set.now)), ..Config::default() }
}

fn measure(set: &Dataset) -> Result<Vec<Answered>> {
    let store = tempfile::tempdir().map_err(|source| Error::io("making a directory", source))?;
    // Quality first: these retrieves leave no receipts.
    let options = EvalOptions { timed: false, resamples: 100, ..EvalOptions::default() };
    let report = |widen| evaluate(store.path(), &config(set, widen), set, &options, &mut |_, _, _| {});
    let (never, always) = (report(NEVER)?, report(ALWAYS)?);
    let mut answered: Vec<Answered> = set
        .judged()
        .map(|(query, judged)| Answered {
            temperature: 0.0,
            never: quality(&never, &query.id, judged),
            always: quality(&always, &query.id, judged),
            millis: [f64::INFINITY; 2],
        })
        .collect();
    for _ in 0..ROUNDS {
        for (way, widen) in [NEVER, ALWAYS].into_iter().enumerate() {
            let engine = Engine::open(store.path(), config(set, widen))?;
            for (answer, (query, _)) in answered.iter_mut().zip(set.judged()) {
                let started = Instant::now();
                answer.temperature = engine.retrieve(&RetrieveRequest::new(query.text.as_str()))?.temperature;
                let millis = started.elapsed().as_secs_f64() * 1e3;
                answer.millis[way] = answer.millis[way].min(millis);
            }
        }
    }
    Ok(answered)
}

fn quality(report: &Report, query: &str, judged: &metrics::Judgements) -> [f64; 4] {
    let ranked = report.run.0.get(query).map(Vec::as_slice).unwrap_or_default();
    let recall = |k| metrics::recall(ranked, judged, k);
    [metrics::ndcg(ranked, judged, 10), recall(10), recall(30), recall(100)]
}

fn print(name: &str, answered: &[Answered]) {
    let quantile = |mut values: Vec<f64>, share: f64| {
        values.sort_by(f64::total_cmp);
        values[(share * (values.len() - 1) as f64).round() as usize]
    };
    let temperature = |share| quantile(answered.iter().map(|answer| answer.temperature).collect(), share);
    let shown = [0.1, 0.5, 0.9].map(|share| format!("{:.2}", temperature(share))).join(" / ");
    let short: Vec<&str> = name.split(',').map(|dir| dir.rsplit('/').next().unwrap_or(dir)).collect();
    let millis = |way: usize| quantile(answered.iter().map(|answer| answer.millis[way]).collect(), 0.5);
    println!("\n{} ({} queries)", short.join(","), answered.len());
    println!("  temperature, deciles 1, 5 and 9: {shown}");
    println!(
        "  latency p50: never {:.2} ms, always {:.2} ms, ratio {:.2}",
        millis(0),
        millis(1),
        millis(1) / millis(0)
    );
    let never: Vec<String> = (0..4)
        .map(|at| {
            let mean = answered.iter().map(|answer| answer.never[at]).sum::<f64>() / answered.len() as f64;
            format!("{:<22}", format!("{:.2}", 100.0 * mean))
        })
        .collect();
    println!("{:<34}{:>7}{:>8.0}%  {}", "", "never", 0.0, never.concat());
    for threshold in THRESHOLDS {
        let hot = |answer: &Answered| answer.temperature > threshold;
        let widened = answered.iter().filter(|answer| hot(answer)).count();
        let gains: Vec<String> = (0..4)
            .map(|at| {
                let gain = |answer: &Answered| if hot(answer) { answer.always[at] - answer.never[at] } else { 0.0 };
                let gains: Vec<f64> = answered.iter().map(|answer| 100.0 * gain(answer)).collect();
                let interval = mean_interval(&gains, BOOTSTRAP.0, BOOTSTRAP.1);
                format!("{:<22}", format!("{:+.2} [{:+.2}, {:+.2}]", interval.mean, interval.lo, interval.hi))
            })
            .collect();
        let above = if threshold < 0.0 { "always".to_owned() } else { threshold.to_string() };
        let share = 100.0 * widened as f64 / answered.len() as f64;
        println!("{:<34}{above:>7}{share:>8.0}%  {}", "", gains.concat());
    }
}
