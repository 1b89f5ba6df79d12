//! A tree of links: what the kernels of this folder work on.
//!
//! A link hangs on another, or on the ground, by a joint. Its frame stands where the joint is; `rotation` and `translation`
//! place it in the parent's frame when the joint's coordinates are zero:
//!
//! | joint | q | u (rates) | generalised force |
//! |---|---|---|---|
//! | [`LinkJoint::Axis`] | turn about, or path along, the axis | its rate | moment about, or force along, the axis |
//! | [`LinkJoint::Ball`] | quaternion (w, x, y, z) relative to the parent | relative angular velocity in world axes | moment in world axes |
//! | [`LinkJoint::Free`] | position of the frame, quaternion | velocity of it, angular velocity, in world axes | force, moment in world axes |
//!
//! A joint of two or three axes is a row of links, all but the last without mass. Links that do not move relative to their parents are
//! not links: their mass belongs to the parent.
//!
//! Building turns every frame so that its z is the axis, and splits the tree into *groups*, each with a reference point of its own
//! (see [`super::steps`]).

use super::lane::{PACK, Pack};
use crate::linalg::spatial::transposed;
use crate::linalg::vec3::{
    IDENTITY, Mat3, Vec3, add, any_perpendicular, apply, apply_transposed, cross, norm, scale, sub,
};

/// How a link moves relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkJoint {
    /// One coordinate q: a turn by `turn`·q about the axis and a path `slide`·q along it. (1, 0) is a revolute joint, (0, 1) a
    /// prismatic one, (1, pitch) a screw.
    Axis {
        /// Unit vector in the link's own frame.
        axis: Vec3,
        /// Turn per unit of q.
        turn: f64,
        /// Path per unit of q, m.
        slide: f64,
    },
    /// A ball joint.
    Ball,
    /// No joint: the link floats. Only on the ground.
    Free,
}

impl LinkJoint {
    /// Turns about an axis.
    pub fn revolute(axis: Vec3) -> Self {
        LinkJoint::Axis { axis, turn: 1.0, slide: 0.0 }
    }

    /// Slides along an axis.
    pub fn prismatic(axis: Vec3) -> Self {
        LinkJoint::Axis { axis, turn: 0.0, slide: 1.0 }
    }

    /// Turns about an axis and moves on along it by `pitch` metres a radian.
    pub fn screw(axis: Vec3, pitch: f64) -> Self {
        LinkJoint::Axis { axis, turn: 1.0, slide: pitch }
    }

    /// Coordinates and rates.
    pub fn counts(self) -> (usize, usize) {
        match self {
            LinkJoint::Axis { .. } => (1, 1),
            LinkJoint::Ball => (4, 3),
            LinkJoint::Free => (7, 6),
        }
    }
}

/// A link.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The link it hangs on, which comes before it; `None` is the ground.
    pub parent: Option<usize>,
    /// How it moves.
    pub joint: LinkJoint,
    /// Its frame in the parent's at q = 0.
    pub rotation: Mat3,
    /// Its origin in the parent's frame, m.
    pub translation: Vec3,
    /// kg.
    pub mass: f64,
    /// Centre of mass in the link's frame, m.
    pub com: Vec3,
    /// About the centre of mass, in the link's frame, kg m².
    pub inertia: Mat3,
    /// Inertia of the joint's own motion in directions that move nothing: a matrix in the link's frame, of which an axis takes the
    /// part about itself. Zero unless a rod turns about its own line.
    pub spare: Mat3,
}

impl Link {
    /// A link without mass.
    pub fn massless(parent: Option<usize>, joint: LinkJoint, rotation: Mat3, translation: Vec3) -> Self {
        Link {
            parent,
            joint,
            rotation,
            translation,
            mass: 0.0,
            com: [0.0; 3],
            inertia: [[0.0; 3]; 3],
            spare: [[0.0; 3]; 3],
        }
    }
}

