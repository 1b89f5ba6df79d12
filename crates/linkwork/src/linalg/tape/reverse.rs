//! The transpose of (T11) to (T16): what outputs of a tape weigh goes back to coordinates and to the numbers that stand on it.
//!
//! With ū_m what the coefficient m of a node weighs, and every coefficient known,
//!
//! ```text
//!   (T21)  u = Σ w a + c        ā_m += w ū_m,   w̄ += a_m ū_m,   c̄ += ū_0
//!   (T22)  u = a b              ā_j += b_{m−j} ū_m,   b̄_j += a_{m−j} ū_m
//!   (T23)  u b = a              t = ū_m / b_0:   ā_m += t,   b̄_j −= u_{m−j} t,   ū_{m−j} −= b_j t   j ≥ 1
//!   (T24)  u² = a               t = ū_m / 2u_0:  ā_m += t,   ū_{m−j} −= 2 u_j t                      j ≥ 1
//!   (T25)  a δu = c u δa        t = ū_m / a_0:   ā_{m−j} += c u_j t,   ū_{m−j} −= a_j t              j ≥ 1
//!   (T26)  u = f(a), f' = w     ā_{m−j} += w_j ū_m;   of an angle  ȳ_{m−j} += c_j ū_m,  x̄_{m−j} −= s_j ū_m
//! ```
//!
//! Nodes come in the order opposite to that of their evaluation, so that all that a node does is known when its turn comes. Several weights go side by side.

use super::{Level, Node, Op, Tape};

/// What coefficients weigh, and what has come together at the numbers that are varied.
#[derive(Clone, Debug)]
pub struct Weighed {
    lanes: usize,
    /// Of coefficient m of node i for the k-th weight at (i × stride + m) × lanes + k.
    c: Vec<f64>,
    /// By varied constant, and by varied weight of a term: in the order of the tape's changes.
    constants: Vec<f64>,
    weights: Vec<f64>,
    /// Where those of an operation and of a term stand, if they are varied.
    constant_at: Vec<u32>,
    weight_at: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

/// a_j += c b_{m−j}, j = 0..=m
#[inline(always)]
fn spread<const L: usize>(a: &mut [[f64; L]], c: &[f64], b: &[f64; L], m: usize, sign: f64) {
    for j in 0..=m {
        let w = sign * c[m - j];
        (0..L).for_each(|k| a[j][k] += w * b[k]);
    }
}

impl Tape {
    /// Room for so many weights side by side.
    pub fn weighed(&self, lanes: usize) -> Weighed {
        let (mut constant_at, mut weight_at) =
            (vec![NOWHERE; self.ops.len()], vec![NOWHERE; self.terms.len()]);
        for (slot, (i, _)) in self.changes.constants.iter().enumerate() {
            constant_at[*i] = slot as u32;
        }
        for (slot, (i, _)) in self.changes.weights.iter().enumerate() {
            weight_at[*i] = slot as u32;
        }
        Weighed {
            lanes,
            c: vec![0.0; self.c.len() * lanes],
            constants: vec![0.0; self.changes.constants.len() * lanes],
            weights: vec![0.0; self.changes.weights.len() * lanes],
            constant_at,
            weight_at,
        }
    }

    /// The derivatives by a variable of all that has been weighed, weights side by side.
    pub fn weighed_by(&self, weighed: &Weighed, variable: usize, out: &mut [f64]) {
        let lists =
            [(&self.changes.constants, &weighed.constants), (&self.changes.weights, &weighed.weights)];
        for (changes, sums) in lists {
            for ((_, slopes), sums) in changes.iter().zip(sums.chunks_exact(weighed.lanes)) {
                out.iter_mut().zip(sums).for_each(|(out, sum)| *out += slopes[variable] * sum);
            }
        }
    }

