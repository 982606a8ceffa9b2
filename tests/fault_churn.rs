//! Field faults about deletes, updates and churn.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeMap;

use common::{Seeded, TestStore, ids, note, supplied};
use terrace::{EdgeDraft, EdgeFilter, Note, RetrieveRequest, SearchMode, SearchRequest, VectorIndexKind, Viewer};

const MODES: [SearchMode; 4] = [SearchMode::Hybrid, SearchMode::Fulltext, SearchMode::Semantic, SearchMode::Graph];

fn jwt_notes() -> Vec<Note> {
    (0..20)
        .map(|at| Note {
            tags: vec!["jwt".into(), format!("only-{at}")],
            links: vec![format!("j{:02}", (at + 1) % 20)],
            ..note(&format!("j{at:02}"), &format!("JWT rotation {at}"), "The JWT signing key is rotated every quarter.")
        })
        .collect()
}

/// Everything that a search of any kind, and the figures, say of the notes that are left.
fn assert_only_live(store: &TestStore, deleted: &[String], when: &str) {
    let owner = Viewer::owner();
    let live = 20 - deleted.len();
    let all = RetrieveRequest { limit: live.min(10), ..RetrieveRequest::new("JWT signing key rotation") };
    let answer = store.retrieve(&all).unwrap();
    assert_eq!(answer.results.len(), live.min(10), "{when}");
    let receipt = store.receipt(&answer.receipt_id, &owner).unwrap();
    assert_eq!(receipt.candidates_considered, live, "{when}: deleted notes were candidates");
    let mut seen = ids(&answer);
    for mode in MODES {
        let request = SearchRequest { mode, limit: 100, ..SearchRequest::new("JWT rotation") };
        let found = store.search(&request).unwrap().results;
        assert!(found.len() <= live, "{when} {mode:?}");
        seen.extend(found.into_iter().map(|hit| hit.id));
    }
    let tagged = SearchRequest { tags: vec!["jwt".into()], limit: 100, ..SearchRequest::default() };
    let tagged = store.search(&tagged).unwrap().results;
    assert_eq!(tagged.len(), live, "{when}");
    seen.extend(tagged.into_iter().map(|hit| hit.id));
    let edges = store.edge_list(&EdgeFilter { include_derived: true, ..EdgeFilter::default() }, &owner).unwrap();
    seen.extend(edges.into_iter().flat_map(|edge| [edge.from_id, edge.to_id]));
    for id in deleted {
        assert!(!seen.contains(id), "{when}: {id} is still there");
        assert_eq!(store.get(id, &owner).unwrap_err().code(), "doc_not_found", "{when}");
        assert_eq!(store.node_stats(id, &owner).unwrap_err().code(), "doc_not_found", "{when}");
    }
    let stats = store.stats().unwrap();
    assert_eq!((stats.notes, stats.retrievable, stats.lexical_docs), (live as u64, live as u64, live as u64), "{when}");
    assert_eq!(stats.tags, 1 + live as u64, "{when}: tags of deleted notes are counted");
    let problems: Vec<String> = store.projections().unwrap().into_iter().flat_map(|state| state.problems).collect();
    assert!(problems.is_empty(), "{when}: {problems:?}");
}

#[test]
fn deleted_notes_leave_no_trace_and_take_no_places() {
    // Ten best of twenty deleted; also after reopening, merging and rebuilding. https://github.com/rohitg00/agentmemory/issues/632
    let mut store = TestStore::embedded();
    store.put_all(jwt_notes());
    for (from, to) in [("j00", "j01"), ("j02", "j15"), ("j16", "j17")] {
        store.edge_upsert(&EdgeDraft::new(from, "related_to", to)).unwrap();
    }
    for agent in 0..3 {
        let request = RetrieveRequest { agent_id: Some(format!("a{agent}")), ..RetrieveRequest::new("JWT") };
        store.retrieve(&request).unwrap();
    }
    let best = ids(&store.retrieve(&RetrieveRequest::new("JWT signing key rotation")).unwrap());
    assert_eq!(best.len(), 10);
    best.iter().for_each(|id| store.delete(id).unwrap());
    assert_only_live(&store, &best, "at once");
    store.reopen();
    assert_only_live(&store, &best, "reopened");
    store.maintain().unwrap();
    assert_only_live(&store, &best, "maintained");
    store.rebuild("all").unwrap();
    assert_only_live(&store, &best, "rebuilt");
    store.reopen();
    assert_only_live(&store, &best, "reopened again");
}

