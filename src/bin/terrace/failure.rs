//! Why a command ends without its answer.

use std::io;
use std::process::ExitCode;

use serde::Serialize;
use terrace::Error;

/// What a command ends with.
pub(crate) type Outcome = Result<ExitCode, Failure>;

/// Why a command ends without its answer.
pub(crate) enum Failure {
    /// The operation failed.
    Operation(Error),
    /// The answer could not be written.
    Output(io::Error),
}

/// An operation's error as the command line tells it, in the shape that every error has as JSON.
#[derive(Serialize)]
pub(crate) struct Told {
    status: &'static str,
    code: &'static str,
    pub(crate) message: String,
}

impl From<&Error> for Told {
    fn from(error: &Error) -> Self {
        let message = match error {
            // The library's words are for programs, which have another way to read a store beside its owner.
            Error::Locked { path, owner } => format!(
                "the store {path} is open in {owner}; wait for it longer with --wait SECONDS, or close it there; \
                 search, get, cache, stats, receipts, edge list, task list and check work beside it"
            ),
            error => error.to_string(),
        };
        Self { status: "error", code: error.code(), message }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Operation(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
