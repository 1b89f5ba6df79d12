//! The columns of a result table: `t`, points, joints, energies.

use super::contact_entries::{ContactOf, MOST_SHOWN};
use super::late::ContactResult;
use super::modal::ModalQuantity;
use super::{HeldRow, Mechanism, MechanismChain, MechanismJoint};
use crate::model::JointKind;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Arguments};

const AXES: [&str; 3] = ["x", "y", "z"];

/// A column of a table of results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name, as in `point.A.vx`.
    pub name: String,
    /// SI unit; empty if it has none.
    pub unit: String,
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
    let mut list = Vec::new();
    describe(mechanism, |name, unit, _| list.push(Column { name: name.to_string(), unit: unit.to_string() }));
    list
}

/// What a column shows: how its number is read off an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Quantity {
    Time,
    /// A point and an axis.
    Position(usize, usize),
    Velocity(usize, usize),
    /// A joint and a coordinate of it.
    JointCoordinate(usize, usize),
    JointRate(usize, usize),
    /// A joint and an axis.
    ReactionForce(usize, usize),
    ReactionMoment(usize, usize),
    /// How far a joint has come apart.
    Gap(usize),
    /// A mass that varies.
    Mass(usize),
    /// A place among the outputs of all actions.
    Output(usize),
    /// The length that a coordinate function reads.
    Length(usize),
    /// Of a modal body.
    Modal(usize, ModalQuantity),
    /// What a constraint row carries.
    Multiplier(usize),
    /// The same times a factor.
    Drive(usize, f64),
    /// A chain, and whether at its second end.
    Tension(usize, bool),
    /// A row that holds a coordinate while its switch is on.
    Hold(HeldRow),
    /// Whether a switch is on.
    Switch(usize),
    ContactGap(usize),
    ContactNormal(usize),
    /// A contact and an axis.
    ContactFriction(usize, usize),
    /// Open, slips, sticks: 0, 1, 2.
    ContactMode(usize),
    /// How fast a contact slips.
    ContactSlip(usize),
    /// The least gap of an entry of the model's contacts.
    ContactsGap(usize),
    /// What the contacts of an entry give together.
    Contacts(usize, ContactResult),
    /// A measure, and the size of its unit.
    Measure(usize, f64),
    /// A variable, and the size of its unit.
    Variable(usize, f64),
    Energy(Energy),
    Residual,
    Balance(Balance),
}

/// The energies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Energy {
    Kinetic,
    Potential,
    Total,
    Work,
}

/// The balance of mass, momentum and energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Balance {
    Mass,
    Momentum(usize),
    Impulse(usize),
    Energy,
    Supplied,
}

