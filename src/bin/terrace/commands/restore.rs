//! `terrace restore`.

use clap::Args;

use super::rm::Done;
use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, one_line};

/// Take a note out of quarantine, where misleading verdicts or its own status have put it
#[derive(Args)]
#[command(after_help = "Example:\n  terrace restore note_0123456789ab\n\n\
`terrace stats ID` says why a note is in quarantine.")]
pub(crate) struct Restore {
    /// The note's id
    id: String,
}

impl Restore {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        engine.restore(&self.id)?;
        let done = Done { success: true, id: &self.id };
        output.answer(&done, |to, _| writeln!(to, "restored {}", one_line(&self.id)))
    }
}
