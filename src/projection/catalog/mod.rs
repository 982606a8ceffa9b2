//! The catalog: what eligibility, names, tags and ranking need of every note, in memory, by ordinal.
//!
//! A catalog is a persistent value: a clone shares structure, so that readers keep the one they started with while
//! the writer makes the next.

mod eligibility;
mod entry;
mod named;
mod names;
mod sets;

pub(crate) use eligibility::{Filter, Visibility};
pub(crate) use entry::{Entry, url_key};
pub(crate) use named::{Named, NamedHow};
pub(crate) use names::NameIndex;
pub(crate) use sets::SetIndex;

use std::cmp::Reverse;
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::Eligible;
use crate::clock::Timestamp;
use crate::model::{AccessScope, Ordinal, Status};
use crate::text;

/// Every note's columns, and the sets that requests filter by.
#[derive(Clone, Default)]
pub(crate) struct Catalog {
    entries: imbl::Vector<Option<Arc<Entry>>>,
    /// Ordered, so that the beginnings of ids can be looked up.
    ids: imbl::OrdMap<Arc<str>, Ordinal>,
    live: Arc<RoaringBitmap>,
    quarantined: Arc<RoaringBitmap>,
    status: SetIndex<Status>,
    namespaces: SetIndex<Arc<str>>,
    /// A tag and each of its ancestors.
    tags: SetIndex<Arc<str>>,
    /// Every leading run of path segments, and the path without its extension.
    folders: SetIndex<Arc<str>>,
    shared: Arc<RoaringBitmap>,
    private_of: SetIndex<Arc<str>>,
    task_scoped: Arc<RoaringBitmap>,
    /// By `source`, whatever the access scope.
    by_source: SetIndex<Arc<str>>,
    urls: SetIndex<Arc<str>>,
    names: NameIndex,
    by_update: imbl::OrdSet<(Reverse<Timestamp>, Ordinal)>,
    by_expiry: imbl::OrdSet<(Timestamp, Ordinal)>,
}

impl Catalog {
    /// The note of this ordinal.
    pub(crate) fn entry(&self, ord: Ordinal) -> Option<&Entry> {
        self.entries.get(ord as usize).and_then(|slot| slot.as_deref())
    }

    /// The note of this id.
    pub(crate) fn ord(&self, id: &str) -> Option<Ordinal> {
        self.ids.get(id).copied()
    }

