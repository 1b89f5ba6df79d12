//! Plain data to bytes and back, bit by bit: what checkpoints are made of.
//!
//! Every number is written in little-endian order, a float as its 64 bits, so that infinities, NaNs and the sign of zero come back
//! as they were. A list has its length before it, an option a byte. Nothing says what comes next: whoever reads must be what wrote, which the head of
//! a [`Checkpoint`](crate::simulation::Checkpoint) makes sure of.
//!
//! [`Keep::recall`] fills something that has been made in the same way as what was kept: patterns, names and all that follows from the model is
//! there already and is not kept. Lists of floats that are there keep their length; another one is an error.

/// What was read is not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it ends too early, or holds what cannot be")]
pub struct Damaged;

/// Bytes that are read one after the other.
#[derive(Clone, Debug)]
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// From the first on.
    pub fn new(bytes: &'a [u8]) -> Self {
        Bytes(bytes)
    }

    /// The next `n`.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], Damaged> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or(Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        self.0.len()
    }

    fn length(&mut self) -> Result<usize, Damaged> {
        let n = u64::recalled(self)?;
        usize::try_from(n).map_err(|_| Damaged)
    }
}

/// Data that can be kept as bytes and recalled.
pub trait Keep {
    /// Appends it.
    fn keep(&self, to: &mut Vec<u8>);
    /// Takes it back. After an error it is neither the old nor the new.
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged>;

    /// A new one, from what was kept.
    fn recalled(from: &mut Bytes<'_>) -> Result<Self, Damaged>
    where
        Self: Sized + Default,
    {
        let mut value = Self::default();
        value.recall(from)?;
        Ok(value)
    }

    /// A list of them, see [`Keep::recall`].
    fn recall_list(list: &mut Vec<Self>, from: &mut Bytes<'_>) -> Result<(), Damaged>
    where
        Self: Sized + Default,
    {
        let n = from.length()?;
        // an element takes a byte or more: a wrong length asks for no more memory than the file has
        if n > from.left() {
            return Err(Damaged);
        }
        // elements that are there may have parts that were not kept
        list.resize_with(n, Self::default);
        list.iter_mut().try_for_each(|value| value.recall(from))
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Keep for $number {
            fn keep(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
            fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
                let bytes = from.take(size_of::<$number>())?;
                *self = <$number>::from_le_bytes(bytes.try_into().map_err(|_| Damaged)?);
                Ok(())
            }
        }
    )*};
}

numbers!(u8, u32, u64);

impl Keep for f64 {
    fn keep(&self, to: &mut Vec<u8>) {
        self.to_bits().keep(to);
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        *self = f64::from_bits(u64::recalled(from)?);
        Ok(())
    }
    fn recall_list(list: &mut Vec<f64>, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        let n = from.length()?;
        if n > from.left() / 8 || (!list.is_empty() && list.len() != n) {
            return Err(Damaged);
        }
        list.resize(n, 0.0);
        list.iter_mut().try_for_each(|value| value.recall(from))
    }
}

impl Keep for usize {
    fn keep(&self, to: &mut Vec<u8>) {
        (*self as u64).keep(to);
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        *self = from.length()?;
        Ok(())
    }
}

impl Keep for bool {
    fn keep(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        *self = match u8::recalled(from)? {
            0 => false,
            1 => true,
            _ => return Err(Damaged),
        };
        Ok(())
    }
}

impl Keep for String {
    fn keep(&self, to: &mut Vec<u8>) {
        self.len().keep(to);
        to.extend_from_slice(self.as_bytes());
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        let n = from.length()?;
        *self = std::str::from_utf8(from.take(n)?).map_err(|_| Damaged)?.into();
        Ok(())
    }
}

impl<T: Keep + Default> Keep for Vec<T> {
    fn keep(&self, to: &mut Vec<u8>) {
        self.len().keep(to);
        self.iter().for_each(|value| value.keep(to));
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        T::recall_list(self, from)
    }
}

impl<T: Keep, const N: usize> Keep for [T; N] {
    fn keep(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|value| value.keep(to));
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        self.iter_mut().try_for_each(|value| value.recall(from))
    }
}

impl<T: Keep + Default> Keep for Option<T> {
    fn keep(&self, to: &mut Vec<u8>) {
        self.is_some().keep(to);
        self.iter().for_each(|value| value.keep(to));
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        match bool::recalled(from)? {
            false => *self = None,
            true => self.get_or_insert_default().recall(from)?,
        }
        Ok(())
    }
}

impl<T: Keep + ?Sized> Keep for Box<T> {
    fn keep(&self, to: &mut Vec<u8>) {
        (**self).keep(to);
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        (**self).recall(from)
    }
}

