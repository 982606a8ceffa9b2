//! From one line of JSON to a note.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::engine::validate;
use crate::model::Note;
use crate::text;

/// Keys that are a note's own, other spellings included.
const KNOWN: [&str; 26] = [
    "id",
    "_id",
    "title",
    "body",
    "text",
    "content",
    "path",
    "namespace",
    "tags",
    "aliases",
    "links",
    "type",
    "note_type",
    "status",
    "access_scope",
    "author",
    "source",
    "source_url",
    "confidence",
    "created_at",
    "updated_at",
    "expires_at",
    "derived_from_ids",
    "supersedes",
    "key",
    "metadata",
];

/// Reads a note; its id is empty when the line gives none.
///
/// `null` is as if absent. Keys that are not a note's become members of its metadata, whose text is otherwise kept as it
/// was given; a member that is there already stays.
///
/// # Errors
/// What is wrong, in words.
pub(super) fn read(line: &str) -> Result<Note, String> {
    let keys: BTreeMap<String, &RawValue> = serde_json::from_str(line).map_err(|error| shown(&error))?;
    let has = |name: &str| keys.get(name).is_some_and(|value| value.get() != "null");
    if !["title", "body", "text", "content"].into_iter().any(has) {
        return Err("neither `title` nor `text` is given; a note needs one of them".to_owned());
    }
    let null = keys.iter().any(|(name, value)| value.get() == "null" && KNOWN.contains(&name.as_str()));
    let mut note: Note = if null {
        let given: BTreeMap<&String, &&RawValue> = keys.iter().filter(|(_, value)| value.get() != "null").collect();
        let again = serde_json::to_string(&given).map_err(|error| error.to_string())?;
        serde_json::from_str(&again)
    } else {
        serde_json::from_str(line)
    }
    .map_err(|error| shown(&error))?;
    if note.id.is_empty() && text::is_blank(&note.title) && text::is_blank(&note.body) {
        return Err("it has no text, no title and no id".to_owned());
    }
    let extra: Vec<(&String, &&RawValue)> = keys.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str())).collect();
    if !extra.is_empty() {
        note.metadata = Some(merged(note.metadata.take(), &extra)?);
    }
    validate(note).map_err(|error| error.to_string())
}

/// The metadata with further members, by splicing texts, so that what was given is not rewritten.
fn merged(metadata: Option<Box<RawValue>>, extra: &[(&String, &&RawValue)]) -> Result<Box<RawValue>, String> {
    let given = metadata.as_ref().map_or("{}", |raw| raw.get().trim());
    let object = given.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let mut out = match object {
        Some(inner) => format!("{{{inner}"),
        None => format!("{{\"metadata\":{given}"),
    };
    let there: BTreeMap<String, &RawValue> = serde_json::from_str(given).unwrap_or_default();
    let mut empty = object.is_some_and(|inner| inner.trim().is_empty());
    for (name, value) in extra {
        if there.contains_key(*name) {
            continue;
        }
        if !empty {
            out.push(',');
        }
        empty = false;
        out.push_str(&serde_json::to_string(name).map_err(|error| error.to_string())?);
        out.push(':');
        out.push_str(value.get());
    }
    out.push('}');
    RawValue::from_string(out).map_err(|error| error.to_string())
}

/// The parser's words; its line is always 1 here, its column is worth knowing.
fn shown(error: &serde_json::Error) -> String {
    let kind = if error.is_data() { "not a note" } else { "not JSON" };
    format!("{kind}: {}", error.to_string().replace(" at line 1 column", " at column"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(line: &str) -> String {
        read(line).unwrap().metadata.unwrap().get().to_owned()
    }

    #[test]
    fn the_names_of_test_collections_are_a_notes() {
        let note = read(r#"{"_id": "d1", "title": "T", "text": "B", "metadata": {"a": 1}}"#).unwrap();
        assert_eq!((note.id.as_str(), note.title.as_str(), note.body.as_str()), ("d1", "T", "B"));
        assert_eq!(note.metadata.unwrap().get(), r#"{"a": 1}"#);
    }

    #[test]
    fn all_fields_of_a_note_are_taken() {
        let line = r#"{"id":"d1","text":"B","tags":["a"],"path":"x/./y.md","links":["z"],"namespace":"n/m",
            "updated_at":"2026-01-01T00:00:00Z","type":"fact","status":"proposed"}"#;
        let note = read(&line.replace('\n', " ")).unwrap();
        assert_eq!((note.path.as_deref(), note.namespace.as_str()), (Some("x/y.md"), "n/m"));
        assert_eq!(
            (note.tags, note.links, note.note_type.as_str()),
            (vec!["a".to_owned()], vec!["z".to_owned()], "fact")
        );
        assert!(note.updated_at.is_some());
    }

    #[test]
    fn unknown_keys_join_the_metadata_as_they_were_written() {
        assert_eq!(metadata(r#"{"text":"B","pages":1.50}"#), r#"{"pages":1.50}"#);
        assert_eq!(metadata(r#"{"text":"B","metadata":{ "n": 1.0 },"n":2,"m":[1, 2]}"#), r#"{ "n": 1.0 ,"m":[1, 2]}"#);
        assert_eq!(metadata(r#"{"text":"B","metadata":[1],"m":2}"#), r#"{"metadata":[1],"m":2}"#);
    }

    #[test]
    fn null_is_as_if_absent() {
        let note = read(r#"{"text":"B","title":null,"author":null,"x":null}"#).unwrap();
        assert_eq!((note.title.as_str(), note.metadata.unwrap().get()), ("", r#"{"x":null}"#));
    }

    #[test]
    fn an_empty_document_with_an_id_is_a_note() {
        assert_eq!(read(r#"{"_id":"471","title":"","text":""}"#).unwrap().id, "471");
    }

    #[test]
    fn what_is_no_record_is_refused_in_words() {
        for (line, word) in [
            ("{\"text\": ", "not JSON"),
            ("[1]", "not a note"),
            ("\"text\"", "not a note"),
            (r#"{"text": 7}"#, "not a note"),
            (r#"{"text":"B","tags":"a"}"#, "not a note"),
            (r#"{"id":"x","metadata":{}}"#, "neither"),
            (r#"{"text":" ","title":""}"#, "no text"),
            (r#"{"text":"B","confidence":7}"#, "confidence"),
            (r#"{"text":"B","path":"../x"}"#, "\"..\""),
            (r#"{"text":"B","body":"C"}"#, "duplicate field"),
        ] {
            let reason = read(line).unwrap_err();
            assert!(reason.contains(word), "{line}: {reason}");
        }
    }
}
