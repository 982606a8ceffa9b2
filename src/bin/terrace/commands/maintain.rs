//! `terrace maintain`.

use clap::Args;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, pairs};

/// Apply retention, make decay durable, let the files shrink
///
/// Run it daily or when idle; no answer depends on whether it ran.
#[derive(Args)]
#[command(after_help = "Example:\n  terrace maintain --store ~/notes/.terrace")]
pub(crate) struct Maintain {}

impl Maintain {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        let report = engine.maintain()?;
        output.answer(&report, |to, style| {
            let counts = [
                ("receipts folded", report.receipts_folded),
                ("receipts pruned", report.receipts_pruned),
                ("working memory evicted", report.working_memory_evicted),
                ("coactivation trimmed", report.coactivation_trimmed),
                ("notes decayed", report.notes_decayed),
                ("changes pruned", report.changes_pruned),
                ("pages freed", report.pages_freed),
            ];
            pairs(to, style, &counts.map(|(name, count)| (name, Some(count.to_string()))))
        })
    }
}
