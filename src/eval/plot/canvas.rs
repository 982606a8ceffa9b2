//! What all plots share: size, colours, texts that fit, and the one error a plot can end with.

use std::fmt::Display;

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, IntoDrawingArea, SVGBackend, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, TextStyle, WHITE};

use crate::error::{Error, Result};

/// Where a plot is drawn.
pub(super) type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Pixels across.
pub(super) const WIDTH: u32 = 820;
/// Pixels round the plot.
pub(super) const MARGIN: u32 = 18;
/// Pixels of a row with a name of its own.
pub(super) const ROW: u32 = 26;
/// Pixels below the plot, for the axis and what it measures.
pub(super) const FOOT: u32 = 46;
/// Pixels of the heading.
pub(super) const HEAD: u32 = 44;
/// Text and axes.
pub(super) const INK: RGBColor = RGBColor(40, 44, 52);
/// Grid lines.
pub(super) const PALE: RGBColor = RGBColor(222, 225, 230);

/// Most characters of the heading, and of a name beside the plot, beyond which they are cut.
const HEADING_CHARS: usize = 76;
const NAME_CHARS: usize = 36;
/// Pixels a character of a name takes, on the generous side, as fonts differ.
const CHAR_PIXELS: u32 = 7;
/// Distinct for readers who confuse red and green (Okabe and Ito, 2008).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// The colour of series number `at`; they repeat after the sixth.
pub(super) fn colour(at: usize) -> RGBColor {
    COLOURS.get(at % COLOURS.len()).copied().unwrap_or(INK)
}

/// Draws on an empty canvas of this height, below a heading, and answers the document.
pub(super) fn draw(heading: &str, height: u32, paint: impl FnOnce(&Canvas<'_>) -> Result<()>) -> Result<String> {
    let mut svg = String::new();
    {
        let canvas = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        canvas.fill(&WHITE).map_err(failed)?;
        let style = text(21, HPos::Left);
        canvas.draw_text(&fitted(heading, HEADING_CHARS), &style, (MARGIN as i32, HEAD as i32 / 2)).map_err(failed)?;
        paint(&canvas)?;
        canvas.present().map_err(failed)?;
    }
    Ok(svg)
}

/// Writes a name or number at a place of the canvas, in pixels.
pub(super) fn write(canvas: &Canvas<'_>, said: &str, at: (i32, i32), style: TextStyle<'_>) -> Result<()> {
    canvas.draw(&Text::new(fitted(said, NAME_CHARS), at, style)).map_err(failed)
}

/// The style of names, numbers and axes.
pub(super) fn small(across: HPos) -> TextStyle<'static> {
    text(16, across)
}

/// Pixels that the longest of some names takes beside the plot.
pub(super) fn names_width<'a>(names: impl Iterator<Item = &'a str>) -> u32 {
    let longest = names.map(|name| fitted(name, NAME_CHARS).chars().count()).max().unwrap_or(0);
    longest as u32 * CHAR_PIXELS + 12
}

/// A drawing that failed.
pub(super) fn failed(reason: impl Display) -> Error {
    Error::io("drawing a plot", std::io::Error::other(reason.to_string()))
}

/// `size` is that of plotters, 1.24 of the font size written.
fn text(size: i32, across: HPos) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK.to_rgba()).pos(Pos::new(across, VPos::Center))
}

/// A text on one line, without the characters XML cannot hold, cut to a number of characters.
fn fitted(text: &str, chars: usize) -> String {
    let holdable = |c: char| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { ' ' } else { c };
    let mut fitted: String = text.chars().take(chars).map(holdable).collect();
    if text.chars().nth(chars).is_some() {
        fitted.pop();
        fitted.push('…');
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_what_fits_and_holds_nothing_xml_cannot() {
        assert_eq!(fitted("scout_lexical", 20), "scout_lexical");
        assert_eq!(fitted("scout_lexical", 6), "scout…");
        assert_eq!(fitted("a\u{1}\nb\u{ffff}", 9), "a  b ");
    }
}