impl<A: Keep, B: Keep> Keep for (A, B) {
    fn keep(&self, to: &mut Vec<u8>) {
        self.0.keep(to);
        self.1.keep(to);
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        self.0.recall(from)?;
        self.1.recall(from)
    }
}

impl<A: Keep, B: Keep, C: Keep> Keep for (A, B, C) {
    fn keep(&self, to: &mut Vec<u8>) {
        self.0.keep(to);
        self.1.keep(to);
        self.2.keep(to);
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        self.0.recall(from)?;
        self.1.recall(from)?;
        self.2.recall(from)
    }
}

impl Keep for nalgebra::Complex<f64> {
    fn keep(&self, to: &mut Vec<u8>) {
        (self.re, self.im).keep(to);
    }
    fn recall(&mut self, from: &mut Bytes<'_>) -> Result<(), Damaged> {
        self.re.recall(from)?;
        self.im.recall(from)
    }
}

/// Keeps a struct field by field. All fields are listed: behind `but` those that follow from the model, or hold nothing between two steps. A
/// field that is in neither list does not compile, so none can be forgotten. A condition behind `if` says whether what came back can be.
macro_rules! keep {
    ([$($generic:tt)*] $type:ty { $($field:ident),* $(,)? } $(but { $($other:ident),* $(,)? })? $(if $sound:expr)?) => {
        #[allow(unused_variables)] // where there is nothing to keep
        impl<$($generic)*> $crate::keep::Keep for $type {
            fn keep(&self, to: &mut Vec<u8>) {
                let Self { $($field,)* $($($other: _,)*)? } = self;
                $($crate::keep::Keep::keep($field, to);)*
            }
            fn recall(
                &mut self,
                from: &mut $crate::keep::Bytes<'_>,
            ) -> Result<(), $crate::keep::Damaged> {
                let Self { $($field,)* $($($other: _,)*)? } = self;
                $($crate::keep::Keep::recall($field, from)?;)*
                $(
                    let sound: fn(&Self) -> bool = $sound;
                    if !sound(self) {
                        return Err($crate::keep::Damaged);
                    }
                )?
                Ok(())
            }
        }
    };
    ($type:ty { $($fields:tt)* } $($but:tt)*) => {
        $crate::keep::keep!([] $type { $($fields)* } $($but)*);
    };
}
pub(crate) use keep;

/// Whether numbers can be counts of something that happened: further counting must not overflow.
pub(crate) fn are_counts(numbers: &[u64]) -> bool {
    numbers.iter().all(|&number| number < 1 << 53)
}

/// A number that hardly any two texts share (FNV-1a of 64 bits): it tells damage and mistakes, not malice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(pub u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut print = Fingerprint::default();
        print.add(bytes);
        print
    }

    /// More bytes of the same text.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    }
}

impl std::fmt::Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Sample {
        numbers: Vec<f64>,
        maybe: Option<(f64, u32)>,
        name: String,
        flags: [bool; 2],
        scratch: Vec<f64>,
    }
    keep!(Sample { numbers, maybe, name, flags } but { scratch });

    #[test]
    fn same_bits_come_back() {
        let nan = f64::from_bits(0x7ff8_0000_dead_beef);
        let sample = Sample {
            numbers: vec![-0.0, f64::NEG_INFINITY, f64::MIN_POSITIVE / 3.0, nan, 0.1],
            maybe: Some((1.0 / 3.0, 7)),
            name: "Gelenk α".into(),
            flags: [true, false],
            scratch: vec![1.0],
        };
        let mut bytes = Vec::new();
        sample.keep(&mut bytes);
        let mut from = Bytes::new(&bytes);
        let back = Sample::recalled(&mut from).unwrap();
        assert_eq!(from.left(), 0);
        let bits = |s: &Sample| s.numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back), bits(&sample));
        assert_eq!((back.maybe, &back.name, back.flags), (sample.maybe, &sample.name, sample.flags));
        assert!(back.scratch.is_empty());
        // cut anywhere it is damaged, and never a panic
        for n in 0..bytes.len() {
            assert_eq!(Sample::recalled(&mut Bytes::new(&bytes[..n])), Err(Damaged), "{n}");
        }
        let mut other = Sample { numbers: vec![0.0; 3], ..Sample::default() };
        assert_eq!(other.recall(&mut Bytes::new(&bytes)), Err(Damaged), "made for another size");
    }

    #[test]
    fn exact_fingerprint() {
        // published test vectors of FNV-1a
        assert_eq!(Fingerprint::of(b"").0, 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fingerprint::of(b"foobar").0, 0x8594_4171_f739_67e8);
    }
}
