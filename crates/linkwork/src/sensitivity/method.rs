//! The ways to take derivatives.

use super::{Sensitivities, SensitivityError, Study};
use std::fmt;
use std::str::FromStr;

/// A way to take derivatives of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// [`Adjoint`](Self::Adjoint) where there are far more variables than quantities, otherwise [`Direct`](Self::Direct); [`Differences`](Self::Differences) where these refuse.
    Auto,
    /// Differences of runs that repeat the steps and events of the nominal one.
    #[default]
    Differences,
    /// The variational equation, integrated along with the motion.
    Direct,
    /// Power series in time with their derivatives, exact to rounding.
    Jets,
    /// The discrete adjoint, over checkpoints.
    Adjoint,
}

impl Method {
    /// Every way.
    pub const ALL: [Method; 5] =
        [Method::Auto, Method::Differences, Method::Direct, Method::Jets, Method::Adjoint];

    /// Its name in the command and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Differences => "differences",
            Method::Direct => "direct",
            Method::Jets => "jets",
            Method::Adjoint => "adjoint",
        }
    }

    /// What a sentence calls it.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Method::Auto => "derivatives",
            Method::Differences => "differences",
            Method::Direct => "direct differentiation",
            Method::Jets => "jets",
            Method::Adjoint => "the adjoint",
        }
    }

    pub(super) fn is_plural(self) -> bool {
        !matches!(self, Method::Direct | Method::Adjoint)
    }

    /// What to do where it ends.
    pub(super) fn instead(self) -> &'static str {
        match self {
            Method::Jets | Method::Adjoint => "take direct differentiation or differences",
            _ => "take differences",
        }
    }
}

/// The adjoint is the cheaper one for more variables than this, and so many more for each quantity.
const MANY: usize = 24;

impl Study<'_> {
    /// Derivatives in a way.
    ///
    /// # Errors
    /// As [`Study::differences`], [`Study::direct`], [`Study::jets`] and [`Study::adjoint`]; with [`Method::Auto`] only those of the nominal run and of differences.
    pub fn derivatives(&self, method: Method) -> Result<Sensitivities, SensitivityError> {
        match method {
            Method::Auto => self.best(),
            Method::Differences => self.differences(),
            Method::Direct => self.direct(),
            Method::Jets => self.jets(),
            Method::Adjoint => self.adjoint(),
        }
    }

    /// The cheapest way that there is for the model.
    fn best(&self) -> Result<Sensitivities, SensitivityError> {
        let many = self.designs.len() > MANY * self.quantities.len();
        let ways = if many { &[Method::Adjoint, Method::Direct][..] } else { &[Method::Direct] };
        let mut notes = Vec::new();
        for &way in ways {
            match self.derivatives(way) {
                Err(error @ SensitivityError::Refused { .. }) => notes.push(error.to_string()),
                found => return found,
            }
        }
        let mut found = self.differences()?;
        found.notes.extend(notes);
        Ok(found)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Method::ALL.into_iter().find(|method| method.name() == text).ok_or_else(|| {
            let names = Method::ALL.map(Method::name).join(", ");
            format!("there is no method `{text}`: take one of {names}")
        })
    }
}
