//! What feedback is worth, as tables.

use std::io::{self, Write};

use terrace::eval::{ClickReport, FeedbackReport, PerStream, PooledFeedback, Shift};

use crate::output::{Style, table};

/// Rows of one table: what was measured, how it was taught, and the shift.
#[derive(Default)]
struct Shifts(Vec<[String; 7]>);

impl Shifts {
    fn add(&mut self, what: &str, how: &str, shift: &Shift) {
        self.0.push([
            what.to_owned(),
            how.to_owned(),
            shift.queries.to_string(),
            format!("{:.4}", shift.before),
            format!("{:.4}", shift.after),
            format!("{:+.4}", shift.delta),
            format!("{:+.4} to {:+.4}", shift.lo, shift.hi),
        ]);
    }

    fn streams(&mut self, what: &str, shifts: &PerStream<Shift>) {
        for (stream, shift) in
            [("clean", &shifts.clean), ("noisy", &shifts.noisy), ("adversarial", &shifts.adversarial)]
        {
            self.add(what, stream, shift);
        }
    }

    fn write(&self, to: &mut dyn Write, style: Style, head: [&str; 2], metric: &str) -> io::Result<()> {
        let [what, how] = head;
        table(to, style, [what, how, "queries", metric, "after", "change", "95 % interval"], &self.0)
    }
}

pub(super) fn simulated(to: &mut dyn Write, style: Style, of: &FeedbackReport) -> io::Result<()> {
    let mut rows = Shifts::default();
    rows.streams("same needs", &of.same_needs);
    for bin in &of.same_needs_by_overlap {
        rows.streams(&format!("  {:.0} to {:.0} % shared words", bin.from * 100.0, bin.to * 100.0), &bin.shifts);
    }
    rows.streams("  a cache of equal queries", &of.exact_query_cache);
    rows.streams("new needs", &of.new_needs);
    for alone in &of.channels {
        let how = format!("{} alone", alone.channel.name());
        rows.add("same needs", &how, &alone.same_needs);
        rows.add("new needs", &how, &alone.new_needs);
    }
    writeln!(to)?;
    rows.write(to, style, ["feedback", "stream"], &format!("ndcg@{} before", of.k))
}

pub(super) fn pooled(to: &mut dyn Write, style: Style, of: &PooledFeedback) -> io::Result<()> {
    writeln!(to, "{}", style.bold(format_args!("{} sets pooled, every query counting the same", of.sets)))?;
    let mut rows = Shifts::default();
    rows.streams("same needs", &of.same_needs);
    rows.streams("new needs", &of.new_needs);
    rows.write(to, style, ["feedback", "stream"], "ndcg before")
}

pub(super) fn clicks(to: &mut dyn Write, style: Style, of: &ClickReport) -> io::Result<()> {
    let simulated = if of.synthetic { "simulated " } else { "" };
    let share = 100.0 * of.not_shown as f64 / (of.clicks as f64).max(1.0);
    writeln!(
        to,
        "\n{} searches with {} {simulated}clicks, {share:.1} % of them on notes that were not shown and so not cited",
        of.searches, of.clicks
    )?;
    let mut rows = Shifts::default();
    for taught in &of.taught {
        rows.add("the log's queries", &taught.by, &taught.same_queries);
        rows.add("in other words", &taught.by, &taught.same_needs);
        rows.add("held-back queries", &taught.by, &taught.new_needs);
    }
    rows.write(to, style, ["clicks", "taught by"], &format!("ndcg@{} before", of.k))?;
    for (by, trained) in of.taught.iter().filter_map(|taught| Some((&taught.by, taught.trained.as_ref()?))) {
        writeln!(
            to,
            "weights ({by}): {} judged receipts, better on {} of {} that differ, lower bound {:.3}, blended in at {:.2}",
            trained.receipts, trained.wins, trained.discordant, trained.lower_bound, trained.blend
        )?;
    }
    Ok(())
}
