//! What the command line may say.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, ValueEnum};
use terrace::{Timestamp, VectorIndexKind};

use crate::commands::Command;
use crate::embedder::EmbedderName;

/// An embedded search engine with a cognitive reranking core.
#[derive(Parser)]
#[command(
    name = "terrace",
    version,
    max_term_width = 110,
    after_help = "Exit status: 0 done, 1 failed, 2 wrong usage. `terrace COMMAND --help` shows each command's options.\n\n\
Examples:\n  terrace index ~/notes\n  terrace retrieve \"how do I prime the pump\"\n  terrace retrieve \"pump\" --json | jq '.results[].title'"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Args)]
pub(crate) struct Global {
    /// The store's directory
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "TERRACE_STORE",
        default_value = "./.terrace",
        help_heading = "Global options"
    )]
    pub(crate) store: PathBuf,

    /// Answer with one JSON document on standard output, failures included
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,

    /// Threads for the scouts: 0 one per core, 1 serial
    #[arg(long, global = true, value_name = "N", default_value_t = 0, help_heading = "Global options")]
    pub(crate) threads: usize,

    /// How vectors are searched
    #[arg(long, global = true, value_name = "KIND", default_value = "auto", help_heading = "Global options")]
    pub(crate) vector_index: IndexName,

    /// Where vectors come from: static (the built-in model), none, or transformer:DIR (a sentence transformer's
    /// directory). A new store keeps it for ever; without it, a store's own is used where it is at hand
    #[arg(long, global = true, value_name = "EMBEDDER", env = "TERRACE_EMBEDDER", help_heading = "Global options")]
    pub(crate) embedder: Option<EmbedderName>,

    /// Take this instant (RFC 3339) for the present, so that dated notes answer the same every day
    #[arg(long, global = true, value_name = "TIME", help_heading = "Global options")]
    pub(crate) now: Option<Timestamp>,

    /// Log to standard error; twice or thrice for more. TERRACE_LOG takes directives such as terrace=debug
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Global options")]
    pub(crate) verbose: u8,
}

/// The names of [`VectorIndexKind`].
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum IndexName {
    /// Exact scan, or HNSW where the store is large and nearly all of it eligible
    Auto,
    /// HNSW wherever the filters allow it
    Hnsw,
    /// Exact scan always
    Exact,
}

impl From<IndexName> for VectorIndexKind {
    fn from(name: IndexName) -> Self {
        match name {
            IndexName::Auto => Self::Auto,
            IndexName::Hnsw => Self::Hnsw,
            IndexName::Exact => Self::Exact,
        }
    }
}
