//! The metrics equal trec_eval's to four decimals, query by query.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;

use terrace::eval::metrics::{self, Judgements};

const QRELS: &str = include_str!("trec_eval/qrels.txt");
const RUN: &str = include_str!("trec_eval/run.trec");
const EXPECTED: &str = include_str!("trec_eval/expected.tsv");

type Metric = fn(&[(String, f64)], &Judgements) -> f64;

fn qrels() -> BTreeMap<String, Judgements> {
    let mut qrels: BTreeMap<String, Judgements> = BTreeMap::new();
    for line in QRELS.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        qrels.entry(columns[0].into()).or_default().insert(columns[2].into(), columns[3].parse().unwrap());
    }
    qrels
}

fn run() -> BTreeMap<String, Vec<(String, f64)>> {
    let mut run: BTreeMap<String, Vec<(String, f64)>> = BTreeMap::new();
    for line in RUN.lines() {
        let columns: Vec<&str> = line.split(' ').collect();
        run.entry(columns[0].into()).or_default().push((columns[2].into(), columns[4].parse().unwrap()));
    }
    run
}

/// Compares one metric over every query; answers how many queries were compared.
fn compare(column: &str, metric: Metric) -> usize {
    let (qrels, run) = (qrels(), run());
    let mut lines = EXPECTED.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let at = lines.next().unwrap().iter().position(|name| *name == column).unwrap();
    let mut compared = 0;
    for line in lines {
        let expected: f64 = line[at].parse().unwrap();
        let found = metric(&run[line[0]], &qrels[line[0]]);
        assert!((expected - found).abs() < 5e-5, "{column} of {}: trec_eval {expected}, here {found}", line[0]);
        compared += 1;
    }
    compared
}

#[test]
fn ndcg_is_trec_evals() {
    assert_eq!(compare("ndcg_cut_10", |ranked, judged| metrics::ndcg(ranked, judged, 10)), 41);
    assert_eq!(compare("ndcg_cut_3", |ranked, judged| metrics::ndcg(ranked, judged, 3)), 41);
}

#[test]
fn recall_is_trec_evals() {
    assert_eq!(compare("recall_10", |ranked, judged| metrics::recall(ranked, judged, 10)), 41);
    assert_eq!(compare("recall_100", |ranked, judged| metrics::recall(ranked, judged, 100)), 41);
}

#[test]
fn average_precision_is_trec_evals() {
    assert_eq!(compare("map", metrics::average_precision), 41);
}

#[test]
fn reciprocal_rank_without_a_cutoff_is_trec_evals() {
    assert_eq!(compare("recip_rank", |ranked, judged| metrics::mrr(ranked, judged, usize::MAX)), 41);
}

#[test]
fn any_gold_is_trec_evals_success() {
    assert_eq!(compare("success_10", |ranked, judged| metrics::any_gold(ranked, judged, 10)), 41);
}
