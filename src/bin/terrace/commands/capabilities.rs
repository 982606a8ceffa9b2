//! `terrace capabilities`.

use clap::Args;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, pairs};

/// Show what this build and store can do
#[derive(Args)]
#[command(after_help = "Example:\n  terrace capabilities --json | jq .max_limit")]
pub(crate) struct CapabilitiesOf {}

impl CapabilitiesOf {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Read)?;
        let can = engine.capabilities();
        output.answer(&can, |to, style| {
            pairs(
                to,
                style,
                &[
                    ("version", Some(can.version.clone())),
                    ("largest limit", Some(can.max_limit.to_string())),
                    ("scouts", Some(can.scouts.join(", "))),
                    ("search modes", Some(can.search_modes.join(", "))),
                    ("features", Some(can.features.join(", "))),
                    ("embedder", Some(can.embedder.clone().unwrap_or_else(|| "none".to_owned()))),
                    ("vector width", can.dims.map(|dims| dims.to_string())),
                    ("retrieve", Some(if can.lcma_enabled { "on" } else { "off" }.to_owned())),
                    ("opened", Some(if can.read_only { "read-only" } else { "writable" }.to_owned())),
                ],
            )
        })
    }
}
