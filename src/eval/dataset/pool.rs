//! Several data sets as one.

use std::collections::{BTreeMap, BTreeSet};

use super::Dataset;
use crate::error::{Error, Result};

impl Dataset {
    /// One set of them all, in one index: ids of notes and queries, and paths, get the set's name and `/` before them.
    /// The present is the latest.
    ///
    /// # Errors
    /// `invalid_input` when there is none, or when two have the same name.
    pub fn pool(sets: Vec<Self>) -> Result<Self> {
        let names: Vec<String> = sets.iter().map(|set| set.name.clone()).collect();
        if let Some(twice) = names.iter().enumerate().find(|(at, name)| names.iter().take(*at).any(|n| n == *name)) {
            return Err(Error::invalid(format!(
                "two of the pooled data sets are called {:?}; rename a directory, since names keep ids apart",
                twice.1
            )));
        }
        let Some(now) = sets.iter().map(|set| set.now).max() else {
            return Err(Error::invalid("expected data sets to pool, found none"));
        };
        let mut pooled = Self {
            name: names.join("+"),
            notes: Vec::new(),
            queries: Vec::new(),
            qrels: BTreeMap::new(),
            now,
            links: BTreeMap::new(),
        };
        for set in sets {
            pooled.add(set);
        }
        Ok(pooled)
    }

    fn add(&mut self, set: Self) {
        let name = set.name;
        let prefixed = |id: &str| format!("{name}/{id}");
        let ids: BTreeSet<String> = set.notes.iter().map(|note| note.id.clone()).collect();
        self.notes.extend(set.notes.into_iter().map(|mut note| {
            note.id = prefixed(&note.id);
            note.path = note.path.as_deref().map(prefixed);
            let named = note.links.iter_mut().chain(&mut note.derived_from_ids).chain(&mut note.supersedes);
            for id in named.filter(|id| ids.contains(*id)) {
                *id = prefixed(id);
            }
            note
        }));
        self.queries.extend(set.queries.into_iter().map(|mut query| {
            query.id = prefixed(&query.id);
            query
        }));
        self.qrels.extend(set.qrels.into_iter().map(|(query, judged)| {
            (prefixed(&query), judged.into_iter().map(|(note, score)| (prefixed(&note), score)).collect())
        }));
        for (kind, count) in set.links {
            *self.links.entry(kind).or_default() += count;
        }
    }
}
