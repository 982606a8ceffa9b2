//! Searches for the shipped weights: coordinate descent over the ranking's settings, on the training half of each data
//! set's queries, toward the mean nDCG@10 over sets. What it finds is printed with the figures of both halves; nothing
//! is chosen by the test half.
//!
//! ```sh
//! cargo run --release --example tune -- ROUNDS SET...
//! ```
//!
//! A SET is a directory in BEIR's layout, with `+structure` or `+speaker` behind it to use what `terrace eval
//! --structure --speaker` does. Stores are kept below `target/tune`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use terrace::eval::{Dataset, DatasetOptions, EvalOptions, Half, Report, evaluate};
use terrace::{Config, RankingConfig, Result};

/// One setting: its name, and where it stands.
type Setting = (&'static str, fn(&mut RankingConfig) -> &mut f32);

const SETTINGS: [Setting; 8] = [
    ("weights.lexical", |ranking| &mut ranking.weights.lexical),
    ("weights.vector", |ranking| &mut ranking.weights.vector),
    ("weights.graph", |ranking| &mut ranking.weights.graph),
    ("weights.tag", |ranking| &mut ranking.weights.tag),
    ("weights.path", |ranking| &mut ranking.weights.path),
    ("weights.recency", |ranking| &mut ranking.weights.recency),
    ("name_boost", |ranking| &mut ranking.name_boost),
    ("lexical_kappa", |ranking| &mut ranking.lexical_kappa),
];
/// What a setting is multiplied by, in turn.
const STEPS: [f32; 4] = [0.6, 0.8, 1.25, 1.6];
/// Gains of the mean below this are chance.
const LEAST_GAIN: f64 = 0.0002;

struct Set {
    name: String,
    data: Dataset,
    store: PathBuf,
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let rounds: usize = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(0);
    let sets = arguments.map(|name| load(&name)).collect::<Result<Vec<Set>>>()?;
    if sets.is_empty() {
        eprintln!("name at least one data set: tune ROUNDS SET...");
        return Ok(());
    }
    let mut best = Config::default();
    let mut score = train(&best, &sets)?;
    println!("{score:.4}  as shipped");
    for round in 1..=rounds {
        let before = score;
        for (name, setting) in SETTINGS {
            for step in STEPS {
                let mut tried = best.clone();
                *setting(&mut tried.ranking) *= step;
                let found = train(&tried, &sets)?;
                println!("{found:.4}  round {round}: {name} = {:.4}", *setting(&mut tried.ranking));
                if found > score + LEAST_GAIN {
                    (best, score) = (tried, found);
                }
            }
        }
        if score <= before {
            break;
        }
    }
    println!("\n{:#?}\n", best.ranking);
    let (shipped, tuned) = (measure(&Config::default(), &sets)?, measure(&best, &sets)?);
    println!("{:<44}{:>9}{:>9}{:>9}{:>9}", "nDCG@10", "train", "tuned", "test", "tuned");
    for set in &sets {
        if let (Some(shipped), Some(tuned)) = (shipped.get(&set.name), tuned.get(&set.name)) {
            let half = |report: &Report, half: Half| mean(report, set, half);
            println!(
                "{:<44}{:>9.4}{:>9.4}{:>9.4}{:>9.4}",
                set.name,
                half(shipped, Half::Train),
                half(tuned, Half::Train),
                half(shipped, Half::Test),
                half(tuned, Half::Test)
            );
        }
    }
    Ok(())
}

fn load(name: &str) -> Result<Set> {
    let (structure, speaker) = (name.contains("+structure"), name.contains("+speaker"));
    let options = DatasetOptions { structure, speaker, ..DatasetOptions::default() };
    let dir = name.split('+').next().unwrap_or(name);
    let data = Dataset::load(Path::new(dir), &options)?;
    let store = Path::new("target/tune").join(name.trim_matches('/').replace('/', "-"));
    Ok(Set { name: name.to_owned(), data, store })
}

/// The mean over sets of the training half's nDCG@10.
fn train(config: &Config, sets: &[Set]) -> Result<f64> {
    let reports = measure(config, sets)?;
    let means = sets.iter().filter_map(|set| Some(mean(reports.get(&set.name)?, set, Half::Train)));
    Ok(means.sum::<f64>() / sets.len() as f64)
}

fn mean(report: &Report, set: &Set, half: Half) -> f64 {
    let of_half = report.per_query.iter().filter(|(query, _)| half.has(&set.data.name, query));
    let values: Vec<f64> = of_half.filter_map(|(_, metrics)| metrics.get("ndcg@10").copied()).collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Every set's report, on as many threads as the machine has.
fn measure(config: &Config, sets: &[Set]) -> Result<BTreeMap<String, Report>> {
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(BTreeMap::new());
    let options = EvalOptions { resamples: 100, timed: false, ..EvalOptions::default() };
    let work = || -> Result<()> {
        while let Some(set) = sets.get(next.fetch_add(1, Ordering::SeqCst)) {
            let report = evaluate(&set.store, config, &set.data, &options, &mut |_, _, _| {})?;
            if let Ok(mut reports) = reports.lock() {
                reports.insert(set.name.clone(), report);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or(Ok(())))
    })?;
    Ok(reports.into_inner().unwrap_or_default())
}
