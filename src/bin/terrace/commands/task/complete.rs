//! `terrace task complete`.

use clap::Args;
use terrace::CompletionRequest;

use crate::arguments::Global;
use crate::commands::verdicts::{self, Verdicts};
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, one_line};

/// Close a task, and say which of the notes retrieved for it helped
#[derive(Args)]
#[command(
    after_help = "Examples:\n  terrace task complete pump-42 --agent ada --outcome \"valve B was shut\" --cited note_1\n  \
terrace task complete pump-42 --agent ada --none-cited\n\n\
Without --cited, --misleading and --none-cited the task just closes."
)]
pub(crate) struct Complete {
    /// The task's id, or its beginning
    task: String,

    /// Who completes it
    #[arg(long)]
    agent: String,

    /// What came of it
    #[arg(long)]
    outcome: Option<String>,

    #[command(flatten)]
    verdicts: Verdicts,

    /// The receipt that is judged [default: the newest of this task and agent]
    #[arg(long, value_name = "RECEIPT")]
    receipt: Option<String>,
}

impl Complete {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        let completion = engine.complete_task(&CompletionRequest {
            task_id: self.task.clone(),
            agent: self.agent.clone(),
            outcome: self.outcome.clone(),
            cited_nodes: self.verdicts.cited(),
            misleading_nodes: self.verdicts.misleading(),
            receipt_id: self.receipt.clone(),
        })?;
        output.answer(&completion, |to, _| {
            writeln!(to, "completed {}", one_line(&self.task))?;
            verdicts::show(to, &completion.feedback)
        })
    }
}
