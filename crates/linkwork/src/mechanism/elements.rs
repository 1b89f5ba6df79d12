//! Force elements of the model as actions. Those without formulas come first, so that formulas can read them.

use super::attach::Attach;
use super::compile::no_couple;
use super::masses::per_impulse;
use super::{BodyIndex, Coordinate, JointInertia, Mechanism};
use crate::error::names::segment;
use crate::interactions::{
    self, Action, Actuator, Along, Applied, Bushing, Constant, Coupling, CouplingOwner, Direction, Drag,
    Effort, Gauge, Integral, JetDirection, LimitStop, Motion, NamedAction, Path, Program, Rate, Sampled,
    Sampler, Shows, Spot, Stop, Thruster, Touch, Workspace,
};
use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, cross, dot, norm, sub, unit};
use crate::model;
use crate::model::{
    ActsOn, ActuatorLaw, Axes, Cable, Fault, Formula, JointForces, Side, Spring, Table, ThrustDirection,
    TorsionSpring, Winch,
};
use std::sync::Arc;

const Z: Vec3 = [0.0, 0.0, 1.0];
/// Friction is smoothed over this rate, rad/s, or over this part of the mechanism's size per second.
const FRICTION_SPEED: f64 = 1e-3;
/// A rod across an axis, by the cosine between them.
const ACROSS: f64 = 1e-9;

