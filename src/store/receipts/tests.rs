use serde_json::{Value, json};

use super::*;
use crate::model::TaskStatus;
use crate::store::testing::{NOW, store, task};
use crate::store::{Store, tasks};

static NO_WEIGHTS: BTreeMap<String, f64> = BTreeMap::new();
static NO_TIMINGS: BTreeMap<String, u64> = BTreeMap::new();

fn receipt(ts: Timestamp) -> NewReceipt<'static> {
    NewReceipt {
        ts,
        query: "q",
        agent_id: None,
        task_id: None,
        request: &Value::Null,
        weights: &NO_WEIGHTS,
        scouts_fired: &[],
        failed_scouts: &[],
        candidates_considered: 0,
        final_nodes: &[],
        final_ords: &[],
        conflicts_surfaced: &[],
        temperature: 0.5,
        terrace_reached: 1,
        widening: None,
        timings: &NO_TIMINGS,
        error: None,
        query_vector: None,
        counted: true,
    }
}

fn write(store: &Store, receipt: &NewReceipt<'_>) -> i64 {
    store.write(|conn| append(conn, receipt)).unwrap()
}

fn numbers(store: &Store) -> Vec<i64> {
    store.read(|conn| since(conn, 0, 100)).unwrap().into_iter().map(|row| row.seq).collect()
}

const ALL: Pruning = Pruning { older_than: NOW, up_to: 0, folded_up_to: i64::MAX, limit: 100 };

#[test]
fn the_vector_that_came_with_a_query_is_kept_with_its_receipt() {
    let (_dir, store) = store();
    let with = write(&store, &NewReceipt { query_vector: Some(&[-127, 0, 3]), ..receipt(NOW) });
    let without = write(&store, &receipt(NOW));
    let kept = |seq| store.read(|conn| query_vector(conn, seq)).unwrap();
    assert_eq!((kept(with), kept(without)), (Some(vec![-127, 0, 3]), None));
}

#[test]
fn a_receipt_comes_back_as_it_was_written() {
    let (_dir, store) = store();
    let node = FinalNode {
        id: "n".into(),
        score: 0.25,
        reasons: vec!["ü".into()],
        scouts: vec!["scout_tag".into()],
        features: BTreeMap::from([("scout_tag".into(), 0.1)]),
    };
    let timings = BTreeMap::from([("total".to_owned(), 7)]);
    let seq = write(
        &store,
        &NewReceipt {
            query: "a\0b 😀",
            agent_id: Some("a"),
            task_id: Some("t"),
            request: &json!({ "limit": 3 }),
            weights: &BTreeMap::from([("scout_lexical".to_owned(), 0.5)]),
            scouts_fired: &["x".into()],
            failed_scouts: &["y".into()],
            candidates_considered: 12,
            final_nodes: std::slice::from_ref(&node),
            final_ords: &[3],
            conflicts_surfaced: &["edge_1".into()],
            widening: Some(&json!({ "seeds": 20 })),
            timings: &timings,
            error: Some(&json!({ "code": "io" })),
            ..receipt(NOW)
        },
    );
    let found = store.read(|conn| get(conn, store.seed(), seq)).unwrap().unwrap();
    assert_eq!(ids::receipt_seq(store.seed(), &found.id), Some(seq));
    assert_eq!((found.ts, found.query.as_str()), (NOW, "a\0b 😀"));
    assert_eq!((found.agent_id.as_deref(), found.task_id.as_deref()), (Some("a"), Some("t")));
    assert_eq!((found.request, found.widening), (json!({ "limit": 3 }), Some(json!({ "seeds": 20 }))));
    assert_eq!((found.scouts_fired, found.failed_scouts), (vec!["x".to_owned()], vec!["y".to_owned()]));
    assert_eq!((found.candidates_considered, found.final_nodes), (12, vec![node]));
    assert_eq!((found.conflicts_surfaced, found.timings), (vec!["edge_1".to_owned()], timings));
    assert_eq!((found.temperature, found.terrace_reached), (0.5, 1));
    assert_eq!(found.error, Some(json!({ "code": "io" })));
    assert_eq!(store.read(|conn| final_ords(conn, seq)).unwrap(), Some(vec![3]));
}

#[test]
fn a_number_without_a_receipt_is_nothing() {
    let (_dir, store) = store();
    assert!(store.read(|conn| get(conn, 7, 1)).unwrap().is_none());
    assert_eq!(store.read(|conn| final_ords(conn, 1)).unwrap(), None);
}

#[test]
fn listing_narrows_by_task_agent_and_time_and_begins_with_the_newest() {
    let (_dir, store) = store();
    write(&store, &NewReceipt { task_id: Some("t"), agent_id: Some("a"), ..receipt(NOW) });
    write(&store, &NewReceipt { task_id: Some("t"), query: "second", ..receipt(NOW.plus_days(1.0)) });
    write(&store, &NewReceipt { query: "third", ..receipt(NOW.plus_days(2.0)) });
    let queries = |filter: ReceiptFilter| -> Vec<String> {
        store.read(|conn| list(conn, 7, &filter, None)).unwrap().into_iter().map(|receipt| receipt.query).collect()
    };
    let all = ReceiptFilter::default;
    assert_eq!(queries(all()), ["third", "second", "q"]);
    assert_eq!(queries(ReceiptFilter { task_id: Some("t".into()), ..all() }), ["second", "q"]);
    assert_eq!(queries(ReceiptFilter { agent_id: Some("a".into()), ..all() }), ["q"]);
    assert_eq!(queries(ReceiptFilter { since: Some(NOW.plus_days(1.0)), ..all() }), ["third", "second"]);
    assert_eq!(queries(ReceiptFilter { until: Some(NOW.plus_days(1.0)), ..all() }), ["q"]);
    assert_eq!(queries(ReceiptFilter { limit: 1, offset: 1, ..all() }), ["second"]);
}

