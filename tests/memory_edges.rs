//! What feedback does to edges, what callers may do to them, and how contradictions are settled.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note, private};
use terrace::{
    ConflictResolution, Edge, EdgeDraft, EdgeFilter, EdgeOrigin, Feedback, Note, RetrieveRequest, Status, Viewer,
};

fn store() -> TestStore {
    let store = TestStore::text_only();
    store.put_all(["a", "b", "c"].map(|id| note(id, &format!("pump {id}"), "")));
    store
}

fn receipt(store: &TestStore, words: usize) -> String {
    store.retrieve(&RetrieveRequest::new(format!("pump {}", "well ".repeat(words)))).unwrap().receipt_id
}

fn judge(store: &TestStore, receipt: &str, cited: &[&str], misleading: &[&str]) {
    let list = |ids: &[&str]| Some(ids.iter().map(|&id| id.to_owned()).collect());
    let feedback = Feedback {
        receipt_id: receipt.to_owned(),
        cited: list(cited),
        misleading: list(misleading),
        ..Feedback::default()
    };
    store.feedback(&feedback).unwrap();
}

fn edges(store: &TestStore) -> Vec<Edge> {
    store.edge_list(&EdgeFilter::default(), &Viewer::owner()).unwrap()
}

fn related(store: &TestStore) -> Vec<(String, String, f64)> {
    let mut found: Vec<_> = edges(store)
        .into_iter()
        .filter(|edge| edge.edge_type == "related_to")
        .map(|edge| (edge.from_id, edge.to_id, edge.weight))
        .collect();
    found.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    found
}

fn draft(from: &str, edge_type: &str, to: &str, weight: f64) -> EdgeDraft {
    EdgeDraft { weight, ..EdgeDraft::new(from, edge_type, to) }
}

fn conflicts(store: &TestStore, request: &RetrieveRequest) -> Vec<String> {
    let request = RetrieveRequest { surface_conflicts: true, ..request.clone() };
    let found = store.retrieve(&request).unwrap().conflicts.unwrap();
    found.into_iter().map(|conflict| conflict.edge_id).collect()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn notes_cited_together_become_related_at_one_half_each_pair_once() {
    let store = store();
    judge(&store, &receipt(&store, 0), &["a", "b", "c"], &[]);
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned(), 0.5);
    assert_eq!(related(&store), [pair("a", "b"), pair("a", "c"), pair("b", "c")]);
    assert!(edges(&store).iter().all(|edge| edge.origin == EdgeOrigin::Learned));
    assert_eq!(store.learned().unwrap().learned_edges, 3);
}

#[test]
fn a_note_cited_alone_relates_to_nothing() {
    let store = store();
    judge(&store, &receipt(&store, 0), &["a"], &["b"]);
    assert!(related(&store).is_empty());
}

#[test]
fn each_further_citation_together_raises_the_relation_to_one_at_most() {
    let store = store();
    for round in 0..20 {
        judge(&store, &receipt(&store, round), &["a", "b"], &[]);
        let expected = (0.5 + 0.03 * round as f64).min(1.0);
        assert!(near(related(&store)[0].2, expected), "round {round}: {:?}", related(&store));
    }
}

#[test]
fn the_same_receipt_judged_alike_again_raises_nothing() {
    let store = store();
    let receipt_id = receipt(&store, 0);
    judge(&store, &receipt_id, &["a", "b"], &[]);
    judge(&store, &receipt_id, &["a", "b"], &[]);
    assert!(near(related(&store)[0].2, 0.5));
}

#[test]
fn notes_of_different_namespaces_are_not_related_by_being_cited_together() {
    let store = store();
    store.put(Note { namespace: "other".into(), ..note("far", "pump far", "") }).unwrap();
    judge(&store, &receipt(&store, 0), &["a", "far"], &[]);
    assert!(related(&store).is_empty());
}

#[test]
fn a_citation_taken_back_takes_back_the_relation() {
    let store = store();
    let receipt_id = receipt(&store, 0);
    judge(&store, &receipt_id, &["a", "b"], &[]);
    judge(&store, &receipt_id, &["a"], &[]);
    assert!(related(&store).is_empty(), "{:?}", related(&store));
}