impl Attach<'_> {
    /// Linear springs, constant forces and couples. Their columns come before all others.
    pub fn plain_loads(&mut self) {
        let mechanism = self.mechanism;
        for spring in mechanism.model.springs.iter().filter(|spring| spring.is_plain()) {
            let [p, q] = &spring.between;
            let (Some(a), Some(b)) = (self.spot(p), self.spot(q)) else { continue };
            let nodes = [p, q].map(|p| self.point_index(p).map_or(0, |p| mechanism.points[p].node));
            let action = interactions::Spring {
                ends: [a, b],
                stiffness: spring.stiffness,
                damping: spring.damping,
                free_length: spring.free_length.unwrap_or(f64::NAN), // set once assembled
            };
            self.springs.push((self.list.actions.len(), nodes));
            self.act(format!("spring.{}", spring.name), Action::Spring(Box::new(action)));
        }
        for force in &mechanism.model.forces {
            let Some(vector) = force.constant() else { continue };
            let Some(at) = self.force_spot(&force.body, force.at.as_ref()) else { continue };
            let action = Constant { at, force: vector, couple: [0.0; 3] };
            self.act(format!("force.{}", force.name), Action::Constant(Box::new(action)));
        }
        for couple in &mechanism.model.couples {
            let Some(moment) = couple.constant() else { continue };
            let Some(at @ Spot { body: Some(b), .. }) = self.force_spot(&couple.body, None) else { continue };
            let k = mechanism.bodies[b].particles.k();
            let idle = k == 1 || (k == 2 && mechanism.columns() == 3);
            if norm(moment) > 0.0 && idle {
                self.faults.push(no_couple(format!("couples.{}", segment(&couple.name)), &couple.body));
            }
            let action = Constant { at, force: [0.0; 3], couple: moment };
            self.act(format!("couple.{}", couple.name), Action::Constant(Box::new(action)));
        }
    }

    /// Everything else that pulls.
    pub fn elements(&mut self) {
        let model = &self.mechanism.model;
        self.joint_forces();
        for (i, cable) in model.cables.iter().enumerate() {
            self.cable(i, cable);
        }
        self.bushings();
        for formulas in [false, true] {
            for spring in model.springs.iter().filter(|s| !s.is_plain() && s.law.is_some() == formulas) {
                self.spring(spring);
            }
            for spring in model.torsion_springs.iter().filter(|s| s.law.is_some() == formulas) {
                self.torsion_spring(spring);
            }
            self.drags(formulas);
        }
        self.thrusters();
        self.forces();
        self.couples();
        self.actuators();
    }

    fn act(&mut self, name: String, action: Action) {
        self.list.actions.push(NamedAction { name, action });
    }

    fn along(&mut self, name: String, along: Along) {
        self.act(name, Action::Along(Box::new(along)));
    }

    fn table(&self, name: Option<&String>) -> Option<Arc<Table>> {
        name.and_then(|name| self.readings.table(name)).cloned()
    }

    /// A place on a body: where the body has the point, or else where that is drawn.
    fn spot_on(&self, body: BodyIndex, point: &str) -> Option<Spot> {
        let held = self.features.on_body(body, point).map(|o| self.features.list[o].at);
        let at = held.or_else(|| self.features.drawn(point))?;
        let centre = body.map_or([0.0; 3], |b| self.mechanism.bodies[b].particles.properties.com);
        Some(Spot { body, s: sub(at, centre) })
    }

    /// The point of a body at which a force acts: its centre of mass unless one is named.
    pub(super) fn force_spot(&self, body: &str, at: Option<&String>) -> Option<Spot> {
        let body = self.features.body(body);
        body?;
        at.map_or(Some(Spot { body, s: [0.0; 3] }), |point| self.spot_on(body, point))
    }

    /// Whether a body can carry a moment about an axis, or about any; tells if not. A rod in space has no rotation about
    /// itself, and what turns it about an axis that is not square to it is not well posed.
    pub(super) fn carries(&mut self, body: BodyIndex, axis: Option<Vec3>, path: &str) -> bool {
        let Some(b) = body else { return true };
        let body = &self.mechanism.bodies[b];
        let nodes = body.nodes.len();
        let line = |u: Vec3| dot(u, unit(sub(body.particles.at[1], body.particles.at[0]))).abs() < ACROSS;
        let sound = nodes >= self.mechanism.columns() || (nodes == 2 && axis.is_some_and(line));
        if !sound {
            self.faults.push(no_couple(path.into(), &body.name));
        }
        sound
    }

    /// Whether the bodies of a gauge can be turned about its axis.
    fn turnable(&mut self, gauge: usize, path: &str) -> bool {
        let axis = match &self.list.gauges[gauge] {
            Gauge::Angle { zero, quarter, .. } => Some(cross(zero.u, quarter.u)),
            Gauge::Slope { .. } => None,
            _ => return true,
        };
        self.list.gauges[gauge].bodies().into_iter().all(|b| self.carries(Some(b), axis, path))
    }

    /// The gauge of a coordinate; its turns are counted.
    fn acts_on(&mut self, of: &ActsOn, path: &str) -> Option<Coordinate> {
        let (coordinate, key) = match of {
            ActsOn::Joint { joint, coordinate } => (self.coordinate(joint, *coordinate, path)?, "joint"),
            ActsOn::Between([p, q]) => {
                let (from, to) = (self.spot(p)?, self.spot(q)?);
                (Coordinate { gauge: self.gauge(Gauge::Distance { from, to }), factor: 1.0 }, "between")
            }
            ActsOn::Turn { bodies, axis } => {
                let u = axis.as_ref().map_or(Some(Z), |axis| self.direction(axis))?;
                let [a, b] = bodies.each_ref().map(|name| self.features.body(name));
                if !self.oriented([a, b], &format!("{path}.axis")) {
                    return None;
                }
                (Coordinate { gauge: self.gauge(Gauge::turn(a, b, u, None)), factor: 1.0 }, "axis")
            }
        };
        self.track(coordinate.gauge, 0.0);
        self.turnable(coordinate.gauge, &format!("{path}.{key}")).then_some(coordinate)
    }

    /// Springs, dampers, friction, stops and inertias of joints.
    fn joint_forces(&mut self) {
        let mechanism = self.mechanism;
        for joint in &mechanism.model.joints {
            let path = format!("joints.{}", segment(&joint.name));
            for (i, forces) in joint.forces.iter().enumerate().filter(|(_, forces)| !forces.is_empty()) {
                let Some(j) = self.joint(&joint.name) else { continue };
                let Some(&coordinate) = self.coordinates[j].get(i) else {
                    let message = format!(
                        "this joint has {} coordinates here: a thin body does not turn about itself",
                        self.coordinates[j].len()
                    );
                    self.faults.push(Fault::error(path.clone(), message));
                    continue;
                };
                if forces.inertia > 0.0 {
                    let inertia = forces.inertia;
                    self.joint_inertias.push(JointInertia { joint: j, index: i, coordinate, inertia });
                }
                if (JointForces { inertia: 0.0, ..forces.clone() }).is_empty() {
                    continue;
                }
                self.track(coordinate.gauge, 0.0);
                if self.turnable(coordinate.gauge, &path) {
                    self.joint_force(coordinate, forces);
                }
            }
        }
    }

    fn joint_force(&mut self, coordinate: Coordinate, forces: &JointForces) {
        let angle = self.list.gauges[coordinate.gauge].is_angle();
        let speed = if angle { FRICTION_SPEED } else { FRICTION_SPEED * self.mechanism.size };
        let stop = forces.limits.map(|limits| LimitStop {
            limits,
            stiffness: forces.limit_stiffness,
            damping: forces.limit_damping,
        });
        let along = Along {
            terms: vec![(coordinate.gauge, coordinate.factor)],
            stiffness: forces.stiffness,
            damping: forces.damping,
            rest: forces.rest.unwrap_or(f64::NAN), // set once assembled
            preload: forces.preload,
            friction: forces.friction,
            friction_speed: forces.friction_speed.unwrap_or(speed),
            stop,
            shows: Shows::Nothing,
            ..Default::default()
        };
        self.along(String::new(), along);
    }

    fn spring(&mut self, spring: &Spring) {
        let path = format!("springs.{}", segment(&spring.name));
        let [Some(from), Some(to)] = spring.between.each_ref().map(|point| self.spot(point)) else { return };
        let tension = match &spring.law {
            None => None,
            Some(law) => match self.bind(&format!("{path}.law"), law, &["length", "rate"], false) {
                Some(program) => Some(program),
                None => return,
            },
        };
        let gauge = self.gauge(Gauge::Distance { from, to });
        let along = Along {
            terms: vec![(gauge, 1.0)],
            stiffness: spring.stiffness,
            damping: spring.damping,
            rest: spring.free_length.unwrap_or(f64::NAN), // set once assembled
            preload: spring.preload,
            curve: self.table(spring.table.as_ref()),
            tension,
            only_pulls: spring.tension_only,
            ..Default::default()
        };
        self.along(format!("spring.{}", spring.name), along);
    }

    fn torsion_spring(&mut self, spring: &TorsionSpring) {
        let path = format!("torsion_springs.{}", segment(&spring.name));
        let Some(coordinate) = self.acts_on(&spring.of, &path) else { return };
        if !self.list.gauges[coordinate.gauge].is_angle() {
            let message = "this coordinate is a path, a torsion spring needs an angle";
            let help = "use the joint's own `stiffness` and `damping`, or another `coordinate`";
            self.faults.push(Fault::error(format!("{path}.joint"), message).help(help));
            return;
        }
        let tension = match &spring.law {
            None => None,
            Some(law) => match self.bind(&format!("{path}.law"), law, &["angle", "rate"], false) {
                Some(program) => Some(program),
                None => return,
            },
        };
        let along = Along {
            terms: vec![(coordinate.gauge, coordinate.factor)],
            stiffness: spring.stiffness,
            damping: spring.damping,
            rest: spring.free_angle.unwrap_or(f64::NAN), // set once assembled
            preload: spring.preload,
            curve: self.table(spring.table.as_ref()),
            tension,
            ..Default::default()
        };
        self.along(format!("torsion_spring.{}", spring.name), along);
    }

    fn bushings(&mut self) {
        let mechanism = self.mechanism;
        let planar = mechanism.columns() == 2;
        for bushing in &mechanism.model.bushings {
            let path = format!("bushings.{}", segment(&bushing.name));
            let bodies = bushing.bodies.each_ref().map(|name| self.features.body(name));
            let spots = [0, 1].map(|i| self.spot_on(bodies[i], &bushing.at[i]));
            let [Some(p), Some(q)] = spots else { continue };
            let turning = [bushing.stiffness, bushing.damping, bushing.preload];
            let turning = turning.iter().any(|six| six[3..].iter().any(|x| *x != 0.0));
            if !self.carries(bodies[0], None, &format!("{path}.bodies[0]"))
                || (turning && !self.carries(bodies[1], None, &format!("{path}.bodies[1]")))
            {
                continue;
            }
            let axes = match &bushing.axes {
                None => IDENTITY,
                Some([first, other]) => {
                    let (Some(first), Some(other)) = (self.direction(first), self.direction(other)) else {
                        continue;
                    };
                    let third = if planar { Z } else { unit(cross(first, other)) };
                    let columns: Mat3 = [first, cross(third, first), third];
                    std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]))
                }
            };
            let halves = |six: [f64; 6]| [[six[0], six[1], six[2]], [six[3], six[4], six[5]]];
            let action = Bushing {
                bodies,
                at: [p, q],
                axes,
                stiffness: halves(bushing.stiffness),
                damping: halves(bushing.damping),
                preload: halves(bushing.preload),
                planar,
            };
            self.act(format!("bushing.{}", bushing.name), Action::Bushing(Box::new(action)));
        }
    }

    /// Three formulas without names of their own.
    fn vector(&mut self, path: &str, parts: &[Formula; 3]) -> Option<[Program; 3]> {
        let mut bound = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            bound.push(self.bind(&format!("{path}[{i}]"), part, &[], false)?);
        }
        bound.try_into().ok()
    }

    fn drags(&mut self, formulas: bool) {
        let mechanism = self.mechanism;
        for drag in mechanism.model.drags.iter().filter(|d| d.wind.is_some() == formulas) {
            let path = format!("drags.{}", segment(&drag.name));
            let Some(at) = self.force_spot(&drag.body, drag.at.as_ref()) else { continue };
            let wind = match &drag.wind {
                None => None,
                Some(wind) => match self.vector(&format!("{path}.wind"), wind) {
                    Some(wind) => Some(wind),
                    None => continue,
                },
            };
            let (quadratic, linear) = (drag.coefficient, drag.linear);
            let action = Drag { at, quadratic, linear, wind, columns: mechanism.columns() };
            self.act(format!("drag.{}", drag.name), Action::Drag(Box::new(action)));
        }
    }

    fn thrusters(&mut self) {
        let mechanism = self.mechanism;
        for (thruster, burn) in mechanism.model.thrusters.iter().zip(&mechanism.burns) {
            let path = format!("thrusters.{}", segment(&thruster.name));
            let (Some(burn), Some(at)) = (burn, self.force_spot(&thruster.body, thruster.at.as_ref())) else {
                continue;
            };
            let direction = match &thruster.direction {
                ThrustDirection::World(axis) => {
                    self.direction(axis).map(|u| JetDirection::Fixed(Direction { body: None, u }))
                }
                ThrustDirection::Body(axis) => {
                    if !self.carries(at.body, None, &format!("{path}.axes")) {
                        continue;
                    }
                    self.direction(axis).map(|u| JetDirection::Fixed(Direction { body: at.body, u }))
                }
                ThrustDirection::Velocity { launch, launch_speed } => self
                    .direction(launch)
                    .map(|launch| JetDirection::Velocity { launch, launch_speed: *launch_speed }),
            };
            let Some(direction) = direction else { continue };
            let action = Thruster {
                at,
                direction,
                burn: burn.clone(),
                efficiency: thruster.efficiency,
                per_impulse: per_impulse(thruster.propellant, burn),
                columns: mechanism.columns(),
            };
            self.act(format!("thruster.{}", thruster.name), Action::Thruster(Box::new(action)));
        }
    }

    fn forces(&mut self) {
        let mechanism = self.mechanism;
        for force in mechanism.model.forces.iter().filter(|f| f.constant().is_none()) {
            let path = format!("forces.{}", segment(&force.name));
            let Some(at @ Spot { body: Some(body), .. }) = self.force_spot(&force.body, force.at.as_ref())
            else {
                continue;
            };
            if force.axes == Axes::Body && !self.carries(Some(body), None, &format!("{path}.axes")) {
                continue;
            }
            let Some(parts) = self.vector(&format!("{path}.force"), &force.force) else { continue };
            let planar = mechanism.columns() == 2;
            let action = Applied { body, at, force: Some(parts), couple: None, axes: force.axes, planar };
            self.act(format!("force.{}", force.name), Action::Applied(Box::new(action)));
        }
    }

    fn couples(&mut self) {
        let mechanism = self.mechanism;
        for couple in mechanism.model.couples.iter().filter(|c| c.constant().is_none()) {
            let path = format!("couples.{}", segment(&couple.name));
            let Some(at @ Spot { body: Some(body), .. }) = self.force_spot(&couple.body, None) else {
                continue;
            };
            let planar = mechanism.columns() == 2;
            if !self.carries(Some(body), planar.then_some(Z), &path) {
                continue;
            }
            let Some(parts) = self.vector(&format!("{path}.moment"), &couple.moment) else { continue };
            let action = Applied { body, at, force: None, couple: Some(parts), axes: couple.axes, planar };
            self.act(format!("couple.{}", couple.name), Action::Applied(Box::new(action)));
        }
    }

    fn actuators(&mut self) {
        let mechanism = self.mechanism;
        for (number, actuator) in mechanism.model.actuators.iter().enumerate() {
            let path = format!("actuators.{}", segment(&actuator.name));
            let Some(coordinate) = self.acts_on(&actuator.of, &path) else { continue };
            let turns = self.list.gauges[coordinate.gauge].is_angle();
            let wrong = match actuator.law {
                ActuatorLaw::Force(_) if turns => Some(("force", "an angle", "torque")),
                ActuatorLaw::Torque(_) if !turns => Some(("torque", "a path", "force")),
                _ => None,
            };
            if let Some((key, what, other)) = wrong {
                let fault = Fault::error(format!("{path}.{key}"), format!("this acts along {what}"));
                self.faults.push(fault.help(format!("give `{other}` instead")));
                continue;
            }
            let locals = &["q", "v"];
            let effort = match &actuator.law {
                ActuatorLaw::Force(formula) => {
                    self.bind(&format!("{path}.force"), formula, locals, false).map(Effort::Given)
                }
                ActuatorLaw::Torque(formula) => {
                    self.bind(&format!("{path}.torque"), formula, locals, false).map(Effort::Given)
                }
                ActuatorLaw::Pd { setpoint, rate_setpoint, stiffness, damping }
                | ActuatorLaw::Pid { setpoint, rate_setpoint, stiffness, damping, .. } => {
                    let path = format!("{path}.controller");
                    let setpoint = self.bind(&format!("{path}.setpoint"), setpoint, &[], false);
                    let rate = self.bind(&format!("{path}.rate_setpoint"), rate_setpoint, &[], false);
                    let (stiffness, damping) = (*stiffness, *damping);
                    let integral = self.integral(number, actuator, turns);
                    setpoint.zip(rate).map(|(setpoint, rate_setpoint)| Effort::Controlled {
                        setpoint,
                        rate_setpoint,
                        stiffness,
                        damping,
                        integral,
                    })
                }
            };
            let Some(effort) = effort else { continue };
            let Coordinate { gauge, factor } = coordinate;
            let limit = actuator.limit.unwrap_or(f64::INFINITY);
            let held = self.actuator_variables[number].output;
            if let (Some(every), Some(output)) = (actuator.every, held) {
                let own = self.actuator_variables[number];
                let integral = own.integral.zip(own.before).map(|(now, before)| [now, before]);
                let what = Sampled::Actuator { action: self.list.actions.len(), output, integral };
                self.list.samplers.push(Sampler { every, what });
            }
            let action = Actuator { gauge, factor, effort, limit, held };
            self.act(format!("actuator.{}", actuator.name), Action::Actuator(Box::new(action)));
        }
    }

    /// The integral part of a controller, and its variable. An error of the integral counts as much as one of the deviation that has the same effect, or that lasts for a
    /// second, if that is less.
    fn integral(&mut self, number: usize, actuator: &model::Actuator, turns: bool) -> Option<Integral> {
        let ActuatorLaw::Pid { stiffness, integral: gain, tracking_time, .. } = &actuator.law else {
            return None;
        };
        let own = stiffness / gain;
        let variable = self.actuator_variables[number].integral?;
        let (unit, size) = if turns { ("rad s", 1.0) } else { ("m s", self.mechanism.size) };
        let time = if own > 0.0 { own.min(1.0) } else { 1.0 };
        let action = self.list.actions.len();
        let place = &mut self.list.variables[variable];
        place.unit = (unit.into(), 1.0);
        if actuator.every.is_none() {
            (place.scale, place.rate) = (size * time, Rate::Integral(action));
        }
        Some(Integral { gain: *gain, variable, tracking: tracking_time.unwrap_or(own) })
    }

    fn cable(&mut self, index: usize, cable: &Cable) {
        let path = format!("cables.{}", segment(&cable.name));
        let Some(axis) = cable.axis.as_ref().map_or(Some(Z), |axis| self.direction(axis)) else { return };
        let mut stops = Vec::new();
        for point in &cable.through {
            let Some(at) = self.spot(point) else { return };
            let radius =
                cable.pulleys.iter().find(|pulley| pulley.point == *point).map_or(0.0, |pulley| match pulley
                    .side
                {
                    Side::Left => pulley.radius,
                    Side::Right => -pulley.radius,
                });
            stops.push(Stop { at, radius });
        }
        let rope = Path { stops, axis: Direction { body: None, u: axis } };
        let drawn: Vec<Motion> = (self.mechanism.bodies.iter())
            .map(|b| Motion { c: b.particles.properties.com, ..Motion::FIXED })
            .collect();
        if let Some(i) = rope.overlap(&drawn) {
            let [p, q] = [&cable.through[i], &cable.through[i + 1]];
            let message = format!("the cable cannot pass from `{p}` to `{q}`: they are too near each other");
            self.faults.push(Fault::error(format!("{path}.through[{}]", i + 1), message));
            return;
        }
        if let Some(&(i, wrap)) = rope.wraps(&drawn).iter().find(|w| w.1.is_nan() || w.1 < -1e-6) {
            let point = &cable.through[i];
            let (message, help) = match wrap.is_nan() {
                true => (
                    "the cable would have to lie on the pulley `{}` by more than 290 degrees",
                    "use two pulleys",
                ),
                false => ("the cable does not touch the pulley `{}` on this side", "give the other `side`"),
            };
            let fault =
                Fault::error(format!("{path}.pulleys.{}", segment(point)), message.replace("{}", point));
            self.faults.push(fault.help(help));
            return;
        }
        let length = rope.jet(&drawn).x;
        let gauge = self.gauge(Gauge::Path(Box::new(rope)));
        let mut terms = vec![(gauge, 1.0)];
        if let Some(Winch { joint, coordinate, radius }) = &cable.winch {
            let path = format!("{path}.winch");
            let Some(drum) = self.coordinate(joint, *coordinate, &path) else { return };
            if !self.list.gauges[drum.gauge].is_angle() {
                let message = "this coordinate is a path, a winch needs an angle";
                self.faults.push(Fault::error(format!("{path}.joint"), message));
                return;
            }
            self.track(drum.gauge, 0.0);
            if !self.turnable(drum.gauge, &path) {
                return;
            }
            terms.push((drum.gauge, -radius * drum.factor));
        }
        if cable.inextensible {
            let mut bodies: Vec<usize> =
                terms.iter().flat_map(|&(g, _)| self.list.gauges[g].bodies()).collect();
            bodies.sort_unstable();
            bodies.dedup();
            if bodies.is_empty() {
                let message = "the cable does not run over anything that moves";
                self.faults.push(Fault::error(format!("{path}.through"), message));
                return;
            }
            self.list.couplings.push(Coupling {
                terms,
                offset: cable.free_length.unwrap_or(length),
                drive: None,
                touch: Touch::Gauges,
                owner: CouplingOwner::Cable(index),
                label: format!("cable `{}`", cable.name),
                bodies,
                held: None,
            });
            return;
        }
        let along = Along {
            terms,
            stiffness: cable.stiffness,
            damping: cable.damping,
            rest: cable.free_length.unwrap_or(f64::NAN), // set once assembled
            only_pulls: !cable.pushes,
            shows: Shows::Rope,
            ..Default::default()
        };
        self.along(format!("cable.{}", cable.name), along);
    }
}

