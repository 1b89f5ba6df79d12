//! Gaps and slips of contacts as formulas read them: functions of where the bodies are and how they move.

use super::Mechanism;
use super::contact_entries::ContactOf;
use crate::contact::{Feature, Site};
use crate::interactions::{Motion, MotionReading};
use crate::linalg::vec3::norm;

/// What of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MotionOf {
    /// The gap, m; of several the least.
    Gap,
    /// Its rate, m/s; of several that of the contact with the least gap.
    Rate,
    /// Slip along an axis, m/s.
    Slip(usize),
    /// How fast it slips, m/s.
    SlipSpeed,
}

/// Contacts and what is read of them.
#[derive(Debug)]
pub(crate) struct ContactMotion {
    features: Vec<Feature>,
    what: MotionOf,
    planar: bool,
}

impl ContactMotion {
    pub fn new(mechanism: &Mechanism, of: ContactOf, what: MotionOf) -> Self {
        let contacts = &mechanism.contacts[mechanism.contacts_of(of)];
        let features = contacts.iter().map(|contact| contact.feature.clone()).collect();
        ContactMotion { features, what, planar: mechanism.columns() == 2 }
    }
}

impl MotionReading for ContactMotion {
    fn value(&self, bodies: &[Motion]) -> f64 {
        let mut nearest = None;
        let mut least = f64::INFINITY;
        for feature in &self.features {
            let touch = feature.touch(bodies);
            if touch.gap < least || nearest.is_none() {
                (least, nearest) = (touch.gap, Some((feature, touch)));
            }
        }
        let Some((feature, touch)) = nearest else { return f64::NAN };
        let slip = || {
            let site = Site::new(0, feature, self.planar, bodies);
            site.across(site.velocity(bodies))
        };
        match self.what {
            MotionOf::Gap => touch.gap,
            MotionOf::Rate => touch.rate,
            MotionOf::Slip(axis) => slip()[axis],
            MotionOf::SlipSpeed => norm(slip()),
        }
    }
}
