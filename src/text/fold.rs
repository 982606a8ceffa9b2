//! One folding for all words: compatibility forms, case, diacritics and invisible characters are levelled, so that
//! canonically equivalent texts give the same letters.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{
    canonical_combining_class, decompose_canonical, decompose_compatible, is_combining_mark,
};
use unicode_normalization::{IsNormalized, is_nfkc_quick};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Case-folds a text without touching diacritics: how tags and namespaces compare.
///
/// The result is NFC. Case is folded fully, so `ß` becomes `ss` and `ς` becomes `σ`; `İ` becomes `i` with a
/// combining dot, which keeps it apart from `i`.
///
/// ```
/// use terrace::text::fold_case;
/// assert_eq!(fold_case("Straße"), fold_case("STRASSE"));
/// assert_ne!(fold_case("café"), fold_case("cafe"));
/// ```
pub fn fold_case(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // Decomposed first and last, as Unicode's canonical caseless match asks: the upper case of a combining iota is a
    // letter, so its place among the marks must be settled before.
    text.nfd().flat_map(fold_char).nfc().collect()
}

/// True when nothing visible is left: white space, controls, zero-width and format characters only.
///
/// ```
/// assert!(terrace::text::is_blank(" \u{200b}\t"));
/// assert!(!terrace::text::is_blank("…"));
/// ```
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c.is_control() || is_invisible(c))
}

/// True for characters that take no room and carry no meaning in a word: soft hyphen, zero-width and bidirectional
/// controls, variation selectors, fillers.
pub(super) fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    matches!(c,
        '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}')
        || c.general_category() == GeneralCategory::Format
}

/// One folded character and where it comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folded {
    pub ch: char,
    /// The source had a capital here, which is where `camelCase` is split.
    pub upper: bool,
    /// Byte range in the source of the cluster that this character is made from.
    pub start: usize,
    pub end: usize,
}

/// Folds `chunk`, which starts at byte `offset` of the source, into `out`.
pub(super) fn fold_into(chunk: &str, offset: usize, out: &mut Vec<Folded>) {
    let mut cluster = Cluster::default();
    let mut start = offset;
    for (at, c) in chunk.char_indices() {
        let here = offset + at;
        if here > start && begins_cluster(c) {
            cluster.flush(start..here, out);
            start = here;
        }
        if plain_fold(c).is_some() {
            cluster.push_plain(c);
        } else {
            decompose_canonical(c, |part| {
                // Only letters and digits take their compatibility form: `ﬁ`, `①`, full width; not `™` or `…`.
                if part.is_alphanumeric() {
                    decompose_compatible(part, |letter| cluster.push(letter));
                } else {
                    cluster.push(part);
                }
            });
        }
    }
    cluster.flush(start..offset + chunk.len(), out);
}

/// Folded letters of one cluster before they are composed again.
#[derive(Default)]
struct Cluster {
    letters: String,
    capital: bool,
    plain: Option<char>,
}

impl Cluster {
    /// A character of [`plain_fold`], which most clusters consist of.
    fn push_plain(&mut self, c: char) {
        if self.letters.is_empty() && self.plain.is_none() {
            self.plain = Some(c);
        } else {
            self.push(c);
        }
    }

    fn push(&mut self, c: char) {
        if let Some(first) = self.plain.take() {
            self.push(first);
        }
        if is_stripped_mark(c) || is_invisible(c) {
            return;
        }
        self.capital |= c.is_uppercase();
        match c {
            '’' | '‘' | '‛' | 'ʼ' | '＇' => self.letters.push('\''),
            '‐' | '‑' | '−' => self.letters.push('-'),
            'ı' => self.letters.push('i'),
            _ => {
                for lower in fold_char(c) {
                    match plain_spelling(lower) {
                        Some(spelling) => self.letters.push_str(spelling),
                        None if is_stripped_mark(lower) => {}
                        None => self.letters.push(lower),
                    }
                }
            }
        }
    }

    fn flush(&mut self, source: Range<usize>, out: &mut Vec<Folded>) {
        let mut put = |ch, upper| out.push(Folded { ch, upper, start: source.start, end: source.end });
        if let Some((lower, upper)) = self.plain.take().and_then(plain_fold) {
            put(lower, upper);
            return;
        }
        let mut capital = self.capital;
        for ch in self.letters.nfc() {
            put(ch, capital);
            capital = false;
        }
        self.letters.clear();
        self.capital = false;
    }
}

/// The lower case of characters that fold to one character by themselves, and whether they are capitals; the short way for
/// ASCII, Han, Kana, Hangul syllables and the Russian letters that are not composed. With marks upon them they take the
/// long way, which for one alone gives the same.
fn plain_fold(c: char) -> Option<(char, bool)> {
    match c {
        '\0'..='\u{7f}' => Some((c.to_ascii_lowercase(), c.is_ascii_uppercase())),
        'й' | 'Й' => None,
        'а'..='я' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' | '가'..='힣' => {
            Some((c, false))
        }
        'А'..='Я' => c.to_lowercase().next().map(|lower| (lower, true)),
        _ => None,
    }
}

