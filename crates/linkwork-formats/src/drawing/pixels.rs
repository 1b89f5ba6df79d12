//! Drawings painted into pixels.

use super::font::{outline, pieces_width};
use super::{Anchor, BodyPoint, Colour, Drawing, Element, Pen};
use crate::Error;
use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};

/// A painted picture.
#[derive(Clone)]
pub struct Pixels {
    pixmap: Pixmap,
    dpi: f64,
}

impl Pixels {
    /// Width and height.
    pub fn size(&self) -> [u32; 2] {
        [self.pixmap.width(), self.pixmap.height()]
    }

    /// The colour of a pixel; x to the right, y down.
    pub fn at(&self, x: u32, y: u32) -> Option<Colour> {
        let c = self.pixmap.pixel(x, y)?.demultiply();
        Some(Colour { r: c.red(), g: c.green(), b: c.blue(), a: c.alpha() })
    }

    /// Red, green, blue, opacity of every pixel, row by row, of a picture that covers everything.
    pub fn rgba(&self) -> &[u8] {
        self.pixmap.data()
    }

    /// The picture as a PNG file.
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        let bytes = self
            .pixmap
            .encode_png()
            .map_err(|e| Error::Encoding { what: "a PNG file", why: e.to_string() })?;
        Ok(with_resolution(bytes, self.dpi))
    }
}

/// Puts how large the picture is on paper (`pHYs`) behind the header.
fn with_resolution(mut png: Vec<u8>, dpi: f64) -> Vec<u8> {
    const HEADER_END: usize = 8 + 25;
    let per_metre = ((dpi / 0.0254).round() as u32).to_be_bytes();
    let mut chunk = b"pHYs".to_vec();
    chunk.extend(per_metre);
    chunk.extend(per_metre);
    chunk.push(1);
    let sum = crc32(&chunk).to_be_bytes();
    let mut whole = 9_u32.to_be_bytes().to_vec();
    whole.extend(chunk);
    whole.extend(sum);
    if png.len() > HEADER_END {
        png.splice(HEADER_END..HEADER_END, whole);
    }
    png
}

/// The check sum of PNG chunks.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |mut sum, byte| {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
        }
        sum
    })
}

pub(super) fn paint(drawing: &Drawing, [width, height]: [u32; 2], scale: f64) -> Result<Pixels, Error> {
    let mut pixmap = Pixmap::new(width, height)
        .ok_or_else(|| Error::TooLarge(format!("no memory for {width} × {height} pixels")))?;
    if let Some(background) = drawing.background {
        pixmap.fill(tiny_skia::Color::from_rgba8(background.r, background.g, background.b, background.a));
    }
    let place = Transform::from_scale(scale as f32, scale as f32);
    let mut mask: Option<Mask> = None;
    for element in &drawing.elements {
        match element {
            Element::Clip(None) => mask = None,
            Element::Clip(Some([x, y, w, h])) => {
                mask = Mask::new(width, height);
                let window = Rect::from_xywh(*x as f32, *y as f32, *w as f32, *h as f32);
                if let (Some(mask), Some(window)) = (&mut mask, window) {
                    mask.fill_path(&PathBuilder::from_rect(window), FillRule::Winding, true, place);
                }
            }
            Element::Path { lines, closed, fill, pen } => {
                if let Some(path) = path_of(lines, *closed) {
                    paint_path(&mut pixmap, &path, *fill, pen.as_ref(), place, mask.as_ref());
                }
            }
            Element::Circle { at, radius, fill, pen } => {
                if let Some(path) = PathBuilder::from_circle(at[0] as f32, at[1] as f32, *radius as f32) {
                    paint_path(&mut pixmap, &path, *fill, pen.as_ref(), place, mask.as_ref());
                }
            }
            Element::Text { at, pieces, size, anchor, upwards, colour } => {
                let width = pieces_width(pieces) * size;
                let shift = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => -width / 2.0,
                    Anchor::End => -width,
                };
                let turn = if *upwards { -90.0 } else { 0.0 };
                let stand = Transform::from_translate(shift as f32, 0.0)
                    .post_concat(Transform::from_rotate(turn))
                    .post_translate(at[0] as f32, at[1] as f32)
                    .post_concat(place);
                if let Some(path) = outline(pieces, *size).finish() {
                    paint_path(&mut pixmap, &path, Some(*colour), None, stand, mask.as_ref());
                }
            }
        }
    }
    Ok(Pixels { pixmap, dpi: 96.0 * scale })
}

fn path_of(lines: &[Vec<BodyPoint>], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for line in lines {
        let mut places = line.iter().filter(|p| p[0].is_finite() && p[1].is_finite());
        let Some(first) = places.next() else { continue };
        path.move_to(first[0] as f32, first[1] as f32);
        let mut alone = true;
        for place in places {
            path.line_to(place[0] as f32, place[1] as f32);
            alone = false;
        }
        if alone {
            // a dot: the shortest line that a round pen shows
            path.line_to(first[0] as f32 + 1e-3, first[1] as f32);
        }
        if closed {
            path.close();
        }
    }
    path.finish()
}

fn paint_path(
    pixmap: &mut Pixmap,
    path: &Path,
    fill: Option<Colour>,
    pen: Option<&Pen>,
    place: Transform,
    mask: Option<&Mask>,
) {
    let paint = |c: Colour| {
        let mut paint = Paint::default();
        paint.set_color_rgba8(c.r, c.g, c.b, c.a);
        paint
    };
    if let Some(fill) = fill {
        pixmap.fill_path(path, &paint(fill), FillRule::Winding, place, mask);
    }
    if let Some(pen) = pen {
        let stroke = Stroke {
            width: pen.width as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            dash: StrokeDash::new(pen.dashes.iter().map(|d| *d as f32).collect(), 0.0),
            ..Stroke::default()
        };
        pixmap.stroke_path(path, &paint(pen.colour), &stroke, place, mask);
    }
}
