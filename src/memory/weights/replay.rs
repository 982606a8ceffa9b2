//! Ranking a receipt's notes under other weights, and what its citations gain by it.

use std::collections::BTreeMap;

use super::fit::position_weight;
use super::{FACTORS, JudgedNode, Weights};
use crate::config::LearningConfig;
use crate::error::{Error, Result};
use crate::scouts::ScoutKind;

/// Scores closer than this are equal: it is beyond what adding them up in another order moves.
const SAME: f64 = 1e-12;

/// The places of `nodes` in the order of their scores under `weights`, best first; of equal scores, as they stand.
pub(crate) fn order(nodes: &[JudgedNode], weights: &Weights) -> Vec<usize> {
    let mut scored: Vec<(usize, f64)> = nodes.iter().map(|node| node.score(weights)).enumerate().collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    // By runs, since being close is not transitive: diversity sets notes apart by a single step of a number.
    for run in scored.chunk_by_mut(|above, below| above.1 - below.1 <= SAME) {
        run.sort_by_key(|(place, _)| *place);
    }
    scored.into_iter().map(|(place, _)| place).collect()
}

/// What each note is worth: 1 where it was cited, or with `corrected` what the gate counts a citation at its place.
pub(crate) fn citations(nodes: &[JudgedNode], corrected: Option<&LearningConfig>) -> Vec<f64> {
    let worth = |rank| corrected.map_or(1.0, |config| position_weight(rank, config));
    nodes.iter().enumerate().map(|(rank, node)| if node.is_cited() { worth(rank) } else { 0.0 }).collect()
}

/// nDCG at `k` of `gains` in this order of places, over that of their best order; 0 where nothing gains.
pub(crate) fn ndcg(gains: &[f64], order: impl Iterator<Item = usize>, k: usize) -> f64 {
    let dcg = |ranked: &mut dyn Iterator<Item = f64>| -> f64 {
        ranked.take(k).enumerate().map(|(rank, gain)| gain / ((rank + 2) as f64).log2()).sum()
    };
    let own = dcg(&mut order.filter_map(|place| gains.get(place).copied()));
    let mut best = gains.to_vec();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal = dcg(&mut best.into_iter());
    if ideal > 0.0 { own / ideal } else { 0.0 }
}

/// Whether a weight of this name may have this value: a scout's, or `delta_` and a learned factor, 0 and up.
pub(crate) fn check_weight(name: &str, value: f64) -> Result<()> {
    let scouts = ScoutKind::ALL.map(|kind| kind.name().to_owned());
    let factors = FACTORS.map(|name| format!("delta_{name}"));
    if !scouts.iter().chain(&factors).any(|known| known == name) {
        return Err(Error::invalid(format!(
            "expected a scout ({}) or a rerank factor ({}), found {name:?}",
            scouts.join(", "),
            factors.join(", ")
        )));
    }
    if !(value.is_finite() && value >= 0.0) {
        return Err(Error::invalid(format!("expected a finite {name} of 0 or more, found {value}")));
    }
    Ok(())
}

impl Weights {
    /// These with the scouts scaled to 1 in sum; `record` is what they were read from.
    ///
    /// # Errors
    /// `invalid_input` where no scout counts: there is nothing to rank by.
    pub(crate) fn scaled(mut self, record: &BTreeMap<String, f64>) -> Result<Self> {
        let sum: f64 = self.scouts.iter().sum();
        if sum <= 0.0 {
            return Err(Error::invalid(format!(
                "expected a scout with a weight above 0, found none among {record:?}; give one of them some weight"
            )));
        }
        // Left as they are where they sum to 1 already, so that weights in force stay what they are to the bit.
        if (sum - 1.0).abs() > 1e-6 {
            self.scouts = self.scouts.map(|weight| weight / sum);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Verdict;

    fn node(scouts: [f64; 7], verdict: Option<Verdict>) -> JudgedNode {
        JudgedNode { scouts, deltas: [0.0; 5], fixed_delta: 0.0, factor: 1.0, association: None, verdict }
    }

    fn weights(lexical: f64) -> Weights {
        Weights { scouts: [lexical, 1.0 - lexical, 0.0, 0.0, 0.0, 0.0, 0.0], factors: [1.0; 5] }
    }

    #[test]
    fn equal_scores_stay_in_their_order() {
        let twin = node([0.5; 7], None);
        let nodes = [twin.clone(), twin.clone(), node([0.9; 7], None), twin];
        assert_eq!(order(&nodes, &weights(0.3)), [2, 0, 1, 3]);
    }

    #[test]
    fn scores_a_step_apart_stay_in_their_order() {
        let lower = JudgedNode { factor: 1.0_f64.next_down(), ..node([0.5; 7], None) };
        assert_eq!(order(&[lower, node([0.5; 7], None)], &weights(0.3)), [0, 1]);
    }

    #[test]
    fn ndcg_is_that_of_the_hand() {
        // Cited at the second and third of three places, then first and third.
        let gains = [0.0, 1.0, 1.0];
        let ideal = 1.0 + 1.0 / 3.0_f64.log2();
        let before = (1.0 / 3.0_f64.log2() + 0.5) / ideal;
        assert!((ndcg(&gains, 0..3, 10) - before).abs() < 1e-12);
        assert!((ndcg(&gains, [1, 0, 2].into_iter(), 10) - 1.5 / ideal).abs() < 1e-12);
        assert_eq!(ndcg(&gains, 0..3, 1), 0.0);
        assert_eq!(ndcg(&[0.0; 3], 0..3, 10), 0.0);
    }

    #[test]
    fn a_corrected_citation_counts_by_where_it_stood() {
        let (cited, other) = (node([0.0; 7], Some(Verdict::Cited)), node([0.0; 7], Some(Verdict::Ignored)));
        let nodes = [cited.clone(), other.clone(), other, cited];
        assert_eq!(citations(&nodes, None), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(citations(&nodes, Some(&LearningConfig::default())), [1.0, 0.0, 0.0, 2.0]);
    }

    #[test]
    fn a_weight_of_another_name_or_below_0_is_refused() {
        assert!(check_weight("scout_graph", 0.0).is_ok() && check_weight("delta_status", 3.0).is_ok());
        for (name, value) in [("lexical", 0.1), ("delta_usage", 1.0), ("scout_tag", -0.1), ("scout_tag", f64::NAN)] {
            assert!(check_weight(name, value).is_err(), "{name} {value}");
        }
    }
}
