//! Passages: the pieces of a note that are embedded, scored and quoted.

use unicode_segmentation::GraphemeCursor;

/// A piece of a plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The text of the piece, as it stands in the source.
    pub text: String,
    /// Where it begins in the plain text, in bytes.
    pub start: usize,
    /// Where it ends in the plain text, in bytes.
    pub end: usize,
}

/// Cuts a plain text into passages of about `target_chars` characters (600 suits the built-in model; 0 counts as 1).
///
/// A passage ends at the last paragraph border in the second half of its room, else at the last sentence border, else
/// between words, else between graphemes. It has at most `target_chars` characters, but the last one takes up to half
/// as many more, so that no short tail is left over. Only white space is lost between passages. A text that is not
/// white space all through gives at least one passage, however long its lines; the cost is linear.
///
/// ```
/// let passages = terrace::text::passages("One short.\n\nTwo is longer.", 12);
/// let texts: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
/// assert_eq!(texts, ["One short.", "Two is longer."]);
/// ```
pub fn passages(plain: &str, target_chars: usize) -> Vec<Passage> {
    let target = target_chars.max(1);
    let mut out = Vec::new();
    let mut start = 0;
    while let Some(rest) = plain.get(start..) {
        let trimmed = rest.trim_start();
        start += rest.len() - trimmed.len();
        if trimmed.is_empty() {
            break;
        }
        let piece = match byte_of_char(trimmed, target + target / 2) {
            None => trimmed,
            Some(_) => {
                let room = byte_of_char(trimmed, target).unwrap_or(trimmed.len());
                trimmed.get(..cut(trimmed, room)).unwrap_or(trimmed)
            }
        };
        let text = piece.trim_end();
        out.push(Passage { text: text.to_owned(), start, end: start + text.len() });
        start += piece.len();
    }
    out
}

/// The byte at which character `count` begins, `None` when the text has no more than `count` characters.
fn byte_of_char(text: &str, count: usize) -> Option<usize> {
    text.char_indices().nth(count).map(|(at, _)| at)
}

/// Where to cut a text so that what comes before is at most `room` bytes; never 0.
fn cut(text: &str, room: usize) -> usize {
    // One character more than there is room for, since a border is known by what follows it.
    let seen = text.get(room..).and_then(|rest| rest.chars().next()).map_or(room, |c| room + c.len_utf8());
    let mut borders = Borders::default();
    let mut before = Before::default();
    for (at, c) in text.get(..seen).unwrap_or(text).char_indices() {
        if at > 0 {
            borders.note(at, &before, c);
        }
        before.step(c);
    }
    let half = room / 2;
    let fits = |border: Option<usize>| border.filter(|&at| at > half && at <= room);
    fits(borders.paragraph)
        .or_else(|| fits(borders.sentence))
        .or_else(|| fits(borders.word))
        .or_else(|| fits(borders.symbol))
        .or(borders.word)
        .unwrap_or_else(|| grapheme_before(text, room))
}

/// The last border of each kind seen so far.
#[derive(Default)]
struct Borders {
    paragraph: Option<usize>,
    sentence: Option<usize>,
    word: Option<usize>,
    /// Between a letter or digit and a symbol, within a line that has no spaces.
    symbol: Option<usize>,
}

/// What came before a character.
#[derive(Default)]
struct Before {
    space: bool,
    alphanumeric: bool,
    newlines: u32,
    /// A sentence has ended, and only closing marks have followed.
    ended: bool,
    /// It ended by a mark that needs no space after it.
    ended_wide: bool,
}

impl Borders {
    fn note(&mut self, at: usize, before: &Before, c: char) {
        if c.is_whitespace() {
            if !before.space {
                self.word = Some(at);
                if before.ended {
                    self.sentence = Some(at);
                }
            }
            if c == '\n' && before.newlines == 1 {
                self.paragraph = Some(at);
            }
            return;
        }
        // A mark or joiner is neither, and belongs to what it follows.
        if c.is_ascii() && c.is_alphanumeric() != before.alphanumeric {
            self.symbol = Some(at);
        }
        if before.ended_wide && !is_closing(c) && !is_end(c) {
            self.sentence = Some(at);
        }
    }
}

