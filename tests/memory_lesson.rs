//! Learning from a query whose vector takes its time.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{TestStore, note};
use terrace::embed::{Embedder, EmbedderIdentity};
use terrace::{CompletionRequest, EmbedderChoice, Feedback, RetrieveRequest, TaskDraft};

/// How long a writer may take before it counts as held up.
const PATIENCE: Duration = Duration::from_secs(20);

/// The embedder's side: it says that it embeds a query, hears that a writer has written, and says whether it heard so.
struct Meeting {
    embedding: Sender<()>,
    written: Receiver<()>,
    heard: Sender<bool>,
}

/// An embedder whose next query takes as long as somebody else's write, once a meeting is arranged.
struct Slow {
    identity: EmbedderIdentity,
    meeting: Arc<Mutex<Option<Meeting>>>,
}

impl Embedder for Slow {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn embed_passages(&self, texts: &[&str]) -> terrace::Result<Vec<Option<Vec<f32>>>> {
        Ok(vec![Some(vec![1.0, 0.0]); texts.len()])
    }

    fn embed_query(&self, _: &str) -> terrace::Result<Option<Vec<f32>>> {
        let meeting = self.meeting.lock().unwrap().take();
        if let Some(meeting) = meeting {
            meeting.embedding.send(()).unwrap();
            meeting.heard.send(meeting.written.recv_timeout(PATIENCE).is_ok()).unwrap();
        }
        Ok(Some(vec![1.0, 0.0]))
    }
}

fn slow() -> (TestStore, Arc<Mutex<Option<Meeting>>>) {
    let meeting = Arc::new(Mutex::new(None));
    let identity = EmbedderIdentity { name: "slow".into(), hash: "1".into(), dims: 2 };
    let embedder = Slow { identity, meeting: Arc::clone(&meeting) };
    let store = TestStore::with(|config| config.embedder = EmbedderChoice::Custom(Arc::new(embedder)));
    store.put(note("a", "pump", "The pump of a")).unwrap();
    (store, meeting)
}

/// Whether a note can be put while `judge` embeds the query that it judges.
fn a_writer_gets_in(store: &TestStore, meeting: &Mutex<Option<Meeting>>, judge: impl FnOnce() + Send) -> bool {
    let (embedding, embeds) = channel();
    let (wrote, written) = channel();
    let (heard, hears) = channel();
    *meeting.lock().unwrap() = Some(Meeting { embedding, written, heard });
    let engine: &terrace::Engine = store;
    std::thread::scope(|threads| {
        threads.spawn(judge);
        embeds.recv_timeout(PATIENCE).unwrap();
        engine.put(note("b", "valve", "The valve of b")).unwrap();
        // A writer that was held up comes too late to be heard.
        let _ = wrote.send(());
    });
    hears.recv().unwrap()
}

#[test]
fn a_note_is_put_while_feedback_embeds_the_query_it_judges() {
    let (store, meeting) = slow();
    let receipt_id = store.retrieve(&RetrieveRequest::new("pump")).unwrap().receipt_id;
    let feedback = Feedback { receipt_id, cited: Some(vec!["a".into()]), misleading: None, ..Feedback::default() };
    let engine: &terrace::Engine = &store;
    assert!(a_writer_gets_in(&store, &meeting, || drop(engine.feedback(&feedback).unwrap())));
    assert_eq!(store.learned().unwrap().traces, 1);
}

#[test]
fn a_note_is_put_while_a_completion_embeds_the_query_it_judges() {
    let (store, meeting) = slow();
    let task = store.create_task(&TaskDraft { title: "look".into(), ..TaskDraft::default() }).unwrap();
    let request = RetrieveRequest {
        agent_id: Some("ann".into()),
        task_id: Some(task.id.clone()),
        ..RetrieveRequest::new("pump")
    };
    store.retrieve(&request).unwrap();
    let completion = CompletionRequest {
        task_id: task.id,
        agent: "ann".into(),
        cited_nodes: Some(vec!["a".into()]),
        ..CompletionRequest::default()
    };
    let engine: &terrace::Engine = &store;
    assert!(a_writer_gets_in(&store, &meeting, || drop(engine.complete_task(&completion).unwrap())));
    assert_eq!(store.learned().unwrap().traces, 1);
}

#[test]
fn a_judgement_that_names_no_note_of_its_receipt_embeds_nothing() {
    let (store, meeting) = slow();
    let receipt_id = store.retrieve(&RetrieveRequest::new("pump")).unwrap().receipt_id;
    let (embedding, embeds) = channel();
    *meeting.lock().unwrap() = Some(Meeting { embedding, written: channel().1, heard: channel().0 });
    for cited in [vec![], vec!["stranger".to_owned()]] {
        store
            .feedback(&Feedback {
                receipt_id: receipt_id.clone(),
                cited: Some(cited),
                misleading: None,
                ..Feedback::default()
            })
            .unwrap();
    }
    assert!(embeds.try_recv().is_err());
}
