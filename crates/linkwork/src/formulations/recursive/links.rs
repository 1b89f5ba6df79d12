//! A mechanism as a tree of links, and its start in their coordinates.
//!
//! A branch of the spanning tree becomes one link, or several in a row of which the last carries the body:
//!
//! the [steps](crate::joints::Steps) of its kind, or a slide and a turn or a ball, as its [part](Part) says. A universal joint of a rod is a ball and a kept row.
//! A body that is fixed is part of its parent's link, one that floats a free link; in the plane two slides and a turn.
//!
//! In the plane every ball is a turn about z. The frame of every link has the axes of the drawing, so that its rotation is that of its
//! bodies since the drawing; a place X of a body as drawn is at X − origin in its link's frame.

use crate::formulations::tree::spare_inertia;
use crate::interactions::{Coupling, CouplingOwner};
use crate::interactions::{DrawnMotion, Motion};
use crate::joints::{self, Coordinate, LinkStep, Steps, Vector};
use crate::linalg::quaternion;
use crate::linalg::spatial::{relative_rotation, transposed};
use crate::linalg::vec3::{
    IDENTITY, Mat3, Vec3, add, any_perpendicular, apply, cross, dot, scale, sub, unit,
};
use crate::mechanism::{
    BodyIndex, Branch as SpanningBranch, Frame, JointInertia, Mechanism, Part, Rotation, Translation,
    Tree as SpanningTree,
};
use crate::model::{Dimension, JointKind};
use crate::recursive::{Link, LinkJoint, Tree, shifted_inertia};

/// Where a body is in the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPlace {
    /// Its link; `None`: it is fixed to the ground.
    pub link: Option<usize>,
    /// The origin of the link's frame in the body's own drawing.
    pub origin: Vec3,
}

/// A coordinate of a joint that is, but for its sign and whole turns, the coordinate of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkCoordinate {
    /// The joint.
    pub joint: usize,
    /// Which of its coordinates.
    pub index: usize,
    /// The link.
    pub link: usize,
    /// One; minus one where the link's body is the first of the joint.
    pub sign: f64,
}

/// The links of a mechanism.
#[derive(Clone, Debug)]
pub struct Links {
    /// The spanning tree.
    pub spanning: SpanningTree,
    /// The links.
    pub list: Vec<Link>,
    /// The body that each link belongs to.
    pub of_link: Vec<usize>,
    /// Where each body is.
    pub places: Vec<BodyPlace>,
    /// Coordinates of joints that are those of links.
    pub coordinates: Vec<LinkCoordinate>,
    /// The link that each inertia of a joint is on; `None` where its coordinate is not that of a link.
    pub inertias: Vec<Option<usize>>,
    z: bool,
}

/// What a kind of joint can be in the spanning tree: those with steps of their own always carry.
pub(super) fn part_of(kind: JointKind) -> Part {
    match kind.descriptor().steps {
        Some(_) => Part::carries(Translation::None, Rotation::None),
        None => Part::of(kind),
    }
}

/// How many equations the joints that are not in the tree make.
pub(crate) fn cut_rows(mechanism: &Mechanism) -> usize {
    let cut = SpanningTree::with_parts(mechanism, part_of).cut;
    let rows = |&j: &usize| {
        let joint = &mechanism.joints[j];
        joint.shared.len() * mechanism.columns() + joint.rows.len()
    };
    cut.iter().map(rows).sum()
}

/// One step of a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Turn(Vec3),
    Slide(Vec3),
    /// Axis, and path per radian.
    Screw(Vec3, f64),
    Ball,
    Free,
}

/// The steps of a branch, and the joint's point on the parent and on the body as drawn.
struct Branch {
    steps: Vec<Step>,
    at_parent: Vec3,
    at_body: Vec3,
}

impl Branch {
    /// The step whose coordinate is, but for its sign, a coordinate of the joint.
    fn step_of(&self, own: Option<Steps>, reversed: bool, coordinate: Coordinate) -> Option<usize> {
        match (own, coordinate) {
            (Some(own), coordinate) => {
                // paths across the axis are along vectors of the first body
                let seen = matches!(coordinate, Coordinate::Path(_)) && reversed;
                let step = own.list.iter().position(|&step| coordinate.is_of(step)).filter(|_| !seen)?;
                Some(if own.turn_round && reversed { own.list.len() - 1 - step } else { step })
            }
            (None, Coordinate::Path(Vector::Axis)) => {
                self.steps.iter().position(|step| matches!(step, Step::Slide(_)))
            }
            (None, Coordinate::Turn(_)) => self.steps.iter().position(|step| matches!(step, Step::Turn(_))),
            _ => None,
        }
    }
}

