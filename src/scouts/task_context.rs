//! `scout_task_context`: notes of the task at hand.

use super::{Answer, Candidate, Query, Reason, Scout, ScoutKind, Sources, TaskLink};
use crate::error::Result;

/// Proposes notes written for the task, found by it, or retrieved for it before.
pub(crate) struct TaskContextScout;

/// Having been retrieved for the task before is a trace of retrieval, not of use: enough to be proposed again, too
/// little to move any score above 1e-7 by 0.5 %.
const WORKING_MEMORY: f32 = 1e-9;

impl Scout for TaskContextScout {
    fn kind(&self) -> ScoutKind {
        ScoutKind::TaskContext
    }

    fn search(&self, query: &Query<'_>, sources: &Sources<'_>) -> Result<Answer> {
        let Some(task_id) = query.task_id else {
            return Ok(Answer::Skipped("the request names no task"));
        };
        let mut best: rustc_hash::FxHashMap<u32, Candidate> = rustc_hash::FxHashMap::default();
        for (ord, link, activation) in sources.task.notes_of(task_id)? {
            if !sources.eligible.contains(ord) {
                continue;
            }
            let raw = match link {
                TaskLink::Authored => 1.0,
                TaskLink::Finding => 0.8,
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
