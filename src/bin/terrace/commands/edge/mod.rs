//! `terrace edge`: one file per subcommand.

mod list;
mod resolve;
mod rm;
mod upsert;

use std::io::{self, Write};

use clap::Subcommand;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::output::{Output, Style, table};

/// State, list, delete and settle relations between notes
#[derive(Subcommand)]
#[command(
    after_help = "Example:\n  terrace edge upsert note_1 contradicts note_2\n  terrace edge list --node note_1\n  \
terrace edge resolve edge_0123456789ab superseded --winner note_2"
)]
pub(crate) enum Edge {
    Upsert(upsert::Upsert),
    List(list::List),
    Rm(rm::Rm),
    Resolve(resolve::Resolve),
}

impl Edge {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        match self {
            Self::Upsert(command) => command.run(global, output),
            Self::List(command) => command.run(global, output),
            Self::Rm(command) => command.run(global, output),
            Self::Resolve(command) => command.run(global, output),
        }
    }
}

/// Edges, for people.
fn show(to: &mut dyn Write, style: Style, edges: &[terrace::Edge]) -> io::Result<()> {
    let rows: Vec<[String; 7]> = edges.iter().map(row).collect();
    table(to, style, ["id", "from", "type", "to", "weight", "origin", "conflict"], &rows)
}

fn row(edge: &terrace::Edge) -> [String; 7] {
    [
        edge.edge_id.clone(),
        edge.from_id.clone(),
        edge.edge_type.clone(),
        edge.to_id.clone(),
        format!("{:.2}", edge.weight),
        edge.origin.as_str().to_owned(),
        edge.conflict_state.clone().unwrap_or_else(|| "-".to_owned()),
    ]
}
