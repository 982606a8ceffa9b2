use proptest::prelude::*;

use super::*;
use crate::random::Random;

fn arm(score: f64, successes: u64, failures: f64) -> Arm {
    Arm { score, successes, failures }
}

fn assert_near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() < within, "expected {expected}, found {found}");
}

/// Beta(a, b) for whole a and b: the a-th smallest of a + b − 1 uniform numbers.
fn beta(a: u64, b: u64, random: &mut Random) -> f64 {
    let mut drawn: Vec<f64> = (0..a + b - 1).map(|_| random.unit()).collect();
    drawn.sort_by(f64::total_cmp);
    drawn[a as usize - 1]
}

#[test]
fn the_distribution_function_agrees_with_its_closed_forms() {
    for x in [0.0, 0.1, 0.5, 0.9, 0.999] {
        assert_near(Beta::new(1, 1.0).cdf(x), x, 1e-12);
        assert_near(Beta::new(3, 1.0).cdf(x), x * x * x, 1e-12);
        assert_near(Beta::new(1, 2.5).cdf(x), 1.0 - (1.0 - x).powf(2.5), 1e-12);
        assert_near(Beta::new(2, 2.0).cdf(x), x * x * (3.0 - 2.0 * x), 1e-12);
    }
}

#[test]
fn two_equals_win_half_the_time_each() {
    let shares = propensities(&[arm(0.4, 0, 0.0), arm(0.4, 0, 0.0)]);
    assert_near(shares[0], 0.5, 1e-9);
}

#[test]
fn of_two_unproven_notes_one_of_half_the_score_wins_a_quarter() {
    // P(s₂ U₂ > s₁ U₁) = s₂ / 2 s₁ for s₂ ≤ s₁.
    let shares = propensities(&[arm(0.8, 0, 0.0), arm(0.4, 0, 0.0)]);
    assert_near(shares[1], 0.25, 2e-3);
}

#[test]
fn one_citation_wins_two_thirds_against_none() {
    let shares = propensities(&[arm(0.5, 1, 0.0), arm(0.5, 0, 0.0)]);
    assert_near(shares[0], 2.0 / 3.0, 2e-3);
}

#[test]
fn a_condemned_note_wins_less_than_an_unproven_one_and_that_less_than_a_proven_one() {
    let shares = propensities(&[arm(0.5, 0, 6.0), arm(0.5, 0, 0.0), arm(0.5, 4, 0.0)]);
    assert!(shares[0] < shares[1] && shares[1] < shares[2], "{shares:?}");
}

#[test]
fn many_verdicts_narrow_the_draw_and_overflow_nothing() {
    let shares = propensities(&[arm(0.5, u64::MAX, 1.0), arm(0.5, 0, 1e300), arm(0.5, 1_000, 1_000.0)]);
    assert!(shares[0] > 0.999 && shares.iter().all(|share| share.is_finite()), "{shares:?}");
}

#[test]
fn a_note_without_a_score_never_wins() {
    let shares = propensities(&[arm(0.0, 9, 0.0), arm(0.3, 0, 0.0)]);
    assert_eq!((shares[0], shares[1]), (0.0, 1.0));
    assert_eq!(pick(&propensities(&[arm(0.0, 0, 0.0)]), 0.5), None);
    assert_eq!(pick(&propensities(&[arm(f64::NAN, 0, 0.0)]), 0.5), None);
}

#[test]
fn probabilities_are_those_of_one_draw_per_note() {
    let arms = [(0.50, 0, 0), (0.48, 2, 1), (0.47, 0, 4), (0.40, 0, 0), (0.35, 5, 0), (0.20, 1, 0)];
    let exact = propensities(&arms.map(|(score, cited, lost)| arm(score, cited, lost as f64)));
    let mut random = Random::new(11, 0);
    let draws = 20_000;
    let mut won = [0.0; 6];
    for _ in 0..draws {
        let drawn = arms.map(|(score, cited, lost)| score * beta(1 + cited, 1 + lost, &mut random));
        let best = (0..6).max_by(|a, b| drawn[*a].total_cmp(&drawn[*b])).unwrap();
        won[best] += 1.0;
    }
    // Pearson's χ² with 5 degrees of freedom: 20.5 is passed once in a thousand.
    let draws = f64::from(draws);
    let chi: f64 = won.iter().zip(&exact).map(|(won, p)| (won - draws * p).powi(2) / (draws * p)).sum();
    assert!(chi < 20.5, "χ² {chi}: {won:?} of {draws} against {exact:?}");
}

#[test]
fn each_place_is_picked_as_often_as_its_probability_says() {
    let shares = [0.5, 0.0, 0.3, 0.2];
    let mut picked = [0; 4];
    for step in 0..1_000 {
        picked[pick(&shares, f64::from(step) / 1_000.0).unwrap()] += 1;
    }
    assert_eq!(picked, [500, 0, 300, 200]);
}

proptest! {
    #[test]
    fn probabilities_are_one_in_sum_and_never_negative(
        arms in proptest::collection::vec((0.01..1.0f64, 0..60u64, 0.0..60.0f64), 1..40),
    ) {
        let arms: Vec<Arm> = arms.into_iter().map(|(score, cited, lost)| arm(score, cited, lost)).collect();
        let shares = propensities(&arms);
        prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(shares.iter().all(|share| *share >= 0.0));
    }
}
