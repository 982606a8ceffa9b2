//! `terrace check`.

use std::process::ExitCode;

use clap::Args;
use terrace::{CheckProblem, CheckReport, CheckSeverity, Error};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, one_line};

/// Look for damage in the store's file and its indexes
///
/// Also beside another process that has the store open, and where it cannot be written to.
#[derive(Args)]
#[command(
    after_help = "Example:\n  terrace check && echo sound\n\nThe exit status is 1 when there is an error among the problems."
)]
pub(crate) struct Check {}

impl Check {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let report = match global.open(Access::Read) {
            Ok(engine) => engine.check()?,
            // What keeps the store from opening is the first thing to report.
            Err(error) if error.code() == "corrupt" => unopened(&error),
            Err(error) => return Err(error.into()),
        };
        output.answer(&report, |to, style| {
            if report.problems.is_empty() {
                writeln!(to, "sound")?;
            }
            for problem in &report.problems {
                let what = one_line(&problem.what);
                writeln!(to, "{}  {}: {what}", style.bold(problem.severity.as_str()), problem.check)?;
                writeln!(to, "      {}", style.dim(&problem.remedy))?;
            }
            Ok(())
        })?;
        let damaged = report.problems.iter().any(|problem| problem.severity == CheckSeverity::Error);
        Ok(if damaged { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

fn unopened(error: &Error) -> CheckReport {
    let problem = CheckProblem {
        check: "sqlite".to_owned(),
        severity: CheckSeverity::Error,
        what: error.to_string(),
        remedy: "restore terrace.db from a backup, or index the vaults into a new store".to_owned(),
    };
    CheckReport { problems: vec![problem] }
}
