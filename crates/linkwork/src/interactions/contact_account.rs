//! What contacts have taken and given so far: variables of the state that only contacts write.
//!
//! ```text
//!   (B1)  lost in impacts     −Σ ½ p·(u⁻ + u⁺)                  J, over all impacts, friction during them included
//!   (B2)  lost in friction    −∫ T·s dt                         J, of contacts that slide
//!   (B3)  impulse             Σ p_n                             N s, over the impacts of an entry of the model's contacts
//! ```
//!
//! As variables they go with the state: they are integrated with the order of the method, interpolated, saved and taken over as everything else is.

/// Places among the variables: (B1), (B2), then (B3) for each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactAccount {
    /// The first variable.
    pub first: usize,
    /// How many entries of the model's contacts have an impulse.
    pub entries: usize,
}

impl ContactAccount {
    /// How many variables there are.
    pub fn count(&self) -> usize {
        2 + self.entries
    }

    /// (B1)
    pub fn impacts(&self) -> usize {
        self.first
    }

    /// (B2)
    pub fn friction(&self) -> usize {
        self.first + 1
    }

    /// (B3), if the entry has one.
    pub fn impulse(&self, entry: usize) -> Option<usize> {
        (entry < self.entries).then_some(self.first + 2 + entry)
    }
}
