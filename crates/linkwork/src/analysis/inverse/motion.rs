//! Motions: coordinates of a mechanism over a time, as measured or computed.
//!
//! Rates and accelerations are exact derivatives of splines, never differences of data: a quintic spline near the samples, with a stated cut-off, or one through them.

use crate::Error;
use crate::expressions::{Extend, Interpolation, Table};

/// What to do with the samples of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    /// A quintic spline goes through the samples: for motions that were computed.
    Through,
    /// A quintic smoothing spline goes near the samples, with half the power left at this cut-off frequency, Hz: for motions that were measured.
    Cutoff(f64),
}

/// A motion of a mechanism: coordinates of it over a time.
///
/// ```
/// use linkwork::analysis::inverse::{Motion, Smoothing};
/// let t: Vec<f64> = (0..100).map(|i| 0.01 * f64::from(i)).collect();
/// let angle: Vec<f64> = t.iter().map(|t| (3.0 * t).sin()).collect();
/// let motion = Motion::new(t, Smoothing::Through)?.prescribe("joint.hip.q", &angle)?;
/// assert_eq!(motion.coordinates().collect::<Vec<_>>(), ["joint.hip.q"]);
/// # Ok::<(), linkwork::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Motion {
    times: Vec<f64>,
    smoothing: Smoothing,
    courses: Vec<Course>,
    /// The line of a file that each sample comes from.
    pub(super) lines: Vec<usize>,
}

/// A coordinate over time.
#[derive(Clone, Debug)]
struct Course {
    of: String,
    curve: Curve,
}

#[derive(Clone, Debug)]
enum Curve {
    Spline(Table),
    /// Values, rates and accelerations at the samples.
    Given([Vec<f64>; 3]),
}

/// Value, rate and acceleration.
pub(super) type Demand = [f64; 3];

impl Motion {
    /// A motion without coordinates over these times, s, which ascend.
    ///
    /// # Errors
    /// [`Error::Motion`] if the times are fewer than two, not finite or do not ascend, or a cut-off frequency cannot be one.
    pub fn new(times: impl Into<Vec<f64>>, smoothing: Smoothing) -> Result<Self, Error> {
        let motion = Motion { times: times.into(), smoothing, courses: Vec::new(), lines: Vec::new() };
        motion.check_times()?;
        Ok(motion)
    }

    #[cfg(feature = "file")]
    pub(super) fn of_lines(times: Vec<f64>, smoothing: Smoothing, lines: Vec<usize>) -> Result<Self, Error> {
        let motion = Motion { times, smoothing, courses: Vec::new(), lines };
        motion.check_times()?;
        Ok(motion)
    }

    /// Where a sample stands, for people.
    fn place(&self, i: usize) -> String {
        self.lines.get(i).map_or_else(|| format!("sample {i}"), |line| format!("line {line}"))
    }

    fn check_times(&self) -> Result<(), Error> {
        let t = &self.times;
        if t.len() < 2 {
            let n = t.len();
            return Err(Error::Motion(format!("a motion needs two samples at least, there are {n}")));
        }
        if let Some(i) = t.iter().position(|t| !t.is_finite()) {
            return Err(Error::Motion(format!("{}: the time {} is not finite", self.place(i), t[i])));
        }
        if let Some(i) = (1..t.len()).find(|&i| t[i] <= t[i - 1]) {
            let (place, now, before) = (self.place(i), t[i], t[i - 1]);
            let message = format!(
                "{place}: the times of a motion must ascend, but {now} s follows {before} s; a run writes two rows of one time where something happens: leave one of them out"
            );
            return Err(Error::Motion(message));
        }
        Ok(())
    }

