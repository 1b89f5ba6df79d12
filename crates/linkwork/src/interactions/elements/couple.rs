//! A couple on a body: constant ([`Constant`]), or by formulas ([`Applied`]) in world axes or in those of the body.

use super::checks::Checks;
use super::force::constant;
use super::site::Site;
use super::{Applied, Constant, Element, Output, Phase, Readable, Use};
use crate::drawing::Axes;
use crate::error::Fault;
use crate::expressions::Formula;
use crate::expressions::units::Dims;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::interactions::{Action, BodyPoint};

keys! {
    /// A couple on a body.
    Couple(name) {
        /// The body.
        body: String => required String,
        /// The moment, N m: a number or an expression in the plane, a vector of them in space.
        moment: [Formula; 3] => required Moment,
        /// Axes of the components: "world" (the default), or "body", which turn with the body.
        axes: Axes => default Choice<Axes> = Axes::World,
    }
}

#[cfg(feature = "file")]
impl Rules for Couple {}

impl Couple {
    /// A constant couple; in the plane use `[0.0, 0.0, m]`.
    pub fn new(name: impl Into<String>, body: &str, moment: [f64; 3]) -> Self {
        let moment = moment.map(Formula::constant);
        Couple { name: name.into(), body: body.into(), moment, axes: Axes::World }
    }
    /// Sets the components as formulas, N m; in the plane the first two are zero.
    pub fn formulas(mut self, moment: [Formula; 3]) -> Self {
        self.moment = moment;
        self
    }
    /// Lets it turn with the body.
    pub fn in_body_axes(mut self) -> Self {
        self.axes = Axes::Body;
        self
    }
    /// The moment, if it never changes.
    pub fn constant(&self) -> Option<[f64; 3]> {
        constant(&self.moment, self.axes)
    }
}

/// The fault of a moment on a body that has no inertia about its own axis.
pub(crate) fn no_couple(path: &str, body: &str) -> Fault {
    let message = format!("body `{body}` has no inertia about its own axis and can carry no couple");
    Fault::error(path, message).help("give the body a shape with some thickness, or an inertia")
}

impl Readable for Couple {
    const WORD: &'static str = "couple";
    const OUTPUTS: &'static [Output] = &[
        Output::space("x", Dims::new(2, 1, -2)),
        Output::space("y", Dims::new(2, 1, -2)),
        Output::both("z", Dims::new(2, 1, -2)),
    ];
}

impl Element for Couple {
    fn check(&self, path: &str, on: &mut dyn Checks) {
        on.moving_body(&format!("{path}.body"), &self.body, "a couple on `ground` moves nothing");
        on.formulas(&format!("{path}.moment"), &self.moment);
        let constants = self.moment.each_ref().map(|part| part.is_constant().unwrap_or(0.0));
        on.turning(&format!("{path}.moment"), constants);
        if on.planar() && self.moment[..2].iter().any(|part| part.is_constant().is_none()) {
            on.error(format!("{path}.moment"), "the model is planar: couples turn about z");
        }
    }

    fn uses(&self) -> Vec<Use<'_>> {
        vec![Use::Body(&self.body)]
    }

    fn phase(&self) -> Phase {
        if self.constant().is_some() { Phase::Linear } else { Phase::Formulas }
    }

    fn attach(&self, path: &str, _: usize, site: &mut dyn Site) -> Option<()> {
        let at @ BodyPoint { body: Some(body), .. } = site.force_point(&self.body, None)? else {
            return None;
        };
        let (name, planar) = (format!("couple.{}", self.name), site.columns() == 2);
        if let Some(couple) = self.constant() {
            if couple != [0.0; 3] && !site.is_thick(body) {
                site.fault(no_couple(path, &self.body));
            }
            site.act(name, Action::Constant(Box::new(Constant { at, force: [0.0; 3], couple })));
            return Some(());
        }
        if !site.carries(Some(body), planar.then_some([0.0, 0.0, 1.0]), path) {
            return None;
        }
        let couple = Some(site.vector(&format!("{path}.moment"), &self.moment)?);
        let law = Applied { body, at, force: None, couple, axes: self.axes, planar };
        site.act(name, Action::Applied(Box::new(law)));
        Some(())
    }
}
