//! A plot as a picture: where panels, axes, labels and curves stand.

use super::legend::{Entry, Legend};
use super::scale::{Scale, range, widened};
use super::{Plot, Size, quantity, thin, with_unit};
use crate::drawing::{Anchor, BodyPoint, CAP_HEIGHT, Colour, Drawing, Element, Pen, colour, text_width};

const INK: Colour = colour(0x222222);
const GRID: Colour = colour(0xE3E3E3);
const MM: f64 = 96.0 / 25.4;

/// One panel: curves with the same left axis, and perhaps others with a right one.
struct Panel {
    left: Side,
    right: Option<Side>,
}

/// The curves of a unit.
struct Side {
    curves: Vec<usize>,
    label: String,
    ink: Colour,
    limits: [f64; 2],
    scale: Scale,
}

pub(super) fn draw(plot: &Plot) -> Drawing {
    let mut panels = panels(plot);
    let x_range = range(
        plot.curves.iter().flat_map(|c| c.x.iter().zip(&c.y).filter(|(_, y)| y.is_finite()).map(|(x, _)| *x)),
    );
    let mut x_limits = widened(x_range.unwrap_or([0.0, 1.0]), if plot.over_time { 0.0 } else { 0.04 });
    let (size, on_paper, letters) = match plot.size {
        Some(Size::Paper(size)) => (size.map(|mm| mm * MM), true, 8.0 * 96.0 / 72.0),
        Some(Size::Pixels(size)) => {
            (size, false, (12.0 * (size[0] * size[1] / (640.0 * 400.0)).sqrt()).max(6.0))
        }
        None => (default_size(plot, &panels, x_limits), true, 8.0 * 96.0 / 72.0),
    };
    // the smallest pictures are smaller than their letters
    let letters = letters.min(size[0] / 12.0).min(size[1] / 10.0);
    let mut drawing = Drawing::new(size);
    drawing.on_paper = on_paper;
    drawing.background = Some(colour(0xFFFFFF));
    drawing.description = description(plot);

    let several = plot.curves.len() > 1;
    let width = letters * 0.12;
    let entries: Vec<Entry> = plot
        .curves
        .iter()
        .enumerate()
        .filter(|_| several)
        .map(|(i, curve)| {
            let mut name = plot.name_of(curve);
            if panels.iter().any(|p| p.right.as_ref().is_some_and(|side| side.curves.contains(&i))) {
                name.push_str(" (right)");
            }
            Entry { pen: plot.pen_of(i, width), name }
        })
        .collect();
    let edge = 0.7 * letters;
    let legend = Legend::new(entries, letters, size[0] - 2.0 * edge, 0.4 * size[1]);
    let mut top = edge;
    if let Some(title) = &plot.title {
        let large = fitting(title, 1.2 * letters, size[0] - 2.0 * edge);
        drawing.text(
            [size[0] / 2.0, top + CAP_HEIGHT * large + 0.1 * letters],
            title,
            large,
            Anchor::Middle,
            INK,
        );
        top += 1.7 * large;
    }
    let legend_top = top;
    if legend.height > 0.0 {
        top += legend.height + 0.35 * letters;
    }

    // heights first: they decide how many ticks there are
    let bottom = size[1] - edge - 2.9 * letters;
    let count = panels.len() as f64;
    let apart = 0.9 * letters;
    let raise =
        if panels.iter().any(|p| !p.rough_factor().is_empty()) { 1.4 * letters } else { 0.4 * letters };
    let height = ((bottom - top - (count - 1.0) * apart) / count - raise).max(1.0);
    let about = (height / (2.6 * letters)).clamp(2.0, 8.0);
    for panel in &mut panels {
        panel.left.scale = Scale::new(panel.left.limits, about);
        if let Some(side) = &mut panel.right {
            side.scale = Scale::new(side.limits, about);
        }
    }
    let room = |side: &Side| {
        let labels = side.scale.labels.iter().map(|l| text_width(l)).fold(0.0, f64::max);
        (labels + 0.7 + if side.label.is_empty() { 0.0 } else { 1.5 }) * letters
    };
    let left = edge + panels.iter().map(|p| room(&p.left)).fold(0.0, f64::max);
    let right = edge + panels.iter().filter_map(|p| p.right.as_ref()).map(room).fold(1.2 * letters, f64::max);
    let wide = (size[0] - left - right).max(1.0);
    if plot.has_equal_scales() {
        equalise(&mut x_limits, &mut panels[0].left, [wide, height], about);
    }
    let x_scale = match plot.x_logarithmic {
        true => Scale::logarithmic(x_limits, wide / letters),
        false => across(x_limits, wide / letters),
    };

    for (i, panel) in panels.iter().enumerate() {
        let y = top + raise + i as f64 * (height + raise + apart);
        let frame = Frame { corner: [left, y], size: [wide, height], letters };
        let last = i + 1 == panels.len();
        frame.axes(&mut drawing, &x_scale, panel, last);
        drawing.elements.push(Element::Clip(Some([left - 1.0, y - 1.0, wide + 2.0, height + 2.0])));
        for side in std::iter::once(&panel.left).chain(&panel.right) {
            for &k in &side.curves {
                frame.curve(&mut drawing, plot, k, &x_scale, &side.scale, width);
            }
        }
        drawing.elements.push(Element::Clip(None));
    }
    let label = with_unit(&plot.x_name, &plot.x_unit);
    let small = fitting(&label, letters, size[0] - 2.0 * edge);
    let base = size[1] - edge - 0.2 * letters;
    drawing.text([left + wide / 2.0, base], &label, small, Anchor::Middle, INK);
    // rows were measured from edge to edge; one that is short stands above its panel
    let start = if left + legend.width + edge <= size[0] { left } else { edge };
    legend.draw(&mut drawing, [start, legend_top]);
    drawing
}

