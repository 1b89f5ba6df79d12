//! Forces on the tape: springs and couples between points, and the actions of bodies, each by the equations of its own file.

use super::bodies::{Covered, Scribe, V, Wrenches};
use crate::interactions::{
    Action, Actuator, Along, Applied, Bushing, Constant, Drag, Effort, Program, Shows, Spring,
};
use crate::linalg::tape::Node;
use crate::linalg::vec3::{Mat3, Vec3};
use crate::model::Axes;

/// A force along coordinate functions, worked out.
struct AlongSeries {
    value: Node,
    rate: Node,
    /// Q, and the part of it that has a potential.
    q: Node,
    kept: Node,
    gradient: Wrenches,
}

impl Scribe<'_> {
    pub fn spring(&mut self, nodes: [usize; 2], law: &Spring) {
        let [a, b] = nodes.map(|n| self.node(n));
        let d = self.minus(b, a);
        let f = if law.free_length == 0.0 && law.damping == 0.0 {
            self.combine(&[(d, law.stiffness)]) // needs no direction, so the ends may meet
        } else {
            let length = self.norm(d);
            let u = self.over(d, length);
            let rate = self.tape.rate(length);
            let terms = [(length, law.stiffness), (rate, law.damping)];
            let tension = self.tape.sum(&terms, -law.stiffness * law.free_length);
            if law.damping != 0.0 {
                let square = self.tape.mul(rate, rate);
                self.power.push((square, -law.damping));
            }
            self.times(tension, u)
        };
        let back = self.negative(f);
        self.feel(nodes[0], f);
        self.feel(nodes[1], back);
    }

    fn feel(&mut self, node: usize, force: V) {
        let mut forces = std::mem::take(&mut self.forces);
        self.push(node, force, &mut forces);
        self.forces = forces;
    }

    /// What bodies feel, onto the coordinates: after all actions.
    pub fn spread_loads(&mut self) {
        for (body, force, moment) in std::mem::take(&mut self.loads.list) {
            let forces = self.spread(body, force, moment);
            let nodes = self.mechanism.bodies[body].nodes.clone();
            for (node, f) in nodes.into_iter().zip(forces) {
                self.feel(node, f);
            }
        }
    }

    pub fn action(&mut self, action: &Action) -> Covered<()> {
        match action {
            // those have been taken between the nodes
            Action::Spring(_) => Ok(()),
            Action::Constant(constant) => self.constant(constant),
            Action::Along(along) => self.along(along),
            Action::Applied(applied) => self.applied(applied),
            Action::Actuator(actuator) => self.actuator(actuator),
            Action::Bushing(bushing) => self.bushing(bushing),
            Action::Drag(drag) => self.drag(drag),
            Action::Rope(rope) if rope.is_idle() => Ok(()),
            other => Err(other.without_series().into()),
        }
    }

    /// (A1) of forces along coordinate functions.
    fn along_series(&mut self, along: &Along) -> Covered<AlongSeries> {
        if along.only_pulls {
            return Err("it goes slack".into());
        }
        if along.stop.is_some() {
            return Err("its stops act only beyond their limits".into());
        }
        if along.curve.is_some() {
            return Err("its table is made of pieces".into());
        }
        let counts = along.stiffness != 0.0 || along.tension.is_some();
        let mut gradient = Wrenches::default();
        let mut terms = Vec::new();
        for &(g, w) in &along.terms {
            let reading = self.gauge(g)?;
            if counts {
                self.value(g)?;
            }
            terms.push((reading.value, w));
            let w = self.tape.constant(w);
            reading.gradient.add_to(self, w, &mut gradient);
        }
        let value = self.tape.sum(&terms, 0.0);
        let rate = self.tape.rate(value);
        let k = along.stiffness;
        let rest = if k == 0.0 { 0.0 } else { k * along.rest };
        let kept = self.tape.sum(&[(value, -k)], rest);
        let mut q = self.tape.sum(&[(kept, 1.0), (rate, -along.damping)], -along.preload);
        if along.friction != 0.0 {
            let part = self.tape.scale(1.0 / along.friction_speed, rate);
            let friction = self.tape.tanh(part);
            self.conceals = true;
            q = self.tape.sum(&[(q, 1.0), (friction, -along.friction)], 0.0);
        }
        if let Some(tension) = &along.tension {
            let tension = self.program(tension, &[value, rate])?;
            q = self.tape.sub(q, tension);
        }
        Ok(AlongSeries { value, rate, q, kept, gradient })
    }

    fn along(&mut self, along: &Along) -> Covered<()> {
        let found = self.along_series(along)?;
        self.load(&found.gradient, found.q);
        let lost = self.tape.sub(found.q, found.kept);
        let power = self.tape.mul(lost, found.rate);
        self.power.push((power, 1.0));
        Ok(())
    }

    /// A gradient times an effort, onto the bodies.
    fn load(&mut self, gradient: &Wrenches, effort: Node) {
        let mut loads = std::mem::take(&mut self.loads);
        gradient.add_to(self, effort, &mut loads);
        self.loads = loads;
    }

    fn pull(&mut self, body: Option<usize>, arm: V, force: V, couple: V) {
        let mut loads = std::mem::take(&mut self.loads);
        loads.add(self, body, arm, force, couple);
        self.loads = loads;
    }

    /// A constant couple; the force is among those that the coordinates feel at order zero.
    fn constant(&mut self, constant: &Constant) -> Covered<()> {
        let (Some(body), true) = (constant.at.body, constant.couple != [0.0; 3]) else { return Ok(()) };
        let (nothing, couple) = (self.nothing(), self.fixed(constant.couple));
        self.pull(Some(body), nothing, nothing, couple);
        let w = self.spin(Some(body));
        let power = self.dot(couple, w);
        self.power.push((power, 1.0));
        Ok(())
    }

    /// An output of a spring: length, rate and tension.
    fn spring_output(&mut self, spring: &Spring, which: usize) -> Covered<Node> {
        let ((_, p), (_, q)) = (self.spot(&spring.ends[0])?, self.spot(&spring.ends[1])?);
        let d = self.minus(q, p);
        let length = self.norm(d);
        let rate = self.tape.rate(length);
        let terms = [(length, spring.stiffness), (rate, spring.damping)];
        Ok(match which {
            0 => length,
            1 => rate,
            _ => self.tape.sum(&terms, -spring.stiffness * spring.free_length),
        })
    }

    /// An output of an action without formulas.
    pub fn output(&mut self, action: usize, which: usize) -> Covered<Node> {
        if let Action::Spring(spring) = &self.mechanism.interactions.actions[action].action {
            return self.spring_output(spring, which);
        }
        let Action::Along(along) = &self.mechanism.interactions.actions[action].action else {
            return Err("it reads what another element does".into());
        };
        let found = self.along_series(along)?;
        let (value, rate) = match along.shows {
            Shows::Rope => {
                let value = self.gauge(along.terms[0].0)?.value;
                (value, self.tape.rate(value))
            }
            _ => (found.value, found.rate),
        };
        Ok(match which {
            0 => value,
            1 => rate,
            _ => self.tape.scale(-1.0, found.q),
        })
    }

    fn vector(&mut self, parts: &Option<[Program; 3]>, axes: Axes, body: usize) -> Covered<V> {
        let Some(parts) = parts else { return Ok(self.nothing()) };
        let mut x = self.nothing();
        for (x, part) in x.iter_mut().zip(parts) {
            *x = self.program(part, &[])?;
        }
        match axes {
            Axes::World => Ok(x),
            Axes::Body => {
                let mut out = self.nothing();
                for (c, x) in x
                    .into_iter()
                    .enumerate()
                    .filter(|&(_, x)| self.tape.value(x) != Some(0.0))
                    .collect::<Vec<_>>()
                {
                    let mut e = [0.0; 3];
                    e[c] = 1.0;
                    let e = self.turned(Some(body), e)?;
                    let part = self.times(x, e);
                    out = self.plus(out, part);
                }
                Ok(out)
            }
        }
    }

    fn applied(&mut self, applied: &Applied) -> Covered<()> {
        let force = self.vector(&applied.force, applied.axes, applied.body)?;
        let couple = self.vector(&applied.couple, applied.axes, applied.body)?;
        let (arm, r) = self.spot(&applied.at)?;
        self.pull(Some(applied.body), arm, force, couple);
        if applied.force.is_some() {
            let v = self.rate(r);
            let power = self.dot(force, v);
            self.power.push((power, 1.0));
        }
        if applied.couple.is_some() {
            let w = self.spin(Some(applied.body));
            let power = self.dot(couple, w);
            self.power.push((power, 1.0));
        }
        Ok(())
    }

    fn actuator(&mut self, actuator: &Actuator) -> Covered<()> {
        if actuator.limit.is_finite() {
            return Err("its limit makes corners".into());
        }
        let value = self.value(actuator.gauge)?;
        let q = self.tape.scale(actuator.factor, value);
        let v = self.tape.rate(q);
        let u = match &actuator.effort {
            Effort::Given(force) => self.program(force, &[q, v])?,
            Effort::Controlled { integral: Some(_), .. } => return Err("it has an integral part".into()),
            Effort::Controlled { setpoint, rate_setpoint, stiffness, damping, integral: None } => {
                let (s, r) = (self.program(setpoint, &[q, v])?, self.program(rate_setpoint, &[q, v])?);
                let (k, c) = (*stiffness, *damping);
                self.tape.sum(&[(s, k), (q, -k), (r, c), (v, -c)], 0.0)
            }
        };
        let effort = self.tape.scale(actuator.factor, u);
        let gradient = self.gauge(actuator.gauge)?.gradient;
        self.load(&gradient, effort);
        let power = self.tape.mul(u, v);
        self.power.push((power, 1.0));
        Ok(())
    }

    fn drag(&mut self, drag: &Drag) -> Covered<()> {
        if drag.quadratic != 0.0 {
            return Err("quadratic drag has a corner where the speed vanishes".into());
        }
        let (arm, r) = self.spot(&drag.at)?;
        let v = self.rate(r);
        let mut u = v;
        if let Some(wind) = &drag.wind {
            for (u, wind) in u.iter_mut().zip(wind) {
                let wind = self.program(wind, &[])?;
                *u = self.tape.sub(*u, wind);
            }
        }
        let force = self.combine(&[(u, -drag.linear)]);
        let nothing = self.nothing();
        self.pull(drag.at.body, arm, force, nothing);
        let power = self.dot(force, v);
        self.power.push((power, 1.0));
        Ok(())
    }

    /// (E1)–(E6) of bushings. In the plane the rotation vector is an angle; in space it is left out.
    fn bushing(&mut self, bushing: &Bushing) -> Covered<()> {
        let [k, c, p] = [bushing.stiffness, bushing.damping, bushing.preload];
        let turning = [k[1], c[1], p[1]].iter().flatten().any(|&x| x != 0.0);
        if turning && !self.planar() {
            return Err("it resists turning in space".into());
        }
        let [a, b] = bushing.bodies;
        let (_, r_p) = self.spot(&bushing.at[0])?;
        let (arm, r_q) = self.spot(&bushing.at[1])?;
        let d = self.minus(r_q, r_p);
        let nothing = self.nothing();
        let mut force = nothing;
        for i in 0..3 {
            if [k[0][i], c[0][i], p[0][i]] == [0.0; 3] {
                continue;
            }
            let e = self.turned(a, column(&bushing.axes, i))?;
            let x = self.dot(e, d); // (E1)
            let rate = self.tape.rate(x);
            let lost = self.tape.sum(&[(rate, -c[0][i])], p[0][i]);
            let effort = self.tape.sum(&[(x, -k[0][i]), (lost, 1.0)], 0.0); // (E5)
            let part = self.times(effort, e);
            force = self.plus(force, part);
            let power = self.tape.mul(lost, rate);
            self.power.push((power, 1.0));
        }
        let mut moment = nothing;
        if turning {
            let x = [1.0, 0.0, 0.0];
            let (e, f) = (self.turned(a, x)?, self.turned(a, [0.0, 1.0, 0.0])?);
            let pointer = self.turned(b, x)?;
            let (cosine, sine) = (self.dot(pointer, e), self.dot(pointer, f));
            let phi = self.tape.atan2(sine, cosine, None); // (E2)
            let rate = self.tape.rate(phi);
            // the axes of a bushing in the plane have z for their third
            let lost = self.tape.sum(&[(rate, -c[1][2])], p[1][2]);
            moment[2] = self.tape.sum(&[(phi, -k[1][2]), (lost, 1.0)], 0.0);
            let power = self.tape.mul(lost, rate);
            self.power.push((power, 1.0));
        }
        let centre = self.centre(a);
        let from_a = self.minus(r_q, centre);
        let (back, counter) = (self.negative(force), self.negative(moment));
        self.pull(b, arm, force, moment); // (E6)
        self.pull(a, from_a, back, counter);
        Ok(())
    }
}

fn column(m: &Mat3, i: usize) -> Vec3 {
    [m[0][i], m[1][i], m[2][i]]
}
