//! `terrace learned`.

use clap::Args;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, pairs};

/// Show what feedback has taught, beyond the notes' own statistics
#[derive(Args)]
#[command(after_help = "Example:\n  terrace learned --json | jq .weights")]
pub(crate) struct Learned {}

impl Learned {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Read)?;
        let learned = engine.learned()?;
        output.answer(&learned, |to, style| {
            let mut lines = vec![
                ("judged receipts", Some(learned.judged_receipts.to_string())),
                ("learned edges", Some(learned.learned_edges.to_string())),
                ("traces", Some(learned.traces.to_string())),
            ];
            let weights = learned.weights.iter();
            lines.extend(weights.map(|(scout, weight)| (scout.as_str(), Some(format!("{weight:.3}")))));
            pairs(to, style, &lines)
        })
    }
}
