//! Equilibrium: where a mechanism stays, what it took to get there, what bears the loads, and whether it is stable.
//!
//! [`Mechanism::equilibrium`] finds it, by the search of `simulation::rest`. Stability is read off the smallest eigenvalues ω² of the stiffness against the masses on what the
//! constraints leave free: below zero a small displacement grows like e^{|ω| t}, at zero nothing brings it back.

mod redraw;
#[cfg(feature = "file")]
mod report;
mod steady;

pub use redraw::{Redrawing, Redrawn};
pub use steady::{HeldRate, Hold, SteadyMotion, SteadyOptions};

use crate::Error;
use crate::linalg::vec3::{norm, sub};
use crate::mechanism::Mechanism;
use crate::results::Frame;
use crate::simulation::{Rest, RestMethod, State};

/// How an equilibrium is sought.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EquilibriumOptions {
    /// The time at which drivers and forces stand still, s.
    pub at: f64,
}

/// What a small displacement from an equilibrium does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// It is brought back.
    Stable,
    /// In some directions it is brought back, in others it stays.
    Neutral,
    /// In some direction it grows.
    Unstable,
    /// There is none: nothing can move.
    Held,
    /// It is not known: the stiffness about the equilibrium could not be found.
    Unknown,
}

impl Stability {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Stability::Stable => "stable",
            Stability::Neutral => "neutral",
            Stability::Unstable => "unstable",
            Stability::Held => "held",
            Stability::Unknown => "unknown",
        }
    }
}

/// A direction in which a mechanism leaves an equilibrium, or stays beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeDirection {
    /// The coordinate or body that moves most, for people.
    pub what: String,
    /// The joint whose coordinate changes most; `None` where none does.
    pub joint: Option<String>,
    /// The body that moves most.
    pub body: String,
    /// ω², 1/s²: zero where nothing brings the mechanism back; below zero it leaves like e^{t √−ω²} (without damping).
    pub square: f64,
}

/// How far a point has been moved.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedPoint {
    /// Its name.
    pub point: String,
    /// Where it was, m.
    pub before: [f64; 3],
    /// Where it is at rest, m.
    pub after: [f64; 3],
}

impl MovedPoint {
    /// How far, m.
    pub fn distance(&self) -> f64 {
        norm(sub(self.after, self.before))
    }
}

/// How a coordinate of a joint has changed.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedJoint {
    /// The joint.
    pub joint: String,
    /// Which of its coordinates, counted from one.
    pub coordinate: usize,
    /// Whether it is an angle.
    pub turns: bool,
    /// Before, m or rad since the drawing.
    pub before: f64,
    /// At rest.
    pub after: f64,
}

/// An equilibrium of a mechanism: [`Mechanism::equilibrium`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Equilibrium {
    /// The state at rest, in the coordinates of `points`; a simulation can go on from it.
    pub state: State,
    /// Everything there is to know there: positions, reactions, energies, measures.
    pub frame: Frame,
    /// How it was found.
    pub method: RestMethod,
    /// Newton steps.
    pub iterations: u32,
    /// How often a relaxation set the velocities to zero.
    pub stops: u32,
    /// The largest force that is left over, N.
    pub residual: f64,
    /// The weight of the mechanism, N; the largest force at work where there is no gravity.
    pub weight: f64,
    /// How far named points have been moved, farthest first.
    pub moved: Vec<MovedPoint>,
    /// Coordinates of joints before and after.
    pub joints: Vec<MovedJoint>,
    /// Whether it is stable.
    pub stability: Stability,
    /// Directions in which it is not.
    pub unstable: Vec<FreeDirection>,
    /// Directions that nothing resists.
    pub free: Vec<FreeDirection>,
    /// The smallest angular frequency of small motions about it, without damping, rad/s.
    pub slowest: Option<f64>,
    /// Contacts that stick: friction lets the mechanism rest beside this place as well.
    pub sticking: Vec<String>,
    rest: Rest,
}

