//! Weights: what callers cite moves how scouts count, behind a gate, and is forgotten on demand.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note};
use terrace::{Config, Feedback, LearnedWeights, Note, RetrieveRequest, RetrieveResponse, SearchRequest, Viewer};

/// Topics, each with one note that is named after it and one that is tagged with it.
const TOPICS: usize = 30;

fn eager(config: &mut Config) {
    config.embedder = terrace::EmbedderChoice::None;
    config.learning.association = false;
    config.ranking.salience_delta = 0.0;
    (config.learning.min_receipts, config.learning.min_discordant) = (20, 10);
}

fn filled(change: impl FnOnce(&mut Config)) -> TestStore {
    let store = TestStore::with(|config| {
        eager(config);
        change(config);
    });
    store.put_all((0..TOPICS).flat_map(|topic| {
        let word = format!("topic{topic:02}");
        let tagged = note(&format!("tagged{topic:02}"), &format!("some log {topic:02}"), "What was seen to.");
        [
            note(&format!("named{topic:02}"), &word, "What was seen to on that day, at length."),
            Note { tags: vec![word], ..tagged },
        ]
    }));
    store
}

fn ask(store: &TestStore, topic: usize) -> RetrieveResponse {
    store.retrieve(&RetrieveRequest { limit: 2, ..RetrieveRequest::new(format!("topic{topic:02}")) }).unwrap()
}

fn cite(store: &TestStore, receipt_id: &str, id: String) {
    store
        .feedback(&Feedback {
            receipt_id: receipt_id.to_owned(),
            cited: Some(vec![id]),
            misleading: None,
            ..Feedback::default()
        })
        .unwrap();
}

/// Every topic is asked for, and the tagged note cited, though the named one stands first.
fn taught(change: impl FnOnce(&mut Config)) -> TestStore {
    let store = filled(change);
    for topic in 0..TOPICS {
        let answer = ask(&store, topic);
        assert_eq!(answer.results[0].result.id, format!("named{topic:02}"));
        cite(&store, &answer.receipt_id, format!("tagged{topic:02}"));
    }
    store
}

fn trained(store: &TestStore) -> Option<LearnedWeights> {
    store.learned().unwrap().trained
}

/// The scores of one answer, as bits.
fn scores(store: &TestStore, topic: usize) -> Vec<(String, u64)> {
    let hits = ask(store, topic).results.into_iter();
    hits.map(|hit| (hit.result.id, hit.result.score.to_bits())).collect()
}

#[test]
fn a_scout_that_likes_what_callers_cite_counts_for_more() {
    let store = taught(|_| {});
    let before = store.learned().unwrap().weights;
    assert_eq!(store.maintain().unwrap().receipts_trained_on, TOPICS as u64);
    let after = store.learned().unwrap().weights;
    assert!(after["scout_tag"] > before["scout_tag"] && after["scout_path"] < before["scout_path"], "{after:?}");
    assert!(trained(&store).unwrap().blend > 0.0);
}

#[test]
fn completing_and_judging_train_nothing_by_themselves() {
    let store = taught(|_| {});
    assert_eq!(trained(&store), None);
}

#[test]
fn fewer_receipts_than_the_gate_asks_for_change_no_score() {
    let store = taught(|config| config.learning.min_receipts = TOPICS + 1);
    let before = scores(&store, 0);
    store.maintain().unwrap();
    assert_eq!(trained(&store).unwrap().blend, 0.0);
    assert_eq!(scores(&store, 0), before);
}

#[test]
fn a_search_goes_by_the_configured_weights() {
    let store = taught(|_| {});
    let search = || {
        let hits = store.search(&SearchRequest::new("topic00")).unwrap().results.into_iter();
        hits.map(|hit| (hit.id, hit.score.to_bits())).collect::<Vec<_>>()
    };
    let before = search();
    store.maintain().unwrap();
    assert_eq!(search(), before);
}

#[test]
fn the_same_receipts_give_the_same_weights() {
    let weights = || {
        let store = taught(|_| {});
        store.maintain().unwrap();
        store.learned().unwrap().weights.into_values().map(f64::to_bits).collect::<Vec<_>>()
    };
    assert_eq!(weights(), weights());
}

