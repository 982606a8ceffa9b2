//! Who may read what, and what a command does where the store is missing, locked, or not theirs.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod cli_support;

use cli_support::{Store, ids, text};
use terrace::{Config, Engine};

#[test]
fn a_missing_store_is_named_and_not_made() {
    let store = Store::missing();
    let commands: [&[&str]; 9] = [
        &["retrieve", "x"],
        &["search", "x"],
        &["get", "x"],
        &["rm", "x"],
        &["stats"],
        &["receipts"],
        &["task", "list"],
        &["check"],
        &["maintain"],
    ];
    for command in commands {
        let error = store.error(command);
        assert_eq!(error["code"], "not_found", "{command:?}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(store.path().to_str().unwrap()) && message.contains("terrace index"), "{message}");
        assert!(!store.path().exists(), "{command:?} made a store");
    }
}

#[test]
fn refused_input_makes_no_store() {
    let store = Store::missing();
    assert_eq!(store.error(&["put", "nowhere.jsonl"])["code"], "io");
    assert_eq!(store.error(&["index", "nowhere"])["code"], "io");
    assert_eq!(store.run_with(&["put", "-", "--json"], "{\"id\":").status.code(), Some(1));
    assert!(!store.path().exists());
}

#[test]
fn a_store_open_elsewhere_can_be_read_and_not_written() {
    let store = Store::with_notes();
    let owner = Engine::open(store.path(), Config::default()).unwrap();
    owner.put(terrace::Note::new("Frost", "Cover the seedlings before frost.").with_id("frost")).unwrap();
    assert!(ids(&store.json(&["search", "seedlings"])).contains(&"frost"));
    assert_eq!(store.json(&["get", "frost"])["title"], "Frost");
    assert_eq!(store.json(&["stats"])["notes"], 4);
    assert_eq!(store.json(&["stats", "frost"])["salience"], 0.5);
    assert_eq!(store.json(&["receipts"])["receipts"], serde_json::json!([]));
    assert_eq!(store.json(&["capabilities"])["read_only"], true);
    assert_eq!(store.json(&["check"])["problems"], serde_json::json!([]));
    for command in [&["retrieve", "frost"][..], &["rm", "frost"], &["task", "create"], &["maintain"]] {
        let error = store.error(&[command, &["--wait", "0"]].concat());
        assert_eq!(error["code"], "locked", "{command:?}");
        let pid = std::process::id().to_string();
        assert!(error["message"].as_str().unwrap().contains(&pid), "{error}");
    }
    drop(owner);
    assert!(ids(&store.json(&["retrieve", "frost"])).contains(&"frost"));
}

#[test]
fn a_private_note_is_its_authors() {
    let store = Store::missing();
    let note =
        r#"{"id": "diary", "title": "Diary", "body": "zebra", "access_scope": "agent_private", "author": "ada"}"#;
    store.run_with(&["put", "-"], note);
    assert_eq!(ids(&store.json(&["search", "zebra", "--agent", "ada"])), ["diary"]);
    assert!(ids(&store.json(&["search", "zebra"])).is_empty());
    assert!(ids(&store.json(&["retrieve", "zebra", "--agent", "bob"])).is_empty());
    assert_eq!(store.json(&["get", "diary", "--agent", "ada"])["body"], "zebra");
    assert_eq!(store.json(&["stats", "diary", "--agent", "ada"])["node_id"], "diary");
    for command in ["get", "stats"] {
        assert_eq!(store.error(&[command, "diary"])["code"], "doc_not_found");
        assert_eq!(store.error(&[command, "diary", "--agent", "bob"])["code"], "doc_not_found");
        assert_eq!(store.error(&[command, "diary", "--task", "errand"])["code"], "doc_not_found");
    }
}

#[test]
fn a_file_that_is_no_store_is_refused_and_left_alone() {
    let store = Store::missing();
    std::fs::create_dir(store.path()).unwrap();
    let file = store.path().join("terrace.db");
    std::fs::write(&file, "not a database, but long enough to look at").unwrap();
    assert_eq!(store.error(&["search", "x"])["code"], "corrupt");
    assert_eq!(text(&std::fs::read(&file).unwrap()), "not a database, but long enough to look at");
}

#[test]
fn a_damaged_lexical_index_is_made_anew_from_the_store() {
    let store = Store::with_notes();
    for entry in std::fs::read_dir(store.path().join("lexical")).unwrap() {
        std::fs::write(entry.unwrap().path(), "damage").unwrap();
    }
    assert_eq!(ids(&store.json(&["search", "pellets", "--mode", "fulltext"])), ["slugs"]);
    assert_eq!(store.json(&["check"])["problems"], serde_json::json!([]));
}
