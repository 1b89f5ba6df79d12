//! Impulses and jumps of velocities at given times.

use super::IntoVector;

/// What happens to a mechanism at given times: a blow, or a joint coordinate that gets a rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Impulse {
    /// Its name, used in results.
    pub name: String,
    /// When, s: each time once.
    pub at: Vec<f64>,
    /// What happens.
    pub gives: Blow,
}

/// What happens at an instant.
#[derive(Clone, Debug, PartialEq)]
pub enum Blow {
    /// Impulses on a body.
    Strike {
        /// The body; if left out, the first that holds the point.
        body: Option<String>,
        /// Where; at the body's centre of mass if left out.
        point: Option<String>,
        /// World axes, N s.
        impulse: [f64; 3],
        /// World axes, N m s; about z in the plane.
        angular_impulse: [f64; 3],
    },
    /// A joint coordinate gets this rate, by the impulse along it that this takes.
    Rate {
        /// The joint, by its name in results.
        joint: String,
        /// Which of its coordinates, counted from one; may be left out where there is one only.
        coordinate: Option<usize>,
        /// rad/s or m/s.
        rate: f64,
    },
}

impl Impulse {
    /// An impulse at a point, on the first body that holds it.
    pub fn at_point(name: impl Into<String>, at: f64, point: &str, impulse: impl IntoVector) -> Self {
        let gives = Blow::Strike {
            body: None,
            point: Some(point.into()),
            impulse: impulse.into_vector(),
            angular_impulse: [0.0; 3],
        };
        Impulse { name: name.into(), at: vec![at], gives }
    }

    /// An impulse at the centre of mass of a body.
    pub fn at_com(name: impl Into<String>, at: f64, body: &str, impulse: impl IntoVector) -> Self {
        let gives = Blow::Strike {
            body: Some(body.into()),
            point: None,
            impulse: impulse.into_vector(),
            angular_impulse: [0.0; 3],
        };
        Impulse { name: name.into(), at: vec![at], gives }
    }

    /// An angular impulse on a body, N m s; about z in the plane.
    pub fn turning(name: impl Into<String>, at: f64, body: &str, angular_impulse: [f64; 3]) -> Self {
        let gives = Blow::Strike { body: Some(body.into()), point: None, impulse: [0.0; 3], angular_impulse };
        Impulse { name: name.into(), at: vec![at], gives }
    }

    /// The coordinate of a joint gets a rate, rad/s or m/s.
    pub fn rate(name: impl Into<String>, at: f64, joint: &str, rate: f64) -> Self {
        let gives = Blow::Rate { joint: joint.into(), coordinate: None, rate };
        Impulse { name: name.into(), at: vec![at], gives }
    }

    /// On this body, where several hold the point.
    pub fn on(mut self, name: &str) -> Self {
        if let Blow::Strike { body, .. } = &mut self.gives {
            *body = Some(name.into());
        }
        self
    }

    /// Which coordinate of the joint gets the rate, counted from one.
    pub fn coordinate(mut self, number: usize) -> Self {
        if let Blow::Rate { coordinate, .. } = &mut self.gives {
            *coordinate = Some(number);
        }
        self
    }

    /// At this time as well, s.
    pub fn and_at(mut self, t: f64) -> Self {
        self.at.push(t);
        self
    }
}
