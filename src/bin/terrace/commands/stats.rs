//! `terrace stats`.

use std::io::{self, Write};

use clap::Args;
use terrace::{NodeStats, StoreStats, Timestamp};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, Style, pairs};
use crate::viewer::Asker;

/// Show what memory holds of a note, or the store in figures
///
/// Without --agent and --task only shared notes are looked up. The store's figures are its owner's, so they are not
/// given to an agent.
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace stats\n  terrace stats note_0123456789ab --json")]
pub(crate) struct Stats {
    /// The note's id; without it, the store's figures
    id: Option<String>,

    /// Ask as this agent: its private notes are seen too
    #[arg(long, value_name = "AGENT", requires = "id")]
    agent: Option<String>,

    /// Ask for this task: its notes are seen too. A beginning of at least 6 characters is enough
    #[arg(long, value_name = "TASK", requires = "id")]
    task: Option<String>,
}

impl Stats {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Read)?;
        match &self.id {
            Some(id) => {
                let asker = Asker { agent: self.agent.clone(), task: self.task.clone() };
                let stats = engine.node_stats(id, &asker.viewer(&engine)?)?;
                output.answer(&stats, |to, style| of_note(to, style, &stats))
            }
            None => {
                let stats = engine.stats()?;
                output.answer(&stats, |to, style| of_store(to, style, &stats))
            }
        }
    }
}

fn of_note(to: &mut dyn Write, style: Style, stats: &NodeStats) -> io::Result<()> {
    let time = |time: Option<Timestamp>| Some(time.map_or_else(|| "never".to_owned(), |time| time.to_string()));
    let quarantine = stats.quarantine.as_ref().map(|why| format!("since {}: {}", why.at, why.reason));
    pairs(
        to,
        style,
        &[
            ("note", Some(stats.node_id.clone())),
            ("salience", Some(format!("{:.4}", stats.salience))),
            ("usage score", Some(format!("{:.4}", stats.usage_score))),
            ("retrieved", Some(stats.retrieval_count.to_string())),
            ("last retrieved", time(stats.last_retrieved_at)),
            ("cited", Some(stats.cited_count.to_string())),
            ("last used", time(stats.last_used_at)),
            ("ignored", Some(stats.ignored_count.to_string())),
            ("misleading", Some(stats.misleading_count.to_string())),
            ("decay rate", Some(stats.decay_rate.to_string())),
            ("strength", Some(format!("{:.2}", stats.spaced_rep_strength))),
            ("decay applied", time(stats.last_decay_applied_at)),
            ("quarantine", quarantine),
        ],
    )
}

fn of_store(to: &mut dyn Write, style: Style, stats: &StoreStats) -> io::Result<()> {
    let embedder = stats.embedder.as_ref().zip(stats.dims);
    pairs(
        to,
        style,
        &[
            ("notes", Some(stats.notes.to_string())),
            ("retrievable", Some(stats.retrievable.to_string())),
            ("in quarantine", Some(stats.quarantined.to_string())),
            ("namespaces", Some(stats.namespaces.to_string())),
            ("tags", Some(stats.tags.to_string())),
            ("edges", Some(stats.edges.to_string())),
            ("receipts", Some(stats.receipts.to_string())),
            ("tasks", Some(stats.tasks.to_string())),
            ("vectors", Some(stats.vectors.to_string())),
            (
                "embedder",
                Some(embedder.map_or_else(|| "none".to_owned(), |(name, dims)| format!("{name}, {dims} wide"))),
            ),
            ("change", Some(stats.sequence.to_string())),
            ("lexical", Some(format!("{} notes in {} segments", stats.lexical_docs, stats.lexical_segments))),
            ("on disk", Some(format!("SQLite {} bytes, lexical {} bytes", stats.sqlite_bytes, stats.lexical_bytes))),
        ],
    )
}
