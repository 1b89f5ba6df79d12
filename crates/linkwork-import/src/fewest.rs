//! Loops closed by the fewest demands (`--loops fewest`).
//!
//! A joint that closes a loop demands what the other joints of the loop often imply: in a planar four-bar three of the five demands of its last hinge. Each such
//! demand is redundant, and leaves reactions open. Here a joint that closes a loop keeps, of the kinds that demand less, the one with the fewest demands that
//! implies the same at the zero pose. With the twists (v, w) of two bodies about the world's origin and a point p, every demand is a row
//!
//!   (F1)  d · (v₂ + w₂ × p − v₁ − w₁ × p) = 0   or   d · (w₂ − w₁) = 0
//!
//! and a kind implies the same as another one if its rows span, together with the rows of the joints before it, the same space. Joints come in an order in which
//! those with forces along them, and those that others speak of, are part of the tree where possible; they are never replaced.

use nalgebra::{DVector, Vector3};

use crate::notes::{Report, Severity};
use crate::robot::{Coordinate, End, Joint, JointKind, Quantity, Robot};
use crate::xml::quoted;

/// Rows whose part outside the span is shorter than this are within it; rows have the length of about one. The digits of files leave parts of some 1e-5, which would
/// hold a loop that is meant to move.
const WITHIN: f64 = 1e-4;

/// Most links for which this is worked out: its cost grows with the third power.
const MAX_LINKS: usize = 300;

/// A kind with the direction that it needs.
type Choice = (JointKind, Vector3<f64>);

/// Orthonormal vectors that span the rows so far.
#[derive(Clone, Default)]
struct Span(Vec<DVector<f64>>);

impl Span {
    /// What is left of a row outside the span.
    fn outside(&self, mut row: DVector<f64>) -> DVector<f64> {
        for _ in 0..2 {
            // twice: roundings of the first time go with the second
            for basis in &self.0 {
                let part = basis.dot(&row);
                row.axpy(-part, basis, 1.0);
            }
        }
        row
    }

    fn add(&mut self, row: DVector<f64>) {
        let rest = self.outside(row);
        let norm = rest.norm();
        if norm > WITHIN {
            self.0.push(rest / norm);
        }
    }

    fn with(&self, rows: Vec<DVector<f64>>) -> Span {
        let mut span = self.clone();
        rows.into_iter().for_each(|row| span.add(row));
        span
    }
}

impl Robot {
    /// Weakens joints that close loops, as far as they demand what others imply.
    pub fn close_loops_by_fewest(&mut self, report: &mut Report) {
        let outside = self.outside_loops();
        let moving = self.links.iter().filter(|link| !link.fixed).count();
        if moving > MAX_LINKS {
            let what = format!("loops of a robot with more than {MAX_LINKS} links");
            report.note(Severity::Assumed, &self.place.clone(), "the robot", what, "kept as given");
            return;
        }
        let needed = self.needed_joints();
        let mut order: Vec<usize> = (0..self.joints.len()).collect();
        order.sort_by_key(|n| !needed[*n]);
        let world = self.links.len();
        let mut tree: Vec<usize> = (0..=world).collect();
        let mut span = Span::default();
        let mut closing = Vec::new();
        for n in order {
            let ends =
                [self.joints[n].first, self.joints[n].second].map(|end| self.moving(end).unwrap_or(world));
            let roots = ends.map(|end| root(&tree, end));
            if roots[0] != roots[1] || outside[n] {
                tree[roots[0].max(roots[1])] = roots[0].min(roots[1]);
                let joint = &self.joints[n];
                span = span.with(self.rows(joint, (joint.kind, joint.axis)));
            } else {
                closing.push(n);
            }
        }
        let axes: Vec<Vector3<f64>> =
            (0..self.joints.len()).filter(|n| !outside[*n]).map(|n| self.joints[n].axis).collect();
        for n in closing {
            let joint = &self.joints[n];
            let given = (joint.kind, joint.axis);
            let full = span.with(self.rows(joint, given));
            let weaker =
                weaker(joint, &axes).into_iter().filter(|_| !needed[n] && joint.origin_on_second.is_none());
            let chosen = weaker
                .filter(|choice| {
                    let rows = self.rows(joint, *choice);
                    rows.len() + span.0.len() >= full.0.len() && span.with(rows).0.len() == full.0.len()
                })
                .min_by_key(|(kind, _)| 6 - kind.freedoms());
            span = full;
            if let Some((kind, axis)) = chosen {
                let item = format!("joint {}", quoted(&joint.name));
                let what = format!("it closes a loop, and more than needed as `{}`", joint.kind.word());
                let done = format!("`{}`", kind.word());
                report.note(Severity::Assumed, &joint.place.clone(), item, what, done);
                let joint = &mut self.joints[n];
                (joint.kind, joint.axis) = (kind, axis);
                joint.coordinates.clear();
            }
        }
    }

