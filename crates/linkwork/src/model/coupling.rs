//! Joint coordinates that move in proportion: belts, worm gears, differentials, whatever links them.

use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;

keys! {
    /// Joint coordinates that move in proportion: a sum of them, each times a factor, keeps its value. Either two joints and a `ratio`, or any number of them with `factors`.
    Coupling(name) {
        /// Joint, which of its coordinates (counted from one), factor.
        terms: Vec<(String, usize, f64)> => group TermKeys,
    }
}

#[cfg(feature = "file")]
impl Rules for Coupling {}

#[cfg(feature = "file")]
use file::TermKeys;

/// The keys in a file.
#[cfg(feature = "file")]
mod file {
    use crate::expressions::quantity::State;
    use crate::expressions::units::Dims;
    use crate::file::prelude::*;

    table! {
        /// The joints that a coupling links.
        TermKeys {
            /// The joints, by their names in results.
            joints: required Vec<String>,
            /// Which coordinate of each joint, counted from one; the first of each if left out.
            coordinates: optional Vec<Count>,
            /// For two joints: the first coordinate is this many times the second, since the drawing.
            ratio: optional AnyQuantity,
            /// For any number of joints: the sum of the coordinates, each times its factor, stays as drawn.
            factors: optional Vec<AnyQuantity>,
        }
    }

    impl Group for TermKeys {
        type Value = Vec<(String, usize, f64)>;

        fn build(self, reader: &mut Reader<'_>) -> Option<Self::Value> {
            let joints = self.joints?;
            let mut refuse = |key: &str, message: String, help: &str| {
                reader.refuse(key, message, help);
                None
            };
            let factors = match (self.ratio, self.factors) {
                (Some(ratio), None) if joints.len() == 2 => vec![1.0, -ratio.0],
                (Some(_), None) => {
                    let message = format!("a ratio is one of two joints, these are {}", joints.len());
                    return refuse(".ratio", message, "give `factors`, one for each joint");
                }
                (None, Some(factors)) => factors.value(),
                (Some(_), Some(_)) => {
                    return refuse("", "`ratio` and `factors` are both given".into(), "keep one of the two");
                }
                (None, None) => {
                    let help = "ratio = 3: the first joint turns three times as far as the second";
                    return refuse("", "`ratio` or `factors` is missing".into(), help);
                }
            };
            let coordinates = self.coordinates.map_or(vec![1; joints.len()], Kind::value);
            for (key, count) in [(".factors", factors.len()), (".coordinates", coordinates.len())] {
                if count != joints.len() {
                    let message = format!("there are {} joints, but {count} of these", joints.len());
                    return refuse(key, message, "give one for each joint");
                }
            }
            if let Some(AnyQuantity(_, State::Known(found))) = self.ratio {
                // q1 = ratio q2
                let turns = [0, 1].map(|i| reader.turns(&joints[i], coordinates[i]));
                let expected = match turns {
                    [Some(p), Some(q)] => Some(Dims::new(i8::from(q) - i8::from(p), 0, 0)),
                    _ => None,
                };
                if let Some(expected) = expected.filter(|expected| *expected != found) {
                    let help = "the ratio is the first coordinate over the second: an angle has no unit, a path has m";
                    reader.refuse(".ratio", format!("expected {expected}, found {found}"), help);
                }
            }
            Some(joints.into_iter().zip(coordinates).zip(factors).map(|((j, c), f)| (j, c, f)).collect())
        }

        fn stand_in() -> Self::Value {
            Vec::new()
        }

        fn write(terms: &Self::Value, entry: Entry, _: &Context<'_>) -> Entry {
            let joints: Vec<Item> = terms.iter().map(|(joint, ..)| joint.into()).collect();
            let coordinates: Vec<Item> = terms.iter().map(|&(_, coordinate, _)| coordinate.into()).collect();
            let first = terms.iter().all(|(_, coordinate, _)| *coordinate == 1);
            let entry = entry.set("joints", joints).unless(first, "coordinates", coordinates);
            match &terms[..] {
                [(.., one), (.., factor)] if is(*one, 1.0) => entry.set("ratio", -factor),
                _ => entry
                    .set("factors", numbers(&terms.iter().map(|(.., factor)| *factor).collect::<Vec<_>>())),
            }
        }
    }
}

impl Coupling {
    /// Two joints whose first coordinates move as 1 to `ratio`: q₁ = ratio · q₂, both since the drawing.
    pub fn ratio(name: impl Into<String>, joints: [&str; 2], ratio: f64) -> Self {
        let [first, second] = joints.map(String::from);
        Coupling { name: name.into(), terms: vec![(first, 1, 1.0), (second, 1, -ratio)] }
    }
}
