//! What an agent gains from closing the loop: success@1 as a stream of tasks goes by, beside a frozen twin that sees the
//! same stream and is told nothing.
//!
//! `cargo run --release --example agent_loop -- [--seeds N]` (default 20).
//!
//! The needs are the judged queries of `data/eval` over the vault in `data/`. A stream draws 120 of them with a long
//! tail (Zipf: the need of rank r comes back in proportion to 1/r; which need has which rank depends on the seed), and a
//! need is worded anew each time. For each task the agent sees five notes, uses those that serve its need, cites them,
//! and ignores the rest. It judges only what it was shown; what else would have served it never learns. The twin's tasks
//! are closed without a verdict.
//!
//! A task succeeds when the first note serves. The table by tasks shows the climb; the table by how often the need came
//! before shows where it comes from: a need that is new gains nothing, and a store whose needs never come again has
//! nothing to learn. Words that replace others are drawn from the notes that serve, so that wordings after the first are
//! no harder than the first.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use terrace::eval::{Dataset, DatasetOptions, mean_interval, twins};
use terrace::{CompletionRequest, Config, Engine, ManualClock, RetrieveRequest, TaskDraft};

const TASKS: usize = 120;
const WINDOW: usize = 20;
/// Notes that the agent sees.
const SHOWN: usize = 5;
const TASKS_PER_DAY: f64 = 8.0;
/// Wordings tried for one that the need has not had yet; the shortest queries have few.
const ATTEMPTS: u64 = 8;
const AGENT: &str = "agent-1";

/// One task of a stream.
struct Job {
    /// The need: an id of `data/eval`.
    need: String,
    /// How often it came before.
    before: usize,
    text: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seeds = seeds()?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let set = Dataset::load(&root.join("data/eval"), &DatasetOptions::default())?;
    let store = root.join("target/agent-loop-store");

    // By row of a table: for each seed the successes of the twin and of the agent, and the tasks.
    let mut by_tasks: BTreeMap<usize, Vec<[f64; 3]>> = BTreeMap::new();
    let mut by_before: BTreeMap<usize, Vec<[f64; 3]>> = BTreeMap::new();
    for seed in 1..=seeds {
        let jobs = stream(&set, seed);
        let frozen = work(&store, &set, &jobs, seed, false)?;
        let told = work(&store, &set, &jobs, seed, true)?;
        let count = |rows: &mut BTreeMap<usize, Vec<[f64; 3]>>, row: usize, at: usize| {
            let of_seeds = rows.entry(row).or_default();
            of_seeds.resize(seed as usize, [0.0; 3]);
            if let Some(sums) = of_seeds.last_mut() {
                let add = [f64::from(u8::from(frozen[at])), f64::from(u8::from(told[at])), 1.0];
                sums.iter_mut().zip(add).for_each(|(sum, add)| *sum += add);
            }
        };
        for (at, job) in jobs.iter().enumerate() {
            count(&mut by_tasks, at / WINDOW, at);
            count(&mut by_tasks, TASKS / WINDOW, at);
            count(&mut by_before, job.before.min(4), at);
        }
    }
    println!("success@1 over {seeds} streams of {TASKS} tasks, {SHOWN} notes shown; mean over streams\n");
    table("tasks", &by_tasks, |row| match row * WINDOW {
        TASKS => "all".to_owned(),
        first => format!("{}–{}", first + 1, first + WINDOW),
    });
    table("the need came before", &by_before, |row| match row {
        0 => "never (new)".to_owned(),
        1 => "once".to_owned(),
        4 => "4 times or more".to_owned(),
        times => format!("{times} times"),
    });
    Ok(())
}

fn seeds() -> Result<u64, String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => Ok(20),
        ["--seeds", number] => number
            .parse()
            .ok()
            .filter(|seeds| *seeds > 0)
            .ok_or(format!("expected a number of seeds from 1, found {number:?}; try --seeds 2")),
        other => Err(format!("expected nothing or --seeds N, found {other:?}")),
    }
}

