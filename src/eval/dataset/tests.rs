use super::*;

const QUERIES: &str =
    "{\"_id\": \"q1\", \"text\": \"slugs\", \"metadata\": {\"category\": 5}}\n{\"_id\": \"q2\", \"text\": \"wool\"}\n";
const QRELS: &str = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\n";
const CORPUS: &str = r#"{"_id": "d1", "title": "", "text": "Hey!", "metadata": {"speaker": "Ann", "session": 1, "datetime": "2023-05-08T13:56"}}
{"_id": "d2", "title": "T", "text": "Ho!", "tags": ["a"], "metadata": {"speaker": "Bo", "session": 1}}
{"_id": "d3", "title": "", "text": "Later.", "rank": 7, "metadata": {"speaker": "Ann", "session": 2}}
"#;

fn set(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

fn small(more: &[(&str, &str)]) -> tempfile::TempDir {
    set(&[&[("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels.tsv", QRELS)], more].concat())
}

fn load(dir: &tempfile::TempDir, options: DatasetOptions) -> Dataset {
    Dataset::load(dir.path(), &options).unwrap()
}

fn refusal(dir: &tempfile::TempDir, options: DatasetOptions) -> String {
    Dataset::load(dir.path(), &options).unwrap_err().to_string()
}

#[test]
fn other_keys_of_a_corpus_line_are_the_notes() {
    let set = load(&small(&[]), DatasetOptions::default());
    assert_eq!(set.notes[1].tags, ["a"]);
    assert!(set.notes[2].metadata.as_ref().unwrap().get().contains("\"rank\":7"));
    assert_eq!(set.qrels["q2"]["d2"], 2.0);
    assert!(set.notes.iter().all(|note| note.links.is_empty() && note.path.is_none()));
}

#[test]
fn judgements_are_also_where_beir_puts_them() {
    let dir = set(&[("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels/test.tsv", QRELS)]);
    assert_eq!(load(&dir, DatasetOptions::default()).judged().count(), 2);
}

#[test]
fn a_bad_line_is_named_with_its_file() {
    for (file, text, expected) in [
        ("qrels.tsv", "q1\td1\t1\nq2\td2\thigh\n", "line 2: expected a number as score"),
        ("qrels.tsv", "q1 d1 1\n", "line 1: expected query, note and score between tabs"),
        ("queries.jsonl", "{\"_id\": \"q1\"}\n", "line 1: not a query"),
        ("queries.jsonl", "{\"_id\":\"q\",\"text\":\"\"}\n\n{\"_id\":\"q\",\"text\":\"\"}\n", "line 3: the query"),
        ("corpus.jsonl", "{\"_id\": \"d1\", \"text\": 7}\n", "line 1"),
        ("corpus.jsonl", "{\"title\": \"x\"}\n", "record 1 has no `_id`"),
        ("dataset.json", "{\"corpse\": 1}", "corpse"),
    ] {
        let message = refusal(&small(&[(file, text)]), DatasetOptions::default());
        assert!(message.contains(file) && message.contains(expected), "{message}");
    }
}

#[test]
fn judgements_of_unknown_queries_alone_leave_nothing_to_ask() {
    let message = refusal(&small(&[("qrels.tsv", "other\td1\t1\n")]), DatasetOptions::default());
    assert!(message.contains("found none"), "{message}");
}

#[test]
fn a_query_without_relevant_notes_does_not_count() {
    let set = load(&small(&[("qrels.tsv", "q1\td1\t0\nq2\td2\t1\n")]), DatasetOptions::default());
    assert_eq!(set.judged().map(|(query, _)| query.id.as_str()).collect::<Vec<_>>(), ["q2"]);
}

#[test]
fn categories_and_all_but_the_first_queries_can_be_left_out() {
    let left = |options| load(&small(&[]), options).queries.into_iter().map(|query| query.id).collect::<Vec<_>>();
    assert_eq!(left(DatasetOptions { exclude_categories: vec![5], ..DatasetOptions::default() }), ["q2"]);
    assert_eq!(left(DatasetOptions { limit_queries: Some(1), ..DatasetOptions::default() }), ["q1"]);
}

#[test]
fn turns_get_their_session_speaker_time_and_neighbours() {
    let set = load(&small(&[]), DatasetOptions { structure: true, ..DatasetOptions::default() });
    let first = &set.notes[0];
    assert_eq!((first.path.as_deref(), &first.tags), (Some("session-01/d1.md"), &vec!["Ann".to_owned()]));
    assert_eq!(first.updated_at.unwrap().to_string(), "2023-05-08T13:56:00Z");
    assert_eq!(set.now.to_string(), "2023-05-09T13:56:00Z");
    assert_eq!(
        (first.links.as_slice(), set.notes[1].links.as_slice()),
        (&["d2".to_owned()][..], &["d1".to_owned()][..])
    );
    assert_eq!((set.notes[2].links.len(), set.links["neighbour"]), (0, 2));
    assert_eq!(first.body, "Hey!");
}

#[test]
fn the_speaker_can_stand_before_the_text() {
    let set = load(&small(&[]), DatasetOptions { speaker: true, ..DatasetOptions::default() });
    assert_eq!((set.notes[0].body.as_str(), set.notes[0].path.as_deref()), ("Ann: Hey!", None));
}

#[test]
fn only_links_of_the_wanted_types_are_taken() {
    let links = "from\tto\ttype\tcount\nd1\td2\treference\t1\nd1\td3\tcocitation\t2\nd2\td2\treference\t1\n";
    let corpus = CORPUS.replace("speaker", "by");
    let dir = small(&[("links.tsv", links), ("corpus.jsonl", &corpus)]);
    assert!(load(&dir, DatasetOptions::default()).links.is_empty());
    let set = load(&dir, DatasetOptions { structure: true, ..DatasetOptions::default() });
    assert_eq!((&set.notes[0].links, set.links), (&vec!["d2".to_owned()], [("reference".to_owned(), 1)].into()));
    let unknown = small(&[("links.tsv", "d1\tdx\n")]);
    let message = refusal(&unknown, DatasetOptions { structure: true, ..DatasetOptions::default() });
    assert!(message.contains("links.tsv, line 1") && message.contains("\"dx\""), "{message}");
}

#[test]
fn a_vault_is_judged_by_path() {
    let dir = set(&[
        ("vault/a/slugs.md", "Wool keeps them off."),
        ("eval/dataset.json", r#"{"corpus": "../vault", "kind": "vault", "now": "2026-10-20T12:00:00Z"}"#),
        ("eval/queries.jsonl", QUERIES),
        ("eval/qrels.tsv", "q1\ta/slugs.md\t2\n"),
    ]);
    let set = Dataset::load(&dir.path().join("eval"), &DatasetOptions::default()).unwrap();
    assert_eq!((set.name.as_str(), set.notes[0].id.as_str()), ("eval", "a/slugs.md"));
    assert_eq!(set.now.to_string(), "2026-10-20T12:00:00Z");
}

#[test]
fn pooled_sets_keep_their_ids_apart() {
    let dir = small(&[]);
    let mut one = load(&dir, DatasetOptions { structure: true, ..DatasetOptions::default() });
    one.name = "one".into();
    let two = Dataset { name: "two".into(), ..one.clone() };
    let pooled = Dataset::pool(vec![one.clone(), two]).unwrap();
    assert_eq!((pooled.notes.len(), pooled.judged().count(), pooled.name.as_str()), (6, 4, "one+two"));
    let last = &pooled.notes[3];
    assert_eq!((last.id.as_str(), last.path.as_deref()), ("two/d1", Some("two/session-01/d1.md")));
    assert_eq!(last.links, ["two/d2"]);
    assert_eq!(pooled.qrels["two/q2"]["two/d2"], 2.0);
    assert!(Dataset::pool(vec![one.clone(), one]).unwrap_err().to_string().contains("\"one\""));
}
