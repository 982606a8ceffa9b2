//! Standard output: one JSON document, or text for people.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::failure::{Failure, Outcome, Told};

/// Where a command's answer goes.
pub(crate) struct Output {
    to: BufWriter<io::Stdout>,
    json: bool,
    style: Style,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let style = Style::new(io::stdout().is_terminal(), |name| std::env::var_os(name));
        Self { to: BufWriter::new(io::stdout()), json, style }
    }

    /// Writes an answer: as the JSON document, or as `people` writes it.
    pub(crate) fn answer<T: Serialize>(
        &mut self,
        answer: &T,
        people: impl FnOnce(&mut dyn Write, Style) -> io::Result<()>,
    ) -> Outcome {
        if self.json {
            self.document(answer)?;
        } else {
            people(&mut self.to, self.style)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Writes what is still held back.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        Ok(self.to.flush()?)
    }

    /// Reports a failure and answers the exit code. A reader that has seen enough (`| head`) is no failure.
    pub(crate) fn failed(&mut self, failure: &Failure) -> ExitCode {
        match failure {
            Failure::Output(reason) if reason.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Failure::Output(reason) => complain(&format_args!("writing the answer: {reason}")),
            Failure::Operation(error) => {
                let told = Told::from(error);
                let written = self.json && self.document(&told).and_then(|()| self.to.flush()).is_ok();
                if written { ExitCode::FAILURE } else { complain(&told.message) }
            }
        }
    }

    fn document<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        serde_json::to_writer(&mut self.to, value)?;
        self.to.write_all(b"\n")
    }
}

/// How text for people may look.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    terminal: bool,
    emphasis: bool,
}

impl Style {
    /// Emphasis is for terminals that can show it and users who have not said no (`NO_COLOR`, not empty).
    fn new(terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let refused = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
        let unable = variable("TERM").is_some_and(|value| value == "dumb");
        Self { terminal, emphasis: terminal && !refused && !unable }
    }

    /// For titles.
    pub(crate) fn bold(self, text: impl fmt::Display) -> String {
        self.wrap("1", text)
    }

    /// For what is read last.
    pub(crate) fn dim(self, text: impl fmt::Display) -> String {
        self.wrap("2", text)
    }

    /// A text of many lines: as it is into a file or pipe, without what would steer a terminal.
    pub(crate) fn body(self, text: &str) -> String {
        if !self.terminal {
            return text.to_owned();
        }
        text.chars().filter(|&c| matches!(c, '\n' | '\t') || !c.is_control()).collect()
    }

    fn wrap(self, code: &str, text: impl fmt::Display) -> String {
        if self.emphasis { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// A stored text on one line: line breaks and what would steer a terminal become spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// Writes names and values below each other; values that are absent are left out.
pub(crate) fn pairs(to: &mut dyn Write, style: Style, pairs: &[(&str, Option<String>)]) -> io::Result<()> {
    let width = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, value) in pairs {
        if let Some(value) = value {
            writeln!(to, "{}  {}", style.dim(format_args!("{name:<width$}")), one_line(value))?;
        }
    }
    Ok(())
}

/// Writes rows below a heading, columns aligned.
pub(crate) fn table<const N: usize>(
    to: &mut dyn Write,
    style: Style,
    heading: [&str; N],
    rows: &[[String; N]],
) -> io::Result<()> {
    let cells: Vec<[String; N]> = rows
        .iter()
        .map(|row| std::array::from_fn(|at| row.get(at).map(|cell| one_line(cell)).unwrap_or_default()))
        .collect();
    let heading = heading.map(str::to_owned);
    let mut widths = [0; N];
    for row in cells.iter().chain([&heading]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    writeln!(to, "{}", style.dim(line(&heading)))?;
    for row in &cells {
        writeln!(to, "{}", line(row))?;
    }
    Ok(())
}

/// Names a failure on standard error. Nobody may be reading there either.
fn complain(what: &dyn fmt::Display) -> ExitCode {
    let _ = writeln!(io::stderr(), "terrace: {what}");
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bold(terminal: bool, name: &'static str, value: &'static str) -> String {
        Style::new(terminal, |asked| (asked == name).then(|| value.into())).bold("x")
    }

    #[test]
    fn only_a_terminal_gets_emphasis_and_only_while_nobody_objects() {
        assert_eq!(bold(true, "NO_COLOR", ""), "\u{1b}[1mx\u{1b}[0m");
        assert_eq!(bold(false, "NO_COLOR", ""), "x");
        assert_eq!(bold(true, "NO_COLOR", "1"), "x");
        assert_eq!(bold(true, "TERM", "dumb"), "x");
    }

    #[test]
    fn a_stored_text_cannot_steer_a_terminal() {
        let style = Style::new(true, |_| None);
        assert_eq!(style.body("a\u{1b}[2J\tb\n\u{9b}c\r"), "a[2J\tb\nc");
        assert_eq!(one_line("\u{1b}a\nb"), "a b");
        assert_eq!(Style::new(false, |_| None).body("a\u{1b}\r"), "a\u{1b}\r");
    }

    #[test]
    fn columns_align_and_lines_end_with_their_text() {
        let mut page = Vec::new();
        let rows = [["long name".to_owned(), "1".to_owned()], ["é".to_owned(), String::new()]];
        table(&mut page, Style::new(false, |_| None), ["name", "n"], &rows).unwrap();
        assert_eq!(String::from_utf8(page).unwrap(), "name       n\nlong name  1\né\n");
    }
}
