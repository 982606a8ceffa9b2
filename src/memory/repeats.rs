//! Repeats: the same query by the same viewer within an hour counts once.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use crate::clock::Timestamp;

/// How long a query stays a repeat of itself, in microseconds.
pub(crate) const REPEAT_WINDOW_MICROS: i64 = 3_600 * 1_000_000;
/// Entries from which those that are over are swept out; again when there are twice as many as were left.
const SWEEP_AT: usize = 4_096;

/// When each (query, viewer) was last counted.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    counted: FxHashMap<u128, Timestamp>,
    left: usize,
}

impl Repeats {
    /// Whether this retrieve counts; if so, it is remembered.
    pub(crate) fn count(&mut self, query: &str, agent: Option<&str>, task: Option<&str>, now: Timestamp) -> bool {
        let key = key(query, agent, task);
        let is_repeat = |at: &Timestamp| now.micros().abs_diff(at.micros()) < REPEAT_WINDOW_MICROS.unsigned_abs();
        if self.counted.get(&key).is_some_and(is_repeat) {
            return false;
        }
        if self.counted.len() >= SWEEP_AT.max(self.left * 2) {
            self.counted.retain(|_, at| is_repeat(at));
            self.left = self.counted.len();
        }
        self.counted.insert(key, now);
        true
    }

    /// Takes over what was counted before the store was opened.
    pub(crate) fn remember(&mut self, query: &str, agent: Option<&str>, task: Option<&str>, at: Timestamp) {
        self.counted.insert(key(query, agent, task), at);
    }
}

fn key(query: &str, agent: Option<&str>, task: Option<&str>) -> u128 {
    let mut hash = Xxh3::new();
    for part in [Some(query), agent, task] {
        hash.update(part.unwrap_or_default().as_bytes());
        hash.update(&[0xff, u8::from(part.is_some())]);
    }
    hash.digest128()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_within_the_hour_does_not_count_and_one_after_it_does() {
        let mut repeats = Repeats::default();
        let start = Timestamp::from_seconds(10_000);
        assert!(repeats.count("q", Some("a"), None, start));
        assert!(!repeats.count("q", Some("a"), None, start.plus_days(0.9 / 24.0)));
        assert!(repeats.count("q", Some("a"), None, start.plus_days(1.1 / 24.0)));
    }

    #[test]
    fn another_viewer_or_query_counts_on_its_own() {
        let mut repeats = Repeats::default();
        let now = Timestamp::from_seconds(10_000);
        assert!(repeats.count("q", Some("a"), None, now));
        assert!(repeats.count("q", Some("b"), None, now));
        assert!(repeats.count("q", None, Some("a"), now));
        assert!(repeats.count("r", Some("a"), None, now));
    }
}
