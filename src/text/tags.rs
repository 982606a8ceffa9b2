//! Tags: one rule for when two are the same, and for nesting.

use unicode_normalization::UnicodeNormalization;

use super::fold::{fold_case, is_invisible};

/// The form in which tags compare: NFC, case folded (see [`fold_case`]), invisible characters gone, without the leading
/// `#`, surrounding white space and surrounding slashes. Diacritics stay. Show the author's spelling, compare this one.
///
/// ```
/// use terrace::text::fold_tag;
/// assert_eq!(fold_tag("#ZEIT/Arbeit/"), "zeit/arbeit");
/// assert_eq!(fold_tag("Straße"), fold_tag("STRASSE"));
/// ```
pub fn fold_tag(tag: &str) -> String {
    let visible: String = tag.nfc().filter(|&c| !is_invisible(c)).collect();
    let name = visible.trim().trim_start_matches('#');
    fold_case(name.trim_matches(|c: char| c == '/' || c.is_whitespace()))
}

/// True when the filter admits the tag, both in the form of [`fold_tag`]: `a/b` admits `a/b` and `a/b/c`, never `a/bc`.
///
/// ```
/// use terrace::text::tag_matches;
/// assert!(tag_matches("a/b", "a/b/c") && !tag_matches("a/b", "a/bc"));
/// ```
pub fn tag_matches(filter_folded: &str, tag_folded: &str) -> bool {
    match tag_folded.strip_prefix(filter_folded) {
        Some("") => true,
        Some(below) => !filter_folded.is_empty() && below.starts_with('/'),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_does_not_tell_tags_apart() {
        let filter = fold_tag("zeit");
        for tag in ["Zeit", "zeit", "ZEIT/Arbeit", "#Zeit"] {
            assert!(tag_matches(&filter, &fold_tag(tag)), "{tag}");
        }
    }

    #[test]
    fn a_filter_admits_whole_segments_only() {
        assert!(tag_matches("a/b", "a/b"));
        assert!(tag_matches("a/b", "a/b/c"));
        assert!(!tag_matches("a/b", "a/bc"));
        assert!(!tag_matches("a/b", "a"));
        assert!(!tag_matches("", "a"));
    }

    #[test]
    fn composed_and_decomposed_tags_are_one_and_diacritics_count() {
        assert_eq!(fold_tag("caf\u{e9}"), fold_tag("cafe\u{301}"));
        assert_ne!(fold_tag("café"), fold_tag("cafe"));
    }

    #[test]
    fn dotted_capital_i_folds() {
        assert_eq!(fold_tag("İ"), fold_tag("i\u{307}"));
    }

    proptest! {
        #[test]
        fn folding_a_tag_twice_changes_nothing_more(tag in any::<String>()) {
            let once = fold_tag(&tag);
            prop_assume!(!once.starts_with('#'));
            prop_assert_eq!(fold_tag(&once), once);
        }
    }
}
