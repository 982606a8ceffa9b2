//! What a note declares about other notes: links, lineage, what it replaces.

use crate::model::Note;
use crate::text;

/// What kind of declaration a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) enum LinkKind {
    /// A wiki-link, an embed, a Markdown link, or an entry of `links`.
    Link,
    /// An entry of `derived_from_ids`.
    DerivedFrom,
    /// `supersedes`.
    Supersedes,
}

/// A link as declared; where it leads depends on what other notes are called.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct DeclaredLink {
    pub target: Box<str>,
    /// The label, tried where the target leads nowhere: some tools write `[[label|target]]`.
    pub alternative: Option<Box<str>>,
    pub kind: LinkKind,
}

/// Everything a note declares, given what its Markdown says.
pub(crate) fn declared_links(note: &Note, parsed: &text::Parsed) -> Vec<DeclaredLink> {
    let plain = |target: &String, kind| DeclaredLink { target: target.as_str().into(), alternative: None, kind };
    let mut declared: Vec<DeclaredLink> = Vec::new();
    for target in note.links.iter().chain(&parsed.links) {
        let label = parsed.alternatives.iter().find(|(of, _)| of == target).map(|(_, label)| label.as_str().into());
        let target = from_folder(target, note.path.as_deref());
        let link = DeclaredLink { target: target.into(), alternative: label, kind: LinkKind::Link };
        if !declared.contains(&link) {
            declared.push(link);
        }
    }
    declared.extend(note.derived_from_ids.iter().map(|id| plain(id, LinkKind::DerivedFrom)));
    declared.extend(note.supersedes.iter().map(|id| plain(id, LinkKind::Supersedes)));
    declared
}

/// `./a` and `../a` as seen from the note's folder; steps above the root stay at the root.
fn from_folder(target: &str, path: Option<&str>) -> String {
    if !target.starts_with("./") && !target.starts_with("../") {
        return target.to_owned();
    }
    let folder = path.and_then(text::folder).unwrap_or_default();
    let mut segments: Vec<&str> = Vec::new();
    for segment in folder.split('/').chain(target.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name),
        }
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_link_is_seen_from_the_notes_folder() {
        assert_eq!(from_folder("../b/c.md", Some("a/x.md")), "b/c.md");
        assert_eq!(from_folder("./c.md", Some("a/x.md")), "a/c.md");
        assert_eq!(from_folder("../../../c.md", Some("a/x.md")), "c.md");
        assert_eq!(from_folder("c", Some("a/x.md")), "c");
    }
}
