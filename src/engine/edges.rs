//! Edges: stating, listing and deleting them, and settling contradictions.

use rustc_hash::FxHashMap;

use super::Engine;
use crate::error::{Error, Result};
use crate::model::{ConflictResolution, Edge, EdgeDraft, EdgeFilter, EdgeOrigin, Ordinal, Viewer};
use crate::projection::GraphEdge;
use crate::projection::graph::LinkKind;
use crate::store::edges::{self, EdgeRow};
use crate::store::notes;
use crate::text;

/// The edge as the graph holds it.
pub(super) fn graph_edge(row: &EdgeRow) -> GraphEdge {
    GraphEdge {
        edge_id: row.edge_id.as_str().into(),
        from: row.from_ord,
        to: row.to_ord,
        edge_type: row.edge_type.as_str().into(),
        weight: row.weight as f32,
        learned: row.origin == EdgeOrigin::Learned,
    }
}

impl Engine {
    /// States an edge, or states it anew: unique by `from_id`, `to_id`, `type` and `namespace`. Stating a learned edge
    /// makes it an asserted one.
    ///
    /// # Errors
    /// `doc_not_found` for a missing end; `invalid_input` for a self-link, a blank type or a weight outside 0..=1;
    /// `read_only`.
    pub fn edge_upsert(&self, draft: &EdgeDraft) -> Result<Edge> {
        if self.store.is_read_only() {
            return Err(Error::ReadOnly("edge_upsert"));
        }
        if text::is_blank(&draft.edge_type) {
            return Err(Error::invalid("the edge's type is blank; say how the notes are related, such as related_to"));
        }
        if !(0.0..=1.0).contains(&draft.weight) {
            return Err(Error::invalid(format!("expected an edge weight from 0 to 1, found {}", draft.weight)));
        }
        if draft.from_id == draft.to_id {
            return Err(Error::invalid(format!(
                "expected an edge between two notes, found {:?} at both ends",
                draft.from_id
            )));
        }
        let _gate = self.gate.lock();
        let snapshot = self.snapshot();
        let end = |id: &str| snapshot.catalog.ord(id).ok_or_else(|| Error::DocNotFound(id.to_owned()));
        let (from, to) = (end(&draft.from_id)?, end(&draft.to_id)?);
        let of_note = || snapshot.entry(from).map(|entry| entry.namespace.to_string()).unwrap_or_default();
        let namespace = match &draft.namespace {
            Some(given) => crate::model::check_namespace(given)?,
            None => of_note(),
        };
        let now = self.now();
        let row = self.store.write(|conn| {
            let row = EdgeRow {
                edge_id: String::new(),
                from_ord: from,
                to_ord: to,
                edge_type: draft.edge_type.clone(),
                namespace,
                weight: draft.weight,
                origin: EdgeOrigin::Asserted,
                provenance: draft.provenance.clone(),
                evidence: draft.evidence.clone(),
                conflict_state: None,
                created_at: now,
                updated_at: now,
            };
            edges::upsert(conn, &row)
        })?;
        self.put_edges(std::slice::from_ref(&row));
        Ok(edge(&row, draft.from_id.clone(), draft.to_id.clone()))
    }

    /// The edges that pass the filter and whose ends this viewer can see, by id; those that follow links and lineage,
    /// where asked for, after the others.
    ///
    /// # Errors
    /// `doc_not_found` for a note in the filter that is not there or not visible.
    pub fn edge_list(&self, filter: &EdgeFilter, viewer: &Viewer) -> Result<Vec<Edge>> {
        let snapshot = self.snapshot();
        let mut query = edges::EdgeQuery {
            edge_type: filter.edge_type.clone(),
            namespace: filter.namespace.clone(),
            ..edges::EdgeQuery::default()
        };
        for (given, wanted) in
            [(&filter.node_id, &mut query.node), (&filter.from_id, &mut query.from), (&filter.to_id, &mut query.to)]
        {
            if let Some(id) = given {
                let ord = snapshot.catalog.visible_ord(id, viewer).ok_or_else(|| Error::DocNotFound(id.clone()))?;
                *wanted = Some(ord);
            }
        }
        let seen = |ord: Ordinal| {
            let entry = snapshot.entry(ord)?;
            snapshot.catalog.can_see(viewer, entry).then(|| entry.id.to_string())
        };
        let rows = self.store.read(|conn| edges::list(conn, &query))?;
        let mut found: Vec<Edge> =
            rows.iter().filter_map(|row| Some(edge(row, seen(row.from_ord)?, seen(row.to_ord)?))).collect();
        if filter.include_derived {
            found.extend(self.derived_edges(&query, &seen));
        }
        Ok(found)
    }