/// The steps of a kind of joint that has its own. Not where rows are kept and the body is thin: a body without inertia about its own line does not tell how
/// a cross turns about it.
fn own_steps(mechanism: &Mechanism, kind: JointKind, body: usize) -> Option<Steps> {
    let steps = kind.descriptor().steps?;
    (!(keeps_rows(kind) && thin(mechanism, body))).then_some(steps)
}

/// Whether a kind keeps rows where it carries by a translation and a rotation.
fn keeps_rows(kind: JointKind) -> bool {
    matches!(Part::of(kind), Part::Carries { kept, .. } if kept > 0)
}

const Z: Vec3 = [0.0, 0.0, 1.0];

/// Whether a body in space is a rod or a particle.
fn thin(mechanism: &Mechanism, body: usize) -> bool {
    mechanism.bodies[body].nodes.len() < mechanism.columns()
}

fn branch_of(mechanism: &Mechanism, spanning: &SpanningTree, body: usize) -> Branch {
    let planar = mechanism.dimension() == Dimension::Planar;
    let ball = if planar { Step::Turn(Z) } else { Step::Ball };
    let branch = spanning.branches[body];
    let Some(j) = branch.joint else {
        let steps = match planar {
            true => vec![Step::Slide(IDENTITY[0]), Step::Slide(IDENTITY[1]), Step::Turn(Z)],
            false => vec![Step::Free],
        };
        let at_body = mechanism.bodies[body].particles.properties.com;
        return Branch { steps, at_parent: [0.0; 3], at_body };
    };
    let joint = &mechanism.joints[j];
    // on shared nodes both sides are one; the first shared node serves
    let nodes = joint.shared.first().map_or(joint.points, |&n| [n, n]);
    let [on_first, on_second] = [0, 1].map(|s| mechanism.drawn_on(joint.bodies[s], nodes[s]));
    let (at_parent, at_body) = if branch.reversed { (on_second, on_first) } else { (on_first, on_second) };
    let frame = Frame::new(joint.axis, joint.axis2, false);
    let (kind, axis) = (joint.kind, frame.of(Vector::Axis));
    let steps = match own_steps(mechanism, kind, body) {
        Some(own) => {
            let step = |step: &LinkStep| match *step {
                LinkStep::Turn(about) => Step::Turn(frame.of(about)),
                LinkStep::Slide(along) => Step::Slide(frame.of(along)),
                LinkStep::Screw => {
                    let said = joint.entry.and_then(|entry| mechanism.model.joints[entry].pitch);
                    Step::Screw(axis, said.unwrap_or(0.0) / std::f64::consts::TAU)
                }
            };
            let mut steps: Vec<Step> = own.list.iter().map(step).collect();
            if own.turn_round && branch.reversed {
                steps.reverse();
            }
            steps
        }
        None => {
            let (translation, rotation) = Part::of(kind).motion();
            let slide = (translation == Translation::Slide).then_some(Step::Slide(axis));
            let turn = match rotation {
                Rotation::None => None,
                Rotation::Axis => Some(Step::Turn(if planar { Z } else { axis })),
                Rotation::Ball => Some(ball),
            };
            // a line that is the body's turns with it
            match rotation == Rotation::Ball && branch.reversed {
                true => turn.into_iter().chain(slide).collect(),
                false => slide.into_iter().chain(turn).collect(),
            }
        }
    };
    Branch { steps, at_parent, at_body }
}

