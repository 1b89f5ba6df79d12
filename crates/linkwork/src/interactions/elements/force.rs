//! A force on a body: constant ([`Constant`]), or by formulas ([`Applied`]) in world axes or in those of the body.

use super::checks::Checks;
use super::site::Site;
use super::{Applied, Constant, Element, Output, Phase, Readable, Symbol, Use};
use crate::drawing::{Axes, IntoVector};
use crate::expressions::Formula;
use crate::expressions::units::Dims;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::interactions::{Action, BodyPoint};

keys! {
    /// A force on a body.
    Force(name) {
        /// The body.
        body: String => required String,
        /// The point of the body it acts at; the centre of mass if left out.
        at: Option<String> => optional String,
        /// The force, N: each component a number or an expression.
        force: [Formula; 3] => required FormulaVector<1, 1, -2>,
        /// Axes of the components: "world" (the default), or "body", which turn with the body.
        axes: Axes => default Choice<Axes> = Axes::World,
    }
}

#[cfg(feature = "file")]
impl Rules for Force {}

/// The numbers of three formulas in world axes, if they are constants.
pub(super) fn constant(parts: &[Formula; 3], axes: Axes) -> Option<[f64; 3]> {
    match parts.each_ref().map(Formula::is_constant) {
        [Some(x), Some(y), Some(z)] if axes == Axes::World => Some([x, y, z]),
        _ => None,
    }
}

impl Force {
    /// A constant force at a point of a body.
    pub fn new(name: impl Into<String>, body: &str, at: &str, force: impl IntoVector) -> Self {
        Force { at: Some(at.into()), ..Force::at_com(name, body, force) }
    }
    /// A constant force at the centre of mass of a body.
    pub fn at_com(name: impl Into<String>, body: &str, force: impl IntoVector) -> Self {
        let force = force.into_vector().map(Formula::constant);
        Force { name: name.into(), body: body.into(), at: None, force, axes: Axes::World }
    }
    /// Sets the components as formulas, N; in the plane the third is zero.
    pub fn formulas(mut self, force: [Formula; 3]) -> Self {
        self.force = force;
        self
    }
    /// Lets it turn with the body.
    pub fn in_body_axes(mut self) -> Self {
        self.axes = Axes::Body;
        self
    }
    /// The force, if it never changes.
    pub fn constant(&self) -> Option<[f64; 3]> {
        constant(&self.force, self.axes)
    }
}

impl Readable for Force {
    const WORD: &'static str = "force";
    const OUTPUTS: &'static [Output] = &[
        Output::both("x", Dims::new(1, 1, -2)),
        Output::both("y", Dims::new(1, 1, -2)),
        Output::space("z", Dims::new(1, 1, -2)),
    ];
}

impl Element for Force {
    fn check(&self, path: &str, on: &mut dyn Checks) {
        on.moving_body(&format!("{path}.body"), &self.body, "a force on `ground` moves nothing");
        if let Some(at) = &self.at {
            on.point_of(&format!("{path}.at"), at, &self.body);
        }
        on.formulas(&format!("{path}.force"), &self.force);
        let constants = self.force.each_ref().map(|part| part.is_constant().unwrap_or(0.0));
        on.vector(&format!("{path}.force"), constants);
        if on.planar() && self.force[2].is_constant().is_none() {
            on.error(format!("{path}.force[2]"), "the model is planar: there is no z");
        }
    }

    fn uses(&self) -> Vec<Use<'_>> {
        vec![Use::Body(&self.body)]
    }

    fn phase(&self) -> Phase {
        if self.constant().is_some() { Phase::Linear } else { Phase::Formulas }
    }

    fn symbol(&self) -> Option<Symbol<'_>> {
        Some(Symbol::Arrow { body: &self.body, at: self.at.as_deref() })
    }

    fn attach(&self, path: &str, _: usize, site: &mut dyn Site) -> Option<()> {
        let at @ BodyPoint { body: Some(body), .. } = site.force_point(&self.body, self.at.as_ref())? else {
            return None;
        };
        let name = format!("force.{}", self.name);
        if let Some(force) = self.constant() {
            site.act(name, Action::Constant(Box::new(Constant { at, force, couple: [0.0; 3] })));
            return Some(());
        }
        if self.axes == Axes::Body && !site.carries(Some(body), None, &format!("{path}.axes")) {
            return None;
        }
        let force = Some(site.vector(&format!("{path}.force"), &self.force)?);
        let planar = site.columns() == 2;
        let law = Applied { body, at, force, couple: None, axes: self.axes, planar };
        site.act(name, Action::Applied(Box::new(law)));
        Some(())
    }
}
