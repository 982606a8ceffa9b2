//! Axes, linear or of decades, and the frame they make.

use std::ops::Range;

use plotters::chart::ChartContext;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::{ChartBuilder, SVGBackend};
use plotters::style::text_anchor::HPos;

use super::canvas::{Canvas, FOOT, HEAD, INK, MARGIN, PALE, failed, small};
use crate::error::Result;

/// A frame to draw in.
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Ticked, Ticked>>;

/// A linear range with ticks where it is told.
pub(super) struct Ticked {
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        from + (share * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// One axis. What is drawn along it goes through [`Axis::place`] first.
pub(super) struct Axis {
    says: String,
    range: Range<f64>,
    ticks: Vec<f64>,
    decades: bool,
    /// Digits after the point, on a linear axis.
    digits: usize,
}

impl Axis {
    /// From 0 to a positive number, with ticks at the multiples of `step`.
    pub(super) fn linear(says: &str, to: f64, step: f64, digits: usize) -> Self {
        let count = (to / step + 1e-9).floor().clamp(0.0, 100.0) as u32;
        let ticks = (0..=count).map(|tick| f64::from(tick) * step).collect();
        Self { says: says.to_owned(), range: 0.0..to, ticks, decades: false, digits }
    }

    /// From a share to 1, a little room above it; ticks at the tenths.
    pub(super) fn share(says: &str, from: f64) -> Self {
        let first = (from * 10.0).floor().clamp(0.0, 9.0) as u32;
        let ticks = (first..=10).map(|tenth| f64::from(tenth) / 10.0).collect();
        Self { says: says.to_owned(), range: f64::from(first) / 10.0..1.0, ticks, decades: false, digits: 1 }
    }

    /// Whole powers of ten round some values; 1 to 10 where none is positive.
    pub(super) fn decades(says: &str, values: impl Iterator<Item = f64>) -> Self {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for power in values.filter(|value| value.is_finite() && *value > 0.0).map(f64::log10) {
            (from, to) = (from.min(power.floor()), to.max(power.ceil()));
        }
        if from > to {
            (from, to) = (0.0, 1.0);
        }
        let to = to.max(from + 1.0);
        let ticks = (from as i32..=to as i32).map(f64::from).collect();
        Self { says: says.to_owned(), range: from..to, ticks, decades: true, digits: 0 }
    }

    /// Rows from the bottom, with neither ticks nor numbers.
    pub(super) fn rows(count: u32) -> Self {
        Self { says: String::new(), range: 0.0..f64::from(count.max(1)), ticks: Vec::new(), decades: false, digits: 0 }
    }

    /// Where a value lies; `None` outside the axis.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let at = if self.decades { value.log10() } else { value };
        (self.range.start..=self.range.end).contains(&at).then_some(at)
    }

    /// Where the axis begins.
    pub(super) fn start(&self) -> f64 {
        self.range.start
    }

    fn label(&self, tick: f64) -> String {
        if self.decades { power_of_ten(tick) } else { format!("{tick:.*}", self.digits) }
    }
}

/// Draws the frame: grid, axes, ticks, and what each axis measures. `left` pixels are kept beside it.
pub(super) fn frame<'a, 'b>(canvas: &'a Canvas<'b>, x: &Axis, y: &Axis, left: u32) -> Result<Chart<'a, 'b>> {
    let bound = |axis: &Axis| Ticked { range: axis.range.clone(), ticks: axis.ticks.clone() };
    let mut chart = ChartBuilder::on(canvas)
        .margin_left(MARGIN)
        .margin_right(MARGIN + 8)
        .margin_top(HEAD)
        .margin_bottom(MARGIN / 2)
        .x_label_area_size(FOOT)
        .y_label_area_size(left)
        .build_cartesian_2d(bound(x), bound(y))
        .map_err(failed)?;
    chart
        .configure_mesh()
        .x_label_formatter(&|tick| x.label(*tick))
        .y_label_formatter(&|tick| y.label(*tick))
        .x_desc(x.says.as_str())
        .y_desc(y.says.as_str())
        .axis_desc_style(small(HPos::Center))
        .label_style(small(HPos::Center))
        .axis_style(INK)
        .bold_line_style(PALE)
        .set_all_tick_mark_size(4)
        .draw()
        .map_err(failed)?;
    Ok(chart)
}

/// `0.01`, `1`, `100`, `10k`, `1M`, and in other decades `1e9`.
fn power_of_ten(power: f64) -> String {
    match power as i32 {
        power @ -4..=-1 => format!("{:.*}", power.unsigned_abs() as usize, 10_f64.powi(power)),
        power @ 0..=2 => format!("{}", 10_f64.powi(power)),
        power @ 3..=5 => format!("{}k", 10_f64.powi(power - 3)),
        power @ 6..=8 => format!("{}M", 10_f64.powi(power - 6)),
        power => format!("1e{power}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|tick| axis.label(*tick)).collect()
    }

    #[test]
    fn an_axis_of_decades_holds_every_value_that_has_a_place() {
        let axis = Axis::decades("ms", [3.0, 250.0, 0.0, f64::NAN, f64::INFINITY].into_iter());
        assert_eq!(labels(&axis), ["1", "10", "100", "1k"]);
        assert_eq!(axis.place(100.0), Some(2.0));
        assert_eq!([0.0, -1.0, f64::NAN, 1e9].map(|value| axis.place(value)), [None; 4]);
    }

    #[test]
    fn a_linear_axis_ends_with_its_range() {
        assert_eq!(labels(&Axis::linear("days", 400.0, 100.0, 0)), ["0", "100", "200", "300", "400"]);
        assert_eq!(labels(&Axis::linear("salience", 1.0, 0.2, 1)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn an_axis_is_never_empty() {
        assert_eq!(labels(&Axis::decades("ms", [10.0].into_iter())), ["10", "100"]);
        assert_eq!(labels(&Axis::decades("ms", [0.0].into_iter())), ["1", "10"]);
        assert_eq!(labels(&Axis::share("recall", 1.0)), ["0.9", "1.0"]);
    }

    #[test]
    fn powers_of_ten_are_short() {
        let powers = [-2.0, 0.0, 2.0, 4.0, 6.0, 9.0].map(power_of_ten);
        assert_eq!(powers, ["0.01", "1", "100", "10k", "1M", "1e9"]);
    }
}
