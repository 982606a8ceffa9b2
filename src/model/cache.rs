//! `cache_lookup`: is there a fresh answer already?

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;

/// A question to the cache: the fields and defaults of `lithos_cache_lookup`, with the viewer's after them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CacheLookup {
    /// The question, for matching by meaning and words.
    pub query: String,
    /// The page wanted; compared in normal form, before anything else.
    pub source_url: Option<String>,
    /// Refuse documents that changed longer ago than this many hours.
    pub max_age_hours: Option<f64>,
    /// Refuse documents less sure than this; 0 to 1, default 0.5. A document without confidence has 1.
    pub min_confidence: f64,
    /// How many candidates to try; at least 1, default 3.
    pub limit: usize,
    /// Documents must carry all of these tags.
    #[serde(deserialize_with = "super::null::or_default")]
    pub tags: Vec<String>,
    /// Who asks.
    pub agent_id: Option<String>,
    /// The task being worked on.
    pub task_id: Option<String>,
}

impl Default for CacheLookup {
    fn default() -> Self {
        Self {
            query: String::new(),
            source_url: None,
            max_age_hours: None,
            min_confidence: 0.5,
            limit: 3,
            tags: Vec::new(),
            agent_id: None,
            task_id: None,
        }
    }
}

/// The document a cache hit returns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CachedDocument {
    /// The note's id.
    pub id: String,
    /// The note's title.
    pub title: String,
    /// The note's body.
    pub content: String,
    /// The page it came from, `""` when there is none.
    pub source_url: String,
    /// How sure it is; 1 when the note does not say.
    pub confidence: f64,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it expires, if ever.
    pub expires_at: Option<Timestamp>,
    /// Its tags.
    pub tags: Vec<String>,
}

/// The cache's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CacheResponse {
    /// Whether `document` answers the question.
    pub hit: bool,
    /// The answer.
    pub document: Option<CachedDocument>,
    /// On a miss: whether a candidate failed only because it is too old.
    pub stale_exists: bool,
    /// That candidate: refresh it instead of writing a new note.
    pub stale_id: Option<String>,
}
