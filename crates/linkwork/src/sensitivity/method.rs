//! The ways to take derivatives.

use std::fmt;
use std::str::FromStr;

/// A way to take derivatives of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// [`Direct`](Self::Direct) or [`Adjoint`](Self::Adjoint), by the number of variables and quantities.
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
