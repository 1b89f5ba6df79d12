//! The numbers of a row of the result table, in the order of its columns.

use super::Frame;
use crate::linalg::vec3::norm;
use crate::mechanism::{Balance, Energy, Mechanism, Quantity, describe};

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
    out.clear();
    describe(mechanism, |_, _, quantity| out.push(read(quantity, mechanism, frame)));
}

pub(crate) fn read(quantity: Quantity, mechanism: &Mechanism, frame: &Frame) -> f64 {
    let interactions = &mechanism.interactions;
    match quantity {
        Quantity::Time => frame.t,
        Quantity::Position(point, c) => frame.positions[point][c],
        Quantity::Velocity(point, c) => frame.velocities[point][c],
        Quantity::JointCoordinate(joint, i) => frame.joints[joint][i].q,
        Quantity::JointRate(joint, i) => frame.joints[joint][i].v,
        Quantity::ReactionForce(joint, c) => frame.reactions[joint].force[c],
        Quantity::ReactionMoment(joint, c) => frame.reactions[joint].moment[c],
        Quantity::Gap(joint) => frame.gaps[joint],
        Quantity::Mass(mass) => frame.masses[mass],
        Quantity::Output(place) => frame.outputs[place],
        Quantity::Length(gauge) => {
            interactions.gauges[gauge].jet(&frame.motions, &frame.auxiliary[..interactions.hints]).x
        }
        Quantity::Modal(body, what) => mechanism.modal_bodies()[body].value(mechanism, &frame.motions, what),
        Quantity::Multiplier(row) => frame.multipliers[row],
        Quantity::Drive(row, factor) => factor * frame.multipliers[row],
        Quantity::Tension(chain, second) => chain_tensions(mechanism, frame, chain)[usize::from(second)],
        Quantity::Hold(row) => row.force(frame),
        Quantity::Switch(switch) => f64::from(u8::from(frame.switches.get(switch) == Some(&true))),
        Quantity::ContactGap(contact) => frame.contacts[contact].gap,
        Quantity::ContactNormal(contact) => frame.contacts[contact].normal,
        Quantity::ContactFriction(contact, c) => frame.contacts[contact].friction[c],
        Quantity::ContactMode(contact) => frame.contacts[contact].mode(),
        Quantity::ContactSlip(contact) => norm(frame.contacts[contact].slip),
        Quantity::ContactsGap(entry) => frame.contact_sums[entry].gap,
        Quantity::Contacts(entry, what) => frame.contact_sums[entry].result(what),
        Quantity::Measure(measure, unit) => frame.measures[measure] / unit,
        Quantity::Variable(place, unit) => frame.auxiliary[place] / unit,
        Quantity::Energy(Energy::Kinetic) => frame.kinetic,
        Quantity::Energy(Energy::Potential) => frame.potential,
        Quantity::Energy(Energy::Total) => frame.energy(),
        Quantity::Energy(Energy::Work) => frame.work,
        Quantity::Residual => frame.constraint_residual,
        Quantity::Balance(of) => {
            let balance = frame.balance.unwrap_or_default();
            match of {
                Balance::Mass => balance.mass,
                Balance::Momentum(c) => balance.momentum[c],
                Balance::Impulse(c) => balance.impulse[c],
                Balance::Energy => balance.energy,
                Balance::Supplied => balance.supplied,
            }
        }
    }
}

/// Tensions at both ends of a chain, N.
fn chain_tensions(mechanism: &Mechanism, frame: &Frame, chain: usize) -> [f64; 2] {
    let (chain, mut tensions) = (&mechanism.chains[chain], Vec::new());
    chain.tensions(mechanism, frame, &mut tensions);
    let growing = chain.pays_out.map(|_| chain.growing_tension(mechanism, frame));
    let first = tensions.first().copied().or(growing).unwrap_or(0.0);
    [first, growing.or(tensions.last().copied()).unwrap_or(0.0)]
}
