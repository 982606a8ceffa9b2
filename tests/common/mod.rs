//! What the tests share: a store in a temporary directory under a clock that only the test moves, builders of notes and
//! requests, seeded vectors, and the way to real data.
#![allow(dead_code, missing_docs, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr)]

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use terrace::embed::{Embedder, EmbedderIdentity, check_vector};
use terrace::{
    AccessScope, Config, EmbedderChoice, Engine, ManualClock, Note, RetrieveRequest, RetrieveResponse, Timestamp,
};

/// Where every test's clock starts: 2026-03-01T12:00:00Z.
pub const START: Timestamp = Timestamp::from_seconds(1_772_366_400);

/// An embedder of two dimensions that counts what it embeds.
pub struct Counting {
    pub identity: EmbedderIdentity,
    pub texts: Arc<AtomicUsize>,
}

impl Embedder for Counting {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn embed_passages(&self, texts: &[&str]) -> terrace::Result<Vec<Option<Vec<f32>>>> {
        self.texts.fetch_add(texts.len(), Ordering::SeqCst);
        texts.iter().map(|text| check_vector(&[text.len() as f32, 1.0], &self.identity)).collect()
    }
}

/// An engine over a directory that goes with it. Use it as the engine it derefs to.
pub struct TestStore {
    /// Dropped before the directory is; `None` only while closed.
    engine: Option<Engine>,
    pub config: Config,
    pub clock: ManualClock,
    dir: tempfile::TempDir,
}

impl TestStore {
    /// Words, names, tags, links and time, but no vectors.
    pub fn text_only() -> Self {
        Self::with(|config| config.embedder = EmbedderChoice::None)
    }

    /// With the built-in model.
    pub fn embedded() -> Self {
        Self::with(|config| config.embedder = EmbedderChoice::Stored)
    }

    /// Vectors come with notes and requests.
    pub fn supplied(dims: usize) -> Self {
        Self::with(|config| config.embedder = supplied(dims))
    }

    /// The defaults (but for the clock, a seed, and one thread) as `change` leaves them.
    pub fn with(change: impl FnOnce(&mut Config)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = ManualClock::at(START);
        let mut config = Config { clock: Arc::new(clock.clone()), seed: Some(7), threads: 1, ..Config::default() };
        change(&mut config);
        let engine = Engine::open(dir.path(), config.clone()).unwrap();
        Self { engine: Some(engine), config, clock, dir }
    }

    /// The store's directory.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Closes the engine and opens the same directory again.
    pub fn reopen(&mut self) {
        self.reopen_after(|_| {});
    }

    /// The same with something done to the closed directory in between.
    pub fn reopen_after(&mut self, between: impl FnOnce(&Path)) {
        self.close();
        between(self.dir.path());
        self.engine = Some(Engine::open(self.dir.path(), self.config.clone()).unwrap());
    }

    /// Closes the engine; only [`TestStore::try_open`] brings it back.
    pub fn close(&mut self) {
        self.engine = None;
    }

    /// Opens a closed store, or says why not.
    pub fn try_open(&mut self) -> terrace::Result<()> {
        self.engine = Some(Engine::open(self.dir.path(), self.config.clone())?);
        Ok(())
    }

    /// Puts notes, all at once.
    pub fn put_all(&self, notes: impl IntoIterator<Item = Note>) -> Vec<String> {
        self.put_many(notes.into_iter().collect()).unwrap()
    }

    /// The ids that a retrieve of these words returns, best first.
    pub fn found(&self, query: &str) -> Vec<String> {
        ids(&self.retrieve(&RetrieveRequest::new(query)).unwrap())
    }

    /// `terrace.db`, opened past the engine: to look at it, or to damage it.
    pub fn sqlite(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.dir().join("terrace.db")).unwrap()
    }
}

impl Deref for TestStore {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }
}

/// Vectors come with notes and requests, this wide.
pub fn supplied(dims: usize) -> EmbedderChoice {
    EmbedderChoice::Supplied(EmbedderIdentity { name: "test".into(), hash: "1".into(), dims })
}

/// A shared note of this id.
pub fn note(id: &str, title: &str, body: &str) -> Note {
    Note::new(title, body).with_id(id)
}

/// A note with tags; its title says what its id is.
pub fn tagged(id: &str, tags: &[&str]) -> Note {
    Note { tags: tags.iter().map(|&tag| tag.to_owned()).collect(), ..note(id, &format!("note {id}"), "") }
}

/// A note at a path; its title says what its id is.
pub fn at_path(id: &str, path: &str) -> Note {
    Note { path: Some(path.to_owned()), ..note(id, &format!("note {id}"), "") }
}

/// A note that only this agent sees.
pub fn private(agent: &str, note: Note) -> Note {
    Note { access_scope: AccessScope::AgentPrivate, author: Some(agent.to_owned()), ..note }
}

/// A note that only callers on this task see.
pub fn of_task(task_id: &str, note: Note) -> Note {
    Note { access_scope: AccessScope::Task, source: Some(task_id.to_owned()), ..note }
}

/// The three notes that many faults start from.
pub fn f3() -> Vec<Note> {
    vec![
        note("n1", "Postgres backup runbook", ""),
        note("n2", "Redis cache notes", ""),
        note("n3", "Postgres index tuning", ""),
    ]
}

/// The ids of an answer, best first.
pub fn ids(answer: &RetrieveResponse) -> Vec<String> {
    answer.results.iter().map(|hit| hit.result.id.clone()).collect()
}

/// The ids and scores of an answer, best first.
pub fn scored(answer: &RetrieveResponse) -> Vec<(String, f64)> {
    answer.results.iter().map(|hit| (hit.result.id.clone(), hit.result.score)).collect()
}

/// The same ids in order of name, where rank is beside the point.
pub fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

/// A small generator (SplitMix64), so that every run sees the same data.
pub struct Seeded(pub u64);

impl Seeded {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A vector of length 1 in a random direction.
    pub fn vector(&mut self, dims: usize) -> Vec<f32> {
        // Sums of twelve uniform numbers are near enough to normal ones, whose directions are even.
        let raw: Vec<f32> = (0..dims).map(|_| ((0..12).map(|_| self.unit()).sum::<f64>() - 6.0) as f32).collect();
        let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
        raw.into_iter().map(|x| x / length).collect()
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Cosine of two vectors of length 1.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Real data that is not part of the repository: `TERRACE_SHARED`, else `shared` beside the crate's folder. Says so when
/// it is not there, so that a skipped test is seen.
pub fn shared_data(relative: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared");
    let root = std::env::var("TERRACE_SHARED").unwrap_or_else(|_| beside.to_owned());
    let path = Path::new(&root).join(relative);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there; set TERRACE_SHARED to the folder that holds it", path.display());
    None
}

/// Where property tests keep the inputs that once failed: beside their source, to be committed with the fix.
pub fn regressions() -> Option<Box<dyn proptest::test_runner::FailurePersistence>> {
    Some(Box::new(proptest::test_runner::FileFailurePersistence::WithSource("proptest-regressions")))
}