#[test]
fn a_citation_taken_back_lowers_a_relation_that_has_other_grounds() {
    let store = store();
    let receipts = [receipt(&store, 0), receipt(&store, 1)];
    receipts.iter().for_each(|receipt_id| judge(&store, receipt_id, &["a", "b"], &[]));
    judge(&store, &receipts[1], &["a"], &[]);
    assert!(near(related(&store)[0].2, 0.5), "{:?}", related(&store));
}

#[test]
fn a_misleading_note_weakens_its_asserted_and_learned_edges_in_both_directions() {
    let store = store();
    judge(&store, &receipt(&store, 0), &["a", "b"], &[]);
    store.edge_upsert(&draft("c", "depends_on", "a", 0.7)).unwrap();
    store.edge_upsert(&draft("b", "depends_on", "c", 0.7)).unwrap();
    judge(&store, &receipt(&store, 1), &[], &["a"]);
    let weight = |from: &str, to: &str| {
        edges(&store).into_iter().find(|edge| edge.from_id == from && edge.to_id == to).unwrap().weight
    };
    assert!(near(weight("a", "b"), 0.45) && near(weight("c", "a"), 0.65));
    assert_eq!(weight("b", "c"), 0.7, "it does not touch the note");
}

#[test]
fn an_edge_is_weakened_to_nothing_at_least() {
    let store = store();
    store.edge_upsert(&draft("a", "depends_on", "b", 0.02)).unwrap();
    judge(&store, &receipt(&store, 0), &[], &["a"]);
    assert_eq!(edges(&store)[0].weight, 0.0);
}

#[test]
fn wiki_links_and_lineage_stay_whatever_is_misleading() {
    let store = store();
    store.put(Note { derived_from_ids: vec!["b".into()], ..note("d", "pump d", "See [[pump a]].") }).unwrap();
    let derived = |store: &TestStore| {
        let filter = EdgeFilter { include_derived: true, node_id: Some("d".into()), ..EdgeFilter::default() };
        let edges = store.edge_list(&filter, &Viewer::owner()).unwrap();
        edges.into_iter().map(|edge| (edge.edge_type, edge.to_id, edge.weight, edge.origin)).collect::<Vec<_>>()
    };
    let before = derived(&store);
    assert_eq!(
        before,
        [
            ("derived_from".to_owned(), "b".to_owned(), 1.0, EdgeOrigin::Lineage),
            ("links_to".to_owned(), "a".to_owned(), 1.0, EdgeOrigin::WikiLink)
        ]
    );
    judge(&store, &receipt(&store, 0), &[], &["d", "a", "b"]);
    assert_eq!(derived(&store), before);
}

#[test]
fn a_learned_relation_leads_the_graph_scout_and_goes_with_its_note() {
    let store = store();
    store.put(note("quiet", "nothing alike", "")).unwrap();
    store.edge_upsert(&draft("a", "related_to", "quiet", 0.9)).unwrap();
    let answer = store.retrieve(&RetrieveRequest::new("pump a")).unwrap();
    let hit = answer.results.iter().find(|hit| hit.result.id == "quiet").unwrap();
    assert!(hit.scouts.iter().any(|scout| scout == "scout_graph"), "{hit:?}");
    store.delete("a").unwrap();
    assert!(edges(&store).is_empty());
}

#[test]
fn an_edge_is_unique_by_ends_type_and_namespace() {
    let store = store();
    let first = store.edge_upsert(&draft("a", "depends_on", "b", 0.5)).unwrap();
    let again = store.edge_upsert(&draft("a", "depends_on", "b", 0.8)).unwrap();
    assert_eq!((&again.edge_id, again.weight), (&first.edge_id, 0.8));
    store.edge_upsert(&draft("b", "depends_on", "a", 0.5)).unwrap();
    store.edge_upsert(&draft("a", "implements", "b", 0.5)).unwrap();
    store.edge_upsert(&EdgeDraft { namespace: Some("x".into()), ..draft("a", "depends_on", "b", 0.5) }).unwrap();
    assert_eq!(edges(&store).len(), 4);
}

#[test]
fn an_edge_needs_two_notes_a_type_and_a_weight_from_0_to_1() {
    let store = store();
    let code = |draft: EdgeDraft| store.edge_upsert(&draft).unwrap_err().code();
    assert_eq!(code(draft("a", "x", "stranger", 0.5)), "doc_not_found");
    assert_eq!(code(draft("a", "x", "a", 0.5)), "invalid_input");
    assert_eq!(code(draft("a", " ", "b", 0.5)), "invalid_input");
    for weight in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(code(draft("a", "x", "b", weight)), "invalid_input");
    }
}

