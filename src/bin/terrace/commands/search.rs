//! `terrace search`.

use std::io::{self, Write};

use clap::Args;
use terrace::{SearchRequest, SearchResponse, SearchResult};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::filters::Filters;
use crate::open::Access;
use crate::output::{Output, Style, one_line};
use crate::viewer::Asker;

/// Find notes without leaving a trace
///
/// No receipt, no statistics; also beside another process that has the store open.
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace search \"prime the pump\"\n  \
terrace search \"low pressure\" --mode semantic --threshold 0.3 --json")]
pub(crate) struct Search {
    /// What is wanted, as plain text; may be left out where a tag or a path says it
    #[arg(required_unless_present_any = ["tags", "path_prefix"], default_value = "", hide_default_value = true)]
    query: String,

    /// How to look: hybrid, fulltext, semantic or graph
    #[arg(long, value_name = "MODE", default_value = "hybrid")]
    mode: String,

    /// Leave out results below this score: 0 to 1
    #[arg(long, value_name = "SCORE", default_value_t = 0.0, allow_negative_numbers = true)]
    threshold: f64,

    /// How many results at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,

    #[command(flatten)]
    filters: Filters,

    #[command(flatten)]
    asker: Asker,
}

impl Search {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let mode = self.mode.parse()?;
        let engine = global.open(Access::Read)?;
        let answer = engine.search(&SearchRequest {
            query: self.query.clone(),
            limit: self.limit,
            mode,
            threshold: self.threshold,
            namespace_filter: self.filters.namespaces(),
            agent_id: self.asker.agent.clone(),
            task_id: self.asker.task.clone(),
            tags: self.filters.tags.clone(),
            path_prefix: self.filters.path_prefix.clone(),
            include_inactive: self.filters.include_inactive,
            vector: None,
        })?;
        output.answer(&answer, |to, style| show(to, style, &answer))
    }
}

fn show(to: &mut dyn Write, style: Style, answer: &SearchResponse) -> io::Result<()> {
    if answer.results.is_empty() {
        writeln!(to, "nothing found")?;
    }
    for (at, result) in answer.results.iter().enumerate() {
        show_result(to, style, at + 1, result)?;
    }
    if answer.degraded {
        writeln!(to, "{}", style.bold(format_args!("degraded, failed: {}", answer.failed_scouts.join(", "))))?;
    }
    Ok(())
}

/// One result: rank, score, title, where it lives, its id, which other commands take, and the passage that matches.
pub(super) fn show_result(to: &mut dyn Write, style: Style, rank: usize, result: &SearchResult) -> io::Result<()> {
    let title = if result.title.trim().is_empty() { &result.id } else { &result.title };
    let stale = if result.is_stale { "  stale" } else { "" };
    let place = if result.path.is_empty() { String::new() } else { format!("  {}", style.dim(one_line(&result.path))) };
    let (title, id) = (style.bold(one_line(title)), style.dim(one_line(&result.id)));
    writeln!(to, "{rank:>3}  {:.3}  {title}{place}{stale}  {id}", result.score)?;
    if !result.snippet.is_empty() {
        writeln!(to, "      {}", one_line(&result.snippet))?;
    }
    Ok(())
}
