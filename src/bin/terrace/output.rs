//! Standard output: one JSON document, or text for people.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::failure::{Failure, Outcome};

/// Where a command's answer goes.
pub(crate) struct Output {
    to: BufWriter<io::Stdout>,
    json: bool,
    style: Style,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let terminal = io::stdout().is_terminal();
        let plain = is_set("NO_COLOR") || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let style = Style { terminal, emphasis: terminal && !plain };
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
            Failure::Operation(error) if self.json => match self.document(error).and_then(|()| self.to.flush()) {
                Ok(()) => ExitCode::FAILURE,
                Err(_) => complain(error),
            },
            Failure::Operation(error) => complain(error),
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

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}
