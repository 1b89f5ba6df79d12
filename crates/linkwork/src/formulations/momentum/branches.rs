//! What each joint of the tree leaves free, and with it which momentum equations its branch gives.
//!
//! | joint | force equations | moment equations about the joint's point |
//! |---|---|---|
//! | floating base | all, (2.27) | all, (2.21) |
//! | spherical, universal | – | all, (2.21) |
//! | revolute | – | along the axis, step 3 |
//! | prismatic | along the axis, step 4 | – |
//! | cylindrical | along the axis | along the axis |
//! | point on line | along the line | all |
//! | fixed | – | – |
//!
//! A joint that keeps rows leaves free what its variables do; the rows have unknowns of their own (`unknowns`).
//!
//! Step 4 of [attia2005] projects the moments (2.21) for a prismatic joint; it is a force equation like
//! (2.27) that the joint leaves without a reaction. In the plane all moments are about z.

use crate::formulations::tree::{Rotation, Translation};
use crate::linalg::vec3::{Vec3, apply, cross, norm, sub, unit};
use crate::mechanism::{BodyIndex, Mechanism, Part, Tree};

/// Where a joint's axis is read off.
#[derive(Clone, Copy, Debug)]
enum Axis {
    /// z of the plane, or a joint of the ground, or none.
    Fixed(Vec3),
    /// The line through two shared particles: step 3 of [attia2005].
    Through(usize, usize),
    /// Fixed in a body, as drawn.
    InBody(usize, Vec3),
}

/// A branch of the tree.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub body: usize,
    pub parent: BodyIndex,
    pub translation: Translation,
    pub rotation: Rotation,
    /// The node about which moments are taken.
    pub pivot: usize,
    slide: Axis,
    turn: Axis,
}

impl Branch {
    fn new(mechanism: &Mechanism, tree: &Tree, body: usize) -> Self {
        let planar = mechanism.columns() == 2;
        let branch = tree.branches[body];
        let none = Axis::Fixed([0.0, 0.0, 1.0]);
        let Some(j) = branch.joint else {
            return Branch {
                body,
                parent: branch.parent,
                translation: Translation::Free,
                rotation: if planar { Rotation::Axis } else { Rotation::Ball },
                pivot: mechanism.bodies[body].nodes[0],
                slide: none,
                turn: none,
            };
        };
        let joint = &mechanism.joints[j];
        let drawn = joint.axis.map_or(none, |u| match joint.bodies[0] {
            Some(b) => Axis::InBody(b, u),
            None => Axis::Fixed(u),
        });
        let line = shared_line(mechanism, &joint.shared);
        // without rows of its own a joint is what the shared points make it
        let bare = joint.rows.is_empty() && !joint.shared.is_empty();
        let (translation, rotation) =
            if bare { (Translation::None, Rotation::Ball) } else { Part::of(joint.kind).motion() };
        let rotation = match (&line, rotation) {
            (Shared::More, _) => Rotation::None,
            (Shared::Line(..), _) if planar => Rotation::None,
            (Shared::Line(..), Rotation::Ball) => Rotation::Axis,
            _ => rotation,
        };
        Branch {
            body,
            parent: branch.parent,
            translation,
            rotation: if planar && rotation == Rotation::Ball { Rotation::Axis } else { rotation },
            pivot: joint.points[1],
            slide: drawn,
            turn: match line {
                _ if planar => none,
                Shared::Line(a, b) => Axis::Through(a, b),
                _ => drawn,
            },
        }
    }

    /// All branches, each after its parent's.
    pub fn all(mechanism: &Mechanism, tree: &Tree) -> Vec<Branch> {
        tree.order.iter().map(|&body| Branch::new(mechanism, tree, body)).collect()
    }

    /// The direction along which the joint slides.
    pub fn sliding(&self, mechanism: &Mechanism, r: &[Vec3]) -> Vec3 {
        direction(self.slide, mechanism, r)
    }

    /// The axis about which the joint turns.
    pub fn turning(&self, mechanism: &Mechanism, r: &[Vec3]) -> Vec3 {
        direction(self.turn, mechanism, r)
    }
}

fn direction(axis: Axis, mechanism: &Mechanism, r: &[Vec3]) -> Vec3 {
    match axis {
        Axis::Fixed(u) => u,
        Axis::Through(a, b) => unit(sub(r[b], r[a])),
        Axis::InBody(b, u) => {
            let body = &mechanism.bodies[b];
            let mut now = [[0.0; 3]; 4];
            for (x, &node) in now.iter_mut().zip(&body.nodes) {
                *x = r[node];
            }
            apply(&body.particles.rotation(&now[..body.nodes.len()]), u)
        }
    }
}

/// What shared points hold.
enum Shared {
    /// At most one point.
    One,
    /// A line.
    Line(usize, usize),
    /// A plane at least: nothing moves.
    More,
}

fn shared_line(mechanism: &Mechanism, shared: &[usize]) -> Shared {
    let [first, rest @ ..] = shared else { return Shared::One };
    let off = |n: usize| sub(mechanism.start_position(n), mechanism.start_position(*first));
    // the farthest point gives the best line
    let Some(&far) = rest.iter().max_by(|&&a, &&b| norm(off(a)).total_cmp(&norm(off(b)))) else {
        return Shared::One;
    };
    let e = unit(off(far));
    if norm(off(far)) == 0.0 {
        Shared::One
    } else if rest.iter().any(|&n| norm(cross(e, off(n))) > 1e-9 * norm(off(far))) {
        Shared::More
    } else {
        Shared::Line(*first, far)
    }
}
