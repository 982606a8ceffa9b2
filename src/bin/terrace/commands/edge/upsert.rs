//! `terrace edge upsert`.

use clap::Args;
use serde_json::value::RawValue;
use terrace::{EdgeDraft, Error};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::Output;

/// State an edge, or state it anew: unique by both notes, type and namespace
#[derive(Args)]
#[command(after_help = "Example:\n  terrace edge upsert note_1 contradicts note_2 --weight 0.8 --provenance ada\n  \
terrace edge upsert note_1 depends_on note_2 --evidence '{\"page\": 7}'")]
pub(crate) struct Upsert {
    /// The note it starts at
    from: String,

    /// The relation: related_to, contradicts, depends_on, or any other word
    #[arg(value_name = "TYPE")]
    edge_type: String,

    /// The note it ends at
    to: String,

    /// The namespace it is stated in [default: that of the note it starts at]
    #[arg(long, value_name = "NS")]
    namespace: Option<String>,

    /// How strong: 0 to 1
    #[arg(long, default_value_t = 0.5, allow_negative_numbers = true)]
    weight: f64,

    /// Who says so
    #[arg(long)]
    provenance: Option<String>,

    /// Why, as JSON
    #[arg(long, value_name = "JSON")]
    evidence: Option<String>,
}

impl Upsert {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let evidence = self.evidence.as_ref().map(|given| {
            RawValue::from_string(given.clone()).map_err(|reason| {
                Error::invalid(format!("--evidence: expected JSON such as {{\"page\": 7}}, found {given:?} ({reason})"))
            })
        });
        let evidence = evidence.transpose()?;
        let engine = global.open(Access::Write)?;
        let edge = engine.edge_upsert(&EdgeDraft {
            namespace: self.namespace.clone(),
            weight: self.weight,
            provenance: self.provenance.clone(),
            evidence,
            ..EdgeDraft::new(&self.from, &self.edge_type, &self.to)
        })?;
        output.answer(&edge, |to, style| super::show(to, style, std::slice::from_ref(&edge)))
    }
}
