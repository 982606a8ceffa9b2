//! `terrace feedback`.

use clap::Args;
use terrace::Feedback;

use super::verdicts::{self, Verdicts};
use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::Output;

/// Say which notes of a receipt helped, without a task
///
/// Without --cited, --misleading and --none-cited nothing is learned.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  terrace feedback rcpt_0123456789ab --cited note_1 --cited note_2 --misleading note_3\n  \
terrace feedback rcpt_0123456789ab --none-cited"
)]
pub(crate) struct FeedbackOn {
    /// The receipt's id
    receipt: String,

    /// The agent that judges: only a receipt of its own, and only what it can see [default: the store's owner]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,

    #[command(flatten)]
    verdicts: Verdicts,
}

impl FeedbackOn {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        let outcome = engine.feedback(&Feedback {
            receipt_id: self.receipt.clone(),
            agent_id: self.agent.clone(),
            cited: self.verdicts.cited(),
            misleading: self.verdicts.misleading(),
        })?;
        output.answer(&outcome, |to, _| verdicts::show(to, &outcome))
    }
}
