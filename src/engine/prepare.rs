//! From a note as given to everything its `put` writes: validated, parsed, cut into passages, analysed, embedded.

use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use crate::clock::Timestamp;
use crate::config::VectorConfig;
use crate::embed::{Embedder, EmbedderIdentity, check_vector};
use crate::error::{Error, Result};
use crate::model::{Note, Ordinal};
use crate::projection::Entry;
use crate::projection::graph::{DeclaredLink, declared_links};
use crate::projection::lexical::LexicalDoc;
use crate::store::vectors::PassageVectors;
use crate::text;

/// Longest id, in bytes.
const MAX_ID_BYTES: usize = 512;
/// Longest namespace, path, tag or alias, in bytes.
const MAX_NAME_BYTES: usize = 4_096;
/// Longest body and metadata, in bytes.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// A note ready to be written.
pub(crate) struct Prepared {
    pub note: Note,
    pub parsed: text::Parsed,
    pub passages: Vec<String>,
    pub vectors: Vectors,
    pub content_hash: u64,
    /// The part of it that is the caller's vector.
    pub vector_hash: Option<u64>,
}

/// What becomes of a note's vectors when it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Vectors {
    /// These, by passage; passages without one are left out.
    New(PassageVectors),
    /// Those that it has: they were made from the same text by the same model.
    Kept,
    /// It has none: nothing embeds here, and the caller gave none.
    None,
}

/// What preparing needs of the engine.
pub(crate) struct Preparation<'a> {
    pub embedder: Option<&'a Arc<dyn Embedder>>,
    pub identity: Option<&'a EmbedderIdentity>,
    pub vector: &'a VectorConfig,
}

/// Checks a note and puts its path into normal form. The id may be empty.
pub(crate) fn validate(mut note: Note) -> Result<Note> {
    let refuse = |what: String| Err(Error::invalid(format!("note {:?}: {what}", shown(&note.id, &note.title))));
    if note.id.len() > MAX_ID_BYTES || note.id.contains('\0') {
        return refuse(format!("expected an id of at most {MAX_ID_BYTES} bytes without NUL"));
    }
    if !note.id.is_empty() && text::is_blank(&note.id) {
        return refuse("its id is blank; leave it empty to have one made".into());
    }
    if let Some(path) = &note.path {
        note.path = Some(text::normalise_path(path)?);
    }
    note.namespace = crate::model::check_namespace(&note.namespace)?;
    if note.note_type.is_empty() {
        note.note_type = "note".into();
    }
    if let Some(confidence) = note.confidence
        && !(0.0..=1.0).contains(&confidence)
    {
        return refuse(format!("expected a confidence from 0 to 1, found {confidence}"));
    }
    let names = note.tags.iter().chain(&note.aliases).chain([&note.namespace]);
    if names.chain(note.path.iter()).any(|name| name.len() > MAX_NAME_BYTES) {
        return refuse(format!("expected tags, aliases, namespace and path of at most {MAX_NAME_BYTES} bytes"));
    }
    let metadata = note.metadata.as_ref().map_or(0, |raw| raw.get().len());
    if note.body.len() > MAX_TEXT_BYTES || note.title.len() > MAX_TEXT_BYTES || metadata > MAX_TEXT_BYTES {
        return refuse(format!("expected texts of at most {MAX_TEXT_BYTES} bytes; split the note"));
    }
    Ok(note)
}

fn shown(id: &str, title: &str) -> String {
    let name = if id.is_empty() { title } else { id };
    name.chars().take(80).collect()
}

