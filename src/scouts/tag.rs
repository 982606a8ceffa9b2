//! `scout_tag`: notes whose tags the query's words name, the rarer the tag the stronger.

use rustc_hash::FxHashMap;

use super::{Answer, Candidate, Query, Reason, Scout, ScoutKind, Sources};
use crate::error::Result;
use crate::model::Ordinal;

/// Proposes the members of tags that the query names, and of the tag filter.
pub(crate) struct TagScout;

impl Scout for TagScout {
    fn kind(&self) -> ScoutKind {
        ScoutKind::Tag
    }

    fn search(&self, query: &Query<'_>, sources: &Sources<'_>) -> Result<Answer> {
        let mut best: FxHashMap<Ordinal, Candidate> = FxHashMap::default();
        for (tag, rarity, members) in sources.notes.tags_named(query.text, sources.visible, sources.eligible) {
            for ord in members {
                let raw = best.get(&ord).map_or(0.0, |candidate| candidate.raw);
                if rarity > raw {
                    let reason = Reason::Tag { tag: tag.clone(), score: rarity };
                    best.insert(ord, Candidate { ord, raw: rarity, reason, passage: None });
                }
            }
        }
        if query.tag_filter && query.is_bare() {
            // With nothing else to go by, every member of the filter is as good as another.
            for ord in sources.eligible.iter() {
                best.entry(ord).or_insert(Candidate {
                    ord,
                    raw: 1.0,
                    reason: Reason::TagFilter { score: 1.0 },
                    passage: None,
                });
            }
        } else if query.tag_filter {
            for ord in members(query.depth, sources) {
                best.entry(ord).or_insert(Candidate {
                    ord,
                    raw: MEMBER,
                    reason: Reason::TagFilter { score: MEMBER },
                    passage: None,
                });
            }
        }
        Ok(Answer::Found(sources.best(best.into_values().collect(), query.depth)))
    }
}

/// What mere membership in the request's own filter is worth: a filter that all candidates pass says little about
/// which of them is better.
pub(super) const MEMBER: f32 = 0.01;

/// The members of the request's filter, where they all fit in a scout's pool; a part of them would be chance, and the
/// other scouts search among the members anyway.
pub(super) fn members<'a>(depth: usize, sources: &'a Sources<'_>) -> impl Iterator<Item = Ordinal> + 'a {
    let fits = sources.eligible.len() as usize <= depth;
    sources.eligible.iter().filter(move |_| fits)
}
