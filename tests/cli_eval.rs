//! `terrace eval`: its document, its files, and what it leaves alone.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod cli_support;

use std::path::Path;

use cli_support::{Store, text};
use serde_json::Value;

/// Three notes and two queries, as BEIR lays them out.
fn set(dir: &Path) {
    let corpus = r#"{"_id": "slugs", "title": "Slugs", "text": "Wool keeps them off lettuce."}
{"_id": "shears", "title": "Shears", "text": "Sharpen them in winter."}
{"_id": "the frost", "title": "Frost", "text": "Cover seedlings."}
"#;
    let queries = r#"{"_id": "q1", "text": "lettuce and wool"}
{"_id": "q2", "text": "cover seedlings against cold"}
"#;
    std::fs::create_dir_all(dir.join("qrels")).unwrap();
    std::fs::write(dir.join("corpus.jsonl"), corpus).unwrap();
    std::fs::write(dir.join("queries.jsonl"), queries).unwrap();
    let qrels = "query-id\tcorpus-id\tscore\nq1\tslugs\t1\nq2\tthe frost\t1\nq2\tshears\t0\n";
    std::fs::write(dir.join("qrels/test.tsv"), qrels).unwrap();
}

fn sample() -> Store {
    let store = Store::missing();
    set(&store.dir.path().join("garden"));
    store
}

fn eval(store: &Store, more: &[&str]) -> Value {
    store.json(&[&["eval", "garden", "--resamples", "100"], more].concat())
}

#[test]
fn the_document_has_the_shape_that_others_read() {
    let report = eval(&sample(), &["--ablate"]);
    assert_eq!((&report["dataset"], &report["docs"], &report["queries"]), (&"garden".into(), &3.into(), &2.into()));
    for metric in ["ndcg@10", "recall@10", "recall@100", "mrr@10", "map", "any_gold@10", "all_gold@10"] {
        let of = &report["metrics"][metric];
        assert_eq!((&of["mean"], &of["lo"], &of["hi"]), (&1.0.into(), &1.0.into(), &1.0.into()), "{metric}");
    }
    for scout in ["scout_lexical", "scout_vector", "scout_recency"] {
        assert!(report["scouts"][scout]["ndcg@10"]["mean"].is_number(), "{scout}");
        assert!(report["without"][scout]["ndcg@10"]["mean"].is_number(), "{scout}");
    }
    assert!(report["latency_ms"]["p99"].is_number() && report["index"]["notes_per_s"].is_number());
    assert!(report["latency_embedded_ms"]["p50"].is_number());
    assert!(report["rss_mb"].is_number() || !cfg!(target_os = "linux"));
    assert!(report["config"]["ranking"]["weights"]["lexical"].is_number());
    assert_eq!(report["per_query"]["q2"]["ndcg@10"], 1.0);
}

#[test]
fn an_evaluation_touches_no_store_but_the_one_it_is_given() {
    let store = sample();
    eval(&store, &[]);
    assert!(!store.path().exists());
    let kept = store.dir.path().join("kept");
    let first = eval(&store, &["--store", kept.to_str().unwrap()]);
    assert_eq!(first["open_ms"], Value::Null);
    assert!(first["index"]["seconds"].is_number() && kept.join("terrace.db").exists());
    let again = eval(&store, &["--store", kept.to_str().unwrap()]);
    assert_eq!(again["index"]["seconds"], Value::Null);
    assert!(again["open_ms"].as_f64().unwrap() > 0.0);
    assert_eq!(again["metrics"], first["metrics"]);
}

#[test]
fn a_store_of_other_notes_is_refused_and_left_as_it_is() {
    let store = sample();
    set(&store.dir.path().join("two"));
    let one = "{\"_id\": \"d\", \"title\": \"\", \"text\": \"x\"}\n";
    std::fs::write(store.dir.path().join("two/corpus.jsonl"), one).unwrap();
    let kept = store.dir.path().join("kept");
    let kept = kept.to_str().unwrap();
    eval(&store, &["--store", kept]);
    assert_eq!(store.error(&["eval", "two", "--store", kept])["code"], "conflict");
    assert_eq!(store.json(&["stats", "--store", kept])["notes"], 3);
}

