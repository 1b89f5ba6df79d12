//! Joint coordinates that move in proportion: belts, worm gears, differentials, whatever links them.

/// A sum of joint coordinates, each times a factor, that keeps its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Its name, used in results.
    pub name: String,
    /// Joint, which of its coordinates (counted from one), factor.
    pub terms: Vec<(String, usize, f64)>,
}

impl Coupling {
    /// Two joints whose first coordinates move as 1 to `ratio`: q₁ = ratio · q₂, both since the drawing.
    pub fn ratio(name: impl Into<String>, joints: [&str; 2], ratio: f64) -> Self {
        let [first, second] = joints.map(String::from);
        Coupling { name: name.into(), terms: vec![(first, 1, 1.0), (second, 1, -ratio)] }
    }
}
