//! `terrace eval`: index, ask, score.

use std::path::Path;

use super::ablation;
use super::dataset::Dataset;
use super::fill::{Filled, filled};
use super::load::Percentiles;
use super::machine::{Machine, resident_mb};
use super::metrics::DEEP;
use super::report::{IndexCost, Report, means, settings};
use super::run::{EvalProgress, Run, retrieve_millis};
use super::vector_recall::{VectorRecall, VectorRecallOptions};
use crate::config::Config;
use crate::error::{Error, Result};

/// How an evaluation runs. Start from [`EvalOptions::default`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvalOptions {
    /// The cutoff of nDCG, recall, MRR and the golds, and how many notes the timed retrieves ask for; from 1 to 100.
    /// Default 10.
    pub k: usize,
    /// Also time whole retrieves, in two more rounds. Default true.
    pub timed: bool,
    /// Also score each scout alone, and the engine without each. Default false.
    pub ablate: bool,
    /// Also build the vector graph and hold it against the exact scan: about 2 ms a passage. Default false.
    pub vector_recall: bool,
    /// Resamples of the bootstrap. Default 2 000.
    pub resamples: usize,
    /// Seed of the bootstrap and of random filters. Default 1.
    pub seed: u64,
}

impl Default for EvalOptions {
    fn default() -> Self {
        Self { k: 10, timed: true, ablate: false, vector_recall: false, resamples: 2_000, seed: 1 }
    }
}

/// Measures the whole engine on a data set, over a store in `dir`: an empty directory, or what an earlier evaluation of
/// the same set left there. The engine takes the set's present for its own.
///
/// Quality is that of the first 100 notes of one retrieve per query, none of which leaves a receipt that the next could
/// see; two more rounds, of whole retrieves for `k` notes, give the latencies.
///
/// ```
/// use terrace::Config;
/// use terrace::eval::{Dataset, DatasetOptions, EvalOptions, evaluate};
/// # let dir = std::env::temp_dir().join(format!("terrace-doc-evaluate-{}", std::process::id()));
/// let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
/// let set = Dataset::load(&root.join("data/eval"), &DatasetOptions { limit_queries: Some(5), ..Default::default() })?;
/// let report = evaluate(&dir, &Config::default(), &set, &EvalOptions::default(), &mut |_, _, _| {})?;
/// assert!(report.metrics["ndcg@10"].mean > 0.0);
/// # std::fs::remove_dir_all(&dir).ok();
/// # Ok::<(), terrace::Error>(())
/// ```
///
/// # Errors
/// `invalid_input` for a `k` out of range or a query that cannot be asked; `conflict` when `dir` holds other notes; the
/// engine's.
pub fn evaluate(
    dir: &Path,
    config: &Config,
    set: &Dataset,
    options: &EvalOptions,
    progress: EvalProgress<'_>,
) -> Result<Report> {
    if options.k == 0 || options.k > DEEP {
        return Err(Error::invalid(format!("expected k from 1 to {DEEP}, found {}", options.k)));
    }
    let Filled { engine, seconds, open_ms } = filled(dir, config, set, progress)?;
    let run = Run::of(&engine, set, DEEP, progress)?;
    let per_query = run.scores(set, options.k);
    let alone = if options.ablate { ablation::alone(&engine, set, progress)? } else { Vec::new() };
    let vectors = if options.vector_recall {
        VectorRecall::measure(&engine, set, &VectorRecallOptions { seed: options.seed }, progress)?
    } else {
        None
    };
    let mut timed = |embedded| match options.timed {
        true => {
            retrieve_millis(&engine, set, options.k, embedded, progress).map(|millis| Some(Percentiles::of(millis)))
        }
        false => Ok(None),
    };
    let (latency_ms, latency_embedded_ms) = (timed(false)?, timed(true)?);
    let rss_mb = resident_mb();
    let stats = engine.stats()?;
    let config_shown = settings(&engine, config, stats.embedder.as_deref());
    drop(engine);
    let without = if options.ablate { ablation::without(dir, config, set, progress)? } else { Vec::new() };
    let means_of = |scores| means(&scores, options.resamples, options.seed);
    Ok(Report {
        dataset: set.name.clone(),
        docs: set.notes.len(),
        queries: per_query.len(),
        k: options.k,
        seed: options.seed,
        machine: Machine::this(),
        links: set.links.clone(),
        config: config_shown,
        metrics: means(&per_query, options.resamples, options.seed),
        scouts: alone.into_iter().map(|(scout, run)| (scout, means_of(run.scores(set, options.k)))).collect(),
        without: without.into_iter().map(|(scout, run)| (scout, means_of(run.scores(set, options.k)))).collect(),
        latency_ms,
        latency_embedded_ms,
        open_ms,
        rss_mb,
        index: IndexCost {
            seconds,
            notes_per_s: seconds.map(|seconds| set.notes.len() as f64 / seconds.max(f64::EPSILON)),
            mb: (stats.sqlite_bytes + stats.lexical_bytes) as f64 / (1024.0 * 1024.0),
        },
        vectors,
        feedback: None,
        clicks: None,
        per_query,
        run,
    })
}
