//! The graph: who links to whom, from links, lineage, typed edges and shared sources, kept resolved as notes come and go.

mod links;
mod neighbour;

use std::sync::Arc;

pub(crate) use links::{DeclaredLink, LinkKind, declared_links};
pub(crate) use neighbour::{Neighbour, NeighbourKind};

use super::Map;
use super::catalog::{Catalog, NameIndex, SetIndex};
use crate::model::Ordinal;

/// What a link, a backlink and a lineage step carry of an activation.
const LINK_WEIGHT: f32 = 1.0;
const LINEAGE_WEIGHT: f32 = 0.8;
const SAME_SOURCE_WEIGHT: f32 = 0.5;
/// Notes from one page beyond which the page says nothing about them.
const MAX_SAME_SOURCE: usize = 32;

/// A typed edge between two notes, as the store holds it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GraphEdge {
    pub edge_id: Arc<str>,
    pub from: Ordinal,
    pub to: Ordinal,
    pub edge_type: Arc<str>,
    pub weight: f32,
    pub learned: bool,
}

/// A link that may lead somewhere: to the first of its bearers that the reader may see.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ResolvedLink {
    kind: LinkKind,
    bearers: Box<[Ordinal]>,
}

/// A link or backlink as one reader sees it: the note at its other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SeenLink {
    pub other: Ordinal,
    pub kind: LinkKind,
}

/// Adjacency by ordinal. A clone shares structure, as the catalog's does.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    /// What each note says it links to.
    declared: Map<Ordinal, Arc<[DeclaredLink]>>,
    /// Link key → the notes whose links depend on it.
    waiting: SetIndex<Arc<str>>,
    out: Map<Ordinal, Arc<[ResolvedLink]>>,
    /// Notes with a link that this note may be the end of. In order, so that a hub of many thousand backlinks takes one
    /// more in place.
    incoming: Map<Ordinal, Arc<Vec<Ordinal>>>,
    edges: Map<Ordinal, Arc<Vec<GraphEdge>>>,
}

impl Graph {
    /// Takes over what a note declares; [`Graph::resolve`] makes it lead somewhere.
    pub(crate) fn declare(&mut self, ord: Ordinal, links: Vec<DeclaredLink>) {
        self.undeclare(ord);
        for key in links.iter().flat_map(DeclaredLink::keys) {
            self.waiting.add(key, ord);
        }
        if !links.is_empty() {
            self.declared.insert(ord, links.into());
        }
    }

    fn undeclare(&mut self, ord: Ordinal) {
        let Some(links) = self.declared.remove(&ord) else { return };
        for key in links.iter().flat_map(DeclaredLink::keys) {
            self.waiting.drop(&*key, ord);
        }
    }

