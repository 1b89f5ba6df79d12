//! From a mechanism to a scene.

use super::extent::Extent;
use super::{
    Body, BodyPoint, Chain, Point, Scene, Vector, View, arrows, beams, bodies, colours, elements, ground,
    joints, looks, modal, rims, roads,
};
use linkwork::interactions;
use linkwork::interactions::elements::Symbol;
use linkwork::joints::Points;
use linkwork::linalg::vec3::{Vec3, add, norm, scale, sub, unit};
use linkwork::mechanism::{BodyIndex, Mechanism};
use linkwork::model::{Axis, Dimension, GROUND, Model, Place};
use linkwork::particles::MassProperties;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What the parts of a scene are made from.
pub(super) struct Drawing<'m> {
    /// The mechanism as its run begins.
    pub start: &'m Mechanism,
    /// The one with all that there may ever be.
    pub all: Cow<'m, Mechanism>,
    /// The model, as written but for what follows from the assembly.
    pub model: &'m Model,
    /// Whether everything is in the plane z = 0.
    pub planar: bool,
    /// Against gravity.
    pub up: Vector,
    /// How thick a bar is.
    pub unit: f64,
    /// Extent of all points as drawn, m.
    pub room: f64,
    /// Named points as drawn.
    places: HashMap<&'m str, Vec3>,
    /// Scene bodies by name, the ground is 0.
    index: HashMap<String, usize>,
    /// Their centres of mass as drawn.
    coms: Vec<Vec3>,
    /// Where named points are on bodies of the scene.
    spots: HashMap<String, BodyPoint>,
    /// Points that something is attached to.
    pub used: HashSet<&'m str>,
    /// Pictures of the elements.
    pub symbols: Vec<Drawn<'m>>,
}

/// An element that is drawn: the word that its columns begin with, its name, its picture.
pub type Drawn<'m> = (&'static str, &'m str, Symbol<'m>);

impl<'m> Drawing<'m> {
    fn new(start: &'m Mechanism) -> Self {
        let model = match start.origin() {
            Some(origin) => origin.pictured.as_ref().unwrap_or(&origin.model),
            None => start.model(),
        };
        // it has been compiled before, so there is nothing wrong with it
        let all = match start.complete() {
            Ok(Some(complete)) => Cow::Owned(complete),
            _ => Cow::Borrowed(start),
        };
        let planar = model.dimension == Dimension::Planar;
        let gravity = norm(model.gravity);
        let up = match gravity > 0.0 {
            true => scale(-1.0 / gravity, model.gravity),
            false if planar => [0.0, 1.0, 0.0],
            false => [0.0, 0.0, 1.0],
        };
        let names = std::iter::once(GROUND.to_owned()).chain(model.bodies.iter().map(|b| b.name.clone()));
        let names: Vec<String> = names.chain(beams::stations(model)).collect();
        let coms: HashMap<&str, Vec3> =
            all.bodies().iter().map(|b| (b.name.as_str(), b.particles.properties.com)).collect();
        let coms = names.iter().map(|name| coms.get(name.as_str()).copied().unwrap_or_default()).collect();
        let index = names.into_iter().enumerate().map(|(b, name)| (name, b)).collect();
        let places = model.points.iter().map(|p| (p.name.as_str(), p.position)).collect();
        let symbols = model.symbols();
        let mut drawing = Drawing {
            start,
            all,
            model,
            planar,
            up,
            unit: 1.0,
            room: 0.0,
            places,
            index,
            coms,
            spots: HashMap::new(),
            used: used_points(model, &symbols),
            symbols,
        };
        drawing.find_points();
        drawing.room = Extent::of_points(&drawing).size();
        drawing.unit = Extent::of(&drawing).unit();
        drawing
    }

