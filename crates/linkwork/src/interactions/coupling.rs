//! Couplings: constraints between bodies that are more than points can say. Gears, screws, drivers, locks, rolling.
//!
//!   (C1)  Φ = Σ w_i g_i − w h(t) = 0                     a sum of coordinate functions follows a function of time
//!   (C2)  Σ f·c̈ + m·ω̇ = γ                               (f, m): the pulls of the row on its bodies
//!   (C3)  Φ_t = −w ḣ,   power of the row = λ Φ_t          what a driver does to the mechanism
//!
//! Most rows take their pulls and γ from the coordinate functions. Where teeth or a contact pass a force at a point that moves along
//! with a third body, the pulls act there instead ([`Mesh`], [`Rolling`](super::rolling::Rolling)): the same motion, and the
//! bearings feel what they feel in the workshop. A row of rolling in space is no derivative of any Φ: its position
//! residual is zero by definition.

use super::coordinate_function::CoordinateFunction;
use super::motion::{BodyIndex, BodyPoint, Direction, Motion, Wrenches, motion_of};
use super::prescribed::Prescribed;
use super::rolling::Rolling;
use crate::linalg::jet::Jet;
use crate::linalg::vec3::{Vec3, add, cross, dot, scale, sub};

/// Who a coupling belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CouplingOwner {
    /// A joint of the mechanism: its multiplier is part of the joint's reaction.
    Joint(usize),
    /// Joint coordinates in proportion.
    Proportion(usize),
    /// A driver.
    Driver(usize),
    /// A cable that does not stretch: its multiplier is its tension.
    Cable(usize),
    /// The growing segment of a chain whose length is given: its multiplier is the tension.
    Chain(usize),
    /// A lock of the model.
    Lock(usize),
    /// An impulse of the model that sets a rate.
    Impulse(usize),
    /// An impacting limit of the mechanism.
    Limit(usize),
}

/// Two bodies that touch at a point which a third one carries, and do not slip there along a direction.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Whose velocities at the point are alike.
    pub bodies: [BodyIndex; 2],
    /// The point P, on the third body.
    pub at: BodyPoint,
    /// The direction t, in the third body.
    pub along: Direction,
}

/// Where a row takes its pulls and γ from.
#[derive(Clone, Debug)]
pub enum Touch {
    /// From the coordinate functions.
    Gauges,
    /// From teeth.
    Mesh(Mesh),
    /// From a contact, along its direction of this number.
    Rolling(Box<Rolling>, usize),
}

/// One row.
#[derive(Clone, Debug)]
pub struct Coupling {
    /// (coordinate function, w_i)
    pub terms: Vec<(usize, f64)>,
    /// Σ w_i g_i as it should be where h = 0.
    pub offset: f64,
    /// w and h.
    pub drive: Option<Prescribed>,
    /// Wrenches and γ.
    pub touch: Touch,
    /// Whose it is.
    pub owner: CouplingOwner,
    /// For people.
    pub label: String,
    /// The moving bodies it concerns.
    pub bodies: Vec<usize>,
    /// The switch that turns it on and the state that keeps the value it holds, for locks.
    pub held: Option<(usize, usize)>,
}

/// A row at an instant.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evaluated {
    /// Φ, m.
    pub phi: f64,
    /// Φ_t, m/s.
    pub phi_t: f64,
    /// γ of (C2), m/s².
    pub gamma: f64,
    /// Its pulls, in the list of all.
    pub pulls: [usize; 2],
}

/// What a row is evaluated with.
pub struct Scene<'a> {
    /// Time, s.
    pub t: f64,
    /// All moving bodies.
    pub bodies: &'a [Motion],
    /// Hints of the coordinate functions.
    pub hints: &'a [f64],
    /// Values that locks hold, and behind them the variables.
    pub holds: &'a [f64],
    /// Which switches are on.
    pub switches: &'a [bool],
}

