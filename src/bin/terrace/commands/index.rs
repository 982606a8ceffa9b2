//! `terrace index`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use terrace::Error;
use terrace::vault::{IndexOptions, IndexProgress, IndexReport, RecordReport, index_folder, index_records};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, Style, one_line};
use crate::progress::Progress;

/// Bring the store up to date with Markdown folders and .jsonl files
///
/// Makes the store where there is none.
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace index ~/notes\n  terrace index ~/notes --prune --embedder none\n  \
terrace index corpus.jsonl --skip-bad --json\n\n\
Only files that changed are read again. The files themselves are never written to.")]
pub(crate) struct Index {
    /// Folders of Markdown files, and .jsonl files with one record per line
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Delete the notes of files that are gone
    #[arg(long)]
    prune: bool,

    /// Record files: write the good lines and list the bad ones, instead of writing nothing of the file
    #[arg(long)]
    skip_bad: bool,

    /// Leave out larger files, and record files' longer lines [default: 16 MiB]
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u64>,
}

/// What indexing did, by what was indexed.
#[derive(Default, Serialize)]
struct Indexed {
    folders: Vec<IndexReport>,
    records: Vec<RecordReport>,
}

impl Index {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        // All paths are looked at before a store is made or anything is written.
        self.paths.iter().try_for_each(|path| check(path))?;
        let defaults = IndexOptions::default();
        let options = IndexOptions {
            prune: self.prune,
            skip_bad: self.skip_bad,
            max_bytes: self.max_bytes.unwrap_or(defaults.max_bytes),
        };
        let engine = global.open(Access::Create)?;
        let bar = Progress::new();
        let mut progress = |step| match step {
            IndexProgress::Scanning => bar.begin("scanning"),
            IndexProgress::Reading { done, total } => bar.at("reading", done, total),
            IndexProgress::Writing { done, total } => bar.at("writing", done, total),
        };
        let mut indexed = Indexed::default();
        for path in &self.paths {
            if path.is_dir() {
                indexed.folders.push(index_folder(&engine, path, &options, &mut progress)?);
            } else {
                indexed.records.push(index_records(&engine, path, &options, &mut progress)?);
            }
        }
        drop(bar);
        output.answer(&indexed, |to, style| show(to, style, &indexed))
    }
}

fn check(path: &Path) -> terrace::Result<()> {
    let found = path.metadata().map_err(|source| Error::io(format!("looking at {}", path.display()), source))?;
    if found.is_dir() || path.extension().is_some_and(|end| end.eq_ignore_ascii_case("jsonl")) {
        return Ok(());
    }
    Err(Error::invalid(format!("expected a folder or a .jsonl file, found {}; name its folder", path.display())))
}

fn show(to: &mut dyn Write, style: Style, indexed: &Indexed) -> io::Result<()> {
    for report in &indexed.folders {
        writeln!(to, "{}: {} files", style.bold(one_line(&report.root)), report.files)?;
        let counts = [
            ("added", report.added),
            ("updated", report.updated),
            ("renamed", report.renamed),
            ("unchanged", report.unchanged),
            ("pruned", report.pruned),
            ("missing", report.missing),
        ];
        let said: Vec<String> =
            counts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{count} {name}")).collect();
        if !said.is_empty() {
            writeln!(to, "      {}", said.join(", "))?;
        }
        for (kind, files) in [("skipped", &report.skipped), ("warning", &report.warnings)] {
            for file in files {
                writeln!(to, "      {kind} {}: {}", one_line(&file.path), style.dim(one_line(&file.reason)))?;
            }
        }
    }
    for report in &indexed.records {
        writeln!(to, "{}: {} of {} records written", one_line(&report.file), report.written, report.lines)?;
        show_bad_lines(to, style, report)?;
    }
    Ok(())
}

/// The lines that were left out.
pub(super) fn show_bad_lines(to: &mut dyn Write, style: Style, report: &RecordReport) -> io::Result<()> {
    for bad in &report.bad {
        writeln!(to, "      line {}: {}", bad.line, style.dim(one_line(&bad.reason)))?;
    }
    Ok(())
}
