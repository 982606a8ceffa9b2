//! Thompson sampling over a few candidates, by its probabilities: what each would win with is computed first, and one
//! number drawn from them. The same distribution as one draw per candidate, and the logged propensity is then exactly
//! the probability that was used.

/// Slices of the scale from 0 to the best score.
const STEPS: usize = 512;
/// Verdicts beyond this count in proportion: the draw then spreads by less than 0.04, and its sum stays short.
const MAX_EVIDENCE: f64 = 200.0;

/// A candidate: its score, and what verdicts have made of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm {
    pub score: f64,
    pub successes: u64,
    /// Weighted, so not whole.
    pub failures: f64,
}

impl Arm {
    /// P(draw ≤ y), the draw being `score · Beta(1 + successes, 1 + failures)`.
    fn cdf(&self, y: f64) -> f64 {
        let x = y / self.score;
        if x >= 1.0 {
            return 1.0;
        }
        let share = (MAX_EVIDENCE / (self.successes as f64 + self.failures)).min(1.0);
        let successes = (self.successes as f64 * share) as u64;
        beta_cdf(x, successes + 1, 1.0 + self.failures * share)
    }
}

/// `I_x(a, b)` for a whole `a`: that a negative binomial count reaches a, `1 − (1 − x)^b Σ_{j<a} (b)_j / j! · x^j`
/// (Abramowitz and Stegun 26.5.6 with 26.5.26, for any real b). `x` in [0, 1); in logarithms, since a power of a
/// small number underflows where the sum does not.
fn beta_cdf(x: f64, a: u64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let mut term = b * (-x).ln_1p();
    let mut sum = term.exp();
    for j in 0..a.saturating_sub(1) {
        let j = j as f64;
        term += (x * (b + j) / (j + 1.0)).ln();
        sum += term.exp();
    }
    (1.0 - sum).clamp(0.0, 1.0)
}

/// For each candidate the probability that its draw is the largest, `∫ f_i(y) Π_{j≠i} F_j(y) dy`, summed over slices of
/// the scale; 1 in sum. Zeros where no score is positive.
pub(crate) fn propensities(arms: &[Arm]) -> Vec<f64> {
    let top = arms.iter().map(|arm| arm.score).fold(0.0, f64::max);
    let mut won = vec![0.0; arms.len()];
    if !(top > 0.0 && top.is_finite()) {
        return won;
    }
    let at = |step: usize| -> Vec<f64> {
        let y = top * step as f64 / STEPS as f64;
        arms.iter().map(|arm| if arm.score > 0.0 { arm.cdf(y) } else { 1.0 }).collect()
    };
    let mut below = at(0);
    for step in 1..=STEPS {
        let above = at(step);
        let middle: Vec<f64> = below.iter().zip(&above).map(|(low, high)| (low + high) / 2.0).collect();
        // The product of all others, without dividing by what may be 0: what stands before, times what stands after.
        let mut after = vec![1.0; arms.len()];
        let mut product = 1.0;
        for (rest, middle) in after.iter_mut().zip(&middle).rev() {
            *rest = product;
            product *= middle;
        }
        let mut before = 1.0;
        for ((won, after), ((low, high), middle)) in
            won.iter_mut().zip(after).zip(below.iter().zip(&above).zip(&middle))
        {
            *won += (high - low) * before * after;
            before *= middle;
        }
        below = above;
    }
    let sum: f64 = won.iter().sum();
    won.iter_mut().for_each(|share| *share = if sum > 0.0 { *share / sum } else { 0.0 });
    won
}

/// The place that a number in [0, 1) falls on, each place being as wide as its probability; `None` where all are 0.
pub(crate) fn pick(propensities: &[f64], unit: f64) -> Option<usize> {
    let mut sum = 0.0;
    let mut last = None;
    for (at, &share) in propensities.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        sum += share;
        last = Some(at);
        if unit < sum {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests;
