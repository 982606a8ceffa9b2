//! `terrace edge list`.

use clap::Args;
use serde::Serialize;
use terrace::{Edge, EdgeFilter};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::Output;
use crate::viewer::Asker;

/// List the edges whose notes the viewer can see
#[derive(Args)]
#[command(after_help = "Example:\n  terrace edge list --node note_1 --derived\n  \
terrace edge list --type contradicts --json")]
pub(crate) struct List {
    /// Edges that touch this note
    #[arg(long, value_name = "ID")]
    node: Option<String>,

    /// Edges that start at this note
    #[arg(long, value_name = "ID")]
    from: Option<String>,

    /// Edges that end at this note
    #[arg(long, value_name = "ID")]
    to: Option<String>,

    /// Edges of this relation
    #[arg(long = "type", value_name = "TYPE")]
    edge_type: Option<String>,

    /// Edges of this namespace
    #[arg(long, value_name = "NS")]
    namespace: Option<String>,

    /// Also the edges that follow links and lineage
    #[arg(long)]
    derived: bool,

    #[command(flatten)]
    asker: Asker,
}

#[derive(Serialize)]
struct Listing {
    edges: Vec<Edge>,
}

impl List {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Read)?;
        let filter = EdgeFilter {
            node_id: self.node.clone(),
            from_id: self.from.clone(),
            to_id: self.to.clone(),
            edge_type: self.edge_type.clone(),
            namespace: self.namespace.clone(),
            include_derived: self.derived,
        };
        let listing = Listing { edges: engine.edge_list(&filter, &self.asker.viewer(&engine)?)? };
        output.answer(&listing, |to, style| super::show(to, style, &listing.edges))
    }
}
