//! A request as the scouts see it: analysed once, shared by all.

use crate::clock::Timestamp;
use crate::text::{self, QueryTerm};

/// Words by which a query asks for what is new, or for a second look at what may have aged.
const RECENCY_WORDS: [&str; 22] = [
    "latest",
    "recent",
    "recently",
    "newest",
    "today",
    "yesterday",
    "now",
    "current",
    "currently",
    "update",
    "updated",
    "updates",
    "refresh",
    "recheck",
    "verify",
    "new",
    "news",
    "fresh",
    "stale",
    "outdated",
    "expired",
    "lately",
];

/// The query, analysed.
#[derive(Clone, Debug)]
pub(crate) struct Query<'a> {
    pub text: &'a str,
    pub terms: Vec<QueryTerm>,
    pub vector: Option<Vec<f32>>,
    pub task_id: Option<&'a str>,
    pub now: Timestamp,
    /// How many notes a scout proposes at most.
    pub depth: usize,
    /// Whether its words ask for recent notes.
    pub asks_recency: bool,
    /// Whether the request filters by tags, or by path: then their members are proposed.
    pub tag_filter: bool,
    pub path_filter: bool,
}

impl<'a> Query<'a> {
    /// Analyses `text`; the vector and the filters are set by the caller.
    pub(crate) fn new(text: &'a str, now: Timestamp, depth: usize) -> Self {
        let asks_recency = text::words(text).iter().any(|word| RECENCY_WORDS.contains(&word.as_str()));
        Self {
            text,
            terms: text::query_terms(text),
            vector: None,
            task_id: None,
            now,
            depth,
            asks_recency,
            tag_filter: false,
            path_filter: false,
        }
    }

    /// Whether nothing in it can be matched: blank, or punctuation alone, and no vector either.
    pub(crate) fn is_bare(&self) -> bool {
        self.terms.is_empty() && self.vector.is_none()
    }
}