impl Links {
    /// Lays out the links.
    pub fn new(mechanism: &Mechanism) -> Self {
        let mut spanning = SpanningTree::with_parts(mechanism, part_of);
        let keeps = |b: &usize| {
            let j = spanning.branches[*b].joint?;
            (keeps_rows(mechanism.joints[j].kind) && thin(mechanism, *b)).then_some(j)
        };
        spanning.kept = spanning.order.iter().filter_map(keeps).collect();
        let planar = mechanism.dimension() == Dimension::Planar;
        let spare = spare_inertia(mechanism);
        let motions = mechanism.start_motions();
        let mut list: Vec<Link> = Vec::with_capacity(mechanism.bodies.len());
        let mut of_link = Vec::with_capacity(mechanism.bodies.len());
        let mut coordinates: Vec<LinkCoordinate> = Vec::new();
        let mut places = vec![BodyPlace { link: None, origin: [0.0; 3] }; mechanism.bodies.len()];
        for &b in &spanning.order {
            let branch = branch_of(mechanism, &spanning, b);
            let above = spanning.branches[b].parent.map_or(GROUND, |p| places[p]);
            let mut translation = sub(branch.at_parent, above.origin);
            let mut parent = above.link;
            let first = list.len();
            for step in &branch.steps {
                let joint = match *step {
                    Step::Turn(axis) => LinkJoint::revolute(axis),
                    Step::Slide(axis) => LinkJoint::prismatic(axis),
                    Step::Screw(axis, lead) => {
                        // where the thread is at no turn
                        let parent = mechanism.start_of(&motions, spanning.branches[b].parent);
                        let body = mechanism.start_of(&motions, Some(b));
                        let relative = Relative::new(&parent, &body, &branch);
                        let (turn, path) =
                            (relative.turn(axis), dot(apply(&parent.motion.turned, axis), relative.d));
                        translation = add(translation, scale(path - lead * turn, axis));
                        LinkJoint::screw(axis, lead)
                    }
                    Step::Ball => LinkJoint::Ball,
                    Step::Free => LinkJoint::Free,
                };
                let mut link = Link::massless(parent, joint, IDENTITY, translation);
                link.spare = idle(mechanism, b, *step, spare, planar);
                parent = Some(list.len());
                list.push(link);
                of_link.push(b);
                translation = [0.0; 3];
            }
            if let SpanningBranch { joint: Some(joint), reversed, .. } = spanning.branches[b] {
                let kind = mechanism.joints[joint].kind;
                let sign = if reversed { -1.0 } else { 1.0 };
                let own = own_steps(mechanism, kind, b);
                let of = |(index, &coordinate): (usize, &Coordinate)| {
                    Some((index, first + branch.step_of(own, reversed, coordinate)?))
                };
                let found = kind.freedom(planar).coordinates.iter().enumerate().filter_map(of);
                coordinates.extend(found.map(|(index, link)| LinkCoordinate { joint, index, link, sign }));
            }
            let origin = match branch.steps.is_empty() {
                false => branch.at_body,
                true => sub(branch.at_body, translation),
            };
            places[b] = BodyPlace { link: parent, origin };
            if let Some(link) = parent {
                let p = &mechanism.bodies[b].particles.properties;
                let inertia = match planar {
                    // the polar moment is all a planar body has
                    true => [[0.0; 3], [0.0; 3], [0.0, 0.0, p.inertia_about_com[2][2]]],
                    false => p.inertia_about_com,
                };
                put_on(&mut list[link], p.mass, sub(p.com, origin), &inertia);
            }
        }
        let own = |inertia: &JointInertia| {
            let of = |c: &&LinkCoordinate| (c.joint, c.index) == (inertia.joint, inertia.index);
            coordinates.iter().find(of).map(|c| c.link)
        };
        let inertias: Vec<Option<usize>> = mechanism.joint_inertias.iter().map(own).collect();
        for (inertia, link) in mechanism.joint_inertias.iter().zip(&inertias) {
            if let Some(link) = *link
                && let LinkJoint::Axis { axis, .. } = list[link].joint
            {
                let along = |k: usize| scale(inertia.inertia * axis[k], axis);
                list[link].spare = std::array::from_fn(|k| add(list[link].spare[k], along(k)));
            }
        }
        Links { spanning, list, of_link, places, coordinates, inertias, z: planar }
    }

