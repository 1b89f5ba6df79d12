//! Surfaces and contacts of the model, compiled: where each surface lies on its body, and the ways in which each pair can touch.
//!
//! Where events are found, every way in which two surfaces can touch is a contact of its own. Time steps need the surfaces only: there an entry of the model with many pairs is a
//! [`Crowd`], whose pairs are not listed, and two surfaces without features are one contact.

use super::attach::direction;
use super::features::Features;
use super::{Mechanism, MechanismContact, MechanismSurface};
use crate::contact::{Block, Can, Crowd, Crowds, Feature, Form, Hull, Nearby, Pair, Surface, SurfacePair};
use crate::error::names::segment;
use crate::interactions::{BodyIndex, BodyPoint, Motion};
use crate::linalg::vec3::{Vec3, scale, sub, unit};
use crate::model::contact::MAX_CONTACTS;
use crate::model::meetings::{Entry, Kind, Meetings, Participant, Sides};
use crate::model::{ContactMethod, Dimension, Fault, Faults, Integrator, Model, Place, Shape};
use crate::particles::{Layout, layout};
use crate::topology::Plain;
use std::collections::HashMap;
use std::sync::Arc;

/// Surfaces that overlap by more than this part of the size have been drawn so.
const OVERLAP: f64 = 1e-9;
/// What lies within this part of the size of a line is on it.
const ON_LINE: f64 = 1e-9;
/// In time steps an entry with more pairs is a crowd.
const FEW_PAIRS: u64 = 500;
/// Free bodies that can touch, beyond which `auto` begins with time steps.
const MANY_BODIES: usize = 8;
/// So many overlaps of crowds are reported one by one.
const SHOWN_OVERLAPS: usize = 20;

/// What a mechanism has of contacts.
#[derive(Default)]
pub(super) struct Touching {
    pub surfaces: Vec<MechanismSurface>,
    pub pairs: Vec<Pair>,
    pub contacts: Vec<MechanismContact>,
    pub crowds: Crowds,
    /// Why contacts cannot be events, though the settings would have it so.
    pub only_steps: Option<String>,
}

/// Compiles the contacts of a mechanism that has all but these.
pub(super) fn contacts(mechanism: &Mechanism, features: &Features, faults: &mut Vec<Fault>) -> Touching {
    let model = &mechanism.model;
    let meetings = Meetings::new(model);
    if meetings.entries.iter().all(|entry| entry.count == 0) {
        return Touching::default();
    }
    let mut places = Places { mechanism, features, faults };
    let compiled: Vec<Option<Surface>> = meetings.participants.iter().map(|p| places.surface(p)).collect();
    places.carriers(&meetings, &compiled);
    let mut listing = Listing {
        mechanism,
        meetings: &meetings,
        compiled: &compiled,
        index: vec![None; compiled.len()],
        touching: Touching::default(),
    };
    listing.list_surfaces();
    if model.settings.contacts_are_events() {
        if !listing.list_all() {
            let message = format!("surfaces can touch in more than {MAX_CONTACTS} ways");
            let help = "take time steps: `contact_method = \"auto\"` or `\"steps\"` without `integrator`; or let fewer surfaces meet: `between` instead of `among`, spheres instead of boxes";
            faults.push(Fault::error("contacts", message).help(help));
        }
        return listing.touching;
    }
    let planar = model.dimension == Dimension::Planar;
    listing.touching.only_steps = meetings.entries.iter().find_map(|entry| {
        let (pair, why) = meetings.without_events(entry, planar)?;
        let [p, q] = pair.map(|i| meetings.participants[i].name);
        Some(format!("`{p}` and `{q}` can meet: {why}"))
    });
    let Touching { surfaces, only_steps, .. } = &listing.touching;
    if mechanism.why_steps(surfaces, only_steps.as_deref()).is_none() && !listing.list_all() {
        listing.touching.only_steps = Some(format!("surfaces can touch in more than {MAX_CONTACTS} ways"));
    }
    let Touching { surfaces, only_steps, .. } = &listing.touching;
    if mechanism.why_steps(surfaces, only_steps.as_deref()).is_some() {
        listing.list_few();
    }
    listing.touching
}