/// A picture in pixels with one pair of axes and nothing in between; and where a pair of values stands in it. The elements that are added are cut at the axes.
pub(super) fn plain_axes(
    size: [f64; 2],
    [x_label, y_label]: [&str; 2],
    [x_limits, y_limits]: [[f64; 2]; 2],
) -> (Drawing, impl Fn([f64; 2]) -> BodyPoint) {
    let letters = (12.0 * (size[0] * size[1] / (640.0 * 400.0)).sqrt()).max(9.0);
    let mut drawing = Drawing::new(size);
    drawing.background = Some(colour(0xFFFFFF));
    let edge = 0.7 * letters;
    let top = edge + 1.4 * letters;
    let high = (size[1] - edge - 2.9 * letters - top).max(1.0);
    let scale = Scale::new(y_limits, (high / (2.6 * letters)).clamp(2.0, 8.0));
    let labels = scale.labels.iter().map(|label| text_width(label)).fold(0.0, f64::max);
    let left = edge + (labels + 2.2) * letters;
    let wide = (size[0] - left - edge - 1.2 * letters).max(1.0);
    let x_scale = across(x_limits, wide / letters);
    let side = Side { curves: Vec::new(), label: y_label.into(), ink: INK, limits: y_limits, scale };
    let panel = Panel { left: side, right: None };
    let frame = Frame { corner: [left, top], size: [wide, high], letters };
    frame.axes(&mut drawing, &x_scale, &panel, true);
    let small = fitting(x_label, letters, size[0] - 2.0 * edge);
    let base = size[1] - edge - 0.2 * letters;
    drawing.text([left + wide / 2.0, base], x_label, small, Anchor::Middle, INK);
    drawing.elements.push(Element::Clip(Some([left - 1.0, top - 1.0, wide + 2.0, high + 2.0])));
    (drawing, move |[x, y]: [f64; 2]| [frame.x(&x_scale, x), frame.y(&panel.left.scale, y)])
}

/// Curves by unit: two units share a panel, more have one each.
fn panels(plot: &Plot) -> Vec<Panel> {
    let units = plot.units();
    let mut sides: Vec<Side> = units
        .iter()
        .map(|unit| {
            let curves: Vec<usize> =
                (0..plot.curves.len()).filter(|&i| plot.curves[i].unit == *unit).collect();
            let names: Vec<&str> = curves.iter().map(|&i| plot.curves[i].column.as_str()).collect();
            let same = names.iter().all(|name| *name == names[0]);
            let label = with_unit(if same { names[0] } else { quantity(unit) }, unit);
            let alone = units.len() == 2 && curves.len() == 1;
            let ink = if alone { plot.pen_of(curves[0], 1.0).colour } else { INK };
            let values = curves.iter().flat_map(|&i| {
                plot.curves[i].y.iter().zip(&plot.curves[i].x).filter(|(_, x)| x.is_finite()).map(|(y, _)| *y)
            });
            let limits = widened(range(values).unwrap_or([0.0, 1.0]), 0.05);
            Side { curves, label, ink, limits, scale: Scale::new(limits, 5.0) }
        })
        .collect();
    if sides.len() == 2 {
        let right = sides.pop();
        return sides.pop().map(|left| Panel { left, right }).into_iter().collect();
    }
    sides.into_iter().map(|left| Panel { left, right: None }).collect()
}

