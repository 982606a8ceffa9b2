//! Field faults about vectors: filters, values that are not finite, another embedder.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeSet;

use common::{Seeded, TestStore, dot, note, supplied, tagged};
use terrace::{Engine, Error, Note, RetrieveRequest, SearchMode, SearchRequest, VectorIndexKind};

/// Codes of eight bits put two cosines this near in either order.
const NEAR: f32 = 0.01;

/// Unit vectors in one half of the space, so that every cosine is positive and no note is out of reach.
fn half_space(seeded: &mut Seeded, dims: usize) -> Vec<f32> {
    let mut vector = seeded.vector(dims);
    vector[0] = 1.5;
    let length = dot(&vector, &vector).sqrt();
    vector.into_iter().map(|x| x / length).collect()
}

fn semantic(vector: &[f32], tag: &str, limit: usize) -> SearchRequest {
    SearchRequest {
        mode: SearchMode::Semantic,
        vector: Some(vector.to_vec()),
        tags: vec![tag.to_owned()],
        limit,
        ..SearchRequest::default()
    }
}

#[test]
fn a_filter_of_any_selectivity_costs_no_recall() {
    // 20,000 vectors, from 1.6 % down to 3 notes; against brute force. https://github.com/lancedb/lancedb/issues/2762
    let (count, dims, k) = (20_000, 64, 50);
    let filters = [("rare", count / 62), ("rarer", count / 1_000), ("rarest", count / 10_000), ("three", 3)];
    let mut seeded = Seeded(21);
    let vectors: Vec<Vec<f32>> = (0..count).map(|_| half_space(&mut seeded, dims)).collect();
    let mut order: Vec<usize> = (0..count).collect();
    seeded.shuffle(&mut order);
    let mut tags: Vec<Vec<String>> = vec![Vec::new(); count];
    for (tag, members) in filters {
        order.iter().take(members).for_each(|&at| tags[at].push(tag.to_owned()));
    }
    let store = TestStore::supplied(dims);
    let notes = vectors.iter().zip(&tags).enumerate().map(|(at, (vector, tags))| {
        let note = Note { tags: tags.clone(), ..note(&format!("n{at:05}"), "", "") };
        (note, Some(vector.clone()))
    });
    store.put_many_with_vectors(notes.collect()).unwrap();
    for (tag, members) in filters {
        for _ in 0..5 {
            let query = half_space(&mut seeded, dims);
            let mut exact: Vec<(f32, String)> =
                order[..members].iter().map(|&at| (dot(&query, &vectors[at]), format!("n{at:05}"))).collect();
            exact.sort_by(|a, b| b.0.total_cmp(&a.0));
            let cut = exact[exact.len().min(k) - 1].0;
            let found: BTreeSet<String> =
                store.search(&semantic(&query, tag, k)).unwrap().results.into_iter().map(|hit| hit.id).collect();
            assert_eq!(found.len(), members.min(k), "{tag}");
            for (cosine, id) in &exact {
                assert!(*cosine <= cut + NEAR || found.contains(id), "{tag}: {id} at {cosine} is missing, cut {cut}");
                assert!(*cosine >= cut - NEAR || !found.contains(id), "{tag}: {id} at {cosine} is there, cut {cut}");
            }
        }
    }
}

#[test]
fn a_retrieve_by_vector_and_filter_returns_as_many_as_match() {
    // Also through the other scouts, and in order of nearness. https://github.com/lancedb/lancedb/issues/2762
    let dims = 16;
    let mut seeded = Seeded(22);
    let store = TestStore::supplied(dims);
    let vectors: Vec<Vec<f32>> = (0..400).map(|_| half_space(&mut seeded, dims)).collect();
    let notes =
        vectors.iter().enumerate().map(|(at, vector)| (tagged(&format!("n{at:03}"), &["all"]), Some(vector.clone())));
    store.put_many_with_vectors(notes.collect()).unwrap();
    let query = half_space(&mut seeded, dims);
    let request = RetrieveRequest {
        vector: Some(query.clone()),
        tags: vec!["all".into()],
        limit: 50,
        ..RetrieveRequest::default()
    };
    let found = store.retrieve(&request).unwrap().results;
    assert_eq!(found.len(), 50);
    let mut exact: Vec<(f32, usize)> = vectors.iter().enumerate().map(|(at, v)| (dot(&query, v), at)).collect();
    exact.sort_by(|a, b| b.0.total_cmp(&a.0));
    for hit in found {
        let at: usize = hit.result.id[1..].parse().unwrap();
        let cosine = dot(&query, &vectors[at]);
        assert!(cosine >= exact[49].0 - NEAR, "{} at {cosine}, the 50th is at {}", hit.result.id, exact[49].0);
    }
}

