//! A model in the form that a file gives it: where a model that was built has two ways to say the same, the one of the file.

use super::source::Source;
use crate::file::writing::spelling::{same_program, spell};
use crate::model::{
    ActuatorLaw, Dimension, Extend, Formula, Inertia, Interpolation, JointForces, Mass, Model, PayOutLaw,
    Place, Reference, StateChange, Table, Thrust,
};
use std::sync::Arc;

/// In what words formulas are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// In their own.
    Own,
    /// Spelled again, with bare numbers in SI units: a formula of a model that was built may have units that no file would let pass.
    Bare,
}

/// The model as reading its file gives it, with every formula in a text that a file can have.
pub(super) fn settled(model: &Model, source: Option<&Source<'_>>, words: Words) -> Model {
    let mut model = Model { provenance: None, ..model.clone() };
    let parameter = |name: &str| source.and_then(|source| source.parameter(name));
    each_formula(&mut model, &mut |formula| *formula = readable(formula, &parameter, words));
    model.bodies.iter_mut().for_each(|body| point_mass(&mut body.mass, &body.points, model.dimension));
    for joint in &mut model.joints {
        let coordinates = joint.kind().coordinates(model.dimension).len();
        JointForces::complete(&mut joint.forces, coordinates);
    }
    for named in &mut model.tables {
        if let Some(table) = without_ends(&named.table) {
            named.table = Arc::new(table);
        }
    }
    model
}

/// A mass in one point that is not simply the body's only point is one without inertia.
fn point_mass(mass: &mut Mass, points: &[String], dimension: Dimension) {
    if let Mass::Given { com, inertia: inertia @ Inertia::Point, .. } = mass
        && !matches!(com, Place::Point(point) if *points == [point.clone()])
    {
        *inertia = match dimension {
            Dimension::Planar => Inertia::Polar(0.0),
            Dimension::Spatial => Inertia::Matrix([0.0; 6]),
        };
    }
}

/// A periodic table has no ends at which to extend it.
fn without_ends(table: &Table) -> Option<Table> {
    let ends = table.interpolation() == Interpolation::Periodic && table.extend() != Extend::default();
    ends.then(|| table.extended(Extend::default()))?.ok()
}

/// The formula with a text that says the same when it is read again; as it is where there is none.
fn readable(formula: &Formula, parameter: &dyn Fn(&str) -> Option<f64>, words: Words) -> Formula {
    let value = |reference: &Reference| {
        let later = formula.references().iter().any(|known| known.target == reference.target);
        reference.target.single().filter(|_| !later).and_then(parameter)
    };
    if formula.is_constant().is_some_and(|value| *formula == Formula::constant(value)) {
        return formula.clone();
    }
    let own = Formula::parse(formula.text()).ok().map(|own| own.fold(value));
    if let Some(own) = own.filter(|own| words == Words::Own && same_program(own, formula)) {
        return own;
    }
    let spelled = || Formula::parse(&spell(formula)?).ok();
    match formula.is_constant() {
        Some(value) => Formula::constant(value),
        None => spelled().filter(|spelled| same_program(spelled, formula)).unwrap_or(formula.clone()),
    }
}

/// Visits every formula of a model.
fn each_formula(model: &mut Model, visit: &mut dyn FnMut(&mut Formula)) {
    model.bodies.iter_mut().filter_map(|body| body.mass_law.as_mut()).for_each(&mut *visit);
    model.springs.iter_mut().filter_map(|spring| spring.law.as_mut()).for_each(&mut *visit);
    model.torsion_springs.iter_mut().filter_map(|spring| spring.law.as_mut()).for_each(&mut *visit);
    model.forces.iter_mut().flat_map(|force| &mut force.force).for_each(&mut *visit);
    model.couples.iter_mut().flat_map(|couple| &mut couple.moment).for_each(&mut *visit);
    for actuator in &mut model.actuators {
        match &mut actuator.law {
            ActuatorLaw::Force(law) | ActuatorLaw::Torque(law) => visit(law),
            ActuatorLaw::Pd { setpoint, rate_setpoint, .. }
            | ActuatorLaw::Pid { setpoint, rate_setpoint, .. } => {
                visit(setpoint);
                visit(rate_setpoint);
            }
        }
    }
    model.drags.iter_mut().filter_map(|drag| drag.wind.as_mut()).flatten().for_each(&mut *visit);
    for thruster in &mut model.thrusters {
        if let Thrust::Given { thrust, .. } = &mut thruster.thrust {
            visit(thrust);
        }
    }
    for pay_out in model.chains.iter_mut().filter_map(|chain| chain.pay_out.as_mut()) {
        if let PayOutLaw::Length(length) = &mut pay_out.law {
            visit(length);
        }
    }
    model.measures.iter_mut().for_each(|measure| visit(&mut measure.value));
    for state in &mut model.states {
        match &mut state.change {
            StateChange::Rate(formula) | StateChange::Next { value: formula, .. } => visit(formula),
        }
    }
    model.drivers.iter_mut().for_each(|driver| visit(&mut driver.value));
    for lock in &mut model.locks {
        lock.when.iter_mut().chain(&mut lock.release).for_each(&mut *visit);
    }
    model.tyres.iter_mut().for_each(|tyre| visit(&mut tyre.road));
    model.changes.iter_mut().filter_map(|change| change.when.as_mut()).for_each(&mut *visit);
    model.settings.stop.iter_mut().for_each(&mut *visit);
}
