//! Events that change what a mechanism consists of: changes of the model, joints and chains that break, chains that pay out.

use super::{Event, EventKind, Events, Handled, Of};
use crate::linalg::vec3::norm;
use crate::mechanism::Mechanism;

/// What becomes of the parts of a mechanism.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::simulation) enum Edit {
    /// A change of the model, by its name.
    Change(String),
    /// A joint opens, by its name.
    Open(String),
    /// A segment of a chain breaks, counted from one.
    Snap(usize, usize),
    /// A node leaves the mouth of a chain.
    Insert(usize),
    /// A node goes in.
    Remove(usize),
    /// The container of a chain is empty.
    Empty(usize),
}

impl Edit {
    /// Whether nothing that results show by name jumps.
    pub(in crate::simulation) fn is_quiet(&self) -> bool {
        matches!(self, Edit::Insert(_))
    }
}

impl Events<'_> {
    /// What there is to be watched of the parts.
    pub(super) fn watched_parts(mechanism: &Mechanism) -> Vec<Of> {
        let events = &mechanism.events;
        let mut all: Vec<Of> =
            (0..events.changes.len()).filter(|&i| events.changes[i].when.is_some()).map(Of::Change).collect();
        all.extend((0..events.breaks.len()).map(Of::Break));
        for (c, chain) in mechanism.chains.iter().enumerate() {
            all.extend(chain.break_force.map(|_| Of::Snap(c)));
            if let Some(mouth) = chain.pays_out {
                all.push(Of::Mouth(c, 0));
                all.extend(mouth.remove_at.map(|_| Of::Mouth(c, 1)));
                all.extend(mouth.empty_at.map(|_| Of::Mouth(c, 2)));
            }
        }
        all
    }

    /// Whether an event shows no row of its own: nothing jumps that results show by name.
    pub(in crate::simulation) fn is_quiet(&self, watch: usize) -> bool {
        self.is_insertion(watch) || self.only_turns(watch)
    }

    /// Whether an event is nothing but a node that leaves a container.
    pub(in crate::simulation) fn is_insertion(&self, watch: usize) -> bool {
        matches!(self.watches[watch].of, Of::Mouth(_, 0))
    }

    /// By how much the load of a joint is above what it bears, in parts of that.
    pub(super) fn break_margin(&self, i: usize) -> f64 {
        let limit = &self.mechanism.events.breaks[i];
        let reaction = &self.frame.reactions[limit.joint];
        (norm(reaction.force) / limit.force).max(norm(reaction.moment) / limit.moment) - 1.0
    }

    /// Likewise the tension of a chain where it is highest.
    pub(super) fn snap_margin(&mut self, chain: usize) -> f64 {
        let most = self.mechanism.chains[chain].break_force.unwrap_or(f64::INFINITY);
        self.highest(chain).1 / most - 1.0
    }

    /// The segment with the highest tension, counted from one, and that tension.
    fn highest(&mut self, chain: usize) -> (usize, f64) {
        let mut tensions = std::mem::take(&mut self.tensions);
        self.mechanism.chains[chain].tensions(self.mechanism, &self.frame, &mut tensions);
        let highest = tensions.iter().enumerate().fold((0, f64::NEG_INFINITY), |best, (k, &tension)| {
            if tension > best.1 || tension.is_nan() { (k + 1, tension) } else { best }
        });
        self.tensions = tensions;
        highest
    }

    /// How far the growing segment of a chain is from what the mouth does, m.
    pub(super) fn mouth_margin(&self, chain: usize, what: usize) -> f64 {
        let chain = &self.mechanism.chains[chain];
        let growing = chain.rope(self.mechanism).and_then(|rope| rope.growing(&self.ws.motions));
        let (Some(mouth), Some(growing)) = (chain.pays_out, growing) else { return -1.0 };
        match what {
            0 => growing.length - mouth.insert_at,
            1 => mouth.remove_at.map_or(-1.0, |least| least - growing.length),
            _ => mouth.empty_at.map_or(-1.0, |most| growing.length - most),
        }
    }

    /// Notes what an event does to the parts. It is reported when another mechanism has taken over: until then nobody knows its energy.
    pub(super) fn edit(&mut self, t: f64, of: Of, handled: &mut Handled) {
        let mechanism = self.mechanism;
        let name = |chain: usize| mechanism.chains[chain].name.clone();
        let (kind, name, edit) = match of {
            Of::Change(i) => {
                let name = &mechanism.events.changes[i].name;
                (EventKind::Change, name.clone(), Edit::Change(name.clone()))
            }
            Of::Break(i) => {
                let name = &mechanism.joints[mechanism.events.breaks[i].joint].name;
                (EventKind::Break, name.clone(), Edit::Open(name.clone()))
            }
            Of::Snap(chain) => {
                let (segment, _) = self.highest(chain);
                (EventKind::Break, format!("{}/{segment}", name(chain)), Edit::Snap(chain, segment))
            }
            Of::Mouth(chain, 0) => (EventKind::PayOut, name(chain), Edit::Insert(chain)),
            Of::Mouth(chain, 1) => (EventKind::TakeIn, name(chain), Edit::Remove(chain)),
            Of::Mouth(chain, _) => (EventKind::Empty, name(chain), Edit::Empty(chain)),
            _ => return,
        };
        if !handled.edits.contains(&edit) {
            handled.edits.push(edit);
            handled.reported.push(Event { t, kind, name, ..Event::default() });
        }
    }

    /// Changes that are scheduled for this time.
    pub(super) fn timed_edits(&mut self, t: f64, handled: &mut Handled) {
        let changes = &self.mechanism.events.changes;
        for i in (0..changes.len()).filter(|&i| changes[i].at == Some(t)) {
            self.edit(t, Of::Change(i), handled);
        }
    }
}