impl Coupling {
    /// A row Σ w_i g_i = 0 of coordinate functions, always in force.
    pub fn new(
        functions: &[CoordinateFunction],
        terms: Vec<(usize, f64)>,
        owner: CouplingOwner,
        label: String,
    ) -> Self {
        let mut bodies: Vec<usize> = terms.iter().flat_map(|&(g, _)| functions[g].bodies()).collect();
        bodies.sort_unstable();
        bodies.dedup();
        Coupling { terms, offset: 0.0, drive: None, touch: Touch::Gauges, owner, label, bodies, held: None }
    }

    /// Whether it is in force.
    pub fn active(&self, scene: &Scene<'_>) -> bool {
        self.held.is_none_or(|(switch, _)| scene.switches[switch])
    }

    /// Whether it binds velocities and no positions, as rolling in space does.
    pub fn binds_velocities_only(&self) -> bool {
        matches!(self.touch, Touch::Rolling(_, k) if k != Rolling::NORMAL)
    }

    /// Σ w_i g_i
    pub fn sum(&self, gauges: &[CoordinateFunction], scene: &Scene<'_>) -> Jet {
        self.terms.iter().fold(Jet::default(), |s, &(g, w)| s + gauges[g].jet(scene.bodies, scene.hints) * w)
    }

    /// Everything about the row; the pulls are appended. A row that is not in force is empty.
    pub fn evaluate(
        &self,
        gauges: &[CoordinateFunction],
        scene: &Scene<'_>,
        stack: &mut Vec<Jet>,
        pulls: &mut Wrenches,
    ) -> Evaluated {
        let from = pulls.begin();
        if !self.active(scene) {
            return Evaluated { pulls: [from; 2], ..Default::default() };
        }
        let mut row = Evaluated::default();
        let mut jet = self.sum(gauges, scene);
        let mut rest = Jet::from(self.held.map_or(self.offset, |(_, hold)| scene.holds[hold]));
        if let Some(prescribed) = &self.drive {
            let h = prescribed.jet(scene.t, scene.holds, stack) * prescribed.weight;
            // far from the origin the value and the offset nearly cancel: together first
            rest = h + rest.x;
            row.phi_t = -h.d;
        }
        jet -= rest;
        row.phi = jet.x;
        match &self.touch {
            Touch::Gauges => {
                row.gamma = -jet.dd;
                for &(g, w) in &self.terms {
                    gauges[g].pull(scene.bodies, scene.hints, w, pulls);
                }
            }
            Touch::Mesh(mesh) => row.gamma = mesh.row(scene.bodies, pulls),
            Touch::Rolling(rolling, k) => {
                row.phi = if *k == Rolling::NORMAL { rolling.height(scene.bodies) } else { 0.0 };
                row.gamma = rolling.row(*k, scene.bodies, pulls);
            }
        }
        row.pulls = [from, pulls.list.len()];
        row
    }
}

impl Mesh {
    /// t·(ṙ₁ − ṙ₂) = 0 at P: its pulls, and γ.
    ///
    /// P moves through both bodies: the velocity of what passes there changes by a + ω × (Ṗ − v).
    fn row(&self, bodies: &[Motion], pulls: &mut Wrenches) -> f64 {
        let t = self.along.jets(bodies);
        let (now, rate): (Vec3, Vec3) = (t.map(|x| x.x), t.map(|x| x.d));
        let p = self.at.at(bodies);
        let mut bias = 0.0;
        for (body, sign) in self.bodies.into_iter().zip([1.0, -1.0]) {
            let m = motion_of(bodies, body);
            let arm = sub(p.r, m.c);
            let swing = cross(m.w, arm);
            let v = add(m.v, swing);
            let change = add(cross(m.w, swing), cross(m.w, sub(p.v, v)));
            bias += sign * (dot(now, change) + dot(rate, v));
            pulls.add(body, arm, scale(sign, now), [0.0; 3]);
        }
        -bias
    }
}
