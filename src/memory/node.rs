//! One note's learned state: salience, how firmly it is fixed, and the verdicts that made it so.

use crate::clock::Timestamp;
use crate::config::MemoryConfig;
use crate::model::Verdict;

/// What verdicts have made of a note. The state is the replay of its verdicts in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NodeState {
    /// As of `decayed_at`.
    pub salience: f64,
    pub strength: f64,
    pub cited: u64,
    pub ignored: u64,
    pub misleading: u64,
    /// The last citation.
    pub last_used_at: Option<Timestamp>,
    /// Up to when decay is in `salience` already.
    pub decayed_at: Option<Timestamp>,
}

impl NodeState {
    /// A note of which nothing is known.
    pub(crate) fn new(config: &MemoryConfig) -> Self {
        Self {
            salience: config.initial_salience,
            strength: 1.0,
            cited: 0,
            ignored: 0,
            misleading: 0,
            last_used_at: None,
            decayed_at: None,
        }
    }

    /// Salience at `now`, decay included; does not depend on when it was last made durable.
    ///
    /// After the grace of 7 idle days, `floor + (s₀ − floor) · exp(−rate / max(1, strength) · (idle − 7))` for s₀
    /// above the floor. Exponential, because decay in steps then equals decay at once.
    pub(crate) fn salience_at(&self, now: Timestamp, created_at: Timestamp, config: &MemoryConfig) -> f64 {
        let floor = config.salience_floor;
        if self.salience <= floor {
            return self.salience.clamp(0.0, 1.0);
        }
        let idle_since = self.last_used_at.unwrap_or(created_at);
        let counted = |at: Timestamp| (at.days_since(idle_since) - config.decay_grace_days).max(0.0);
        let done = self.decayed_at.map_or(0.0, counted);
        let days = (counted(now) - done).max(0.0);
        let rate = config.decay_rate / self.strength.max(1.0);
        (floor + (self.salience - floor) * (-rate * days).exp()).clamp(0.0, 1.0)
    }

    /// Puts the decay until `now` into `salience`. A clock that went backwards changes nothing.
    pub(crate) fn decay(&mut self, now: Timestamp, created_at: Timestamp, config: &MemoryConfig) {
        self.salience = self.salience_at(now, created_at, config);
        self.decayed_at = Some(self.decayed_at.map_or(now, |at| at.max(now)));
    }

    /// Takes one verdict in.
    pub(crate) fn judge(&mut self, verdict: Verdict, at: Timestamp, created_at: Timestamp, config: &MemoryConfig) {
        self.decay(at, created_at, config);
        match verdict {
            Verdict::Cited => {
                self.cited += 1;
                self.salience += config.cited_salience;
                self.strength += config.cited_strength;
                self.last_used_at = Some(self.last_used_at.map_or(at, |used| used.max(at)));
            }
            Verdict::Misleading => {
                self.misleading += 1;
                self.salience -= config.misleading_salience;
            }
            Verdict::Ignored => {
                self.ignored += 1;
                if self.ignored > config.ignored_grace && self.ignored > self.cited {
                    self.salience -= config.ignored_salience;
                }
            }
        }
        self.salience = self.salience.clamp(0.0, 1.0);
    }

    /// The state that these verdicts, in order, make of a new note.
    pub(crate) fn replay(
        events: impl IntoIterator<Item = (Verdict, Timestamp)>,
        created_at: Timestamp,
        config: &MemoryConfig,
    ) -> Self {
        let mut state = Self::new(config);
        for (verdict, at) in events {
            state.judge(verdict, at, created_at, config);
        }
        state
    }

