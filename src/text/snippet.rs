//! Snippets: the part of a passage that shows why it was found.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::analyser::{QueryTerm, for_each_term};
use super::passages::grapheme_before;

/// The window of a passage with the most distinct query terms, as plain text of at most `max_chars` characters.
///
/// White space is collapsed and controls and invisible characters are gone (joiners and variation selectors stay, since
/// emoji and several scripts are made with them). The window is cut between words, between graphemes where a word is too
/// long, and each cut side shows `…`, which counts. Without a match the passage's beginning is shown.
///
/// ```
/// use terrace::text::{query_terms, snippet};
/// let passage = "Nothing of note here. The backup runs at night, and the restore is tested weekly.";
/// assert_eq!(snippet(passage, &query_terms("backup"), 30), "…The backup runs at night,…");
/// ```
pub fn snippet(passage: &str, query: &[QueryTerm], max_chars: usize) -> String {
    let clean = clean(passage);
    let window = best_window(&clean, query, max_chars.saturating_sub(2));
    cut(clean, window.unwrap_or(0..0), max_chars)
}

/// [`snippet`] of a passage that holds a term of the query; `None` for one that holds none. One analysis does for both.
pub(crate) fn matching_snippet(passage: &str, query: &[QueryTerm], max_chars: usize) -> Option<String> {
    let clean = clean(passage);
    let window = best_window(&clean, query, max_chars.saturating_sub(2))?;
    Some(cut(clean, window, max_chars))
}

/// The window with what fits round it.
fn cut(clean: String, window: Range<usize>, max_chars: usize) -> String {
    if clean.chars().nth(max_chars).is_none() {
        return clean;
    }
    let Some(room) = max_chars.checked_sub(2).filter(|&room| room > 0) else {
        return if max_chars == 0 { String::new() } else { "…".to_owned() };
    };
    let window = widen(&clean, window, room);
    let mut out = String::with_capacity(window.len() + 6);
    if window.start > 0 {
        out.push('…');
    }
    out.push_str(clean.get(window.clone()).unwrap_or_default());
    if window.end < clean.len() {
        out.push('…');
    }
    out
}

/// The index of the passage that contains the most distinct query terms, the first of equals; `None` when none contains
/// any.
pub fn best_passage<'a>(passages: impl Iterator<Item = &'a str>, query: &[QueryTerm]) -> Option<usize> {
    let wanted: FxHashSet<&str> = query.iter().map(|term| term.text.as_str()).collect();
    let mut best = None;
    let mut most = 0;
    for (index, passage) in passages.enumerate() {
        let mut found: FxHashSet<&str> = FxHashSet::default();
        for_each_term(passage, |term, _, _| {
            if let Some(&known) = wanted.get(term) {
                found.insert(known);
            }
        });
        if found.len() > most {
            most = found.len();
            best = Some(index);
            if most == wanted.len() {
                break;
            }
        }
    }
    best
}

fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            space = true;
        } else if c.is_ascii() || !is_dropped(c) {
            if space && !out.is_empty() {
                out.push(' ');
            }
            space = false;
            out.push(c);
        }
    }
    out
}

fn is_dropped(c: char) -> bool {
    !matches!(c, '\u{200c}' | '\u{200d}' | '\u{e0020}'..='\u{e007f}') && c.general_category() == GeneralCategory::Format
}

/// The shortest byte range that holds the most distinct terms within `room` characters, the first of equals; `None`
/// without a match.
fn best_window(text: &str, query: &[QueryTerm], room: usize) -> Option<Range<usize>> {
    let wanted: FxHashMap<&str, usize> = query.iter().enumerate().map(|(at, term)| (term.text.as_str(), at)).collect();
    let mut matches: Vec<(usize, Range<usize>)> = Vec::new();
    for_each_term(text, |term, _, range| {
        if let Some(&which) = wanted.get(term) {
            matches.push((which, range));
        }
    });
    // A whole identifier and its first part begin together; the part fits where the whole does not.
    matches.sort_by_key(|(_, range)| (range.start, range.end));
    let mut seen = vec![0_u32; query.len()];
    let mut distinct = 0;
    let mut best: Option<(usize, Range<usize>)> = None;
    let mut inside: std::collections::VecDeque<(usize, Range<usize>)> = std::collections::VecDeque::new();
    let mut chars = CharCounter::new(text);
    let mut starts: std::collections::VecDeque<usize> = std::collections::VecDeque::new();
    for (which, range) in matches {
        let start_char = chars.at(range.start);
        let length = text.get(range.clone()).map_or(0, |matched| matched.chars().count());
        while let Some(&first) = starts.front() {
            if start_char + length - first <= room {
                break;
            }
            starts.pop_front();
            if let Some(count) = inside.pop_front().and_then(|(gone, _)| seen.get_mut(gone)) {
                *count -= 1;
                distinct -= usize::from(*count == 0);
            }
        }
        if let Some(count) = seen.get_mut(which) {
            distinct += usize::from(*count == 0);
            *count += 1;
        }
        inside.push_back((which, range.clone()));
        starts.push_back(start_char);
        if best.as_ref().is_none_or(|(most, _)| distinct > *most) {
            let start = inside.front().map_or(range.start, |(_, first)| first.start);
            best = Some((distinct, start..range.end));
        }
    }
    best.map(|(_, window)| window)
}

/// Counts characters up to byte offsets that never decrease.
struct CharCounter<'a> {
    text: &'a str,
    byte: usize,
    count: usize,
}

impl<'a> CharCounter<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, byte: 0, count: 0 }
    }

    fn at(&mut self, byte: usize) -> usize {
        self.count += self.text.get(self.byte..byte).map_or(0, |step| step.chars().count());
        self.byte = self.byte.max(byte);
        self.count
    }
}

