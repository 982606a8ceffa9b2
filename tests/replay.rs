//! Receipts ranked under other weights: what is counted, what is left alone, what is refused.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note};
use terrace::eval::ReplayReport;
use terrace::{Config, Engine, Feedback, ReceiptFilter, ReplayRequest, ReplayWeights, RetrieveRequest, Viewer};

/// `word` is found by the word alone, `link` only through the link of `word`; both answer "spanner".
fn store() -> TestStore {
    let store = TestStore::text_only();
    store.put_all([
        note("word", "Bench", "The spanner hangs here. The spanner is old. See [[Drawer]]."),
        note("link", "Drawer", "Sockets and drivers."),
        note("away", "Slugs", "Wool pellets keep slugs off lettuce."),
    ]);
    store
}

/// Retrieves, and cites one note of the answer.
fn cite(store: &TestStore, request: &RetrieveRequest, cited: &str) -> Vec<String> {
    let answer = store.retrieve(request).unwrap();
    let cited = Some(vec![cited.to_owned()]);
    store
        .feedback(&Feedback { receipt_id: answer.receipt_id.clone(), cited, misleading: None, ..Feedback::default() })
        .unwrap();
    common::ids(&answer)
}

fn with(set: &[(&str, f64)]) -> ReplayRequest {
    let set = set.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    ReplayRequest { set, ..ReplayRequest::default() }
}

/// One receipt of `word` above `link`, `word` cited.
fn judged() -> TestStore {
    let store = store();
    assert_eq!(cite(&store, &RetrieveRequest::new("spanner"), "word")[..2], ["word", "link"]);
    store
}

/// Without the scout that found `word` by itself; graph scores stay as they were.
fn without_words() -> ReplayRequest {
    with(&[("scout_lexical", 0.0), ("scout_graph", 1.0), ("scout_recency", 0.0)])
}

#[test]
fn replay_under_the_weights_in_force_changes_nothing() {
    let store = judged();
    cite(&store, &RetrieveRequest { diversity: 0.7, ..RetrieveRequest::new("the spanner of the drawer") }, "link");
    let report = store.replay(&ReplayRequest::default()).unwrap();
    assert_eq!((report.receipts, report.judged, report.reordered), (2, 2, 0));
    assert_eq!((report.first_changed, report.top_changed, report.changed.len()), (0, 0, 0));
    assert_eq!(report.citations.before, report.citations.after);
    assert_eq!(report.citations.discordant, 0);
}

#[test]
fn without_the_only_scout_that_liked_the_cited_note_ndcg_falls() {
    let report = judged().replay(&without_words()).unwrap();
    assert!(report.citations.after < report.citations.before, "{report:?}");
    assert_eq!((report.citations.losses, report.citations.wins), (1, 0));
    assert_eq!((report.reordered, report.first_changed, report.top_changed), (1, 1, 0));
}

#[test]
fn ndcg_is_that_of_the_hand() {
    let report = judged().replay(&without_words()).unwrap();
    // The one citation moves from the first place to the second: 1 / log₂ 3.
    let expected = 1.0 / 3.0_f64.log2();
    for gain in [report.citations, report.position_corrected] {
        assert_eq!(gain.before, 1.0);
        assert!((gain.after - expected).abs() < 1e-12, "{gain:?}");
        assert!((gain.difference.mean - (expected - 1.0)).abs() < 1e-12, "{gain:?}");
        assert_eq!((gain.difference.lo, gain.difference.hi), (gain.difference.mean, gain.difference.mean));
    }
    let changed = &report.changed[0];
    assert_eq!(changed.query, "spanner");
    assert_eq!(
        (&changed.first_before[..2], &changed.first_after[..2]),
        (&["word", "link"].map(String::from)[..], &["link", "word"].map(String::from)[..])
    );
    assert!((changed.after.unwrap() - expected).abs() < 1e-12);
}

#[test]
fn a_citation_further_down_counts_for_more_when_corrected_for_its_place() {
    let store = store();
    let answer = store.retrieve(&RetrieveRequest::new("spanner")).unwrap();
    let cited = Some(vec!["word".to_owned(), "link".to_owned()]);
    store
        .feedback(&Feedback { receipt_id: answer.receipt_id, cited, misleading: None, ..Feedback::default() })
        .unwrap();
    let report = store.replay(&without_words()).unwrap();
    assert_eq!(report.citations.discordant, 0, "both were cited: one order is as good as the other");
    assert_eq!(report.position_corrected.wins, 1, "√2 of the lower one is worth more on top");
}

