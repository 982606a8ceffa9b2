//! The commands, one file each: their options, the call they make, and how its answer reads.

mod bench;
mod cache;
mod capabilities;
mod check;
mod edge;
mod eval;
mod feedback;
mod get;
mod index;
mod learned;
mod maintain;
mod put;
mod rebuild;
mod receipt;
mod receipts;
mod replay;
mod restore;
mod retrieve;
mod rm;
mod search;
mod stats;
mod task;
mod verdicts;

use clap::Subcommand;

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::output::Output;

/// Every command.
#[derive(Subcommand)]
pub(crate) enum Command {
    Index(index::Index),
    Retrieve(Box<retrieve::Retrieve>),
    Search(Box<search::Search>),
    Get(get::Get),
    Put(put::Put),
    Rm(rm::Rm),
    Cache(cache::Cache),
    Stats(stats::Stats),
    Receipts(receipts::Receipts),
    Receipt(receipt::ReceiptOf),
    #[command(subcommand)]
    Task(task::Task),
    Feedback(feedback::FeedbackOn),
    #[command(subcommand)]
    Edge(edge::Edge),
    Restore(restore::Restore),
    Maintain(maintain::Maintain),
    Rebuild(rebuild::Rebuild),
    Check(check::Check),
    Capabilities(capabilities::CapabilitiesOf),
    Learned(learned::Learned),
    Replay(replay::Replay),
    Eval(Box<eval::Eval>),
    Bench(bench::Bench),
}

/// Runs a command.
pub(crate) fn run(command: &Command, global: &Global, output: &mut Output) -> Outcome {
    match command {
        Command::Index(command) => command.run(global, output),
        Command::Retrieve(command) => command.run(global, output),
        Command::Search(command) => command.run(global, output),
        Command::Get(command) => command.run(global, output),
        Command::Put(command) => command.run(global, output),
        Command::Rm(command) => command.run(global, output),
        Command::Cache(command) => command.run(global, output),
        Command::Stats(command) => command.run(global, output),
        Command::Receipts(command) => command.run(global, output),
        Command::Receipt(command) => command.run(global, output),
        Command::Task(command) => command.run(global, output),
        Command::Feedback(command) => command.run(global, output),
        Command::Edge(command) => command.run(global, output),
        Command::Restore(command) => command.run(global, output),
        Command::Maintain(command) => command.run(global, output),
        Command::Rebuild(command) => command.run(global, output),
        Command::Check(command) => command.run(global, output),
        Command::Capabilities(command) => command.run(global, output),
        Command::Learned(command) => command.run(global, output),
        Command::Replay(command) => command.run(global, output),
        Command::Eval(command) => command.run(global, output),
        Command::Bench(command) => command.run(global, output),
    }
}