/// What is wrong with a list of links.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeFault {
    /// A parent that does not come before its child.
    #[error("link {link} hangs on link {parent}, which does not come before it")]
    Order {
        /// The link.
        link: usize,
        /// Its parent.
        parent: usize,
    },
    /// A floating link on another link.
    #[error("link {link} floats, but hangs on link {parent}")]
    Floating {
        /// The link.
        link: usize,
        /// Its parent.
        parent: usize,
    },
    /// A number that cannot be.
    #[error("link {link}: {what}")]
    Number {
        /// The link.
        link: usize,
        /// What is wrong.
        what: &'static str,
    },
}

/// The kinds of joints that the kernels tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Axis,
    Ball,
    Free,
}

/// No parent.
pub(crate) const NONE: u32 = u32::MAX;

/// Where a link hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub kind: Kind,
    /// Whether the link begins a group: its joint is the reference point.
    pub begins: bool,
    /// Whether it hangs on the link just before it.
    pub follows: bool,
    /// The fork that it hangs on, unless it follows or hangs on the ground.
    pub from: u32,
    /// The fork that it is, if links hang on it that do not follow it.
    pub fork: u32,
    /// Its group.
    pub group: u32,
    pub q: u32,
    pub u: u32,
}

/// Constant numbers of a link, in cells of any kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Constants<C> {
    /// Columns of E: the frame in the parent's.
    pub e: [[C; 3]; 3],
    pub t: [C; 3],
    pub turn: C,
    pub slide: C,
    pub mass: C,
    pub c: [C; 3],
    /// j33; (j11 − j33)/2, j12, j13; (j22 − j33)/2, j23
    pub j: [C; 6],
}

/// A compiled tree.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) places: Vec<Place>,
    pub(crate) parents: Vec<u32>,
    pub(crate) constants: Vec<Constants<f64>>,
    pub(crate) masses: Vec<f64>,
    /// The same in packs of neighbouring links.
    pub(crate) packed: Vec<Constants<Pack>>,
    /// Inertia of idle spins, by link: see [`Link::spare`]. Empty if there is none.
    pub(crate) spare: Vec<Mat3>,
    /// How each frame was turned so that z is the axis: columns are the new axes in the old frame.
    pub(crate) turned: Vec<Mat3>,
    pub(crate) groups: usize,
    pub(crate) forks: usize,
    /// Each group's parent group.
    pub(crate) group_parents: Vec<u32>,
    pub(crate) gravity: Vec3,
    pub(crate) q_count: usize,
    pub(crate) u_count: usize,
}

/// Links in a row that share a reference point at most.
const GROUP_DEPTH: usize = 24;
/// Indices are kept in 32 bits, seven coordinates a link.
const MOST_LINKS: usize = 500_000_000;

fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

/// Rows of a rotation whose columns are x, y and the axis.
fn frame_about(axis: Vec3) -> Mat3 {
    let x = any_perpendicular(axis);
    let y = cross(axis, x);
    transposed(&[x, y, axis])
}

fn faults_of(i: usize, link: &Link) -> Option<TreeFault> {
    if let Some(parent) = link.parent {
        if parent >= i {
            return Some(TreeFault::Order { link: i, parent });
        }
        if link.joint == LinkJoint::Free {
            return Some(TreeFault::Floating { link: i, parent });
        }
    }
    let number = |what| Some(TreeFault::Number { link: i, what });
    let finite = |m: &Mat3| m.iter().flatten().all(|x| x.is_finite());
    if !(finite(&link.rotation) && finite(&[link.translation, link.com, [link.mass, 0.0, 0.0]])) {
        return number("a number is not finite");
    }
    if !(finite(&link.inertia) && finite(&link.spare)) {
        return number("a number of its inertia is not finite");
    }
    if link.mass < 0.0 {
        return number("its mass is negative");
    }
    let square = product(&transposed(&link.rotation), &link.rotation);
    if square.iter().flatten().zip(IDENTITY.iter().flatten()).any(|(a, b)| (a - b).abs() > 1e-9) {
        return number("its rotation is not orthonormal");
    }
    if let LinkJoint::Axis { axis, turn, slide } = link.joint {
        if !((norm(axis) - 1.0).abs() < 1e-9 && turn.is_finite() && slide.is_finite()) {
            return number("its axis is not a unit vector");
        }
        if turn == 0.0 && slide == 0.0 {
            return number("its joint moves nothing");
        }
    }
    None
}

