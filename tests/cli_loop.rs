//! The loop on the command line: put, retrieve for a task, complete it with citations, retrieve what was learned.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod cli_support;

use cli_support::{Store, ids};
use serde_json::{Value, json};

fn salience(answer: &Value, id: &str) -> f64 {
    let mut results = answer["results"].as_array().unwrap().iter();
    results.find(|result| result["id"] == id).unwrap()["salience"].as_f64().unwrap()
}

#[test]
fn citing_a_note_raises_its_salience_in_the_next_retrieve() {
    let store = Store::with_notes();
    let task = store.json(&["task", "create", "--id", "pump-42", "--title", "Low pressure"]);
    assert_eq!((&task["id"], &task["status"]), (&json!("pump-42"), &json!("open")));
    let before = store.json(&["retrieve", "water in the riser", "--task", "pump-4", "--agent", "ada"]);
    let done = store.json(&["task", "complete", "pump-42", "--agent", "ada", "--outcome", "shut", "--cited", "riser"]);
    assert_eq!(done["success"], true);
    assert_eq!(done["unblocked"], json!([]));
    assert_eq!(done["feedback_applied"], true);
    assert_eq!(done["applied"]["cited"], json!(["riser"]));
    assert_eq!(done["dropped"], json!([]));
    let after = store.json(&["retrieve", "water in the riser"]);
    assert!(salience(&after, "riser") > salience(&before, "riser"));
    assert_eq!(salience(&after, "valve"), salience(&before, "valve"));
    let task = store.json(&["task", "show", "pump-42"]);
    assert_eq!((&task["status"], &task["outcome"]), (&json!("completed"), &json!("shut")));
    assert_eq!(store.json(&["stats", "riser"])["cited_count"], 1);
    assert_eq!(store.error(&["task", "complete", "pump-42", "--agent", "ada"])["code"], "task_not_found");
}

#[test]
fn none_cited_ignores_every_note_and_saying_nothing_ignores_none() {
    let store = Store::with_notes();
    for (task, verdict, ignored) in [("task-a", None, 0), ("task-b", Some("--none-cited"), 1)] {
        store.json(&["task", "create", "--id", task]);
        store.json(&["retrieve", "pellets", "--task", task, "--agent", "ada"]);
        let arguments = ["task", "complete", task, "--agent", "ada"].into_iter().chain(verdict);
        store.json(&arguments.collect::<Vec<_>>());
        assert_eq!(store.json(&["stats", "slugs"])["ignored_count"], ignored, "{task}");
    }
}

#[test]
fn feedback_works_without_a_task_and_restore_lifts_the_quarantine_it_led_to() {
    let store = Store::with_notes();
    for _ in 0..3 {
        let receipt = store.json(&["retrieve", "pellets"])["receipt_id"].as_str().unwrap().to_owned();
        let outcome = store.json(&["feedback", &receipt, "--misleading", "slugs", "--cited", "nowhere"]);
        assert_eq!(outcome["applied"]["misleading"], json!(["slugs"]));
        assert_eq!(outcome["dropped"][0]["id"], "nowhere");
    }
    assert!(!ids(&store.json(&["retrieve", "pellets"])).contains(&"slugs"));
    assert!(store.json(&["stats", "slugs"])["quarantine"]["reason"].is_string());
    assert_eq!(store.json(&["restore", "slugs"]), json!({"success": true, "id": "slugs"}));
    assert!(ids(&store.json(&["retrieve", "pellets"])).contains(&"slugs"));
    assert_eq!(store.error(&["restore", "slugs"])["code"], "not_found");
}

#[test]
fn a_deleted_note_is_gone_and_cannot_be_deleted_again() {
    let store = Store::with_notes();
    assert_eq!(store.json(&["rm", "slugs"]), json!({"success": true, "id": "slugs"}));
    assert_eq!(store.error(&["get", "slugs"])["code"], "doc_not_found");
    assert_eq!(store.error(&["stats", "slugs"])["code"], "doc_not_found");
    assert_eq!(store.error(&["rm", "slugs"])["code"], "doc_not_found");
    assert!(!ids(&store.json(&["retrieve", "pellets slugs"])).contains(&"slugs"));
}

