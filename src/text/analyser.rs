//! The one analyser, for what is indexed and what is asked.
//!
//! A text is cut at white space and controls, folded (see `fold`), and read as follows:
//!
//! * A **word** is a run of letters, digits and marks. ASCII words take their Porter2 stem.
//! * An **identifier** is words joined, without white space, by any of `_ - . / : @ ' & + # % = ? ~ \ $ ,`, or written
//!   in `camelCase`. Its words are terms at successive positions, and the whole is one more term at the position of the
//!   first: `src/main.rs` gives `src/main.rs`, `src`, `main`, `rs`. Trailing `+` and `#` belong to it: `C++` gives
//!   `c++` and `c`. `--` and `...` separate, as does a comma that is not between digits.
//! * Possessive and contracted endings (`'s 're 've 'll 'd 'm`) are dropped and `n't` closes up: `don't` is `dont`.
//! * **Scripts without spaces** (Han, Kana, Hangul, Thai, Lao, Khmer, Myanmar) give each character as a term, so that a
//!   query of one character finds, and overlapping pairs at the position of their first character. A query drops the
//!   single characters of longer runs.
//! * An **emoji** is a term.
//! * Terms end at [`MAX_TERM_BYTES`] bytes; what is longer is cut there, so longer words with one beginning are one term.
//!   Identifiers of more than [`MAX_CAMEL_CHARS`] characters, which are mostly encoded data, are not split at capitals.
//!
//! Everything is linear in the text's length.

use std::ops::Range;

use rustc_hash::FxHashMap;
use unicode_normalization::char::is_combining_mark;

use super::fold::{Folded, fold_into};
use super::stem::{Stems, is_stop_word};

/// The longest term, in bytes of UTF-8; a longer one is cut at the last character border before.
pub const MAX_TERM_BYTES: usize = 64;

/// The longest identifier, in characters, that is split at its capitals.
pub const MAX_CAMEL_CHARS: usize = 100;

/// A term as the index holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The folded, stemmed text.
    pub text: String,
    /// Its place among the text's words, from 0; several terms may share one.
    pub position: u32,
    /// Where it begins in the source text, in bytes.
    pub start: usize,
    /// Where it ends in the source text, in bytes.
    pub end: usize,
}

/// A distinct term of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    /// The term, as the index holds it.
    pub text: String,
    /// How often the query says it, at least 1.
    pub count: u32,
}

/// Calls `f` with each term of `text`, its position, and its byte range in `text`.
///
/// Positions never decrease. The term is borrowed from a buffer, so nothing is allocated per term.
pub fn for_each_term(text: &str, mut f: impl FnMut(&str, u32, Range<usize>)) {
    scan(text, |term, _, position, range| f(term, position, range));
}

/// The terms of `text`, in order of position.
///
/// ```
/// let terms = terrace::text::terms("Running C++");
/// let texts: Vec<&str> = terms.iter().map(|term| term.text.as_str()).collect();
/// assert_eq!(texts, ["run", "c++", "c"]);
/// assert_eq!((terms[1].position, terms[1].start, terms[1].end), (1, 8, 11));
/// ```
pub fn terms(text: &str) -> Vec<Term> {
    let mut out = Vec::new();
    for_each_term(text, |term, position, range| {
        out.push(Term { text: term.to_owned(), position, start: range.start, end: range.end });
    });
    out
}

