//! Tasks: their states, and how closing one closes the loop.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note, of_task, private};
use terrace::{CompletionRequest, RetrieveRequest, TaskDraft, TaskStatus, Viewer};

const TASK: &str = "task-one";

fn store() -> TestStore {
    let store = TestStore::text_only();
    store.put_all(["a", "b", "c"].map(|id| note(id, &format!("pump {id}"), "")));
    open_task(&store, TASK);
    store
}

fn open_task(store: &TestStore, id: &str) {
    store.create_task(&TaskDraft { id: id.to_owned(), ..TaskDraft::default() }).unwrap();
}

fn retrieve(store: &TestStore, agent: &str, task: &str) -> String {
    let request = RetrieveRequest {
        agent_id: Some(agent.to_owned()),
        task_id: Some(task.to_owned()),
        ..RetrieveRequest::new("pump")
    };
    store.retrieve(&request).unwrap().receipt_id
}

fn list(ids: &[&str]) -> Option<Vec<String>> {
    Some(ids.iter().map(|&id| id.to_owned()).collect())
}

fn completion(agent: &str, cited: Option<Vec<String>>) -> CompletionRequest {
    CompletionRequest {
        task_id: TASK.to_owned(),
        agent: agent.to_owned(),
        cited_nodes: cited,
        ..CompletionRequest::default()
    }
}

fn cited(store: &TestStore, id: &str) -> u64 {
    store.node_stats(id, &Viewer::owner()).unwrap().cited_count
}

fn ignored(store: &TestStore, id: &str) -> u64 {
    store.node_stats(id, &Viewer::owner()).unwrap().ignored_count
}

fn status(store: &TestStore) -> TaskStatus {
    store.get_task(TASK).unwrap().status
}

#[test]
fn a_new_task_is_open_and_comes_back_as_it_was_made() {
    let store = store();
    let draft = TaskDraft {
        id: String::new(),
        title: "Fix the pump".into(),
        description: "It leaks".into(),
        agent: Some("ann".into()),
    };
    let made = store.create_task(&draft).unwrap();
    assert!(made.id.starts_with("task_") && made.id.len() == 17, "{}", made.id);
    assert_eq!((made.status, made.created_at, made.closed_at), (TaskStatus::Open, common::START, None));
    assert_eq!((&*made.title, &*made.description, made.agent.as_deref()), ("Fix the pump", "It leaks", Some("ann")));
    assert_eq!(store.get_task(&made.id).unwrap(), made);
}

#[test]
fn a_taken_task_id_is_a_conflict() {
    let store = store();
    let again = TaskDraft { id: TASK.to_owned(), ..TaskDraft::default() };
    assert_eq!(store.create_task(&again).unwrap_err().code(), "conflict");
}

#[test]
fn completing_closes_an_open_task_with_its_outcome() {
    let store = store();
    store.clock.advance_days(1.0);
    let request = CompletionRequest { outcome: Some("done".into()), ..completion("ann", None) };
    assert!(store.complete_task(&request).unwrap().success);
    let task = store.get_task(TASK).unwrap();
    assert_eq!((task.status, task.outcome.as_deref()), (TaskStatus::Completed, Some("done")));
    assert_eq!(task.closed_at, Some(common::START.plus_days(1.0)));
}

#[test]
fn an_unknown_or_closed_task_is_task_not_found_and_nothing_changes() {
    let store = store();
    retrieve(&store, "ann", TASK);
    let unknown = CompletionRequest { task_id: "nobody-knows".into(), ..completion("ann", list(&["a"])) };
    assert_eq!(store.complete_task(&unknown).unwrap_err().code(), "task_not_found");
    store.cancel_task(TASK).unwrap();
    assert_eq!(store.complete_task(&completion("ann", list(&["a"]))).unwrap_err().code(), "task_not_found");
    assert_eq!(store.cancel_task(TASK).unwrap_err().code(), "task_not_found");
    assert_eq!((status(&store), cited(&store, "a")), (TaskStatus::Cancelled, 0));
}

#[test]
fn a_completed_task_cannot_be_completed_or_cancelled() {
    let store = store();
    store.complete_task(&completion("ann", None)).unwrap();
    assert_eq!(store.complete_task(&completion("ann", None)).unwrap_err().code(), "task_not_found");
    assert_eq!(store.cancel_task(TASK).unwrap_err().code(), "task_not_found");
    assert_eq!(status(&store), TaskStatus::Completed);
}

#[test]
fn closed_tasks_reopen_and_open_ones_do_not() {
    let store = store();
    assert_eq!(store.reopen_task(TASK).unwrap_err().code(), "conflict");
    store.cancel_task(TASK).unwrap();
    assert_eq!(store.reopen_task(TASK).unwrap().status, TaskStatus::Open);
    store.complete_task(&CompletionRequest { outcome: Some("x".into()), ..completion("ann", None) }).unwrap();
    let again = store.reopen_task(TASK).unwrap();
    assert_eq!((again.status, again.outcome, again.closed_at), (TaskStatus::Open, None, None));
    assert_eq!(store.reopen_task("nobody-knows").unwrap_err().code(), "task_not_found");
}

