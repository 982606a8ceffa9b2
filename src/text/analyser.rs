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
//!   Identifiers of more than [`MAX_CAMEL_CHARS`](super::MAX_CAMEL_CHARS) characters, which are mostly encoded data, are not split at capitals.
//!
//! Everything is linear in the text's length.

use std::ops::Range;

use rustc_hash::FxHashMap;
use unicode_normalization::char::is_combining_mark;

use super::class::{Class, class};
use super::fold::{Folded, fold_into};
use super::identifier::{identifier_length, split_words, whole_of};
use super::stem::{Stems, is_stop_word};

/// The longest term, in bytes of UTF-8; a longer one is cut at the last character border before.
pub const MAX_TERM_BYTES: usize = 64;

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

fn source_of(chars: &[Folded]) -> Range<usize> {
    match (chars.first(), chars.last()) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests;
