//! Lines of a record file, without trusting their length.

use std::io::{BufRead, Read};

/// A line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Counted from 1, blank lines included.
    pub number: usize,
    /// Its text, or what keeps it from being text.
    pub text: Result<String, String>,
}

/// Calls `visit` with every line that is not blank, until it answers an error. A byte order mark at the beginning and
/// carriage returns at line ends are taken off; of a line longer than `max_bytes` no more than that is held in memory.
pub(super) fn each_line<E: From<std::io::Error>>(
    mut reader: impl BufRead,
    max_bytes: u64,
    mut visit: impl FnMut(Line) -> Result<(), E>,
) -> Result<(), E> {
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let taken = reader.by_ref().take(max_bytes.saturating_add(1)).read_until(b'\n', &mut bytes)?;
        if taken == 0 {
            break;
        }
        let whole = bytes.last() == Some(&b'\n') || taken as u64 <= max_bytes;
        if !whole {
            skip_line(&mut reader)?;
            let text = Err(format!("longer than the {max_bytes} bytes allowed"));
            visit(Line { number, text })?;
            continue;
        }
        let line = if number == 1 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes) } else { &bytes };
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let text = std::str::from_utf8(line).map(str::to_owned).map_err(|error| format!("not UTF-8: {error}"));
        visit(Line { number, text })?;
    }
    Ok(())
}

fn skip_line(reader: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        let Some(end) = buffer.iter().position(|&byte| byte == b'\n') else {
            let all = buffer.len();
            if all == 0 {
                return Ok(());
            }
            reader.consume(all);
            continue;
        };
        reader.consume(end + 1);
        return Ok(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], max_bytes: u64) -> Vec<(usize, Result<String, String>)> {
        let mut found = Vec::new();
        each_line::<std::io::Error>(bytes, max_bytes, |line| {
            found.push((line.number, line.text));
            Ok(())
        })
        .unwrap();
        found
    }

    #[test]
    fn marks_carriage_returns_and_blank_lines_are_no_content() {
        let found = lines(b"\xef\xbb\xbfa\r\n\r\n  \nb", 10);
        assert_eq!(found, [(1, Ok("a".into())), (4, Ok("b".into()))]);
    }

    #[test]
    fn a_line_too_long_is_passed_over_and_the_next_is_read() {
        let found = lines(b"aaaaaaaaaaaa\nb\ncccc", 4);
        assert_eq!((found[1].clone(), found[2].clone()), ((2, Ok("b".into())), (3, Ok("cccc".into()))));
        assert!(found[0].1.as_ref().unwrap_err().contains("4 bytes"));
    }

    #[test]
    fn a_line_that_is_not_utf8_is_reported_with_its_number() {
        let found = lines(b"a\n\xff\xfe\n", 10);
        assert_eq!(found[1].0, 2);
        assert!(found[1].1.as_ref().unwrap_err().contains("UTF-8"));
    }
}
