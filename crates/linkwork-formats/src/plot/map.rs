//! Maps: patches of colour over two axes, with marks and a drawing above them.

use super::scale::{Scale, range, widened};
use crate::drawing::{Anchor, BodyPoint, CAP_HEIGHT, Colour, Drawing, Element, Pen, colour, text_width};

/// A rectangle of the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Its middle.
    pub at: [f64; 2],
    /// Width and height.
    pub size: [f64; 2],
    /// What its colour shows; NaN where that is not known.
    pub value: f64,
}

/// Small marks of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// What they are.
    pub name: String,
    /// Their colour.
    pub colour: Colour,
    /// Where.
    pub at: Vec<[f64; 2]>,
}

/// A map.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// What stands above it.
    pub title: String,
    /// Names of the axes, with units.
    pub axes: [String; 2],
    /// What is in sight.
    pub limits: [[f64; 2]; 2],
    /// Whether both axes have the same scale.
    pub equal: bool,
    /// The patches, from back to front.
    pub patches: Vec<Patch>,
    /// What their colour shows, with its unit; nothing: they have one colour.
    pub legend: Option<String>,
    /// Lines above the patches: bodies of a mechanism.
    pub lines: Vec<Vec<BodyPoint>>,
    /// Marks above all.
    pub marks: Vec<Marks>,
}

/// Dark blue over green to yellow: even in lightness, and distinguishable by colour-blind people too (viridis, five of its colours).
const SHADES: [Colour; 5] =
    [colour(0x440154), colour(0x3B528B), colour(0x21918C), colour(0x5EC962), colour(0xFDE725)];
const INK: Colour = colour(0x222222);
const PALE: Colour = colour(0xF1F2F4);
/// Without a legend.
const PLAIN: Colour = colour(0x56B4E9);
const UNKNOWN: Colour = colour(0xBBBBBB);
const LETTERS: f64 = 13.0;
const STEPS: usize = 64;

/// A colour of the scale, 0 to 1.
fn shade(s: f64) -> Colour {
    let at = s.clamp(0.0, 1.0) * (SHADES.len() - 1) as f64;
    let i = (at.floor() as usize).min(SHADES.len() - 2);
    let (a, b, part) = (SHADES[i], SHADES[i + 1], at - i as f64);
    let mix = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    Colour { r: mix(a.r, b.r), g: mix(a.g, b.g), b: mix(a.b, b.b), a: 255 }
}

