//! The equations of the joints. With a the first body of a joint and b the second (either may be the
//! ground), d = r_b − r_a, and n, u fixed in a and b:
//!
//!   (3)  Φ = e_i · d            pin, one row per axis;  γ = −e_i · (β_b − β_a),  β = ω × (ω × Rs)
//!   (4)  Φ = L (φ_b − φ_a)      no turning, in the plane;  γ = 0
//!   (5)  Φ = n · d              along a line of a;  γ = −n · (β_b − β_a) − 2 ṅ · ḋ − n̈ · d
//!   (6)  Φ = L n · u            square to each other, in space;  γ = −L (n · ü + 2 ṅ · u̇ + n̈ · u)
//!
//!   (6') Φ = (d·d − l²) / 2l    a distance l;  γ = −d · (β_b − β_a) / l − ḋ·ḋ / l
//!
//! with ṅ = ω_a × n and n̈ = ω_a × (ω_a × n), u likewise with ω_b. L is the mechanism's size, so that every
//! row is a length. All are forces f on b and −f on a, or couples k on b and −k on a:
//!
//!   (7)  Φ_x on b = (f, arm_b × f + k),   on a = −(f, arm_a × f + k)
//!
//! in the rates (ċ, ω), where both arms reach to the point at which f acts.

use super::coordinates::Layout;
use crate::constraints::Constraint;
use crate::interactions::{BodyPoint, Motion, motion_of};
use crate::joints::Demand;
use crate::linalg::ordering::RowPattern;
use crate::linalg::vec3::{Vec3, add, any_perpendicular, apply, cross, dot, norm, scale, sub, unit};
use crate::mechanism::{BodyIndex, Frame, Mechanism, MechanismJoint};
use crate::model::GROUND;

const Z: Vec3 = [0.0, 0.0, 1.0];
/// Nodes nearer than this part of the size to each other or to a line count as on it.
const FLAT: f64 = 1e-9;

/// What a row demands.
#[derive(Clone, Copy, Debug)]
pub enum Law {
    /// (3), one component.
    Pin { at: [BodyPoint; 2], component: usize },
    /// (4)
    NoTurn,
    /// (5)
    Line { at: [BodyPoint; 2], normal: Vec3 },
    /// (6): `normal` in the first body, `vector` in the second.
    Square { normal: Vec3, vector: Vec3 },
    /// (6')
    Distance { at: [BodyPoint; 2], length: f64 },
}

/// One equation.
#[derive(Clone, Debug)]
pub struct Row {
    pub law: Law,
    pub bodies: [BodyIndex; 2],
    pub joint: usize,
    /// For people.
    pub label: String,
}

/// A row at an instant.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evaluated {
    pub phi: f64,
    pub gamma: f64,
    /// f on the second body.
    pub force: Vec3,
    /// From the centre of mass of the first and of the second body to where f acts.
    pub arms: [Vec3; 2],
    /// k on the second body.
    pub couple: Vec3,
}

