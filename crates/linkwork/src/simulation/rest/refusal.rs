//! What moves where a mechanism does not stay, in the names of the user.

use crate::Error;
use crate::formulations::Points;
use crate::integrate::Mechanics;
use crate::linalg::vec3::{Vec3, norm, scale, sub};
use crate::mechanism::Mechanism;
use crate::model::{Faults, Formulation};
use crate::results::Frame;
use crate::simulation::Probe;
use crate::simulation::state::State;
use std::f64::consts::TAU;

/// How far directions are followed to see what moves, as a part of the size.
pub(super) const LOOK: f64 = 1e-6;
/// A contact that pulls, or holds beyond its cone of friction, by more than this part of the largest force.
const BEYOND: f64 = 1e-7;

/// What moves most along a direction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mover {
    /// The joint and which of its coordinates, from zero on; `None` where no coordinate of a joint changes.
    pub joint: Option<(usize, usize)>,
    /// The body.
    pub body: usize,
    /// Whether it turns more than it travels.
    pub turns: bool,
    /// Along or about what, unit length.
    pub along: Vec3,
    /// By how much a unit of the direction moves it, m or rad.
    pub amount: f64,
}

impl Mechanism {
    /// What moves most along displacements of the coordinates of `points` at a state, one for each.
    pub(crate) fn movers(&self, state: &State, directions: &[&[f64]]) -> Result<Vec<Mover>, Error> {
        if directions.is_empty() {
            return Ok(Vec::new());
        }
        let mut probe = Probe::new(self, Formulation::Points)?;
        let y = probe.enter(state)?;
        let before = probe.frame(state.t, &y)?.clone();
        let (mut trial, mut dy) = (y.clone(), vec![0.0; y.len()]);
        let mut movers = Vec::with_capacity(directions.len());
        for direction in directions {
            trial.copy_from_slice(&y);
            probe.derivative(state.t, &trial, &mut dy)?;
            let longest = direction.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let epsilon = LOOK * self.size / longest.max(f64::MIN_POSITIVE);
            let step: Vec<f64> = direction.iter().map(|x| epsilon * x).collect();
            probe.displace(&mut trial, &step);
            probe.project(state.t, &mut trial, &mut dy)?;
            movers.push(self.moved_most(&before, probe.frame(state.t, &trial)?, epsilon));
        }
        Ok(movers)
    }

    /// What has moved most from one frame to another, by so much of a direction.
    fn moved_most(&self, before: &Frame, after: &Frame, epsilon: f64) -> Mover {
        let mut found = Mover { joint: None, body: 0, turns: false, along: [0.0; 3], amount: 0.0 };
        let size_of = |mover: &Mover| if mover.turns { mover.amount * self.size } else { mover.amount };
        for (body, (a, b)) in before.motions.iter().zip(&after.motions).enumerate() {
            let (travel, turn) = (sub(b.c, a.c), turned(&a.turned, &b.turned));
            let turns = norm(turn) * self.size > norm(travel);
            let way = if turns { turn } else { travel };
            let amount = norm(way);
            let next = Mover { joint: None, body, turns, along: [0.0; 3], amount };
            // of equals the first
            if size_of(&next) > size_of(&found) * (1.0 + 1e-6) {
                found = Mover { along: scale(amount.recip(), way), ..next };
            }
        }
        let mut most = 1e-3 * size_of(&found);
        for (joint, (a, b)) in before.joints.iter().zip(&after.joints).enumerate() {
            for (c, (a, b)) in a.iter().zip(b).enumerate() {
                let gauge = &self.interactions.gauges[self.joints[joint].coordinates[c].gauge];
                let mut by = b.q - a.q;
                if gauge.is_angle() {
                    by = (by - TAU * (by / TAU).round()) * self.size;
                }
                if by.abs() > most * (1.0 + 1e-6) {
                    most = by.abs();
                    found.joint = Some((joint, c));
                }
            }
        }
        found.amount /= epsilon;
        found
    }

    /// A mover for people.
    pub(crate) fn mover_name(&self, mover: &Mover) -> String {
        let body = self.bodies.get(mover.body).map_or("", |body| body.name.as_str());
        let how = if mover.turns { "about" } else { "along" };
        let along = direction_name(mover.along, self.columns() == 2 && mover.turns);
        match mover.joint {
            Some((joint, c)) => {
                let of = &self.joints[joint];
                let number = if of.coordinates.len() > 1 { format!(" {}", c + 1) } else { String::new() };
                format!("coordinate{number} of joint `{}`, `{body}` {how} {along}", of.name)
            }
            None => format!("`{body}` {how} {along}"),
        }
    }
}

