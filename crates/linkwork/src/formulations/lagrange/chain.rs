//! Where the bodies are, written once for any scalar.
//!
//! A point X of a body, as drawn, stands at r = R X + d. With the joint's point P on the parent, C on the body,
//! the axis u as drawn and the joint's variables:
//!
//!   (C1)  R = R_p exp(φ u)                  a turn about the axis
//!   (C2)  R = R_p R_p0ᵀ exp(δ) R_0           any turn, with R_p0, R_0 the rotations at this instant
//!   (C3)  d = P + s R_p u − R C              a slide, axis in the parent
//!         d = P − s R u − R C                a slide, axis in the body
//!         d = (x, y, z) − R C                floating
//!
//! δ are local coordinates around the present rotation, in axes carried by the parent that agree with the world's
//! now. exp(δ) = 1 + [δ] + ½[δ]² + …: nothing here is differentiated by position more than twice, and at
//! δ = 0 the terms left out have no second derivative, so (C2) is exact with these three. There
//! δ̇ is the relative angular velocity u of [`Variables`], and
//!
//!   (C4)  u̇ = δ̈ + ω_p × u
//!
//! because δ̈ is seen from the parent, and δ̇ × δ̇ = 0.
//!
//! Velocities and accelerations are no formulas of their own: they are derivatives of (C1)–(C3) by time,
//! carried by dual numbers.

use crate::formulations::tree::{BranchVariables, Rotation, Translation, Variables};
use crate::linalg::dual::{Dual, Scalar};
use crate::linalg::quaternion;
use crate::linalg::vec3::{IDENTITY, Mat3, Vec3};

pub(super) type Vector<S> = [S; 3];
pub(super) type Matrix<S> = [[S; 3]; 3];

/// A body at an instant: r = R X + d.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<S> {
    pub turned: Matrix<S>,
    pub shift: Vector<S>,
}

impl<S: Scalar> Placed<S> {
    pub fn ground() -> Self {
        Placed { turned: IDENTITY.map(|row| row.map(S::from)), shift: [S::from(0.0); 3] }
    }

    #[inline]
    pub fn place(&self, x: Vec3) -> Vector<S> {
        let turned = turn(&self.turned, x);
        three(|i| turned[i] + self.shift[i])
    }
}

impl<S: Scalar> Placed<Dual<S>> {
    /// Angular velocity, where ε is time: the axial vector of Ṙ Rᵀ.
    pub fn spin(&self) -> Vector<S> {
        let w = |i: usize, j: usize| {
            let r = &self.turned;
            (0..3).fold(S::from(0.0), |sum, k| sum + r[i][k].eps * r[j][k].re)
        };
        [w(2, 1), w(0, 2), w(1, 0)]
    }
}

/// Three entries. `std::array::from_fn` is not always inlined, and these are large.
#[inline(always)]
fn three<T>(entry: impl Fn(usize) -> T) -> [T; 3] {
    [entry(0), entry(1), entry(2)]
}

/// M x with numbers x.
#[inline]
fn turn<S: Scalar>(m: &Matrix<S>, x: Vec3) -> Vector<S> {
    three(|i| m[i][0] * x[0] + m[i][1] * x[1] + m[i][2] * x[2])
}

#[inline]
fn product<S: Scalar>(a: &Matrix<S>, b: &Matrix<S>) -> Matrix<S> {
    three(|i| three(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j]))
}

/// A B with numbers B.
#[inline]
fn product_right<S: Scalar>(a: &Matrix<S>, b: &Mat3) -> Matrix<S> {
    three(|i| three(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j]))
}

/// The numbers of (C2): R_p0ᵀ and R_0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    parent_back: Mat3,
    now: Mat3,
}

impl Around {
    const NOTHING: Around = Around { parent_back: IDENTITY, now: IDENTITY };
}

/// The bodies of a spanning tree in local coordinates, one per rate.
pub(super) struct Chain {
    pub branches: Vec<BranchVariables>,
    /// Which branch carries the parent of each branch; `None`: the ground.
    pub parents: Vec<Option<usize>>,
    /// The branch each rate belongs to.
    pub branch_of_rate: Vec<usize>,
    /// Each branch with all that hang on it, in order.
    pub beyond: Vec<Vec<usize>>,
    turning_axes: Vec<Vec3>,
    around: Vec<Around>,
    /// Local coordinates at this instant: zero for any turn.
    pub c: Vec<f64>,
}

impl Chain {
    pub fn new(variables: &Variables) -> Self {
        let branches = variables.branches.clone();
        let n = branches.len();
        let mut branch_of_body = vec![0; n];
        let mut branch_of_rate = vec![0; variables.u_count];
        let mut beyond: Vec<Vec<usize>> = (0..n).map(|b| vec![b]).collect();
        let mut parents = Vec::with_capacity(n);
        for (b, branch) in branches.iter().enumerate() {
            branch_of_body[branch.body] = b;
            let end = branches.get(b + 1).map_or(variables.u_count, |next| next.u[0]);
            branch_of_rate[branch.u[0]..end].fill(b);
            parents.push(branch.parent.map(|p| branch_of_body[p]));
            let mut up = parents[b];
            while let Some(p) = up {
                beyond[p].push(b);
                up = parents[p];
            }
        }
        Chain {
            parents,
            branch_of_rate,
            beyond,
            turning_axes: branches.iter().map(|b| variables.turning_axis(b)).collect(),
            around: vec![Around::NOTHING; n],
            c: vec![0.0; variables.u_count],
            branches,
        }
    }

