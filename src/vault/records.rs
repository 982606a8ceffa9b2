//! Record files: one JSON object per line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::lines::{Line, each_line};
use super::record;
use super::report::{BadLine, IndexOptions, IndexProgress, RecordReport};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::Note;

/// Bad lines that an error names.
const NAMED: usize = 5;
/// Notes, and bytes of their lines, held at a time.
const TOGETHER: usize = 4_096;
const TOGETHER_BYTES: usize = 32 << 20;

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

/// Reads records, one JSON object per line, without writing them anywhere; `file` is what messages call them.
///
/// A line is a [`Note`] as JSON: `_id` may stand for `id`, `text` or `content` for `body`, `null` is as if absent, and keys
/// that are not a note's are added to its `metadata`. Bad are lines that are no JSON object or have a value of the wrong
/// type or outside its range, that have neither `title` nor `text` (both may be empty where an `id` is given), that are
/// longer than `max_bytes`, and that repeat an id of an earlier line. Blank lines, a byte order mark and CRLF are fine.
///
/// ```
/// use terrace::vault::{IndexOptions, parse_records};
/// let lines = "{\"_id\": \"a\", \"text\": \"Slugs\", \"lang\": \"en\"}\nnot JSON\n";
/// let options = IndexOptions { skip_bad: true, ..IndexOptions::default() };
/// let records = parse_records("notes.jsonl", lines.as_bytes(), &options)?;
/// assert_eq!((records.notes[0].id.as_str(), records.notes[0].body.as_str()), ("a", "Slugs"));
/// assert_eq!(records.bad[0].line, 2);
/// assert!(parse_records("notes.jsonl", lines.as_bytes(), &IndexOptions::default()).is_err());
/// # Ok::<(), terrace::Error>(())
/// ```
///
/// # Errors
/// `invalid_input` naming `file`, the first bad lines and what is wrong with them, unless `skip_bad`; `io`.
pub fn parse_records(file: &str, reader: impl BufRead, options: &IndexOptions) -> Result<Records> {
    let mut notes = Vec::new();
    let tally = read_all(file, reader, options, |note, _| {
        notes.push(note);
        Ok(())
    })?;
    tally.refuse(file, options)?;
    Ok(Records { notes, lines: tally.lines, bad: tally.bad })
}

/// Reads records and puts them: what `terrace put -` does. A record without an id becomes a new note.
///
/// # Errors
/// As [`parse_records`] and [`Engine::put_many`]; nothing is written when a line is refused.
pub fn put_records(
    engine: &Engine,
    file: &str,
    reader: impl BufRead,
    options: &IndexOptions,
    progress: &mut dyn FnMut(IndexProgress),
) -> Result<RecordReport> {
    writable(engine)?;
    progress(IndexProgress::Scanning);
    let Records { notes, lines, bad } = parse_records(file, reader, options)?;
    let total = notes.len();
    let mut written = 0;
    let mut notes = notes.into_iter();
    while written < total {
        progress(IndexProgress::Writing { done: written, total });
        let together: Vec<Note> = notes.by_ref().take(TOGETHER).collect();
        written += engine.put_many(together)?.len();
    }
    progress(IndexProgress::Writing { done: written, total });
    Ok(RecordReport { file: file.to_owned(), lines, written, bad })
}

/// Puts the records of a `.jsonl` file, as [`parse_records`] reads them, holding some thousands at a time: the file is
/// read twice, to check it and to write it.
///
/// A record without an id gets one made from its line, so that indexing a file again adds nothing.
///
/// # Errors
/// As [`put_records`]; `io` naming the file when it cannot be read.
pub fn index_records(
    engine: &Engine,
    file: &Path,
    options: &IndexOptions,
    progress: &mut dyn FnMut(IndexProgress),
) -> Result<RecordReport> {
    writable(engine)?;
    progress(IndexProgress::Scanning);
    let name = file.display().to_string();
    let open = || {
        let opened = File::open(file).map_err(|source| Error::io(format!("opening {name}"), source))?;
        Ok::<_, Error>(BufReader::with_capacity(1 << 18, opened))
    };
    let checked = read_all(&name, open()?, options, |_, _| Ok(()))?;
    checked.refuse(&name, options)?;

    let total = checked.lines - checked.bad.len();
    let mut writer = Writer { engine, notes: Vec::new(), bytes: 0, written: 0, total, progress };
    let tally = read_all(&name, open()?, options, |note, line| writer.take(note, line))?;
    writer.flush()?;
    Ok(RecordReport { file: name, lines: tally.lines, written: writer.written, bad: tally.bad })
}