impl Tree {
    /// Compiles a list of links.
    pub fn new(links: &[Link], gravity: Vec3) -> Result<Self, TreeFault> {
        if let Some(fault) = links.iter().enumerate().find_map(|(i, link)| faults_of(i, link)) {
            return Err(fault);
        }
        let n = links.len();
        if n > MOST_LINKS {
            return Err(TreeFault::Number { link: n, what: "there are too many links" });
        }
        let mut places: Vec<Place> = Vec::with_capacity(n);
        let mut depth = vec![0usize; n];
        // what slides on the ground may go far: what hangs on it gets a reference point that goes along
        let mut travels = vec![false; n];
        let (mut q, mut u, mut forks) = (0usize, 0usize, 0u32);
        let mut group_parents: Vec<u32> = Vec::new();
        for (i, link) in links.iter().enumerate() {
            let kind = match link.joint {
                LinkJoint::Axis { .. } => Kind::Axis,
                LinkJoint::Ball => Kind::Ball,
                LinkJoint::Free => Kind::Free,
            };
            let slides = matches!(link.joint, LinkJoint::Axis { slide, .. } if slide != 0.0);
            travels[i] = slides && link.parent.is_none_or(|p| travels[p]);
            let begins = match link.parent {
                None => true,
                Some(p) => kind != Kind::Axis || travels[p] || depth[p] + 1 >= GROUP_DEPTH,
            };
            depth[i] = if begins { 0 } else { link.parent.map_or(0, |p| depth[p] + 1) };
            let group = match link.parent {
                Some(p) if !begins => places[p].group,
                _ => {
                    group_parents.push(link.parent.map_or(NONE, |p| places[p].group));
                    group_parents.len() as u32 - 1
                }
            };
            let follows = i > 0 && link.parent == Some(i - 1);
            let from = match link.parent {
                Some(p) if !follows => {
                    if places[p].fork == NONE {
                        places[p].fork = forks;
                        forks += 1;
                    }
                    places[p].fork
                }
                _ => NONE,
            };
            let (first_q, first_u) = (q as u32, u as u32);
            places.push(Place { kind, begins, follows, from, fork: NONE, group, q: first_q, u: first_u });
            let (nq, nu) = link.joint.counts();
            q += nq;
            u += nu;
        }
        let turned: Vec<Mat3> = links
            .iter()
            .map(|link| match link.joint {
                LinkJoint::Axis { axis, .. } => frame_about(axis),
                LinkJoint::Ball | LinkJoint::Free => IDENTITY,
            })
            .collect();
        let constants: Vec<Constants<f64>> = links
            .iter()
            .zip(&turned)
            .map(|(link, own)| {
                let above = link.parent.map_or(IDENTITY, |p| turned[p]);
                let e = product(&transposed(&above), &product(&link.rotation, own));
                let j = product(&transposed(own), &product(&link.inertia, own));
                let (turn, slide) = match link.joint {
                    LinkJoint::Axis { turn, slide, .. } => (turn, slide),
                    LinkJoint::Ball | LinkJoint::Free => (0.0, 0.0),
                };
                Constants {
                    e: transposed(&e),
                    t: apply_transposed(&above, link.translation),
                    turn,
                    slide,
                    mass: link.mass,
                    c: apply_transposed(own, link.com),
                    j: [
                        j[2][2],
                        0.5 * (j[0][0] - j[2][2]),
                        0.5 * (j[0][1] + j[1][0]),
                        0.5 * (j[0][2] + j[2][0]),
                        0.5 * (j[1][1] - j[2][2]),
                        0.5 * (j[1][2] + j[2][1]),
                    ],
                }
            })
            .collect();
        let spare = match links.iter().any(|l| l.spare != [[0.0; 3]; 3]) {
            true => {
                let spare = |(l, own): (&Link, &Mat3)| product(&transposed(own), &product(&l.spare, own));
                links.iter().zip(&turned).map(spare).collect()
            }
            false => Vec::new(),
        };
        let packed = pack(&constants);
        let parents = links.iter().map(|link| link.parent.map_or(NONE, |p| p as u32)).collect();
        let masses = links.iter().map(|link| link.mass).collect();
        Ok(Tree {
            places,
            parents,
            constants,
            masses,
            packed,
            spare,
            turned,
            groups: group_parents.len(),
            forks: forks as usize,
            group_parents,
            gravity,
            q_count: q,
            u_count: u,
        })
    }

