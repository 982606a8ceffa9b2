//! `terrace check`: what is damaged, how much it matters, and what to do.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod cli_support;

use cli_support::{NOTES, Store, keys, text};
use serde_json::Value;

#[test]
fn a_damaged_file_is_an_error_and_the_exit_status_says_so() {
    let store = Store::with_notes();
    // Behind the back of the engine: its rows of passages and statistics now refer to nothing.
    let db = rusqlite::Connection::open(store.path().join("terrace.db")).unwrap();
    db.pragma_update(None, "foreign_keys", false).unwrap();
    db.execute("DELETE FROM notes WHERE id = 'slugs'", []).unwrap();
    drop(db);
    let output = store.run(&["check", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let problem = &report["problems"][0];
    assert_eq!(keys(problem), ["check", "remedy", "severity", "what"]);
    assert_eq!((problem["check"].as_str(), problem["severity"].as_str()), (Some("sqlite"), Some("error")));
    let output = store.run(&["check"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("error  sqlite: "), "{}", text(&output.stdout));
}

#[test]
fn an_index_that_opening_had_to_mend_is_reported_once() {
    let store = Store::with_notes();
    std::fs::write(store.path().join("lexical/meta.json"), "damage").unwrap();
    let report = store.json(&["check"]);
    let problem = &report["problems"][0];
    assert_eq!((problem["check"].as_str(), problem["severity"].as_str()), (Some("lexical"), Some("warning")));
    assert!(problem["what"].as_str().unwrap().contains("made anew"), "{problem}");
    assert_eq!(store.json(&["check"])["problems"], serde_json::json!([]));
}

#[test]
fn a_store_that_another_process_has_is_checked_by_reading() {
    let store = Store::with_notes();
    let config = terrace::Config { embedder: terrace::EmbedderChoice::None, ..terrace::Config::default() };
    let _owner = terrace::Engine::open(store.path(), config).unwrap();
    assert_eq!(store.json(&["check"])["problems"], serde_json::json!([]));
}

#[test]
#[cfg(feature = "builtin-embedder")]
fn notes_without_vectors_are_a_warning_until_the_embedder_is_back() {
    let store = Store::missing();
    store.json(&["task", "create"]);
    store.run_with(&["put", "-", "--embedder", "none"], NOTES);
    let report = store.json(&["check", "--embedder", "none"]);
    let problem = &report["problems"][0];
    assert_eq!((problem["check"].as_str(), problem["severity"].as_str()), (Some("vector"), Some("warning")));
    assert_eq!(store.json(&["check"])["problems"], serde_json::json!([]));
    assert_eq!(store.json(&["stats"])["vectors"], 3);
}