#[test]
fn a_single_citation_counts_the_same_corrected_or_not() {
    let store = store();
    cite(&store, &RetrieveRequest::new("spanner"), "link");
    let report = store.replay(&without_words()).unwrap();
    let (plain, corrected) = (report.citations, report.position_corrected);
    assert_eq!((plain.wins, corrected.wins), (1, 1));
    assert!((plain.before - corrected.before).abs() + (plain.after - corrected.after).abs() < 1e-12, "{report:?}");
}

#[test]
fn the_first_k_are_told_from_the_rest() {
    let report = judged().replay(&ReplayRequest { k: 1, ..without_words() }).unwrap();
    assert_eq!((report.k, report.top_changed), (1, 1));
    assert_eq!((report.citations.before, report.citations.after), (1.0, 0.0));
    assert_eq!(
        (&report.changed[0].first_before[..], &report.changed[0].first_after[..]),
        (&["word".to_owned()][..], &["link".to_owned()][..])
    );
}

#[test]
fn failed_and_empty_receipts_are_left_out_and_counted() {
    let store = judged();
    assert!(store.retrieve(&RetrieveRequest { limit: 0, ..RetrieveRequest::new("spanner") }).is_err());
    let nothing = RetrieveRequest { tags: vec!["none".into()], ..RetrieveRequest::new("spanner") };
    assert!(store.retrieve(&nothing).unwrap().results.is_empty());
    let report = store.replay(&ReplayRequest::default()).unwrap();
    assert_eq!((report.receipts, report.failed, report.empty), (1, 1, 1));
}

#[test]
fn receipts_that_nobody_judged_are_compared_without_a_gain() {
    let store = store();
    store.retrieve(&RetrieveRequest::new("spanner")).unwrap();
    let report = store.replay(&without_words()).unwrap();
    assert_eq!((report.receipts, report.judged, report.reordered), (1, 0, 1));
    assert_eq!((report.changed[0].before, report.changed[0].after), (None, None));
    assert_eq!(report.citations, terrace::eval::ReplayGain::default());
}

#[test]
fn conditions_and_the_limit_narrow_what_is_replayed() {
    let store = store();
    let ask = |agent: &str, task: Option<&str>| {
        let (agent_id, task_id) = (Some(agent.to_owned()), task.map(str::to_owned));
        store.retrieve(&RetrieveRequest { agent_id, task_id, ..RetrieveRequest::new("spanner") }).unwrap();
        store.clock.advance_days(1.0);
    };
    ask("ann", None);
    let then = store.config.clock.now();
    ask("bob", Some("mend"));
    ask("ann", Some("mend"));
    let replayed = |request: ReplayRequest| store.replay(&request).unwrap().receipts;
    let all = ReplayRequest::default();
    assert_eq!(replayed(all.clone()), 3);
    assert_eq!(replayed(ReplayRequest { agent_id: Some("ann".into()), ..all.clone() }), 2);
    assert_eq!(replayed(ReplayRequest { task_id: Some("mend".into()), ..all.clone() }), 2);
    assert_eq!(replayed(ReplayRequest { since: Some(then), ..all.clone() }), 2);
    assert_eq!(replayed(ReplayRequest { until: Some(then), ..all.clone() }), 1);
    assert_eq!(replayed(ReplayRequest { limit: 1, ..all }), 1);
}

#[test]
fn what_is_shown_is_limited_and_begins_with_the_biggest_difference() {
    let store = store();
    store.retrieve(&RetrieveRequest::new("old spanner")).unwrap();
    cite(&store, &RetrieveRequest::new("spanner"), "word");
    store.retrieve(&RetrieveRequest::new("the spanner")).unwrap();
    let queries = |show| {
        let report = store.replay(&ReplayRequest { show, ..without_words() }).unwrap();
        assert_eq!(report.reordered, 3);
        report.changed.into_iter().map(|receipt| receipt.query).collect::<Vec<_>>()
    };
    assert_eq!(queries(20), ["spanner", "the spanner", "old spanner"]);
    assert_eq!(queries(1), ["spanner"]);
    assert!(queries(0).is_empty());
}

#[test]
fn a_store_opened_read_only_answers_the_same() {
    let mut store = judged();
    let expected = store.replay(&without_words()).unwrap();
    store.close();
    let reader = Engine::open(store.dir(), Config { read_only: true, ..store.config.clone() }).unwrap();
    assert_eq!(reader.replay(&without_words()).unwrap(), expected);
}

