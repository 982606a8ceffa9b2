//! Two reports of the same queries, paired.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bootstrap::paired;
use super::report::Report;
use crate::error::{Error, Result};

/// What changed from report `a` to report `b`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The set's name in both.
    pub dataset: String,
    /// Queries that both asked; the others are left out.
    pub queries: usize,
    /// Queries that only one of them asked.
    pub left_out: usize,
    /// By metric, those that both have.
    pub metrics: BTreeMap<String, Difference>,
}

/// One metric in both reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Mean of the first, over the queries that both asked.
    pub a: f64,
    /// Mean of the second.
    pub b: f64,
    /// `b` − `a`.
    pub delta: f64,
    /// Lower end of the difference's 95 % interval (paired bootstrap).
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Comparison {
    /// Pairs the queries of two reports.
    ///
    /// # Errors
    /// `invalid_input` when they are of different sets, or share no query.
    pub fn of(a: &Report, b: &Report, resamples: usize, seed: u64) -> Result<Self> {
        if a.dataset != b.dataset {
            return Err(Error::invalid(format!(
                "expected two reports of one data set, found {:?} and {:?}",
                a.dataset, b.dataset
            )));
        }
        let mut pairs: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
        let mut queries = 0;
        for (query, before) in &a.per_query {
            let Some(after) = b.per_query.get(query) else { continue };
            queries += 1;
            for (metric, value) in before {
                if let Some(other) = after.get(metric) {
                    pairs.entry(metric).or_default().push((*value, *other));
                }
            }
        }
        if queries == 0 {
            return Err(Error::invalid(
                "expected reports that share queries, found none; were they asked other halves?",
            ));
        }
        let difference = |pairs: Vec<(f64, f64)>| {
            let (a, b, of) = paired(&pairs, resamples, seed);
            Difference { a, b, delta: of.mean, lo: of.lo, hi: of.hi }
        };
        Ok(Self {
            dataset: a.dataset.clone(),
            queries,
            left_out: a.per_query.len() + b.per_query.len() - 2 * queries,
            metrics: pairs.into_iter().map(|(metric, pairs)| (metric.to_owned(), difference(pairs))).collect(),
        })
    }
}
