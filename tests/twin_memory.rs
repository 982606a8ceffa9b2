//! Memory that is kept lazily against memory that is kept dully: decay on read against daily maintenance, counters in
//! memory against counters folded into tables, the vector graph against the exact scan.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use std::path::Path;

use common::{Seeded, TestStore, note};
use proptest::prelude::*;
use terrace::{Engine, Feedback, NodeStats, RetrieveRequest, SearchMode, SearchRequest, VectorIndexKind, Viewer};

const NOTES: usize = 8;

fn id(at: usize) -> String {
    format!("n{at}")
}

fn store() -> TestStore {
    let store = TestStore::text_only();
    let body = |at: usize| ["pump valve", "pump seal", "valve gauge", "pump motor valve"][at % 4];
    store.put_all((0..NOTES).map(|at| note(&id(at), &format!("note {at}"), body(at))));
    store
}

/// One day of a store's life.
#[derive(Clone, Debug)]
struct Day {
    query: usize,
    task: bool,
    cited: Option<usize>,
    misleading: bool,
    hours: u8,
}

fn days(most: usize) -> impl Strategy<Value = Vec<Day>> {
    let day = (0..4_usize, any::<bool>(), prop::option::of(0..3_usize), prop::bool::weighted(0.1), 0..60_u8)
        .prop_map(|(query, task, cited, misleading, hours)| Day { query, task, cited, misleading, hours });
    prop::collection::vec(day, 1..most)
}

fn live(store: &TestStore, day: &Day) {
    let query = ["pump", "valve", "pump seal", "gauge motor"][day.query];
    let task_id = day.task.then(|| "t".to_owned());
    let answer = store.retrieve(&RetrieveRequest { task_id, limit: 4, ..RetrieveRequest::new(query) }).unwrap();
    if let Some(hit) = day.cited.and_then(|at| answer.results.get(at)) {
        let ids = Some(vec![hit.result.id.clone()]);
        let (cited, misleading) = if day.misleading { (None, ids) } else { (ids, None) };
        store.feedback(&Feedback { receipt_id: answer.receipt_id, cited, misleading, ..Feedback::default() }).unwrap();
    }
    store.clock.advance_days(f64::from(day.hours) / 24.0);
}

fn stats(engine: &Engine) -> Vec<NodeStats> {
    (0..NOTES).map(|at| engine.node_stats(&id(at), &Viewer::owner()).unwrap()).collect()
}

/// What a retrieve answers, learned and counted state included. It leaves a trace itself.
fn ranking(engine: &Engine) -> Vec<(String, f64, Vec<String>)> {
    let request = RetrieveRequest { task_id: Some("t".into()), ..RetrieveRequest::new("pump valve") };
    let answer = engine.retrieve(&request).unwrap();
    answer.results.into_iter().map(|hit| (hit.result.id, hit.result.score, hit.reasons)).collect()
}

