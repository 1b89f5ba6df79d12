//! Planar linkages of pins and slides whose drawing changes: positions at any time, and their derivatives by the drawing.
//!
//! A body that is displaced by c and turned by θ from the drawing carries the drawn point P to
//!
//! ```text
//!   (L1)  r(P) = O + c + R(θ) (P − O)                       of the ground: P
//!   (L2)  r_a(P) − r_b(P) = 0                               a pin
//!   (L3)  θ_b − θ_a = f(t)                                  a turn that is driven; of a slide f = 0
//!   (L4)  R(θ_a) d·(r_b(P) − r_a(P)) − d·(P_b − P_a) = f(t)   a path along d that is driven; across a slide f = 0
//!   (L5)  C δz = −Φ                                         z: c in parts of the size, and θ
//!   (L6)  C z_t = −Φ_t,  C z_x = −Φ_P P_x                   rates, and derivatives by variables x that move drawn points
//! ```
//!
//! There are no frames of bodies and no masses, so that a new drawing costs nothing, and derivatives are exact. Steps keep their branch as those of
//! [`linkwork::analysis::Kinematics`] do: a step is halved where it ends beside the way that it began, or the determinant of C changes its sign.

use linkwork::linalg::jet::Jet;
use linkwork::linalg::lu::Lu;
use linkwork::model::Formula;

/// A step turns nothing further than this, rad, and moves nothing further, in parts of the size.
const LONGEST: f64 = 0.5;
/// The projection goes no further from the way that was begun than this part of it.
const STRAY: f64 = 0.25;
/// A step below this part of the time that there is to go is none.
const LEAST: f64 = 1e-9;
/// Residuals below this are rounding; a projection that ends above the second has failed.
const CLOSED: f64 = 4e-15;
const OPEN: f64 = 1e-12;
/// After a step shorter than this the factors of C serve once more.
const NEAR: f64 = 1e-5;
const MOST_STEPS: usize = 30;
const NO_TURN: [f64; 2] = [1.0, 0.0];

/// A body; `None` is the ground.
pub(crate) type Member = Option<usize>;
/// A drawn point of a body.
pub(crate) type Spot = (Member, usize);
/// The derivatives of a drawn point by variables: x, y.
pub(crate) type Slope = [Vec<(usize, f64)>; 2];

/// Equations between two bodies.
#[derive(Clone, Debug)]
pub(crate) enum Row {
    /// (L2): two equations.
    Pin([Spot; 2]),
    /// (L3)
    Turn([Member; 2], Option<Formula>),
    /// (L4), with d.
    Path([Spot; 2], [f64; 2], Option<Formula>),
}

/// What is known of a linkage but its drawing.
#[derive(Clone, Debug)]
pub(crate) struct Linkage {
    /// How many bodies move.
    pub bodies: usize,
    pub rows: Vec<Row>,
    /// O
    pub origin: [f64; 2],
    pub size: f64,
}

/// Where the bodies are.
#[derive(Clone, Debug, Default)]
struct Place {
    t: f64,
    z: Vec<f64>,
    sign: f64,
}

/// A linkage on its way.
pub(crate) struct Walk<'l> {
    linkage: &'l Linkage,
    points: &'l [[f64; 2]],
    at: Place,
    /// Cosine and sine of θ.
    turned: Vec<[f64; 2]>,
    lu: Lu<f64>,
    phi: Vec<f64>,
    ahead: Vec<f64>,
    c: Vec<f64>,
    marks: Vec<Place>,
}

fn turn(by: [f64; 2], p: [f64; 2]) -> [f64; 2] {
    [by[0] * p[0] - by[1] * p[1], by[1] * p[0] + by[0] * p[1]]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |m: f64, x| if x.is_finite() { m.max(x.abs()) } else { f64::INFINITY })
}

fn given(formula: Option<&Formula>, t: f64) -> Jet {
    let of = |formula: &Formula| match formula.is_constant() {
        Some(value) => Jet::from(value),
        None => formula.eval_jet(&[Jet::time(t)], &mut Vec::new()),
    };
    formula.map_or(Jet::from(0.0), of)
}

