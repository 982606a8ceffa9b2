//! Field faults about damage, locks and busy databases. Death by signal is tested elsewhere.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{TestStore, note};
use terrace::{
    CompletionRequest, Config, Engine, Error, RetrieveRequest, SearchMode, SearchRequest, TaskDraft, Viewer,
};

/// Keeps what terrace reports as a warning or worse.
#[derive(Clone, Default)]
struct Reports(Arc<Mutex<String>>);

struct Text<'a>(&'a mut String);

impl tracing::field::Visit for Text<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl tracing::Subscriber for Reports {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN && metadata.target().starts_with("terrace")
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut Text(&mut self.0.lock().unwrap()));
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// What `act` reports, with its result.
fn reported<T>(act: impl FnOnce() -> T) -> (T, String) {
    let reports = Reports::default();
    let result = tracing::subscriber::with_default(reports.clone(), act);
    let text = reports.0.lock().unwrap().clone();
    (result, text)
}

fn thirty() -> TestStore {
    let store = TestStore::text_only();
    store.put_all((0..30).map(|at| note(&format!("n{at:02}"), &format!("Pump log {at}"), &format!("word{at} primed"))));
    store.found("pump");
    store
}

fn words(engine: &Engine, query: &str) -> Vec<(String, f64)> {
    let request = SearchRequest { mode: SearchMode::Fulltext, limit: 100, ..SearchRequest::new(query) };
    engine.search(&request).unwrap().results.into_iter().map(|hit| (hit.id, hit.score)).collect()
}

/// Every acknowledged note is there and found by its words, as before.
fn assert_whole(store: &TestStore, before: &[(String, f64)], when: &str) {
    assert_eq!(words(store, "pump"), before, "{when}");
    for at in 0..30 {
        assert_eq!(words(store, &format!("word{at}")).len(), 1, "{when}: word{at}");
        store.get(&format!("n{at:02}"), &Viewer::anyone()).unwrap();
    }
    let problems: Vec<String> = store.projections().unwrap().into_iter().flat_map(|state| state.problems).collect();
    assert!(problems.is_empty(), "{when}: {problems:?}");
}

/// The lexical index's files but for its locks, which are empty.
fn index_files(dir: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(dir.join("lexical")).unwrap().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.metadata().is_ok_and(|file| file.len() > 0)).collect();
    files.sort();
    files
}

fn extension(path: &Path) -> String {
    path.extension().or(path.file_name()).unwrap().to_string_lossy().into_owned()
}

/// Opens a store after one file of its index was damaged; what was reported.
fn damage(which: usize, how: &str, at: impl Fn(&Path)) -> Option<(String, String)> {
    let mut store = thirty();
    let before = words(&store, "pump");
    store.close();
    let file = index_files(store.dir()).into_iter().nth(which)?;
    let name = extension(&file);
    at(&file);
    let (opened, report) = reported(|| store.try_open());
    opened.unwrap_or_else(|error| panic!("{how} {name}: {error}"));
    assert_whole(&store, &before, &format!("{how} {name}"));
    store.reopen();
    assert_whole(&store, &before, &format!("{how} {name}, reopened"));
    Some((name, report))
}

#[test]
fn an_index_with_a_missing_file_is_reported_and_made_anew() {
    // Each file in turn. https://github.com/quickwit-oss/tantivy/issues/324
    let mut tried = 0;
    while let Some((name, report)) = damage(tried, "deleted", |file| std::fs::remove_file(file).unwrap()) {
        // `.managed.json` lists files for tantivy's collector; without it nothing is lost.
        assert!(name == "json" || report.contains("index"), "{name}: nothing was reported: {report:?}");
        tried += 1;
    }
    assert!(tried >= 5, "only {tried} files were tried");
}

#[test]
fn an_index_with_a_truncated_file_is_reported_and_made_anew() {
    // Each file cut to half, to a byte, to nothing. https://github.com/quickwit-oss/tantivy/issues/324
    for (how, keep) in [("halved", 2), ("cut to nothing", u64::MAX)] {
        let mut tried = 0;
        let cut = |file: &Path| {
            let length = file.metadata().unwrap().len();
            std::fs::OpenOptions::new().write(true).open(file).unwrap().set_len(length / keep).unwrap();
        };
        while let Some((name, report)) = damage(tried, how, cut) {
            assert!(name == "json" || report.contains("index"), "{how} {name}: nothing was reported: {report:?}");
            tried += 1;
        }
        assert!(tried >= 5, "only {tried} files were tried");
    }
}

