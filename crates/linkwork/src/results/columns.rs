//! The columns of a result table: `t`, points, joints, energies.

use super::Frame;
use crate::mechanism::{Mechanism, MechanismChain};
use crate::model::JointKind;
use std::borrow::Cow;

const AXES: [&str; 3] = ["x", "y", "z"];

/// A column of the result table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, as in `point.A.vx`.
    pub name: String,
    /// SI unit.
    pub unit: Cow<'static, str>,
}

/// The columns of a mechanism's results, in order; where what it consists of may change, those of all that there may be.
pub fn columns(mechanism: &Mechanism) -> Vec<Column> {
    match &mechanism.origin {
        Some(origin) if !origin.columns.is_empty() => origin.columns.clone(),
        _ => own_columns(mechanism),
    }
}

/// The columns of what there is now.
pub(crate) fn own_columns(mechanism: &Mechanism) -> Vec<Column> {
    let d = mechanism.columns();
    let (forces, moments) = mechanism.reaction_components();
    let mut list = vec![Column { name: "t".into(), unit: "s".into() }];
    let mut push = |name: String, unit: &'static str| list.push(Column { name, unit: unit.into() });
    for point in &mechanism.points[..mechanism.shown.points] {
        for axis in &AXES[..d] {
            push(format!("point.{}.{axis}", point.name), "m");
        }
        for axis in &AXES[..d] {
            push(format!("point.{}.v{axis}", point.name), "m/s");
        }
    }
    for (joint, _) in mechanism.joints.iter().zip(&mechanism.shown.joints).filter(|(_, shown)| **shown) {
        for (i, coordinate) in joint.coordinates.iter().enumerate() {
            let turns = mechanism.interactions.gauges[coordinate.gauge].is_angle();
            let number = if i == 0 { String::new() } else { (i + 1).to_string() };
            push(format!("joint.{}.q{number}", joint.name), if turns { "rad" } else { "m" });
            push(format!("joint.{}.v{number}", joint.name), if turns { "rad/s" } else { "m/s" });
        }
        if joint.kind == JointKind::Floating {
            continue;
        }
        for &c in forces {
            push(format!("joint.{}.force.{}", joint.name, AXES[c]), "N");
        }
        if has_moment(joint, d) {
            for &c in moments {
                push(format!("joint.{}.moment.{}", joint.name, AXES[c]), "N m");
            }
        }
        if shows_gaps(mechanism) {
            push(format!("joint.{}.gap", joint.name), "m");
        }
    }
    for mass in &mechanism.masses {
        push(format!("body.{}.mass", mechanism.bodies[mass.body].name), "kg");
    }
    for spring in &mechanism.springs {
        for (what, unit) in [("length", "m"), ("rate", "m/s"), ("force", "N")] {
            push(format!("spring.{}.{what}", spring.name), unit);
        }
    }
    for action in mechanism.interactions.actions.iter().filter(|a| !a.name.is_empty()) {
        for (what, unit) in action.action.columns(&mechanism.interactions) {
            push(format!("{}.{what}", action.name), unit);
        }
    }
    for (name, _, _) in mechanism.stiff_cables() {
        push(format!("cable.{name}.length"), "m");
        push(format!("cable.{name}.force"), "N");
    }
    for chain in &mechanism.chains {
        for end in chain_ends(chain) {
            push(format!("chain.{}.tension.{end}", chain.name), "N");
        }
    }
    for driven in mechanism.drives() {
        let (what, unit) = force_of(driven.turns);
        push(format!("{}.{}.{what}", driven.table, driven.name), unit);
    }
    for lock in &mechanism.events.locks {
        for (row, number) in lock.rows.iter().zip(lock.first..) {
            let (what, unit) = force_of(row.turns);
            push(format!("lock.{}.{what}{}", lock.name, numbered(number - lock.first + 1)), unit);
        }
        push(format!("lock.{}.locked", lock.name), "");
    }
    for limit in &mechanism.events.limits {
        let (what, unit) = force_of(limit.row.turns);
        let joint = &mechanism.joints[limit.joint].name;
        push(format!("limit.{joint}.{what}{}", numbered(limit.coordinate)), unit);
    }
    for contact in mechanism.contacts.iter().filter(|contact| !contact.hidden) {
        push(format!("contact.{}.gap", contact.name), "m");
        push(format!("contact.{}.normal", contact.name), "N");
        for axis in &AXES[..d] {
            push(format!("contact.{}.friction.{axis}", contact.name), "N");
        }
        push(format!("contact.{}.state", contact.name), "");
    }
    for measure in &mechanism.interactions.measures {
        list.push(Column { name: format!("measure.{}", measure.name), unit: measure.unit.clone().into() });
    }
    for variable in mechanism.interactions.variables.iter().filter(|variable| variable.shown) {
        list.push(Column { name: variable.name.clone(), unit: variable.unit.0.clone().into() });
    }
    let mut push = |name: String, unit: &'static str| list.push(Column { name, unit: unit.into() });
    for name in ["energy.kinetic", "energy.potential", "energy.total", "energy.work"] {
        push(name.into(), "J");
    }
    push("constraint.residual".into(), "m");
    if mechanism.keeps_books() {
        push("book.mass".into(), "kg");
        for what in ["momentum", "impulse"] {
            for axis in &AXES[..d] {
                push(format!("book.{what}.{axis}"), "N s");
            }
        }
        push("book.energy".into(), "J");
        push("book.supplied".into(), "J");
    }
    list
}

/// The ends of a chain at which its tension is shown.
fn chain_ends(chain: &MechanismChain) -> &'static [&'static str] {
    if chain.from_container { &["from", "exit"] } else { &["from", "to"] }
}

