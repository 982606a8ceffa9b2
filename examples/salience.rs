//! Salience over 400 days of mixed traffic: does it keep its order, and neither collapse nor run away?
//!
//! `cargo run --release --example salience -- [OUT.svg] [--notes N] [--shown K]` (default
//! `target/salience.svg`, 2 000 notes, 5 shown by a retrieve; one retrieve a day for every 200 notes).
//!
//! Where a verdict is given, notes that were shown and not meant are ignored: with `--shown 1` there are none of these.
//!
//! Prints where each group of notes ends, whether bare retrieves turned a ranking, and how notes that nobody asked for
//! are found; draws the spread of salience over the days. The same numbers on every run.

use std::path::{Path, PathBuf};

use terrace::eval::{NoteGroup, SalienceOptions, SalienceReport, simulate_salience};
use terrace::{Config, Error};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    let (plot, options) = arguments(target.join("salience.svg"))?;
    let stores = target.join("salience-stores");
    if let Err(error) = std::fs::remove_dir_all(&stores)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(error.into());
    }
    let report = simulate_salience(&stores, &Config::default(), &options, &mut |_, _, _| {})?;
    print(&report, options.days);
    draw(&report, options.days, &plot)?;
    Ok(())
}

fn arguments(mut plot: PathBuf) -> Result<(PathBuf, SalienceOptions), Error> {
    let mut options = SalienceOptions::default();
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        let mut number = || {
            let number = given.next().unwrap_or_default();
            number.parse::<usize>().map_err(|_| {
                Error::InvalidInput(format!("expected a number after {argument}, found {number:?}; try {argument} 200"))
            })
        };
        match argument.as_str() {
            "--notes" => options.notes = number()?,
            "--shown" => options.shown = number()?,
            path => plot = PathBuf::from(path),
        }
    }
    options.per_day = (options.notes / 200).max(1) as u32;
    Ok((plot, options))
}

fn print(report: &SalienceReport, days: u32) {
    println!("{} notes, {days} days, {} retrieves, {} of them judged\n", report.notes, report.retrieves, report.judged);
    println!(
        "{:<24}{:>6}{:>7}{:>9}{:>8}{:>8}{:>8}{:>13}{:>7}{:>12}",
        "notes", "count", "cited", "ignored", "5 %", "median", "95 %", "below floor", "≥ .95", "quarantined"
    );
    for group in NoteGroup::ALL {
        let Some(end) = report.groups.get(&group) else { continue };
        println!(
            "{:<24}{:>6}{:>7.1}{:>9.1}{:>8.3}{:>8.3}{:>8.3}{:>11.1} %{:>5.0} %{:>10.0} %",
            group.as_str(),
            end.notes,
            end.cited,
            end.ignored,
            end.salience.p05,
            end.salience.median,
            end.salience.p95,
            100.0 * end.below_floor,
            100.0 * end.at_ceiling,
            100.0 * end.quarantined
        );
    }
    println!(
        "\npairs of notes cited unequally often that salience puts in order: {:.2} %",
        100.0 * report.ordered_pairs
    );
    let bare = report.bare;
    println!(
        "{} bare retrieves: {} of {} rankings changed, {} of {} turned pairs turned back,\n   none wider apart than {:.3} %, scores moved by {:.3} % at most",
        bare.retrieves,
        bare.rankings_changed,
        bare.queries,
        bare.turned_back,
        bare.turned,
        100.0 * bare.widest_gap,
        100.0 * bare.largest_change
    );
    let reach = report.reach;
    println!(
        "{} notes never asked for, by their own words: first {:.3} (fresh store {:.3}), in ten {:.3} ({:.3})",
        reach.notes, reach.used_at_1, reach.fresh_at_1, reach.used_at_10, reach.fresh_at_10
    );
}

#[cfg(feature = "cli")]
fn draw(report: &SalienceReport, days: u32, plot: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let heading = format!("Salience of {} notes over {days} days", report.notes);
    std::fs::write(plot, terrace::eval::plot::salience_over_days(&heading, report)?)
        .map_err(|error| Error::io(format!("writing {}", plot.display()), error))?;
    println!("\ndrawn in {}", plot.display());
    Ok(())
}

/// Plots belong to feature `cli`.
#[cfg(not(feature = "cli"))]
fn draw(_: &SalienceReport, _: u32, plot: &Path) -> Result<(), Box<dyn std::error::Error>> {
    println!("\nnot drawn in {}: feature `cli` is off", plot.display());
    Ok(())
}
