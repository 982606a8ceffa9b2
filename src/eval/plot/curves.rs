//! One quantity against another: latency by size, recall by latency.

use plotters::prelude::{Circle, PathElement};
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::axis::{Axis, frame};
use super::canvas::{FOOT, HEAD, MARGIN, ROW, WIDTH, colour, draw, failed, names_width, small, write};
use crate::error::Result;

/// Pixels of the plotting area, upwards.
const HEIGHT: u32 = 380;
/// Pixels kept for the numbers of the upward axis and for what it measures.
const LEFT: u32 = 64;
/// Pixels of the line that stands for a curve beside its name.
const KEY: i32 = 22;

/// Points that belong together, joined by a line in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What was measured, such as `p50` or `hnsw, ef 64`.
    pub label: String,
    /// The points; those without a place on the axes (not finite, or not positive on one of decades) are left out.
    pub points: Vec<(f64, f64)>,
}

/// Latency in milliseconds by the number of notes, both on axes of decades.
///
/// ```
/// use terrace::eval::plot::{Curve, latency_by_size};
/// let p50 = Curve { label: "p50".into(), points: vec![(1e4, 0.5), (1e5, 1.1), (1e6, 8.0)] };
/// assert!(latency_by_size("a whole retrieve", &[p50])?.contains("p50"));
/// # Ok::<(), terrace::Error>(())
/// ```
///
/// # Errors
/// `io` when drawing fails.
pub fn latency_by_size(heading: &str, curves: &[Curve]) -> Result<String> {
    let x = Axis::decades("notes", points(curves).map(|point| point.0));
    let y = Axis::decades("milliseconds", points(curves).map(|point| point.1));
    plot(heading, &x, &y, curves)
}

/// Recall, 0 to 1, against latency in milliseconds, the latter on an axis of decades.
///
/// # Errors
/// `io` when drawing fails.
pub fn recall_by_latency(heading: &str, curves: &[Curve]) -> Result<String> {
    let lowest = points(curves).map(|point| point.1).filter(|recall| recall.is_finite()).fold(1.0, f64::min);
    let x = Axis::decades("milliseconds", points(curves).map(|point| point.0));
    plot(heading, &x, &Axis::share("recall", lowest), curves)
}

fn points(curves: &[Curve]) -> impl Iterator<Item = (f64, f64)> {
    curves.iter().flat_map(|curve| curve.points.iter().copied())
}

fn plot(heading: &str, x: &Axis, y: &Axis, curves: &[Curve]) -> Result<String> {
    let names = ROW * names_rows(curves);
    draw(heading, HEAD + HEIGHT + FOOT + MARGIN / 2 + names, |canvas| {
        let (above, below) = canvas.split_vertically(HEAD + HEIGHT + FOOT + MARGIN / 2);
        let mut chart = frame(&above, x, y, LEFT)?;
        for (at, curve) in curves.iter().enumerate() {
            let placed: Vec<_> = curve.points.iter().filter_map(|(a, b)| Some((x.place(*a)?, y.place(*b)?))).collect();
            let dots = placed.iter().map(|point| Circle::new(*point, 4, colour(at).filled()));
            chart.draw_series(dots).map_err(failed)?;
            chart.draw_series([PathElement::new(placed, colour(at).stroke_width(2))]).map_err(failed)?;
        }
        let width = name_width(curves);
        for (at, curve) in curves.iter().enumerate() {
            let column = at as i32 % columns(width);
            let start = (LEFT + MARGIN) as i32 + column * width as i32;
            let middle = (at as i32 / columns(width)) * ROW as i32 + ROW as i32 / 2 - 6;
            let line = vec![(start, middle), (start + KEY, middle)];
            below.draw(&PathElement::new(line, colour(at).stroke_width(3))).map_err(failed)?;
            write(&below, &curve.label, (start + KEY + 6, middle), small(HPos::Left))?;
        }
        Ok(())
    })
}

/// Pixels of a curve's line and name below the plot.
fn name_width(curves: &[Curve]) -> u32 {
    names_width(curves.iter().map(|curve| curve.label.as_str())) + KEY.unsigned_abs() + 20
}

fn columns(name_width: u32) -> i32 {
    ((WIDTH - LEFT - MARGIN) / name_width.max(1)).max(1) as i32
}

fn names_rows(curves: &[Curve]) -> u32 {
    (curves.len() as u32).div_ceil(columns(name_width(curves)).unsigned_abs())
}
