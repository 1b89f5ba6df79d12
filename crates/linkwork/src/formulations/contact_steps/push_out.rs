//! (M5): gaps that are negative at the end of a step are opened by the least displacement.

use super::{CLOSED, ContactSteps, limits};
use crate::contact::manifold::{ContactPoint, manifold};
use crate::formulations::{Formulate, MotionError};
use crate::linalg::vec3::{dot, norm, sub};
use crate::mechanism::Mechanism;

/// (M5): points whose normals differ by less than the angle with this cosine are the same contact.
const ALIKE: f64 = 0.5;
/// Rounds of (M5).
const ROUNDS: usize = 4;

impl ContactSteps {
    /// (M5); returns the deepest overlap that is left.
    pub(super) fn push_out(
        &mut self,
        mechanism: &Mechanism,
        inner: &mut dyn Formulate,
        y: &mut [f64],
    ) -> Result<f64, MotionError> {
        if self.steps.contacts().is_empty() {
            return Ok(0.0);
        }
        let allowed = CLOSED * mechanism.size;
        let mut overlap = 0.0;
        for _ in 0..ROUNDS {
            self.locate(mechanism, inner, y);
            self.find_gaps(mechanism);
            self.wrenches.clear();
            overlap = self.steps.push_out(&self.gaps, allowed, &mut self.wrenches);
            self.limits.on_bodies(&mut self.wrenches);
            if self.wrenches.is_empty() {
                break;
            }
            inner.respond(&self.wrenches, &mut self.change)?;
            inner.displace(y, &self.change);
        }
        Ok(overlap)
    }

    /// Gaps of the contacts that take part, where the bodies are.
    fn find_gaps(&mut self, mechanism: &Mechanism) {
        self.gaps.clear();
        let mut looked = None;
        for contact in self.steps.contacts() {
            let (pair, key) = contact.key;
            let near = &self.near[contact.site.contact];
            if limits::is_limit(pair) {
                self.gaps.push(self.limits.gap(near, &self.motions));
                continue;
            }
            let Some(surfaces) = near.surfaces else {
                let feature = near.contact.map(|contact| &mechanism.contacts[contact].feature);
                self.gaps.push(feature.map_or(f64::INFINITY, |feature| feature.touch(&self.motions).gap));
                continue;
            };
            if looked != Some(pair) {
                looked = Some(pair);
                let [a, b] = surfaces.map(|s| &self.surfaces[s]);
                self.points.clear();
                manifold(a, b, &self.motions, self.planar, 0.1 * mechanism.size, &mut self.points);
            }
            // what is not there any more has been taken over by the nearest one; along another normal it would be opened by moving elsewhere
            let (place, normal) = (contact.site.touch.point, contact.site.touch.normal);
            let away = |point: &ContactPoint| norm(sub(point.point, place));
            let alike = self.points.iter().filter(|point| dot(point.normal, normal) > ALIKE);
            let same = alike.clone().find(|point| point.key == key);
            let found = same.or_else(|| alike.min_by(|a, b| away(a).total_cmp(&away(b))));
            self.gaps.push(found.map_or(f64::INFINITY, |point| point.gap));
        }
    }
}