#[test]
fn edges_are_listed_by_end_type_and_namespace_and_to_those_who_see_both_ends() {
    let store = store();
    store.put(private("ann", note("secret", "secret", ""))).unwrap();
    store.edge_upsert(&draft("a", "x", "b", 0.5)).unwrap();
    store.edge_upsert(&draft("c", "y", "a", 0.5)).unwrap();
    store.edge_upsert(&draft("a", "x", "secret", 0.5)).unwrap();
    let count = |filter: EdgeFilter, viewer: Viewer| store.edge_list(&filter, &viewer).unwrap().len();
    let all = EdgeFilter::default;
    assert_eq!(count(all(), Viewer::agent("ann")), 3);
    assert_eq!(count(all(), Viewer::anyone()), 2);
    assert_eq!(count(EdgeFilter { node_id: Some("a".into()), ..all() }, Viewer::anyone()), 2);
    assert_eq!(count(EdgeFilter { from_id: Some("a".into()), ..all() }, Viewer::anyone()), 1);
    assert_eq!(count(EdgeFilter { to_id: Some("a".into()), ..all() }, Viewer::anyone()), 1);
    assert_eq!(count(EdgeFilter { edge_type: Some("y".into()), ..all() }, Viewer::anyone()), 1);
    assert_eq!(count(EdgeFilter { namespace: Some("none".into()), ..all() }, Viewer::anyone()), 0);
    let hidden = EdgeFilter { node_id: Some("secret".into()), ..all() };
    assert_eq!(store.edge_list(&hidden, &Viewer::anyone()).unwrap_err().code(), "doc_not_found");
}

#[test]
fn a_deleted_edge_is_gone_and_one_that_follows_a_note_cannot_be_edited() {
    let store = store();
    store.put(Note { supersedes: Some("b".into()), ..note("d", "d", "[[pump a]]") }).unwrap();
    let edge = store.edge_upsert(&draft("a", "x", "b", 0.5)).unwrap();
    store.edge_delete(&edge.edge_id).unwrap();
    assert!(edges(&store).is_empty());
    assert_eq!(store.edge_delete(&edge.edge_id).unwrap_err().code(), "not_found");
    let filter = EdgeFilter { include_derived: true, ..EdgeFilter::default() };
    let derived = store.edge_list(&filter, &Viewer::owner()).unwrap();
    assert_eq!(derived.len(), 2);
    for edge in derived {
        assert_eq!(store.edge_delete(&edge.edge_id).unwrap_err().code(), "unsupported");
        let settled = store.conflict_resolve(&edge.edge_id, ConflictResolution::Refuted, None);
        assert_eq!(settled.unwrap_err().code(), "unsupported");
    }
}

#[test]
fn unresolved_contradictions_of_the_seeds_are_surfaced_when_asked_for() {
    let store = store();
    let edge = store.edge_upsert(&draft("a", "contradicts", "b", 0.5)).unwrap();
    store.edge_upsert(&draft("a", "supports", "c", 0.5)).unwrap();
    assert_eq!(conflicts(&store, &RetrieveRequest::new("pump")), [edge.edge_id]);
    assert_eq!(store.retrieve(&RetrieveRequest::new("pump")).unwrap().conflicts, None);
}

#[test]
fn a_contradiction_with_a_note_the_caller_cannot_see_is_not_surfaced() {
    let store = store();
    store.put(private("ann", note("secret", "secret", ""))).unwrap();
    store.put(Note { status: Status::Archived, ..note("away", "away", "") }).unwrap();
    let seen = store.edge_upsert(&draft("a", "contradicts", "secret", 0.5)).unwrap().edge_id;
    store.edge_upsert(&draft("a", "contradicts", "away", 0.5)).unwrap();
    assert!(conflicts(&store, &RetrieveRequest::new("pump")).is_empty());
    let of_ann = RetrieveRequest { agent_id: Some("ann".into()), ..RetrieveRequest::new("pump") };
    assert_eq!(conflicts(&store, &of_ann), [seen]);
}

