//! Drag: what the air does to a body.

mod law;

pub use law::Drag as Law;

use super::checks::{Checks, Sign};
use super::site::Site;
use super::{Element, Output, Phase, Readable, Symbol, Use};
use crate::expressions::Formula;
use crate::expressions::units::Dims;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::interactions::Action;

keys! {
    /// Drag: a force against the velocity of a point through the air.
    Drag(name) {
        /// The body.
        body: String => required String,
        /// The point of the body it acts at; the centre of mass if left out.
        at: Option<String> => optional String,
        /// Force per square of the speed, kg/m: half of density times area times drag coefficient.
        coefficient: f64 => group CoefficientKeys,
        /// Force per speed, N s/m.
        linear: f64 => default Damping = 0.0,
        /// Velocity of the air in world axes, m/s: each component a number or an expression.
        wind: Option<[Formula; 3]> => optional FormulaVector<1, 0, -1>,
    }
}

#[cfg(feature = "file")]
table! {
    /// How large the drag is.
    CoefficientKeys {
        /// Force per square of the speed, kg/m: half of density times area times drag coefficient.
        coefficient: optional Si<-1, 1, 0>,
        /// Density of the air, kg/m^3; with `area` and `cd` instead of `coefficient`.
        density: optional Density,
        /// Area that meets the air, m^2.
        area: optional Area,
        /// Drag coefficient.
        cd: optional Plain,
    }
}

#[cfg(feature = "file")]
impl Group for CoefficientKeys {
    type Value = f64;

    fn build(self, reader: &mut Reader<'_>) -> Option<f64> {
        let parts = [self.density.map(|x| x.0), self.area.map(|x| x.0), self.cd.map(|x| x.0)];
        match (self.coefficient, parts) {
            (Some(coefficient), [None, None, None]) => Some(coefficient.0),
            (None, [Some(density), Some(area), Some(cd)]) => {
                for (key, value) in [("density", density), ("area", area), ("cd", cd)] {
                    if value < 0.0 {
                        let message = format!("`{key}` must not be negative, it is {value}");
                        reader
                            .reject(crate::error::Fault::error(format!("{}.{key}", reader.path()), message));
                        return None;
                    }
                }
                Some(0.5 * density * area * cd)
            }
            // whether `linear` is there instead, the whole item knows
            (None, [None, None, None]) => Some(0.0),
            (coefficient, _) => {
                let message = match coefficient {
                    Some(_) => "`coefficient` stands for density, area and cd, some of which are given, too",
                    None => NEEDED,
                };
                reader.refuse("", message, HELP);
                None
            }
        }
    }

    fn stand_in() -> f64 {
        0.0
    }

    fn write(coefficient: &f64, entry: Entry, _: &Context<'_>) -> Entry {
        entry.set("coefficient", Item::Quantity(*coefficient, "kg/m"))
    }
}

#[cfg(feature = "file")]
const NEEDED: &str = "drag needs a `coefficient`, or all of `density`, `area` and `cd`, or `linear`";
#[cfg(feature = "file")]
const HELP: &str = "coefficient = half of density times area times drag coefficient, in kg/m";

#[cfg(feature = "file")]
impl Rules for Drag {
    fn judge(&mut self, given: Given<'_>, reader: &mut Reader<'_>) {
        if !given.any(&["coefficient", "density", "linear"]) {
            reader.refuse("", NEEDED, HELP);
        }
    }

    fn written(&self, mut entry: Entry, _: &Context<'_>) -> Entry {
        if self.coefficient.to_bits() == 0 && entry.get("linear").is_some() {
            entry.keys.retain(|(key, _)| key != "coefficient");
            entry.left_out.push("coefficient");
        }
        entry
    }
}

impl Drag {
    /// Drag at the centre of mass of a body, kg/m.
    pub fn new(name: impl Into<String>, body: &str, coefficient: f64) -> Self {
        Drag { name: name.into(), body: body.into(), at: None, coefficient, linear: 0.0, wind: None }
    }
    /// Lets it act at a point of the body.
    pub fn at(mut self, point: &str) -> Self {
        self.at = Some(point.into());
        self
    }
    /// Adds a force per speed, N s/m.
    pub fn linear(mut self, linear: f64) -> Self {
        self.linear = linear;
        self
    }
    /// Sets the velocity of the air, m/s; in the plane the third component is zero.
    pub fn wind(mut self, wind: [Formula; 3]) -> Self {
        self.wind = Some(wind);
        self
    }
}

impl Readable for Drag {
    const WORD: &'static str = "drag";
    const OUTPUTS: &'static [Output] = &[
        Output::both("x", Dims::new(1, 1, -2)),
        Output::both("y", Dims::new(1, 1, -2)),
        Output::space("z", Dims::new(1, 1, -2)),
        Output::both("speed", Dims::new(1, 0, -1)),
    ];
}

impl Element for Drag {
    fn check(&self, path: &str, on: &mut dyn Checks) {
        on.moving_body(&format!("{path}.body"), &self.body, "drag on `ground` moves nothing");
        if let Some(at) = &self.at {
            on.point_of(&format!("{path}.at"), at, &self.body);
        }
        on.number(&format!("{path}.coefficient"), self.coefficient, Sign::NotNegative);
        on.number(&format!("{path}.linear"), self.linear, Sign::NotNegative);
        if let Some(wind) = &self.wind {
            on.formulas(&format!("{path}.wind"), wind);
            if on.planar() && wind[2].is_constant() != Some(0.0) {
                on.error(format!("{path}.wind"), "the model is planar: there is no wind along z");
            }
        }
    }

    fn uses(&self) -> Vec<Use<'_>> {
        vec![Use::Body(&self.body)]
    }

    fn phase(&self) -> Phase {
        if self.wind.is_some() { Phase::Formulas } else { Phase::Simple }
    }

    fn symbol(&self) -> Option<Symbol<'_>> {
        Some(Symbol::Arrow { body: &self.body, at: self.at.as_deref() })
    }

    fn attach(&self, path: &str, _: usize, site: &mut dyn Site) -> Option<()> {
        let at = site.force_point(&self.body, self.at.as_ref())?;
        let wind = match &self.wind {
            None => None,
            Some(wind) => Some(site.vector(&format!("{path}.wind"), wind)?),
        };
        let (quadratic, linear, columns) = (self.coefficient, self.linear, site.columns());
        let law = Law { at, quadratic, linear, wind, columns };
        site.act(format!("drag.{}", self.name), Action::Drag(Box::new(law)));
        Some(())
    }
}
