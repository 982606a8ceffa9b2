//! What feedback does to a note: the table's constants, once per receipt and note, quarantine and restoring.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note};
use terrace::{
    Config, EmbedderChoice, Feedback, FeedbackOutcome, MemoryConfig, NodeStats, Note, RetrieveRequest, Status, Viewer,
};

/// Notes `a` to `d`, all about pumps.
fn pumps(store: &TestStore) {
    store.put_all(["a", "b", "c", "d"].map(|id| note(id, &format!("pump {id}"), &format!("The pump of {id}"))));
}

fn store() -> TestStore {
    let store = TestStore::text_only();
    pumps(&store);
    store
}

/// A receipt whose results are all four notes; each call asks in other words, so that none repeats another.
fn receipt(store: &TestStore, words: usize) -> String {
    let answer = store.retrieve(&RetrieveRequest::new(format!("pump {}", "well ".repeat(words)))).unwrap();
    assert_eq!(common::sorted(common::ids(&answer)), ["a", "b", "c", "d"]);
    answer.receipt_id
}

fn list(ids: &[&str]) -> Option<Vec<String>> {
    Some(ids.iter().map(|&id| id.to_owned()).collect())
}

fn judge(store: &TestStore, receipt: &str, cited: &[&str], misleading: &[&str]) -> FeedbackOutcome {
    let feedback = Feedback {
        receipt_id: receipt.to_owned(),
        cited: list(cited),
        misleading: list(misleading),
        ..Feedback::default()
    };
    store.feedback(&feedback).unwrap()
}

