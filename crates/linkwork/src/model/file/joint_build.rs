//! What acts along the coordinates of joints, and where these start.

use super::format::{InitialJointTable, JointTable};
use crate::error::names::segment;
use crate::expressions::quantity::State;
use crate::file::along_coordinate::{COORDINATE, DAMPING, FORCE, INERTIA, PathOrAngle, RATE, STIFFNESS};
use crate::file::decode::Reader;
use crate::file::values::{AnyQuantity, PerCoordinate};
use crate::file::within;
use crate::model::{Dimension, Fault, InitialJoint, JointForces};

/// The initial coordinates and rates of a joint.
pub(super) fn initial_joint(
    joint: String,
    table: InitialJointTable,
    reader: &mut Reader<'_>,
) -> InitialJoint {
    let path = format!("initial.joints.{}", segment(&joint));
    if table.q.is_none() && table.v.is_none() && !reader.broken.iter().any(|broken| within(broken, &path)) {
        let fault = Fault::error(path.clone(), "this says nothing of the joint");
        reader.reject(fault.help("give its coordinate `q`, its rate `v`, or both"));
    }
    let mut numbers = |key: &str, list: Option<PerCoordinate>, dims: PathOrAngle| -> Vec<f64> {
        let list = list.map_or(Vec::new(), |list| list.0);
        for (i, AnyQuantity(_, state)) in list.iter().enumerate() {
            let whole = format!("{path}.{key}");
            let path = if reader.spans.contains_key(&whole) { &whole } else { &path };
            let turns = reader.turns(&joint, i + 1);
            reader.fits_coordinate(path, *state, turns, dims);
        }
        list.into_iter().map(|quantity| quantity.0).collect()
    };
    let (q, v) = (numbers("q", table.q, COORDINATE), numbers("v", table.v, RATE));
    InitialJoint { joint, q, v }
}

/// What acts along the coordinates of a joint.
pub(super) fn joint_forces(
    name: &str,
    table: &JointTable,
    dimension: Dimension,
    reader: &mut Reader<'_>,
) -> Vec<JointForces> {
    // without a kind nobody knows which of these belong
    let Some(kind) = &table.r#type else { return Vec::new() };
    let (kind, turns) = (kind.0.name(), kind.0.coordinates(dimension));
    let path = format!("joints.{}", segment(name));
    let mut forces = vec![JointForces::default(); turns.len()];
    let mut fits_all = |key: &str, list: &[State], listed: bool, dims: PathOrAngle| {
        if list.len() > turns.len() {
            let has = match turns.len() {
                0 => "no coordinate along which anything acts".into(),
                1 => "one coordinate".into(),
                n => format!("{n} coordinates"),
            };
            let message = format!("a {kind} joint has {has}, here are {}", list.len());
            let message = if turns.is_empty() { format!("a {kind} joint has {has}") } else { message };
            reader.push(Fault::error(format!("{path}.{key}"), message));
            return;
        }
        for (i, (state, turns)) in list.iter().zip(&turns).enumerate() {
            let path = if listed { format!("{path}.{key}[{i}]") } else { format!("{path}.{key}") };
            reader.fits_coordinate(&path, *state, Some(*turns), dims);
        }
    };
    /// A key, its values, its dimensions and the field it sets.
    type Key<'t> = (&'static str, &'t Option<PerCoordinate>, PathOrAngle, fn(&mut JointForces, f64));
    let keys: [Key<'_>; 9] = [
        ("stiffness", &table.stiffness, STIFFNESS, |f, x| f.stiffness = x),
        ("damping", &table.damping, DAMPING, |f, x| f.damping = x),
        ("rest", &table.rest, COORDINATE, |f, x| f.rest = Some(x)),
        ("preload", &table.preload, FORCE, |f, x| f.preload = x),
        ("friction", &table.friction, FORCE, |f, x| f.friction = x),
        ("friction_speed", &table.friction_speed, RATE, |f, x| f.friction_speed = Some(x)),
        ("inertia", &table.inertia, INERTIA, |f, x| f.inertia = x),
        ("limit_stiffness", &table.limit_stiffness, STIFFNESS, |f, x| f.limit_stiffness = x),
        ("limit_damping", &table.limit_damping, DAMPING, |f, x| f.limit_damping = x),
    ];
    for (key, values, dims, set) in keys {
        let Some(PerCoordinate(list, listed)) = values else { continue };
        fits_all(key, &list.iter().map(|x| x.1).collect::<Vec<_>>(), *listed, dims);
        for (forces, value) in forces.iter_mut().zip(list) {
            set(forces, value.0);
        }
    }
    if let Some(limits) = &table.limits {
        for side in 0..2 {
            let states = limits.0.iter().map(|pair| pair.map_or(State::Number, |pair| pair[side].1));
            fits_all("limits", &states.collect::<Vec<_>>(), limits.1, COORDINATE);
            if limits.0.len() > turns.len() {
                break;
            }
        }
        for (forces, pair) in forces.iter_mut().zip(&limits.0) {
            forces.limits = pair.map(|pair| pair.map(|limit| limit.0));
        }
    }
    if forces.iter().all(|forces| *forces == JointForces::default()) { Vec::new() } else { forces }
}
