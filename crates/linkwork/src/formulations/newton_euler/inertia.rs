//! Mass and inertia of the bodies, and turns that move nothing.
//!
//! A thin rod in space has no inertia about its own line, a point mass none at all. If a body is held and
//! loaded only at points of that line (or at its one point), such a turn moves nothing and the equations
//! leave it open. Giving it an inertia in the matrix, and nowhere else, makes its acceleration zero and
//! changes no other number:
//!
//!   (8)  J = R (I + m̄ L² e eᵀ) Rᵀ      for the idle axis e; all of 1 instead of e eᵀ for a point mass
//!
//! since e·(ω × Iω) = 0 for I = i (1 − e eᵀ). A joint may also grip all turns but those about a direction fixed in the
//! body, as a hinge does; if that is e, nothing grips the turn either. m̄ is the mean mass of the bodies and L the mechanism's size. A couple
//! about e, which no such body can carry, is left out as it is in `points`. A body whose joints do grip such a turn gets
//! nothing added: the constraints determine it.

use super::coordinates::Layout;
use super::rows::{Law, Row};
use crate::interactions::Motion;
use crate::interactions::{Action, CoordinateFunction, Touch};
use crate::joints::{Coordinate, Vector};
use crate::linalg::vec3::{
    IDENTITY, Mat3, Vec3, apply, apply_transposed, axpy, cross, dot, norm, scale, unit,
};
use crate::mechanism::{BodyIndex, Mechanism};
use nalgebra::{Matrix3, SymmetricEigen};

/// Moments of inertia below this part of the largest are none; offsets below it of the size neither.
const NONE: f64 = 1e-10;
const ON_LINE: f64 = 1e-9;

/// Turns that move nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Idle {
    /// There are none.
    No,
    /// About this line, as drawn.
    About(Vec3),
    /// Any.
    All,
}

/// Mass properties of one body.
#[derive(Clone, Debug)]
pub struct Inertia {
    pub mass: f64,
    /// About the centre of mass, as drawn.
    pub about_com: Mat3,
    pub idle: Idle,
}

impl Inertia {
    /// R I Rᵀ ω.
    pub fn angular_momentum(&self, pose: &Motion) -> Vec3 {
        apply(&pose.turned, apply(&self.about_com, apply_transposed(&pose.turned, pose.w)))
    }

    /// The part of a couple that turns more than nothing.
    pub fn carried(&self, pose: &Motion, moment: Vec3) -> Vec3 {
        match self.idle {
            Idle::No => moment,
            Idle::All => [0.0; 3],
            Idle::About(e) => {
                let e = apply(&pose.turned, e);
                axpy(moment, -dot(moment, e), e)
            }
        }
    }

    /// J of (8), `spare` being m̄ L².
    pub fn in_matrix(&self, pose: &Motion, spare: f64) -> Mat3 {
        let mut body = self.about_com;
        for (r, row) in body.iter_mut().enumerate() {
            *row = match self.idle {
                Idle::No => *row,
                Idle::About(e) => axpy(*row, spare * e[r], e),
                Idle::All => axpy(*row, spare, IDENTITY[r]),
            };
        }
        // rows of R I Rᵀ: R (I Rᵀ e_r) = R (I · row r of R)
        std::array::from_fn(|r| apply(&pose.turned, apply(&body, pose.turned[r])))
    }
}

/// What is done to a body, as far as its turns go.
#[derive(Clone, Debug, Default)]
struct Grips {
    /// Places of forces, from the centre of mass: they grip every turn but that about a line through them.
    places: Vec<Vec3>,
    /// Turns about other directions than this one are gripped.
    but: Vec<Vec3>,
    /// Whether every turn is gripped.
    all: bool,
}

