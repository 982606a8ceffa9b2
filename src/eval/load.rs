//! Latency, throughput, memory and size over a synthetic corpus: what `terrace bench` prints.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::machine::{Machine, resident_mb};
use super::synthetic::{SyntheticCorpus, SyntheticOptions};
use crate::config::Config;
use crate::engine::Engine;
use crate::error::Result;
use crate::model::{CompletionRequest, RetrieveRequest, TaskDraft};

/// How a load measurement runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadOptions {
    /// The corpus.
    pub corpus: SyntheticOptions,
    /// Retrieves measured one at a time; as many again warm up. Default 500.
    pub queries: usize,
    /// Retrieves per count of callers. Default 1 000.
    pub concurrent_queries: usize,
    /// Single puts and task completions measured. Default 200.
    pub writes: usize,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { corpus: SyntheticOptions::default(), queries: 500, concurrent_queries: 1_000, writes: 200 }
    }
}

/// Percentiles of a duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// Half of the measurements are below.
    pub p50: f64,
    /// 95 % are below.
    pub p95: f64,
    /// 99 % are below.
    pub p99: f64,
}

impl Percentiles {
    /// By the nearest rank; zeros for no measurements.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let rank = (share * values.len() as f64).ceil() as usize;
            values.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        Self { p50: at(0.50), p95: at(0.95), p99: at(0.99) }
    }
}

/// How fast notes were taken in, embedding included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IngestRate {
    /// The whole ingest.
    pub seconds: f64,
    /// Notes per second.
    pub notes_per_s: f64,
}

/// Megabytes on disk (`sqlite`, `lexical`) and in memory (`vector`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexSizes {
    /// The SQLite file and its log.
    pub sqlite: f64,
    /// The lexical index.
    pub lexical: f64,
    /// The vector codes.
    pub vector: f64,
}

/// What a load measurement found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadReport {
    /// Notes in the corpus.
    pub notes: usize,
    /// Vector width; 0 in a store without vectors.
    pub dims: usize,
    /// What it was measured on.
    pub machine: Machine,
    /// The corpus' seed.
    pub seed: u64,
    /// Taking the corpus in.
    pub ingest: IngestRate,
    /// Seconds to open the store again.
    pub open_s: f64,
    /// Resident memory after reopening and the first retrieves, in megabytes.
    pub rss_mb: f64,
    /// Sizes of the indexes.
    pub index_mb: IndexSizes,
    /// A whole retrieve, receipt written, one caller, in milliseconds.
    pub retrieve_ms: Percentiles,
    /// Its stages, in microseconds.
    pub stages_us: BTreeMap<String, Percentiles>,
    /// Retrieves per second by the number of callers.
    pub callers_qps: BTreeMap<String, f64>,
    /// One `put`, in microseconds.
    pub put_us: Percentiles,
    /// The retrieve that follows a `put`, which commits it to the lexical index, in microseconds.
    pub retrieve_after_put_us: Percentiles,
    /// One `complete_task` that cites two notes, in microseconds.
    pub complete_task_us: Percentiles,
}

/// Notes taken in per call.
const CHUNK: usize = 10_000;

