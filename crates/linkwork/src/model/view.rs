//! What pictures and pages of a mechanism show at first: from where one looks, what is followed, traces, plots, names, the floor.

use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;

/// A direction from where one looks, for mechanisms in space.
///
/// Directions are given by an azimuth, the angle of the eye about the vertical (against gravity) from x, or where that is vertical from y, and an elevation above the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Camera {
    /// Azimuth −90°, level: x to the right.
    Front,
    /// Straight from above, x to the right.
    Top,
    /// Azimuth 0, level: y to the right.
    Side,
    /// Azimuth −45°; all three axes are equally long.
    Iso,
}

impl Camera {
    /// All of them.
    pub const ALL: [Camera; 4] = [Camera::Front, Camera::Top, Camera::Side, Camera::Iso];

    /// The name in the model file.
    pub fn name(self) -> &'static str {
        match self {
            Camera::Front => "front",
            Camera::Top => "top",
            Camera::Side => "side",
            Camera::Iso => "iso",
        }
    }

    /// Azimuth and elevation, rad.
    pub fn angles(self) -> [f64; 2] {
        use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
        match self {
            Camera::Front => [-FRAC_PI_2, 0.0],
            Camera::Top => [-FRAC_PI_2, FRAC_PI_2],
            Camera::Side => [0.0, 0.0],
            Camera::Iso => [-FRAC_PI_4, std::f64::consts::FRAC_1_SQRT_2.atan()],
        }
    }
}

keys! {
    /// What pictures and pages show at first.
    View {
        /// In space: from where one looks, `front`, `top`, `side` or `iso`.
        camera: Option<Camera> => optional Choice<Camera>,
        /// In space: angle of the eye about the vertical, from x (front is -90 deg), rad; instead of `camera`.
        azimuth: Option<f64> => optional Angle,
        /// In space: angle of the eye above the floor, rad; instead of `camera`.
        elevation: Option<f64> => optional Angle,
        /// The body that the picture goes along with; `ground` if with none. If left out, one of a mechanism that travels far.
        follow: Option<String> => optional String,
        /// Points whose paths are drawn.
        traces: Vec<String> => default Vec<String> = Vec::new(),
        /// Plots of the page: each text has the columns of one, separated by spaces, in which `*` stands for any letters; as the page finds sensible if left out.
        plots: Vec<String> => default Vec<String> = Vec::new(),
        /// Whether points have their names.
        labels: bool => default bool = false,
        /// In space: how high the floor lies, m, against gravity from the origin; if left out at the level of what stands on it.
        floor: Option<f64> => optional Length,
    }
}

#[allow(clippy::derivable_impls, reason = "the list of keys makes the struct")]
impl Default for View {
    fn default() -> Self {
        View {
            camera: None,
            azimuth: None,
            elevation: None,
            follow: None,
            traces: Vec::new(),
            plots: Vec::new(),
            labels: false,
            floor: None,
        }
    }
}

impl View {
    /// Azimuth and elevation, rad, of one that is given; what is left out of the two is 0.
    pub fn direction(&self) -> Option<[f64; 2]> {
        let said = self.azimuth.is_some() || self.elevation.is_some();
        let angles = || [self.azimuth.unwrap_or(0.0), self.elevation.unwrap_or(0.0)];
        self.camera.map(Camera::angles).or_else(|| said.then(angles))
    }
}

#[cfg(feature = "file")]
mod file {
    use super::{Camera, View};
    use crate::file::prelude::*;

    part!(View);

    impl Rules for View {
        fn judge(&mut self, given: Given<'_>, reader: &mut Reader<'_>) {
            if given.has("camera") && given.any(&["azimuth", "elevation"]) {
                let message = "a view has a `camera`, or `azimuth` and `elevation`";
                reader.refuse(".camera", message, "remove one of them");
            }
        }
    }

    named_choices!(Camera, "view");
}