    /// Notes whose links may lead elsewhere once the bearers of these keys have changed.
    pub(crate) fn waiting_on<'a>(&self, keys: impl IntoIterator<Item = &'a Arc<str>>) -> Vec<Ordinal> {
        let mut notes: Vec<Ordinal> =
            keys.into_iter().filter_map(|key| self.waiting.get(&**key)).flat_map(|notes| notes.iter()).collect();
        notes.sort_unstable();
        notes.dedup();
        notes
    }

    /// Resolves anew what these notes declare, by the names in the catalog.
    pub(crate) fn resolve(&mut self, notes: &[Ordinal], catalog: &Catalog) {
        for &ord in notes {
            let mut links: Vec<ResolvedLink> = Vec::new();
            if let Some(declared) = self.declared.get(&ord) {
                links = declared.iter().map(|link| link.resolve(catalog)).collect();
                links.retain(|link| !link.bearers.is_empty());
                links.sort_unstable();
                links.dedup();
            }
            self.set_out(ord, links);
        }
    }

    /// Takes a note out: its links, and the edges that touch it.
    pub(crate) fn remove(&mut self, ord: Ordinal) {
        self.undeclare(ord);
        self.set_out(ord, Vec::new());
        for edge in self.edges.get(&ord).map(|edges| edges.to_vec()).unwrap_or_default() {
            self.remove_edge(&edge.edge_id, edge.from, edge.to);
        }
    }

    /// Adds an edge, or replaces the one of the same id.
    pub(crate) fn put_edge(&mut self, edge: &GraphEdge) {
        self.remove_edge(&edge.edge_id, edge.from, edge.to);
        for end in [edge.from, edge.to] {
            let edges = Arc::make_mut(self.edges.entry(end).or_default());
            let at = edges.partition_point(|known| known.edge_id < edge.edge_id);
            edges.insert(at, edge.clone());
        }
    }

    /// Takes an edge out.
    pub(crate) fn remove_edge(&mut self, edge_id: &str, from: Ordinal, to: Ordinal) {
        for end in [from, to] {
            let Some(edges) = self.edges.get_mut(&end) else { continue };
            let edges = Arc::make_mut(edges);
            edges.retain(|edge| &*edge.edge_id != edge_id);
            if edges.is_empty() {
                self.edges.remove(&end);
            }
        }
    }

    /// Where a note's links lead for a reader who sees what `visible` says, each end once per kind.
    pub(crate) fn links_of(&self, ord: Ordinal, visible: &dyn Fn(Ordinal) -> bool) -> Vec<SeenLink> {
        let links = self.out.get(&ord).map(|links| &**links).unwrap_or_default();
        let mut seen: Vec<SeenLink> = links.iter().filter_map(|link| link.seen(ord, visible)).collect();
        seen.sort_unstable();
        seen.dedup();
        seen
    }

    /// Which notes' links lead to a note for a reader, each once per kind.
    pub(crate) fn backlinks_of(&self, ord: Ordinal, visible: &dyn Fn(Ordinal) -> bool) -> Vec<SeenLink> {
        let mut seen: Vec<SeenLink> = Vec::new();
        for &from in self.incoming.get(&ord).map(|notes| notes.as_slice()).unwrap_or_default() {
            if !visible(from) {
                continue;
            }
            let links = self.out.get(&from).map(|links| &**links).unwrap_or_default();
            let leads_here = |link: &&ResolvedLink| {
                link.bearers.contains(&ord) && link.seen(from, visible).is_some_and(|seen| seen.other == ord)
            };
            seen.extend(links.iter().filter(leads_here).map(|link| SeenLink { other: from, kind: link.kind }));
        }
        seen.sort_unstable();
        seen.dedup();
        seen
    }

    /// Edges that touch a note.
    pub(crate) fn edges_of(&self, ord: Ordinal) -> &[GraphEdge] {
        self.edges.get(&ord).map(|edges| edges.as_slice()).unwrap_or_default()
    }

    /// Every neighbour that a reader may see, each once with its strongest relation, by ordinal.
    pub(crate) fn neighbours(
        &self,
        ord: Ordinal,
        catalog: &Catalog,
        visible: &dyn Fn(Ordinal) -> bool,
    ) -> Vec<Neighbour> {
        let mut found: Vec<Neighbour> = Vec::new();
        for (links, kind) in [
            (self.links_of(ord, visible), NeighbourKind::LinkedFrom),
            (self.backlinks_of(ord, visible), NeighbourKind::LinksTo),
        ] {
            found.extend(links.into_iter().map(|link| match link.kind {
                LinkKind::Link => Neighbour { ord: link.other, kind: kind.clone(), weight: LINK_WEIGHT },
                LinkKind::DerivedFrom | LinkKind::Supersedes => {
                    Neighbour { ord: link.other, kind: NeighbourKind::Lineage, weight: LINEAGE_WEIGHT }
                }
            }));
        }
        for edge in self.edges_of(ord) {
            let other = if edge.from == ord { edge.to } else { edge.from };
            if !visible(other) {
                continue;
            }
            let kind =
                if edge.learned { NeighbourKind::CitedWith } else { NeighbourKind::Edge(edge.edge_type.clone()) };
            found.push(Neighbour { ord: other, kind, weight: edge.weight });
        }
        let url = catalog.entry(ord).and_then(|entry| entry.url.as_deref());
        if let Some(notes) = url.and_then(|url| catalog.at_url(url)) {
            let others: Vec<Ordinal> = notes.iter().filter(|other| *other != ord && visible(*other)).collect();
            if others.len() <= MAX_SAME_SOURCE {
                let same = |ord| Neighbour { ord, kind: NeighbourKind::SameSource, weight: SAME_SOURCE_WEIGHT };
                found.extend(others.into_iter().map(same));
            }
        }
        // Stable: of equally strong relations the first in the order above is kept.
        found.sort_by(|a, b| a.ord.cmp(&b.ord).then_with(|| b.weight.total_cmp(&a.weight)));
        found.dedup_by_key(|neighbour| neighbour.ord);
        found
    }

    fn set_out(&mut self, ord: Ordinal, links: Vec<ResolvedLink>) {
        let ends = |links: &[ResolvedLink]| -> std::collections::BTreeSet<Ordinal> {
            links.iter().flat_map(|link| link.bearers.iter().copied()).collect()
        };
        let before = self.out.remove(&ord).map(|links| ends(&links)).unwrap_or_default();
        let now = ends(&links);
        before.difference(&now).for_each(|end| self.drop_incoming(*end, ord));
        for &end in now.difference(&before) {
            let known = Arc::make_mut(self.incoming.entry(end).or_default());
            if let Err(at) = known.binary_search(&ord) {
                known.insert(at, ord);
            }
        }
        if !links.is_empty() {
            self.out.insert(ord, links.into());
        }
    }

    fn drop_incoming(&mut self, ord: Ordinal, from: Ordinal) {
        let Some(known) = self.incoming.get_mut(&ord) else { return };
        let known = Arc::make_mut(known);
        if let Ok(at) = known.binary_search(&from) {
            known.remove(at);
        }
        if known.is_empty() {
            self.incoming.remove(&ord);
        }
    }
}