impl Before {
    fn step(&mut self, c: char) {
        self.space = c.is_whitespace();
        self.alphanumeric = c.is_alphanumeric();
        if c == '\n' {
            self.newlines += 1;
        } else if !self.space {
            self.newlines = 0;
        }
        if is_end(c) {
            self.ended = true;
            self.ended_wide = matches!(c, '。' | '！' | '？' | '।');
        } else if !is_closing(c) {
            self.ended = false;
            self.ended_wide = false;
        }
    }
}

fn is_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '؟' | '۔')
}

fn is_closing(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '}' | '”' | '’' | '»' | '」' | '』' | '）' | '*' | '_')
}

/// The last grapheme border at or before `at`, or `at` itself when the first grapheme is longer than that.
pub(super) fn grapheme_before(text: &str, at: usize) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    if cursor.is_boundary(text, 0).unwrap_or(true) {
        return at;
    }
    match cursor.prev_boundary(text, 0) {
        Ok(Some(border)) if border > 0 => border,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(plain: &str, target: usize) -> Vec<String> {
        passages(plain, target).into_iter().map(|passage| passage.text).collect()
    }

    #[test]
    fn paragraphs_are_kept_whole_where_they_fit() {
        assert_eq!(texts("aaaa bbbb\n\ncccc dddd\n\neeee ffff gggg", 14), ["aaaa bbbb", "cccc dddd", "eeee ffff gggg"]);
    }

    #[test]
    fn long_paragraphs_are_cut_after_sentences() {
        assert_eq!(
            texts("One two three. Four five six. Seven eight nine ten.", 20),
            ["One two three.", "Four five six.", "Seven eight nine ten."]
        );
        assert_eq!(
            texts("一二三四五。六七八九十一。二三四五六七八", 8),
            ["一二三四五。", "六七八九十一。", "二三四五六七八"]
        );
    }

    #[test]
    fn long_sentences_are_cut_between_words() {
        assert_eq!(texts("aaa bbb ccc ddd eee fff", 8), ["aaa bbb", "ccc ddd", "eee fff"]);
    }

    #[test]
    fn long_words_are_cut_between_graphemes() {
        let plain = "e\u{301}".repeat(10);
        for passage in texts(&plain, 5) {
            assert!(passage.starts_with('e') && passage.ends_with('\u{301}'));
        }
    }

    #[test]
    fn a_word_among_symbols_is_not_cut() {
        let plain = format!("{}needle{}", "[".repeat(17), "]".repeat(40));
        assert!(texts(&plain, 20).iter().any(|passage| passage.contains("needle")));
    }

    #[test]
    fn a_short_tail_joins_its_predecessor() {
        assert_eq!(texts("aaaa bbbb cc", 9), ["aaaa bbbb cc"]);
    }

    #[test]
    fn a_line_of_400_kb_is_cut() {
        let plain = "word ".repeat(80_000);
        let found = passages(&plain, 1_000);
        assert!(found.len() >= 400);
        assert!(found.iter().all(|passage| passage.text.len() <= 1_500));
    }

    #[test]
    fn a_needle_at_the_end_of_a_long_note_is_in_the_last_passage() {
        let plain = format!("{}xylophone quokka", "filler text here. ".repeat(2_200));
        assert!(passages(&plain, 1_000).last().unwrap().text.ends_with("xylophone quokka"));
    }

    #[test]
    fn white_space_gives_no_passage() {
        assert_eq!(passages(" \n\t ", 10), []);
    }

    proptest! {
        #[test]
        fn passages_cover_the_text_within_their_bound(plain in any::<String>(), target in 0_usize..40) {
            check(&plain, target)?;
        }

        #[test]
        fn passages_cover_prose_within_their_bound(plain in "[a-d。. \n\u{301}]{0,200}", target in 0_usize..40) {
            check(&plain, target)?;
        }
    }

    fn check(plain: &str, target: usize) -> Result<(), TestCaseError> {
        let mut end = 0;
        for passage in passages(plain, target) {
            let between = plain.get(end..passage.start);
            prop_assert!(between.is_some_and(|gap| gap.trim().is_empty()));
            prop_assert_eq!(plain.get(passage.start..passage.end), Some(passage.text.as_str()));
            prop_assert!(!passage.text.trim().is_empty());
            let bound = target.max(1) + target.max(1) / 2;
            prop_assert!(passage.text.chars().count() <= bound);
            end = passage.end;
        }
        prop_assert!(plain.get(end..).is_some_and(|gap| gap.trim().is_empty()));
        Ok(())
    }
}