/// The distinct terms of a query in order of first occurrence; stop words are dropped, unless nothing else is left.
///
/// ```
/// use terrace::text::query_terms;
/// let texts = |query| query_terms(query).into_iter().map(|term| term.text).collect::<Vec<_>>();
/// assert_eq!(texts("how to run the backups"), ["run", "backup"]);
/// assert_eq!(texts("to be or not to be"), ["to", "be", "or", "not"]);
/// ```
pub fn query_terms(query: &str) -> Vec<QueryTerm> {
    let mut out: Vec<QueryTerm> = Vec::new();
    let mut place: FxHashMap<String, usize> = FxHashMap::default();
    scan(query, |term, kind, _, _| {
        if kind == Kind::CharacterOfRun {
            return;
        }
        match place.get(term).and_then(|&at| out.get_mut(at)) {
            Some(known) => known.count += 1,
            None => {
                place.insert(term.to_owned(), out.len());
                out.push(QueryTerm { text: term.to_owned(), count: 1 });
            }
        }
    });
    if out.iter().any(|term| !is_stop_word(&term.text)) {
        out.retain(|term| !is_stop_word(&term.text));
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ordinary,
    /// One character of a longer run in a script without spaces: indexed, but not asked for.
    CharacterOfRun,
}

fn scan(text: &str, f: impl FnMut(&str, Kind, u32, Range<usize>)) {
    let mut scanner = Scanner::new(f);
    let mut offset = 0;
    for piece in text.split_inclusive(is_separator) {
        let chunk = piece.trim_end_matches(is_separator);
        if !chunk.is_empty() && !scanner.plain_word(chunk, offset) {
            scanner.chunk(chunk, offset);
        }
        offset += piece.len();
    }
    scanner.stems.give_back();
}

fn is_separator(c: char) -> bool {
    if c.is_ascii() { c <= ' ' || c == '\u{7f}' } else { c.is_whitespace() || c.is_control() }
}

struct Scanner<F> {
    f: F,
    stems: Stems,
    position: u32,
    chars: Vec<Folded>,
    parts: Vec<Range<usize>>,
    term: String,
}

impl<F: FnMut(&str, Kind, u32, Range<usize>)> Scanner<F> {
    fn new(f: F) -> Self {
        Self {
            f,
            stems: Stems::borrow(),
            position: 0,
            chars: Vec::new(),
            parts: Vec::new(),
            term: String::with_capacity(MAX_TERM_BYTES),
        }
    }

    /// The short way for what most chunks are: one ASCII word, perhaps with punctuation round it. False, with nothing
    /// done, when the chunk is anything else; [`Scanner::chunk`] would give the same.
    fn plain_word(&mut self, chunk: &str, offset: usize) -> bool {
        let wrapping = |c: char| c.is_ascii_punctuation() && c != '+' && c != '#';
        let tail = chunk.trim_start_matches(wrapping);
        let word = tail.trim_end_matches(wrapping);
        let bytes = word.as_bytes();
        let plain = match bytes {
            [] => return chunk.is_ascii(),
            [first, rest @ ..] if first.is_ascii_alphabetic() => rest.iter().all(u8::is_ascii_lowercase),
            digits => digits.iter().all(u8::is_ascii_digit),
        };
        if !plain || bytes.len() > MAX_TERM_BYTES {
            return false;
        }
        self.term.clear();
        self.term.push_str(word);
        self.term.make_ascii_lowercase();
        let start = offset + chunk.len() - tail.len();
        self.send(Kind::Ordinary, self.position, start..start + word.len());
        self.advance();
        true
    }

    fn chunk(&mut self, chunk: &str, offset: usize) {
        let mut chars = std::mem::take(&mut self.chars);
        chars.clear();
        fold_into(chunk, offset, &mut chars);
        let mut rest = chars.as_slice();
        while let Some(first) = rest.first() {
            let length = match class(first.ch) {
                Class::Word => {
                    let length = identifier_length(rest);
                    self.identifier(rest.get(..length).unwrap_or_default());
                    length
                }
                Class::Unspaced => {
                    let length = rest
                        .iter()
                        .position(|c| class(c.ch) != Class::Unspaced && !is_combining_mark(c.ch))
                        .unwrap_or(rest.len());
                    self.unspaced(rest.get(..length).unwrap_or_default());
                    length
                }
                Class::Emoji => {
                    self.whole(rest.get(..1).unwrap_or_default(), Kind::Ordinary, self.position);
                    self.advance();
                    1
                }
                Class::Joiner | Class::Other => 1,
            };
            rest = rest.get(length.max(1)..).unwrap_or_default();
        }
        self.chars = chars;
    }

    fn identifier(&mut self, run: &[Folded]) {
        let whole = whole_of(run);
        let mut parts = std::mem::take(&mut self.parts);
        split_words(run, &mut parts);
        let symbol = whole.last().is_some_and(|c| matches!(c.ch, '+' | '#'));
        if parts.len() > 1 || symbol {
            self.whole(whole, Kind::Ordinary, self.position);
        }
        for part in parts.drain(..) {
            self.word(run.get(part).unwrap_or_default());
            self.advance();
        }
        self.parts = parts;
    }

    /// Characters of a script without spaces, each with the marks upon it.
    fn unspaced(&mut self, run: &[Folded]) {
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        for (at, c) in run.iter().enumerate() {
            match parts.last_mut() {
                Some(unit) if is_combining_mark(c.ch) => unit.end = at + 1,
                _ => parts.push(at..at + 1),
            }
        }
        let kind = if parts.len() > 1 { Kind::CharacterOfRun } else { Kind::Ordinary };
        let mut units = parts.drain(..).peekable();
        while let Some(unit) = units.next() {
            if let Some(next) = units.peek() {
                self.whole(run.get(unit.start..next.end).unwrap_or_default(), Kind::Ordinary, self.position);
            }
            self.whole(run.get(unit).unwrap_or_default(), kind, self.position);
            self.advance();
        }
        drop(units);
        self.parts = parts;
    }

    /// A word, without the apostrophe of a contraction.
    fn word(&mut self, chars: &[Folded]) {
        self.fill(chars.iter().filter(|c| c.ch != '\''));
        self.send(Kind::Ordinary, self.position, source_of(chars));
    }

    fn whole(&mut self, chars: &[Folded], kind: Kind, position: u32) {
        self.fill(chars.iter());
        self.send(kind, position, source_of(chars));
    }

    fn fill<'a>(&mut self, chars: impl Iterator<Item = &'a Folded>) {
        self.term.clear();
        for c in chars {
            if self.term.len() + c.ch.len_utf8() > MAX_TERM_BYTES {
                break;
            }
            self.term.push(c.ch);
        }
    }

    fn send(&mut self, kind: Kind, position: u32, source: Range<usize>) {
        if self.term.is_empty() {
            return;
        }
        let stemmed = self.term.bytes().all(|b| b.is_ascii_lowercase());
        let term = if stemmed { self.stems.stem(&self.term) } else { &self.term };
        (self.f)(term, kind, position, source);
    }

    fn advance(&mut self) {
        self.position = self.position.saturating_add(1);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Word,
    Unspaced,
    Emoji,
    Joiner,
    Other,
}

pub(super) fn class(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Word,
            '_' | '-' | '.' | '/' | ':' | '@' | '\'' | '&' | '+' | '#' | '%' | '=' | '?' | '~' | '\\' | '$' | ',' => {
                Class::Joiner
            }
            _ => Class::Other,
        };
    }
    match c {
        '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => Class::Unspaced,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17d3}'
        | '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}'
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}'
        | '\u{303b}' | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{318f}' | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{a000}'..='\u{a48c}' | '\u{f900}'..='\u{faff}' | '\u{1b000}'..='\u{1b16f}'
        | '\u{20000}'..='\u{3ffff}' | '\u{1f1e6}'..='\u{1f1ff}' // flags are pairs of letters
            if c.is_alphanumeric() || is_combining_mark(c) || c >= '\u{1f1e6}' =>
        {
            Class::Unspaced
        }
        '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f300}'..='\u{1faff}' => Class::Emoji,
        _ if c.is_alphanumeric() || is_combining_mark(c) => Class::Word,
        _ => Class::Other,
    }
}

