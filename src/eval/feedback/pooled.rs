//! Several sets' simulations as one, every query counting the same.

use serde::{Deserialize, Serialize};

use super::report::{FeedbackReport, QueryShift, Shift};
use super::streams::PerStream;
use crate::error::{Error, Result};

/// Shifts over the queries of several reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PooledFeedback {
    /// Reports pooled.
    pub sets: usize,
    /// As [`FeedbackReport::same_needs`].
    pub same_needs: PerStream<Shift>,
    /// As [`FeedbackReport::new_needs`].
    pub new_needs: PerStream<Shift>,
}

impl PooledFeedback {
    /// Pools the queries of these reports; intervals are a paired bootstrap over all of them.
    ///
    /// # Errors
    /// `invalid_input` when there is none, or their cutoffs differ.
    pub fn of(reports: &[FeedbackReport], resamples: usize, seed: u64) -> Result<Self> {
        let first =
            reports.first().ok_or_else(|| Error::invalid("expected at least one report to pool, found none"))?;
        if let Some(other) = reports.iter().find(|other| other.k != first.k) {
            let (a, b) = (first.k, other.k);
            return Err(Error::invalid(format!("expected reports of one k, found {a} and {b}; measure them alike")));
        }
        let shifts = |of: fn(&FeedbackReport) -> &Vec<QueryShift>| {
            let queries: Vec<&QueryShift> = reports.iter().flat_map(of).collect();
            let shift = |after: fn(&QueryShift) -> f64| {
                Shift::of(
                    &queries.iter().map(|query| (query.before, after(query))).collect::<Vec<_>>(),
                    resamples,
                    seed,
                )
            };
            PerStream {
                clean: shift(|query| query.after.clean),
                noisy: shift(|query| query.after.noisy),
                adversarial: shift(|query| query.after.adversarial),
            }
        };
        Ok(Self {
            sets: reports.len(),
            same_needs: shifts(|report| &report.same_needs_by_query),
            new_needs: shifts(|report| &report.new_needs_by_query),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(k: usize, values: &[(f64, f64)]) -> FeedbackReport {
        let shift = |&(before, clean): &(f64, f64)| QueryShift {
            id: String::new(),
            before,
            after: PerStream { clean, noisy: before, adversarial: before },
        };
        let same_needs_by_query = values.iter().map(shift).collect();
        FeedbackReport { k, same_needs_by_query, ..FeedbackReport::default() }
    }

    #[test]
    fn every_query_counts_the_same_whatever_the_size_of_its_set() {
        let pooled =
            PooledFeedback::of(&[report(10, &[(0.0, 1.0)]), report(10, &[(0.5, 0.5); 3])], 200, 1).unwrap().same_needs;
        assert!((pooled.clean.delta - 0.25).abs() < 1e-12);
        assert_eq!((pooled.clean.queries, pooled.noisy.delta), (4, 0.0));
    }

    #[test]
    fn reports_of_different_cutoffs_are_not_pooled() {
        assert!(PooledFeedback::of(&[report(10, &[]), report(5, &[])], 200, 1).is_err());
        assert!(PooledFeedback::of(&[], 200, 1).is_err());
    }
}
