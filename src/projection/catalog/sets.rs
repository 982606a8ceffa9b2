//! Named sets of notes, as bitmaps that a clone shares until it changes them.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::Arc;

use roaring::RoaringBitmap;

use crate::model::Ordinal;
use crate::projection::Map;

/// Key → the notes under it.
#[derive(Clone)]
pub(crate) struct SetIndex<K> {
    sets: Map<K, Arc<RoaringBitmap>>,
}

impl<K: Hash + Eq + Clone> Default for SetIndex<K> {
    fn default() -> Self {
        Self { sets: Map::default() }
    }
}

impl<K: Hash + Eq + Clone + Ord> SetIndex<K> {
    /// The notes under a key.
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&Arc<RoaringBitmap>>
    where
        K: Borrow<Q>,
    {
        self.sets.get(key)
    }

    /// Adds a note under a key.
    pub(crate) fn add(&mut self, key: K, ord: Ordinal) {
        Arc::make_mut(self.sets.entry(key).or_default()).insert(ord);
    }

    /// Takes a note out from under a key; a key without notes disappears.
    pub(crate) fn drop<Q: Hash + Eq + ?Sized>(&mut self, key: &Q, ord: Ordinal)
    where
        K: Borrow<Q>,
    {
        let empty = self.sets.get_mut(key).is_some_and(|set| {
            Arc::make_mut(set).remove(ord);
            set.is_empty()
        });
        if empty {
            self.sets.remove(key);
        }
    }

    /// How many keys have notes.
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    /// The keys, in order.
    pub(crate) fn keys(&self) -> Vec<K> {
        let mut keys: Vec<K> = self.sets.keys().cloned().collect();
        keys.sort();
        keys
    }

    /// Every key with its notes, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &Arc<RoaringBitmap>)> {
        self.sets.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_without_notes_disappears() {
        let mut sets: SetIndex<Arc<str>> = SetIndex::default();
        sets.add("a".into(), 1);
        sets.drop("a", 1);
        assert_eq!(sets.len(), 0);
    }

    #[test]
    fn a_clone_keeps_what_it_saw() {
        let mut sets: SetIndex<Arc<str>> = SetIndex::default();
        sets.add("a".into(), 1);
        let before = sets.clone();
        sets.add("a".into(), 2);
        assert_eq!(before.get("a").map(|set| set.len()), Some(1));
        assert_eq!(sets.get("a").map(|set| set.len()), Some(2));
    }
}
