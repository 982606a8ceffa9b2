//! Targets of links.

use rustc_hash::FxHashSet;

/// What a Markdown link to a relative file names: percent-decoded, without fragment and query; `None` for URLs, absolute
/// paths and the note itself.
pub(super) fn relative_target(destination: &str) -> Option<String> {
    let destination = destination.trim();
    if destination.starts_with(['/', '#', '?']) || has_scheme(destination) {
        return None;
    }
    let path = destination.split(['#', '?']).next().unwrap_or_default();
    let target = percent_decode(path);
    (!target.trim().is_empty() && !target.contains('\0')).then_some(target)
}

/// True for text that begins like a URL.
pub(super) fn has_scheme(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    })
}

/// The items without repetitions, in order.
pub(super) fn distinct(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = FxHashSet::default();
    items.filter(|item| seen.insert(item.clone())).collect()
}

/// Decodes `%XX`; text that would not be UTF-8 then, or has no two digits after a `%`, stays as it is.
fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let code =
            digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit())).and_then(|d| u8::from_str_radix(d, 16).ok());
        match code {
            Some(code) if *first == b'%' => {
                bytes.push(code);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn relative_files_are_decoded_and_lose_their_fragment() {
        assert_eq!(relative_target("names/%E6%97%A5.md#part").as_deref(), Some("names/日.md"));
        assert_eq!(relative_target("a%20b%.md").as_deref(), Some("a b%.md"));
        assert_eq!(relative_target("%ff.md").as_deref(), Some("%ff.md"));
    }

    #[test]
    fn urls_and_self_links_are_no_files() {
        for destination in
            ["https://x.y/a.md", "mailto:a@b.c", "#part", "", "//host/a", "/etc/passwd", "obsidian://open"]
        {
            assert_eq!(relative_target(destination), None, "{destination}");
        }
    }

    proptest! {
        #[test]
        fn any_destination_is_taken(text in any::<String>(), percent in "[%0-9a-f]{0,20}") {
            relative_target(&text);
            relative_target(&percent);
        }
    }
}
