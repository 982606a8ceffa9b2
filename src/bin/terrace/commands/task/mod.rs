//! `terrace task`: one file per subcommand.

mod complete;
mod create;
mod finding;
mod list;
mod named;

use std::io::{self, Write};

use clap::Subcommand;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::output::{Output, Style, pairs};

/// Create, close and list tasks; closing one teaches retrieval what helped
#[derive(Subcommand)]
#[command(after_help = "Example:\n  terrace task create --id pump-42 --title \"Find out why pressure is low\"\n  \
terrace retrieve \"low pressure\" --task pump-42 --agent ada\n  \
terrace task complete pump-42 --agent ada --cited note_0123456789ab")]
pub(crate) enum Task {
    Create(create::Create),
    Complete(complete::Complete),
    Cancel(named::Cancel),
    Reopen(named::Reopen),
    List(list::List),
    Show(named::Show),
    #[command(subcommand)]
    Finding(finding::Finding),
}

impl Task {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        match self {
            Self::Create(command) => command.run(global, output),
            Self::Complete(command) => command.run(global, output),
            Self::Cancel(command) => command.run(global, output),
            Self::Reopen(command) => command.run(global, output),
            Self::List(command) => command.run(global, output),
            Self::Show(command) => command.run(global, output),
            Self::Finding(command) => command.run(global, output),
        }
    }
}

/// One task, for people.
fn show(to: &mut dyn Write, style: Style, task: &terrace::Task) -> io::Result<()> {
    let said = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    pairs(
        to,
        style,
        &[
            ("task", Some(task.id.clone())),
            ("title", said(&task.title)),
            ("description", said(&task.description)),
            ("agent", task.agent.clone()),
            ("status", Some(task.status.as_str().to_owned())),
            ("outcome", task.outcome.clone()),
            ("created", Some(task.created_at.to_string())),
            ("closed", task.closed_at.map(|time| time.to_string())),
        ],
    )
}
