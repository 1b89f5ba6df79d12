//! Joints with the forces along their coordinates.

use super::super::format::{ImpactLimitTable, InitialJointTable, JointTable};
use crate::file::writing::context::{
    COORDINATE, Context, DAMPING, FORCE, INERTIA, RATE, STIFFNESS, Units, unit,
};
use crate::file::writing::item::{Entry, Item, is, once};
use crate::model::{Dimension, ImpactLimit, InitialJoint, Joint, JointForces, JointKind};

pub(super) fn joint(joint: &Joint, context: &Context<'_>) -> Item {
    let Joint {
        name: _,
        kind,
        bodies,
        at,
        axis,
        axis2,
        length,
        pitch,
        radius,
        carrier,
        curve,
        closed,
        cut,
        forces,
        impact_limits,
        active,
        break_force,
        break_moment,
    } = joint;
    let dimension = context.dimension;
    let metres = |length: &f64| Item::Quantity(*length, "m");
    let entry = Entry::new(JointTable::KEYS)
        .set("type", kind.name())
        .set("bodies", bodies)
        .set("at", once(at))
        .maybe("axis", axis.as_ref().map(|axis| Item::axis(axis, dimension)))
        .maybe("axis2", axis2.as_ref().map(|axis| Item::axis(axis, dimension)))
        .maybe("length", length.as_ref().map(metres))
        .maybe("pitch", pitch.as_ref().map(metres))
        .maybe("radius", radius.as_ref().map(metres))
        .maybe("carrier", carrier.as_ref())
        .unless(curve.is_empty(), "curve", curve)
        .unless(!closed, "closed", *closed)
        .unless(!cut, "cut", *cut)
        .unless(*active, "active", *active)
        .maybe("break_force", break_force.map(|force| Item::Quantity(force, "N")))
        .maybe("break_moment", break_moment.map(|moment| Item::Quantity(moment, "N m")));
    let entry = along_coordinates(entry, forces, &kind.coordinates(dimension));
    limited(entry, impact_limits, *kind, dimension).into()
}

/// The initial coordinates and rates of a joint.
pub(super) fn initial(start: &InitialJoint, context: &Context<'_>) -> Item {
    let InitialJoint { joint, q, v } = start;
    let numbers = |values: &[f64], units: Units| -> Item {
        let item =
            |(i, value): (usize, &f64)| Item::Quantity(*value, unit(context.turns(joint, i + 1), units));
        match values {
            [one] => item((0, one)),
            _ => values.iter().enumerate().map(item).collect::<Vec<_>>().into(),
        }
    };
    let entry = Entry::new(InitialJointTable::KEYS).alone("q");
    entry.unless(q.is_empty(), "q", numbers(q, COORDINATE)).unless(v.is_empty(), "v", numbers(v, RATE)).into()
}

/// A number, or a list with one for each coordinate up to the last that is not `default`.
fn per_coordinate(
    entry: Entry,
    key: &'static str,
    values: Vec<f64>,
    default: f64,
    (turns, units): (&[bool], Units),
) -> Entry {
    let quantity = |i: usize| Item::Quantity(values[i], unit(turns.get(i).copied(), units));
    match values.iter().rposition(|&value| !is(value, default)) {
        None => entry.unless(true, key, default),
        Some(0) => entry.set(key, quantity(0)),
        Some(last) => entry.set(key, (0..=last).map(quantity).collect::<Vec<_>>()),
    }
}

/// As [`per_coordinate`], for a key that may be left out. In a list a value that is not given comes out as zero: the reader finds that.
fn given(
    entry: Entry,
    key: &'static str,
    values: Vec<Option<f64>>,
    (turns, units): (&[bool], Units),
) -> Entry {
    let quantity = |i: usize| Item::Quantity(values[i].unwrap_or(0.0), unit(turns.get(i).copied(), units));
    match values.iter().rposition(Option::is_some) {
        None => entry,
        Some(0) => entry.set(key, quantity(0)),
        Some(last) => entry.set(key, (0..=last).map(quantity).collect::<Vec<_>>()),
    }
}

fn along_coordinates(entry: Entry, forces: &[JointForces], turns: &[bool]) -> Entry {
    let each = |of: fn(&JointForces) -> f64| forces.iter().map(of).collect::<Vec<_>>();
    let maybe = |of: fn(&JointForces) -> Option<f64>| forces.iter().map(of).collect::<Vec<_>>();
    let zero = |entry, key, values, units| per_coordinate(entry, key, values, 0.0, (turns, units));
    let entry = zero(entry, "stiffness", each(|f| f.stiffness), STIFFNESS);
    let entry = zero(entry, "damping", each(|f| f.damping), DAMPING);
    let entry = given(entry, "rest", maybe(|f| f.rest), (turns, COORDINATE));
    let entry = zero(entry, "preload", each(|f| f.preload), FORCE);
    let entry = zero(entry, "friction", each(|f| f.friction), FORCE);
    let entry = given(entry, "friction_speed", maybe(|f| f.friction_speed), (turns, RATE));
    let entry = zero(entry, "inertia", each(|f| f.inertia), INERTIA);
    let entry = stops(entry, forces, turns);
    let entry = zero(entry, "limit_stiffness", each(|f| f.limit_stiffness), STIFFNESS);
    zero(entry, "limit_damping", each(|f| f.limit_damping), DAMPING)
}

/// Stops: a pair for the first coordinate, or a list of pairs, empty where there are none.
fn stops(entry: Entry, forces: &[JointForces], turns: &[bool]) -> Entry {
    let limit = |i: usize, limit: f64| match limit.is_infinite() {
        true => Item::from("none"),
        false => Item::Quantity(limit, unit(turns.get(i).copied(), COORDINATE)),
    };
    let pair = |i: usize| match forces[i].limits {
        Some(limits) => Item::List(limits.iter().map(|&x| limit(i, x)).collect()),
        None => Item::List(Vec::new()),
    };
    match forces.iter().rposition(|forces| forces.limits.is_some()) {
        None => entry,
        Some(0) => entry.set("limits", pair(0)),
        Some(last) => entry.set("limits", (0..=last).map(pair).collect::<Vec<_>>()),
    }
}

/// Limits that bounce: a table, or a list of them.
fn limited(entry: Entry, limits: &[ImpactLimit], kind: JointKind, dimension: Dimension) -> Entry {
    let table = |(i, limit): (usize, &ImpactLimit)| {
        let ImpactLimit { coordinate, range, restitution } = limit;
        let unit = unit(kind.turns(dimension.is_planar(), *coordinate), COORDINATE);
        let ends: Vec<Item> = range.iter().map(|&end| Item::Quantity(end, unit)).collect();
        Item::from(
            Entry::new(ImpactLimitTable::KEYS).set("range", ends).set("restitution", *restitution).unless(
                *coordinate == i + 1,
                "coordinate",
                *coordinate,
            ),
        )
    };
    let mut tables: Vec<Item> = limits.iter().enumerate().map(table).collect();
    match tables.len() {
        0 => entry,
        1 => entry.maybe("impact_limits", tables.pop()),
        _ => entry.set("impact_limits", tables),
    }
}
