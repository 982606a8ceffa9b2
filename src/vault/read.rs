//! From a file's bytes to text.

use crate::text;

/// Share of NUL bytes from which a file is no text: UTF-16 has about one half.
const MAX_NULS: f64 = 0.05;
/// Share of characters that may be invalid UTF-8: Latin-1 prose in any Western language stays well below, a binary
/// file is far above.
const MAX_INVALID: f64 = 0.25;

/// Text, with a warning where it is not exactly what the file says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub text: String,
    pub warning: Option<String>,
}

/// Why bytes are no note.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoText {
    /// Nothing is in it: a note that said something before no longer does.
    Empty,
    /// Something else than text is in it.
    Binary(&'static str),
}

impl NoText {
    pub fn reason(&self) -> String {
        match self {
            Self::Empty => "it is empty".to_owned(),
            Self::Binary(what) => format!("{what}; expected Markdown in UTF-8"),
        }
    }
}

/// Decodes UTF-8, the byte order mark taken off. Invalid bytes become U+FFFD while most of the file is text.
pub(super) fn decode(bytes: Vec<u8>) -> Result<Decoded, NoText> {
    const MAGIC: [(&[u8], &str); 7] = [
        (b"\x89PNG", "it is a PNG image"),
        (b"\xff\xd8\xff", "it is a JPEG image"),
        (b"GIF8", "it is a GIF image"),
        (b"%PDF-", "it is a PDF file"),
        (b"PK\x03\x04", "it is a ZIP archive"),
        (b"\xff\xfe", "it is UTF-16"),
        (b"\xfe\xff", "it is UTF-16"),
    ];
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(NoText::Binary(what));
    }
    let nuls = bytes.iter().filter(|&&byte| byte == 0).count();
    if nuls as f64 > MAX_NULS * bytes.len() as f64 && nuls > 1 {
        return Err(NoText::Binary("it is binary, or UTF-16, by its NUL bytes"));
    }
    let (decoded, warning) = match String::from_utf8(bytes) {
        Ok(valid) => (valid, None),
        Err(invalid) => {
            let lossy = String::from_utf8_lossy(invalid.as_bytes()).into_owned();
            let replaced = lossy.chars().filter(|&c| c == char::REPLACEMENT_CHARACTER).count();
            if replaced as f64 > MAX_INVALID * lossy.chars().count() as f64 {
                return Err(NoText::Binary("it is binary, or in another encoding than UTF-8"));
            }
            let warning = format!("{replaced} places are not UTF-8 and read as U+FFFD; save the file as UTF-8");
            (lossy, Some(warning))
        }
    };
    let decoded = match decoded.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => decoded,
    };
    if text::is_blank(&decoded) { Err(NoText::Empty) } else { Ok(Decoded { text: decoded, warning }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn utf8_is_kept_byte_for_byte_without_its_mark() {
        let decoded = decode(b"\xef\xbb\xbfa\r\nb\rc\n".to_vec()).unwrap();
        assert_eq!(decoded, Decoded { text: "a\r\nb\rc\n".into(), warning: None });
    }

    #[test]
    fn a_few_bytes_of_another_encoding_are_replaced_with_a_warning() {
        let decoded = decode(b"caf\xe9 na\xefve menu".to_vec()).unwrap();
        assert_eq!(decoded.text, "caf\u{fffd} na\u{fffd}ve menu");
        assert!(decoded.warning.unwrap().starts_with("2 places"));
    }

    #[test]
    fn one_nul_in_a_text_is_text() {
        assert_eq!(decode(b"before\0after".to_vec()).unwrap().text, "before\0after");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let utf16: Vec<u8> = "note".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [b"\x89PNG\r\n\x1a\n...".to_vec(), utf16, vec![0xff, 0xfe, b'a', 0], vec![0x9c; 64]] {
            assert!(matches!(decode(bytes.clone()), Err(NoText::Binary(_))), "{bytes:?}");
        }
    }

    #[test]
    fn nothing_but_white_space_is_empty() {
        for bytes in [&b""[..], b"\xef\xbb\xbf", b" \r\n\t\n"] {
            assert_eq!(decode(bytes.to_vec()), Err(NoText::Empty), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in any::<Vec<u8>>()) {
            let _ = decode(bytes);
        }

        #[test]
        fn any_text_of_letters_is_text(text in "[a-zäé日🔥\n]{1,40}x") {
            prop_assert_eq!(decode(text.clone().into_bytes()), Ok(Decoded { text, warning: None }));
        }
    }
}
