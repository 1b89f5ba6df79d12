//! The interface of a method of integration, and the dispatch over all of them.

use super::control::{Evaluator, Failure, Weights};
use super::{Ends, Step, System};

/// Result of what a method does with a system.
pub(super) type Tried<S, T = ()> = Result<T, Failure<<S as System>::Error>>;

/// A method: how to get from (t, y) to (t + h, y⁺), how good that is, and what lies between.
///
/// The stepper around it repeats, projects, accepts and counts. A method keeps its buffers, and its history if it
/// has one; it is notified when a step was accepted and when everything begins again.
pub(super) trait Method {
    /// A step into `y_new`. Gives its error in units of the tolerance where the step has weights and it can, else 0.
    fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64>;

    /// Power of h that the tested error behaves like: the first step is chosen by it.
    fn order(&self) -> u32 {
        8
    }

    /// Nodes of a step at which f is evaluated, as parts of it and behind 0, if steps over passages are to be fitted to them; none to be left alone.
    fn nodes(&self) -> &'static [f64] {
        &[]
    }

    /// Whether components of a step depend on each other through f alone: systems that are stepped side by side then do not mix.
    fn is_componentwise(&self) -> bool {
        false
    }

    /// Start of a run: what errors are measured against from now on, also where no errors are tested.
    fn begin(&mut self, weights: &Weights) {
        let _ = weights;
    }

    /// Error of a trial that passed so far with `err`, for methods whose estimate needs the slope at the (projected) end.
    fn judge(&mut self, step: &Step, y_new: &[f64], dy_new: &[f64], weights: &Weights, err: f64) -> f64 {
        let _ = (step, y_new, dy_new, weights);
        err
    }

    /// Factor on the step after a trial with this error.
    fn factor(&self, err: f64) -> f64 {
        let _ = err;
        1.0
    }

    /// Size of the next step, if the method knows better than what is planned: a series shows its radius before any step.
    fn plan<S: System>(&mut self, f: &mut Evaluator<S>, start: &Step, planned: f64) -> Tried<S, f64> {
        let _ = (f, start);
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

    /// Approximate solution at the fraction `s` of a trial between `ends`, which may not be accepted: by no evaluation.
    fn sketch(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        cubic(ends, s, out);
    }

    /// Makes dense output of the accepted step between `ends` ready, which may take evaluations. Called before every [`Method::dense`].
    fn prepare_dense<S: System>(&mut self, f: &mut Evaluator<S>, ends: &Ends) -> Tried<S> {
        let _ = (f, ends);
        Ok(())
    }

    /// Solution at the fraction `s` of the accepted step between `ends`: the cubic through both ends, for methods that have nothing better.
    fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
        cubic(ends, s, out);
    }
}

/// Cubic through both end values with both end slopes (Hermite), with an error of order h⁴ that does not accumulate. At the fraction s of
/// the step, with d = y − y_old:
///
/// ```text
///   (M1)  y(s) = y_old + s d + s(s − 1) [(1 − 2s) d + (s − 1) h f_old + s h f]
/// ```
pub(super) fn cubic(ends: &Ends, s: f64, out: &mut [f64]) {
    let &Ends { h, y_old, dy_old, y, dy, .. } = ends;
    for i in 0..out.len() {
        let d = y[i] - y_old[i];
        let bend = (1.0 - 2.0 * s) * d + (s - 1.0) * h * dy_old[i] + s * h * dy[i];
        out[i] = y_old[i] + s * d + s * (s - 1.0) * bend;
    }
}

/// Straight line between the ends, at the fraction `s` of the step: dense output of methods of order 1.
pub(super) fn line(ends: &Ends, s: f64, out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = ends.y_old[i] + s * (ends.y[i] - ends.y_old[i]);
    }
}

/// Settings of a method that is chosen by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Local error of a step, relative to [`System::error_scale`].
    pub tolerance: f64,
    /// Size of steps that are given, s.
    pub step: f64,
    /// Whether steps have that size also in methods with error control.
    pub fixed: bool,
    /// Order, where a method has several: the highest one under error control.
    pub order: Option<usize>,
    /// Order of power series, for methods that sum them.
    pub series: usize,
    /// Part of an oscillation of infinite frequency that a step leaves, for methods that damp it.
    pub spectral_radius: f64,
}

