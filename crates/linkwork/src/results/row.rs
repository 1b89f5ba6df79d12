//! The numbers of a row of the result table, in the order of its columns.

use super::Frame;
use crate::mechanism::{Mechanism, has_moment, shows_gaps};
use crate::model::JointKind;

/// The numbers of one row, in the order of [`columns`](super::columns). A column of something that is not there now has no number (NaN); tables show an
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

/// The numbers of `own_columns`.
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
    let shown = variables.filter(|(variable, _)| !variable.name.is_empty());
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

fn chain_tensions(mechanism: &Mechanism, frame: &Frame, out: &mut Vec<f64>) {
    let mut tensions = Vec::new();
    for chain in &mechanism.chains {
        chain.tensions(mechanism, frame, &mut tensions);
        let growing = chain.pays_out.map(|_| chain.growing_tension(mechanism, frame));
        let first = tensions.first().copied().or(growing).unwrap_or(0.0);
        out.extend([first, growing.or(tensions.last().copied()).unwrap_or(0.0)]);
    }
}
