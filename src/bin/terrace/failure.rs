//! Why a command ends without its answer.

use std::io;
use std::process::ExitCode;

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