fn writable(engine: &Engine) -> Result<()> {
    if engine.store().is_read_only() { Err(Error::ReadOnly("index")) } else { Ok(()) }
}

/// Lines seen, and those that are bad.
#[derive(Default)]
struct Tally {
    lines: usize,
    bad: Vec<BadLine>,
}

impl Tally {
    fn refuse(&self, file: &str, options: &IndexOptions) -> Result<()> {
        if self.bad.is_empty() || options.skip_bad {
            return Ok(());
        }
        let named: Vec<String> =
            self.bad.iter().take(NAMED).map(|bad| format!("line {}: {}", bad.line, bad.reason)).collect();
        let more = self.bad.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        Err(Error::invalid(format!(
            "{file}: {} of {} lines are no records, so nothing of it was written; {}{more}; mend them, or skip bad lines",
            self.bad.len(),
            self.lines,
            named.join("; ")
        )))
    }
}

/// Gives every good line to `take`, with its text.
fn read_all(
    file: &str,
    reader: impl BufRead,
    options: &IndexOptions,
    mut take: impl FnMut(Note, &str) -> Result<()>,
) -> Result<Tally> {
    let mut tally = Tally::default();
    // Hashes, since the ids of a large file are large together.
    let mut seen: FxHashSet<u128> = FxHashSet::default();
    let visit = |line: Line| {
        tally.lines += 1;
        let read = line.text.and_then(|text| Ok((record::read(&text)?, text)));
        let (note, text) = match read {
            Ok((note, _)) if !note.id.is_empty() && !seen.insert(xxh3_128(note.id.as_bytes())) => {
                let reason = format!("the id {:?} is that of an earlier line", note.id);
                tally.bad.push(BadLine { line: line.number, reason });
                return Ok(());
            }
            Ok(read) => read,
            Err(reason) => {
                tally.bad.push(BadLine { line: line.number, reason });
                return Ok(());
            }
        };
        take(note, &text).map_err(Stop::Engine)
    };
    match each_line(reader, options.max_bytes, visit) {
        Ok(()) => Ok(tally),
        Err(Stop::Reading(source)) => Err(Error::io(format!("reading {file}"), source)),
        Err(Stop::Engine(error)) => Err(error),
    }
}

/// Why reading stopped.
enum Stop {
    Reading(std::io::Error),
    Engine(Error),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Reading(error)
    }
}

/// Puts notes, some thousands at a time.
struct Writer<'a> {
    engine: &'a Engine,
    notes: Vec<Note>,
    bytes: usize,
    written: usize,
    total: usize,
    progress: &'a mut dyn FnMut(IndexProgress),
}

impl Writer<'_> {
    fn take(&mut self, mut note: Note, line: &str) -> Result<()> {
        if note.id.is_empty() {
            note.id = format!("note_{:016x}", xxh3_64(line.as_bytes()));
        }
        self.bytes += line.len();
        self.notes.push(note);
        if self.notes.len() >= TOGETHER || self.bytes >= TOGETHER_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        (self.progress)(IndexProgress::Writing { done: self.written, total: self.total });
        self.bytes = 0;
        self.written += self.engine.put_many(std::mem::take(&mut self.notes))?.len();
        (self.progress)(IndexProgress::Writing { done: self.written, total: self.total });
        Ok(())
    }
}
