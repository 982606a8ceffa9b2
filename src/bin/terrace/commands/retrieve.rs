//! `terrace retrieve`.

use std::io::{self, Write};

use clap::Args;
use terrace::{Explanation, RetrieveRequest, RetrieveResponse};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::filters::Filters;
use crate::open::Access;
use crate::output::{Output, Style, one_line};
use crate::viewer::Asker;

/// Find, rank and explain notes, and leave a receipt
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace retrieve \"how do I prime the pump\"\n  \
terrace retrieve \"pump pressure\" --task task_0123 --agent ada --tag water --json\n  \
terrace retrieve \"\" --path-prefix handbook/pumps --limit 50\n\n\
Give the receipt's id to `terrace task complete` or `terrace feedback` to teach retrieval what helped.")]
pub(crate) struct Retrieve {
    /// What is wanted, as plain text; may be left out where a tag, a path or a task says it
    #[arg(required_unless_present_any = ["tags", "path_prefix", "task"], default_value = "", hide_default_value = true)]
    query: String,

    /// How many results at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,

    #[command(flatten)]
    filters: Filters,

    #[command(flatten)]
    asker: Asker,

    /// Report unresolved contradictions among what was found
    #[arg(long)]
    surface_conflicts: bool,

    /// How many of the best notes seed the graph's second wave [default: 10]
    #[arg(long, value_name = "N")]
    max_context_nodes: Option<usize>,

    /// How strongly results that resemble a better one give way: 0 to 1
    #[arg(long, value_name = "D", default_value_t = 0.0, allow_negative_numbers = true)]
    diversity: f64,

    /// Show how each score came about
    #[arg(long)]
    explain: bool,
}

impl Retrieve {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Write)?;
        let answer = engine.retrieve(&RetrieveRequest {
            query: self.query.clone(),
            limit: self.limit,
            namespace_filter: self.filters.namespaces(),
            agent_id: self.asker.agent.clone(),
            task_id: self.asker.task.clone(),
            surface_conflicts: self.surface_conflicts,
            max_context_nodes: self.max_context_nodes,
            tags: self.filters.tags.clone(),
            path_prefix: self.filters.path_prefix.clone(),
            include_inactive: self.filters.include_inactive,
            diversity: self.diversity,
            explain: self.explain,
            vector: None,
        })?;
        output.answer(&answer, |to, style| show(to, style, &answer))
    }
}

fn show(to: &mut dyn Write, style: Style, answer: &RetrieveResponse) -> io::Result<()> {
    if answer.results.is_empty() {
        writeln!(to, "nothing found")?;
    }
    for (at, found) in answer.results.iter().enumerate() {
        super::search::show_result(to, style, at + 1, &found.result)?;
        for reason in &found.reasons {
            writeln!(to, "      {}", style.dim(format_args!("- {}", one_line(reason))))?;
        }
        if let Some(explanation) = &found.explanation {
            explain(to, style, explanation)?;
        }
    }
    for conflict in answer.conflicts.iter().flatten() {
        let state = conflict.conflict_state.as_deref().unwrap_or("unreviewed");
        let (from, to_id) = (one_line(&conflict.from_id), one_line(&conflict.to_id));
        writeln!(to, "conflict {}: {from} contradicts {to_id} ({state})", conflict.edge_id)?;
    }
    writeln!(
        to,
        "\nreceipt {}  temperature {:.2}  terrace {}",
        answer.receipt_id, answer.temperature, answer.terrace_reached
    )?;
    if !answer.skipped_scouts.is_empty() {
        writeln!(to, "{}", style.dim(format_args!("skipped: {}", answer.skipped_scouts.join(", "))))?;
    }
    if answer.degraded {
        writeln!(to, "{}", style.bold(format_args!("degraded, failed: {}", answer.failed_scouts.join(", "))))?;
    }
    Ok(())
}

fn explain(to: &mut dyn Write, style: Style, explanation: &Explanation) -> io::Result<()> {
    for part in &explanation.scouts {
        let product = part.weight * part.calibrated;
        let line = format!(
            "{:<18} {:.3} x {:.3} = {product:.3}  (raw {:.3})",
            part.scout, part.weight, part.calibrated, part.raw
        );
        writeln!(to, "      {}", style.dim(line))?;
    }
    let deltas: Vec<String> = explanation.deltas.iter().map(|(name, delta)| format!("{name} {delta:+.4}")).collect();
    let line = format!(
        "fused {:.3}  {}  near-duplicate x {:.2}  diversity x {:.2}",
        explanation.fused,
        deltas.join("  "),
        explanation.near_duplicate,
        explanation.diversity
    );
    writeln!(to, "      {}", style.dim(line))
}