/// Contacts that are being listed.
struct Listing<'a> {
    mechanism: &'a Mechanism,
    meetings: &'a Meetings<'a>,
    compiled: &'a [Option<Surface>],
    /// Places of participants among the surfaces of the mechanism.
    index: Vec<Option<usize>>,
    touching: Touching,
}

impl Listing<'_> {
    /// Participants of the contacts, in their order.
    fn list_surfaces(&mut self) {
        for i in
            self.meetings.entries.iter().filter(|entry| entry.count > 0).flat_map(|entry| entry.sides.all())
        {
            if let (Some(surface), None) = (&self.compiled[i], self.index[i]) {
                self.index[i] = Some(self.touching.surfaces.len());
                let name = self.meetings.participants[i].name.to_owned();
                self.touching.surfaces.push(MechanismSurface { name, surface: surface.clone() });
            }
        }
    }

    /// All pairs of all contacts with the ways in which they touch; whether these are not too many.
    fn list_all(&mut self) -> bool {
        let meetings = self.meetings;
        (0..meetings.entries.len()).all(|c| self.list(c, &meetings.entries[c]))
    }

    /// Pairs of contacts that have few of them; the others become crowds.
    fn list_few(&mut self) {
        self.touching.pairs.clear();
        self.touching.contacts.clear();
        let meetings = self.meetings;
        let mut crowds = Vec::new();
        for (c, entry) in meetings.entries.iter().enumerate().filter(|(_, entry)| entry.count > 0) {
            let (pairs, contacts) = (self.touching.pairs.len(), self.touching.contacts.len());
            if entry.count > FEW_PAIRS || !self.list(c, entry) {
                self.touching.pairs.truncate(pairs);
                self.touching.contacts.truncate(contacts);
                crowds.push(self.crowd(c, entry));
            }
        }
        if crowds.is_empty() {
            return;
        }
        let participants = meetings.participants.iter().zip(self.compiled);
        let bodies: HashMap<usize, BodyIndex> =
            participants.filter_map(|(p, surface)| Some((p.number, surface.as_ref()?.body()))).collect();
        let both = |[a, b]: [usize; 2]| Some([*bodies.get(&a)?, *bodies.get(&b)?]);
        self.touching.crowds = Crowds::new(crowds, meetings.joined_bodies().filter_map(both));
    }

    fn crowd(&self, of: usize, entry: &Entry) -> Crowd {
        let places = |list: &Vec<usize>| list.iter().filter_map(|&i| self.index[i]).collect();
        let sides = match &entry.sides {
            Sides::Between([first, second]) => [places(first), places(second)],
            Sides::Among(list) => [places(list), places(list)],
        };
        Crowd { of, sides, jointed: entry.jointed, except: self.apart(entry) }
    }

    /// Bodies that an entry keeps apart, the smaller one first, ascending.
    fn apart(&self, entry: &Entry) -> Vec<[BodyIndex; 2]> {
        let mut body: HashMap<usize, BodyIndex> = HashMap::new();
        for (participant, surface) in self.meetings.participants.iter().zip(self.compiled) {
            if let Some(surface) = surface {
                body.insert(participant.number, surface.body());
            }
        }
        let pair = |[a, b]: &[usize; 2]| Some([*body.get(a)?, *body.get(b)?]);
        let pairs = entry.except.iter().filter_map(pair).map(|[a, b]| [a.min(b), a.max(b)]);
        let mut pairs: Vec<_> = pairs.collect();
        pairs.sort_unstable();
        pairs
    }

    /// The pairs of a contact; whether there is room for all.
    fn list(&mut self, c: usize, entry: &Entry) -> bool {
        if entry.count > MAX_CONTACTS as u64 {
            return false;
        }
        let (mechanism, meetings) = (self.mechanism, self.meetings);
        let contact = &mechanism.model.contacts[c];
        let expansion = mechanism.expansion.as_ref();
        let many = entry.count > 1 || expansion.is_some_and(|e| e.of_many.contains(&contact.name));
        let hidden = expansion.is_some_and(|e| c >= e.contacts);
        let planar = mechanism.columns() == 2;
        for [a, b] in meetings.pairs(entry) {
            let (Some(first), Some(second)) = (&self.compiled[a], &self.compiled[b]) else { continue };
            let [Some(p), Some(q)] = [self.index[a], self.index[b]] else { continue };
            let features = first.meet(second).unwrap_or_else(|| {
                let surfaces = [first.clone(), second.clone()];
                vec![Feature::Surfaces(Arc::new(SurfacePair { surfaces, planar }))]
            });
            let Touching { pairs, contacts, .. } = &mut self.touching;
            let count = features.len();
            if contacts.len() + count > MAX_CONTACTS {
                return false;
            }
            pairs.push(Pair { surfaces: [p, q], of: c, first: contacts.len(), count });
            for (i, feature) in features.into_iter().enumerate() {
                let mut name = contact.name.clone();
                if many {
                    let [p, q] = [a, b].map(|i| meetings.participants[i].name);
                    name.push_str(&format!(".{p}.{q}"));
                }
                if count > 1 {
                    name.push_str(&format!(".{}", i + 1));
                }
                let (friction, restitution) = (contact.friction, contact.restitution);
                contacts.push(MechanismContact { name, feature, friction, restitution, hidden });
            }
        }
        true
    }
}

