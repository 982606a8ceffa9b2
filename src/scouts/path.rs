//! `scout_path`: notes that the query names, and members of the path prefix.

use super::tag::{MEMBER, members};
use super::{Answer, Candidate, Query, Reason, Scout, ScoutKind, Sources};
use crate::error::Result;

/// Proposes notes by path, file name, title, alias or id.
pub(crate) struct PathScout;

impl Scout for PathScout {
    fn kind(&self) -> ScoutKind {
        ScoutKind::Path
    }

    fn search(&self, query: &Query<'_>, sources: &Sources<'_>) -> Result<Answer> {
        let mut found: Vec<Candidate> = sources
            .named(query)
            .iter()
            .filter(|named| sources.eligible.contains(named.ord))
            .map(|named| Candidate {
                ord: named.ord,
                raw: named.share,
                reason: Reason::Named { how: named.how, score: named.share },
                passage: None,
            })
            .collect();
        if query.path_filter {
            let known: rustc_hash::FxHashSet<_> = found.iter().map(|candidate| candidate.ord).collect();
            let (raw, depth) = if query.is_bare() { (1.0, usize::MAX) } else { (MEMBER, query.depth) };
            let members = members(depth, sources).filter(|ord| !known.contains(ord));
            found.extend(members.map(|ord| Candidate {
                ord,
                raw,
                reason: Reason::PathFilter { score: raw },
                passage: None,
            }));
        }
        Ok(Answer::Found(sources.best(found, query.depth)))
    }
}
