//! Deformable bodies from finite elements, reduced to a few modes.

use super::{Body, Inertia, Joint, JointForces, Model, Point};
use crate::drawing::Axis;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::joints::PointOnLine;
use crate::linalg::vec3::{Vec3, add, axpy, norm, sub};
use crate::modal::ModalBasis;
use std::borrow::Cow;
use std::sync::Arc;

keys! {
    /// A deformable body whose modes come from the stiffness and mass matrices of finite elements.
    ModalBody(name) {
        /// The reduced body.
        basis: Arc<ModalBasis> => group ModesKeys,
        /// Damping ratio of its modes, those of the free body; 0 if left out.
        damping: f64 => default Plain = 0.0,
        /// Where the origin of its node positions is drawn, m; at the origin if left out.
        at: [f64; 3] => default Position = [0.0; 3],
    }
}

#[cfg(feature = "file")]
use super::modal_file::ModesKeys;

#[cfg(feature = "file")]
impl Rules for ModalBody {}

/// The parts of a modal body among those of a spelled-out model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ModalNames {
    /// Its frame: the body.
    pub frame: String,
    /// Points of the frame: centre of mass, and those along the axes.
    pub corners: [String; 4],
    /// For each mode three sliders, along the axes of the frame: body and point have one name.
    pub sliders: Vec<[String; 3]>,
    /// For each interface its body, and its points: at the interface, and along the axes where it turns.
    pub interfaces: Vec<(String, Vec<String>)>,
}

impl ModalBody {
    /// A body that has been reduced, drawn where its nodes are.
    pub fn new(name: impl Into<String>, basis: impl Into<Arc<ModalBasis>>) -> Self {
        ModalBody { name: name.into(), basis: basis.into(), damping: 0.0, at: [0.0; 3] }
    }

    /// Sets the damping ratio of the modes.
    pub fn damping(mut self, ratio: f64) -> Self {
        self.damping = ratio;
        self
    }

    /// Draws it elsewhere: the origin of its node positions, m.
    pub fn at(mut self, at: [f64; 3]) -> Self {
        self.at = at;
        self
    }

    /// Names of its parts. Those that a user may speak of are the frame `NAME`, the interfaces `NAME/INTERFACE` and the joints `NAME/1`, `NAME/2`, … whose
    /// coordinates are the amplitudes.
    pub(crate) fn names(&self) -> ModalNames {
        let name = &self.name;
        let interface = |i: &crate::modal::InterfaceModes| {
            let body = format!("{name}/{}", i.name);
            let more = ["x", "y", "z"].iter().filter(|_| i.turns).map(|axis| format!("{body}/{axis}"));
            let points = [i.name.clone()].into_iter().chain(more).collect();
            (body, points)
        };
        let mode = |j: usize| ["x", "y", "z"].map(|axis| format!("{name}/{}/{axis}", j + 1));
        ModalNames {
            frame: name.clone(),
            corners: ["o", "x", "y", "z"].map(|corner| format!("{name}//{corner}")),
            sliders: (0..self.basis.modes.len()).map(mode).collect(),
            interfaces: self.basis.interfaces.iter().map(interface).collect(),
        }
    }

    /// Centre of mass as drawn, m.
    pub(crate) fn com(&self) -> Vec3 {
        add(self.at, self.basis.com)
    }

    /// Distance of the frame's particles, m.
    pub(crate) fn arm(&self) -> f64 {
        self.basis.extent
    }

    /// Distance of the particles of an interface that turns, m.
    pub(crate) fn interface_arm(&self) -> f64 {
        0.25 * self.basis.extent
    }
}

/// A point of an interface may be drawn this far from its place, as a part of the extent of the body.
pub(crate) const DRAWN: f64 = 1e-6;

