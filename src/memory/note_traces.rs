//! The traces of one note: merged where alike, bounded, and moved by verdicts.

use super::trace::{Asked, Trace, TraceEvent};
use crate::clock::Timestamp;
use crate::config::AssociationConfig;

/// One note's traces, in the order in which they were made.
pub(crate) type NoteTraces = Vec<Trace>;

/// Takes a citation in: the trace of the same scope that is near-equal takes it over, else `trace` joins. Of more than
/// `per_note`, the weakest goes, of equals the one cited longest ago.
pub(crate) fn cite(
    traces: &mut NoteTraces,
    mut trace: Trace,
    event: TraceEvent,
    now: Timestamp,
    config: &AssociationConfig,
) {
    prune(traces, now, config);
    let alike = |known: &&mut Trace| known.scope == trace.scope && known.similarity(&trace) >= config.merge_similarity;
    if let Some(known) = traces.iter_mut().find(alike) {
        known.add(event);
        return;
    }
    trace.add(event);
    traces.push(trace);
    while traces.len() > config.per_note.max(1) {
        let rank = |trace: &Trace| (trace.strength(now, config), trace.events.last().map(|event| event.at));
        let weakest =
            traces.iter().map(rank).enumerate().min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((at, _)) = weakest else { return };
        traces.remove(at);
    }
}

/// Weakens the traces that are like the query a note misled.
pub(crate) fn mislead(traces: &mut NoteTraces, asked: &Asked, event: TraceEvent, config: &AssociationConfig) {
    let near = |trace: &&mut Trace| trace.similarity_to(asked) >= config.misleading_similarity;
    traces.iter_mut().filter(near).for_each(|trace| trace.add(event));
}

/// Takes back what a receipt's verdict did; a trace without a citation goes.
pub(crate) fn take_back(traces: &mut NoteTraces, receipt_seq: i64) {
    for trace in traces.iter_mut() {
        trace.events.retain(|event| event.receipt_seq != receipt_seq);
    }
    traces.retain(|trace| trace.citations() > 0);
}

/// Drops traces whose citations are all forgotten; answers how many.
pub(crate) fn prune(traces: &mut NoteTraces, now: Timestamp, config: &AssociationConfig) -> u64 {
    let before = traces.len();
    traces.retain(|trace| trace.is_live(now, config));
    (before - traces.len()) as u64
}