impl Map {
    /// The map as a picture, about so wide in pixels.
    pub fn draw(&self, width: f64) -> Drawing {
        let values = range(self.patches.iter().map(|patch| patch.value)).filter(|_| self.legend.is_some());
        let [left, top, bottom] = [5.2 * LETTERS, 3.0 * LETTERS, 3.6 * LETTERS];
        let right = if values.is_some() { 7.5 * LETTERS } else { 1.5 * LETTERS };
        let [x, y] = self.limits.map(|limits| widened(limits, 0.0));
        let mut wide = (width - left - right).max(8.0 * LETTERS);
        let span = |[low, high]: [f64; 2]| high - low;
        let mut high = if self.equal { wide * span(y) / span(x) } else { 0.8 * wide };
        if high > 1.4 * wide {
            wide *= 1.4 * wide / high;
            high = if self.equal { wide * span(y) / span(x) } else { 1.4 * wide };
        }
        let high = high.max(4.0 * LETTERS);
        let names = self.marks.iter().filter(|marks| !marks.at.is_empty()).count() as f64;
        let below = bottom + if names > 0.0 { 1.8 * LETTERS } else { 0.0 };
        let mut drawing = Drawing::new([left + wide + right, top + high + below]);
        drawing.background = Some(colour(0xFFFFFF));
        drawing.description = format!("{}: {} over {}", self.title, self.axes[1], self.axes[0]);
        let scales = [Scale::new(x, wide / (6.0 * LETTERS)), Scale::new(y, high / (3.5 * LETTERS))];
        let place = |[px, py]: [f64; 2]| {
            [left + wide * scales[0].place(px), top + high * (1.0 - scales[1].place(py))]
        };
        let frame = [left, top, wide, high];
        let corners = |[l, t, w, h]: [f64; 4]| vec![[l, t], [l + w, t], [l + w, t + h], [l, t + h]];
        drawing.polygon(corners(frame), Some(PALE), None);
        drawing.elements.push(Element::Clip(Some(frame)));
        self.draw_patches(&mut drawing, values, place);
        for line in &self.lines {
            let line: Vec<BodyPoint> = line.iter().map(|at| place(*at)).collect();
            drawing.line(line.clone(), Pen::solid(colour(0xFFFFFF), 5.0));
            drawing.line(line, Pen::solid(INK, 2.6));
        }
        for at in self.lines.iter().flatten() {
            drawing.circle(place(*at), 3.2, Some(colour(0xFFFFFF)), Some(Pen::solid(INK, 1.4)));
        }
        for marks in &self.marks {
            for at in &marks.at {
                drawing.circle(place(*at), 1.7, Some(marks.colour), None);
            }
        }
        drawing.elements.push(Element::Clip(None));
        drawing.polygon(corners(frame), None, Some(Pen::solid(INK, 1.0)));
        self.draw_axes(&mut drawing, &scales, frame);
        if let (Some(values), Some(legend)) = (values, &self.legend) {
            draw_legend(&mut drawing, values, legend, [left + wide + 1.4 * LETTERS, top, LETTERS, high]);
        }
        let mut at = left;
        for marks in self.marks.iter().filter(|marks| !marks.at.is_empty()) {
            let base = top + high + below - 0.8 * LETTERS;
            drawing.circle([at + 3.0, base - 0.5 * CAP_HEIGHT * LETTERS], 3.0, Some(marks.colour), None);
            drawing.text([at + 10.0, base], &marks.name, LETTERS, Anchor::Start, INK);
            at += 10.0 + text_width(&marks.name) * LETTERS + 2.0 * LETTERS;
        }
        drawing
    }

    fn draw_patches(
        &self,
        drawing: &mut Drawing,
        values: Option<[f64; 2]>,
        place: impl Fn([f64; 2]) -> BodyPoint,
    ) {
        // patches of one colour in one element
        let mut groups: Vec<(Colour, Vec<Vec<BodyPoint>>)> = Vec::new();
        for patch in &self.patches {
            let fill = match values {
                None => PLAIN,
                Some(_) if patch.value.is_nan() => UNKNOWN,
                Some([low, high]) if high > low => {
                    let s = ((patch.value - low) / (high - low)).clamp(0.0, 1.0);
                    shade((s * STEPS as f64).round() / STEPS as f64)
                }
                Some(_) => shade(0.5),
            };
            let [w, h] = patch.size.map(|size| 0.5 * size);
            let [x, y] = patch.at;
            let corners = [[x - w, y - h], [x + w, y - h], [x + w, y + h], [x - w, y + h]];
            let corners: Vec<BodyPoint> = corners.into_iter().map(&place).collect();
            match groups.iter_mut().find(|group| group.0 == fill) {
                Some(group) => group.1.push(corners),
                None => groups.push((fill, vec![corners])),
            }
        }
        for (fill, lines) in groups {
            // a thin pen of the same colour closes the seams
            let pen = Some(Pen::solid(fill, 0.6));
            drawing.elements.push(Element::Path { lines, closed: true, fill: Some(fill), pen });
        }
    }

