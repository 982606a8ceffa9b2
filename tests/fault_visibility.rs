//! Field fault about scope: one of several ways in forgets who is asking. https://github.com/rohitg00/agentmemory/issues/817
//!
//! Two stores are made alike, but that in one of them agent A also keeps a private note, linked with everything else. As
//! agent B (and as nobody) every public call that reads must answer the same on both, term statistics aside.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::{START, TestStore, note, private};
use serde_json::{Value, json};
use terrace::{
    CacheLookup, CompletionRequest, EdgeDraft, EdgeFilter, Engine, Feedback, Note, ReceiptFilter, RetrieveRequest,
    SearchMode, SearchRequest, TaskDraft, Viewer,
};

const MARKER: &str = "SECRET_MARKER";
const SECRET_ID: &str = "zz-private-note-of-a";
const TASK: &str = "task-shared-by-all";

fn secret() -> Note {
    private(
        "agent-a",
        Note {
            tags: vec!["secret-tag".into(), "water".into()],
            aliases: vec!["The hidden pump".into()],
            path: Some("hidden/secret_marker.md".into()),
            namespace: "default".into(),
            links: vec!["shared-1".into(), "Pump log two".into()],
            source_url: Some("https://example.org/hidden".into()),
            source: Some(TASK.into()),
            derived_from_ids: vec!["shared-1".into()],
            expires_at: Some(START.plus_days(1.0)),
            ..note(SECRET_ID, &format!("{MARKER} pump"), &format!("{MARKER} the pump code is 1234, see [[shared-2]]"))
        },
    )
}

/// A store in which A has retrieved, cited, related and contradicted; with the private note or without it.
fn twin(with_secret: bool) -> TestStore {
    let store = TestStore::embedded();
    store.put_all([
        note("shared-1", "Pump log one", "the pump was primed"),
        Note {
            links: vec![SECRET_ID.into(), "hidden/secret_marker.md".into()],
            ..note("shared-2", "Pump log two", "the valve was opened")
        },
        Note {
            derived_from_ids: vec![SECRET_ID.into(), "shared-1".into()],
            supersedes: Some("shared-1".into()),
            tags: vec!["water".into()],
            source_url: Some("https://example.org/open".into()),
            ..note("shared-3", "Pump log three", "the cistern was filled")
        },
        private("agent-b", note("own-of-b", "Pump notes of B", "the pump as B knows it")),
    ]);
    if with_secret {
        store.put(secret()).unwrap();
    }
    store.create_task(&TaskDraft { id: TASK.into(), title: "Water".into(), ..TaskDraft::default() }).unwrap();
    store.edge_upsert(&EdgeDraft::new("shared-1", "contradicts", "shared-2")).unwrap();
    if with_secret {
        store.edge_upsert(&EdgeDraft::new(SECRET_ID, "contradicts", "shared-1")).unwrap();
        store.edge_upsert(&EdgeDraft::new("shared-2", "related_to", SECRET_ID)).unwrap();
        store.post_finding(TASK, "agent-a", "the pump has a code", Some(SECRET_ID)).unwrap();
    } else {
        store.post_finding(TASK, "agent-a", "the pump has a code", None).unwrap();
    }
    for query in ["pump", "pump log", "SECRET_MARKER code"] {
        let request = RetrieveRequest {
            agent_id: Some("agent-a".into()),
            task_id: Some(TASK.into()),
            surface_conflicts: true,
            ..RetrieveRequest::new(query)
        };
        let answer = store.retrieve(&request).unwrap();
        let seen = common::ids(&answer).contains(&SECRET_ID.to_owned());
        assert_eq!(seen, with_secret, "A sees its own note");
        let cited = Some(vec!["shared-1".to_owned(), "shared-3".to_owned(), SECRET_ID.to_owned()]);
        store
            .feedback(&Feedback { receipt_id: answer.receipt_id, cited, misleading: None, ..Feedback::default() })
            .unwrap();
    }
    store
}

/// Someone who must not see A's note.
#[derive(Clone, Copy, Debug)]
struct Asker {
    agent: Option<&'static str>,
    task: Option<&'static str>,
}

