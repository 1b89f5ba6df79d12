//! Pictures as lists of shapes and texts.
//!
//! Lengths are in CSS pixels, 96 to the inch; x runs to the right, y down. Later elements lie over earlier ones.

mod font;
mod pixels;
mod svg;

pub use font::{CAP_HEIGHT, text_width};
pub use pixels::Pixels;
pub(crate) use svg::{open as open_svg, write_element};

use crate::Error;

/// A place in a picture.
pub type BodyPoint = [f64; 2];

/// A colour: red, green, blue, opacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Colour {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
    /// 255 where it covers.
    pub a: u8,
}

/// A colour that covers, from 0xRRGGBB.
pub const fn colour(rgb: u32) -> Colour {
    Colour { r: (rgb >> 16) as u8, g: (rgb >> 8) as u8, b: rgb as u8, a: 255 }
}

impl Colour {
    /// The same colour, lighter (towards white) or darker (below zero, towards black).
    pub fn lighter(self, by: f64) -> Colour {
        let to = if by > 0.0 { 255.0 } else { 0.0 };
        let mix = |from: u8| (f64::from(from) + (to - f64::from(from)) * by.abs().min(1.0)).round() as u8;
        Colour { r: mix(self.r), g: mix(self.g), b: mix(self.b), a: self.a }
    }

    /// The same colour with another opacity, 0 to 1.
    pub fn faded(self, opacity: f64) -> Colour {
        Colour { a: (255.0 * opacity.clamp(0.0, 1.0)).round() as u8, ..self }
    }
}

/// A line's pen.
#[derive(Clone, Debug, PartialEq)]
pub struct Pen {
    /// Its colour.
    pub colour: Colour,
    /// Its width.
    pub width: f64,
    /// Lengths of dashes and gaps by turns; empty for a solid line.
    pub dashes: Vec<f64>,
}

impl Pen {
    /// A solid line.
    pub fn solid(colour: Colour, width: f64) -> Pen {
        Pen { colour, width, dashes: Vec::new() }
    }
}

/// Where a text stands with respect to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// A part of a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// Lines through places: open, or closed and perhaps filled.
    Path {
        /// The lines.
        lines: Vec<Vec<BodyPoint>>,
        /// Whether each line ends where it began.
        closed: bool,
        /// What is inside.
        fill: Option<Colour>,
        /// The outline.
        pen: Option<Pen>,
    },
    /// A circle.
    Circle {
        /// Its middle.
        at: BodyPoint,
        /// Its radius.
        radius: f64,
        /// What is inside.
        fill: Option<Colour>,
        /// The outline.
        pen: Option<Pen>,
    },
    /// A line of text.
    Text {
        /// Where its base line is.
        at: BodyPoint,
        /// Pieces: what it says, and whether it is raised and small (a power).
        pieces: Vec<(String, bool)>,
        /// Height of the letters' body.
        size: f64,
        /// How it stands at its place.
        anchor: Anchor,
        /// Reads upwards instead of to the right.
        upwards: bool,
        /// Its colour.
        colour: Colour,
    },
    /// What follows is cut at a rectangle (left, top, width, height), until the next one; nothing: no longer cut.
    Clip(Option<[f64; 4]>),
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Width and height.
    pub size: [f64; 2],
    /// Whether the size is meant in millimetres on paper (and so are texts) rather than in pixels.
    pub on_paper: bool,
    /// What it shows, for those who cannot see it.
    pub description: String,
    /// The colour behind everything.
    pub background: Option<Colour>,
    /// The parts, from back to front.
    pub elements: Vec<Element>,
}

/// Points to the inch on paper, when painted.
const PAPER_DPI: f64 = 300.0;
/// Larger pictures than this many pixels are refused.
const MOST_PIXELS: f64 = 1e8;

impl Drawing {
    /// An empty picture of a size in pixels.
    pub fn new(size: [f64; 2]) -> Drawing {
        Drawing { size, on_paper: false, description: String::new(), background: None, elements: Vec::new() }
    }

    /// Adds an open line.
    pub fn line(&mut self, through: Vec<BodyPoint>, pen: Pen) {
        self.elements.push(Element::Path { lines: vec![through], closed: false, fill: None, pen: Some(pen) });
    }

    /// Adds a polygon.
    pub fn polygon(&mut self, corners: Vec<BodyPoint>, fill: Option<Colour>, pen: Option<Pen>) {
        self.elements.push(Element::Path { lines: vec![corners], closed: true, fill, pen });
    }

    /// Adds a circle.
    pub fn circle(&mut self, at: BodyPoint, radius: f64, fill: Option<Colour>, pen: Option<Pen>) {
        self.elements.push(Element::Circle { at, radius, fill, pen });
    }

    /// Adds a line of text.
    pub fn text(&mut self, at: BodyPoint, text: &str, size: f64, anchor: Anchor, colour: Colour) {
        let pieces = vec![(text.to_string(), false)];
        self.elements.push(Element::Text { at, pieces, size, anchor, upwards: false, colour });
    }

    /// The picture as an SVG file.
    pub fn to_svg(&self) -> String {
        svg::write(self)
    }

    /// The picture in pixels: as many as its size says, or 300 to the inch on paper.
    pub fn to_pixels(&self) -> Result<Pixels, Error> {
        let scale = if self.on_paper { PAPER_DPI / 96.0 } else { 1.0 };
        let [width, height] = self.size.map(|length| (length * scale).round());
        if !(width >= 1.0 && height >= 1.0 && width * height <= MOST_PIXELS) {
            return Err(Error::TooLarge(format!("a picture of {width} × {height} pixels cannot be painted")));
        }
        pixels::paint(self, [width as u32, height as u32], scale)
    }
}
