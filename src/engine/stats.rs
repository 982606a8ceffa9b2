//! Figures: of one note, of the store, and of what the engine can do.

use serde::{Deserialize, Serialize};

use super::{Engine, weights};
use crate::error::{Error, Result};
use crate::model::{LearnedState, NodeStats, StoreStats, Viewer};
use crate::projection::Visibility;
use crate::scouts::ScoutKind;
use crate::store::{edges, meta, receipts, stats, tasks, verdicts};

/// What this build and store can do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// The release.
    pub version: String,
    /// The largest `limit` of a retrieve or search.
    pub max_limit: usize,
    /// The scouts, in canonical order.
    pub scouts: Vec<String>,
    /// The modes of `search`.
    pub search_modes: Vec<String>,
    /// Cargo features compiled in.
    pub features: Vec<String>,
    /// The store's embedder, if it has vectors.
    pub embedder: Option<String>,
    /// Vector width.
    pub dims: Option<usize>,
    /// Whether `retrieve` answers.
    pub lcma_enabled: bool,
    /// Whether the store was opened read-only.
    pub read_only: bool,
}

impl Engine {
    /// A note's cognitive-memory state.
    ///
    /// # Errors
    /// `doc_not_found` when there is no such note or the viewer may not see it; `lcma_disabled`.
    pub fn node_stats(&self, node_id: &str, viewer: &Viewer) -> Result<NodeStats> {
        if !self.config.lcma.enabled {
            return Err(Error::LcmaDisabled);
        }
        let snapshot = self.snapshot();
        let missing = || Error::DocNotFound(node_id.to_owned());
        let ord = snapshot.catalog.visible_ord(node_id, viewer).ok_or_else(missing)?;
        let entry = snapshot.entry(ord).ok_or_else(missing)?;
        let config = self.memory.config();
        let (node, usage) = (self.memory.node(ord), self.memory.usage_of(ord));
        let now = self.now();
        Ok(NodeStats {
            node_id: node_id.to_owned(),
            salience: node.salience_at(now, entry.created_at, config),
            retrieval_count: usage.retrievals,
            cited_count: node.cited,
            last_retrieved_at: usage.last_retrieved_at,
            last_used_at: node.last_used_at,
            ignored_count: node.ignored,
            misleading_count: node.misleading,
            decay_rate: config.decay_rate,
            spaced_rep_strength: node.strength,
            last_decay_applied_at: node.decayed_at,
            usage_score: usage.score(node.last_used_at, now),
            quarantine: self.store.read(|conn| stats::quarantine_of(conn, ord))?,
        })
    }

    /// The store in figures. For its owner: the figures count what single viewers may not see.
    ///
    /// # Errors
    /// SQLite's own.
    pub fn stats(&self) -> Result<StoreStats> {
        let snapshot = self.snapshot();
        let owner = Viewer::owner();
        let visible = snapshot.catalog.visible(&Visibility { viewer: &owner, include_inactive: false });
        let (edges, receipts, tasks) =
            self.store.read(|conn| Ok((edges::count(conn)?, receipts::count(conn)?, tasks::count(conn)?)))?;
        let identity = self.embedding.identity.as_ref();
        Ok(StoreStats {
            notes: u64::from(snapshot.catalog.len()),
            retrievable: visible.len(),
            vectors: snapshot.vectors.as_ref().map_or(0, |index| index.rows() as u64),
            edges,
            receipts,
            tasks,
            tags: snapshot.catalog.tag_sets().len() as u64,
            namespaces: snapshot.catalog.namespaces().len() as u64,
            quarantined: snapshot.catalog.quarantined().len(),
            sequence: snapshot.seq,
            lexical_docs: self.lexical.num_docs(),
            lexical_segments: self.lexical.segments() as u64,
            embedder: identity.map(|identity| identity.name.clone()),
            dims: identity.map(|identity| identity.dims),
            sqlite_bytes: self.store.sqlite_bytes(),
            lexical_bytes: self.lexical.size_bytes(),
        })
    }

    /// What feedback has taught beyond the notes' own statistics.
    ///
    /// # Errors
    /// SQLite's own.
    pub fn learned(&self) -> Result<LearnedState> {
        let (judged_receipts, learned_edges, trained) = self.store.read(|conn| {
            let learned_edges = edges::count_of(conn, crate::model::EdgeOrigin::Learned)?;
            Ok((verdicts::judged_receipts(conn)?, learned_edges, meta::learned_weights(conn)?))
        })?;
        Ok(LearnedState {
            weights: weights::to_record(&self.weights_in_force()),
            association: self.memory.trust.read().rates(),
            trained,
            judged_receipts,
            learned_edges,
            traces: self.memory.association.read().len(),
        })
    }

    /// What this build and store can do.
    pub fn capabilities(&self) -> Capabilities {
        let mut features = Vec::new();
        for (name, compiled) in [
            ("builtin-embedder", cfg!(feature = "builtin-embedder")),
            ("cli", cfg!(feature = "cli")),
            ("transformer", cfg!(feature = "transformer")),
        ] {
            if compiled {
                features.push(name.to_owned());
            }
        }
        let identity = self.embedding.identity.as_ref();
        Capabilities {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            max_limit: self.config.lcma.max_limit,
            scouts: ScoutKind::ALL.into_iter().map(|kind| kind.name().to_owned()).collect(),
            search_modes: ["hybrid", "fulltext", "semantic", "graph"].map(str::to_owned).to_vec(),
            features,
            embedder: identity.map(|identity| identity.name.clone()),
            dims: identity.map(|identity| identity.dims),
            lcma_enabled: self.config.lcma.enabled,
            read_only: self.store.is_read_only(),
        }
    }
}
