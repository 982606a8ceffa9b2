//! The normal form of a URL, by which two notes are found to have one source.

use url::Url;

/// The form in which source URLs compare, `None` for what is not an absolute URL (compare its trimmed text instead).
///
/// Scheme and host are lower case; default port, fragment, trailing slashes of the path and tracking parameters
/// (`utm_*`, `gclid`, `fbclid` and their like) are gone; the query's parameters are sorted.
///
/// ```
/// use terrace::text::normalise_url;
/// assert_eq!(
///     normalise_url("HTTPS://Example.org:443/a/?b=2&utm_source=x&a=1#top").as_deref(),
///     Some("https://example.org/a?a=1&b=2"),
/// );
/// assert_eq!(normalise_url("notes/a.md"), None);
/// ```
pub fn normalise_url(url: &str) -> Option<String> {
    let mut url = Url::parse(url.trim()).ok()?;
    if url.scheme().len() < 2 {
        return None; // a drive letter
    }
    url.set_fragment(None);
    if let Some(query) = url.query() {
        let mut parameters: Vec<&str> = query.split('&').filter(|p| !p.is_empty() && !is_tracking(p)).collect();
        parameters.sort_unstable();
        let query = parameters.join("&");
        url.set_query((!query.is_empty()).then_some(query.as_str()));
    }
    if url.cannot_be_a_base() {
        return Some(url.into());
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    let bare = url.path() == "/" && url.query().is_none();
    let mut text = String::from(url);
    if bare && text.ends_with('/') && !text.ends_with("//") {
        text.pop();
    }
    Some(text)
}

fn is_tracking(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with("utm_") || TRACKING.contains(&name.as_str())
}

/// Parameters that advertising and mailing services add to whatever they link to.
const TRACKING: [&str; 19] = [
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "fbclid",
    "msclkid",
    "twclid",
    "ttclid",
    "li_fat_id",
    "yclid",
    "igshid",
    "igsh",
    "mc_cid",
    "mc_eid",
    "ref_src",
    "ref_url",
    "_hsenc",
    "_hsmi",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_one_address_agree() {
        let expected = normalise_url("https://example.org/a?x=1&y=2");
        for url in [
            "HTTPS://EXAMPLE.org/a?x=1&y=2",
            "https://example.org:443/a/?y=2&x=1",
            " https://example.org/a?x=1&y=2#part ",
            "https://example.org/a?utm_source=n&UTM_Medium=m&x=1&gclid=7&y=2&fbclid=&mc_eid=1&ref_src=z",
        ] {
            assert_eq!(normalise_url(url), expected, "{url}");
        }
    }

    #[test]
    fn what_differs_in_content_stays_apart() {
        let base = normalise_url("https://example.org/a");
        for url in
            ["http://example.org/a", "https://example.org/A", "https://example.org/a?x=1", "https://example.org:8443/a"]
        {
            assert_ne!(normalise_url(url), base, "{url}");
        }
    }

    #[test]
    fn a_bare_host_has_one_form() {
        assert_eq!(normalise_url("https://example.org/"), normalise_url("https://example.org"));
        assert_eq!(normalise_url("https://example.org?utm_source=x").as_deref(), Some("https://example.org"));
    }

    #[test]
    fn what_is_no_absolute_url_has_no_form() {
        for text in ["", "example.org/a", "notes/a.md", "C:\\x", "not a url"] {
            assert_eq!(normalise_url(text), None, "{text}");
        }
    }

    #[test]
    fn urls_without_a_host_are_kept() {
        assert_eq!(normalise_url("URN:isbn:123").as_deref(), Some("urn:isbn:123"));
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in any::<String>()) {
            normalise_url(&text);
            normalise_url(&format!("https://example.org/{text}"));
        }

        #[test]
        fn a_normal_form_is_its_own(path in "[a-zA-Z0-9/?&=#.%+]{0,20}") {
            if let Some(once) = normalise_url(&format!("https://example.org/{path}")) {
                prop_assert_eq!(normalise_url(&once), Some(once.clone()));
            }
        }
    }
}
