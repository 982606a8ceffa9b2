//! A store whose vectors come from the application is taught by the vectors of its queries.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note};
use terrace::{Feedback, RetrieveRequest, RetrieveResponse};

/// The direction that is asked for, one near it, and one across.
const ASKED: [f32; 3] = [1.0, 0.1, 0.0];
const NEAR: [f32; 3] = [1.0, 0.0, 0.2];
const FAR: [f32; 3] = [0.0, 0.0, 1.0];

fn store() -> TestStore {
    let store = TestStore::supplied(3);
    for (id, vector) in [("a", [0.6, 0.8, 0.0]), ("b", [0.8, 0.6, 0.0]), ("c", [0.0, 1.0, 0.1])] {
        store.put_with_vector(note(id, &format!("pump {id}"), ""), vector.to_vec()).unwrap();
    }
    store
}

fn ask(store: &TestStore, query: &str, vector: [f32; 3], agent: Option<&str>) -> RetrieveResponse {
    let agent_id = agent.map(str::to_owned);
    let request = RetrieveRequest { vector: Some(vector.to_vec()), agent_id, ..RetrieveRequest::new(query) };
    store.retrieve(&request).unwrap()
}

fn cite(store: &TestStore, receipt_id: String, id: &str) {
    store
        .feedback(&Feedback { receipt_id, cited: Some(vec![id.to_owned()]), misleading: None, ..Feedback::default() })
        .unwrap();
}

fn reason(answer: &RetrieveResponse, id: &str) -> Option<String> {
    let hit = answer.results.iter().find(|hit| hit.result.id == id)?;
    hit.reasons.iter().find(|reason| reason.starts_with("association")).cloned()
}

#[test]
fn a_query_with_a_near_vector_and_other_words_finds_what_was_cited() {
    let store = store();
    cite(&store, ask(&store, "pump", ASKED, None).receipt_id, "c");
    assert!(reason(&ask(&store, "gardening on Sundays", NEAR, None), "c").is_some());
    assert_eq!(reason(&ask(&store, "gardening on Sundays", FAR, None), "c"), None);
    let recalled = |query, vector| reason(&ask(&store, query, vector, None), "c").unwrap();
    assert!(recalled("pump", FAR).ends_with("similarity 0.40"), "equal words alone are the smaller part of it");
    assert!(recalled("pump", ASKED).ends_with("similarity 1.00"));
}

#[test]
fn a_query_of_a_vector_alone_teaches_and_shows_no_empty_question() {
    let store = store();
    cite(&store, ask(&store, "", ASKED, Some("ann")).receipt_id, "c");
    let reason = reason(&ask(&store, "", NEAR, Some("ann")), "c").unwrap();
    assert!(!reason.contains("\"\""), "{reason}");
}

#[test]
fn the_vector_is_still_known_when_the_store_was_reopened_before_the_verdict() {
    let mut store = store();
    let receipt_id = ask(&store, "pump", ASKED, None).receipt_id;
    store.reopen();
    cite(&store, receipt_id, "c");
    store.reopen();
    assert!(reason(&ask(&store, "gardening", NEAR, None), "c").is_some());
}

#[test]
fn a_receipt_shows_the_width_of_a_vector_and_not_the_vector() {
    let store = store();
    let id = ask(&store, "pump", ASKED, None).receipt_id;
    let receipt = store.receipt(&id, &terrace::Viewer::owner()).unwrap();
    assert_eq!(receipt.request["vector_dims"], 3);
    assert!(!serde_json::to_string(&receipt).unwrap().contains("query_vector"));
}
