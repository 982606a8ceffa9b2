//! Dates as people write them in front matter.

use time::{Date, Month, PrimitiveDateTime, Time, UtcOffset};

/// Microseconds since the Unix epoch, UTC, or `None` for what is no date or an impossible one (`2024-02-31`).
///
/// Read are `2024-01-05`, the same with a time after a space or `T` (`10:00`, `10:00:00`, `10:00:00.123`) and with an
/// offset (`Z`, `+02:00`, `+0200`, `+02`), which covers RFC 3339; and whole numbers of 12 or 13 digits as milliseconds
/// since the epoch, of 9 or 10 as seconds. Without an offset, UTC is meant; without a time, midnight. A leap second
/// counts as the last microsecond before it.
///
/// ```
/// use terrace::text::parse_date;
/// assert_eq!(parse_date("1970-01-02"), Some(86_400_000_000));
/// assert_eq!(parse_date("1970-01-01T02:00:01+02:00"), Some(1_000_000));
/// assert_eq!(parse_date("2024-02-31"), None);
/// ```
pub fn parse_date(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return epoch(text);
    }
    let mut reader = Reader { rest: text };
    let year = reader.digits(4, 4)?;
    reader.take("-")?;
    let month = Month::try_from(u8::try_from(reader.digits(1, 2)?).ok()?).ok()?;
    reader.take("-")?;
    let day = u8::try_from(reader.digits(1, 2)?).ok()?;
    let date = Date::from_calendar_date(i32::try_from(year).ok()?, month, day).ok()?;
    let (time, offset) = match reader.rest.trim_start_matches([' ', 'T', 't']) {
        "" if reader.rest.is_empty() => (Time::MIDNIGHT, UtcOffset::UTC),
        clock if clock.len() < reader.rest.len() => {
            reader.rest = clock;
            reader.clock()?
        }
        _ => return None,
    };
    let nanoseconds = PrimitiveDateTime::new(date, time).assume_offset(offset).unix_timestamp_nanos();
    i64::try_from(nanoseconds.div_euclid(1_000)).ok()
}

fn epoch(digits: &str) -> Option<i64> {
    let number: i64 = digits.parse().ok()?;
    match digits.len() {
        9 | 10 => Some(number * 1_000_000),
        12 | 13 => Some(number * 1_000),
        _ => None,
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    /// A number of `least` to `most` digits, none following.
    fn digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let count = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if !(least..=most).contains(&count) {
            return None;
        }
        let (number, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        number.parse().ok()
    }

    fn small(&mut self) -> Option<u8> {
        u8::try_from(self.digits(1, 2)?).ok()
    }

    fn clock(&mut self) -> Option<(Time, UtcOffset)> {
        let hour = self.small()?;
        self.take(":")?;
        let minute = self.small()?;
        let mut second = 0;
        let mut micro = 0;
        if self.take(":").is_some() {
            second = self.small()?;
            if self.take(".").or_else(|| self.take(",")).is_some() {
                let count = self.rest.bytes().take_while(u8::is_ascii_digit).count();
                let (fraction, rest) = self.rest.split_at_checked(count)?;
                self.rest = rest;
                let six: String = fraction.chars().chain("000000".chars()).take(6).collect();
                micro = if fraction.is_empty() { return None } else { six.parse().ok()? };
            }
        }
        if second == 60 {
            (second, micro) = (59, 999_999);
        }
        let time = Time::from_hms_micro(hour, minute, second, micro).ok()?;
        Some((time, self.offset()?))
    }

    fn offset(&mut self) -> Option<UtcOffset> {
        let text = self.rest.trim_start();
        let sign = match text.chars().next() {
            None => return Some(UtcOffset::UTC),
            Some('Z' | 'z') if text.len() == 1 => return Some(UtcOffset::UTC),
            Some('+') => 1,
            Some('-') => -1,
            Some(_) => return None,
        };
        let digits: String = text.chars().skip(1).filter(|&c| c != ':').collect();
        let colons = text.len() - 1 - digits.len();
        let (hours, minutes) = match digits.len() {
            2 if colons == 0 => (digits.parse::<i8>().ok()?, 0),
            4 if colons <= 1 => {
                let (hours, minutes) = digits.split_at_checked(2)?;
                (hours.parse::<i8>().ok()?, minutes.parse::<i8>().ok()?)
            }
            _ => return None,
        };
        UtcOffset::from_hms(sign * hours, sign * minutes, 0).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: i64 = 1_704_412_800_000_000; // 2024-01-05T00:00:00Z
    const HOUR: i64 = 3_600_000_000;

    #[test]
    fn common_spellings_are_read() {
        for (text, expected) in [
            ("2024-01-05", DAY),
            (" 2024-1-5 ", DAY),
            ("2024-01-05 10:00", DAY + 10 * HOUR),
            ("2024-01-05 10:00:00", DAY + 10 * HOUR),
            ("2024-01-05T10:00", DAY + 10 * HOUR),
            ("2024-01-05T10:00:00Z", DAY + 10 * HOUR),
            ("2024-01-05T10:00:00+02:00", DAY + 8 * HOUR),
            ("2024-01-05 10:00:00 -0230", DAY + 12 * HOUR + HOUR / 2),
            ("2024-01-05T10:00:00.123456789Z", DAY + 10 * HOUR + 123_456),
            ("1640257405306", 1_640_257_405_306_000),
            ("1640257405", 1_640_257_405_000_000),
            ("1969-12-31T23:59:59.5Z", -500_000),
        ] {
            assert_eq!(parse_date(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn impossible_dates_and_other_texts_are_none() {
        for text in [
            "",
            "2024-02-31",
            "2024-13-01",
            "2024-00-10",
            "2023-02-29",
            "2024",
            "yesterday",
            "2024-01-05x",
            "2024-01-05T",
            "2024-01-05 25:00",
            "2024-01-05T10:00:00+99:00",
            "2024-01-05T10:00:00+2:0:0",
            "<% tp.date.now() %>",
            "２０２４-01-05",
        ] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    #[test]
    fn a_leap_second_is_the_microsecond_before() {
        assert_eq!(parse_date("1970-01-01T00:00:60Z"), Some(59_999_999));
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in any::<String>()) {
            parse_date(&text);
            parse_date(&format!("2024-01-05{text}"));
        }
    }
}
