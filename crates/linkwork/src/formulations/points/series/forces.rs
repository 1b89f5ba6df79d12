//! Forces on the tape: springs and couples between points, and the actions of bodies, each by the equations of its own file.

use super::bodies::{Covered, Scribe, V, Wrenches};
use super::each::Each;
use crate::interactions::{
    Action, Actuator, Along, Applied, Bushing, Constant, Drag, Effort, Program, Shows, Spring,
};
use crate::linalg::tape::{Node, Number};
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

/// The law of an action of one kind.
macro_rules! only {
    ($each:expr, $kind:ident) => {
        $each.pick(|action| match action {
            Action::$kind(law) => Some(&**law),
            _ => None,
        })?
    };
}

fn minus<N: Number>(x: &N) -> N {
    N::of(-1.0).times(x)
}

impl<N: Number> Scribe<'_, N> {
    /// The tension of a spring of a length.
    fn tension(&mut self, law: &Each<&Spring>, length: Node) -> Node {
        let rate = self.tape.rate(length);
        let [k, c, rest] = [|s: &Spring| s.stiffness, |s: &Spring| s.damping, |s: &Spring| s.free_length]
            .map(|of| self.number(&law.map(of)));
        let kept = minus(&k.times(&rest));
        self.tape.weighted(&[(length, k), (rate, c)], kept)
    }

    /// A spring between nodes, by its number.
    pub fn spring(&mut self, i: usize) -> Covered<()> {
        let all = self.each(|m| m.springs_between_nodes().nth(i));
        let all = all.pick(|found| found)?;
        let nodes = all.agree(|(link, _)| link.nodes)?;
        let law = all.map(|(_, law)| law);
        let [a, b] = nodes.map(|n| self.node(n));
        let d = self.minus(b, a);
        let plain = |law: &Spring| law.free_length == 0.0 && law.damping == 0.0;
        let f = if law.0.iter().all(|law| plain(law)) {
            let stiffness = self.number(&law.map(|law| law.stiffness));
            self.blend(&[(d, stiffness)]) // needs no direction, so the ends may meet
        } else {
            let length = self.norm(d);
            let u = self.over(d, length);
            let tension = self.tension(&law, length);
            let damping = self.number(&law.map(|law| law.damping));
            if !damping.is(0.0) {
                let rate = self.tape.rate(length);
                let square = self.tape.mul(rate, rate);
                self.power.push((square, minus(&damping)));
            }
            self.times(tension, u)
        };
        let back = self.negative(f);
        self.feel(nodes[0], f);
        self.feel(nodes[1], back);
        Ok(())
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

    /// An action, by its number.
    pub fn action(&mut self, i: usize) -> Covered<()> {
        let action = self.each(|m| &m.interactions.actions[i].action);
        match action.first() {
            // those have been taken between the nodes
            Action::Spring(_) => Ok(()),
            Action::Constant(_) => self.constant(&only!(action, Constant)),
            Action::Along(_) => self.along(&only!(action, Along)),
            Action::Applied(_) => self.applied(&only!(action, Applied)),
            Action::Actuator(_) => self.actuator(&only!(action, Actuator)),
            Action::Bushing(_) => self.bushing(&only!(action, Bushing)),
            Action::Drag(_) => self.drag(&only!(action, Drag)),
            Action::Rope(rope) if rope.is_idle() => Ok(()),
            other => Err(other.without_series().into()),
        }
    }

    /// (A1) of forces along coordinate functions; what has corners at an instant only.
    fn along_series(&mut self, along: &Each<&Along>) -> Covered<AlongSeries> {
        let only_pulls = along.agree(|along| along.only_pulls)?;
        if only_pulls && !self.at_instants {
            return Err("it goes slack".into());
        }
        let stops = along.agree(|along| along.stop.is_some())?;
        if stops && !self.at_instants {
            return Err("its stops act only beyond their limits".into());
        }
        if along.first().curve.is_some() {
            return Err("its table is made of pieces".into());
        }
        let [k, c, rest, preload, f_c, v_s] = [
            |along: &Along| along.stiffness,
            |along: &Along| along.damping,
            // where nothing is elastic, nobody knows where it would rest
            |along: &Along| if along.stiffness == 0.0 && !along.only_pulls { 0.0 } else { along.rest },
            |along: &Along| along.preload,
            |along: &Along| along.friction,
            |along: &Along| along.friction_speed,
        ]
        .map(|of| self.number(&along.map(of)));
        let counts = !k.is(0.0) || along.first().tension.is_some();
        let mut gradient = Wrenches::default();
        let mut terms = Vec::new();
        for term in along.map(|along| &along.terms[..]).items()? {
            let g = term.agree(|t| t.0)?;
            let w = self.number(&term.map(|t| t.1));
            let reading = self.gauge(g)?;
            if counts {
                self.value(g)?;
            }
            terms.push((reading.value, w.clone()));
            let w = self.tape.fixed(w);
            reading.gradient.add_to(self, w, &mut gradient);
        }
        let value = self.tape.weighted(&terms, N::of(0.0));
        let rate = self.tape.rate(value);
        let mut kept = self.tape.weighted(&[(value, minus(&k))], k.times(&rest));
        let mut q = self.tape.weighted(&[(kept, N::of(1.0)), (rate, minus(&c))], minus(&preload));
        if !f_c.is(0.0) {
            let part = self.scale(N::of(1.0).over(&v_s), rate);
            let friction = self.tape.tanh(part);
            self.conceals = true;
            q = self.tape.weighted(&[(q, N::of(1.0)), (friction, minus(&f_c))], N::of(0.0));
        }
        if along.first().tension.is_some() {
            let tension = along.pick(|along| along.tension.as_ref())?;
            let tension = self.program(&tension, &[value, rate])?;
            q = self.tape.sub(q, tension);
        }
        if only_pulls {
            // (A4)
            let zero = self.tape.constant(0.0);
            let pulls = self.tape.either(zero, q, [zero, q]);
            let rest = self.tape.fixed(rest);
            q = self.tape.either(value, rest, [zero, pulls]);
            kept = self.tape.either(value, rest, [zero, kept]);
        }
        if stops {
            (q, kept) = self.stops(along, [value, rate], [q, kept])?;
        }
        Ok(AlongSeries { value, rate, q, kept, gradient })
    }

    /// (A5)
    fn stops(
        &mut self,
        along: &Each<&Along>,
        [value, rate]: [Node; 2],
        [mut q, mut kept]: [Node; 2],
    ) -> Covered<(Node, Node)> {
        let stop = along.pick(|along| along.stop.as_ref())?;
        let zero = self.tape.constant(0.0);
        let stiffness = self.number(&stop.map(|stop| stop.stiffness));
        let damping = self.number(&stop.map(|stop| stop.damping));
        for (i, sign) in [1.0, -1.0].into_iter().enumerate() {
            if !stop.first().limits[i].is_finite() {
                continue;
            }
            let limit = self.number(&stop.map(|stop| stop.limits[i]));
            let depth = self.tape.weighted(&[(value, N::of(-sign))], N::of(sign).times(&limit));
            let push = self.scale(stiffness.clone(), depth);
            let whole = self
                .tape
                .weighted(&[(push, N::of(1.0)), (rate, minus(&N::of(sign).times(&damping)))], N::of(0.0));
            let whole = self.tape.either(zero, whole, [whole, zero]);
            let [whole, push] = [whole, push].map(|force| self.tape.either(zero, depth, [force, zero]));
            q = self.tape.sum(&[(q, 1.0), (whole, sign)], 0.0);
            kept = self.tape.sum(&[(kept, 1.0), (push, sign)], 0.0);
        }
        Ok((q, kept))
    }

    fn along(&mut self, along: &Each<&Along>) -> Covered<()> {
        let found = self.along_series(along)?;
        self.load(&found.gradient, found.q);
        let lost = self.tape.sub(found.q, found.kept);
        let power = self.tape.mul(lost, found.rate);
        self.power.push((power, N::of(1.0)));
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
    fn constant(&mut self, constant: &Each<&Constant>) -> Covered<()> {
        let couple = self.vector(&constant.map(|constant| constant.couple));
        let Some(body) = constant.agree(|constant| constant.at.body)?.filter(|_| !self.vanishes(couple))
        else {
            return Ok(());
        };
        let nothing = self.nothing();
        self.pull(Some(body), nothing, nothing, couple);
        let w = self.spin(Some(body));
        let power = self.dot(couple, w);
        self.power.push((power, N::of(1.0)));
        Ok(())
    }

    /// An output of a spring: length, rate and tension.
    fn spring_output(&mut self, spring: &Each<&Spring>, which: usize) -> Covered<Node> {
        let (_, p) = self.spot(&spring.map(|spring| &spring.ends[0]))?;
        let (_, q) = self.spot(&spring.map(|spring| &spring.ends[1]))?;
        let d = self.minus(q, p);
        let length = self.norm(d);
        Ok(match which {
            0 => length,
            1 => self.tape.rate(length),
            _ => self.tension(spring, length),
        })
    }

    /// An output of an action without formulas.
    pub fn output(&mut self, action: usize, which: usize) -> Covered<Node> {
        let each = self.each(|m| &m.interactions.actions[action].action);
        if let Action::Spring(_) = each.first() {
            return self.spring_output(&only!(each, Spring), which);
        }
        let Action::Along(first) = each.first() else {
            return Err("it reads what another element does".into());
        };
        let along = only!(each, Along);
        let found = self.along_series(&along)?;
        let (value, rate) = match first.shows {
            Shows::Rope => {
                let value = self.gauge(first.terms[0].0)?.value;
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

    fn parts(&mut self, parts: &Each<&[Program; 3]>, axes: Axes, body: usize) -> Covered<V> {
        let mut x = self.nothing();
        for (c, x) in x.iter_mut().enumerate() {
            *x = self.program(&parts.map(|parts| &parts[c]), &[])?;
        }
        match axes {
            Axes::World => Ok(x),
            Axes::Body => {
                let mut out = self.nothing();
                for (c, x) in x.into_iter().enumerate() {
                    if self.tape.is_zero(x) {
                        continue;
                    }
                    let mut e = [0.0; 3];
                    e[c] = 1.0;
                    let e = self.each(|_| e);
                    let e = self.turned(Some(body), &e)?;
                    let part = self.times(x, e);
                    out = self.plus(out, part);
                }
                Ok(out)
            }
        }
    }

    fn applied(&mut self, applied: &Each<&Applied>) -> Covered<()> {
        let body = applied.agree(|applied| applied.body)?;
        let axes = applied.first().axes;
        let (arm, r) = self.spot(&applied.map(|applied| &applied.at))?;
        let nothing = self.nothing();
        let (mut force, mut couple) = (nothing, nothing);
        if applied.first().force.is_some() {
            force = self.parts(&applied.pick(|applied| applied.force.as_ref())?, axes, body)?;
            let v = self.rate(r);
            let power = self.dot(force, v);
            self.power.push((power, N::of(1.0)));
        }
        if applied.first().couple.is_some() {
            couple = self.parts(&applied.pick(|applied| applied.couple.as_ref())?, axes, body)?;
            let w = self.spin(Some(body));
            let power = self.dot(couple, w);
            self.power.push((power, N::of(1.0)));
        }
        self.pull(Some(body), arm, force, couple);
        Ok(())
    }

    fn actuator(&mut self, actuator: &Each<&Actuator>) -> Covered<()> {
        let limited = actuator.agree(|actuator| actuator.limit.is_finite())?;
        if limited && !self.at_instants {
            return Err("its limit makes corners".into());
        }
        let gauge = actuator.agree(|actuator| actuator.gauge)?;
        let factor = self.number(&actuator.map(|actuator| actuator.factor));
        let value = self.value(gauge)?;
        let q = self.scale(factor.clone(), value);
        let v = self.tape.rate(q);
        let mut u = match &actuator.first().effort {
            Effort::Given(_) => {
                let force = actuator.pick(|actuator| match &actuator.effort {
                    Effort::Given(force) => Some(force),
                    Effort::Controlled { .. } => None,
                })?;
                self.program(&force, &[q, v])?
            }
            Effort::Controlled { integral: Some(_), .. } => return Err("it has an integral part".into()),
            Effort::Controlled { .. } => {
                let law = actuator.pick(|actuator| match &actuator.effort {
                    Effort::Controlled { setpoint, rate_setpoint, stiffness, damping, .. } => {
                        Some((setpoint, rate_setpoint, *stiffness, *damping))
                    }
                    Effort::Given(_) => None,
                })?;
                let s = self.program(&law.map(|law| law.0), &[q, v])?;
                let r = self.program(&law.map(|law| law.1), &[q, v])?;
                let (k, c) = (self.number(&law.map(|law| law.2)), self.number(&law.map(|law| law.3)));
                let terms = [(s, k.clone()), (q, minus(&k)), (r, c.clone()), (v, minus(&c))];
                self.tape.weighted(&terms, N::of(0.0))
            }
        };
        if limited {
            let limit = self.number(&actuator.map(|actuator| actuator.limit));
            let low = self.tape.fixed(minus(&limit));
            let high = self.tape.fixed(limit);
            u = self.tape.either(high, u, [high, u]);
            u = self.tape.either(u, low, [low, u]);
        }
        let effort = self.scale(factor, u);
        let gradient = self.gauge(gauge)?.gradient;
        self.load(&gradient, effort);
        let power = self.tape.mul(u, v);
        self.power.push((power, N::of(1.0)));
        Ok(())
    }

    fn drag(&mut self, drag: &Each<&Drag>) -> Covered<()> {
        let quadratic = self.number(&drag.map(|drag| drag.quadratic));
        if !quadratic.is(0.0) && !self.at_instants {
            return Err("quadratic drag has a corner where the speed vanishes".into());
        }
        let (arm, r) = self.spot(&drag.map(|drag| &drag.at))?;
        let v = self.rate(r);
        let mut u = v;
        if drag.first().wind.is_some() {
            let wind = drag.pick(|drag| drag.wind.as_ref())?;
            for (c, u) in u.iter_mut().enumerate() {
                let wind = self.program(&wind.map(|wind| &wind[c]), &[])?;
                *u = self.tape.sub(*u, wind);
            }
        }
        let linear = self.number(&drag.map(|drag| drag.linear));
        let mut force = self.blend(&[(u, minus(&linear))]);
        if !quadratic.is(0.0) {
            // |u| u is flat where u vanishes, and so are its derivatives
            let square = self.dot(u, u);
            let (least, one) = (self.tape.constant(f64::MIN_POSITIVE), self.tape.constant(1.0));
            let sound = self.tape.either(least, square, [square, one]);
            let root = self.tape.sqrt(sound);
            let zero = self.tape.constant(0.0);
            let speed = self.tape.either(least, square, [root, zero]);
            let speed = self.scale(minus(&quadratic), speed);
            let part = self.times(speed, u);
            force = self.plus(force, part);
        }
        let nothing = self.nothing();
        self.pull(drag.agree(|drag| drag.at.body)?, arm, force, nothing);
        let power = self.dot(force, v);
        self.power.push((power, N::of(1.0)));
        Ok(())
    }

    /// (E1)–(E6) of bushings. In the plane the rotation vector is an angle; in space it is left out.
    fn bushing(&mut self, bushing: &Each<&Bushing>) -> Covered<()> {
        let numbers = |scribe: &Self, of: fn(&Bushing) -> [Vec3; 2]| {
            [0, 1].map(|which| scribe.numbers(&bushing.map(|bushing| of(bushing)[which])))
        };
        let [k, c, p] =
            [numbers(self, |b| b.stiffness), numbers(self, |b| b.damping), numbers(self, |b| b.preload)];
        let turning = [&k[1], &c[1], &p[1]].into_iter().flatten().any(|x| !x.is(0.0));
        if turning && !self.planar() {
            return Err("it resists turning in space".into());
        }
        let [a, b] = bushing.agree(|bushing| bushing.bodies)?;
        let (_, r_p) = self.spot(&bushing.map(|bushing| &bushing.at[0]))?;
        let (arm, r_q) = self.spot(&bushing.map(|bushing| &bushing.at[1]))?;
        let d = self.minus(r_q, r_p);
        let nothing = self.nothing();
        let mut force = nothing;
        for i in 0..3 {
            if [&k[0][i], &c[0][i], &p[0][i]].into_iter().all(|x| x.is(0.0)) {
                continue;
            }
            let e = self.turned(a, &bushing.map(|bushing| column(&bushing.axes, i)))?;
            let x = self.dot(e, d); // (E1)
            let rate = self.tape.rate(x);
            let lost = self.tape.weighted(&[(rate, minus(&c[0][i]))], p[0][i].clone());
            let effort = self.tape.weighted(&[(x, minus(&k[0][i])), (lost, N::of(1.0))], N::of(0.0)); // (E5)
            let part = self.times(effort, e);
            force = self.plus(force, part);
            let power = self.tape.mul(lost, rate);
            self.power.push((power, N::of(1.0)));
        }
        let mut moment = nothing;
        if turning {
            let [x, y] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|e| self.each(|_| e));
            let (e, f) = (self.turned(a, &x)?, self.turned(a, &y)?);
            let pointer = self.turned(b, &x)?;
            let (cosine, sine) = (self.dot(pointer, e), self.dot(pointer, f));
            let phi = self.tape.atan2(sine, cosine, None); // (E2)
            let rate = self.tape.rate(phi);
            // the axes of a bushing in the plane have z for their third
            let lost = self.tape.weighted(&[(rate, minus(&c[1][2]))], p[1][2].clone());
            moment[2] = self.tape.weighted(&[(phi, minus(&k[1][2])), (lost, N::of(1.0))], N::of(0.0));
            let power = self.tape.mul(lost, rate);
            self.power.push((power, N::of(1.0)));
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
