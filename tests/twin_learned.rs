//! A store that was told verdicts and forgot them, against one that was told none: they answer alike, to the bit.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note};
use terrace::{
    EdgeDraft, EdgeFilter, EdgeOrigin, Feedback, LearnedExport, LearnedReset, Note, RetrieveRequest, RetrieveResponse,
    Status, TaskDraft, Viewer,
};

const QUERIES: [&str; 6] = [
    "why does the pump lose pressure",
    "pump valve at night",
    "the riser drips",
    "who saw to the pump",
    "pressure of the pump drops during the night",
    "seal of the riser",
];

const WORDS: [&str; 8] = ["pump", "valve", "riser", "seal", "pressure", "night", "gauge", "drips"];

/// Notes with links, edges that callers stated, and one that its own status keeps away.
fn filled(store: TestStore) -> TestStore {
    let word = |at: usize| WORDS[at % WORDS.len()];
    store.put_all((0..16).map(|at| {
        let body = format!("The {} and the {} were seen to. [[log {}]]", word(at), word(at * 3 + 1), (at + 5) % 16);
        Note { tags: vec![word(at + 2).to_owned()], ..note(&format!("n{at:02}"), &format!("log {at}"), &body) }
    }));
    store.put(Note { status: Status::Quarantined, ..note("away", "pump away", "The pump.") }).unwrap();
    for (from, edge_type, to, weight) in
        [("n00", "related_to", "n01", 0.3), ("n02", "supports", "n00", 0.02), ("n03", "depends_on", "n04", 1.0)]
    {
        store.edge_upsert(&EdgeDraft { weight, ..EdgeDraft::new(from, edge_type, to) }).unwrap();
    }
    store.create_task(&TaskDraft { id: "leak".into(), title: "leak".into(), ..TaskDraft::default() }).unwrap();
    store
}

fn request(query: &str, at: usize) -> RetrieveRequest {
    let agent_id = (at % 2 == 1).then(|| "ann".to_owned());
    let task_id = (at % 3 == 2).then(|| "leak".to_owned());
    RetrieveRequest { agent_id, task_id, limit: 30, explain: true, ..RetrieveRequest::new(query) }
}

fn ask(store: &TestStore) -> Vec<RetrieveResponse> {
    QUERIES.iter().enumerate().map(|(at, query)| store.retrieve(&request(query, at)).unwrap()).collect()
}

/// Each answer's ids, scores as bits, reasons and all else that it shows of a note.
fn answers(store: &TestStore) -> Vec<(String, Vec<u64>)> {
    let answer = |answer: RetrieveResponse| {
        let bits = answer.results.iter().map(|hit| hit.result.score.to_bits()).collect();
        (serde_json::to_string(&answer).unwrap(), bits)
    };
    ask(store).into_iter().map(answer).collect()
}

/// Verdicts of every kind on these receipts: citations together and alone, one changed, a quarantine.
fn judge(store: &TestStore, asked: &[RetrieveResponse]) {
    let list = |ids: &[&str]| Some(ids.iter().map(|&id| id.to_owned()).collect());
    let say = |at: usize, cited: &[&str], misleading: &[&str]| {
        let receipt_id = asked[at].receipt_id.clone();
        store
            .feedback(&Feedback { receipt_id, cited: list(cited), misleading: list(misleading), ..Feedback::default() })
            .unwrap();
    };
    say(0, &["n00", "n01", "n02"], &["n03"]);
    say(1, &["n00", "n01", "n05"], &["n03", "n08"]);
    say(2, &["n04", "n02"], &["n00", "n03"]);
    say(3, &[], &[]);
    say(4, &["n00", "n08"], &["n02"]);
    say(4, &["n08"], &["n00"]);
}

/// A store and its twin; the first was told verdicts and forgot them.
fn twins(new: fn() -> TestStore) -> (TestStore, TestStore, LearnedReset) {
    let (told, untold) = (filled(new()), filled(new()));
    let asked = ask(&told);
    ask(&untold);
    judge(&told, &asked);
    assert!(told.node_stats("n03", &Viewer::owner()).unwrap().quarantine.is_some());
    let reset = told.reset_learned().unwrap();
    (told, untold, reset)
}

fn assert_alike(told: &mut TestStore, untold: &mut TestStore) {
    assert_eq!(answers(told), answers(untold));
    for store in [&mut *told, &mut *untold] {
        store.clock.advance_days(30.0);
        store.reopen();
    }
    assert_eq!(answers(told), answers(untold));
}

#[test]
fn after_a_reset_every_answer_is_that_of_a_store_that_was_never_told_a_verdict() {
    let (mut told, mut untold, _) = twins(TestStore::embedded);
    assert_alike(&mut told, &mut untold);
}

#[test]
fn the_same_without_vectors() {
    let (mut told, mut untold, _) = twins(TestStore::text_only);
    assert_alike(&mut told, &mut untold);
}

#[test]
fn verdicts_change_the_answers_that_a_reset_gives_back() {
    let (told, untold) = (filled(TestStore::embedded()), filled(TestStore::embedded()));
    let asked = ask(&told);
    ask(&untold);
    judge(&told, &asked);
    assert_ne!(answers(&told), answers(&untold), "else the twins above say nothing");
}

