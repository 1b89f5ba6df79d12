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
use crate::linalg::spatial::{Twist, Wrench};
use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, add, apply, cross, sub};

/// A body by its index, or the ground.
pub type BodyIndex = Option<usize>;

/// Pose and twist of a body at an instant, in one.
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

    /// The velocities.
    #[inline]
    pub fn twist(&self) -> Twist {
        Twist { v: self.v, w: self.w }
    }
}

impl Default for Motion {
    fn default() -> Self {
        Motion::FIXED
    }
}

/// The motion of a body whose places are given as drawn.
#[derive(Clone, Copy, Debug)]
pub struct DrawnMotion {
    /// The motion.
    pub motion: Motion,
    /// Centre of mass, as drawn.
    pub com: Vec3,
}

impl DrawnMotion {
    /// The ground.
    pub const FIXED: DrawnMotion = DrawnMotion { motion: Motion::FIXED, com: [0.0; 3] };

    /// Where a place as drawn is, and its velocity.
    pub fn place(&self, drawn: Vec3) -> (Vec3, Vec3) {
        let arm = apply(&self.motion.turned, sub(drawn, self.com));
        (add(self.motion.c, arm), self.motion.twist().velocity(arm))
    }
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

/// A body point at an instant.
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

/// A wrench on a body at its centre of mass: a force, or the part of a gradient that concerns the body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyWrench {
    /// The body.
    pub body: usize,
    /// The moment is about the centre of mass.
    pub wrench: Wrench,
}

impl BodyWrench {
    /// Its power, for given motions of the bodies.
    #[inline]
    pub fn power(&self, bodies: &[Motion]) -> f64 {
        self.wrench.power(&bodies[self.body].twist())
    }
}

/// Collects wrenches, one for each body.
#[derive(Clone, Debug, Default)]
pub struct Wrenches {
    /// The wrenches so far.
    pub list: Vec<BodyWrench>,
    /// Those from here on belong to what is being collected.
    from: usize,
    /// Where each body's last wrench stands, if it still does.
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
        let wrench = Wrench { force, moment: add(cross(arm, force), couple) };
        self.join(body, wrench);
    }

    /// Adds a wrench at the centre of mass of a body.
    #[inline]
    pub fn join(&mut self, body: usize, wrench: Wrench) {
        if body >= self.places.len() {
            self.places.resize(body + 1, usize::MAX);
        }
        let place = self.places[body];
        match self.list.get_mut(place) {
            Some(p) if place >= self.from && p.body == body => {
                p.wrench = p.wrench.plus(wrench);
            }
            _ => {
                self.places[body] = self.list.len();
                self.list.push(BodyWrench { body, wrench });
            }
        }
    }
}

crate::keep::keep!(Motion { c, turned, v, w });

crate::keep::keep!(BodyWrench { body, wrench });
