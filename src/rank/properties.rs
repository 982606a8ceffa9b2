//! What must hold of the ranking for any scouts' answers, any memory and any configuration.

use proptest::prelude::*;

use super::*;
use crate::clock::Timestamp;
use crate::config::RankingConfig;
use crate::model::{Ordinal, Status};
use crate::projection::Eligible;
use crate::projection::Named;
use crate::scouts::{Candidate, PerScout, Reason, ScoutKind};
use crate::text::Sketch;

const NOTES: usize = 6;

/// Notes of which only the ids are known, in the reverse of their ordinals' order.
struct Ids(Vec<String>);

impl Ids {
    fn reversed() -> Self {
        Self((0..NOTES).map(|ord| format!("n{}", NOTES - ord)).collect())
    }
}

impl Notes for Ids {
    fn id(&self, ord: Ordinal) -> Option<&str> {
        self.0.get(ord as usize).map(String::as_str)
    }
    fn label(&self, _: Ordinal) -> String {
        String::new()
    }
    fn named(&self, _: &str, _: &Eligible) -> Vec<Named> {
        Vec::new()
    }
    fn tags_named(&self, _: &str, _: &Eligible, _: &Eligible) -> Vec<(std::sync::Arc<str>, f32, Vec<Ordinal>)> {
        Vec::new()
    }
    fn newest(&self, _: &Eligible, _: usize, _: bool) -> Vec<(Ordinal, Timestamp)> {
        Vec::new()
    }
    fn expiring(&self, _: &Eligible, _: Timestamp, _: usize) -> Vec<(Ordinal, Timestamp)> {
        Vec::new()
    }
}

/// For each scout and note the raw score, where it proposed the note.
type Proposals = Vec<Vec<Option<f32>>>;

fn raw(scout: usize) -> BoxedStrategy<f32> {
    match scout {
        0 => (0.0..60.0_f32).boxed(),
        1 => (-1.0..1.0_f32).boxed(),
        _ => (0.0..1.0_f32).boxed(),
    }
}

fn proposals() -> impl Strategy<Value = Proposals> {
    let of_scout = |scout| prop::collection::vec(prop::option::of(raw(scout)), NOTES);
    (0..7).map(of_scout).collect::<Vec<_>>()
}

fn weights() -> impl Strategy<Value = PerScout<f32>> {
    prop::collection::vec(0.0..1.0_f32, 7).prop_map(|raw| {
        let sum: f32 = raw.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let mut weights = PerScout::default();
        for (kind, weight) in ScoutKind::ALL.into_iter().zip(raw) {
            *weights.get_mut(kind) = weight / sum;
        }
        weights
    })
}

fn scale() -> impl Strategy<Value = Scale> {
    (0.0..100.0_f32, 0.0..2.0_f32).prop_map(|(idf_sum, kappa)| Scale { idf_sum, kappa })
}

fn fused(proposals: &Proposals, weights: &PerScout<f32>, scale: Scale) -> Vec<Ranked> {
    let answers: Vec<Vec<Candidate>> = proposals
        .iter()
        .map(|of_scout| {
            (0..)
                .zip(of_scout)
                .filter_map(|(ord, raw)| {
                    Some(Candidate { ord, raw: (*raw)?, reason: Reason::TagFilter { score: 1.0 }, passage: None })
                })
                .collect()
        })
        .collect();
    fuse(ScoutKind::ALL.into_iter().zip(answers.iter().map(Vec::as_slice)), weights, scale)
}

/// Fused and reranked as the pipeline does, equal in memory, in order.
fn ranking(proposals: &Proposals, weights: &PerScout<f32>, scale: Scale) -> Vec<Ranked> {
    let mut ranked = fused(proposals, weights, scale);
    for candidate in &mut ranked {
        let affinity = candidate.parts.graph.as_ref().map_or(0.0, |part| f64::from(part.calibrated));
        rerank(candidate, &RerankInput { affinity, ..plain() }, &RankingConfig::default(), &Deltas::by_name(|_| 1.0));
    }
    sort(&mut ranked, &Ids::reversed());
    ranked
}

fn plain() -> RerankInput<'static> {
    RerankInput {
        salience: 0.5,
        usage: 0.0,
        updated_at: Timestamp::from_seconds(0),
        now: Timestamp::from_seconds(0),
        note_type: "note",
        status: Status::Active,
        affinity: 0.0,
        coactivation: 0.0,
    }
}

/// Any memory, times at the ends of the scale and numbers that are none included.
fn input() -> impl Strategy<Value = RerankInput<'static>> {
    let share = || prop_oneof![8 => 0.0..=1.0_f64, 1 => prop::num::f64::ANY];
    let time = || prop_oneof![4 => (0..4_000_000_000_i64).prop_map(Timestamp::from_seconds), 1 => any::<i64>().prop_map(Timestamp::from_micros)];
    let word = prop::sample::select(vec!["note", "moc", "template", "decision"]);
    let status = prop::sample::select(Status::ALL.to_vec());
    (share(), share(), time(), time(), word, status, share(), share()).prop_map(
        |(salience, usage, updated_at, now, note_type, status, affinity, coactivation)| RerankInput {
            salience,
            usage,
            updated_at,
            now,
            note_type,
            status,
            affinity,
            coactivation,
        },
    )
}

