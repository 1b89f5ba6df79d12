//! Places where the caller of a simulation acts on a mechanism: inputs that no model declares, added to a mechanism that has been assembled.

use super::Mechanism;
use crate::interactions::{Action, BodyPoint, Grip, InputPlace, NamedAction, Outside, Rate, Variable};
use crate::linalg::vec3::{Vec3, dot, scale, sub, unit};
use crate::model::Between;

/// Where a caller acts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Port {
    /// A force or moment along a coordinate of a joint, counted from one.
    Joint(String, usize),
    /// A force at the centre of mass of a body, and a moment.
    Body(String),
    /// A hand on a body.
    Hand(Hand),
}

/// A hand that pulls a place of a body to a target by a spring and a damper: [`Simulation::grab`](crate::simulation::Simulation::grab).
#[derive(Clone, Debug, PartialEq)]
pub struct Hand {
    /// The body.
    pub body: String,
    /// Where it holds the body, as drawn, m. Of a rod in space the nearest place of its line counts, of a particle the particle.
    pub at: Vec3,
    /// N/m
    pub stiffness: f64,
    /// Against the velocity of the place, N s/m.
    pub damping: f64,
    /// It pulls no harder than from this far, m: a target that is farther changes only the direction. Infinite if there is no bound.
    pub reach: f64,
}

impl Port {
    /// What it is called among the inputs.
    fn name(&self) -> String {
        match self {
            Port::Joint(joint, coordinate) => format!("force on joint `{joint}`, coordinate {coordinate}"),
            Port::Body(body) => format!("wrench on body `{body}`"),
            Port::Hand(hand) => format!("hand on body `{}`", hand.body),
        }
    }

    /// How many inputs it has.
    pub(crate) fn inputs(&self) -> usize {
        match self {
            Port::Joint(..) => 1,
            Port::Body(_) => 6,
            Port::Hand(_) => 4,
        }
    }
}

impl Mechanism {
    /// This mechanism with a port: its inputs come behind all others. Nothing is assembled again.
    ///
    /// # Errors
    /// What is not there, for people.
    pub(crate) fn with_port(&self, port: &Port) -> Result<Mechanism, String> {
        let action = self.outside(port)?;
        let mut with = self.with_port_at_rest(port);
        with.interactions
            .actions
            .push(NamedAction { name: String::new(), action: Action::Outside(Box::new(action)) });
        Ok(with)
    }

    /// This mechanism without the ports that it was given last.
    pub(crate) fn without_ports(&self, ports: &[Port]) -> Mechanism {
        let mut without = self.clone();
        let count: usize = ports.iter().map(Port::inputs).sum();
        let interactions = &mut without.interactions;
        interactions.variables.truncate(interactions.variables.len() - count);
        interactions.inputs.truncate(interactions.inputs.len() - count);
        interactions.actions.retain(|named| !matches!(named.action, Action::Outside(_)));
        without
    }

    /// The same, as long as what it acts on is there: a change of topology may have taken it away.
    pub(crate) fn with_port_kept(&self, port: &Port) -> Mechanism {
        self.with_port(port).unwrap_or_else(|_| self.with_port_at_rest(port))
    }

    /// With the inputs of a port that does nothing.
    fn with_port_at_rest(&self, port: &Port) -> Mechanism {
        let mut with = self.clone();
        for i in 0..port.inputs() {
            let first = with.interactions.variables.len();
            with.interactions.variables.push(Variable {
                name: format!("{}, {i}", port.name()),
                shown: false,
                unit: (String::new(), 1.0),
                initial: 0.0,
                rate: Rate::Still,
                scale: f64::INFINITY,
            });
            let (name, between) = (port.name(), Between::Held);
            with.interactions.inputs.push(InputPlace { name, first, between, limits: None, unit_size: 1.0 });
        }
        with
    }

    fn outside(&self, port: &Port) -> Result<Outside, String> {
        let first = self.interactions.variables.len();
        let body_of = |name: &str| {
            let found = self.bodies.iter().position(|body| body.name == *name);
            found.ok_or_else(|| format!("there is no moving body `{name}`"))
        };
        match port {
            Port::Joint(name, coordinate) => {
                let joint = self.joints.iter().find(|joint| joint.name == *name);
                let joint = joint.ok_or_else(|| format!("there is no joint `{name}`"))?;
                let found =
                    coordinate.checked_sub(1).and_then(|i| joint.coordinates.get(i)).ok_or_else(|| {
                        let count = joint.coordinates.len();
                        format!("joint `{name}` has {count} coordinates, there is no number {coordinate}")
                    })?;
                Ok(Outside::Joint { gauge: found.gauge, factor: found.factor, variable: first })
            }
            Port::Body(name) => Ok(Outside::Body { body: body_of(name)?, first }),
            Port::Hand(hand) => {
                let numbers = [hand.stiffness, hand.damping];
                if !numbers.iter().all(|x| x.is_finite() && *x >= 0.0)
                    || !hand.at.iter().all(|x| x.is_finite())
                    || hand.reach.is_nan()
                    || hand.reach <= 0.0
                {
                    return Err(format!(
                        "the hand on `{}` needs a finite place, a stiffness and a damping that are not negative, and a reach above zero",
                        hand.body
                    ));
                }
                let b = body_of(&hand.body)?;
                let at = BodyPoint { body: Some(b), s: self.held_at(b, hand.at) };
                Ok(Outside::Hand(Grip {
                    at,
                    planar: self.columns() == 2,
                    origin: self.model.origin,
                    stiffness: hand.stiffness,
                    damping: hand.damping,
                    reach: hand.reach,
                    first,
                }))
            }
        }
    }

    /// Where a hand holds a body, from its centre of mass as drawn.
    fn held_at(&self, body: usize, at: Vec3) -> Vec3 {
        let body = &self.bodies[body];
        let s = sub(sub(at, self.model.origin), body.particles.properties.com);
        match body.particles.at.as_slice() {
            [_] => [0.0; 3],
            // its line is all that there is of a rod in space
            [p, q] if self.columns() == 3 => {
                let along = unit(sub(*q, *p));
                scale(dot(s, along), along)
            }
            _ => s,
        }
    }
}
