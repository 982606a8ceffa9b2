//! A store written in steps, in whatever order, against one that was given the final notes at once.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeMap;

use common::{START, Seeded, TestStore};
use proptest::prelude::*;
use terrace::{EdgeDraft, EdgeFilter, EdgeOrigin, Note, SearchMode, SearchRequest, Viewer};

const WORDS: [&str; 8] = ["pump", "valve", "riser", "seal", "gauge", "motor", "pipe", "filter"];
const IDS: usize = 12;
const DIMS: usize = 4;

#[derive(Clone, Debug)]
enum Step {
    Put(usize, u64),
    PutMany(Vec<(usize, u64)>),
    Delete(usize),
    Rename(usize, usize),
    Relate(usize, usize, u8),
    Unrelate(usize),
    /// Searching commits what the lexical index has pending.
    Search,
    Reopen,
    Maintain,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..IDS, any::<u64>()).prop_map(|(id, seed)| Step::Put(id, seed)),
        2 => prop::collection::vec((0..IDS, any::<u64>()), 1..5).prop_map(Step::PutMany),
        3 => (0..IDS).prop_map(Step::Delete),
        3 => (0..IDS, 0..WORDS.len()).prop_map(|(id, to)| Step::Rename(id, to)),
        3 => (0..IDS, 0..IDS, 0..100_u8).prop_map(|(from, to, weight)| Step::Relate(from, to, weight)),
        1 => (0..8_usize).prop_map(Step::Unrelate),
        2 => Just(Step::Search),
        1 => Just(Step::Reopen),
        1 => Just(Step::Maintain),
    ]
}

fn id(at: usize) -> String {
    format!("n{at:02}")
}

/// A note of random words that links by title, by file name and by id, so that what others are called matters.
fn random_note(at: usize, seed: u64) -> (Note, Option<Vec<f32>>) {
    let mut random = Seeded(seed);
    let word = |random: &mut Seeded| WORDS[random.below(WORDS.len())];
    let body: Vec<&str> = (0..random.below(10)).map(|_| word(&mut random)).collect();
    let link = match random.below(4) {
        0 => format!("[[{}]]", word(&mut random)),
        1 => format!("[[x/{}|{}]]", word(&mut random), word(&mut random)),
        2 => format!("[[{}]]", id(random.below(IDS))),
        _ => String::new(),
    };
    let when = START.plus_days(-(random.below(300) as f64));
    let note = Note {
        tags: vec![format!("{}/{}", word(&mut random), word(&mut random))],
        aliases: if random.below(3) == 0 { vec![word(&mut random).to_owned()] } else { vec![] },
        path: (random.below(3) > 0).then(|| format!("{}/{}.md", word(&mut random), word(&mut random))),
        derived_from_ids: if random.below(3) == 0 { vec![id(random.below(IDS))] } else { vec![] },
        source_url: (random.below(3) == 0).then(|| format!("https://example.org/{}", random.below(2))),
        created_at: Some(when),
        updated_at: Some(when),
        ..Note::new(word(&mut random), format!("{} {link}", body.join(" "))).with_id(id(at))
    };
    let vector = (random.below(5) > 0).then(|| random.vector(DIMS));
    (note, vector)
}

fn run(store: &mut TestStore, vectors: &mut BTreeMap<String, Option<Vec<f32>>>, step: Step) {
    match step {
        Step::Put(at, seed) => run(store, vectors, Step::PutMany(vec![(at, seed)])),
        Step::PutMany(notes) => {
            let notes: Vec<_> = notes.into_iter().map(|(at, seed)| random_note(at, seed)).collect();
            vectors.extend(notes.iter().map(|(note, vector)| (note.id.clone(), vector.clone())));
            store.put_many_with_vectors(notes).unwrap();
        }
        Step::Delete(at) => {
            let known = vectors.remove(&id(at)).is_some();
            assert_eq!(store.delete(&id(at)).is_ok(), known);
        }
        Step::Rename(at, to) => {
            let renamed = store.rename(&id(at), &format!("moved/{}.md", WORDS[to]));
            assert_eq!(renamed.is_ok(), vectors.contains_key(&id(at)));
        }
        Step::Relate(from, to, weight) => {
            let draft =
                EdgeDraft { weight: f64::from(weight) / 100.0, ..EdgeDraft::new(id(from), "related_to", id(to)) };
            let there = vectors.contains_key(&id(from)) && vectors.contains_key(&id(to)) && from != to;
            assert_eq!(store.edge_upsert(&draft).is_ok(), there);
        }
        Step::Unrelate(nth) => {
            let edges = store.edge_list(&EdgeFilter::default(), &Viewer::owner()).unwrap();
            if let Some(edge) = edges.get(nth) {
                store.edge_delete(&edge.edge_id).unwrap();
            }
        }
        Step::Search => drop(store.search(&SearchRequest::new("pump")).unwrap()),
        Step::Reopen => store.reopen(),
        Step::Maintain => drop(store.maintain().unwrap()),
    }
}

