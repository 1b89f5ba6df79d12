//! Bushings: elastic bearings that resist every relative motion of two bodies.

mod law;

pub use law::Bushing as Law;

use super::checks::{Checks, Sign};
use super::site::Site;
use super::{Element, Output, Readable, Symbol, Use};
use crate::drawing::Axis;
use crate::expressions::units::Dims;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::interactions::Action;
use crate::linalg::vec3::{IDENTITY, Mat3, Vec3, cross, unit};

const Z: Vec3 = [0.0, 0.0, 1.0];
/// Two directions whose cosine is larger than this span no plane.
const PARALLEL: f64 = 1.0 - 1e-9;

keys! {
    /// An elastic bearing: it resists every relative motion of two bodies.
    Bushing(name) {
        /// The two bodies; displacements are measured in axes of the first.
        bodies: [String; 2] => required Two,
        /// Its point, or one on each body. A body that does not list it has its place where it is drawn.
        at: [String; 2] => required At,
        /// Two directions: the first axis, and one in the plane of the first two; world axes as drawn if left out.
        axes: Option<[Axis; 2]> => optional TwoDirections,
        /// Stiffness along the axes, N/m, and about them, N m/rad: six numbers; in the plane [x, y, turn].
        stiffness: [f64; 6] => default Six<0> = [0.0; 6],
        /// Damping along the axes, N s/m, and about them, N m s/rad: six numbers; in the plane [x, y, turn].
        damping: [f64; 6] => default Six<1> = [0.0; 6],
        /// Force, N, and moment, N m, on the second body that are always there: six numbers; in the plane [x, y, turn].
        preload: [f64; 6] => default Six<2> = [0.0; 6],
    }
}

#[cfg(feature = "file")]
impl Rules for Bushing {}

impl Bushing {
    /// A bushing at a point; in the plane the stiffness is `[kx, ky, 0, 0, 0, k]`.
    pub fn new(name: impl Into<String>, bodies: [&str; 2], at: &str, stiffness: [f64; 6]) -> Self {
        let (bodies, at) = (bodies.map(Into::into), [at.into(), at.into()]);
        let (damping, preload) = ([0.0; 6], [0.0; 6]);
        Bushing { name: name.into(), bodies, at, axes: None, stiffness, damping, preload }
    }
    /// Sets a point on each body.
    pub fn at(mut self, at: [&str; 2]) -> Self {
        self.at = at.map(Into::into);
        self
    }
    /// Sets the axes.
    pub fn axes(mut self, axes: [Axis; 2]) -> Self {
        self.axes = Some(axes);
        self
    }
    /// Sets the damping.
    pub fn damping(mut self, damping: [f64; 6]) -> Self {
        self.damping = damping;
        self
    }
    /// Sets the preload.
    pub fn preload(mut self, preload: [f64; 6]) -> Self {
        self.preload = preload;
        self
    }

    fn check_points(&self, path: &str, known: bool, on: &mut dyn Checks) {
        let ([a, b], at) = (&self.bodies, format!("{path}.at"));
        match &self.at {
            [p, q] if p == q => {
                let held = |on: &dyn Checks| self.bodies.iter().any(|body| on.holds(body, p));
                if on.point(&at, p).is_some() && known && !held(on) {
                    let message = format!("neither `{a}` nor `{b}` holds the point `{p}`");
                    on.error_with(at, message, "name a point of one of them, or one of each");
                }
            }
            [p, q] => {
                on.point_of(&format!("{at}[0]"), p, a);
                on.point_of(&format!("{at}[1]"), q, b);
            }
        }
    }
}

fn check_axes(path: &str, u: Vec3, v: Vec3, on: &mut dyn Checks) {
    let length = |x: Vec3| x[0].hypot(x[1]).hypot(x[2]);
    let (lu, lv) = (length(u), length(v));
    let cosine: f64 = (0..3).map(|i| (u[i] / lu) * (v[i] / lv)).sum();
    if cosine.abs() > PARALLEL {
        on.error(path, "the two axes are parallel");
    } else if on.planar() {
        let turn = (u[0] / lu) * (v[1] / lv) - (u[1] / lu) * (v[0] / lv);
        if u[2] != 0.0 || v[2] != 0.0 {
            on.error(path, "the model is planar, but an axis leaves the plane");
        } else if turn < 0.0 {
            on.error_with(path, "the second axis lies clockwise of the first", "give the opposite direction");
        }
    }
}