impl Mechanism {
    /// Every force must have a value where the motion starts.
    pub(super) fn check_start_forces(&self, faults: &mut Vec<Fault>) {
        let interactions = &self.interactions;
        if interactions.actions.is_empty() && interactions.samplers.is_empty() {
            return;
        }
        let (mut r, mut v) = (vec![[0.0; 3]; self.maps.len()], vec![[0.0; 3]; self.maps.len()]);
        self.maps.positions(&self.start_positions, &mut r);
        self.maps.rates(&self.start_velocities, &mut v);
        let mut ws = Workspace::new(interactions, self.bodies.len());
        self.motions(&r, &v, &mut ws.motions);
        let extras = self.start_extras();
        if let Some((name, why)) = ws.trouble_of_samples(interactions, self.start_time, &extras)
            && let Some(name) = name.strip_prefix("state.")
        {
            let why = if why.is_empty() { why } else { format!(": {why}") };
            let message = format!("this has no finite value where the motion starts{why}");
            faults.push(Fault::error(format!("states.{}.next", segment(name)), message));
        }
        if let Some((name, why)) = ws.trouble(interactions, self.start_time, &extras)
            && let Some((kind, name)) = name.split_once('.')
        {
            let why = if why.is_empty() { why } else { format!(": {why}") };
            let message = format!("the force has no finite value where the motion starts{why}");
            faults.push(Fault::error(format!("{kind}s.{}", segment(name)), message));
        }
    }
}
