use super::*;
use crate::config::LearningConfig;
use crate::memory::weights::gate::wilson_lower_bound;
use crate::model::Verdict;

/// Lexical scores far above what matters here, and the vector scout's deciding.
fn node(lexical: f64, vector: f64, verdict: Verdict) -> JudgedNode {
    JudgedNode {
        scouts: [lexical, vector, 0.0, 0.0, 0.0, 0.0, 0.0],
        deltas: [0.0; 5],
        fixed_delta: 0.0,
        factor: 1.0,
        association: None,
        verdict: Some(verdict),
    }
}

/// A receipt on which the caller cited what the vector scout liked and words did not, or the other way round.
fn receipt(question: u64, meaning: bool) -> JudgedReceipt {
    let (first, second) = if meaning { (Verdict::Ignored, Verdict::Cited) } else { (Verdict::Cited, Verdict::Ignored) };
    JudgedReceipt { question, nodes: vec![node(0.5, 0.2, first), node(0.4, 0.4, second)] }
}

fn shipped() -> Weights {
    Weights::shipped(&RankingConfig::default())
}

fn learned(receipts: &[JudgedReceipt]) -> Weights {
    fit(receipts.iter(), &shipped(), &LearningConfig::default())
}

#[test]
fn nothing_judged_leaves_the_shipped_weights() {
    let (learned, shipped) = (learned(&[]), shipped());
    assert!(learned.scouts.iter().zip(shipped.scouts).all(|(own, other)| (own - other).abs() < 1e-6));
    assert_eq!(learned.factors, shipped.factors);
}

#[test]
fn a_scout_that_likes_what_is_cited_gains_weight_and_the_others_lose() {
    let receipts: Vec<_> = (0..50).map(|at| receipt(at, true)).collect();
    let [lexical, vector, ..] = learned(&receipts).scouts;
    let [lexical_before, vector_before, ..] = shipped().scouts;
    assert!(vector > vector_before + 0.05 && lexical < lexical_before - 0.05, "{lexical} {vector}");
}

#[test]
fn more_receipts_move_the_weights_further() {
    let weight = |count| learned(&(0..count).map(|at| receipt(at, true)).collect::<Vec<_>>()).scouts[1];
    assert!(weight(1) < weight(10) && weight(10) < weight(100));
}

#[test]
fn no_scout_gets_a_negative_weight_and_they_stay_one_in_sum() {
    let against = |at| JudgedReceipt {
        question: at,
        nodes: vec![node(0.1, 0.9, Verdict::Misleading), node(0.9, 0.0, Verdict::Cited)],
    };
    let weights = learned(&(0..2000).map(against).collect::<Vec<_>>());
    assert!(weights.scouts.iter().all(|weight| *weight >= 0.0), "{weights:?}");
    assert!((weights.scouts.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn what_is_learned_is_where_the_loss_is_least() {
    // Against a dull descent by small steps along one weight at a time, with the loss written out once more.
    let config = LearningConfig { misleading_weight: 1.0, ..LearningConfig::default() };
    let receipts: Vec<_> = (0..6).map(|at| receipt(at, at % 3 != 0)).collect();
    let start = shipped();
    let loss = |weights: &Weights| -> f64 {
        let score = |node: &JudgedNode| node.scouts.iter().zip(weights.scouts).map(|(s, w)| s * w).sum::<f64>() / 1.15;
        let of_receipt = |receipt: &JudgedReceipt| -> f64 {
            let cited = receipt.nodes.iter().position(|node| node.verdict == Some(Verdict::Cited)).unwrap();
            let lead = score(&receipt.nodes[cited]) - score(&receipt.nodes[1 - cited]);
            ((cited + 1) as f64).sqrt() * (1.0 + (-config.slope * lead).exp()).ln()
        };
        let prior = |(own, other): (&f64, f64)| ((own - other) / config.scout_spread).powi(2) / 2.0;
        receipts.iter().map(of_receipt).sum::<f64>() + weights.scouts.iter().zip(start.scouts).map(prior).sum::<f64>()
    };
    let mut dull = start;
    let mut step = 0.05;
    while step > 1e-7 {
        let before = loss(&dull);
        for at in 0..2 {
            for by in [step, -step] {
                let mut tried = dull;
                tried.scouts[at] += by;
                if loss(&tried) < loss(&dull) {
                    dull = tried;
                }
            }
        }
        if loss(&dull) >= before {
            step /= 2.0;
        }
    }
    let (fast, dull) = (fit(receipts.iter(), &start, &config), dull.bounded());
    assert!(fast.scouts.iter().zip(dull.scouts).all(|(a, b)| (a - b).abs() < 1e-4), "{fast:?} {dull:?}");
}

#[test]
fn weights_that_help_on_receipts_they_were_not_trained_on_are_blended_in() {
    let receipts: Vec<_> = (0..200).map(|at| receipt(at, true)).collect();
    let seen = shadow(&receipts, &shipped(), &LearningConfig::default());
    assert_eq!((seen.receipts, seen.discordant, seen.wins), (200, 200, 200));
    assert_eq!(seen.blend, 0.7);
}

#[test]
fn too_few_judged_receipts_adopt_nothing() {
    let receipts: Vec<_> = (0..99).map(|at| receipt(at, true)).collect();
    let seen = shadow(&receipts, &shipped(), &LearningConfig::default());
    assert!(seen.lower_bound > 0.9);
    assert_eq!(seen.blend, 0.0);
}

#[test]
fn callers_who_contradict_each_other_adopt_nothing() {
    let receipts: Vec<_> = (0..400).map(|at| receipt(at, at / 5 % 2 == 0)).collect();
    assert_eq!(shadow(&receipts, &shipped(), &LearningConfig::default()).blend, 0.0);
}

#[test]
fn receipts_that_asked_the_same_are_held_out_together() {
    // One question, asked two hundred times: there is never anything to train on.
    let receipts: Vec<_> = (0..200).map(|_| receipt(7, true)).collect();
    assert_eq!(shadow(&receipts, &shipped(), &LearningConfig::default()).discordant, 0);
}

#[test]
fn a_question_counts_once_however_often_it_was_asked() {
    // Ten questions, each judged the same twenty times: too few to be sure of others.
    let receipts: Vec<_> = (0..200).map(|at| receipt(at % 10, true)).collect();
    let seen = shadow(&receipts, &shipped(), &LearningConfig::default());
    assert_eq!((seen.receipts, seen.discordant, seen.wins), (200, 10, 10));
    assert_eq!(seen.blend, 0.0);
}

#[test]
fn wilsons_bound_agrees_with_its_formula() {
    // 8 of 10 at z = 1.96: .490 to .943.
    assert!((wilson_lower_bound(8, 10, 1.96) - 0.4902).abs() < 1e-4);
    assert_eq!(wilson_lower_bound(0, 0, 2.0), 0.0);
    assert!(wilson_lower_bound(0, 20, 2.0).abs() < 1e-12);
}

#[test]
fn a_blend_lies_between_both() {
    let other = Weights { scouts: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], factors: [2.0; 5] };
    let blended = other.blended(&shipped(), 0.5);
    assert!(blended.scouts[0] > shipped().scouts[0] && (blended.factors[0] - 1.5).abs() < 1e-12);
}