/// Any factors, also such as pass the bound together.
fn config() -> impl Strategy<Value = RankingConfig> {
    prop::collection::vec(0.0..0.4_f64, 6).prop_map(|deltas| match deltas.as_slice() {
        &[salience_delta, usage_delta, recency_delta, note_type_delta, graph_delta, status_delta] => RankingConfig {
            salience_delta,
            usage_delta,
            recency_delta,
            note_type_delta,
            graph_delta,
            status_delta,
            ..RankingConfig::default()
        },
        _ => RankingConfig::default(),
    })
}

fn reranked(fused: f64, input: &RerankInput<'_>, config: &RankingConfig) -> Ranked {
    let mut ranked = Ranked { fused, ..Ranked::new(0) };
    rerank(&mut ranked, input, config, &Deltas::by_name(|_| 1.0));
    ranked
}

fn scores() -> impl Strategy<Value = Vec<f64>> {
    // Few distinct values, so that ties come up.
    prop::collection::vec(prop_oneof![(0..4_u8).prop_map(|n| f64::from(n) / 4.0), 0.0..=1.0_f64], 0..=NOTES)
}

fn with_scores(scores: &[f64]) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> =
        (0..).zip(scores).map(|(ord, &score)| Ranked { score, fused: score, ..Ranked::new(ord) }).collect();
    sort(&mut ranked, &Ids::reversed());
    ranked
}

