//! Reading receipts.

use super::Engine;
use crate::error::{Error, Result};
use crate::model::{Receipt, ReceiptFilter, Viewer};
use crate::store::{ids, receipts};

/// Most receipts that one listing returns.
const MAX_LISTED: usize = 10_000;

impl Engine {
    /// The receipt of this id. An agent sees its own and its task's receipts, in them only notes that it can
    /// see; without reasons, features and conflicts where it sees less than whoever asked.
    ///
    /// # Errors
    /// `receipt_not_found`.
    pub fn receipt(&self, id: &str, viewer: &Viewer) -> Result<Receipt> {
        let missing = || Error::ReceiptNotFound(id.to_owned());
        let seed = self.store.seed();
        let seq = ids::receipt_seq(seed, id).ok_or_else(missing)?;
        let receipt = self.store.read(|conn| receipts::get(conn, seed, seq))?.ok_or_else(missing)?;
        self.shown_to(receipt, viewer).ok_or_else(missing)
    }

    /// Receipts that pass the filter, newest first; for an agent, its own and its task's.
    ///
    /// # Errors
    /// `invalid_input` for a limit of 0 or above 10 000.
    pub fn receipts(&self, filter: &ReceiptFilter, viewer: &Viewer) -> Result<Vec<Receipt>> {
        if filter.limit == 0 || filter.limit > MAX_LISTED {
            return Err(Error::invalid(format!("expected a limit from 1 to {MAX_LISTED}, found {}", filter.limit)));
        }
        let owners =
            (!viewer.is_owner()).then(|| receipts::Owners { agent_id: viewer.agent_id(), task_id: viewer.task_id() });
        let found = self.store.read(|conn| receipts::list(conn, self.store.seed(), filter, owners))?;
        Ok(found.into_iter().filter_map(|receipt| self.shown_to(receipt, viewer)).collect())
    }

    fn shown_to(&self, mut receipt: Receipt, viewer: &Viewer) -> Option<Receipt> {
        if viewer.is_owner() {
            return Some(receipt);
        }
        let own = viewer.agent_id().is_some() && receipt.agent_id.as_deref() == viewer.agent_id();
        let of_task = viewer.task_id().is_some() && receipt.task_id.as_deref() == viewer.task_id();
        if !own && !of_task {
            return None;
        }
        let snapshot = self.snapshot();
        let before = receipt.final_nodes.len();
        receipt.final_nodes.retain(|node| snapshot.catalog.visible_ord(&node.id, viewer).is_some());
        if receipt.final_nodes.len() < before || sees_less(viewer, &receipt) {
            // Counts, reasons and conflicts were written for other eyes: they name and count what these do not see.
            receipt.candidates_considered = receipt.final_nodes.len();
            receipt.conflicts_surfaced.clear();
            receipt.widening = None;
            for node in &mut receipt.final_nodes {
                node.reasons.clear();
                node.features.clear();
            }
        }
        Some(receipt)
    }
}

/// Whether the viewer may see less than whoever made the receipt.
pub(super) fn sees_less(viewer: &Viewer, receipt: &Receipt) -> bool {
    let lacks = |asked: Option<&str>, has: Option<&str>| asked.is_some() && asked != has;
    lacks(receipt.agent_id.as_deref(), viewer.agent_id()) || lacks(receipt.task_id.as_deref(), viewer.task_id())
}