#[test]
fn tasks_are_listed_newest_first_and_by_status() {
    let store = store();
    open_task(&store, "task-two");
    store.cancel_task(TASK).unwrap();
    let ids = |status| store.list_tasks(status).unwrap().into_iter().map(|task| task.id).collect::<Vec<_>>();
    assert_eq!(ids(None), ["task-two", TASK]);
    assert_eq!(ids(Some(TaskStatus::Cancelled)), [TASK]);
    assert!(ids(Some(TaskStatus::Completed)).is_empty());
}

#[test]
fn a_unique_beginning_of_six_characters_stands_for_a_task() {
    let store = store();
    assert_eq!(store.get_task("task-o").unwrap().id, TASK);
    assert_eq!(store.get_task("task-").unwrap_err().code(), "task_not_found");
    open_task(&store, "task-other");
    assert_eq!(store.get_task("task-o").unwrap_err().code(), "task_not_found");
}

#[test]
fn neither_list_closes_the_task_and_learns_nothing() {
    let store = store();
    retrieve(&store, "ann", TASK);
    let answer = store.complete_task(&completion("ann", None)).unwrap();
    assert!(answer.success && !answer.feedback.feedback_applied);
    assert_eq!((status(&store), ignored(&store, "a")), (TaskStatus::Completed, 0));
}

#[test]
fn the_newest_receipt_of_the_task_and_agent_is_judged() {
    let store = store();
    let request = |query: &str| RetrieveRequest {
        agent_id: Some("ann".into()),
        task_id: Some(TASK.into()),
        ..RetrieveRequest::new(query)
    };
    store.retrieve(&request("pump a")).unwrap();
    store.put(note("late", "pump late", "")).unwrap();
    let newest = store.retrieve(&RetrieveRequest { limit: 1, ..request("late") }).unwrap();
    assert_eq!(common::ids(&newest), ["late"]);
    retrieve(&store, "bob", TASK);
    let answer = store.complete_task(&completion("ann", list(&["late", "a"]))).unwrap().feedback;
    assert_eq!(answer.applied.cited, ["late"]);
    assert_eq!(answer.dropped.iter().map(|node| &*node.id).collect::<Vec<_>>(), ["a"]);
    assert!(answer.applied.ignored.is_empty());
}

#[test]
fn without_any_receipt_the_task_closes_and_the_answer_says_that_nothing_was_applied() {
    let store = store();
    retrieve(&store, "bob", TASK);
    let answer = store.complete_task(&completion("ann", list(&["a"]))).unwrap();
    assert!(answer.success && !answer.feedback.feedback_applied);
    assert_eq!((status(&store), cited(&store, "a")), (TaskStatus::Completed, 0));
}

#[test]
fn a_named_receipt_of_the_task_is_judged_whoever_asked() {
    let store = store();
    let receipt = retrieve(&store, "bob", TASK);
    let request = CompletionRequest { receipt_id: Some(receipt), ..completion("ann", list(&["a"])) };
    assert!(store.complete_task(&request).unwrap().feedback.feedback_applied);
    assert_eq!((cited(&store, "a"), ignored(&store, "b")), (1, 1));
}

#[test]
fn a_receipt_of_another_task_is_receipt_not_found_and_the_task_stays_open() {
    let store = store();
    open_task(&store, "task-two");
    let of_other = retrieve(&store, "ann", "task-two");
    let of_none = store.retrieve(&RetrieveRequest::new("pump")).unwrap().receipt_id;
    for receipt in [of_other, of_none, "rcpt_000000000000".to_owned(), String::new()] {
        let request = CompletionRequest { receipt_id: Some(receipt), ..completion("ann", list(&["a"])) };
        assert_eq!(store.complete_task(&request).unwrap_err().code(), "receipt_not_found");
    }
    assert_eq!((status(&store), cited(&store, "a")), (TaskStatus::Open, 0));
}

#[test]
fn a_wrong_receipt_is_refused_even_without_lists() {
    let store = store();
    let request = CompletionRequest { receipt_id: Some("rcpt_000000000000".into()), ..completion("ann", None) };
    assert_eq!(store.complete_task(&request).unwrap_err().code(), "receipt_not_found");
    assert_eq!(status(&store), TaskStatus::Open);
}

#[test]
fn a_task_completed_by_its_beginning_judges_its_own_receipts() {
    let store = store();
    retrieve(&store, "ann", "task-o");
    let request = CompletionRequest { task_id: "task-o".into(), ..completion("ann", list(&["a"])) };
    assert!(store.complete_task(&request).unwrap().feedback.feedback_applied);
    assert_eq!(cited(&store, "a"), 1);
}

#[test]
fn a_retrieve_that_failed_does_not_hide_the_receipt_that_answered() {
    let store = store();
    retrieve(&store, "ann", TASK);
    let failing = RetrieveRequest {
        agent_id: Some("ann".into()),
        task_id: Some(TASK.into()),
        limit: 0,
        ..RetrieveRequest::new("pump")
    };
    store.retrieve(&failing).unwrap_err();
    let answer = store.complete_task(&completion("ann", list(&["a"]))).unwrap().feedback;
    assert!(answer.feedback_applied, "{answer:?}");
    assert_eq!(cited(&store, "a"), 1);
}

