//! Usage: how often and how recently a note was retrieved.

use crate::clock::Timestamp;

/// What retrieves leave on a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Every retrieve that returned it.
    pub retrievals: u64,
    /// The same, repeats of one query by one viewer within an hour counting once.
    pub counted: u64,
    pub last_retrieved_at: Option<Timestamp>,
}

/// Counted retrievals at which the frequency part is full.
const FULL_AT: f64 = 20.0;
/// Days in which the recency part halves.
const HALF_LIFE_DAYS: f64 = 14.0;

impl Usage {
    /// `clamp(0.6·min(1, ln(1+n)/ln(21)) + 0.4·0.5^(d/14))`, n the counted retrievals, d the days since last used or
    /// else retrieved; 0 when never retrieved.
    pub(crate) fn score(&self, last_used_at: Option<Timestamp>, now: Timestamp) -> f64 {
        if self.retrievals == 0 {
            return 0.0;
        }
        let frequency = ((1.0 + self.counted as f64).ln() / (1.0 + FULL_AT).ln()).min(1.0);
        let recency =
            last_used_at.or(self.last_retrieved_at).map_or(0.0, |at| 0.5_f64.powf(now.days_since(at) / HALF_LIFE_DAYS));
        (0.6 * frequency + 0.4 * recency).clamp(0.0, 1.0)
    }

    /// Takes one retrieve in.
    pub(crate) fn retrieved(&mut self, at: Timestamp, counted: bool) {
        self.retrievals += 1;
        self.counted += u64::from(counted);
        self.last_retrieved_at = Some(self.last_retrieved_at.map_or(at, |last| last.max(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_never_retrieved_has_no_usage() {
        assert_eq!(Usage::default().score(None, Timestamp::default()), 0.0);
    }

    #[test]
    fn twenty_counted_retrievals_today_are_full_usage() {
        let now = Timestamp::from_seconds(1_000_000);
        let usage = Usage { retrievals: 20, counted: 20, last_retrieved_at: Some(now) };
        assert!((usage.score(None, now) - 1.0).abs() < 1e-12);
        assert!((usage.score(None, now.plus_days(14.0)) - 0.8).abs() < 1e-9);
    }

    #[test]
    fn repeats_count_as_retrievals_but_not_towards_usage() {
        let now = Timestamp::from_seconds(1_000_000);
        let mut usage = Usage::default();
        usage.retrieved(now, true);
        let once = usage.score(None, now);
        usage.retrieved(now, false);
        assert_eq!(usage.retrievals, 2);
        assert_eq!(usage.score(None, now), once);
    }
}
