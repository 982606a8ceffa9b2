//! Field faults about scripts and bytes: text without spaces, composed and decomposed letters.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{TestStore, note, sorted, tagged};
use terrace::{SearchMode, SearchRequest, Viewer};

fn words_find(store: &TestStore, query: &str) -> Vec<String> {
    let request = SearchRequest { mode: SearchMode::Fulltext, ..SearchRequest::new(query) };
    store.search(&request).unwrap().results.into_iter().map(|hit| hit.id).collect()
}

#[test]
fn a_part_of_a_chinese_sentence_finds_it() {
    // Also two characters from its middle. https://github.com/basicmachines-co/basic-memory/issues/1294
    let store = TestStore::text_only();
    store.put_all([note("n1", "", "即适者生存，生存等于正确的道理"), note("n2", "", "止损策略")]);
    for (query, expected) in [("适者生存", "n1"), ("生存", "n1"), ("止损", "n2"), ("存", "n1")] {
        assert_eq!(store.found(query).first().map(String::as_str), Some(expected), "{query}");
        assert_eq!(words_find(&store, query), [expected], "{query}");
    }
}

#[test]
fn a_part_of_a_run_without_spaces_is_found_in_every_such_script() {
    // Kana, Hangul, Thai, Lao, Khmer and Myanmar too. https://github.com/basicmachines-co/basic-memory/issues/1294
    let texts = [
        ("ja", "全文検索エンジンのインデックス", "エンジン"),
        ("ja2", "ひらがなだけのぶんしょう", "だけの"),
        ("ko", "대한민국헌법제정", "헌법"),
        ("th", "การสูบน้ำเข้าแปลงนา", "น้ำ"),
        ("lo", "ພາສາລາວງາມ", "ລາວ"),
        ("km", "ភាសាខ្មែរស្អាត", "ខ្មែរ"),
        ("my", "မြန်မာဘာသာ", "ဘာသာ"),
        ("zh", "灌溉水泵维修记录", "水泵"),
        ("zh2", "抽水馬達檢查", "馬達"),
    ];
    let store = TestStore::text_only();
    store.put_all(texts.iter().map(|(id, text, _)| note(id, "", text)));
    for (id, _, part) in texts {
        assert_eq!(words_find(&store, part).first().map(String::as_str), Some(id), "{part}");
    }
}

#[test]
fn words_of_every_alphabet_are_found_in_any_case() {
    // Folding is not for Latin alone. https://github.com/basicmachines-co/basic-memory/issues/1294
    let texts = [
        ("ru", "Насос требует ремонта", "НАСОС"),
        ("el", "Η Αντλία νερού", "αντλια"),
        ("de", "Straßenbrücke über den Fluß", "STRASSENBRÜCKE"),
        ("tr", "İstanbul boğazı", "istanbul"),
        ("ar", "مضخة المياه القديمة", "مضخة"),
        ("he", "משאבת מים ישנה", "משאבת"),
        ("hi", "पानी का पंप", "पंप"),
        ("vi", "máy bơm nước", "bơm"),
        ("full", "ＦＵＬＬＷＩＤＴＨ ｔｅｘｔ", "fullwidth"),
    ];
    let store = TestStore::text_only();
    store.put_all(texts.iter().map(|(id, text, _)| note(id, "", text)));
    for (id, _, word) in texts {
        assert_eq!(words_find(&store, word).first().map(String::as_str), Some(id), "{word}");
    }
}

#[test]
fn a_word_beside_another_script_is_found_by_itself() {
    // Mixed runs do not become one token. https://github.com/basicmachines-co/basic-memory/issues/1294
    let store = TestStore::text_only();
    store.put_all([note("n1", "", "使用Postgres备份数据库v2版本"), note("n2", "", "其他")]);
    for query in ["Postgres", "备份", "数据库", "postgres备份"] {
        assert_eq!(words_find(&store, query), ["n1"], "{query}");
    }
}

