//! The equations of motion of a tree as straight-line code: the kernels of [`recursive`](crate::recursive), written down once.
//!
//! The state is that of a run: coordinates, then rates, where the angular velocity of a body that turns freely against the ground is in the axes of the body. The operations are those of
//! [`Octet`](crate::recursive::Octet) and of the formulation around it, one by one.

use super::code::Code;
use super::recorder::{Cell, Named, Recorder};
use crate::linalg::vec3::Mat3;
use crate::recursive::lane::Lane;
use crate::recursive::sweeps::{Given, accelerate, inward, outward};
use crate::recursive::tree::{Constants, Kind, Tree};
use crate::recursive::work::Work;

type Three<'r> = [Named<'r>; 3];
type Quaternion<'r> = [Named<'r>; 4];

/// All numbers of a tree that may differ between variants whose links hang alike.
struct Numbers<C> {
    constants: Vec<Constants<C>>,
    /// As those of the tree, where there are any.
    spare: Vec<[[C; 3]; 3]>,
    gravity: [C; 3],
    turned: Vec<[[C; 3]; 3]>,
}

/// Every number of a tree, in an order that is that of all trees whose links hang alike.
fn numbers<C>(tree: &Tree, mut f: impl FnMut(f64) -> C) -> Numbers<C> {
    let mut matrix =
        |m: &Mat3| -> [[C; 3]; 3] { std::array::from_fn(|i| std::array::from_fn(|j| f(m[i][j]))) };
    let spare = tree.spare.iter().map(&mut matrix).collect();
    let turned = tree.turned.iter().map(&mut matrix).collect();
    let gravity = tree.gravity.map(&mut f);
    let constants = tree.constants.iter().map(|k| Constants {
        e: k.e.map(|row| row.map(&mut f)),
        t: k.t.map(&mut f),
        turn: f(k.turn),
        slide: f(k.slide),
        mass: f(k.mass),
        c: k.c.map(&mut f),
        j: k.j.map(&mut f),
    });
    Numbers { constants: constants.collect(), spare, gravity, turned }
}

/// The same as a list.
pub(crate) fn flat(tree: &Tree, list: &mut Vec<f64>) {
    list.clear();
    numbers(tree, |x| list.push(x));
}

/// Where a quaternion begins in the state, and the angular velocity in the axes of the body that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpinAt {
    pub q: usize,
    pub u: usize,
}

/// What moves a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Equations<'a> {
    pub tree: &'a Tree,
    pub spins: &'a [SpinAt],
    /// Whether nobody asks if all joints have an inertia to move: runs of such trees alone do not, either.
    pub plain: bool,
}

impl Equations<'_> {
    /// y' from y and from those numbers of the tree that vary.
    pub fn rates(&self, varies: &[bool], fused: bool) -> Code {
        let &Equations { tree, spins, plain } = self;
        let recorder = Recorder::new(fused);
        let r = &recorder;
        let (nq, nu) = (tree.q_count(), tree.u_count());
        let y = r.inputs(nq + nu);
        let mut next = varies.iter();
        let own = numbers(tree, |x| match next.next() {
            Some(true) => r.input().cell(),
            _ => r.constant(x).cell(),
        });
        let three = |cells: &[Cell]| -> Three<'_> { [r.read(cells[0]), r.read(cells[1]), r.read(cells[2])] };
        let four = |cells: &[Cell]| -> Quaternion<'_> { std::array::from_fn(|i| r.read(cells[i])) };

        // ν to ω
        let (q, mut u) = (&y[..nq], y[nq..].to_vec());
        let turned: Vec<[Three<'_>; 3]> = spins.iter().map(|spin| matrix(four(&y[spin.q..]))).collect();
        for (spin, turned) in spins.iter().zip(&turned) {
            store(&mut u[spin.u - nq..], apply(turned, three(&y[spin.u..])));
        }

        // accelerations
        let masses: Vec<Cell> = own.constants.iter().map(|k| k.mass).collect();
        let given =
            Given { constants: &own.constants, masses: &masses, spare: &own.spare, gravity: &own.gravity };
        let mut work: Work<Cell, Cell> = Work::new(tree, tree.len(), tree.len());
        let tau = vec![Cell::default(); nu];
        let mut acceleration = vec![Cell::default(); nu];
        outward::<Named<'_>, Cell, true>(r, tree, given, q, &u, &mut work);
        inward::<Named<'_>, Cell>(r, tree, given, &tau, &mut work);
        accelerate::<Named<'_>>(r, tree, &mut work, &mut acceleration);
        if !plain {
            r.guard(-r.read(work.lowest), 0.0);
        }

        // rates of the coordinates
        let mut dy = vec![Cell::default(); nq + nu];
        for (link, place) in tree.places.iter().enumerate() {
            let (mut i, mut k) = tree.first(link);
            match place.kind {
                Kind::Axis => {
                    dy[i] = u[k];
                    continue;
                }
                Kind::Ball => {}
                Kind::Free => {
                    dy[i..i + 3].copy_from_slice(&u[k..k + 3]);
                    (i, k) = (i + 3, k + 3);
                }
            }
            let mut w = three(&u[k..]);
            if let Some(parent) = tree.parent(link) {
                w = apply_transposed(&rotation(r, &work.moving[parent].frame, &own.turned[parent]), w);
            }
            store(&mut dy[i..], rate(four(&y[i..]), w));
        }
        dy[nq..].copy_from_slice(&acceleration);
        for (spin, turned) in spins.iter().zip(&turned) {
            store(&mut dy[spin.q..], rate_in_body(four(&y[spin.q..]), three(&y[spin.u..])));
            let w = three(&dy[spin.u..]);
            store(&mut dy[spin.u..], apply_transposed(turned, w));
        }
        recorder.code(&dy)
    }
}

