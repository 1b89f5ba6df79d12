//! The formulation as a first-order system: derivative, projection, scales, and what a checkpoint keeps.

use super::*;
use crate::mechanism::judged_by;

/// How many of a joint's coordinates are paths: its first ones.
pub(super) fn paths(joint: &LinkJoint) -> usize {
    match *joint {
        LinkJoint::Axis { slide, .. } => usize::from(slide != 0.0),
        LinkJoint::Ball => 0,
        LinkJoint::Free => 3,
    }
}

impl System for Recursive<'_> {
    type Error = MotionError;

    fn dimension(&self) -> usize {
        let (nq, nu) = self.counts();
        nq + nu + 1 + self.mechanism.interactions.extras()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let (nq, nu) = self.counts();
        let (q, u, extras) = (&y[..nq], &y[nq..nq + nu], &y[nq + nu + 1..]);
        dy[nq + nu] = self.accelerate(t, q, u, extras, false)?;
        self.coordinate_rates(q, u, &mut dy[..nq]);
        dy[nq..nq + nu].copy_from_slice(&self.acceleration);
        self.interactions.extra_rates(&self.mechanism.interactions, t, extras, &mut dy[nq + nu + 1..]);
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) -> Result<(), MotionError> {
        let (nq, nu) = self.counts();
        let (q, rest) = y.split_at_mut(nq);
        let (u, rest) = rest.split_at_mut(nu);
        let extras = &mut rest[1..];
        self.normalise(q);
        if !self.rows.is_empty() {
            let far = self.farthest + self.places.iter().fold(0.0, |m: f64, &i| m.max(q[i].abs()));
            let mut projection = Projection::new(judged_by(self.mechanism.size, far));
            self.remember(t, q, u, extras);
            loop {
                self.linearise(t, q, u, extras);
                let (worst, residual) = largest(&self.phi);
                if projection.next(residual, || self.row_label(worst).into())? == Next::Done {
                    break;
                }
                self.factor()?;
                for p in &mut self.phi {
                    *p = -*p;
                }
                self.correct();
                self.counters.projection_steps += 1;
                self.move_by(q);
            }
            self.factor()?;
            for r in 0..self.phi.len() {
                self.phi[r] = -self.rows.rows[r].times(u) - self.moves(r);
            }
            self.correct();
            for (u, du) in u.iter_mut().zip(&self.correction) {
                *u += du;
            }
        }
        if self.mechanism.interactions.hints > 0 {
            self.dynamics.place(q, u);
            self.factored = false;
            self.refresh();
            self.motions();
            self.interactions.settle(&self.mechanism.interactions, extras);
        }
        self.derivative(t, y, dy)
    }

    fn rates(&self) -> std::ops::Range<usize> {
        let (nq, nu) = self.counts();
        nq..nq + nu
    }

    fn independence(&mut self, out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.rows.rows.len()).map(|r| self.rows.independence(r)));
    }

    fn error_scale(&self, out: &mut [f64]) {
        // angles and quaternions against one, paths against the size
        out.fill(1.0);
        let (nq, nu) = self.counts();
        for (link, l) in self.links.list.iter().enumerate() {
            let (i, k) = self.dynamics.tree().first(link);
            let paths = paths(&l.joint);
            out[i..i + paths].fill(self.mechanism.size);
            out[nq + k..nq + k + paths].fill(self.mechanism.size);
        }
        out[nq + nu] = f64::INFINITY;
        self.mechanism.interactions.scale_extras(&mut out[nq + nu + 1..]);
        out[nq + nu] = self.mechanism.work_scale();
    }

    fn is_place(&self, i: usize) -> bool {
        self.places.contains(&i)
    }
}

impl Recursive<'_> {
    /// Moves coordinates by the correction of the rates, a step of Newton's method.
    pub(super) fn move_by(&mut self, q: &mut [f64]) {
        let mut step = std::mem::take(&mut self.scratch);
        self.coordinate_rates(q, &self.correction, &mut step);
        for (q, d) in q.iter_mut().zip(&step) {
            *q += d;
        }
        self.scratch = step;
        self.normalise(q);
    }
}

// The factor and the poses are those of the last state, which is kept, and are made again from it when somebody asks.
impl crate::keep::Keep for Recursive<'_> {
    fn keep(&self, to: &mut Vec<u8>) {
        self.acceleration.keep(to);
        self.nu.keep(to);
        self.counters.keep(to);
        self.interactions.keep(to);
        self.active.keep(to);
        self.last.0.keep(to);
        self.last.1.keep(to);
        self.rows.reference.keep(to);
    }

    fn recall(&mut self, from: &mut crate::keep::Bytes<'_>) -> Result<(), crate::keep::Damaged> {
        self.acceleration.recall(from)?;
        self.nu.recall(from)?;
        self.counters.recall(from)?;
        self.interactions.recall(from)?;
        self.active.recall(from)?;
        self.last.0.recall(from)?;
        self.last.1.recall(from)?;
        self.rows.reference.recall(from)?;
        self.factored = false;
        Ok(())
    }
}
