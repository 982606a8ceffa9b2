//! `cache_lookup`: is there a fresh answer already, by its page or by its meaning?

use crate::clock::Timestamp;
use crate::engine::{Engine, Snapshot};
use crate::error::{Error, Result};
use crate::model::{CacheLookup, CacheResponse, CachedDocument, Ordinal, Viewer};
use crate::projection::catalog::url_key;
use crate::projection::{Filter, Visibility};
use crate::store::notes;
use crate::text;

/// Longest question, in bytes.
const MAX_QUERY_BYTES: usize = 8 * 1024;

/// Why a candidate is no hit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Refused {
    Unsure,
    Stale,
}

impl Engine {
    /// Looks for a fresh answer: the page named by `source_url` first, then notes of similar meaning, best first, each
    /// put through confidence, expiry and age. The first that passes is the hit; where all failed on freshness alone,
    /// `stale_id` names the best of them.
    ///
    /// # Errors
    /// `invalid_input` for a blank query without a URL, `max_age_hours` ≤ 0, `limit` < 1, or `min_confidence` outside
    /// 0..=1; `lcma_disabled`; `search_backend_error` when the indexes fail.
    pub fn cache_lookup(&self, lookup: &CacheLookup) -> Result<CacheResponse> {
        if !self.config().lcma.enabled {
            return Err(Error::LcmaDisabled);
        }
        validate(lookup)?;
        let mut viewer = Viewer::anyone();
        viewer.agent_id = lookup.agent_id.clone();
        viewer.task_id = self.resolve_task_id(lookup.task_id.as_deref())?;
        let snapshot = self.snapshot();
        let candidates = self.cache_candidates(lookup, &viewer, &snapshot)?;
        let now = self.now();
        let mut stale = None;
        let mut unsure = false;
        for ord in candidates {
            let Some(entry) = snapshot.entry(ord) else { continue };
            let confidence = entry.confidence.unwrap_or(1.0);
            match check(confidence, entry.expires_at, entry.updated_at, lookup, now) {
                None => {
                    let Some(note) = self.store().read(|conn| notes::by_ord(conn, ord))? else { continue };
                    if !viewer.may_see(note.access_scope, note.author.as_deref(), note.source.as_deref()) {
                        continue;
                    }
                    let document = CachedDocument {
                        id: note.id,
                        title: note.title,
                        content: note.body,
                        source_url: note.source_url.unwrap_or_default(),
                        confidence,
                        updated_at: entry.updated_at,
                        expires_at: entry.expires_at,
                        tags: note.tags,
                    };
                    return Ok(CacheResponse {
                        hit: true,
                        document: Some(document),
                        stale_exists: false,
                        stale_id: None,
                    });
                }
                Some(Refused::Stale) => stale = stale.or_else(|| Some(entry.id.to_string())),
                Some(Refused::Unsure) => unsure = true,
            }
        }
        let stale_id = stale.filter(|_| !unsure);
        Ok(CacheResponse { hit: false, document: None, stale_exists: stale_id.is_some(), stale_id })
    }

    /// The page's notes, newest first, then the nearest in meaning, together at most `limit` of the latter.
    fn cache_candidates(&self, lookup: &CacheLookup, viewer: &Viewer, snapshot: &Snapshot) -> Result<Vec<Ordinal>> {
        let visible = snapshot.catalog.visible(&Visibility { viewer, include_inactive: false });
        let tags = lookup.tags.iter().map(|tag| text::fold_tag(tag)).collect();
        let set = snapshot.catalog.filtered(&visible, &Filter { tags, ..Filter::default() });
        let mut found: Vec<Ordinal> = Vec::new();
        if let Some(at_url) =
            lookup.source_url.as_deref().and_then(url_key).and_then(|url| snapshot.catalog.at_url(&url).cloned())
        {
            found.extend((&*at_url & &set).iter());
            let newest = |ord: &Ordinal| {
                snapshot.entry(*ord).map(|entry| (std::cmp::Reverse(entry.updated_at), entry.id.clone()))
            };
            found.sort_by_key(newest);
        }
        if text::is_blank(&lookup.query) {
            return Ok(found);
        }
        let eligible = snapshot.catalog.eligible(&set);
        let similar = self.similar_notes(&lookup.query, &eligible, lookup.limit, snapshot)?;
        found.extend(similar.into_iter().filter(|ord| !found.contains(ord)).collect::<Vec<_>>());
        Ok(found)
    }
}

fn validate(lookup: &CacheLookup) -> Result<()> {
    if lookup.limit < 1 {
        return Err(Error::invalid("expected a limit of at least 1, found 0"));
    }
    if !(0.0..=1.0).contains(&lookup.min_confidence) {
        return Err(Error::invalid(format!("expected a min_confidence from 0 to 1, found {}", lookup.min_confidence)));
    }
    if let Some(hours) = lookup.max_age_hours
        && (hours.is_nan() || hours <= 0.0)
    {
        return Err(Error::invalid(format!("expected max_age_hours above 0, found {hours}")));
    }
    if lookup.query.len() > MAX_QUERY_BYTES {
        return Err(Error::invalid(format!(
            "expected a query of at most {MAX_QUERY_BYTES} bytes, found {}",
            lookup.query.len()
        )));
    }
    if let Some(blank) = lookup.tags.iter().find(|tag| text::fold_tag(tag).is_empty()) {
        return Err(Error::invalid(format!("expected a tag to filter by, found {blank:?}; leave it out of `tags`")));
    }
    if text::is_blank(&lookup.query) && lookup.source_url.is_none() {
        return Err(Error::invalid("the query is blank; ask a question, or name a source_url"));
    }
    Ok(())
}

/// Confidence, then expiry, then age.
fn check(
    confidence: f64,
    expires_at: Option<Timestamp>,
    updated_at: Timestamp,
    lookup: &CacheLookup,
    now: Timestamp,
) -> Option<Refused> {
    if confidence < lookup.min_confidence {
        return Some(Refused::Unsure);
    }
    let expired = expires_at.is_some_and(|expires| expires <= now);
    let too_old = lookup.max_age_hours.is_some_and(|hours| now.days_since(updated_at) * 24.0 > hours);
    (expired || too_old).then_some(Refused::Stale)
}
