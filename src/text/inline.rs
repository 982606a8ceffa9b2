//! Wiki-links, tags and comments as Obsidian reads them, in the source outside of what Markdown makes opaque.

use std::ops::Range;

use rustc_hash::FxHashSet;
use unicode_normalization::char::is_combining_mark;

use super::class::{Class, class};
use super::links::has_scheme;
use super::tags::fold_tag;

/// A wiki-link `[[target|label]]` or embed `![[target]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WikiLink {
    /// Where it stands in the source, brackets and `!` included.
    pub range: Range<usize>,
    /// The target without `#heading` and `^block`; empty when it is the note itself or a URL.
    pub target: String,
    /// The label, less fragment too, which may be the target in vaults that write the label first.
    pub alternative: Option<String>,
    shown: String,
}

impl WikiLink {
    /// What a reader sees.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    fn new(range: Range<usize>, inside: &str) -> Self {
        // In a table the bar is escaped.
        let inside = inside.replace("\\|", "|");
        let (written, label) = match inside.split_once('|') {
            Some((target, label)) => (target.trim(), Some(label.trim()).filter(|label| !label.is_empty())),
            None => (inside.trim(), None),
        };
        let target = if has_scheme(written) && written.contains("://") { "" } else { without_fragment(written) };
        Self {
            range,
            target: target.to_owned(),
            alternative: label.map(|label| without_fragment(label).to_owned()).filter(|label| !label.is_empty()),
            shown: label.unwrap_or(written).to_owned(),
        }
    }
}

/// The targets of all wiki-links in a text that is not Markdown, such as a value of the front matter.
pub(super) fn wiki_targets(text: &str) -> Vec<String> {
    let links = Marks::of(text, &[]).links;
    links.into_iter().map(|link| link.target).filter(|target| !target.is_empty()).collect()
}

/// What stands between the lines of Markdown.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pub links: Vec<WikiLink>,
    /// Distinct by [`fold_tag`], as written.
    pub tags: Vec<String>,
}

impl Marks {
    /// Reads `source` outside of the `opaque` ranges, which are sorted by their beginning.
    pub fn of(source: &str, opaque: &[Range<usize>]) -> Self {
        let comments = comments(source, opaque);
        let mut hidden: Vec<&Range<usize>> = opaque.iter().chain(&comments).collect();
        hidden.sort_unstable_by_key(|range| (range.start, range.end));
        let mut hidden = Hidden { ranges: hidden.into_iter().peekable() };
        let mut marks = Self::default();
        let mut seen: FxHashSet<String> = FxHashSet::default();
        let mut open: Option<usize> = None;
        let mut previous: Option<char> = None;
        let mut at = 0;
        while let Some(rest) = source.get(at..) {
            if let Some(end) = hidden.end_at(at) {
                open = None;
                previous = Some('\u{fffc}');
                at = end;
                continue;
            }
            let Some(c) = rest.chars().next() else { break };
            let mut step = c.len_utf8();
            match c {
                '\\' => {
                    // An escaped bracket opens nothing; an escaped bar stays for the link to read.
                    if let Some(next) = rest.chars().nth(1).filter(char::is_ascii_punctuation) {
                        step += next.len_utf8();
                    }
                }
                '\n' => open = None,
                '[' if rest.starts_with("[[") => {
                    open = Some(at);
                    // Of three brackets the last two open.
                    step = if rest.starts_with("[[[") { 1 } else { 2 };
                }
                ']' if rest.starts_with("]]") => {
                    step = 2;
                    if let Some(start) = open.take() {
                        let embed = source.get(..start).is_some_and(|before| before.ends_with('!'));
                        let inside = source.get(start + 2..at).unwrap_or_default();
                        let link = WikiLink::new(start - usize::from(embed)..at + 2, inside);
                        if !link.shown.is_empty() {
                            marks.links.push(link);
                        }
                    }
                }
                '#' if may_precede_tag(previous) && open.is_none() => {
                    let name = tag_at(rest.get(1..).unwrap_or_default());
                    if let Some(tag) = name.filter(|_| !hidden.begins_within(at..at + 1 + name.map_or(0, str::len))) {
                        if seen.insert(fold_tag(tag)) {
                            marks.tags.push(tag.trim_end_matches('/').to_owned());
                        }
                        step += tag.len();
                    }
                }
                _ => {}
            }
            previous = rest.get(..step).and_then(|read| read.chars().next_back());
            if c == '\\' && step > 1 {
                previous = Some('\u{fffc}');
            }
            at += step;
        }
        marks
    }
}

/// The `%%…%%` comments outside of opaque ranges; one that is not closed is text.
fn comments(source: &str, opaque: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut ranges = Hidden { ranges: opaque.iter().collect::<Vec<_>>().into_iter().peekable() };
    let mut open: Option<usize> = None;
    let mut at = 0;
    while let Some(found) = source.get(at..).and_then(|rest| rest.find("%%")) {
        let here = at + found;
        if let Some(end) = ranges.end_at(here) {
            at = end;
            continue;
        }
        at = here + 2;
        open = match open {
            Some(start) => {
                out.push(start..at);
                None
            }
            None => Some(here),
        };
    }
    out
}

/// Sorted ranges, asked for at offsets that never decrease.
struct Hidden<'a> {
    ranges: std::iter::Peekable<std::vec::IntoIter<&'a Range<usize>>>,
}

impl Hidden<'_> {
    /// The end of a range that holds `at`.
    fn end_at(&mut self, at: usize) -> Option<usize> {
        while let Some(range) = self.ranges.peek() {
            if range.start > at {
                return None;
            }
            if range.end > at {
                return Some(range.end);
            }
            self.ranges.next();
        }
        None
    }

    fn begins_within(&mut self, within: Range<usize>) -> bool {
        self.ranges.peek().is_some_and(|range| within.contains(&range.start))
    }
}

fn may_precede_tag(previous: Option<char>) -> bool {
    previous.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ',' | ';' | '|' | '>' | '*' | '\u{feff}'))
}

/// The tag that a text begins with, after its `#`.
fn tag_at(text: &str) -> Option<&str> {
    let length = text.find(|c| !is_tag_char(c)).unwrap_or(text.len());
    let tag = text.get(..length).filter(|tag| !tag.starts_with('/'))?;
    let named = tag.chars().any(|c| c.is_alphanumeric() || is_emoji(c));
    let not_a_number = tag.chars().any(|c| !c.is_numeric() && c != '/');
    (named && not_a_number).then_some(tag)
}

fn is_tag_char(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '_' | '-' | '/' | '\u{200d}' | '\u{fe0f}')
        || is_combining_mark(c) && c != '\u{20e3}'
        || is_emoji(c)
}

fn is_emoji(c: char) -> bool {
    class(c) == Class::Emoji || matches!(c, '\u{1f1e6}'..='\u{1f1ff}')
}

fn without_fragment(target: &str) -> &str {
    target.split(['#', '^']).next().unwrap_or_default().trim()
}
