//! Record files: checked whole before anything of them is written.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr)]

use std::path::PathBuf;

use terrace::vault::{IndexOptions, index_records, put_records};
use terrace::{Config, EmbedderChoice, Engine, Viewer};

struct Fixture {
    dir: tempfile::TempDir,
    engine: Engine,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = Config { embedder: EmbedderChoice::None, ..Config::default() };
        let engine = Engine::open(dir.path().join("store"), config).unwrap();
        Self { dir, engine }
    }

    fn file(&self, content: &[u8]) -> PathBuf {
        let path = self.dir.path().join("notes.jsonl");
        std::fs::write(&path, content).unwrap();
        path
    }

    fn notes(&self) -> u64 {
        self.engine.stats().unwrap().notes
    }
}

const BAD: &[u8] =
    b"{\"_id\":\"a\",\"text\":\"x\"}\nnot JSON\n{\"_id\":\"b\",\"tags\":[]}\n{\"_id\":\"c\",\"text\":\"y\"}\n";

#[test]
fn one_bad_line_and_nothing_is_written() {
    let fixture = Fixture::new();
    let file = fixture.file(BAD);
    let error = index_records(&fixture.engine, &file, &IndexOptions::default(), &mut |_| {}).unwrap_err();
    assert_eq!(error.code(), "invalid_input");
    let message = error.to_string();
    for part in ["notes.jsonl", "line 2", "not JSON", "line 3", "neither"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert_eq!(fixture.notes(), 0);
}

#[test]
fn bad_lines_are_skipped_and_listed_when_asked_for() {
    let fixture = Fixture::new();
    let options = IndexOptions { skip_bad: true, ..IndexOptions::default() };
    let report = index_records(&fixture.engine, &fixture.file(BAD), &options, &mut |_| {}).unwrap();
    assert_eq!((report.lines, report.written, fixture.notes()), (4, 2, 2));
    assert_eq!(report.bad.iter().map(|bad| bad.line).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn a_bad_last_line_of_many_leaves_nothing_behind() {
    let fixture = Fixture::new();
    let mut content = String::new();
    for n in 0..5_000 {
        content.push_str(&format!("{{\"_id\":\"n{n}\",\"text\":\"note {n}\"}}\n"));
    }
    content.push_str("{\"_id\":\"n17\",\"text\":\"again\"}\n");
    let file = fixture.file(content.as_bytes());
    let error = index_records(&fixture.engine, &file, &IndexOptions::default(), &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("line 5001: the id \"n17\""), "{error}");
    assert_eq!(fixture.notes(), 0);
}

#[test]
fn byte_order_mark_crlf_and_blank_lines_are_fine() {
    let fixture = Fixture::new();
    let file = fixture.file(b"\xef\xbb\xbf{\"_id\":\"a\",\"text\":\"x\"}\r\n\r\n   \n{\"_id\":\"b\",\"text\":\"y\"}");
    let report = index_records(&fixture.engine, &file, &IndexOptions::default(), &mut |_| {}).unwrap();
    assert_eq!((report.lines, report.written), (2, 2));
}

#[test]
fn a_record_comes_back_as_it_was_given() {
    let fixture = Fixture::new();
    let file = fixture.file(
        b"{\"_id\":\"a\",\"title\":\"T\",\"text\":\"x\",\"tags\":[\"Red\"],\"path\":\"p/q.md\",\"namespace\":\"p\",\"metadata\":{\"n\": 1.0},\"lang\":\"en\"}",
    );
    index_records(&fixture.engine, &file, &IndexOptions::default(), &mut |_| {}).unwrap();
    let note = fixture.engine.get("a", &Viewer::default()).unwrap();
    assert_eq!((note.tags, note.path.as_deref(), note.namespace.as_str()), (vec!["Red".into()], Some("p/q.md"), "p"));
    assert_eq!(note.metadata.unwrap().get(), r#"{"n": 1.0,"lang":"en"}"#);
}

#[test]
fn a_file_without_ids_indexed_twice_adds_nothing() {
    let fixture = Fixture::new();
    let file = fixture.file(b"{\"text\":\"x\"}\n{\"text\":\"y\"}\n");
    for _ in 0..2 {
        index_records(&fixture.engine, &file, &IndexOptions::default(), &mut |_| {}).unwrap();
    }
    assert_eq!(fixture.notes(), 2);
}

#[test]
fn records_from_a_stream_are_put_as_those_of_a_file() {
    let fixture = Fixture::new();
    let options = IndexOptions::default();
    let report =
        put_records(&fixture.engine, "-", &b"{\"_id\":\"a\",\"text\":\"x\"}\n"[..], &options, &mut |_| {}).unwrap();
    assert_eq!((report.file.as_str(), report.written, fixture.notes()), ("-", 1, 1));
    let error = put_records(&fixture.engine, "-", BAD, &options, &mut |_| {}).unwrap_err();
    assert!(error.to_string().starts_with("-: 2 of 4 lines"), "{error}");
}

#[test]
fn a_missing_file_is_named() {
    let fixture = Fixture::new();
    let file = fixture.dir.path().join("nowhere.jsonl");
    let error = index_records(&fixture.engine, &file, &IndexOptions::default(), &mut |_| {}).unwrap_err();
    assert_eq!(error.code(), "io");
    assert!(error.to_string().contains("nowhere.jsonl"), "{error}");
}
