//! Field faults about ranking: scores that depend on the limit, ties, and hubs.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{Seeded, TestStore, note, scored};
use terrace::{EdgeDraft, EmbedderChoice, Note, RetrieveRequest, SearchMode, SearchRequest, Viewer};

/// 200 notes over a vocabulary of 40 words, some said more often than others.
fn varied(seed: u64) -> Vec<Note> {
    let words = [
        "pump", "valve", "cistern", "terrace", "slug", "compost", "frost", "seed", "bean", "leek", "drip", "wall",
        "soil", "lime", "winter", "dawn", "riser", "filter", "meter", "lease", "journal", "meeting", "packet",
        "nursery", "kitchen", "beds", "stone", "repair", "plan", "survey", "rota", "handbook", "water", "pressure",
        "leak", "hose", "tap", "tank", "rain", "barrel",
    ];
    let mut seeded = Seeded(seed);
    (0..200)
        .map(|at| {
            let body: Vec<&str> =
                (0..30).map(|_| words[seeded.below(words.len()).min(seeded.below(words.len()))]).collect();
            note(&format!("n{at:03}"), &format!("{} {at}", words[seeded.below(words.len())]), &body.join(" "))
        })
        .collect()
}

fn searched(store: &TestStore, mode: SearchMode, query: &str, limit: usize) -> Vec<(String, f64)> {
    let request = SearchRequest { mode, limit, ..SearchRequest::new(query) };
    store.search(&request).unwrap().results.into_iter().map(|hit| (hit.id, hit.score)).collect()
}

#[test]
fn a_shorter_search_is_the_beginning_of_a_longer_one() {
    // With the same scores, in every mode. https://github.com/opensearch-project/neural-search/issues/325
    let store = TestStore::embedded();
    store.put_all(varied(53));
    for mode in [SearchMode::Hybrid, SearchMode::Fulltext, SearchMode::Semantic, SearchMode::Graph] {
        for query in ["pump pressure", "frozen pipe in winter", "slug", "terrace valve cistern leak rain"] {
            let longest = searched(&store, mode, query, 100);
            for k in [1, 5, 10, 50] {
                let shorter = searched(&store, mode, query, k);
                assert_eq!(shorter, longest[..longest.len().min(k)], "{mode:?} {query:?} k={k}");
            }
        }
    }
}

#[test]
fn a_shorter_retrieve_is_the_beginning_of_a_longer_one() {
    // Each from the same state of the store. https://github.com/opensearch-project/neural-search/issues/325
    let answer = |limit| {
        let store = TestStore::embedded();
        store.put_all(varied(54));
        let request = RetrieveRequest { limit, ..RetrieveRequest::new("pump pressure in winter") };
        scored(&store.retrieve(&request).unwrap())
    };
    let longest = answer(100);
    assert_eq!(longest.len(), 100);
    for k in [5, 10, 50] {
        assert_eq!(answer(k), longest[..k], "k={k}");
    }
}

#[test]
fn a_lone_weak_match_does_not_become_a_perfect_one() {
    // No scaling by whatever came back. https://github.com/opensearch-project/neural-search/issues/325
    let store = TestStore::text_only();
    store.put_all([note(
        "weak",
        "",
        "pump and many other words about the garden, its beds, walls and the weather today",
    )]);
    store.put_all([note("other", "", "nothing alike")]);
    let found = searched(&store, SearchMode::Fulltext, "pump priming pressure gauge calibration certificate", 10);
    assert_eq!(found.len(), 1);
    assert!(found[0].1 < 0.5, "{found:?}");
}

fn alike(at: usize) -> Note {
    note(&format!("n{at:02}"), "Pump log", "The pump was primed and the valve opened before the water came.")
}

