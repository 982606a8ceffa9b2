//! What readers see: one consistent state of the in-memory projections.

use crate::model::Ordinal;
use crate::projection::vector::VectorIndex;
use crate::projection::{Catalog, Entry, Graph};
use crate::store::vectors::PassageVectors;

/// Catalog, graph and vectors as of one change. Cloning shares structure.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub catalog: Catalog,
    pub graph: Graph,
    /// `None` in a store without vectors.
    pub vectors: Option<VectorIndex>,
    /// The change it has reached.
    pub seq: u64,
}

impl Snapshot {
    /// Takes a note in, or replaces it, and settles what links to it. The caller sets `seq`.
    pub(crate) fn put(&mut self, notes: Vec<SnapshotNote>) {
        let mut names = Vec::new();
        let mut changed = Vec::new();
        for note in notes {
            let ord = note.entry.ord;
            if let Some(before) = self.catalog.entry(ord) {
                names.extend(crate::projection::catalog::NameIndex::callable_keys(before));
            }
            names.extend(crate::projection::catalog::NameIndex::callable_keys(&note.entry));
            let quarantined = self.catalog.quarantined().contains(ord);
            self.catalog.put(note.entry);
            self.catalog.set_quarantined(ord, quarantined);
            self.graph.declare(ord, note.declared);
            if let Some(vectors) = &mut self.vectors {
                match &note.vectors {
                    Some(rows) if !rows.is_empty() => {
                        if let Err(error) = vectors.insert(ord, rows) {
                            tracing::error!(ord, %error, "a stored vector is unusable; the note has none until it is embedded again");
                            vectors.remove(ord);
                        }
                    }
                    Some(_) => vectors.remove(ord),
                    None => {}
                }
            }
            changed.push(ord);
        }
        self.graph.settle(&changed, &names, &self.catalog);
    }

    /// Takes a note out.
    pub(crate) fn remove(&mut self, ord: Ordinal) {
        let names =
            self.catalog.entry(ord).map(crate::projection::catalog::NameIndex::callable_keys).unwrap_or_default();
        self.catalog.remove(ord);
        self.graph.remove(ord);
        if let Some(vectors) = &mut self.vectors {
            vectors.remove(ord);
        }
        self.graph.settle(&[], &names, &self.catalog);
    }

    /// The note of this ordinal.
    pub(crate) fn entry(&self, ord: Ordinal) -> Option<&Entry> {
        self.catalog.entry(ord)
    }
}

/// One note as the snapshot takes it in.
pub(crate) struct SnapshotNote {
    pub entry: Entry,
    pub declared: Vec<crate::projection::graph::DeclaredLink>,
    /// `None`: its vectors did not change.
    pub vectors: Option<PassageVectors>,
}