    /// Notes held.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.live.len()).unwrap_or(u32::MAX)
    }

    /// Ordinals of all notes.
    pub(crate) fn live(&self) -> &RoaringBitmap {
        &self.live
    }

    /// Notes in quarantine.
    pub(crate) fn quarantined(&self) -> &RoaringBitmap {
        &self.quarantined
    }

    /// The name index.
    pub(crate) fn names(&self) -> &NameIndex {
        &self.names
    }

    /// Distinct namespaces, in order.
    pub(crate) fn namespaces(&self) -> Vec<Arc<str>> {
        self.namespaces.keys()
    }

    /// Tags as filters fold them, ancestors included, with the notes that carry them.
    pub(crate) fn tag_sets(&self) -> &SetIndex<Arc<str>> {
        &self.tags
    }

    /// Notes whose `source_url` has this normal form.
    pub(crate) fn at_url(&self, normal: &str) -> Option<&Arc<RoaringBitmap>> {
        self.urls.get(normal)
    }

    /// Notes whose `source` is this.
    pub(crate) fn of_source(&self, source: &str) -> impl Iterator<Item = Ordinal> + '_ {
        self.by_source.get(source).into_iter().flat_map(|notes| notes.iter())
    }

    /// Adds a note, or replaces the one of the same ordinal.
    pub(crate) fn put(&mut self, entry: Entry) {
        self.remove(entry.ord);
        let (ord, slot) = (entry.ord, entry.ord as usize);
        while self.entries.len() <= slot {
            self.entries.push_back(None);
        }
        self.ids.insert(entry.id.clone(), ord);
        Arc::make_mut(&mut self.live).insert(ord);
        self.status.add(entry.status, ord);
        self.namespaces.add(entry.namespace.clone(), ord);
        entry.tag_keys().for_each(|tag| self.tags.add(tag, ord));
        entry.folder_keys().for_each(|folder| self.folders.add(folder, ord));
        match (entry.access, &entry.author) {
            (AccessScope::Shared, _) => {
                Arc::make_mut(&mut self.shared).insert(ord);
            }
            (AccessScope::Task, _) => {
                Arc::make_mut(&mut self.task_scoped).insert(ord);
            }
            (AccessScope::AgentPrivate, Some(author)) => self.private_of.add(author.clone(), ord),
            (AccessScope::AgentPrivate, None) => {}
        }
        if let Some(source) = &entry.source {
            self.by_source.add(source.clone(), ord);
        }
        if let Some(url) = &entry.url {
            self.urls.add(url.clone(), ord);
        }
        self.names.add(&entry);
        self.by_update.insert((Reverse(entry.updated_at), ord));
        if let Some(expires) = entry.expires_at {
            self.by_expiry.insert((expires, ord));
        }
        self.entries.set(slot, Some(Arc::new(entry)));
    }

    /// Takes a note out; nothing happens when there is none.
    pub(crate) fn remove(&mut self, ord: Ordinal) {
        let Some(entry) = self.entries.get(ord as usize).and_then(Clone::clone) else { return };
        self.entries.set(ord as usize, None);
        self.ids.remove(&entry.id);
        Arc::make_mut(&mut self.live).remove(ord);
        if self.quarantined.contains(ord) {
            Arc::make_mut(&mut self.quarantined).remove(ord);
        }
        self.status.drop(&entry.status, ord);
        self.namespaces.drop(&*entry.namespace, ord);
        entry.tag_keys().for_each(|tag| self.tags.drop(&*tag, ord));
        entry.folder_keys().for_each(|folder| self.folders.drop(&*folder, ord));
        for set in [&mut self.shared, &mut self.task_scoped] {
            if set.contains(ord) {
                Arc::make_mut(set).remove(ord);
            }
        }
        if let Some(author) = &entry.author {
            self.private_of.drop(&**author, ord);
        }
        if let Some(source) = &entry.source {
            self.by_source.drop(&**source, ord);
        }
        if let Some(url) = &entry.url {
            self.urls.drop(&**url, ord);
        }
        self.names.remove(&entry);
        self.by_update.remove(&(Reverse(entry.updated_at), ord));
        if let Some(expires) = entry.expires_at {
            self.by_expiry.remove(&(expires, ord));
        }
    }

    /// Puts a note in quarantine, or takes it out again.
    pub(crate) fn set_quarantined(&mut self, ord: Ordinal, quarantined: bool) {
        if quarantined && self.live.contains(ord) {
            Arc::make_mut(&mut self.quarantined).insert(ord);
        } else if self.quarantined.contains(ord) {
            Arc::make_mut(&mut self.quarantined).remove(ord);
        }
    }
}

impl Catalog {
    pub(crate) fn id(&self, ord: Ordinal) -> Option<&str> {
        self.entry(ord).map(|entry| &*entry.id)
    }

    pub(crate) fn label(&self, ord: Ordinal) -> String {
        self.entry(ord).map(Entry::label).unwrap_or_default()
    }

    pub(crate) fn updated_at(&self, ord: Ordinal) -> Option<Timestamp> {
        self.entry(ord).map(|entry| entry.updated_at)
    }

    pub(crate) fn named(&self, query: &str, visible: &Eligible) -> Vec<Named> {
        names::named(self, query, visible)
    }