/// The tasks of a stream: needs with a long tail, each time in words it did not have before.
fn stream(set: &Dataset, seed: u64) -> Vec<Job> {
    let mut random = Random(seed);
    let mut needs: Vec<usize> = (0..set.judged().count()).collect();
    for at in (1..needs.len()).rev() {
        needs.swap(at, (random.unit() * (at + 1) as f64) as usize);
    }
    let total: f64 = (1..=needs.len()).map(|rank| 1.0 / rank as f64).sum();
    // Wordings of every need, made as they are called for.
    let mut wordings: BTreeMap<u64, Vec<(String, String)>> = BTreeMap::new();
    let mut had: BTreeMap<usize, (usize, u64, BTreeSet<String>)> = BTreeMap::new();
    let mut jobs = Vec::with_capacity(TASKS);
    for _ in 0..TASKS {
        let mut left = random.unit() * total;
        let drawn = needs.iter().zip(1..).find(|(_, rank)| {
            left -= 1.0 / f64::from(*rank);
            left < 0.0
        });
        let need = drawn.map_or(needs[0], |(need, _)| *need);
        let (before, next, texts) = had.entry(need).or_default();
        let mut last = (String::new(), String::new());
        for _ in 0..ATTEMPTS {
            let made = wordings.entry(*next).or_insert_with(|| {
                twins(set, seed * 1_000 + *next).into_iter().map(|twin| (twin.id, twin.text)).collect()
            });
            *next += 1;
            last = made[need].clone();
            if texts.insert(last.1.clone()) {
                break;
            }
        }
        jobs.push(Job { need: last.0, before: *before, text: last.1 });
        *before += 1;
    }
    jobs
}

/// Works through a stream on a new store; for each task whether the first note served.
fn work(store: &Path, set: &Dataset, jobs: &[Job], seed: u64, tell: bool) -> terrace::Result<Vec<bool>> {
    if let Err(error) = std::fs::remove_dir_all(store)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(terrace::Error::io(format!("removing {}", store.display()), error));
    }
    let clock = ManualClock::at(set.now);
    let config = Config { clock: Arc::new(clock.clone()), seed: Some(seed), ..Config::default() };
    let engine = Engine::open(store, config)?;
    engine.put_many(set.notes.clone())?;
    let mut successes = Vec::with_capacity(jobs.len());
    for job in jobs {
        clock.advance_days(1.0 / TASKS_PER_DAY);
        let task = engine.create_task(&TaskDraft { title: job.text.clone(), ..TaskDraft::default() })?;
        let answer = engine.retrieve(&RetrieveRequest {
            agent_id: Some(AGENT.into()),
            task_id: Some(task.id.clone()),
            limit: SHOWN,
            ..RetrieveRequest::new(job.text.as_str())
        })?;
        let serves =
            |id: &str| set.qrels.get(&job.need).and_then(|notes| notes.get(id)).is_some_and(|gain| *gain > 0.0);
        let shown: Vec<String> = answer.results.into_iter().map(|note| note.result.id).collect();
        successes.push(shown.first().is_some_and(|id| serves(id)));
        let used = shown.into_iter().filter(|id| serves(id)).collect();
        engine.complete_task(&CompletionRequest {
            task_id: task.id,
            agent: AGENT.into(),
            cited_nodes: tell.then_some(used),
            receipt_id: Some(answer.receipt_id),
            ..CompletionRequest::default()
        })?;
    }
    Ok(successes)
}

/// Prints a row for each group of tasks: shares of success, and their difference stream by stream.
fn table(heading: &str, rows: &BTreeMap<usize, Vec<[f64; 3]>>, name: impl Fn(usize) -> String) {
    println!("{heading:<22}{:>7}{:>9}{:>7}{:>12}  95 % interval, points", "tasks", "frozen", "told", "difference");
    for (row, streams) in rows {
        let streams: Vec<&[f64; 3]> = streams.iter().filter(|sums| sums[2] > 0.0).collect();
        let mean = |column: usize| {
            streams.iter().map(|sums| sums[column] / sums[2]).sum::<f64>() / streams.len().max(1) as f64
        };
        let differences: Vec<f64> = streams.iter().map(|sums| 100.0 * (sums[1] - sums[0]) / sums[2]).collect();
        let interval = mean_interval(&differences, 10_000, 1);
        let tasks: f64 = streams.iter().map(|sums| sums[2]).sum();
        println!(
            "{:<22}{tasks:>7}{:>9.3}{:>7.3}{:>+12.1}  {:+.1} to {:+.1}",
            name(*row),
            mean(0),
            mean(1),
            interval.mean,
            interval.lo,
            interval.hi
        );
    }
    println!();
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), so that a seed gives the same stream everywhere.
struct Random(u64);

impl Random {
    /// A number in [0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
