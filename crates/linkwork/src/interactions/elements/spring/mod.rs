//! A spring with a damper in parallel, between two points; a positive force pulls them together. A linear one is a [`Law`] of its own, the others are [`Along`], on the
//! distance.

mod law;

pub use law::Spring as Law;

use super::checks::{Checks, Sign};
use super::site::Site;
use super::{Along, Element, Line, Output, Phase, Readable, Symbol, Use};
use crate::expressions::Formula;
use crate::expressions::units::Dims;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;
use crate::interactions::{Action, CoordinateFunction};

keys! {
    /// A spring with a damper in parallel, between two points. What is given adds up.
    Spring(name) {
        /// The two points. At a point that several bodies share the force acts on the ground if it holds the point, else on the first of them.
        between: [String; 2] => required Two,
        /// Stiffness, N/m.
        stiffness: f64 => default Stiffness = 0.0,
        /// Damping, N s/m.
        damping: f64 => default Damping = 0.0,
        /// Length without force, m; the drawn distance if left out.
        free_length: Option<f64> => optional Length,
        /// Tension in N as an expression of `length` and `rate`.
        law: Option<Formula> => optional FormulaOf<1, 1, -2, OfLength>,
        /// Name of a table of tension over elongation (length less free length).
        table: Option<String> => optional String,
        /// A rope: no force while shorter than the free length, and it never pushes.
        tension_only: bool => default bool = false,
        /// Tension that is always there, N.
        preload: f64 => default Si<1, 1, -2> = 0.0,
    }
}

/// Keys of which one must be there: what a spring does.
#[cfg(feature = "file")]
pub(super) const DOES: [&str; 5] = ["stiffness", "damping", "law", "table", "preload"];

/// Adds the stiffness, zero as it is, where nothing else says what a spring does.
#[cfg(feature = "file")]
pub(super) fn with_something(entry: Entry, stiffness: f64, unit: &'static str) -> Entry {
    match DOES.iter().any(|key| entry.get(key).is_some()) {
        true => entry,
        false => entry.set("stiffness", Item::Quantity(stiffness, unit)),
    }
}

impl Spring {
    /// A spring without damping.
    pub fn new(name: impl Into<String>, between: [&str; 2], stiffness: f64) -> Self {
        Spring {
            name: name.into(),
            between: between.map(Into::into),
            stiffness,
            damping: 0.0,
            free_length: None,
            law: None,
            table: None,
            tension_only: false,
            preload: 0.0,
        }
    }
    /// Sets the damping, N s/m.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }
    /// Sets the length without force, m.
    pub fn free_length(mut self, length: f64) -> Self {
        self.free_length = Some(length);
        self
    }
    /// Adds a tension, N, that is a formula of `length` and `rate`.
    pub fn law(mut self, law: impl Into<Formula>) -> Self {
        self.law = Some(law.into());
        self
    }
    /// Adds a tension, N, that a table gives over the elongation, m.
    pub fn table(mut self, table: impl Into<String>) -> Self {
        self.table = Some(table.into());
        self
    }
    /// Makes it a rope.
    pub fn tension_only(mut self) -> Self {
        self.tension_only = true;
        self
    }
    /// Adds a constant tension, N.
    pub fn preload(mut self, preload: f64) -> Self {
        self.preload = preload;
        self
    }
    /// Whether it is linear and nothing else.
    pub fn is_plain(&self) -> bool {
        self.law.is_none() && self.table.is_none() && !self.tension_only && self.preload == 0.0
    }
}

#[cfg(feature = "file")]
impl Rules for Spring {
    fn judge(&mut self, given: Given<'_>, reader: &mut Reader<'_>) {
        if !given.any(&DOES) {
            let help = "stiffness in N/m, damping in N s/m; or a `law`, a `table`, a `preload`";
            reader.refuse("", "a spring needs a `stiffness` or a `damping`", help);
        }
    }

    fn written(&self, entry: Entry, _: &Context<'_>) -> Entry {
        with_something(entry, self.stiffness, "N/m")
    }
}

impl Readable for Spring {
    const WORD: &'static str = "spring";
    const OUTPUTS: &'static [Output] = &[
        Output::both("length", Dims::new(1, 0, 0)),
        Output::both("rate", Dims::new(1, 0, -1)),
        Output::both("force", Dims::new(1, 1, -2)),
    ];
}

impl Element for Spring {
    fn check(&self, path: &str, on: &mut dyn Checks) {
        for (i, name) in self.between.iter().enumerate() {
            on.point(&format!("{path}.between[{i}]"), name);
        }
        let [p, q] = &self.between;
        if p == q {
            on.error(format!("{path}.between"), format!("a spring needs two points, this has `{p}` twice"));
        }
        on.number(&format!("{path}.stiffness"), self.stiffness, Sign::NotNegative);
        on.number(&format!("{path}.damping"), self.damping, Sign::NotNegative);
        if let Some(length) = self.free_length {
            on.number(&format!("{path}.free_length"), length, Sign::NotNegative);
        }
        on.sizes(&format!("{path}.preload"), "the preload", &[self.preload]);
        if let Some(law) = &self.law {
            on.formula(&format!("{path}.law"), law, &["length", "rate"]);
        }
        on.table_named(&format!("{path}.table"), self.table.as_deref());
    }

    fn uses(&self) -> Vec<Use<'_>> {
        self.between.iter().map(|point| Use::Point(point)).collect()
    }

    fn phase(&self) -> Phase {
        match self.law.is_some() {
            true => Phase::Formulas,
            false if self.is_plain() => Phase::Linear,
            false => Phase::Simple,
        }
    }

    fn symbol(&self) -> Option<Symbol<'_>> {
        let elastic =
            self.stiffness > 0.0 || self.table.is_some() || self.law.is_some() || self.preload != 0.0;
        let look = match (self.tension_only, elastic, self.damping > 0.0) {
            (true, ..) => Line::Rope,
            (false, false, true) => Line::Damper,
            (false, true, true) => Line::CoilAndDamper,
            _ => Line::Coil,
        };
        Some(Symbol::Line { look, ends: &self.between })
    }

    fn attach(&self, path: &str, _: usize, site: &mut dyn Site) -> Option<()> {
        let [p, q] = &self.between;
        let (from, to) = (site.point(p)?, site.point(q)?);
        let name = format!("spring.{}", self.name);
        let (stiffness, damping, preload) = (self.stiffness, self.damping, self.preload);
        let free_length = self.free_length.unwrap_or(f64::NAN); // set once assembled
        if self.is_plain() {
            site.connect(name, [p, q], Law { ends: [from, to], stiffness, damping, free_length });
            return Some(());
        }
        let tension = match &self.law {
            None => None,
            Some(law) => Some(site.bind(&format!("{path}.law"), law, &["length", "rate"])?),
        };
        let gauge = site.gauge(CoordinateFunction::Distance { from, to });
        let along = Along {
            terms: vec![(gauge, 1.0)],
            stiffness,
            damping,
            rest: free_length,
            preload,
            curve: self.table.as_ref().and_then(|table| site.table(table)),
            tension,
            only_pulls: self.tension_only,
            ..Default::default()
        };
        site.act(name, Action::Along(Box::new(along)));
        Some(())
    }
}
