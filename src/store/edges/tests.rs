use super::*;
use crate::store::notes;
use crate::store::testing::{NOW, store_with_notes};

fn edge(from_ord: Ordinal, edge_type: &str, to_ord: Ordinal) -> EdgeRow {
    EdgeRow {
        edge_id: String::new(),
        from_ord,
        to_ord,
        edge_type: edge_type.into(),
        namespace: "default".into(),
        weight: 0.5,
        origin: EdgeOrigin::Asserted,
        provenance: None,
        evidence: Some(RawValue::from_string("{\"a\" : 1}".into()).unwrap()),
        conflict_state: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

#[test]
fn stating_an_edge_again_keeps_its_id_its_making_and_its_conflict_state() {
    let (_dir, store) = store_with_notes(2);
    let first = store.write(|conn| upsert(conn, &edge(1, "contradicts", 2))).unwrap();
    let later = NOW.plus_days(1.0);
    store.write(|conn| set_conflict_state(conn, &first.edge_id, Some("unreviewed"), NOW)).unwrap();
    let again = EdgeRow { weight: 0.9, created_at: later, updated_at: later, ..edge(1, "contradicts", 2) };
    let second = store.write(|conn| upsert(conn, &again)).unwrap();
    assert_eq!((&second.edge_id, second.created_at), (&first.edge_id, NOW));
    assert_eq!((second.weight, second.updated_at), (0.9, later));
    assert_eq!(second.conflict_state.as_deref(), Some("unreviewed"));
    assert_eq!(store.read(count).unwrap(), 1);
}

#[test]
fn evidence_is_kept_as_the_text_that_was_given() {
    let (_dir, store) = store_with_notes(2);
    let made = store.write(|conn| upsert(conn, &edge(1, "x", 2))).unwrap();
    let found = store.read(|conn| get(conn, &made.edge_id)).unwrap().unwrap();
    assert_eq!(found.evidence.unwrap().get(), "{\"a\" : 1}");
}

#[test]
fn an_edge_that_follows_a_note_is_not_stored() {
    let (_dir, store) = store_with_notes(2);
    let link = EdgeRow { origin: EdgeOrigin::WikiLink, ..edge(1, "links_to", 2) };
    assert_eq!(store.write(|conn| upsert(conn, &link)).unwrap_err().code(), "invalid_input");
}

#[test]
fn every_condition_of_a_listing_narrows_it() {
    let (_dir, store) = store_with_notes(3);
    store
        .write(|conn| {
            upsert(conn, &edge(1, "x", 2))?;
            upsert(conn, &edge(3, "x", 1))?;
            upsert(conn, &EdgeRow { namespace: "other".into(), ..edge(2, "y", 3) })
        })
        .unwrap();
    let ends = |query: EdgeQuery| {
        let mut found: Vec<_> = store
            .read(|conn| list(conn, &query))
            .unwrap()
            .into_iter()
            .map(|edge| (edge.from_ord, edge.to_ord))
            .collect();
        found.sort_unstable();
        found
    };
    assert_eq!(ends(EdgeQuery::default()), [(1, 2), (2, 3), (3, 1)]);
    assert_eq!(ends(EdgeQuery { node: Some(1), ..EdgeQuery::default() }), [(1, 2), (3, 1)]);
    assert_eq!(ends(EdgeQuery { from: Some(1), ..EdgeQuery::default() }), [(1, 2)]);
    assert_eq!(ends(EdgeQuery { to: Some(1), ..EdgeQuery::default() }), [(3, 1)]);
    assert_eq!(ends(EdgeQuery { edge_type: Some("y".into()), ..EdgeQuery::default() }), [(2, 3)]);
    assert_eq!(ends(EdgeQuery { namespace: Some("other".into()), ..EdgeQuery::default() }), [(2, 3)]);
    assert!(ends(EdgeQuery { node: Some(1), edge_type: Some("y".into()), ..EdgeQuery::default() }).is_empty());
}

#[test]
fn weakening_touches_both_directions_and_stops_at_zero() {
    let (_dir, store) = store_with_notes(3);
    store
        .write(|conn| {
            upsert(conn, &edge(1, "x", 2))?;
            upsert(conn, &EdgeRow { weight: 0.1, ..edge(3, "x", 1) })?;
            upsert(conn, &edge(2, "x", 3))
        })
        .unwrap();
    let weakened = store.write(|conn| weaken_incident(conn, 1, 0.2, NOW)).unwrap();
    let mut weights: Vec<_> = weakened.iter().map(|edge| (edge.from_ord, edge.weight)).collect();
    weights.sort_by_key(|weight| weight.0);
    assert_eq!(weights, [(1, 0.3), (3, 0.0)]);
}

#[test]
fn co_citation_makes_an_edge_and_then_raises_it_to_one_at_most() {
    let (_dir, store) = store_with_notes(2);
    let raise = |a, b| store.write(|conn| raise_learned(conn, (a, b), "ns", (0.5, 0.3), NOW)).unwrap();
    let made = raise(2, 1);
    assert_eq!((made.from_ord, made.to_ord, made.weight, made.origin), (1, 2, 0.5, EdgeOrigin::Learned));
    assert_eq!(raise(1, 2).weight, 0.8);
    assert_eq!(raise(2, 1).weight, 1.0);
    assert_eq!(store.read(|conn| count_of(conn, EdgeOrigin::Learned)).unwrap(), 1);
}

#[test]
fn co_citation_raises_an_edge_that_a_caller_stated_the_other_way_round() {
    let (_dir, store) = store_with_notes(2);
    let stated = store.write(|conn| upsert(conn, &edge(2, "related_to", 1))).unwrap();
    let raised = store.write(|conn| raise_learned(conn, (1, 2), "default", (0.5, 0.25), NOW)).unwrap();
    assert_eq!((raised.edge_id, raised.weight), (stated.edge_id, 0.75));
    assert_eq!(raised.origin, EdgeOrigin::Asserted);
}

#[test]
fn only_unresolved_contradictions_are_reported_and_each_once() {
    let (_dir, store) = store_with_notes(5);
    store
        .write(|conn| {
            for (to, state) in [(2, None), (3, Some("accepted_dual")), (4, Some("refuted"))] {
                upsert(conn, &EdgeRow { conflict_state: state.map(Into::into), ..edge(1, "contradicts", to) })?;
            }
            upsert(conn, &edge(1, "x", 5))
        })
        .unwrap();
    let found = store.read(|conn| unresolved_contradictions(conn, &[1, 2])).unwrap();
    let mut ends: Vec<_> = found.iter().map(|edge| edge.to_ord).collect();
    ends.sort_unstable();
    assert_eq!(ends, [2, 3]);
    assert!(store.read(|conn| unresolved_contradictions(conn, &[4, 5])).unwrap().is_empty());
}

#[test]
fn an_edge_goes_with_either_of_its_notes() {
    let (_dir, store) = store_with_notes(2);
    store.write(|conn| upsert(conn, &edge(1, "x", 2))).unwrap();
    store.write(|conn| notes::delete(conn, 2)).unwrap();
    assert_eq!(store.read(count).unwrap(), 0);
}
