//! From ordinals to what a caller reads: titles, snippets, reasons, statistics.

use rusqlite::Connection;

use super::{Ask, Purpose, Ranking};
use crate::engine::Engine;
use crate::error::Result;
use crate::model::{Conflict, Explanation, Ordinal, RetrievedNote, ScoutScore, SearchResult, Status};
use crate::projection::Visibility;
use crate::rank::Ranked;
use crate::scouts::ScoutKind;
use crate::store::notes::HydratedNote;
use crate::store::{edges, notes, passages};
use crate::text;

/// Longest snippet, in characters.
const SNIPPET_CHARS: usize = 240;

/// One result, with the ordinal its receipt counts.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub ord: Ordinal,
    pub note: RetrievedNote,
}

impl Engine {
    /// Reads what results show, in their order; a note deleted meanwhile is left out.
    pub(crate) fn hydrate(&self, ask: &Ask<'_>, ranking: &Ranking) -> Result<Vec<Shown>> {
        let asked: Vec<(Ordinal, Option<u32>)> =
            ranking.ranked.iter().map(|candidate| (candidate.ord, candidate.passage)).collect();
        let (rows, snippets) = self.store().read(|conn| {
            let mut rows = notes::hydrate(conn, &asked)?;
            // Rows may be newer than the snapshot: a note that went out of sight meanwhile is not shown.
            rows.retain(|row| still_shown(ask, row));
            let mut snippets = Vec::with_capacity(rows.len());
            let mut ranked = ranking.ranked.iter();
            for row in &rows {
                let Some(candidate) = ranked.by_ref().find(|candidate| candidate.ord == row.ord) else { break };
                snippets.push((candidate, snippet(conn, candidate, row, &ranking.terms)?));
            }
            Ok((rows, snippets))
        })?;
        let catalog = &ranking.snapshot.catalog;
        // Ids of no note are left out too: else a missing one would say that there is a note that may not be seen.
        let visible = |id: &String| catalog.visible_ord(id, &ask.viewer).is_some();
        let mut shown = Vec::with_capacity(rows.len());
        for (row, (candidate, snippet)) in rows.into_iter().zip(snippets) {
            let result = SearchResult {
                id: row.id,
                title: row.title,
                snippet,
                score: candidate.score,
                path: row.path.unwrap_or_default(),
                source_url: row.source_url.unwrap_or_default(),
                updated_at: row.updated_at,
                is_stale: row.expires_at.is_some_and(|expires| expires <= ask.now),
                derived_from_ids: row.derived_from_ids.into_iter().filter(visible).collect(),
            };
            shown.push(Shown { ord: row.ord, note: self.explained(ask, ranking, candidate, result) });
        }
        Ok(shown)
    }

    fn explained(&self, ask: &Ask<'_>, ranking: &Ranking, candidate: &Ranked, result: SearchResult) -> RetrievedNote {
        let scouts = || candidate.parts.iter().filter(|(_, part)| part.is_some()).map(|(kind, _)| kind);
        let notes = &ranking.snapshot.catalog;
        let mut reasons: Vec<String> =
            scouts().filter_map(|kind| Some(ranking.panel.reason(kind, candidate.ord)?.in_words(notes))).collect();
        let entry = ranking.snapshot.entry(candidate.ord);
        if let Some(status) = entry.map(|entry| entry.status).filter(|status| *status != Status::Active) {
            reasons.push(format!("status: {}", status.as_str()));
        }
        if result.is_stale {
            reasons.push("freshness: past its expiry".to_owned());
        }
        if candidate.near_duplicate < 1.0 {
            reasons.push(format!("near-duplicate of a better result, factor {:.2}", candidate.near_duplicate));
        }
        if let Some(propensity) = candidate.propensity {
            reasons.push(format!("exploration: shown by a draw, probability {propensity:.2}"));
        }
        let node = self.memory().node(candidate.ord);
        let created = entry.map_or(ask.now, |entry| entry.created_at);
        let with_memory = ask.purpose == Purpose::Retrieve;
        RetrievedNote {
            reasons,
            scouts: scouts().map(|kind| kind.name().to_owned()).collect(),
            salience: if with_memory { node.salience_at(ask.now, created, self.memory().config()) } else { 0.5 },
            usage_score: self.memory().usage_of(candidate.ord).score(node.last_used_at, ask.now),
            explanation: ask.explain.then(|| explanation(candidate)),
            result,
        }
    }

