//! Receipts: one row per retrieve, what it holds, who may read it, and how long it is kept.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note, private};
use terrace::{
    CompletionRequest, Config, EdgeDraft, EmbedderChoice, Engine, Receipt, ReceiptFilter, RetentionConfig,
    RetrieveRequest, SearchRequest, TaskDraft, Timestamp, Viewer,
};

fn store() -> TestStore {
    let store = TestStore::text_only();
    store.put_all(["a", "b", "c"].map(|id| note(id, &format!("pump {id}"), "")));
    store
}

/// A text-only store of three notes whose receipts are kept so long.
fn keeping(receipt_days: f64, receipt_rows: u64) -> TestStore {
    let change = |config: &mut Config| {
        config.embedder = EmbedderChoice::None;
        config.retention = RetentionConfig { receipt_days, receipt_rows };
    };
    let store = TestStore::with(change);
    store.put_all(["a", "b", "c"].map(|id| note(id, &format!("pump {id}"), "")));
    store
}

fn ask(store: &Engine, query: &str) -> String {
    store.retrieve(&RetrieveRequest::new(query)).unwrap().receipt_id
}

fn owned(store: &Engine, id: &str) -> Receipt {
    store.receipt(id, &Viewer::owner()).unwrap()
}

fn listed(store: &Engine, filter: &ReceiptFilter) -> Vec<String> {
    store.receipts(filter, &Viewer::owner()).unwrap().into_iter().map(|receipt| receipt.id).collect()
}

#[test]
fn a_receipt_holds_what_was_asked_and_what_was_answered() {
    let store = store();
    let request = RetrieveRequest {
        agent_id: Some("ann".into()),
        task_id: Some("t1".into()),
        limit: 2,
        tags: vec![],
        namespace_filter: Some(vec!["default".into()]),
        include_inactive: true,
        ..RetrieveRequest::new("pump a")
    };
    let answer = store.retrieve(&request).unwrap();
    let receipt = owned(&store, &answer.receipt_id);
    assert_eq!((&*receipt.query, receipt.ts), ("pump a", common::START));
    assert_eq!((receipt.agent_id.as_deref(), receipt.task_id.as_deref()), (Some("ann"), Some("t1")));
    assert_eq!(
        receipt.request,
        serde_json::json!({"limit": 2, "namespace_filter": ["default"], "include_inactive": true})
    );
    assert_eq!(receipt.candidates_considered, 3);
    assert_eq!((receipt.temperature, receipt.terrace_reached), (answer.temperature, answer.terrace_reached));
    assert_eq!((receipt.error, receipt.failed_scouts), (None, vec![]));
    assert!(receipt.timings.contains_key("total") && receipt.timings.contains_key("scout_lexical"));
    assert_eq!(receipt.final_nodes.len(), 2);
    for (node, hit) in receipt.final_nodes.iter().zip(&answer.results) {
        assert_eq!((&node.id, node.score), (&hit.result.id, hit.result.score));
        assert_eq!((&node.reasons, &node.scouts), (&hit.reasons, &hit.scouts));
    }
}

#[test]
fn a_receipts_id_is_rcpt_and_twelve_hex_digits() {
    let id = ask(&store(), "pump");
    let digits = id.strip_prefix("rcpt_").unwrap();
    assert!(digits.len() == 12 && digits.chars().all(|c| c.is_ascii_hexdigit() && !c.is_ascii_uppercase()), "{id}");
}

#[test]
fn scouts_fired_lists_those_that_ran_cleanly_in_canonical_order_an_empty_answer_included() {
    let store = store();
    let answer = store.retrieve(&RetrieveRequest::new("nothing here is called so")).unwrap();
    let receipt = owned(&store, &answer.receipt_id);
    assert_eq!(receipt.scouts_fired, ["scout_lexical", "scout_graph", "scout_tag", "scout_path", "scout_recency"]);
    assert_eq!(answer.skipped_scouts, ["scout_vector", "scout_task_context"]);
    assert!(!answer.degraded);
}

