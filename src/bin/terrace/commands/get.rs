//! `terrace get`.

use std::io::{self, Write};

use clap::Args;
use terrace::{Note, Timestamp};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, Style, one_line, pairs};
use crate::viewer::Asker;

/// Show a note as it was put
///
/// Without --agent and --task only shared notes are found.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  terrace get note_0123456789ab\n  terrace get handbook/pump.md --agent ada --json\n  \
terrace get -- -an-id-that-begins-with-a-dash"
)]
pub(crate) struct Get {
    /// The note's id
    id: String,

    #[command(flatten)]
    asker: Asker,
}

impl Get {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Read)?;
        let note = engine.get(&self.id, &self.asker.viewer(&engine)?)?;
        output.answer(&note, |to, style| show(to, style, &note))
    }
}

fn show(to: &mut dyn Write, style: Style, note: &Note) -> io::Result<()> {
    writeln!(to, "{}", style.bold(one_line(&note.title)))?;
    let list = |items: &[String]| (!items.is_empty()).then(|| items.join(", "));
    let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
    pairs(
        to,
        style,
        &[
            ("id", Some(note.id.clone())),
            ("path", note.path.clone()),
            ("namespace", Some(note.namespace.clone())),
            ("type", Some(note.note_type.clone())),
            ("status", Some(note.status.as_str().to_owned())),
            ("access", Some(note.access_scope.as_str().to_owned())),
            ("tags", list(&note.tags)),
            ("aliases", list(&note.aliases)),
            ("links", list(&note.links)),
            ("derived from", list(&note.derived_from_ids)),
            ("supersedes", note.supersedes.clone()),
            ("key", note.key.clone()),
            ("author", note.author.clone()),
            ("source", note.source.clone()),
            ("source url", note.source_url.clone()),
            ("confidence", note.confidence.map(|sure| sure.to_string())),
            ("created", time(note.created_at)),
            ("updated", time(note.updated_at)),
            ("expires", time(note.expires_at)),
            ("metadata", note.metadata.as_ref().map(|raw| raw.get().to_owned())),
        ],
    )?;
    writeln!(to, "\n{}", style.body(&note.body))
}