    /// Unresolved contradictions that touch the seeds, both ends visible to the caller.
    pub(crate) fn conflicts(&self, ask: &Ask<'_>, ranking: &Ranking) -> Result<Vec<Conflict>> {
        let mut touched: Vec<Ordinal> = ranking.seeds.clone();
        touched.sort_unstable();
        let rows = self.store().read(|conn| edges::unresolved_contradictions(conn, &touched))?;
        let catalog = &ranking.snapshot.catalog;
        // Not only whose it is: a contradiction with a note that was put away says nothing any more.
        let visible = catalog.visible(&Visibility { viewer: &ask.viewer, include_inactive: ask.include_inactive });
        let id = |ord| catalog.entry(ord).filter(|_| visible.contains(ord)).map(|entry| entry.id.to_string());
        let conflict = |row: edges::EdgeRow| {
            Some(Conflict {
                from_id: id(row.from_ord)?,
                to_id: id(row.to_ord)?,
                edge_id: row.edge_id,
                conflict_state: row.conflict_state,
            })
        };
        let mut conflicts: Vec<Conflict> = rows.into_iter().filter_map(conflict).collect();
        conflicts.sort_by(|a, b| a.edge_id.cmp(&b.edge_id));
        conflicts.dedup();
        Ok(conflicts)
    }
}

fn still_shown(ask: &Ask<'_>, row: &HydratedNote) -> bool {
    let admitted = match row.status {
        Status::Active | Status::Proposed | Status::Accepted => true,
        Status::Rejected | Status::Superseded | Status::Stale => ask.include_inactive,
        Status::Archived | Status::Quarantined => false,
    };
    admitted && ask.viewer.may_see(row.access_scope, row.author.as_deref(), row.source.as_deref())
}

/// The passage nearest in meaning where it holds a query term, else the one that holds most of them, else the first.
fn snippet(conn: &Connection, candidate: &Ranked, row: &HydratedNote, terms: &[text::QueryTerm]) -> Result<String> {
    let read = row.passage.as_deref();
    let nearest = read.filter(|_| candidate.passage.is_some());
    let found = match nearest {
        Some(nearest) if terms.is_empty() => Some(text::snippet(nearest, terms, SNIPPET_CHARS)),
        Some(nearest) => text::matching_snippet(nearest, terms, SNIPPET_CHARS),
        None => None,
    };
    if let Some(found) = found {
        return Ok(found);
    }
    let texts = passages::of(conn, candidate.ord)?;
    let by_words = if texts.len() > 1 { text::best_passage(texts.iter().map(String::as_str), terms) } else { None };
    let passage =
        by_words.and_then(|at| texts.get(at)).or_else(|| texts.first()).map_or(row.title.as_str(), String::as_str);
    Ok(text::snippet(passage, terms, SNIPPET_CHARS))
}

fn explanation(candidate: &Ranked) -> Explanation {
    let score = |(kind, part): (ScoutKind, &Option<crate::rank::ScoutPart>)| {
        part.as_ref().map(|part| ScoutScore {
            scout: kind.name().to_owned(),
            raw: f64::from(part.raw),
            calibrated: f64::from(part.calibrated),
            weight: f64::from(part.weight),
        })
    };
    Explanation {
        scouts: candidate.parts.iter().filter_map(score).collect(),
        fused: candidate.fused,
        deltas: candidate.deltas.iter().map(|(name, delta)| (name.to_owned(), delta)).collect(),
        near_duplicate: candidate.near_duplicate,
        diversity: candidate.diversity,
    }
}