#[test]
fn a_score_can_be_recomputed_from_a_receipts_features() {
    let store = store();
    store.put(note("d", "pump", "See [[pump a]] and [[pump b]].")).unwrap();
    let answer = store.retrieve(&RetrieveRequest::new("pump a recently")).unwrap();
    let weights = store.learned().unwrap().weights;
    for node in owned(&store, &answer.receipt_id).final_nodes {
        let scouts = weights.iter().map(|(scout, weight)| weight * node.features.get(scout).copied().unwrap_or(0.0));
        let fused: f64 = scouts.sum();
        let deltas: f64 =
            node.features.iter().filter(|(name, _)| name.starts_with("delta_")).map(|(_, value)| value).sum();
        let score = fused * (1.0 + deltas) / 1.15 * node.features["near_duplicate"];
        assert!((score - node.score).abs() < 1e-6, "{}: {score} and {}", node.id, node.score);
    }
}

#[test]
fn surfaced_conflicts_are_in_the_receipt() {
    let store = store();
    let edge = store.edge_upsert(&EdgeDraft::new("a", "contradicts", "b")).unwrap();
    let request = RetrieveRequest { surface_conflicts: true, ..RetrieveRequest::new("pump") };
    let answer = store.retrieve(&request).unwrap();
    assert_eq!(answer.conflicts.unwrap()[0].edge_id, edge.edge_id);
    assert_eq!(owned(&store, &answer.receipt_id).conflicts_surfaced, [edge.edge_id]);
}

#[test]
fn a_retrieve_that_fails_leaves_a_receipt_with_the_error() {
    let store = store();
    let error = store.retrieve(&RetrieveRequest { limit: 0, ..RetrieveRequest::new("pump") }).unwrap_err();
    let receipts = store.receipts(&ReceiptFilter::default(), &Viewer::owner()).unwrap();
    assert_eq!((receipts.len(), &*receipts[0].query), (1, "pump"));
    assert_eq!(receipts[0].error.as_ref().unwrap()["code"], error.code());
    assert!(receipts[0].final_nodes.is_empty());
    assert_eq!(store.node_stats("a", &Viewer::owner()).unwrap().retrieval_count, 0);
}

#[test]
fn a_retrieve_that_is_switched_off_leaves_a_receipt_too() {
    let change = |config: &mut Config| {
        config.embedder = EmbedderChoice::None;
        config.lcma.enabled = false;
    };
    let store = TestStore::with(change);
    assert_eq!(store.retrieve(&RetrieveRequest::new("pump")).unwrap_err().code(), "lcma_disabled");
    let receipts = store.receipts(&ReceiptFilter::default(), &Viewer::owner()).unwrap();
    assert_eq!(receipts[0].error.as_ref().unwrap()["code"], "lcma_disabled");
}

#[test]
fn search_leaves_no_receipt_and_no_trace() {
    let store = store();
    store.search(&SearchRequest::new("pump")).unwrap();
    assert!(listed(&store, &ReceiptFilter::default()).is_empty());
    assert_eq!(store.node_stats("a", &Viewer::owner()).unwrap().retrieval_count, 0);
}

#[test]
fn a_store_opened_read_only_refuses_every_call_that_writes_and_still_searches() {
    let mut store = store();
    store.create_task(&TaskDraft { id: "task-one".into(), ..TaskDraft::default() }).unwrap();
    let receipt = ask(&store, "pump");
    store.close();
    let reader = Engine::open(store.dir(), Config { read_only: true, ..store.config.clone() }).unwrap();
    let refused = [
        reader.retrieve(&RetrieveRequest::new("pump")).unwrap_err(),
        reader.feedback(&terrace::Feedback { receipt_id: receipt.clone(), ..Default::default() }).unwrap_err(),
        reader.complete_task(&CompletionRequest { task_id: "task-one".into(), ..Default::default() }).unwrap_err(),
        reader.cancel_task("task-one").unwrap_err(),
        reader.reopen_task("task-one").unwrap_err(),
        reader.create_task(&TaskDraft::default()).unwrap_err(),
        reader.post_finding("task-one", "ann", "x", None).unwrap_err(),
        reader.restore("a").unwrap_err(),
        reader.maintain().unwrap_err(),
        reader.put(note("x", "x", "")).unwrap_err(),
        reader.delete("a").unwrap_err(),
        reader.edge_upsert(&EdgeDraft::new("a", "x", "b")).unwrap_err(),
    ];
    for error in refused {
        assert_eq!(error.code(), "read_only", "{error}");
    }
    assert_eq!(reader.search(&SearchRequest::new("pump")).unwrap().results.len(), 3);
    assert_eq!(owned(&reader, &receipt).query, "pump");
    assert_eq!(reader.node_stats("a", &Viewer::owner()).unwrap().retrieval_count, 1);
}

