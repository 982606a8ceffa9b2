//! What sets carry beside their text: links, speakers, sessions, times.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

use super::{DatasetOptions, files};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::Note;
use crate::text;

/// Files of links: `from`, `to` and maybe a type.
const LINK_FILES: [&str; 2] = ["links.tsv", "links_derived.tsv"];

/// Gives notes what the options ask for; answers how many links of which type were added.
pub(super) fn apply(dir: &Path, notes: &mut [Note], options: &DatasetOptions) -> Result<BTreeMap<String, usize>> {
    let mut added = BTreeMap::new();
    if !options.structure && !options.speaker {
        return Ok(added);
    }
    let turns: Vec<Option<Turn>> = notes.iter().map(Turn::of).collect();
    if options.structure {
        add_links(dir, notes, options, &mut added)?;
        for (note, turn) in notes.iter_mut().zip(&turns) {
            if let Some(turn) = turn {
                turn.place(note);
            }
        }
        link_neighbours(notes, &turns, &mut added);
    }
    if options.speaker {
        for (note, turn) in notes.iter_mut().zip(&turns) {
            if let Some(turn) = turn {
                note.body = format!("{}: {}", turn.speaker, note.body);
            }
        }
    }
    Ok(added)
}

/// One thing said in a conversation.
struct Turn {
    speaker: String,
    session: Option<u64>,
    at: Option<Timestamp>,
}

impl Turn {
    /// Of a note whose metadata name a speaker.
    fn of(note: &Note) -> Option<Self> {
        let metadata: Map<String, Value> = serde_json::from_str(note.metadata.as_ref()?.get()).ok()?;
        let text = |key: &str| metadata.get(key).and_then(Value::as_str);
        Some(Self {
            speaker: text("speaker")?.to_owned(),
            session: metadata.get("session").and_then(Value::as_u64),
            at: text("datetime").and_then(text::parse_date).map(Timestamp::from_micros),
        })
    }

    /// Puts a note where and when it was said. What the corpus itself says stays.
    fn place(&self, note: &mut Note) {
        if let Some(session) = self.session {
            note.path.get_or_insert_with(|| format!("session-{session:02}/{}.md", note.id.replace([':', '/'], "-")));
        }
        note.tags.push(self.speaker.clone());
        note.created_at = note.created_at.or(self.at);
        note.updated_at = note.updated_at.or(self.at);
    }
}

fn add_links(
    dir: &Path,
    notes: &mut [Note],
    options: &DatasetOptions,
    added: &mut BTreeMap<String, usize>,
) -> Result<()> {
    let mut links: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let known: BTreeSet<String> = notes.iter().map(|note| note.id.clone()).collect();
    for file in LINK_FILES {
        let path = dir.join(file);
        if !path.exists() {
            continue;
        }
        let mut first = true;
        files::each_line(&path, |line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let header = std::mem::take(&mut first);
            let (from, to, kind) = match columns.as_slice() {
                ["from", "to", ..] if header => return Ok(()),
                [from, to] => (*from, *to, None),
                [from, to, kind, ..] => (*from, *to, Some(*kind)),
                _ => return Err("expected `from` and `to` between tabs, found one column".to_owned()),
            };
            if let Some(unknown) = [from, to].into_iter().find(|id| !known.contains(*id)) {
                return Err(format!("no note of the corpus has the id {unknown:?}"));
            }
            let wanted = kind.is_none_or(|kind| options.link_types.iter().any(|wanted| wanted == kind));
            if wanted && from != to && links.entry(from.to_owned()).or_default().insert(to.to_owned()) {
                *added.entry(kind.unwrap_or("link").to_owned()).or_default() += 1;
            }
            Ok(())
        })?;
    }
    for note in notes {
        note.links.extend(links.remove(&note.id).unwrap_or_default());
    }
    Ok(())
}

/// Links each turn to the one before and the one after it in its session.
fn link_neighbours(notes: &mut [Note], turns: &[Option<Turn>], added: &mut BTreeMap<String, usize>) {
    let session = |at: usize| turns.get(at).and_then(Option::as_ref).and_then(|turn| turn.session);
    let ids: Vec<String> = notes.iter().map(|note| note.id.clone()).collect();
    for (at, note) in notes.iter_mut().enumerate() {
        let Some(own) = session(at) else { continue };
        for other in [at.checked_sub(1), at.checked_add(1)].into_iter().flatten() {
            if session(other) == Some(own)
                && let Some(id) = ids.get(other)
            {
                note.links.push(id.clone());
                *added.entry("neighbour".to_owned()).or_default() += 1;
            }
        }
    }
}