#[test]
fn a_deleted_id_put_again_is_a_new_note() {
    // Its tags, edges and statistics do not come back. https://github.com/rohitg00/agentmemory/issues/632
    let mut store = TestStore::text_only();
    store.put_all([note("a", "Pump", "alpha"), note("b", "Valve", "beta")]);
    store.edge_upsert(&EdgeDraft::new("a", "related_to", "b")).unwrap();
    store.found("pump valve");
    store.delete("a").unwrap();
    store.put(note("a", "Cistern", "gamma")).unwrap();
    for reopened in [false, true] {
        if reopened {
            store.reopen();
        }
        let words = |query: &str| {
            let request = SearchRequest { mode: SearchMode::Fulltext, ..SearchRequest::new(query) };
            store.search(&request).unwrap().results.into_iter().map(|hit| hit.id).collect::<Vec<_>>()
        };
        assert!(words("alpha").is_empty() && words("pump").is_empty());
        assert_eq!(words("gamma"), ["a"]);
        assert_eq!(store.node_stats("a", &Viewer::owner()).unwrap().retrieval_count, 0);
        assert!(store.edge_list(&EdgeFilter::default(), &Viewer::owner()).unwrap().is_empty());
    }
}

#[test]
fn an_edited_note_is_found_by_its_new_words_only() {
    // An update is a delete of what was. https://github.com/rohitg00/agentmemory/issues/632
    let mut store = TestStore::text_only();
    for round in 0..5 {
        store.put(note("a", &format!("title{round}"), &format!("word{round}"))).unwrap();
        for earlier in 0..=round {
            let request = SearchRequest { mode: SearchMode::Fulltext, ..SearchRequest::new(format!("word{earlier}")) };
            let expected = usize::from(earlier == round);
            assert_eq!(store.search(&request).unwrap().results.len(), expected, "round {round}, word{earlier}");
        }
        if round == 2 {
            store.reopen();
        }
    }
    assert_eq!(store.stats().unwrap().lexical_docs, 1);
}

#[test]
fn every_live_note_is_nearest_to_its_own_vector_after_churn() {
    // 4,000 vectors, half deleted, 30 % put anew, every third probed. https://github.com/chroma-core/chroma/issues/7758
    let (count, dims) = (4_000, 16);
    for kind in [VectorIndexKind::Exact, VectorIndexKind::Hnsw] {
        let mut store = TestStore::with(|config| {
            config.embedder = supplied(dims);
            config.vector.index = kind;
        });
        let mut seeded = Seeded(31);
        let mut live: BTreeMap<String, Vec<f32>> =
            (0..count).map(|at| (format!("n{at:04}"), seeded.vector(dims))).collect();
        let put = |store: &TestStore, notes: Vec<(&String, &Vec<f32>)>| {
            let notes = notes.into_iter().map(|(id, vector)| (note(id, "", ""), Some(vector.clone()))).collect();
            store.put_many_with_vectors(notes).unwrap();
        };
        put(&store, live.iter().collect());
        store.maintain().unwrap();
        let mut order: Vec<String> = live.keys().cloned().collect();
        seeded.shuffle(&mut order);
        for id in &order[..count / 2] {
            store.delete(id).unwrap();
            live.remove(id);
        }
        let anew: Vec<(String, Vec<f32>)> =
            order[count / 5..count / 2].iter().map(|id| (id.clone(), seeded.vector(dims))).collect();
        put(&store, anew.iter().map(|(id, vector)| (id, vector)).collect());
        live.extend(anew);
        let probe = |store: &TestStore, when: &str, step: usize| {
            for (id, vector) in live.iter().step_by(step) {
                let request = SearchRequest {
                    mode: SearchMode::Semantic,
                    vector: Some(vector.clone()),
                    limit: 1,
                    ..SearchRequest::default()
                };
                let found = store.search(&request).unwrap().results;
                assert_eq!(found.first().map(|hit| &hit.id), Some(id), "{kind:?} {when}");
            }
            let problems: Vec<String> = store.projections().unwrap().into_iter().flat_map(|p| p.problems).collect();
            assert!(problems.is_empty(), "{kind:?} {when}: {problems:?}");
            assert_eq!(store.stats().unwrap().vectors, live.len() as u64, "{kind:?} {when}");
        };
        probe(&store, "at once", 3);
        store.reopen();
        // What an open leaves to the background, the graph, is there when this returns.
        store.maintain().unwrap();
        probe(&store, "reopened", 10);
    }
}