#[test]
fn a_flipped_byte_in_the_index_is_reported_or_without_effect() {
    // First, middle and last byte of each file; a rebuild mends it. https://github.com/quickwit-oss/tantivy/issues/324
    for place in [0, 1, 2] {
        for which in 0.. {
            let mut store = thirty();
            let before = words(&store, "pump");
            store.close();
            let Some(file) = index_files(store.dir()).into_iter().nth(which) else {
                assert!(which >= 5, "only {which} files were tried");
                break;
            };
            let when = format!("flipped at {place}/2 of {}", extension(&file));
            let mut bytes = std::fs::read(&file).unwrap();
            let at = (bytes.len() - 1) * place / 2;
            bytes[at] ^= 0x55;
            std::fs::write(&file, bytes).unwrap();
            store.try_open().unwrap_or_else(|error| panic!("{when}: {error}"));
            let problems: usize = store.projections().unwrap().iter().map(|state| state.problems.len()).sum();
            let retrieved = store.retrieve(&RetrieveRequest { limit: 100, ..RetrieveRequest::new("pump") }).unwrap();
            assert_eq!(retrieved.results.len(), 30, "{when}");
            if problems == 0 {
                assert_whole(&store, &before, &when);
            }
            store.rebuild("lexical").unwrap();
            assert_whole(&store, &before, &format!("{when}, rebuilt"));
        }
    }
}

#[test]
fn an_index_that_is_gone_is_made_anew() {
    // The whole folder. https://github.com/quickwit-oss/tantivy/issues/324
    let mut store = thirty();
    let before = words(&store, "pump");
    store.reopen_after(|dir| std::fs::remove_dir_all(dir.join("lexical")).unwrap());
    assert_whole(&store, &before, "gone");
}

#[test]
fn an_index_older_than_the_store_catches_up() {
    // The folder as it was some writes ago. https://github.com/quickwit-oss/tantivy/issues/324
    let mut store = TestStore::text_only();
    store.put_all((0..20).map(|at| note(&format!("n{at:02}"), &format!("Pump log {at}"), &format!("word{at} primed"))));
    store.close();
    let kept = tempfile::tempdir().unwrap();
    for file in index_files(store.dir()) {
        std::fs::copy(&file, kept.path().join(file.file_name().unwrap())).unwrap();
    }
    store.try_open().unwrap();
    store
        .put_all((20..30).map(|at| note(&format!("n{at:02}"), &format!("Pump log {at}"), &format!("word{at} primed"))));
    store.delete("n00").unwrap();
    store.put(note("n00", "Pump log 0", "word0 primed")).unwrap();
    let before = words(&store, "pump");
    store.reopen_after(|dir| {
        index_files(dir).iter().for_each(|file| std::fs::remove_file(file).unwrap());
        for file in std::fs::read_dir(kept.path()).unwrap().flatten() {
            std::fs::copy(file.path(), dir.join("lexical").join(file.file_name())).unwrap();
        }
    });
    assert_whole(&store, &before, "older");
}

#[test]
fn a_damaged_database_is_reported_and_never_opens_as_an_empty_store() {
    // Garbage, cut short, or emptied; writing and reading. https://github.com/quickwit-oss/tantivy/issues/324
    let cut = |file: &Path, length: u64| {
        std::fs::OpenOptions::new().write(true).open(file).unwrap().set_len(length).unwrap();
    };
    type Harm<'a> = (&'a str, Box<dyn Fn(&Path) + 'a>);
    let harms: [Harm<'_>; 7] = [
        ("garbage", Box::new(|file| std::fs::write(file, "not a database ".repeat(1_000)).unwrap())),
        ("zeros", Box::new(|file| std::fs::write(file, vec![0; 65_536]).unwrap())),
        (
            "a flipped header",
            Box::new(|file| {
                let mut bytes = std::fs::read(file).unwrap();
                bytes[3] ^= 0xff;
                std::fs::write(file, bytes).unwrap();
            }),
        ),
        ("half of it", Box::new(|file| cut(file, file.metadata().unwrap().len() / 2))),
        ("its first 100 bytes", Box::new(|file| cut(file, 100))),
        ("nothing", Box::new(|file| cut(file, 0))),
        ("no file at all", Box::new(|file| std::fs::remove_file(file).unwrap())),
    ];
    for (how, harm) in harms {
        for read_only in [true, false] {
            let mut store = thirty();
            store.close();
            let file = store.dir().join("terrace.db");
            harm(&file);
            let left = std::fs::read(&file).unwrap_or_default();
            let config = Config { read_only, ..store.config.clone() };
            match Engine::open(store.dir(), config) {
                Ok(engine) => {
                    panic!("{how}: opened with {} notes, read_only {read_only}", engine.stats().unwrap().notes)
                }
                Err(error) => {
                    let fits = error.code() == "corrupt";
                    assert!(fits, "{how}, read_only {read_only}: {} ({error})", error.code());
                }
            }
            assert_eq!(std::fs::read(&file).unwrap_or_default(), left, "{how}: the damaged file was changed");
        }
    }
}

