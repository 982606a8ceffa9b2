//! With `--json` every answer has the wire shape: these keys, these types, nothing else on standard output.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod cli_support;

use cli_support::{Store, ids, keys};
use serde_json::{Value, json};

const SEARCH_KEYS: [&str; 9] =
    ["derived_from_ids", "id", "is_stale", "path", "score", "snippet", "source_url", "title", "updated_at"];

fn assert_search_types(result: &Value) {
    for key in ["id", "title", "snippet", "path", "source_url", "updated_at"] {
        assert!(result[key].is_string(), "{key}: {result}");
    }
    assert!(result["score"].is_f64());
    assert!(result["is_stale"].is_boolean());
    assert!(result["derived_from_ids"].is_array());
}

#[test]
fn retrieve_answers_in_the_shape_of_the_reference() {
    let store = Store::with_notes();
    let answer = store.json(&["retrieve", "prime the pump"]);
    let mut expected = vec!["degraded", "failed_scouts", "receipt_id", "results", "temperature", "terrace_reached"];
    expected.push("skipped_scouts");
    expected.sort_unstable();
    assert_eq!(keys(&answer), expected);
    assert!(answer["temperature"].is_f64() && answer["terrace_reached"].is_u64());
    assert!(answer["receipt_id"].as_str().unwrap().starts_with("rcpt_"));
    assert_eq!(answer["degraded"], false);
    assert_eq!(answer["failed_scouts"], json!([]));
    let first = &answer["results"][0];
    let mut expected = [&SEARCH_KEYS[..], &["reasons", "scouts", "salience", "usage_score"]].concat();
    expected.sort_unstable();
    assert_eq!(keys(first), expected);
    assert_search_types(first);
    assert_eq!(first["id"], "valve");
    assert_eq!(first["source_url"], "https://example.org/pump");
    assert_eq!(first["updated_at"], "2026-02-20T00:00:00Z");
    assert!(first["reasons"][0].is_string() && first["scouts"][0].is_string());
    assert!(first["salience"].is_f64() && first["usage_score"].is_f64());
}

#[test]
fn explain_adds_how_each_score_came_about() {
    let store = Store::with_notes();
    let answer = store.json(&["retrieve", "pump", "--explain"]);
    let explanation = &answer["results"][0]["explanation"];
    assert_eq!(keys(explanation), ["deltas", "diversity", "fused", "near_duplicate", "scouts"]);
    assert_eq!(keys(&explanation["scouts"][0]), ["calibrated", "raw", "scout", "weight"]);
}

#[test]
fn search_answers_with_nine_keys_per_result() {
    let store = Store::with_notes();
    for mode in ["hybrid", "fulltext", "graph"] {
        let answer = store.json(&["search", "pump", "--mode", mode]);
        assert_eq!(keys(&answer), ["degraded", "failed_scouts", "results"]);
        let first = &answer["results"][0];
        assert_eq!(keys(first), SEARCH_KEYS, "{mode}");
        assert_search_types(first);
    }
}

#[test]
fn filters_narrow_what_is_found() {
    let store = Store::with_notes();
    assert_eq!(ids(&store.json(&["retrieve", "--tag", "water", "--path-prefix", "water/riser.md"])), ["riser"]);
    assert_eq!(ids(&store.json(&["search", "water slugs", "--namespace", "garden/**"])), ["slugs"]);
    assert_eq!(ids(&store.json(&["search", "--tag", "water/pump"])), ["valve"]);
    assert_eq!(store.json(&["retrieve", "water", "--limit", "1"])["results"].as_array().unwrap().len(), 1);
}