#[test]
fn no_note_outside_the_filter_is_ever_returned() {
    // Whatever the index says, in every mode of it. https://github.com/jean-pierreBoth/hnswlib-rs/issues/27
    let dims = 8;
    for kind in [VectorIndexKind::Auto, VectorIndexKind::Hnsw, VectorIndexKind::Exact] {
        let mut store = TestStore::with(|config| {
            config.embedder = supplied(dims);
            config.vector.index = kind;
        });
        let mut seeded = Seeded(23);
        let notes = (0..200).map(|at| {
            let note =
                if at % 40 == 7 { tagged(&format!("in{at}"), &["in"]) } else { tagged(&format!("out{at}"), &["out"]) };
            (note, Some(seeded.vector(dims)))
        });
        store.put_many_with_vectors(notes.collect()).unwrap();
        store.reopen();
        for _ in 0..100 {
            let query = seeded.vector(dims);
            let searched = store.search(&semantic(&query, "in", 50)).unwrap().results.into_iter().map(|hit| hit.id);
            let request = RetrieveRequest {
                vector: Some(query.clone()),
                tags: vec!["in".into()],
                limit: 50,
                ..RetrieveRequest::new("note")
            };
            let retrieved: Vec<String> = common::ids(&store.retrieve(&request).unwrap());
            assert_eq!(retrieved.len(), 5, "{kind:?}");
            for id in searched.chain(retrieved) {
                assert!(id.starts_with("in"), "{kind:?}: {id}");
            }
        }
    }
}

#[test]
fn a_vector_that_is_not_finite_is_refused_everywhere() {
    // At put, in bulk, and as a query; nothing is written. https://github.com/yantrikos/yantrikdb/issues/60
    let store = TestStore::supplied(3);
    for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for at in 0..3 {
            let mut vector = vec![1.0_f32; 3];
            vector[at] = bad;
            let code = |error: Error| error.code();
            assert_eq!(code(store.put_with_vector(note("a", "", ""), vector.clone()).unwrap_err()), "invalid_input");
            let bulk = vec![(note("b", "", ""), Some(vec![1.0; 3])), (note("c", "", ""), Some(vector.clone()))];
            assert_eq!(code(store.put_many_with_vectors(bulk).unwrap_err()), "invalid_input");
            let request = RetrieveRequest { vector: Some(vector.clone()), ..RetrieveRequest::new("x") };
            assert_eq!(code(store.retrieve(&request).unwrap_err()), "invalid_input");
            let request = SearchRequest { vector: Some(vector), ..SearchRequest::new("x") };
            assert_eq!(code(store.search(&request).unwrap_err()), "invalid_input");
        }
    }
    assert_eq!(store.stats().unwrap().notes, 0);
}

#[test]
fn huge_and_tiny_components_are_finite_and_found() {
    // 1e38 squared overflows an f32, and must not. https://github.com/yantrikos/yantrikdb/issues/60
    let store = TestStore::supplied(3);
    store.put_with_vector(note("huge", "", ""), vec![1e38, 1e38, 0.0]).unwrap();
    store.put_with_vector(note("tiny", "", ""), vec![0.0, 1e-40, 1e-40]).unwrap();
    store.put_with_vector(note("zero", "zero", ""), vec![0.0; 3]).unwrap();
    for (query, expected) in [(vec![1.0, 1.0, 0.0], "huge"), (vec![0.0, f32::MAX, f32::MAX], "tiny")] {
        let request = SearchRequest { mode: SearchMode::Semantic, vector: Some(query), ..SearchRequest::default() };
        let found = store.search(&request).unwrap().results;
        assert_eq!(found[0].id, expected);
        assert!((found[0].score).is_finite() && found.iter().all(|hit| hit.id != "zero"), "{found:?}");
    }
}

