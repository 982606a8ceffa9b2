//! The log: on standard error, and silent until it is asked for.

use clap::CommandFactory;
use clap::error::ErrorKind;
use tracing_subscriber::EnvFilter;

use crate::arguments::Arguments;

/// Starts the log that `-v` or `TERRACE_LOG` asks for; `TERRACE_LOG` decides where both are given.
///
/// # Errors
/// Wrong usage, when `TERRACE_LOG` cannot be read.
pub(crate) fn start(verbose: u8) -> Result<(), clap::Error> {
    let directives = match std::env::var("TERRACE_LOG") {
        Ok(directives) if !directives.trim().is_empty() => directives,
        _ => match verbose {
            0 => return Ok(()),
            1 => "terrace=info,warn".to_owned(),
            2 => "terrace=debug,info".to_owned(),
            _ => "trace".to_owned(),
        },
    };
    let filter = EnvFilter::try_new(&directives).map_err(|reason| {
        let message = format!(
            "TERRACE_LOG: expected directives such as info or terrace=debug, found {directives:?} ({reason})\n"
        );
        Arguments::command().error(ErrorKind::InvalidValue, message)
    })?;
    let subscriber =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).log_internal_errors(false);
    // One that is there already has been put there by whoever embeds this; then it stays.
    let _ = subscriber.try_init();
    Ok(())
}