#[test]
fn receipts_are_listed_newest_first_by_task_agent_time_limit_and_offset() {
    let store = store();
    let mut ids = Vec::new();
    for (agent, task) in [("ann", "t1"), ("bob", "t1"), ("ann", "t2")] {
        let request = RetrieveRequest {
            agent_id: Some(agent.into()),
            task_id: Some(task.into()),
            ..RetrieveRequest::new("pump")
        };
        ids.push(store.retrieve(&request).unwrap().receipt_id);
        store.clock.advance_days(1.0);
    }
    let day = |days: f64| Some(common::START.plus_days(days));
    let all = ReceiptFilter::default();
    let newest_first = |of: &[usize]| of.iter().map(|&at| ids[at].clone()).collect::<Vec<_>>();
    assert_eq!(listed(&store, &all), newest_first(&[2, 1, 0]));
    assert_eq!(listed(&store, &ReceiptFilter { task_id: Some("t1".into()), ..all.clone() }), newest_first(&[1, 0]));
    assert_eq!(listed(&store, &ReceiptFilter { agent_id: Some("ann".into()), ..all.clone() }), newest_first(&[2, 0]));
    assert_eq!(listed(&store, &ReceiptFilter { since: day(1.0), ..all.clone() }), newest_first(&[2, 1]));
    assert_eq!(listed(&store, &ReceiptFilter { until: day(1.0), ..all.clone() }), newest_first(&[0]));
    assert_eq!(listed(&store, &ReceiptFilter { limit: 1, offset: 1, ..all }), newest_first(&[1]));
}

#[test]
fn an_agent_reads_its_own_and_its_tasks_receipts_and_in_them_only_notes_it_can_see() {
    let store = store();
    store.put(private("ann", note("secret", "pump secret", ""))).unwrap();
    let request =
        RetrieveRequest { agent_id: Some("ann".into()), task_id: Some("t1".into()), ..RetrieveRequest::new("pump") };
    let id = store.retrieve(&request).unwrap().receipt_id;
    let nodes = |viewer: &Viewer| store.receipt(&id, viewer).map(|receipt| receipt.final_nodes.len());
    assert_eq!(nodes(&Viewer::agent("ann")).unwrap(), 4);
    assert_eq!(nodes(&Viewer::agent("bob").on_task("t1")).unwrap(), 3);
    assert_eq!(nodes(&Viewer::agent("bob")).unwrap_err().code(), "receipt_not_found");
    assert_eq!(nodes(&Viewer::anyone()).unwrap_err().code(), "receipt_not_found");
    let of_bob = store.receipt(&id, &Viewer::agent("bob").on_task("t1")).unwrap();
    assert_eq!(of_bob.candidates_considered, 3);
}

#[test]
fn receipts_go_after_their_days() {
    let store = keeping(90.0, 1_000_000);
    ask(&store, "pump one");
    store.clock.advance_days(1.0);
    let kept = ask(&store, "pump two");
    store.clock.advance_days(89.5);
    let newest = ask(&store, "pump three");
    assert_eq!(store.maintain().unwrap().receipts_pruned, 1);
    assert_eq!(listed(&store, &ReceiptFilter::default()), [newest, kept]);
}

