//! `terrace replay`: the report as JSON and for people, and what it refuses.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod cli_support;

use cli_support::{Store, keys, text};
use serde_json::json;

/// A store in which one receipt, of `valve` above `riser`, cited the first.
fn judged() -> Store {
    let store = Store::with_notes();
    let answer = store.json(&["retrieve", "prime the pump", "--agent", "ann"]);
    assert_eq!(cli_support::ids(&answer)[0], "valve");
    store.json(&["feedback", answer["receipt_id"].as_str().unwrap(), "--cited", "valve"]);
    store
}

/// Weights under which `valve` is no longer first.
const OTHER: [&str; 6] = ["--set", "scout_lexical=0", "--set", "scout_path=0", "--set", "scout_graph=9"];

#[test]
fn json_is_the_report() {
    let report = judged().json(&["replay"]);
    let expected = [
        "changed",
        "citations",
        "empty",
        "failed",
        "first_changed",
        "judged",
        "k",
        "position_corrected",
        "receipts",
        "reordered",
        "top_changed",
        "weights",
    ];
    assert_eq!(keys(&report), expected);
    assert_eq!(keys(&report["citations"]), ["after", "before", "difference", "discordant", "losses", "wins"]);
    assert_eq!(keys(&report["citations"]["difference"]), ["hi", "lo", "mean"]);
    assert_eq!((&report["receipts"], &report["judged"], &report["reordered"]), (&json!(1), &json!(1), &json!(0)));
}

#[test]
fn weights_that_are_set_change_the_order() {
    let report = judged().json(&[&["replay", "--weights", "shipped"], &OTHER[..]].concat());
    let changed = &report["changed"][0];
    let expected = ["after", "before", "first_after", "first_before", "query", "receipt_id"];
    assert_eq!(keys(changed), expected);
    assert_eq!((&changed["first_before"][0], &changed["first_after"][0]), (&json!("valve"), &json!("riser")));
    assert_eq!(report["citations"]["losses"], 1);
}

#[test]
fn people_read_figures_and_a_table() {
    let store = judged();
    let page = store.people(&[&["replay"], &OTHER[..]].concat());
    for part in ["with citations", "nDCG@10", "1.0000 → ", "position-corrected", "first after", "prime the pump"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let page = store.people(&["replay", "--agent", "bob"]);
    assert!(page.contains("receipts") && !page.contains("nDCG"), "{page}");
}

#[test]
fn show_limits_the_table() {
    let report = judged().json(&[&["replay", "--show", "0", "--k", "1", "--limit", "5"], &OTHER[..]].concat());
    assert_eq!((&report["reordered"], &report["changed"], &report["k"]), (&json!(1), &json!([]), &json!(1)));
}

#[test]
fn conditions_narrow_it() {
    let store = judged();
    let replayed = |arguments: &[&str]| store.json(&[&["replay"], arguments].concat())["receipts"].clone();
    assert_eq!(replayed(&["--agent", "ann"]), 1);
    assert_eq!(replayed(&["--task", "none"]), 0);
    assert_eq!(replayed(&["--since", "2026-03-01T12:00:00Z"]), 1);
    assert_eq!(replayed(&["--until", "2026-03-01T12:00:00Z"]), 0);
}

#[test]
fn wrong_names_and_values_exit_with_2_and_say_what_is_expected() {
    let store = judged();
    for (arguments, expected) in [
        (["--set", "scout_smell=1"], "scout_lexical"),
        (["--set", "scout_lexical"], "NAME=VALUE"),
        (["--set", "scout_lexical=much"], "expected a number"),
        (["--set", "scout_lexical=-1"], "of 0 or more"),
        (["--weights", "fly"], "in-force"),
        (["--since", "yesterday"], "--since"),
        (["--k", "0"], "--k"),
        (["--limit", "0"], "--limit"),
    ] {
        let output = store.run(&[&["replay"], &arguments[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn trained_weights_that_are_not_there_are_a_failure() {
    assert_eq!(judged().error(&["replay", "--weights", "trained"])["code"], "not_found");
}

#[test]
fn help_gives_examples() {
    let help = Store::missing().people(&["replay", "--help"]);
    for part in ["Examples:", "terrace replay --weights trained", "--set scout_lexical=0.3 --set delta_salience=0"] {
        assert!(help.contains(part), "{help}");
    }
}
