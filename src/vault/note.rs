//! From a file's text to a note: front matter for the fields, the path for what front matter does not say.

use rustc_hash::FxHashSet;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::access::access;
use super::walk::FoundFile;
use crate::clock::Timestamp;
use crate::model::{Note, Status};
use crate::text::{self, FrontMatter};

/// Longest tag and alias that a note may have, in bytes.
const MAX_NAME_BYTES: usize = 4_096;
/// Longest id, in bytes.
const MAX_ID_BYTES: usize = 512;

/// A note as its file says it, and what is wrong in the file. The id is empty unless the front matter gives one.
#[derive(Debug)]
pub(super) struct Draft {
    pub note: Note,
    pub warnings: Vec<String>,
}

/// Reads a file's text.
///
/// The title is the front matter's, else the file name; the namespace is the front matter's, else the folder. The body
/// is what follows the front matter, byte for byte; a block that is no usable YAML stands before it, so that its words
/// are found. Links of the body are read by the engine, so only those of the front matter are listed here.
pub(super) fn draft(file: &FoundFile, text: &str) -> Draft {
    let (mut front, body, fault) = text::parse_front_matter(text);
    let mut warnings: Vec<String> = fault.into_iter().collect();
    let body = match text::split(text).yaml.filter(|_| front.raw.is_some()) {
        Some(block) => format!("{block}\n{body}"),
        None => body.to_owned(),
    };
    let tags = tags(&mut front, &body);
    let mut note = Note::new(front.title.take().unwrap_or_else(|| text::stem(&file.path).to_owned()), body);
    note.id = usable_id(&mut front, &mut warnings);
    note.namespace = namespace(&mut front, &file.path, &mut warnings);
    note.status = status(&mut front, &mut warnings);
    note.access_scope = access(&mut front, text, &mut warnings);
    note.tags = short(tags, "tag", &mut warnings);
    note.aliases = short(front.aliases, "alias", &mut warnings);
    note.links = front.links;
    note.path = Some(file.path.clone());
    note.note_type = front.note_type.unwrap_or(note.note_type);
    note.author = front.author;
    note.source = front.source;
    note.source_url = front.source_url;
    note.confidence = front.confidence;
    note.created_at = front.created_at.map(Timestamp::from_micros);
    note.updated_at = front.updated_at.map(Timestamp::from_micros).or(file.changed());
    note.expires_at = front.expires_at.map(Timestamp::from_micros);
    note.derived_from_ids = front.derived_from;
    note.supersedes = front.supersedes;
    note.key = front.key;
    note.metadata = metadata(front.metadata);
    Draft { note, warnings }
}

/// Tags of the front matter, then those of the text, each once, as first written.
fn tags(front: &mut FrontMatter, body: &str) -> Vec<String> {
    let mut seen = FxHashSet::default();
    let mut tags = std::mem::take(&mut front.tags);
    tags.extend(text::parse_markdown(body).tags);
    tags.retain(|tag| {
        let folded = text::fold_tag(tag);
        !folded.is_empty() && seen.insert(folded)
    });
    tags
}

fn usable_id(front: &mut FrontMatter, warnings: &mut Vec<String>) -> String {
    let Some(id) = front.id.take() else { return String::new() };
    if id.len() <= MAX_ID_BYTES && !id.contains('\0') && !text::is_blank(&id) {
        return id;
    }
    warnings.push(format!("its `id` is not usable, expected at most {MAX_ID_BYTES} bytes; an id was made"));
    front.metadata.insert("id".to_owned(), Value::String(id));
    String::new()
}

fn namespace(front: &mut FrontMatter, path: &str, warnings: &mut Vec<String>) -> String {
    if let Some(given) = front.namespace.take() {
        if is_namespace(given.trim().trim_matches('/')) {
            return given;
        }
        warnings.push(format!(
            "its `namespace` {given:?} is not usable, expected one such as project/x; its folder's was taken"
        ));
        front.metadata.insert("namespace".to_owned(), Value::String(given));
    }
    match text::folder(path) {
        None => "default".to_owned(),
        Some(folder) if is_namespace(folder.trim().trim_matches('/')) => folder.to_owned(),
        // `*` means "any" in a filter, so no namespace has one.
        Some(folder) => folder.replace('*', "-"),
    }
}