    /// Prescribes a coordinate by its samples, rad or m: an expression of positions, such as `joint.hip.q`, `point.P.x`, `body.tool.angle` or the name of a measure.
    ///
    /// # Errors
    /// [`Error::Motion`] if there are not as many samples as times, or no spline can be made of them.
    pub fn prescribe(mut self, of: impl Into<String>, values: &[f64]) -> Result<Self, Error> {
        let of = of.into();
        self.fits(&of, values)?;
        let table = match self.smoothing {
            Smoothing::Through => Table::new(&self.times[..], values, Interpolation::Quintic, Extend::Error),
            Smoothing::Cutoff(cutoff) => Table::smoothed(&self.times[..], values, cutoff, Extend::Error),
        };
        let table = table.map_err(|error| {
            let place = error.index.map_or(String::new(), |i| format!("{}, ", self.place(i)));
            Error::Motion(format!("{place}`{of}`: {}", error.message))
        })?;
        self.courses.push(Course { of, curve: Curve::Spline(table) });
        Ok(self)
    }

    /// Prescribes a coordinate by its samples and their first and second derivatives, where these are known: nothing is interpolated then, and forces are found at the samples.
    ///
    /// # Errors
    /// [`Error::Motion`] if there are not as many of each as times.
    pub fn prescribe_with_derivatives(
        mut self,
        of: impl Into<String>,
        values: &[f64],
        rates: &[f64],
        accelerations: &[f64],
    ) -> Result<Self, Error> {
        let of = of.into();
        for list in [values, rates, accelerations] {
            self.fits(&of, list)?;
        }
        let given = [values.to_vec(), rates.to_vec(), accelerations.to_vec()];
        self.courses.push(Course { of, curve: Curve::Given(given) });
        Ok(self)
    }

    fn fits(&self, of: &str, list: &[f64]) -> Result<(), Error> {
        if list.len() != self.times.len() {
            let (n, times) = (list.len(), self.times.len());
            return Err(Error::Motion(format!("`{of}` has {n} samples, there are {times} times")));
        }
        if let Some(i) = list.iter().position(|x| !x.is_finite()) {
            return Err(Error::Motion(format!(
                "{}: `{of}` is {}, not a finite number",
                self.place(i),
                list[i]
            )));
        }
        match self.courses.iter().any(|course| course.of == of) {
            true => Err(Error::Motion(format!("`{of}` is prescribed twice"))),
            false => Ok(()),
        }
    }

    /// The times of the samples, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// What is done with the samples.
    pub fn smoothing(&self) -> Smoothing {
        self.smoothing
    }

    /// The coordinates that are prescribed.
    pub fn coordinates(&self) -> impl Iterator<Item = &str> {
        self.courses.iter().map(|course| course.of.as_str())
    }

    /// Whether all of it is known at the samples only.
    pub(super) fn only_at_samples(&self) -> bool {
        self.courses.iter().any(|course| matches!(course.curve, Curve::Given(_)))
    }

    /// What is prescribed at a time within the samples.
    pub(super) fn at(&self, t: f64) -> Vec<Demand> {
        self.courses.iter().map(|course| course.curve.at(&self.times, t)).collect()
    }
}

impl Curve {
    fn at(&self, times: &[f64], t: f64) -> Demand {
        match self {
            Curve::Spline(table) => table.eval(t).unwrap_or([f64::NAN; 3]),
            Curve::Given([x, v, a]) => {
                let i = times.partition_point(|known| *known <= t).clamp(1, times.len() - 1);
                if t == times[i - 1] {
                    return [x[i - 1], v[i - 1], a[i - 1]];
                }
                if t == times[i] {
                    return [x[i], v[i], a[i]];
                }
                // only on the way to the next sample: the cubic with these values and rates
                let (h, s) = (times[i] - times[i - 1], (t - times[i - 1]) / (times[i] - times[i - 1]));
                let (near, far) = (1.0 - s, s);
                let value = near * near * (1.0 + 2.0 * s) * x[i - 1]
                    + far * far * (3.0 - 2.0 * s) * x[i]
                    + h * s * near * (near * v[i - 1] - far * v[i]);
                [value, near * v[i - 1] + far * v[i], near * a[i - 1] + far * a[i]]
            }
        }
    }
}