    /// Goes back over order m of a level; what coordinates of that order weigh is added to `x`.
    #[inline(always)]
    pub fn pull_back<const L: usize>(
        &self,
        level: Level,
        m: usize,
        x: &mut [[f64; L]],
        weighed: &mut Weighed,
    ) {
        let Weighed { c, constants, weights, constant_at, weight_at, .. } = weighed;
        let c = c.as_chunks_mut::<L>().0;
        let (constants, weights) = (constants.as_chunks_mut::<L>().0, weights.as_chunks_mut::<L>().0);
        let stride = self.stride;
        let base = |node: Node| node.0 as usize * stride;
        for &i in self.levels[level as usize].iter().rev() {
            let i = i as usize;
            let u = c[i * stride + m];
            if u == [0.0; L] {
                continue;
            }
            match self.ops[i] {
                Op::Constant(_) | Op::Time => {
                    if m == 0 && constant_at[i] != NOWHERE {
                        add(&mut constants[constant_at[i] as usize], 1.0, &u);
                    }
                }
                Op::Input(k) => add(&mut x[k as usize], 1.0, &u),
                Op::Sum(from, to, _) => {
                    if m == 0 && constant_at[i] != NOWHERE {
                        add(&mut constants[constant_at[i] as usize], 1.0, &u);
                    }
                    for t in from as usize..to as usize {
                        let (a, w) = self.terms[t];
                        add(&mut c[base(a) + m], w, &u);
                        if weight_at[t] != NOWHERE {
                            add(&mut weights[weight_at[t] as usize], self.at(a, m), &u); // (T21)
                        }
                    }
                }
                Op::Product(a, b) => {
                    spread(&mut c[base(a)..], self.series(b), &u, m, 1.0);
                    spread(&mut c[base(b)..], self.series(a), &u, m, 1.0); // (T22)
                }
                Op::Square(a) => spread(&mut c[base(a)..], self.series(a), &u, m, 2.0),
                Op::Quotient(a, b) => {
                    let series = self.series(b);
                    let t = u.map(|u| u / series[0]);
                    add(&mut c[base(a) + m], 1.0, &t);
                    spread(&mut c[base(b)..], self.series(Node(i as u32)), &t, m, -1.0);
                    for j in 1..=m {
                        add(&mut c[i * stride + m - j], -series[j], &t); // (T23)
                    }
                }
                Op::Root(a) => {
                    let series = self.series(Node(i as u32));
                    let t = u.map(|u| 0.5 * u / series[0]);
                    add(&mut c[base(a) + m], 1.0, &t);
                    for j in 1..=m {
                        add(&mut c[i * stride + m - j], -2.0 * series[j], &t); // (T24)
                    }
                }
                Op::Power(a, power) => {
                    let series = self.series(a);
                    let t = u.map(|u| u / series[0]);
                    spread(&mut c[base(a)..], self.series(Node(i as u32)), &t, m, power);
                    for j in 1..=m {
                        add(&mut c[i * stride + m - j], -series[j], &t); // (T25)
                    }
                }
                Op::Through(_, a, w, sign) => spread(&mut c[base(a)..], self.series(w), &u, m, sign), // (T26)
                Op::Angle { y, x, c: cosine, s: sine, .. } => {
                    spread(&mut c[base(y)..], self.series(cosine), &u, m, 1.0);
                    spread(&mut c[base(x)..], self.series(sine), &u, m, -1.0);
                }
                Op::Rate(a) => {
                    if m + 1 < stride {
                        add(&mut c[base(a) + m + 1], (m + 1) as f64, &u);
                    }
                }
                Op::Either { options: [a, b], .. } => {
                    add(&mut c[base(if self.chosen[i] { a } else { b }) + m], 1.0, &u);
                }
            }
        }
    }
}

/// x += c y
#[inline(always)]
fn add<const L: usize>(x: &mut [f64; L], c: f64, y: &[f64; L]) {
    (0..L).for_each(|k| x[k] += c * y[k]);
}

impl Weighed {
    /// Forgets what coefficients weigh, not what has come together.
    pub fn clear(&mut self) {
        self.c.fill(0.0);
    }

    /// Adds weights to coefficient m of a node of a tape.
    #[inline(always)]
    pub fn weigh<const L: usize>(&mut self, tape: &Tape, node: Node, m: usize, by: &[f64; L]) {
        let at = &mut self.c.as_chunks_mut::<L>().0[node.0 as usize * tape.stride + m];
        (0..L).for_each(|k| at[k] += by[k]);
    }
}