#[test]
fn equal_vectors_are_all_reachable() {
    // Duplicates and an outlier hide in a graph. https://github.com/chroma-core/chroma/issues/7758
    for kind in [VectorIndexKind::Exact, VectorIndexKind::Hnsw] {
        let mut store = TestStore::with(|config| {
            config.embedder = supplied(4);
            config.vector.index = kind;
        });
        let mut notes: Vec<(Note, Option<Vec<f32>>)> =
            (0..300).map(|at| (note(&format!("same{at:03}"), "", ""), Some(vec![1.0, 0.5, 0.0, 0.0]))).collect();
        notes.push((note("outlier", "", ""), Some(vec![0.0, 0.0, -1.0, 0.1])));
        store.put_many_with_vectors(notes).unwrap();
        store.reopen();
        store.maintain().unwrap();
        let find = |vector: Vec<f32>| {
            let request = SearchRequest {
                mode: SearchMode::Semantic,
                vector: Some(vector),
                limit: 1_000,
                ..SearchRequest::default()
            };
            store.search(&request).unwrap().results
        };
        assert_eq!(find(vec![1.0, 0.5, 0.0, 0.0]).len(), 300, "{kind:?}");
        assert_eq!(find(vec![0.0, 0.0, -1.0, 0.1])[0].id, "outlier", "{kind:?}");
    }
}

fn edited(round: usize) -> Vec<Note> {
    let body = "The pump was primed and the valve opened before the water came.";
    (0..400)
        .map(|at| note(&format!("n{at:03}"), &format!("Log {at} of round {round}"), &body.repeat(1 + at % 3)))
        .collect()
}

/// How many of this process's open files lie in a directory; `None` where the system does not say.
fn open_files(dir: &std::path::Path) -> Option<usize> {
    let links = std::fs::read_dir("/proc/self/fd").ok()?;
    Some(links.flatten().filter_map(|fd| std::fs::read_link(fd.path()).ok()).filter(|to| to.starts_with(dir)).count())
}

#[test]
fn rounds_of_edits_pile_up_neither_segments_nor_bytes_nor_files() {
    // 400 notes, 12 rounds in place, a commit each. https://github.com/bartolli/codanna/pull/120
    let fresh = TestStore::text_only();
    fresh.put_all(edited(12));
    fresh.found("pump");
    let fresh_bytes = fresh.stats().unwrap().lexical_bytes;
    let store = TestStore::text_only();
    let mut files = Vec::new();
    for round in 0..=12 {
        store.put_all(edited(round));
        store.found("pump");
        let stats = store.stats().unwrap();
        assert!(stats.lexical_segments < 30, "round {round}: {} segments", stats.lexical_segments);
        assert_eq!(stats.lexical_docs, 400, "round {round}");
        files.extend(open_files(store.dir()));
    }
    store.maintain().unwrap();
    store.found("pump");
    let stats = store.stats().unwrap();
    assert!(stats.lexical_segments < 30, "{} segments", stats.lexical_segments);
    assert!(stats.lexical_bytes <= 3 * fresh_bytes, "{} bytes, built anew {fresh_bytes}", stats.lexical_bytes);
    if let (Some(first), Some(most)) = (files.first(), files.iter().max()) {
        assert!(*most <= first + 30, "open files by round: {files:?}");
    }
}

#[test]
fn many_single_edits_with_a_search_after_each_stay_bounded() {
    // The smallest commits make the most segments. https://github.com/bartolli/codanna/pull/120
    let store = TestStore::text_only();
    store.put_all(edited(0));
    for edit in 0..60 {
        store.put(note(&format!("n{:03}", edit % 7), "Edited", &format!("edit number {edit}"))).unwrap();
        store.found("number");
        let segments = store.stats().unwrap().lexical_segments;
        assert!(segments < 30, "edit {edit}: {segments} segments");
    }
}
