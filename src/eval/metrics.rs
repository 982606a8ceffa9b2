//! Retrieval metrics for one query, with trec_eval's conventions.
//!
//! A ranking is ids with their scores, best first: the order is the caller's, scores are not looked at. A judgement
//! counts as relevant when it is above 0. Each metric is 0 for a query without relevant notes; such queries are to be
//! left out of means, as trec_eval does without `-c`.

use std::collections::BTreeMap;

/// Judgements of one query: how relevant each judged note is.
pub type Judgements = BTreeMap<String, f64>;

/// How deep recall looks beside the asked cutoff.
pub const DEEP: usize = 100;

/// Normalised discounted cumulative gain at `k` with linear gain: Σ rel / log₂(rank + 1), over that of the best order
/// (Järvelin, Kekäläinen, TOIS 2002; trec_eval's `ndcg_cut`).
///
/// ```
/// use terrace::eval::metrics::ndcg;
/// let judged = [("a".to_owned(), 2.0), ("b".to_owned(), 1.0)].into();
/// assert_eq!(ndcg(&[("a".into(), 0.9), ("b".into(), 0.3)], &judged, 10), 1.0);
/// assert!(ndcg(&[("b".into(), 0.9), ("a".into(), 0.3)], &judged, 10) < 1.0);
/// ```
pub fn ndcg(ranked: &[(String, f64)], judged: &Judgements, k: usize) -> f64 {
    let discounted = |(at, gain): (usize, f64)| gain / ((at + 2) as f64).log2();
    let gained: f64 = ranked.iter().take(k).map(|(id, _)| gain(judged, id)).enumerate().map(discounted).sum();
    let mut best: Vec<f64> = relevant(judged).collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal: f64 = best.into_iter().take(k).enumerate().map(discounted).sum();
    share(gained, ideal)
}

/// Share of the relevant notes that are among the first `k` (trec_eval's `recall`).
pub fn recall(ranked: &[(String, f64)], judged: &Judgements, k: usize) -> f64 {
    share(hits(ranked, judged, k) as f64, relevant(judged).count() as f64)
}

/// 1 / rank of the first relevant note among the first `k` (trec_eval's `recip_rank` where it lies within `k`), else 0.
pub fn mrr(ranked: &[(String, f64)], judged: &Judgements, k: usize) -> f64 {
    let first = ranked.iter().take(k).position(|(id, _)| gain(judged, id) > 0.0);
    first.map_or(0.0, |at| 1.0 / (at + 1) as f64)
}

/// Average precision over the whole ranking: precision at each relevant note, over the number of relevant notes
/// (trec_eval's `map`, before the mean).
pub fn average_precision(ranked: &[(String, f64)], judged: &Judgements) -> f64 {
    let found = ranked.iter().enumerate().filter(|(_, (id, _))| gain(judged, id) > 0.0);
    let precisions: f64 = found.enumerate().map(|(before, (at, _))| (before + 1) as f64 / (at + 1) as f64).sum();
    share(precisions, relevant(judged).count() as f64)
}

/// 1 when any relevant note is among the first `k` (trec_eval's `success`), else 0.
pub fn any_gold(ranked: &[(String, f64)], judged: &Judgements, k: usize) -> f64 {
    if hits(ranked, judged, k) > 0 { 1.0 } else { 0.0 }
}

/// 1 when every relevant note is among the first `k`, else 0: what an answer that combines them needs.
pub fn all_gold(ranked: &[(String, f64)], judged: &Judgements, k: usize) -> f64 {
    let wanted = relevant(judged).count();
    if wanted > 0 && hits(ranked, judged, k) == wanted { 1.0 } else { 0.0 }
}

/// Every metric of one query under its name in reports: `ndcg@k`, `recall@k`, `recall@100`, `mrr@k`, `map`,
/// `any_gold@k`, `all_gold@k`.
pub fn all(ranked: &[(String, f64)], judged: &Judgements, k: usize) -> BTreeMap<String, f64> {
    BTreeMap::from([
        (format!("ndcg@{k}"), ndcg(ranked, judged, k)),
        (format!("recall@{k}"), recall(ranked, judged, k)),
        (format!("recall@{DEEP}"), recall(ranked, judged, DEEP)),
        (format!("mrr@{k}"), mrr(ranked, judged, k)),
        ("map".to_owned(), average_precision(ranked, judged)),
        (format!("any_gold@{k}"), any_gold(ranked, judged, k)),
        (format!("all_gold@{k}"), all_gold(ranked, judged, k)),
    ])
}

fn gain(judged: &Judgements, id: &str) -> f64 {
    judged.get(id).copied().unwrap_or(0.0).max(0.0)
}

fn relevant(judged: &Judgements) -> impl Iterator<Item = f64> + '_ {
    judged.values().copied().filter(|&score| score > 0.0)
}

fn hits(ranked: &[(String, f64)], judged: &Judgements, k: usize) -> usize {
    ranked.iter().take(k).filter(|(id, _)| gain(judged, id) > 0.0).count()
}

fn share(part: f64, whole: f64) -> f64 {
    // A sum of nothing is -0.
    if whole > 0.0 && part > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(ids: &[&str]) -> Vec<(String, f64)> {
        ids.iter().map(|id| ((*id).to_owned(), 1.0)).collect()
    }

    fn judged(of: &[(&str, f64)]) -> Judgements {
        of.iter().map(|(id, score)| ((*id).to_owned(), *score)).collect()
    }

    #[test]
    fn judgements_of_zero_and_below_are_not_relevant() {
        let judged = judged(&[("a", 1.0), ("b", 0.0), ("c", -1.0)]);
        let ranked = ranked(&["b", "c", "a"]);
        assert_eq!(recall(&ranked, &judged, 2), 0.0);
        assert_eq!(recall(&ranked, &judged, 3), 1.0);
        assert_eq!(ndcg(&ranked, &judged, 3), 0.5);
        assert_eq!(mrr(&ranked, &judged, 3), 1.0 / 3.0);
    }

    #[test]
    fn all_gold_needs_the_last_of_them() {
        let judged = judged(&[("a", 1.0), ("b", 1.0)]);
        let ranked = ranked(&["a", "x", "b"]);
        assert_eq!((any_gold(&ranked, &judged, 2), all_gold(&ranked, &judged, 2)), (1.0, 0.0));
        assert_eq!(all_gold(&ranked, &judged, 3), 1.0);
    }

    #[test]
    fn average_precision_looks_at_the_whole_ranking() {
        let judged = judged(&[("a", 1.0), ("b", 1.0), ("z", 1.0)]);
        assert!((average_precision(&ranked(&["a", "x", "b"]), &judged) - (1.0 + 2.0 / 3.0) / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_query_without_relevant_notes_scores_nothing() {
        let values = all(&ranked(&["a"]), &judged(&[("a", 0.0)]), 10);
        assert!(values.values().all(|&value| value == 0.0), "{values:?}");
        assert_eq!(values.len(), 7);
    }
}