    /// Edges that follow links and lineage.
    fn derived_edges(&self, query: &edges::EdgeQuery, seen: &dyn Fn(Ordinal) -> Option<String>) -> Vec<Edge> {
        let snapshot = self.snapshot();
        let visible = |ord| seen(ord).is_some();
        let starts: Vec<Ordinal> = match (query.from, query.node) {
            (Some(from), _) => vec![from],
            (None, Some(node)) => {
                let back = snapshot.graph.backlinks_of(node, &visible).into_iter().map(|link| link.other);
                std::iter::once(node).chain(back).collect()
            }
            (None, None) => snapshot.catalog.live().iter().collect(),
        };
        let mut found = FxHashMap::default();
        for from in starts {
            let Some(entry) = snapshot.entry(from) else { continue };
            for link in snapshot.graph.links_of(from, &visible) {
                let (edge_type, origin) = match link.kind {
                    LinkKind::Link => ("links_to", EdgeOrigin::WikiLink),
                    LinkKind::DerivedFrom => ("derived_from", EdgeOrigin::Lineage),
                    LinkKind::Supersedes => ("supersedes", EdgeOrigin::Lineage),
                };
                let fits = query.to.is_none_or(|to| to == link.other)
                    && query.node.is_none_or(|node| node == from || node == link.other)
                    && query.edge_type.as_deref().is_none_or(|wanted| wanted == edge_type)
                    && query.namespace.as_deref().is_none_or(|wanted| wanted == &*entry.namespace);
                let (Some(from_id), Some(to_id), true) = (seen(from), seen(link.other), fits) else { continue };
                let edge_id = format!("{edge_type}:{from_id}:{to_id}");
                let edge = Edge {
                    edge_id: edge_id.clone(),
                    from_id,
                    to_id,
                    edge_type: edge_type.to_owned(),
                    namespace: entry.namespace.to_string(),
                    weight: 1.0,
                    origin,
                    provenance: None,
                    evidence: None,
                    conflict_state: None,
                    created_at: entry.created_at,
                    updated_at: entry.updated_at,
                };
                found.insert(edge_id, edge);
            }
        }
        let mut found: Vec<Edge> = found.into_values().collect();
        found.sort_by(|a, b| a.edge_id.cmp(&b.edge_id));
        found
    }

    /// Deletes an edge.
    ///
    /// # Errors
    /// `not_found`; `unsupported` for an edge that follows a note; `read_only`.
    pub fn edge_delete(&self, edge_id: &str) -> Result<()> {
        if self.store.is_read_only() {
            return Err(Error::ReadOnly("edge_delete"));
        }
        refuse_derived(edge_id)?;
        let _gate = self.gate.lock();
        let row = self.store.write(|conn| {
            let row = edges::get(conn, edge_id)?.ok_or_else(|| no_edge(edge_id))?;
            edges::delete(conn, edge_id)?;
            Ok(row)
        })?;
        let mut next = (*self.snapshot()).clone();
        next.graph.remove_edge(&row.edge_id, row.from_ord, row.to_ord);
        self.publish(next);
        Ok(())
    }