/// The state after a step: quaternions of unit length. Nothing where there are none.
pub(crate) fn settled(tree: &Tree, fused: bool) -> Option<Code> {
    let recorder = Recorder::new(fused);
    let mut y = recorder.inputs(tree.q_count() + tree.u_count());
    let mut any = false;
    for (link, place) in tree.places.iter().enumerate() {
        let first = match place.kind {
            Kind::Axis => continue,
            Kind::Ball => tree.first(link).0,
            Kind::Free => tree.first(link).0 + 3,
        };
        any = true;
        let q: Quaternion<'_> = std::array::from_fn(|i| recorder.read(y[first + i]));
        store(&mut y[first..], normalised(q));
    }
    any.then(|| recorder.code(&y))
}

fn store<const N: usize>(to: &mut [Cell], from: [Named<'_>; N]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = from.cell();
    }
}

// What follows has the operations of `linalg::quaternion` and `linalg::vec3` in their order.

fn matrix([w, x, y, z]: Quaternion<'_>) -> [Three<'_>; 3] {
    let (one, two) = (w.of(1.0), w.of(2.0));
    let n = two.over(w * w + x * x + y * y + z * z);
    [
        [one - n * (y * y + z * z), n * (x * y - w * z), n * (x * z + w * y)],
        [n * (x * y + w * z), one - n * (x * x + z * z), n * (y * z - w * x)],
        [n * (x * z - w * y), n * (y * z + w * x), one - n * (x * x + y * y)],
    ]
}

fn dot<'r>(a: Three<'r>, b: Three<'r>) -> Named<'r> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross<'r>(a: Three<'r>, b: Three<'r>) -> Three<'r> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn apply<'r>(m: &[Three<'r>; 3], a: Three<'r>) -> Three<'r> {
    [dot(m[0], a), dot(m[1], a), dot(m[2], a)]
}

fn apply_transposed<'r>(m: &[Three<'r>; 3], a: Three<'r>) -> Three<'r> {
    std::array::from_fn(|j| a[0] * m[0][j] + a[1] * m[1][j] + a[2] * m[2][j])
}

/// (−½ v·w, ½ (s w + p)), where p is w × v or v × w.
fn half<'r>(s: Named<'r>, w: Three<'r>, p: Three<'r>, product: Named<'r>) -> Quaternion<'r> {
    let part = |i: usize| s.of(0.5) * (s * w[i] + p[i]);
    [s.of(-0.5) * product, part(0), part(1), part(2)]
}

fn rate<'r>([s, x, y, z]: Quaternion<'r>, w: Three<'r>) -> Quaternion<'r> {
    let v = [x, y, z];
    half(s, w, cross(w, v), dot(w, v))
}

fn rate_in_body<'r>([s, x, y, z]: Quaternion<'r>, nu: Three<'r>) -> Quaternion<'r> {
    let v = [x, y, z];
    half(s, nu, cross(v, nu), dot(v, nu))
}

/// Of unit length; one that has it up to roundings keeps every bit.
fn normalised(q: Quaternion<'_>) -> Quaternion<'_> {
    let square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    let n = square.sqrt();
    let off = (square - n.of(1.0)).abs();
    q.map(|c| n.of(4.0 * f64::EPSILON).pick_less(off, c.over(n), c))
}

/// The rotation of a link from its frame, whose z is along the axis.
fn rotation<'r>(r: &'r Recorder, columns: &[[Cell; 3]; 3], turned: &[[Cell; 3]; 3]) -> [Three<'r>; 3] {
    let at = |i: usize, j: usize| {
        let part = |k: usize| r.read(columns[k][i]) * r.read(turned[j][k]);
        part(0) + part(1) + part(2)
    };
    std::array::from_fn(|i| std::array::from_fn(|j| at(i, j)))
}
