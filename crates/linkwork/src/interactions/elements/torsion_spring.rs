//! A torsion spring with a damper in parallel, on an angle between two bodies. Its law is [`Along`]; a positive moment makes the angle smaller.

#[cfg(feature = "file")]
use super::acts_on::AngleKeys;
use super::checks::{Checks, Sign};
use super::site::Site;
use super::{ActsOn, Along, Element, Output, Phase, Readable, Use};
use crate::error::Fault;
use crate::expressions::Formula;
use crate::expressions::units::Dims;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::interactions::Action;

keys! {
    /// A torsion spring with a damper in parallel, between two bodies about an axis or on a joint. What is given adds up.
    TorsionSpring(name) {
        /// The angle that it works on.
        of: ActsOn => group AngleKeys,
        /// Stiffness, N m/rad.
        stiffness: f64 => default TurnStiffness = 0.0,
        /// Damping, N m s/rad.
        damping: f64 => default TurnDamping = 0.0,
        /// Angle without moment, rad; as assembled if left out.
        free_angle: Option<f64> => optional Angle,
        /// Moment in N m as an expression of `angle` and `rate`; positive where it makes the angle smaller.
        law: Option<Formula> => optional FormulaOf<2, 1, -2, OfAngle>,
        /// Name of a table of moment over the angle less the free angle.
        table: Option<String> => optional String,
        /// Moment that is always there, N m; positive where it makes the angle smaller.
        preload: f64 => default Si<2, 1, -2> = 0.0,
    }
}

impl TorsionSpring {
    /// A torsion spring without damping.
    pub fn new(name: impl Into<String>, of: ActsOn, stiffness: f64) -> Self {
        let name = name.into();
        let (damping, preload) = (0.0, 0.0);
        TorsionSpring { name, of, stiffness, damping, free_angle: None, law: None, table: None, preload }
    }
    /// Sets the damping, N m s/rad.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }
    /// Sets the angle without moment, rad.
    pub fn free_angle(mut self, angle: f64) -> Self {
        self.free_angle = Some(angle);
        self
    }
    /// Adds a moment, N m, that is a formula of `angle` and `rate`.
    pub fn law(mut self, law: impl Into<Formula>) -> Self {
        self.law = Some(law.into());
        self
    }
    /// Adds a moment, N m, that a table gives over the angle beyond the free one, rad.
    pub fn table(mut self, table: impl Into<String>) -> Self {
        self.table = Some(table.into());
        self
    }
    /// Adds a constant moment, N m.
    pub fn preload(mut self, preload: f64) -> Self {
        self.preload = preload;
        self
    }
}

#[cfg(feature = "file")]
impl Rules for TorsionSpring {
    fn judge(&mut self, given: Given<'_>, reader: &mut Reader<'_>) {
        if !given.any(&super::spring::DOES) {
            let help = "stiffness in N m/rad, damping in N m s/rad; or a `law`, a `table`, a `preload`";
            reader.refuse("", "a torsion spring needs a `stiffness` or a `damping`", help);
        }
    }

    fn written(&self, entry: Entry, _: &Context<'_>) -> Entry {
        super::spring::with_something(entry, self.stiffness, "N m/rad")
    }
}

impl Readable for TorsionSpring {
    const WORD: &'static str = "torsion_spring";
    const OUTPUTS: &'static [Output] = &[
        Output::both("angle", Dims::NONE),
        Output::both("rate", Dims::new(0, 0, -1)),
        Output::both("moment", Dims::new(2, 1, -2)),
    ];
}

impl Element for TorsionSpring {
    fn check(&self, path: &str, on: &mut dyn Checks) {
        if matches!(self.of, ActsOn::Between(_)) {
            on.error(path, "a torsion spring needs an angle, the distance of two points is none");
        }
        self.of.check(path, ["bodies[0]", "bodies[1]"], on);
        on.number(&format!("{path}.stiffness"), self.stiffness, Sign::NotNegative);
        on.number(&format!("{path}.damping"), self.damping, Sign::NotNegative);
        if let Some(angle) = self.free_angle {
            on.sizes(&format!("{path}.free_angle"), "the free angle", &[angle]);
        }
        on.sizes(&format!("{path}.preload"), "the preload", &[self.preload]);
        if let Some(law) = &self.law {
            on.formula(&format!("{path}.law"), law, &["angle", "rate"]);
        }
        on.table_named(&format!("{path}.table"), self.table.as_deref());
    }

    fn uses(&self) -> Vec<Use<'_>> {
        self.of.uses()
    }

    fn phase(&self) -> Phase {
        if self.law.is_some() { Phase::Formulas } else { Phase::Simple }
    }

    fn attach(&self, path: &str, _: usize, site: &mut dyn Site) -> Option<()> {
        let coordinate = self.of.attach(path, site)?;
        if !site.gauges()[coordinate.gauge].is_angle() {
            let message = "this coordinate is a path, a torsion spring needs an angle";
            let help = "use the joint's own `stiffness` and `damping`, or another `coordinate`";
            site.fault(Fault::error(format!("{path}.joint"), message).help(help));
            return None;
        }
        let tension = match &self.law {
            None => None,
            Some(law) => Some(site.bind(&format!("{path}.law"), law, &["angle", "rate"])?),
        };
        let along = Along {
            terms: vec![(coordinate.gauge, coordinate.factor)],
            stiffness: self.stiffness,
            damping: self.damping,
            rest: self.free_angle.unwrap_or(f64::NAN), // set once assembled
            preload: self.preload,
            curve: self.table.as_ref().and_then(|table| site.table(table)),
            tension,
            ..Default::default()
        };
        site.act(format!("torsion_spring.{}", self.name), Action::Along(Box::new(along)));
        Some(())
    }
}
