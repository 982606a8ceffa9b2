//! Wrong usage, and the help that was asked for.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use terrace::Error;

use crate::failure::Told;

/// Whether `--json` is among arguments that could not be read; after `--` it is text.
pub(crate) fn asked_for_json(arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// Tells what is wrong on standard error, with `json` also as the error object on standard output; help and version,
/// which are no errors, go to standard output. Answers the exit status.
pub(crate) fn refuse(refusal: &clap::Error, json: bool) -> ExitCode {
    let wrong = refusal.use_stderr();
    // Nobody may be reading either: the exit status says it too.
    let _ = refusal.print();
    if wrong && json {
        let mut to = io::stdout().lock();
        let told = Told::from(&Error::invalid(message(&refusal.render().to_string())));
        let object = serde_json::to_string(&told).unwrap_or_default();
        let _ = writeln!(to, "{object}").and_then(|()| to.flush());
    }
    if wrong { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// What clap says, on one line and without its usage, which `--help` shows.
fn message(said: &str) -> String {
    let about = said.split_once("\n\nUsage:").map_or(said, |(about, _)| about);
    match about.strip_prefix("error: ") {
        Some(fault) => {
            let fault = fault.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{}; see --help", fault.trim_end_matches(" For more information, try '--help'."))
        }
        None => "a command is missing; see --help for those there are".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_without_the_usage() {
        let said =
            "error: unexpected argument '--fly' found\n\n  tip: to pass it, use '--'\n\nUsage: terrace x\n\nFor more";
        assert_eq!(message(said), "unexpected argument '--fly' found tip: to pass it, use '--'; see --help");
        assert_eq!(message("An engine\n\nUsage: terrace"), "a command is missing; see --help for those there are");
    }

    #[test]
    fn json_after_two_dashes_is_text() {
        let arguments = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>().into_iter();
        assert!(asked_for_json(arguments("terrace get --json")));
        assert!(!asked_for_json(arguments("terrace get -- --json")));
    }
}