fn is_namespace(text: &str) -> bool {
    !text.contains('*') && text.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// An unknown status stays in the metadata, with a warning.
fn status(front: &mut FrontMatter, warnings: &mut Vec<String>) -> Status {
    let Some(given) = front.status.take() else { return Status::default() };
    Status::parse(&given.trim().to_lowercase()).unwrap_or_else(|| {
        warnings.push(format!("its `status` {given:?} is none that terrace knows; kept as metadata"));
        front.metadata.insert("status".to_owned(), Value::String(given));
        Status::default()
    })
}

fn short(mut names: Vec<String>, what: &str, warnings: &mut Vec<String>) -> Vec<String> {
    let before = names.len();
    names.retain(|name| name.len() <= MAX_NAME_BYTES);
    if names.len() < before {
        warnings.push(format!("a name of kind {what} with more than {MAX_NAME_BYTES} bytes was left out"));
    }
    names
}

fn metadata(map: Map<String, Value>) -> Option<Box<RawValue>> {
    if map.is_empty() { None } else { serde_json::value::to_raw_value(&map).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::AccessScope;

    fn read(path: &str, text: &str) -> Draft {
        let file = FoundFile { path: path.into(), absolute: path.into(), size: 0, mtime: 5_000_000_000, born: None };
        draft(&file, text)
    }

    #[test]
    fn a_file_without_front_matter_is_named_and_placed_by_its_path() {
        let note = read("proj/x/Plan A.md", "# Heading\n#todo").note;
        assert_eq!((note.title.as_str(), note.namespace.as_str()), ("Plan A", "proj/x"));
        assert_eq!((note.path.as_deref(), note.tags.as_slice()), (Some("proj/x/Plan A.md"), &["todo".to_owned()][..]));
        assert_eq!(note.updated_at, Some(Timestamp::from_seconds(5)));
        assert_eq!(read("top.md", "x").note.namespace, "default");
    }

    #[test]
    fn front_matter_says_more_than_the_path() {
        let text = "---\nid: n1\ntitle: T\nnamespace: a/b\ntype: decision\nstatus: Accepted\nkey: k\nconfidence: 0.5\n\
                    created: 1970-01-02\nupdated: 1970-01-03\nexpires: 1970-01-04\naccess_scope: agent_private\n\
                    author: me\nmood: fine\n---\nbody\n";
        let Draft { note, warnings } = read("x.md", text);
        assert_eq!(warnings, Vec::<String>::new());
        assert_eq!((note.id.as_str(), note.title.as_str(), note.namespace.as_str()), ("n1", "T", "a/b"));
        assert_eq!((note.note_type.as_str(), note.status), ("decision", Status::Accepted));
        assert_eq!((note.key.as_deref(), note.confidence), (Some("k"), Some(0.5)));
        assert_eq!((note.access_scope, note.author.as_deref()), (AccessScope::AgentPrivate, Some("me")));
        let day = |n: i64| Some(Timestamp::from_seconds(n * 86_400));
        assert_eq!((note.created_at, note.updated_at, note.expires_at), (day(1), day(2), day(3)));
        assert_eq!(note.metadata.unwrap().get(), r#"{"mood":"fine"}"#);
        assert_eq!(note.body, "body\n");
    }

    #[test]
    fn tags_of_front_matter_and_text_are_one_list_without_repetitions() {
        let note = read("x.md", "---\ntags: [Zeit, red]\n---\n#zeit #Blue #blue").note;
        assert_eq!(note.tags, ["Zeit", "red", "Blue"]);
    }

    #[test]
    fn links_of_the_text_are_left_to_the_engine() {
        assert_eq!(read("x.md", "---\nup: \"[[Hub]]\"\n---\n[[Other]]").note.links, ["Hub"]);
    }

    #[test]
    fn unknown_words_and_values_out_of_range_are_kept_as_metadata_with_a_warning() {
        let Draft { note, warnings } = read("x.md", "---\nstatus: wip\nconfidence: 7\nnamespace: a/../b\n---\nbody");
        assert_eq!((note.status, note.confidence, note.namespace.as_str()), (Status::Active, None, "default"));
        let metadata: Value = serde_json::from_str(note.metadata.unwrap().get()).unwrap();
        assert_eq!(metadata, serde_json::json!({"status": "wip", "confidence": 7, "namespace": "a/../b"}));
        assert_eq!(warnings.len(), 3, "{warnings:?}");
    }

    #[test]
    fn a_broken_block_stands_before_the_body() {
        let Draft { note, warnings } = read("x.md", "---\r\na: [b\r\n---\r\nbody\r\n");
        assert_eq!(note.body, "a: [b\r\n\nbody\r\n");
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }

    #[test]
    fn a_star_in_a_folder_makes_no_pattern_of_its_namespace() {
        assert_eq!(read("a*/x.md", "x").note.namespace, "a-");
    }

    #[test]
    fn crlf_and_byte_order_mark_change_no_field() {
        let plain = read("x.md", "---\ntitle: T\ntags: [a]\n---\nbody").note;
        let twin = read("x.md", "\u{feff}---\r\ntitle: T\r\ntags: [a]\r\n---\r\nbody").note;
        assert_eq!(twin, plain);
    }
}