fn copy_dir(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_dir(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, max_shrink_iters: 200, failure_persistence: common::regressions(), ..ProptestConfig::default() })]

    #[test]
    fn salience_and_ranking_are_the_same_whether_maintenance_ran_daily_or_never(
        life in days(25), idle in 0..200_u16,
    ) {
        let (lazy, diligent) = (store(), store());
        // Without tasks: working memory is evicted by maintenance, by specification.
        for day in life.into_iter().map(|day| Day { task: false, ..day }) {
            let day = &day;
            live(&lazy, day);
            live(&diligent, day);
            diligent.maintain().unwrap();
        }
        for _ in 0..idle / 10 {
            lazy.clock.advance_days(10.0);
            diligent.clock.advance_days(10.0);
            diligent.maintain().unwrap();
        }
        for (a, b) in stats(&lazy).iter().zip(stats(&diligent)) {
            prop_assert!((a.salience - b.salience).abs() < 1e-9, "{}: {} and {}", a.node_id, a.salience, b.salience);
            prop_assert_eq!((a.retrieval_count, a.cited_count, a.misleading_count, a.ignored_count, a.last_used_at),
                (b.retrieval_count, b.cited_count, b.misleading_count, b.ignored_count, b.last_used_at));
            prop_assert!((a.usage_score - b.usage_score).abs() < 1e-12);
        }
        let (a, b) = (ranking(&lazy), ranking(&diligent));
        for (a, b) in a.iter().zip(&b) {
            prop_assert_eq!(&a.0, &b.0);
            prop_assert!((a.1 - b.1).abs() < 1e-9, "{}: {} and {}", a.0, a.1, b.1);
        }
        prop_assert_eq!(a.len(), b.len());
    }

    #[test]
    fn counters_folded_at_close_are_those_kept_in_memory(life in days(25)) {
        let mut store = store();
        for day in &life {
            live(&store, day);
        }
        let before = stats(&store);
        store.reopen();
        prop_assert_eq!(stats(&store), before);
    }

    #[test]
    fn receipts_that_a_death_left_unfolded_are_folded_at_the_next_open(life in days(25)) {
        let store = store();
        for day in &life {
            live(&store, day);
        }
        // The copy is what a death at this moment leaves behind: nothing was folded or closed.
        let dead = tempfile::tempdir().unwrap();
        copy_dir(store.dir(), dead.path());
        let revived = Engine::open(dead.path(), store.config.clone()).unwrap();
        prop_assert_eq!(stats(&revived), stats(&store));
        prop_assert_eq!(ranking(&revived), ranking(&store));
    }
}

#[test]
fn the_vector_graph_finds_what_the_exact_scan_finds() {
    const DIMS: usize = 32;
    let stored = |index| {
        let store = TestStore::with(|config| {
            config.embedder = common::supplied(DIMS);
            config.vector.index = index;
        });
        let mut random = Seeded(9);
        let centres: Vec<Vec<f32>> = (0..12).map(|_| random.vector(DIMS)).collect();
        let notes = (0..1500).map(|at| {
            // In clusters, with exact repeats among them: both are hard on a graph.
            let noise = random.vector(DIMS);
            let centre = &centres[at % 12];
            let vector = if at % 50 == 0 {
                centre.clone()
            } else {
                centre.iter().zip(noise).map(|(c, n)| c + 0.6 * n).collect()
            };
            (note(&format!("n{at:04}"), "", ""), Some(vector))
        });
        store.put_many_with_vectors(notes.collect()).unwrap();
        store
    };
    let (graph, exact) = (stored(VectorIndexKind::Hnsw), stored(VectorIndexKind::Exact));
    graph.rebuild("vector").unwrap();
    // Some come, change and go after the graph was built.
    let mut random = Seeded(10);
    for at in 0..40 {
        let vector = random.vector(DIMS);
        for store in [&graph, &exact] {
            store.put_with_vector(note(&format!("n{:04}", at * 40), "", ""), vector.clone()).unwrap();
            store
                .put_with_vector(note(&format!("late{at:02}"), "", ""), vector.iter().rev().copied().collect())
                .unwrap();
            store.delete(&format!("n{:04}", at * 37 + 1)).unwrap();
        }
    }
    let (mut found, mut wanted) = (0, 0);
    for query in 0..40 {
        let vector = Some(Seeded(100 + query).vector(DIMS));
        let request = SearchRequest { mode: SearchMode::Semantic, vector, limit: 20, ..SearchRequest::default() };
        let ids = |store: &TestStore| {
            let results = store.search(&request).unwrap().results;
            results.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
        };
        let (by_graph, by_scan) = (ids(&graph), ids(&exact));
        assert_eq!(by_graph.len(), by_scan.len());
        found += by_scan.iter().filter(|id| by_graph.contains(id)).count();
        wanted += by_scan.len();
    }
    let recall = found as f64 / wanted as f64;
    assert!(recall >= 0.98, "recall {recall:.3} of {wanted}");
}
