//! `scout_lexical`: BM25 over title, body, aliases and tags.

use super::{Answer, Candidate, Query, Reason, Scout, ScoutKind, Sources};
use crate::error::Result;

/// Proposes notes that share words with the query.
pub(crate) struct LexicalScout;

impl Scout for LexicalScout {
    fn kind(&self) -> ScoutKind {
        ScoutKind::Lexical
    }

    fn search(&self, query: &Query<'_>, sources: &Sources<'_>) -> Result<Answer> {
        if query.terms.is_empty() {
            return Ok(Answer::Skipped("the query has no words"));
        }
        let hits = sources.lexical.search(&query.terms, sources.eligible, query.depth, &|a, b| sources.by_id(a, b))?;
        let candidate = |(ord, score)| Candidate { ord, raw: score, reason: Reason::Lexical { score }, passage: None };
        Ok(Answer::Found(hits.into_iter().map(candidate).collect()))
    }
}
