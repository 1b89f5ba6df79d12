//! The legend: above the panels, so that it covers no curve.

use crate::drawing::{Anchor, BodyPoint, CAP_HEIGHT, Drawing, Pen, colour, text_width};

/// An entry: its line and what it is.
pub struct Entry {
    pub pen: Pen,
    pub name: String,
}

/// A legend laid out in rows.
pub struct Legend {
    entries: Vec<(Entry, BodyPoint)>,
    size: f64,
    /// Its height.
    pub height: f64,
    /// Width of its widest row.
    pub width: f64,
}

/// Length of the line of an entry, space after it and after the entry, in sizes of the text.
const SAMPLE: f64 = 2.6;
const GAP: f64 = 0.5;
const APART: f64 = 1.4;
const ROW: f64 = 1.45;

impl Legend {
    /// Puts entries into rows of a width; with smaller letters where they would be higher than `most`.
    pub fn new(entries: Vec<Entry>, size: f64, width: f64, most: f64) -> Legend {
        let mut size = size;
        loop {
            let mut at = [0.0, 0.0];
            let mut places = Vec::new();
            let mut used = 0.0_f64;
            for entry in &entries {
                let own = (SAMPLE + GAP + text_width(&entry.name)) * size;
                if at[0] > 0.0 && at[0] + own > width {
                    at = [0.0, at[1] + ROW * size];
                }
                places.push(at);
                used = used.max(at[0] + own);
                at[0] += own + APART * size;
            }
            let height = if entries.is_empty() { 0.0 } else { at[1] + ROW * size };
            if (height <= most && used <= width) || size < 3.0 {
                return Legend {
                    entries: entries.into_iter().zip(places).collect(),
                    size,
                    height,
                    width: used,
                };
            }
            size *= 0.92;
        }
    }

    /// Draws it with its upper left corner at a place.
    pub fn draw(&self, drawing: &mut Drawing, corner: BodyPoint) {
        let size = self.size;
        for (entry, [x, y]) in &self.entries {
            let (x, middle) = (corner[0] + x, corner[1] + y + ROW * size / 2.0);
            drawing.line(vec![[x, middle], [x + SAMPLE * size, middle]], entry.pen.clone());
            let base = middle + CAP_HEIGHT * size / 2.0;
            drawing.text(
                [x + (SAMPLE + GAP) * size, base],
                &entry.name,
                size,
                Anchor::Start,
                colour(0x222222),
            );
        }
    }
}
