//! `terrace receipts`.

use clap::Args;
use serde::Serialize;
use terrace::{Receipt, ReceiptFilter, Timestamp, Viewer};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, table};

/// List receipts, newest first
///
/// Everyone's, as the store's owner sees them: this is administration.
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace receipts --limit 5\n  terrace receipts --task task_0123456789ab --json")]
pub(crate) struct Receipts {
    /// Receipts of this task
    #[arg(long, value_name = "TASK")]
    task: Option<String>,

    /// Receipts of this agent
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,

    /// At or after this instant (RFC 3339)
    #[arg(long, value_name = "TIME")]
    since: Option<Timestamp>,

    /// Before this instant (RFC 3339)
    #[arg(long, value_name = "TIME")]
    until: Option<Timestamp>,

    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,

    /// How many to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
}

#[derive(Serialize)]
struct Listing {
    receipts: Vec<Receipt>,
}

impl Receipts {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Read)?;
        let filter = ReceiptFilter {
            task_id: self.task.clone(),
            agent_id: self.agent.clone(),
            since: self.since,
            until: self.until,
            limit: self.limit,
            offset: self.offset,
        };
        let listing = Listing { receipts: engine.receipts(&filter, &Viewer::owner())? };
        output.answer(&listing, |to, style| {
            let rows: Vec<[String; 6]> = listing.receipts.iter().map(row).collect();
            table(to, style, ["id", "time", "notes", "agent", "task", "query"], &rows)
        })
    }
}

fn row(receipt: &Receipt) -> [String; 6] {
    let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "-".to_owned());
    let notes = if receipt.error.is_some() { "failed".to_owned() } else { receipt.final_nodes.len().to_string() };
    [
        receipt.id.clone(),
        receipt.ts.to_string(),
        notes,
        name(&receipt.agent_id),
        name(&receipt.task_id),
        receipt.query.chars().take(60).collect(),
    ]
}
