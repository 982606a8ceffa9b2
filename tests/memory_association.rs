//! Association: what earlier queries ended up citing is proposed to later queries like them, and to nobody who may not
//! know of it.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note, private};
use terrace::{CompletionRequest, Feedback, RetrieveRequest, RetrieveResponse, TaskDraft};

/// The query that is judged, and the same need in other words.
const ASKED: &str = "why does the pump lose pressure at night";
const REWORDED: &str = "pressure of the pump drops during the night";

/// Twelve notes that are alike to every query about pumps.
fn store() -> TestStore {
    filled(TestStore::embedded())
}

fn filled(store: TestStore) -> TestStore {
    store.put_all((0..12).map(|at| note(&format!("n{at:02}"), &format!("log {at}"), "The pump was seen to.")));
    store
}

fn ask(store: &TestStore, query: &str, agent: Option<&str>) -> RetrieveResponse {
    let agent_id = agent.map(str::to_owned);
    store.retrieve(&RetrieveRequest { agent_id, limit: 20, ..RetrieveRequest::new(query) }).unwrap()
}

fn judge(store: &TestStore, receipt_id: &str, cited: &[&str], misleading: &[&str]) {
    let list = |ids: &[&str]| Some(ids.iter().map(|&id| id.to_owned()).collect());
    let feedback = Feedback {
        receipt_id: receipt_id.to_owned(),
        cited: list(cited),
        misleading: list(misleading),
        ..Feedback::default()
    };
    store.feedback(&feedback).unwrap();
}

/// Asks as `agent` and cites one note; answers the receipt.
fn cite(store: &TestStore, query: &str, agent: Option<&str>, id: &str) -> String {
    let receipt = ask(store, query, agent).receipt_id;
    judge(store, &receipt, &[id], &[]);
    receipt
}

/// The association's reason for a note, if it has one.
fn association(answer: &RetrieveResponse, id: &str) -> Option<String> {
    let hit = answer.results.iter().find(|hit| hit.result.id == id)?;
    hit.reasons.iter().find(|reason| reason.starts_with("association")).cloned()
}

/// The strength with which a note is proposed by its traces.
fn recalled(store: &TestStore, query: &str, agent: Option<&str>, id: &str) -> f64 {
    let request =
        RetrieveRequest { agent_id: agent.map(str::to_owned), limit: 20, explain: true, ..RetrieveRequest::new(query) };
    let answer = store.retrieve(&request).unwrap();
    let Some(hit) = answer.results.iter().find(|hit| hit.result.id == id) else { return 0.0 };
    let scouts = &hit.explanation.as_ref().unwrap().scouts;
    scouts.iter().find(|scout| scout.scout == "scout_task_context").map_or(0.0, |scout| scout.raw)
}

#[test]
fn a_cited_note_is_proposed_first_for_a_reworded_query_and_an_uncited_one_is_not() {
    let store = store();
    cite(&store, ASKED, None, "n07");
    let answer = ask(&store, REWORDED, None);
    assert_eq!(answer.results[0].result.id, "n07");
    assert!(
        association(&answer, "n07").unwrap().starts_with("association: cited for a similar question, similarity 0.")
    );
    assert_eq!(association(&answer, "n03"), None);
}

#[test]
fn an_unlike_query_is_not_reminded() {
    let store = store();
    cite(&store, ASKED, None, "n07");
    assert_eq!(association(&ask(&store, "recipes for elderberry cake and the pump", None), "n07"), None);
}

#[test]
fn a_store_without_vectors_is_reminded_by_words() {
    let store = filled(TestStore::text_only());
    cite(&store, ASKED, None, "n07");
    assert!(recalled(&store, REWORDED, None, "n07") > 0.0);
    assert_eq!(recalled(&store, "a pump", None, "n03"), 0.0);
}

#[test]
fn a_completed_task_leaves_its_query_to_its_agents_later_tasks() {
    let store = store();
    let task = store.create_task(&TaskDraft { title: "look".into(), ..TaskDraft::default() }).unwrap();
    let request = RetrieveRequest {
        agent_id: Some("ann".into()),
        task_id: Some(task.id.clone()),
        limit: 20,
        ..RetrieveRequest::new(ASKED)
    };
    store.retrieve(&request).unwrap();
    let cited_nodes = Some(vec!["n07".to_owned()]);
    let completion =
        CompletionRequest { task_id: task.id, agent: "ann".into(), cited_nodes, ..CompletionRequest::default() };
    store.complete_task(&completion).unwrap();
    let reason = association(&ask(&store, REWORDED, Some("ann")), "n07").unwrap();
    assert!(reason.contains(ASKED), "{reason}");
}

#[test]
fn an_agents_query_leaves_no_trace_for_anyone_else() {
    let store = store();
    cite(&store, ASKED, Some("ann"), "n07");
    for other in [None, Some("bob")] {
        let answer = ask(&store, REWORDED, other);
        assert_eq!(association(&answer, "n07"), None);
        assert!(answer.skipped_scouts.iter().any(|scout| scout == "scout_task_context"), "{other:?}");
    }
    assert!(recalled(&store, REWORDED, Some("ann"), "n07") > 0.0);
}

