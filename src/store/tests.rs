use std::sync::Barrier;
use std::sync::mpsc;

use super::testing::{note, options, put, store, store_with_notes};
use super::*;

fn read_only() -> StoreOptions {
    StoreOptions { read_only: true, ..options() }
}

#[test]
fn a_store_reopens_with_what_was_written_and_its_seed() {
    let (dir, store) = store_with_notes(1);
    drop(store);
    let store = Store::open(dir.path(), &StoreOptions { seed: Some(99), ..options() }).unwrap();
    assert_eq!(store.read(notes::count).unwrap(), 1);
    assert_eq!(store.seed(), 7, "the seed of a store does not change");
}

/// The files as a killed process leaves them: what was committed stands in the log only.
#[test]
fn what_was_committed_survives_the_death_of_the_process() {
    let (dir, store) = store_with_notes(3);
    for options in [read_only(), options()] {
        let after = tempfile::tempdir().unwrap();
        for name in ["terrace.db", "terrace.db-wal"] {
            std::fs::copy(dir.path().join(name), after.path().join(name)).unwrap();
        }
        assert_eq!(Store::open(after.path(), &options).unwrap().read(notes::count).unwrap(), 3);
    }
    drop(store);
}

#[test]
fn a_store_closed_in_order_leaves_no_log() {
    let (dir, store) = store_with_notes(1);
    store.read(notes::count).unwrap();
    drop(store);
    assert!(!dir.path().join("terrace.db-wal").exists());
}

#[test]
fn two_stores_made_without_a_seed_differ() {
    let made =
        |dir: &tempfile::TempDir| Store::open(dir.path(), &StoreOptions { seed: None, ..options() }).unwrap().seed();
    assert_ne!(made(&tempfile::tempdir().unwrap()), made(&tempfile::tempdir().unwrap()));
}

#[test]
fn a_second_opener_is_told_who_owns_the_store() {
    let (dir, _store) = store();
    let error = Store::open(dir.path(), &options()).unwrap_err();
    assert_eq!(error.code(), "locked");
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
}

#[test]
fn dropping_a_store_lets_the_next_one_open_it() {
    let (dir, store) = store();
    drop(store);
    Store::open(dir.path(), &options()).unwrap();
}

#[test]
fn a_read_only_store_works_beside_the_writer_and_sees_its_writes() {
    let (dir, store) = store();
    let reader = Store::open(dir.path(), &read_only()).unwrap();
    put(&store, "n");
    assert_eq!(reader.read(notes::count).unwrap(), 1);
    assert_eq!(reader.seed(), store.seed());
}

#[test]
fn a_read_only_store_refuses_to_write() {
    let (dir, _store) = store();
    let reader = Store::open(dir.path(), &read_only()).unwrap();
    assert!(reader.is_read_only());
    assert_eq!(reader.write(|_| Ok(())).unwrap_err().code(), "read_only");
}

#[test]
fn a_missing_store_is_not_made_by_reading_it() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("none");
    assert_eq!(Store::open(&missing, &read_only()).unwrap_err().code(), "not_found");
    assert!(!missing.exists());
}

#[test]
fn a_newer_store_is_refused_and_not_a_byte_is_changed() {
    let (dir, store) = store_with_notes(1);
    store.write(|conn| Ok(conn.pragma_update(None, "user_version", 999)?)).unwrap();
    drop(store);
    let file = dir.path().join("terrace.db");
    let before = std::fs::read(&file).unwrap();
    for options in [options(), read_only()] {
        let error = Store::open(dir.path(), &options).unwrap_err();
        assert!(matches!(error, Error::UnsupportedVersion { found: 999, .. }), "{error}");
    }
    assert!(std::fs::read(&file).unwrap() == before);
}

#[test]
fn a_foreign_file_is_refused_and_not_a_byte_is_changed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("terrace.db");
    rusqlite::Connection::open(&file).unwrap().execute_batch("CREATE TABLE other (x)").unwrap();
    let sqlite = std::fs::read(&file).unwrap();
    for foreign in [sqlite.as_slice(), b"hello", &[b'x'; 5000]] {
        std::fs::write(&file, foreign).unwrap();
        let error = Store::open(dir.path(), &options()).unwrap_err();
        assert_eq!(error.code(), "corrupt", "{error}");
        assert!(std::fs::read(&file).unwrap() == foreign);
    }
}

