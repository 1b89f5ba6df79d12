//! Impulses at given times.
//!
//! Blows on bodies first, all of one instant together; then the rates of joint coordinates, all together. With Δu from the
//! formulation's response to the impulses p, and v their velocities before and after:
//!
//!   (1)  ΔT = ½ p·(v⁻ + v⁺)        work, which joins that of the state
//!
//! A rate is a row that is in force at that instant only: the jump that gives it the rate finds the impulse. A limit on
//! which something rests takes its share in both and cannot pull. Contacts answer afterwards, with their own law.

use super::{Event, EventKind, Events};
use crate::formulations::{Formulate, MotionError, impulses};
use crate::interactions::{BodyWrench, Motion, Wrenches};
use crate::linalg::vec3::{Vec3, norm, sub};
use crate::mechanism::Struck;
use crate::simulation::events::record::JointImpulse;

impl Events<'_> {
    /// All times of impulses.
    pub(super) fn blow_times(&self) -> impl Iterator<Item = f64> {
        self.mechanism.events.impulses.iter().flat_map(|impulse| impulse.at.iter().copied())
    }

    /// What is scheduled for this time, once. Tells whether there was anything.
    pub(super) fn blow<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
    ) -> Result<bool, MotionError> {
        if t <= self.blown || !self.blow_times().any(|x| x == t) {
            return Ok(false);
        }
        self.blown = t;
        system.hold(&[]);
        let done = self.strike_bodies(system, t, y).and_then(|()| self.set_rates(system, t, y));
        system.hold(&self.contacts.held);
        done.map(|()| true)
    }

    fn joint_impulses<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &[f64],
        pulls: &[BodyWrench],
    ) -> Result<(Vec<JointImpulse>, Vec<f64>), MotionError> {
        let answer = impulses(system, t, y, pulls, &mut self.frame)?;
        let joints = self.mechanism.joints.iter().zip(&answer.joints);
        let joints = joints.map(|(joint, r)| JointImpulse {
            joint: joint.name.clone(),
            force: r.force,
            moment: r.moment,
        });
        Ok((joints.collect(), answer.couplings))
    }

    fn strike_bodies<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
    ) -> Result<(), MotionError> {
        let mechanism = self.mechanism;
        system.locate_bodies(y, &mut self.ws.motions);
        let mut pulls = Wrenches::default();
        // name, vector, whether it turns
        let mut reported: Vec<(&str, Vec3, bool)> = Vec::new();
        for blow in mechanism.events.impulses.iter().filter(|blow| blow.at.contains(&t)) {
            let Struck::Body { at, impulse, angular_impulse } = blow.struck else { continue };
            let Some(body) = at.body else { continue };
            let arm = sub(at.at(&self.ws.motions).r, self.ws.motions[body].c);
            pulls.add(at.body, arm, impulse, angular_impulse);
            let turns = angular_impulse != [0.0; 3];
            if impulse != [0.0; 3] || !turns {
                reported.push((&blow.name, impulse, false));
            }
            if turns {
                reported.push((&blow.name, angular_impulse, true));
            }
        }
        if reported.is_empty() {
            return Ok(());
        }
        let (joints, couplings) = loop {
            let (joints, couplings) = self.joint_impulses(system, t, y, &pulls.list)?;
            match self.pulled_limit(&couplings) {
                // a limit cannot pull: without it, all is different
                Some(i) => self.lift(system, t, i),
                None => break (joints, couplings),
            }
        };
        let auxiliary = system.work_index() + 1;
        self.ws.rows(&mechanism.interactions, t, &y[auxiliary..]);
        let mut work = self.ws.drive_power(&couplings);
        let power = |motions: &[Motion]| -> f64 { pulls.list.iter().map(|p| p.power(motions)).sum() };
        work += 0.5 * power(&self.ws.motions);
        self.strike_contacts(system, y, &pulls.list)?;
        system.locate_bodies(y, &mut self.ws.motions);
        work += 0.5 * power(&self.ws.motions); // (1)
        y[auxiliary - 1] += work;
        let mut first = Some((work, joints));
        for (name, vector, turns) in reported {
            let (energy, joints) = first.take().unwrap_or_default();
            self.list.push(Event {
                t,
                kind: EventKind::Impulse,
                name: name.into(),
                impulse: norm(vector),
                turns,
                energy,
                vector: Some(vector),
                joints,
                ..Event::default()
            });
        }
        Ok(())
    }

    fn set_rates<F: Formulate>(&mut self, system: &mut F, t: f64, y: &mut [f64]) -> Result<(), MotionError> {
        let mechanism = self.mechanism;
        let due = || {
            let now = mechanism.events.impulses.iter().filter(|blow| blow.at.contains(&t));
            now.filter_map(|blow| match blow.struck {
                Struck::Coordinate { row, number, rate } => Some((&blow.name, row, number, rate)),
                Struck::Body { .. } => None,
            })
        };
        if due().next().is_none() {
            return Ok(());
        }
        let auxiliary = system.work_index() + 1;
        let holds = auxiliary + mechanism.interactions.hints;
        system.locate_bodies(y, &mut self.ws.motions);
        for (_, row, ..) in due() {
            y[holds + row.hold] =
                self.ws.reading(&mechanism.interactions, row.coupling, t, &y[auxiliary..]).0;
            self.switch(system, &row, true);
        }
        self.ws.rows(&mechanism.interactions, t, &y[auxiliary..]);
        let wanted: Vec<(usize, f64)> =
            due().map(|(_, row, _, rate)| (row.coupling, row.scale * rate)).collect();
        let jump = self.jump(system, t, y, &wanted);
        for (_, row, ..) in due() {
            self.switch(system, &row, false);
        }
        let jump = jump?;
        let mut pulls = Wrenches::default();
        for (_, row, ..) in due() {
            let by = -jump.impulses[row.coupling];
            for p in self.ws.pulls(row.coupling) {
                pulls.join(p.body, p.wrench.times(by));
            }
        }
        let (joints, _) = self.joint_impulses(system, t, y, &pulls.list)?;
        let mut first = Some((jump.work, joints));
        for (name, row, number, _) in due() {
            let impulse = -row.scale * jump.impulses[row.coupling];
            self.record(t, EventKind::Impulse, name, Some(number), &row, impulse);
            if let Some((event, (energy, joints))) = self.list.last_mut().zip(first.take()) {
                (event.energy, event.joints) = (energy, joints);
            }
        }
        Ok(())
    }
}