    /// Points where they are shown as the run begins; those of bodies that come later where they are then.
    fn find_points(&mut self) {
        for mechanism in [self.start, &*self.all] {
            let alone = mechanism.expansion().map(|expansion| &expansion.alone);
            let shown = mechanism.points().iter().zip(mechanism.point_spots()).take(mechanism.shown().points);
            for (point, spot) in shown {
                let there = alone.is_none_or(|alone| !alone.contains(&point.name));
                if let Some(spot) = self.spot(mechanism, &spot).filter(|_| there) {
                    self.spots.entry(point.name.clone()).or_insert(spot);
                }
            }
        }
    }

    /// The scene's body of a name.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The scene's body of a mechanism's; nothing for a segment of a chain.
    pub fn body_of(&self, mechanism: &Mechanism, body: BodyIndex) -> Option<usize> {
        match body {
            None => Some(0),
            Some(b) => self.index.get(mechanism.bodies().get(b)?.name.as_str()).copied(),
        }
    }

    /// A spot of a mechanism in the scene.
    pub fn spot(&self, mechanism: &Mechanism, spot: &interactions::BodyPoint) -> Option<BodyPoint> {
        let finite = spot.s.iter().all(|x| x.is_finite());
        self.body_of(mechanism, spot.body).filter(|_| finite).map(|body| BodyPoint { body, at: spot.s })
    }

    /// A named point on a body of the scene.
    pub fn point(&self, name: &str) -> Option<BodyPoint> {
        self.spots.get(name).copied()
    }

    /// A named point as drawn.
    pub fn drawn(&self, name: &str) -> Option<Vec3> {
        self.places.get(name).copied()
    }

    /// Where a place is drawn.
    pub fn place(&self, place: &Place) -> Option<Vec3> {
        match place {
            Place::At(x) => Some(*x),
            Place::Point(name) => self.drawn(name),
        }
    }

    /// A direction as drawn, unit length.
    pub fn direction(&self, axis: &Axis) -> Option<Vec3> {
        let direction = match axis {
            Axis::Vector(v) => unit(*v),
            Axis::Points(p, q) => unit(sub(self.drawn(q)?, self.drawn(p)?)),
        };
        (norm(direction) > 0.5).then_some(direction)
    }

    /// Centre of mass of a scene's body as drawn; the origin for the ground.
    pub fn com(&self, body: usize) -> Vec3 {
        self.coms.get(body).copied().unwrap_or_default()
    }

    /// Mass, centre of mass and inertia of a scene's body, as drawn.
    pub fn properties(&self, body: usize) -> Option<&MassProperties> {
        let name = &self.model.bodies.get(body.checked_sub(1)?)?.name;
        let body = self.all.bodies().iter().find(|body| body.name == *name)?;
        Some(&body.particles.properties)
    }

    /// A place of the drawing on a scene's body.
    pub fn on(&self, body: usize, place: Vec3) -> BodyPoint {
        BodyPoint { body, at: sub(place, self.com(body)) }
    }

    /// Where a spot is drawn.
    pub fn as_drawn(&self, spot: &BodyPoint) -> Vec3 {
        add(self.com(spot.body), spot.at)
    }
}

