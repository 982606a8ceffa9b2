//! Quality as bars with their intervals.

use plotters::prelude::{PathElement, Rectangle};
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, Chart, frame};
use super::canvas::{Canvas, FOOT, HEAD, INK, MARGIN, ROW, colour, draw, failed, names_width, small, write};
use crate::error::Result;

/// One measured quality.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What was measured, such as `scout_lexical`.
    pub label: String,
    /// The mean, 0 to 1.
    pub mean: f64,
    /// The interval's lower end.
    pub lo: f64,
    /// The interval's upper end.
    pub hi: f64,
}

/// Bars that belong together: one colour, one name above them.
#[derive(Clone, Debug, PartialEq)]
pub struct BarGroup {
    /// The name; none is drawn when it is empty.
    pub name: String,
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
}

/// Quality by what was measured: a bar for each mean, a whisker for its interval, from 0 to 1.
///
/// ```
/// use terrace::eval::plot::{Bar, BarGroup, quality_bars};
/// let bars = vec![Bar { label: "scout_lexical".into(), mean: 0.68, lo: 0.63, hi: 0.72 }];
/// let svg = quality_bars("scifact", "nDCG@10", &[BarGroup { name: "alone".into(), bars }])?;
/// assert!(svg.starts_with("<svg") && svg.contains("scout_lexical"));
/// # Ok::<(), terrace::Error>(())
/// ```
///
/// # Errors
/// `io` when drawing fails.
pub fn quality_bars(heading: &str, measure: &str, groups: &[BarGroup]) -> Result<String> {
    let rows: u32 = groups.iter().map(|group| group.bars.len() as u32 + u32::from(!group.name.is_empty())).sum();
    let height = HEAD + FOOT + MARGIN / 2 + ROW * rows.max(1);
    let labels = groups.iter().flat_map(|group| group.bars.iter().map(|bar| bar.label.as_str()));
    let left = names_width(labels.chain(groups.iter().map(|group| group.name.as_str())));
    draw(heading, height, |canvas| {
        let mut chart = frame(canvas, &Axis::share(measure, 0.0), &Axis::rows(rows), left)?;
        let mut middle = f64::from(rows) - 0.5;
        for (at, group) in groups.iter().enumerate() {
            if !group.name.is_empty() {
                let (x, y) = chart.backend_coord(&(0.0, middle));
                write(canvas, &group.name, (x - 8, y), small(HPos::Right).color(&colour(at)))?;
                middle -= 1.0;
            }
            for bar in &group.bars {
                row(canvas, &mut chart, bar, middle, at)?;
                middle -= 1.0;
            }
        }
        Ok(())
    })
}

fn row(canvas: &Canvas<'_>, chart: &mut Chart<'_, '_>, bar: &Bar, middle: f64, group: usize) -> Result<()> {
    let (mean, lo, hi) = (share(bar.mean), share(bar.lo), share(bar.hi));
    let filled = colour(group).mix(0.65).filled();
    chart.draw_series([Rectangle::new([(0.0, middle + 0.32), (mean, middle - 0.32)], filled)]).map_err(failed)?;
    let caps = [lo, hi].map(|end| vec![(end, middle - 0.16), (end, middle + 0.16)]);
    let whisker = std::iter::once(vec![(lo, middle), (hi, middle)]).chain(caps);
    chart.draw_series(whisker.map(|line| PathElement::new(line, INK.stroke_width(1)))).map_err(failed)?;
    let (start, y) = chart.backend_coord(&(0.0, middle));
    write(canvas, &bar.label, (start - 8, y), small(HPos::Right))?;
    // Beside the whisker, or in the bar where there is no room.
    let end = chart.backend_coord(&(mean.max(hi), middle)).0;
    let number = if mean.max(hi) > 0.92 { start + 8 } else { end + 8 };
    write(canvas, &format!("{:.3}", bar.mean), (number, y), small(HPos::Left))
}

/// A quality inside its axis; what is not a number is drawn as nothing.
fn share(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
}
