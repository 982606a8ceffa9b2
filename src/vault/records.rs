//! Record files: one JSON object per line.

use std::io::BufRead;
use std::path::Path;

use super::report::{BadLine, IndexOptions, IndexProgress, RecordReport};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::Note;

/// What a record file says.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// The good lines, in order.
    pub notes: Vec<Note>,
    /// Lines that are not blank.
    pub lines: usize,
    /// The bad lines; empty unless `skip_bad`.
    pub bad: Vec<BadLine>,
}

/// Reads records, one JSON object per line, without writing them anywhere.
///
/// # Errors
/// `invalid_input` naming `file`, the first bad lines and why, unless `skip_bad`; `io`.
pub fn parse_records(file: &str, reader: impl BufRead, options: &IndexOptions) -> Result<Records> {
    let _ = (reader, options);
    Err(Error::invalid(format!("{file} cannot be read yet")))
}

/// Reads records and puts them: what `terrace put -` does.
///
/// # Errors
/// As [`parse_records`] and [`Engine::put_many`]; nothing is written then.
pub fn put_records(
    engine: &Engine,
    file: &str,
    reader: impl BufRead,
    options: &IndexOptions,
    progress: &mut dyn FnMut(IndexProgress),
) -> Result<RecordReport> {
    progress(IndexProgress::Scanning);
    let records = parse_records(file, reader, options)?;
    let written = engine.put_many(records.notes)?.len();
    Ok(RecordReport { file: file.to_owned(), lines: records.lines, written, bad: records.bad })
}

/// Puts the records of a `.jsonl` file.
///
/// # Errors
/// As [`put_records`]; `io` naming the file when it cannot be read.
pub fn index_records(
    engine: &Engine,
    file: &Path,
    options: &IndexOptions,
    progress: &mut dyn FnMut(IndexProgress),
) -> Result<RecordReport> {
    let name = file.display().to_string();
    let opened = std::fs::File::open(file).map_err(|source| Error::io(format!("opening {name}"), source))?;
    put_records(engine, &name, std::io::BufReader::new(opened), options, progress)
}
