//! Classes of characters: what makes words, what joins them, and which scripts have no spaces.

use unicode_normalization::char::is_combining_mark;

/// What a character is to the analyser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Word,
    Unspaced,
    Emoji,
    Joiner,
    Other,
}

/// The class of a character, folded or not.
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