#[test]
fn a_contradiction_is_surfaced_until_it_is_resolved() {
    let store = Store::with_notes();
    let edge = store.json(&["edge", "upsert", "valve", "contradicts", "riser", "--evidence", r#"{"page": 7}"#]);
    let id = edge["edge_id"].as_str().unwrap();
    let retrieve = ["retrieve", "prime the pump", "--surface-conflicts"];
    let conflicts = store.json(&retrieve)["conflicts"].clone();
    assert_eq!(conflicts, json!([{"edge_id": id, "from_id": "valve", "to_id": "riser", "conflict_state": null}]));
    assert_eq!(store.json(&["edge", "list", "--node", "riser"])["edges"][0]["evidence"], json!({"page": 7}));
    assert_eq!(store.error(&["edge", "resolve", id, "superseded"])["code"], "invalid_input");
    let resolved = store.json(&["edge", "resolve", id, "superseded", "--winner", "valve"]);
    assert_eq!(resolved["conflict_state"], "superseded");
    assert_eq!(store.json(&retrieve)["conflicts"], json!([]));
    assert!(!ids(&store.json(&["search", "riser litres"])).contains(&"riser"));
    assert!(ids(&store.json(&["search", "riser litres", "--include-inactive"])).contains(&"riser"));
    assert_eq!(store.json(&["edge", "rm", id]), json!({"success": true, "edge_id": id}));
    assert_eq!(store.json(&["edge", "list", "--type", "contradicts"])["edges"], json!([]));
}

#[test]
fn receipts_are_listed_newest_first_by_task_and_agent() {
    let store = Store::with_notes();
    store.json(&["retrieve", "pump", "--agent", "ada"]);
    store.json(&["retrieve", "slugs", "--task", "garden-work"]);
    store.error(&["retrieve", "pump", "--limit", "0"]);
    let listed = |arguments: &[&str]| {
        let listing = store.json(&[&["receipts"], arguments].concat());
        let receipts = listing["receipts"].as_array().unwrap().clone();
        receipts.into_iter().map(|receipt| receipt["query"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]), ["pump", "slugs", "pump"]);
    assert_eq!(listed(&["--task", "garden-work"]), ["slugs"]);
    assert_eq!(listed(&["--agent", "ada"]), ["pump"]);
    assert_eq!(listed(&["--limit", "1", "--offset", "1"]), ["slugs"]);
    let newest = store.json(&["receipts", "--limit", "1"])["receipts"][0].clone();
    assert_eq!(newest["error"]["code"], "invalid_input");
    let id = newest["id"].as_str().unwrap();
    assert_eq!(store.json(&["receipt", id]), newest);
    assert_eq!(store.error(&["receipt", "rcpt_000000000000"])["code"], "receipt_not_found");
}

#[test]
fn tasks_are_listed_cancelled_reopened_and_carry_findings() {
    let store = Store::with_notes();
    store.json(&["task", "create", "--id", "pump-42"]);
    let finding =
        store.json(&["task", "finding", "post", "pump-42", "B was shut", "--agent", "ada", "--note", "valve"]);
    assert_eq!((&finding["summary"], &finding["note_id"]), (&json!("B was shut"), &json!("valve")));
    assert_eq!(store.json(&["task", "finding", "list", "pump-42"])["findings"], json!([finding]));
    assert_eq!(store.json(&["task", "cancel", "pump-42"])["status"], "cancelled");
    assert_eq!(store.json(&["task", "list", "--status", "open"])["tasks"], json!([]));
    assert_eq!(store.json(&["task", "reopen", "pump-42"])["status"], "open");
    assert_eq!(store.json(&["task", "list"])["tasks"][0]["id"], "pump-42");
    assert_eq!(store.error(&["task", "reopen", "pump-42"])["code"], "conflict");
}
