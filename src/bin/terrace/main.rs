//! `terrace`: the library on the command line.
//!
//! Answers go to standard output, for people or, with `--json`, as one document; everything else goes to standard
//! error. Exit 0: done. 1: it failed. 2: it was asked wrongly.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]

mod arguments;
mod commands;
mod embedder;
mod failure;
mod filters;
mod log;
mod open;
mod output;
mod progress;
mod scratch;
mod usage;
mod viewer;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;
use output::Output;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(refusal) => return usage::refuse(&refusal, usage::asked_for_json(std::env::args_os())),
    };
    if let Err(refusal) = log::start(arguments.global.verbose) {
        return usage::refuse(&refusal, arguments.global.json);
    }
    let mut output = Output::new(arguments.global.json);
    let outcome = commands::run(&arguments.command, &arguments.global, &mut output);
    match outcome.and_then(|code| output.finish().map(|()| code)) {
        Ok(code) => code,
        Err(failure) => output.failed(&failure),
    }
}
