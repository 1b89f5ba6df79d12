//! The letters of painted text: Noto Sans, which comes with the crate `notosans` (SIL Open Font License), so that pictures have text on machines without fonts.

use std::sync::OnceLock;
use tiny_skia::PathBuilder;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Height of capital letters and digits, as a part of the size of a text.
pub const CAP_HEIGHT: f64 = 0.714;
/// How far a power is raised and how small it is, as parts of the size.
pub const RAISED: [f64; 2] = [0.36, 0.7];

fn face() -> &'static Face<'static> {
    static FACE: OnceLock<Face<'static>> = OnceLock::new();
    FACE.get_or_init(|| Face::parse(notosans::REGULAR_TTF, 0).expect("the font that comes with the program"))
}

fn glyph(letter: char) -> GlyphId {
    // a letter that the font lacks is shown as its box
    face().glyph_index(letter).unwrap_or(GlyphId(0))
}

fn advance(letter: char) -> f64 {
    f64::from(face().glyph_hor_advance(glyph(letter)).unwrap_or(0)) / f64::from(face().units_per_em())
}

/// Width of a text of size 1.
pub fn text_width(text: &str) -> f64 {
    text.chars().map(advance).sum()
}

/// Width of a text that has powers, of size 1.
pub fn pieces_width(pieces: &[(String, bool)]) -> f64 {
    pieces.iter().map(|(text, raised)| text_width(text) * if *raised { RAISED[1] } else { 1.0 }).sum()
}

/// Draws the outlines of a text that begins at the origin, x to the right and y down.
pub fn outline(pieces: &[(String, bool)], size: f64) -> PathBuilder {
    let mut path = PathBuilder::new();
    let mut x = 0.0;
    for (text, raised) in pieces {
        let (lift, size) = if *raised { (RAISED[0] * size, RAISED[1] * size) } else { (0.0, size) };
        let scale = size / f64::from(face().units_per_em());
        for letter in text.chars() {
            let mut pen = GlyphPen { path: &mut path, x, y: -lift, scale };
            face().outline_glyph(glyph(letter), &mut pen);
            x += advance(letter) * size;
        }
    }
    path
}

struct GlyphPen<'a> {
    path: &'a mut PathBuilder,
    x: f64,
    y: f64,
    scale: f64,
}

impl GlyphPen<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        ((self.x + f64::from(x) * self.scale) as f32, (self.y - f64::from(y) * self.scale) as f32)
    }
}

impl OutlineBuilder for GlyphPen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