fn grips(mechanism: &Mechanism, rows: &[Row], held: &[(usize, bool)]) -> Vec<Grips> {
    let mut grips = vec![Grips::default(); mechanism.bodies.len()];
    let mut on =
        |body: BodyIndex, grip: &dyn Fn(&mut Grips)| body.into_iter().for_each(|b| grip(&mut grips[b]));
    for row in rows {
        let joint = &mechanism.joints[row.joint];
        let [first, second] = row.bodies;
        match row.law {
            Law::Pin { at, .. } => at.iter().for_each(|s| on(s.body, &|g| g.places.push(s.s))),
            Law::Distance { at, .. } => at.iter().for_each(|s| on(s.body, &|g| g.places.push(s.s))),
            Law::Line { at, normal } => {
                on(second, &|g| g.places.push(at[1].s));
                on(first, &|g| match joint.axis {
                    // whatever turns about the normal of a plane leaves it where it is
                    Some(axis) if axis == normal => g.but.push(normal),
                    // a line through the first body's point, along the axis
                    _ => {
                        g.places.push(at[0].s);
                        g.but.extend(joint.axis);
                    }
                });
            }
            // the line of a hinge's shared points: what they grip
            Law::Square { .. } if joint.rows.is_empty() => {
                for &node in &joint.shared {
                    row.bodies.iter().for_each(|&b| {
                        on(b, &|g| g.places.push(mechanism.spot(b, node).s));
                    });
                }
            }
            Law::Square { normal, vector } => match joint.kind.freedom(false).coordinates {
                turns if turns.contains(&Coordinate::Turn(Vector::Axis)) => {
                    row.bodies.iter().for_each(|&b| on(b, &|g| g.but.extend(joint.axis)));
                }
                [Coordinate::TurnOfAxis2, ..] => {
                    on(first, &|g| g.but.push(normal));
                    on(second, &|g| g.but.push(vector));
                }
                _ => row.bodies.iter().for_each(|&b| on(b, &|g| g.all = true)),
            },
            Law::NoTurn => row.bodies.iter().for_each(|&b| on(b, &|g| g.all = true)),
        }
    }
    // interfaces of modal bodies: at their points, and all turns
    for &(body, turns) in held {
        on(Some(body), &|g| if turns { g.all = true } else { g.places.push([0.0; 3]) });
    }
    for named in &mechanism.interactions.actions {
        let ends = match &named.action {
            Action::Spring(spring) => &spring.ends[..],
            Action::Constant(load) => std::slice::from_ref(&load.at),
            _ => &[],
        };
        ends.iter().for_each(|s| on(s.body, &|g| g.places.push(s.s)));
    }
    for coupling in &mechanism.interactions.couplings {
        for &(gauge, _) in &coupling.terms {
            match &mechanism.interactions.gauges[gauge] {
                CoordinateFunction::Component { from, to, along } if along.body.is_none() => {
                    [from, to].into_iter().for_each(|s| on(s.body, &|g| g.places.push(s.s)));
                }
                CoordinateFunction::Distance { from, to } => {
                    [from, to].into_iter().for_each(|s| on(s.body, &|g| g.places.push(s.s)));
                }
                CoordinateFunction::Path(path) => {
                    path.stops.iter().for_each(|s| on(s.at.body, &|g| g.places.push(s.at.s)));
                }
                other => other.bodies().into_iter().for_each(|b| on(Some(b), &|g| g.all = true)),
            }
        }
        if !matches!(coupling.touch, Touch::Gauges) {
            coupling.bodies.iter().for_each(|&b| on(Some(b), &|g| g.all = true));
        }
    }
    grips
}

/// Mass properties of all bodies. `held`: bodies that interfaces of modal bodies hold at their centre of mass, and whether these hold all turns.
pub fn of_bodies(
    mechanism: &Mechanism,
    layout: &Layout,
    rows: &[Row],
    held: &[(usize, bool)],
) -> Vec<Inertia> {
    let grips = grips(mechanism, rows, held);
    let bodies = mechanism.bodies.iter().enumerate();
    let inertia = bodies.map(|(b, body)| {
        let p = &body.particles.properties;
        let mut about_com = p.inertia_about_com;
        if layout.planar {
            about_com = [[0.0; 3], [0.0; 3], [0.0, 0.0, about_com[2][2]]];
        }
        let idle = match grips[b].all {
            true => Idle::No,
            false => idle(&about_com, &grips[b], layout, ON_LINE * mechanism.size),
        };
        Inertia { mass: p.mass, about_com, idle }
    });
    inertia.collect()
}

fn idle(inertia: &Mat3, grips: &Grips, layout: &Layout, on_line: f64) -> Idle {
    let far = grips.places.iter().copied().max_by(|a, b| norm(*a).total_cmp(&norm(*b))).unwrap_or([0.0; 3]);
    let at_com = norm(far) <= on_line;
    if layout.planar {
        let none = inertia[2][2] == 0.0 && at_com && grips.but.is_empty();
        return if none { Idle::All } else { Idle::No };
    }
    let eigen = SymmetricEigen::new(Matrix3::from_fn(|r, c| 0.5 * (inertia[r][c] + inertia[c][r])));
    let largest = eigen.eigenvalues.amax();
    let line = if largest == 0.0 {
        // without any inertia the grips alone tell
        match (at_com, grips.but.first()) {
            (true, None) => return Idle::All,
            (true, Some(&e)) => e,
            (false, _) => unit(far),
        }
    } else {
        let i = eigen.eigenvalues.imin();
        if eigen.eigenvalues[i] > NONE * largest {
            return Idle::No;
        }
        std::array::from_fn(|r| eigen.eigenvectors[(r, i)])
    };
    let on_it = grips.places.iter().all(|&s| norm(cross(line, s)) <= on_line);
    let along_it = grips.but.iter().all(|&e| norm(cross(line, e)) <= ON_LINE);
    if on_it && along_it { Idle::About(line) } else { Idle::No }
}

/// Kinetic energy of a body.
pub fn kinetic(inertia: &Inertia, pose: &Motion) -> f64 {
    0.5 * inertia.mass * dot(pose.v, pose.v) + 0.5 * dot(pose.w, inertia.angular_momentum(pose))
}

/// The moment that keeps up the spin: −ω × Iω.
pub fn gyroscopic(inertia: &Inertia, pose: &Motion) -> Vec3 {
    scale(-1.0, cross(pose.w, inertia.angular_momentum(pose)))
}