    pub(crate) fn tags_named(
        &self,
        query: &str,
        visible: &Eligible,
        eligible: &Eligible,
    ) -> Vec<(Arc<str>, f32, Vec<Ordinal>)> {
        let words = text::words(query);
        let mut found: Vec<(Arc<str>, f32, Vec<Ordinal>)> = Vec::new();
        // A tag of several words (`crop-rotation`, `water/pump`) is named by their run in the query.
        for start in 0..words.len() {
            for run in 1..=MAX_TAG_WORDS.min(words.len() - start) {
                let named = words.get(start..start + run).unwrap_or_default();
                for tag in self.names.tags_of(&named.join(" ")) {
                    let Some(set) = self.tags.get(&*tag) else { continue };
                    let carriers = set.iter().filter(|ord| visible.contains(*ord)).count();
                    // A tag of most notes points at none of them.
                    if carriers > MAX_TAGGED && carriers > visible.len() as usize / 10 {
                        continue;
                    }
                    let members: Vec<_> = set.iter().filter(|ord| eligible.contains(*ord)).collect();
                    if !members.is_empty() && !found.iter().any(|(known, ..)| *known == tag) {
                        found.push((tag, rarity(carriers, visible.len()), members));
                    }
                }
            }
        }
        found
    }

    pub(crate) fn newest(&self, eligible: &Eligible, depth: usize, whole: bool) -> Vec<(Ordinal, Timestamp)> {
        let few = (eligible.len() as usize).saturating_mul(8) < self.by_update.len();
        let mut newest: Vec<(Ordinal, Timestamp)> = if few {
            eligible.iter().filter_map(|ord| Some((ord, self.updated_at(ord)?))).collect()
        } else {
            // All that share the last instant are looked at, so that ids, not ordinals, decide among them.
            let enough = depth.saturating_add(if whole { 1 } else { MAX_TIES });
            let mut newest: Vec<(Ordinal, Timestamp)> = Vec::new();
            for (Reverse(updated), ord) in &self.by_update {
                let cut = newest.len() >= depth && newest.last().is_some_and(|(_, last)| last != updated);
                if cut || newest.len() >= enough {
                    break;
                }
                if eligible.contains(*ord) {
                    newest.push((*ord, *updated));
                }
            }
            newest
        };
        if newest.len() > depth {
            newest.sort_by_key(|&(_, updated)| Reverse(updated));
            if let Some((_, cut)) = newest.get(depth).copied().filter(|_| whole) {
                newest.retain(|(_, updated)| *updated > cut);
            }
        }
        newest.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| self.id(a.0).cmp(&self.id(b.0))));
        newest.truncate(depth);
        newest
    }

    pub(crate) fn expiring(&self, eligible: &Eligible, until: Timestamp, depth: usize) -> Vec<(Ordinal, Timestamp)> {
        let mut found: Vec<(Ordinal, Timestamp)> = Vec::new();
        for (expires, ord) in self.by_expiry.iter().take_while(|(expires, _)| *expires <= until) {
            let cut = found.len() >= depth && found.last().is_some_and(|(_, last)| last != expires);
            if cut || found.len() >= depth.saturating_add(MAX_TIES) {
                break;
            }
            if eligible.contains(*ord) {
                found.push((*ord, *expires));
            }
        }
        found.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| self.id(a.0).cmp(&self.id(b.0))));
        found.truncate(depth);
        found
    }
}

/// Notes up to which a tag is followed, however large its share of the store.
const MAX_TAGGED: usize = 100;
/// Words of a tag that are looked for in a query.
const MAX_TAG_WORDS: usize = 4;
/// Notes of one instant that are compared by id beyond the depth asked for.
const MAX_TIES: usize = 4_096;

/// ln(N/n) / ln(N): 1 for a tag of one note, 0 for a tag of all.
fn rarity(carriers: usize, notes: u32) -> f32 {
    if notes < 2 {
        return 1.0;
    }
    let (n, total) = (carriers.max(1) as f32, notes as f32);
    ((total / n).ln() / total.ln()).clamp(0.0, 1.0)
}
