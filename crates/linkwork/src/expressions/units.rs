//! Units and dimensions: what `250 N/mm` is in SI, and whether that is what a key expects.

use std::fmt;

/// Exponents of metre, kilogram and second. Angles have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dims {
    pub m: i8,
    pub kg: i8,
    pub s: i8,
}

/// Exponents of this size and more are refused; nothing in mechanics comes near.
const MAX_EXPONENT: i32 = 30;

impl Dims {
    pub const NONE: Dims = Dims::new(0, 0, 0);

    pub const fn new(m: i8, kg: i8, s: i8) -> Dims {
        Dims { m, kg, s }
    }

    /// Applies a function to each exponent; nothing if one leaves the permitted range.
    fn map(self, other: Dims, f: impl Fn(i32, i32) -> i32) -> Option<Dims> {
        let each = |a: i8, b: i8| {
            let exponent = f(a.into(), b.into());
            (exponent.abs() <= MAX_EXPONENT).then_some(exponent as i8)
        };
        Some(Dims { m: each(self.m, other.m)?, kg: each(self.kg, other.kg)?, s: each(self.s, other.s)? })
    }

    pub fn times(self, other: Dims) -> Option<Dims> {
        self.map(other, |a, b| a + b)
    }

    pub fn over(self, other: Dims) -> Option<Dims> {
        self.map(other, |a, b| a - b)
    }

    pub fn power(self, n: i32) -> Option<Dims> {
        let n = n.clamp(-1000, 1000);
        self.map(self, |a, _| a * n)
    }

    /// The n-th root, where all exponents are multiples of n.
    pub fn root(self, n: i8) -> Option<Dims> {
        let whole = [self.m, self.kg, self.s].iter().all(|exponent| exponent % n == 0);
        whole.then(|| Dims { m: self.m / n, kg: self.kg / n, s: self.s / n })
    }

    /// The SI unit: `m`, `N s/m`; empty for a plain number or an angle.
    #[cfg(feature = "file")]
    pub fn unit(self) -> String {
        if let Some((_, unit)) = self.named() {
            return unit.into();
        }
        let part = |(symbol, exponent): (&str, i8)| match exponent {
            0 => None,
            1 => Some(symbol.to_owned()),
            n => Some(format!("{symbol}^{n}")),
        };
        let parts = [("kg", self.kg), ("m", self.m), ("s", self.s)].into_iter().filter_map(part);
        parts.collect::<Vec<_>>().join(" ")
    }

    /// The quantity and its SI unit, for the ones that have a name.
    fn named(self) -> Option<(&'static str, &'static str)> {
        Some(match (self.m, self.kg, self.s) {
            (0, 0, 0) => ("a plain number or angle", ""),
            (1, 0, 0) => ("a length", "m"),
            (2, 0, 0) => ("an area", "m^2"),
            (3, 0, 0) => ("a volume", "m^3"),
            (0, 1, 0) => ("a mass", "kg"),
            (0, 0, 1) => ("a time", "s"),
            (0, 0, -1) => ("an angular velocity or frequency", "rad/s"),
            (0, 0, -2) => ("an angular acceleration", "rad/s^2"),
            (1, 0, -1) => ("a velocity", "m/s"),
            (1, 0, -2) => ("an acceleration", "m/s^2"),
            (1, 1, -2) => ("a force", "N"),
            (0, 1, -2) => ("a stiffness", "N/m"),
            (0, 1, -1) => ("a damping", "N s/m"),
            (2, 1, -2) => ("a moment or energy", "N m"),
            (2, 1, -1) => ("an angular momentum or rotary damping", "N m s"),
            (1, 1, -1) => ("a momentum", "N s"),
            (2, 1, -3) => ("a power", "W"),
            (-1, 1, -2) => ("a pressure", "Pa"),
            (2, 1, 0) => ("a moment of inertia", "kg m^2"),
            (-3, 1, 0) => ("a density", "kg/m^3"),
            _ => return None,
        })
    }
}

impl fmt::Display for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.named() {
            Some((name, "")) => f.write_str(name),
            Some((name, unit)) => write!(f, "{name} ({unit})"),
            None => {
                f.write_str("a quantity in")?;
                for (symbol, exponent) in [("kg", self.kg), ("m", self.m), ("s", self.s)] {
                    match exponent {
                        0 => {}
                        1 => write!(f, " {symbol}")?,
                        n => write!(f, " {symbol}^{n}")?,
                    }
                }
                Ok(())
            }
        }
    }
}