#[test]
fn the_newest_receipt_is_that_of_the_task_and_the_agent() {
    let (_dir, store) = store();
    let of = |task_id, agent_id| NewReceipt { task_id: Some(task_id), agent_id: Some(agent_id), ..receipt(NOW) };
    write(&store, &of("t", "a"));
    // A clock that went back does not make it the older one.
    let newest = write(&store, &NewReceipt { ts: NOW.plus_days(-1.0), ..of("t", "a") });
    write(&store, &of("t", "b"));
    write(&store, &of("u", "a"));
    assert_eq!(store.read(|conn| newest_for(conn, "t", "a")).unwrap(), Some(newest));
    assert_eq!(store.read(|conn| newest_for(conn, "t", "c")).unwrap(), None);
}

#[test]
fn folding_reads_on_from_its_watermark() {
    let (_dir, store) = store();
    write(&store, &receipt(NOW));
    write(&store, &NewReceipt { task_id: Some("t"), final_ords: &[8, 2], counted: false, ..receipt(NOW) });
    write(&store, &receipt(NOW));
    let expected = FoldRow { seq: 2, ts: NOW, task_id: Some("t".into()), final_ords: vec![8, 2], counted: false };
    assert_eq!(store.read(|conn| since(conn, 1, 1)).unwrap(), [expected]);
}

#[test]
fn recent_receipts_are_those_that_counted() {
    let (_dir, store) = store();
    write(&store, &receipt(NOW.plus_days(-1.0)));
    write(&store, &NewReceipt { counted: false, ..receipt(NOW) });
    write(&store, &NewReceipt { query: "recent", agent_id: Some("a"), ..receipt(NOW) });
    let expected = RecentRow { query: "recent".into(), agent_id: Some("a".into()), task_id: None, ts: NOW };
    assert_eq!(store.read(|conn| recent_counted(conn, NOW)).unwrap(), [expected]);
}

#[test]
fn receipts_older_than_their_age_are_forgotten() {
    let (_dir, store) = store();
    write(&store, &receipt(NOW.plus_days(-1.0)));
    write(&store, &receipt(NOW));
    assert_eq!(store.write(|conn| prune(conn, &ALL)).unwrap(), 1);
    assert_eq!(numbers(&store), [2]);
}

#[test]
fn the_newest_rows_are_kept_and_the_rest_forgotten() {
    let (_dir, store) = store();
    for _ in 0..5 {
        write(&store, &receipt(NOW));
    }
    let up_to = store.read(|conn| row_limit(conn, 2)).unwrap();
    assert_eq!(store.write(|conn| prune(conn, &Pruning { up_to, ..ALL })).unwrap(), 3);
    assert_eq!(numbers(&store), [4, 5]);
    assert_eq!(store.read(|conn| row_limit(conn, 2)).unwrap(), 0);
}

#[test]
fn receipts_of_open_tasks_and_those_not_folded_are_kept() {
    let (_dir, store) = store();
    let old = NOW.plus_days(-1.0);
    store.write(|conn| tasks::create(conn, &task("open"))).unwrap();
    store.write(|conn| tasks::create(conn, &task("closed"))).unwrap();
    store.write(|conn| tasks::set_status(conn, "closed", TaskStatus::Completed, None, Some(NOW))).unwrap();
    for task_id in [Some("open"), Some("closed"), Some("a label"), None] {
        write(&store, &NewReceipt { task_id, ..receipt(old) });
    }
    write(&store, &receipt(old));
    let pruning = Pruning { up_to: i64::MAX, folded_up_to: 4, ..ALL };
    assert_eq!(store.write(|conn| prune(conn, &pruning)).unwrap(), 3);
    assert_eq!(numbers(&store), [1, 5]);
}

#[test]
fn pruning_stops_at_its_limit_and_goes_on_at_the_next_call() {
    let (_dir, store) = store();
    for _ in 0..4 {
        write(&store, &receipt(NOW.plus_days(-1.0)));
    }
    let slice = || store.write(|conn| prune(conn, &Pruning { limit: 2, up_to: 3, ..ALL })).unwrap();
    assert_eq!((slice(), slice(), slice()), (2, 1, 0));
}

/// Were the last receipt forgotten, the next would get its number, and with it its verdicts.
#[test]
fn the_newest_receipt_is_kept_however_old_it_is() {
    let (_dir, store) = store();
    for _ in 0..2 {
        write(&store, &receipt(NOW.plus_days(-1.0)));
    }
    assert_eq!(store.write(|conn| prune(conn, &Pruning { up_to: i64::MAX, ..ALL })).unwrap(), 1);
    assert_eq!(numbers(&store), [2]);
    assert_eq!(write(&store, &receipt(NOW)), 3);
}

#[test]
fn pruning_walks_an_index_and_not_every_receipt() {
    let (_dir, store) = store();
    let plan = |sql: &str| -> String {
        store
            .read(|conn| {
                let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
                let rows = statement.query_map([], |row| row.get::<_, String>(3))?;
                Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?.join("; "))
            })
            .unwrap()
    };
    let by_age = plan("SELECT seq FROM receipts r WHERE ts < 5 AND seq <= 9 ORDER BY ts LIMIT 5");
    assert!(by_age.contains("receipts_by_ts"), "{by_age}");
    let of_task = plan("SELECT * FROM receipts WHERE task_id = 'a' ORDER BY seq DESC LIMIT 5");
    assert!(of_task.contains("receipts_by_task"), "{of_task}");
}
