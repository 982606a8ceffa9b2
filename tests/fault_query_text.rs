//! Field faults about query text: prose read as syntax, templates, blanks.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{TestStore, f3, ids, note};
use terrace::{CacheLookup, Note, RetrieveRequest, SearchMode, SearchRequest};

const MODES: [SearchMode; 4] = [SearchMode::Hybrid, SearchMode::Fulltext, SearchMode::Semantic, SearchMode::Graph];

fn f3_and_prose() -> TestStore {
    let store = TestStore::text_only();
    store.put_all(f3());
    store.put_all([note("n4", "", "see https://website.org following: >>> steps")]);
    store
}

/// F3 with a tag, and in a folder, that all of it shares.
fn f3_filed() -> Vec<Note> {
    f3().into_iter()
        .map(|note| Note { tags: vec!["db".into()], path: Some(format!("db/{}.md", note.id)), ..note })
        .collect()
}

/// Every public way in that takes free text, asked the same; fails the test with the text when one errs.
fn ask_everywhere(store: &TestStore, query: &str) {
    let shown: String = query.chars().take(60).collect();
    store.retrieve(&RetrieveRequest::new(query)).unwrap_or_else(|error| panic!("retrieve {shown:?}: {error}"));
    for mode in MODES {
        let request = SearchRequest { mode, ..SearchRequest::new(query) };
        store.search(&request).unwrap_or_else(|error| panic!("search {mode:?} {shown:?}: {error}"));
    }
    let lookup = CacheLookup { query: query.to_owned(), ..CacheLookup::default() };
    store.cache_lookup(&lookup).unwrap_or_else(|error| panic!("cache_lookup {shown:?}: {error}"));
}

#[test]
fn ordinary_prose_finds_the_note_that_holds_it() {
    // A URL, or a word with a colon, is text. https://github.com/quickwit-oss/tantivy/issues/2637
    let store = f3_and_prose();
    for query in ["https://website.org", "following:"] {
        assert_eq!(store.found(query).first().map(String::as_str), Some("n4"), "{query:?}");
    }
}

#[test]
fn no_text_is_ever_read_as_query_syntax() {
    // Operators, brackets, quotes, emoji and controls never err. https://github.com/quickwit-oss/tantivy/issues/2637
    let store = f3_and_prose();
    let odd = "https://website.org|following:|>>>|-backup|+backup|\"unclosed|'unclosed|a\nb|a\r\nb\tc|(|)|((((|[a TO|\
        [* TO *]|{a}|AND|OR|NOT|NOT backup|AND AND OR|title:|title:backup|:|::|*|*:*|back*|b?ckup|backup~2|backup^3|\
        backup^|/re(gex/|IN [a b|a && b|!c|\\|\\\\\"|a\\|$^|%00|NULL|';DROP TABLE notes;--|<script>|—|…|«»|🪴|👩‍👩‍👧‍👦|\
        🏳️‍🌈 backup|x\u{0}y|\u{1}\u{2}x\u{7f}|x\u{202e}y|\u{fffd}|\u{10ffff}|e\u{301}\u{301}\u{301}|\u{feff}backup";
    for query in odd.split('|') {
        ask_everywhere(&store, query);
    }
    ask_everywhere(&store, "a || b");
}

#[test]
fn operators_around_a_word_do_not_change_what_it_finds() {
    // `-backup` is the word backup, not its exclusion. https://github.com/quickwit-oss/tantivy/issues/2637
    let store = f3_and_prose();
    for query in
        ["-backup", "\"backup", "NOT backup", "title:backup", "(backup", "backup^0", "+backup -backup", "[backup]"]
    {
        assert_eq!(store.found(query).first().map(String::as_str), Some("n1"), "{query:?}");
    }
}

