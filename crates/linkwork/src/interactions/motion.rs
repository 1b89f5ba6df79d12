//! Rigid bodies as interactions see them: where they are and how fast, in whatever coordinates the motion is
//! worked out.
//!
//! A place that lies at s from the centre of mass as drawn stands at
//!
//!   (B1)  r = c + R s,   ṙ = ċ + ω × Rs,   r̈ = c̈ + ω̇ × Rs + ω × (ω × Rs)
//!
//! and a direction u of the body at R u. Jets of both are taken with c̈ = ω̇ = 0: what they then give as second
//! derivative is all that belongs on the right-hand side of an equation for accelerations. The ground has c = 0
//! and R = 1, so that its places have their coordinates for s.

use crate::linalg::jet::Jet;
use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, add, apply, cross};

/// A body by its index, or the ground.
pub type BodyIndex = Option<usize>;

/// A body at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// Centre of mass.
    pub c: Vec3,
    /// Rotation since the drawing, R.
    pub turned: Mat3,
    /// ċ
    pub v: Vec3,
    /// ω
    pub w: Vec3,
}

impl Motion {
    /// The ground.
    pub const FIXED: Motion = Motion { c: [0.0; 3], turned: IDENTITY, v: [0.0; 3], w: [0.0; 3] };
}

impl Default for Motion {
    fn default() -> Self {
        Motion::FIXED
    }
}

/// How a body moves at an instant, or how that changes: of its centre of mass and of its turning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// m/s, or m/s².
    pub v: Vec3,
    /// rad/s, or rad/s².
    pub w: Vec3,
}

/// The motion of a body or of the ground.
#[inline]
pub fn motion_of(bodies: &[Motion], body: BodyIndex) -> &Motion {
    match body {
        Some(b) => &bodies[b],
        None => &Motion::FIXED,
    }
}

/// A place on a body: where it lies from the centre of mass as drawn; on the ground: where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPoint {
    /// The body.
    pub body: BodyIndex,
    /// s
    pub s: Vec3,
}

/// A spot at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Moving {
    /// r
    pub r: Vec3,
    /// ṙ
    pub v: Vec3,
    /// R s
    pub arm: Vec3,
    /// ω × (ω × Rs)
    pub bias: Vec3,
}

impl Moving {
    /// r as jets.
    #[inline]
    pub fn jets(&self) -> [Jet; 3] {
        std::array::from_fn(|i| Jet::new(self.r[i], self.v[i], self.bias[i]))
    }
}

impl BodyPoint {
    /// (B1)
    #[inline]
    pub fn at(&self, bodies: &[Motion]) -> Moving {
        let m = motion_of(bodies, self.body);
        let arm = apply(&m.turned, self.s);
        let swing = cross(m.w, arm);
        Moving { r: add(m.c, arm), v: add(m.v, swing), arm, bias: cross(m.w, swing) }
    }
}

/// A direction fixed in a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direction {
    /// The body.
    pub body: BodyIndex,
    /// As drawn.
    pub u: Vec3,
}

impl Direction {
    /// The direction now.
    #[inline]
    pub fn at(&self, bodies: &[Motion]) -> Vec3 {
        apply(&motion_of(bodies, self.body).turned, self.u)
    }

    /// R u as jets.
    #[inline]
    pub fn jets(&self, bodies: &[Motion]) -> [Jet; 3] {
        let m = motion_of(bodies, self.body);
        let n = apply(&m.turned, self.u);
        let d = cross(m.w, n);
        let dd = cross(m.w, d);
        std::array::from_fn(|i| Jet::new(n[i], d[i], dd[i]))
    }
}

/// a · b
#[inline]
pub(super) fn dot_jets(a: [Jet; 3], b: [Jet; 3]) -> Jet {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a − b
#[inline]
pub(super) fn sub_jets(a: [Jet; 3], b: [Jet; 3]) -> [Jet; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The part of a gradient, or of a force, that concerns one body: a force at its centre of mass and a moment
/// about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyWrench {
    /// The body.
    pub body: usize,
    /// At the centre of mass.
    pub force: Vec3,
    /// About the centre of mass.
    pub moment: Vec3,
}

/// Collects pulls, one for each body.
#[derive(Clone, Debug, Default)]
pub struct Wrenches {
    /// The pulls so far.
    pub list: Vec<BodyWrench>,
    /// Those from here on belong to what is being collected.
    from: usize,
    /// Where each body's last pull stands, if it still does.
    places: Vec<usize>,
}

impl Wrenches {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.list.clear();
        self.from = 0;
    }

    /// Begins a new sum; returns where it begins.
    pub fn begin(&mut self) -> usize {
        self.from = self.list.len();
        self.from
    }

    /// Adds a force at an arm from the centre of mass, and a couple. The ground takes everything.
    #[inline]
    pub fn add(&mut self, body: BodyIndex, arm: Vec3, force: Vec3, couple: Vec3) {
        let Some(body) = body else { return };
        let moment = add(cross(arm, force), couple);
        if body >= self.places.len() {
            self.places.resize(body + 1, usize::MAX);
        }
        let place = self.places[body];
        match self.list.get_mut(place) {
            Some(p) if place >= self.from && p.body == body => {
                p.force = add(p.force, force);
                p.moment = add(p.moment, moment);
            }
            _ => {
                self.places[body] = self.list.len();
                self.list.push(BodyWrench { body, force, moment });
            }
        }
    }

    /// Adds a pull as it is.
    pub fn join(&mut self, pull: &BodyWrench) {
        self.add(Some(pull.body), [0.0; 3], pull.force, pull.moment);
    }
}

crate::keep::keep!(Motion { c, turned, v, w });

crate::keep::keep!(BodyWrench { body, force, moment });