impl Asker {
    fn viewer(self) -> Viewer {
        let viewer = self.agent.map_or_else(Viewer::anyone, Viewer::agent);
        match self.task {
            Some(task) => viewer.on_task(task),
            None => viewer,
        }
    }

    fn agent_id(self) -> Option<String> {
        self.agent.map(str::to_owned)
    }

    fn task_id(self) -> Option<String> {
        self.task.map(str::to_owned)
    }
}

const ASKERS: [Asker; 3] = [
    Asker { agent: Some("agent-b"), task: None },
    Asker { agent: Some("agent-b"), task: Some(TASK) },
    Asker { agent: None, task: None },
];

/// What a call answers, or the code and words of its refusal.
fn shown<T: serde::Serialize>(answer: terrace::Result<T>) -> Value {
    match answer {
        Ok(answer) => serde_json::to_value(answer).unwrap(),
        Err(error) => serde_json::to_value(error).unwrap(),
    }
}

type Read = fn(&Engine, Asker) -> Vec<Value>;

const QUERIES: [&str; 8] = [
    "pump",
    "SECRET_MARKER",
    "the pump code is 1234",
    "zz-private-note-of-a",
    "zz-priv",
    "hidden/secret_marker.md",
    "The hidden pump",
    "secret-tag today",
];

/// Every public call of the engine that gives back content, by name.
const READS: [(&str, Read); 9] = [
    ("retrieve", |engine, asker| {
        let ask = |request: RetrieveRequest| {
            let request = RetrieveRequest {
                agent_id: asker.agent_id(),
                task_id: asker.task_id(),
                surface_conflicts: true,
                explain: true,
                include_inactive: true,
                limit: 100,
                ..request
            };
            shown(engine.retrieve(&request))
        };
        let mut answers: Vec<Value> = QUERIES.iter().map(|query| ask(RetrieveRequest::new(*query))).collect();
        for tag in ["water", "secret-tag"] {
            answers.push(ask(RetrieveRequest { tags: vec![tag.into()], ..RetrieveRequest::default() }));
        }
        answers.push(ask(RetrieveRequest { path_prefix: Some("hidden".into()), ..RetrieveRequest::default() }));
        answers
            .push(ask(RetrieveRequest { namespace_filter: Some(vec!["**".into()]), ..RetrieveRequest::new("pump") }));
        answers
    }),
    ("search", |engine, asker| {
        let mut answers = Vec::new();
        for mode in [SearchMode::Hybrid, SearchMode::Fulltext, SearchMode::Semantic, SearchMode::Graph] {
            for query in QUERIES {
                let request = SearchRequest {
                    mode,
                    agent_id: asker.agent_id(),
                    task_id: asker.task_id(),
                    limit: 100,
                    ..SearchRequest::new(query)
                };
                answers.push(shown(engine.search(&request)));
                let request = SearchRequest { tags: vec!["secret-tag".into()], ..request };
                answers.push(shown(engine.search(&request)));
            }
        }
        answers
    }),
    ("cache_lookup", |engine, asker| {
        let mut answers = Vec::new();
        for query in QUERIES {
            for url in [None, Some("https://example.org/hidden"), Some("https://example.org/open")] {
                for max_age_hours in [None, Some(0.001)] {
                    let lookup = CacheLookup {
                        query: query.into(),
                        source_url: url.map(str::to_owned),
                        max_age_hours,
                        agent_id: asker.agent_id(),
                        task_id: asker.task_id(),
                        ..CacheLookup::default()
                    };
                    answers.push(shown(engine.cache_lookup(&lookup)));
                }
            }
        }
        answers
    }),
    ("get", |engine, asker| {
        // Not shared-3: it names an id that is a note in one twin and none in the other, and ids of no note are kept.
        [SECRET_ID, "zz-priv", "shared-1", "own-of-b"].map(|id| shown(engine.get(id, &asker.viewer()))).to_vec()
    }),
    ("node_stats", |engine, asker| {
        [SECRET_ID, "shared-1", "own-of-b"].map(|id| shown(engine.node_stats(id, &asker.viewer()))).to_vec()
    }),
    ("edge_list", |engine, asker| {
        let node = |id: &str| Some(id.to_owned());
        let filters = [
            EdgeFilter::default(),
            EdgeFilter { node_id: node(SECRET_ID), ..EdgeFilter::default() },
            EdgeFilter { from_id: node(SECRET_ID), ..EdgeFilter::default() },
            EdgeFilter { to_id: node(SECRET_ID), ..EdgeFilter::default() },
            EdgeFilter { node_id: node("shared-1"), ..EdgeFilter::default() },
            EdgeFilter { edge_type: Some("contradicts".into()), ..EdgeFilter::default() },
        ];
        let mut answers = Vec::new();
        for filter in filters {
            for include_derived in [false, true] {
                let filter = EdgeFilter { include_derived, ..filter.clone() };
                answers.push(shown(engine.edge_list(&filter, &asker.viewer())));
            }
        }
        answers
    }),
    ("receipt", |engine, asker| {
        // The ids as the owner knows them, so that B cannot do better.
        let all = engine.receipts(&ReceiptFilter { limit: 100, ..ReceiptFilter::default() }, &Viewer::owner()).unwrap();
        all.iter().map(|receipt| shown(engine.receipt(&receipt.id, &asker.viewer()))).collect()
    }),
    ("receipts", |engine, asker| {
        let filters = [
            ReceiptFilter::default(),
            ReceiptFilter { agent_id: Some("agent-a".into()), ..ReceiptFilter::default() },
            ReceiptFilter { task_id: Some(TASK.into()), ..ReceiptFilter::default() },
            ReceiptFilter { limit: 1, offset: 1, ..ReceiptFilter::default() },
        ];
        filters.iter().map(|filter| shown(engine.receipts(filter, &asker.viewer()))).collect()
    }),
    ("list_findings", |engine, asker| vec![shown(engine.list_findings(TASK, &asker.viewer()))]),
];

