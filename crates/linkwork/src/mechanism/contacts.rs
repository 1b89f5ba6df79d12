//! Surfaces and contacts of the model, compiled: where each surface lies on its body, and the ways in which each pair can touch.

use super::attach::Attach;
use super::{Mechanism, MechanismContact, MechanismSurface};
use crate::contact::{Block, Can, Form, Hull, Pair, Surface};
use crate::error::names::segment;
use crate::interactions::{BodyPoint, Motion};
use crate::linalg::vec3::{Vec3, scale, sub, unit};
use crate::model::contact::{Kind, MAX_CONTACTS, Meetings, Participant};
use crate::model::{Dimension, Fault, Place, Shape};
use crate::particles::{Layout, layout};
use std::sync::Arc;

/// Surfaces that overlap by more than this part of the size have been drawn so.
const OVERLAP: f64 = 1e-9;
/// What lies within this part of the size of a line is on it.
const ON_LINE: f64 = 1e-9;

/// What a mechanism has of contacts.
#[derive(Default)]
pub(super) struct Touching {
    pub surfaces: Vec<MechanismSurface>,
    pub pairs: Vec<Pair>,
    pub contacts: Vec<MechanismContact>,
}

impl Attach<'_> {
    /// Surfaces, pairs and contacts.
    pub fn contacts(&mut self) -> Touching {
        let (model, expansion) = (&self.mechanism.model, &self.mechanism.expansion);
        let meetings = Meetings::new(model);
        let mut touching = Touching::default();
        if meetings.pairs.is_empty() {
            return touching;
        }
        let compiled: Vec<Option<Surface>> = meetings.participants.iter().map(|p| self.surface(p)).collect();
        let mut index = vec![None; compiled.len()];
        let mut pairs_of = vec![0; model.contacts.len()];
        meetings.pairs.iter().for_each(|pair| pairs_of[pair[0]] += 1);
        for &[c, a, b] in &meetings.pairs {
            let contact = &model.contacts[c];
            let (Some(first), Some(second)) = (&compiled[a], &compiled[b]) else { continue };
            let Some(features) = first.meet(second) else { continue };
            if touching.contacts.len() + features.len() > MAX_CONTACTS {
                let message = format!("surfaces can touch in more than {MAX_CONTACTS} ways");
                let help = "let fewer surfaces meet: `between` instead of `among`, spheres instead of boxes";
                self.faults.push(Fault::error("contacts", message).help(help));
                break;
            }
            let names = [a, b].map(|i| meetings.participants[i].name);
            for (i, surface) in [(a, first), (b, second)] {
                let path = format!("contacts.{}", segment(&contact.name));
                self.can_carry(surface, meetings.participants[i].name, contact.friction, path);
                index[i].get_or_insert_with(|| {
                    let name = meetings.participants[i].name.to_owned();
                    touching.surfaces.push(MechanismSurface { name, surface: surface.clone() });
                    touching.surfaces.len() - 1
                });
            }
            let surfaces = [a, b].map(|i| index[i].unwrap_or_default());
            let count = features.len();
            touching.pairs.push(Pair { surfaces, of: c, first: touching.contacts.len(), count });
            for (i, feature) in features.into_iter().enumerate() {
                let mut name = contact.name.clone();
                if pairs_of[c] > 1 || expansion.as_ref().is_some_and(|e| e.of_many.contains(&contact.name)) {
                    name.push_str(&format!(".{}.{}", names[0], names[1]));
                }
                if count > 1 {
                    name.push_str(&format!(".{}", i + 1));
                }
                let (friction, restitution) = (contact.friction, contact.restitution);
                let hidden = expansion.as_ref().is_some_and(|e| c >= e.contacts);
                touching.contacts.push(MechanismContact { name, feature, friction, restitution, hidden });
            }
        }
        touching
    }

    /// Where a surface lies on its body.
    fn surface(&self, participant: &Participant<'_>) -> Option<Surface> {
        let (mechanism, features) = (self.mechanism, self.features);
        let model = &mechanism.model;
        let body = features.body(participant.body);
        let at: Vec<Vec3> = match body {
            None => Vec::new(),
            Some(b) => {
                let held = model.bodies[b].points.iter().filter_map(|p| features.on_body(body, p));
                held.map(|o| features.list[o].at).collect()
            }
        };
        let named = |name: &str| {
            features.on_body(body, name).map(|o| features.list[o].at).or_else(|| features.drawn(name))
        };
        let place = |place: &Place| match place {
            Place::At(x) => Some(*x),
            Place::Point(name) => named(name),
        };
        let origin = body.map_or([0.0; 3], |b| mechanism.bodies[b].particles.properties.com);
        let spot = |x: Vec3| BodyPoint { body, s: sub(x, origin) };
        let planar = model.dimension == Dimension::Planar;
        match participant.form {
            Kind::Plane { at, normal } => {
                let at = spot(at.map_or(Some([0.0; 3]), place)?);
                Some(Surface { at, form: Form::Plane { normal: self.direction(normal)? } })
            }
            Kind::Point(at) => Some(Surface { at: spot(place(at)?), form: Form::Ball { radius: 0.0 } }),
            Kind::Hull { points, vertices } => {
                let named = points.iter().map(|name| named(name));
                let all: Option<Vec<Vec3>> = named.chain(vertices.iter().map(|x| Some(*x))).collect();
                let (hull, middle) = if planar { Hull::flat(&all?) } else { Hull::new(&all?) }?;
                Some(Surface { at: spot(middle), form: Form::Hull(Arc::new(hull)) })
            }
            Kind::Solid(shape) => {
                let layout = layout(shape, &at, &named)?;
                Some(solid(shape, &layout, spot(layout.center), planar))
            }
        }
    }

    /// A body that cannot turn about itself can be pushed along its line only: contacts with it are balls about that, and without friction
    /// unless they are points.
    fn can_carry(&mut self, surface: &Surface, name: &str, friction: f64, path: String) {
        let mechanism = self.mechanism;
        let Some(b) = surface.body() else { return };
        let particles = &mechanism.bodies[b].particles;
        let line = match (particles.k(), mechanism.columns()) {
            (1, _) => [0.0; 3],
            (2, 3) => unit(sub(particles.at[1], particles.at[0])),
            _ => return,
        };
        let round = surface.centred(line, ON_LINE * mechanism.size);
        if round && (friction == 0.0 || surface.reach() == 0.0) {
            return;
        }
        let body = mechanism.body_name(Some(b));
        let message = match round {
            true => format!(
                "body `{body}` has no inertia about its own axis, so friction on `{name}` would spin it infinitely fast"
            ),
            false => format!(
                "body `{body}` has no inertia about its own axis and cannot be pushed beside it, as `{name}` is"
            ),
        };
        let help = "give the body a shape with some thickness, or an inertia";
        if !self.faults.iter().any(|fault| fault.path == path && fault.message == message) {
            self.faults.push(Fault::error(path, message).help(help));
        }
    }
}

