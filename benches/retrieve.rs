//! The whole retrieve and its parts over a synthetic corpus: `cargo bench`. `TERRACE_BENCH_NOTES` sets the number of
//! notes, default 10 000.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use terrace::eval::{SyntheticCorpus, SyntheticOptions};
use terrace::{CompletionRequest, Config, Engine, Feedback, RetrieveRequest, SearchMode, SearchRequest, TaskDraft};

const CHUNK: usize = 10_000;

struct Fixture {
    dir: tempfile::TempDir,
    corpus: SyntheticCorpus,
    engine: Option<Engine>,
    notes: usize,
}

impl Fixture {
    fn new() -> Self {
        let notes = std::env::var("TERRACE_BENCH_NOTES").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000);
        let corpus = SyntheticCorpus::new(SyntheticOptions { notes, ..SyntheticOptions::default() });
        let dir = tempfile::tempdir().expect("a temporary directory");
        let engine = Engine::open(dir.path(), Config::default()).expect("a new store opens");
        for start in (0..notes).step_by(CHUNK) {
            engine
                .put_many(corpus.notes(start..notes.min(start + CHUNK)).collect())
                .expect("synthetic notes are valid");
        }
        engine.maintain().expect("maintenance of a sound store");
        Self { dir, corpus, engine: Some(engine), notes }
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("the engine is open")
    }
}

/// Queries one after another, so that no answer is measured from a warm cache of itself alone.
struct Queries<'a> {
    corpus: &'a SyntheticCorpus,
    next: usize,
}

impl Queries<'_> {
    fn next(&mut self) -> String {
        self.next += 1;
        self.corpus.query(self.next)
    }
}

fn retrieve(criterion: &mut Criterion) {
    let mut fixture = Fixture::new();
    let notes = fixture.notes;
    {
        let engine = fixture.engine();
        let mut queries = Queries { corpus: &fixture.corpus, next: 0 };
        criterion.bench_function(&format!("retrieve/{notes}"), |bench| {
            bench.iter_batched(
                || RetrieveRequest::new(queries.next()),
                |request| black_box(engine.retrieve(&request)),
                BatchSize::SmallInput,
            );
        });
        for mode in [SearchMode::Hybrid, SearchMode::Fulltext, SearchMode::Semantic, SearchMode::Graph] {
            criterion.bench_function(&format!("search {mode:?}/{notes}").to_lowercase(), |bench| {
                bench.iter_batched(
                    || SearchRequest { mode, ..SearchRequest::new(queries.next()) },
                    |request| black_box(engine.search(&request)),
                    BatchSize::SmallInput,
                );
            });
        }
        criterion.bench_function(&format!("retrieve filtered by tag/{notes}"), |bench| {
            bench.iter_batched(
                || RetrieveRequest { tags: vec!["topic/7".into()], ..RetrieveRequest::new(queries.next()) },
                |request| black_box(engine.retrieve(&request)),
                BatchSize::SmallInput,
            );
        });
    }
    writes(criterion, &fixture);
    open(criterion, &mut fixture);
}

fn writes(criterion: &mut Criterion, fixture: &Fixture) {
    let (engine, corpus, notes) = (fixture.engine(), &fixture.corpus, fixture.notes);
    let mut at = notes;
    criterion.bench_function(&format!("put/{notes}"), |bench| {
        bench.iter_batched(
            || {
                at += 1;
                corpus.note(at)
            },
            |note| black_box(engine.put(note)),
            BatchSize::SmallInput,
        );
    });
    let mut queries = Queries { corpus, next: 0 };
    criterion.bench_function(&format!("feedback/{notes}"), |bench| {
        bench.iter_batched(
            || {
                let answer = engine.retrieve(&RetrieveRequest::new(queries.next())).expect("a retrieve");
                let cited = answer.results.iter().take(2).map(|note| note.result.id.clone()).collect();
                Feedback { receipt_id: answer.receipt_id, cited: Some(cited), misleading: None, ..Feedback::default() }
            },
            |feedback| black_box(engine.feedback(&feedback)),
            BatchSize::SmallInput,
        );
    });
    criterion.bench_function(&format!("complete_task/{notes}"), |bench| {
        bench.iter_batched(
            || {
                let task = engine.create_task(&TaskDraft::default()).expect("a task");
                let request =
                    RetrieveRequest { task_id: Some(task.id.clone()), ..RetrieveRequest::new(queries.next()) };
                let answer = engine.retrieve(&request).expect("a retrieve");
                let cited = answer.results.iter().take(2).map(|note| note.result.id.clone()).collect();
                CompletionRequest {
                    task_id: task.id,
                    cited_nodes: Some(cited),
                    receipt_id: Some(answer.receipt_id),
                    ..CompletionRequest::default()
                }
            },
            |request| black_box(engine.complete_task(&request)),
            BatchSize::SmallInput,
        );
    });
}

fn open(criterion: &mut Criterion, fixture: &mut Fixture) {
    fixture.engine = None;
    let (dir, notes) = (fixture.dir.path(), fixture.notes);
    criterion.bench_function(&format!("open/{notes}"), |bench| {
        bench.iter(|| black_box(Engine::open(dir, Config::default()).expect("the store opens again")));
    });
}

criterion_group! { name = benches; config = Criterion::default().sample_size(50); targets = retrieve }
criterion_main!(benches);