/// Describes every column once, in order: its name, its unit, and how its number is read.
pub(crate) fn describe(mechanism: &Mechanism, mut each: impl FnMut(Arguments<'_>, &str, Quantity)) {
    let d = mechanism.columns();
    let (forces, moments) = mechanism.reaction_components();
    let interactions = &mechanism.interactions;
    each(format_args!("t"), "s", Quantity::Time);
    for (p, point) in mechanism.points[..mechanism.shown.points].iter().enumerate() {
        for (c, axis) in AXES[..d].iter().enumerate() {
            each(format_args!("point.{}.{axis}", point.name), "m", Quantity::Position(p, c));
        }
        for (c, axis) in AXES[..d].iter().enumerate() {
            each(format_args!("point.{}.v{axis}", point.name), "m/s", Quantity::Velocity(p, c));
        }
    }
    for (j, joint) in mechanism.joints.iter().enumerate().filter(|(j, _)| mechanism.shown.joints[*j]) {
        let name = &joint.name;
        for (i, coordinate) in joint.coordinates.iter().enumerate() {
            let turns = interactions.gauges[coordinate.gauge].is_angle();
            let (unit, rate) = if turns { ("rad", "rad/s") } else { ("m", "m/s") };
            let number = Numbered(i + 1);
            each(format_args!("joint.{name}.q{number}"), unit, Quantity::JointCoordinate(j, i));
            each(format_args!("joint.{name}.v{number}"), rate, Quantity::JointRate(j, i));
        }
        // what holds the sliders of a mode to their axes is no force of the model
        let amplitude = mechanism.modal_bodies.iter().any(|modal| joint.bodies[0] == Some(modal.frame));
        if joint.kind == JointKind::Floating || amplitude {
            continue;
        }
        for &c in forces {
            each(format_args!("joint.{name}.force.{}", AXES[c]), "N", Quantity::ReactionForce(j, c));
        }
        if has_moment(joint, d) {
            for &c in moments {
                each(format_args!("joint.{name}.moment.{}", AXES[c]), "N m", Quantity::ReactionMoment(j, c));
            }
        }
        if shows_gaps(mechanism) {
            each(format_args!("joint.{name}.gap"), "m", Quantity::Gap(j));
        }
    }
    for (i, mass) in mechanism.masses.iter().enumerate() {
        each(format_args!("body.{}.mass", mechanism.bodies[mass.body].name), "kg", Quantity::Mass(i));
    }
    let mut place = 0;
    for action in &interactions.actions {
        for (what, unit) in action.action.columns(interactions) {
            if !action.name.is_empty() {
                each(format_args!("{}.{what}", action.name), unit, Quantity::Output(place));
            }
            place += 1;
        }
    }
    for (name, gauge, coupling) in mechanism.stiff_cables() {
        each(format_args!("cable.{name}.length"), "m", Quantity::Length(gauge));
        each(format_args!("cable.{name}.force"), "N", Quantity::Multiplier(coupling));
    }
    for (i, chain) in mechanism.chains.iter().enumerate() {
        for (end, second) in chain_ends(chain).iter().zip([false, true]) {
            each(format_args!("chain.{}.tension.{end}", chain.name), "N", Quantity::Tension(i, second));
        }
    }
    for (i, modal) in mechanism.modal_bodies.iter().enumerate() {
        let basis = modal.basis(mechanism);
        let name = format_args!("modal_body.{}", modal.name);
        let of = |quantity| Quantity::Modal(i, quantity);
        each(format_args!("{name}.displacement.max"), "m", of(ModalQuantity::LargestDisplacement));
        if basis.stresses.is_some() {
            each(format_args!("{name}.von_mises.max"), "Pa", of(ModalQuantity::LargestStress));
        }
        for (k, node) in basis.stressed.iter().enumerate() {
            each(format_args!("{name}.{}.von_mises", node.name), "Pa", of(ModalQuantity::VonMises(k)));
            for (c, component) in ["xx", "yy", "zz", "xy", "xz", "yz"].iter().enumerate() {
                each(format_args!("{name}.{}.{component}", node.name), "Pa", of(ModalQuantity::Stress(k, c)));
            }
        }
    }
    for driven in mechanism.drives() {
        let (what, unit) = force_of(driven.turns);
        let quantity = Quantity::Drive(driven.coupling, -driven.weight);
        each(format_args!("{}.{}.{what}", driven.table, driven.name), unit, quantity);
    }
    for lock in &mechanism.events.locks {
        for (i, row) in lock.rows.iter().enumerate() {
            let ((what, unit), number) = (force_of(row.turns), Numbered(i + 1));
            each(format_args!("lock.{}.{what}{number}", lock.name), unit, Quantity::Hold(*row));
        }
        each(format_args!("lock.{}.locked", lock.name), "", Quantity::Switch(lock.switch()));
    }
    for limit in &mechanism.events.limits {
        let ((what, unit), number) = (force_of(limit.row.turns), Numbered(limit.coordinate));
        let joint = &mechanism.joints[limit.joint].name;
        each(format_args!("limit.{joint}.{what}{number}"), unit, Quantity::Hold(limit.row));
    }
    contacts(mechanism, &mut each);
    for (i, measure) in interactions.measures.iter().enumerate() {
        let quantity = Quantity::Measure(i, measure.unit_size);
        each(format_args!("measure.{}", measure.name), &measure.unit, quantity);
    }
    for (i, variable) in interactions.variables.iter().enumerate().filter(|(_, v)| v.shown) {
        let quantity = Quantity::Variable(interactions.variables_at() + i, variable.unit.1);
        each(format_args!("{}", variable.name), &variable.unit.0, quantity);
    }
    let energies = [
        ("kinetic", Energy::Kinetic),
        ("potential", Energy::Potential),
        ("total", Energy::Total),
        ("work", Energy::Work),
    ];
    for (name, energy) in energies {
        each(format_args!("energy.{name}"), "J", Quantity::Energy(energy));
    }
    if let Some(account) = interactions.contact_account {
        let first = interactions.variables_at();
        let lost = [("impacts", account.impacts()), ("friction", account.friction())];
        for (name, variable) in lost {
            each(format_args!("energy.lost_in_{name}"), "J", Quantity::Variable(first + variable, 1.0));
        }
    }
    each(format_args!("constraint.residual"), "m", Quantity::Residual);
    if mechanism.keeps_balances() {
        each(format_args!("balance.mass"), "kg", Quantity::Balance(Balance::Mass));
        for (c, axis) in AXES[..d].iter().enumerate() {
            each(format_args!("balance.momentum.{axis}"), "N s", Quantity::Balance(Balance::Momentum(c)));
        }
        for (c, axis) in AXES[..d].iter().enumerate() {
            each(format_args!("balance.impulse.{axis}"), "N s", Quantity::Balance(Balance::Impulse(c)));
        }
        each(format_args!("balance.energy"), "J", Quantity::Balance(Balance::Energy));
        each(format_args!("balance.supplied"), "J", Quantity::Balance(Balance::Supplied));
    }
}

/// The contacts one by one, entry by entry; of an entry with several their sums, too, or, where they are many, their sums only; of crowds without a gap.
fn contacts(mechanism: &Mechanism, each: &mut impl FnMut(Arguments<'_>, &str, Quantity)) {
    let axes = &AXES[..mechanism.columns()];
    let one = |i: usize, each: &mut dyn FnMut(Arguments<'_>, &str, Quantity)| {
        let name = &mechanism.contacts[i].name;
        each(format_args!("contact.{name}.gap"), "m", Quantity::ContactGap(i));
        each(format_args!("contact.{name}.normal"), "N", Quantity::ContactNormal(i));
        for (c, axis) in axes.iter().enumerate() {
            each(format_args!("contact.{name}.friction.{axis}"), "N", Quantity::ContactFriction(i, c));
        }
        each(format_args!("contact.{name}.state"), "", Quantity::ContactMode(i));
        each(format_args!("contact.{name}.slip"), "m/s", Quantity::ContactSlip(i));
    };
    let first = mechanism.interactions.variables_at();
    let account = mechanism.interactions.contact_account;
    for entry in 0..mechanism.shown_entries() {
        let name = &mechanism.model.contacts[entry].name;
        let list = mechanism.contacts_of(ContactOf::Entry(entry));
        let crowd = mechanism.crowds.of(entry).is_some();
        if list.is_empty() && !crowd {
            continue;
        }
        if list.len() <= MOST_SHOWN {
            list.clone().for_each(|i| one(i, each));
        }
        if crowd || list.len() > 1 || mechanism.contacts[list.start].name != *name {
            if !crowd {
                each(format_args!("contact.{name}.gap"), "m", Quantity::ContactsGap(entry));
            }
            each(
                format_args!("contact.{name}.normal"),
                "N",
                Quantity::Contacts(entry, ContactResult::Normal),
            );
            for (c, axis) in axes.iter().enumerate() {
                let friction = Quantity::Contacts(entry, ContactResult::Friction(c));
                each(format_args!("contact.{name}.friction.{axis}"), "N", friction);
            }
            each(format_args!("contact.{name}.closed"), "", Quantity::Contacts(entry, ContactResult::Closed));
        }
        if let Some(variable) = account.and_then(|account| account.impulse(entry)) {
            each(format_args!("contact.{name}.impulse"), "N s", Quantity::Variable(first + variable, 1.0));
        }
    }
    // those without surfaces
    for i in mechanism.pairs.last().map_or(0, |pair| pair.contacts().end)..mechanism.contacts.len() {
        if !mechanism.contacts[i].hidden {
            one(i, each);
        }
    }
}

/// The first of several has no number.
struct Numbered(usize);

impl fmt::Display for Numbered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 1 { Ok(()) } else { self.0.fmt(f) }
    }
}

/// The ends of a chain at which its tension is shown.
fn chain_ends(chain: &MechanismChain) -> &'static [&'static str] {
    if chain.from_container { &["from", "exit"] } else { &["from", "to"] }
}

/// What holds a coordinate.
fn force_of(turns: bool) -> (&'static str, &'static str) {
    if turns { ("torque", "N m") } else { ("force", "N") }
}

/// Joints that come apart are shown where nothing brings them together again.
fn shows_gaps(mechanism: &Mechanism) -> bool {
    !mechanism.model.settings.projects()
}

/// A pin in the plane and a ball in space carry no moment.
fn has_moment(joint: &MechanismJoint, columns: usize) -> bool {
    joint.kind.descriptor().moment[usize::from(columns == 3)]
}