/// A solid on a body. In the plane a cylinder is a disc or a rectangle.
fn solid(shape: &Shape, layout: &Layout, at: BodyPoint, planar: bool) -> Surface {
    let axes = layout.axes;
    let block = |half: Vec3| {
        let (axes, half) = if planar { flat(axes, half) } else { (axes, half) };
        Form::Block(Block { centre: at, axes, half })
    };
    let form = match shape {
        Shape::Box { size, .. } => block(scale(0.5, *size)),
        Shape::Cylinder { radius, length, .. } => {
            let half = 0.5 * length.or(layout.drawn).unwrap_or(0.0);
            let upright = planar && axes[0][0] == 0.0 && axes[0][1] == 0.0;
            match planar {
                true if upright => Form::Ball { radius: *radius },
                true => block([half, *radius, *radius]),
                false => Form::Can(Can { centre: at, axis: axes[0], radius: *radius, half }),
            }
        }
        Shape::Capsule { radius, length, .. } => {
            let half = 0.5 * length.or(layout.drawn).unwrap_or(0.0);
            match planar && axes[0][0] == 0.0 && axes[0][1] == 0.0 {
                true => Form::Ball { radius: *radius },
                false => Form::Capsule { axis: axes[0], half, radius: *radius },
            }
        }
        Shape::Sphere { radius, .. } => Form::Ball { radius: *radius },
        // refused by the model check
        _ => Form::Ball { radius: 0.0 },
    };
    Surface { at, form }
}

/// The two edges that lie in the plane first; the third goes through it.
fn flat(axes: [Vec3; 3], half: Vec3) -> ([Vec3; 3], Vec3) {
    let through = (0..3).fold(0, |best, k| if axes[k][2].abs() > axes[best][2].abs() { k } else { best });
    let (first, second) = ((through + 1) % 3, (through + 2) % 3);
    ([axes[first], axes[second], axes[through]], [half[first], half[second], f64::INFINITY])
}

impl Mechanism {
    /// Surfaces that overlap where the bodies are.
    pub(super) fn overlaps(&self, bodies: &[Motion]) -> Vec<Fault> {
        let mut faults = Vec::new();
        for pair in &self.pairs {
            let [a, b] = pair.surfaces.map(|s| &self.surfaces[s]);
            if a.surface.apart(&b.surface, bodies) > 0.0 {
                continue;
            }
            let features: Vec<_> = self.contacts[pair.contacts()].iter().map(|c| c.feature).collect();
            let depth = a.surface.overlap(&b.surface, &features, bodies);
            if depth > OVERLAP * self.size {
                let name = &self.model.contacts[pair.of].name;
                let message = format!("`{}` and `{}` overlap by {depth:.3e} m at the start", a.name, b.name);
                let fault = Fault::error(format!("contacts.{}", segment(name)), message);
                faults.push(fault.help("draw them apart, or let only those meet that can"));
            }
        }
        faults
    }
}

impl Mechanism {
    /// The contacts that may touch where the bodies are, into `out`, ascending: those of surfaces whose balls are no farther apart
    /// than a millionth of the size.
    pub(crate) fn near_contacts(&self, motions: &[Motion], out: &mut Vec<usize>) {
        /// Much more than counts as touching.
        const MARGIN: f64 = 1e-6;
        out.clear();
        for pair in &self.pairs {
            let [a, b] = pair.surfaces.map(|s| &self.surfaces[s].surface);
            if a.apart(b, motions) <= MARGIN * self.size {
                out.extend(pair.contacts());
            }
        }
        // those that are of no surface
        out.extend(self.pairs.last().map_or(0, |pair| pair.contacts().end)..self.contacts.len());
    }
}