impl Preparation<'_> {
    /// Everything a `put` of this note writes, with the caller's vector in place of the embedder's if there is one.
    /// `stored_hash` answers the content hash of the note that it replaces.
    pub(crate) fn prepare(
        &self,
        note: Note,
        supplied: Option<&[f32]>,
        stored_hash: impl Fn(&str) -> Result<Option<u64>>,
    ) -> Result<Prepared> {
        let mut prepared = self.analyse(note);
        if let Some(vector) = supplied {
            let hash = supplied_hash(vector);
            prepared.content_hash ^= hash;
            prepared.vector_hash = Some(hash);
        } else if !prepared.note.id.is_empty() && stored_hash(&prepared.note.id)? == Some(prepared.content_hash) {
            prepared.vectors = Vectors::Kept;
            return Ok(prepared);
        }
        prepared.vectors = match (self.identity, supplied) {
            (Some(identity), Some(vector)) => Vectors::New(supplied_vectors(vector, identity)?),
            (None, Some(_)) => {
                return Err(Error::invalid(
                    "this store has no vectors, and the note came with one; open a new store with EmbedderChoice::Supplied",
                ));
            }
            (Some(_), None) => match self.embedder {
                Some(embedder) => Vectors::New(self.embed(embedder, &prepared)?),
                None => Vectors::None,
            },
            (None, None) => Vectors::None,
        };
        Ok(prepared)
    }

    /// Parsed and cut, not embedded.
    pub(crate) fn analyse(&self, note: Note) -> Prepared {
        let parsed = text::parse_markdown(&note.body);
        let passages = text::passages(&parsed.plain, self.vector.passage_chars);
        let passages: Vec<String> = passages.into_iter().map(|passage| passage.text).collect();
        let content_hash = self.content_hash(&note);
        Prepared { note, parsed, passages, vectors: Vectors::None, content_hash, vector_hash: None }
    }

    /// The vectors of a note's passages, each embedded below the note's title.
    pub(crate) fn embed(&self, embedder: &Arc<dyn Embedder>, prepared: &Prepared) -> Result<PassageVectors> {
        let texts = embedded_texts(&prepared.note.title, &prepared.passages);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = embedder.embed_passages(&texts)?;
        if vectors.len() != texts.len() {
            return Err(Error::SearchBackend(format!(
                "the embedder {:?} gave {} vectors for {} passages",
                embedder.identity().name,
                vectors.len(),
                texts.len()
            )));
        }
        let mut out = PassageVectors::default();
        for (passage, vector) in (0..).zip(vectors) {
            let Some(vector) = vector else { continue };
            if let Some(vector) = check_vector(&vector, embedder.identity())? {
                out.push((passage, vector));
            }
        }
        Ok(out)
    }

    /// What vectors and passages depend on: an equal hash means that they need not be made again.
    pub(crate) fn content_hash(&self, note: &Note) -> u64 {
        let mut hash = Xxh3::new();
        for part in [note.title.as_str(), note.body.as_str()] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        hash.update(&(self.vector.passage_chars as u64).to_le_bytes());
        if let Some(identity) = self.identity {
            hash.update(identity.hash.as_bytes());
        }
        hash.digest()
    }
}

/// What sets a note with a vector of the caller's apart from the same note embedded here; never 0.
fn supplied_hash(vector: &[f32]) -> u64 {
    let mut hash = Xxh3::new();
    vector.iter().for_each(|component| hash.update(&component.to_bits().to_le_bytes()));
    hash.digest() | 1
}

fn supplied_vectors(vector: &[f32], identity: &EmbedderIdentity) -> Result<PassageVectors> {
    Ok(match check_vector(vector, identity)? {
        Some(vector) => vec![(0, vector)],
        None => Vec::new(),
    })
}

/// A passage is embedded below its note's title, which says what it is about; a note without a body by its title.
fn embedded_texts(title: &str, passages: &[String]) -> Vec<String> {
    match passages {
        [] => vec![title.to_owned()],
        passages if text::is_blank(title) => passages.to_vec(),
        passages => passages.iter().map(|passage| format!("{title}\n{passage}")).collect(),
    }
}

impl Prepared {
    /// Fills absent times: created from the note it replaces or now, updated now.
    pub(crate) fn fill_times(&mut self, replaced: Option<Timestamp>, now: Timestamp) {
        self.note.created_at = self.note.created_at.or(replaced).or(Some(now));
        self.note.updated_at = self.note.updated_at.or(Some(now));
    }

    /// The document of the lexical index.
    pub(crate) fn lexical(&self, ord: Ordinal) -> LexicalDoc {
        lexical_doc(ord, &self.note, &self.parsed.plain)
    }

    /// The catalog's columns.
    pub(crate) fn entry(&self, ord: Ordinal) -> Entry {
        Entry::of(ord, &self.note, &self.parsed.plain)
    }

    /// What the graph takes over.
    pub(crate) fn declared(&self) -> Vec<DeclaredLink> {
        declared_links(&self.note, &self.parsed)
    }
}

/// Terms of a note: title and aliases as its names; title, aliases, tags and body as its text.
pub(crate) fn lexical_doc(ord: Ordinal, note: &Note, plain: &str) -> LexicalDoc {
    let mut name_terms = Vec::new();
    let mut body_terms = Vec::new();
    for name in std::iter::once(&note.title).chain(&note.aliases) {
        text::for_each_term(name, |term, _, _| name_terms.push(term.to_owned()));
    }
    body_terms.extend_from_slice(&name_terms);
    for tag in &note.tags {
        text::for_each_term(tag, |term, _, _| body_terms.push(term.to_owned()));
    }
    text::for_each_term(plain, |term, _, _| body_terms.push(term.to_owned()));
    LexicalDoc { ord, name_terms, body_terms }
}
