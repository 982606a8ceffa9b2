//! Between the store's rows and memory's state.

use crate::clock::Timestamp;
use crate::memory::{NodeState, ReceiptEffect, Trace, TraceEvent, TraceScope, Usage, WeightedTerms, WorkingEntry};
use crate::projection::vector::Row;
use crate::store::receipts::FoldRow;
use crate::store::stats::{StatsRow, UsageRow};
use crate::store::traces::TraceRow;
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

pub(super) fn trace(row: TraceRow) -> Trace {
    let event = |(receipt_seq, at, cited)| TraceEvent { receipt_seq, at: Timestamp::from_micros(at), cited };
    let scope = TraceScope::of(row.agent_id.as_deref(), row.task_id.as_deref());
    let vector = row.vector.map(Row::from_codes);
    let mut trace = Trace::new(scope, &row.question, WeightedTerms::new(row.terms), vector);
    trace.events = row.events.into_iter().map(event).collect();
    trace
}

pub(super) fn trace_row(trace: &Trace) -> TraceRow {
    let (agent_id, task_id) = match &trace.scope {
        TraceScope::Everyone => (None, None),
        TraceScope::Agent(agent) => (Some(agent.clone()), None),
        TraceScope::Task(task) => (None, Some(task.clone())),
    };
    TraceRow {
        agent_id,
        task_id,
        question: trace.question.clone(),
        terms: trace.terms.iter().map(|(text, weight)| (text.to_owned(), weight)).collect(),
        vector: trace.vector.as_ref().map(|row| row.codes.clone()),
        events: trace.events.iter().map(|event| (event.receipt_seq, event.at.micros(), event.cited)).collect(),
    }
}