impl Linkage {
    /// Number of equations.
    pub fn equations(&self) -> usize {
        self.rows.iter().map(|row| if matches!(row, Row::Pin(_)) { 2 } else { 1 }).sum()
    }

    /// The linkage as it is drawn, closed at a time; `None` if it does not close there, or its drivers leave a freedom.
    pub fn walk<'l>(&'l self, points: &'l [[f64; 2]], t: f64) -> Option<Walk<'l>> {
        let n = 3 * self.bodies;
        let mut walk = Walk {
            linkage: self,
            points,
            at: Place { t, z: vec![0.0; n], sign: 0.0 },
            turned: vec![NO_TURN; self.bodies],
            lu: Lu::new(n),
            phi: vec![0.0; n],
            ahead: vec![0.0; n],
            c: vec![0.0; n * n],
            marks: Vec::new(),
        };
        let closed = walk.factor() && walk.close() && walk.factor();
        walk.at.sign = walk.lu.sign();
        (closed && walk.lu.smallest_pivot() > 1e-8).then_some(walk)
    }
}

impl Walk<'_> {
    pub fn t(&self) -> f64 {
        self.at.t
    }

    fn turned(&self, of: Member) -> [f64; 2] {
        of.map_or(NO_TURN, |b| self.turned[b])
    }

    /// θ
    pub fn angle(&self, of: Member) -> f64 {
        of.map_or(0.0, |b| self.at.z[3 * b + 2])
    }

    /// R (P − O)
    fn arm(&self, (of, p): Spot) -> [f64; 2] {
        let [p, o] = [self.points[p], self.linkage.origin];
        turn(self.turned(of), [p[0] - o[0], p[1] - o[1]])
    }

    /// (L1)
    pub fn position(&self, spot: Spot) -> [f64; 2] {
        let Some(b) = spot.0 else { return self.points[spot.1] };
        let (arm, o, size) = (self.arm(spot), self.linkage.origin, self.linkage.size);
        [o[0] + size * self.at.z[3 * b] + arm[0], o[1] + size * self.at.z[3 * b + 1] + arm[1]]
    }

    /// From one spot to another, and as drawn.
    fn between(&self, [a, b]: [Spot; 2]) -> [[f64; 2]; 2] {
        let (from, to) = (self.position(a), self.position(b));
        let (p, q) = (self.points[a.1], self.points[b.1]);
        [[to[0] - from[0], to[1] - from[1]], [q[0] - p[0], q[1] - p[1]]]
    }

    /// The path of a joint along a direction that is fixed in its first body, since the drawing.
    pub fn path(&self, spots: [Spot; 2], direction: [f64; 2]) -> f64 {
        let [now, drawn] = self.between(spots);
        dot(turn(self.turned(spots[0].0), direction), now) - dot(direction, drawn)
    }

    /// (L2) to (L4), lengths in parts of the size.
    fn residuals(&mut self) {
        let mut phi = std::mem::take(&mut self.phi);
        phi.clear();
        let (t, size) = (self.at.t, self.linkage.size);
        for row in &self.linkage.rows {
            match row {
                Row::Pin(spots) => {
                    let [now, _] = self.between(*spots);
                    phi.extend(now.map(|x| x / size));
                }
                Row::Turn([a, b], value) => {
                    phi.push(self.angle(*b) - self.angle(*a) - given(value.as_ref(), t).x);
                }
                Row::Path(spots, direction, value) => {
                    phi.push((self.path(*spots, *direction) - given(value.as_ref(), t).x) / size);
                }
            }
        }
        self.phi = phi;
    }

    /// Derivatives of d·r(P) by z, in parts of the size.
    fn put(&self, row: &mut [f64], spot: Spot, d: [f64; 2]) {
        let Some(b) = spot.0 else { return };
        let arm = self.arm(spot);
        row[3 * b] += d[0];
        row[3 * b + 1] += d[1];
        row[3 * b + 2] += dot(d, [-arm[1], arm[0]]) / self.linkage.size;
    }

    /// C and its factors; whether there are any.
    fn factor(&mut self) -> bool {
        let n = self.at.z.len();
        let mut c = std::mem::take(&mut self.c);
        c.fill(0.0);
        let mut k = 0;
        for row in &self.linkage.rows {
            match row {
                Row::Pin([a, b]) => {
                    for d in [[1.0, 0.0], [0.0, 1.0]] {
                        let row = &mut c[k * n..(k + 1) * n];
                        self.put(row, *b, d);
                        self.put(row, *a, d.map(|d| -d));
                        k += 1;
                    }
                    continue;
                }
                Row::Turn([a, b], _) => {
                    for (of, sign) in [(*a, -1.0), (*b, 1.0)] {
                        if let Some(of) = of {
                            c[k * n + 3 * of + 2] += sign;
                        }
                    }
                }
                Row::Path([a, b], direction, _) => {
                    let d = turn(self.turned(a.0), *direction);
                    let row = &mut c[k * n..(k + 1) * n];
                    self.put(row, *b, d);
                    self.put(row, *a, d.map(|d| -d));
                    if let Some(of) = a.0 {
                        row[3 * of + 2] += dot([-d[1], d[0]], self.between([*a, *b])[0]) / self.linkage.size;
                    }
                }
            }
            k += 1;
        }
        let factored = self.lu.factor(n, |i, j| c[i * n + j]).is_ok();
        self.c = c;
        factored
    }

    fn displace(&mut self, by: impl Fn(usize) -> f64) {
        for (i, z) in self.at.z.iter_mut().enumerate() {
            *z += by(i);
        }
        self.place();
    }

    fn place(&mut self) {
        for (turned, z) in self.turned.iter_mut().zip(self.at.z.chunks(3)) {
            let (sin, cos) = z[2].sin_cos();
            *turned = [cos, sin];
        }
    }

    /// (L5), again and again; whether it closes.
    fn close(&mut self) -> bool {
        let (mut before, mut stale) = (f64::INFINITY, true);
        for step in 0..MOST_STEPS {
            self.residuals();
            let worst = largest(&self.phi);
            if worst <= CLOSED || (worst <= OPEN && worst > 0.25 * before && step >= 2) {
                return true;
            }
            if worst.is_infinite() || (stale && !self.factor()) {
                return false;
            }
            before = worst;
            let mut change = std::mem::take(&mut self.phi);
            self.lu.solve(&mut change);
            let longest = largest(&change);
            if longest.is_infinite() {
                return false;
            }
            let part = (LONGEST / longest).min(1.0);
            self.displace(|i| -part * change[i]);
            self.phi = change;
            stale = longest > NEAR;
        }
        self.residuals();
        largest(&self.phi) <= OPEN
    }

    /// One step to a time; whether it gets there along its way.
    fn step(&mut self, t: f64, from: &Place) -> bool {
        self.at.t = t;
        self.residuals();
        let mut change = std::mem::take(&mut self.phi);
        self.lu.solve(&mut change);
        let begun = largest(&change);
        if begun <= LONGEST {
            self.displace(|i| -change[i]);
        }
        self.phi = change;
        if begun > LONGEST {
            return false;
        }
        self.ahead.clone_from(&self.at.z);
        let stray = |walk: &Self| {
            let apart = walk.ahead.iter().zip(&walk.at.z).map(|(a, b)| (a - b).abs());
            apart.fold(0.0, f64::max)
        };
        let arrived =
            self.close() && stray(self) <= STRAY * begun + 1e-9 && self.lu.sign() * from.sign >= 0.0;
        if arrived {
            self.at.sign = if self.lu.sign() == 0.0 { from.sign } else { self.lu.sign() };
        }
        arrived
    }

    /// z_x of (L6): the derivatives of where the bodies are by each variable, variable after variable. C is factored here.
    pub fn sensitivities(&mut self, slopes: &[Slope], variables: usize, out: &mut Vec<f64>) -> bool {
        let (n, size) = (self.at.z.len(), self.linkage.size);
        out.clear();
        out.resize(n * variables, 0.0);
        if !self.factor() {
            return false;
        }
        // −Φ_P P_x
        let mut k = 0;
        for row in &self.linkage.rows {
            // the drawn point of a spot, along d as it is and as it was drawn
            let mut add = |k: usize, (of, p): Spot, d: [f64; 2], drawn: [f64; 2], sign: f64| {
                let back = turn([self.turned(of)[0], -self.turned(of)[1]], d);
                for axis in 0..2 {
                    for (x, slope) in &slopes[p][axis] {
                        out[x * n + k] -= sign * (back[axis] - drawn[axis]) * slope / size;
                    }
                }
            };
            match row {
                Row::Pin([a, b]) => {
                    for d in [[1.0, 0.0], [0.0, 1.0]] {
                        add(k, *b, d, [0.0; 2], 1.0);
                        add(k, *a, d, [0.0; 2], -1.0);
                        k += 1;
                    }
                    continue;
                }
                Row::Turn(..) => {}
                Row::Path([a, b], direction, _) => {
                    let d = turn(self.turned(a.0), *direction);
                    add(k, *b, d, *direction, 1.0);
                    add(k, *a, d, *direction, -1.0);
                }
            }
            k += 1;
        }
        for column in out.chunks_mut(n) {
            self.lu.solve(column);
        }
        out.iter().all(|x| x.is_finite())
    }

    /// z_t of (L6); `None` where C is singular.
    pub fn rates(&mut self) -> Option<Vec<f64>> {
        if !self.factor() {
            return None;
        }
        let (t, size) = (self.at.t, self.linkage.size);
        let mut out = Vec::with_capacity(self.at.z.len());
        for row in &self.linkage.rows {
            match row {
                Row::Pin(_) => out.extend([0.0; 2]),
                Row::Turn(_, value) => out.push(given(value.as_ref(), t).d),
                Row::Path(.., value) => out.push(given(value.as_ref(), t).d / size),
            }
        }
        self.lu.solve(&mut out);
        Some(out)
    }

    /// The change of a spot with a change of z, and of its drawn point.
    pub fn moved(&self, spot: Spot, z: &[f64], drawn: [f64; 2]) -> [f64; 2] {
        let Some(b) = spot.0 else { return drawn };
        let (arm, size, own) = (self.arm(spot), self.linkage.size, turn(self.turned[b], drawn));
        let w = z[3 * b + 2];
        [size * z[3 * b] - w * arm[1] + own[0], size * z[3 * b + 1] + w * arm[0] + own[1]]
    }

    /// The direction of a path as it is turned, with its change for a change of z.
    pub fn direction(&self, of: Member, d: [f64; 2], z: &[f64]) -> [[f64; 2]; 2] {
        let now = turn(self.turned(of), d);
        let w = of.map_or(0.0, |b| z[3 * b + 2]);
        [now, [-w * now[1], w * now[0]]]
    }
}

