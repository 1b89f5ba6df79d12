//! A model whose drawing is the equilibrium.
//!
//! The drawing is moved there ([`move_drawing`]). Coordinates of joints count from the drawing, so what reads them (torsion springs, limits, drivers, formulas) may mean something else then. What was made is therefore
//! assembled, and its own equilibrium sought: where that is elsewhere the drawing stays, and `[initial.joints]` says where the mechanism is. If that leads elsewhere, too,
//! nothing is written.

use super::Equilibrium;
use crate::Error;
use crate::analysis::moved_drawing::move_drawing;
use crate::linalg::vec3::{norm, sub};
use crate::mechanism::Mechanism;
use crate::model::{InitialJoint, InitialState, Model};
use crate::results::Frame;
use std::f64::consts::PI;

/// How the new model says where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redrawing {
    /// Its points have been moved.
    Points,
    /// Its `[initial.joints]` say so; the drawing is as it was.
    InitialJoints,
}

/// A model that begins at an equilibrium: [`Equilibrium::redrawn`].
#[derive(Clone, Debug)]
pub struct Redrawn {
    /// The model.
    pub model: Model,
    /// How it says where it is.
    pub how: Redrawing,
    /// What had been given by expressions or parameters and is a number now, by its place in the file.
    pub replaced: Vec<String>,
}

/// The equilibrium of the new model may be off from this one by so much, as a part of the size.
const SAME: f64 = 1e-9;

impl Equilibrium {
    /// A model, changed such that it begins here. `author`: the one that `mechanism` was assembled from, whose equilibrium this is.
    ///
    /// # Errors
    /// [`Error::Equilibrium`] if no model file can say so, with the reason.
    pub fn redrawn(&self, mechanism: &Mechanism, author: &Model) -> Result<Redrawn, Error> {
        if !author.chains.is_empty() {
            let message = format!(
                "the equilibrium of `{}` cannot be written: the nodes of its chains have no entries in a model file; \
                 `[simulation] initial = \"equilibrium\"` begins there",
                author.name
            );
            return Err(Error::Equilibrium(message));
        }
        let mut reasons = Vec::new();
        for how in [Redrawing::Points, Redrawing::InitialJoints] {
            // what counts from the drawing counts from where it was
            let mut model = mechanism.settled(author);
            model.settings.initial = InitialState::Given;
            model.initial = Default::default();
            match how {
                Redrawing::Points => self.move_points(mechanism, &mut model),
                Redrawing::InitialJoints => self.give_joints(mechanism, &mut model),
            }
            match self.objection(mechanism, &model) {
                None => {
                    let replaced = replaced(author, &model);
                    return Ok(Redrawn { model, how, replaced });
                }
                Some(why) => reasons.push(why),
            }
        }
        Err(Error::Equilibrium(format!(
            "the equilibrium of `{}` cannot be written as a model: with its points moved, {}; with `[initial.joints]`, {}; `[simulation] initial = \"equilibrium\"` \
             begins there",
            author.name, reasons[0], reasons[1]
        )))
    }

    fn move_points(&self, mechanism: &Mechanism, model: &mut Model) {
        move_drawing(mechanism, &self.frame, model);
    }

    /// Coordinates of the joints as initial values.
    fn give_joints(&self, mechanism: &Mechanism, model: &mut Model) {
        for (joint, list) in mechanism.joints.iter().zip(&self.frame.joints) {
            let q: Vec<f64> = list.iter().map(|c| c.q).collect();
            let within = joint
                .coordinates
                .iter()
                .zip(&q)
                .all(|(c, q)| !mechanism.interactions.gauges[c.gauge].is_angle() || q.abs() < 0.99 * PI);
            if !q.is_empty() && within {
                model.initial.joints.push(InitialJoint { joint: joint.name.clone(), q, v: Vec::new() });
            }
        }
    }

    /// Why a model does not begin here.
    fn objection(&self, mechanism: &Mechanism, model: &Model) -> Option<String> {
        let again = match model.assemble() {
            Ok(again) => again,
            Err(faults) => return Some(format!("it is refused: {faults}")),
        };
        let apart = |frame: &Frame| {
            let places = frame.positions.iter().zip(&self.frame.positions);
            let far = places.map(|(a, b)| norm(sub(*a, *b))).enumerate();
            far.fold((0, 0.0), |most: (usize, f64), x| if x.1 > most.1 { x } else { most })
        };
        let names = |i: usize| &mechanism.points[i].name;
        let start = match again.drawn_frame() {
            Ok(frame) => frame,
            Err(error) => return Some(error.to_string()),
        };
        let (point, far) = apart(&start);
        if far > SAME * mechanism.size {
            return Some(format!("`{}` is {far:.1e} m off when it is assembled", names(point)));
        }
        let rest = match again.rest(None, self.state.t).and_then(|rest| again.frame_at(&rest)) {
            Ok(frame) => frame,
            Err(error) => return Some(error.to_string()),
        };
        let (point, far) = apart(&rest);
        (far > SAME * mechanism.size)
            .then(|| format!("it rests elsewhere, `{}` {far:.1e} m from here (coordinates of joints count from the drawing)", names(point)))
    }
}

/// Points that were given by expressions and are numbers now.
fn replaced(before: &Model, after: &Model) -> Vec<String> {
    let Some(provenance) = before.provenance.as_deref() else { return Vec::new() };
    let changed = before.points.iter().zip(&after.points).filter(|(a, b)| a.position != b.position);
    let text = |name: &str| -> Option<&str> {
        let path = format!("points.{}", crate::error::names::segment(name));
        let span = provenance.spans.get(&path)?;
        provenance.text.get(span.clone())
    };
    // a number in quotes is an expression
    let said = changed.filter(|(point, _)| text(&point.name).is_some_and(|text| text.contains(['"', '\''])));
    said.map(|(point, _)| format!("points.{}", point.name)).collect()
}
