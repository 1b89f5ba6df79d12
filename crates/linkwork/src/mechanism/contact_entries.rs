//! Entries of the model's contacts among the contacts of a mechanism: which is whose, and where the state keeps what they take and give.

use super::Mechanism;
use crate::contact::Pair;
use crate::interactions::ContactAccount;
use std::ops::Range;

/// The single contacts of an entry with more than this many are not shown, only their sums.
pub(crate) const MOST_SHOWN: usize = 200;

/// A contact, or several together, as readings and columns name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactOf {
    /// One contact.
    One(usize),
    /// All of a pair of surfaces.
    Pair(usize),
    /// All of an entry of the model's contacts.
    Entry(usize),
}

/// Where a state keeps what contacts have taken and given so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccountPlaces {
    variables: usize,
    account: ContactAccount,
}

impl AccountPlaces {
    /// Energy lost in impacts, J.
    pub fn impacts(&self) -> usize {
        self.variables + self.account.impacts()
    }

    /// Energy lost in friction, J.
    pub fn friction(&self) -> usize {
        self.variables + self.account.friction()
    }

    /// Impulse of the impacts of an entry, N s.
    pub fn impulse(&self, entry: usize) -> Option<usize> {
        self.account.impulse(entry).map(|variable| self.variables + variable)
    }
}

impl Mechanism {
    /// Places of the account of contacts in a state whose work is at an index.
    pub(crate) fn account_places(&self, work: usize) -> Option<AccountPlaces> {
        let account = self.interactions.contact_account?;
        Some(AccountPlaces { variables: work + 1 + self.interactions.variables_at(), account })
    }

    /// The entry that a contact belongs to; `None` for one without surfaces.
    pub(crate) fn entry_of(&self, contact: usize) -> Option<usize> {
        let after = self.pairs.partition_point(|pair| pair.first <= contact);
        let pair = self.pairs[..after].iter().rev().find(|pair| pair.count > 0)?;
        pair.contacts().contains(&contact).then_some(pair.of)
    }

    /// The pairs of an entry: they lie side by side.
    pub(crate) fn pairs_of(&self, entry: usize) -> Range<usize> {
        let from = self.pairs.partition_point(|pair| pair.of < entry);
        from..self.pairs.partition_point(|pair| pair.of <= entry)
    }

    /// The contacts of one, a pair or an entry.
    pub(crate) fn contacts_of(&self, of: ContactOf) -> Range<usize> {
        match of {
            ContactOf::One(contact) => contact..contact + 1,
            ContactOf::Pair(pair) => self.pairs[pair].contacts(),
            ContactOf::Entry(entry) => {
                let pairs = &self.pairs[self.pairs_of(entry)];
                match (pairs.first(), pairs.last()) {
                    (Some(first), Some(last)) => first.first..last.contacts().end,
                    _ => 0..0,
                }
            }
        }
    }

    /// The sign with which forces of a contact of a pair count in sums: they are those on the body where the other side is the ground, else on the second surface as written. The
    /// second of a contact may be either.
    pub(crate) fn side(&self, pair: &Pair, contact: usize) -> f64 {
        match self.contacts[contact].feature.bodies() {
            [None, _] => 1.0,
            [_, None] => -1.0,
            [_, second] if second == self.surfaces[pair.surfaces[1]].surface.body() => 1.0,
            _ => -1.0,
        }
    }

    /// How many entries of the model's contacts results speak of: not those of the nodes of chains.
    pub(crate) fn shown_entries(&self) -> usize {
        self.interactions.contact_account.map_or(0, |account| account.entries)
    }

    /// Names of the two surfaces of a pair.
    fn surfaces_of(&self, pair: usize) -> [&str; 2] {
        self.pairs[pair].surfaces.map(|surface| self.surfaces[surface].name.as_str())
    }

    /// What a name of a reading means: a contact, `ENTRY.FIRST.SECOND` or an entry. An entry with one contact is that contact.
    pub(crate) fn contact_named(&self, name: &str) -> Option<ContactOf> {
        if let Some(entry) = self.model.contacts.iter().position(|contact| contact.name == name) {
            let contacts = self.contacts_of(ContactOf::Entry(entry));
            return Some(match contacts.len() {
                1 => ContactOf::One(contacts.start),
                _ => ContactOf::Entry(entry),
            });
        }
        if let Some(contact) = self.contacts.iter().position(|contact| contact.name == name) {
            return Some(ContactOf::One(contact));
        }
        let is = |pair: &usize| {
            let entry = &self.model.contacts[self.pairs[*pair].of].name;
            let [a, b] = self.surfaces_of(*pair);
            name.strip_prefix(entry.as_str())
                .and_then(|rest| rest.strip_prefix('.'))
                .is_some_and(|rest| rest.strip_prefix(a).and_then(|rest| rest.strip_prefix('.')) == Some(b))
        };
        (0..self.pairs.len()).find(is).map(ContactOf::Pair)
    }
}