#[test]
fn pure_punctuation_answers_as_a_blank_query_does() {
    // With nothing to match, both list what the filter admits. https://github.com/quickwit-oss/tantivy/issues/2637
    for store in [TestStore::text_only(), TestStore::embedded()] {
        store.put_all(f3_filed());
        for mode in MODES {
            for filter in [
                SearchRequest { mode, tags: vec!["db".into()], ..SearchRequest::default() },
                SearchRequest { mode, path_prefix: Some("db".into()), ..SearchRequest::default() },
            ] {
                let answer = |query: &str| {
                    let hits = store.search(&SearchRequest { query: query.into(), ..filter.clone() }).unwrap().results;
                    hits.into_iter().map(|hit| (hit.id, hit.score)).collect::<Vec<_>>()
                };
                for punctuation in [">>>", "…", "()[]{}", "\"", "?!", "---"] {
                    assert_eq!(answer(punctuation), answer(""), "{mode:?} {punctuation:?}");
                }
            }
        }
        let all = SearchRequest { tags: vec!["db".into()], ..SearchRequest::new(">>>") };
        assert_eq!(store.search(&all).unwrap().results.len(), 3);
    }
}

#[test]
fn pure_punctuation_without_a_filter_is_no_error() {
    // It is neither blank nor syntax. https://github.com/quickwit-oss/tantivy/issues/2637
    let answer = f3_and_prose().retrieve(&RetrieveRequest::new(">>>")).unwrap();
    assert!(!answer.degraded, "{answer:?}");
}

#[test]
fn a_query_of_eight_kibibytes_is_answered_and_a_longer_one_refused() {
    // Whatever it is made of. https://github.com/quickwit-oss/tantivy/issues/2637
    let store = f3_and_prose();
    for piece in ["backup ", "(", "\"", "🪴", "漢", "AND ", "a:", "-x ", "e\u{301}", "xyzzy"] {
        let longer = piece.repeat(8192 / piece.len() + 1);
        assert_eq!(store.retrieve(&RetrieveRequest::new(longer.clone())).unwrap_err().code(), "invalid_input");
        ask_everywhere(&store, &piece.repeat(8192 / piece.len()));
    }
}

#[test]
fn a_log_template_finds_the_note_that_holds_it() {
    // Braces, colons, plus signs and angle brackets are text. https://github.com/lancedb/lancedb/issues/1617
    let store = TestStore::text_only();
    let texts = [
        "Message: {0}, StackTrace: {1}",
        "y+(y+25)",
        "std::vec<T>",
        "GB/s",
        "C++",
        "fn main() -> Result<(), E>",
        "SELECT * FROM t WHERE a = 'b'",
        "{\"key\": [1, 2]}",
        "C:\\temp\\x.log",
        "a.b.c(d)[e]",
    ];
    store.put_all(texts.iter().enumerate().map(|(at, text)| note(&format!("t{at}"), "", text)));
    for (at, text) in texts.iter().enumerate() {
        assert_eq!(store.found(text).first(), Some(&format!("t{at}")), "{text:?}");
    }
}

#[test]
fn a_word_with_a_colon_is_no_field_prefix() {
    // `title:`, `body:` and `tags:` do not restrict to fields. https://github.com/lancedb/lancedb/issues/1617
    let store = TestStore::text_only();
    store.put_all([note("n1", "unrelated", "Message: disk full")]);
    for query in ["Message: disk", "title:disk", "tags:disk", "body:disk", "id:disk", "ord:disk"] {
        let request = SearchRequest { mode: SearchMode::Fulltext, ..SearchRequest::new(query) };
        assert_eq!(store.search(&request).unwrap().results.len(), 1, "{query:?}");
    }
}

const BLANKS: [&str; 8] = ["", "   ", "\u{200b}", "\t\r\n", "\u{a0}", "\u{feff}", "\u{3000}", "\u{200d}\u{2060}\u{ad}"];

