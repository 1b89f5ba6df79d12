//! Joint variables: how many each branch has, where they stand in the state, and their start values.
//!
//! A branch lets its body move relative to its parent by a translation and a rotation ([`Part`]):
//!
//! | joint | translation | rotation |
//! |---|---|---|
//! | revolute | – | about the axis |
//! | prismatic | along the axis | – |
//! | cylindrical | along the axis | about the axis |
//! | point on line | along the axis | any (in the plane: about z) |
//! | spherical | – | any |
//! | universal | – | any; keeps the row between its axes |
//! | fixed | – | – |
//! | floating | any | any (in the plane: about z) |
//!
//! Any rotation in space is a quaternion (w, x, y, z) of the body relative to its parent, with the relative
//! angular velocity in world axes as its rate. Variables are zero, and quaternions one, as drawn.

use crate::linalg::quaternion;
use crate::linalg::spatial::relative_rotation;
use crate::linalg::vec3::{Vec3, apply, apply_transposed, cross, dot, sub};
use crate::mechanism::{BodyIndex, Mechanism, Part, Rotation, Translation, Tree};
use crate::model::Dimension;

/// A branch of the tree with its variables.
#[derive(Clone, Debug)]
pub struct BranchVariables {
    /// The body it carries.
    pub body: usize,
    /// The body it hangs on.
    pub parent: BodyIndex,
    /// Joint, unless it floats.
    pub joint: Option<usize>,
    /// Whether the body is the joint's first body: the axis is then fixed in the body itself.
    pub reversed: bool,
    /// The joint's point on the parent, as drawn.
    pub at_parent: Vec3,
    /// The joint's point on the body, as drawn.
    pub at_body: Vec3,
    /// Axis, as drawn.
    pub axis: Vec3,
    /// How it shifts.
    pub translation: Translation,
    /// How it turns.
    pub rotation: Rotation,
    /// First coordinate of the translation, then of the rotation.
    pub q: [usize; 2],
    /// First rate of the translation, then of the rotation.
    pub u: [usize; 2],
}

/// All joint variables of a mechanism.
#[derive(Clone, Debug)]
pub struct Variables {
    /// The tree.
    pub tree: Tree,
    /// Branches, each after its parent's.
    pub branches: Vec<BranchVariables>,
    /// Number of coordinates (a quaternion counts four).
    pub q_count: usize,
    /// Number of rates: the joint variables proper.
    pub u_count: usize,
    dimension: Dimension,
}

impl Variables {
    /// Lays out the variables of a mechanism's spanning tree.
    pub fn new(mechanism: &Mechanism) -> Self {
        let tree = Tree::new(mechanism);
        let dimension = mechanism.dimension();
        let planar = dimension == Dimension::Planar;
        let mut branches = Vec::with_capacity(tree.order.len());
        let (mut q, mut u) = (0, 0);
        for &body in &tree.order {
            let branch = tree.branches[body];
            let (translation, rotation) = match branch.joint {
                None => (Translation::Free, Rotation::Ball),
                Some(j) => Part::of(mechanism.joints[j].kind).motion(),
            };
            let rotation = if planar && rotation == Rotation::Ball { Rotation::Axis } else { rotation };
            let (at_parent, at_body, axis) = match branch.joint {
                None => ([0.0; 3], mechanism.bodies[body].particles.properties.com, [1.0, 0.0, 0.0]),
                Some(j) => {
                    let joint = &mechanism.joints[j];
                    // on shared nodes both sides are one; the first shared node serves
                    let nodes = joint.shared.first().map_or(joint.points, |&n| [n, n]);
                    let [on_first, on_second] = [0, 1].map(|s| mechanism.drawn_on(joint.bodies[s], nodes[s]));
                    let axis = joint.axis.unwrap_or([1.0, 0.0, 0.0]);
                    if branch.reversed { (on_second, on_first, axis) } else { (on_first, on_second, axis) }
                }
            };
            let (shift, turn_u) = (translation.count(dimension.columns()), rotation.rates());
            let turn_q = turn_u + usize::from(rotation == Rotation::Ball); // a quaternion
            branches.push(BranchVariables {
                body,
                parent: branch.parent,
                joint: branch.joint,
                reversed: branch.reversed,
                at_parent,
                at_body,
                axis,
                translation,
                rotation,
                q: [q, q + shift],
                u: [u, u + shift],
            });
            q += shift + turn_q;
            u += shift + turn_u;
        }
        Variables { tree, branches, q_count: q, u_count: u, dimension }
    }

    /// The direction a branch turns about, as drawn: z in the plane.
    pub fn turning_axis(&self, branch: &BranchVariables) -> Vec3 {
        if self.dimension == Dimension::Planar { [0.0, 0.0, 1.0] } else { branch.axis }
    }

    /// Start values of coordinates and rates, from the assembled mechanism.
    pub fn start(&self, mechanism: &Mechanism) -> (Vec<f64>, Vec<f64>) {
        let motions = mechanism.start_motions();
        let (mut q, mut u) = (vec![0.0; self.q_count], vec![0.0; self.u_count]);
        for branch in &self.branches {
            let of = |body: BodyIndex| mechanism.start_of(&motions, body);
            let (parent, body) = (of(branch.parent), of(Some(branch.body)));
            let ((p, v_p), (c, v_c)) = (parent.place(branch.at_parent), body.place(branch.at_body));
            let (parent, body) = (&parent.motion, &body.motion);
            let [qt, qr] = branch.q;
            let [ut, ur] = branch.u;
            match branch.translation {
                Translation::None => {}
                Translation::Slide => {
                    // from the point on the first body to that on the second, along the first's axis
                    let (first, d, d_dot) = if branch.reversed {
                        (body, sub(p, c), sub(v_p, v_c))
                    } else {
                        (parent, sub(c, p), sub(v_c, v_p))
                    };
                    let a = apply(&first.turned, branch.axis);
                    q[qt] = dot(a, d);
                    u[ut] = dot(a, sub(d_dot, cross(first.w, d)));
                }
                Translation::Free => {
                    let n = qr - qt;
                    q[qt..qr].copy_from_slice(&c[..n]);
                    u[ut..ur].copy_from_slice(&v_c[..n]);
                }
            }
            let w_rel = sub(body.w, parent.w);
            match branch.rotation {
                Rotation::None => {}
                Rotation::Axis => {
                    let axis = self.turning_axis(branch);
                    let e = crate::linalg::vec3::any_perpendicular(axis);
                    let turned = apply_transposed(&parent.turned, apply(&body.turned, e));
                    q[qr] = dot(turned, cross(axis, e)).atan2(dot(turned, e));
                    u[ur] = dot(apply(&parent.turned, axis), w_rel);
                }
                Rotation::Ball => {
                    let relative = relative_rotation(&parent.turned, &body.turned);
                    q[qr..qr + 4].copy_from_slice(&quaternion::of_matrix(&relative));
                    u[ur..ur + 3].copy_from_slice(&w_rel);
                }
            }
        }
        (q, u)
    }
}
