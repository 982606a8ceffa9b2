//! What a replay runs on: the weights asked for, and receipts as the ranking saw them.

use std::collections::BTreeMap;

use super::Engine;
use super::weights::{recorded, to_record};
use crate::error::{Error, Result};
use crate::memory::weights::{JudgedNode, Weights, check_weight};
use crate::model::{LearnedWeights, ReplayRequest, ReplayWeights};
use crate::store::{meta, replayed};

/// A receipt, its notes in the order in which they were answered.
pub(crate) struct Replayed {
    pub id: String,
    pub query: String,
    /// Whether the retrieve failed.
    pub failed: bool,
    pub ids: Vec<String>,
    pub nodes: Vec<JudgedNode>,
}

impl Engine {
    /// The weights that the request asks for, and how a receipt would record them.
    pub(crate) fn replay_weights(&self, request: &ReplayRequest) -> Result<(Weights, BTreeMap<String, f64>)> {
        let shipped = Weights::shipped(&self.config.ranking);
        let mut record = match request.weights {
            ReplayWeights::Shipped => to_record(&shipped),
            ReplayWeights::InForce => to_record(&self.weights_in_force()),
            ReplayWeights::Trained => trained(self.store.read(meta::learned_weights)?)?,
        };
        for (name, value) in &request.set {
            check_weight(name, *value)?;
            record.insert(name.clone(), *value);
        }
        let weights = recorded(&record, &shipped).scaled(&record)?;
        Ok((weights, to_record(&weights)))
    }

    /// Calls `each` with the receipts that the request admits, newest first.
    pub(crate) fn for_each_replayed(&self, request: &ReplayRequest, mut each: impl FnMut(Replayed)) -> Result<()> {
        let shipped = Weights::shipped(&self.config.ranking);
        self.store.read(|conn| {
            replayed::for_each(conn, self.store.seed(), request, |read| {
                let then = recorded(&read.row.weights, &shipped);
                let said = |ord| read.row.verdicts.iter().find(|(of, _)| *of == ord).map(|(_, verdict)| *verdict);
                let nodes = read.row.nodes.iter().zip(&read.row.ords);
                let nodes = nodes.map(|(node, ord)| JudgedNode::new(node, &then, said(*ord))).collect();
                let ids = read.row.nodes.iter().map(|node| node.id.clone()).collect();
                each(Replayed { id: read.id, query: read.row.query, failed: read.failed, ids, nodes });
            })
        })
    }
}

fn trained(learned: Option<LearnedWeights>) -> Result<BTreeMap<String, f64>> {
    let learned = learned.ok_or_else(|| {
        Error::NotFound(
            "no weights have been trained in this store; judge receipts with `terrace feedback`, then run \
             `terrace maintain`"
                .into(),
        )
    })?;
    let factors = learned.factors.into_iter().map(|(name, factor)| (format!("delta_{name}"), factor));
    Ok(learned.scouts.into_iter().chain(factors).collect())
}

#[cfg(test)]
mod tests;