#[test]
fn a_replay_leaves_no_trace() {
    let store = judged();
    let state = || {
        let owner = Viewer::owner();
        let receipts = store.receipts(&ReceiptFilter::default(), &owner).unwrap();
        let notes = ["word", "link", "away"].map(|id| store.node_stats(id, &owner).unwrap());
        (
            serde_json::to_string(&receipts).unwrap(),
            notes,
            serde_json::to_string(&store.export_learned().unwrap()).unwrap(),
            store.stats().unwrap().sequence,
        )
    };
    let before = state();
    store.replay(&without_words()).unwrap();
    assert_eq!(state(), before);
}

#[test]
fn the_same_request_gives_the_same_report() {
    let store = judged();
    cite(&store, &RetrieveRequest::new("the spanner of the drawer"), "link");
    cite(&store, &RetrieveRequest::new("old spanner"), "word");
    let replay = || -> ReplayReport { store.replay(&without_words()).unwrap() };
    assert_eq!(replay(), replay());
}

#[test]
fn scouts_are_scaled_to_1_in_sum() {
    let report = judged().replay(&with(&[("scout_lexical", 40.0), ("delta_salience", 0.0)])).unwrap();
    let scouts: f64 =
        report.weights.iter().filter(|(name, _)| name.starts_with("scout_")).map(|(_, weight)| weight).sum();
    assert!((scouts - 1.0).abs() < 1e-9 && report.weights["scout_lexical"] > 0.9, "{report:?}");
    assert_eq!(report.weights["delta_salience"], 0.0);
}

#[test]
fn the_configured_weights_are_those_under_shipped() {
    let store = judged();
    let request = ReplayRequest { weights: ReplayWeights::Shipped, ..ReplayRequest::default() };
    assert_eq!(store.replay(&request).unwrap().weights, store.learned().unwrap().weights);
}

#[test]
fn trained_weights_are_replayed_at_full_weight() {
    let store = judged();
    (0..4).for_each(|at| drop(cite(&store, &RetrieveRequest::new(format!("spanner {at}")), "link")));
    store.maintain().unwrap();
    let trained = store.learned().unwrap().trained.unwrap();
    let request = ReplayRequest { weights: ReplayWeights::Trained, ..ReplayRequest::default() };
    let weights = store.replay(&request).unwrap().weights;
    assert!(trained.scouts.iter().all(|(name, weight)| (weights[name] - weight).abs() < 1e-6), "{weights:?}");
    assert_ne!(trained.scouts, trained.shipped, "else it says nothing");
}

#[test]
fn trained_weights_are_missing_before_the_first_training() {
    let request = ReplayRequest { weights: ReplayWeights::Trained, ..ReplayRequest::default() };
    let error = judged().replay(&request).unwrap_err();
    assert_eq!(error.code(), "not_found");
    assert!(error.to_string().contains("terrace maintain"), "{error}");
}

#[test]
fn an_unknown_scout_is_refused_with_those_there_are() {
    let error = judged().replay(&with(&[("scout_smell", 0.3)])).unwrap_err();
    assert_eq!(error.code(), "invalid_input");
    assert!(error.to_string().contains("scout_lexical") && error.to_string().contains("scout_smell"), "{error}");
}

#[test]
fn numbers_out_of_range_are_refused() {
    let store = judged();
    let scouts = store.capabilities().scouts;
    let none: Vec<(&str, f64)> = scouts.iter().map(|scout| (scout.as_str(), 0.0)).collect();
    for request in [
        with(&[("scout_lexical", -0.1)]),
        with(&[("delta_status", f64::INFINITY)]),
        with(&none),
        ReplayRequest { k: 0, ..ReplayRequest::default() },
        ReplayRequest { limit: 0, ..ReplayRequest::default() },
    ] {
        assert_eq!(store.replay(&request).unwrap_err().code(), "invalid_input", "{request:?}");
    }
}

#[test]
fn a_receipt_that_cannot_be_read_is_named() {
    for damage in ["final_nodes = '[{'", "final_ords = x'0102'", "weights = '[]'", "query = CAST(x'ff' AS TEXT)"] {
        let store = judged();
        let id = store.receipts(&ReceiptFilter::default(), &Viewer::owner()).unwrap()[0].id.clone();
        store.sqlite().execute(&format!("UPDATE receipts SET {damage}"), []).unwrap();
        let error = store.replay(&ReplayRequest::default()).unwrap_err();
        assert_eq!(error.code(), "corrupt", "{damage}");
        assert!(error.to_string().contains(&id) && error.to_string().contains("terrace check"), "{error}");
    }
}
