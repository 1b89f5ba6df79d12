//! One thing of a mechanism and the same thing of all its neighbours.
//!
//! What is written onto a tape is read from all of them at once, so that its numbers come with their derivatives; what they are made of must be alike.

/// A thing of each mechanism: the nominal one first.
#[derive(Clone, Debug)]
pub(super) struct Each<T>(pub Vec<T>);

/// What mechanisms do not have in common.
pub(super) const UNLIKE: &str = "neighbours of the mechanism have another structure there";

impl<T: Copy> Each<T> {
    /// That of the nominal mechanism.
    pub fn first(&self) -> T {
        self.0[0]
    }

    /// Something of each.
    pub fn map<U>(&self, of: impl Fn(T) -> U) -> Each<U> {
        Each(self.0.iter().map(|&x| of(x)).collect())
    }

    /// Something that only one kind of it has.
    pub fn pick<U>(&self, of: impl Fn(T) -> Option<U>) -> Result<Each<U>, String> {
        let all: Option<Vec<U>> = self.0.iter().map(|&x| of(x)).collect();
        all.map(Each).ok_or_else(|| UNLIKE.into())
    }

    /// A thing of each and one of each other.
    pub fn with<U: Copy, V>(&self, other: &Each<U>, of: impl Fn(T, U) -> V) -> Each<V> {
        Each(self.0.iter().zip(&other.0).map(|(&a, &b)| of(a, b)).collect())
    }

    /// Whether all are alike in something.
    pub fn agree<U: PartialEq>(&self, of: impl Fn(T) -> U) -> Result<U, String> {
        let first = of(self.0[0]);
        match self.0.iter().all(|&x| of(x) == first) {
            true => Ok(first),
            false => Err(UNLIKE.into()),
        }
    }
}

impl<'a, T> Each<&'a [T]> {
    /// The items of lists that are as long.
    pub fn items(&self) -> Result<Vec<Each<&'a T>>, String> {
        let n = self.agree(|list| list.len())?;
        Ok((0..n).map(|i| self.map(|list| &list[i])).collect())
    }
}
