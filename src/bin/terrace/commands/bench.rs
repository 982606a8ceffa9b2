//! `terrace bench`.

use clap::Args;
use terrace::eval::{LoadOptions, LoadReport, Percentiles, SyntheticOptions, measure_load};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::output::{Output, pairs};
use crate::progress::Progress;
use crate::scratch::Scratch;

/// Measure latency, throughput, memory and size over synthetic notes
///
/// Makes a store of Zipf-distributed text in a temporary folder, measures it, and removes it. Nothing of --store is
/// touched.
#[derive(Args)]
#[command(after_help = "Example:\n  terrace bench --notes 100000 --json")]
pub(crate) struct Bench {
    /// How many notes
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=5_000_000))]
    notes: u32,

    /// Seed of the generator
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Retrieves measured by one caller
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    queries: u32,
}

impl Bench {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let config = global.config()?;
        let corpus = SyntheticOptions { notes: self.notes as usize, seed: self.seed, ..SyntheticOptions::default() };
        let options = LoadOptions { corpus, queries: self.queries as usize, ..LoadOptions::default() };
        let place = Scratch::new("bench");
        let progress = Progress::new();
        let report = measure_load(place.path(), &config, &options, &mut |stage| progress.begin(stage));
        drop(progress);
        let report = report?;
        output.answer(&report, |to, style| {
            let lines = lines(&report);
            let rows: Vec<(&str, Option<String>)> =
                lines.iter().map(|(name, value)| (name.as_str(), Some(value.clone()))).collect();
            pairs(to, style, &rows)
        })
    }
}

fn lines(report: &LoadReport) -> Vec<(String, String)> {
    let percentiles =
        |of: &Percentiles, unit: &str| format!("p50 {:.2}  p95 {:.2}  p99 {:.2} {unit}", of.p50, of.p95, of.p99);
    let mut lines = vec![
        ("machine".to_owned(), format!("{} × {}", report.machine.cpus, report.machine.cpu)),
        ("notes".to_owned(), format!("{} (seed {}), {} dimensions", report.notes, report.seed, report.dims)),
        ("ingest".to_owned(), format!("{:.1} s, {:.0} notes/s", report.ingest.seconds, report.ingest.notes_per_s)),
        ("open".to_owned(), format!("{:.2} s", report.open_s)),
        ("resident".to_owned(), format!("{:.0} MB", report.rss_mb)),
        (
            "index".to_owned(),
            format!(
                "sqlite {:.0} MB, lexical {:.0} MB, vector {:.0} MB in memory",
                report.index_mb.sqlite, report.index_mb.lexical, report.index_mb.vector
            ),
        ),
        ("retrieve".to_owned(), percentiles(&report.retrieve_ms, "ms")),
    ];
    lines.extend(report.stages_us.iter().map(|(stage, of)| (format!("  {stage}"), percentiles(of, "µs"))));
    let callers: Vec<String> =
        report.callers_qps.iter().map(|(callers, qps)| format!("{callers}: {qps:.0}/s")).collect();
    lines.push(("retrieves by callers".to_owned(), callers.join("  ")));
    lines.push(("put".to_owned(), percentiles(&report.put_us, "µs")));
    lines.push(("retrieve after a put".to_owned(), percentiles(&report.retrieve_after_put_us, "µs")));
    lines.push(("complete_task".to_owned(), percentiles(&report.complete_task_us, "µs")));
    lines
}
