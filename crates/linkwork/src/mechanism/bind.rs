//! Formulas bound to a mechanism: what each name reads is found once, here.

use super::attach::{ActuatorVariables, Attach};
use super::contact_entries::ContactOf;
use super::contact_motion::{ContactMotion, MotionOf};
use super::late::{ContactResult, Late};
use crate::error::names::{nearest, segment};
use crate::interactions::{
    Action, BodyPoint, ContactAccount, CoordinateFunction, CouplingOwner, InputPlace, MeasureProgram,
    OfMotion, Program, Rate, Sampled, Sampler, Slot, Variable,
};
use crate::model::{
    ActuatorLaw, Between, BodyReading, ContactReading, ElementKind, Fault, Formula, JointReading,
    PointFunction, PointReading, Reading, StateChange,
};
use std::sync::Arc;

impl Attach<'_> {
    /// A formula ready to be evaluated. `locals` are the names that whoever evaluates it hands over. With `late` it may
    /// read accelerations, reactions and forces of contacts, which no force can depend on unless it is sampled.
    pub fn bind(&mut self, path: &str, formula: &Formula, locals: &[&str], late: bool) -> Option<Program> {
        let (formula, readings) = match self.readings.resolve(formula, locals) {
            Ok(found) => found,
            Err(error) => {
                self.faults
                    .push(Fault { help: error.help.clone(), ..Fault::error(path, error.message.clone()) });
                return None;
            }
        };
        let mut slots = Vec::new();
        for reading in &readings {
            match self.slot(reading) {
                Ok(slot) => slots.push(slot),
                Err(message) => {
                    self.faults.push(Fault::error(path, message));
                    return None;
                }
            }
        }
        if !late {
            if slots.iter().any(|s| matches!(s, Slot::Late(_))) {
                self.faults.push(too_late(path));
                return None;
            }
            // whether a measure can be known in time is known once all are bound
            let measures =
                slots.iter().filter_map(|s| if let Slot::Measure(i) = s { Some(*i) } else { None });
            self.needed.extend(measures.map(|i| (path.to_owned(), i)));
        }
        Some(Program::new(formula, slots))
    }

    fn late(&mut self, late: Late) -> Slot {
        let known = self.late.iter().position(|l| *l == late);
        Slot::Late(known.unwrap_or_else(|| {
            self.late.push(late);
            self.late.len() - 1
        }))
    }

    fn centre(&self, body: usize) -> BodyPoint {
        BodyPoint { body: Some(body), s: [0.0; 3] }
    }

    fn slot(&mut self, reading: &Reading) -> Result<Slot, String> {
        let mechanism = self.mechanism;
        let point = |i: usize| &mechanism.model.points[i].name;
        let planar = mechanism.columns() == 2;
        let missing = |i: usize| format!("no body holds the point `{}`", point(i));
        Ok(match reading {
            Reading::Time => Slot::Time,
            Reading::Local(i) => Slot::Local(*i),
            Reading::Measure(i) => Slot::Measure(*i),
            Reading::Input(i) => Slot::Variable(self.list.inputs[*i].first),
            Reading::State(i) => Slot::Variable(self.first_state + i),
            Reading::Point { index, what } => {
                let spot = self.spot(point(*index)).ok_or_else(|| missing(*index))?;
                match *what {
                    PointReading::Position(c) => Slot::Position(spot, c, mechanism.model.origin[c]),
                    PointReading::Velocity(c) => Slot::Velocity(spot, c),
                    PointReading::Acceleration(c) => {
                        let at = self.point_index(point(*index)).ok_or_else(|| missing(*index))?;
                        self.late(Late::Acceleration(at, c))
                    }
                }
            }
            Reading::Body { index, what } => {
                let body = Some(*index);
                let orientation = matches!(
                    what,
                    BodyReading::Roll | BodyReading::Pitch | BodyReading::Yaw | BodyReading::Quaternion(_)
                );
                if orientation && !self.turns([body, None]) {
                    let name = mechanism.body_name(body);
                    return Err(format!(
                        "`{name}` is a rod or a particle: nothing says how far it has turned about itself"
                    ));
                }
                match *what {
                    BodyReading::Position(c) => {
                        Slot::Position(self.centre(*index), c, mechanism.model.origin[c])
                    }
                    BodyReading::Velocity(c) => Slot::Velocity(self.centre(*index), c),
                    BodyReading::AngularVelocity(c) => Slot::Turning(body, c),
                    BodyReading::Angle => {
                        let gauge = self.gauge(CoordinateFunction::turn(None, body, [0.0, 0.0, 1.0], None));
                        self.track(gauge, 0.0);
                        Slot::CoordinateFunction(gauge, 1.0)
                    }
                    BodyReading::Roll => Slot::Attitude(body, 0),
                    BodyReading::Pitch => Slot::Attitude(body, 1),
                    BodyReading::Yaw => Slot::Attitude(body, 2),
                    BodyReading::Quaternion(c) => Slot::Quaternion(body, c),
                    BodyReading::ContactForce(c) => self.late(Late::OnBody(*index, c)),
                }
            }
            Reading::Joint { name, what } => {
                let Some(j) = self.joint(name) else {
                    let near =
                        mechanism.joint_names_like(name).map_or(String::new(), |help| format!(" ({help})"));
                    return Err(format!("there is no joint `{name}`{near}"));
                };
                let coordinate = |i: usize| {
                    self.coordinates[j].get(i).copied().ok_or_else(|| {
                        let kind = mechanism.joints[j].kind.name();
                        format!("joint `{name}` is {kind} and has {} coordinates", self.coordinates[j].len())
                    })
                };
                match *what {
                    JointReading::Coordinate(i) => {
                        let c = coordinate(i)?;
                        self.track(c.gauge, 0.0);
                        Slot::CoordinateFunction(c.gauge, c.factor)
                    }
                    JointReading::Rate(i) => coordinate(i).map(|c| Slot::GaugeRate(c.gauge, c.factor))?,
                    JointReading::Force(c) => self.late(Late::Reaction(j, c)),
                    JointReading::Moment(c) => self.late(Late::Reaction(j, c + 3)),
                }
            }
            Reading::Contact { name, what } => return self.contact(name, *what),
            Reading::Element { kind, index, what } => return self.element(*kind, *index, what),
            Reading::Between { function, points } => {
                let mut spots = Vec::new();
                for &p in points {
                    spots.push(self.spot(point(p)).ok_or_else(|| missing(p))?);
                }
                match (function, spots[..].as_ref()) {
                    (PointFunction::Distance, &[from, to]) => {
                        Slot::CoordinateFunction(self.gauge(CoordinateFunction::Distance { from, to }), 1.0)
                    }
                    (PointFunction::DistanceRate, &[from, to]) => {
                        Slot::GaugeRate(self.gauge(CoordinateFunction::Distance { from, to }), 1.0)
                    }
                    (PointFunction::Angle, &[p, q, r]) => Slot::AngleAt([p, q, r], planar),
                    (PointFunction::AngleRate, &[p, q, r]) => Slot::AngleRateAt([p, q, r], planar),
                    (PointFunction::Speed, &[p]) => Slot::Speed(p),
                    _ => return Err("this takes another number of points".into()),
                }
            }
        })
    }

    /// What is read of a contact: at any time what follows from the motion, late what contacts give.
    fn contact(&mut self, name: &str, what: ContactReading) -> Result<Slot, String> {
        let mechanism = self.mechanism;
        let crowd = |entry: usize| mechanism.crowds.of(entry).is_some();
        // so many pairs that nothing knows a single one
        let unlisted = |what: &str| {
            format!(
                "`{name}` has no {what}: its entry of [contacts] has too many pairs to be listed in time steps, and has sums only; give the surfaces an entry of their own, or take `contact_method = \"events\"`"
            )
        };
        let Some(of) = mechanism.contact_named(name) else {
            let entries = mechanism.model.contacts.iter().enumerate();
            let part = |entry: &str| name.strip_prefix(entry).is_some_and(|rest| rest.starts_with('.'));
            if entries.into_iter().any(|(entry, contact)| crowd(entry) && part(&contact.name)) {
                return Err(unlisted("readings of its own"));
            }
            let known = mechanism.contacts.iter().map(|contact| contact.name.as_str());
            let near = nearest(name, known).map_or(String::new(), |help| format!(" ({help})"));
            return Err(format!("there is no contact `{name}`{near}"));
        };
        let of_motion = |what| Slot::OfMotion(OfMotion(Arc::new(ContactMotion::new(mechanism, of, what))));
        let one = match of {
            ContactOf::One(contact) => Some(contact),
            ContactOf::Pair(_) | ContactOf::Entry(_) => None,
        };
        let of_crowd = matches!(of, ContactOf::Entry(entry) if crowd(entry));
        let several = |what: &str| {
            if of_crowd {
                return unlisted(what);
            }
            let contacts = &mechanism.contacts[mechanism.contacts_of(of)];
            let first = contacts.first().map_or(String::new(), |contact| {
                format!("; that of a single one is `contact.{}.{what}`", contact.name)
            });
            format!("`{name}` is {} contacts, which have no common {what}{first}", contacts.len())
        };
        Ok(match what {
            ContactReading::Gap if of_crowd => return Err(unlisted("gap")),
            ContactReading::Rate if of_crowd => return Err(unlisted("rate")),
            ContactReading::Gap => of_motion(MotionOf::Gap),
            ContactReading::Rate => of_motion(MotionOf::Rate),
            ContactReading::Slip if one.is_none() => return Err(several("slip")),
            ContactReading::SlipAlong(_) if one.is_none() => return Err(several("slip")),
            ContactReading::State if one.is_none() => return Err(several("state")),
            ContactReading::Slip => of_motion(MotionOf::SlipSpeed),
            ContactReading::SlipAlong(c) => of_motion(MotionOf::Slip(c)),
            ContactReading::Normal => self.late(Late::Contact(of, ContactResult::Normal)),
            ContactReading::Friction(c) => self.late(Late::Contact(of, ContactResult::Friction(c))),
            ContactReading::Force(c) => self.late(Late::Contact(of, ContactResult::Force(c))),
            ContactReading::Closed => self.late(Late::Contact(of, ContactResult::Closed)),
            ContactReading::State => self.late(Late::Contact(of, ContactResult::State)),
            ContactReading::Impulse => {
                let entry = match of {
                    ContactOf::Entry(entry) => Some(entry),
                    ContactOf::One(contact) => mechanism.entry_of(contact),
                    ContactOf::Pair(pair) => Some(mechanism.pairs[pair].of),
                };
                let alone = |entry: &usize| {
                    mechanism.contacts_of(ContactOf::Entry(*entry)) == mechanism.contacts_of(of)
                };
                let account = self.list.contact_account;
                match entry.filter(alone).and_then(|entry| account.and_then(|a| a.impulse(entry))) {
                    Some(variable) => Slot::Variable(variable),
                    None => {
                        let whole = entry.map_or(name, |entry| &mechanism.model.contacts[entry].name);
                        return Err(format!(
                            "impulses are added up over a whole entry of [contacts]: `contact.{whole}.impulse`"
                        ));
                    }
                }
            }
        })
    }

    /// An output of an element of the model, or the force of a driver.
    fn element(&mut self, kind: ElementKind, index: usize, what: &str) -> Result<Slot, String> {
        let model = &self.mechanism.model;
        let name = format!("{}.{}", kind.name(), kind.names(model)[index]);
        let owner = match kind {
            ElementKind::Driver => Some(CouplingOwner::Driver(index)),
            ElementKind::Cable if model.cables[index].inextensible => Some(CouplingOwner::Cable(index)),
            _ => None,
        };
        if let Some(owner) = owner {
            let Some(row) = self.list.couplings.iter().position(|c| c.owner == owner) else {
                return Err(format!("`{name}` is worked out later than this; a measure can read it"));
            };
            let gauge = self.list.couplings[row].terms[0].0;
            return match (kind, what) {
                (ElementKind::Driver, _) => {
                    let known = if self.list.gauges[gauge].is_angle() { "torque" } else { "force" };
                    match what == known {
                        true => Ok(self.late(Late::Driver(row))),
                        false => Err(format!("`{name}` has no `{what}`, it has {known}")),
                    }
                }
                (_, "length") => Ok(Slot::CoordinateFunction(gauge, 1.0)),
                (_, "rate") => Ok(Slot::GaugeRate(gauge, 1.0)),
                _ => Ok(self.late(Late::Multiplier(row))),
            };
        }
        if let (ElementKind::Actuator, "integral") = (kind, what)
            && let Some(variable) = self.actuator_variables[index].integral
        {
            return Ok(Slot::Variable(variable));
        }
        let action = self.list.actions.iter().find(|a| a.name == name);
        if action.is_some_and(|a| matches!(a.action, Action::Constant(_))) {
            return Err(format!("`{name}` never changes: write the number instead"));
        }
        let columns = action.map(|a| a.action.columns(&self.list)).unwrap_or_default();
        match columns.iter().position(|(column, _)| *column == what) {
            Some(which) => self.output(&name, which),
            None if columns.is_empty() => self.output(&name, 0),
            None => {
                let known: Vec<&str> = columns.iter().map(|(column, _)| *column).collect();
                Err(format!("`{name}` has no `{what}`, it has {}", known.join(", ")))
            }
        }
    }

    /// An output of an action: known in time for other forces only if it uses no formula itself.
    fn output(&mut self, name: &str, which: usize) -> Result<Slot, String> {
        let Some(i) = self.list.actions.iter().position(|a| a.name == name) else {
            return Err(format!("`{name}` is worked out later than this; a measure can read it"));
        };
        if self.list.actions[i].action.programs().is_empty() {
            return Ok(Slot::Output(i, which));
        }
        let before = &self.list.actions[..i];
        let first: usize = before.iter().map(|a| a.action.columns(&self.list).len()).sum();
        Ok(self.late(Late::Output(first + which)))
    }

    /// Places for inputs and states: formulas that are bound later read them.
    pub fn variables(&mut self) {
        let model = &self.mechanism.model;
        for input in &model.inputs {
            let (first, unit_size) = (self.list.variables.len(), input.unit_size().unwrap_or(1.0));
            let unit = (input.unit.clone().unwrap_or_default(), unit_size);
            // a filter is as accurate as what it is large against
            let large =
                input.limits.map_or(input.default.abs(), |[a, b]| a.abs().max(b.abs())).max(unit_size);
            let (rates, scale) = match input.between {
                Between::Held => (vec![Rate::Still], f64::INFINITY),
                Between::Linear => (vec![Rate::Of(first + 1), Rate::Still], f64::INFINITY),
                Between::Filtered(tau) => {
                    let filter = Rate::Filter(tau, [first, first + 2]);
                    (vec![Rate::Of(first + 1), filter, Rate::Still], large)
                }
            };
            for (k, rate) in rates.into_iter().enumerate() {
                let name = format!("input.{}{}", input.name, ["", ".rate", ".aim"][k]);
                let initial = if k == 1 { 0.0 } else { input.default };
                let scale = if k == 0 { scale } else { f64::INFINITY };
                self.list.variables.push(Variable {
                    name,
                    shown: k == 0,
                    unit: unit.clone(),
                    initial,
                    rate,
                    scale,
                });
            }
            let (name, between, limits) = (input.name.clone(), input.between, input.limits);
            self.list.inputs.push(InputPlace { name, first, between, limits, unit_size });
        }
        self.first_state = self.list.variables.len();
        for state in &model.states {
            self.list.variables.push(Variable {
                name: format!("state.{}", state.name),
                shown: true,
                unit: (state.unit.clone().unwrap_or_default(), state.unit_size().unwrap_or(1.0)),
                initial: state.initial,
                rate: Rate::Still,
                scale: state.scale,
            });
        }
        for state in model.states.iter().filter(|state| state.every().is_some()) {
            let before = self.variable(format!("state.{}.before", state.name), false);
            self.list.variables[before].initial = state.initial;
            self.state_before.push(before);
        }
        for actuator in &model.actuators {
            let mut own = ActuatorVariables::default();
            if let ActuatorLaw::Pid { .. } = actuator.law {
                own.integral = Some(self.variable(format!("actuator.{}.integral", actuator.name), true));
            }
            if actuator.every.is_some() {
                let hidden = |what: &str| format!("actuator.{}.{what}", actuator.name);
                own.output = Some(self.variable(hidden("output"), false));
                own.before = own.integral.map(|_| self.variable(hidden("integral.before"), false));
            }
            self.actuator_variables.push(own);
        }
        self.contact_account();
    }

    /// Places for what contacts take and give.
    fn contact_account(&mut self) {
        let mechanism = self.mechanism;
        let model = &mechanism.model;
        if model.contacts.is_empty() {
            return;
        }
        // those behind belong to the nodes of chains
        let entries = mechanism.expansion.as_ref().map_or(model.contacts.len(), |e| e.contacts);
        let first = self.list.variables.len();
        for name in ["impacts", "friction"] {
            let variable = self.variable(format!("energy.lost_in_{name}"), false);
            self.list.variables[variable].unit.0 = "J".into();
        }
        for contact in &model.contacts[..entries] {
            let variable = self.variable(format!("contact.{}.impulse", contact.name), false);
            self.list.variables[variable].unit.0 = "N s".into();
        }
        self.list.contact_account = Some(ContactAccount { first, entries });
    }

    /// A variable that begins with zero and has no unit yet.
    fn variable(&mut self, name: String, shown: bool) -> usize {
        let (unit, rate) = ((String::new(), 1.0), Rate::Still);
        self.list.variables.push(Variable { name, shown, unit, initial: 0.0, rate, scale: f64::INFINITY });
        self.list.variables.len() - 1
    }

    /// How the states change. All actions are listed.
    pub fn state_rates(&mut self) {
        let (mechanism, first) = (self.mechanism, self.first_state);
        let mut befores = std::mem::take(&mut self.state_before).into_iter();
        for (i, state) in mechanism.model.states.iter().enumerate() {
            let path = format!("states.{}", segment(&state.name));
            let variable = first + i;
            match &state.change {
                StateChange::Rate(rate) => {
                    if let Some(program) = self.bind(&format!("{path}.rate"), rate, &[], false) {
                        self.list.variables[variable].rate = Rate::Program(program);
                    }
                }
                StateChange::Next { value, every } => {
                    let next = self.bind(&format!("{path}.next"), value, &[], true);
                    if let (Some(next), Some(before)) = (next, befores.next()) {
                        let what = Sampled::State { variable, before, next };
                        self.list.samplers.push(Sampler { every: *every, what });
                        self.list.variables[variable].scale = f64::INFINITY;
                    }
                }
            }
        }
    }

    /// The model's measures. All actions are listed.
    pub fn measures(&mut self) {
        let mechanism = self.mechanism;
        for measure in &mechanism.model.measures {
            let path = format!("measures.{}", segment(&measure.name));
            let program =
                self.bind(&path, &measure.value, &[], true).unwrap_or_else(|| Program::constant(0.0));
            let inferred = mechanism.model.provenance.as_ref().and_then(|file| file.units.get(&path));
            let unit = measure.unit.as_ref().or(inferred).cloned().unwrap_or_default();
            let unit_size = measure.unit_size().unwrap_or(1.0);
            self.list.measures.push(MeasureProgram { name: measure.name.clone(), unit, unit_size, program });
        }
        self.list.measure_order = mechanism.model.measure_order();
        let mut late = vec![false; self.list.measures.len()];
        for &i in &self.list.measure_order {
            late[i] = self.list.measures[i].program.slots().iter().any(|s| match s {
                Slot::Late(_) => true,
                Slot::Measure(k) => late[*k],
                _ => false,
            });
        }
        for (path, i) in std::mem::take(&mut self.needed) {
            if late[i] {
                self.faults.push(too_late(&path));
            }
        }
    }
}

fn too_late(path: &str) -> Fault {
    let message =
        "a force cannot depend on accelerations, reactions or forces of contacts: they depend on it";
    let help = "use positions, velocities, gaps and forces of springs; or sample it: an actuator or a state with `every` sees what was before its sample";
    Fault::error(path, message).help(help)
}
