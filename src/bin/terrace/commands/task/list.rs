//! `terrace task list`.

use clap::{Args, ValueEnum};
use serde::Serialize;
use terrace::{Task, TaskStatus};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, table};

/// List tasks, newest first
#[derive(Args)]
#[command(after_help = "Example:\n  terrace task list --status open")]
pub(crate) struct List {
    /// Only tasks that stand so
    #[arg(long)]
    status: Option<StatusName>,
}

#[derive(Clone, Copy, ValueEnum)]
enum StatusName {
    Open,
    Completed,
    Cancelled,
}

#[derive(Serialize)]
struct Listing {
    tasks: Vec<Task>,
}

impl List {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Read)?;
        let status = self.status.map(|name| match name {
            StatusName::Open => TaskStatus::Open,
            StatusName::Completed => TaskStatus::Completed,
            StatusName::Cancelled => TaskStatus::Cancelled,
        });
        let listing = Listing { tasks: engine.list_tasks(status)? };
        output.answer(&listing, |to, style| {
            let rows: Vec<[String; 5]> = listing.tasks.iter().map(row).collect();
            table(to, style, ["id", "status", "created", "agent", "title"], &rows)
        })
    }
}

fn row(task: &Task) -> [String; 5] {
    [
        task.id.clone(),
        task.status.as_str().to_owned(),
        task.created_at.to_string(),
        task.agent.clone().unwrap_or_else(|| "-".to_owned()),
        task.title.clone(),
    ]
}