#[test]
fn a_reopened_task_can_be_judged_again_and_the_same_verdict_counts_once() {
    let store = store();
    retrieve(&store, "ann", TASK);
    store.complete_task(&completion("ann", list(&["a"]))).unwrap();
    store.reopen_task(TASK).unwrap();
    let again = store.complete_task(&completion("ann", list(&["a"]))).unwrap();
    assert!(again.success && !again.feedback.feedback_applied);
    assert_eq!((cited(&store, "a"), status(&store)), (1, TaskStatus::Completed));
}

#[test]
fn cancelling_learns_nothing() {
    let store = store();
    retrieve(&store, "ann", TASK);
    store.cancel_task(TASK).unwrap();
    assert_eq!(ignored(&store, "a"), 0);
}

#[test]
fn the_answer_has_the_keys_of_the_contract() {
    let store = store();
    retrieve(&store, "ann", TASK);
    let answer = store.complete_task(&completion("ann", list(&["a", "stranger"]))).unwrap();
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(json["success"], true);
    assert_eq!(json["unblocked"], serde_json::json!([]));
    assert_eq!(json["feedback_applied"], true);
    assert_eq!(json["applied"]["cited"], serde_json::json!(["a"]));
    assert_eq!(json["applied"]["misleading"], serde_json::json!([]));
    assert_eq!(json["applied"]["ignored"].as_array().unwrap().len(), 2);
    assert_eq!(json["dropped"][0]["id"], "stranger");
    assert!(json["dropped"][0]["why"].is_string());
}

#[test]
fn findings_come_back_in_order_and_hide_notes_the_reader_cannot_see() {
    let store = store();
    store.put(private("ann", note("secret", "secret", ""))).unwrap();
    store.post_finding(TASK, "ann", "the seal is worn", Some("a")).unwrap();
    store.post_finding(TASK, "ann", "and more", Some("secret")).unwrap();
    let notes = |viewer: &Viewer| {
        let found = store.list_findings(TASK, viewer).unwrap();
        found.into_iter().map(|finding| finding.note_id).collect::<Vec<_>>()
    };
    assert_eq!(notes(&Viewer::agent("ann")), [Some("a".to_owned()), Some("secret".to_owned())]);
    assert_eq!(notes(&Viewer::agent("bob")), [Some("a".to_owned()), None]);
}

#[test]
fn a_task_that_is_closed_is_not_called_missing() {
    let store = store();
    store.cancel_task(TASK).unwrap();
    let error = store.cancel_task(TASK).unwrap_err();
    assert_eq!(error.code(), "task_not_found");
    assert!(error.to_string().contains("is cancelled") && error.to_string().contains("reopen"), "{error}");
    let error = store.reopen_task("nope").unwrap_err();
    assert!(error.to_string().contains("there is no task \"nope\""), "{error}");
}

#[test]
fn a_finding_on_a_hidden_note_is_refused_as_one_on_a_note_that_is_not_there() {
    let store = store();
    store.put(private("ann", note("secret", "secret", ""))).unwrap();
    store.put(of_task(TASK, note("ours", "ours", ""))).unwrap();
    let post = |agent: &str, id: &str| store.post_finding(TASK, agent, "x", Some(id));
    let refused = |id: &str| post("bob", id).unwrap_err().to_string().replace(id, "ID");
    assert_eq!(post("bob", "secret").unwrap_err().code(), "doc_not_found");
    assert_eq!(refused("secret"), refused("stranger"));
    assert_eq!(post("bob", "ours").unwrap().note_id.as_deref(), Some("ours"));
    assert_eq!(post("ann", "secret").unwrap().note_id.as_deref(), Some("secret"));
}

#[test]
fn a_finding_needs_its_task_its_note_and_a_summary() {
    let store = store();
    let code = |task: &str, summary: &str, note| store.post_finding(task, "ann", summary, note).unwrap_err().code();
    assert_eq!(code("nobody-knows", "x", None), "task_not_found");
    assert_eq!(code(TASK, "x", Some("stranger")), "doc_not_found");
    assert_eq!(code(TASK, " \n", None), "invalid_input");
}

#[test]
fn a_tasks_notes_are_proposed_by_the_task_scout_authored_before_found() {
    let store = store();
    store.put(of_task(TASK, note("mine", "unrelated words", ""))).unwrap();
    store.post_finding(TASK, "ann", "look here", Some("c")).unwrap();
    let request = RetrieveRequest { task_id: Some(TASK.into()), ..RetrieveRequest::default() };
    let answer = store.retrieve(&request).unwrap();
    let by_task: Vec<&str> = answer
        .results
        .iter()
        .filter(|hit| hit.scouts.iter().any(|scout| scout == "scout_task_context"))
        .map(|hit| &*hit.result.id)
        .collect();
    assert_eq!(by_task, ["mine", "c"]);
}
