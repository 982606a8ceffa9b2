//! Counterfactual evaluation from a store's own log: its receipts, ranked under other weights.

mod report;

pub use report::{ReplayGain, ReplayReport, ReplayedReceipt};

use super::bootstrap::paired;
use crate::engine::{Engine, Replayed};
use crate::error::{Error, Result};
use crate::memory::weights::{Weights, check_weight, citations, ndcg, order};
use crate::model::ReplayRequest;

const RESAMPLES: usize = 2_000;
/// Differences of nDCG up to this are none, as in the gate.
const SAME: f64 = 1e-9;

/// Whether [`ReplayRequest::set`] takes a weight of this name and value.
///
/// ```
/// use terrace::eval::check_replay_weight;
/// assert!(check_replay_weight("scout_lexical", 0.3).is_ok());
/// assert!(check_replay_weight("delta_salience", 0.0).is_ok());
/// assert!(check_replay_weight("lexical", 0.3).is_err());
/// ```
///
/// # Errors
/// `invalid_input`, with the names there are, for another name; and for a value below 0 or that is no number.
pub fn check_replay_weight(name: &str, value: f64) -> Result<()> {
    check_weight(name, value)
}

impl Engine {
    /// Ranks stored receipts under other weights, and reports what would have changed, with nDCG of what their callers
    /// cited before and after: counterfactual evaluation from the store's own log.
    ///
    /// A receipt's scores follow from its features and the weights it records. A replay computes them anew under the
    /// weights asked for; equal scores stay in the order in which they were answered. It reads only, and works on a
    /// store opened read-only. It is for the store's owner: it shows the queries of every agent.
    ///
    /// It is an estimate, and its limits are these:
    /// * Only the notes of the receipt are ranked anew. What was cut off by the request's limit is not stored, so a
    ///   replay cannot show notes that other weights would have brought in. nDCG is over the best order of these notes.
    /// * What follows from a ranking is taken as it was: the graph's second wave from the best notes, near-duplicate
    ///   factors, and diversity, which sets notes right below each other, so that little reorders them.
    /// * Rerank factors are multiples of what was configured when the receipt was written. δs that passed ±15 % in sum
    ///   are known as they were scaled back only.
    /// * Callers cite what they see, which favours the ranking as answered. `position_corrected` makes up for some of
    ///   it, among the citations of one receipt: one that cites a single note has the same nDCG in both.
    /// * Verdicts on notes that have been deleted since are gone; the notes stay in the ranking.
    ///
    /// ```
    /// # let dir = std::env::temp_dir().join(format!("terrace-doc-replay-{}", std::process::id()));
    /// # use terrace::{Config, Engine, Feedback, Note, ReplayRequest, RetrieveRequest};
    /// let engine = Engine::open(&dir, Config::default())?;
    /// engine.put(Note::new("Priming the pump", "Open valve B, then fill the riser.").with_id("priming"))?;
    /// engine.put(Note::new("The pump house", "Keys to the pump house hang at the gate.").with_id("house"))?;
    /// let receipt_id = engine.retrieve(&RetrieveRequest::new("start the pump"))?.receipt_id;
    /// engine.feedback(&Feedback { receipt_id, cited: Some(vec!["priming".into()]), misleading: None, ..Feedback::default() })?;
    ///
    /// let mut request = ReplayRequest::default();
    /// assert_eq!(engine.replay(&request)?.reordered, 0, "weights in force are those it was answered under");
    /// request.set.insert("scout_lexical".into(), 0.0);
    /// let report = engine.replay(&request)?;
    /// assert_eq!((report.receipts, report.judged), (1, 1));
    /// println!("nDCG {:.3} → {:.3}", report.citations.before, report.citations.after);
    /// # drop(engine); std::fs::remove_dir_all(&dir).ok();
    /// # Ok::<(), terrace::Error>(())
    /// ```
    ///
    /// # Errors
    /// `invalid_input` for a weight that [`check_replay_weight`] refuses, where no scout has any weight, and for a `limit`
    /// or `k` of 0; `not_found` where trained weights are asked for and there are none; `corrupt`, naming the receipt,
    /// when one cannot be read.
    pub fn replay(&self, request: &ReplayRequest) -> Result<ReplayReport> {
        for (name, value) in [("limit", request.limit), ("k", request.k)] {
            if value == 0 {
                return Err(Error::invalid(format!("expected a {name} of 1 or more, found 0")));
            }
        }
        let (weights, record) = self.replay_weights(request)?;
        let mut tally = Tally {
            report: ReplayReport { weights: record, k: request.k, ..ReplayReport::default() },
            plain: Vec::new(),
            corrected: Vec::new(),
        };
        self.for_each_replayed(request, |receipt| tally.take(&receipt, &weights, self, request.show))?;
        Ok(tally.finish(request))
    }
}