impl Model {
    /// Modal bodies spelled out as rigid bodies, sliders and joints between them: what no list of the model says, the mechanism adds. Returns how many of the
    /// points and bodies the user may speak of: the first ones.
    pub(crate) fn add_modal_parts(&mut self) -> (usize, usize) {
        let modal = std::mem::take(&mut self.modal_bodies);
        let axis = |c: usize| -> Vec3 { std::array::from_fn(|i| f64::from(u8::from(i == c))) };
        for body in &modal {
            for interface in &body.basis.interfaces {
                if !self.points.iter().any(|point| point.name == interface.name) {
                    let position = add(body.at, interface.at);
                    self.points.push(Point { name: interface.name.clone(), position });
                }
            }
        }
        let points = self.points.len();
        for body in &modal {
            let names = body.names();
            let (com, arm) = (body.com(), body.arm());
            let at = |k: usize| if k == 0 { com } else { axpy(com, arm, axis(k - 1)) };
            for (k, corner) in names.corners.iter().enumerate() {
                self.points.push(Point { name: corner.clone(), position: at(k) });
            }
            let inertia = Inertia::Matrix(body.basis.inertia);
            let frame =
                Body::with_inertia(&names.frame, names.corners.clone(), body.basis.mass, com, inertia);
            self.bodies.push(frame.primary(names.corners.clone()));
            for ((name, points), interface) in names.interfaces.iter().zip(&body.basis.interfaces) {
                let place = add(body.at, interface.at);
                for (c, point) in points.iter().skip(1).enumerate() {
                    let position = axpy(place, body.interface_arm(), axis(c));
                    self.points.push(Point { name: point.clone(), position });
                }
                self.bodies.push(massless(name, points).primary(points.clone()));
            }
        }
        let bodies = self.bodies.len();
        for body in &modal {
            let names = body.names();
            for (sliders, mode) in names.sliders.iter().zip(&body.basis.modes) {
                for slider in sliders {
                    self.points.push(Point { name: slider.clone(), position: body.com() });
                    self.bodies.push(massless(slider, std::slice::from_ref(slider)));
                }
                let name = sliders[0].trim_end_matches("/x");
                let line = PointOnLine { axis: Axis::Vector(axis(0)) };
                let stiffness = mode.mass * mode.frequency * mode.frequency;
                let ratio = if mode.frequency > body.basis.swings_up_to { 1.0 } else { body.damping };
                let forces = JointForces {
                    stiffness,
                    damping: 2.0 * ratio * mode.frequency * mode.mass,
                    rest: Some(0.0),
                    ..JointForces::default()
                };
                let ends = [names.corners[0].as_str(), sliders[0].as_str()];
                let joint = Joint::between(name, line, [&names.frame, &sliders[0]], ends);
                self.joints.push(joint.forces(forces));
            }
        }
        self.modal_bodies = modal;
        (points, bodies)
    }

    /// The model with frames and interfaces of modal bodies as bodies, for pictures: a frame holds the points of its interfaces. `None` if there are none.
    pub(crate) fn with_modal_bodies_pictured(&self) -> Option<Model> {
        if self.modal_bodies.is_empty() {
            return None;
        }
        let mut model = self.clone();
        for body in &self.modal_bodies {
            for interface in &body.basis.interfaces {
                if !model.points.iter().any(|point| point.name == interface.name) {
                    let position = add(body.at, interface.at);
                    model.points.push(Point { name: interface.name.clone(), position });
                }
            }
        }
        for body in &self.modal_bodies {
            let (names, inertia) = (body.names(), Inertia::Matrix(body.basis.inertia));
            let held: Vec<String> = body.basis.interfaces.iter().map(|i| i.name.clone()).collect();
            model.bodies.push(Body::with_inertia(&names.frame, held, body.basis.mass, body.com(), inertia));
            let interfaces = names.interfaces.iter();
            model.bodies.extend(interfaces.map(|(name, points)| massless(name, &points[..1])));
        }
        Some(model)
    }

    /// The model with its modal bodies spelled out.
    pub(crate) fn with_modal_parts(&self) -> Cow<'_, Model> {
        if self.modal_bodies.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut model = self.clone();
        model.add_modal_parts();
        Cow::Owned(model)
    }

    /// Largest distance of an interface's point, as drawn, from its place: with both, where it is too much.
    pub(crate) fn misdrawn_interface(&self, body: &ModalBody, name: &str) -> Option<(f64, Vec3)> {
        let interface = body.basis.interfaces.iter().find(|i| i.name == name)?;
        let point = self.points.iter().find(|point| point.name == name)?;
        let place = add(body.at, interface.at);
        let off = norm(sub(point.position, place));
        (off > DRAWN * body.basis.extent).then_some((off, place))
    }
}

fn massless(name: &str, points: &[String]) -> Body {
    Body::with_inertia(name, points.to_vec(), 0.0, points[0].as_str(), Inertia::Matrix([0.0; 6]))
}