    /// Start values of coordinates and rates.
    pub fn start(&self, mechanism: &Mechanism, tree: &Tree) -> (Vec<f64>, Vec<f64>) {
        let motions = mechanism.start_motions();
        let (mut q, mut u) = (vec![0.0; tree.q_count()], vec![0.0; tree.u_count()]);
        let mut next = 0;
        for &b in &self.spanning.order {
            let branch = branch_of(mechanism, &self.spanning, b);
            if branch.steps.is_empty() {
                continue;
            }
            let (from_q, from_u) = tree.first(next);
            next += branch.steps.len();
            let of = |body: BodyIndex| mechanism.start_of(&motions, body);
            let relative = Relative::new(&of(self.spanning.branches[b].parent), &of(Some(b)), &branch);
            let (to_q, to_u) =
                if next < tree.len() { tree.first(next) } else { (tree.q_count(), tree.u_count()) };
            relative.coordinates(&branch.steps, self.z, &mut q[from_q..to_q], &mut u[from_u..to_u]);
        }
        (q, u)
    }

    /// Which link belongs to a coordinate of the state, or to a rate.
    pub fn link_of(&self, tree: &Tree, index: usize, rate: bool) -> usize {
        let first = |l: usize| if rate { tree.first(l).1 } else { tree.first(l).0 };
        let mut range = 0..self.list.len();
        while range.len() > 1 {
            let middle = range.start + range.len() / 2;
            if first(middle) <= index { range.start = middle } else { range.end = middle }
        }
        range.start
    }

    /// The inertia, or mass, that is usual in the mechanism, for a link that has none.
    pub fn stand_in(&self, mechanism: &Mechanism, link: usize) -> f64 {
        let inertia = spare_inertia(mechanism);
        match self.list[link].joint {
            LinkJoint::Axis { turn: 0.0, .. } => inertia / mechanism.size.powi(2),
            _ => inertia,
        }
    }

    /// Whether the tree keeps a coupling by itself: the thread of a screw that carries.
    pub fn keeps(&self, mechanism: &Mechanism, coupling: &Coupling) -> bool {
        let CouplingOwner::Joint(j) = coupling.owner else { return false };
        mechanism.joints[j].kind.descriptor().coupling == joints::Coupling::Thread
            && !self.spanning.cut.contains(&j)
    }

    /// The place of a body, or of the ground.
    pub fn place(&self, body: BodyIndex) -> BodyPlace {
        body.map_or(GROUND, |b| self.places[b])
    }
}

const GROUND: BodyPlace = BodyPlace { link: None, origin: [0.0; 3] };

/// Adds a body's mass to a link.
fn put_on(link: &mut Link, mass: f64, com: Vec3, inertia: &Mat3) {
    let total = link.mass + mass;
    if total == 0.0 {
        for i in 0..3 {
            link.inertia[i] = add(link.inertia[i], inertia[i]);
        }
        return;
    }
    let both = scale(1.0 / total, add(scale(link.mass, link.com), scale(mass, com)));
    let old = shifted_inertia(&link.inertia, link.mass, sub(link.com, both));
    let new = shifted_inertia(inertia, mass, sub(com, both));
    link.inertia = std::array::from_fn(|i| add(old[i], new[i]));
    link.mass = total;
    link.com = both;
}

/// The inertia of spins that move nothing: all of a particle's, a rod's about its own line.
fn idle(mechanism: &Mechanism, body: usize, step: Step, spare: f64, planar: bool) -> Mat3 {
    let body = &mechanism.bodies[body];
    let all = IDENTITY.map(|row| scale(spare, row));
    let at = &body.particles.at;
    match (body.nodes.len(), step) {
        (_, Step::Slide(_)) => [[0.0; 3]; 3],
        (1, _) => all,
        (2, _) if planar => [[0.0; 3]; 3],
        (2, step) => {
            let line = unit(sub(at[1], at[0]));
            match step {
                Step::Turn(axis) if dot(axis, line).abs() < 1.0 - 1e-9 => [[0.0; 3]; 3],
                _ => std::array::from_fn(|i| scale(spare * line[i], line)),
            }
        }
        _ => [[0.0; 3]; 3],
    }
}

/// A body against its parent at the start.
struct Relative {
    parent: Motion,
    body: Motion,
    /// Parentᵀ · body.
    turned: Mat3,
    /// From the joint's point on the parent to that on the body, and its rate.
    d: Vec3,
    d_rate: Vec3,
    c: Vec3,
    c_rate: Vec3,
}

