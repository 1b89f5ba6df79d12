//! Whether a scene that somebody sends can be drawn at all.

use super::deformable::{MOST_NUMBERS, MOST_RINGS};
use super::{Beam, BodyPoint, ModalBody, Scene, Solid, Vector};
use linkwork::model::Color;

impl Scene {
    /// Whether poses of another scene are poses of this one: bodies, joints, chains, beams and modal bodies have the same names.
    pub fn moves_like(&self, other: &Scene) -> bool {
        let bodies = |scene: &Scene| scene.bodies.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
        let joints = |scene: &Scene| scene.joints.iter().map(|j| j.name.clone()).collect::<Vec<_>>();
        let chains = |scene: &Scene| scene.chains.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        let beams =
            |scene: &Scene| scene.beams.iter().map(|b| (b.name.clone(), b.half.len())).collect::<Vec<_>>();
        let modal =
            |scene: &Scene| scene.modal_bodies.iter().map(|b| (b.name.clone(), b.modes)).collect::<Vec<_>>();
        let same = bodies(self) == bodies(other) && joints(self) == joints(other);
        same && chains(self) == chains(other) && beams(self) == beams(other) && modal(self) == modal(other)
    }

    /// What is wrong with it: numbers that are none, or places on bodies that are not there.
    pub fn fault(&self) -> Option<&'static str> {
        let spot = |s: &BodyPoint| s.body < self.bodies.len() && finite(&s.at);
        let spots = self.points.iter().map(|p| &p.spot);
        let spots = spots.chain(self.joints.iter().flat_map(|j| &j.spots));
        let spots = spots.chain(self.springs.iter().flat_map(|s| &s.ends));
        let spots = spots.chain(self.cables.iter().flat_map(|c| &c.through));
        let mut spots =
            spots.chain(self.arrows.iter().flat_map(|a| [Some(&a.at), a.towards.as_ref()]).flatten());
        if !self.supports.iter().all(finite) || self.floor.is_some_and(|floor| !floor.is_finite()) {
            return Some("a support or a floor that is nowhere");
        }
        let view = &self.view;
        let there = view.follow.is_none_or(|body| body < self.bodies.len());
        if !there
            || !view.traces.iter().all(|point| *point < self.points.len())
            || !view.direction.iter().flatten().all(|x| x.is_finite())
        {
            return Some("a view of something that is not there");
        }
        if self.bodies.is_empty() {
            return Some("a scene without ground");
        }
        if !spots.all(spot) {
            return Some("a place on a body that is not there");
        }
        if self.cables.iter().any(|cable| cable.radii.len() != cable.through.len()) {
            return Some("a cable without radii");
        }
        if !self.bodies.iter().flat_map(super::Body::painted).all(|(solid, _)| solid.is_finite()) {
            return Some("a solid that cannot be drawn");
        }
        let positive = |x: &f64| x.is_finite() && *x > 0.0;
        let sound = |beam: &Beam| {
            let sized = beam.half.iter().flatten().chain(&beam.large).all(positive);
            sized && (1..=2).contains(&beam.pieces) && (1..=MOST_RINGS).contains(&beam.rings)
        };
        if !self.beams.iter().all(sound) {
            return Some("a beam that cannot be drawn");
        }
        let sound = |body: &ModalBody| {
            let corners = body.vertices.len();
            let there = |k: &u32| (*k as usize) < corners;
            body.body < self.bodies.len()
                && body.vertices.iter().all(finite)
                && body.triangles.iter().flatten().chain(body.edges.iter().flatten()).all(there)
                && body.modes.saturating_mul(corners) <= MOST_NUMBERS
                && body.unpacked().is_some()
        };
        if !self.modal_bodies.iter().all(sound) {
            return Some("a modal body that cannot be drawn");
        }
        let paints = |body: &super::Body| -> Vec<Option<String>> {
            body.looks.iter().map(|look| look.paint.clone()).chain([body.paint.clone()]).collect()
        };
        if !self.bodies.iter().flat_map(paints).flatten().all(|paint| Color::parse(&paint).is_some()) {
            return Some("a colour that is none");
        }
        let sizes =
            self.bounds.iter().all(finite) && finite(&self.up) && self.unit.is_finite() && self.unit > 0.0;
        (!sizes).then_some("a scene without size")
    }
}

fn finite(v: &Vector) -> bool {
    v.iter().all(|x| x.is_finite())
}

impl Solid {
    /// Whether all its numbers are numbers, and its faces have corners.
    pub fn is_finite(&self) -> bool {
        match self {
            Solid::Bar { ends, radius } => ends.iter().all(finite) && radius.is_finite(),
            Solid::Ball { at, radius } => finite(at) && radius.is_finite(),
            Solid::Box { at, axes, half } => finite(at) && axes.iter().all(finite) && finite(half),
            Solid::Cylinder { at, axis, radius, bore, half } => {
                finite(at) && finite(axis) && [radius, bore, half].iter().all(|x| x.is_finite())
            }
            Solid::Mesh { vertices, triangles, edges } => {
                let there = |k: &u32| (*k as usize) < vertices.len();
                vertices.iter().all(finite)
                    && triangles.iter().flatten().all(there)
                    && edges.iter().flatten().all(there)
            }
            Solid::Surface(surface) => surface.is_finite(),
            Solid::Plane { at, normal } => finite(at) && finite(normal),
            Solid::Tyre { at, axis, radius, width } => {
                finite(at) && finite(axis) && radius.is_finite() && width.is_finite()
            }
            Solid::Line { through } => through.iter().all(finite),
        }
    }
}
