//! `terrace learned`: the summary, the whole of it, and forgetting it.

use clap::{Args, Subcommand};
use terrace::{LearnedReset, LearnedState};

use crate::arguments::Global;
use crate::failure::Outcome;
use crate::open::Access;
use crate::output::{Output, pairs};

/// Show what feedback has taught, beyond the notes' own statistics
///
/// Without a subcommand: the scout weights in force, and how much was learned.
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace learned --json | jq .weights\n  \
terrace learned export > learned.json\n  terrace learned reset")]
pub(crate) struct Learned {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    Export(Export),
    Reset(Reset),
}

/// Print everything that verdicts taught, as one JSON document
///
/// Verdicts by receipt and note; each judged note's salience, strength and counts; learned edges, and stated edges that
/// verdicts moved; the queries kept with the notes that they cited. It shows the queries of every agent: it is the
/// owner's. Always JSON, with or without --json.
#[derive(Args)]
#[command(after_help = "Examples:\n  terrace learned export > learned.json\n  \
terrace learned export | jq '.traces[] | [.note_id, .question]'")]
struct Export {}

/// Forget everything that verdicts taught, at once and for good
///
/// Verdicts, the notes' salience, strength and counts, learned edges, what verdicts added to and took from stated edges,
/// quarantines they caused, and the queries kept with cited notes. Receipts stay and can be judged anew; so does what
/// retrieves alone count. Nothing is asked: `terrace learned export` first, to keep a record.
#[derive(Args)]
#[command(after_help = "Example:\n  terrace learned export > learned.json && terrace learned reset")]
struct Reset {}

impl Learned {
    pub(crate) fn run(&self, global: &Global, output: &mut Output) -> Outcome {
        match self.what {
            None => show(&global.open(Access::Read)?.learned()?, output),
            Some(What::Export(Export {})) => {
                let export = global.open(Access::Read)?.export_learned()?;
                output.answer(&export, |to, _| {
                    serde_json::to_writer(&mut *to, &export)?;
                    writeln!(to)
                })
            }
            Some(What::Reset(Reset {})) => gone(&global.open(Access::Write)?.reset_learned()?, output),
        }
    }
}

fn show(learned: &LearnedState, output: &mut Output) -> Outcome {
    output.answer(learned, |to, style| {
        let mut lines = vec![
            ("judged receipts", Some(learned.judged_receipts.to_string())),
            ("learned edges", Some(learned.learned_edges.to_string())),
            ("traces", Some(learned.traces.to_string())),
        ];
        let weights = learned.weights.iter();
        lines.extend(weights.map(|(scout, weight)| (scout.as_str(), Some(format!("{weight:.3}")))));
        pairs(to, style, &lines)?;
        let Some(trained) = &learned.trained else { return Ok(()) };
        writeln!(
            to,
            "weights trained on {} receipts, better on {} of {} that differ (lower bound {:.3}): {}",
            trained.receipts,
            trained.wins,
            trained.discordant,
            trained.lower_bound,
            if trained.blend > 0.0 { format!("counting {:.2}", trained.blend) } else { "not adopted".to_owned() }
        )
    })
}

fn gone(reset: &LearnedReset, output: &mut Output) -> Outcome {
    output.answer(reset, |to, style| {
        writeln!(to, "forgotten:")?;
        let lines = [
            ("judged receipts", reset.judged_receipts),
            ("verdicts", reset.verdicts),
            ("judged notes", reset.notes),
            ("learned edges", reset.learned_edges),
            ("changes to stated edges", reset.moved_edges),
            ("traces", reset.traces),
            ("quarantines", reset.quarantines),
        ];
        pairs(to, style, &lines.map(|(what, count)| (what, Some(count.to_string()))))
    })
}
