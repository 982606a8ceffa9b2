//! `check` finds rows that were changed behind the engine's back, and only those.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note};
use terrace::{CheckProblem, CheckSeverity, RetrieveRequest};

/// The one problem of a store of two notes and a receipt, after this statement.
fn after(mut store: TestStore, sql: &str) -> CheckProblem {
    store.put_all([note("a", "pump", "The pump."), note("b", "valve", "The valve.")]);
    store.retrieve(&RetrieveRequest::new("pump")).unwrap();
    assert_eq!(store.check().unwrap().problems, []);
    store.close();
    assert!(store.sqlite().execute(sql, []).unwrap() > 0);
    store.try_open().unwrap();
    let mut problems = store.check().unwrap().problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

#[test]
fn a_note_that_was_written_past_the_engine_is_named() {
    let problem = after(TestStore::text_only(), "UPDATE notes SET body = 'Another.' WHERE id = 'a'");
    assert_eq!((problem.check.as_str(), problem.severity), ("notes", CheckSeverity::Error));
    assert!(problem.what.starts_with("1 notes") && problem.what.ends_with(": a"), "{problem:?}");
}

#[test]
fn a_note_with_text_and_no_passages_is_named() {
    let problem = after(TestStore::text_only(), "DELETE FROM passages WHERE ord = 2");
    assert!(problem.what.contains("no passages") && problem.what.ends_with(": b"), "{problem:?}");
}

#[test]
fn vectors_that_are_cut_off_are_named() {
    let problem = after(TestStore::embedded(), "UPDATE vectors SET data = x'00' WHERE ord = 1");
    assert_eq!(problem.check, "vector");
    assert!(problem.what.contains("cut off") && problem.what.ends_with(": a"), "{problem:?}");
}

#[test]
fn a_receipt_that_cannot_be_read_is_named() {
    let problem = after(TestStore::text_only(), "UPDATE receipts SET weights = '{'");
    assert_eq!(problem.check, "receipts");
    assert!(problem.what.contains("rcpt_"), "{problem:?}");
}

#[test]
fn notes_with_vectors_of_their_own_and_notes_without_a_word_are_sound() {
    let store = TestStore::supplied(2);
    store.put_with_vector(note("a", "pump", "The pump."), vec![3.0, 4.0]).unwrap();
    store.put_with_vector(note("b", "valve", "***\n"), vec![4.0, 3.0]).unwrap();
    assert_eq!(store.check().unwrap().problems, []);
    store.put(note("a", "pump", "The pump, without its vector.")).unwrap();
    let problems = store.check().unwrap().problems;
    assert!(problems.iter().all(|problem| problem.severity == CheckSeverity::Warning), "{problems:?}");
}