impl Mechanism {
    /// The static equilibrium next to the initial state: a state at rest in which all forces balance, with drivers and everything else that depends on time as they
    /// are at the time of the options.
    ///
    /// Directions that nothing resists stay as they are. Where the mechanism is not in an equilibrium from the start, one is sought that is a minimum of the
    /// potential.
    ///
    /// # Errors
    /// [`Error::Equilibrium`] if there is none, with the force and what it moves, or if it was not found; [`Error::Model`] if point coordinates cannot describe the
    /// mechanism.
    ///
    /// ```
    /// use linkwork::analysis::{EquilibriumOptions, Stability};
    /// use linkwork::model::{Body, Model, Spring};
    /// let mechanism = Model::planar("lamp")
    ///     .gravity([0.0, -9.81])
    ///     .point("O", [0.0, 0.0])
    ///     .point("A", [0.3, 0.4])
    ///     .ground(["O"])
    ///     .body(Body::rod("arm", ["O", "A"], 2.0))
    ///     .assemble()?;
    /// let rest = mechanism.equilibrium(&EquilibriumOptions::default())?;
    /// let [x, y, _] = rest.frame.positions[1];
    /// assert!(x.abs() < 1e-12 && (y + 0.5).abs() < 1e-12);     // it hangs
    /// assert_eq!(rest.stability, Stability::Stable);
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    pub fn equilibrium(&self, options: &EquilibriumOptions) -> Result<Equilibrium, Error> {
        if !(options.at.is_finite() && options.at >= 0.0) {
            let message =
                format!("an equilibrium is sought at a time of zero or more, not at {} s", options.at);
            return Err(Error::Equilibrium(message));
        }
        let before = self.drawn_frame()?;
        let rest = self.rest(None, options.at)?;
        let frame = self.frame_at(&rest)?;
        let mass: f64 = self.bodies.iter().map(|body| body.particles.properties.mass).sum();
        let weight = mass * norm(self.model.gravity);
        let (unstable, free) = (self.directions(&rest, true)?, self.directions(&rest, false)?);
        let stability = match (unstable.is_empty(), free.is_empty(), rest.freedom) {
            (_, _, 0) => Stability::Held,
            _ if rest.ways.is_empty() => Stability::Unknown,
            (false, ..) => Stability::Unstable,
            (true, false, _) => Stability::Neutral,
            (true, true, _) => Stability::Stable,
        };
        let slowest = rest.ways.iter().map(|way| way.square).find(|square| *square > rest.zero);
        let stuck = frame.contacts.iter().zip(&self.contacts);
        let stuck = stuck.filter(|(state, contact)| state.closed && state.sticks && contact.friction > 0.0);
        Ok(Equilibrium {
            state: rest.state.clone(),
            method: rest.method,
            iterations: rest.iterations,
            stops: rest.stops,
            residual: rest.residual,
            weight: if weight > 0.0 { weight } else { rest.load },
            moved: self.moved(&before, &frame),
            joints: self.moved_joints(&before, &frame),
            stability,
            unstable,
            free,
            slowest: slowest.map(f64::sqrt),
            sticking: stuck.map(|(_, contact)| contact.name.clone()).collect(),
            frame,
            rest,
        })
    }

    /// This mechanism with an equilibrium as its initial state.
    ///
    /// ```
    /// # use linkwork::analysis::EquilibriumOptions;
    /// # use linkwork::model::{Body, Formulation, Model};
    /// # let mechanism = Model::planar("lamp").gravity([0.0, -9.81])
    /// #     .point("O", [0.0, 0.0]).point("A", [0.3, 0.4]).ground(["O"])
    /// #     .body(Body::rod("arm", ["O", "A"], 2.0)).assemble()?;
    /// let rest = mechanism.equilibrium(&EquilibriumOptions::default())?;
    /// let hanging = mechanism.at_equilibrium(&rest);
    /// let state = hanging.initial_state(Formulation::Auto)?;
    /// assert!(hanging.at(&state)?.accelerations()?[0].abs() < 1e-12);
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    pub fn at_equilibrium(&self, equilibrium: &Equilibrium) -> Mechanism {
        self.put_to_rest(&equilibrium.rest)
    }

    /// Directions along which an equilibrium is left, or those that nothing resists.
    fn directions(&self, rest: &Rest, unstable: bool) -> Result<Vec<FreeDirection>, Error> {
        let wanted = |square: f64| if unstable { square < -rest.zero } else { square.abs() <= rest.zero };
        let ways: Vec<_> = rest.ways.iter().filter(|way| wanted(way.square)).collect();
        let mut list: Vec<&[f64]> = ways.iter().map(|way| way.direction.as_slice()).collect();
        // of directions that grow each is one by itself; those that nothing resists are any mixture
        let apart = if unstable { Vec::new() } else { self.told_apart(&rest.state, &list)? };
        if !unstable {
            list = apart.iter().map(Vec::as_slice).collect();
        }
        let movers = self.movers(&rest.state, &list)?;
        let named = ways.iter().zip(&movers).map(|(way, mover)| FreeDirection {
            what: self.mover_name(mover),
            joint: mover.joint.map(|(joint, _)| self.joints[joint].name.clone()),
            body: self.bodies.get(mover.body).map(|body| body.name.clone()).unwrap_or_default(),
            square: if unstable { way.square } else { 0.0 },
        });
        Ok(named.collect())
    }

    fn moved(&self, before: &Frame, after: &Frame) -> Vec<MovedPoint> {
        let places = before.positions.iter().zip(&after.positions);
        let moved = self.points.iter().zip(places).map(|(point, (&before, &after))| MovedPoint {
            point: point.name.clone(),
            before,
            after,
        });
        let mut moved: Vec<MovedPoint> = moved.collect();
        moved.sort_by(|a, b| b.distance().total_cmp(&a.distance()));
        moved
    }

    fn moved_joints(&self, before: &Frame, after: &Frame) -> Vec<MovedJoint> {
        let mut moved = Vec::new();
        for (joint, (a, b)) in self.joints.iter().zip(before.joints.iter().zip(&after.joints)) {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                moved.push(MovedJoint {
                    joint: joint.name.clone(),
                    coordinate: i + 1,
                    turns: self.interactions.gauges[joint.coordinates[i].gauge].is_angle(),
                    before: a.q,
                    after: b.q,
                });
            }
        }
        moved
    }
}

impl Equilibrium {
    /// The largest force that is left over, in parts of the weight.
    pub fn relative_residual(&self) -> f64 {
        if self.weight > 0.0 { self.residual / self.weight } else { self.residual }
    }
}
