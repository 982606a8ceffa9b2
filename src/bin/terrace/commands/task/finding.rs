//! `terrace task finding`.

use std::io::{self, Write};

use clap::{Args, Subcommand};
use serde::Serialize;
use terrace::Viewer;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, Style, one_line};

/// Write down what was found out for a task, and read it back
#[derive(Subcommand)]
#[command(after_help = "Example:\n  terrace task finding post pump-42 \"valve B was shut\" --agent ada\n  \
terrace task finding list pump-42")]
pub(crate) enum Finding {
    Post(Post),
    List(List),
}

impl Finding {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        match self {
            Self::Post(command) => command.run(global, output),
            Self::List(command) => command.run(global, output),
        }
    }
}

/// Write a finding down
///
/// With --note, that note belongs to the task from now on.
#[derive(Args)]
#[command(after_help = "Example:\n  terrace task finding post pump-42 \"valve B was shut\" --agent ada --note note_1")]
pub(crate) struct Post {
    /// The task's id, or its beginning
    task: String,

    /// What was found out
    summary: String,

    /// Who found it
    #[arg(long)]
    agent: String,

    /// The note that holds it
    #[arg(long, value_name = "ID")]
    note: Option<String>,
}

impl Post {
    fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        let finding = engine.post_finding(&self.task, &self.agent, &self.summary, self.note.as_deref())?;
        output.answer(&finding, |to, style| show(to, style, &finding))
    }
}

/// List a task's findings, oldest first
///
/// A note that the viewer may not see is left out of its finding.
#[derive(Args)]
#[command(after_help = "Example:\n  terrace task finding list pump-42 --agent ada --json")]
pub(crate) struct List {
    /// The task's id, or its beginning; its own notes are seen
    task: String,

    /// Ask as this agent: its private notes are seen too
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

#[derive(Serialize)]
struct Listing {
    findings: Vec<terrace::Finding>,
}

impl List {
    fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Read)?;
        let task = engine.get_task(&self.task)?.id;
        let viewer = self.agent.as_ref().map_or_else(Viewer::anyone, Viewer::agent).on_task(&task);
        let listing = Listing { findings: engine.list_findings(&task, &viewer)? };
        output.answer(&listing, |to, style| listing.findings.iter().try_for_each(|finding| show(to, style, finding)))
    }
}

fn show(to: &mut dyn Write, style: Style, finding: &terrace::Finding) -> io::Result<()> {
    let note = finding.note_id.as_ref().map(|id| format!("  [{}]", one_line(id))).unwrap_or_default();
    let head = format!("{:>3}  {}  {}", finding.id, finding.created_at, one_line(&finding.agent));
    writeln!(to, "{}  {}{note}", style.dim(head), one_line(&finding.summary))
}