    /// Whether its misleading verdicts put it in quarantine.
    pub(crate) fn is_condemned(&self, config: &MemoryConfig) -> bool {
        self.misleading >= config.quarantine_after
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn config() -> MemoryConfig {
        MemoryConfig::default()
    }

    fn day(days: f64) -> Timestamp {
        Timestamp::from_seconds(1_700_000_000).plus_days(days)
    }

    #[test]
    fn the_first_seven_idle_days_cost_nothing() {
        let state = NodeState::new(&config());
        assert_eq!(state.salience_at(day(7.0), day(0.0), &config()), 0.5);
        assert!(state.salience_at(day(8.0), day(0.0), &config()) < 0.5);
    }

    #[test]
    fn idle_time_erodes_salience_by_the_closed_form() {
        let state = NodeState { salience: 0.9, ..NodeState::new(&config()) };
        let expected = 0.3 + 0.6 * (-0.005_f64 * 393.0).exp();
        assert!((state.salience_at(day(400.0), day(0.0), &config()) - expected).abs() < 1e-12);
    }

    #[test]
    fn a_note_below_the_floor_stays_where_it_is() {
        let state = NodeState { salience: 0.1, ..NodeState::new(&config()) };
        assert_eq!(state.salience_at(day(4000.0), day(0.0), &config()), 0.1);
    }

    #[test]
    fn a_clock_going_backwards_neither_decays_nor_fails() {
        let mut state = NodeState::new(&config());
        state.decay(day(100.0), day(0.0), &config());
        let before = state.salience;
        state.decay(day(50.0), day(0.0), &config());
        assert_eq!(state.salience, before);
        assert_eq!(state.salience_at(day(100.0), day(0.0), &config()), before);
    }

    #[test]
    fn times_at_the_ends_of_the_scale_keep_salience_between_floor_and_one() {
        let state = NodeState::new(&config());
        for created in [0, i64::MAX, i64::MIN] {
            for now in [0, i64::MAX, i64::MIN] {
                let s = state.salience_at(Timestamp::from_micros(now), Timestamp::from_micros(created), &config());
                assert!((0.3..=0.5).contains(&s), "{created} {now} {s}");
            }
        }
    }

    #[test]
    fn ignoring_costs_only_beyond_five_times_and_more_than_cited() {
        let mut state = NodeState::new(&config());
        for _ in 0..5 {
            state.judge(Verdict::Ignored, day(1.0), day(0.0), &config());
        }
        assert_eq!(state.salience, 0.5);
        state.judge(Verdict::Ignored, day(1.0), day(0.0), &config());
        assert!((state.salience - 0.48).abs() < 1e-12);
    }

    #[test]
    fn each_verdict_moves_salience_strength_and_counts() {
        let mut state = NodeState::new(&config());
        state.judge(Verdict::Cited, day(1.0), day(0.0), &config());
        assert!((state.salience - 0.52).abs() < 1e-12);
        assert!((state.strength - 1.05).abs() < 1e-12);
        assert_eq!((state.cited, state.last_used_at), (1, Some(day(1.0))));
        state.judge(Verdict::Misleading, day(1.0), day(0.0), &config());
        assert!((state.salience - 0.47).abs() < 1e-12);
        assert_eq!(state.misleading, 1);
    }

    proptest! {
        #[test]
        fn decay_in_steps_equals_decay_at_once(salience in 0.0..1.0f64, steps in proptest::collection::vec(0.0..90.0f64, 0..20)) {
            let start = NodeState { salience, ..NodeState::new(&config()) };
            let mut stepped = start;
            let mut elapsed = 0.0;
            for step in steps {
                elapsed += step;
                stepped.decay(day(elapsed), day(0.0), &config());
            }
            let at_once = start.salience_at(day(elapsed), day(0.0), &config());
            prop_assert!((stepped.salience_at(day(elapsed), day(0.0), &config()) - at_once).abs() < 1e-9);
        }

        #[test]
        fn decay_keeps_the_order_of_salience(a in 0.0..1.0f64, b in 0.0..1.0f64, days in 0.0..2000.0f64) {
            let at = |salience| NodeState { salience, ..NodeState::new(&config()) }.salience_at(day(days), day(0.0), &config());
            prop_assert_eq!(a.total_cmp(&b) == std::cmp::Ordering::Less, at(a) < at(b));
        }
    }
}
