//! A store and notes for the tests of this module.

use tempfile::TempDir;

use crate::clock::Timestamp;
use crate::model::{Note, Ordinal, Task, TaskStatus};
use crate::store::{Store, StoreOptions, notes};

pub(crate) const NOW: Timestamp = Timestamp::from_seconds(1_790_000_000);

pub(crate) fn options() -> StoreOptions {
    StoreOptions { read_only: false, power_safe: false, seed: Some(7), now: NOW }
}

/// A new store; the directory goes when the first of the pair is dropped.
pub(crate) fn store() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), &options()).unwrap();
    (dir, store)
}

/// A store holding notes `n1` to `n{count}`, whose ordinals are 1 to `count`.
pub(crate) fn store_with_notes(count: u32) -> (TempDir, Store) {
    let (dir, store) = store();
    for n in 1..=count {
        assert_eq!(put(&store, &format!("n{n}")), n);
    }
    (dir, store)
}

/// A note as the engine hands it down, with its times filled.
pub(crate) fn note(id: &str) -> Note {
    Note { created_at: Some(NOW), updated_at: Some(NOW), ..Note::new("", "") }.with_id(id)
}

pub(crate) fn put(store: &Store, id: &str) -> Ordinal {
    store.write(|conn| notes::put(conn, &note(id), 0)).unwrap().ord
}

pub(crate) fn task(id: &str) -> Task {
    Task {
        id: id.into(),
        title: String::new(),
        description: String::new(),
        agent: None,
        status: TaskStatus::Open,
        outcome: None,
        created_at: NOW,
        closed_at: None,
    }
}