/// How the notes of an order are written: in one go, a few at a time and searched after, or in two halves.
fn store_in_order(order: &[usize], way: usize, threads: usize) -> TestStore {
    let store = TestStore::with(|config| {
        config.embedder = EmbedderChoice::None;
        config.threads = threads;
    });
    match way % 3 {
        0 => drop(store.put_all(order.iter().map(|&at| alike(at)))),
        1 => {
            for few in order.chunks(6) {
                store.put_all(few.iter().map(|&at| alike(at)));
                searched(&store, SearchMode::Fulltext, "pump", 1);
            }
        }
        _ => {
            let (first, second) = order.split_at(order.len() / 2);
            store.put_all(first.iter().map(|&at| alike(at)));
            searched(&store, SearchMode::Fulltext, "pump", 1);
            store.put_all(second.iter().map(|&at| alike(at)));
        }
    }
    store
}

#[test]
fn exact_ties_have_one_order_whatever_order_they_came_in() {
    // Score, then id: over insertion orders, segments, threads and reopening. https://github.com/xerj-org/xerj/issues/191
    let mut seeded = Seeded(55);
    let mut order: Vec<usize> = (0..44).collect();
    let mut expected: Option<Vec<(String, f64)>> = None;
    for way in 0..10 {
        seeded.shuffle(&mut order);
        for threads in [1, 8] {
            let mut store = store_in_order(&order, way, threads);
            for reopened in [false, true] {
                if reopened {
                    store.reopen();
                }
                for mode in [SearchMode::Hybrid, SearchMode::Fulltext] {
                    let all = searched(&store, mode, "pump valve", 44);
                    assert_eq!(all.len(), 44);
                    let by_rule =
                        |a: &(String, f64), b: &(String, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)).is_le();
                    assert!(all.is_sorted_by(by_rule), "{all:?}");
                    assert_eq!(searched(&store, mode, "pump valve", 3), all[..3], "way {way}, {threads} threads");
                    if mode == SearchMode::Hybrid {
                        assert_eq!(&all, expected.get_or_insert_with(|| all.clone()), "way {way}, {threads} threads");
                    }
                }
            }
            let request = RetrieveRequest { limit: 44, ..RetrieveRequest::new("pump valve") };
            assert_eq!(
                common::ids(&store.retrieve(&request).unwrap()),
                expected.iter().flatten().map(|(id, _)| id.clone()).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn ties_among_more_notes_than_a_pool_holds_are_cut_by_id_too() {
    // A short page is then still the beginning of a long one. https://github.com/xerj-org/xerj/issues/191
    let mut seeded = Seeded(56);
    let mut order: Vec<usize> = (0..300).collect();
    let mut expected: Option<Vec<(String, f64)>> = None;
    for way in 0..3 {
        seeded.shuffle(&mut order);
        let store = TestStore::text_only();
        for slice in order.chunks(if way == 0 { 300 } else { 70 }) {
            store.put_all(slice.iter().map(|at| note(&format!("n{at:03}"), "Pump log", "")));
            searched(&store, SearchMode::Fulltext, "pump", 1);
        }
        let all = searched(&store, SearchMode::Hybrid, "pump", 100);
        assert_eq!(searched(&store, SearchMode::Hybrid, "pump", 3), all[..3]);
        assert_eq!(&all, expected.get_or_insert_with(|| all.clone()), "way {way}");
    }
}

/// `hub` is linked from 2,000 notes, `acme-q3` from five; the seed is one of both.
fn hub_and_rare() -> TestStore {
    let store = TestStore::text_only();
    let linked = |id: String, title: &str, to: &[&str]| Note {
        links: to.iter().map(|&to| to.to_owned()).collect(),
        ..note(&id, title, "")
    };
    let mut notes = vec![note("hub", "Project", ""), note("acme-q3", "Acme third quarter", "")];
    notes.push(linked("seed".into(), "Kickoff minutes", &["hub", "acme-q3"]));
    notes.extend((0..1_999).map(|at| linked(format!("weak{at:04}"), &format!("Sundry {at}"), &["hub"])));
    notes.extend((0..4).map(|at| linked(format!("sibling{at}"), &format!("Paper {at}"), &["acme-q3"])));
    store.put_all(notes);
    store
}

#[test]
fn siblings_by_a_rare_link_outrank_those_by_a_hub() {
    // A link that two thousand share says little. https://github.com/vectorize-io/hindsight/issues/2592
    let store = hub_and_rare();
    let request = RetrieveRequest { limit: 1_000, ..RetrieveRequest::new("kickoff minutes") };
    let found = common::ids(&store.retrieve(&request).unwrap());
    let at = |wanted: &str| found.iter().position(|id| id == wanted);
    let last = (0..4).map(|sibling| at(&format!("sibling{sibling}")).unwrap()).max().unwrap();
    let first_weak = found.iter().position(|id| id.starts_with("weak")).unwrap_or(found.len());
    assert!(last < first_weak, "siblings end at {last}, the hub's begin at {first_weak}");
}

#[test]
fn a_hub_does_not_flood_the_candidates() {
    // Seven scouts, each with a pool of at most 200. https://github.com/vectorize-io/hindsight/issues/2592
    let store = hub_and_rare();
    let answer = store.retrieve(&RetrieveRequest::new("kickoff minutes")).unwrap();
    let receipt = store.receipt(&answer.receipt_id, &Viewer::owner()).unwrap();
    assert!(receipt.candidates_considered <= 7 * 200, "{}", receipt.candidates_considered);
    let graph = searched(&store, SearchMode::Graph, "kickoff minutes", 1_000);
    assert!(graph.len() <= 2_000 && graph.iter().take(6).all(|(id, _)| !id.starts_with("weak")), "{:?}", &graph[..6]);
}

#[test]
fn a_common_tag_named_by_the_query_counts_less_than_a_rare_one() {
    // The same with tags for links. https://github.com/vectorize-io/hindsight/issues/2592
    let store = TestStore::text_only();
    let mut notes: Vec<Note> = (0..2_000).map(|at| common::tagged(&format!("weak{at:04}"), &["project"])).collect();
    notes.extend((0..4).map(|at| common::tagged(&format!("sibling{at}"), &["acme-q3"])));
    store.put_all(notes);
    let found = store.found("project acme-q3");
    assert_eq!(common::sorted(found[..4].to_vec()), ["sibling0", "sibling1", "sibling2", "sibling3"]);
}

#[test]
fn asserted_edges_to_a_hub_count_less_than_those_to_a_rare_note() {
    // The same with edges that callers state. https://github.com/vectorize-io/hindsight/issues/2592
    let store = TestStore::text_only();
    store.put_all([note("hub", "Project", ""), note("rare", "Acme", ""), note("seed", "Kickoff minutes", "")]);
    store.put_all((0..300).map(|at| note(&format!("weak{at:03}"), &format!("Sundry {at}"), "")));
    store.put_all((0..4).map(|at| note(&format!("sibling{at}"), &format!("Paper {at}"), "")));
    let relate = |from: &str, to: &str| drop(store.edge_upsert(&EdgeDraft::new(from, "related_to", to)).unwrap());
    relate("seed", "hub");
    relate("seed", "rare");
    (0..300).for_each(|at| relate(&format!("weak{at:03}"), "hub"));
    (0..4).for_each(|at| relate(&format!("sibling{at}"), "rare"));
    let request = RetrieveRequest { limit: 400, ..RetrieveRequest::new("kickoff minutes") };
    let found = common::ids(&store.retrieve(&request).unwrap());
    let first_weak = found.iter().position(|id| id.starts_with("weak")).unwrap_or(found.len());
    let last = (0..4).map(|at| found.iter().position(|id| *id == format!("sibling{at}")).unwrap()).max().unwrap();
    assert!(last < first_weak, "siblings end at {last}, the hub's begin at {first_weak}");
}
