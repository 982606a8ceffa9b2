//! HTML inside Markdown, as text.

/// The text of an HTML fragment: tags are dropped (with a space or a line's end where they part words), comments and
/// the content of elements kept, entities decoded.
pub(super) fn strip_html(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        out.push_str(&decode_entities(text));
        if let Some(comment) = tag.strip_prefix("<!--") {
            let (text, after) = comment.split_once("-->").unwrap_or((comment, ""));
            out.push_str(text.trim());
            rest = after;
            continue;
        }
        let opens = tag.chars().nth(1).is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        match tag.find('>') {
            Some(close) if opens => {
                let name = tag.trim_start_matches(['<', '/']);
                if BREAKING.iter().any(|breaking| starts_with_name(name, breaking)) && !out.ends_with([' ', '\n']) {
                    out.push(' ');
                }
                rest = tag.get(close + 1..).unwrap_or_default();
            }
            Some(_) => {
                out.push('<');
                rest = tag.get(1..).unwrap_or_default();
            }
            // No tag ends any more.
            None => {
                out.push_str(&decode_entities(tag));
                return out;
            }
        }
    }
    out.push_str(&decode_entities(rest));
    out
}

/// Decodes numeric entities and the commonest named ones; others stay as they are.
pub(super) fn decode_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let name_end = from.bytes().take(12).position(|b| b == b';');
        let decoded = name_end.and_then(|end| Some((entity(from.get(1..end)?)?, end)));
        match decoded {
            Some((c, end)) => {
                out.push(c);
                rest = from.get(end + 1..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|&c| c != '\0');
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        _ => return None,
    })
}

/// Elements whose borders part words.
const BREAKING: [&str; 24] = [
    "br", "p", "div", "td", "th", "tr", "li", "ul", "ol", "dl", "dt", "dd", "hr", "h1", "h2", "h3", "h4", "h5", "h6",
    "table", "pre", "script", "style", "summary",
];

fn starts_with_name(tag: &str, name: &str) -> bool {
    tag.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
        && !tag.as_bytes().get(name.len()).is_some_and(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tags_go_and_their_content_stays() {
        assert_eq!(strip_html("<td>cell &amp; &lt;b&gt; &#x1F525;</td>").trim(), "cell & <b> 🔥");
        assert_eq!(strip_html("a<b>c</b>d<br>e"), "acd e");
        assert_eq!(strip_html("<!-- secret --> 1 < 2"), "secret 1 < 2");
    }

    #[test]
    fn unclosed_tags_are_text() {
        let text = "<a ".repeat(20_000);
        assert_eq!(strip_html(&text), text);
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in any::<String>(), html in "[<>!a/&;#x0-9 -]{0,60}") {
            strip_html(&text);
            strip_html(&html);
        }
    }
}