fn never_increases(ranked: &[Ranked]) -> bool {
    ranked.windows(2).all(|pair| match pair {
        [above, below] => above.score >= below.score,
        _ => true,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn more_evidence_never_moves_a_note_down(
        before in proposals(), weights in weights(), scale in scale(),
        scout in 0..7_usize, note in 0..NOTES, more in 0.0..1.0_f32,
    ) {
        let mut after = before.clone();
        let slot = &mut after[scout][note];
        let most = if scout == 0 { 60.0 } else { 1.0 };
        *slot = Some(slot.map_or(more * most, |raw| raw + more * (most - raw)));
        let place = |proposals: &Proposals| {
            let ranked = ranking(proposals, &weights, scale);
            let at = ranked.iter().position(|candidate| candidate.ord as usize == note);
            at.map(|at| (at, ranked[at].fused, ranked[at].score))
        };
        let (at, fused, score) = place(&after).unwrap();
        if let Some((was_at, was_fused, was_score)) = place(&before) {
            prop_assert!(fused >= was_fused, "fused {was_fused} became {fused}");
            prop_assert!(score >= was_score, "score {was_score} became {score}");
            prop_assert!(at <= was_at, "place {was_at} became {at}");
        }
    }

    #[test]
    fn a_fused_score_is_the_weighted_sum_of_calibrated_ones_within_0_and_1(
        proposals in proposals(), weights in weights(), scale in scale(),
    ) {
        for candidate in fused(&proposals, &weights, scale) {
            let parts = candidate.parts.iter().filter_map(|(_, part)| part.as_ref());
            let sum: f64 = parts.map(|part| f64::from(part.weight) * f64::from(part.calibrated)).sum();
            prop_assert!((0.0..=1.0).contains(&candidate.fused));
            prop_assert!((candidate.fused - sum).abs() < 1e-6);
        }
    }

    #[test]
    fn calibration_stays_within_0_and_1_and_rises_with_the_raw_score(
        scout in 0..7_usize, a in prop::num::f32::NORMAL | prop::num::f32::ZERO, b in -100.0..100.0_f32, scale in scale(),
    ) {
        let kind = ScoutKind::ALL[scout];
        let (low, high) = (calibrate(kind, a.min(b), scale), calibrate(kind, a.max(b), scale));
        prop_assert!((0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high));
        prop_assert!(low <= high);
    }

    #[test]
    fn rerank_factors_stay_within_their_bound_and_scores_within_0_and_1(
        fused in 0.0..=1.0_f64, input in input(), config in config(),
    ) {
        let ranked = reranked(fused, &input, &config);
        let sum = ranked.deltas.sum();
        prop_assert!(sum.abs() <= MAX_DELTA + 1e-12, "Σδ = {sum}");
        prop_assert!((0.0..=1.0).contains(&ranked.score), "{}", ranked.score);
        prop_assert!((ranked.score - fused * (1.0 + sum) / 1.15).abs() < 1e-12);
    }

    #[test]
    fn with_equal_evidence_the_more_salient_note_wins(
        fused in 0.01..=1.0_f64, salience in 0.0..=0.99_f64, more in 0.001..=1.0_f64, input in input(),
    ) {
        let score = |salience| reranked(fused, &RerankInput { salience, ..input }, &RankingConfig::default()).score;
        prop_assert!(score((salience + more).min(1.0)) > score(salience));
    }

    #[test]
    fn no_memory_lifts_a_note_above_one_with_clearly_more_evidence(
        fused in 0.0..0.7_f64, popular in input(), plain in input(), config in config(),
    ) {
        let clearly_more = fused * 1.15 / 0.85 + 1e-6;
        prop_assert!(reranked(clearly_more, &plain, &config).score > reranked(fused, &popular, &config).score);
    }

    #[test]
    fn bare_retrieves_move_a_score_by_half_a_percent_at_most(
        fused in 0.001..=1.0_f64, input in input(), config in config(),
        usage in 0.0..=1.0_f64, coactivation in 0.0..=1.0_f64,
    ) {
        let untouched = reranked(fused, &RerankInput { usage: 0.0, coactivation: 0.0, ..input }, &config).score;
        let touched = reranked(fused, &RerankInput { usage, coactivation, ..input }, &config).score;
        prop_assert!((touched - untouched).abs() <= 0.005 * untouched, "{untouched} became {touched}");
    }

    #[test]
    fn near_duplicate_demotion_raises_nothing_and_keeps_the_order(
        scores in scores(), factor in 0.0..=1.5_f64, twin_of in prop::collection::vec(0..3_u64, NOTES),
    ) {
        let before = with_scores(&scores);
        let mut after = before.clone();
        let topic = |ord: Ordinal| twin_of[ord as usize];
        demote_near_duplicates(
            &mut after, factor, 0.8, 100, &Ids::reversed(),
            |ord| Some(Sketch::of(&(0..40_u64).map(|word| topic(ord) * 1000 + word).collect::<Vec<_>>())),
            |a, b| f64::from(u8::from(topic(a) == topic(b))),
        );
        prop_assert_eq!(after.len(), before.len());
        for candidate in &before {
            let now = after.iter().find(|after| after.ord == candidate.ord).unwrap();
            prop_assert!(now.score <= candidate.score);
            prop_assert!((now.score - candidate.score * now.near_duplicate).abs() < 1e-12);
        }
        let mut seen = std::collections::BTreeSet::new();
        for candidate in &before {
            let demoted = after.iter().any(|after| after.ord == candidate.ord && after.near_duplicate < 1.0);
            let first = seen.insert(topic(candidate.ord));
            prop_assert!(!(first && demoted), "the best of its kind was demoted");
            prop_assert!(first || demoted || factor >= 1.0, "a repetition was not demoted");
        }
        prop_assert!(never_increases(&after));
    }

    #[test]
    fn diversity_reorders_the_window_only_and_raises_nothing(
        scores in prop::collection::vec(0.0..=1.0_f64, 0..45), diversity in 0.0..=1.0_f64, kinds in 1..6_u32,
    ) {
        let ids = Ids((0..45).map(|ord| format!("n{ord:02}")).collect());
        let mut before: Vec<Ranked> =
            (0..).zip(&scores).map(|(ord, &score)| Ranked { score, ..Ranked::new(ord) }).collect();
        sort(&mut before, &ids);
        let mut after = before.clone();
        diversify(&mut after, diversity, &ids, |a, b| Some(if a % kinds == b % kinds { 0.9 } else { 0.1 }));
        let window = |ranked: &[Ranked]| {
            let mut ords: Vec<_> = ranked.iter().take(30).map(|candidate| candidate.ord).collect();
            ords.sort_unstable();
            ords
        };
        prop_assert_eq!(window(&after), window(&before));
        prop_assert_eq!(after.len(), before.len());
        prop_assert!(never_increases(&after));
        for candidate in &after {
            let was = before.iter().find(|before| before.ord == candidate.ord).unwrap();
            prop_assert!(candidate.score <= was.score);
            prop_assert!((candidate.score - was.score * candidate.diversity).abs() < 1e-9);
        }
    }

    #[test]
    fn the_order_is_by_score_then_id_whatever_order_candidates_came_in(
        scores in scores(), shuffle in prop::collection::vec(any::<u32>(), NOTES),
    ) {
        let expected = with_scores(&scores);
        let mut shuffled = expected.clone();
        shuffled.sort_by_key(|candidate| shuffle[candidate.ord as usize]);
        sort(&mut shuffled, &Ids::reversed());
        let key = |ranked: &[Ranked]| ranked.iter().map(|candidate| candidate.ord).collect::<Vec<_>>();
        prop_assert_eq!(key(&shuffled), key(&expected));
        for pair in expected.windows(2) {
            let ids = Ids::reversed();
            let (above, below) = (&pair[0], &pair[1]);
            prop_assert!(above.score > below.score || (above.score == below.score && ids.id(above.ord) < ids.id(below.ord)));
        }
    }
}