/// True when no character before `c` can compose or reorder with it, so that clusters normalise one by one.
fn begins_cluster(c: char) -> bool {
    if plain_fold(c).is_some() {
        return true;
    }
    let mut first = None;
    decompose_compatible(c, |part| first = first.or(Some(part)));
    let first = first.unwrap_or(c);
    canonical_combining_class(first) == 0
        && !is_combining_mark(first)
        && is_nfkc_quick(std::iter::once(first)) != IsNormalized::Maybe
}

/// Lower case of upper case of lower case: by this `ẞ`, `ß` and `SS` meet, as do `Σ`, `σ` and `ς`.
fn fold_char(c: char) -> impl Iterator<Item = char> {
    let ascii = c.is_ascii().then(|| c.to_ascii_lowercase());
    // The dotless i is a letter of its own in Unicode's case folding.
    let kept = if c == 'ı' { Some(c) } else { ascii };
    let folded = kept.is_none().then(|| c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase));
    kept.into_iter().chain(folded.into_iter().flatten())
}

/// Marks that are dropped: the diacritics of Latin, Greek and Cyrillic, and the optional vowel points of Arabic and
/// Hebrew. Marks of other scripts spell the word and stay.
fn is_stripped_mark(c: char) -> bool {
    matches!(c,
        '\u{0300}'..='\u{036f}' | '\u{0483}'..='\u{0489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}'
        | '\u{0591}'..='\u{05bd}' | '\u{05bf}' | '\u{05c1}' | '\u{05c2}' | '\u{05c4}' | '\u{05c5}' | '\u{05c7}'
        | '\u{0640}' | '\u{064b}'..='\u{0652}' | '\u{0670}')
}

/// Letters that Unicode does not decompose but that are typed without their stroke or tied in everyday spelling.
fn plain_spelling(c: char) -> Option<&'static str> {
    Some(match c {
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ħ' => "h",
        'ŧ' => "t",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folded(text: &str) -> String {
        let mut out = Vec::new();
        fold_into(text, 0, &mut out);
        out.iter().map(|f| f.ch).collect()
    }

    #[test]
    fn case_folding_traps_fold() {
        assert_eq!(folded("Straße İstanbul ﬁle ΣΊΣΥΦΟΣ"), "strasse istanbul file σισυφοσ");
    }

    #[test]
    fn composed_and_decomposed_hangul_fold_alike() {
        let nfd: String = "학점인정".nfd().collect();
        assert_eq!(folded(&nfd), "학점인정");
    }

    #[test]
    fn half_width_katakana_folds_to_full_width() {
        assert_eq!(folded("ｶﾞｰﾄﾞ"), "ガード");
    }

    #[test]
    fn devanagari_vowel_signs_stay() {
        assert_eq!(folded("हिन्दी"), "हिन्दी");
    }

    #[test]
    fn arabic_vowel_points_go_and_letters_stay() {
        assert_eq!(folded("مَلاحَظة"), "ملاحظة");
    }

    #[test]
    fn zero_width_soft_hyphen_and_bidi_controls_go() {
        assert_eq!(
            folded("hid\u{200b}den soft\u{ad}hyphen \u{202e}RTL\u{202c} \u{feff}bom"),
            "hidden softhyphen rtl bom"
        );
    }

    #[test]
    fn case_folding_keeps_diacritics_and_dotted_i_apart() {
        assert_eq!(fold_case("ÉCOLE"), "école");
        assert_ne!(fold_case("İ"), fold_case("i"));
    }

    #[test]
    fn blank_means_nothing_visible() {
        for blank in ["", "   ", "\u{200b}", "\u{feff}\n\t\u{2060}\u{3000}", "\0"] {
            assert!(is_blank(blank), "{blank:?}");
        }
        assert!(!is_blank("\u{200b}x"));
    }

    proptest! {
        #[test]
        fn nfc_and_nfd_fold_alike(text in any::<String>()) {
            let nfc: String = text.nfc().collect();
            let nfd: String = text.nfd().collect();
            prop_assert_eq!(folded(&nfc), folded(&nfd));
            prop_assert_eq!(fold_case(&nfc), fold_case(&nfd));
        }

        #[test]
        fn the_short_way_gives_what_the_long_way_gives(
            text in "[가-힣ぁ-ゖァ-ヺа-яА-Яa-cA-C一-龥\\u{3099}\\u{301}\\u{306}\\u{11a8}]{0,12}",
        ) {
            let long: String = text.nfkd().filter(|&c| !is_stripped_mark(c)).flat_map(char::to_lowercase).nfc().collect();
            prop_assert_eq!(folded(&text), long);
            let nfd: String = text.nfd().collect();
            prop_assert_eq!(folded(&text), folded(&nfd));
        }

        #[test]
        fn case_folding_twice_changes_nothing_more(text in any::<String>()) {
            let once = fold_case(&text);
            prop_assert_eq!(fold_case(&once), once);
        }
    }
}
