//! Which notes a request may return: status ∧ namespace ∧ visibility ∧ tags ∧ path, from bitmaps, before any scout runs.

use roaring::RoaringBitmap;

use super::{Catalog, Entry};
use crate::model::{NamespacePattern, Ordinal, Status, Viewer};
use crate::projection::Eligible;

/// The conditions of one request, already validated and folded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    /// `None`: every namespace; empty: none.
    pub namespaces: Option<Vec<NamespacePattern>>,
    /// Folded tags, all of which must be present.
    pub tags: Vec<String>,
    /// A normalised path prefix.
    pub path_prefix: Option<String>,
}

impl Filter {
    /// Whether it admits everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.namespaces.is_none() && self.tags.is_empty() && self.path_prefix.is_none()
    }
}

/// What a caller may know of.
#[derive(Clone, Debug)]
pub(crate) struct Visibility<'a> {
    pub viewer: &'a Viewer,
    pub include_inactive: bool,
}

impl Catalog {
    /// Whether this caller may see the note at all, whatever its status.
    pub(crate) fn can_see(&self, viewer: &Viewer, entry: &Entry) -> bool {
        viewer.may_see(entry.access, entry.author.as_deref(), entry.source.as_deref())
    }

    /// The note of this id, if this caller may see it.
    pub(crate) fn visible_ord(&self, id: &str, viewer: &Viewer) -> Option<Ordinal> {
        let ord = self.ord(id)?;
        self.entry(ord).filter(|entry| self.can_see(viewer, entry)).map(|_| ord)
    }

    /// Notes that a request of this caller may return or pass through, before its own conditions.
    pub(crate) fn visible(&self, visibility: &Visibility<'_>) -> RoaringBitmap {
        let mut statuses = vec![Status::Active, Status::Proposed, Status::Accepted];
        if visibility.include_inactive {
            statuses.extend([Status::Rejected, Status::Superseded, Status::Stale]);
        }
        let mut set = RoaringBitmap::new();
        for status in statuses {
            if let Some(of_status) = self.status.get(&status) {
                set |= &**of_status;
            }
        }
        set -= &*self.quarantined;
        let viewer = visibility.viewer;
        if !viewer.is_owner() {
            let mut seen = (*self.shared).clone();
            if let Some(private) = viewer.agent_id().and_then(|agent| self.private_of.get(agent)) {
                seen |= &**private;
            }
            if let Some(of_task) = viewer.task_id().and_then(|task| self.by_source.get(task)) {
                seen |= &**of_task & &*self.task_scoped;
            }
            set &= &seen;
        }
        set
    }

    /// The visible notes that meet the request's conditions.
    pub(crate) fn filtered(&self, visible: &RoaringBitmap, filter: &Filter) -> RoaringBitmap {
        let mut set = visible.clone();
        if let Some(patterns) = &filter.namespaces {
            let mut of_namespace = RoaringBitmap::new();
            for (namespace, notes) in self.namespaces.iter() {
                if patterns.iter().any(|pattern| pattern.admits(namespace)) {
                    of_namespace |= &**notes;
                }
            }
            set &= &of_namespace;
        }
        for tag in &filter.tags {
            match self.tags.get(tag.as_str()) {
                Some(carriers) => set &= &**carriers,
                None => set.clear(),
            }
        }
        if let Some(prefix) = &filter.path_prefix {
            match self.folders.get(prefix.as_str()) {
                Some(below) => set &= &**below,
                None => set.clear(),
            }
        }
        set
    }

    /// A set of notes in the form that scouts test membership in.
    pub(crate) fn eligible(&self, set: &RoaringBitmap) -> Eligible {
        Eligible::from_bitmap(set, self.len())
    }
}