#[test]
fn a_planted_vector_that_is_not_finite_ranks_last_and_breaks_nothing() {
    // Written past the engine, among 50 finite ones. https://github.com/yantrikos/yantrikdb/issues/60
    for planted in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38] {
        for kind in [VectorIndexKind::Exact, VectorIndexKind::Hnsw] {
            let mut store = TestStore::with(|config| {
                config.embedder = supplied(4);
                config.vector.index = kind;
            });
            let mut seeded = Seeded(25);
            let finite = (0..50).map(|at| (note(&format!("n{at:02}"), "valve", ""), Some(half_space(&mut seeded, 4))));
            store.put_many_with_vectors(finite.collect()).unwrap();
            store.put_with_vector(note("planted", "valve", ""), vec![0.5; 4]).unwrap();
            store.close();
            let mut bytes: Vec<u8> = [planted, 0.5, planted, 0.5].iter().flat_map(|x| x.to_le_bytes()).collect();
            if planted == 1e38 {
                // Finite, but of no unit length: it must not outrank by its size.
                bytes = [1e38_f32, -1e38, -1e38, -1e38].iter().flat_map(|x| x.to_le_bytes()).collect();
            }
            let conn = store.sqlite();
            let changed = conn
                .execute(
                    "UPDATE vectors SET data = ?1 WHERE ord = (SELECT ord FROM notes WHERE id = 'planted')",
                    [bytes],
                )
                .unwrap();
            assert_eq!(changed, 1);
            drop(conn);
            store.try_open().unwrap();
            let vector = Some(vec![1.0, 0.1, 0.1, 0.1]);
            let request = RetrieveRequest { vector, limit: 100, ..RetrieveRequest::new("valve") };
            let answer = store.retrieve(&request).unwrap();
            assert!(!answer.degraded, "{planted} {kind:?}");
            assert_eq!(answer.results.len(), 51, "{planted} {kind:?}");
            assert_eq!(answer.results[50].result.id, "planted", "{planted} {kind:?}");
            assert!(answer.results.iter().all(|hit| hit.result.score.is_finite()));
            assert!(answer.results.is_sorted_by(|a, b| a.result.score >= b.result.score));
        }
    }
}

fn mismatch<T>(outcome: Result<T, Error>, expected: usize, got: usize) {
    match outcome.err() {
        Some(Error::DimensionMismatch { expected: e, got: g, .. }) => assert_eq!((e, g), (expected, got)),
        other => panic!("expected a dimension mismatch, found {other:?}"),
    }
}

#[test]
fn another_width_is_a_dimension_mismatch_each_time() {
    // In a query, a put, and at reopening. https://github.com/topoteretes/cognee/issues/3547
    let mut store = TestStore::supplied(384);
    store.put_with_vector(note("n1", "pump", ""), vec![1.0; 384]).unwrap();
    for wrong in [768, 383, 1, 0] {
        let vector = Some(vec![1.0; wrong]);
        mismatch(
            store.retrieve(&RetrieveRequest { vector: vector.clone(), ..RetrieveRequest::new("pump") }),
            384,
            wrong,
        );
        mismatch(store.search(&SearchRequest { vector, ..SearchRequest::new("pump") }), 384, wrong);
        mismatch(store.put_with_vector(note("n2", "", ""), vec![1.0; wrong]), 384, wrong);
    }
    assert_eq!(store.stats().unwrap().notes, 1);
    let declared = terrace::Config { embedder: supplied(768), ..store.config.clone() };
    store.close();
    mismatch(Engine::open(store.dir(), declared), 384, 768);
    store.try_open().unwrap();
    assert_eq!(store.stats().unwrap().vectors, 1, "the refused opening changed nothing");
}

#[test]
fn a_query_without_a_vector_is_answered_by_words_and_says_so() {
    // Recall is not silently empty. https://github.com/topoteretes/cognee/issues/3547
    let store = TestStore::supplied(384);
    store.put_with_vector(note("n1", "pump", ""), vec![1.0; 384]).unwrap();
    let answer = store.retrieve(&RetrieveRequest::new("pump")).unwrap();
    assert_eq!(common::ids(&answer), ["n1"]);
    assert!(answer.skipped_scouts.iter().any(|scout| scout == "scout_vector"), "{:?}", answer.skipped_scouts);
    assert!(!answer.degraded && answer.failed_scouts.is_empty());
}

#[test]
fn a_store_opened_without_its_embedder_answers_by_words_and_says_so() {
    // Made with the built-in model, opened with none. https://github.com/topoteretes/cognee/issues/3547
    let mut store = TestStore::embedded();
    store.put_all([note("n1", "pump", "prime the pump")]);
    store.config.embedder = terrace::EmbedderChoice::None;
    store.reopen();
    let answer = store.retrieve(&RetrieveRequest::new("pump")).unwrap();
    assert_eq!(common::ids(&answer), ["n1"]);
    assert!(answer.skipped_scouts.iter().any(|scout| scout == "scout_vector"), "{:?}", answer.skipped_scouts);
}

#[test]
fn another_model_of_the_same_width_is_told_apart() {
    // Equal widths do not make vectors comparable. https://github.com/topoteretes/cognee/issues/3547
    let mut store = TestStore::supplied(4);
    store.put_with_vector(note("n1", "pump", ""), vec![1.0; 4]).unwrap();
    let other = terrace::embed::EmbedderIdentity { name: "other".into(), hash: "2".into(), dims: 4 };
    let config = terrace::Config { embedder: terrace::EmbedderChoice::Supplied(other), ..store.config.clone() };
    store.close();
    assert_eq!(Engine::open(store.dir(), config).err().map(|error| error.code()), Some("conflict"));
}
