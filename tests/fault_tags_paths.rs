//! Field faults about tags, paths and files.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, at_path, note, sorted, tagged};
use terrace::text::parse_front_matter;
use terrace::{CacheLookup, RetrieveRequest, SearchMode, SearchRequest, Viewer};

fn by_tag(store: &TestStore, tag: &str) -> Vec<String> {
    let request = RetrieveRequest { tags: vec![tag.into()], ..RetrieveRequest::default() };
    sorted(common::ids(&store.retrieve(&request).unwrap()))
}

fn by_path(store: &TestStore, prefix: &str) -> Vec<String> {
    let request = RetrieveRequest { path_prefix: Some(prefix.into()), ..RetrieveRequest::default() };
    sorted(common::ids(&store.retrieve(&request).unwrap()))
}

#[test]
fn case_does_not_tell_tags_apart_and_a_tag_admits_those_below_it() {
    // `Zeit`, `zeit` and `ZEIT/Arbeit` pass `zeit`. https://github.com/blacksmithgu/obsidian-dataview/issues/831
    let store = TestStore::text_only();
    store.put_all([
        tagged("n1", &["Zeit"]),
        tagged("n2", &["zeit"]),
        tagged("n3", &["ZEIT/Arbeit"]),
        tagged("n4", &["zeitung"]),
        tagged("n5", &["arbeit/zeit"]),
    ]);
    for tag in ["zeit", "Zeit", "ZEIT", "#zeit", " zeit ", "zeit/"] {
        assert_eq!(by_tag(&store, tag), ["n1", "n2", "n3"], "{tag:?}");
    }
    assert_eq!(by_tag(&store, "zeit/arbeit"), ["n3"]);
    assert!(by_tag(&store, "zei").is_empty());
}

#[test]
fn every_call_that_filters_by_tag_folds_it_alike() {
    // One rule for retrieve, each mode of search, and the cache. https://github.com/blacksmithgu/obsidian-dataview/issues/1179
    let store = TestStore::text_only();
    store.put_all([note("n1", "Pump priming", "open the valve")].map(|mut note| {
        note.tags = vec!["Wasser/Pumpe".into()];
        note
    }));
    let tags = vec!["WASSER".to_owned()];
    for mode in [SearchMode::Hybrid, SearchMode::Fulltext] {
        let request = SearchRequest { mode, tags: tags.clone(), ..SearchRequest::new("pump priming") };
        assert_eq!(store.search(&request).unwrap().results.len(), 1, "{mode:?}");
    }
    let request = RetrieveRequest { tags: tags.clone(), ..RetrieveRequest::new("pump priming") };
    assert_eq!(store.retrieve(&request).unwrap().results.len(), 1);
    let lookup = CacheLookup { query: "pump priming".into(), tags, ..CacheLookup::default() };
    assert!(store.cache_lookup(&lookup).unwrap().hit);
}

#[test]
fn tags_that_fold_alike_are_counted_once_and_shown_as_written() {
    // Display keeps the author's case. https://github.com/blacksmithgu/obsidian-dataview/issues/831
    let store = TestStore::text_only();
    store.put_all([tagged("n1", &["Zeit"]), tagged("n2", &["zeit", "ZEIT"])]);
    assert_eq!(store.stats().unwrap().tags, 1);
    assert_eq!(store.get("n1", &Viewer::anyone()).unwrap().tags, ["Zeit"]);
    assert_eq!(store.get("n2", &Viewer::anyone()).unwrap().tags, ["zeit", "ZEIT"]);
}

#[test]
fn letters_that_grow_or_shrink_when_folded_do_not_panic() {
    // İ, ß, ẞ, final sigma, ligatures, titlecase. https://github.com/blacksmithgu/obsidian-dataview/issues/831
    let store = TestStore::text_only();
    let odd = ["İ", "ı", "ß", "ẞ", "ΣΑΣ", "ﬁn", "ǅ", "ŉ", "ΐ", "a/İ/ß", "İ/b", "ᾼ"];
    store.put_all(odd.iter().enumerate().map(|(at, tag)| tagged(&format!("t{at:02}"), &[tag])));
    for (at, tag) in odd.iter().enumerate() {
        let id = format!("t{at:02}");
        assert!(by_tag(&store, tag).contains(&id), "{tag}");
        assert!(by_tag(&store, &tag.to_lowercase()).contains(&id) || *tag == "İ" || tag.contains('İ'), "{tag}");
    }
    assert_eq!(by_tag(&store, "ß"), by_tag(&store, "ẞ"));
    assert_eq!(by_tag(&store, "σας"), ["t04"]);
}

