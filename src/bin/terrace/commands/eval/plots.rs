//! Reports as plots.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use terrace::Result;
use terrace::eval::plot::{Bar, BarGroup, Curve, quality_bars, recall_by_latency};
use terrace::eval::{Interval, Means, Report, VectorRecall};

/// Writes the quality to `path`, and vector recall, where it was measured, beside it.
pub(super) fn draw(report: &Report, path: &Path) -> Result<()> {
    super::write(path, &quality(report)?)?;
    if let Some(vectors) = &report.vectors {
        super::write(&beside(path, "vectors"), &recall(report, vectors)?)?;
    }
    Ok(())
}

fn quality(report: &Report) -> Result<String> {
    let heading = format!("{}: {} notes, {} queries", report.dataset, report.docs, report.queries);
    let main = format!("ndcg@{}", report.k);
    let group = |name: &str, rows: &BTreeMap<String, Means>| BarGroup {
        name: name.to_owned(),
        bars: rows.iter().filter_map(|(scout, means)| Some(bar(scout, means.get(&main)?))).collect(),
    };
    let whole = report.metrics.iter().map(|(metric, of)| bar(metric, of)).collect();
    let mut groups = vec![BarGroup { name: "the whole engine".into(), bars: whole }];
    if !report.scouts.is_empty() {
        groups.push(group(&format!("{main} of a scout alone"), &report.scouts));
        groups.push(group(&format!("{main} without a scout"), &report.without));
    }
    quality_bars(&heading, "mean over queries, 95 % interval", &groups)
}

fn recall(report: &Report, vectors: &VectorRecall) -> Result<String> {
    let curve = |label: &str, recall: fn(&terrace::eval::GraphRecall) -> f64| Curve {
        label: label.to_owned(),
        points: vectors.widths.iter().map(|width| (width.ms.p50, recall(width))).collect(),
    };
    let exact = Curve { label: "exact scan".into(), points: vec![(vectors.exact_ms.p50, 1.0)] };
    let curves = [curve("graph, recall@10", |of| of.recall_10), curve("graph, recall@30", |of| of.recall_30), exact];
    recall_by_latency(&format!("{}: vector search over {} passages", report.dataset, vectors.rows), &curves)
}

fn bar(label: &str, of: &Interval) -> Bar {
    Bar { label: label.to_owned(), mean: of.mean, lo: of.lo, hi: of.hi }
}

/// `a/b.svg` → `a/b-what.svg`.
fn beside(path: &Path, what: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(extension) => format!("{stem}-{what}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{what}"),
    };
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_plot_stands_beside_the_first() {
        assert_eq!(beside(Path::new("a/b.svg"), "vectors"), Path::new("a/b-vectors.svg"));
        assert_eq!(beside(Path::new("b"), "vectors"), Path::new("b-vectors"));
    }
}
