//! `terrace rm`.

use clap::Args;
use serde::Serialize;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, one_line};

/// Delete a note with its statistics, edges and vectors; receipts keep its id
#[derive(Args)]
#[command(after_help = "Example:\n  terrace rm note_0123456789ab")]
pub(crate) struct Rm {
    /// The note's id
    id: String,
}

/// Something was done to a note.
#[derive(Serialize)]
pub(super) struct Done<'a> {
    pub(super) success: bool,
    pub(super) id: &'a str,
}

impl Rm {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        engine.delete(&self.id)?;
        let done = Done { success: true, id: &self.id };
        output.answer(&done, |to, _| writeln!(to, "deleted {}", one_line(&self.id)))
    }
}
