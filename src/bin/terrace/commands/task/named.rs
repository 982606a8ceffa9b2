//! `terrace task cancel`, `reopen` and `show`: a task's id in, the task out.

use clap::Args;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::Output;

/// Give an open task up; nothing is learned
#[derive(Args)]
#[command(after_help = "Example:\n  terrace task cancel pump-42")]
pub(crate) struct Cancel {
    /// The task's id, or its beginning
    task: String,
}

impl Cancel {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        answer(output, &engine.cancel_task(&self.task)?)
    }
}

/// Open a completed or cancelled task again
#[derive(Args)]
#[command(after_help = "Example:\n  terrace task reopen pump-42")]
pub(crate) struct Reopen {
    /// The task's id, or its beginning
    task: String,
}

impl Reopen {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        answer(output, &engine.reopen_task(&self.task)?)
    }
}

/// Show a task
#[derive(Args)]
#[command(after_help = "Example:\n  terrace task show pump-42 --json")]
pub(crate) struct Show {
    /// The task's id, or its beginning
    task: String,
}

impl Show {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Read)?;
        answer(output, &engine.get_task(&self.task)?)
    }
}

fn answer(output: &mut Output, task: &terrace::Task) -> Outcome {
    output.answer(task, |to, style| super::show(to, style, task))
}
