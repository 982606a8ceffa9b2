//! Reports as tables.

use std::io::{self, Write};

use terrace::eval::{Comparison, Interval, Means, Report, VectorRecall};

use super::feedback;
use crate::output::{Style, table};

pub(super) fn report(to: &mut dyn Write, style: Style, report: &Report) -> io::Result<()> {
    writeln!(
        to,
        "{}",
        style.bold(format_args!("{}: {} notes, {} queries", report.dataset, report.docs, report.queries))
    )?;
    for (kind, count) in &report.links {
        writeln!(to, "{count} links of type {kind}")?;
    }
    writeln!(to)?;
    let rows: Vec<[String; 3]> = report.metrics.iter().map(|(name, of)| row(name, of)).collect();
    table(to, style, ["metric", "mean", "95 % interval"], &rows)?;
    let main = format!("ndcg@{}", report.k);
    scouts(to, style, "scout alone", &main, &report.scouts)?;
    scouts(to, style, "all but", &main, &report.without)?;
    if let Some(vectors) = &report.vectors {
        vector_recall(to, style, vectors)?;
    }
    if let Some(simulated) = &report.feedback {
        feedback::simulated(to, style, simulated)?;
    }
    if let Some(replayed) = &report.clicks {
        feedback::clicks(to, style, replayed)?;
    }
    writeln!(to)?;
    if let Some(latency) = &report.latency_ms {
        writeln!(to, "latency  p50 {:.2}  p95 {:.2}  p99 {:.2} ms", latency.p50, latency.p95, latency.p99)?;
    }
    match (report.index.seconds, report.index.notes_per_s) {
        (Some(seconds), Some(rate)) => {
            writeln!(to, "index    {seconds:.1} s, {rate:.0} notes/s, {:.1} MB", report.index.mb)
        }
        _ => writeln!(to, "index    was there already, {:.1} MB", report.index.mb),
    }
}

pub(super) fn comparison(to: &mut dyn Write, style: Style, comparison: &Comparison) -> io::Result<()> {
    writeln!(to, "{}", style.bold(format_args!("{}: {} queries in both", comparison.dataset, comparison.queries)))?;
    if comparison.left_out > 0 {
        writeln!(to, "{} queries are only in one of them and left out", comparison.left_out)?;
    }
    let rows: Vec<[String; 5]> = comparison
        .metrics
        .iter()
        .map(|(name, of)| {
            let interval = format!("{:+.4} to {:+.4}", of.lo, of.hi);
            [name.clone(), format!("{:.4}", of.a), format!("{:.4}", of.b), format!("{:+.4}", of.delta), interval]
        })
        .collect();
    table(to, style, ["metric", "A", "B", "B − A", "95 % interval"], &rows)
}

fn scouts(
    to: &mut dyn Write,
    style: Style,
    heading: &str,
    metric: &str,
    rows: &std::collections::BTreeMap<String, Means>,
) -> io::Result<()> {
    let rows: Vec<[String; 3]> =
        rows.iter().filter_map(|(scout, means)| Some(row(scout, means.get(metric)?))).collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(to)?;
    table(to, style, [heading, metric, "95 % interval"], &rows)
}

fn vector_recall(to: &mut dyn Write, style: Style, of: &VectorRecall) -> io::Result<()> {
    writeln!(
        to,
        "\nvector graph over {} passages, built in {:.1} s; exact scan p50 {:.3} ms",
        of.rows, of.build_s, of.exact_ms.p50
    )?;
    let rows: Vec<[String; 4]> = std::iter::once(&of.shipped)
        .chain(&of.widths)
        .map(|graph| {
            let width = graph.ef.map_or_else(|| "as shipped".to_owned(), |ef| ef.to_string());
            [
                width,
                format!("{:.4}", graph.recall_10),
                format!("{:.4}", graph.recall_30),
                format!("{:.3}", graph.ms.p50),
            ]
        })
        .collect();
    table(to, style, ["ef", "recall@10", "recall@30", "p50 ms"], &rows)?;
    for filtered in &of.filtered {
        writeln!(to, "under a filter of {} %: recall@10 {:.4}", filtered.share * 100.0, filtered.recall_10)?;
    }
    Ok(())
}

fn row(name: &str, of: &Interval) -> [String; 3] {
    [name.to_owned(), format!("{:.4}", of.mean), format!("{:.3} to {:.3}", of.lo, of.hi)]
}
