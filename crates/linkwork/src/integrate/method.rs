//! What a method of integration has to offer, and the list of all.

use super::bdf::Bdf;
use super::control::{Evaluator, Failure, Weights};
use super::dop853::Dop853;
use super::dopri5::Dopri5;
use super::euler::Euler;
use super::index3::Index3;
use super::radau5::Radau5;
use super::rattle::Rattle;
use super::rk4::Rk4;
use super::semi_implicit_euler::SemiImplicitEuler;
use super::taylor::Taylor;
use super::{Ends, Step, System};
use crate::keep::{Bytes, Damaged, Keep};

/// A method: how to get from (t, y) to (t + h, y⁺), how good that is, and what lies between.
///
/// The stepper around it repeats, projects, accepts and counts. A method keeps its buffers, and its history if it
/// has one; it is reported when a step was accepted and when everything begins again.
pub(super) trait Method {
    /// A step into `y_new`. Tells its error in units of the tolerance where weights are given and it can, else 0.
    fn trial<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        step: &Step,
        weights: Option<&Weights>,
        y_new: &mut [f64],
    ) -> Result<f64, Failure<S::Error>>;

    /// The power of h that the tested error behaves like: what the first step is chosen by.
    fn order(&self) -> u32 {
        8
    }

    /// Where in a step f is evaluated, as parts of it and behind 0, if steps over passages are to be fitted to that; none to be left alone.
    fn nodes(&self) -> &'static [f64] {
        &[]
    }

    /// A run begins: what errors are measured against from now on, also where no errors are tested.
    fn begin(&mut self, weights: &Weights) {
        let _ = weights;
    }

    /// The error of a trial that passed so far with `err`, where it takes the slope at the (projected) end to tell.
    fn judge(&mut self, step: &Step, y_new: &[f64], dy_new: &[f64], weights: &Weights, err: f64) -> f64 {
        let _ = (step, y_new, dy_new, weights);
        err
    }

    /// By what to multiply the step after a trial with this error.
    fn factor(&self, err: f64) -> f64 {
        let _ = err;
        1.0
    }

    /// The size of the next step, if it knows better than what is planned: a series shows its radius before any step.
    fn plan<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        start: &Step,
        weights: &Weights,
        planned: f64,
    ) -> Result<f64, Failure<S::Error>> {
        let _ = (f, start, weights);
        Ok(planned)
    }

    /// y' at the end of the last trial, if the method knows it: then the end is on the invariants as well, and the stepper
    /// neither projects nor evaluates.
    fn rates(&self) -> Option<&[f64]> {
        None
    }

    /// Floating-point operations of linear algebra so far, where steps are implicit.
    fn effort(&self) -> f64 {
        0.0
    }

    /// The step was accepted; the end may have been projected.
    fn accept(&mut self, ends: &Ends) {
        let _ = ends;
    }

    /// The run begins, or goes on from another state: nothing before counts.
    fn restart(&mut self) {}

    /// About the solution at the fraction `s` of a trial between `ends`, which may not be accepted: by no evaluation.
    fn sketch(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        super::inspect::hermite(ends, s, out);
    }

    /// The solution at the fraction `s` of the step between `ends`.
    fn interpolate<S: System>(
        &mut self,
        f: &mut Evaluator<S>,
        ends: &Ends,
        s: f64,
        out: &mut [f64],
    ) -> Result<(), Failure<S::Error>>;
}

macro_rules! methods {
    ($($name:ident),* $(,)?) => {
        /// Every method there is.
        #[derive(Clone, Debug)]
        pub(super) enum AnyMethod {
            $($name(Box<$name>),)*
        }

        $(impl From<$name> for AnyMethod {
            fn from(method: $name) -> Self {
                AnyMethod::$name(Box::new(method))
            }
        })*

        impl Keep for AnyMethod {
            fn keep(&self, to: &mut Vec<u8>) {
                match self {
                    $(AnyMethod::$name(m) => {
                        stringify!($name).to_string().keep(to);
                        m.keep(to);
                    })*
                }
            }
            fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
                let name = String::recalled(from)?;
                match self {
                    $(AnyMethod::$name(m) if name == stringify!($name) => m.recall(from),)*
                    _ => Err(Damaged),
                }
            }
        }

        impl Method for AnyMethod {
            fn trial<S: System>(
                &mut self,
                f: &mut Evaluator<S>,
                step: &Step,
                weights: Option<&Weights>,
                y_new: &mut [f64],
            ) -> Result<f64, Failure<S::Error>> {
                match self {
                    $(AnyMethod::$name(m) => m.trial(f, step, weights, y_new),)*
                }
            }

            fn order(&self) -> u32 {
                match self {
                    $(AnyMethod::$name(m) => m.order(),)*
                }
            }

            fn nodes(&self) -> &'static [f64] {
                match self {
                    $(AnyMethod::$name(m) => m.nodes(),)*
                }
            }

            fn begin(&mut self, weights: &Weights) {
                match self {
                    $(AnyMethod::$name(m) => m.begin(weights),)*
                }
            }

            fn judge(&mut self, step: &Step, y_new: &[f64], dy_new: &[f64], weights: &Weights, err: f64) -> f64 {
                match self {
                    $(AnyMethod::$name(m) => m.judge(step, y_new, dy_new, weights, err),)*
                }
            }

            fn factor(&self, err: f64) -> f64 {
                match self {
                    $(AnyMethod::$name(m) => m.factor(err),)*
                }
            }

            fn plan<S: System>(
                &mut self,
                f: &mut Evaluator<S>,
                start: &Step,
                weights: &Weights,
                planned: f64,
            ) -> Result<f64, Failure<S::Error>> {
                match self {
                    $(AnyMethod::$name(m) => m.plan(f, start, weights, planned),)*
                }
            }

            fn rates(&self) -> Option<&[f64]> {
                match self {
                    $(AnyMethod::$name(m) => m.rates(),)*
                }
            }

            fn effort(&self) -> f64 {
                match self {
                    $(AnyMethod::$name(m) => m.effort(),)*
                }
            }

            fn sketch(&self, ends: &Ends, s: f64, out: &mut [f64]) {
                match self {
                    $(AnyMethod::$name(m) => m.sketch(ends, s, out),)*
                }
            }

            fn accept(&mut self, ends: &Ends) {
                match self {
                    $(AnyMethod::$name(m) => m.accept(ends),)*
                }
            }

            fn restart(&mut self) {
                match self {
                    $(AnyMethod::$name(m) => m.restart(),)*
                }
            }

            fn interpolate<S: System>(
                &mut self,
                f: &mut Evaluator<S>,
                ends: &Ends,
                s: f64,
                out: &mut [f64],
            ) -> Result<(), Failure<S::Error>> {
                match self {
                    $(AnyMethod::$name(m) => m.interpolate(f, ends, s, out),)*
                }
            }
        }
    };
}

methods! {
    Dop853,
    Rk4,
    Euler,
    Index3,
    Rattle,
    Bdf,
    Taylor,
    Dopri5,
    Radau5,
    SemiImplicitEuler,
}
