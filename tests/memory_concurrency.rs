//! Many threads at once: nothing they say is lost or counted twice.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note};
use terrace::{CompletionRequest, EdgeFilter, Feedback, ReceiptFilter, RetrieveRequest, TaskDraft, Viewer};

const THREADS: usize = 8;
const ROUNDS: usize = 10;

fn store() -> TestStore {
    let store = TestStore::text_only();
    store.put_all(["a", "b", "c"].map(|id| note(id, &format!("pump {id}"), "")));
    store
}

fn request(thread: usize, round: usize) -> RetrieveRequest {
    RetrieveRequest {
        agent_id: Some(format!("agent-{thread}")),
        task_id: Some(format!("task-{thread}-{round}")),
        ..RetrieveRequest::new(format!("pump {thread} {round}"))
    }
}

/// Runs `work(thread)` on eight threads at once.
fn at_once(work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn({
                    let work = &work;
                    move || work(thread)
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
}

#[test]
fn every_task_completed_on_eight_threads_counts_exactly_once() {
    let mut store = store();
    at_once(|thread| {
        for round in 0..ROUNDS {
            let task_id = format!("task-{thread}-{round}");
            store.create_task(&TaskDraft { id: task_id.clone(), ..TaskDraft::default() }).unwrap();
            store.retrieve(&request(thread, round)).unwrap();
            let completion = CompletionRequest {
                task_id,
                agent: format!("agent-{thread}"),
                cited_nodes: Some(vec!["a".into(), "b".into()]),
                ..CompletionRequest::default()
            };
            assert!(store.complete_task(&completion).unwrap().feedback.feedback_applied);
        }
    });
    let total = (THREADS * ROUNDS) as u64;
    for _ in 0..2 {
        let stats = |id| store.node_stats(id, &Viewer::owner()).unwrap();
        assert_eq!((stats("a").cited_count, stats("b").cited_count, stats("c").ignored_count), (total, total, total));
        assert_eq!(stats("a").retrieval_count, total);
        assert!((stats("a").spaced_rep_strength - (1.0 + 0.05 * total as f64)).abs() < 1e-9);
        let edges = store.edge_list(&EdgeFilter::default(), &Viewer::owner()).unwrap();
        assert_eq!((edges.len(), edges[0].weight), (1, 1.0));
        store.reopen();
    }
}

#[test]
fn one_verdict_given_by_eight_threads_counts_once() {
    let store = store();
    let receipt_id = store.retrieve(&RetrieveRequest::new("pump")).unwrap().receipt_id;
    let applied = std::sync::atomic::AtomicUsize::new(0);
    at_once(|_| {
        let feedback = Feedback {
            receipt_id: receipt_id.clone(),
            cited: Some(vec!["a".into()]),
            misleading: None,
            ..Feedback::default()
        };
        if store.feedback(&feedback).unwrap().feedback_applied {
            applied.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
    });
    assert_eq!(applied.into_inner(), 1);
    assert_eq!(store.node_stats("a", &Viewer::owner()).unwrap().cited_count, 1);
}

#[test]
fn a_task_that_eight_threads_close_is_closed_by_one() {
    let store = store();
    store.create_task(&TaskDraft { id: "task-one".into(), ..TaskDraft::default() }).unwrap();
    let closed = std::sync::atomic::AtomicUsize::new(0);
    at_once(|_| {
        let completion = CompletionRequest { task_id: "task-one".into(), ..CompletionRequest::default() };
        match store.complete_task(&completion) {
            Ok(_) => drop(closed.fetch_add(1, std::sync::atomic::Ordering::SeqCst)),
            Err(error) => assert_eq!(error.code(), "task_not_found"),
        }
    });
    assert_eq!(closed.into_inner(), 1);
}

#[test]
fn retrieves_writes_and_maintenance_at_once_lose_no_receipt_and_no_note() {
    let mut store = store();
    at_once(|thread| {
        for round in 0..ROUNDS {
            match thread {
                0 => drop(store.maintain().unwrap()),
                1 | 2 => drop(store.put(note(&format!("n-{thread}-{round}"), "pump extra", "")).unwrap()),
                3 => {
                    let id = store.put(note(&format!("gone-{round}"), "pump extra", "")).unwrap();
                    store.delete(&id).unwrap();
                }
                _ => drop(store.retrieve(&request(thread, round)).unwrap()),
            }
        }
    });
    let retrieves = 4 * ROUNDS;
    for _ in 0..2 {
        let filter = ReceiptFilter { limit: 1000, ..ReceiptFilter::default() };
        assert_eq!(store.receipts(&filter, &Viewer::owner()).unwrap().len(), retrieves);
        assert_eq!(store.stats().unwrap().notes, 3 + 2 * ROUNDS as u64);
        for state in store.projections().unwrap() {
            assert!(state.problems.is_empty(), "{state:?}");
        }
        assert_eq!(
            store
                .search(&terrace::SearchRequest { limit: 100, ..terrace::SearchRequest::new("pump") })
                .unwrap()
                .results
                .len(),
            3 + 2 * ROUNDS
        );
        store.reopen();
    }
    let receipts =
        store.receipts(&ReceiptFilter { limit: 1000, ..ReceiptFilter::default() }, &Viewer::owner()).unwrap();
    for id in ["a", "b", "c", "n-1-0"] {
        let counted = receipts.iter().filter(|receipt| receipt.final_nodes.iter().any(|node| node.id == id)).count();
        assert_eq!(store.node_stats(id, &Viewer::owner()).unwrap().retrieval_count, counted as u64, "{id}");
    }
}
