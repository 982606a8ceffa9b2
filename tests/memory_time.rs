//! Memory over time: decay, usage, repeats within the hour, working memory, and clocks that go backwards.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{START, TestStore, note};
use terrace::{CompletionRequest, Feedback, NodeStats, RetrieveRequest, TaskDraft, Timestamp, Viewer};

const HOUR: f64 = 1.0 / 24.0;

fn store() -> TestStore {
    let store = TestStore::text_only();
    store.put_all(["a", "b"].map(|id| note(id, &format!("pump {id}"), "")));
    store
}

fn stats(store: &TestStore, id: &str) -> NodeStats {
    store.node_stats(id, &Viewer::owner()).unwrap()
}

fn ask(store: &TestStore, query: &str) -> String {
    store.retrieve(&RetrieveRequest::new(query)).unwrap().receipt_id
}

fn ask_for(store: &TestStore, task: &str, query: &str) -> String {
    let request = RetrieveRequest { task_id: Some(task.into()), ..RetrieveRequest::new(query) };
    store.retrieve(&request).unwrap().receipt_id
}

fn cite(store: &TestStore, receipt: String, id: &str) {
    let feedback =
        Feedback { receipt_id: receipt, cited: Some(vec![id.to_owned()]), misleading: None, ..Feedback::default() };
    store.feedback(&feedback).unwrap();
}

