//! Contacts that act on each other through moving bodies, apart from those that do not.

use super::{Block, Effect, GROUND, StepContact};

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
    /// Slots of bodies, island by island.
    bodies: Vec<u32>,
    body_starts: Vec<u32>,
    /// Where the next contact or body of each island goes.
    next: Vec<u32>,
}

impl Islands {
    /// Finds the islands of contacts whose effects reach bodies in `slots` places.
    pub fn find(&mut self, contacts: &[StepContact], effects: &[Effect], slots: usize) {
        self.parent.clear();
        self.parent.extend(0..slots as u32);
        for contact in contacts {
            let mut first = None;
            for slot in reached(&contact.block, effects) {
                match first {
                    None => first = Some(slot),
                    Some(first) => {
                        let [a, b] = [self.root(first), self.root(slot)];
                        // the lower one: the same islands for the same contacts
                        self.parent[a.max(b) as usize] = a.min(b);
                    }
                }
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
        self.find_bodies(slots);
    }

    /// The bodies of each island.
    fn find_bodies(&mut self, slots: usize) {
        self.body_starts.clear();
        self.body_starts.resize(self.starts.len(), 0);
        for slot in 1..slots as u32 {
            let island = self.island_of(slot);
            if island != u32::MAX {
                self.body_starts[island as usize + 1] += 1;
            }
        }
        for island in 1..self.body_starts.len() {
            self.body_starts[island] += self.body_starts[island - 1];
        }
        self.bodies.clear();
        self.bodies.resize(self.body_starts.last().copied().unwrap_or_default() as usize, 0);
        self.next.clone_from(&self.body_starts);
        for slot in 1..slots as u32 {
            let island = self.island_of(slot);
            if island != u32::MAX {
                let place = &mut self.next[island as usize];
                self.bodies[*place as usize] = slot;
                *place += 1;
            }
        }
    }

    fn island_of(&mut self, slot: u32) -> u32 {
        let root = self.root(slot);
        self.number[root as usize]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The contacts of one, ascending.
    pub fn members(&self, island: usize) -> &[u32] {
        &self.members[self.starts[island] as usize..self.starts[island + 1] as usize]
    }

    /// The bodies that contacts of an island move, ascending.
    pub fn bodies(&self, island: usize) -> &[u32] {
        &self.bodies[self.body_starts[island] as usize..self.body_starts[island + 1] as usize]
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
        let first = reached(&contact.block, effects).next()?;
        Some(self.root(first))
    }
}

/// Slots of the bodies that a contact moves.
fn reached<'e>(block: &Block, effects: &'e [Effect]) -> impl Iterator<Item = u32> + use<'e> {
    let own = block.slots.into_iter().filter(|&slot| slot != GROUND);
    let held = &effects[block.effects[0] as usize..block.effects[1] as usize];
    own.chain(held.iter().map(|effect| effect.slot))
}
