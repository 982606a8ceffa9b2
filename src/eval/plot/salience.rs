//! Salience over days: a panel for each group of notes, its spread as bands.

use plotters::prelude::{PathElement, Polygon, Rectangle};
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, frame};
use super::canvas::{Canvas, FOOT, HEAD, INK, MARGIN, ROW, colour, draw, failed, small, write};
use crate::error::Result;
use crate::eval::{NoteGroup, Quantiles, SalienceReport};

/// Panels side by side, and below one another: one for each group, and one for the key.
const COLUMNS: usize = 2;
const ROWS: usize = 4;
/// Pixels of a panel's plotting area, upwards.
const PANEL: u32 = 150;
/// Pixels kept for the numbers of the upward axis and for what it measures.
const LEFT: u32 = 56;
/// Pixels of a sample beside its name in the key.
const SAMPLE: i32 = 34;
/// How much of the colour the outer and the inner band have.
const OUTER: f64 = 0.22;
const INNER: f64 = 0.45;

/// The salience of each group of notes over the days of a simulation: 90 % of a group's notes lie in the pale band, half
/// of them in the darker one, and the line is their median. One scale for all panels, 0 to 1.
///
/// ```
/// use terrace::eval::{SalienceReport, plot::salience_over_days};
/// assert!(salience_over_days("a year", &SalienceReport::default())?.contains("never asked for"));
/// # Ok::<(), terrace::Error>(())
/// ```
///
/// # Errors
/// `io` when drawing fails.
pub fn salience_over_days(heading: &str, report: &SalienceReport) -> Result<String> {
    let days = report.days.iter().map(|day| day.day).max().unwrap_or(1).max(1);
    let x = Axis::linear("days", f64::from(days), day_step(days), 0);
    let y = Axis::linear("salience", 1.0, 0.2, 1);
    let height = HEAD + ROWS as u32 * (HEAD + PANEL + FOOT);
    draw(heading, height, |canvas| {
        let (_, below) = canvas.split_vertically(HEAD - MARGIN);
        let panels = below.split_evenly((ROWS, COLUMNS));
        for (at, (group, canvas)) in NoteGroup::ALL.into_iter().zip(&panels).enumerate() {
            panel(canvas, (&x, &y), report, group, at)?;
        }
        panels.get(NoteGroup::ALL.len()).map_or(Ok(()), key)
    })
}

fn panel(
    canvas: &Canvas<'_>,
    (x, y): (&Axis, &Axis),
    report: &SalienceReport,
    group: NoteGroup,
    at: usize,
) -> Result<()> {
    let mut chart = frame(canvas, x, y, LEFT)?;
    let line = |of: fn(&Quantiles) -> f64| -> Vec<(f64, f64)> {
        let day = |day: &crate::eval::SalienceDay| Some((f64::from(day.day), of(day.groups.get(&group)?)));
        report.days.iter().filter_map(day).collect()
    };
    let bands = [(line(|of| of.p05), line(|of| of.p95), OUTER), (line(|of| of.p25), line(|of| of.p75), INNER)];
    for (low, high, strength) in bands {
        let outline: Vec<_> = low.into_iter().chain(high.into_iter().rev()).collect();
        if !outline.is_empty() {
            chart.draw_series([Polygon::new(outline, colour(at).mix(strength).filled())]).map_err(failed)?;
        }
    }
    chart.draw_series([PathElement::new(line(|of| of.median), colour(at).stroke_width(2))]).map_err(failed)?;
    let notes = report.groups.get(&group).map_or(0, |end| end.notes);
    let name = format!("{}: {notes} notes", group.as_str());
    write(canvas, &name, ((LEFT + MARGIN) as i32, HEAD as i32 - 12), small(HPos::Left).color(&colour(at)))
}

/// What bands and line are.
fn key(canvas: &Canvas<'_>) -> Result<()> {
    let left = (LEFT + MARGIN) as i32;
    for (number, (says, strength)) in
        [("5 % to 95 % of the notes", OUTER), ("25 % to 75 %", INNER)].into_iter().enumerate()
    {
        let middle = HEAD as i32 + (number as i32 + 1) * ROW as i32;
        let sample = [(left, middle - 8), (left + SAMPLE, middle + 8)];
        canvas.draw(&Rectangle::new(sample, INK.mix(strength).filled())).map_err(failed)?;
        write(canvas, says, (left + SAMPLE + 8, middle), small(HPos::Left))?;
    }
    let middle = HEAD as i32 + 3 * ROW as i32;
    let sample = vec![(left, middle), (left + SAMPLE, middle)];
    canvas.draw(&PathElement::new(sample, INK.stroke_width(2))).map_err(failed)?;
    write(canvas, "median", (left + SAMPLE + 8, middle), small(HPos::Left))
}

/// Days between two numbers of the axis: at most five of them.
fn day_step(days: u32) -> f64 {
    let steps = (0..9).flat_map(|power| [1, 2, 5].map(|digit| f64::from(digit) * 10_f64.powi(power)));
    steps.into_iter().find(|step| step * 5.0 >= f64::from(days)).unwrap_or(f64::from(days))
}
