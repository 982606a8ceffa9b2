//! Names: how titles, aliases, slugs and file stems are compared.

use super::class::{Class, class};
use super::fold::{fold_case, fold_into, is_blank, is_invisible};
use unicode_normalization::char::is_combining_mark;

/// Folded, unstemmed words, for comparing names.
///
/// Case, diacritics and invisible characters are levelled as for terms. Everything that is not a letter, digit or mark
/// separates, except that apostrophes close up (`Don't` is `dont`), `++` stays on its word and `+` and `#` stay on a
/// single letter (`C++`, `C#`). `camelCase` is one word, and so is a run in a script without spaces.
///
/// ```
/// assert_eq!(terrace::text::words("Café_au-lait"), ["cafe", "au", "lait"]);
/// ```
pub fn words(text: &str) -> Vec<String> {
    let mut chars = Vec::new();
    fold_into(text, 0, &mut chars);
    let mut out = Vec::new();
    let mut word = String::new();
    let mut kind = Class::Word;
    for (at, c) in chars.iter().enumerate() {
        let next = chars.get(at + 1).map(|c| c.ch);
        let found = if is_combining_mark(c.ch) && !word.is_empty() { kind } else { class(c.ch) };
        match found {
            Class::Word | Class::Unspaced if c.ch.is_alphanumeric() || is_combining_mark(c.ch) => {
                if found != kind {
                    flush(&mut word, &mut out);
                    kind = found;
                }
                word.push(c.ch);
            }
            _ if word.is_empty() => {}
            _ if c.ch == '\'' && next.is_some_and(|n| class(n) == Class::Word) => {}
            _ if is_name_symbol(c.ch, &word, next) => word.push(c.ch),
            _ => flush(&mut word, &mut out),
        }
    }
    flush(&mut word, &mut out);
    out
}

/// The key under which a name is found: its [`words`] joined by one space.
///
/// A name without words, such as an emoji, is its own key, trimmed and folded; only a blank name has an empty key.
///
/// ```
/// use terrace::text::name_key;
/// assert_eq!(name_key("Postgres_Backup-Runbook"), name_key("postgres backup runbook"));
/// assert_eq!(name_key(" 🔥 "), "🔥");
/// ```
pub fn name_key(name: &str) -> String {
    let words = words(name);
    if !words.is_empty() {
        return words.join(" ");
    }
    if is_blank(name) {
        return String::new();
    }
    let visible: String = name.chars().filter(|&c| !is_invisible(c)).collect();
    fold_case(visible.trim_matches(|c: char| c.is_whitespace() || c.is_control()))
}

fn is_name_symbol(c: char, word: &str, next: Option<char>) -> bool {
    let single = word.chars().nth(1).is_none();
    let ends = next.is_none_or(|n| class(n) != Class::Word);
    match c {
        '#' => single && ends,
        '+' => (word.ends_with('+') && ends) || next == Some('+') || (single && ends),
        _ => false,
    }
}

fn flush(word: &mut String, out: &mut Vec<String>) {
    if !word.is_empty() {
        out.push(std::mem::take(word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    #[test]
    fn separators_case_and_diacritics_do_not_tell_names_apart() {
        for name in ["Café.Notes/2024", "café notes 2024", "CAFE-NOTES_2024", "  cafe\u{301}  notes 2024 "] {
            assert_eq!(name_key(name), "cafe notes 2024");
        }
    }

    #[test]
    fn camel_case_is_one_word() {
        assert_eq!(words("camelCase"), ["camelcase"]);
    }

    #[test]
    fn a_chinese_run_is_one_word() {
        assert_eq!(words("CSS入门 指南"), ["css", "入门", "指南"]);
    }

    #[test]
    fn an_apostrophe_closes_up() {
        assert_eq!(words("it's Don’t"), ["its", "dont"]);
    }

    #[test]
    fn languages_with_symbols_keep_apart() {
        let keys: Vec<String> = ["C", "C++", "C#", "C notes"].iter().map(|name| name_key(name)).collect();
        assert_eq!(keys, ["c", "c++", "c#", "c notes"]);
        assert_eq!(words("a#b Notepad++ x+y"), ["a", "b", "notepad++", "x", "y"]);
    }

    #[test]
    fn odd_titles_have_keys() {
        assert_eq!(name_key("TCP/IP notes"), "tcp ip notes");
        assert_eq!(name_key(".."), "..");
        assert_eq!(name_key("👩\u{200d}👩"), "👩👩");
        assert_eq!(name_key("\u{200b} "), "");
    }

    proptest! {
        #[test]
        fn a_key_is_blank_only_for_blank_names(name in any::<String>()) {
            let blank = name_key(&name).is_empty();
            prop_assert!(!blank || is_blank(&name));
        }

        #[test]
        fn nfc_and_nfd_names_share_their_key(name in any::<String>()) {
            let nfc: String = name.nfc().collect();
            let nfd: String = name.nfd().collect();
            prop_assert_eq!(name_key(&nfc), name_key(&nfd));
        }
    }
}