#[test]
fn receipts_beyond_their_number_go_the_oldest_first() {
    let store = keeping(90.0, 2);
    let ids: Vec<String> = (0..5).map(|round| ask(&store, &format!("pump {round}"))).collect();
    assert_eq!(store.maintain().unwrap().receipts_pruned, 3);
    assert_eq!(listed(&store, &ReceiptFilter::default()), [ids[4].clone(), ids[3].clone()]);
}

#[test]
fn a_receipt_of_an_open_task_is_kept_until_the_task_is_closed() {
    let store = keeping(1.0, 1);
    store.create_task(&TaskDraft { id: "task-one".into(), ..TaskDraft::default() }).unwrap();
    let request = RetrieveRequest { task_id: Some("task-one".into()), ..RetrieveRequest::new("pump") };
    let of_task = store.retrieve(&request).unwrap().receipt_id;
    ask(&store, "pump one");
    let newest = ask(&store, "pump two");
    store.clock.advance_days(30.0);
    store.maintain().unwrap();
    assert_eq!(listed(&store, &ReceiptFilter::default()), [newest.clone(), of_task]);
    store.cancel_task("task-one").unwrap();
    store.maintain().unwrap();
    assert_eq!(listed(&store, &ReceiptFilter::default()), [newest]);
}

#[test]
fn what_pruned_receipts_counted_stays_and_no_receipt_gets_their_number() {
    let mut store = keeping(1.0, 1_000_000);
    let old: Vec<String> = (0..3).map(|round| ask(&store, &format!("pump {round}"))).collect();
    store.clock.advance_days(30.0);
    store.maintain().unwrap();
    store.reopen();
    let new: Vec<String> = (0..3).map(|round| ask(&store, &format!("pump {round}"))).collect();
    assert!(new.iter().all(|id| !old.contains(id)), "{old:?} {new:?}");
    store.reopen();
    assert_eq!(store.node_stats("a", &Viewer::owner()).unwrap().retrieval_count, 6);
}

#[test]
fn verdicts_outlive_their_receipts() {
    let store = keeping(1.0, 1_000_000);
    let receipts: Vec<String> = (0..2).map(|round| ask(&store, &format!("pump {round}"))).collect();
    let judge = |receipt: &str, cited: &str| {
        let feedback = terrace::Feedback {
            receipt_id: receipt.to_owned(),
            cited: Some(vec![cited.to_owned()]),
            misleading: None,
            ..terrace::Feedback::default()
        };
        store.feedback(&feedback)
    };
    judge(&receipts[0], "a").unwrap();
    store.clock.advance_days(30.0);
    ask(&store, "pump later");
    let last = ask(&store, "pump last");
    store.maintain().unwrap();
    assert_eq!(judge(&receipts[0], "b").unwrap_err().code(), "receipt_not_found");
    judge(&last, "a").unwrap();
    judge(&last, "b").unwrap();
    assert_eq!(store.node_stats("a", &Viewer::owner()).unwrap().cited_count, 1);
}

#[test]
fn the_file_stops_growing_once_retention_is_reached() {
    let store = keeping(90.0, 200);
    let bytes = |store: &TestStore| std::fs::metadata(store.dir().join("terrace.db")).unwrap().len();
    let mut sizes = Vec::new();
    for round in 0..4 {
        for query in 0..300 {
            ask(&store, &format!("pump {round} {query}"));
        }
        store.maintain().unwrap();
        sizes.push(bytes(&store));
    }
    assert!(sizes[3] <= sizes[1] + 64 * 1024, "{sizes:?}");
}

#[test]
fn a_listing_of_no_or_too_many_receipts_is_refused() {
    let store = store();
    for limit in [0, 10_001] {
        let filter = ReceiptFilter { limit, ..ReceiptFilter::default() };
        assert_eq!(store.receipts(&filter, &Viewer::owner()).unwrap_err().code(), "invalid_input");
    }
}

#[test]
fn a_clock_that_went_backwards_keeps_receipts_in_the_order_they_were_written() {
    let store = store();
    let first = ask(&store, "pump one");
    store.clock.set(Timestamp::from_seconds(0));
    let second = ask(&store, "pump two");
    assert_eq!(listed(&store, &ReceiptFilter::default()), [second, first]);
}
