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

/// Notes, each cited once for the query of this number, seen by everyone.
fn cited(queries: &[usize]) -> (Association, Eligible) {
    let mut association = Association::default();
    for (ord, &number) in (0..).zip(queries) {
        let row = Row::new(&vector(number), DIMS).unwrap();
        let mut trace = Trace::new(TraceScope::Everyone, "", WeightedTerms::default(), row);
        trace.add(TraceEvent { receipt_seq: 1, at: Timestamp::from_seconds(0), cited: true });
        association.set(ord, vec![trace]);
    }
    let all = queries.len() as u32;
    (association, Eligible::from_bitmap(&(0..all).collect::<RoaringBitmap>(), all))
}

/// The notes that are recalled for the query of this number.
fn recalled(queries: &[usize], asked: usize) -> Vec<Ordinal> {
    let (association, eligible) = cited(queries);
    let asked = Asked { vector: PreparedQuery::new(&vector(asked), DIMS).ok(), terms: WeightedTerms::new([]) };
    let by = Recaller { agent_id: None, task_id: None, now: Timestamp::from_seconds(0) };
    let (trust, config) = (Trust::default(), AssociationConfig::default());
    association.recall(&asked, by, &eligible, &trust, &config).found.into_iter().map(|note| note.ord).collect()
}

#[test]
fn of_many_questions_alike_only_the_nearest_are_recalled() {
    // Of one direction, and so all like the query; only two stand above the third.
    assert_eq!(recalled(&[4, 8, 12, 16, 20, 24], 4).len(), 2);
}

#[test]
fn many_notes_of_one_question_are_no_rivals() {
    assert_eq!(recalled(&[4, 4, 4, 4, 4, 4], 4).len(), 6);
}

#[test]
fn what_callers_never_cite_is_recalled_with_less() {
    let (association, eligible) = cited(&[4]);
    let asked = Asked { vector: PreparedQuery::new(&vector(4), DIMS).ok(), terms: WeightedTerms::new([]) };
    let by = Recaller { agent_id: None, task_id: None, now: Timestamp::from_seconds(0) };
    let config = AssociationConfig::default();
    let mut trust = Trust::default();
    let score = |trust: &Trust| association.recall(&asked, by, &eligible, trust, &config).found[0].score;
    let before = score(&trust);
    (0..100).for_each(|_| trust.judged(1.0, false));
    assert!(score(&trust) < before / 3.0);
}
