//! `terrace edge rm`.

use clap::Args;
use serde::Serialize;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, one_line};

/// Delete an edge
///
/// Edges that follow links and lineage change with their notes only.
#[derive(Args)]
#[command(after_help = "Example:\n  terrace edge rm edge_0123456789ab")]
pub(crate) struct Rm {
    /// The edge's id
    edge: String,
}

#[derive(Serialize)]
struct Deleted<'a> {
    success: bool,
    edge_id: &'a str,
}

impl Rm {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        engine.edge_delete(&self.edge)?;
        let deleted = Deleted { success: true, edge_id: &self.edge };
        output.answer(&deleted, |to, _| writeln!(to, "deleted {}", one_line(&self.edge)))
    }
}
