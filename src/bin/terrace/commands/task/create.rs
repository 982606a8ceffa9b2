//! `terrace task create`.

use clap::Args;
use terrace::TaskDraft;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::Output;

/// Open a task
///
/// Makes the store where there is none.
#[derive(Args)]
#[command(after_help = "Example:\n  terrace task create --title \"Find out why pressure is low\" --agent ada")]
pub(crate) struct Create {
    /// Its id [default: made by the engine]
    #[arg(long, value_name = "ID", default_value = "", hide_default_value = true)]
    id: String,

    /// What is to be done, in a line
    #[arg(long, default_value = "", hide_default_value = true)]
    title: String,

    /// More about it
    #[arg(long, default_value = "", hide_default_value = true)]
    description: String,

    /// Who works on it
    #[arg(long)]
    agent: Option<String>,
}

impl Create {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Create)?;
        let task = engine.create_task(&TaskDraft {
            id: self.id.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            agent: self.agent.clone(),
        })?;
        output.answer(&task, |to, style| super::show(to, style, &task))
    }
}
