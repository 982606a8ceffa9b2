//! The stages of a retrieve, from their median to their slowest hundredth.

use std::collections::BTreeMap;

use plotters::prelude::{Circle, PathElement};
use plotters::style::text_anchor::HPos;
use plotters::style::{Color, WHITE};

use super::axis::{Axis, frame};
use super::canvas::{FOOT, HEAD, INK, MARGIN, ROW, colour, draw, failed, names_width, small, write};
use crate::error::Result;
use crate::eval::Percentiles;

/// Stages by name, each with its percentiles in microseconds on an axis of decades: a full dot at p50, a hollow one at
/// p95 and at p99. Below one microsecond a dot stands at the axis' beginning.
///
/// ```
/// use terrace::eval::{Percentiles, plot::stage_percentiles};
/// let stages = [("receipt".to_owned(), Percentiles { p50: 20.0, p95: 31.0, p99: 90.0 })].into();
/// assert!(stage_percentiles("10 000 notes", &stages)?.contains("receipt"));
/// # Ok::<(), terrace::Error>(())
/// ```
///
/// # Errors
/// `io` when drawing fails.
pub fn stage_percentiles(heading: &str, stages: &BTreeMap<String, Percentiles>) -> Result<String> {
    let rows = stages.len() as u32;
    let height = HEAD + FOOT + MARGIN / 2 + ROW * rows.max(1);
    let micros = stages.values().flat_map(|of| [of.p50, of.p95, of.p99]).map(|value| value.max(1.0));
    let x = Axis::decades("microseconds: ● p50   ○ p95   ○ p99", micros);
    draw(heading, height, |canvas| {
        let mut chart = frame(canvas, &x, &Axis::rows(rows), names_width(stages.keys().map(String::as_str)))?;
        for (at, (stage, of)) in stages.iter().enumerate() {
            let middle = f64::from(rows) - at as f64 - 0.5;
            let dots = [of.p99, of.p95, of.p50].map(|value| (x.place(value).unwrap_or(x.start()), middle));
            chart.draw_series([PathElement::new(dots.to_vec(), INK.stroke_width(1))]).map_err(failed)?;
            for (dot, full) in dots.into_iter().zip([false, false, true]) {
                let fill = if full { colour(0).filled() } else { WHITE.filled() };
                chart
                    .draw_series([Circle::new(dot, 5, fill), Circle::new(dot, 5, colour(0).stroke_width(2))])
                    .map_err(failed)?;
            }
            let (start, y) = chart.backend_coord(&(x.start(), middle));
            write(canvas, stage, (start - 8, y), small(HPos::Right))?;
        }
        Ok(())
    })
}