#[test]
fn a_cache_hit_carries_the_document_and_a_miss_says_so() {
    let store = Store::with_notes();
    let hit = store.json(&["cache", "--source-url", "https://EXAMPLE.org/pump/"]);
    assert_eq!(keys(&hit), ["document", "hit", "stale_exists", "stale_id"]);
    assert_eq!((&hit["hit"], &hit["stale_exists"], &hit["stale_id"]), (&json!(true), &json!(false), &Value::Null));
    let document = &hit["document"];
    let expected = ["confidence", "content", "expires_at", "id", "source_url", "tags", "title", "updated_at"];
    assert_eq!(keys(document), expected);
    assert_eq!(document["confidence"], 0.9);
    assert_eq!(document["tags"], json!(["water/pump"]));
    assert_eq!(document["expires_at"], Value::Null);
    let stale = store.json(&["cache", "--source-url", "https://example.org/pump", "--max-age-hours", "1"]);
    assert_eq!(stale, json!({"hit": false, "document": null, "stale_exists": true, "stale_id": "valve"}));
    let miss = store.json(&["cache", "--source-url", "https://example.org/other"]);
    assert_eq!(miss, json!({"hit": false, "document": null, "stale_exists": false, "stale_id": null}));
}

#[test]
fn node_stats_have_the_keys_of_the_reference_before_and_after_a_retrieve() {
    let store = Store::with_notes();
    let fresh = store.json(&["stats", "valve"]);
    let reference = [
        "node_id",
        "salience",
        "retrieval_count",
        "cited_count",
        "last_retrieved_at",
        "last_used_at",
        "ignored_count",
        "misleading_count",
        "decay_rate",
        "spaced_rep_strength",
        "last_decay_applied_at",
    ];
    let mut expected = [&reference[..], &["usage_score", "quarantine"]].concat();
    expected.sort_unstable();
    assert_eq!(keys(&fresh), expected);
    assert_eq!(fresh["salience"], 0.5);
    assert_eq!(fresh["retrieval_count"], 0);
    assert_eq!(fresh["last_retrieved_at"], Value::Null);
    assert_eq!(fresh["decay_rate"], 0.005);
    store.json(&["retrieve", "prime the pump"]);
    let retrieved = store.json(&["stats", "valve"]);
    assert_eq!(retrieved["retrieval_count"], 1);
    assert_eq!(retrieved["last_retrieved_at"], cli_support::NOW);
}

#[test]
fn a_note_comes_back_as_it_was_put() {
    let store = Store::missing();
    let note = json!({"id": "-dash", "title": "T", "body": "a\u{1b}[31m\r\nb", "metadata": {"b": 1, "a": 2.50}});
    let put = store.run_with(&["put", "-", "--json", "--embedder", "none"], &note.to_string());
    let answer: Value = serde_json::from_slice(&put.stdout).unwrap();
    assert_eq!(answer["ids"], json!(["-dash"]));
    assert_eq!(answer["written"], 1);
    let got = store.run(&["get", "--json", "--", "-dash"]);
    let got: Value = serde_json::from_slice(&got.stdout).unwrap();
    assert_eq!(got["body"], note["body"]);
    assert_eq!(got["metadata"], note["metadata"]);
    assert_eq!(got["created_at"], cli_support::NOW);
}

#[test]
fn store_wide_answers_are_one_document_each() {
    let store = Store::with_notes();
    assert_eq!(store.json(&["stats"])["notes"], 3);
    let can = store.json(&["capabilities"]);
    assert_eq!((&can["max_limit"], &can["read_only"]), (&json!(1000), &json!(false)));
    assert_eq!(can["scouts"].as_array().unwrap().len(), 7);
    assert_eq!(
        keys(&store.json(&["learned"])),
        ["association", "judged_receipts", "learned_edges", "traces", "trained", "weights"]
    );
    assert_eq!(store.json(&["check"]), json!({"problems": []}));
    assert_eq!(store.json(&["rebuild", "lexical"])["success"], true);
    assert_eq!(store.json(&["maintain"])["notes_decayed"], 0);
    assert_eq!(ids(&store.json(&["search", "pellets", "--mode", "fulltext"])), ["slugs"]);
}