/// Fills an empty store in `dir` with a synthetic corpus and measures it. `progress` is told what is being done.
///
/// # Errors
/// The engine's.
pub fn measure_load(
    dir: &Path,
    config: &Config,
    options: &LoadOptions,
    progress: &mut dyn FnMut(&'static str),
) -> Result<LoadReport> {
    let corpus = SyntheticCorpus::new(options.corpus);
    let notes = options.corpus.notes;
    let engine = Engine::open(dir, config.clone())?;
    progress("ingest");
    let mut seconds = 0.0;
    for start in (0..notes).step_by(CHUNK) {
        let chunk: Vec<_> = corpus.notes(start..notes.min(start + CHUNK)).collect();
        let started = Instant::now();
        engine.put_many(chunk)?;
        seconds += started.elapsed().as_secs_f64();
    }
    let started = Instant::now();
    engine.maintain()?;
    seconds += started.elapsed().as_secs_f64();
    drop(engine);
    progress("open");
    let started = Instant::now();
    let engine = Engine::open(dir, config.clone())?;
    let open_s = started.elapsed().as_secs_f64();
    progress("retrieve");
    let (retrieve_ms, stages_us) = retrieves(&engine, &corpus, options.queries)?;
    let rss_mb = resident_mb().unwrap_or(0.0);
    progress("callers");
    let mut callers_qps = BTreeMap::new();
    for callers in [1, 2, 4, 8] {
        callers_qps.insert(callers.to_string(), throughput(&engine, &corpus, callers, options.concurrent_queries)?);
    }
    progress("writes");
    let (put_us, retrieve_after_put_us) = puts(&engine, &corpus, notes, options.writes)?;
    let complete_task_us = completions(&engine, &corpus, options.writes)?;
    let stats = engine.stats()?;
    let megabytes = |bytes: u64| bytes as f64 / (1024.0 * 1024.0);
    let dims = stats.dims.unwrap_or(0);
    Ok(LoadReport {
        notes,
        dims,
        machine: Machine::this(),
        seed: options.corpus.seed,
        ingest: IngestRate { seconds, notes_per_s: notes as f64 / seconds.max(f64::EPSILON) },
        open_s,
        rss_mb,
        index_mb: IndexSizes {
            sqlite: megabytes(stats.sqlite_bytes),
            lexical: megabytes(stats.lexical_bytes),
            vector: megabytes(stats.vectors * dims as u64),
        },
        retrieve_ms,
        stages_us,
        callers_qps,
        put_us,
        retrieve_after_put_us,
        complete_task_us,
    })
}

fn retrieves(
    engine: &Engine,
    corpus: &SyntheticCorpus,
    queries: usize,
) -> Result<(Percentiles, BTreeMap<String, Percentiles>)> {
    for at in 0..queries {
        engine.retrieve(&RetrieveRequest::new(corpus.query(at)))?;
    }
    let mut whole = Vec::with_capacity(queries);
    let mut stages: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for at in queries..queries * 2 {
        let request = RetrieveRequest::new(corpus.query(at));
        let started = Instant::now();
        let (_, laps) = engine.retrieve_timed(&request)?;
        whole.push(started.elapsed().as_secs_f64() * 1e3);
        let lap = |name: &str| laps.get(name).copied().unwrap_or(0) as f64;
        for (stage, micros) in laps.iter().filter(|(stage, _)| stage.starts_with("scout_") || *stage == "eligibility") {
            stages.entry(stage.clone()).or_default().push(*micros as f64);
        }
        let ranking = lap("fuse") + lap("rerank") + lap("diversify");
        stages.entry("fuse_rerank".to_owned()).or_default().push(ranking);
        stages.entry("hydrate".to_owned()).or_default().push(lap("hydrate"));
        stages.entry("receipt".to_owned()).or_default().push(lap("log") + lap("receipt"));
    }
    let stages = stages.into_iter().map(|(stage, micros)| (stage, Percentiles::of(micros))).collect();
    Ok((Percentiles::of(whole), stages))
}

fn throughput(engine: &Engine, corpus: &SyntheticCorpus, callers: usize, queries: usize) -> Result<f64> {
    let next = AtomicUsize::new(0);
    let started = Instant::now();
    let outcomes: Vec<Result<()>> = std::thread::scope(|scope| {
        let caller = || -> Result<()> {
            loop {
                let at = next.fetch_add(1, Ordering::SeqCst);
                if at >= queries {
                    return Ok(());
                }
                engine.retrieve(&RetrieveRequest::new(corpus.query(at)))?;
            }
        };
        let handles: Vec<_> = (0..callers).map(|_| scope.spawn(caller)).collect();
        let lost = || Err(crate::Error::SearchBackend("a caller of the measurement panicked".into()));
        handles.into_iter().map(|handle| handle.join().unwrap_or_else(|_| lost())).collect()
    });
    outcomes.into_iter().collect::<Result<()>>()?;
    Ok(queries as f64 / started.elapsed().as_secs_f64().max(f64::EPSILON))
}

fn puts(engine: &Engine, corpus: &SyntheticCorpus, from: usize, count: usize) -> Result<(Percentiles, Percentiles)> {
    let (mut put, mut after) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for at in 0..count {
        let note = corpus.note(from + at);
        let started = Instant::now();
        engine.put(note)?;
        put.push(started.elapsed().as_secs_f64() * 1e6);
        let request = RetrieveRequest::new(corpus.query(at));
        let started = Instant::now();
        engine.retrieve(&request)?;
        after.push(started.elapsed().as_secs_f64() * 1e6);
    }
    Ok((Percentiles::of(put), Percentiles::of(after)))
}

fn completions(engine: &Engine, corpus: &SyntheticCorpus, count: usize) -> Result<Percentiles> {
    let mut micros = Vec::with_capacity(count);
    for at in 0..count {
        let task = engine.create_task(&TaskDraft { title: format!("measured task {at}"), ..TaskDraft::default() })?;
        let answer = engine.retrieve(&RetrieveRequest {
            agent_id: Some("bench".into()),
            task_id: Some(task.id.clone()),
            ..RetrieveRequest::new(corpus.query(at))
        })?;
        let cited = answer.results.iter().take(2).map(|note| note.result.id.clone()).collect();
        let request = CompletionRequest {
            task_id: task.id,
            agent: "bench".into(),
            cited_nodes: Some(cited),
            receipt_id: Some(answer.receipt_id),
            ..CompletionRequest::default()
        };
        let started = Instant::now();
        engine.complete_task(&request)?;
        micros.push(started.elapsed().as_secs_f64() * 1e6);
    }
    Ok(Percentiles::of(micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let values = (1..=100).map(f64::from).collect();
        assert_eq!(Percentiles::of(values), Percentiles { p50: 50.0, p95: 95.0, p99: 99.0 });
        assert_eq!(Percentiles::of(vec![7.0]), Percentiles { p50: 7.0, p95: 7.0, p99: 7.0 });
    }

    #[test]
    fn a_small_load_measures_every_stage() {
        let dir = tempfile::tempdir().unwrap();
        let corpus = SyntheticOptions { notes: 60, words: 20, vocabulary: 200, seed: 1 };
        let options = LoadOptions { corpus, queries: 3, concurrent_queries: 4, writes: 2 };
        let report = measure_load(dir.path(), &Config::default(), &options, &mut |_| {}).unwrap();
        assert_eq!(report.notes, 60);
        let expected = ["eligibility", "fuse_rerank", "hydrate", "receipt", "scout_lexical", "scout_recency"];
        assert!(expected.iter().all(|stage| report.stages_us.contains_key(*stage)), "{:?}", report.stages_us.keys());
        assert_eq!(report.callers_qps.len(), 4);
    }
}