fn stats(store: &TestStore, id: &str) -> NodeStats {
    store.node_stats(id, &Viewer::owner()).unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn a_new_note_has_salience_one_half_and_strength_one() {
    let store = store();
    let stats = stats(&store, "a");
    assert_eq!((stats.salience, stats.spaced_rep_strength, stats.decay_rate), (0.5, 1.0, 0.005));
    assert_eq!((stats.cited_count, stats.ignored_count, stats.misleading_count), (0, 0, 0));
    assert_eq!((stats.last_used_at, stats.last_retrieved_at, stats.retrieval_count), (None, None, 0));
}

#[test]
fn a_citation_counts_raises_salience_and_strength_and_is_use() {
    let store = store();
    let outcome = judge(&store, &receipt(&store, 0), &["a"], &[]);
    assert!(outcome.feedback_applied);
    let stats = stats(&store, "a");
    assert_eq!((stats.cited_count, stats.last_used_at), (1, Some(common::START)));
    assert!(near(stats.salience, 0.52) && near(stats.spaced_rep_strength, 1.05), "{stats:?}");
}

#[test]
fn a_misleading_verdict_counts_and_takes_salience() {
    let store = store();
    judge(&store, &receipt(&store, 0), &[], &["a"]);
    let stats = stats(&store, "a");
    assert_eq!((stats.misleading_count, stats.last_used_at), (1, None));
    assert!(near(stats.salience, 0.45) && stats.spaced_rep_strength == 1.0, "{stats:?}");
}

#[test]
fn notes_that_neither_list_names_were_ignored() {
    let store = store();
    let outcome = judge(&store, &receipt(&store, 0), &["a"], &["b"]);
    assert_eq!(common::sorted(outcome.applied.ignored), ["c", "d"]);
    assert_eq!((outcome.applied.cited, outcome.applied.misleading), (vec!["a".to_owned()], vec!["b".to_owned()]));
    assert_eq!(stats(&store, "c").ignored_count, 1);
    assert_eq!(stats(&store, "c").salience, 0.5);
}

#[test]
fn ignoring_costs_from_the_sixth_time_on_each_time() {
    let store = store();
    for round in 0..7 {
        judge(&store, &receipt(&store, round), &["a"], &[]);
        let expected = 0.5 - 0.02 * (round as f64 - 4.0).max(0.0);
        assert!(near(stats(&store, "b").salience, expected), "round {round}: {:?}", stats(&store, "b"));
    }
}

#[test]
fn ignoring_costs_nothing_while_a_note_was_cited_as_often() {
    let store = store();
    for round in 0..6 {
        judge(&store, &receipt(&store, round), &["a"], &[]);
    }
    for round in 6..12 {
        judge(&store, &receipt(&store, round), &["b"], &[]);
    }
    let six_and_six = stats(&store, "a");
    assert_eq!((six_and_six.cited_count, six_and_six.ignored_count), (6, 6));
    assert!(near(six_and_six.salience, 0.62), "{six_and_six:?}");
    judge(&store, &receipt(&store, 12), &["b"], &[]);
    assert!(near(stats(&store, "a").salience, 0.60));
}

#[test]
fn both_lists_empty_mean_that_every_note_was_ignored() {
    let store = store();
    let outcome = judge(&store, &receipt(&store, 0), &[], &[]);
    assert_eq!(common::sorted(outcome.applied.ignored), ["a", "b", "c", "d"]);
    assert!(outcome.feedback_applied);
}

#[test]
fn one_list_given_alone_makes_the_other_empty() {
    let store = store();
    let receipt_id = receipt(&store, 0);
    let outcome =
        store.feedback(&Feedback { receipt_id, cited: None, misleading: list(&["a"]), ..Feedback::default() }).unwrap();
    assert_eq!(outcome.applied.misleading, ["a"]);
    assert_eq!(common::sorted(outcome.applied.ignored), ["b", "c", "d"]);
}

#[test]
fn neither_list_means_that_nothing_is_learned() {
    let store = store();
    let receipt_id = receipt(&store, 0);
    let outcome =
        store.feedback(&Feedback { receipt_id, cited: None, misleading: None, ..Feedback::default() }).unwrap();
    assert_eq!(outcome, FeedbackOutcome::default());
    assert_eq!(stats(&store, "a").ignored_count, 0);
}

#[test]
fn a_note_both_cited_and_misleading_is_misleading() {
    let store = store();
    let outcome = judge(&store, &receipt(&store, 0), &["a", "b"], &["a"]);
    assert_eq!((outcome.applied.cited, outcome.applied.misleading), (vec!["b".to_owned()], vec!["a".to_owned()]));
    assert_eq!((stats(&store, "a").cited_count, stats(&store, "a").misleading_count), (0, 1));
}

#[test]
fn a_repeated_id_counts_once() {
    let store = store();
    judge(&store, &receipt(&store, 0), &["a", "a", "a"], &[]);
    assert_eq!(stats(&store, "a").cited_count, 1);
}

#[test]
fn ids_outside_the_receipt_and_of_deleted_notes_are_dropped_with_the_reason() {
    let store = store();
    let receipt_id = receipt(&store, 0);
    store.delete("d").unwrap();
    let outcome = judge(&store, &receipt_id, &["a", "d", "stranger", "stranger"], &[]);
    let dropped: Vec<(&str, &str)> = outcome.dropped.iter().map(|node| (&*node.id, &*node.why)).collect();
    assert_eq!(dropped, [("d", "deleted since"), ("stranger", "not among the receipt's results")]);
    assert_eq!(outcome.applied.cited, ["a"]);
    assert_eq!(common::sorted(outcome.applied.ignored), ["b", "c"]);
}

#[test]
fn a_note_put_anew_under_a_deleted_id_is_not_the_note_that_was_shown() {
    let store = store();
    let receipt_id = receipt(&store, 0);
    store.delete("a").unwrap();
    store.put(note("a", "another pump", "")).unwrap();
    let outcome = judge(&store, &receipt_id, &["a", "b"], &[]);
    assert_eq!(outcome.dropped[0].id, "a");
    assert_eq!(stats(&store, "a").cited_count, 0);
}

#[test]
fn when_every_given_id_is_dropped_nothing_is_learned() {
    let store = store();
    let outcome = judge(&store, &receipt(&store, 0), &["stranger"], &["other"]);
    assert!(!outcome.feedback_applied);
    assert_eq!(outcome.dropped.len(), 2);
    assert_eq!(stats(&store, "a").ignored_count, 0);
}

#[test]
fn a_verdict_repeated_on_the_same_receipt_changes_nothing() {
    let store = store();
    let receipt_id = receipt(&store, 0);
    judge(&store, &receipt_id, &["a"], &["b"]);
    let before = ["a", "b", "c"].map(|id| stats(&store, id));
    let outcome = judge(&store, &receipt_id, &["a"], &["b"]);
    assert!(!outcome.feedback_applied, "{outcome:?}");
    assert_eq!(["a", "b", "c"].map(|id| stats(&store, id)), before);
}

#[test]
fn a_repeat_is_no_second_verdict_after_the_store_was_opened_again() {
    let mut store = store();
    let receipt_id = receipt(&store, 0);
    judge(&store, &receipt_id, &["a"], &[]);
    let before = stats(&store, "a");
    store.reopen();
    assert!(!judge(&store, &receipt_id, &["a"], &[]).feedback_applied);
    assert_eq!(stats(&store, "a"), before);
}

#[test]
fn a_changed_verdict_takes_the_place_of_the_first() {
    let store = store();
    let receipt_id = receipt(&store, 0);
    judge(&store, &receipt_id, &["a"], &[]);
    judge(&store, &receipt_id, &[], &["a"]);
    let stats = stats(&store, "a");
    assert_eq!((stats.cited_count, stats.misleading_count, stats.last_used_at), (0, 1, None));
    assert!(near(stats.salience, 0.45) && near(stats.spaced_rep_strength, 1.0), "{stats:?}");
}

#[test]
fn a_note_left_out_of_a_second_judgement_becomes_ignored() {
    let store = store();
    let receipt_id = receipt(&store, 0);
    judge(&store, &receipt_id, &["a"], &[]);
    let outcome = judge(&store, &receipt_id, &["b"], &[]);
    assert_eq!((outcome.applied.cited, outcome.applied.ignored), (vec!["b".to_owned()], vec!["a".to_owned()]));
    assert_eq!((stats(&store, "a").cited_count, stats(&store, "a").ignored_count), (0, 1));
}

#[test]
fn the_state_is_the_replay_of_the_last_verdicts_in_the_order_of_their_receipts() {
    // One store changes its mind about the second of eight receipts, the other says so at once.
    let (changed, at_once) = (store(), store());
    let receipts = |store: &TestStore| (0..8).map(|round| receipt(store, round)).collect::<Vec<_>>();
    let (of_changed, of_once) = (receipts(&changed), receipts(&at_once));
    for (round, receipt) in of_changed.iter().enumerate() {
        judge(&changed, receipt, if round % 3 == 1 { &["a"] } else { &["b"] }, &[]);
        changed.clock.advance_days(20.0);
    }
    judge(&changed, &of_changed[1], &[], &["a"]);
    for (round, receipt) in of_once.iter().enumerate() {
        let (cited, misleading): (&[&str], &[&str]) =
            if round == 1 { (&[], &["a"]) } else { (if round % 3 == 1 { &["a"] } else { &["b"] }, &[]) };
        judge(&at_once, receipt, cited, misleading);
        at_once.clock.advance_days(20.0);
    }
    let (a, b) = (stats(&changed, "a"), stats(&at_once, "a"));
    assert!((a.salience - b.salience).abs() < 1e-9, "{} and {}", a.salience, b.salience);
    assert_eq!(
        (a.cited_count, a.ignored_count, a.misleading_count, a.last_used_at),
        (b.cited_count, b.ignored_count, b.misleading_count, b.last_used_at)
    );
}

#[test]
fn the_third_misleading_verdict_quarantines_a_note_with_the_reason() {
    let store = store();
    for round in 0..3 {
        assert_eq!(stats(&store, "a").quarantine, None);
        judge(&store, &receipt(&store, round), &[], &["a"]);
    }
    let quarantine = stats(&store, "a").quarantine.unwrap();
    assert!(quarantine.reason.contains('3') && quarantine.at == common::START, "{quarantine:?}");
    assert_eq!(common::sorted(store.found("pump")), ["b", "c", "d"]);
}

#[test]
fn quarantine_lasts_over_reopening_and_over_the_note_being_put_again() {
    let mut store = store();
    for round in 0..3 {
        judge(&store, &receipt(&store, round), &[], &["a"]);
    }
    store.reopen();
    assert_eq!(common::sorted(store.found("pump")), ["b", "c", "d"]);
    store.put(note("a", "pump a", "Now better.")).unwrap();
    assert_eq!(common::sorted(store.found("pump a")), ["b", "c", "d"]);
}

#[test]
fn a_restored_note_is_found_again_and_one_more_misleading_verdict_sends_it_back() {
    let store = store();
    for round in 0..3 {
        judge(&store, &receipt(&store, round), &[], &["a"]);
    }
    store.restore("a").unwrap();
    assert_eq!(stats(&store, "a").quarantine, None);
    judge(&store, &receipt(&store, 3), &["b"], &[]);
    assert_eq!(stats(&store, "a").quarantine, None, "being ignored is no reason");
    judge(&store, &receipt(&store, 4), &[], &["a"]);
    assert!(stats(&store, "a").quarantine.is_some());
}

#[test]
fn a_note_put_as_quarantined_is_restored_to_active() {
    let store = store();
    store.put(Note { status: Status::Quarantined, ..note("hidden", "pump hidden", "The pump") }).unwrap();
    let found = || {
        let answer = store.retrieve(&RetrieveRequest::new("pump")).unwrap();
        common::ids(&answer).contains(&"hidden".to_owned())
    };
    assert!(!found());
    store.restore("hidden").unwrap();
    assert!(found());
    assert_eq!(store.get("hidden", &Viewer::owner()).unwrap().status, Status::Active);
    assert_eq!(store.restore("hidden").unwrap_err().code(), "not_found");
    assert!(store.check().unwrap().problems.is_empty());
}

#[test]
fn restoring_says_so_when_there_is_nothing_to_restore() {
    let store = store();
    assert_eq!(store.restore("a").unwrap_err().code(), "not_found");
    assert_eq!(store.restore("stranger").unwrap_err().code(), "doc_not_found");
}

#[test]
fn taking_the_third_misleading_verdict_back_ends_the_quarantine() {
    let store = store();
    let receipts: Vec<String> = (0..3).map(|round| receipt(&store, round)).collect();
    for receipt_id in &receipts {
        judge(&store, receipt_id, &[], &["a"]);
    }
    judge(&store, &receipts[2], &["a"], &[]);
    assert_eq!(stats(&store, "a").quarantine, None);
    assert_eq!(stats(&store, "a").misleading_count, 2);
}

#[test]
fn salience_stays_within_0_and_1() {
    let steep =
        MemoryConfig { cited_salience: 0.4, misleading_salience: 0.4, quarantine_after: 100, ..Default::default() };
    let change = |config: &mut Config| {
        config.embedder = EmbedderChoice::None;
        config.memory = steep;
    };
    let store = TestStore::with(change);
    pumps(&store);
    for round in 0..3 {
        judge(&store, &receipt(&store, round), &["a"], &["b"]);
    }
    assert_eq!((stats(&store, "a").salience, stats(&store, "b").salience), (1.0, 0.0));
}

#[test]
fn every_constant_is_configuration() {
    let own = MemoryConfig {
        initial_salience: 0.6,
        cited_salience: 0.1,
        cited_strength: 0.2,
        misleading_salience: 0.3,
        quarantine_after: 1,
        ignored_salience: 0.15,
        ignored_grace: 0,
        decay_rate: 0.01,
        ..MemoryConfig::default()
    };
    let change = |config: &mut Config| {
        config.embedder = EmbedderChoice::None;
        config.memory = own;
    };
    let store = TestStore::with(change);
    pumps(&store);
    judge(&store, &receipt(&store, 0), &["a"], &["b"]);
    let (a, b, c) = (stats(&store, "a"), stats(&store, "b"), stats(&store, "c"));
    assert!(near(a.salience, 0.7) && near(a.spaced_rep_strength, 1.2) && a.decay_rate == 0.01, "{a:?}");
    assert!(near(b.salience, 0.3) && b.quarantine.is_some(), "{b:?}");
    assert!(near(c.salience, 0.45), "{c:?}");
}

#[test]
fn feedback_on_an_unknown_receipt_is_receipt_not_found() {
    let store = store();
    let never = receipt(&store, 0).chars().rev().collect::<String>();
    for receipt_id in ["", "rcpt_", "rcpt_zzzzzzzzzzzz", "rcpt_000000000000", &never] {
        let feedback = Feedback {
            receipt_id: receipt_id.to_owned(),
            cited: list(&["a"]),
            misleading: None,
            ..Feedback::default()
        };
        assert_eq!(store.feedback(&feedback).unwrap_err().code(), "receipt_not_found", "{receipt_id}");
    }
    assert_eq!(stats(&store, "a").cited_count, 0);
}

#[test]
fn being_retrieved_is_not_use_and_leaves_salience_alone() {
    let store = store();
    for round in 0..5 {
        receipt(&store, round);
    }
    let stats = stats(&store, "a");
    assert_eq!((stats.salience, stats.last_used_at, stats.cited_count), (0.5, None, 0));
    assert_eq!((stats.retrieval_count, stats.last_retrieved_at), (5, Some(common::START)));
}

#[test]
fn what_was_learned_is_there_after_reopening() {
    let mut store = store();
    judge(&store, &receipt(&store, 0), &["a"], &["b"]);
    let before = ["a", "b", "c", "d"].map(|id| stats(&store, id));
    store.reopen();
    assert_eq!(["a", "b", "c", "d"].map(|id| stats(&store, id)), before);
}
