//! Means with their intervals, by the bootstrap.

use serde::{Deserialize, Serialize};

use crate::random::Random;

/// A mean and its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean of what was measured.
    pub mean: f64,
    /// 2.5 % of the resamples' means are below.
    pub lo: f64,
    /// 2.5 % are above.
    pub hi: f64,
}

/// The mean of values, one per query, with its percentile bootstrap interval (Efron, 1979). Differences between two
/// systems, query by query, give the paired interval. Zeros for no values; the same for the same seed.
///
/// ```
/// let interval = terrace::eval::mean_interval(&[0.0, 1.0, 1.0, 1.0], 1_000, 1);
/// assert_eq!(interval.mean, 0.75);
/// assert!(interval.lo < 0.75 && interval.hi > 0.75);
/// ```
pub fn mean_interval(values: &[f64], resamples: usize, seed: u64) -> Interval {
    let count = values.len();
    if count == 0 {
        return Interval::default();
    }
    let mean = values.iter().sum::<f64>() / count as f64;
    let mut means: Vec<f64> = (0..resamples)
        .map(|stream| {
            let mut random = Random::new(seed, stream as u64);
            let drawn = (0..count).filter_map(|_| values.get(random.below(count as u64) as usize));
            drawn.sum::<f64>() / count as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at =
        |share: f64| means.get((share * resamples.saturating_sub(1) as f64).round() as usize).copied().unwrap_or(mean);
    Interval { mean, lo: at(0.025), hi: at(0.975) }
}

/// The mean of `second − first` over pairs of values, one pair per query, with its interval; and the two means.
pub(super) fn paired(pairs: &[(f64, f64)], resamples: usize, seed: u64) -> (f64, f64, Interval) {
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len().max(1) as f64;
    let differences: Vec<f64> = pairs.iter().map(|(first, second)| second - first).collect();
    (mean(|pair| pair.0), mean(|pair| pair.1), mean_interval(&differences, resamples, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_all_the_same_leave_no_doubt() {
        let interval = mean_interval(&[0.4; 9], 200, 1);
        assert!((interval.lo - 0.4).abs() < 1e-12 && (interval.hi - 0.4).abs() < 1e-12);
        assert_eq!(mean_interval(&[], 200, 1), Interval::default());
    }

    #[test]
    fn more_values_narrow_the_interval_as_their_root() {
        let width = |count: usize| {
            let values: Vec<f64> = (0..count).map(|at| f64::from(at % 2 == 0)).collect();
            let interval = mean_interval(&values, 4_000, 7);
            interval.hi - interval.lo
        };
        // A fair coin: 2 · 1.96 · 0.5 / √n.
        assert!((width(100) - 0.196).abs() < 0.025, "{}", width(100));
        assert!((width(400) - 0.098).abs() < 0.015, "{}", width(400));
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let values: Vec<f64> = (0..50).map(|at| f64::from(at) / 50.0).collect();
        assert_eq!(mean_interval(&values, 500, 3), mean_interval(&values, 500, 3));
        assert_ne!(mean_interval(&values, 500, 3), mean_interval(&values, 500, 4));
    }
}
