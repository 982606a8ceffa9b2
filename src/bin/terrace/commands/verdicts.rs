//! Which of the retrieved notes helped.

use std::io::{self, Write};

use clap::Args;
use terrace::FeedbackOutcome;

use crate::output::one_line;

/// Citations. With any of these options, every other note of the receipt was ignored.
#[derive(Args)]
pub(crate) struct Verdicts {
    /// A note that helped
    #[arg(long, value_name = "ID", conflicts_with = "none_cited")]
    cited: Vec<String>,

    /// A note that led astray; wins over --cited
    #[arg(long, value_name = "ID")]
    misleading: Vec<String>,

    /// No note helped
    #[arg(long)]
    none_cited: bool,
}

impl Verdicts {
    /// The cited notes; `None` where nothing was said of them.
    pub(crate) fn cited(&self) -> Option<Vec<String>> {
        (self.none_cited || !self.cited.is_empty()).then(|| self.cited.clone())
    }

    /// The misleading notes; `None` where nothing was said of them.
    pub(crate) fn misleading(&self) -> Option<Vec<String>> {
        (!self.misleading.is_empty()).then(|| self.misleading.clone())
    }
}

/// What feedback did, for people.
pub(super) fn show(to: &mut dyn Write, outcome: &FeedbackOutcome) -> io::Result<()> {
    if outcome.feedback_applied {
        let applied = &outcome.applied;
        for (verdict, ids) in
            [("cited", &applied.cited), ("misleading", &applied.misleading), ("ignored", &applied.ignored)]
        {
            if !ids.is_empty() {
                writeln!(to, "{verdict}: {}", one_line(&ids.join(", ")))?;
            }
        }
    } else {
        writeln!(to, "nothing was learned")?;
    }
    for dropped in &outcome.dropped {
        writeln!(to, "dropped {}: {}", one_line(&dropped.id), one_line(&dropped.why))?;
    }
    Ok(())
}
