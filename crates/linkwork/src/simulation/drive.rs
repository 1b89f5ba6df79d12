//! One stage of a run: from its formulation and its start to what ends it.

use super::ledger::Ledger;
use super::stages::{Carried, NextStage};
use super::{Checkpoint, Observer, Pause, Remark, Run, Summary};
use crate::Error;
use crate::contact::Contacting;
use crate::formulations::{BodyAxes, Formulate, Varying};
use crate::mechanism::Mechanism;
use crate::model::{Fault, Faults, Formulation, Integrator};
use crate::results::Frame;
use std::sync::Arc;

/// How a stage begins.
pub(super) enum Entry<'c> {
    /// The run begins.
    Begin,
    /// It goes on from a checkpoint.
    Recall(&'c Checkpoint),
    /// It goes on from the stage before.
    GoOn(Box<Carried>),
}

/// How a stage ends.
pub(super) enum Ended {
    /// The run ends.
    Run(Box<Summary>),
    /// Another mechanism goes on.
    Stage(Box<NextStage>),
}

/// A stage that is about to be run.
pub(super) struct Drive<'a, 'm> {
    pub mechanism: &'m Mechanism,
    pub stage: Option<&'a Arc<Mechanism>>,
    pub ledger: &'a mut Ledger,
    pub entry: Entry<'a>,
    pub observer: &'a mut dyn Observer,
}

impl Mechanism {
    /// A remark where the mechanism has travelled so far that the roundings of its coordinates are larger than the tolerance.
    fn coarse_remark(&self, frame: &Frame) -> Option<Remark> {
        let places = frame.motions.iter().map(|motion| &motion.c);
        let far = places.flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
        let (rounding, tolerance) = (0.5 * f64::EPSILON * far, self.model.settings.tolerance);
        let said = self.model.settings.tolerance_unused().is_none();
        (said && rounding > tolerance * self.size).then(|| {
            let message = format!(
                "the mechanism is {far:.1e} m from where it was drawn: coordinates are rounded to {rounding:.1e} m there, which is more than `tolerance` times its \
                 size, {:.1e} m; the motion is as accurate as these roundings",
                self.size
            );
            Remark { t: Some(frame.t), code: "far-away", message }
        })
    }
}

/// The most components of a state that implicit methods without sparse equations take: their matrices are dense, 32 MB each here and twice that for the complex one.
const MOST_DENSE: usize = 2000;

impl<'m> Drive<'_, 'm> {
    /// With contacts and masses that vary only where there are any: others pay nothing.
    pub fn any<F: Formulate + 'm>(
        &mut self,
        chosen: (Formulation, Option<String>),
        mut system: F,
    ) -> Result<Ended, Error> {
        let spins = system.spins();
        if !spins.is_empty() {
            return self.any(chosen, BodyAxes::new(system, spins));
        }
        let (mechanism, plain) = (self.mechanism, self.mechanism.contacts.is_empty());
        if !mechanism.masses.is_empty() {
            // below the contacts: they see the true masses
            let mut system = Varying::new(mechanism, system);
            match plain {
                true => self.with(chosen, &mut system),
                false => self.with(chosen, &mut Contacting::new(mechanism, system)),
            }
        } else if plain {
            self.with(chosen, &mut system)
        } else {
            self.with(chosen, &mut Contacting::new(mechanism, system))
        }
    }

    fn with<F: Formulate>(
        &mut self,
        (formulation, formulation_chosen): (Formulation, Option<String>),
        system: &mut F,
    ) -> Result<Ended, Error> {
        let mechanism = self.mechanism;
        let (n, integrator) = (system.dimension(), mechanism.model.settings.integrator);
        let dense = integrator == Integrator::Radau5
            || (integrator == Integrator::Bdf && system.mechanics().is_none());
        if dense && n > MOST_DENSE {
            let message = format!(
                "`{}` works with dense matrices, here for at most {MOST_DENSE} components of the state; there are {n}",
                integrator.name()
            );
            let list = vec![Fault::error("simulation.integrator", message)];
            return Err(Error::Model(Faults { list, provenance: mechanism.model.provenance.clone() }));
        }
        let mut run = Run::new(mechanism, formulation, system, &mut *self.ledger, &mut *self.observer);
        run.frame.stage = self.stage.cloned();
        run.ledger.formulation = Some((formulation, formulation_chosen.clone()));
        let outcome = match &self.entry {
            Entry::Begin => run.begin(None),
            Entry::GoOn(carried) => run.begin(Some(carried)),
            Entry::Recall(checkpoint) => {
                run.recall(checkpoint)?;
                run.check_state().map(|()| None)
            }
        };
        let pause = outcome.and_then(|ended| ended.map_or_else(|| run.drive(), Ok));
        let status = match pause {
            Ok(Pause::Change(t, edits, told)) => match run.next_stage(t, &edits, told) {
                Ok(next) => {
                    let counters = run.system.counters();
                    let Run { stepper, ledger, singular, events, .. } = run;
                    events.iter().for_each(|events| events.finish(&mut ledger.remarks));
                    singular.finish(&mut ledger.remarks);
                    ledger.close_stage(stepper.statistics(), counters);
                    return Ok(Ended::Stage(Box::new(next)));
                }
                Err(status) => status,
            },
            Ok(Pause::End(status)) | Err(status) => status,
        };
        let Run { stepper, singular, events, fallback, integrator, why, ledger, system, frame, .. } = run;
        events.iter().for_each(|events| events.finish(&mut ledger.remarks));
        singular.finish(&mut ledger.remarks);
        ledger.stiffness.finish(&mut ledger.remarks);
        ledger.close_stage(stepper.statistics(), system.counters());
        let leaps = ledger.statistics.leaps;
        if mechanism.model.settings.fixed_step().is_some() && leaps > 0 {
            let message = format!(
                "the projection onto the constraints moved the mechanism by more than a hundredth of its size in {leaps} steps: the motion may have changed its branch, \
                 take a smaller `step`"
            );
            ledger.remarks.push(Remark { t: None, code: "branch", message });
        }
        ledger.remarks.extend(mechanism.coarse_remark(&frame));
        let chosen = (formulation, formulation_chosen, integrator, why, fallback);
        Ok(Ended::Run(Box::new(ledger.summary(mechanism, status, system, chosen))))
    }
}
