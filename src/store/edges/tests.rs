use super::*;
use crate::model::Verdict;
use crate::store::testing::{NOW, store_with_notes};
use crate::store::verdicts::{self, Given};
use crate::store::{Store, notes};

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

const STEPS: Steps = Steps { initial: 0.5, raise: 0.25, take: 0.05 };

fn judge(store: &Store, receipt_seq: i64, ord: Ordinal, verdict: Verdict) -> i64 {
    let set = |conn: &Connection| {
        verdicts::set(conn, Given { receipt_seq, ord, place: 0, namespace: "default", verdict, at: NOW })?;
        verdicts::get(conn, receipt_seq, ord)
    };
    store.write(set).unwrap().unwrap().event
}

/// Cites notes 1 and 2 on a receipt.
fn cite_both(store: &Store, receipt_seq: i64) -> Moved {
    let event = judge(store, receipt_seq, 1, Verdict::Cited).max(judge(store, receipt_seq, 2, Verdict::Cited));
    store.write(|conn| cited_together(conn, (2, 1), Some("default"), Some(event), STEPS, NOW)).unwrap()
}

fn mislead(store: &Store, receipt_seq: i64, ord: Ordinal) -> Vec<EdgeRow> {
    judge(store, receipt_seq, ord, Verdict::Misleading);
    store.write(|conn| misled(conn, ord, STEPS, NOW)).unwrap()
}

#[test]
fn weakening_touches_both_directions_and_stops_at_zero() {
    let (_dir, store) = store_with_notes(3);
    store
        .write(|conn| {
            upsert(conn, &edge(1, "x", 2))?;
            upsert(conn, &EdgeRow { weight: 0.04, ..edge(3, "x", 1) })?;
            upsert(conn, &edge(2, "x", 3))
        })
        .unwrap();
    let mut weights: Vec<_> = mislead(&store, 1, 1).iter().map(|edge| (edge.from_ord, edge.weight)).collect();
    weights.sort_by_key(|weight| weight.0);
    assert_eq!(weights, [(1, 0.45), (3, 0.0)]);
}

#[test]
fn what_a_misleading_verdict_took_below_zero_is_not_given_back_twice() {
    let (_dir, store) = store_with_notes(2);
    store.write(|conn| upsert(conn, &EdgeRow { weight: 0.07, ..edge(1, "x", 2) })).unwrap();
    mislead(&store, 1, 1);
    assert_eq!(mislead(&store, 2, 2)[0].weight, 0.0);
    judge(&store, 1, 1, Verdict::Ignored);
    let given_back = store.write(|conn| misled(conn, 1, STEPS, NOW)).unwrap();
    assert_eq!(given_back[0].weight, 0.07 - 0.05);
}

#[test]
fn an_edge_stated_anew_weighs_what_was_stated_and_what_was_said_before_counts_no_more() {
    let (_dir, store) = store_with_notes(2);
    store.write(|conn| upsert(conn, &edge(1, "x", 2))).unwrap();
    mislead(&store, 1, 1);
    let again = store.write(|conn| upsert(conn, &EdgeRow { weight: 0.6, ..edge(1, "x", 2) })).unwrap();
    assert_eq!(again.weight, 0.6);
    judge(&store, 1, 1, Verdict::Ignored);
    assert!(store.write(|conn| misled(conn, 1, STEPS, NOW)).unwrap().is_empty());
    assert_eq!(mislead(&store, 2, 1)[0].weight, 0.6 - 0.05);
}

#[test]
fn co_citation_makes_an_edge_and_then_raises_it_to_one_at_most() {
    let (_dir, store) = store_with_notes(2);
    let made = cite_both(&store, 1).kept.remove(0);
    assert_eq!((made.from_ord, made.to_ord, made.weight, made.origin), (1, 2, 0.5, EdgeOrigin::Learned));
    let raised: Vec<f64> = (2..5).map(|receipt| cite_both(&store, receipt).kept[0].weight).collect();
    assert_eq!(raised, [0.75, 1.0, 1.0]);
    assert_eq!(store.read(|conn| count_of(conn, EdgeOrigin::Learned)).unwrap(), 1);
}

#[test]
fn co_citation_raises_an_edge_that_a_caller_stated_the_other_way_round() {
    let (_dir, store) = store_with_notes(2);
    let stated = store.write(|conn| upsert(conn, &edge(2, "related_to", 1))).unwrap();
    let raised = cite_both(&store, 1).kept.remove(0);
    assert_eq!((raised.edge_id, raised.weight), (stated.edge_id, 0.75));
    assert_eq!(raised.origin, EdgeOrigin::Asserted);
}

#[test]
fn a_learned_edge_is_weakened_by_what_was_said_since_its_oldest_citation() {
    let (_dir, store) = store_with_notes(2);
    mislead(&store, 1, 1);
    cite_both(&store, 2);
    mislead(&store, 3, 1);
    let raised = cite_both(&store, 4).kept.remove(0);
    assert_eq!(raised.weight, 0.75 - 0.05);
    judge(&store, 2, 1, Verdict::Ignored);
    let moved = store.write(|conn| cited_together(conn, (1, 2), Some("default"), None, STEPS, NOW)).unwrap();
    assert_eq!(moved.kept[0].weight, 0.5, "as if the first receipt had never cited them");
}

#[test]
fn a_learned_edge_that_was_deleted_begins_anew() {
    let (_dir, store) = store_with_notes(2);
    cite_both(&store, 1);
    let known = cite_both(&store, 2).kept.remove(0);
    store.write(|conn| delete(conn, &known.edge_id)).unwrap();
    assert_eq!(cite_both(&store, 3).kept[0].weight, 0.5);
}

#[test]
fn a_learned_edge_cannot_be_stated() {
    let (_dir, store) = store_with_notes(2);
    let learned = EdgeRow { origin: EdgeOrigin::Learned, ..edge(1, "related_to", 2) };
    assert_eq!(store.write(|conn| upsert(conn, &learned)).unwrap_err().code(), "invalid_input");
}
