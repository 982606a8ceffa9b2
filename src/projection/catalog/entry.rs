//! One note's columns in memory.

use std::sync::Arc;

use crate::clock::Timestamp;
use crate::model::{AccessScope, Note, Ordinal, Status};
use crate::text::{self, Sketch};

/// What retrieval needs of a note without reading the store.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub ord: Ordinal,
    pub id: Arc<str>,
    pub title: Box<str>,
    pub path: Option<Box<str>>,
    pub namespace: Arc<str>,
    pub note_type: Arc<str>,
    pub status: Status,
    pub access: AccessScope,
    pub author: Option<Arc<str>>,
    pub source: Option<Arc<str>>,
    /// The normal form of `source_url`.
    pub url: Option<Arc<str>>,
    pub confidence: Option<f64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    /// Folded, without repeats.
    pub tags: Box<[Arc<str>]>,
    pub aliases: Box<[Box<str>]>,
    /// For near-duplicates; `None` for a note without words.
    pub sketch: Option<Sketch>,
}

impl Entry {
    /// The columns of a note whose times are filled in. `plain` is its body as plain text.
    pub(crate) fn of(ord: Ordinal, note: &Note, plain: &str) -> Self {
        let shingles = text::shingles(plain);
        Self::from_columns(ord, note, (!shingles.is_empty()).then(|| Sketch::of(&shingles)))
    }

    /// The columns of a note whose sketch is known already.
    pub(crate) fn from_columns(ord: Ordinal, note: &Note, sketch: Option<Sketch>) -> Self {
        let epoch = Timestamp::default();
        let mut tags: Vec<Arc<str>> = note.tags.iter().map(|tag| text::fold_tag(tag).into()).collect();
        tags.retain(|tag| !tag.is_empty());
        tags.sort();
        tags.dedup();
        Self {
            ord,
            id: note.id.as_str().into(),
            title: note.title.as_str().into(),
            path: note.path.as_deref().map(Into::into),
            namespace: note.namespace.as_str().into(),
            note_type: note.note_type.as_str().into(),
            status: note.status,
            access: note.access_scope,
            author: note.author.as_deref().map(Into::into),
            source: note.source.as_deref().map(Into::into),
            url: note.source_url.as_deref().and_then(url_key),
            confidence: note.confidence,
            created_at: note.created_at.unwrap_or(epoch),
            updated_at: note.updated_at.unwrap_or(epoch),
            expires_at: note.expires_at,
            tags: tags.into(),
            aliases: note.aliases.iter().map(|alias| alias.as_str().into()).collect(),
            sketch,
        }
    }

    /// What to call it in a reason.
    pub(crate) fn label(&self) -> String {
        match &self.path {
            _ if !text::is_blank(&self.title) => self.title.to_string(),
            Some(path) => path.to_string(),
            None => self.id.to_string(),
        }
    }

    /// Each tag and its ancestors: `a/b/c` is found under `a`, `a/b` and `a/b/c`.
    pub(crate) fn tag_keys(&self) -> impl Iterator<Item = Arc<str>> + '_ {
        let mut keys: Vec<Arc<str>> = self.tags.iter().flat_map(|tag| leading_runs(tag)).map(Arc::from).collect();
        keys.sort();
        keys.dedup();
        keys.into_iter()
    }

    /// Each leading run of the path's segments, the whole path, and the path without its extension.
    pub(crate) fn folder_keys(&self) -> impl Iterator<Item = Arc<str>> + '_ {
        let path = self.path.as_deref().unwrap_or_default();
        let mut keys: Vec<Arc<str>> = leading_runs(path).map(Arc::from).collect();
        if let Some(bare) = text::strip_note_extension(path) {
            keys.push(bare.into());
        }
        keys.sort();
        keys.dedup();
        keys.into_iter()
    }
}

/// The key under which a `source_url` is found: its normal form, or the trimmed text where it is no URL.
pub(crate) fn url_key(url: &str) -> Option<Arc<str>> {
    let normal = text::normalise_url(url).unwrap_or_else(|| url.trim().to_owned());
    (!normal.is_empty()).then(|| normal.into())
}

/// `a`, `a/b`, `a/b/c` of `a/b/c`.
fn leading_runs(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| at).chain([text.len()]);
    ends.filter_map(move |end| text.get(..end)).filter(|run| !run.is_empty())
}