impl ResolvedLink {
    /// The end that a reader sees; a link of a note to itself leads nowhere.
    fn seen(&self, from: Ordinal, visible: &dyn Fn(Ordinal) -> bool) -> Option<SeenLink> {
        let end = self.bearers.iter().copied().find(|end| visible(*end))?;
        (end != from).then_some(SeenLink { other: end, kind: self.kind })
    }
}

impl Graph {
    /// After notes came, changed or went: resolves what they declare and what others say of them. `names` are the
    /// names that these notes bore before and bear now.
    pub(crate) fn settle(&mut self, changed: &[Ordinal], names: &[Arc<str>], catalog: &Catalog) {
        let mut affected = self.waiting_on(names);
        affected.extend_from_slice(changed);
        affected.sort_unstable();
        affected.dedup();
        self.resolve(&affected, catalog);
    }
}

impl DeclaredLink {
    fn keys(&self) -> Vec<Arc<str>> {
        let mut keys = NameIndex::link_keys(&self.target);
        if let Some(alternative) = &self.alternative {
            keys.extend(NameIndex::link_keys(alternative));
        }
        keys
    }

    fn resolve(&self, catalog: &Catalog) -> ResolvedLink {
        let bearers = match self.kind {
            LinkKind::Link => {
                let mut bearers = catalog.names().resolve(&self.target, catalog);
                // Where the target leads nowhere, the label may be the target.
                if let Some(alternative) = &self.alternative {
                    for ord in catalog.names().resolve(alternative, catalog) {
                        if !bearers.contains(&ord) {
                            bearers.push(ord);
                        }
                    }
                }
                bearers
            }
            LinkKind::DerivedFrom | LinkKind::Supersedes => catalog.ord(&self.target).into_iter().collect(),
        };
        ResolvedLink { kind: self.kind, bearers: bearers.into() }
    }
}
