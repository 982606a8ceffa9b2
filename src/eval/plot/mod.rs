//! Plots of measurements as SVG: quality with its intervals, the stages of a retrieve, one quantity against another,
//! salience over days.
//!
//! Every function answers a whole SVG document. Its texts name the generic family `sans-serif`, so that no font file
//! is needed to draw it; what shows it brings the font.
//!
//! Feature `cli`.

mod axis;
mod bars;
mod canvas;
mod curves;
mod salience;
mod stages;
#[cfg(test)]
mod tests;

pub use bars::{Bar, BarGroup, quality_bars};
pub use curves::{Curve, latency_by_size, recall_by_latency};
pub use salience::salience_over_days;
pub use stages::stage_percentiles;
