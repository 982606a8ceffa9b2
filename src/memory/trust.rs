//! Trust in association: how often callers cited what it proposed, by how like the query was to the trace.

use crate::config::AssociationConfig;
use crate::model::AssociationRate;

/// Bins of similarity.
const BINS: usize = 20;
const WIDTH: f32 = 1.0 / BINS as f32;
/// The rate of citation expected before any is known.
const EXPECTED: f32 = 0.5;

/// What became of the notes that association proposed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Trust {
    bins: [Bin; BINS],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bin {
    judged: u64,
    cited: u64,
}

impl Trust {
    /// Takes in that a note proposed at this similarity was judged.
    pub(crate) fn judged(&mut self, similarity: f32, cited: bool) {
        let at = ((similarity.max(0.0) / WIDTH) as usize).min(BINS - 1);
        if let Some(bin) = self.bins.get_mut(at) {
            bin.judged += 1;
            bin.cited += u64::from(cited);
        }
    }

    /// What a proposal at this similarity counts, 0 to 1: the rate of citation among proposals of like similarity, with
    /// `trust_prior` more judged ones of which half were cited, as a share of `trusted_rate`.
    pub(crate) fn factor(&self, similarity: f32, config: &AssociationConfig) -> f32 {
        let (mut judged, mut cited) = (config.trust_prior, config.trust_prior * EXPECTED);
        for (at, bin) in self.bins.iter().enumerate() {
            let distance = (similarity - (at as f32 + 0.5) * WIDTH).abs() / WIDTH;
            let near = (1.0 - distance).max(0.0);
            judged += near * bin.judged as f32;
            cited += near * bin.cited as f32;
        }
        let rate = if judged > 0.0 { cited / judged } else { EXPECTED };
        (rate / config.trusted_rate.max(f32::EPSILON)).min(1.0)
    }

    /// The rates, of bins that know any.
    pub(crate) fn rates(&self) -> Vec<AssociationRate> {
        let rate = |(at, bin): (usize, &Bin)| AssociationRate {
            similarity: at as f64 / BINS as f64,
            judged: bin.judged,
            cited: bin.cited,
        };
        self.bins.iter().enumerate().filter(|(_, bin)| bin.judged > 0).map(rate).collect()
    }

    /// From rates as they were kept.
    pub(crate) fn from_rates(rates: &[AssociationRate]) -> Self {
        let mut trust = Self::default();
        for rate in rates {
            let at = (rate.similarity * BINS as f64).round() as usize;
            if let Some(bin) = trust.bins.get_mut(at) {
                *bin = Bin { judged: rate.judged, cited: rate.cited };
            }
        }
        trust
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(similarity: f32, judged: usize, cited: usize) -> Trust {
        let mut trust = Trust::default();
        (0..judged).for_each(|at| trust.judged(similarity, at < cited));
        trust
    }

    #[test]
    fn nothing_judged_is_trusted_in_full() {
        assert_eq!(Trust::default().factor(0.4, &AssociationConfig::default()), 1.0);
    }

    #[test]
    fn what_is_never_cited_loses_trust_at_its_similarity_alone() {
        let (trust, config) = (after(0.32, 200, 0), AssociationConfig::default());
        assert!(trust.factor(0.325, &config) < 0.1);
        assert_eq!(trust.factor(0.6, &config), 1.0);
    }

    #[test]
    fn what_is_cited_often_enough_is_trusted_in_full() {
        assert_eq!(after(0.5, 200, 60).factor(0.52, &AssociationConfig::default()), 1.0);
    }

    #[test]
    fn a_few_verdicts_cost_little() {
        assert!(after(0.5, 4, 0).factor(0.52, &AssociationConfig::default()) > 0.9);
    }

    #[test]
    fn rates_are_kept_as_they_are() {
        let mut trust = after(0.0, 3, 1);
        trust.judged(1.0, true);
        assert_eq!(Trust::from_rates(&trust.rates()), trust);
    }
}
