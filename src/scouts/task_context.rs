//! `scout_task_context`: notes of the task at hand, and what earlier queries like this one ended up citing.

use super::{Answer, Candidate, Query, Reason, Scout, ScoutKind, Sources, TaskLink};
use crate::error::Result;

/// Proposes notes written for the task, found by it, or retrieved for it before; and notes cited for similar queries.
pub(crate) struct TaskContextScout;

// Belonging to the task at hand says little of a note beside having answered the question before, for which the scout
// has its weight.
/// A note written for the task.
const AUTHORED: f32 = 0.1;
/// A note that a finding points at.
const FINDING: f32 = 0.08;
/// Having been retrieved for the task before is a trace of retrieval, not of use: enough to be proposed again, too
/// little to move any score above 1e-7 by 0.5 %.
const WORKING_MEMORY: f32 = 1e-10;

impl Scout for TaskContextScout {
    fn kind(&self) -> ScoutKind {
        ScoutKind::TaskContext
    }

    fn search(&self, query: &Query<'_>, sources: &Sources<'_>) -> Result<Answer> {
        let recall = sources.association.recall(query, sources.eligible);
        if query.task_id.is_none() && !recall.any {
            return Ok(Answer::Skipped("the request names no task, and no query that it may know of cited a note"));
        }
        let mut best: rustc_hash::FxHashMap<u32, Candidate> = rustc_hash::FxHashMap::default();
        for note in recall.found {
            let reason = Reason::Associated { similarity: note.similarity, question: note.question };
            best.insert(note.ord, Candidate { ord: note.ord, raw: note.score, reason, passage: None });
        }
        let of_task = query.task_id.map(|task_id| sources.task.notes_of(task_id)).transpose()?.unwrap_or_default();
        for (ord, link, activation) in of_task {
            if !sources.eligible.contains(ord) {
                continue;
            }
            let raw = match link {
                TaskLink::Authored => AUTHORED,
                TaskLink::Finding => FINDING,
                TaskLink::WorkingMemory => WORKING_MEMORY * activation / (activation + 2.0),
            };
            let known = best.get(&ord).map_or(0.0, |candidate| candidate.raw);
            if raw > known {
                best.insert(ord, Candidate { ord, raw, reason: Reason::Task { link, score: raw }, passage: None });
            }
        }
        Ok(Answer::Found(sources.best(best.into_values().collect(), query.depth)))
    }
}
