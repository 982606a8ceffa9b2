//! Between the store's rows and memory's state.

use crate::memory::{NodeState, ReceiptEffect, Usage, WorkingEntry};
use crate::store::receipts::FoldRow;
use crate::store::stats::{StatsRow, UsageRow};
use crate::store::working_memory;

pub(super) fn state(row: &StatsRow) -> NodeState {
    NodeState {
        salience: row.salience,
        strength: row.strength,
        cited: row.cited_count,
        ignored: row.ignored_count,
        misleading: row.misleading_count,
        last_used_at: row.last_used_at,
        decayed_at: row.last_decay_applied_at,
    }
}

pub(super) fn stats_row(state: &NodeState) -> StatsRow {
    StatsRow {
        salience: state.salience,
        strength: state.strength,
        cited_count: state.cited,
        ignored_count: state.ignored,
        misleading_count: state.misleading,
        last_used_at: state.last_used_at,
        last_decay_applied_at: state.decayed_at,
    }
}

pub(super) fn usage(row: &UsageRow) -> Usage {
    Usage { retrievals: row.retrieval_count, counted: row.usage_count, last_retrieved_at: row.last_retrieved_at }
}

pub(super) fn working(row: &working_memory::Entry) -> WorkingEntry {
    WorkingEntry {
        activation_count: row.activation_count,
        first_seen_at: row.first_seen_at,
        last_seen_at: row.last_seen_at,
        last_receipt: row.last_receipt_seq,
    }
}

pub(super) fn effect(row: FoldRow) -> ReceiptEffect {
    ReceiptEffect { seq: row.seq, at: row.ts, task_id: row.task_id, ords: row.final_ords, counted: row.counted }
}