impl Walk<'_> {
    /// Goes on to a time, or back, along the branch that it is in; whether it gets there.
    pub fn go_to(&mut self, t: f64) -> bool {
        let from = self.at.t;
        if t == from {
            return true;
        }
        let (mut s, mut ds) = (0.0, 1.0);
        let mut before = self.at.clone();
        while s < 1.0 {
            let next = f64::min(s + ds, 1.0);
            before.clone_from(&self.at);
            if self.step(from + next * (t - from), &before) {
                (s, ds) = (next, 2.0 * ds);
                continue;
            }
            self.at.clone_from(&before);
            self.place();
            ds = 0.5 * (next - s);
            if ds < LEAST || !self.factor() {
                return false;
            }
        }
        true
    }

    /// Remembers where it is.
    pub fn mark(&mut self) -> usize {
        self.marks.push(self.at.clone());
        self.marks.len() - 1
    }

    /// Comes back.
    pub fn return_to(&mut self, mark: usize) {
        self.at.clone_from(&self.marks[mark]);
        self.place();
        // a step begins with the factors of where it is
        self.factor();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn four_bar() -> (Linkage, Vec<[f64; 2]>) {
        // A, B, C, D, P
        let points = vec![[0.0, 0.0], [0.0, 1.0], [2.0, 2.0], [2.5, 0.0], [1.2, 2.4]];
        let pin = |a: Member, b: Member, p: usize| Row::Pin([(a, p), (b, p)]);
        let rows = vec![
            pin(None, Some(0), 0),
            pin(Some(0), Some(1), 1),
            pin(Some(1), Some(2), 2),
            pin(Some(2), None, 3),
            Row::Turn([None, Some(0)], Some(Formula::parse("2 * pi * t").unwrap())),
        ];
        (Linkage { bodies: 3, rows, origin: [1.0, 1.0], size: 3.0 }, points)
    }

    /// The crank turns, lengths stay, and a whole turn ends where it began.
    #[test]
    fn exact_lengths_around_a_turn() {
        let (linkage, points) = four_bar();
        let mut walk = linkage.walk(&points, 0.0).unwrap();
        let length = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        for k in 1..=20 {
            let t = f64::from(k) / 20.0;
            assert!(walk.go_to(t));
            let [b, c, p] = [(Some(0), 1), (Some(1), 2), (Some(1), 4)].map(|spot| walk.position(spot));
            let angle = std::f64::consts::TAU * t;
            assert!(length(b, [-angle.sin(), angle.cos()]) < 1e-13);
            assert!((length(c, points[3]) - length(points[2], points[3])).abs() < 1e-13);
            assert!((length(b, c) - length(points[1], points[2])).abs() < 1e-13);
            assert!((length(c, p) - length(points[2], points[4])).abs() < 1e-13);
        }
        assert!(length(walk.position((Some(1), 4)), points[4]) < 1e-12);
    }

    /// Derivatives of the coupler point by all drawn points, and its velocity, against differences.
    #[test]
    fn cross_derivatives_by_the_drawing() {
        let (linkage, points) = four_bar();
        let place = |points: &[[f64; 2]], t: f64| {
            let mut walk = linkage.walk(points, 0.0).unwrap();
            assert!(walk.go_to(0.5 * t) && walk.go_to(t));
            walk.position((Some(1), 4))
        };
        let slopes: Vec<Slope> = (0..5).map(|p| [vec![(2 * p, 1.0)], vec![(2 * p + 1, 1.0)]]).collect();
        let t = 0.3;
        let mut walk = linkage.walk(&points, 0.0).unwrap();
        assert!(walk.go_to(0.5 * t) && walk.go_to(t));
        let mut s = Vec::new();
        assert!(walk.sensitivities(&slopes, 10, &mut s));
        let h = 1e-6;
        for x in 0..10 {
            let [mut less, mut more] = [points.clone(), points.clone()];
            less[x / 2][x % 2] -= h;
            more[x / 2][x % 2] += h;
            let (less, more) = (place(&less, t), place(&more, t));
            let drawn = match (x / 2 == 4, x % 2) {
                (true, 0) => [1.0, 0.0],
                (true, _) => [0.0, 1.0],
                _ => [0.0; 2],
            };
            let exact = walk.moved((Some(1), 4), &s[9 * x..9 * (x + 1)], drawn);
            for c in 0..2 {
                let difference = (more[c] - less[c]) / (2.0 * h);
                assert!((difference - exact[c]).abs() < 1e-8, "{x} {c}: {difference} {}", exact[c]);
            }
        }
        let rates = walk.rates().unwrap();
        let exact = walk.moved((Some(1), 4), &rates, [0.0; 2]);
        let (less, more) = (place(&points, t - h), place(&points, t + h));
        for c in 0..2 {
            assert!(((more[c] - less[c]) / (2.0 * h) - exact[c]).abs() < 1e-7);
        }
    }
}
