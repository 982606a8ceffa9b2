//! The words that WordPiece splits: cleaned, without accents, in lower case, punctuation apart (steps 1 to 3 of
//! data/static-en-256/FORMAT.md).

use std::ops::ControlFlow;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Words of more characters than this are unknown, whatever their pieces.
const MAX_CHARS: usize = 100;

/// Calls `visit` with each word from left to right until it breaks; with `None` for a word of over 100 characters.
///
/// Reads no further than the visitor goes on, and keeps no more than one word.
pub(super) fn visit_words(text: &str, visit: impl FnMut(Option<&str>) -> ControlFlow<()>) {
    // Whether the visitor broke off makes no difference here.
    let _ = Words { word: String::new(), chars: 0, visit }.read(text);
}

struct Words<F> {
    word: String,
    chars: usize,
    visit: F,
}

impl<F: FnMut(Option<&str>) -> ControlFlow<()>> Words<F> {
    fn read(&mut self, text: &str) -> ControlFlow<()> {
        let mut rest = text.chars();
        loop {
            let from = rest.as_str();
            match rest.next() {
                None => return self.end_word(),
                Some(c) if c.is_ascii() => self.ascii(c)?,
                Some(_) => {
                    let used = self.foreign(from)?;
                    rest = from.get(used..).unwrap_or_default().chars();
                }
            }
        }
    }

    fn ascii(&mut self, c: char) -> ControlFlow<()> {
        match c {
            ' ' | '\t' | '\n' | '\r' => self.end_word(),
            _ if c.is_ascii_control() => ControlFlow::Continue(()),
            _ if c.is_ascii_punctuation() => self.word_of_its_own(c),
            _ => self.push(c.to_ascii_lowercase()),
        }
    }

    /// Reads the run of characters at the start of `text` that decomposing may reorder among themselves, and returns
    /// its bytes. An ASCII character that is kept ends it: it decomposes to itself and no mark moves across it.
    fn foreign(&mut self, text: &str) -> ControlFlow<(), usize> {
        let mut used = 0;
        let cleaned = text
            .chars()
            .take_while(|&c| !c.is_ascii() || is_dropped(c))
            .inspect(|c| used += c.len_utf8())
            .filter(|&c| !is_dropped(c))
            .flat_map(|c| {
                let space = is_cjk_ideograph(c).then_some(' ');
                [space, Some(c), space].into_iter().flatten()
            });
        for c in cleaned.nfd() {
            if c.is_ascii() {
                self.ascii(c)?;
            } else if c.is_whitespace() {
                self.end_word()?;
            } else if c.general_category_group() == GeneralCategoryGroup::Punctuation {
                self.word_of_its_own(c)?;
            } else if c.general_category() != GeneralCategory::NonspacingMark {
                c.to_lowercase().try_for_each(|lower| self.push(lower))?;
            }
        }
        ControlFlow::Continue(used)
    }

    fn push(&mut self, c: char) -> ControlFlow<()> {
        self.chars += 1;
        if self.chars <= MAX_CHARS {
            self.word.push(c);
        }
        ControlFlow::Continue(())
    }

    fn word_of_its_own(&mut self, c: char) -> ControlFlow<()> {
        self.end_word()?;
        (self.visit)(Some(c.encode_utf8(&mut [0; 4])))
    }

    fn end_word(&mut self) -> ControlFlow<()> {
        if self.chars == 0 {
            return ControlFlow::Continue(());
        }
        let flow = (self.visit)((self.chars <= MAX_CHARS).then_some(self.word.as_str()));
        self.word.clear();
        self.chars = 0;
        flow
    }
}

/// Control and format characters, and the two that stand for bytes that were no text.
fn is_dropped(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => false,
        '\u{fffd}' => true,
        _ if c.is_ascii() => c.is_ascii_control(),
        _ => matches!(c.general_category(), GeneralCategory::Control | GeneralCategory::Format),
    }
}

/// The blocks of CJK unified and compatibility ideographs that BERT's vocabularies hold character by character.
fn is_cjk_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2ceaf}'
        | '\u{2f800}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        visit_words(text, |word| {
            words.push(word.unwrap_or("<long>").to_owned());
            ControlFlow::Continue(())
        });
        words
    }

    /// The steps of FORMAT.md one after the other over the whole text.
    fn words_step_by_step(text: &str) -> Vec<String> {
        let cleaned = text.chars().filter(|&c| !is_dropped(c)).flat_map(|c| match is_cjk_ideograph(c) {
            true => vec![' ', c, ' '],
            false => vec![c],
        });
        let plain = cleaned.nfd().filter(|c| c.general_category() != GeneralCategory::NonspacingMark);
        let spaced: String = plain
            .flat_map(char::to_lowercase)
            .flat_map(|c| match c.is_ascii_punctuation() || is_punctuation(c) {
                true => vec![' ', c, ' '],
                false => vec![c],
            })
            .collect();
        let long = |word: &str| word.chars().count() > MAX_CHARS;
        spaced.split_whitespace().map(|word| if long(word) { "<long>".into() } else { word.into() }).collect()
    }

    fn is_punctuation(c: char) -> bool {
        c.general_category_group() == GeneralCategoryGroup::Punctuation
    }

    #[test]
    fn punctuation_case_accents_and_ideographs_come_apart() {
        assert_eq!(words("Héllo, WORLD—日本"), ["hello", ",", "world", "—", "日", "本"]);
        assert_eq!(words("a\u{200b}b\u{0}c\u{fffd}d\te"), ["abcd", "e"]);
        assert_eq!(words("\u{37e}\u{1fef}"), [";", "`"], "canonical singletons decompose to ASCII");
    }

    #[test]
    fn a_word_of_a_hundred_characters_is_a_word_and_one_more_is_not() {
        assert_eq!(words(&"x".repeat(100)), ["x".repeat(100)]);
        assert_eq!(words(&format!("{} y", "x".repeat(101))), ["<long>", "y"]);
    }

    #[test]
    fn reading_stops_where_the_visitor_does() {
        let mut seen = 0;
        visit_words("one two é three four", |_| {
            seen += 1;
            if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(seen, 3);
    }

    proptest! {
        #[test]
        fn any_text_splits_as_step_by_step(text in any::<String>()) {
            prop_assert_eq!(words(&text), words_step_by_step(&text));
        }

        #[test]
        fn marks_and_controls_split_as_step_by_step(text in "[a\u{301}\u{316}\u{1}\u{200b}\u{302e}\u{1b44}é日 .İ]{0,20}") {
            prop_assert_eq!(words(&text), words_step_by_step(&text));
        }
    }
}
