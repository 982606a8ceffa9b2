//! `terrace put`.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use terrace::Error;
use terrace::vault::{IndexOptions, RecordReport, parse_records};

use super::index::show_bad_lines;
use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::Output;

/// Write notes from JSON lines and answer their ids
///
/// One JSON object per line; a note of the same id is replaced. Makes the store where there is none.
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace put notes.jsonl\n  \
echo '{\"title\": \"Priming the pump\", \"body\": \"Open valve B first.\", \"tags\": [\"water\"]}' | terrace put -")]
pub(crate) struct Put {
    /// The file, or - for standard input
    #[arg(value_name = "FILE.jsonl")]
    file: PathBuf,

    /// Write the good lines and list the bad ones, instead of writing nothing
    #[arg(long)]
    skip_bad: bool,
}

#[derive(Serialize)]
struct Written {
    #[serde(flatten)]
    report: RecordReport,
    ids: Vec<String>,
}

impl Put {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let options = IndexOptions { skip_bad: self.skip_bad, ..IndexOptions::default() };
        let name = self.file.display().to_string();
        // Read before the store is opened: input that is refused makes no store.
        let (file, records) = if name == "-" {
            let file = "standard input".to_owned();
            let records = parse_records(&file, io::stdin().lock(), &options)?;
            (file, records)
        } else {
            let opened = File::open(&self.file).map_err(|source| Error::io(format!("opening {name}"), source))?;
            let records = parse_records(&name, BufReader::new(opened), &options)?;
            (name, records)
        };
        let engine = global.open(Access::Create)?;
        let ids = engine.put_many(records.notes)?;
        let report = RecordReport { file, lines: records.lines, written: ids.len(), bad: records.bad };
        let written = Written { report, ids };
        output.answer(&written, |to, style| {
            writeln!(to, "{} notes written", written.report.written)?;
            show_bad_lines(to, style, &written.report)
        })
    }
}