impl Panel {
    fn rough_factor(&self) -> Vec<(String, bool)> {
        let mut all = self.left.scale.factor();
        all.extend(self.right.iter().flat_map(|side| side.scale.factor()));
        all
    }
}

/// What those hear who cannot see the plot.
fn description(plot: &Plot) -> String {
    let mut names: Vec<String> = plot.curves.iter().map(|c| plot.name_of(c)).collect();
    names.dedup();
    let what = names.join(", ");
    let over = with_unit(&plot.x_name, &plot.x_unit);
    match &plot.title {
        Some(title) => format!("{title}: {what} over {over}"),
        None => format!("{what} over {over}"),
    }
}

/// 160 mm wide; as high as panels need, or as equal scales want it.
fn default_size(plot: &Plot, panels: &[Panel], x: [f64; 2]) -> [f64; 2] {
    let wide = 160.0;
    let high = if plot.has_equal_scales() {
        let y = panels[0].left.limits;
        20.0 + 135.0 * ((y[1] - y[0]) / (x[1] - x[0])).clamp(0.3, 1.25)
    } else if panels.len() > 1 {
        12.0 + 52.0 * panels.len() as f64
    } else {
        95.0
    };
    // a long legend is not at the cost of the curves
    let rows = (plot.curves.len().saturating_sub(6) / 4) as f64;
    [wide * MM, (high + 4.0 * rows.min(20.0)) * MM]
}

/// Makes a length the same in both directions by showing more of one.
fn equalise(x: &mut [f64; 2], side: &mut Side, [wide, high]: [f64; 2], about: f64) {
    let y = &mut side.limits;
    let per_pixel = ((x[1] - x[0]) / wide).max((y[1] - y[0]) / high);
    for (limits, pixels) in [(x, wide), (y, high)] {
        let middle = (limits[0] + limits[1]) / 2.0;
        *limits = [middle - per_pixel * pixels / 2.0, middle + per_pixel * pixels / 2.0];
    }
    side.scale = Scale::new(side.limits, about);
}

/// The axis of a width in letters: as many ticks as there is room for their labels.
fn across(limits: [f64; 2], wide: f64) -> Scale {
    let mut about = (wide / 5.0).clamp(2.0, 10.0);
    loop {
        let scale = Scale::new(limits, about);
        let longest = scale.labels.iter().map(|label| text_width(label)).fold(0.0, f64::max);
        let apart = match scale.ticks[..] {
            [a, b, ..] => (scale.place(b) - scale.place(a)) * wide,
            _ => wide,
        };
        if longest + 1.0 <= apart || about <= 1.0 {
            return scale;
        }
        about -= 1.0;
    }
}

/// The size at which a text is not longer than a length.
fn fitting(text: &str, size: f64, length: f64) -> f64 {
    size.min(length / text_width(text).max(1e-3))
}

/// Where a panel stands.
struct Frame {
    corner: BodyPoint,
    size: [f64; 2],
    letters: f64,
}

impl Frame {
    fn x(&self, scale: &Scale, value: f64) -> f64 {
        self.corner[0] + self.size[0] * scale.place(value)
    }

    fn y(&self, scale: &Scale, value: f64) -> f64 {
        self.corner[1] + self.size[1] * (1.0 - scale.place(value))
    }

