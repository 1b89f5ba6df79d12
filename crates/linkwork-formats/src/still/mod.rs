//! Pictures of a mechanism at an instant, without a graphics card: what is far is drawn first, what is near over it.

mod cable;
mod camera;
mod depth;
mod flat;
mod forces;
mod legend;
mod space;
mod symbols;

pub use cable::cable_line;
pub use camera::View;
pub use forces::{ForceArrow, Forces};

use crate::deformable::Looks;
use crate::drawing::{Anchor, Colour, Drawing, Pen, colour};
use crate::geometry::Vector;
use crate::motion::place;
use linkwork_scene::scene::ArrowKind;
use linkwork_scene::{Scene, Snapshot};

/// The colours of bodies, those of the page: the ground's first, then others that are distinguished, also by colour-blind people.
const PALETTE: [Colour; 11] = [
    colour(0x98A3AD),
    colour(0x2F6FD0),
    colour(0xE8871E),
    colour(0x159A7F),
    colour(0xC9415D),
    colour(0x8A63C4),
    colour(0x4FB3E8),
    colour(0xC7A119),
    colour(0x8C5A3C),
    colour(0xDF7FB8),
    colour(0x5D7587),
];
const INK: Colour = colour(0x2B2F33);
const ROPE: Colour = colour(0x7A5A35);
const ROD: Colour = colour(0x3B444D);
const TRACE: Colour = colour(0xB03A2E);
const WIRE: Colour = colour(0x56616B);
const TYRE: Colour = colour(0x3A3D41);

/// The colour with a number: 0 for the ground, others again and again.
pub fn palette(index: usize) -> Colour {
    if index == 0 { PALETTE[0] } else { PALETTE[1 + (index - 1) % (PALETTE.len() - 1)] }
}

/// The colour of a part of a body: that of the model, or that of the palette.
pub fn body_colour(body: &linkwork_scene::scene::Body, paint: Option<&str>) -> Colour {
    let own = paint.and_then(|paint| u32::from_str_radix(paint.strip_prefix('#')?, 16).ok());
    own.map_or_else(|| palette(body.colour), colour)
}

/// What a picture shows besides the mechanism.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Still {
    /// The ways of points, lines through places of the world.
    pub traces: Vec<Vec<Vector>>,
    /// Names at the named points.
    pub labels: bool,
    /// The time in a corner, with so many decimals.
    pub time: Option<usize>,
    /// Fewer faces: bars as lines and balls as discs, for animated SVG files.
    pub plain: bool,
    /// What colours show of bodies that deform.
    pub looks: Looks,
    /// Forces, over everything else.
    pub arrows: Vec<ForceArrow>,
}

impl Still {
    /// Draws a pose of a scene.
    pub fn draw(&self, scene: &Scene, pose: &Snapshot, view: &View) -> Drawing {
        let camera = view.at(pose);
        let mut drawing = Drawing::new(view.size);
        drawing.background = Some(colour(0xFFFFFF));
        drawing.description = format!("{} at t = {} s", scene.name, short_time(pose.t));
        if scene.dimension == 2 {
            flat::draw(&mut drawing, self, scene, pose, &camera);
        } else {
            space::draw(&mut drawing, self, scene, pose, &camera);
        }
        self.draw_arrows(&mut drawing, scene, &camera);
        let letters = (view.size[0].min(view.size[1] * 1.5) / 45.0).clamp(9.0, 28.0);
        if self.labels {
            for point in &scene.points {
                if let Some(at) = place(&point.spot, pose) {
                    let [x, y] = camera.spot(at);
                    let at = [x + 0.6 * letters, y - 0.5 * letters];
                    drawing.text(at, &point.name, letters, Anchor::Start, INK);
                }
            }
        }
        legend::draw(&mut drawing, &self.looks, letters);
        if let Some(decimals) = self.time {
            let text = format!("t = {:.decimals$} s", pose.t).replace('-', "−");
            drawing.text(
                [0.8 * letters, view.size[1] - 0.8 * letters],
                &text,
                letters,
                Anchor::Start,
                colour(0x666B70),
            );
        }
        drawing
    }

    fn draw_traces(&self, drawing: &mut Drawing, camera: &camera::Camera) {
        for trace in &self.traces {
            let line: Vec<_> = trace.iter().map(|p| camera.spot(*p)).collect();
            drawing.line(crate::plot::thinned(&line, 0.1), Pen::solid(TRACE, 1.4));
        }
    }
}

impl Still {
    fn draw_arrows(&self, drawing: &mut Drawing, scene: &Scene, camera: &camera::Camera) {
        let u = symbols::unit_pixels(camera, scene.unit);
        for arrow in &self.arrows {
            let hue = match arrow.kind {
                ArrowKind::Reaction => colour(0xB3259E),
                ArrowKind::Spring => colour(0x0B7F88),
                ArrowKind::Force => colour(0xC2571A),
            };
            let [from, to] =
                [arrow.at, crate::geometry::add(arrow.at, arrow.way)].map(|place| camera.spot(place));
            let way = [to[0] - from[0], to[1] - from[1]];
            let long = way[0].hypot(way[1]);
            if long < 1.0 {
                continue;
            }
            let along = way.map(|x| x / long);
            let head = (1.8 * u).min(0.6 * long);
            let at = |s: f64, side: f64| {
                [from[0] + along[0] * s - along[1] * side, from[1] + along[1] * s + along[0] * side]
            };
            drawing.line(vec![from, at(long - head, 0.0)], Pen::solid(hue, (0.45 * u).max(1.2)));
            let tip = vec![to, at(long - head, 0.4 * head), at(long - head, -0.4 * head)];
            drawing.polygon(tip, Some(hue), None);
        }
    }
}

/// A time for people: two digits behind the point, more where it is short.
fn short_time(t: f64) -> String {
    if t.abs() < 0.1 && t != 0.0 { format!("{t:.4}") } else { format!("{t:.2}") }.replace('-', "−")
}
