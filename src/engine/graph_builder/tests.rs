use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use tempfile::TempDir;

use crate::config::{Config, EmbedderChoice, VectorIndexKind};
use crate::embed::EmbedderIdentity;
use crate::engine::Engine;
use crate::model::{Note, SearchMode, SearchRequest};

const DIMS: usize = 16;
const NOTES: u64 = 600;

/// A point that its number decides: splitmix64, one step per component.
fn vector(number: u64) -> Vec<f32> {
    let mut state = number.wrapping_mul(0x5851_F42D_4C95_7F2D);
    let mut component = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    };
    (0..DIMS).map(|_| component()).collect()
}

fn config(index: VectorIndexKind) -> Config {
    let identity = EmbedderIdentity { name: "given".into(), dims: DIMS, hash: "1".into() };
    let mut config = Config { embedder: EmbedderChoice::Supplied(identity), ..Config::default() };
    config.vector.index = index;
    config
}

fn put(engine: &Engine, numbers: impl IntoIterator<Item = u64>) {
    let note = |number: u64| (Note { id: format!("n{number:04}"), ..Note::new("", "") }, Some(vector(number)));
    engine.put_many_with_vectors(numbers.into_iter().map(note).collect()).unwrap();
}

/// A store of `NOTES` notes, opened with an index of this kind.
fn filled() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    put(&Engine::open(dir.path(), config(VectorIndexKind::Exact)).unwrap(), 0..NOTES);
    dir
}

fn open(dir: &Path, turn: &Arc<Mutex<()>>) -> Engine {
    Engine::open_in_turn(dir, config(VectorIndexKind::Hnsw), Arc::clone(turn)).unwrap()
}

fn has_graph(engine: &Engine) -> bool {
    engine.snapshot().vectors.as_ref().unwrap().has_graph()
}

fn nearest(engine: &Engine, to: Vec<f32>, limit: usize) -> Vec<String> {
    let request = SearchRequest { mode: SearchMode::Semantic, vector: Some(to), limit, ..SearchRequest::default() };
    engine.search(&request).unwrap().results.into_iter().map(|hit| hit.id).collect()
}

#[test]
fn an_open_does_not_wait_for_the_graph_and_answers_without_it_as_with_it() {
    let dir = filled();
    let turn = Arc::default();
    let held = Mutex::lock(&turn);
    let engine = open(dir.path(), &turn);
    assert!(!has_graph(&engine));
    let queries = || (0..40).map(|query| vector(10_000 + query));
    let before: Vec<_> = queries().map(|query| nearest(&engine, query, 20)).collect();
    drop(held);
    engine.graphs.join();
    assert!(has_graph(&engine));
    let after: Vec<_> = queries().map(|query| nearest(&engine, query, 20)).collect();
    let same: usize = before.iter().zip(&after).map(|(a, b)| a.iter().filter(|id| b.contains(id)).count()).sum();
    assert!(same >= 784, "{same} of 800 found by both");
}

#[test]
fn notes_written_while_the_graph_is_built_are_found_before_and_after_it_is_there() {
    let dir = filled();
    let turn = Arc::default();
    let held = Mutex::lock(&turn);
    let engine = open(dir.path(), &turn);
    put(&engine, [NOTES]);
    assert_eq!(nearest(&engine, vector(NOTES), 1), ["n0600"]);
    engine.delete("n0007").unwrap();
    drop(held);
    engine.graphs.join();
    assert!(has_graph(&engine));
    assert_eq!(nearest(&engine, vector(NOTES), 1), ["n0600"]);
    assert_ne!(nearest(&engine, vector(7), 1), ["n0007"]);
}

#[test]
fn a_graph_over_rows_that_were_numbered_anew_is_given_up_for_one_over_the_new_rows() {
    let dir = filled();
    let turn = Arc::default();
    let engine = open(dir.path(), &turn);
    engine.graphs.join();
    let over_old = engine.snapshot().vectors.clone().unwrap();
    engine.rebuild("vector").unwrap();
    assert!(matches!(engine.graphs.build_over(&over_old), super::End::GivenUp));
    assert!(has_graph(&engine));
}

#[test]
fn writes_of_a_tenth_have_the_graph_built_anew() {
    let dir = filled();
    let engine = open(dir.path(), &Arc::default());
    engine.graphs.join();
    put(&engine, NOTES..NOTES + 59);
    assert!(engine.graphs.wanted().is_none());
    put(&engine, NOTES + 59..NOTES + 60);
    engine.graphs.join();
    let index = engine.snapshot().vectors.clone().unwrap();
    assert!(index.has_graph() && !index.needs_graph());
}

#[test]
fn maintenance_waits_for_the_graph() {
    let dir = filled();
    let engine = open(dir.path(), &Arc::default());
    engine.maintain().unwrap();
    assert!(has_graph(&engine));
}

#[test]
fn a_closed_engine_leaves_no_build_behind() {
    let dir = filled();
    let turn = Arc::default();
    let held = Mutex::lock(&turn);
    let engine = open(dir.path(), &turn);
    let snapshot = Arc::downgrade(&engine.snapshot);
    let closing = std::thread::spawn(move || drop(engine));
    drop(held);
    closing.join().unwrap();
    assert!(snapshot.upgrade().is_none());
}

#[test]
fn a_small_store_and_one_of_exact_scans_build_none() {
    for kind in [VectorIndexKind::Auto, VectorIndexKind::Exact] {
        let dir = filled();
        let engine = Engine::open(dir.path(), config(kind)).unwrap();
        engine.maintain().unwrap();
        assert!(!has_graph(&engine), "{kind:?}");
    }
}