/// The same notes, put at once into a new store in another order, and the same asserted edges.
fn fresh(store: &TestStore, vectors: &BTreeMap<String, Option<Vec<f32>>>) -> TestStore {
    let fresh = TestStore::supplied(DIMS);
    let owner = Viewer::owner();
    let notes = vectors.iter().rev().map(|(id, vector)| (store.get(id, &owner).unwrap(), vector.clone())).collect();
    fresh.put_many_with_vectors(notes).unwrap();
    for edge in store.edge_list(&EdgeFilter::default(), &owner).unwrap() {
        let draft = EdgeDraft {
            weight: edge.weight,
            namespace: Some(edge.namespace),
            ..EdgeDraft::new(edge.from_id, edge.edge_type, edge.to_id)
        };
        fresh.edge_upsert(&draft).unwrap();
    }
    fresh
}

fn edges(store: &TestStore) -> Vec<(String, String, String, u64, EdgeOrigin)> {
    let filter = EdgeFilter { include_derived: true, ..EdgeFilter::default() };
    let edges = store.edge_list(&filter, &Viewer::owner()).unwrap().into_iter();
    let mut edges: Vec<_> =
        edges.map(|edge| (edge.from_id, edge.edge_type, edge.to_id, edge.weight.to_bits(), edge.origin)).collect();
    edges.sort_by(|a, b| (&a.0, &a.1, &a.2).cmp(&(&b.0, &b.1, &b.2)));
    edges
}

/// A query, how it was searched, and the ids and scores it found.
type Answer = (String, SearchMode, Vec<(String, f64)>);

fn answers(store: &TestStore) -> Vec<Answer> {
    let mut found = Vec::new();
    for query in ["pump", "valve seal latest", "n03 motor", "gaugee"] {
        for mode in [SearchMode::Hybrid, SearchMode::Fulltext, SearchMode::Semantic, SearchMode::Graph] {
            for tags in [vec![], vec!["pump".to_owned()]] {
                let vector = Some(Seeded(5).vector(DIMS));
                let request = SearchRequest { mode, tags, vector, limit: 50, ..SearchRequest::new(query) };
                let results = store.search(&request).unwrap().results;
                found.push((query.to_owned(), mode, results.into_iter().map(|hit| (hit.id, hit.score)).collect()));
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, max_shrink_iters: 300, failure_persistence: common::regressions(), ..ProptestConfig::default() })]

    #[test]
    fn steps_in_any_order_leave_what_writing_the_outcome_at_once_leaves(steps in prop::collection::vec(step(), 1..40)) {
        let mut store = TestStore::supplied(DIMS);
        let mut vectors = BTreeMap::new();
        for step in steps {
            run(&mut store, &mut vectors, step);
        }
        let fresh = fresh(&store, &vectors);
        prop_assert_eq!(edges(&store), edges(&fresh));
        let (a, b) = (store.stats().unwrap(), fresh.stats().unwrap());
        prop_assert_eq!((a.notes, a.tags, a.namespaces, a.edges), (b.notes, b.tags, b.namespaces, b.edges));
        for state in store.projections().unwrap() {
            prop_assert!(state.problems.is_empty(), "{:?}", state);
        }
        prop_assert_eq!(answers(&store), answers(&fresh));
        let before = answers(&store);
        store.reopen();
        prop_assert_eq!(&answers(&store), &before);
        prop_assert_eq!(edges(&store), edges(&fresh));
    }
}
