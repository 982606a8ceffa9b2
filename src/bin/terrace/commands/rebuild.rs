//! `terrace rebuild`.

use clap::{Args, ValueEnum};
use serde::Serialize;
use terrace::ProjectionState;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, table};

/// Make the indexes anew from the store; nothing is lost by it
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace rebuild\n  terrace rebuild lexical")]
pub(crate) struct Rebuild {
    /// Which
    #[arg(default_value = "all")]
    projection: Projection,
}

#[derive(Clone, Copy, ValueEnum)]
enum Projection {
    /// The index of words
    Lexical,
    /// Vectors, embedding the notes that lack them
    Vector,
    /// Both
    All,
}

#[derive(Serialize)]
struct Rebuilt {
    success: bool,
    projections: Vec<ProjectionState>,
}

impl Rebuild {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        engine.rebuild(match self.projection {
            Projection::Lexical => "lexical",
            Projection::Vector => "vector",
            Projection::All => "all",
        })?;
        let rebuilt = Rebuilt { success: true, projections: engine.projections()? };
        output.answer(&rebuilt, |to, style| {
            let rows: Vec<[String; 4]> = rebuilt.projections.iter().map(row).collect();
            table(to, style, ["projection", "change", "entries", "problems"], &rows)
        })
    }
}

fn row(state: &ProjectionState) -> [String; 4] {
    let problems = if state.problems.is_empty() { "none".to_owned() } else { state.problems.join("; ") };
    [state.name.clone(), state.sequence.to_string(), state.entries.to_string(), problems]
}
