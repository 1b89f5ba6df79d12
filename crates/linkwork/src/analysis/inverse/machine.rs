//! The mechanism that inverse dynamics works with: the user's, whose chosen actuators push as hard as they are asked to, and programs that read the prescribed coordinates.

use super::Settings;
use crate::Error;
use crate::error::names::{nearest, segment};
use crate::expressions::Formula;
use crate::interactions::Motion as BodyMotion;
use crate::interactions::{
    Action, Actuator, Context, Effort, NamedAction, Program, Rate, Sampled, Scene, Slot, Variable,
};
use crate::linalg::jet::Jet;
use crate::mechanism::Mechanism;
use crate::model::{Faults, Measure};

/// An actuator whose force is unknown.
#[derive(Clone, Debug)]
pub(super) struct Drive {
    /// As the user names it: that of an actuator, or `joint.C`.
    pub name: String,
    /// Its coordinate is w g.
    gauge: usize,
    factor: f64,
    /// The variable that is its force.
    pub variable: usize,
    /// What it can do at most, N or N m.
    pub limit: f64,
    /// Whether its coordinate is an angle.
    pub turns: bool,
    /// What its square counts.
    pub weight: f64,
}

/// A coordinate that is prescribed.
#[derive(Clone, Debug)]
pub(super) struct Prescribed {
    pub of: String,
    program: Program,
    /// Whether it is known up to whole turns only.
    pub turns: bool,
}

/// The mechanism with its unknown forces.
pub(super) struct Machine {
    pub mechanism: Mechanism,
    pub prescribed: Vec<Prescribed>,
    pub drives: Vec<Drive>,
}

/// What a name may stand for: the columns of positions in results, and the formulas that read them.
fn readable(mechanism: &Mechanism) -> Vec<(String, String)> {
    let mut list = Vec::new();
    for joint in mechanism.joints() {
        for i in 0..joint.coordinates.len() {
            let number = if i == 0 { String::new() } else { (i + 1).to_string() };
            list.push((
                format!("joint.{}.q{number}", joint.name),
                format!("joint.{}.q{number}", quoted(&joint.name)),
            ));
        }
    }
    for point in mechanism.points() {
        for axis in ["x", "y", "z"].into_iter().take(mechanism.columns()) {
            list.push((
                format!("point.{}.{axis}", point.name),
                format!("point.{}.{axis}", quoted(&point.name)),
            ));
        }
    }
    for measure in &mechanism.model().measures {
        list.push((format!("measure.{}", measure.name), quoted(&measure.name)));
    }
    list
}

/// A name as formulas have it.
fn quoted(name: &str) -> String {
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match name.split('.').all(plain) {
        true => name.into(),
        false => format!("`{name}`"),
    }
}

/// The columns of a file that are coordinates of joints; if there are none, those that are positions of points and measures.
#[cfg(feature = "file")]
pub(super) fn columns_of<'n>(mechanism: &Mechanism, names: &[&'n str]) -> Vec<&'n str> {
    let known = readable(mechanism);
    let found = |kind: fn(&str) -> bool| -> Vec<&'n str> {
        let is = |name: &&'n str| kind(name) && known.iter().any(|(column, _)| column == name);
        names.iter().copied().filter(is).collect()
    };
    let joints = found(|name| name.starts_with("joint."));
    if !joints.is_empty() {
        return joints;
    }
    let mut others = found(|name| !name.starts_with("joint."));
    let measures = &mechanism.model().measures;
    others.extend(names.iter().filter(|name| measures.iter().any(|measure| measure.name == **name)));
    others
}

/// How much the unit of a measure's column is in SI units.
#[cfg(feature = "file")]
pub(super) fn unit_of(mechanism: &Mechanism, of: &str) -> f64 {
    let name = of.strip_prefix("measure.").unwrap_or(of);
    let measure = mechanism.model().measures.iter().find(|measure| measure.name == name);
    measure.and_then(Measure::unit_size).unwrap_or(1.0)
}

impl Machine {
    pub fn new(mechanism: &Mechanism, coordinates: &[&str], settings: &Settings) -> Result<Self, Error> {
        refuse_unsuited(mechanism)?;
        let mut model = mechanism.model().clone();
        let (kept, known) = (model.measures.len(), readable(mechanism));
        for (i, of) in coordinates.iter().enumerate() {
            let formula = known.iter().find(|(column, _)| column == of).map_or(*of, |(_, formula)| formula);
            let formula =
                Formula::parse(formula).map_err(|error| Error::Motion(format!("`{of}`: {error}")))?;
            let mut name = format!("prescribed_{i}");
            while model.measures.iter().any(|measure| measure.name == name) {
                name.push('_');
            }
            model.measures.push(Measure::new(name, formula));
        }
        let mut changed =
            model.assemble().map_err(|faults| blame(faults, coordinates, kept, &model.measures))?;
        let interactions = &mut changed.interactions;
        let programs: Vec<Program> =
            interactions.measures.split_off(kept).into_iter().map(|m| m.program).collect();
        interactions.measure_order.retain(|&i| i < kept);
        changed.model.measures.truncate(kept);
        let mut machine = Machine { mechanism: changed, prescribed: Vec::new(), drives: Vec::new() };
        let names = machine.chosen(settings)?;
        for name in names {
            machine.drive(&name, settings)?;
        }
        machine.refuse_moving()?;
        let list = coordinates.iter().zip(programs);
        machine.prescribed = list
            .map(|(of, program)| Prescribed {
                of: (*of).to_owned(),
                turns: program.turns(&machine.mechanism.interactions),
                program,
            })
            .collect();
        Ok(machine)
    }

