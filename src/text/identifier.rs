//! Identifiers: how far one goes in a text, what of it is the whole, and which words it is made of.
//!
//! The rules are those of the [analyser](super::analyser).

use std::ops::Range;

use super::class::{Class, class};
use super::fold::Folded;

/// The longest identifier, in characters, that is split at its capitals.
pub const MAX_CAMEL_CHARS: usize = 100;

/// How far an identifier that begins with `chars` goes, trailing joiners included.
pub(super) fn identifier_length(chars: &[Folded]) -> usize {
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
pub(super) fn whole_of(run: &[Folded]) -> &[Folded] {
    let words_end = run.iter().rposition(|c| class(c.ch) == Class::Word).map_or(0, |last| last + 1);
    let symbols = run.iter().skip(words_end).take_while(|c| matches!(c.ch, '+' | '#')).count();
    let whole = run.get(..words_end + symbols).unwrap_or_default();
    match whole {
        [owner @ .., apostrophe, s] if apostrophe.ch == '\'' && s.ch == 's' => owner,
        _ => whole,
    }
}

/// Cuts an identifier into its words.
pub(super) fn split_words(run: &[Folded], parts: &mut Vec<Range<usize>>) {
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