    /// How many links there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no link at all.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Number of coordinates: a quaternion counts four.
    pub fn q_count(&self) -> usize {
        self.q_count
    }

    /// Number of rates.
    pub fn u_count(&self) -> usize {
        self.u_count
    }

    /// Where the coordinates of a link begin, and its rates.
    pub fn first(&self, link: usize) -> (usize, usize) {
        (self.places[link].q as usize, self.places[link].u as usize)
    }

    /// The parent of a link.
    pub fn parent(&self, link: usize) -> Option<usize> {
        Some(self.parents[link]).filter(|&p| p != NONE).map(|p| p as usize)
    }

    /// Whether the links of another tree hang in the same way, by joints of the same kinds: what eight trees side by side must.
    pub fn is_like(&self, other: &Tree) -> bool {
        self.places == other.places
            && self.parents == other.parents
            && self.spare.is_empty() == other.spare.is_empty()
    }

    /// Gravity, m/s².
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// Mass of a link and its centre of mass in the link's own frame.
    pub fn mass(&self, link: usize) -> (f64, Vec3) {
        let c = &self.constants[link];
        (c.mass, apply(&self.turned[link], c.c))
    }
}

/// Constants of neighbouring links side by side; what is beyond the last link is the identity without mass.
fn pack(constants: &[Constants<f64>]) -> Vec<Constants<Pack>> {
    let identity = Constants { e: IDENTITY, ..Default::default() };
    (0..constants.len().div_ceil(PACK))
        .map(|block| side_by_side(|k| constants.get(block * PACK + k).unwrap_or(&identity)))
        .collect()
}

/// Eight sets of constants in packs.
pub(crate) fn side_by_side<'a>(lane: impl Fn(usize) -> &'a Constants<f64>) -> Constants<Pack> {
    let cell = |f: &dyn Fn(&Constants<f64>) -> f64| Pack(std::array::from_fn(|k| f(lane(k))));
    Constants {
        e: std::array::from_fn(|i| std::array::from_fn(|j| cell(&|c| c.e[i][j]))),
        t: std::array::from_fn(|i| cell(&|c| c.t[i])),
        turn: cell(&|c| c.turn),
        slide: cell(&|c| c.slide),
        mass: cell(&|c| c.mass),
        c: std::array::from_fn(|i| cell(&|c| c.c[i])),
        j: std::array::from_fn(|i| cell(&|c| c.j[i])),
    }
}

/// The inertia of a mass about another point: J + m (d·d 1 − d dᵀ) with d from that point to the centre of mass.
pub fn shifted_inertia(inertia: &Mat3, mass: f64, d: Vec3) -> Mat3 {
    let square = d.iter().map(|x| x * x).sum::<f64>();
    std::array::from_fn(|i| add(inertia[i], scale(mass, sub(scale(square, IDENTITY[i]), scale(d[i], d)))))
}