    /// The actuators that are to supply the motion.
    fn chosen(&self, settings: &Settings) -> Result<Vec<String>, Error> {
        let own = || self.mechanism.model.actuators.iter().map(|actuator| actuator.name.clone());
        let names: Vec<String> = match &settings.actuators {
            Some(names) => names.clone(),
            None => own().collect(),
        };
        if names.is_empty() && self.mechanism.degrees_of_freedom() > 0 {
            let joints: Vec<String> = self
                .mechanism
                .joints
                .iter()
                .filter(|j| !j.coordinates.is_empty())
                .map(|j| format!("joint.{}", j.name))
                .take(6)
                .collect();
            let message = format!(
                "nothing can supply the motion: the model has no actuators; name joints that have one, such as {}",
                joints.join(", ")
            );
            return Err(Error::Motion(message));
        }
        if let Some(twice) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            return Err(Error::Motion(format!("the actuator `{}` is named twice", names[twice])));
        }
        if let Some((name, _)) = settings.weights.iter().find(|(name, _)| !names.contains(name)) {
            let help = nearest(name, names.iter().map(String::as_str))
                .map_or(String::new(), |help| format!("; {help}"));
            return Err(Error::Motion(format!(
                "the weight of `{name}`: there is no such actuator here{help}"
            )));
        }
        Ok(names)
    }

    /// Makes the force of an actuator, or along a joint, an unknown.
    fn drive(&mut self, name: &str, settings: &Settings) -> Result<(), Error> {
        let weight =
            settings.weights.iter().find(|(known, _)| known == name).map_or(1.0, |(_, weight)| *weight);
        if !(weight > 0.0 && weight.is_finite()) {
            return Err(Error::Motion(format!("the weight of `{name}` must be positive, it is {weight}")));
        }
        let variable = self.mechanism.interactions.variables.len();
        let force = Formula::parse("force").map_err(|error| Error::Motion(error.to_string()))?;
        let effort = Effort::Given(Program::new(force, vec![Slot::Variable(variable)]));
        let column = format!("actuator.{name}");
        let actions = &mut self.mechanism.interactions.actions;
        let known = actions.iter_mut().position(|named| named.name == column);
        let (gauge, factor, limit) = match known.map(|i| (i, &mut actions[i].action)) {
            Some((i, Action::Actuator(law))) => {
                let limit = law.limit;
                **law = Actuator { effort, limit: f64::INFINITY, held: None, ..(**law).clone() };
                let found = (law.gauge, law.factor, limit);
                self.silence(i);
                found
            }
            _ => {
                let (gauge, factor) = self.along(name)?;
                let law = Actuator { gauge, factor, effort, limit: f64::INFINITY, held: None };
                let action = Action::Actuator(Box::new(law));
                self.mechanism.interactions.actions.push(NamedAction { name: column, action });
                (gauge, factor, f64::INFINITY)
            }
        };
        let turns = self.mechanism.interactions.gauges[gauge].is_angle();
        self.mechanism.interactions.variables.push(Variable {
            name: format!("force of {name}"),
            shown: false,
            unit: (String::new(), 1.0),
            initial: 0.0,
            rate: Rate::Still,
            scale: f64::INFINITY,
        });
        self.drives.push(Drive { name: name.to_owned(), gauge, factor, variable, limit, turns, weight });
        Ok(())
    }

    /// Its controller and its samples are not asked any more.
    fn silence(&mut self, action: usize) {
        let interactions = &mut self.mechanism.interactions;
        interactions
            .samplers
            .retain(|s| !matches!(s.what, Sampled::Actuator { action: of, .. } if of == action));
        for variable in &mut interactions.variables {
            if matches!(variable.rate, Rate::Integral(of) if of == action) {
                variable.rate = Rate::Still;
            }
        }
    }

    /// The coordinate of a joint that is named as `joint.C`, `joint.C.q` or `joint.C.q2`.
    fn along(&self, name: &str) -> Result<(usize, f64), Error> {
        let joints = &self.mechanism.joints;
        if let Some(rest) = name.strip_prefix("joint.") {
            for joint in joints {
                for (i, coordinate) in joint.coordinates.iter().enumerate() {
                    let number = if i == 0 { String::new() } else { (i + 1).to_string() };
                    let same = rest.strip_prefix(joint.name.as_str()).is_some_and(|end| {
                        (i == 0 && end.is_empty()) || end.strip_prefix(".q") == Some(&number)
                    });
                    if same {
                        return Ok((coordinate.gauge, coordinate.factor));
                    }
                }
            }
        }
        let own = self.mechanism.model.actuators.iter().map(|actuator| actuator.name.clone());
        let joints = joints.iter().filter(|j| !j.coordinates.is_empty()).map(|j| format!("joint.{}", j.name));
        let known: Vec<String> = own.chain(joints).collect();
        let help =
            nearest(name, known.iter().map(String::as_str)).map_or(String::new(), |help| format!("; {help}"));
        Err(Error::Motion(format!("there is no actuator or joint coordinate `{name}`{help}")))
    }

    /// What goes on by itself beside the motion cannot be known from it.
    fn refuse_moving(&self) -> Result<(), Error> {
        let interactions = &self.mechanism.interactions;
        let moving = interactions.variables.iter().find(|variable| !matches!(variable.rate, Rate::Still));
        if let Some(variable) = moving {
            let message = format!(
                "`{}` has a differential equation of its own: a motion does not say how it goes on; leave it out of the model, or name its actuator",
                variable.name
            );
            return Err(Error::Motion(message));
        }
        if !interactions.samplers.is_empty() {
            let message = "something of the model is sampled (`every`): a motion does not say what it holds; leave it out of the model, or name its actuator";
            return Err(Error::Motion(message.into()));
        }
        Ok(())
    }

    /// Value, rate and acceleration of a prescribed coordinate where all accelerations of bodies are zero.
    pub fn jet(&self, i: usize, place: &Place<'_>, clock: f64, stack: &mut Vec<Jet>) -> Result<Jet, Error> {
        let scene = place.scene();
        let at = Context {
            interactions: &self.mechanism.interactions,
            scene: &scene,
            measures: &[],
            locals: &[],
            late: &[],
        };
        let Prescribed { of, program, .. } = &self.prescribed[i];
        let jet = program.position_jet(&at, clock, stack).ok_or_else(|| {
            Error::Motion(format!(
                "`{of}` cannot be prescribed: it is not a function of where the bodies are"
            ))
        })?;
        match jet.x.is_finite() && jet.d.is_finite() && jet.dd.is_finite() {
            true => Ok(jet),
            false => Err(Error::Motion(format!("`{of}` has no value or no rate at t = {} s", place.t))),
        }
    }

    /// The coordinate of a drive.
    pub fn drive_jet(&self, drive: &Drive, place: &Place<'_>) -> Jet {
        let hints = &place.auxiliary[..self.mechanism.interactions.hints];
        self.mechanism.interactions.gauges[drive.gauge].jet(place.bodies, hints) * drive.factor
    }
}

