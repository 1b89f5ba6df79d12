//! The equations among the variables: cut joints, which close the loops again ([attia2003] (6.5)–(6.7)), and
//! what carrying joints keep.
//!
//! A cut joint demands of the two bodies what it would as a carrying one: shared points coincide, and its
//! own rows hold. A joint of the tree may keep some of its rows (`mechanism/tree`). Each row speaks of points on bodies; its gradient by the rates is that by the points
//! times their columns of B, and its γ gathers −v·Φ_rr·v − Φ_r·(B' q'). (6.7) of the paper lacks that
//! last part, C' θ'.
//!
//! That a point of each body coincides is demanded along three axes that turn with one of them, e_k as drawn there:
//!
//! ```text
//!   (G1)  Φ_k = e_k · (r₂ − r₁),   ∂Φ_k/∂r₂ = e_k = −∂Φ_k/∂r₁,   γ_k = −e_k · (bias₂ − bias₁)
//! ```
//!
//! Where the points coincide these are the rows along the world's axes in other combinations: the rates of e_k have no part in them. The plane of a planar loop stands still
//! in its bodies, so that the row across it depends on the others wherever the loop is carried; along the world's axes another one would after each quarter of a turn, as
//! if positions were singular where it changes.

use super::kinematics::Kinematics;
use crate::constraints::{Constraint, MAX_NODES};
use crate::linalg::ordering::RowPattern;
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::{IDENTITY, Vec3, dot, scale, sub};
use crate::mechanism::{BodyIndex, Mechanism, Tree};

/// An equation between points on bodies.
#[derive(Clone, Debug)]
pub enum Equation {
    /// One of the model's constraints, its nodes numbered within the row.
    Constraint(Constraint),
    /// (G1); in the plane along the world's axes.
    Coincidence {
        /// Which of the three axes.
        axis: usize,
        /// The body that carries them, or the world.
        carrier: BodyIndex,
    },
}

/// A row between points on bodies.
#[derive(Clone, Debug)]
pub struct CutRow {
    /// Its equation.
    pub equation: Equation,
    /// Body and place as drawn of each of its points.
    pub ends: Vec<(BodyIndex, Vec3)>,
    /// The joint it belongs to.
    pub joint: usize,
    /// For people.
    pub label: String,
    /// Rates it depends on.
    pub rates: Vec<usize>,
}

/// All rows among the variables.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// The rows: those of the cut joints, then those that joints of the tree keep.
    pub rows: Vec<CutRow>,
    /// How many belong to cut joints.
    pub of_cut: usize,
}

impl Loops {
    /// The rows of a tree's cut joints, and those that its own joints keep. `path` lists the rates that move a body.
    pub fn new(mechanism: &Mechanism, tree: &Tree, path: &dyn Fn(usize) -> Vec<usize>) -> Self {
        let mut rows = Vec::new();
        let mut of_cut = 0;
        let cut = tree.cut.iter().map(|&j| (j, true));
        for (j, cut) in cut.chain(tree.kept.iter().map(|&j| (j, false))) {
            let joint = &mechanism.joints[j];
            let [first, second] = joint.bodies;
            let (shared, own) = match cut {
                true => (joint.shared.as_slice(), joint.rows.as_slice()),
                false => (&[][..], joint.kept_rows()),
            };
            let mut push = |equation: Equation, ends: Vec<(BodyIndex, Vec3)>, what: &str| {
                let mut rates: Vec<usize> = [first, second].into_iter().flatten().flat_map(path).collect();
                rates.sort_unstable();
                rates.dedup();
                let label = format!("joint `{}`: {what}", joint.name);
                rows.push(CutRow { equation, ends, joint: j, label, rates });
            };
            for &node in shared {
                let ends = [second, first].map(|body| (body, mechanism.drawn_on(body, node))).to_vec();
                let carrier = if mechanism.columns() == 3 { first.or(second) } else { None };
                for axis in 0..mechanism.columns() {
                    push(Equation::Coincidence { axis, carrier }, ends.clone(), ["x", "y", "z"][axis]);
                }
            }
            for &i in own {
                let row = &mechanism.rows.list[i];
                let ends: Vec<(BodyIndex, Vec3)> = row
                    .constraint
                    .nodes()
                    .iter()
                    .zip(&row.acts_on)
                    .map(|(&node, &body)| (body, mechanism.drawn_on(body, node)))
                    .collect();
                let what = row.label.rsplit(": ").next().unwrap_or("");
                push(Equation::Constraint(row.constraint.renumbered(|end, _| end)), ends, what);
            }
            if cut {
                of_cut = rows.len();
            }
        }
        Loops { rows, of_cut }
    }