/// How far an identifier that begins with `chars` goes, trailing joiners included.
fn identifier_length(chars: &[Folded]) -> usize {
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        let next = |ahead: usize| chars.get(at + ahead).map(|c| c.ch);
        match class(c.ch) {
            Class::Word => {}
            Class::Joiner => {
                let before = at.checked_sub(1).and_then(|i| chars.get(i)).map(|c| c.ch);
                let separates = match c.ch {
                    '-' => next(1) == Some('-'),
                    '.' => next(1) == Some('.') && next(2) == Some('.'),
                    ',' => !(before.is_some_and(char::is_numeric) && next(1).is_some_and(char::is_numeric)),
                    _ => false,
                };
                if separates {
                    return at;
                }
            }
            _ => return at,
        }
        at += 1;
    }
    at
}

/// The identifier without trailing joiners, but with the `+` and `#` right behind its last word, and without a
/// possessive ending.
fn whole_of(run: &[Folded]) -> &[Folded] {
    let words_end = run.iter().rposition(|c| class(c.ch) == Class::Word).map_or(0, |last| last + 1);
    let symbols = run.iter().skip(words_end).take_while(|c| matches!(c.ch, '+' | '#')).count();
    let whole = run.get(..words_end + symbols).unwrap_or_default();
    match whole {
        [owner @ .., apostrophe, s] if apostrophe.ch == '\'' && s.ch == 's' => owner,
        _ => whole,
    }
}