    /// Settles a contradiction. `superseded` needs the `winner_id`, an end of the edge, which from then on supersedes the
    /// other: the loser's status becomes `superseded`.
    ///
    /// # Errors
    /// `not_found`; `invalid_input` when the edge is no contradiction, or the winner is missing or no end of it;
    /// `conflict` when it was settled as `superseded` already; `read_only`.
    pub fn conflict_resolve(
        &self,
        edge_id: &str,
        resolution: ConflictResolution,
        winner_id: Option<&str>,
    ) -> Result<Edge> {
        if self.store.is_read_only() {
            return Err(Error::ReadOnly("conflict_resolve"));
        }
        refuse_derived(edge_id)?;
        let _gate = self.gate.lock();
        let now = self.now();
        let snapshot = self.snapshot();
        let (row, ends, refreshed) = self.store.write(|conn| {
            let row = edges::get(conn, edge_id)?.ok_or_else(|| no_edge(edge_id))?;
            if row.edge_type != "contradicts" {
                return Err(Error::invalid(format!(
                    "expected a contradicts edge, found {edge_id} of type {:?}",
                    row.edge_type
                )));
            }
            if row.conflict_state.as_deref() == Some(ConflictResolution::Superseded.as_str()) {
                return Err(Error::Conflict(format!(
                    "the contradiction {edge_id} is settled: one of its notes superseded the other; to reopen it, put the loser again as active and state the contradiction anew"
                )));
            }
            let id = |ord| notes::id_of(conn, ord)?.ok_or_else(|| no_edge(edge_id));
            let ends = (id(row.from_ord)?, id(row.to_ord)?);
            let mut refreshed = Vec::new();
            if resolution == ConflictResolution::Superseded {
                let (winner, loser) = match winner_id {
                    Some(winner) if winner == ends.0 => (row.from_ord, row.to_ord),
                    Some(winner) if winner == ends.1 => (row.to_ord, row.from_ord),
                    other => {
                        let found = other.map_or_else(|| "none".to_owned(), |other| format!("{other:?}"));
                        return Err(Error::invalid(format!(
                            "superseded needs a winner that is an end of the edge ({:?} or {:?}), found {found}; name the one that replaces the other",
                            ends.0, ends.1
                        )));
                    }
                };
                refreshed = vec![winner, loser];
                let loser_id = if loser == row.from_ord { &ends.0 } else { &ends.1 };
                notes::set_supersedes(conn, winner, loser_id)?;
                notes::set_status(conn, loser, crate::model::Status::Superseded)?;
            }
            let row = edges::set_conflict_state(conn, edge_id, Some(resolution.as_str()), now)?
                .ok_or_else(|| no_edge(edge_id))?;
            Ok((row, ends, refreshed))
        })?;
        drop(snapshot);
        for ord in refreshed {
            let (note, seq) =
                self.store.read(|conn| Ok((notes::by_ord(conn, ord)?, crate::store::changes::latest(conn)?)))?;
            if let Some(note) = note {
                self.refresh(ord, note, seq);
            }
        }
        Ok(edge(&row, ends.0, ends.1))
    }

    /// Puts edges that were written into the graph.
    pub(super) fn put_edges(&self, rows: &[EdgeRow]) {
        if rows.is_empty() {
            return;
        }
        let mut next = (*self.snapshot()).clone();
        rows.iter().for_each(|row| next.graph.put_edge(&graph_edge(row)));
        self.publish(next);
    }
}

/// The edge as callers see it.
pub(super) fn edge(row: &EdgeRow, from_id: String, to_id: String) -> Edge {
    Edge {
        edge_id: row.edge_id.clone(),
        from_id,
        to_id,
        edge_type: row.edge_type.clone(),
        namespace: row.namespace.clone(),
        weight: row.weight,
        origin: row.origin,
        provenance: row.provenance.clone(),
        evidence: row.evidence.clone(),
        conflict_state: row.conflict_state.clone(),
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

fn no_edge(edge_id: &str) -> Error {
    Error::NotFound(format!("no edge {edge_id:?}; list the edges to find its id"))
}

fn refuse_derived(edge_id: &str) -> Result<()> {
    let follows = ["links_to:", "derived_from:", "supersedes:"].iter().any(|prefix| edge_id.starts_with(prefix));
    if follows {
        return Err(Error::Unsupported(format!("edge {edge_id:?} follows a note's links or lineage; change the note")));
    }
    Ok(())
}