    /// What each cut joint does to its second body, for the multipliers of all rows. Kept rows are left out: they are part of what
    /// their branch carries.
    pub fn cut_wrenches(
        &self,
        mechanism: &Mechanism,
        tree: &Tree,
        kinematics: &Kinematics,
        nu: &[f64],
    ) -> Vec<(usize, Wrench)> {
        let mut cut: Vec<(usize, Wrench)> = tree.cut.iter().map(|&j| (j, Wrench::default())).collect();
        let mut at = 0;
        for (row, &nu) in self.rows[..self.of_cut].iter().zip(nu) {
            let bodies = mechanism.joints[row.joint].bodies;
            let (second, sign) = match bodies[1] {
                Some(_) => (bodies[1], 1.0),
                // the ground has no balance of its own: what the first body feels, turned round
                None => (bodies[0], -1.0),
            };
            // rows come in the order of the cut joints
            while cut[at].0 != row.joint {
                at += 1;
            }
            cut[at].1 = cut[at].1.plus(row.wrench_on(second, kinematics, sign * nu));
        }
        cut
    }

    /// Which unknowns each row touches, for the solver; any of them may vanish.
    pub fn patterns(&self) -> Vec<RowPattern> {
        self.rows
            .iter()
            .map(|row| RowPattern {
                points: row.rates.clone(),
                certain: vec![false; row.rates.len()],
                simplex: None,
            })
            .collect()
    }
}

impl CutRow {
    /// Where its points stand.
    pub fn points(&self, kinematics: &Kinematics) -> [Vec3; MAX_NODES] {
        let mut r = [[0.0; 3]; MAX_NODES];
        for (r, &(body, x)) in r.iter_mut().zip(&self.ends) {
            *r = body.map_or(x, |b| kinematics.poses[b].place(x));
        }
        r
    }

    /// Φ, m.
    pub fn residual(&self, kinematics: &Kinematics) -> f64 {
        let r = self.points(kinematics);
        match &self.equation {
            Equation::Constraint(constraint) => constraint.residual(&r),
            &Equation::Coincidence { axis, carrier } => {
                dot(carried_axis(kinematics, axis, carrier), sub(r[0], r[1]))
            }
        }
    }

    /// ∂Φ/∂r of its points, which stand at `r`.
    pub fn gradient(&self, kinematics: &Kinematics, r: &[Vec3; MAX_NODES]) -> [Vec3; MAX_NODES] {
        let mut gradient = [[0.0; 3]; MAX_NODES];
        match &self.equation {
            Equation::Constraint(constraint) => constraint.gradient(r, &mut gradient),
            &Equation::Coincidence { axis, carrier } => {
                let along = carried_axis(kinematics, axis, carrier);
                (gradient[0], gradient[1]) = (along, scale(-1.0, along));
            }
        }
        gradient
    }

    /// γ but for what the bodies' biases make, of points with these velocities.
    pub fn gamma(&self, v: &[Vec3]) -> f64 {
        match &self.equation {
            Equation::Constraint(constraint) => constraint.gamma(v),
            Equation::Coincidence { .. } => 0.0,
        }
    }

    /// The row of C, in the order of [`CutRow::rates`], and γ.
    pub fn linearise(&self, kinematics: &Kinematics, c: &mut [f64]) -> f64 {
        let r = self.points(kinematics);
        let gradient = self.gradient(kinematics, &r);
        c.fill(0.0);
        let mut v = [[0.0; 3]; MAX_NODES];
        let mut bias = 0.0;
        for (i, (body, _)) in self.ends.iter().enumerate() {
            let Some(b) = *body else { continue };
            let pose = &kinematics.poses[b];
            v[i] = pose.velocity(r[i]);
            bias += dot(gradient[i], pose.bias_at(r[i]));
            for &k in &kinematics.path[b] {
                if let Ok(at) = self.rates.binary_search(&k) {
                    c[at] += dot(gradient[i], kinematics.columns[k].at(r[i]));
                }
            }
        }
        self.gamma(&v) - bias
    }

    /// What the row does to the joint's second body for a multiplier: −λ ∂Φ/∂r at its points.
    pub fn wrench_on(&self, body: BodyIndex, kinematics: &Kinematics, lambda: f64) -> Wrench {
        let r = self.points(kinematics);
        let gradient = self.gradient(kinematics, &r);
        let mut wrench = Wrench::default();
        for (i, (on, _)) in self.ends.iter().enumerate() {
            if *on == body {
                wrench = wrench.plus(Wrench::at(r[i], scale(-lambda, gradient[i])));
            }
        }
        wrench
    }
}

/// e_k of (G1).
#[inline]
fn carried_axis(kinematics: &Kinematics, axis: usize, carrier: BodyIndex) -> Vec3 {
    match carrier {
        Some(body) => kinematics.poses[body].pose.turned.map(|row| row[axis]),
        None => IDENTITY[axis],
    }
}