/// Points that joints, elements or several bodies have.
fn used_points<'m>(model: &'m Model, symbols: &[Drawn<'m>]) -> HashSet<&'m str> {
    let mut used: HashSet<&str> = HashSet::new();
    let mut held: HashSet<&str> = HashSet::new();
    for point in model.ground.iter().chain(model.bodies.iter().flat_map(|b| &b.points)) {
        if !held.insert(point) {
            used.insert(point);
        }
    }
    // the point of a gear pair is where teeth meet, and belongs to nobody
    let joints = model.joints.iter().filter(|j| j.kind().descriptor().points != Points::Pitch);
    used.extend(joints.flat_map(|j| &j.at).map(String::as_str));
    used.extend(
        model.chains.iter().flat_map(|c| [Some(&c.from), c.to.as_ref()]).flatten().map(String::as_str),
    );
    used.extend(model.beams.iter().flat_map(|beam| beam.stations()).map(String::as_str));
    used.extend(symbols.iter().flat_map(|(.., symbol)| symbol.points()));
    used
}

impl Scene {
    /// What a mechanism looks like, with all bodies that it may ever have.
    pub fn of(mechanism: &Mechanism) -> Self {
        let drawing = Drawing::new(mechanism);
        let model = drawing.model;
        let mut scene = Scene {
            name: model.name.clone(),
            dimension: if drawing.planar { 2 } else { 3 },
            up: drawing.up,
            unit: drawing.unit,
            ..Scene::default()
        };
        scene.joints = joints::joints(&drawing);
        scene.springs = elements::lines(&drawing);
        scene.cables = elements::ropes(&drawing);
        scene.cables.extend(rims::hauls(&drawing, &scene.joints));
        scene.chains = chains(&drawing);
        scene.beams = beams::beams(&drawing);
        let names = std::iter::once(GROUND).chain(model.bodies.iter().map(|body| body.name.as_str()));
        scene.bodies = names.map(|name| Body { name: name.into(), ..Body::default() }).collect();
        let stations = beams::stations(model).into_iter();
        scene.bodies.extend(stations.map(|name| Body { name, auxiliary: true, ..Body::default() }));
        let mut rims = rims::rims(&drawing, &scene.joints);
        for (b, body) in model.bodies.iter().enumerate() {
            let own = rims.remove(&(b + 1)).unwrap_or_default();
            scene.bodies[b + 1].paint = body.color.map(|color| color.to_string());
            if body.visible {
                scene.bodies[b + 1].solids = bodies::solids(&drawing, b + 1, body, own);
            }
        }
        scene.modal_bodies = modal::surfaces(&drawing);
        // its surface is its picture
        scene.modal_bodies.iter().for_each(|surface| scene.bodies[surface.body].solids.clear());
        scene.bodies[0].solids = ground::solids(&drawing);
        let on_ground = rims.remove(&0).unwrap_or_default();
        scene.bodies[0].solids.extend(on_ground.into_iter().map(|rim| rim.solid));
        let looks = looks::looks(&drawing);
        for (body, own) in scene.bodies.iter_mut().zip(looks.of_bodies) {
            body.looks = own;
        }
        scene.remarks = looks.remarks;
        joints::guides(&drawing, &mut scene);
        let points = model.points.iter().filter_map(|point| {
            let spot = drawing.point(&point.name)?;
            Some(Point { name: point.name.clone(), spot })
        });
        scene.points = points.collect();
        scene.arrows = arrows::arrows(&drawing, &scene);
        colours::paint(&mut scene);
        scene.view = view(&drawing, &scene);
        ground::stand(&drawing, &mut scene);
        scene.bounds = Extent::at_start(&drawing, &scene).bounds();
        let roads = roads::roads(&drawing, &scene);
        scene.bodies[0].solids.extend(roads);
        scene
    }
}

/// What the model wants to be shown at first.
fn view(drawing: &Drawing<'_>, scene: &Scene) -> View {
    let said = &drawing.model.view;
    let point = |name: &String| scene.points.iter().position(|point| point.name == *name);
    View {
        direction: said.direction().map(|angles| angles.map(f64::to_degrees)),
        follow: said.follow.as_deref().and_then(|body| drawing.body(body)),
        traces: said.traces.iter().filter_map(point).collect(),
        plots: said.plots.clone(),
        labels: said.labels,
    }
}

fn chains(drawing: &Drawing<'_>) -> Vec<Chain> {
    let thick = |chain: &linkwork::model::Chain| {
        let drawn = chain.drag.as_ref().map_or(0.0, |drag| 0.5 * drag.diameter);
        drawn.clamp(0.2 * drawing.unit, drawing.unit)
    };
    let chain =
        |chain: &linkwork::model::Chain| Chain { name: chain.name.clone(), colour: 0, radius: thick(chain) };
    drawing.model.chains.iter().map(chain).collect()
}