/// A unit: its symbol, its size in SI and its dimensions.
struct Unit(&'static str, f64, Dims);

const LENGTH: Dims = Dims::new(1, 0, 0);
const MASS: Dims = Dims::new(0, 1, 0);
const TIME: Dims = Dims::new(0, 0, 1);
const FORCE: Dims = Dims::new(1, 1, -2);
const PRESSURE: Dims = Dims::new(-1, 1, -2);
const ENERGY: Dims = Dims::new(2, 1, -2);
const POWER: Dims = Dims::new(2, 1, -3);
const RATE: Dims = Dims::new(0, 0, -1);

/// Pound (avoirdupois), kg: exact by the agreement of 1959.
const POUND: f64 = 0.453_592_37;
/// Standard acceleration of free fall, m/s²: the pound-force is defined with it.
const STANDARD_GRAVITY: f64 = 9.806_65;
const TAU: f64 = std::f64::consts::TAU;

const UNITS: &[Unit] = &[
    Unit("m", 1.0, LENGTH),
    Unit("mm", 1e-3, LENGTH),
    Unit("cm", 1e-2, LENGTH),
    Unit("um", 1e-6, LENGTH),
    Unit("km", 1e3, LENGTH),
    Unit("in", 0.0254, LENGTH),
    Unit("ft", 0.3048, LENGTH),
    Unit("kg", 1.0, MASS),
    Unit("g", 1e-3, MASS),
    Unit("mg", 1e-6, MASS),
    Unit("t", 1e3, MASS),
    Unit("lb", POUND, MASS),
    Unit("s", 1.0, TIME),
    Unit("ms", 1e-3, TIME),
    Unit("us", 1e-6, TIME),
    Unit("min", 60.0, TIME),
    Unit("h", 3600.0, TIME),
    Unit("N", 1.0, FORCE),
    Unit("mN", 1e-3, FORCE),
    Unit("kN", 1e3, FORCE),
    Unit("MN", 1e6, FORCE),
    Unit("lbf", POUND * STANDARD_GRAVITY, FORCE),
    Unit("Pa", 1.0, PRESSURE),
    Unit("kPa", 1e3, PRESSURE),
    Unit("MPa", 1e6, PRESSURE),
    Unit("GPa", 1e9, PRESSURE),
    Unit("bar", 1e5, PRESSURE),
    Unit("J", 1.0, ENERGY),
    Unit("kJ", 1e3, ENERGY),
    Unit("W", 1.0, POWER),
    Unit("kW", 1e3, POWER),
    Unit("Hz", 1.0, RATE),
    Unit("rpm", TAU / 60.0, RATE),
    Unit("deg", TAU / 360.0, Dims::NONE),
    Unit("rad", 1.0, Dims::NONE),
    Unit("rev", TAU, Dims::NONE),
    Unit("%", 0.01, Dims::NONE),
];

/// The size in SI and the dimensions of a unit.
pub(crate) fn unit(symbol: &str) -> Option<(f64, Dims)> {
    UNITS.iter().find(|unit| unit.0 == symbol).map(|unit| (unit.1, unit.2))
}

/// The size in SI and the dimensions of a text such as `N/mm`.
pub(crate) fn parse(text: &str) -> Option<(f64, Dims)> {
    match super::Expression::compile(&format!("1 {text}")).ok()?.steps[..] {
        [(super::Op::Number(size, Some(dims)), _)] => Some((size, dims)),
        _ => None,
    }
}

/// Words that are no symbols here, and what to write for them.
const WORDS: &[(&str, &str)] = &[
    ("meter", "m"),
    ("metre", "m"),
    ("millimeter", "mm"),
    ("millimetre", "mm"),
    ("centimeter", "cm"),
    ("centimetre", "cm"),
    ("kilometer", "km"),
    ("kilometre", "km"),
    ("micron", "um"),
    ("inch", "in"),
    ("inche", "in"),
    ("feet", "ft"),
    ("foot", "ft"),
    ("gram", "g"),
    ("gramm", "g"),
    ("kilogram", "kg"),
    ("kilo", "kg"),
    ("ton", "t"),
    ("tonne", "t"),
    ("pound", "lb"),
    ("sec", "s"),
    ("second", "s"),
    ("msec", "ms"),
    ("minute", "min"),
    ("hour", "h"),
    ("hr", "h"),
    ("newton", "N"),
    ("kilonewton", "kN"),
    ("pascal", "Pa"),
    ("joule", "J"),
    ("watt", "W"),
    ("hertz", "Hz"),
    ("degree", "deg"),
    ("grad", "deg"),
    ("radian", "rad"),
    ("turn", "rev"),
    ("revolution", "rev"),
    ("rps", "rev/s"),
    ("percent", "%"),
    ("kmh", "km/h"),
    ("kph", "km/h"),
    ("mps", "m/s"),
    ("mph", "0.44704 m/s"),
    ("knot", "0.514444 m/s"),
    ("hp", "745.7 W"),
    ("ps", "735.5 W"),
    ("psi", "6894.76 Pa"),
    ("kgf", "9.80665 N"),
    ("nms", "N m s"),
];

/// Advice for a word that stands where a unit may stand, if it is nearly one.
pub(crate) fn meant(word: &str) -> Option<String> {
    let write = |meant: &str| match meant.starts_with(|c: char| c.is_ascii_digit()) {
        true => Some(format!("1 {word} is `{meant}`")),
        false => Some(format!("write `{meant}`")),
    };
    let lower = word.to_ascii_lowercase();
    let singular = lower.strip_suffix('s').filter(|rest| rest.len() > 1).unwrap_or(&lower);
    if let Some((_, meant)) = WORDS.iter().find(|(known, _)| *known == lower || *known == singular) {
        return write(meant);
    }
    // 10 lbs, RPM: but not `mN` for `MN`
    let alike: Vec<&str> = symbols()
        .filter(|symbol| [&*lower, singular].contains(&symbol.to_ascii_lowercase().as_str()))
        .collect();
    if let [one] = alike[..] {
        return write(one);
    }
    pieces(word).filter(|pieces| !pieces.is_empty()).and_then(|pieces| write(&pieces.join(" ")))
}

/// A word as units run together: `Nm`, `kgm2`, `s2`. Nothing of a long one: `mmmmmm` can be cut in so many ways that trying them all takes no end.
fn pieces(word: &str) -> Option<Vec<String>> {
    const LONGEST: usize = 16;
    if word.len() > LONGEST {
        return None;
    }
    if word.is_empty() {
        return Some(Vec::new());
    }
    let fits = |n: &usize| word.get(..*n).is_some_and(|start| unit(start).is_some());
    // the longest symbol first: `Nmm` is no `N m m`
    (1..=word.len().min(3)).rev().filter(fits).find_map(|n| {
        let rest = &word[n..];
        let digits = rest.chars().take_while(char::is_ascii_digit).count();
        let power = &rest[..digits];
        let symbol = if digits > 0 { format!("{}^{power}", &word[..n]) } else { word[..n].to_owned() };
        pieces(&rest[digits..]).map(|mut pieces| {
            pieces.insert(0, symbol);
            pieces
        })
    })
}

/// All unit symbols.
pub(crate) fn symbols() -> impl Iterator<Item = &'static str> {
    UNITS.iter().map(|unit| unit.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Definitions: the international inch, pound and foot, the litre-atmosphere of engineering tables.
    #[test]
    fn exact_unit_sizes() {
        let known = [
            ("in", 0.0254),
            ("ft", 12.0 * 0.0254),
            ("lb", 0.45359237),
            ("lbf", 4.4482216152605),
            ("deg", std::f64::consts::PI / 180.0),
            ("rpm", std::f64::consts::PI / 30.0),
            ("h", 3600.0),
            ("GPa", 1e9),
            ("bar", 1e5),
            ("t", 1000.0),
        ];
        for (symbol, size) in known {
            let (factor, _) = unit(symbol).unwrap();
            // the constants are decimal fractions: half an ulp apart at most
            assert!((factor / size - 1.0).abs() < 1e-15, "{symbol}: {factor} {size}");
        }
    }

    #[test]
    fn exact_dimensions_compose() {
        let dims = |symbol: &str| unit(symbol).unwrap().1;
        assert_eq!(dims("N").times(dims("m")), Some(dims("J")));
        assert_eq!(dims("J").over(dims("s")), Some(dims("W")));
        assert_eq!(dims("N").over(dims("m").power(2).unwrap()), Some(dims("Pa")));
        assert_eq!(dims("m").power(2).unwrap().root(2), Some(dims("m")));
        assert_eq!(dims("m").root(2), None);
        assert_eq!(dims("m").power(31), None);
        assert_eq!(dims("m").power(i32::MAX), None);
    }

    #[test]
    fn exact_dimensions_read_as_words() {
        assert_eq!(LENGTH.to_string(), "a length (m)");
        assert_eq!(Dims::new(4, 1, -3).to_string(), "a quantity in kg m^4 s^-3");
    }

    /// Each `m` more would double the ways to cut a word into `m` and `mm`.
    #[test]
    fn keeps_time_for_long_words() {
        assert_eq!(meant("kgm2").as_deref(), Some("write `kg m^2`"));
        assert_eq!(meant(&format!("{}_", "m".repeat(900))), None);
    }

    #[test]
    fn exact_units_stand_alone() {
        assert_eq!(parse("N/mm"), Some((1e3, Dims::new(0, 1, -2))));
        assert_eq!(parse("1/s"), Some((1.0, Dims::new(0, 0, -1))));
        for text in ["", "furlong", "N + 1", "2", "N) + (1 N", "x"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
