//! Association: notes by the queries that ended up citing them.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::note_traces::{NoteTraces, prune};
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

/// Every note's traces.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Association {
    notes: BTreeMap<Ordinal, NoteTraces>,
}

impl Association {
    /// A note's traces.
    pub(crate) fn of(&self, ord: Ordinal) -> NoteTraces {
        self.notes.get(&ord).cloned().unwrap_or_default()
    }

    /// Gives a note these traces in place of those it had.
    pub(crate) fn set(&mut self, ord: Ordinal, traces: NoteTraces) {
        if traces.is_empty() {
            self.notes.remove(&ord);
        } else {
            self.notes.insert(ord, traces);
        }
    }

    /// Forgets a note.
    pub(crate) fn forget(&mut self, ord: Ordinal) {
        self.notes.remove(&ord);
    }

    /// Whether there is no trace at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    /// How many traces there are.
    pub(crate) fn len(&self) -> u64 {
        self.notes.values().map(|traces| traces.len() as u64).sum()
    }

    /// The notes with a trace that is forgotten, and what is left of their traces.
    pub(crate) fn pruned(&self, now: Timestamp, config: &AssociationConfig) -> Vec<(Ordinal, NoteTraces, u64)> {
        let left = |(&ord, traces): (&Ordinal, &NoteTraces)| {
            let mut traces = traces.clone();
            let dropped = prune(&mut traces, now, config);
            (dropped > 0).then_some((ord, traces, dropped))
        };
        self.notes.iter().filter_map(left).collect()
    }

    /// The eligible notes that queries like this one ended up citing, each by its best trace:
    /// `strength · ((similarity − f)/(1 − f))^1.3 · guard · trust`, for similarities above the note's floor f.
    ///
    /// Exact: every trace that may be seen is compared.
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
        let all_seen = |ord: &Ordinal| self.notes.get(ord).into_iter().flatten().filter(seen);
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
        let of_note = |(&ord, traces): (&Ordinal, &'a NoteTraces)| {
            let traces = if eligible.contains(ord) { traces.as_slice() } else { &[] };
            let hit = move |trace: &'a Trace| Hit { ord, similarity: trace.similarity_to(asked), trace };
            let seen = &seen;
            // Similarity first: it turns most of them down.
            traces.iter().map(hit).filter(move |hit| hit.similarity > min && seen(&hit.trace))
        };
        if self.notes.len() < PARALLEL_FROM {
            return self.notes.iter().flat_map(of_note).collect();
        }
        self.notes.par_iter().flat_map_iter(of_note).collect()
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
mod tests {
    use std::collections::BTreeSet;

    use roaring::RoaringBitmap;

    use super::*;
    use crate::memory::trace::{TraceEvent, TraceScope, WeightedTerms};
    use crate::projection::vector::{PreparedQuery, Row};

    const DIMS: usize = 16;

    /// Near one of four directions, as its number decides.
    fn vector(number: usize) -> Vec<f32> {
        let wave = |at: usize| ((number * 31 + at * 17) % 23) as f32 / 23.0 - 0.5;
        (0..DIMS).map(|at| wave(at) + if at % 4 == number % 4 { 1.0 } else { 0.0 }).collect()
    }

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()).max(0.0)
    }

    #[test]
    fn recall_agrees_with_a_dull_scan_of_floats() {
        let config = AssociationConfig::default();
        let now = Timestamp::from_seconds(0);
        // Numbers 92 apart have one direction, and so are one question.
        let numbers = |note: usize| (0..=note % 4).map(|at| (note * 7 + at * 3) % 92).collect();
        let notes: Vec<Vec<usize>> = (0..40).map(numbers).collect();
        let mut association = Association::default();
        for (ord, numbers) in (0..).zip(&notes) {
            let made = numbers.iter().map(|&number| {
                let row = Row::new(&vector(number), DIMS).unwrap();
                let mut trace = Trace::new(TraceScope::Everyone, "", WeightedTerms::default(), row);
                trace.add(TraceEvent { receipt_seq: 1, at: now, cited: true });
                trace
            });
            association.set(ord, made.collect());
        }
        let eligible = Eligible::from_bitmap(&(0..40).filter(|ord| ord % 5 != 0).collect::<RoaringBitmap>(), 40);
        for query in 0..20 {
            let query = vector(query * 13);
            let asked = Asked { vector: PreparedQuery::new(&query, DIMS).ok(), terms: WeightedTerms::new([]) };
            let by = Recaller { agent_id: None, task_id: None, now };
            let found = association.recall(&asked, by, &eligible, &Trust::default(), &config).found;
            let like = |number: usize| cosine(&query, &vector(number));
            let seen = notes.iter().enumerate().filter(|(ord, _)| ord % 5 != 0).flat_map(|(_, numbers)| numbers);
            let questions: BTreeSet<usize> = seen.copied().collect();
            for (ord, numbers) in (0..).zip(&notes) {
                let mut rivals: Vec<f32> =
                    questions.iter().filter(|number| !numbers.contains(number)).map(|&number| like(number)).collect();
                rivals.sort_by(|a, b| b.total_cmp(a));
                let floor = rivals[1].max(0.25);
                let score = |number: &usize| {
                    let own = vector(*number);
                    let ramp = ((cosine(&query, &own) - floor) / (1.0 - floor)).max(0.0).powf(1.3);
                    let unlike: f32 = numbers.iter().map(|other| 1.0 - cosine(&own, &vector(*other))).sum();
                    0.8 * ramp / (1.0 + unlike / 2.0).powi(2)
                };
                let dull = numbers.iter().map(score).fold(0.0, f32::max);
                let dull = if ord % 5 == 0 { 0.0 } else { dull };
                let fast = found.iter().find(|note| note.ord == ord).map_or(0.0, |note| note.score);
                assert!((fast - dull).abs() < 0.02, "{ord}: {fast} {dull}");
            }
        }
    }
}
