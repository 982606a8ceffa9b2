//! Paths of notes: relative, `/` between segments, compared by whole segments.

use crate::{Error, Result};

/// The form in which a note's path is stored: segments joined by one `/`, `.` and empty segments removed.
///
/// Names are kept byte for byte, so `notes..v2.md` is unchanged, and a backslash is a character like any other.
///
/// # Errors
///
/// [`Error::InvalidInput`] for an empty or absolute path, a drive letter (`C:\\x`), a `..` segment, or a NUL.
///
/// ```
/// use terrace::text::normalise_path;
/// assert_eq!(normalise_path("notes/./c.md").unwrap(), "notes/c.md");
/// assert!(normalise_path("notes/../secret.md").is_err());
/// ```
pub fn normalise_path(path: &str) -> Result<String> {
    let refuse = |found: &str| {
        let shown: String = path.chars().take(80).collect();
        Err(Error::invalid(format!(
            "path {shown:?} {found}; expected a path relative to the notes' folder, such as \"notes/a.md\""
        )))
    };
    if path.starts_with('/') {
        return refuse("is absolute");
    }
    if has_drive(path) {
        return refuse("begins with a drive letter");
    }
    if path.contains('\0') {
        return refuse("contains a NUL");
    }
    let mut out = String::with_capacity(path.len());
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => return refuse("contains a \"..\" segment"),
            name => {
                if !out.is_empty() {
                    out.push('/');
                }
                out.push_str(name);
            }
        }
    }
    if out.is_empty() { refuse("is empty") } else { Ok(out) }
}

/// The form in which a path filter compares; as [`normalise_path`], so a trailing `/` is ignored.
///
/// # Errors
///
/// As [`normalise_path`].
pub fn normalise_prefix(prefix: &str) -> Result<String> {
    normalise_path(prefix)
}

/// True when the filter admits the path, both normalised: `proj` admits `proj`, `proj/x.md` and `proj.md`, whose stem
/// it is, never `project/x.md`.
///
/// ```
/// use terrace::text::path_in_prefix;
/// assert!(path_in_prefix("proj", "proj/x.md") && path_in_prefix("proj", "proj.md"));
/// assert!(!path_in_prefix("proj", "project/x.md"));
/// ```
pub fn path_in_prefix(prefix: &str, path: &str) -> bool {
    match path.strip_prefix(prefix) {
        Some("") => true,
        Some(below) => !prefix.is_empty() && (below.starts_with('/') || is_extension(below)),
        None => false,
    }
}

/// The file name without a `.md`, `.markdown` or `.jsonl` extension, of any case.
///
/// ```
/// assert_eq!(terrace::text::stem("odd/dot.in.name.v2.md"), "dot.in.name.v2");
/// ```
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rfind('.').map(|dot| name.split_at(dot)) {
        Some((stem, extension)) if !stem.is_empty() && is_extension(extension) => stem,
        _ => name,
    }
}

/// The path without its `.md`, `.markdown` or `.jsonl` extension; `None` when it has none of them.
///
/// ```
/// use terrace::text::strip_note_extension;
/// assert_eq!(strip_note_extension("a/b.MD"), Some("a/b"));
/// assert_eq!(strip_note_extension("a.b/c"), None);
/// ```
pub fn strip_note_extension(path: &str) -> Option<&str> {
    let kept = path.len() - path.rsplit('/').next().unwrap_or(path).len() + stem(path).len();
    if kept < path.len() { path.get(..kept) } else { None }
}

/// The path of the folder, `None` at the top.
///
/// ```
/// use terrace::text::folder;
/// assert_eq!(folder("a/b/c.md"), Some("a/b"));
/// assert_eq!(folder("c.md"), None);
/// ```
pub fn folder(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}

fn is_extension(text: &str) -> bool {
    [".md", ".markdown", ".jsonl"].iter().any(|known| text.eq_ignore_ascii_case(known))
}

fn has_drive(path: &str) -> bool {
    let mut chars = path.chars();
    let letter = chars.next().is_some_and(|c| c.is_ascii_alphabetic());
    letter && chars.next() == Some(':') && matches!(chars.next(), None | Some('/' | '\\'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dots_within_names_stay_and_dot_segments_go() {
        assert_eq!(normalise_path("notes..v2.md").unwrap(), "notes..v2.md");
        assert_eq!(normalise_path("./notes/./c.md").unwrap(), "notes/c.md");
        assert_eq!(normalise_path("a//b.md").unwrap(), "a/b.md");
    }

    #[test]
    fn paths_that_lead_out_are_refused() {
        for path in ["notes/../secret.md", "..", "/etc/passwd", "C:\\x.md", "c:/x.md", "C:", "a\0b", "", ".", "./"] {
            assert_eq!(normalise_path(path).unwrap_err().code(), "invalid_input", "{path:?}");
        }
    }

    #[test]
    fn odd_names_are_legal() {
        for path in ["notes\\win.md", "a:b", "CON.md", "...", "-rf.md", "per%20cent.md", "  x  .md", "new\nline.md"] {
            assert_eq!(normalise_path(path).unwrap(), path);
        }
    }

    #[test]
    fn a_filter_admits_whole_segments_only() {
        assert!(path_in_prefix("notes", "notes/a.md"));
        assert!(path_in_prefix("notes", "notes.md"));
        assert!(path_in_prefix("notes/a.md", "notes/a.md"));
        assert!(!path_in_prefix("notes", "notes-backup/b.md"));
        assert!(!path_in_prefix("notes", "notes..v2.md"));
        assert!(!path_in_prefix("notes", "notes.md/x"));
    }

    #[test]
    fn a_trailing_slash_is_the_same_filter() {
        assert_eq!(normalise_prefix("proj/").unwrap(), "proj");
    }

    #[test]
    fn only_known_extensions_are_dropped() {
        assert_eq!(stem("a/UPPER.MD"), "UPPER");
        assert_eq!(stem("a/alt.markdown"), "alt");
        assert_eq!(stem("a/.hidden.md"), ".hidden");
        assert_eq!(stem("a/.md"), ".md");
        assert_eq!(stem("v1.2"), "v1.2");
    }

    proptest! {
        #[test]
        fn a_normal_path_is_its_own_normal_form(path in any::<String>()) {
            if let Ok(once) = normalise_path(&path) {
                // Dropping `./` can lay a drive letter bare, which is then refused.
                prop_assume!(!has_drive(&once));
                prop_assert_eq!(normalise_path(&once).unwrap(), once.clone());
                prop_assert!(path_in_prefix(&once, &once));
                prop_assert!(once.ends_with(stem(&once)) || once.len() > stem(&once).len());
            }
        }
    }
}
