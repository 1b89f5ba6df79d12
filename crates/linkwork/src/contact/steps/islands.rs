//! Contacts that act on each other through moving bodies, apart from those that do not.

use super::{Effect, StepContact};

/// Groups of contacts without a common body; the ground joins nobody.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// By slot: a slot of the same island nearer to its root.
    parent: Vec<u32>,
    /// By root: the number of its island.
    number: Vec<u32>,
    /// Contacts, island by island.
    members: Vec<u32>,
    starts: Vec<u32>,
    /// Where the next contact of each island goes.
    next: Vec<u32>,
}

impl Islands {
    /// Finds the islands of contacts whose effects reach bodies in `slots` places.
    pub fn find(&mut self, contacts: &[StepContact], effects: &[Effect], slots: usize) {
        self.parent.clear();
        self.parent.extend(0..slots as u32);
        for contact in contacts {
            let reached = &effects[contact.effects[0] as usize..contact.effects[1] as usize];
            for pair in reached.windows(2) {
                let [a, b] = [self.root(pair[0].slot), self.root(pair[1].slot)];
                // the lower one: the same islands for the same contacts
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
        self.number.clear();
        self.number.resize(slots, u32::MAX);
        self.starts.clear();
        self.starts.push(0);
        // counts, then places
        for contact in contacts {
            let Some(root) = self.root_of(contact, effects) else { continue };
            if self.number[root as usize] == u32::MAX {
                self.number[root as usize] = self.starts.len() as u32 - 1;
                self.starts.push(0);
            }
            self.starts[self.number[root as usize] as usize + 1] += 1;
        }
        for island in 1..self.starts.len() {
            self.starts[island] += self.starts[island - 1];
        }
        let total = self.starts[self.starts.len() - 1] as usize;
        self.members.clear();
        self.members.resize(total, 0);
        self.next.clone_from(&self.starts);
        for (c, contact) in contacts.iter().enumerate() {
            let Some(root) = self.root_of(contact, effects) else { continue };
            let place = &mut self.next[self.number[root as usize] as usize];
            self.members[*place as usize] = c as u32;
            *place += 1;
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The contacts of one, ascending.
    pub fn members(&self, island: usize) -> &[u32] {
        &self.members[self.starts[island] as usize..self.starts[island + 1] as usize]
    }

    fn root(&mut self, slot: u32) -> u32 {
        let mut slot = slot;
        while self.parent[slot as usize] != slot {
            let above = self.parent[self.parent[slot as usize] as usize];
            self.parent[slot as usize] = above;
            slot = above;
        }
        slot
    }

    fn root_of(&mut self, contact: &StepContact, effects: &[Effect]) -> Option<u32> {
        let first = effects[contact.effects[0] as usize..contact.effects[1] as usize].first()?.slot;
        Some(self.root(first))
    }
}
