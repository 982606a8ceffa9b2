//! `terrace edge resolve`.

use clap::{Args, ValueEnum};
use terrace::ConflictResolution;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::Output;

/// Settle a contradiction
#[derive(Args)]
#[command(after_help = "Example:\n  terrace edge resolve edge_0123456789ab superseded --winner note_2\n  \
terrace edge resolve edge_0123456789ab refuted")]
pub(crate) struct Resolve {
    /// The id of the contradicts edge
    edge: String,

    /// How
    resolution: ResolutionName,

    /// With superseded: the end of the edge that replaces the other
    #[arg(long, value_name = "ID")]
    winner: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum ResolutionName {
    /// Both may stand; it stays visible as a conflict
    AcceptedDual,
    /// One replaces the other
    Superseded,
    /// The contradiction does not hold
    Refuted,
    /// Both were merged elsewhere
    Merged,
}

impl Resolve {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        let resolution = match self.resolution {
            ResolutionName::AcceptedDual => ConflictResolution::AcceptedDual,
            ResolutionName::Superseded => ConflictResolution::Superseded,
            ResolutionName::Refuted => ConflictResolution::Refuted,
            ResolutionName::Merged => ConflictResolution::Merged,
        };
        let edge = engine.conflict_resolve(&self.edge, resolution, self.winner.as_deref())?;
        output.answer(&edge, |to, style| super::show(to, style, std::slice::from_ref(&edge)))
    }
}
