//! Quantities that belong to a coordinate of a joint: their dimension depends on whether it is a path or an angle.

use super::decode::Reader;
use crate::error::Fault;
use crate::expressions::quantity::State;
use crate::expressions::units::Dims;

/// The dimensions along a path and about an axis.
pub(crate) type PathOrAngle = [Dims; 2];

pub(crate) const COORDINATE: PathOrAngle = [Dims::new(1, 0, 0), Dims::NONE];
pub(crate) const RATE: PathOrAngle = [Dims::new(1, 0, -1), Dims::new(0, 0, -1)];
pub(crate) const FORCE: PathOrAngle = [Dims::new(1, 1, -2), Dims::new(2, 1, -2)];
pub(crate) const INERTIA: PathOrAngle = [Dims::new(0, 1, 0), Dims::new(2, 1, 0)];
pub(crate) const STIFFNESS: PathOrAngle = [Dims::new(0, 1, -2), Dims::new(2, 1, -2)];
pub(crate) const DAMPING: PathOrAngle = [Dims::new(0, 1, -1), Dims::new(2, 1, -1)];
pub(crate) const INTEGRAL: PathOrAngle = [Dims::new(0, 1, -3), Dims::new(2, 1, -3)];

impl Reader<'_> {
    /// Reports a dimension that does not fit; `turns` says whether the coordinate is an angle, if that is known.
    pub fn fits_coordinate(
        &mut self,
        path: &str,
        found: State,
        turns: Option<bool>,
        [path_dims, angle_dims]: PathOrAngle,
    ) {
        let Some(dims) = found.measured() else { return };
        let expected = match turns {
            Some(true) => vec![angle_dims],
            Some(false) => vec![path_dims],
            None => vec![path_dims, angle_dims],
        };
        if !expected.contains(&dims) {
            let help = self.said(path).and_then(|text| self.misfit(text, found, &expected));
            let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
            let message = format!("expected {}, found {dims}", expected.join(" or "));
            self.push(Fault { help, ..Fault::error(path, message) });
        }
    }

    /// The same for a key of the item being decoded, as far as its dimension was noted.
    pub fn key_fits(&mut self, key: &str, turns: Option<bool>, dims: PathOrAngle) {
        let path = format!("{}.{key}", self.path());
        if let Some(&state) = self.states.get(&path) {
            self.fits_coordinate(&path, state, turns, dims);
        }
    }
}