/// Cuts an identifier into its words.
fn split_words(run: &[Folded], parts: &mut Vec<Range<usize>>) {
    parts.clear();
    let camel = run.len() <= MAX_CAMEL_CHARS;
    let mut start = 0;
    let mut at = 0;
    let mut push = |range: Range<usize>| {
        if !range.is_empty() {
            parts.push(range);
        }
    };
    while let Some(c) = run.get(at) {
        if c.ch == '\'' {
            match ending_after(run, at) {
                Some(Ending::Dropped(end)) => {
                    push(start..at);
                    start = end;
                    at = end;
                    continue;
                }
                Some(Ending::Closed(end)) => {
                    push(start..end);
                    start = end;
                    at = end;
                    continue;
                }
                None => {}
            }
        }
        if class(c.ch) == Class::Joiner {
            push(start..at);
            start = at + 1;
        } else if camel && at > start && begins_hump(run, at) {
            push(start..at);
            start = at;
        }
        at += 1;
    }
    push(start..run.len());
}

enum Ending {
    Dropped(usize),
    Closed(usize),
}

/// The English ending after the apostrophe at `at`, and where it ends.
fn ending_after(run: &[Folded], at: usize) -> Option<Ending> {
    let mut letters = run.get(at + 1..)?.iter().take_while(|c| class(c.ch) == Class::Word).map(|c| c.ch);
    let (first, second, third) = (letters.next()?, letters.next(), letters.next());
    let before = at.checked_sub(1).and_then(|i| run.get(i)).map(|c| c.ch);
    if before.is_none_or(|c| class(c) != Class::Word) {
        return None;
    }
    match (first, second, third) {
        ('t', None, _) if before == Some('n') => Some(Ending::Closed(at + 2)),
        ('s' | 'd' | 'm', None, _) => Some(Ending::Dropped(at + 2)),
        ('r' | 'v', Some('e'), None) | ('l', Some('l'), None) => Some(Ending::Dropped(at + 3)),
        _ => None,
    }
}

/// True where a new hump of `camelCase` begins: a capital after a small letter, or the last capital of `HTTPServer`'s
/// first run, but not in plurals like `PDFs`.
fn begins_hump(run: &[Folded], at: usize) -> bool {
    let get = |i: usize| run.get(i).filter(|c| class(c.ch) == Class::Word);
    let (Some(before), Some(here)) = (at.checked_sub(1).and_then(get), get(at)) else {
        return false;
    };
    if !here.upper {
        return false;
    }
    if !before.upper {
        return before.ch.is_alphabetic();
    }
    let small = |c: &Folded| !c.upper && c.ch.is_alphabetic();
    match get(at + 1) {
        Some(next) if small(next) => !(next.ch == 's' && get(at + 2).is_none()),
        _ => false,
    }
}

fn source_of(chars: &[Folded]) -> Range<usize> {
    match (chars.first(), chars.last()) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
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
        let note =
            "see https://website.org following: >>> steps Message: {0}, StackTrace: {1} std::vec<T> C++ y+(y+25)";
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
}
