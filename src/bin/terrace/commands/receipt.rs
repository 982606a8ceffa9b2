//! `terrace receipt`.

use std::io::{self, Write};

use clap::Args;
use terrace::{Receipt, Viewer};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, Style, one_line, pairs};

/// Show what one retrieve asked, considered and answered
///
/// As the store's owner sees it: this is administration.
#[derive(Args)]
#[command(after_help = "Example:\n  terrace receipt rcpt_0123456789ab --json")]
pub(crate) struct ReceiptOf {
    /// The receipt's id
    id: String,
}

impl ReceiptOf {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Read)?;
        let receipt = engine.receipt(&self.id, &Viewer::owner())?;
        output.answer(&receipt, |to, style| show(to, style, &receipt))
    }
}

fn show(to: &mut dyn Write, style: Style, receipt: &Receipt) -> io::Result<()> {
    let list = |items: &[String]| (!items.is_empty()).then(|| items.join(", "));
    let timings: Vec<String> = receipt.timings.iter().map(|(stage, micros)| format!("{stage} {micros}")).collect();
    let is_plain = receipt.request.as_object().is_some_and(serde_json::Map::is_empty);
    pairs(
        to,
        style,
        &[
            ("receipt", Some(receipt.id.clone())),
            ("time", Some(receipt.ts.to_string())),
            ("query", Some(receipt.query.clone())),
            ("agent", receipt.agent_id.clone()),
            ("task", receipt.task_id.clone()),
            ("request", (!is_plain).then(|| receipt.request.to_string())),
            ("scouts fired", list(&receipt.scouts_fired)),
            ("scouts failed", list(&receipt.failed_scouts)),
            ("candidates", Some(receipt.candidates_considered.to_string())),
            ("conflicts", list(&receipt.conflicts_surfaced)),
            ("temperature", Some(format!("{:.2}", receipt.temperature))),
            ("terrace", Some(receipt.terrace_reached.to_string())),
            ("widening", receipt.widening.as_ref().map(ToString::to_string)),
            ("microseconds", list(&timings)),
            ("error", receipt.error.as_ref().map(ToString::to_string)),
        ],
    )?;
    for (at, node) in receipt.final_nodes.iter().enumerate() {
        writeln!(to, "{:>3}  {:.3}  {}", at + 1, node.score, style.bold(one_line(&node.id)))?;
        for reason in &node.reasons {
            writeln!(to, "      {}", style.dim(format_args!("- {}", one_line(reason))))?;
        }
    }
    Ok(())
}
