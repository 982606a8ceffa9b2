//! `terrace cache`.

use std::io::{self, Write};

use clap::Args;
use terrace::{CacheLookup, CacheResponse};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, Style, one_line, pairs};
use crate::viewer::Asker;

/// Ask whether a fresh answer is there already: by its page, then by its meaning
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace cache \"which valve primes the pump\" --max-age-hours 24\n  \
terrace cache --source-url https://example.org/pump --min-confidence 0.8 --json\n\n\
A miss is an answer too: the exit status is 0.")]
pub(crate) struct Cache {
    /// The question; may be left out where --source-url says what is wanted
    #[arg(required_unless_present = "source_url", default_value = "", hide_default_value = true)]
    query: String,

    /// The page wanted; looked at before anything else
    #[arg(long, value_name = "URL")]
    source_url: Option<String>,

    /// Refuse what changed longer ago than this
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true)]
    max_age_hours: Option<f64>,

    /// Refuse what is less sure than this: 0 to 1
    #[arg(long, value_name = "SURE", default_value_t = 0.5, allow_negative_numbers = true)]
    min_confidence: f64,

    /// How many candidates to try
    #[arg(long, value_name = "N", default_value_t = 3)]
    limit: usize,

    /// Documents with this tag or one below it. Repeated: all of them
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,

    #[command(flatten)]
    asker: Asker,
}

impl Cache {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        let engine = global.open(Access::Read)?;
        let answer = engine.cache_lookup(&CacheLookup {
            query: self.query.clone(),
            source_url: self.source_url.clone(),
            max_age_hours: self.max_age_hours,
            min_confidence: self.min_confidence,
            limit: self.limit,
            tags: self.tags.clone(),
            agent_id: self.asker.agent.clone(),
            task_id: self.asker.task.clone(),
        })?;
        output.answer(&answer, |to, style| show(to, style, &answer))
    }
}

fn show(to: &mut dyn Write, style: Style, answer: &CacheResponse) -> io::Result<()> {
    let Some(document) = &answer.document else {
        return match &answer.stale_id {
            Some(id) => writeln!(to, "miss; {} is stale: refresh it", one_line(id)),
            None => writeln!(to, "miss"),
        };
    };
    writeln!(to, "hit: {}", style.bold(one_line(&document.title)))?;
    pairs(
        to,
        style,
        &[
            ("id", Some(document.id.clone())),
            ("source url", (!document.source_url.is_empty()).then(|| document.source_url.clone())),
            ("confidence", Some(document.confidence.to_string())),
            ("updated", Some(document.updated_at.to_string())),
            ("expires", document.expires_at.map(|time| time.to_string())),
            ("tags", (!document.tags.is_empty()).then(|| document.tags.join(", "))),
        ],
    )?;
    writeln!(to, "\n{}", style.body(&document.content))
}