impl Row {
    /// Φ, γ and the parts of (7).
    pub fn evaluate(&self, poses: &[Motion], length: f64) -> Evaluated {
        let [a, b] = self.bodies.map(|body| motion_of(poses, body));
        match self.law {
            Law::Pin { at, component: i } => {
                let [p, q] = at.map(|s| s.at(poses));
                let mut force = [0.0; 3];
                force[i] = 1.0;
                Evaluated {
                    phi: q.r[i] - p.r[i],
                    gamma: p.bias[i] - q.bias[i],
                    force,
                    arms: [p.arm, q.arm],
                    ..Default::default()
                }
            }
            Law::NoTurn => Evaluated {
                phi: length * turned_against(a, b),
                couple: scale(length, Z),
                ..Default::default()
            },
            Law::Line { at, normal } => {
                let [p, q] = at.map(|s| s.at(poses));
                let n = apply(&a.turned, normal);
                let n_dot = cross(a.w, n);
                let (d, d_dot) = (sub(q.r, p.r), sub(q.v, p.v));
                Evaluated {
                    phi: dot(d, n),
                    gamma: dot(sub(p.bias, q.bias), n) - 2.0 * dot(d_dot, n_dot) - dot(d, cross(a.w, n_dot)),
                    force: n,
                    arms: [sub(q.r, a.c), q.arm],
                    couple: [0.0; 3],
                }
            }
            Law::Distance { at, length: l } => {
                let [p, q] = at.map(|s| s.at(poses));
                let (d, d_dot) = (sub(q.r, p.r), sub(q.v, p.v));
                Evaluated {
                    phi: (dot(d, d) - l * l) / (2.0 * l),
                    gamma: (dot(d, sub(p.bias, q.bias)) - dot(d_dot, d_dot)) / l,
                    force: scale(1.0 / l, d),
                    arms: [p.arm, q.arm],
                    couple: [0.0; 3],
                }
            }
            Law::Square { normal, vector } => {
                let (n, u) = (apply(&a.turned, normal), apply(&b.turned, vector));
                let (n_dot, u_dot) = (cross(a.w, n), cross(b.w, u));
                let bias = dot(n, cross(b.w, u_dot)) + 2.0 * dot(n_dot, u_dot) + dot(cross(a.w, n_dot), u);
                Evaluated {
                    phi: length * dot(n, u),
                    gamma: -length * bias,
                    couple: scale(length, cross(u, n)),
                    ..Default::default()
                }
            }
        }
    }

    /// Which rates of each of its bodies the row touches, and whether each part can never vanish.
    pub fn columns(&self, layout: &Layout) -> &'static [(usize, bool)] {
        match (self.law, layout.planar) {
            (Law::Pin { component: 0, .. }, true) => &[(0, true), (2, false)],
            (Law::Pin { .. }, true) => &[(1, true), (2, false)],
            (Law::NoTurn, _) => &[(2, true)],
            (Law::Line { .. } | Law::Square { .. } | Law::Distance { .. }, true) => {
                &[(0, false), (1, false), (2, false)]
            }
            (Law::Pin { component: 0, .. }, false) => &[(0, true), (4, false), (5, false)],
            (Law::Pin { component: 1, .. }, false) => &[(1, true), (3, false), (5, false)],
            (Law::Pin { .. }, false) => &[(2, true), (3, false), (4, false)],
            (Law::Line { .. } | Law::Distance { .. }, false) => {
                &[(0, false), (1, false), (2, false), (3, false), (4, false), (5, false)]
            }
            (Law::Square { .. }, false) => &[(3, false), (4, false), (5, false)],
        }
    }

    /// The pattern for the solver, in the order in which [`Row::write`] writes.
    pub fn pattern(&self, layout: &Layout) -> RowPattern {
        let columns = self.columns(layout);
        let bodies = self.bodies.into_iter().flatten();
        let first = |b: usize| layout.own_rates(b).start;
        let entries = bodies.flat_map(|b| columns.iter().map(move |&(c, sure)| (first(b) + c, sure)));
        let (points, certain) = entries.unzip();
        RowPattern { points, certain, simplex: None }
    }

    /// (7) into the solver's values; rates of turning are measured at the arm `length`.
    pub fn write(&self, e: &Evaluated, layout: &Layout, length: f64, values: &mut [f64]) {
        let mut values = values.iter_mut();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if self.bodies[side].is_some() {
                let moment = scale(1.0 / length, add(cross(e.arms[side], e.force), e.couple));
                let all = layout.order(scale(sign, e.force), scale(sign, moment));
                for &(c, _) in self.columns(layout) {
                    if let Some(value) = values.next() {
                        *value = all[c];
                    }
                }
            }
        }
    }
}

/// φ_b − φ_a in the plane, at most half a turn.
fn turned_against(a: &Motion, b: &Motion) -> f64 {
    let ([ca, sa], [cb, sb]) = ([a.turned[0][0], a.turned[1][0]], [b.turned[0][0], b.turned[1][0]]);
    (sb * ca - cb * sa).atan2(cb * ca + sb * sa)
}