    fn draw_axes(&self, drawing: &mut Drawing, scales: &[Scale; 2], [left, top, wide, high]: [f64; 4]) {
        let base = top + high;
        for (tick, label) in scales[0].ticks.iter().zip(&scales[0].labels) {
            let x = left + wide * scales[0].place(*tick);
            drawing.line(vec![[x, base], [x, base + 4.0]], Pen::solid(INK, 1.0));
            drawing.text([x, base + 4.0 + 1.1 * LETTERS], label, LETTERS, Anchor::Middle, INK);
        }
        for (tick, label) in scales[1].ticks.iter().zip(&scales[1].labels) {
            let y = top + high * (1.0 - scales[1].place(*tick));
            drawing.line(vec![[left - 4.0, y], [left, y]], Pen::solid(INK, 1.0));
            drawing.text([left - 7.0, y + 0.5 * CAP_HEIGHT * LETTERS], label, LETTERS, Anchor::End, INK);
        }
        let name = |scale: &Scale, name: &str| {
            let mut pieces = scale.factor();
            pieces.insert(0, (if pieces.is_empty() { name.into() } else { format!("{name} ") }, false));
            pieces
        };
        drawing.elements.push(Element::Text {
            at: [left + 0.5 * wide, base + 2.8 * LETTERS],
            pieces: name(&scales[0], &self.axes[0]),
            size: LETTERS,
            anchor: Anchor::Middle,
            upwards: false,
            colour: INK,
        });
        drawing.elements.push(Element::Text {
            at: [1.3 * LETTERS, top + 0.5 * high],
            pieces: name(&scales[1], &self.axes[1]),
            size: LETTERS,
            anchor: Anchor::Middle,
            upwards: true,
            colour: INK,
        });
        drawing.text([left, 1.8 * LETTERS], &self.title, 1.15 * LETTERS, Anchor::Start, INK);
    }
}

/// A bar of all colours with its scale.
fn draw_legend(drawing: &mut Drawing, values: [f64; 2], legend: &str, [left, top, wide, high]: [f64; 4]) {
    let scale = Scale::new(widened(values, 0.0), high / (3.5 * LETTERS));
    for i in 0..STEPS {
        let (a, b) = (i as f64 / STEPS as f64, (i + 1) as f64 / STEPS as f64);
        let (low, up) = (top + high * (1.0 - a), top + high * (1.0 - b));
        let fill = shade(if values[1] > values[0] { 0.5 * (a + b) } else { 0.5 });
        let corners = vec![[left, low], [left + wide, low], [left + wide, up], [left, up]];
        drawing.polygon(corners, Some(fill), Some(Pen::solid(fill, 0.6)));
    }
    for (tick, label) in scale.ticks.iter().zip(&scale.labels) {
        let y = top + high * (1.0 - scale.place(*tick));
        drawing.line(vec![[left + wide, y], [left + wide + 4.0, y]], Pen::solid(INK, 1.0));
        drawing.text([left + wide + 7.0, y + 0.5 * CAP_HEIGHT * LETTERS], label, LETTERS, Anchor::Start, INK);
    }
    let mut pieces = vec![(legend.to_owned(), false)];
    pieces.extend(scale.factor());
    drawing.elements.push(Element::Text {
        at: [left + wide + 4.6 * LETTERS, top + 0.5 * high],
        pieces,
        size: LETTERS,
        anchor: Anchor::Middle,
        upwards: true,
        colour: INK,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_has_its_patches_axes_and_legend() {
        let patch = |i: usize, value: f64| Patch { at: [i as f64, 0.0], size: [1.0, 1.0], value };
        let mut map = Map {
            title: "point.P".into(),
            axes: ["joint.A.q (rad)".into(), "joint.B.q (rad)".into()],
            limits: [[-0.5, 2.5], [-0.5, 0.5]],
            equal: false,
            patches: vec![patch(0, 1.0), patch(1, 2.0), patch(2, f64::NAN)],
            legend: Some("condition".into()),
            lines: vec![vec![[0.0, 0.0], [1.0, 0.2]]],
            marks: vec![Marks { name: "fold".into(), colour: INK, at: vec![[0.5, 0.0]] }],
        };
        let svg = map.draw(600.0).to_svg();
        for word in ["condition", "joint.A.q", "fold", "440154", "fde725", "bbbbbb"] {
            assert!(svg.to_lowercase().contains(&word.to_lowercase()), "{word}");
        }
        assert!(map.draw(600.0).to_pixels().is_ok());
        map.legend = None;
        assert!(!map.draw(600.0).to_svg().contains("condition"));
    }
}
