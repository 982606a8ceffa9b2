//! Runs the real binary on a store of its own.
#![allow(dead_code)] // each test file uses some of it
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a helper that fails fails its test

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub const BINARY: &str = env!("CARGO_BIN_EXE_terrace");
/// The present of every test.
pub const NOW: &str = "2026-03-01T12:00:00Z";

/// Three notes that no two queries of the tests confuse.
pub const NOTES: &str = r##"{"id": "valve", "title": "Priming the pump", "body": "Open valve B, then fill the riser with water. See [[Riser]].", "path": "water/pump.md", "tags": ["water/pump"], "source_url": "https://example.org/pump", "updated_at": "2026-02-20T00:00:00Z", "confidence": 0.9}
{"id": "riser", "title": "Riser", "body": "The riser holds forty litres of water.", "path": "water/riser.md", "tags": ["water"], "updated_at": "2026-02-21T00:00:00Z"}
{"id": "slugs", "title": "Slugs", "body": "Wool pellets keep slugs off lettuce.", "path": "garden/slugs.md", "namespace": "garden", "updated_at": "2026-02-22T00:00:00Z"}
"##;

/// A directory with a store in it, not made yet.
pub struct Store {
    pub dir: TempDir,
}

impl Store {
    /// Without a store.
    pub fn missing() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// With [`NOTES`] in it, and no vectors.
    pub fn with_notes() -> Self {
        let store = Self::missing();
        let put = store.run_with(&["put", "-", "--embedder", "none"], NOTES);
        assert!(put.status.success(), "{}", text(&put.stderr));
        store
    }

    pub fn path(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    /// The command, not started yet: away from the caller's settings, at the tests' present.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command.current_dir(self.dir.path()).env_clear().env("TERRACE_STORE", self.path());
        if let Some(root) = std::env::var_os("SystemRoot") {
            command.env("SystemRoot", root);
        }
        command.args(["--now", NOW]).args(arguments).stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub fn run_with(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// What a command that must succeed prints with `--json`: one document and nothing else.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stdout));
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The error object of a command that must fail, with exit status 1.
    pub fn error(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", text(&output.stdout));
        let error: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(keys(&error), ["code", "message", "status"]);
        assert_eq!(error["status"], "error");
        assert!(!error["message"].as_str().unwrap().is_empty());
        error
    }

    /// What a command that must succeed prints for people.
    pub fn people(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The keys of an object, sorted.
pub fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The ids of results.
pub fn ids(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|result| result["id"].as_str().unwrap()).collect()
}
