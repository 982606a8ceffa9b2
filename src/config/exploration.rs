//! Exploration: giving one place of an answer to a note that has yet to prove itself.

use serde::Serialize;

/// Gives the last place of a retrieve's answer to a draw, so that notes which never make the list can still be judged.
///
/// With a limit k of at least 2, and more than k candidates, places 1 to k − 1 stay in the order of their scores. Place k
/// goes to one of the notes ranked k to `reach`·k by Thompson sampling (Thompson, 1933): each draws
/// `Beta(1 + cited, 1 + misleading_weight · misleading + ignored_weight · ignored)`, its own verdicts, times its score,
/// and the largest draw wins. The probability with which the shown note won is in its reasons and, as feature
/// `propensity`, in the receipt: whoever learns from receipts can weigh the place by 1 / propensity (Horvitz and
/// Thompson, 1952).
///
/// Only `retrieve` explores; `search`, `cache_lookup` and evaluations do not. It chooses among notes that were ranked,
/// all of which the caller may see and the filters admit. The draw depends on this seed, the store, the query, who asks,
/// and how many receipts there are: the same calls in the same order on the same store give the same answers, and the
/// same question asked again may explore another note. A shorter list begins a longer one up to its last
/// place only.
///
/// ```
/// use terrace::{Config, Exploration};
/// let exploring = Config { exploration: Some(Exploration::default()), ..Config::default() };
/// assert!(Config::default().exploration.is_none());
/// # let _ = exploring;
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Exploration {
    /// Seed of the draws; default 0.
    pub seed: u64,
    /// How many times the limit the candidates for the last place reach down; below 1 counts as 1. Default 3.
    pub reach: usize,
    /// How many failures a misleading verdict counts; default 2.
    pub misleading_weight: f64,
    /// How many failures an ignored verdict counts; default 0.1, since most of what is not
    /// cited was merely not looked at.
    pub ignored_weight: f64,
}

impl Default for Exploration {
    fn default() -> Self {
        Self { seed: 0, reach: 3, misleading_weight: 2.0, ignored_weight: 0.1 }
    }
}
