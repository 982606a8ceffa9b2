//! What was embedded once is not embedded again: a put that leaves a note's text alone keeps its vectors.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Counting, TestStore, note};
use terrace::embed::EmbedderIdentity;
use terrace::{EmbedderChoice, Note, SearchMode, SearchRequest};

fn counting() -> (TestStore, Arc<AtomicUsize>) {
    let texts = Arc::new(AtomicUsize::new(0));
    let identity = EmbedderIdentity { name: "counting".into(), hash: "1".into(), dims: 2 };
    let embedder = Counting { identity, texts: Arc::clone(&texts) };
    (TestStore::with(|config| config.embedder = EmbedderChoice::Custom(Arc::new(embedder))), texts)
}

fn near(store: &TestStore) -> usize {
    let request = SearchRequest { mode: SearchMode::Semantic, ..SearchRequest::new("pump") };
    store.search(&request).unwrap().results.len()
}

#[test]
fn a_put_that_changes_tags_alone_embeds_nothing() {
    let (store, texts) = counting();
    store.put(note("a", "Pump", "Open valve B.")).unwrap();
    let before = texts.load(Ordering::SeqCst);
    store.put(Note { tags: vec!["water".into()], ..note("a", "Pump", "Open valve B.") }).unwrap();
    assert_eq!(texts.load(Ordering::SeqCst), before);
    assert_eq!(near(&store), 1);
}

#[test]
fn a_put_that_changes_the_body_embeds_it() {
    let (store, texts) = counting();
    store.put(note("a", "Pump", "Open valve B.")).unwrap();
    let before = texts.load(Ordering::SeqCst);
    store.put(note("a", "Pump", "Open valve F.")).unwrap();
    assert_eq!(texts.load(Ordering::SeqCst), before + 1);
}

#[test]
fn a_note_twice_in_one_call_has_the_vectors_of_its_last_text() {
    let (store, texts) = counting();
    store.put(note("a", "Pump", "Open valve B.")).unwrap();
    let before = texts.load(Ordering::SeqCst);
    store.put_many(vec![note("a", "Pump", "Something else."), note("a", "Pump", "Open valve B.")]).unwrap();
    assert_eq!(texts.load(Ordering::SeqCst), before + 2);
    assert_eq!(near(&store), 1);
}

#[test]
fn a_callers_vector_gives_way_to_the_embedders_for_the_same_text() {
    let (store, texts) = counting();
    store.put_with_vector(note("a", "Pump", "Open valve B."), vec![0.0, 1.0]).unwrap();
    let before = texts.load(Ordering::SeqCst);
    store.put(note("a", "Pump", "Open valve B.")).unwrap();
    assert_eq!(texts.load(Ordering::SeqCst), before + 1);
}
