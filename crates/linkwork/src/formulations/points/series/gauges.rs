//! Coordinate functions and couplings on the tape.
//!
//! Of a coordinate function the tape has the value and the gradient, (G1)–(G5) of the coordinate functions; its rate is that of the value. A row of a coupling is
//! kept as what it says of velocities,
//!
//!   (R1)  A(q, t) q̇ = w ḣ(t)                w h is one function of time here
//!
//! so rows that are no derivative of any Φ, as those of rolling, need nothing of their own.

use super::bodies::{Covered, Scribe, Terms, V, Wrenches};
use super::each::Each;
use crate::interactions::{CoordinateFunction, Coupling, Rolling, Touch};
use crate::linalg::tape::{Node, Number};
use crate::linalg::vec3::{any_perpendicular, cross};

/// A coordinate function as series.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub value: Node,
    /// Force and moment on each body.
    pub gradient: Wrenches,
}

/// A row as series.
#[derive(Clone, Debug)]
pub(super) struct RowSeries {
    /// A: coordinate and entry.
    pub entries: Vec<(usize, Node)>,
    /// w h
    pub drive: Option<Node>,
}

impl<N: Number> Scribe<'_, N> {
    pub fn gauge(&mut self, g: usize) -> Covered<Reading> {
        use CoordinateFunction::{Angle, Component, Cosine, Curve, Distance, Path, Slope};
        let nothing = self.nothing();
        let mut gradient = Wrenches::default();
        let each = self.each(|m| &m.interactions.gauges[g]);
        let value = match each.first() {
            Component { .. } => {
                let all = each.pick(|f| match f {
                    Component { from, to, along } => Some((from, to, along)),
                    _ => None,
                })?;
                let (from, to, along) = (all.map(|a| a.0), all.map(|a| a.1), all.map(|a| a.2));
                let ((p_arm, p), (q_arm, q)) = (self.spot(&from)?, self.spot(&to)?);
                let n = self.direction(&along)?;
                let d = self.minus(q, p);
                let (back, turn) = (self.negative(n), self.cross(n, d));
                gradient.add(self, to.first().body, q_arm, n, nothing);
                gradient.add(self, from.first().body, p_arm, back, nothing);
                gradient.add(self, along.first().body, nothing, nothing, turn);
                self.dot(n, d)
            }
            Distance { .. } => {
                let all = each.pick(|f| match f {
                    Distance { from, to } => Some((from, to)),
                    _ => None,
                })?;
                let (from, to) = (all.map(|a| a.0), all.map(|a| a.1));
                let ((p_arm, p), (q_arm, q)) = (self.spot(&from)?, self.spot(&to)?);
                let d = self.minus(q, p);
                let length = self.norm(d);
                let u = self.over(d, length);
                let back = self.negative(u);
                gradient.add(self, to.first().body, q_arm, u, nothing);
                gradient.add(self, from.first().body, p_arm, back, nothing);
                length
            }
            &Angle { hint, .. } => {
                let all = each.pick(|f| match f {
                    Angle { zero, quarter, pointer, .. } => Some((zero, quarter, pointer)),
                    _ => None,
                })?;
                let (zero, quarter, pointer) = (all.map(|a| a.0), all.map(|a| a.1), all.map(|a| a.2));
                let (e, f) = (self.direction(&zero)?, self.direction(&quarter)?);
                let p = self.direction(&pointer)?;
                let (x, y) = (self.dot(p, e), self.dot(p, f));
                let m = if self.planar() {
                    // E = x e + y f, so what is left of (G3) is the axis
                    self.vector(&all.map(|(zero, quarter, _)| cross(zero.u, quarter.u)))
                } else {
                    let (a, b) = (self.times(x, f), self.times(y, e));
                    let side = self.minus(a, b);
                    let turn = self.cross(p, side);
                    let (xx, yy) = (self.tape.mul(x, x), self.tape.mul(y, y));
                    let square = self.tape.add(xx, yy);
                    self.over(turn, square)
                };
                let back = self.negative(m);
                gradient.add(self, pointer.first().body, nothing, nothing, m);
                gradient.add(self, zero.first().body, nothing, nothing, back);
                self.tape.atan2(y, x, hint)
            }
            Cosine { .. } => {
                let all = each.pick(|f| match f {
                    Cosine { first, second, length } => Some((first, second, *length)),
                    _ => None,
                })?;
                let (first, second) = (all.map(|a| a.0), all.map(|a| a.1));
                let length = self.number(&all.map(|a| a.2));
                let (n, e) = (self.direction(&first)?, self.direction(&second)?);
                let turn = self.cross(e, n);
                let m = self.blend(&[(turn, length.clone())]);
                let back = self.negative(m);
                gradient.add(self, second.first().body, nothing, nothing, m);
                gradient.add(self, first.first().body, nothing, nothing, back);
                let cosine = self.dot(n, e);
                self.scale(length, cosine)
            }
            Slope { .. } => {
                let all = each.pick(|f| match f {
                    Slope { first, second } => Some((first, second)),
                    _ => None,
                })?;
                let (first, second) = (all.map(|a| a.0), all.map(|a| a.1));
                let (n, e) = (self.direction(&first)?, self.direction(&second)?);
                let sine = self.dot(n, e);
                let square = self.tape.mul(sine, sine);
                let rest = self.tape.sum(&[(square, -1.0)], 1.0);
                let cosine = self.tape.sqrt(rest);
                let turn = self.cross(e, n);
                let m = self.over(turn, cosine);
                let back = self.negative(m);
                gradient.add(self, second.first().body, nothing, nothing, m);
                gradient.add(self, first.first().body, nothing, nothing, back);
                self.tape.asin(sine)
            }
            Path(_) => {
                let all = each.pick(|f| match f {
                    Path(path) => Some(&path.stops[..]),
                    _ => None,
                })?;
                if all.0.iter().any(|stops| stops.iter().any(|stop| stop.radius != 0.0)) {
                    return Err("it runs over pulleys".into());
                }
                let mut length = self.tape.constant(0.0);
                for pair in all.items()?.windows(2) {
                    let (from, to) = (pair[0].map(|stop| &stop.at), pair[1].map(|stop| &stop.at));
                    let ((p_arm, p), (q_arm, q)) = (self.spot(&from)?, self.spot(&to)?);
                    let d = self.minus(q, p);
                    let piece = self.norm(d);
                    let u = self.over(d, piece);
                    let back = self.negative(u);
                    gradient.add(self, to.first().body, q_arm, u, nothing);
                    gradient.add(self, from.first().body, p_arm, back, nothing);
                    length = self.tape.add(length, piece);
                }
                length
            }
            Curve(_) => return Err("it follows a curve through points".into()),
        };
        Ok(Reading { value, gradient })
    }

    /// A coordinate function whose value counts, not its rate alone.
    pub fn value(&mut self, g: usize) -> Covered<Node> {
        match self.mechanism.interactions.gauges[g] {
            CoordinateFunction::Angle { hint: None, .. } if !self.at_instants => {
                Err("it reads an angle whose turns are not counted".into())
            }
            _ => Ok(self.gauge(g)?.value),
        }
    }

    fn touch(&mut self, coupling: &Each<&Coupling>) -> Covered<Wrenches> {
        let nothing = self.nothing();
        let mut pulls = Wrenches::default();
        match &coupling.first().touch {
            Touch::Gauges => {
                for term in coupling.map(|c| &c.terms[..]).items()? {
                    let w = self.number(&term.map(|t| t.1));
                    let w = self.tape.fixed(w);
                    self.gauge(term.agree(|t| t.0)?)?.gradient.add_to(self, w, &mut pulls);
                }
            }
            Touch::Mesh(_) => {
                let mesh = coupling.pick(|c| match &c.touch {
                    Touch::Mesh(mesh) => Some(mesh),
                    _ => None,
                })?;
                let t = self.direction(&mesh.map(|mesh| &mesh.along))?;
                let (_, p) = self.spot(&mesh.map(|mesh| &mesh.at))?;
                for (body, sign) in mesh.agree(|mesh| mesh.bodies)?.into_iter().zip([1.0, -1.0]) {
                    let centre = self.centre(body);
                    let (arm, t) = (self.minus(p, centre), self.combine(&[(t, sign)]));
                    pulls.add(self, body, arm, t, nothing);
                }
            }
            &Touch::Rolling(_, k) => {
                self.rolling(
                    &coupling.pick(|c| match &c.touch {
                        Touch::Rolling(rolling, _) => Some(&**rolling),
                        _ => None,
                    })?,
                    k,
                    &mut pulls,
                )?;
            }
        }
        Ok(pulls)
    }

    /// (R1) and (R2) of rolling.
    fn rolling(&mut self, rolling: &Each<&Rolling>, k: usize, pulls: &mut Wrenches) -> Covered<()> {
        let nothing = self.nothing();
        let normal = rolling.map(|rolling| &rolling.normal);
        let (_, c) = self.spot(&rolling.map(|rolling| &rolling.centre))?;
        let n = self.direction(&normal)?;
        let (e, t): (V, V) = match rolling.first().axis {
            Some(_) => {
                let axis = rolling.pick(|rolling| rolling.axis.as_ref())?;
                let a = self.direction(&axis)?;
                let across = self.dot(n, a);
                let tilt = self.times(across, a);
                let up = self.minus(n, tilt);
                let track = self.cross(a, n);
                let track = self.unit(track);
                let t = match k {
                    0 => track,
                    Rolling::NORMAL => n,
                    _ => self.cross(n, track),
                };
                (self.unit(up), t)
            }
            None => {
                let body = normal.agree(|normal| normal.body)?;
                let side = self.turned(body, &normal.map(|normal| any_perpendicular(normal.u)))?;
                let t = match k {
                    0 => side,
                    Rolling::NORMAL => n,
                    _ => self.cross(n, side),
                };
                (n, t)
            }
        };
        let radius = self.number(&rolling.map(|rolling| rolling.radius));
        let q = self.blend(&[(c, N::of(1.0)), (e, N::of(-1.0).times(&radius))]);
        for (body, sign) in [(rolling.first().centre.body, 1.0), (normal.first().body, -1.0)] {
            let centre = self.centre(body);
            let (arm, t) = (self.minus(q, centre), self.combine(&[(t, sign)]));
            pulls.add(self, body, arm, t, nothing);
        }
        Ok(())
    }

    pub fn row(&mut self, c: usize) -> Covered<RowSeries> {
        let coupling = self.each(|m| &m.interactions.couplings[c]);
        let pulls = self.touch(&coupling)?;
        let mut columns: Terms<N> = vec![Vec::new(); self.mechanism.coordinate_count()];
        for (body, force, moment) in pulls.list {
            let forces = self.spread(body, force, moment);
            let nodes = self.mechanism.bodies[body].nodes.clone();
            for (node, f) in nodes.into_iter().zip(forces) {
                self.push(node, f, &mut columns);
            }
        }
        let mut entries = Vec::new();
        for (i, terms) in columns.into_iter().enumerate().filter(|(_, terms)| !terms.is_empty()) {
            entries.push((i, self.tape.weighted(&terms, N::of(0.0))));
        }
        let drive = match &coupling.first().drive {
            None => None,
            Some(_) => {
                let drive = coupling.pick(|coupling| coupling.drive.as_ref())?;
                let time = self.tape.time();
                let formula = drive.map(|drive| drive.formula());
                let values = vec![(time, true); formula.agree(|formula| formula.references().len())?];
                let (h, weight) =
                    (self.formula(&formula, &values)?, self.number(&drive.map(|drive| drive.weight)));
                // the weight is one, or a length that makes a length of an angle
                Some(self.scale(weight, h))
            }
        };
        Ok(RowSeries { entries, drive })
    }
}