/// Surfaces and where they are.
struct Places<'a> {
    mechanism: &'a Mechanism,
    features: &'a Features,
    faults: &'a mut Vec<Fault>,
}

impl Places<'_> {
    /// Checks that bodies can carry the contacts of their surfaces.
    fn carriers(&mut self, meetings: &Meetings<'_>, compiled: &[Option<Surface>]) {
        for (contact, entry) in self.mechanism.model.contacts.iter().zip(&meetings.entries) {
            if entry.count == 0 {
                continue;
            }
            for i in entry.sides.all() {
                if let Some(surface) = &compiled[i] {
                    let path = format!("contacts.{}", segment(&contact.name));
                    self.can_carry(surface, meetings.participants[i].name, contact.friction, path);
                }
            }
        }
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
                Some(Surface { at, form: Form::Plane { normal: direction(features, normal)? } })
            }
            Kind::Point(at) => Some(Surface { at: spot(place(at)?), form: Form::Ball { radius: 0.0 } }),
            Kind::Hull { points, vertices } => {
                let named = points.iter().map(|name| named(name));
                let all: Option<Vec<Vec3>> = named.chain(vertices.iter().map(|x| Some(*x))).collect();
                let (hull, middle) = if planar { Hull::flat(&all?) } else { Hull::new(&all?) }?;
                Some(Surface { at: spot(middle), form: Form::Hull(Arc::new(hull)) })
            }
            Kind::HullOf(hull) => {
                let all: Option<Vec<Vec3>> =
                    hull.corners.iter().map(|x| hull.mesh.place(*x, &named)).collect();
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
    /// Why contacts are stepped over from the start; `None` if they are events.
    pub(crate) fn steps_from_start(&self) -> Option<String> {
        self.why_steps(&self.surfaces, self.only_steps.as_deref())
    }

    fn why_steps(&self, surfaces: &[MechanismSurface], only: Option<&str>) -> Option<String> {
        let settings = &self.model.settings;
        let contacts = self.has_contacts() || !surfaces.is_empty();
        if !contacts || settings.contact_method == ContactMethod::Events {
            return None;
        }
        if settings.integrator == Integrator::Moreau || settings.contact_method == ContactMethod::Steps {
            return Some("the model asks for time steps over contacts".into());
        }
        if settings.integrator != Integrator::Auto {
            return None;
        }
        if let Some(why) = only {
            return Some(why.to_owned());
        }
        let mut touching = vec![false; self.bodies.len()];
        for body in surfaces.iter().filter_map(|s| s.surface.body()) {
            touching[body] = true;
        }
        // those of a mechanism of joints cost the square of their number, and hang together
        let free = self.free_bodies();
        let count = touching.iter().zip(&free).filter(|(touches, free)| **touches && free.is_some()).count();
        (count > MANY_BODIES).then(|| format!("{count} free bodies can touch"))
    }

    /// Whether anything can touch.
    pub fn has_contacts(&self) -> bool {
        !self.contacts.is_empty() || !self.crowds.is_empty()
    }

    /// Surfaces that overlap where the bodies are: so many as faults, the rest of those in crowds counted.
    pub(super) fn overlaps(&self, bodies: &[Motion]) -> Vec<Fault> {
        let [listed, crowded] = self.overlapping(bodies);
        let fault = |overlap: Overlap| {
            let Overlap { contact, surfaces: [a, b], depth } = overlap;
            let message = format!("`{a}` and `{b}` overlap by {depth:.3e} m at the start");
            let fault = Fault::error(format!("contacts.{}", segment(&contact)), message);
            fault.help("draw them apart, or let only those meet that can: `except` keeps bodies apart")
        };
        let more = crowded.len().saturating_sub(SHOWN_OVERLAPS);
        let shown = listed.into_iter().chain(crowded.into_iter().take(SHOWN_OVERLAPS));
        let mut faults: Vec<Fault> = shown.map(fault).collect();
        if more > 0 {
            faults.push(Fault::error(
                "contacts",
                format!("{more} more pairs of surfaces overlap at the start"),
            ));
        }
        faults
    }

    /// Surfaces of listed pairs, and of crowds, that overlap where the bodies are.
    fn overlapping(&self, bodies: &[Motion]) -> [Vec<Overlap>; 2] {
        let planar = self.columns() == 2;
        let look = |of: usize, surfaces: [usize; 2]| {
            let [a, b] = surfaces.map(|s| &self.surfaces[s]);
            if a.surface.apart(&b.surface, bodies) > 0.0 {
                return None;
            }
            let depth = a.surface.depth(&b.surface, bodies, planar);
            let contact = self.model.contacts[of].name.clone();
            let surfaces = [a.name.clone(), b.name.clone()];
            (depth > OVERLAP * self.size).then_some(Overlap { contact, surfaces, depth })
        };
        let listed = self.pairs.iter().filter_map(|pair| look(pair.of, pair.surfaces)).collect();
        if self.crowds.is_empty() {
            return [listed, Vec::new()];
        }
        let surfaces: Vec<Surface> = self.surfaces.iter().map(|s| s.surface.clone()).collect();
        let mut nearby = Nearby::new(&surfaces, &[], &self.crowds);
        nearby.around(&surfaces, &[], bodies, 0.0, 0.0, &mut Vec::new());
        let crowded = nearby.crowded().iter().filter_map(|pair| look(pair.of, pair.surfaces)).collect();
        [listed, crowded]
    }
}

/// Two surfaces that overlap where a mechanism begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// The contact that lets them meet.
    pub contact: String,
    /// Their names.
    pub surfaces: [String; 2],
    /// How far, m.
    pub depth: f64,
}

impl Model {
    /// Surfaces that contacts let meet and that overlap where the mechanism begins, which [`Model::assemble`] refuses: what somebody who makes a model has to draw apart, or to keep
    /// [apart](crate::model::Contact::except).
    ///
    /// # Errors
    /// If the model cannot be assembled without its contacts.
    pub fn overlaps(&self) -> Result<Vec<Overlap>, Faults> {
        let without = Model { contacts: Vec::new(), ..self.clone() }.assemble()?;
        let whole = self.relative();
        let listed = super::compile::outline(Plain::new(whole.as_ref()))?;
        Ok(listed.overlapping(&without.start_motions()).concat())
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
