//! `scout_recency`: notes updated lately, and where the query asks for a second look, notes past or near expiry.

use rustc_hash::FxHashMap;

use super::{Answer, Candidate, Query, Reason, Scout, ScoutKind, Sources};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::Ordinal;

/// Days in which a note's recency halves.
const HALF_LIFE_DAYS: f64 = 30.0;
/// What recency is worth while the query does not ask for it.
const UNASKED: f64 = 0.1;
/// How many days before its expiry a note counts as near it.
const NEAR_EXPIRY_DAYS: f64 = 14.0;

/// Proposes what is new, stronger where the query asks for it.
pub(crate) struct RecencyScout;

impl Scout for RecencyScout {
    fn kind(&self) -> ScoutKind {
        ScoutKind::Recency
    }

    fn search(&self, query: &Query<'_>, sources: &Sources<'_>) -> Result<Answer> {
        let asked = query.asks_recency;
        // Where more notes share one instant than fit (a bulk load), which of them are proposed would be chance: then
        // none are, unless time is all there is to go by.
        let by_time = asked || query.is_bare();
        let newest = sources.notes.newest(sources.eligible, query.depth, !by_time);
        let factor = if by_time { 1.0 } else { UNASKED };
        let mut best: FxHashMap<Ordinal, Candidate> = FxHashMap::default();
        for (ord, updated) in newest {
            let days = query.now.days_since(updated);
            let raw = (factor * 0.5_f64.powf(days / HALF_LIFE_DAYS)) as f32;
            best.insert(ord, Candidate { ord, raw, reason: Reason::Recent { days, asked }, passage: None });
        }
        if asked {
            let until = query.now.plus_days(NEAR_EXPIRY_DAYS);
            for (ord, expires) in sources.notes.expiring(sources.eligible, until, query.depth) {
                let candidate = expiring(ord, expires, query.now);
                let stronger = best.get(&ord).is_none_or(|known| known.raw < candidate.raw);
                if stronger {
                    best.insert(ord, candidate);
                }
            }
        }
        Ok(Answer::Found(sources.best(best.into_values().collect(), query.depth)))
    }
}

/// Stale notes stand at the top; those near their expiry below them, the less the more time is left.
fn expiring(ord: Ordinal, expires: Timestamp, now: Timestamp) -> Candidate {
    let past = now.days_since(expires);
    let left = expires.days_since(now);
    let raw = if expires <= now { 1.0 } else { 0.9 * (1.0 - left / NEAR_EXPIRY_DAYS) };
    let days_past = if expires <= now { past } else { -left };
    Candidate { ord, raw: raw.clamp(0.0, 1.0) as f32, reason: Reason::Expiring { days_past }, passage: None }
}
