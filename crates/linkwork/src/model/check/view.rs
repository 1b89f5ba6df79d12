//! What pictures show at first.

use super::{Checker, Checks};
use crate::model::Fault;

impl Checker<'_> {
    pub(super) fn view(&mut self) {
        let view = &self.model.view;
        if let Some(body) = &view.follow {
            self.body("view.follow", body);
        }
        for (i, point) in view.traces.iter().enumerate() {
            self.point(&format!("view.traces[{i}]"), point);
        }
        for (key, value) in [("azimuth", view.azimuth), ("elevation", view.elevation), ("floor", view.floor)]
        {
            if let Some(value) = value {
                self.sizes(&format!("view.{key}"), "number", &[value]);
            }
        }
        if view.elevation.is_some_and(|angle| angle.abs() > std::f64::consts::FRAC_PI_2 + 1e-12) {
            self.error("view.elevation", "the eye is at most 90 degrees above or below the floor");
        }
        if self.model.dimension.is_planar() && (view.direction().is_some() || view.floor.is_some()) {
            let key = if view.floor.is_some() { "view.floor" } else { "view.camera" };
            let message = "this has no effect: a planar model is looked at from the front, and has no floor";
            self.faults.push(Fault::warning(key, message));
        }
    }
}