#[test]
fn a_reset_says_how_much_it_forgot_and_a_second_one_finds_nothing() {
    let (told, _, reset) = twins(TestStore::embedded);
    assert_eq!((reset.judged_receipts, reset.quarantines), (5, 1));
    assert!(reset.verdicts > 20 && reset.notes >= 16 && reset.learned_edges > 3 && reset.traces > 3, "{reset:?}");
    assert_eq!(reset.moved_edges, 3, "{reset:?}");
    assert_eq!(told.reset_learned().unwrap(), LearnedReset::default());
}

#[test]
fn a_reset_leaves_stated_edges_as_they_were_stated_and_what_retrieves_count() {
    let (told, untold, _) = twins(TestStore::text_only);
    let owner = Viewer::owner();
    let weights = |store: &TestStore| {
        let edges = store.edge_list(&EdgeFilter::default(), &owner).unwrap();
        edges.iter().map(|edge| (edge.edge_id.clone(), edge.weight.to_bits(), edge.origin)).collect::<Vec<_>>()
    };
    assert_eq!(weights(&told), weights(&untold));
    assert!(weights(&told).iter().all(|edge| edge.2 == EdgeOrigin::Asserted));
    for at in 0..16 {
        let stats = |store: &TestStore| store.node_stats(&format!("n{at:02}"), &owner).unwrap();
        assert_eq!(stats(&told), stats(&untold));
    }
    assert!(told.node_stats("n00", &owner).unwrap().retrieval_count > 0);
}

#[test]
fn a_note_that_is_put_in_quarantine_by_its_own_status_stays_there() {
    let (told, _, _) = twins(TestStore::text_only);
    assert_eq!(told.get("away", &Viewer::owner()).unwrap().status, Status::Quarantined);
    assert!(!told.found("pump away").contains(&"away".to_owned()));
    assert!(told.found("pump").contains(&"n03".to_owned()) || told.found("log 3").contains(&"n03".to_owned()));
}

#[test]
fn a_receipt_judged_before_the_reset_can_be_judged_anew() {
    let store = filled(TestStore::text_only());
    let asked = ask(&store);
    judge(&store, &asked);
    store.reset_learned().unwrap();
    let feedback = Feedback {
        receipt_id: asked[0].receipt_id.clone(),
        cited: Some(vec!["n00".into()]),
        misleading: None,
        ..Feedback::default()
    };
    assert!(store.feedback(&feedback).unwrap().feedback_applied);
    assert_eq!(store.node_stats("n00", &Viewer::owner()).unwrap().cited_count, 1);
    assert_eq!(store.learned().unwrap().traces, 1);
}

#[test]
fn an_export_holds_what_was_taught_and_is_the_same_after_reopening() {
    let mut store = filled(TestStore::embedded());
    let asked = ask(&store);
    judge(&store, &asked);
    let text = |store: &TestStore| serde_json::to_string(&store.export_learned().unwrap()).unwrap();
    let before = text(&store);
    let export: LearnedExport = serde_json::from_str(&before).unwrap();
    assert_eq!((export.format, export.exported_at), (LearnedExport::FORMAT, common::START));
    let condemned = export.notes.iter().find(|note| note.note_id == "n03").unwrap();
    assert_eq!((condemned.misleading_count, condemned.quarantine.is_some()), (3, true));
    let trace = export.traces.iter().find(|trace| trace.note_id == "n05").unwrap();
    assert_eq!((trace.question.as_str(), trace.agent_id.as_deref()), (QUERIES[1], Some("ann")));
    assert_eq!((&trace.events[0].receipt_id, trace.vector.as_ref().unwrap().len()), (&asked[1].receipt_id, 256));
    assert!(trace.terms.contains_key("pump"));
    assert!(export.edges.iter().any(|edge| (edge.from_id.as_str(), edge.to_id.as_str()) == ("n02", "n04")));
    let moved = export.moved_edges.iter().find(|moved| moved.edge.edge_type == "related_to").unwrap();
    assert_eq!((moved.stated_weight, moved.cited_together, moved.misleading), (0.3, 2, 2));
    assert!(export.verdicts.iter().any(|verdict| verdict.receipt_id == asked[3].receipt_id));
    store.reopen();
    assert_eq!(text(&store), before);
}

#[test]
fn a_store_that_was_taught_nothing_exports_empty_lists() {
    let export = filled(TestStore::text_only()).export_learned().unwrap();
    assert!(export.verdicts.is_empty() && export.notes.is_empty() && export.traces.is_empty());
    assert!(export.edges.is_empty() && export.moved_edges.is_empty());
}

#[test]
fn an_export_by_an_earlier_release_reads_with_what_it_lacks_left_empty() {
    let export: LearnedExport = serde_json::from_str(r#"{"format": 1}"#).unwrap();
    assert_eq!((export.format, export.traces.len()), (1, 0));
}

#[test]
fn a_read_only_store_is_exported_and_not_reset() {
    let mut store = filled(TestStore::text_only());
    let asked = ask(&store);
    judge(&store, &asked);
    store.config.read_only = true;
    store.reopen();
    assert_eq!(store.reset_learned().unwrap_err().code(), "read_only");
    assert!(!store.export_learned().unwrap().traces.is_empty());
}
