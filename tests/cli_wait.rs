//! Two processes and one store: the one that writes waits, the one that reads does not.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)]

mod cli_support;

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use cli_support::{Store, text};
use terrace::{Config, EmbedderChoice, Engine};

/// The store, open in this process.
fn held(store: &Store) -> Engine {
    Engine::open(store.path(), Config { embedder: EmbedderChoice::None, ..Config::default() }).unwrap()
}

#[test]
fn a_command_that_may_not_wait_is_told_at_once_what_works_meanwhile() {
    let store = Store::with_notes();
    let engine = held(&store);
    let error = store.error(&["task", "create", "--wait", "0"]);
    assert_eq!(error["code"], "locked");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("--wait") && message.contains("search") && !message.contains("read-only"), "{message}");
    let output = store.run(&["task", "create", "--wait", "0"]);
    assert!(text(&output.stderr).contains("--wait"), "{}", text(&output.stderr));
    assert_eq!(store.json(&["get", "valve", "--wait", "600"])["id"], "valve", "a reader does not wait");
    drop(engine);
}

#[test]
fn a_command_that_writes_waits_until_the_other_process_lets_the_store_go() {
    let store = Store::with_notes();
    let engine = held(&store);
    let mut child = store
        .command(&["task", "create", "--id", "t", "--wait", "600", "-v"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("waiting for the store") {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "it ended without waiting");
    }
    std::thread::spawn(move || drop(engine)).join().unwrap();
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success(), "{rest}");
    assert_eq!(store.json(&["task", "show", "t"])["status"], "open");
}