#[test]
fn a_file_left_empty_by_a_death_at_birth_becomes_a_store() {
    let dir = tempfile::tempdir().unwrap();
    drop(connect::writer(&dir.path().join("terrace.db"), false).unwrap());
    let store = Store::open(dir.path(), &options()).unwrap();
    assert_eq!(store.read(notes::count).unwrap(), 0);
}

#[test]
fn a_write_that_fails_leaves_nothing() {
    let (_dir, store) = store();
    let failed: Result<()> = store.write(|conn| {
        notes::put(conn, &note("n"), 0)?;
        Err(Error::invalid("no"))
    });
    assert_eq!(failed.unwrap_err().code(), "invalid_input");
    assert_eq!(store.read(notes::count).unwrap(), 0);
    assert_eq!(put(&store, "m"), 1, "the writer goes on");
}

#[test]
fn a_write_that_panics_leaves_nothing_and_the_store_usable() {
    let (_dir, store) = store();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        store.write(|conn| -> Result<()> {
            notes::put(conn, &note("n"), 0)?;
            panic!("on purpose")
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(store.read(notes::count).unwrap(), 0);
    assert_eq!(put(&store, "m"), 1);
}

#[test]
fn a_read_sees_one_state_while_a_writer_goes_on() {
    let (_dir, store) = store();
    let counts = store
        .read(|conn| {
            let before = notes::count(conn)?;
            std::thread::scope(|scope| scope.spawn(|| put(&store, "n")).join()).unwrap();
            Ok((before, notes::count(conn)?))
        })
        .unwrap();
    assert_eq!(counts, (0, 0));
    assert_eq!(store.read(notes::count).unwrap(), 1);
}

#[test]
fn a_reader_does_not_wait_for_a_writer() {
    let (_dir, store) = store();
    store
        .write(|conn| {
            notes::put(conn, &note("n"), 0)?;
            assert_eq!(store.read(notes::count)?, 0, "not committed yet");
            Ok(())
        })
        .unwrap();
}

/// Writers queue behind a long one; none of them is told that the database is locked.
#[test]
fn eight_writers_all_succeed_behind_a_long_one() {
    let (_dir, store) = store();
    let (started, waiting) = (mpsc::channel(), Barrier::new(9));
    let (begun, has_begun) = started;
    std::thread::scope(|scope| {
        let (store, waiting) = (&store, &waiting);
        scope.spawn(move || {
            store
                .write(|conn| {
                    begun.send(()).unwrap();
                    waiting.wait();
                    notes::put(conn, &note("long"), 0)
                })
                .unwrap();
        });
        has_begun.recv().unwrap();
        for n in 0..8 {
            scope.spawn(move || {
                waiting.wait();
                store.write(|conn| notes::put(conn, &note(&n.to_string()), 0)).unwrap();
            });
        }
    });
    assert_eq!(store.read(notes::count).unwrap(), 9);
}

#[test]
fn a_checkpoint_moves_the_log_into_the_file() {
    let (dir, store) = store_with_notes(3);
    assert!(store.checkpoint(Checkpoint::Passive).unwrap());
    assert!(store.checkpoint(Checkpoint::Truncate).unwrap());
    assert_eq!(std::fs::metadata(dir.path().join("terrace.db-wal")).unwrap().len(), 0);
}

#[test]
fn a_vacuum_gives_the_space_of_deleted_notes_back() {
    let (_dir, store) = store();
    let long = crate::model::Note { body: "x".repeat(1 << 20), ..note("long") };
    store.write(|conn| notes::put(conn, &long, 0)).unwrap();
    store.checkpoint(Checkpoint::Truncate).unwrap();
    let full = store.sqlite_bytes();
    store.write(|conn| notes::delete(conn, 1)).unwrap();
    assert!(store.incremental_vacuum().unwrap() >= 250);
    store.checkpoint(Checkpoint::Truncate).unwrap();
    assert!(store.sqlite_bytes() + (1 << 20) <= full + 50_000, "{} of {full}", store.sqlite_bytes());
}

#[test]
fn a_sound_store_has_no_problems() {
    let (_dir, store) = store_with_notes(2);
    assert_eq!(store.integrity_check().unwrap(), Vec::<String>::new());
}

#[test]
fn a_dangling_reference_is_reported() {
    let (_dir, store) = store();
    let writer = store.writer.as_ref().unwrap().lock();
    writer.execute_batch("PRAGMA foreign_keys = OFF; INSERT INTO quarantine VALUES (9, '', 0)").unwrap();
    drop(writer);
    assert_eq!(store.integrity_check().unwrap(), ["row 9 of quarantine refers to a missing row of notes"]);
}
