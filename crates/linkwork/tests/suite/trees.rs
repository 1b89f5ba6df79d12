//! Random trees of links and states for the tests of the recursive kernels.

#![allow(dead_code)] // each test file uses its part

use linkwork::recursive::{Dynamics, Link, LinkJoint, Tree};

pub type Vec3 = [f64; 3];
pub type Mat3 = [Vec3; 3];

/// Numbers in (−1, 1) that are the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vec3 {
        [self.next(), self.next(), self.next()]
    }

    pub fn unit(&mut self) -> Vec3 {
        let v = self.vector();
        let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.map(|x| x / size)
    }

    pub fn quaternion(&mut self) -> [f64; 4] {
        let q: [f64; 4] = [self.next(), self.next(), self.next(), self.next()];
        let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        q.map(|x| x / size)
    }

    pub fn list(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }

    /// One of so many.
    pub fn pick(&mut self, n: usize) -> usize {
        ((self.next() + 1.0) / 2.0 * n as f64) as usize
    }
}

pub fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

pub fn transposed(a: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

pub fn times(a: &Mat3, v: Vec3) -> Vec3 {
    a.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The rotation of a quaternion.
pub fn rotation([w, x, y, z]: [f64; 4]) -> Mat3 {
    let s = 2.0 / (w * w + x * x + y * y + z * z);
    [
        [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
    ]
}

/// a b
pub fn quaternion_product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// What joints a random tree has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mix {
    Revolute,
    Axes,
    All,
}

/// A random link with a mass.
pub fn link(random: &mut Random, parent: Option<usize>, joint: LinkJoint) -> Link {
    let turn = rotation(random.quaternion());
    let own = |random: &mut Random| 0.02 + 0.02 * (random.next() + 1.0);
    let (a, b, c) = (own(random), own(random), own(random));
    let principal = [[b + c, 0.0, 0.0], [0.0, a + c, 0.0], [0.0, 0.0, a + b]];
    let tilt = rotation(random.quaternion());
    Link {
        parent,
        joint,
        rotation: turn,
        translation: random.vector().map(|x| 0.3 * x),
        mass: 1.0 + 0.5 * random.next(),
        com: random.vector().map(|x| 0.2 * x),
        inertia: product(&tilt, &product(&principal, &transposed(&tilt))),
        spare: [[0.0; 3]; 3],
    }
}

/// Links of a random tree: a link hangs on the one before it with a probability of `straight`, else on any.
pub fn links(random: &mut Random, n: usize, mix: Mix, straight: f64) -> Vec<Link> {
    let mut all = Vec::with_capacity(n);
    for i in 0..n {
        let parent = match i {
            0 => None,
            _ if (random.next() + 1.0) / 2.0 < straight => Some(i - 1),
            _ if random.pick(12) == 0 => None,
            _ => Some(random.pick(i)),
        };
        let axis = random.unit();
        let joint = match (mix, random.pick(8)) {
            (Mix::Revolute, _) => LinkJoint::revolute(axis),
            (Mix::All, 0) => LinkJoint::Ball,
            (Mix::All, 1 | 2) if parent.is_none() => LinkJoint::Free,
            (_, 3) => LinkJoint::prismatic(axis),
            (_, 4) => LinkJoint::screw(axis, 0.1),
            (_, 5) => LinkJoint::Axis { axis, turn: 0.7, slide: 0.2 },
            _ => LinkJoint::revolute(axis),
        };
        all.push(link(random, parent, joint));
    }
    if mix == Mix::All {
        all[0].joint = LinkJoint::Free;
        if let Some(second) = all.get_mut(1).filter(|l| l.parent.is_some()) {
            second.joint = LinkJoint::Ball;
        }
    }
    all
}

pub const GRAVITY: Vec3 = [0.4, -1.1, -9.7];

pub fn tree(random: &mut Random, n: usize, mix: Mix, straight: f64) -> (Vec<Link>, Tree) {
    let links = links(random, n, mix, straight);
    let tree = Tree::new(&links, GRAVITY).unwrap();
    (links, tree)
}

/// Coordinates at random, quaternions of length one.
pub fn coordinates(random: &mut Random, links: &[Link]) -> Vec<f64> {
    let mut q = Vec::new();
    for link in links {
        match link.joint {
            LinkJoint::Axis { turn, .. } => q.push(if turn == 0.0 { 0.3 } else { 3.0 } * random.next()),
            LinkJoint::Ball => q.extend(random.quaternion()),
            LinkJoint::Free => {
                q.extend(random.vector());
                q.extend(random.quaternion());
            }
        }
    }
    q
}

/// Moves a mechanism from q by δ along a rate: what a rate δ/t does in a short time t.
pub fn displace(links: &[Link], dynamics: &mut Dynamics, q: &[f64], rate: usize, by: f64) -> Vec<f64> {
    let mut out = q.to_vec();
    let zeros = vec![0.0; dynamics.tree().u_count()];
    for (i, link) in links.iter().enumerate() {
        let (at, first) = dynamics.tree().first(i);
        let count = link.joint.counts().1;
        if !(first..first + count).contains(&rate) {
            continue;
        }
        let k = rate - first;
        let at = match (link.joint, k) {
            (LinkJoint::Axis { .. }, _) | (LinkJoint::Free, 0..3) => {
                out[at + k] += by;
                return out;
            }
            (LinkJoint::Ball, _) => at,
            (LinkJoint::Free, _) => at + 3,
        };
        dynamics.place(q, &zeros);
        let own: [f64; 4] = std::array::from_fn(|c| q[at + c]);
        // the joint's side of the parent, in the world
        let before = product(&dynamics.motion(i).rotation, &transposed(&rotation(own)));
        let axis = transposed(&before).map(|row| row[k % 3]);
        let (s, c) = (0.5 * by).sin_cos();
        let turned = quaternion_product([c, s * axis[0], s * axis[1], s * axis[2]], own);
        out[at..at + 4].copy_from_slice(&turned);
        return out;
    }
    unreachable!("there is no rate {rate}");
}

pub fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// The largest difference, as a part of the largest number.
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    difference(a, b) / largest(b).max(1e-300)
}

/// The same, or the difference itself where all numbers are below one.
pub fn off(a: &[f64], b: &[f64]) -> f64 {
    difference(a, b) / largest(b).max(1.0)
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    assert!(a.iter().chain(b).all(|x| !x.is_nan()), "a NaN");
    a.iter().zip(b).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}
