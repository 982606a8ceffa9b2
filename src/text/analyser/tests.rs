use super::*;
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

fn texts(text: &str) -> Vec<String> {
    terms(text).into_iter().map(|term| term.text).collect()
}

fn finds(text: &str, query: &str) -> bool {
    let held = texts(text);
    let asked = query_terms(query);
    !asked.is_empty() && asked.iter().all(|term| held.contains(&term.text))
}

#[test]
fn english_words_are_folded_and_stemmed() {
    assert_eq!(texts("Running the Résumés"), ["run", "the", "resum"]);
}

#[test]
fn an_identifier_is_found_whole_and_in_parts() {
    assert_eq!(texts("snake_case"), ["snake_case", "snake", "case"]);
    assert_eq!(texts("camelCase"), ["camelcas", "camel", "case"]);
    assert_eq!(texts("HTTPServer"), ["httpserver", "http", "server"]);
    assert_eq!(texts("std::vec"), ["std::vec", "std", "vec"]);
    assert_eq!(texts("GB/s"), ["gb/s", "gb", "s"]);
    assert_eq!(texts("v1.2.3"), ["v1.2.3", "v1", "2", "3"]);
    assert_eq!(texts("2024-05-01"), ["2024-05-01", "2024", "05", "01"]);
    assert_eq!(texts("src/main.rs"), ["src/main.rs", "src", "main", "rs"]);
    assert_eq!(texts("me@example.org"), ["me@example.org", "me", "exampl", "org"]);
    assert_eq!(texts("https://website.org"), ["https://website.org", "https", "websit", "org"]);
    assert_eq!(texts("1,000"), ["1,000", "1", "000"]);
}

#[test]
fn a_whole_identifier_shares_the_position_of_its_first_word() {
    let positions: Vec<u32> = terms("snake_case next").iter().map(|term| term.position).collect();
    assert_eq!(positions, [0, 0, 1, 2]);
}

#[test]
fn symbols_behind_a_word_belong_to_it() {
    assert_eq!(texts("C++, C#."), ["c++", "c", "c#", "c"]);
}

#[test]
fn plurals_of_acronyms_are_not_split() {
    assert_eq!(texts("PDFs"), ["pdfs"].map(|word| Stems::borrow().stem(word).to_owned()));
}

#[test]
fn apostrophes_of_either_kind_agree() {
    assert_eq!(texts("don’t"), ["dont"]);
    assert_eq!(texts("Bob's Bob’s we'll O'Reilly"), ["bob", "bob", "we", "o'reilly", "o", "reilli"]);
}

#[test]
fn sentence_punctuation_is_not_part_of_a_word() {
    assert_eq!(texts("(End). \"Start\" wait...what a--b"), ["end", "start", "wait", "what", "a", "b"]);
}

#[test]
fn chinese_substrings_are_found() {
    let text = "即适者生存，生存等于正确的道理";
    assert!(finds(text, "适者生存"));
    assert!(finds(text, "生存"));
    assert!(finds(text, "存"));
    assert!(finds("止损策略", "止损"));
    assert!(!finds("止损策略", "损止"));
}

#[test]
fn a_query_asks_for_pairs_not_for_each_character() {
    assert_eq!(query_terms("止损策").into_iter().map(|t| t.text).collect::<Vec<_>>(), ["止损", "损策"]);
}

#[test]
fn composed_and_decomposed_words_find_each_other() {
    for word in ["학점인정", "café", "ガイド"] {
        let nfd: String = word.nfd().collect();
        assert!(finds(word, &nfd) && finds(&nfd, word), "{word}");
    }
}

#[test]
fn words_of_other_scripts_are_found() {
    let note = "заметка о поиске ملاحظة हिन्दी टिप्पणी שלום ภาษาไทย straße İstanbul ﬁle 👩\u{200d}👩 🇺🇳 🔥";
    for query in ["Заметка", "ملاحظة", "हिन्दी", "टिप्पणी", "שָׁלוֹם", "ไทย", "STRASSE", "istanbul", "file", "🔥", "🇺🇳"]
    {
        assert!(finds(note, query), "{query}");
    }
    assert!(!finds(note, "हन्दी"));
}

#[test]
fn invisible_characters_do_not_cut_words() {
    assert_eq!(texts("hid\u{200b}den \u{feff}inner"), ["hidden", "inner"]);
    assert_eq!(texts("before\0after"), ["befor", "after"]);
}

#[test]
fn query_look_alikes_are_text() {
    let note = "see https://website.org following: >>> steps Message: {0}, StackTrace: {1} std::vec<T> C++ y+(y+25)";
    for query in
        ["https://website.org", "following:", "Message: {0}, StackTrace: {1}", "std::vec<T>", "C++", "y+(y+25)"]
    {
        assert!(finds(note, query), "{query}");
    }
    for query in [">>>", "(", "", "  ", "\u{200b}", "\"'--...++##"] {
        assert_eq!(query_terms(query), [], "{query}");
    }
}

#[test]
fn overlong_words_are_cut_and_what_follows_is_indexed() {
    let text = format!("{} needle", "x".repeat(100_000));
    let terms = texts(&text);
    assert_eq!(terms.iter().map(String::len).collect::<Vec<_>>(), [64, 5]); // needl
}

#[test]
fn encoded_data_gives_few_terms() {
    let text = "iVBORw0KGgoAAAANSUhEUgAA".repeat(1_000);
    assert_eq!(texts(&text).len(), 1);
}

#[test]
fn a_query_counts_its_words_and_keeps_their_order() {
    let terms = query_terms("cache the index, index caches");
    assert_eq!(terms, [QueryTerm { text: "cach".into(), count: 2 }, QueryTerm { text: "index".into(), count: 2 }]);
}

/// The scanner without its short way.
fn slow_terms(text: &str) -> Vec<Term> {
    let mut out = Vec::new();
    let mut scanner = Scanner::new(|term: &str, _, position, range: Range<usize>| {
        out.push(Term { text: term.to_owned(), position, start: range.start, end: range.end });
    });
    let mut offset = 0;
    for piece in text.split_inclusive(is_separator) {
        scanner.chunk(piece.trim_end_matches(is_separator), offset);
        offset += piece.len();
    }
    out
}

proptest! {
    #[test]
    fn the_short_way_gives_what_the_long_way_gives(text in "[a-cA-C1'+#.,_\\-( é]{0,30}") {
        prop_assert_eq!(terms(&text), slow_terms(&text));
    }

    #[test]
    fn ranges_are_on_borders_and_terms_short(text in any::<String>()) {
        let mut last = 0;
        for term in terms(&text) {
            prop_assert!(text.get(term.start..term.end).is_some_and(|source| !source.is_empty()));
            prop_assert!(term.text.len() <= MAX_TERM_BYTES && !term.text.is_empty());
            prop_assert!(term.position >= last);
            last = term.position;
        }
    }

    #[test]
    fn nfc_and_nfd_give_the_same_terms(text in any::<String>()) {
        let nfc: String = text.nfc().collect();
        let nfd: String = text.nfd().collect();
        prop_assert_eq!(texts(&nfc), texts(&nfd));
    }

    #[test]
    fn query_terms_are_among_the_terms(text in any::<String>()) {
        let held = texts(&text);
        for term in query_terms(&text) {
            prop_assert!(held.contains(&term.text));
        }
    }
}