impl Readable for Bushing {
    const WORD: &'static str = "bushing";
    const OUTPUTS: &'static [Output] = &[
        Output::both("x", Dims::new(1, 0, 0)),
        Output::both("y", Dims::new(1, 0, 0)),
        Output::space("z", Dims::new(1, 0, 0)),
        Output::space("rx", Dims::NONE),
        Output::space("ry", Dims::NONE),
        Output::both("rz", Dims::NONE),
        Output::both("fx", Dims::new(1, 1, -2)),
        Output::both("fy", Dims::new(1, 1, -2)),
        Output::space("fz", Dims::new(1, 1, -2)),
        Output::space("mx", Dims::new(2, 1, -2)),
        Output::space("my", Dims::new(2, 1, -2)),
        Output::both("mz", Dims::new(2, 1, -2)),
    ];
}

impl Element for Bushing {
    fn check(&self, path: &str, on: &mut dyn Checks) {
        let [a, b] = &self.bodies;
        let known = [on.body(&format!("{path}.bodies[0]"), a), on.body(&format!("{path}.bodies[1]"), b)];
        let known = known == [true, true];
        if known && a == b {
            on.error(format!("{path}.bodies"), format!("a bushing joins two bodies, this has `{a}` twice"));
        }
        self.check_points(path, known, on);
        if let Some([first, other]) = &self.axes {
            let u = on.axis(&format!("{path}.axes[0]"), first);
            let v = on.axis(&format!("{path}.axes[1]"), other);
            if let (Some(u), Some(v)) = (u, v) {
                check_axes(&format!("{path}.axes"), u, v, on);
            }
        }
        for (key, six) in [("stiffness", &self.stiffness), ("damping", &self.damping)] {
            for (i, value) in six.iter().enumerate() {
                // in the plane the file has three of the six
                let place = if on.planar() && i == 5 { 2 } else { i };
                on.number(&format!("{path}.{key}[{place}]"), *value, Sign::NotNegative);
            }
        }
        on.sizes(&format!("{path}.preload"), "every preload", &self.preload);
        let all = [self.stiffness, self.damping, self.preload];
        if on.planar() && all.iter().any(|six| six[2..5].iter().any(|x| *x != 0.0)) {
            on.error(path, "the model is planar: only x, y and the turn about z count");
        }
    }

    fn uses(&self) -> Vec<Use<'_>> {
        self.bodies.iter().map(|body| Use::Body(body)).collect()
    }

    fn symbol(&self) -> Option<Symbol<'_>> {
        Some(Symbol::Points(&self.at))
    }

    fn attach(&self, path: &str, _: usize, site: &mut dyn Site) -> Option<()> {
        let planar = site.columns() == 2;
        let bodies = self.bodies.each_ref().map(|name| site.body(name));
        let (p, q) = (site.point_on(bodies[0], &self.at[0])?, site.point_on(bodies[1], &self.at[1])?);
        let turning = [self.stiffness, self.damping, self.preload];
        let turning = turning.iter().any(|six| six[3..].iter().any(|x| *x != 0.0));
        if !site.carries(bodies[0], None, &format!("{path}.bodies[0]"))
            || (turning && !site.carries(bodies[1], None, &format!("{path}.bodies[1]")))
        {
            return None;
        }
        let axes = match &self.axes {
            None => IDENTITY,
            Some([first, other]) => {
                let (first, other) = (site.direction(first)?, site.direction(other)?);
                let third = if planar { Z } else { unit(cross(first, other)) };
                let columns: Mat3 = [first, cross(third, first), third];
                std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]))
            }
        };
        let halves = |six: [f64; 6]| [[six[0], six[1], six[2]], [six[3], six[4], six[5]]];
        let law = Law {
            bodies,
            at: [p, q],
            axes,
            stiffness: halves(self.stiffness),
            damping: halves(self.damping),
            preload: halves(self.preload),
            planar,
        };
        site.act(format!("bushing.{}", self.name), Action::Bushing(Box::new(law)));
        Some(())
    }
}