#[test]
fn a_path_filter_admits_whole_segments_only() {
    // `notes-backup` is not in `notes`. https://github.com/akitaonrails/FrankMD/pull/120
    let store = TestStore::text_only();
    store.put_all([
        at_path("a", "notes/a.md"),
        at_path("b", "notes-backup/b.md"),
        at_path("c", "notes/./c.md"),
        at_path("d", "notes..v2.md"),
        at_path("e", "notes.md"),
        at_path("f", "other/notes/f.md"),
        at_path("g", "notes2.md"),
        at_path("h", "Notes/h.md"),
        at_path("win", "notes\\win.md"),
    ]);
    for prefix in ["notes", "notes/", "./notes", "notes//."] {
        assert_eq!(by_path(&store, prefix), ["a", "c", "e"], "{prefix:?}");
    }
    assert_eq!(by_path(&store, "notes-backup"), ["b"]);
    assert_eq!(by_path(&store, "notes..v2.md"), ["d"]);
    assert_eq!(by_path(&store, "notes/c.md"), ["c"]);
}

#[test]
fn a_path_is_normalised_by_segments_and_else_kept() {
    // Dots inside a name are a name. https://github.com/akitaonrails/FrankMD/pull/120
    let store = TestStore::text_only();
    let kept = [
        ("notes..v2.md", "notes..v2.md"),
        ("notes/./c.md", "notes/c.md"),
        ("a//b.md", "a/b.md"),
        ("a/b/", "a/b"),
        ("...", "..."),
        ("..hidden/x..", "..hidden/x.."),
        (".git/x", ".git/x"),
        ("notes\\win.md", "notes\\win.md"),
        ("a b/c\td.md", "a b/c\td.md"),
        ("日本/猫.md", "日本/猫.md"),
    ];
    for (given, stored) in kept {
        store.put(at_path("n", given)).unwrap();
        assert_eq!(store.get("n", &Viewer::anyone()).unwrap().path.as_deref(), Some(stored), "{given:?}");
    }
}

#[test]
fn a_path_that_leaves_the_root_is_refused_wherever_it_is_given() {
    // At put, at rename, and as a filter; the store stays as it was. https://github.com/akitaonrails/FrankMD/pull/120
    let store = TestStore::text_only();
    store.put(at_path("n", "ok.md")).unwrap();
    for bad in [
        "notes/../secret.md",
        "../x",
        "..",
        "a/..",
        "/etc/passwd",
        "//server/share",
        "C:\\x",
        "c:/x",
        "a\0b",
        "",
        ".",
        "./.",
    ] {
        assert_eq!(store.put(at_path("bad", bad)).unwrap_err().code(), "invalid_input", "put {bad:?}");
        assert_eq!(store.rename("n", bad).unwrap_err().code(), "invalid_input", "rename {bad:?}");
        let request = RetrieveRequest { path_prefix: Some(bad.into()), ..RetrieveRequest::new("note") };
        assert_eq!(store.retrieve(&request).unwrap_err().code(), "invalid_input", "retrieve {bad:?}");
        let request = SearchRequest { path_prefix: Some(bad.into()), ..SearchRequest::new("note") };
        assert_eq!(store.search(&request).unwrap_err().code(), "invalid_input", "search {bad:?}");
    }
    assert_eq!(store.stats().unwrap().notes, 1);
    assert_eq!(store.get("n", &Viewer::anyone()).unwrap().path.as_deref(), Some("ok.md"));
}

#[test]
fn one_refused_path_refuses_the_whole_of_a_bulk_write() {
    // All notes are checked before the first is written. https://github.com/akitaonrails/FrankMD/pull/120
    let store = TestStore::text_only();
    let notes = vec![at_path("a", "a.md"), at_path("b", "../b.md")];
    assert_eq!(store.put_many(notes).unwrap_err().code(), "invalid_input");
    assert_eq!(store.stats().unwrap().notes, 0);
}

#[test]
fn front_matter_reads_alike_with_either_line_ending() {
    // CRLF, also mixed, and behind a byte order mark. https://github.com/intellectronica/mdbasequery/issues/3
    let lf = "---\ntitle: CRLF\ntags: [x]\naliases:\n  - one\n  - two\n---\nbody";
    let (expected, _, _) = parse_front_matter(lf);
    assert_eq!((expected.title.as_deref(), expected.tags.as_slice()), (Some("CRLF"), ["x".to_owned()].as_slice()));
    for text in [
        lf.replace('\n', "\r\n"),
        lf.replacen('\n', "\r\n", 1),
        lf.replace("---\nbody", "---\r\nbody"),
        format!("\u{feff}{}", lf.replace('\n', "\r\n")),
    ] {
        let (front, body, warning) = parse_front_matter(&text);
        assert_eq!((&front, body, warning), (&expected, "body", None), "{text:?}");
    }
}

#[test]
fn front_matter_may_end_with_the_file() {
    // The closing fence needs no line break after it. https://github.com/intellectronica/mdbasequery/issues/3
    for text in ["---\ntitle: EOF\n---", "---\r\ntitle: EOF\r\n---", "---\ntitle: EOF\n---\n", "---\ntitle: EOF\n--- "]
    {
        let (front, body, warning) = parse_front_matter(text);
        assert_eq!((front.title.as_deref(), body, warning), (Some("EOF"), "", None), "{text:?}");
    }
}

