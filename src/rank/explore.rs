//! Thompson sampling over a few candidates, by its probabilities: what each would win with is computed first, and one
//! number drawn from them. The same distribution as one draw per candidate, and the logged propensity is then exactly
//! the probability that was used.

/// Slices of the scale from 0 to the best score.
const STEPS: usize = 512;
/// Verdicts beyond this count in proportion: the draw then spreads by 0.05 at most, and its sum stays short.
const MAX_EVIDENCE: f64 = 100.0;

/// A candidate: its score, and what verdicts have made of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm {
    pub score: f64,
    pub successes: u64,
    /// Weighted, so not whole.
    pub failures: f64,
}

impl Arm {
    /// What its draw follows, `score · Beta(1 + successes, 1 + failures)`.
    fn draw(&self) -> Draw {
        let share = (MAX_EVIDENCE / (self.successes as f64 + self.failures)).min(1.0);
        let successes = (self.successes as f64 * share) as u64;
        Draw { score: self.score, beta: Beta::new(successes + 1, 1.0 + self.failures * share) }
    }
}

struct Draw {
    score: f64,
    beta: Beta,
}

impl Draw {
    /// P(draw ≤ y).
    fn cdf(&self, y: f64) -> f64 {
        let x = y / self.score;
        if x >= 1.0 { 1.0 } else { self.beta.cdf(x) }
    }
}

/// A beta distribution with a whole `a`, ready to be asked many times.
struct Beta {
    b: f64,
    /// `(b + j)/(j + 1)` for j from 0 to a − 2.
    ratios: Vec<f64>,
}

impl Beta {
    fn new(a: u64, b: f64) -> Self {
        let ratios = (0..a.saturating_sub(1)).map(|j| (b + j as f64) / (j as f64 + 1.0)).collect();
        Self { b, ratios }
    }

    /// `I_x(a, b)`: that a negative binomial count reaches a, `1 − (1 − x)^b Σ_{j<a} (b)_j / j! · x^j` (Abramowitz and Stegun
    /// 26.5.6 with 26.5.26, for any real b). `x` in [0, 1). The power is taken with the sum, in logarithms: alone it underflows
    /// where the product does not. The sum is below `C(a + b, a)`, 1e60 for the evidence that counts.
    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return 0.0;
        }
        let (mut term, mut sum) = (1.0, 1.0);
        for ratio in &self.ratios {
            term *= x * ratio;
            sum += term;
        }
        (1.0 - (self.b * (-x).ln_1p() + sum.ln()).exp()).clamp(0.0, 1.0)
    }
}

/// For each candidate the probability that its draw is the largest, `∫ f_i(y) Π_{j≠i} F_j(y) dy`, summed over slices of
/// the scale; 1 in sum. Zeros where no score is positive.
pub(crate) fn propensities(arms: &[Arm]) -> Vec<f64> {
    let top = arms.iter().map(|arm| arm.score).fold(0.0, f64::max);
    let mut won = vec![0.0; arms.len()];
    if !(top > 0.0 && top.is_finite()) {
        return won;
    }
    let draws: Vec<Option<Draw>> = arms.iter().map(|arm| (arm.score > 0.0).then(|| arm.draw())).collect();
    let at = |step: usize| -> Vec<f64> {
        let y = top * step as f64 / STEPS as f64;
        draws.iter().map(|draw| draw.as_ref().map_or(1.0, |draw| draw.cdf(y))).collect()
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
            // Where both are all but 1, rounding may put the upper one below.
            *won += (high - low).max(0.0) * before * after;
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