/// Public calls that are not in the table, and why: writes; calls that only the store's owner makes, which give figures
/// of the whole store; and calls that give back no notes.
const NOT_READS: [&str; 30] = [
    // Writing: the caller gives content, and gets back what it gave.
    "put",
    "put_with_vector",
    "put_many",
    "put_many_with_vectors",
    "delete",
    "rename",
    "edge_upsert",
    "edge_delete",
    "conflict_resolve",
    "create_task",
    "cancel_task",
    "reopen_task",
    "post_finding",
    "complete_task",
    "feedback",
    "restore",
    // The owner's administration.
    "open",
    "maintain",
    "rebuild",
    "projections",
    "check",
    "stats",
    "learned",
    "export_learned",
    "reset_learned",
    "replay",
    "config",
    // No notes in them.
    "capabilities",
    "get_task",
    "list_tasks",
];

/// The names of the public methods of `Engine`, read from the sources.
fn public_methods(dir: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            public_methods(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let mut of_engine = false;
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                if line.starts_with("impl") {
                    let subject = line.trim_end_matches([' ', '{']);
                    of_engine = subject.ends_with("Engine") && !subject.contains(" for ");
                } else if line.starts_with('}') {
                    of_engine = false;
                }
                let signature = line.strip_prefix("    pub fn ").or_else(|| line.strip_prefix("    pub async fn "));
                if let Some(signature) = signature.filter(|_| of_engine) {
                    let name = signature.split(['(', '<']).next().unwrap_or_default();
                    found.insert(name.to_owned());
                }
            }
        }
    }
}

#[test]
fn every_public_call_is_in_the_table_or_known_not_to_read() {
    // A new way in fails here until someone has said who may see what. https://github.com/rohitg00/agentmemory/issues/817
    let mut found = BTreeSet::new();
    public_methods(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 30, "the scan finds the methods: {found:?}");
    let known: BTreeSet<String> = READS.iter().map(|(name, _)| *name).chain(NOT_READS).map(str::to_owned).collect();
    let unknown: Vec<&String> = found.difference(&known).collect();
    assert!(unknown.is_empty(), "add {unknown:?} to READS with a call as B, or to NOT_READS with the reason");
    let gone: Vec<&String> = known.difference(&found).collect();
    assert!(gone.is_empty(), "no longer there: {gone:?}");
}

