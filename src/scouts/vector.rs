//! `scout_vector`: nearest passages by cosine, a note scoring as its best passage.

use super::{Answer, Candidate, Query, Reason, Scout, ScoutKind, Sources};
use crate::error::Result;

/// Proposes notes that are near the query in meaning.
pub(crate) struct VectorScout;

impl Scout for VectorScout {
    fn kind(&self) -> ScoutKind {
        ScoutKind::Vector
    }

    fn search(&self, query: &Query<'_>, sources: &Sources<'_>) -> Result<Answer> {
        if let Some(why) = sources.vector.unavailable() {
            return Ok(Answer::Skipped(why));
        }
        let Some(vector) = &query.vector else {
            return Ok(Answer::Skipped("the query has no vector"));
        };
        let hits = sources.vector.search(vector, sources.eligible, query.depth, &|a, b| sources.by_id(a, b))?;
        let candidate = |(ord, passage, cosine)| Candidate {
            ord,
            raw: cosine,
            reason: Reason::Vector { cosine, passage },
            passage: Some(passage),
        };
        Ok(Answer::Found(hits.into_iter().filter(|(_, _, cosine)| *cosine > 0.0).map(candidate).collect()))
    }
}