impl Relative {
    fn new(parent: &DrawnMotion, body: &DrawnMotion, branch: &Branch) -> Self {
        let ((p, p_rate), (c, c_rate)) = (parent.place(branch.at_parent), body.place(branch.at_body));
        Relative {
            turned: relative_rotation(&parent.motion.turned, &body.motion.turned),
            d: sub(c, p),
            d_rate: sub(c_rate, p_rate),
            c,
            c_rate,
            parent: parent.motion,
            body: body.motion,
        }
    }

    /// How far the body is turned about an axis.
    fn turn(&self, axis: Vec3) -> f64 {
        let e = any_perpendicular(axis);
        let moved = apply(&self.turned, e);
        dot(moved, cross(axis, e)).atan2(dot(moved, e))
    }

    /// Coordinates and rates of the steps of a branch.
    fn coordinates(&self, steps: &[Step], planar: bool, q: &mut [f64], u: &mut [f64]) {
        let spin = sub(self.body.w, self.parent.w);
        let floats = steps == [Step::Free];
        if floats {
            q[..3].copy_from_slice(&self.c);
            q[3..].copy_from_slice(&quaternion::of_matrix(&self.turned));
            u[..3].copy_from_slice(&self.c_rate);
            u[3..].copy_from_slice(&self.body.w);
            return;
        }
        // turns about two axes: the first brings the second to where it is
        let turns: Vec<Vec3> =
            steps.iter().filter_map(|s| if let Step::Turn(axis) = s { Some(*axis) } else { None }).collect();
        let mut turned = self.turned;
        let mut spins =
            turns.iter().map(|axis| dot(apply(&self.parent.turned, *axis), spin)).collect::<Vec<_>>();
        if let [first, second] = turns[..] {
            let (a, b) = (apply(&self.parent.turned, first), apply(&self.body.turned, second));
            let (ab, at_a, at_b) = (dot(a, b), dot(a, spin), dot(b, spin));
            let k = 1.0 / (1.0 - ab * ab);
            spins = vec![k * (at_a - ab * at_b), k * (at_b - ab * at_a)];
        }
        let (mut i_q, mut i_u, mut turn) = (0, 0, 0);
        let ball_first = matches!(steps, [Step::Ball | Step::Turn(_), Step::Slide(_)]);
        for step in steps {
            match *step {
                Step::Slide(axis) => {
                    let along = if ball_first { &self.body } else { &self.parent };
                    let a = apply(&along.turned, axis);
                    q[i_q] = dot(a, self.d);
                    u[i_u] = dot(a, sub(self.d_rate, cross(along.w, self.d)));
                    (i_q, i_u) = (i_q + 1, i_u + 1);
                }
                Step::Screw(axis, _) => {
                    q[i_q] = self.turn(axis);
                    u[i_u] = dot(apply(&self.parent.turned, axis), spin);
                    (i_q, i_u) = (i_q + 1, i_u + 1);
                }
                Step::Turn(axis) => {
                    // what the turn moves: the next axis, or anything square to this one
                    let e = match turns.get(turn + 1) {
                        Some(&next) => unit(sub(next, scale(dot(next, axis), axis))),
                        None => any_perpendicular(axis),
                    };
                    let moved = match turns.get(turn + 1) {
                        Some(&next) => apply(&turned, next),
                        None => apply(&turned, e),
                    };
                    q[i_q] = dot(moved, cross(axis, e)).atan2(dot(moved, e));
                    u[i_u] = spins[turn];
                    turned = turn_back(axis, q[i_q], &turned);
                    (i_q, i_u, turn) = (i_q + 1, i_u + 1, turn + 1);
                }
                Step::Ball | Step::Free => {
                    q[i_q..i_q + 4].copy_from_slice(&quaternion::of_matrix(&self.turned));
                    u[i_u..i_u + 3].copy_from_slice(&spin);
                    (i_q, i_u) = (i_q + 4, i_u + 3);
                }
            }
        }
        debug_assert!(!planar || i_q == q.len());
    }
}

/// A rotation after a turn about an axis has been taken back: Rot(axis, −angle) · R.
fn turn_back(axis: Vec3, angle: f64, of: &Mat3) -> Mat3 {
    let (s, c) = (-angle).sin_cos();
    let turn = |v: Vec3| {
        let along = scale((1.0 - c) * dot(axis, v), axis);
        add(add(scale(c, v), along), scale(s, cross(axis, v)))
    };
    transposed(&transposed(of).map(turn))
}
