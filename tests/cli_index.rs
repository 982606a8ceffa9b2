//! `terrace index`: folders and record files into the store, again and again.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)]

mod cli_support;

use std::fs;

use cli_support::{Store, ids};
use serde_json::json;

/// A store beside a folder of two notes.
fn with_vault() -> Store {
    let store = Store::missing();
    let vault = store.dir.path().join("notes");
    fs::create_dir_all(vault.join("water")).unwrap();
    fs::write(vault.join("water/pump.md"), "---\ntags: [water]\n---\n# Priming the pump\n\nOpen valve B.\n").unwrap();
    fs::write(vault.join("slugs.md"), "# Slugs\n\nWool pellets keep slugs off lettuce.\n").unwrap();
    store
}

#[test]
fn a_folder_is_indexed_once_and_then_only_what_changed() {
    let store = with_vault();
    let first = store.json(&["index", "notes", "--embedder", "none"]);
    let report = &first["folders"][0];
    assert_eq!((&report["files"], &report["added"]), (&json!(2), &json!(2)), "{first}");
    assert_eq!(first["records"], json!([]));
    let found = store.json(&["retrieve", "open the valve", "--tag", "water"]);
    assert_eq!(found["results"][0]["path"], "water/pump.md");
    let again = store.json(&["index", "notes"]);
    assert_eq!(again["folders"][0]["unchanged"], 2, "{again}");
}

#[test]
fn a_note_whose_file_is_gone_goes_when_pruning_is_asked_for() {
    let store = with_vault();
    store.json(&["index", "notes", "--embedder", "none"]);
    fs::remove_file(store.dir.path().join("notes/slugs.md")).unwrap();
    assert_eq!(store.json(&["index", "notes"])["folders"][0]["missing"], 1);
    assert_eq!(ids(&store.json(&["search", "pellets", "--mode", "fulltext"])).len(), 1);
    assert_eq!(store.json(&["index", "notes", "--prune"])["folders"][0]["pruned"], 1);
    assert!(ids(&store.json(&["search", "pellets", "--mode", "fulltext"])).is_empty());
}

#[test]
fn folders_and_record_files_go_in_together_and_people_are_told() {
    let store = with_vault();
    fs::write(store.dir.path().join("more.jsonl"), cli_support::NOTES).unwrap();
    let page = store.people(&["index", "notes", "more.jsonl", "--embedder", "none"]);
    assert!(page.contains("2 files") && page.contains("2 added") && page.contains("3 of 3 records"), "{page}");
    assert_eq!(store.json(&["stats"])["notes"], 5);
}

#[test]
fn a_larger_file_than_allowed_is_left_out_and_named() {
    let store = with_vault();
    let report = store.json(&["index", "notes", "--embedder", "none", "--max-bytes", "50"])["folders"][0].clone();
    assert_eq!(report["added"], 1, "{report}");
    assert_eq!(report["skipped"][0]["path"], "water/pump.md");
}

#[test]
fn a_path_that_is_neither_is_refused_before_anything_is_written() {
    let store = with_vault();
    assert_eq!(store.error(&["index", "notes", "notes/slugs.md"])["code"], "invalid_input");
    assert_eq!(store.error(&["index", "notes", "elsewhere"])["code"], "io");
    assert!(!store.path().exists());
}