    fn axes(&self, drawing: &mut Drawing, x_scale: &Scale, panel: &Panel, last: bool) {
        let ([left, top], [wide, high], letters) = (self.corner, self.size, self.letters);
        let (right, bottom) = (left + wide, top + high);
        let hair = 0.055 * letters;
        let tick = 0.3 * letters;
        for x in &x_scale.ticks {
            let x = self.x(x_scale, *x);
            drawing.line(vec![[x, top], [x, bottom]], Pen::solid(GRID, hair));
        }
        for y in &panel.left.scale.ticks {
            let y = self.y(&panel.left.scale, *y);
            drawing.line(vec![[left, y], [right, y]], Pen::solid(GRID, hair));
        }
        let frame = vec![[left, top], [right, top], [right, bottom], [left, bottom]];
        drawing.polygon(frame, None, Some(Pen::solid(colour(0x808080), hair)));
        for (x, label) in x_scale.ticks.iter().zip(&x_scale.labels) {
            let x = self.x(x_scale, *x);
            drawing.line(vec![[x, bottom], [x, bottom + tick]], Pen::solid(colour(0x808080), hair));
            if last && !label.is_empty() {
                drawing.text([x, bottom + tick + 1.05 * letters], label, letters, Anchor::Middle, INK);
            }
        }
        if last && !x_scale.factor().is_empty() {
            let at = [right, bottom + tick + 2.2 * letters];
            self.pieces(drawing, at, x_scale.factor(), Anchor::End, INK);
        }
        self.side(drawing, &panel.left, false);
        if let Some(side) = &panel.right {
            self.side(drawing, side, true);
        }
    }

    fn side(&self, drawing: &mut Drawing, side: &Side, right: bool) {
        let letters = self.letters;
        let (edge, out, anchor) = if right {
            (self.corner[0] + self.size[0], 1.0, Anchor::Start)
        } else {
            (self.corner[0], -1.0, Anchor::End)
        };
        let tick = 0.3 * letters;
        let mut widest = 0.0_f64;
        for (value, label) in side.scale.ticks.iter().zip(&side.scale.labels) {
            let y = self.y(&side.scale, *value);
            drawing
                .line(vec![[edge, y], [edge + out * tick, y]], Pen::solid(colour(0x808080), 0.055 * letters));
            let at = [edge + out * (tick + 0.25 * letters), y + CAP_HEIGHT * letters / 2.0];
            drawing.text(at, label, letters, anchor, side.ink);
            widest = widest.max(text_width(label));
        }
        let factor = side.scale.factor();
        if !factor.is_empty() {
            let inner = if right { Anchor::End } else { Anchor::Start };
            self.pieces(drawing, [edge, self.corner[1] - 0.4 * letters], factor, inner, side.ink);
        }
        if !side.label.is_empty() {
            let size = fitting(&side.label, letters, self.size[1] + letters);
            let off = tick + (widest + 0.25) * letters + if right { 1.35 } else { 0.65 } * letters;
            let at = [edge + out * off, self.corner[1] + self.size[1] / 2.0];
            let pieces = vec![(side.label.clone(), false)];
            drawing.elements.push(Element::Text {
                at,
                pieces,
                size,
                anchor: Anchor::Middle,
                upwards: true,
                colour: side.ink,
            });
        }
    }

    fn pieces(
        &self,
        drawing: &mut Drawing,
        at: BodyPoint,
        pieces: Vec<(String, bool)>,
        anchor: Anchor,
        colour: Colour,
    ) {
        drawing.elements.push(Element::Text {
            at,
            pieces,
            size: 0.95 * self.letters,
            anchor,
            upwards: false,
            colour,
        });
    }

    fn curve(&self, drawing: &mut Drawing, plot: &Plot, index: usize, x: &Scale, y: &Scale, width: f64) {
        let curve = &plot.curves[index];
        // far outside is as good as outside
        let near = |pixel: f64| if pixel.is_nan() { pixel } else { pixel.clamp(-1e5, 1e5) };
        let places = curve.x.iter().zip(&curve.y).map(|(a, b)| {
            if a.is_finite() && b.is_finite() {
                [near(self.x(x, *a)), near(self.y(y, *b))]
            } else {
                [f64::NAN; 2]
            }
        });
        let lines = thin::pieces(places);
        let lines: Vec<Vec<BodyPoint>> = lines
            .iter()
            .map(|line| {
                let runs = plot.over_time || line.windows(2).all(|w| w[0][0] <= w[1][0]);
                let line = if runs { thin::columns(line, width / 4.0) } else { line.clone() };
                thin::path(&line, width / 25.0)
            })
            .collect();
        if !lines.is_empty() {
            let pen = Some(plot.pen_of(index, width));
            drawing.elements.push(Element::Path { lines, closed: false, fill: None, pen });
        }
    }
}
