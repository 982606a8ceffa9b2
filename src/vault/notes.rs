//! The notes of a folder, without a store: what an evaluation over a vault needs.

use std::collections::BTreeMap;
use std::path::Path;

use super::note::draft;
use super::read::decode;
use super::report::IndexOptions;
use super::walk::walk;
use crate::engine::validate;
use crate::error::{Error, Result};
use crate::model::Note;

/// Reads the Markdown files below `root` as notes whose id is their path. An `id` of the front matter becomes an alias,
/// and where other notes name it, its path takes its place. A file's own time is not taken, so that every copy of the folder reads the same; times of the front matter are.
///
/// # Errors
/// `io` naming what cannot be read; `invalid_input` naming the file that is no usable note.
pub(crate) fn read_notes(root: &Path) -> Result<Vec<Note>> {
    if !root.is_dir() {
        return Err(Error::invalid(format!("expected a folder of Markdown files, found none at {}", root.display())));
    }
    let found = walk(root, IndexOptions::default().max_bytes);
    let mut notes = Vec::with_capacity(found.files.len());
    let mut paths: BTreeMap<String, String> = BTreeMap::new();
    for mut file in found.files {
        let shown = file.absolute.display().to_string();
        let bytes = std::fs::read(&file.absolute).map_err(|source| Error::io(format!("reading {shown}"), source))?;
        // An empty file is no note, as in `index_folder`.
        let Ok(decoded) = decode(bytes) else { continue };
        (file.mtime, file.born) = (0, None);
        let mut note = draft(&file, &decoded.text).note;
        if !note.id.is_empty() {
            note.aliases.push(note.id.clone());
            paths.insert(std::mem::take(&mut note.id), file.path.clone());
        }
        note.id = file.path;
        notes.push(validate(note).map_err(|error| Error::invalid(format!("{shown}: {error}")))?);
    }
    for note in &mut notes {
        for id in note.derived_from_ids.iter_mut().chain(&mut note.supersedes) {
            if let Some(path) = paths.get(id) {
                id.clone_from(path);
            }
        }
    }
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_called_by_its_path_also_by_those_who_named_its_id() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("a")).unwrap();
        std::fs::write(dir.path().join("a/one.md"), "---\nid: n1\n---\nText.").unwrap();
        std::fs::write(dir.path().join("two.md"), "---\nsupersedes: n1\n---\nText.").unwrap();
        let notes = read_notes(dir.path()).unwrap();
        assert_eq!((notes[0].id.as_str(), &notes[0].aliases), ("a/one.md", &vec!["n1".to_owned()]));
        assert_eq!(notes[1].supersedes.as_deref(), Some("a/one.md"));
        assert_eq!(notes[1].updated_at, None);
    }
}