/// The vector of a small turn from one orientation to another.
pub(super) fn turned(a: &[Vec3; 3], b: &[Vec3; 3]) -> Vec3 {
    // the skew part of B Aᵀ
    let entry = |i: usize, j: usize| (0..3).map(|k| b[i][k] * a[j][k]).sum::<f64>();
    scale(0.5, [entry(2, 1) - entry(1, 2), entry(0, 2) - entry(2, 0), entry(1, 0) - entry(0, 1)])
}

/// An axis by its name, or its components.
fn direction_name(along: Vec3, plane: bool) -> String {
    if plane {
        return "z".into();
    }
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        if (along[i].abs() - 1.0).abs() < 1e-6 {
            return if along[i] > 0.0 { axis.into() } else { format!("-{axis}") };
        }
    }
    let rounded = along.map(|x| if x.abs() < 1e-9 { 0.0 } else { x });
    format!("({:.3}, {:.3}, {:.3})", rounded[0], rounded[1], rounded[2])
}

/// Why a search for an equilibrium ended at a state that is none.
pub(super) fn refusal(mechanism: &Mechanism, state: &State, away: bool, moved: f64) -> Error {
    match leftover(mechanism, state) {
        Ok(left) if away && mechanism.has_contacts() => Error::Equilibrium(format!(
            "no equilibrium of `{}` was found: {left}, and no contact that has closed on the way resists it",
            mechanism.model.name
        )),
        Ok(left) if away => Error::Equilibrium(format!(
            "`{}` has no equilibrium: {left}, and nothing resists it over {moved:.1e} m; hold it, or take the force away",
            mechanism.model.name
        )),
        Ok(left) => Error::Equilibrium(format!(
            "no equilibrium of `{}` was found: {left} where the search ended; begin nearer to it, with `[initial.joints]` or another drawing",
            mechanism.model.name
        )),
        Err(error) => error,
    }
}

/// The force that is left over at a state, and what it moves.
fn leftover(mechanism: &Mechanism, state: &State) -> Result<String, Error> {
    let mut probe = Probe::new(mechanism, Formulation::Points)?;
    let mut y = probe.enter(state)?;
    let rates = probe.rates();
    y[rates.clone()].fill(0.0);
    let mut dy = vec![0.0; probe.dimension()];
    probe.derivative(state.t, &y, &mut dy)?;
    let accelerations = &dy[rates];
    let masses = Points::new(mechanism).map_err(|fault| {
        Error::Model(Faults { list: vec![fault], provenance: mechanism.model.provenance.clone() })
    })?;
    let mut forces = vec![0.0; accelerations.len()];
    masses.mass_times(accelerations, &mut forces);
    let power: f64 = forces.iter().zip(accelerations).map(|(f, a)| f * a).sum();
    let movers = mechanism.movers(state, &[accelerations])?;
    let Some(mover) = movers.first() else { return Ok("nothing".into()) };
    let (much, what, unit) = match mover.turns {
        true => (power / mover.amount, "a moment", "N m"),
        false => (power / mover.amount, "a force", "N"),
    };
    Ok(format!("{what} of {much:.4e} {unit} moves {}", mechanism.mover_name(mover)))
}

/// Objects to contacts that would have to pull, or hold beyond their friction.
pub(super) fn check_contacts(mechanism: &Mechanism, state: &State) -> Result<(), Error> {
    if state.modes.contacts.is_empty() {
        return Ok(());
    }
    let mut probe = Probe::new(mechanism, Formulation::Points)?;
    let y = probe.enter(state)?;
    let frame = probe.frame(state.t, &y)?;
    let load = frame.contacts.iter().fold(0.0, |most: f64, contact| most.max(norm(contact.force)));
    for (contact, entry) in frame.contacts.iter().zip(&mechanism.contacts) {
        let most = entry.friction * contact.normal.max(0.0);
        let slips = norm(contact.friction) - most;
        if contact.closed && (contact.normal < -BEYOND * load || slips > BEYOND * load) {
            let why = if contact.normal < 0.0 {
                format!("it would have to pull with {:.3e} N", -contact.normal)
            } else {
                format!(
                    "it would have to hold {:.3e} N across, of {most:.3e} N that friction can give",
                    norm(contact.friction)
                )
            };
            let message = format!(
                "no equilibrium of `{}` was found: the contact `{}` does not hold, {why}",
                mechanism.model.name, entry.name
            );
            return Err(Error::Equilibrium(message));
        }
    }
    Ok(())
}
