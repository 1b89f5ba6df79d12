//! The model that begins where its mechanism has been brought: [`Mechanism::model_at`].
//!
//! Coordinates of joints, limits, drivers and springs count from the drawing. So the drawing stays as it is wherever `[initial.joints]` can say where the mechanism is: all joints of a
//! chain, as many coordinates of a loop as it has freedoms. Where the assembly would take another branch from there, or bodies have no joints, the points are moved instead, and what is
//! given by directions turns with its body. Either way the model is assembled again and compared: it begins at the positions asked for, or there is an error.

use super::configuration::{Configuration, DEPENDENT};
use super::moved_drawing::move_drawing;
use super::position_quantity::PositionQuantity;
use crate::Error;
use crate::linalg::singular_values::SingularValues;
use crate::linalg::vec3::{Vec3, norm, sub};
use crate::mechanism::Mechanism;
use crate::model::{InitialJoint, Model};
use crate::results::Frame;
use crate::simulation::State;

/// Points may be off by this part of the size.
const SAME: f64 = 1e-9;

impl Mechanism {
    /// The model with its points at the positions of a state, at rest: with initial joint coordinates where these say it all, else with another drawing.
    ///
    /// ```
    /// # use linkwork::Model;
    /// # use linkwork::analysis::pose::{PoseOptions, Target};
    /// # use linkwork::model::Body;
    /// # let arm = Model::planar("arm").point("A", [0.0, 0.0]).point("B", [1.0, 0.0]).ground(["A"])
    /// #     .body(Body::rod("rod", ["A", "B"], 1.0)).assemble()?;
    /// let pose = arm.pose(&[Target::new("point.B.y", 0.5)], &PoseOptions::default())?;
    /// let model = arm.model_at(&pose.state)?;
    /// assert!((model.initial.joints[0].q[0] - 0.5f64.asin()).abs() < 1e-12);
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::State`] if it is no state of this mechanism, or no model file can say it.
    pub fn model_at(&self, state: &State) -> Result<Model, Error> {
        if self.model().expanded || self.model().origin != [0.0; 3] {
            let message = "cannot write the model at other positions: it has chains or changes, or is drawn far from the origin, so that assembling has made another one of it";
            return Err(Error::State(message.into()));
        }
        let mut here = self.at(state)?;
        let frame = here.sample()?.clone();
        let positions = &frame.positions;
        let mut configuration = Configuration::new(self)?;
        let there = here.state();
        configuration.go_to(&super::configuration::Positions {
            t: there.t,
            q: there.coordinates.clone(),
            auxiliary: there.auxiliary.clone(),
        });
        if configuration.start_has(positions, SAME) {
            return Ok(self.model().clone());
        }
        let by_joints = with_joints(&configuration);
        let why = match begins_at(&by_joints, self, positions) {
            Ok(()) => return Ok(by_joints),
            Err(why) => why,
        };
        if let Some(nearer) = within_half_a_turn(self, &by_joints)
            && begins_at(&nearer, self, positions).is_ok()
        {
            return Ok(nearer);
        }
        let counted = counts_from_drawing(self.model());
        if let Some(item) = counted {
            let message = format!(
                "cannot write the model at these positions: with initial joint coordinates {why}, and with another drawing `{item}`, which counts from the drawing, would mean another thing; \
                 draw the mechanism in this branch"
            );
            return Err(Error::State(message));
        }
        let by_points = with_points(self, &frame);
        begins_at(&by_points, self, positions).map_err(|other| {
            let message = format!(
                "cannot write the model at these positions: with initial joint coordinates {why}, and with another drawing {other}"
            );
            Error::State(message)
        })?;
        Ok(by_points)
    }
}

impl Configuration<'_> {
    /// Whether the mechanism begins with its points there.
    fn start_has(&self, positions: &[Vec3], part: f64) -> bool {
        let mechanism = self.mechanism;
        let off = |(point, r): (&crate::mechanism::MechanismPoint, &Vec3)| {
            norm(sub(mechanism.start_position(point.node), *r))
        };
        let turned = self.motions.iter().map(|motion| motion.turned);
        let still = turned.flatten().enumerate().all(|(i, row)| (row[i % 3] - 1.0).abs() < part);
        still && mechanism.points().iter().zip(positions).map(off).all(|off| off <= part * mechanism.size())
    }
}

/// The model with initial coordinates for as many joints as it takes.
fn with_joints(at: &Configuration<'_>) -> Model {
    let mechanism = at.mechanism;
    let mut model = mechanism.model().clone();
    let rates = at.body_rates();
    let n = at.freedoms_of_tree();
    let mut rows = at.constraint_rows();
    let mut rank = SingularValues::new(&rows, n).rank(DEPENDENT);
    model.initial.joints.iter_mut().for_each(|joint| joint.q.clear());
    for (j, joint) in mechanism.joints().iter().enumerate() {
        let mut q = Vec::new();
        for index in 0..joint.coordinates.len() {
            if rank == n {
                break;
            }
            let Some(quantity) = PositionQuantity::of_joint(at, j, index) else { break };
            let gradient: Vec<f64> =
                quantity.gradient(at, &rates).iter().map(|d| d / quantity.scale(mechanism.size())).collect();
            let mut more = rows.clone();
            more.extend(gradient);
            let now = SingularValues::new(&more, n).rank(DEPENDENT);
            // coordinates are given from the first one on
            if now > rank || index > 0 {
                (rows, rank) = (more, now);
                q.push(quantity.value(at, 0.0));
            } else {
                break;
            }
        }
        if q.is_empty() {
            continue;
        }
        match model.initial.joints.iter_mut().find(|known| known.joint == joint.name) {
            Some(known) => known.q = q,
            None => model.initial.joints.push(InitialJoint { joint: joint.name.clone(), q, v: Vec::new() }),
        }
    }
    model.initial.joints.retain(|joint| !(joint.q.is_empty() && joint.v.is_empty()));
    model
}

/// The model with whole turns taken off its initial joint coordinates, as far as nothing reads them: a pose that random starts have led to may have turned a joint all around.
/// `None` if there are none to take off.
fn within_half_a_turn(mechanism: &Mechanism, model: &Model) -> Option<Model> {
    use std::f64::consts::{PI, TAU};
    let read_by_name =
        !model.drivers.is_empty() || !model.torsion_springs.is_empty() || !model.motors.is_empty();
    let text = text_of(model)?;
    let mut nearer = model.clone();
    let mut changed = false;
    for initial in &mut nearer.initial.joints {
        let own = model.joints.iter().find(|joint| joint.name == initial.joint);
        let forced = own.is_some_and(|joint| !joint.forces.is_empty() || !joint.impact_limits.is_empty());
        let found = mechanism.joints().iter().find(|joint| joint.name == initial.joint);
        let Some(found) = found.filter(|_| !(forced || read_by_name)) else { continue };
        if text.contains(&format!("joint.{}.q", initial.joint))
            || text.contains(&format!("joint = \"{}\"", initial.joint))
        {
            continue;
        }
        for (q, coordinate) in initial.q.iter_mut().zip(&found.coordinates) {
            if q.abs() >= PI && mechanism.interactions().gauges[coordinate.gauge].is_angle() {
                *q -= TAU * (*q / TAU).round();
                changed = true;
            }
        }
    }
    changed.then_some(nearer)
}

/// The model as its file says it, to see what reads a coordinate.
#[cfg(feature = "file")]
fn text_of(model: &Model) -> Option<String> {
    model.to_toml().ok()
}

/// Without files nothing is known about what reads a coordinate.
#[cfg(not(feature = "file"))]
fn text_of(_: &Model) -> Option<String> {
    None
}

/// The first thing of a model that counts joint coordinates or angles from the drawing.
fn counts_from_drawing(model: &Model) -> Option<String> {
    let joint = model.joints.iter().find(|joint| !joint.forces.is_empty() || !joint.impact_limits.is_empty());
    let measured = model.measures.iter().map(|measure| (&measure.name, measure.value.text()));
    let counted =
        |text: &str| ["joint.", ".angle", ".roll", ".pitch", ".yaw"].iter().any(|word| text.contains(word));
    joint
        .map(|joint| format!("joints.{}", joint.name))
        .or_else(|| model.drivers.first().map(|driver| format!("drivers.{}", driver.name)))
        .or_else(|| model.torsion_springs.first().map(|spring| format!("torsion_springs.{}", spring.name)))
        .or_else(|| model.bushings.first().map(|bushing| format!("bushings.{}", bushing.name)))
        .or_else(|| model.motors.first().map(|motor| format!("motors.{}", motor.name)))
        .or_else(|| model.surfaces.first().map(|surface| format!("surfaces.{}", surface.name)))
        .or_else(|| model.tyres.first().map(|tyre| format!("tyres.{}", tyre.name)))
        .or_else(|| model.thrusters.first().map(|thruster| format!("thrusters.{}", thruster.name)))
        .or_else(|| {
            measured.clone().find(|(_, text)| counted(text)).map(|(name, _)| format!("measures.{name}"))
        })
}

/// The model with its drawing moved.
fn with_points(mechanism: &Mechanism, frame: &Frame) -> Model {
    let mut model = mechanism.model().clone();
    model.initial.joints.iter_mut().for_each(|joint| joint.q.clear());
    model.initial.joints.retain(|joint| !joint.v.is_empty());
    move_drawing(mechanism, frame, &mut model);
    model
}

/// Whether a model begins with its points there; says why not.
fn begins_at(model: &Model, mechanism: &Mechanism, positions: &[Vec3]) -> Result<(), String> {
    let other = model.assemble().map_err(|faults| {
        let first =
            faults.list.first().map_or(String::new(), |fault| format!("{}: {}", fault.path, fault.message));
        format!("it cannot be assembled ({first})")
    })?;
    for (point, r) in mechanism.points().iter().zip(positions) {
        let Some(own) = other.points().iter().find(|own| own.name == point.name) else { continue };
        let off = norm(sub(other.start_position(own.node), *r));
        if off > SAME * mechanism.size() {
            return Err(format!("it begins with `{}` {off:.1e} m from there", point.name));
        }
    }
    Ok(())
}
