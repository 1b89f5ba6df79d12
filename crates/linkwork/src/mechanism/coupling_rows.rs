//! Couplings in point coordinates: how their pulls on bodies reach the particles.
//!
//! A pull (f, m) on a body becomes forces g_i on its primary particles that sum to f and have the moment m about the
//! centre of mass. They do to accelerations of particles what (f, m) does to those of the body, and a little more:
//!
//!   (K1)  Σ g_i·r̈_i = f·c̈ + m·ω̇ + Σ g_i·(ω × (ω × d_i)),   d_i = r_i − c
//!
//! so the last sum joins γ.

use super::maps::Maps;
use super::{Mechanism, MechanismBody};
use crate::interactions::{BodyWrench, Coupling, Motion, Workspace};
use crate::linalg::kkt::Kkt;
use crate::linalg::ordering::RowPattern;
use crate::linalg::vec3::{Vec3, cross, dot, sub};

/// Where a particle's force goes: particle, block within the row, weight.
type Entry = (usize, usize, f64);

/// The couplings' part of the solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct CouplingRows {
    /// Coordinate blocks that each row touches.
    pub patterns: Vec<RowPattern>,
    /// For each row and each of its bodies.
    entries: Vec<Vec<(usize, Vec<Entry>)>>,
}

impl CouplingRows {
    pub fn new(couplings: &[Coupling], bodies: &[MechanismBody], maps: &Maps) -> Self {
        let mut rows = CouplingRows::default();
        for coupling in couplings {
            let mut pattern = RowPattern::default();
            let mut entries = Vec::new();
            for &b in &coupling.bodies {
                let mut of_body = Vec::new();
                for (i, &node) in bodies[b].nodes.iter().enumerate() {
                    for &(block, weight) in maps.terms(node) {
                        let block = block as usize;
                        let at = pattern.points.iter().position(|&p| p == block).unwrap_or_else(|| {
                            pattern.points.push(block);
                            pattern.points.len() - 1
                        });
                        of_body.push((i, at, weight));
                    }
                }
                entries.push((b, of_body));
            }
            pattern.certain = vec![false; pattern.points.len()];
            rows.patterns.push(pattern);
            rows.entries.push(entries);
        }
        rows
    }
}

impl Mechanism {
    /// Present positions (or velocities) of a body's particles.
    #[inline]
    pub(crate) fn particles_of(&self, b: usize, nodes: &[Vec3]) -> [Vec3; 4] {
        let mut now = [[0.0; 3]; 4];
        for (x, &node) in now.iter_mut().zip(&self.bodies[b].nodes) {
            *x = nodes[node];
        }
        now
    }

    /// Motions of all bodies from positions and velocities of the nodes.
    pub(crate) fn motions(&self, r: &[Vec3], v: &[Vec3], out: &mut [Motion]) {
        for (b, (body, motion)) in self.bodies.iter().zip(out).enumerate() {
            let k = body.nodes.len();
            let (now, rate) = (self.particles_of(b, r), self.particles_of(b, v));
            let p = &body.particles;
            *motion = Motion {
                c: p.centre(&now[..k]),
                turned: p.rotation(&now[..k]),
                v: p.centre(&rate[..k]),
                w: p.angular_velocity(&now[..k], &rate[..k]),
            };
        }
    }

    /// The forces of a pull on the particles of its body.
    #[inline]
    pub(crate) fn spread_pull(&self, pull: &BodyWrench, r: &[Vec3]) -> [Vec3; 4] {
        let k = self.bodies[pull.body].nodes.len();
        let now = self.particles_of(pull.body, r);
        self.bodies[pull.body].particles.particle_forces(&now[..k], &pull.wrench)
    }

    /// The same with the nodes of the particles.
    #[inline]
    pub(crate) fn spread_over_nodes(
        &self,
        pull: &BodyWrench,
        r: &[Vec3],
    ) -> impl Iterator<Item = (usize, Vec3)> + use<'_> {
        self.bodies[pull.body].nodes.iter().copied().zip(self.spread_pull(pull, r))
    }

    /// Φ_q at the start into a solver; returns the nodes and the couplings there.
    pub(crate) fn start_jacobian(&self, kkt: &mut Kkt) -> (Vec<Vec3>, Workspace) {
        let (r, v) = self.start_nodes();
        let mut ws = Workspace::new(&self.interactions, self.bodies.len());
        self.couple(self.start_time, &r, &v, &self.initial_auxiliary(), &mut ws);
        self.rows.jacobian(&r, self.columns(), kkt);
        let mut gamma = vec![0.0; self.interactions.couplings.len()];
        self.coupling_jacobian(&ws, &r, kkt, &mut gamma);
        (r, ws)
    }

    /// Evaluates the couplings where the nodes are.
    pub(crate) fn couple(&self, t: f64, r: &[Vec3], v: &[Vec3], auxiliary: &[f64], ws: &mut Workspace) {
        if !self.interactions.is_idle() {
            self.motions(r, v, &mut ws.motions);
            ws.rows(&self.interactions, t, auxiliary);
        }
    }

    /// Writes the couplings' rows into the solver, behind the ordinary ones, and γ of each.
    pub(crate) fn coupling_jacobian(&self, ws: &Workspace, r: &[Vec3], kkt: &mut Kkt, gamma: &mut [f64]) {
        let columns = self.columns();
        let first = self.rows.len();
        for (i, entries) in self.coupling_rows.entries.iter().enumerate() {
            let start = kkt.row(first + i).0;
            let values = &mut kkt.a[start..start + self.coupling_rows.patterns[i].points.len() * columns];
            values.fill(0.0);
            gamma[i] = ws.evaluated[i].gamma;
            for pull in ws.pulls(i) {
                let forces = self.spread_pull(pull, r);
                let m = &ws.motions[pull.body];
                for (&node, &g) in self.bodies[pull.body].nodes.iter().zip(&forces) {
                    let d = sub(r[node], m.c);
                    gamma[i] += dot(g, cross(m.w, cross(m.w, d))); // (K1)
                }
                for (_, entries) in entries.iter().filter(|e| e.0 == pull.body) {
                    for &(particle, block, weight) in entries {
                        for c in 0..columns {
                            values[block * columns + c] += weight * forces[particle][c];
                        }
                    }
                }
            }
        }
    }
}