/// A report in the making, with nDCG before and after of every judged receipt.
struct Tally {
    report: ReplayReport,
    plain: Vec<(f64, f64)>,
    corrected: Vec<(f64, f64)>,
}

impl Tally {
    fn take(&mut self, receipt: &Replayed, weights: &Weights, engine: &Engine, show: usize) {
        let (report, nodes) = (&mut self.report, &receipt.nodes);
        if receipt.failed {
            report.failed += 1;
            return;
        }
        if nodes.is_empty() {
            report.empty += 1;
            return;
        }
        let (k, order) = (report.k, order(nodes, weights));
        let both = |gains: &[f64]| (ndcg(gains, 0..nodes.len(), k), ndcg(gains, order.iter().copied(), k));
        let gains = citations(nodes, None);
        let plain = gains.iter().any(|gain| *gain > 0.0).then(|| both(&gains));
        if let Some(plain) = plain {
            report.judged += 1;
            self.plain.push(plain);
            self.corrected.push(both(&citations(nodes, Some(&engine.config().learning))));
        }
        report.receipts += 1;
        if order.iter().copied().eq(0..nodes.len()) {
            return;
        }
        report.reordered += 1;
        report.first_changed += usize::from(order.first() != Some(&0));
        report.top_changed += usize::from(order.iter().take(k).any(|place| *place >= k));
        let ids = |places: &mut dyn Iterator<Item = usize>| -> Vec<String> {
            places.take(k).filter_map(|place| receipt.ids.get(place).cloned()).collect()
        };
        report.changed.push(ReplayedReceipt {
            receipt_id: receipt.id.clone(),
            query: receipt.query.clone(),
            before: plain.map(|(before, _)| before),
            after: plain.map(|(_, after)| after),
            first_before: ids(&mut (0..nodes.len())),
            first_after: ids(&mut order.iter().copied()),
        });
        // Now and then, so that a long log is never held whole.
        if report.changed.len() >= show.saturating_mul(2).max(1_000) {
            keep_largest(&mut report.changed, show);
        }
    }

    fn finish(self, request: &ReplayRequest) -> ReplayReport {
        let mut report = self.report;
        report.citations = gain(&self.plain, request.seed);
        report.position_corrected = gain(&self.corrected, request.seed);
        keep_largest(&mut report.changed, request.show);
        report
    }
}

/// Stable, so that those that came first, the newest, stay first among equals.
fn keep_largest(changed: &mut Vec<ReplayedReceipt>, show: usize) {
    changed.sort_by(|a, b| b.change().total_cmp(&a.change()));
    changed.truncate(show);
}

fn gain(pairs: &[(f64, f64)], seed: u64) -> ReplayGain {
    let (before, after, difference) = paired(pairs, RESAMPLES, seed);
    let wins = pairs.iter().filter(|(before, after)| after - before > SAME).count();
    let losses = pairs.iter().filter(|(before, after)| before - after > SAME).count();
    ReplayGain { before, after, difference, discordant: wins + losses, wins, losses }
}