/// The rows of every joint, in order.
pub fn list(mechanism: &Mechanism, layout: &Layout) -> Vec<Row> {
    let mut rows = Vec::new();
    // sliders of modal bodies are on their axes without any row
    let slides = |body: &BodyIndex| body.is_some_and(|b| layout.own_rates(b).is_empty());
    for (j, joint) in mechanism.joints.iter().enumerate() {
        if joint.bodies.iter().any(slides) {
            continue;
        }
        let mut push = |law: Law, bodies: [BodyIndex; 2], what: &str| {
            rows.push(Row { law, bodies, joint: j, label: format!("joint `{}`: {what}", joint.name) });
        };
        // What the joint demands beyond shared points stands between the bodies that the model names:
        // where three bodies meet at a point these need not be the two that the joint is listed for.
        let said = mechanism.model.joints.iter().find(|m| m.name == joint.name);
        let named = said.filter(|_| !joint.rows.is_empty()).map(|m| {
            let find = |name: &str| match name {
                GROUND => None,
                _ => mechanism.bodies.iter().position(|b| b.name == name),
            };
            [find(&m.bodies[0]), find(&m.bodies[1])]
        });
        let welded = named.is_some() && joint.kind.freedom(layout.planar).degrees == 0;
        if !joint.shared.is_empty() {
            shared_nodes(mechanism, layout, joint, welded, &mut push);
        }
        if let Some(bodies) = named {
            directions(mechanism, layout, joint, bodies, &mut push);
        }
    }
    rows
}

/// A first shared node is pinned; the line to a second one keeps its direction, and a third one does not turn
/// about that line. Directions, not distances of the further points: these would mix with the pin's own
/// rows wherever it is open, and redundant rows would cease to be so between steps.
fn shared_nodes(
    mechanism: &Mechanism,
    layout: &Layout,
    joint: &MechanismJoint,
    welded: bool,
    push: &mut dyn FnMut(Law, [BodyIndex; 2], &str),
) {
    let spots = |node: usize| joint.bodies.map(|b| mechanism.spot(b, node));
    let at = spots(joint.shared[0]);
    for component in 0..mechanism.columns() {
        push(Law::Pin { at, component }, joint.bodies, ["x", "y", "z"][component]);
    }
    let flat = FLAT * mechanism.size;
    let mut line: Option<[Vec3; 2]> = None;
    for &node in joint.shared[1..].iter().filter(|_| !welded) {
        let further = spots(node);
        let d = [0, 1].map(|side| sub(further[side].s, at[side].s));
        let mut square = |normal: Vec3, vector: Vec3, what: &str| {
            push(Law::Square { normal, vector }, joint.bodies, what);
        };
        match line {
            None if norm(d[0]) > flat && layout.planar => {
                push(Law::NoTurn, joint.bodies, "turn");
                break;
            }
            None if norm(d[0]) > flat => {
                let e = d.map(unit);
                let n = any_perpendicular(e[0]);
                square(n, e[1], "tilt 1");
                square(cross(e[0], n), e[1], "tilt 2");
                line = Some(e);
            }
            Some(e) if norm(cross(e[0], d[0])) > flat => {
                let across = [0, 1].map(|side| unit(cross(e[side], d[side])));
                square(across[0], cross(across[1], e[1]), "turn");
                break;
            }
            _ => {}
        }
    }
}

/// What the kind of a joint demands beyond shared nodes.
fn directions(
    mechanism: &Mechanism,
    layout: &Layout,
    joint: &MechanismJoint,
    bodies: [BodyIndex; 2],
    push: &mut dyn FnMut(Law, [BodyIndex; 2], &str),
) {
    let frame = Frame::new(joint.axis, joint.axis2, layout.planar);
    let at = [0, 1].map(|side| mechanism.spot(bodies[side], joint.points[side]));
    for demand in joint.kind.freedom(layout.planar).demands {
        match *demand {
            Demand::Across(vector, what) => push(Law::Line { at, normal: frame.of(vector) }, bodies, what),
            Demand::Square(_, _, what) if layout.planar => push(Law::NoTurn, bodies, what),
            Demand::Square(normal, vector, what) => {
                push(Law::Square { normal: frame.of(normal), vector: frame.of(vector) }, bodies, what);
            }
            Demand::Distance(what) => {
                for &row in &joint.rows {
                    if let Constraint::Distance(d) = &mechanism.rows.list[row].constraint {
                        push(Law::Distance { at, length: d.length }, bodies, what);
                    }
                }
            }
        }
    }
}