#[test]
fn a_contradiction_stays_surfaced_while_both_may_stand_and_goes_once_refuted_or_merged() {
    let store = store();
    let edge = store.edge_upsert(&draft("a", "contradicts", "b", 0.5)).unwrap().edge_id;
    let settle = |resolution| store.conflict_resolve(&edge, resolution, None).unwrap().conflict_state.unwrap();
    assert_eq!(settle(ConflictResolution::AcceptedDual), "accepted_dual");
    assert_eq!(conflicts(&store, &RetrieveRequest::new("pump one")), std::slice::from_ref(&edge));
    assert_eq!(settle(ConflictResolution::Refuted), "refuted");
    assert!(conflicts(&store, &RetrieveRequest::new("pump two")).is_empty());
    assert_eq!(settle(ConflictResolution::Merged), "merged");
    assert!(conflicts(&store, &RetrieveRequest::new("pump three")).is_empty());
}

#[test]
fn superseding_marks_the_winner_and_puts_the_loser_out_of_the_default_answer() {
    let store = store();
    let edge = store.edge_upsert(&draft("a", "contradicts", "b", 0.5)).unwrap().edge_id;
    let resolved = store.conflict_resolve(&edge, ConflictResolution::Superseded, Some("b")).unwrap();
    assert_eq!(resolved.conflict_state.as_deref(), Some("superseded"));
    let owner = Viewer::owner();
    assert_eq!(store.get("b", &owner).unwrap().supersedes.as_deref(), Some("a"));
    assert_eq!(store.get("a", &owner).unwrap().status, Status::Superseded);
    assert_eq!(store.get("b", &owner).unwrap().status, Status::Active);
    assert_eq!(common::sorted(store.found("pump")), ["b", "c"]);
    let all = RetrieveRequest { include_inactive: true, ..RetrieveRequest::new("pump") };
    let answer = store.retrieve(&all).unwrap();
    let loser = answer.results.iter().find(|hit| hit.result.id == "a").unwrap();
    assert!(loser.reasons.iter().any(|reason| reason.contains("superseded")), "{loser:?}");
    let filter = EdgeFilter { include_derived: true, edge_type: Some("supersedes".into()), ..EdgeFilter::default() };
    let lineage = store.edge_list(&filter, &owner).unwrap();
    assert_eq!((&*lineage[0].from_id, &*lineage[0].to_id), ("b", "a"));
}

#[test]
fn superseding_without_a_winner_or_with_a_stranger_is_refused_and_changes_nothing() {
    let store = store();
    let edge = store.edge_upsert(&draft("a", "contradicts", "b", 0.5)).unwrap().edge_id;
    for winner in [None, Some("c"), Some("")] {
        let refused = store.conflict_resolve(&edge, ConflictResolution::Superseded, winner);
        assert_eq!(refused.unwrap_err().code(), "invalid_input");
    }
    assert_eq!(conflicts(&store, &RetrieveRequest::new("pump")), [edge]);
    assert_eq!(store.get("a", &Viewer::owner()).unwrap().status, Status::Active);
}

#[test]
fn only_contradictions_can_be_settled() {
    let store = store();
    let edge = store.edge_upsert(&draft("a", "supports", "b", 0.5)).unwrap().edge_id;
    let code = |id: &str| store.conflict_resolve(id, ConflictResolution::Refuted, None).unwrap_err().code();
    assert_eq!(code(&edge), "invalid_input");
    assert_eq!(code("edge_000000000000"), "not_found");
}

#[test]
fn edges_and_their_states_are_there_after_reopening() {
    let mut store = store();
    judge(&store, &receipt(&store, 0), &["a", "b"], &[]);
    let edge = store.edge_upsert(&draft("a", "contradicts", "c", 0.5)).unwrap().edge_id;
    store.conflict_resolve(&edge, ConflictResolution::Refuted, None).unwrap();
    let state = |store: &TestStore| serde_json::to_value(edges(store)).unwrap();
    let before = state(&store);
    store.reopen();
    assert_eq!(state(&store), before);
}

#[test]
fn notes_cited_together_again_after_a_move_are_related_there_and_not_once_more_where_they_were() {
    let store = store();
    judge(&store, &receipt(&store, 0), &["a", "b"], &[]);
    for id in ["a", "b"] {
        store.put(Note { namespace: "moved".into(), ..note(id, &format!("pump {id}"), "") }).unwrap();
    }
    judge(&store, &receipt(&store, 1), &["a", "b"], &[]);
    let mut found: Vec<_> = edges(&store).into_iter().map(|edge| (edge.namespace, edge.weight)).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(found, [("default".to_owned(), 0.5), ("moved".to_owned(), 0.5)]);
}