#[test]
fn rankings_and_plots_are_written_where_asked() {
    let store = sample();
    eval(&store, &["--run", "out.trec", "--plot", "out.svg", "--vector-recall"]);
    let read = |name: &str| std::fs::read_to_string(store.dir.path().join(name)).unwrap();
    let trec = read("out.trec");
    let first: Vec<&str> = trec.lines().next().unwrap().split(' ').collect();
    assert_eq!((first[0], first[1], first[2], first[3], first[5]), ("q1", "Q0", "slugs", "1", "terrace"));
    assert!(trec.lines().any(|line| line.contains(" the%20frost ")), "{trec}");
    assert!(read("out.svg").starts_with("<svg") && read("out-vectors.svg").contains("recall"));
}

#[test]
fn two_reports_are_compared_query_by_query() {
    let store = sample();
    let write = |name: &str, report: &Value| {
        std::fs::write(store.dir.path().join(name), report.to_string()).unwrap();
    };
    let words = eval(&store, &["--scouts", "lexical"]);
    let mut worse = words.clone();
    worse["per_query"]["q1"]["ndcg@10"] = 0.5.into();
    write("a.json", &words);
    write("b.json", &worse);
    let comparison = store.json(&["eval", "--compare", "a.json", "b.json"]);
    assert_eq!((&comparison["queries"], &comparison["left_out"]), (&2.into(), &0.into()));
    assert_eq!(comparison["metrics"]["ndcg@10"]["delta"], -0.25);
    assert_eq!(comparison["metrics"]["map"]["delta"], 0.0);
    worse["dataset"] = "other".into();
    write("b.json", &worse);
    assert_eq!(store.error(&["eval", "--compare", "a.json", "b.json"])["code"], "invalid_input");
}

#[test]
fn simulated_feedback_is_reported_by_regime_and_stream() {
    let report = eval(&sample(), &["--feedback"]);
    for regime in ["same_needs", "new_needs"] {
        for stream in ["clean", "noisy", "adversarial"] {
            let shift = &report["feedback"][regime][stream];
            for key in ["before", "after", "delta", "lo", "hi"] {
                assert!(shift[key].is_number(), "{regime} {stream} {key}");
            }
        }
    }
}

#[test]
fn people_read_a_table() {
    let output = sample().run(&["eval", "garden", "--resamples", "100"]);
    let page = text(&output.stdout);
    assert!(page.starts_with("garden: 3 notes, 2 queries\n"), "{page}");
    assert!(page.contains("ndcg@10") && page.contains("1.000 to 1.000") && page.contains("latency"), "{page}");
}

#[test]
fn what_is_wrong_with_a_set_is_named() {
    let store = sample();
    std::fs::write(store.dir.path().join("garden/queries.jsonl"), "{\"_id\": 7}\n").unwrap();
    let error = store.error(&["eval", "garden"]);
    assert_eq!(error["code"], "invalid_input");
    assert!(error["message"].as_str().unwrap().contains("queries.jsonl, line 1"), "{error}");
    assert_eq!(store.error(&["eval", "nowhere"])["code"], "io");
    assert_eq!(store.run(&["eval"]).status.code(), Some(2));
}

#[test]
fn an_option_out_of_range_is_refused_before_anything_is_written() {
    let store = sample();
    let kept = store.dir.path().join("kept");
    let error = store.error(&["eval", "garden", "--k", "0", "--store", kept.to_str().unwrap()]);
    assert_eq!((&error["code"], kept.exists()), (&"invalid_input".into(), false));
    let unknown = store.run(&["eval", "garden", "--scouts", "lexical,words"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("task_context"), "{}", text(&unknown.stderr));
}