/// Where the bodies are, and how fast.
pub(super) struct Place<'a> {
    pub t: f64,
    pub bodies: &'a [BodyMotion],
    pub auxiliary: &'a [f64],
    pub hints: usize,
    pub switches: &'a [bool],
}

impl Place<'_> {
    fn scene(&self) -> Scene<'_> {
        let (hints, holds) = self.auxiliary.split_at(self.hints);
        Scene { t: self.t, bodies: self.bodies, hints, holds, switches: self.switches }
    }
}

/// Mechanisms whose forces do not follow from their motion.
fn refuse_unsuited(mechanism: &Mechanism) -> Result<(), Error> {
    let wrong = |message: &str| Err(Error::Motion(message.into()));
    if mechanism.expansion().is_some() || mechanism.origin().is_some() {
        return wrong(
            "a mechanism with chains, or whose topology changes, has no inverse dynamics yet: leave [chains] and [changes] out",
        );
    }
    if mechanism.has_contacts() {
        return wrong(
            "a mechanism with contacts has no inverse dynamics: their forces do not follow from the motion; leave [contacts] out and apply measured forces with [forces]",
        );
    }
    if let Some(mass) = mechanism.masses().first() {
        let body = &mechanism.bodies()[mass.body].name;
        return wrong(&format!("the mass of `{body}` varies: there is no inverse dynamics of it"));
    }
    Ok(())
}

/// A fault in one of the added measures is one of the prescribed coordinate.
fn blame(mut faults: Faults, coordinates: &[&str], kept: usize, measures: &[Measure]) -> Error {
    for (of, measure) in coordinates.iter().zip(&measures[kept..]) {
        let path = format!("measures.{}", segment(&measure.name));
        if let Some(fault) = faults.list.iter().find(|fault| fault.path.starts_with(&path)) {
            let help = fault.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            return Error::Motion(format!("`{of}` cannot be prescribed: {}{help}", fault.message));
        }
    }
    faults.provenance = None;
    Error::Model(faults)
}