    /// Rates of a branch and of all that hang on it.
    pub fn rates_beyond(&self, branch: usize) -> impl Iterator<Item = usize> + '_ {
        self.beyond[branch].iter().flat_map(|&b| {
            let end = self.branches.get(b + 1).map_or(self.c.len(), |next| next.u[0]);
            self.branches[b].u[0]..end
        })
    }

    /// Takes the coordinates of a state as the point around which local ones are counted.
    pub fn settle(&mut self, q: &[f64], placed: &mut [Placed<f64>]) {
        for b in 0..self.branches.len() {
            let branch = &self.branches[b];
            let ([qt, qr], [ut, ur]) = (branch.q, branch.u);
            self.c[ut..ur].copy_from_slice(&q[qt..qr]);
            match branch.rotation {
                Rotation::None => {}
                Rotation::Axis => self.c[ur] = q[qr],
                Rotation::Ball => {
                    self.c[ur..ur + 3].fill(0.0);
                    let parent = self.parents[b].map_or(IDENTITY, |p| placed[p].turned);
                    self.around[b] = Around {
                        parent_back: three(|i| three(|j| parent[j][i])),
                        now: product(&parent, &quaternion::matrix(&q[qr..qr + 4])),
                    };
                }
            }
            let parent = self.parents[b].map_or_else(Placed::ground, |p| placed[p]);
            placed[b] = self.carry(b, &parent, &self.c);
        }
    }

    /// (C1)–(C3): the body of a branch, from its parent and the local coordinates.
    pub fn carry<S: Scalar>(&self, b: usize, parent: &Placed<S>, c: &[S]) -> Placed<S> {
        let branch = &self.branches[b];
        let [ut, ur] = branch.u;
        let turned = match branch.rotation {
            Rotation::None => parent.turned,
            Rotation::Axis => product(&parent.turned, &about(self.turning_axes[b], c[ur])),
            Rotation::Ball => {
                let small = exponential([c[ur], c[ur + 1], c[ur + 2]]);
                let around = &self.around[b];
                let carried = product_right(&parent.turned, &around.parent_back);
                product_right(&product(&carried, &small), &around.now)
            }
        };
        let p = parent.place(branch.at_parent);
        let at: Vector<S> = match branch.translation {
            Translation::None => p,
            Translation::Slide => {
                let (axis, s) = match branch.reversed {
                    false => (turn(&parent.turned, branch.axis), c[ut]),
                    true => (turn(&turned, branch.axis), -c[ut]),
                };
                three(|i| p[i] + s * axis[i])
            }
            Translation::Free => three(|i| if ut + i < ur { c[ut + i] } else { S::from(0.0) }),
        };
        let arm = turn(&turned, branch.at_body);
        Placed { turned, shift: three(|i| at[i] - arm[i]) }
    }

    /// Carries a branch and all that hang on it; `placed` holds the rest already.
    pub fn carry_beyond<S: Scalar>(&self, branch: usize, c: &[S], placed: &mut [Placed<S>]) {
        for &b in &self.beyond[branch] {
            let parent = self.parents[b].map_or_else(Placed::ground, |p| placed[p]);
            placed[b] = self.carry(b, &parent, c);
        }
    }

    /// Carries everything.
    pub fn carry_all<S: Scalar>(&self, c: &[S], placed: &mut Vec<Placed<S>>) {
        placed.clear();
        for b in 0..self.branches.len() {
            let parent = self.parents[b].map_or_else(Placed::ground, |p| placed[p]);
            placed.push(self.carry(b, &parent, c));
        }
    }
}

/// Rotation by an angle about a unit axis.
fn about<S: Scalar>(axis: Vec3, angle: S) -> Matrix<S> {
    let (s, c) = angle.sin_cos();
    let [x, y, z] = axis;
    let skew = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
    three(|i| {
        three(|j| {
            let outer = axis[i] * axis[j];
            c * (IDENTITY[i][j] - outer) + s * skew[i][j] + outer
        })
    })
}

/// 1 + [δ] + ½[δ]²
fn exponential<S: Scalar>(d: Vector<S>) -> Matrix<S> {
    let zero = S::from(0.0);
    let skew = [[zero, -d[2], d[1]], [d[2], zero, -d[0]], [-d[1], d[0], zero]];
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    three(|i| {
        three(|j| {
            // [δ]² = δδᵀ − |δ|² 1
            let second = d[i] * d[j] * 0.5;
            if i == j { second - square * 0.5 + 1.0 } else { second + skew[i][j] }
        })
    })
}
