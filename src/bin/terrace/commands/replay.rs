//! `terrace replay`.

use std::io::{self, Write};

use clap::{Args, ValueEnum, value_parser};
use terrace::eval::{ReplayGain, ReplayReport, ReplayedReceipt, check_replay_weight};
use terrace::{ReplayRequest, ReplayWeights, Timestamp};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, Style, pairs, table};

/// Rank stored receipts under other weights, and show what would have changed
///
/// With nDCG of what callers cited, as answered and as ranked anew. Only the notes of a receipt are ranked anew: those
/// that its limit cut off are not stored. Callers cite what they see, which favours the ranking as answered; the corrected
/// figures make up for some of it where a receipt cites several notes. Everyone's receipts, as the store's owner sees
/// them; it reads only.
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace replay --weights trained\n  \
terrace replay --weights shipped --set scout_lexical=0.3 --set delta_salience=0\n  \
terrace replay --since 2026-01-01T00:00:00Z --k 5 --json | jq .citations.difference")]
pub(crate) struct Replay {
    /// The weights to start from
    #[arg(long, value_enum, default_value = "in-force")]
    weights: WeightsName,

    /// Another weight of a scout, such as scout_lexical=0.3, or multiple of a rerank factor, such as delta_salience=0
    ///
    /// Scouts' weights are 0 and up, and scaled to 1 in sum. Factors: delta_salience, delta_recency, delta_note_type,
    /// delta_graph_affinity and delta_status, each 0 and up, 1 being the configured one.
    #[arg(long, value_name = "NAME=VALUE", value_parser = weight)]
    set: Vec<(String, f64)>,

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

    /// How many receipts at most, the newest ones
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = value_parser!(u32).range(1..))]
    limit: u32,

    /// Cutoff of nDCG, and how many first places are compared
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = value_parser!(u32).range(1..))]
    k: u32,

    /// How many changed receipts to show at most, the biggest differences first
    #[arg(long, value_name = "N", default_value_t = 20)]
    show: usize,
}

/// The names of [`ReplayWeights`].
#[derive(Clone, Copy, ValueEnum)]
enum WeightsName {
    /// The configured ones, as if nothing had been learned
    Shipped,
    /// Those that retrieves use now
    InForce,
    /// Those of the last training at full weight, adopted or not
    Trained,
}

impl From<WeightsName> for ReplayWeights {
    fn from(name: WeightsName) -> Self {
        match name {
            WeightsName::Shipped => Self::Shipped,
            WeightsName::InForce => Self::InForce,
            WeightsName::Trained => Self::Trained,
        }
    }
}

/// `NAME=VALUE`, as a replay takes it.
fn weight(text: &str) -> Result<(String, f64), String> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| "expected NAME=VALUE, such as scout_lexical=0.3".to_owned())?;
    let number = value.parse().map_err(|_| format!("expected a number after {name}=, found {value:?}"))?;
    check_replay_weight(name, number).map_err(|refusal| refusal.to_string())?;
    Ok((name.to_owned(), number))
}

impl Replay {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let request = ReplayRequest {
            weights: self.weights.into(),
            set: self.set.iter().cloned().collect(),
            task_id: self.task.clone(),
            agent_id: self.agent.clone(),
            since: self.since,
            until: self.until,
            limit: self.limit as usize,
            k: self.k as usize,
            show: self.show,
            ..ReplayRequest::default()
        };
        let report = global.open(Access::Read)?.replay(&request)?;
        output.answer(&report, |to, style| show(to, style, &report))
    }
}

fn show(to: &mut dyn Write, style: Style, report: &ReplayReport) -> io::Result<()> {
    let left_out = |count: usize, why: &str| (count > 0).then(|| format!("; {count} {why} left out"));
    let receipts =
        [Some(report.receipts.to_string()), left_out(report.failed, "failed"), left_out(report.empty, "empty")];
    let (plain, corrected) = (format!("nDCG@{}", report.k), "position-corrected");
    let judged = |gain: &ReplayGain| (report.judged > 0).then(|| told(gain));
    let top = format!("first {} changed", report.k);
    let lines = [
        ("receipts", Some(receipts.into_iter().flatten().collect::<String>())),
        ("with citations", Some(report.judged.to_string())),
        ("reordered", Some(report.reordered.to_string())),
        ("first place changed", Some(report.first_changed.to_string())),
        (top.as_str(), Some(report.top_changed.to_string())),
        (plain.as_str(), judged(&report.citations)),
        (corrected, judged(&report.position_corrected)),
    ];
    pairs(to, style, &lines)?;
    if report.changed.is_empty() {
        return Ok(());
    }
    writeln!(to)?;
    let rows: Vec<[String; 6]> = report.changed.iter().map(row).collect();
    table(to, style, ["receipt", "before", "after", "first before", "first after", "query"], &rows)
}

fn told(gain: &ReplayGain) -> String {
    let difference = &gain.difference;
    format!(
        "{:.4} → {:.4}, {:+.4} ({:+.4} to {:+.4}); {} of {} that differ gain",
        gain.before, gain.after, difference.mean, difference.lo, difference.hi, gain.wins, gain.discordant
    )
}

fn row(receipt: &ReplayedReceipt) -> [String; 6] {
    let gain = |gain: Option<f64>| gain.map_or_else(|| "-".to_owned(), |gain| format!("{gain:.4}"));
    let first = |ids: &[String]| ids.first().cloned().unwrap_or_default();
    [
        receipt.receipt_id.clone(),
        gain(receipt.before),
        gain(receipt.after),
        first(&receipt.first_before),
        first(&receipt.first_after),
        receipt.query.chars().take(60).collect(),
    ]
}