/// The answer without what term statistics and the stopwatch move: scores, and numbers within reasons.
fn without_statistics(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            // Ids of edges and their order say only how many were made before.
            let dropped = [
                "score",
                "features",
                "timings",
                "temperature",
                "explanation",
                "usage_score",
                "terrace_reached",
                "edge_id",
            ];
            let kept = map.iter().filter(|(key, _)| !dropped.contains(&key.as_str()));
            Value::Object(kept.map(|(key, value)| (key.clone(), without_statistics(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_statistics).collect()),
        Value::String(text) => {
            let blurred: String =
                text.chars().map(|c| if c.is_ascii_digit() && text.contains(' ') { '0' } else { c }).collect();
            json!(blurred)
        }
        other => other.clone(),
    }
}

/// Results by id: which stands above which may turn on term statistics.
fn in_order_of_id(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.iter_mut().for_each(in_order_of_id);
            items.sort_by_key(|item| ["id", "from_id", "to_id", "type"].map(|key| item.get(key).map(Value::to_string)));
        }
        Value::Object(map) => map.values_mut().for_each(in_order_of_id),
        _ => {}
    }
}

#[test]
fn no_public_read_shows_b_that_a_has_a_private_note() {
    // Not in a result, count, snippet, reason or refusal. https://github.com/rohitg00/agentmemory/issues/817
    for asker in ASKERS {
        let (with, without) = (twin(true), twin(false));
        for (name, read) in READS {
            let (seen, expected) = (read(&with, asker), read(&without, asker));
            assert_eq!(seen.len(), expected.len(), "{name} {asker:?}");
            for (at, (seen, expected)) in seen.iter().zip(&expected).enumerate() {
                let (mut seen, mut expected) = (without_statistics(seen), without_statistics(expected));
                in_order_of_id(&mut seen);
                in_order_of_id(&mut expected);
                assert_eq!(seen, expected, "{name}, probe {at}, {asker:?}");
            }
        }
    }
}

#[test]
fn a_note_that_b_gets_does_not_name_a_note_hidden_from_b() {
    let store = twin(true);
    store.put(Note { supersedes: Some(SECRET_ID.into()), ..note("shared-4", "Pump log four", "") }).unwrap();
    for asker in ASKERS {
        let three = store.get("shared-3", &asker.viewer()).unwrap();
        assert_eq!((three.derived_from_ids, three.supersedes), (vec!["shared-1".into()], Some("shared-1".into())));
        assert_eq!(store.get("shared-4", &asker.viewer()).unwrap().supersedes, None);
    }
    for viewer in [Viewer::owner(), Viewer::agent("agent-a")] {
        assert_eq!(store.get("shared-3", &viewer).unwrap().derived_from_ids, [SECRET_ID, "shared-1"]);
        assert_eq!(store.get("shared-4", &viewer).unwrap().supersedes.as_deref(), Some(SECRET_ID));
    }
}

#[test]
fn ids_of_no_note_come_back_as_they_were_put() {
    let store = twin(false);
    let three = store.get("shared-3", &Viewer::anyone()).unwrap();
    assert_eq!(three.derived_from_ids, [SECRET_ID, "shared-1"]);
}

#[test]
fn no_answer_to_b_holds_the_marker() {
    // But where B said it first. https://github.com/rohitg00/agentmemory/issues/817
    for asker in ASKERS {
        let store = twin(true);
        for (name, read) in READS {
            for (at, answer) in read(&store, asker).into_iter().enumerate() {
                let mut answer = answer;
                forget_what_was_said(&mut answer);
                let text = answer.to_string();
                assert!(!text.contains(MARKER) && !text.contains("1234"), "{name}, probe {at}, {asker:?}: {text}");
            }
        }
    }
}

/// Receipts repeat their query. The digits of a score are nobody's secret, whichever they are.
fn forget_what_was_said(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("query");
            map.values_mut().for_each(forget_what_was_said);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_what_was_said),
        Value::Number(_) => *value = Value::Null,
        _ => {}
    }
}

#[test]
fn the_owner_of_the_private_note_sees_it_in_every_read() {
    // Else the tests above would pass on an empty answer. https://github.com/rohitg00/agentmemory/issues/817
    let store = twin(true);
    let a = Asker { agent: Some("agent-a"), task: None };
    for (name, read) in READS {
        let text = read(&store, a).iter().map(Value::to_string).collect::<String>();
        assert!(text.contains(MARKER) || text.contains(SECRET_ID), "{name}: {text}");
    }
}

