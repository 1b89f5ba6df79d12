//! Many contacts: which of them can have met in a step, so that the search for events leaves the others out.

use super::{Events, Of};
use crate::contact::{Nearby, Surface};
use crate::formulations::Formulate;
use crate::integrate::Stepper;
use crate::interactions::Motion;
use crate::mechanism::Mechanism;

/// So many contacts are all looked at in every step.
const FEW_CONTACTS: usize = 16;

/// Which contacts are near in a step.
#[derive(Clone, Debug)]
pub(super) struct Broad {
    nearby: Nearby,
    surfaces: Vec<Surface>,
    pairs: Vec<usize>,
    /// By contact and by pair.
    near: [Vec<bool>; 2],
    ends: [Vec<Motion>; 2],
}

impl Broad {
    pub fn new(mechanism: &Mechanism) -> Option<Box<Self>> {
        let surfaces: Vec<Surface> = mechanism.surfaces.iter().map(|s| s.surface.clone()).collect();
        (mechanism.contacts.len() > FEW_CONTACTS).then(|| {
            Box::new(Broad {
                nearby: Nearby::new(&surfaces, &mechanism.pairs, &mechanism.crowds),
                surfaces,
                pairs: Vec::new(),
                near: [mechanism.contacts.len(), mechanism.pairs.len()].map(|n| vec![true; n]),
                ends: [0, 1].map(|_| vec![Motion::FIXED; mechanism.bodies.len()]),
            })
        })
    }
}

impl Events<'_> {
    /// Leaves what cannot meet in the last step out of its search, and of whatever happens until the next one.
    pub(super) fn narrow<F: Formulate>(&mut self, system: &mut F, stepper: &Stepper) {
        let Some(broad) = &mut self.contacts.broad else { return };
        system.locate_bodies(stepper.y_old(), &mut broad.ends[0]);
        system.locate_bodies(stepper.y(), &mut broad.ends[1]);
        let (pairs, [from, to]) = (&self.mechanism.pairs, &broad.ends);
        let margin = 10.0 * self.no_gap;
        broad.nearby.find(&broad.surfaces, pairs, from, to, stepper.h().abs(), margin, &mut broad.pairs);
        // those that are of no surface are always near
        let of_pairs = pairs.last().map_or(0, |pair| pair.contacts().end);
        let [contacts, whole] = &mut broad.near;
        contacts[..of_pairs].fill(false);
        whole.fill(false);
        for &p in &broad.pairs {
            contacts[pairs[p].contacts()].fill(true);
            whole[p] = true;
        }
        self.active.clear();
        for (w, watch) in self.watches.iter_mut().enumerate() {
            let near = match watch.of {
                Of::Contact(i) => {
                    contacts[i] || self.contacts.place[i].is_some() || self.contacts.left[i].is_some()
                }
                Of::Pair(p) => whole[p],
                _ => true,
            };
            if near {
                self.active.push(w);
            } else {
                watch.value = -self.mechanism.size;
            }
        }
    }

    /// Looks at all again, until the next step is searched.
    pub(super) fn widen(&mut self) {
        self.active.clear();
        self.active.extend(0..self.watches.len());
    }
}
