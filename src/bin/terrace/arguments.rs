//! What the command line may say.

use std::path::{Path, PathBuf};

use clap::{ArgAction, Args, Parser, ValueEnum};
use terrace::{Timestamp, VectorIndexKind};

use crate::commands::Command;
use crate::embedder::EmbedderName;

/// An embedded search engine with a cognitive reranking core.
#[derive(Parser)]
#[command(
    name = "terrace",
    version,
    after_help = "Exit status: 0 done, 1 failed, 2 wrong usage. `terrace COMMAND --help` shows each command's options.\n\n\
Examples:\n  terrace index ~/notes\n  terrace retrieve \"how do I prime the pump\"\n  terrace retrieve \"pump\" --json | jq '.results[].title'"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const DEFAULT_STORE: &str = "./.terrace";

/// What every command understands.
#[derive(Args)]
pub(crate) struct Global {
    /// The store's directory
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "TERRACE_STORE",
        default_value = DEFAULT_STORE,
        help_heading = "Global options"
    )]
    pub(crate) store: PathBuf,

    /// How long a command that writes waits for another process to let the store go; 0: not at all
    ///
    /// Commands that only read do not wait: they read beside the other process.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 5, help_heading = "Global options")]
    pub(crate) wait: u32,

    /// Answer with one JSON document on standard output, failures included
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,

    /// Threads for the scouts: 0 one per core, 1 serial
    #[arg(long, global = true, value_name = "N", default_value_t = 0, help_heading = "Global options")]
    pub(crate) threads: usize,

    /// How vectors are searched
    #[arg(long, global = true, value_name = "KIND", default_value = "auto", help_heading = "Global options")]
    pub(crate) vector_index: IndexName,

    /// Where vectors come from: static, none or transformer:DIR [default: the store's own]
    ///
    /// static is the built-in model, and what a new store takes by itself; none is words alone; transformer:DIR runs
    /// the sentence transformer in that directory. A store keeps the embedder it was made with: one made with a
    /// transformer wants it named with every command, and is searched without vectors otherwise.
    #[arg(long, global = true, value_name = "EMBEDDER", env = "TERRACE_EMBEDDER", help_heading = "Global options")]
    pub(crate) embedder: Option<EmbedderName>,

    /// Take this instant for the present (RFC 3339)
    ///
    /// Dated notes then answer the same every day.
    #[arg(long, global = true, value_name = "TIME", help_heading = "Global options")]
    pub(crate) now: Option<Timestamp>,

    /// Log to standard error; -vv and -vvv for more
    ///
    /// TERRACE_LOG takes directives such as terrace=debug, and decides where both are given.
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Global options")]
    pub(crate) verbose: u8,
}

impl Global {
    /// The store, where it was named on the command line itself: what commands use that make do without one.
    pub(crate) fn named_store(&self) -> Option<&Path> {
        let usual = std::env::var_os("TERRACE_STORE").map_or_else(|| PathBuf::from(DEFAULT_STORE), PathBuf::from);
        (self.store != usual).then_some(self.store.as_path())
    }
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