/// What the table of working memory holds once receipts are folded: task, note, count, first and last seen.
fn working_memory(store: &TestStore) -> Vec<(String, String, i64, i64, i64)> {
    let conn = store.sqlite();
    let mut statement = conn
        .prepare(
            "SELECT task_id, id, activation_count, first_seen_at, last_seen_at
             FROM working_memory JOIN notes USING (ord) ORDER BY task_id, id",
        )
        .unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn seven_idle_days_since_creation_cost_nothing_and_the_eighth_does() {
    let store = store();
    store.clock.advance_days(7.0);
    assert_eq!(stats(&store, "a").salience, 0.5);
    store.clock.advance_days(1.0);
    assert!(near(stats(&store, "a").salience, 0.3 + 0.2 * (-0.005_f64).exp()));
}

#[test]
fn decay_counts_from_the_last_use_and_slows_with_strength() {
    let store = store();
    store.clock.advance_days(5.0);
    cite(&store, ask(&store, "pump"), "a");
    store.clock.advance_days(107.0);
    let expected = 0.3 + 0.22 * (-0.005 / 1.05 * 100.0_f64).exp();
    assert!(near(stats(&store, "a").salience, expected), "{:?}", stats(&store, "a"));
}

#[test]
fn being_retrieved_does_not_hold_decay_up() {
    let store = store();
    store.clock.advance_days(100.0);
    ask(&store, "pump");
    assert!(near(stats(&store, "a").salience, 0.3 + 0.2 * (-0.005 * 93.0_f64).exp()));
}

#[test]
fn idle_time_never_takes_a_note_below_the_floor() {
    let store = store();
    store.clock.advance_days(100_000.0);
    assert!(near(stats(&store, "a").salience, 0.3));
}

#[test]
fn evidence_does_not_fade_with_idle_time() {
    let store = store();
    cite(&store, ask(&store, "pump"), "a");
    store.clock.advance_days(1000.0);
    store.maintain().unwrap();
    let stats = stats(&store, "a");
    assert_eq!((stats.cited_count, stats.last_used_at), (1, Some(START)));
    assert!(near(stats.spaced_rep_strength, 1.05));
}

#[test]
fn maintenance_makes_decay_durable_and_says_up_to_when() {
    let mut store = store();
    cite(&store, ask(&store, "pump"), "a");
    store.clock.advance_days(50.0);
    let before = stats(&store, "a").salience;
    store.maintain().unwrap();
    assert!(near(stats(&store, "a").salience, before));
    assert_eq!(stats(&store, "a").last_decay_applied_at, Some(START.plus_days(50.0)));
    store.reopen();
    assert!(near(stats(&store, "a").salience, before));
}

#[test]
fn a_clock_that_goes_backwards_neither_decays_nor_fails() {
    let store = store();
    cite(&store, ask(&store, "pump"), "a");
    store.clock.advance_days(100.0);
    store.maintain().unwrap();
    let before = stats(&store, "a").salience;
    for back in [-50.0, -5000.0] {
        store.clock.set(START.plus_days(100.0 + back));
        store.maintain().unwrap();
        cite(&store, ask(&store, "pump back"), "b");
        assert!(near(stats(&store, "a").salience, before), "{back}");
    }
    store.clock.set(START.plus_days(100.0));
    assert!(near(stats(&store, "a").salience, before));
}

#[test]
fn times_at_the_ends_of_the_scale_are_survived() {
    let store = store();
    for now in [i64::MIN, 0, i64::MAX] {
        store.clock.set(Timestamp::from_micros(now));
        ask(&store, "pump latest");
        store.maintain().unwrap();
        assert!((0.3..=0.5).contains(&stats(&store, "a").salience));
    }
}

#[test]
fn usage_is_zero_until_retrieved_and_follows_its_formula_then() {
    let store = store();
    assert_eq!(stats(&store, "a").usage_score, 0.0);
    for round in 0..3 {
        ask(&store, &format!("pump {round}"));
    }
    let frequency = 0.6 * 4.0_f64.ln() / 21.0_f64.ln();
    assert!(near(stats(&store, "a").usage_score, frequency + 0.4));
    store.clock.advance_days(14.0);
    assert!(near(stats(&store, "a").usage_score, frequency + 0.2));
}

#[test]
fn usage_counts_its_days_from_the_last_use_where_there_is_one() {
    let store = store();
    cite(&store, ask(&store, "pump"), "a");
    store.clock.advance_days(14.0);
    ask(&store, "pump again");
    let frequency = 0.6 * 3.0_f64.ln() / 21.0_f64.ln();
    assert!(near(stats(&store, "a").usage_score, frequency + 0.2));
    assert!(near(stats(&store, "b").usage_score, frequency + 0.4));
}

#[test]
fn usage_is_full_at_twenty_retrievals_today() {
    let store = store();
    for round in 0..25 {
        ask(&store, &format!("pump {round}"));
    }
    assert!(near(stats(&store, "a").usage_score, 1.0));
}

#[test]
fn a_query_repeated_by_one_viewer_within_the_hour_counts_once() {
    let store = store();
    ask(&store, "pump");
    let once = stats(&store, "a").usage_score;
    store.clock.advance_days(0.9 * HOUR);
    ask(&store, "pump");
    let twice = stats(&store, "a");
    assert_eq!(twice.retrieval_count, 2);
    assert!((twice.usage_score - once).abs() < 1e-3, "{once} became {}", twice.usage_score);
    store.clock.advance_days(0.2 * HOUR);
    ask(&store, "pump");
    assert!(stats(&store, "a").usage_score > once + 0.05);
}

#[test]
fn another_viewer_or_query_is_no_repeat() {
    let store = store();
    let usage = |store: &TestStore| stats(store, "a").usage_score;
    ask(&store, "pump");
    let mut last = usage(&store);
    for (agent, task, query) in [
        (Some("ann"), None, "pump"),
        (None, Some("t"), "pump"),
        (Some("ann"), Some("t"), "pump"),
        (None, None, "pump b"),
    ] {
        let request = RetrieveRequest {
            agent_id: agent.map(str::to_owned),
            task_id: task.map(str::to_owned),
            ..RetrieveRequest::new(query)
        };
        store.retrieve(&request).unwrap();
        assert!(usage(&store) > last, "{agent:?} {task:?} {query}");
        last = usage(&store);
    }
}

#[test]
fn a_repeat_is_one_also_after_reopening() {
    let mut store = store();
    ask(&store, "pump");
    let once = stats(&store, "a").usage_score;
    store.reopen();
    store.clock.advance_days(0.5 * HOUR);
    ask(&store, "pump");
    assert!((stats(&store, "a").usage_score - once).abs() < 1e-3);
}

#[test]
fn bare_retrieves_move_no_score_by_more_than_half_a_percent() {
    let store = store();
    store.put_all((0..20).map(|at| note(&format!("n{at:02}"), &format!("pump number {at}"), "Water flows.")));
    let request = RetrieveRequest { limit: 50, task_id: Some("t".into()), ..RetrieveRequest::new("pump water") };
    let scores = |store: &TestStore| common::scored(&store.retrieve(&request).unwrap());
    let before = scores(&store);
    for round in 0..60 {
        let narrow =
            RetrieveRequest { limit: 5, task_id: Some("t".into()), ..RetrieveRequest::new(format!("pump {round}")) };
        store.retrieve(&narrow).unwrap();
    }
    let after: std::collections::BTreeMap<String, f64> = scores(&store).into_iter().collect();
    for (id, score) in before {
        let moved = (after[&id] - score).abs() / score;
        assert!(moved <= 0.005, "{id}: {score} became {}", after[&id]);
    }
}

#[test]
fn working_memory_counts_activations_of_a_tasks_results_and_keeps_when_they_were_first_seen() {
    let store = store();
    ask_for(&store, "t", "pump one");
    store.clock.advance_days(1.0);
    ask_for(&store, "t", "pump two");
    ask(&store, "pump without a task");
    store.maintain().unwrap();
    let (first, last) = (START.micros(), START.plus_days(1.0).micros());
    let entry = |id: &str| ("t".to_owned(), id.to_owned(), 2, first, last);
    assert_eq!(working_memory(&store), [entry("a"), entry("b")]);
}

#[test]
fn working_memory_proposes_its_notes_to_its_task_alone() {
    let store = store();
    ask_for(&store, "t", "pump a");
    let proposed = |task: &str| {
        let request = RetrieveRequest { task_id: Some(task.into()), ..RetrieveRequest::new("unheard") };
        let answer = store.retrieve(&request).unwrap();
        answer.results.iter().filter(|hit| hit.reasons.iter().any(|reason| reason.contains("working memory"))).count()
    };
    assert_eq!((proposed("t"), proposed("other")), (2, 0));
}

#[test]
fn working_memory_of_a_closed_task_is_evicted() {
    let store = store();
    store.create_task(&TaskDraft { id: "task-one".into(), ..TaskDraft::default() }).unwrap();
    ask_for(&store, "task-one", "pump");
    ask_for(&store, "a label", "pump");
    store.maintain().unwrap();
    assert_eq!(working_memory(&store).len(), 4);
    let completion = CompletionRequest { task_id: "task-one".into(), ..CompletionRequest::default() };
    store.complete_task(&completion).unwrap();
    assert_eq!(store.maintain().unwrap().working_memory_evicted, 2);
    assert!(working_memory(&store).iter().all(|(task, ..)| task == "a label"));
}

#[test]
fn working_memory_is_evicted_after_seven_days_unseen() {
    let store = store();
    ask_for(&store, "t", "pump");
    store.clock.advance_days(6.9);
    assert_eq!(store.maintain().unwrap().working_memory_evicted, 0);
    store.clock.advance_days(0.2);
    assert_eq!(store.maintain().unwrap().working_memory_evicted, 2);
    assert!(working_memory(&store).is_empty());
}

#[test]
fn evicted_working_memory_is_gone_from_memory_and_stays_gone_after_reopening() {
    let mut store = store();
    ask_for(&store, "t", "pump");
    store.clock.advance_days(8.0);
    store.maintain().unwrap();
    let proposed = |store: &TestStore| {
        let request = RetrieveRequest { task_id: Some("t".into()), limit: 1, ..RetrieveRequest::new("unheard") };
        let answer = store.retrieve(&request).unwrap();
        answer.results.iter().filter(|hit| hit.scouts.iter().any(|scout| scout == "scout_task_context")).count()
    };
    assert_eq!(proposed(&store), 0);
    store.clock.advance_days(8.0);
    store.maintain().unwrap();
    store.reopen();
    assert_eq!(proposed(&store), 0);
}
