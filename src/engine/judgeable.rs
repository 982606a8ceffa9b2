//! Which notes of a receipt a caller may judge: those that are still the notes it showed, and that this caller can see.

use rustc_hash::{FxHashMap, FxHashSet};

use super::judge::Judged;
use super::receipts::sees_less;
use super::snapshot::Snapshot;
use crate::model::{DroppedNode, Ordinal, Viewer};

/// A note of a receipt that can be judged.
pub(super) struct Place<'a> {
    pub id: &'a str,
    pub ord: Ordinal,
    /// Among the receipt's results, from 0.
    pub place: u32,
    pub namespace: &'a str,
}

/// What became of a receipt's notes, as one caller may know it.
pub(super) struct Judgeable<'a> {
    places: Vec<Place<'a>>,
    known: FxHashMap<&'a str, Known>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Present,
    Deleted,
}

impl<'a> Judgeable<'a> {
    pub(super) fn new(judged: &'a Judged, snapshot: &'a Snapshot, viewer: &Viewer) -> Self {
        let of_other_eyes = !viewer.is_owner() && sees_less(viewer, &judged.receipt);
        let mut places = Vec::with_capacity(judged.ords.len());
        let mut known = FxHashMap::default();
        for ((place, node), &ord) in (0..).zip(&judged.receipt.final_nodes).zip(&judged.ords) {
            let id = node.id.as_str();
            match snapshot.entry(ord).filter(|entry| entry.id.as_ref() == id) {
                Some(entry) if snapshot.catalog.can_see(viewer, entry) => {
                    known.insert(id, Known::Present);
                    places.push(Place { id, ord, place, namespace: &entry.namespace });
                }
                // To a caller who never saw it, it was never there.
                None if !of_other_eyes && snapshot.catalog.ord(id).is_none() => {
                    known.insert(id, Known::Deleted);
                }
                _ => {}
            }
        }
        Self { places, known }
    }

    /// The notes that can be judged, best first.
    pub(super) fn places(&self) -> &[Place<'a>] {
        &self.places
    }

    /// Those of these ids that can be judged; each of the others is reported once.
    pub(super) fn named<'i>(&self, ids: &'i [String], dropped: &mut Vec<DroppedNode>) -> FxHashSet<&'i str> {
        let mut named = FxHashSet::default();
        let mut reported: FxHashSet<String> = dropped.iter().map(|entry| entry.id.clone()).collect();
        for id in ids {
            let why = match self.known.get(id.as_str()) {
                Some(Known::Present) => {
                    named.insert(id.as_str());
                    continue;
                }
                Some(Known::Deleted) => "deleted since",
                None => "not among the receipt's results",
            };
            if reported.insert(id.clone()) {
                dropped.push(DroppedNode { id: id.clone(), why: why.to_owned() });
            }
        }
        named
    }
}