/// The same text composed and decomposed.
const FORMS: [(&str, &str); 5] = [
    ("학점인정", "\u{1112}\u{1161}\u{11a8}\u{110c}\u{1165}\u{11b7}\u{110b}\u{1175}\u{11ab}\u{110c}\u{1165}\u{11bc}"),
    ("café", "cafe\u{301}"),
    ("Việt", "Vie\u{323}\u{302}t"),
    ("Ångström", "A\u{30a}ngstro\u{308}m"),
    ("が", "か\u{3099}"),
];

#[test]
fn either_form_of_a_letter_finds_both() {
    // Composed and decomposed text is the same text. https://github.com/lidge-jun/aside-codemode/issues/30
    for (composed, decomposed) in FORMS {
        assert_ne!(composed, decomposed);
        let store = TestStore::text_only();
        store.put_all([note("nfc", composed, ""), note("nfd", decomposed, ""), note("other", "nothing alike", "")]);
        for query in [composed, decomposed] {
            assert_eq!(sorted(words_find(&store, query)), ["nfc", "nfd"], "{query}");
            let found = store.found(query);
            assert_eq!(sorted(found.into_iter().take(2).collect()), ["nfc", "nfd"], "{query}");
        }
    }
}

#[test]
fn either_form_of_a_letter_has_the_same_meaning() {
    // The embedder, too, sees one text. https://github.com/lidge-jun/aside-codemode/issues/30
    let store = TestStore::embedded();
    store.put_all([
        note("nfc", "", "a small café"),
        note("nfd", "", "a small cafe\u{301}"),
        note("other", "", "valves"),
    ]);
    let request = |query: &str| SearchRequest { mode: SearchMode::Semantic, ..SearchRequest::new(query) };
    let scores = |query: &str| {
        let hits = store.search(&request(query)).unwrap().results;
        hits.into_iter().map(|hit| (hit.id, hit.score)).collect::<Vec<_>>()
    };
    assert_eq!(scores("café"), scores("cafe\u{301}"));
}

#[test]
fn either_form_of_a_letter_filters_by_the_same_tag() {
    // Tags compare after composing. https://github.com/lidge-jun/aside-codemode/issues/30
    let store = TestStore::text_only();
    store.put_all([tagged("nfc", &["café"]), tagged("nfd", &["cafe\u{301}"]), tagged("bare", &["cafe"])]);
    for tag in ["café", "cafe\u{301}"] {
        let request = SearchRequest { tags: vec![tag.into()], ..SearchRequest::default() };
        let found = store.search(&request).unwrap().results.into_iter().map(|hit| hit.id).collect();
        assert_eq!(sorted(found), ["nfc", "nfd"], "{tag}");
    }
}

#[test]
fn stored_text_comes_back_byte_for_byte() {
    // Folding is for comparing only. https://github.com/lidge-jun/aside-codemode/issues/30
    let mut store = TestStore::text_only();
    for (at, (composed, decomposed)) in FORMS.into_iter().enumerate() {
        for (form, text) in [("nfc", composed), ("nfd", decomposed)] {
            let mut note = note(&format!("{form}{at}"), text, &format!("\u{feff}{text}\r\n\0 {text}\u{200b}"));
            note.tags = vec![text.into()];
            note.aliases = vec![text.into()];
            note.path = Some(format!("{text}/{text}.md"));
            note.created_at = Some(common::START);
            note.updated_at = Some(common::START);
            store.put(note.clone()).unwrap();
            assert_eq!(store.get(&note.id, &Viewer::anyone()).unwrap(), note);
        }
    }
    let before: Vec<_> = (0..5).map(|at| store.get(&format!("nfd{at}"), &Viewer::anyone()).unwrap()).collect();
    store.reopen();
    let after: Vec<_> = (0..5).map(|at| store.get(&format!("nfd{at}"), &Viewer::anyone()).unwrap()).collect();
    assert_eq!(after, before);
}