#[test]
fn what_is_no_front_matter_is_all_body() {
    // An open block, or a fence with more on its line. https://github.com/intellectronica/mdbasequery/issues/3
    for text in [
        "---\ntitle: unterminated\nbody",
        "---hello\nbody",
        "---",
        "---\n",
        "\n---\ntitle: x\n---\n",
        " ---\ntitle: x\n---\n",
        "----\ntitle: x\n----\n",
        "--- #\ntitle: x\n---\n",
        "---\rtitle: x\r---\rbody",
        "",
    ] {
        let (front, body, warning) = parse_front_matter(text);
        assert_eq!((front.title, body, warning), (None, text, None), "{text:?}");
    }
}

#[test]
fn a_title_is_any_text_and_makes_no_path() {
    // Slashes, device names, dots, nothing, and much of it. https://github.com/basicmachines-co/basic-memory/issues/154
    let store = TestStore::text_only();
    let long = "x".repeat(300);
    let titles = [
        "TCP/IP notes",
        "CON",
        "a:b",
        "..",
        long.as_str(),
        "",
        "/etc/passwd",
        "nul\0byte",
        "line\nbreak",
        "C:\\x",
        "*?<>|\"",
    ];
    let ids = store.put_all(titles.iter().map(|title| terrace::Note::new(*title, "same body")));
    for (id, title) in ids.iter().zip(titles) {
        let stored = store.get(id, &Viewer::anyone()).unwrap();
        assert_eq!((stored.title.as_str(), stored.path), (title, None));
    }
    let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), titles.len());
}

#[test]
fn an_id_says_nothing_of_the_title() {
    // The same put under another title gets the same id. https://github.com/basicmachines-co/basic-memory/issues/154
    let made = |title: &str| TestStore::text_only().put(terrace::Note::new(title, "")).unwrap();
    assert_eq!(made("TCP/IP notes"), made(".."));
}

#[test]
fn a_note_is_found_by_its_title_whatever_that_holds() {
    // No file-name rule between a title and its words. https://github.com/basicmachines-co/basic-memory/issues/154
    let store = TestStore::text_only();
    let long = "x".repeat(300);
    let titles = ["TCP/IP notes", "CON", "a:b", long.as_str(), "C:\\temp"];
    store.put_all(titles.iter().enumerate().map(|(at, title)| note(&format!("t{at}"), title, "same body")));
    for (at, title) in titles.iter().enumerate() {
        assert_eq!(store.found(title).first(), Some(&format!("t{at}")), "{title:.40}");
    }
}

#[test]
fn the_last_words_of_a_long_note_are_found_by_word_and_by_meaning() {
    // 40 kB, the needle in its last 200 bytes. https://github.com/aeroxy/ast-bro/issues/59
    let filler = "The lower terrace is watered at dawn and the compost is turned on Fridays.\n\n";
    let needle = "A violinist performed the concerto with the orchestra in Vienna.";
    let body = format!("{}{needle}", filler.repeat(40_000 / filler.len()));
    assert!(body.len() > 39_000);
    let store = TestStore::embedded();
    store.put(note("long", "Garden diary", &body)).unwrap();
    let gardening =
        ["slugs on lettuce", "soil survey of the beds", "drip irrigation", "pruning the pear", "seed packets"];
    store.put_all(gardening.iter().enumerate().map(|(at, text)| note(&format!("g{at}"), "Garden", text)));
    for (mode, query) in [(SearchMode::Fulltext, "concerto"), (SearchMode::Semantic, "classical music violin concert")]
    {
        let found = store.search(&SearchRequest { mode, ..SearchRequest::new(query) }).unwrap().results;
        assert_eq!(found.first().map(|hit| hit.id.as_str()), Some("long"), "{mode:?}");
        // A meaning has no words to show; the passage itself does.
        assert!(mode == SearchMode::Semantic || found[0].snippet.contains("concerto"), "{:?}", found[0].snippet);
    }
}

#[test]
fn the_receipt_says_which_passage_matched() {
    // The one that holds the needle, not the first. https://github.com/aeroxy/ast-bro/issues/59
    let filler = "The lower terrace is watered at dawn and the compost is turned on Fridays.\n\n";
    let body = format!("{}A violinist performed the concerto with the orchestra.", filler.repeat(60));
    let size = terrace::VectorConfig::default().passage_chars;
    let passages = terrace::text::passages(&terrace::text::parse_markdown(&body).plain, size).len();
    assert!(passages > 3, "{passages}");
    let store = TestStore::embedded();
    store.put(note("long", "Garden diary", &body)).unwrap();
    let answer = store.retrieve(&RetrieveRequest::new("orchestra concerto violinist")).unwrap();
    let receipt = store.receipt(&answer.receipt_id, &Viewer::owner()).unwrap();
    let reasons = &receipt.final_nodes[0].reasons;
    assert!(reasons.iter().any(|reason| reason.contains(&format!("(passage {passages})"))), "{reasons:?}");
}
