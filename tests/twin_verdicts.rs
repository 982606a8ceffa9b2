//! Verdicts changed and taken back against a store that was told the right ones, or none: edges weigh the same, to the bit.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note};
use proptest::prelude::*;
use terrace::{EdgeDraft, EdgeFilter, EdgeOrigin, Feedback, RetrieveRequest, Verdict, Viewer};

const NOTES: [&str; 4] = ["a", "b", "c", "d"];
const RECEIPTS: usize = 4;

/// Edges that callers stated, at the ends of the scale and between.
const STATED: [(&str, &str, &str, f64); 6] = [
    ("a", "depends_on", "b", 0.0),
    ("b", "depends_on", "c", 0.03),
    ("c", "related_to", "a", 0.1 + 0.2),
    ("a", "related_to", "d", 0.98),
    ("d", "related_to", "a", 1.0),
    ("c", "supports", "d", 0.7),
];

/// What is said of each note on one receipt.
type Judgement = (usize, [Verdict; 4]);

/// A store with receipts that hold every note.
fn store() -> (TestStore, Vec<String>) {
    let store = TestStore::text_only();
    store.put_all(NOTES.map(|id| note(id, &format!("pump {id}"), "")));
    for (from, edge_type, to, weight) in STATED {
        store.edge_upsert(&EdgeDraft { weight, ..EdgeDraft::new(from, edge_type, to) }).unwrap();
    }
    let ask = |words| store.retrieve(&RetrieveRequest::new(format!("pump {}", "well ".repeat(words)))).unwrap();
    let receipts = (0..RECEIPTS).map(|words| ask(words).receipt_id).collect();
    (store, receipts)
}

fn judge(store: &TestStore, receipts: &[String], (receipt, verdicts): &Judgement) {
    let said = |wanted| {
        let named = NOTES.iter().zip(verdicts).filter(|(_, verdict)| **verdict == wanted);
        Some(named.map(|(id, _)| (*id).to_owned()).collect())
    };
    let receipt_id = receipts[*receipt].clone();
    let feedback = Feedback {
        receipt_id,
        cited: said(Verdict::Cited),
        misleading: said(Verdict::Misleading),
        ..Feedback::default()
    };
    store.feedback(&feedback).unwrap();
}

/// Every edge but for its id and times, its weight as bits.
fn edges(store: &TestStore) -> Vec<(String, String, String, EdgeOrigin, u64)> {
    let listed = store.edge_list(&EdgeFilter::default(), &Viewer::owner()).unwrap();
    let mut edges: Vec<_> = listed
        .into_iter()
        .map(|edge| (edge.from_id, edge.edge_type, edge.to_id, edge.origin, edge.weight.to_bits()))
        .collect();
    edges.sort_by(|a, b| (&a.0, &a.1, &a.2).cmp(&(&b.0, &b.1, &b.2)));
    edges
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![Just(Verdict::Cited), Just(Verdict::Misleading), Just(Verdict::Ignored)]
}

fn judgements() -> impl Strategy<Value = Vec<Judgement>> {
    proptest::collection::vec((0..RECEIPTS, [verdict(), verdict(), verdict(), verdict()]), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, failure_persistence: common::regressions(), ..ProptestConfig::default() })]

    #[test]
    fn verdicts_that_are_all_taken_back_leave_every_edge_as_it_was(judgements in judgements()) {
        let (mut store, receipts) = store();
        let before = edges(&store);
        judgements.iter().for_each(|judgement| judge(&store, &receipts, judgement));
        (0..RECEIPTS).for_each(|receipt| judge(&store, &receipts, &(receipt, [Verdict::Ignored; 4])));
        prop_assert_eq!(edges(&store), before.clone());
        store.reopen();
        prop_assert_eq!(edges(&store), before);
    }

    #[test]
    fn a_changed_verdict_does_to_edges_what_it_would_have_done_at_first(judgements in judgements()) {
        let (changed, receipts) = store();
        let mut last: Vec<Judgement> = Vec::new();
        for judgement in &judgements {
            judge(&changed, &receipts, judgement);
            match last.iter_mut().find(|known| known.0 == judgement.0) {
                Some(known) => known.1 = judgement.1,
                None => last.push(*judgement),
            }
        }
        let (at_first, receipts) = store();
        last.iter().for_each(|judgement| judge(&at_first, &receipts, judgement));
        prop_assert_eq!(edges(&changed), edges(&at_first));
    }
}
