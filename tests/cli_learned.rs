//! `terrace learned`: what was taught is shown, exported and forgotten.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod cli_support;

use cli_support::{Store, keys, text};
use serde_json::{Value, json};

/// A store in which one receipt cited two notes and ignored the third.
fn taught() -> Store {
    let store = Store::with_notes();
    let receipt = store.json(&["retrieve", "water in the riser"])["receipt_id"].as_str().unwrap().to_owned();
    store.json(&["feedback", &receipt, "--cited", "riser", "--cited", "valve"]);
    store
}

#[test]
fn learned_alone_is_the_summary() {
    let learned = taught().json(&["learned"]);
    assert_eq!(keys(&learned), ["association", "judged_receipts", "learned_edges", "traces", "trained", "weights"]);
    assert_eq!((&learned["judged_receipts"], &learned["learned_edges"]), (&json!(1), &json!(1)));
}

#[test]
fn an_export_is_one_document_with_and_without_json() {
    let store = taught();
    let export = store.json(&["learned", "export"]);
    let expected =
        ["association", "edges", "exported_at", "format", "moved_edges", "notes", "traces", "verdicts", "weights"];
    assert_eq!(keys(&export), expected);
    assert_eq!(export["format"], 1);
    assert_eq!(export["traces"][0]["question"], "water in the riser");
    assert_eq!(export["verdicts"][0]["verdict"], "cited");
    let plain = store.run(&["learned", "export"]);
    assert_eq!(serde_json::from_slice::<Value>(&plain.stdout).unwrap(), export);
}

#[test]
fn a_reset_says_what_went_and_the_summary_is_empty_then() {
    let store = taught();
    let expected = json!({
        "judged_receipts": 1, "verdicts": 3, "notes": 3, "learned_edges": 1, "moved_edges": 0, "traces": 2,
        "quarantines": 0, "weights": false
    });
    assert_eq!(store.json(&["learned", "reset"]), expected);
    let learned = store.json(&["learned"]);
    assert_eq!((&learned["judged_receipts"], &learned["traces"]), (&json!(0), &json!(0)));
    let told = text(&store.run(&["learned", "reset"]).stdout).to_owned();
    assert!(told.starts_with("forgotten:") && told.contains("learned edges"), "{told}");
}

#[test]
fn help_gives_an_example_of_each() {
    let store = Store::missing();
    for (arguments, example) in [
        (&["learned", "--help"][..], "terrace learned reset"),
        (&["learned", "export", "--help"], "terrace learned export > learned.json"),
        (&["learned", "reset", "--help"], "terrace learned reset"),
    ] {
        assert!(text(&store.run(arguments).stdout).contains(example), "{arguments:?}");
    }
}
