//! A link leads to the best bearer of its name that the reader may see: notes out of sight take no hop away.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note, private};
use terrace::{EdgeFilter, Note, Viewer};

fn links(store: &TestStore) -> Vec<String> {
    let filter = EdgeFilter { include_derived: true, ..EdgeFilter::default() };
    store.edge_list(&filter, &Viewer::agent("ann")).unwrap().into_iter().map(|edge| edge.edge_id).collect()
}

#[test]
fn a_private_note_of_the_same_name_takes_no_link_from_those_who_cannot_see_it() {
    let store = TestStore::text_only();
    store.put(note("from", "From", "See [[Pump]].")).unwrap();
    store.put(Note { path: Some("deep/folder/pump.md".into()), ..note("mine", "Pump", "") }).unwrap();
    assert_eq!(links(&store), ["links_to:from:mine"]);
    store.put(private("bob", Note { path: Some("pump.md".into()), ..note("hidden", "Pump", "") })).unwrap();
    assert_eq!(links(&store), ["links_to:from:mine"]);
}

#[test]
fn thirty_three_private_notes_of_one_page_take_no_hop_from_those_who_cannot_see_them() {
    let store = TestStore::text_only();
    let page = |note: Note| Note { source_url: Some("https://example.org/p".into()), ..note };
    store.put_all([page(note("a", "Pump", "")), page(note("b", "Unlike", ""))]);
    let request = || terrace::RetrieveRequest { agent_id: Some("ann".into()), ..terrace::RetrieveRequest::new("pump") };
    let hop = |store: &TestStore| {
        let results = store.retrieve(&request()).unwrap().results;
        results
            .iter()
            .any(|hit| hit.result.id == "b" && hit.reasons.iter().any(|reason| reason.contains("same source")))
    };
    assert!(hop(&store));
    store.put_all((0..33).map(|at| page(private("bob", note(&format!("h{at}"), "Hidden", "")))));
    assert!(hop(&store));
}
