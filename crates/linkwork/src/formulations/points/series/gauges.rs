//! Coordinate functions and couplings on the tape.
//!
//! Of a coordinate function the tape has the value and the gradient, (G1)–(G5) of the coordinate functions; its rate is that of the value. A row of a coupling is
//! kept as what it says of velocities,
//!
//!   (R1)  A(q, t) q̇ = w ḣ(t)
//!
//! so rows that are no derivative of any Φ, as those of rolling, need nothing of their own.

use super::bodies::{Covered, Scribe, V, Wrenches};
use crate::interactions::{CoordinateFunction, Coupling, Direction, Rolling, Touch};
use crate::linalg::tape::Node;
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
    /// w and h.
    pub drive: Option<(f64, Node)>,
}

impl Scribe<'_> {
    pub fn gauge(&mut self, g: usize) -> Covered<Reading> {
        let nothing = self.nothing();
        let mut gradient = Wrenches::default();
        let value = match &self.mechanism.interactions.gauges[g] {
            CoordinateFunction::Component { from, to, along } => {
                let ((p_arm, p), (q_arm, q)) = (self.spot(from)?, self.spot(to)?);
                let n = self.direction(along)?;
                let d = self.minus(q, p);
                let (back, turn) = (self.negative(n), self.cross(n, d));
                gradient.add(self, to.body, q_arm, n, nothing);
                gradient.add(self, from.body, p_arm, back, nothing);
                gradient.add(self, along.body, nothing, nothing, turn);
                self.dot(n, d)
            }
            CoordinateFunction::Distance { from, to } => {
                let ((p_arm, p), (q_arm, q)) = (self.spot(from)?, self.spot(to)?);
                let d = self.minus(q, p);
                let length = self.norm(d);
                let u = self.over(d, length);
                let back = self.negative(u);
                gradient.add(self, to.body, q_arm, u, nothing);
                gradient.add(self, from.body, p_arm, back, nothing);
                length
            }
            CoordinateFunction::Angle { zero, quarter, pointer, hint } => {
                let (e, f) = (self.direction(zero)?, self.direction(quarter)?);
                let p = self.direction(pointer)?;
                let (x, y) = (self.dot(p, e), self.dot(p, f));
                let m = if self.planar() {
                    // E = x e + y f, so what is left of (G3) is the axis
                    self.fixed(cross(zero.u, quarter.u))
                } else {
                    let (a, b) = (self.times(x, f), self.times(y, e));
                    let side = self.minus(a, b);
                    let turn = self.cross(p, side);
                    let (xx, yy) = (self.tape.mul(x, x), self.tape.mul(y, y));
                    let square = self.tape.add(xx, yy);
                    self.over(turn, square)
                };
                let back = self.negative(m);
                gradient.add(self, pointer.body, nothing, nothing, m);
                gradient.add(self, zero.body, nothing, nothing, back);
                self.tape.atan2(y, x, *hint)
            }
            CoordinateFunction::Cosine { first, second, length } => {
                let (n, e) = (self.direction(first)?, self.direction(second)?);
                let turn = self.cross(e, n);
                let m = self.combine(&[(turn, *length)]);
                let back = self.negative(m);
                gradient.add(self, second.body, nothing, nothing, m);
                gradient.add(self, first.body, nothing, nothing, back);
                let cosine = self.dot(n, e);
                self.tape.scale(*length, cosine)
            }
            CoordinateFunction::Slope { first, second } => {
                let (n, e) = (self.direction(first)?, self.direction(second)?);
                let sine = self.dot(n, e);
                let square = self.tape.mul(sine, sine);
                let rest = self.tape.sum(&[(square, -1.0)], 1.0);
                let cosine = self.tape.sqrt(rest);
                let turn = self.cross(e, n);
                let m = self.over(turn, cosine);
                let back = self.negative(m);
                gradient.add(self, second.body, nothing, nothing, m);
                gradient.add(self, first.body, nothing, nothing, back);
                self.tape.asin(sine)
            }
            CoordinateFunction::Path(path) => {
                if path.stops.iter().any(|stop| stop.radius != 0.0) {
                    return Err("it runs over pulleys".into());
                }
                let mut length = self.tape.constant(0.0);
                for pair in path.stops.windows(2) {
                    let ((p_arm, p), (q_arm, q)) = (self.spot(&pair[0].at)?, self.spot(&pair[1].at)?);
                    let d = self.minus(q, p);
                    let piece = self.norm(d);
                    let u = self.over(d, piece);
                    let back = self.negative(u);
                    gradient.add(self, pair[1].at.body, q_arm, u, nothing);
                    gradient.add(self, pair[0].at.body, p_arm, back, nothing);
                    length = self.tape.add(length, piece);
                }
                length
            }
            CoordinateFunction::Curve(_) => return Err("it follows a curve through points".into()),
        };
        Ok(Reading { value, gradient })
    }

    /// A coordinate function whose value counts, not its rate alone.
    pub fn value(&mut self, g: usize) -> Covered<Node> {
        match self.mechanism.interactions.gauges[g] {
            CoordinateFunction::Angle { hint: None, .. } => {
                Err("it reads an angle whose turns are not counted".into())
            }
            _ => Ok(self.gauge(g)?.value),
        }
    }

    fn touch(&mut self, coupling: &Coupling) -> Covered<Wrenches> {
        let nothing = self.nothing();
        let mut pulls = Wrenches::default();
        match &coupling.touch {
            Touch::Gauges => {
                for &(g, w) in &coupling.terms {
                    let w = self.tape.constant(w);
                    self.gauge(g)?.gradient.add_to(self, w, &mut pulls);
                }
            }
            Touch::Mesh(mesh) => {
                let t = self.direction(&mesh.along)?;
                let (_, p) = self.spot(&mesh.at)?;
                for (body, sign) in mesh.bodies.into_iter().zip([1.0, -1.0]) {
                    let centre = self.centre(body);
                    let (arm, t) = (self.minus(p, centre), self.combine(&[(t, sign)]));
                    pulls.add(self, body, arm, t, nothing);
                }
            }
            Touch::Rolling(rolling, k) => self.rolling(rolling, *k, &mut pulls)?,
        }
        Ok(pulls)
    }

    /// (R1) and (R2) of rolling.
    fn rolling(&mut self, rolling: &Rolling, k: usize, pulls: &mut Wrenches) -> Covered<()> {
        let nothing = self.nothing();
        let (_, c) = self.spot(&rolling.centre)?;
        let n = self.direction(&rolling.normal)?;
        let (e, t): (V, V) = match &rolling.axis {
            Some(axis) => {
                let a = self.direction(axis)?;
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
                let side = Direction { u: any_perpendicular(rolling.normal.u), ..rolling.normal };
                let side = self.direction(&side)?;
                let t = match k {
                    0 => side,
                    Rolling::NORMAL => n,
                    _ => self.cross(n, side),
                };
                (n, t)
            }
        };
        let q = self.combine(&[(c, 1.0), (e, -rolling.radius)]);
        for (body, sign) in [(rolling.centre.body, 1.0), (rolling.normal.body, -1.0)] {
            let centre = self.centre(body);
            let (arm, t) = (self.minus(q, centre), self.combine(&[(t, sign)]));
            pulls.add(self, body, arm, t, nothing);
        }
        Ok(())
    }

    pub fn row(&mut self, coupling: &Coupling) -> Covered<RowSeries> {
        let pulls = self.touch(coupling)?;
        let mut columns = vec![Vec::new(); self.forces.len()];
        for (body, force, moment) in pulls.list {
            let forces = self.spread(body, force, moment);
            let nodes = self.mechanism.bodies[body].nodes.clone();
            for (node, f) in nodes.into_iter().zip(forces) {
                self.push(node, f, &mut columns);
            }
        }
        let mut entries = Vec::new();
        for (i, terms) in columns.into_iter().enumerate().filter(|(_, terms)| !terms.is_empty()) {
            entries.push((i, self.tape.sum(&terms, 0.0)));
        }
        let drive = match &coupling.drive {
            None => None,
            Some(drive) => {
                let formula = drive.formula();
                let time = self.tape.time();
                let values = vec![(time, true); formula.references().len()];
                Some((drive.weight, self.formula(formula, &values)?))
            }
        };
        Ok(RowSeries { entries, drive })
    }
}