/// Lists the methods, with the names that they are chosen by: `Type { "name": constructor, … }`.
///
/// `$d` is the dollar sign, for the macro that this one defines.
macro_rules! methods {
    ($d:tt $($method:ident { $($name:literal: $make:expr),* $(,)? })*) => {
        /// Every method there is.
        #[derive(Clone, Debug)]
        enum AnyMethod {
            $($method(Box<$method>),)*
        }

        /// Call of whichever method it is: a match, so that calls are direct.
        macro_rules! each {
            ($d method:expr, $d m:ident => $d call:expr) => {
                match $d method {
                    $(AnyMethod::$method($d m) => $d call,)*
                }
            };
        }

        $(impl From<$method> for AnyMethod {
            fn from(method: $method) -> Self {
                AnyMethod::$method(Box::new(method))
            }
        })*

        impl Keep for AnyMethod {
            fn keep(&self, to: &mut Vec<u8>) {
                let name = match self {
                    $(AnyMethod::$method(_) => stringify!($method),)*
                };
                name.to_string().keep(to);
                each!(self, m => m.keep(to));
            }
            fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
                let name = String::recalled(from)?;
                match self {
                    $(AnyMethod::$method(m) if name == stringify!($method) => m.recall(from),)*
                    _ => Err(Damaged),
                }
            }
        }

        impl Method for AnyMethod {
            fn trial<S: System>(&mut self, f: &mut Evaluator<S>, step: &Step, y_new: &mut [f64]) -> Tried<S, f64> {
                each!(self, m => m.trial(f, step, y_new))
            }
            fn order(&self) -> u32 {
                each!(self, m => m.order())
            }
            fn nodes(&self) -> &'static [f64] {
                each!(self, m => m.nodes())
            }
            fn is_componentwise(&self) -> bool {
                each!(self, m => m.is_componentwise())
            }
            fn begin(&mut self, weights: &Weights) {
                each!(self, m => m.begin(weights));
            }
            fn judge(&mut self, step: &Step, y_new: &[f64], dy_new: &[f64], weights: &Weights, err: f64) -> f64 {
                each!(self, m => m.judge(step, y_new, dy_new, weights, err))
            }
            fn factor(&self, err: f64) -> f64 {
                each!(self, m => m.factor(err))
            }
            fn plan<S: System>(&mut self, f: &mut Evaluator<S>, start: &Step, planned: f64) -> Tried<S, f64> {
                each!(self, m => m.plan(f, start, planned))
            }
            fn rates(&self) -> Option<&[f64]> {
                each!(self, m => m.rates())
            }
            fn effort(&self) -> f64 {
                each!(self, m => m.effort())
            }
            fn accept(&mut self, ends: &Ends) {
                each!(self, m => m.accept(ends));
            }
            fn restart(&mut self) {
                each!(self, m => m.restart());
            }
            fn sketch(&self, ends: &Ends, s: f64, out: &mut [f64]) {
                each!(self, m => m.sketch(ends, s, out));
            }
            fn prepare_dense<S: System>(&mut self, f: &mut Evaluator<S>, ends: &Ends) -> Tried<S> {
                each!(self, m => m.prepare_dense(f, ends))
            }
            fn dense(&self, ends: &Ends, s: f64, out: &mut [f64]) {
                each!(self, m => m.dense(ends, s, out));
            }
        }

        impl Stepper {
            /// Stepper of the method of this name for `n` components; `None` if there is no such method.
            ///
            /// # Panics
            /// If the tolerance or the step is not positive, or the order is not one of the method.
            pub fn named(name: &str, n: usize, options: &Options) -> Option<Self> {
                let make: fn(usize, &Options) -> Stepper = match name {
                    $($($name => $make,)*)*
                    _ => return None,
                };
                let stepper = make(n, options);
                Some(if options.fixed { stepper.with_step(options.step) } else { stepper })
            }
        }
    };
}
