//! Torsion springs, bushings, actuators and drag.

use super::{Checker, Sign};
use crate::error::names::{nearest, segment};
use crate::model::{ActsOn, ActuatorLaw, Axis, Fault, Formula};

/// Two directions whose cosine is larger than this span no plane.
const PARALLEL: f64 = 1.0 - 1e-9;

impl Checker<'_> {
    /// Formulas of a vector.
    pub(super) fn formulas(&mut self, path: &str, parts: &[Formula; 3]) {
        for (i, part) in parts.iter().enumerate() {
            let component = format!("{path}[{i}]");
            // in the plane a moment is one number and no list
            let said = self.model.provenance.is_none() || self.said(&component).is_some();
            self.formula(if said { &component } else { path }, part, &[]);
        }
    }

    /// The name of a table, where a key takes one.
    pub(super) fn table_named(&mut self, path: &str, name: Option<&str>) {
        let Some(name) = name else { return };
        if self.readings.table(name).is_none() {
            let help = nearest(name, self.model.tables.iter().map(|table| table.name.as_str()));
            let help = help.or_else(|| Some("the tables of the model stand under [tables]".into()));
            self.faults.push(Fault { help, ..Fault::error(path, format!("there is no table `{name}`")) });
        }
    }

    /// What an element acts along. Joints that shared points imply are known once the mechanism is.
    fn acts_on(&mut self, path: &str, of: &ActsOn, bodies_key: [&str; 2]) {
        match of {
            ActsOn::Joint { .. } => {}
            ActsOn::Between([p, q]) => {
                self.point(&format!("{path}.between[0]"), p);
                self.point(&format!("{path}.between[1]"), q);
                if p == q {
                    self.error(
                        format!("{path}.between"),
                        format!("two points are needed, this has `{p}` twice"),
                    );
                }
            }
            ActsOn::Turn { bodies: [a, b], axis } => {
                let [first, second] = bodies_key.map(|key| format!("{path}.{key}"));
                let known = [self.body(&first, a), self.body(&second, b)];
                if known == [true, true] && a == b {
                    self.error(second, "a body does not turn against itself");
                }
                self.turn_axis(path, axis.as_ref());
            }
        }
    }

    /// The axis of an angle: none in the plane.
    fn turn_axis(&mut self, path: &str, axis: Option<&Axis>) {
        match axis {
            None if !self.planar() => {
                let help = "axis = a vector such as [0, 0, 1], or two points";
                self.error_with(path, "an angle in space needs an `axis`", help);
            }
            Some(_) if self.planar() => {
                self.error(format!("{path}.axis"), "in the plane bodies turn about z: remove `axis`");
            }
            Some(axis) => {
                self.axis(&format!("{path}.axis"), axis);
            }
            None => {}
        }
    }

    pub(super) fn torsion_springs(&mut self) {
        let model = self.model;
        self.names("torsion_springs", model.torsion_springs.iter().map(|spring| spring.name.as_str()));
        for spring in &model.torsion_springs {
            let path = format!("torsion_springs.{}", segment(&spring.name));
            if matches!(spring.of, ActsOn::Between(_)) {
                self.error(&path, "a torsion spring needs an angle, the distance of two points is none");
            }
            self.acts_on(&path, &spring.of, ["bodies[0]", "bodies[1]"]);
            self.number(&format!("{path}.stiffness"), spring.stiffness, Sign::NotNegative);
            self.number(&format!("{path}.damping"), spring.damping, Sign::NotNegative);
            if let Some(angle) = spring.free_angle {
                self.sizes(&format!("{path}.free_angle"), "the free angle", &[angle]);
            }
            self.sizes(&format!("{path}.preload"), "the preload", &[spring.preload]);
            if let Some(law) = &spring.law {
                self.formula(&format!("{path}.law"), law, &["angle", "rate"]);
            }
            self.table_named(&format!("{path}.table"), spring.table.as_deref());
        }
    }

    pub(super) fn bushings(&mut self) {
        let model = self.model;
        self.names("bushings", model.bushings.iter().map(|bushing| bushing.name.as_str()));
        for bushing in &model.bushings {
            let path = format!("bushings.{}", segment(&bushing.name));
            let [a, b] = &bushing.bodies;
            let known =
                [self.body(&format!("{path}.bodies[0]"), a), self.body(&format!("{path}.bodies[1]"), b)];
            if known == [true, true] && a == b {
                self.error(
                    format!("{path}.bodies"),
                    format!("a bushing joins two bodies, this has `{a}` twice"),
                );
            }
            let at = format!("{path}.at");
            match &bushing.at {
                [p, q] if p == q => {
                    if self.point(&at, p).is_some()
                        && known == [true, true]
                        && !bushing.bodies.iter().any(|body| self.held[body.as_str()].contains(p.as_str()))
                    {
                        let message = format!("neither `{a}` nor `{b}` holds the point `{p}`");
                        self.error_with(at, message, "name a point of one of them, or one of each");
                    }
                }
                [p, q] => {
                    self.point_of(&format!("{at}[0]"), p, a);
                    self.point_of(&format!("{at}[1]"), q, b);
                }
            }
            if let Some([first, other]) = &bushing.axes {
                let u = self.axis(&format!("{path}.axes[0]"), first);
                let v = self.axis(&format!("{path}.axes[1]"), other);
                if let (Some(u), Some(v)) = (u, v) {
                    self.bushing_axes(&format!("{path}.axes"), u, v);
                }
            }
            for (key, six) in [("stiffness", &bushing.stiffness), ("damping", &bushing.damping)] {
                for (i, value) in six.iter().enumerate() {
                    // in the plane the file has three of the six
                    let place = if self.planar() && i == 5 { 2 } else { i };
                    self.number(&format!("{path}.{key}[{place}]"), *value, Sign::NotNegative);
                }
            }
            self.sizes(&format!("{path}.preload"), "every preload", &bushing.preload);
            let all = [bushing.stiffness, bushing.damping, bushing.preload];
            if self.planar() && all.iter().any(|six| six[2..5].iter().any(|x| *x != 0.0)) {
                self.error(path, "the model is planar: only x, y and the turn about z count");
            }
        }
    }

    fn bushing_axes(&mut self, path: &str, u: [f64; 3], v: [f64; 3]) {
        let length = |x: [f64; 3]| x[0].hypot(x[1]).hypot(x[2]);
        let (lu, lv) = (length(u), length(v));
        let cosine: f64 = (0..3).map(|i| (u[i] / lu) * (v[i] / lv)).sum();
        if cosine.abs() > PARALLEL {
            self.error(path, "the two axes are parallel");
        } else if self.planar() {
            let turn = (u[0] / lu) * (v[1] / lv) - (u[1] / lu) * (v[0] / lv);
            if u[2] != 0.0 || v[2] != 0.0 {
                self.error(path, "the model is planar, but an axis leaves the plane");
            } else if turn < 0.0 {
                self.error_with(
                    path,
                    "the second axis lies clockwise of the first",
                    "give the opposite direction",
                );
            }
        }
    }

    pub(super) fn actuators(&mut self) {
        let model = self.model;
        self.names("actuators", model.actuators.iter().map(|actuator| actuator.name.as_str()));
        for actuator in &model.actuators {
            let path = format!("actuators.{}", segment(&actuator.name));
            self.acts_on(&path, &actuator.of, ["against", "body"]);
            let locals = &["q", "v"];
            match &actuator.law {
                ActuatorLaw::Force(formula) => self.formula(&format!("{path}.force"), formula, locals),
                ActuatorLaw::Torque(formula) => self.formula(&format!("{path}.torque"), formula, locals),
                ActuatorLaw::Pd { setpoint, rate_setpoint, stiffness, damping } => {
                    let path = format!("{path}.controller");
                    self.formula(&format!("{path}.setpoint"), setpoint, &[]);
                    self.formula(&format!("{path}.rate_setpoint"), rate_setpoint, &[]);
                    self.number(&format!("{path}.stiffness"), *stiffness, Sign::NotNegative);
                    self.number(&format!("{path}.damping"), *damping, Sign::NotNegative);
                }
                ActuatorLaw::Pid { setpoint, rate_setpoint, stiffness, integral, damping, tracking_time } => {
                    let path = format!("{path}.controller");
                    self.formula(&format!("{path}.setpoint"), setpoint, &[]);
                    self.formula(&format!("{path}.rate_setpoint"), rate_setpoint, &[]);
                    self.number(&format!("{path}.stiffness"), *stiffness, Sign::NotNegative);
                    self.number(&format!("{path}.ki"), *integral, Sign::Positive);
                    self.number(&format!("{path}.damping"), *damping, Sign::NotNegative);
                    if let Some(time) = tracking_time {
                        self.number(&format!("{path}.tracking_time"), *time, Sign::Positive);
                    } else if actuator.limit.is_some() && *stiffness == 0.0 {
                        self.error_with(
                            path,
                            "nothing says how fast the integral is led back while the `limit` holds: without `kp` there is no kp / ki",
                            "give a `tracking_time`",
                        );
                    }
                }
            }
            if let Some(limit) = actuator.limit {
                self.number(&format!("{path}.limit"), limit, Sign::NotNegative);
            }
            if let Some(every) = actuator.every {
                self.number(&format!("{path}.every"), every, Sign::Positive);
            }
            if let (ActuatorLaw::Pid { stiffness, integral, tracking_time, .. }, Some(every), Some(_)) =
                (&actuator.law, actuator.every, actuator.limit)
                && tracking_time.unwrap_or(stiffness / integral) < every
            {
                self.error_with(
                    format!("{path}.every"),
                    format!(
                        "a period of {every} s is longer than the time in which the integral is led back"
                    ),
                    "sample more often, or give a longer `tracking_time`",
                );
            }
        }
    }

    pub(super) fn drags(&mut self) {
        let model = self.model;
        self.names("drags", model.drags.iter().map(|drag| drag.name.as_str()));
        for drag in &model.drags {
            let path = format!("drags.{}", segment(&drag.name));
            self.moving_body(&format!("{path}.body"), &drag.body, "drag on `ground` moves nothing");
            if let Some(at) = &drag.at {
                self.point_of(&format!("{path}.at"), at, &drag.body);
            }
            self.number(&format!("{path}.coefficient"), drag.coefficient, Sign::NotNegative);
            self.number(&format!("{path}.linear"), drag.linear, Sign::NotNegative);
            if let Some(wind) = &drag.wind {
                self.formulas(&format!("{path}.wind"), wind);
                if self.planar() && wind[2].is_constant() != Some(0.0) {
                    self.error(format!("{path}.wind"), "the model is planar: there is no wind along z");
                }
            }
        }
    }
}