#[test]
fn every_blank_query_is_refused_in_the_same_words() {
    // Blank is told at the door, not by a back end. https://github.com/mem0ai/mem0/issues/5220
    let store = TestStore::text_only();
    store.put_all(f3());
    let refusal = |query: &str| store.retrieve(&RetrieveRequest::new(query)).unwrap_err();
    for blank in BLANKS {
        assert_eq!(refusal(blank).code(), "invalid_input", "{blank:?}");
        assert_eq!(refusal(blank).to_string(), refusal("").to_string(), "{blank:?}");
        for mode in MODES {
            let request = SearchRequest { mode, ..SearchRequest::new(blank) };
            assert_eq!(store.search(&request).unwrap_err().code(), "invalid_input", "{mode:?} {blank:?}");
        }
        let lookup = CacheLookup { query: blank.to_owned(), ..CacheLookup::default() };
        assert_eq!(store.cache_lookup(&lookup).unwrap_err().code(), "invalid_input", "{blank:?}");
    }
}

#[test]
fn a_limit_of_nothing_or_of_too_much_is_refused() {
    // The range is 1 to the cap that capabilities name. https://github.com/mem0ai/mem0/issues/5220
    let store = TestStore::text_only();
    store.put_all(f3());
    let cap = store.capabilities().max_limit;
    for limit in [0, cap + 1, usize::MAX] {
        let request = RetrieveRequest { limit, ..RetrieveRequest::new("postgres") };
        assert_eq!(store.retrieve(&request).unwrap_err().code(), "invalid_input", "{limit}");
        let request = SearchRequest { limit, ..SearchRequest::new("postgres") };
        assert_eq!(store.search(&request).unwrap_err().code(), "invalid_input", "{limit}");
    }
    let most = RetrieveRequest { limit: cap, ..RetrieveRequest::new("postgres") };
    assert!(store.retrieve(&most).unwrap().results.len() >= 2);
}

#[test]
fn a_refused_query_moves_no_statistics() {
    // Neither salience nor usage nor what was learned. https://github.com/mem0ai/mem0/issues/5220
    let store = TestStore::text_only();
    store.put_all(f3());
    store.retrieve(&RetrieveRequest::new("postgres")).unwrap();
    let owner = terrace::Viewer::owner();
    let state = || {
        let nodes: Vec<_> = ["n1", "n2", "n3"].iter().map(|id| store.node_stats(id, &owner).unwrap()).collect();
        (nodes, store.learned().unwrap())
    };
    let before = state();
    for blank in BLANKS {
        store.retrieve(&RetrieveRequest::new(blank)).unwrap_err();
    }
    store.retrieve(&RetrieveRequest { limit: 0, ..RetrieveRequest::new("postgres") }).unwrap_err();
    assert_eq!(state(), before);
}

#[test]
fn a_blank_query_is_allowed_with_tags_a_path_or_a_task() {
    // The condition then says what is wanted; every blank answers alike. https://github.com/mem0ai/mem0/issues/5220
    let store = TestStore::text_only();
    store.put_all(f3_filed());
    store.put_all([common::of_task("task-of-blanks", note("t", "A note of the task", ""))]);
    let conditions = [
        (3, RetrieveRequest { tags: vec!["db".into()], ..RetrieveRequest::default() }),
        (3, RetrieveRequest { path_prefix: Some("db".into()), ..RetrieveRequest::default() }),
        (1, RetrieveRequest { task_id: Some("task-of-blanks".into()), limit: 1, ..RetrieveRequest::default() }),
    ];
    for (expected, condition) in conditions {
        let answer =
            |query: &str| ids(&store.retrieve(&RetrieveRequest { query: query.into(), ..condition.clone() }).unwrap());
        let first = answer("");
        assert_eq!(first.len(), expected, "{condition:?}");
        for blank in BLANKS {
            assert_eq!(answer(blank), first, "{blank:?} {condition:?}");
        }
    }
}

#[test]
fn blank_margins_do_not_change_an_answer() {
    // They are no content. https://github.com/mem0ai/mem0/issues/5220
    let store = TestStore::text_only();
    store.put_all(f3());
    assert_eq!(store.found("  redis cache\n\u{200b}"), store.found("redis cache"));
}