#[test]
fn a_second_owner_is_told_who_holds_the_store_and_may_read() {
    // The lock is not swallowed. https://github.com/agent-lore/lithos/issues/244
    let store = thirty();
    match Engine::open(store.dir(), store.config.clone()).err() {
        Some(Error::Locked { owner, .. }) => assert!(owner.contains(&std::process::id().to_string()), "{owner}"),
        other => panic!("expected locked, found {other:?}"),
    }
    let reader = Engine::open(store.dir(), Config { read_only: true, ..store.config.clone() }).unwrap();
    assert_eq!(words(&reader, "pump").len(), 30);
    assert_eq!(reader.retrieve(&RetrieveRequest::new("pump")).unwrap_err().code(), "read_only");
    assert_eq!(reader.put(note("x", "", "")).unwrap_err().code(), "read_only");
}

#[test]
fn notes_put_while_the_index_writer_is_held_elsewhere_are_not_lost() {
    // Either `locked`, or found after the release without a rebuild. https://github.com/agent-lore/lithos/issues/244
    let mut store = thirty();
    store.close();
    let index = tantivy::Index::open_in_dir(store.dir().join("lexical")).unwrap();
    let held: tantivy::IndexWriter = index.writer_with_num_threads(1, 15_000_000).unwrap();
    let added: Vec<_> = (30..40).map(|at| note(&format!("n{at}"), &format!("Pump log {at}"), "")).collect();
    match store.try_open() {
        Ok(()) => match store.put_many(added.clone()) {
            Ok(_) => drop(held),
            Err(error) => {
                assert_eq!(error.code(), "locked");
                drop(held);
                store.put_all(added);
            }
        },
        Err(error) => {
            assert_eq!(error.code(), "locked");
            drop(held);
            store.try_open().unwrap();
            store.put_all(added);
        }
    }
    assert_eq!(words(&store, "pump").len(), 40);
    let stats = store.stats().unwrap();
    assert_eq!((stats.notes, stats.lexical_docs), (40, 40));
}

#[test]
fn callers_wait_while_another_connection_holds_the_write_lock() {
    // Retrieve (which writes a receipt), completion, and opening. https://github.com/mozilla/application-services/issues/4762
    let store = Arc::new(thirty());
    for at in 0..4 {
        let task = TaskDraft { id: format!("task-{at}"), title: "t".into(), ..TaskDraft::default() };
        store.create_task(&task).unwrap();
    }
    let holder = store.sqlite();
    holder.execute_batch("BEGIN IMMEDIATE; UPDATE notes SET title = title").unwrap();
    let (done, outcomes) = mpsc::channel();
    let threads: Vec<_> = (0..8)
        .map(|at| {
            let (store, done) = (Arc::clone(&store), done.clone());
            std::thread::spawn(move || {
                let outcome = match at % 3 {
                    0 => store.retrieve(&RetrieveRequest::new("pump")).map(drop),
                    1 => {
                        let request =
                            CompletionRequest { task_id: format!("task-{}", at / 3), ..CompletionRequest::default() };
                        store.complete_task(&request).map(drop)
                    }
                    _ => Engine::open(store.dir(), Config { read_only: true, ..store.config.clone() }).map(drop),
                };
                done.send((at, outcome)).unwrap();
            })
        })
        .collect();
    drop(done);
    let mut finished = 0;
    // What fails at once instead of waiting is seen here; what waits is not, and is let go by the rollback.
    while let Ok((at, outcome)) = outcomes.recv_timeout(Duration::from_millis(500)) {
        outcome.unwrap_or_else(|error| panic!("caller {at} did not wait: {error}"));
        finished += 1;
    }
    assert!(finished < 8, "the lock was not held");
    holder.execute_batch("ROLLBACK").unwrap();
    for (at, outcome) in outcomes {
        outcome.unwrap_or_else(|error| panic!("caller {at}: {error}"));
        finished += 1;
    }
    assert_eq!(finished, 8);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn writers_and_readers_on_many_threads_never_meet_a_busy_database() {
    // Puts, retrieves, completions and reads at once. https://github.com/mozilla/application-services/issues/4762
    let store = Arc::new(thirty());
    let threads: Vec<_> = (0..8)
        .map(|at| {
            let store = Arc::clone(&store);
            std::thread::spawn(move || {
                for round in 0..10 {
                    let id = format!("t{at}-{round}");
                    store.put(note(&id, "Pump", "")).unwrap();
                    let task = TaskDraft { id: format!("task-{id}"), title: "t".into(), ..TaskDraft::default() };
                    store.create_task(&task).unwrap();
                    let request = RetrieveRequest {
                        agent_id: Some("a".into()),
                        task_id: Some(task.id.clone()),
                        ..RetrieveRequest::new("pump")
                    };
                    let answer = store.retrieve(&request).unwrap();
                    let best = answer.results[0].result.id.clone();
                    let completion = CompletionRequest {
                        task_id: task.id,
                        agent: "a".into(),
                        cited_nodes: Some(vec![best]),
                        ..CompletionRequest::default()
                    };
                    assert!(store.complete_task(&completion).unwrap().feedback.feedback_applied);
                    store.stats().unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let stats = store.stats().unwrap();
    assert_eq!((stats.notes, stats.tasks, stats.receipts), (110, 80, 81));
    assert_eq!(words(&store, "pump").len(), 100, "the limit; all are there");
}
