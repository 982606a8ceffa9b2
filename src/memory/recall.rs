//! Recall: notes by the queries that ended up citing them.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Association;
use super::note_traces::NoteTraces;
use super::trace::{Asked, Trace};
use super::trust::Trust;
use crate::clock::Timestamp;
use crate::config::AssociationConfig;
use crate::model::Ordinal;
use crate::projection::Eligible;

/// Exponent of the ramp from τ to 1: what is only somewhat alike counts less than in proportion.
const RAMP: f32 = 1.3;

/// Notes with traces from which these are compared on all cores.
const PARALLEL_FROM: usize = 1_000;

/// Who asks, and when: what decides which traces count and how much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recaller<'a> {
    pub agent_id: Option<&'a str>,
    pub task_id: Option<&'a str>,
    pub now: Timestamp,
}

/// A note that a similar query ended up citing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recalled {
    pub ord: Ordinal,
    /// 0 to 1.
    pub score: f32,
    /// Of the query to the trace.
    pub similarity: f32,
    /// The query that it was cited for, where the receipt may be read by whoever asks now.
    pub question: Option<String>,
}

/// What traces say to a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Recall {
    /// By ordinal, each note once.
    pub found: Vec<Recalled>,
    /// Whether there was any trace to look at.
    pub any: bool,
}

impl Association {
    /// The eligible notes that queries like this one ended up citing, each by its best trace:
    /// `strength · ((similarity − f)/(1 − f))^1.3 · guard · trust`, for similarities above the note's floor f.
    ///
    /// Exact: every trace that may be seen is compared. Works on all cores, so it must not be called under a lock: whoever
    /// waits for its cores may be given other work, which may want the same lock.
    pub(crate) fn recall(
        &self,
        asked: &Asked,
        by: Recaller<'_>,
        eligible: &Eligible,
        trust: &Trust,
        config: &AssociationConfig,
    ) -> Recall {
        let seen = |trace: &&Trace| trace.scope.serves(by.agent_id, by.task_id) && trace.is_live(by.now, config);
        let hits = self.hits(asked, eligible, config.min_similarity, seen);
        let all_seen = |ord: &Ordinal| self.notes.get(ord).into_iter().flat_map(|traces| traces.iter()).filter(seen);
        let any = !hits.is_empty() || self.notes.keys().any(|ord| eligible.contains(*ord) && all_seen(ord).count() > 0);
        let floors = Floors::new(&hits, config);
        let mut recall = Recall { found: Vec::new(), any };
        for of_note in hits.chunk_by(|a, b| a.ord == b.ord) {
            let floor = floors.of(of_note);
            let above = of_note.iter().filter(|hit| hit.similarity > floor);
            let scored = above.map(|hit| {
                let ramp = (hit.similarity - floor) / (1.0 - floor).max(f32::EPSILON);
                let strength = hit.trace.strength(by.now, config) * guard(hit.trace, all_seen(&hit.ord), config);
                (strength * ramp.powf(RAMP) * trust.factor(hit.similarity, config), hit)
            });
            let best = scored.max_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((score, hit)) = best.filter(|(score, _)| *score > 0.0) {
                let named = hit.trace.scope.names_its_question() && !hit.trace.question.is_empty();
                let question = named.then(|| hit.trace.question.clone());
                recall.found.push(Recalled {
                    ord: hit.ord,
                    score: score.min(1.0),
                    similarity: hit.similarity,
                    question,
                });
            }
        }
        recall
    }

    /// The traces of eligible notes that are more like the query than `min`, by note.
    fn hits<'a>(
        &'a self,
        asked: &Asked,
        eligible: &Eligible,
        min: f32,
        seen: impl Fn(&&'a Trace) -> bool + Sync,
    ) -> Vec<Hit<'a>> {
        let of_note = |(&ord, traces): (&Ordinal, &'a Arc<NoteTraces>)| {
            let traces = if eligible.contains(ord) { traces.as_slice() } else { &[] };
            let hit = move |trace: &'a Trace| Hit { ord, similarity: trace.similarity_to(asked), trace };
            let seen = &seen;
            // Similarity first: it turns most of them down.
            traces.iter().map(hit).filter(move |hit| hit.similarity > min && seen(&hit.trace))
        };
        if self.notes.len() < PARALLEL_FROM {
            return self.notes.iter().flat_map(of_note).collect();
        }
        self.notes.iter().collect::<Vec<_>>().into_par_iter().flat_map_iter(of_note).collect()
    }
}

/// A trace that is like the query.
struct Hit<'a> {
    ord: Ordinal,
    similarity: f32,
    trace: &'a Trace,
}

/// How like a trace has to be to say something of its note: more than τ, and more than other questions are that led
/// elsewhere. What many questions are like, whatever they led to, is a form of asking and not a need.
struct Floors {
    min: f32,
    rivals: usize,
    /// By similarity, the highest first; of each question once.
    questions: Vec<(f32, u64)>,
}

impl Floors {
    fn new(hits: &[Hit<'_>], config: &AssociationConfig) -> Self {
        let mut best: FxHashMap<u64, f32> = FxHashMap::default();
        for hit in hits {
            let known = best.entry(hit.trace.key).or_insert(hit.similarity);
            *known = known.max(hit.similarity);
        }
        let mut questions: Vec<(f32, u64)> = best.into_iter().map(|(key, similarity)| (similarity, key)).collect();
        questions.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Self { min: config.min_similarity, rivals: config.rivals, questions }
    }

    /// τ, or the similarity of the question with this many better ones, all of which led elsewhere than to this note.
    fn of(&self, of_note: &[Hit<'_>]) -> f32 {
        let elsewhere = |key: u64| of_note.iter().all(|hit| hit.trace.key != key);
        let mut rivals = self.questions.iter().filter(|(_, key)| elsewhere(*key));
        rivals.nth(self.rivals).map_or(self.min, |(similarity, _)| similarity.max(self.min))
    }
}

/// `1 / (1 + u/breadth)²`, u the sum of how unlike the note's other traces are to this one: a note cited for many unlike
/// queries answers none of them in particular.
fn guard<'a>(trace: &Trace, all: impl Iterator<Item = &'a Trace>, config: &AssociationConfig) -> f32 {
    let unlike: f32 = all.map(|other| 1.0 - trace.similarity(other)).sum();
    (1.0 + unlike.max(0.0) / config.breadth.max(f32::EPSILON)).powi(2).recip()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;