#[test]
fn a_note_that_may_not_be_seen_is_not_recalled() {
    let store = store();
    cite(&store, ASKED, None, "n07");
    store.put(private("ann", note("n07", "log 7", "The pump was seen to."))).unwrap();
    let answer = ask(&store, REWORDED, Some("bob"));
    assert!(answer.results.iter().all(|hit| hit.result.id != "n07"));
    assert!(answer.skipped_scouts.iter().any(|scout| scout == "scout_task_context"));
}

#[test]
fn a_question_without_an_asker_is_not_shown_to_others() {
    let store = store();
    cite(&store, ASKED, None, "n07");
    let reason = association(&ask(&store, REWORDED, Some("bob")), "n07").unwrap();
    assert!(!reason.contains("lose"), "{reason}");
}

#[test]
fn a_misleading_verdict_on_a_like_query_weakens_the_trace() {
    let store = store();
    cite(&store, ASKED, None, "n07");
    let before = recalled(&store, REWORDED, None, "n07");
    let receipt = ask(&store, REWORDED, None).receipt_id;
    judge(&store, &receipt, &[], &["n07"]);
    let after = recalled(&store, REWORDED, None, "n07");
    assert!((after - before / 2.0).abs() < 1e-6, "{before} {after}");
}

#[test]
fn a_verdict_taken_back_is_as_if_it_had_not_been_given() {
    let store = store();
    let receipt = cite(&store, ASKED, None, "n07");
    judge(&store, &receipt, &[], &["n07"]);
    assert_eq!(store.learned().unwrap().traces, 0);
    judge(&store, &receipt, &["n07"], &[]);
    let once = recalled(&store, REWORDED, None, "n07");
    judge(&store, &receipt, &["n07"], &[]);
    assert_eq!((store.learned().unwrap().traces, recalled(&store, REWORDED, None, "n07")), (1, once));
    assert!(once > 0.0);
}

#[test]
fn bare_retrieves_and_ignored_notes_leave_no_traces() {
    let store = store();
    let receipt = ask(&store, ASKED, None).receipt_id;
    judge(&store, &receipt, &[], &[]);
    assert_eq!(store.learned().unwrap().traces, 0);
    assert_eq!(association(&ask(&store, REWORDED, None), "n07"), None);
}

#[test]
fn being_asked_again_does_not_strengthen_a_trace() {
    let store = store();
    cite(&store, ASKED, None, "n07");
    let before = recalled(&store, REWORDED, None, "n07");
    (0..5).for_each(|_| drop(ask(&store, ASKED, None)));
    assert_eq!(recalled(&store, REWORDED, None, "n07"), before);
}

#[test]
fn a_repeated_query_strengthens_its_trace_instead_of_making_another() {
    let store = store();
    cite(&store, ASKED, None, "n07");
    let once = recalled(&store, REWORDED, None, "n07");
    cite(&store, ASKED, None, "n07");
    assert_eq!(store.learned().unwrap().traces, 1);
    assert!(recalled(&store, REWORDED, None, "n07") > once);
}

#[test]
fn a_note_keeps_a_bounded_number_of_traces() {
    let store = TestStore::with(|config| config.memory.association.per_note = 3);
    store.put_all([note("a", "pump", "pump")]);
    for place in ["cellar", "garden", "attic", "harbour", "tower"] {
        cite(&store, &format!("pump {place} {place}"), None, "a");
    }
    assert_eq!(store.learned().unwrap().traces, 3);
}

#[test]
fn a_note_cited_for_everything_is_recalled_weakly() {
    let store = store();
    cite(&store, ASKED, None, "n07");
    let alone = recalled(&store, REWORDED, None, "n07");
    for query in
        ["who pays the pump's rent", "pump museum opening hours", "elderberry jam, pump, knitting", "dog at the pump"]
    {
        cite(&store, query, None, "n07");
    }
    assert!(recalled(&store, REWORDED, None, "n07") < alone / 2.0);
}

#[test]
fn traces_survive_reopening_and_answer_the_same() {
    let mut store = store();
    cite(&store, ASKED, None, "n07");
    cite(&store, "pump pressure gauge broken", Some("ann"), "n07");
    cite(&store, REWORDED, Some("ann"), "n02");
    let scores = |store: &TestStore| ["n07", "n02"].map(|id| recalled(store, REWORDED, Some("ann"), id));
    let before = scores(&store);
    store.reopen();
    assert_eq!(scores(&store), before);
    assert_eq!(store.learned().unwrap().traces, 3);
}

#[test]
fn a_deleted_notes_traces_go_with_it() {
    let mut store = store();
    cite(&store, ASKED, None, "n07");
    store.delete("n07").unwrap();
    assert_eq!(store.learned().unwrap().traces, 0);
    store.reopen();
    assert_eq!(store.learned().unwrap().traces, 0);
}

#[test]
fn a_trace_fades_and_is_forgotten_whether_or_not_the_store_was_maintained() {
    let store = store();
    cite(&store, ASKED, None, "n07");
    let fresh = recalled(&store, REWORDED, None, "n07");
    store.clock.advance_days(180.0);
    let faded = recalled(&store, REWORDED, None, "n07");
    assert!(faded > 0.0 && faded < fresh, "{fresh} {faded}");
    store.clock.advance_days(186.0);
    assert_eq!(recalled(&store, REWORDED, None, "n07"), 0.0);
    assert_eq!(store.maintain().unwrap().traces_evicted, 1);
    assert_eq!(store.learned().unwrap().traces, 0);
}