#[test]
fn learned_weights_are_in_force_after_reopening() {
    let mut store = taught(|_| {});
    store.maintain().unwrap();
    let before = scores(&store, 3);
    store.reopen();
    assert_eq!(scores(&store, 3), before);
}

#[test]
fn weights_learned_from_others_than_the_configured_ones_do_not_count() {
    let mut store = taught(|_| {});
    store.maintain().unwrap();
    store.config.ranking.weights.vector = 0.0;
    store.reopen();
    let shipped = store.config.ranking.weights.normalised();
    let force = store.learned().unwrap().weights;
    assert_eq!(force["scout_tag"], f64::from(shipped[3]));
}

#[test]
fn verdicts_taken_back_take_the_weights_with_them() {
    let store = taught(|_| {});
    store.maintain().unwrap();
    let receipts =
        store.receipts(&terrace::ReceiptFilter { limit: 100, ..Default::default() }, &Viewer::owner()).unwrap();
    for receipt in receipts {
        let first = receipt.final_nodes[0].id.clone();
        cite(&store, &receipt.id, first);
    }
    store.maintain().unwrap();
    assert_eq!(trained(&store).unwrap().blend, 0.0);
}

#[test]
fn learning_that_is_off_trains_nothing() {
    let store = taught(|config| config.learning.enabled = false);
    let before = scores(&store, 1);
    assert_eq!(store.maintain().unwrap().receipts_trained_on, 0);
    assert_eq!(trained(&store), None);
    assert_eq!(scores(&store, 1), before);
}

#[test]
fn forgetting_brings_back_the_configured_weights_to_the_bit() {
    let (store, untold) = (taught(|_| {}), filled(|_| {}));
    (0..TOPICS).for_each(|topic| drop(ask(&untold, topic)));
    store.maintain().unwrap();
    assert_ne!(scores(&store, 5), scores(&untold, 5));
    assert!(store.reset_learned().unwrap().weights);
    assert_eq!(scores(&store, 5), scores(&untold, 5));
    assert_eq!(trained(&store), None);
}

#[test]
fn weights_go_with_the_last_verdict_that_compared_anything() {
    let store = taught(|_| {});
    store.maintain().unwrap();
    for topic in 0..TOPICS {
        store.delete(&format!("tagged{topic:02}")).unwrap();
        store.delete(&format!("named{topic:02}")).unwrap();
    }
    store.maintain().unwrap();
    assert_eq!(trained(&store), None);
    assert!(store.learned().unwrap().weights.keys().all(|name| name.starts_with("scout_")));
}

#[test]
fn trained_weights_that_cannot_be_read_do_not_count_and_do_not_keep_the_store_from_opening() {
    let mut store = taught(|_| {});
    store.maintain().unwrap();
    let shipped = filled(|_| {}).learned().unwrap().weights;
    store.reopen_after(|dir| {
        let db = rusqlite::Connection::open(dir.join("terrace.db")).unwrap();
        let damage = "UPDATE meta SET value = '{\"scouts\": null}' WHERE key = 'learned_weights'";
        assert_eq!(db.execute(damage, []).unwrap(), 1);
    });
    assert_eq!(store.learned().unwrap().weights, shipped);
}

#[test]
fn of_a_long_list_half_of_which_is_cited_the_first_hundred_are_paired_and_trained_on() {
    let store = TestStore::text_only();
    store.put_all((0..300).map(|at| common::note(&format!("n{at:03}"), "pump", "")));
    let request = RetrieveRequest { limit: 300, ..RetrieveRequest::new("pump") };
    let answer = store.retrieve(&request).unwrap();
    let cited = common::ids(&answer).into_iter().step_by(2).collect::<Vec<_>>();
    let feedback = Feedback { receipt_id: answer.receipt_id, cited: Some(cited), ..Feedback::default() };
    assert_eq!(store.feedback(&feedback).unwrap().applied.ignored.len(), 150);
    assert_eq!(store.maintain().unwrap().receipts_trained_on, 1);
    let learned = store.learned().unwrap();
    assert_eq!(learned.learned_edges, 50 * 49 / 2, "of the first hundred results, those that were cited");
}