    /// Joints with forces along them, and those that something else speaks of.
    fn needed_joints(&self) -> Vec<bool> {
        let mut needed: Vec<bool> = self
            .joints
            .iter()
            .map(|joint| joint.coordinates.iter().any(|c| *c != Coordinate::default()))
            .collect();
        let coupled = self.couplings.iter().flat_map(|coupling| coupling.terms.iter().map(|term| term.0));
        let pulled = self.tendons.iter().flat_map(|tendon| tendon.terms.iter().map(|term| term.0));
        let driven = self.actuators.iter().map(|actuator| actuator.joint);
        let begun = self.initial.iter().map(|initial| initial.joint);
        let measured = self.sensors.iter().filter_map(|sensor| match sensor.quantity {
            Quantity::Coordinate { joint, .. }
            | Quantity::Rate { joint, .. }
            | Quantity::Reaction { joint, .. } => Some(joint),
            _ => None,
        });
        for joint in coupled.chain(pulled).chain(driven).chain(begun).chain(measured) {
            needed[joint] = true;
        }
        needed
    }

    fn moving(&self, end: End) -> End {
        end.filter(|link| !self.links[*link].fixed)
    }

    /// (F1) of a joint as if it were of a kind.
    fn rows(&self, joint: &Joint, (kind, axis): Choice) -> Vec<DVector<f64>> {
        let reach = self.reach();
        let p = joint.origin / reach;
        let c = axis;
        let (a, b) = across(c);
        let row = |v: Vector3<f64>, w: Vector3<f64>| {
            let mut row = DVector::zeros(6 * self.links.len());
            for (end, sign) in [(joint.first, -1.0), (joint.second, 1.0)] {
                if let Some(link) = self.moving(end) {
                    let turn = p.cross(&v) + w; // v · (ω × p) = ω · (p × v)
                    for k in 0..3 {
                        row[6 * link + k] = sign * v[k];
                        row[6 * link + 3 + k] = sign * turn[k];
                    }
                }
            }
            row
        };
        let path = |d: Vector3<f64>| row(d, Vector3::zeros());
        let turn = |d: Vector3<f64>| row(Vector3::zeros(), d);
        match kind {
            JointKind::Revolute => vec![path(a), path(b), path(c), turn(a), turn(b)],
            JointKind::Prismatic => vec![path(a), path(b), turn(a), turn(b), turn(c)],
            JointKind::Cylindrical => vec![path(a), path(b), turn(a), turn(b)],
            JointKind::Universal { axis2 } => vec![path(a), path(b), path(c), turn(c.cross(&axis2))],
            JointKind::ConstantVelocity { axis2 } => {
                // equal turns about both shafts: about their bisector
                let shaft = (c + axis2 * c.dot(&axis2).signum()).try_normalize(1e-9).unwrap_or(c);
                vec![path(a), path(b), path(c), turn(shaft)]
            }
            JointKind::Spherical => vec![path(a), path(b), path(c)],
            JointKind::Planar => vec![path(c), turn(a), turn(b)],
            JointKind::Screw { pitch } => {
                let advance = pitch / (2.0 * std::f64::consts::PI * reach);
                vec![path(a), path(b), turn(a), turn(b), row(c, -c * advance)]
            }
            JointKind::Fixed => vec![path(a), path(b), path(c), turn(a), turn(b), turn(c)],
            JointKind::Floating => Vec::new(),
            JointKind::Distance { .. } => {
                let along = joint.origin_on_second.unwrap_or(joint.origin) - joint.origin;
                vec![path(along.try_normalize(1e-12).unwrap_or(c))]
            }
            JointKind::PointOnPlane => vec![path(c)],
            JointKind::PointOnLine => vec![path(a), path(b)],
        }
    }
}

fn root(tree: &[usize], mut link: usize) -> usize {
    while tree[link] != link {
        link = tree[link];
    }
    link
}

/// Two directions square to one and to each other.
fn across(c: Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let least = c.iamin();
    let a = c.cross(&Vector3::ith(least, 1.0)).normalize();
    (a, c.cross(&a))
}

/// Kinds that demand less than a joint, with directions from the axes of the loops.
fn weaker(joint: &Joint, axes: &[Vector3<f64>]) -> Vec<Choice> {
    let c = joint.axis;
    let mut normals: Vec<Vector3<f64>> = axes.iter().filter_map(|d| c.cross(d).try_normalize(1e-6)).collect();
    let (a, b) = across(c);
    normals.extend([a, b]);
    let planes = |directions: &[Vector3<f64>]| -> Vec<Choice> {
        directions.iter().map(|n| (JointKind::PointOnPlane, *n)).collect()
    };
    match joint.kind {
        JointKind::Revolute => {
            let mut list = planes(&normals);
            list.extend([
                (JointKind::PointOnLine, c),
                (JointKind::Spherical, c),
                (JointKind::Cylindrical, c),
            ]);
            list
        }
        JointKind::Prismatic => {
            let mut list = planes(&normals);
            list.push((JointKind::PointOnLine, c));
            list.extend(normals.iter().map(|n| (JointKind::Planar, *n)));
            list.push((JointKind::Cylindrical, c));
            list
        }
        JointKind::Cylindrical => {
            let mut list = planes(&normals);
            list.push((JointKind::PointOnLine, c));
            list
        }
        JointKind::Spherical => {
            let mut list = planes(axes);
            list.extend(axes.iter().map(|axis| (JointKind::PointOnLine, *axis)));
            list
        }
        _ => Vec::new(),
    }
}