/// Fills the room round a window, a third of what is free before it, and moves both ends to word borders.
fn widen(text: &str, window: Range<usize>, room: usize) -> Range<usize> {
    let held = text.get(window.clone()).map_or(0, |held| held.chars().count());
    let free = room.saturating_sub(held);
    let after = text.get(window.end..).map_or(0, |rest| rest.chars().take(free).count());
    let lead = if after < free - free / 3 { free - after } else { free / 3 };
    let start = start_at(text, window.start, lead);
    let left = text.get(start..window.end).map_or(0, |held| held.chars().count());
    if left > room {
        // One word longer than the room.
        let end =
            text.get(start..).and_then(|rest| rest.char_indices().nth(room)).map_or(text.len(), |(at, _)| start + at);
        return start..grapheme_before(text, end).max(start + 1).min(end);
    }
    start..end_at(text, window.end, room - left)
}

/// The first word border within `lead` characters before `from`.
fn start_at(text: &str, from: usize, lead: usize) -> usize {
    let before = text.get(..from).unwrap_or_default();
    let earliest = match before.char_indices().rev().take(lead).last() {
        Some((at, _)) => at,
        None => return from,
    };
    let led = text.get(earliest..from).unwrap_or_default();
    if earliest == 0 || text.get(..earliest).is_some_and(|head| head.ends_with(' ')) {
        return earliest;
    }
    match led.find(' ') {
        Some(space) => earliest + space + 1,
        // No space to cut at: within a word of another script, or a very long one.
        None if led.is_ascii() => from,
        None => {
            let border = grapheme_before(text, earliest);
            if border == earliest { earliest } else { from }
        }
    }
}

/// The last word border within `trail` characters after `from`.
fn end_at(text: &str, from: usize, trail: usize) -> usize {
    let after = text.get(from..).unwrap_or_default();
    let Some((length, next)) = after.char_indices().nth(trail) else {
        return text.len();
    };
    let followed = after.get(..length).unwrap_or_default();
    if next == ' ' {
        return from + length;
    }
    match followed.rfind(' ') {
        Some(space) => from + space,
        None if from > 0 && followed.is_ascii() => from,
        None => grapheme_before(text, from + length).max(from),
    }
}

#[cfg(test)]
mod tests {
    use super::super::analyser::{query_terms, terms};
    use super::*;
    use proptest::prelude::*;

    fn filler(words: usize) -> String {
        "lorem ipsum ".repeat(words / 2)
    }

    #[test]
    fn a_short_passage_is_shown_whole_and_clean() {
        assert_eq!(snippet(" a\n\n b\u{200b}c\0d ", &[], 240), "a bc d");
    }

    #[test]
    fn the_window_with_most_distinct_terms_is_shown() {
        let passage = format!("backup backup backup {} postgres backup plan {}", filler(200), filler(200));
        let shown = snippet(&passage, &query_terms("postgres backup plan"), 240);
        assert!(shown.contains("postgres backup plan") && shown.starts_with('…') && shown.ends_with('…'));
        assert!(shown.chars().count() <= 240);
    }

    #[test]
    fn cuts_are_between_words() {
        let passage = format!("{} needle {}", filler(100), filler(100));
        let shown = snippet(&passage, &query_terms("needle"), 60);
        for word in shown.trim_matches('…').split(' ') {
            assert!(["lorem", "ipsum", "needle"].contains(&word), "{shown}");
        }
    }

    #[test]
    fn a_match_in_one_long_line_without_spaces_is_shown() {
        let passage = format!("{}止损策略{}", "生存".repeat(400), "等于".repeat(400));
        let shown = snippet(&passage, &query_terms("止损"), 40);
        assert!(shown.contains("止损") && shown.chars().count() <= 40);
    }

    #[test]
    fn a_word_longer_than_the_snippet_is_cut() {
        let shown = snippet(&"x".repeat(1_000), &query_terms(&"x".repeat(1_000)), 240);
        assert!(shown.chars().count() <= 240 && shown.chars().count() > 200, "{shown}");
    }

    #[test]
    fn the_beginning_is_shown_without_a_match() {
        assert!(snippet(&filler(100), &query_terms("absent"), 40).starts_with("lorem ipsum"));
    }

    #[test]
    fn emoji_sequences_stay_whole() {
        let family = "👩\u{200d}👩\u{200d}👧";
        assert_eq!(snippet(family, &[], 240), family);
    }

    #[test]
    fn the_first_passage_with_most_terms_is_best() {
        let query = query_terms("postgres backup");
        let passages = ["a backup", "postgres and backup", "backup, postgres"];
        assert_eq!(best_passage(passages.into_iter(), &query), Some(1));
        assert_eq!(best_passage(["x"].into_iter(), &query), None);
    }

    proptest! {
        #[test]
        fn a_snippet_keeps_its_bound(passage in any::<String>(), query in any::<String>(), max in 0_usize..30) {
            prop_assert!(snippet(&passage, &query_terms(&query), max).chars().count() <= max);
        }

        #[test]
        fn a_matched_word_is_findable_in_the_snippet(
            before in "([a-c]{1,6}[ .]){0,60}", after in "([a-cé]{1,6}[ .]){0,60}", max in 12_usize..240,
        ) {
            let shown = snippet(&format!("{before} needle {after}"), &query_terms("needle"), max);
            prop_assert!(shown.chars().count() <= max);
            prop_assert!(terms(&shown).iter().any(|term| term.text == "needl"), "{}", shown);
        }
    }
}