fn chain_tensions(mechanism: &Mechanism, frame: &Frame, out: &mut Vec<f64>) {
    let mut tensions = Vec::new();
    for chain in &mechanism.chains {
        chain.tensions(mechanism, frame, &mut tensions);
        let growing = chain.pays_out.map(|_| chain.growing_tension(mechanism, frame));
        let first = tensions.first().copied().or(growing).unwrap_or(0.0);
        out.extend([first, growing.or(tensions.last().copied()).unwrap_or(0.0)]);
    }
}

/// The numbers of one row, in the order of [`columns`]. A column of something that is not there now has no number (NaN); tables show an
/// empty cell.
pub fn row(mechanism: &Mechanism, frame: &Frame, out: &mut Vec<f64>) {
    let mechanism = frame.stage.as_deref().unwrap_or(mechanism);
    own_row(mechanism, frame, out);
    if let Some(origin) = mechanism.origin.as_ref().filter(|origin| !origin.columns.is_empty()) {
        let own = std::mem::replace(out, vec![f64::NAN; origin.columns.len()]);
        for (value, &place) in own.iter().zip(&mechanism.shown.places) {
            if let Some(cell) = out.get_mut(place) {
                *cell = *value;
            }
        }
    }
}

/// The numbers of [`own_columns`].
pub(crate) fn own_row(mechanism: &Mechanism, frame: &Frame, out: &mut Vec<f64>) {
    let d = mechanism.columns();
    let (forces, moments) = mechanism.reaction_components();
    out.clear();
    out.push(frame.t);
    for (r, v) in frame.positions.iter().zip(&frame.velocities).take(mechanism.shown.points) {
        out.extend_from_slice(&r[..d]);
        out.extend_from_slice(&v[..d]);
    }
    for (j, joint) in mechanism.joints.iter().enumerate().filter(|(j, _)| mechanism.shown.joints[*j]) {
        out.extend(frame.joints[j].iter().flat_map(|c| [c.q, c.v]));
        if joint.kind == JointKind::Floating {
            continue;
        }
        let reaction = &frame.reactions[j];
        out.extend(forces.iter().map(|&c| reaction.force[c]));
        if has_moment(joint, d) {
            out.extend(moments.iter().map(|&c| reaction.moment[c]));
        }
        if shows_gaps(mechanism) {
            out.push(frame.gaps[j]);
        }
    }
    out.extend(&frame.masses);
    out.extend(frame.springs.iter().flatten());
    let mut outputs = frame.outputs.iter();
    for action in &mechanism.interactions.actions {
        let values = outputs.by_ref().take(action.action.columns(&mechanism.interactions).len());
        if action.name.is_empty() {
            values.for_each(drop);
        } else {
            out.extend(values);
        }
    }
    for (_, gauge, coupling) in mechanism.stiff_cables() {
        let hints = &frame.extras[..mechanism.interactions.hints];
        out.push(mechanism.interactions.gauges[gauge].jet(&frame.motions, hints).x);
        out.push(frame.multipliers[coupling]);
    }
    chain_tensions(mechanism, frame, out);
    out.extend(mechanism.drives().map(|driven| driven.force(frame)));
    for lock in &mechanism.events.locks {
        out.extend(lock.rows.iter().map(|row| row.force(frame)));
        let locked = frame.switches.get(lock.switch()).copied().unwrap_or(false);
        out.push(f64::from(u8::from(locked)));
    }
    out.extend(mechanism.events.limits.iter().map(|limit| limit.row.force(frame)));
    for (state, _) in frame.contacts.iter().zip(&mechanism.contacts).filter(|(_, c)| !c.hidden) {
        out.extend([state.gap, state.normal]);
        out.extend_from_slice(&state.friction[..d]);
        out.push(f64::from(u8::from(state.closed) + u8::from(state.sticks)));
    }
    let measures = mechanism.interactions.measures.iter().zip(&frame.measures);
    out.extend(measures.map(|(measure, value)| value / measure.unit_size));
    let values = frame.extras.iter().skip(mechanism.interactions.variables_at());
    let variables = mechanism.interactions.variables.iter().zip(values);
    let shown = variables.filter(|(variable, _)| variable.shown);
    out.extend(shown.map(|(variable, value)| value / variable.unit.1));
    out.extend([frame.kinetic, frame.potential, frame.energy(), frame.work, frame.constraint_residual]);
    if mechanism.keeps_books() {
        let balance = frame.balance.unwrap_or_default();
        out.push(balance.mass);
        out.extend_from_slice(&balance.momentum[..d]);
        out.extend_from_slice(&balance.impulse[..d]);
        out.extend([balance.energy, balance.supplied]);
    }
}

/// What holds a coordinate.
fn force_of(turns: bool) -> (&'static str, &'static str) {
    if turns { ("torque", "N m") } else { ("force", "N") }
}

/// The first of several has no number.
fn numbered(number: usize) -> String {
    if number == 1 { String::new() } else { number.to_string() }
}

/// Joints that come apart are shown where nothing brings them together again.
fn shows_gaps(mechanism: &Mechanism) -> bool {
    !mechanism.model.settings.projects()
}

/// A pin in the plane and a ball in space carry no moment.
fn has_moment(joint: &crate::mechanism::MechanismJoint, columns: usize) -> bool {
    match joint.kind {
        JointKind::Spherical | JointKind::PointOnLine | JointKind::PointOnPlane | JointKind::Distance => {
            false
        }
        // what teeth, a contact and a curve do acts where they touch
        JointKind::Gear | JointKind::RackAndPinion | JointKind::Rolling | JointKind::PointOnCurve => false,
        JointKind::Revolute => columns == 3,
        _ => true,
    }
}