#[test]
fn completing_a_task_judges_only_what_its_agent_was_shown() {
    // B's verdict cannot reach A's note by naming it. https://github.com/rohitg00/agentmemory/issues/817
    let store = twin(true);
    let before = store.node_stats(SECRET_ID, &Viewer::owner()).unwrap();
    let request = RetrieveRequest {
        agent_id: Some("agent-b".into()),
        task_id: Some(TASK.into()),
        ..RetrieveRequest::new("SECRET_MARKER pump")
    };
    store.retrieve(&request).unwrap();
    let completion = CompletionRequest {
        task_id: TASK.into(),
        agent: "agent-b".into(),
        misleading_nodes: Some(vec![SECRET_ID.into()]),
        ..CompletionRequest::default()
    };
    let done = store.complete_task(&completion).unwrap();
    assert!(!done.feedback.feedback_applied);
    assert_eq!(done.feedback.dropped[0].why, "not among the receipt's results");
    assert_eq!(store.node_stats(SECRET_ID, &Viewer::owner()).unwrap(), before);
}

#[test]
fn judging_a_shared_tasks_receipt_neither_names_nor_moves_what_the_judge_cannot_see() {
    let store = twin(true);
    let request = RetrieveRequest {
        agent_id: Some("agent-a".into()),
        task_id: Some(TASK.into()),
        ..RetrieveRequest::new("pump code")
    };
    let receipt_id = store.retrieve(&request).unwrap().receipt_id;
    let before = store.node_stats(SECRET_ID, &Viewer::owner()).unwrap();
    let completion = CompletionRequest {
        task_id: TASK.into(),
        agent: "agent-b".into(),
        misleading_nodes: Some(vec![SECRET_ID.into()]),
        cited_nodes: Some(vec!["shared-1".into()]),
        receipt_id: Some(receipt_id),
        ..CompletionRequest::default()
    };
    let feedback = store.complete_task(&completion).unwrap().feedback;
    assert_eq!(feedback.dropped.len(), 1);
    assert_eq!(feedback.dropped[0].why, "not among the receipt's results");
    assert_eq!(feedback.applied.cited, ["shared-1"]);
    assert!(!feedback.applied.ignored.contains(&SECRET_ID.to_owned()) && feedback.applied.misleading.is_empty());
    assert_eq!(store.node_stats(SECRET_ID, &Viewer::owner()).unwrap(), before);
}

#[test]
fn a_deleted_note_of_anothers_receipt_was_never_there_to_who_could_not_see_it() {
    let store = twin(true);
    let request = RetrieveRequest {
        agent_id: Some("agent-a".into()),
        task_id: Some(TASK.into()),
        ..RetrieveRequest::new("pump code")
    };
    let receipt_id = store.retrieve(&request).unwrap().receipt_id;
    store.delete(SECRET_ID).unwrap();
    let completion = CompletionRequest {
        task_id: TASK.into(),
        agent: "agent-b".into(),
        cited_nodes: Some(vec![SECRET_ID.into()]),
        receipt_id: Some(receipt_id),
        ..CompletionRequest::default()
    };
    let feedback = store.complete_task(&completion).unwrap().feedback;
    assert_eq!(feedback.dropped[0].why, "not among the receipt's results");
}

#[test]
fn an_agent_cannot_judge_another_agents_receipt() {
    let store = twin(true);
    let request = RetrieveRequest { agent_id: Some("agent-a".into()), ..RetrieveRequest::new("pump") };
    let receipt_id = store.retrieve(&request).unwrap().receipt_id;
    let judging = |agent: &str| {
        let cited = Some(vec!["shared-1".to_owned()]);
        store.feedback(&Feedback {
            receipt_id: receipt_id.clone(),
            agent_id: Some(agent.to_owned()),
            cited,
            ..Feedback::default()
        })
    };
    assert_eq!(judging("agent-b").unwrap_err().code(), "receipt_not_found");
    assert!(judging("agent-a").unwrap().feedback_applied);
}
