//! Time: the instant type, and the clock that every part of terrace asks instead of the system.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

const MICROS_PER_SECOND: i64 = 1_000_000;
/// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the range RFC 3339 can write.
const MIN_PRINTED: i64 = -62_167_219_200;
const MAX_PRINTED: i64 = 253_402_300_799;

/// An instant: microseconds since 1970-01-01T00:00:00Z.
///
/// As text and JSON it is RFC 3339 in UTC. Instants outside the years 0000 to 9999 are kept exactly,
/// and print as the nearest instant that RFC 3339 can write.
///
/// ```
/// let t: terrace::Timestamp = "2026-03-01T12:00:00+01:00".parse()?;
/// assert_eq!(t.to_string(), "2026-03-01T11:00:00Z");
/// # Ok::<(), terrace::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From microseconds since the Unix epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// From whole seconds since the Unix epoch; seconds too large to hold in microseconds saturate.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// Microseconds since the Unix epoch.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Days from `earlier` to `self`, never negative: a clock that went backwards reads as no time passed.
    pub fn days_since(self, earlier: Self) -> f64 {
        let micros = self.0.saturating_sub(earlier.0).max(0);
        micros as f64 / (86_400.0 * MICROS_PER_SECOND as f64)
    }

    /// `self` moved by a number of days (negative: back), saturating at the ends of time.
    #[must_use]
    pub fn plus_days(self, days: f64) -> Self {
        let micros = days * 86_400.0 * MICROS_PER_SECOND as f64;
        // A float cast saturates, and NaN becomes 0.
        Self(self.0.saturating_add(micros as i64))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.div_euclid(MICROS_PER_SECOND);
        let printed = seconds.clamp(MIN_PRINTED, MAX_PRINTED);
        let micros = if printed == seconds { self.0.rem_euclid(MICROS_PER_SECOND) } else { 0 };
        let nanos = i128::from(printed) * 1_000_000_000 + i128::from(micros) * 1_000;
        let moment = OffsetDateTime::from_unix_timestamp_nanos(nanos).map_err(|_| fmt::Error)?;
        f.write_str(&moment.format(&Rfc3339).map_err(|_| fmt::Error)?)
    }
}

impl std::str::FromStr for Timestamp {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let moment = OffsetDateTime::parse(text.trim(), &Rfc3339).map_err(|reason| {
            crate::Error::invalid(format!(
                "expected an RFC 3339 time such as 2026-03-01T12:00:00Z, found {text:?} ({reason})"
            ))
        })?;
        let micros = moment.unix_timestamp_nanos().div_euclid(1_000);
        Ok(Self(i64::try_from(micros).unwrap_or(i64::MAX)))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Where the engine's "now" comes from.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The present instant.
    fn now(&self) -> Timestamp;
}

/// The operating system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let now = OffsetDateTime::now_utc().unix_timestamp_nanos().div_euclid(1_000);
        Timestamp::from_micros(i64::try_from(now).unwrap_or(i64::MAX))
    }
}

/// A clock that stands still until it is moved: for tests, simulations and replay.
#[derive(Clone, Debug, Default)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock standing at `now`; its clones move together.
    pub fn at(now: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(now.micros())))
    }

    /// Moves the clock, and every clone of it, to `now`.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.micros(), Ordering::SeqCst);
    }

    /// Moves the clock by days; negative days move it back.
    pub fn advance_days(&self, days: f64) {
        self.set(self.now().plus_days(days));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_time_print_without_overflow() {
        assert_eq!(Timestamp::from_micros(i64::MAX).to_string(), "9999-12-31T23:59:59Z");
        assert_eq!(Timestamp::from_micros(i64::MIN).to_string(), "0000-01-01T00:00:00Z");
        assert_eq!(Timestamp::from_micros(0).to_string(), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn text_and_instant_round_trip_to_the_microsecond() {
        let t = Timestamp::from_micros(1_790_000_000_123_456);
        assert_eq!(t.to_string().parse::<Timestamp>().unwrap(), t);
    }

    #[test]
    fn a_clock_that_went_backwards_reads_as_no_time_passed() {
        let now = Timestamp::from_seconds(0);
        assert_eq!(now.days_since(now.plus_days(3650.0)), 0.0);
        assert_eq!(Timestamp::from_micros(i64::MIN).days_since(Timestamp::from_micros(i64::MAX)), 0.0);
    }
}
