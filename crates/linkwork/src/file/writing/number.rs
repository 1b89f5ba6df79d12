//! Numbers with as few digits as give the same bits, and quantities with their units.
//!
//! A quantity has its SI unit behind it, so that the number is the one of the model. Zero has no unit. Angles are written in degrees, their rates in turns a minute
//! and lengths in millimetres where that is the same to the last bit and shorter to read: `30 deg` and not `0.5235987755982988 rad`.

use crate::expressions::units;

/// The unit of angles.
pub(crate) const RADIAN: &str = "rad";

/// SI units, and others that people write for them.
const OTHERS: [(&str, &str); 3] = [(RADIAN, "deg"), ("rad/s", "rpm"), ("m", "mm")];

/// From here on powers of ten are shorter to read than zeros.
const LARGE: f64 = 1e6;

/// The shortest text that reads as this number.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return format!("{value}").to_lowercase();
    }
    // the standard library writes the fewest digits, with an exponent below 1e-4 and from 1e16 on
    let text = format!("{value:?}");
    let text = match text.strip_suffix(".0") {
        Some(whole) if !(value == 0.0 && value.is_sign_negative()) => whole.to_owned(),
        _ => text,
    };
    let power = format!("{value:e}");
    if value.abs() >= LARGE && power.len() < text.len() { power } else { text }
}

/// A number with its unit, or nothing where it goes without: then it is a bare number.
pub(crate) fn quantity(value: f64, unit: &str) -> Option<String> {
    if value == 0.0 || !value.is_finite() || unit.is_empty() {
        return None;
    }
    let si = format!("{} {unit}", number(value));
    let other = OTHERS.iter().find(|(known, _)| *known == unit).and_then(|(_, other)| in_other(value, other));
    Some(other.filter(|text| text.len() < si.len()).unwrap_or(si))
}

/// A quantity in a unit that is not that of SI, if it is the same to the last bit with fewer digits than a number can have.
fn in_other(value: f64, unit: &str) -> Option<String> {
    /// Significant digits beyond which it is no shorter than in SI units.
    const DIGITS: usize = 12;
    let (size, _) = units::unit(unit)?;
    times(value, size, DIGITS).map(|count| format!("{} {unit}", number(count)))
}

/// How many times a unit of a size a value is: the shortest number whose product with the size, as the reader computes it, has the same bits.
pub(crate) fn times(value: f64, size: f64, digits: usize) -> Option<f64> {
    (0..digits).find_map(|digits| {
        let rounded: f64 = format!("{:.digits$e}", value / size).parse().ok()?;
        ((rounded * size).to_bits() == value.to_bits()).then_some(rounded)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0.0"),
            (800.0, "800"),
            (0.1, "0.1"),
            (-9.81, "-9.81"),
            (1e-5, "1e-5"),
            (0.001, "0.001"),
            (250000.0, "250000"),
            (2.1e11, "2.1e11"),
            (1234567.0, "1234567"),
            (1e300, "1e300"),
            (0.1 + 0.2, "0.30000000000000004"),
            // as TOML has them; the reader refuses them
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn quantities_have_units() {
        assert_eq!(quantity(800.0, "N/m").as_deref(), Some("800 N/m"));
        assert_eq!(quantity(0.0, "N/m"), None);
        assert_eq!(quantity(30f64.to_radians(), RADIAN).as_deref(), Some("30 deg"));
        assert_eq!(quantity(0.3, RADIAN).as_deref(), Some("0.3 rad"));
        assert_eq!(quantity(-1.0, RADIAN).as_deref(), Some("-1 rad"));
        assert_eq!(quantity(350.0 * 1e-3, "m").as_deref(), Some("350 mm"));
        assert_eq!(quantity(0.25, "m").as_deref(), Some("0.25 m"));
        assert_eq!(quantity(-20.0 * std::f64::consts::TAU / 60.0, "rad/s").as_deref(), Some("-20 rpm"));
    }

    proptest! {
        #[test]
        fn same_bits_after_reading(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let text = number(value);
            prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
            // TOML: a whole number, or a fraction, or a power of ten
            let table: toml::Table = toml::from_str(&format!("x = {text}")).unwrap();
            let read = table["x"].as_float().or(table["x"].as_integer().map(|i| i as f64));
            prop_assert_eq!(read.unwrap().to_bits(), value.to_bits());
        }

        #[test]
        fn same_quantity_after_reading(tenths in -3600..3600, free in -10.0..10.0) {
            for (unit, other) in OTHERS {
                let (size, _) = units::unit(other).unwrap();
                for value in [f64::from(tenths) / 10.0 * size, f64::from(tenths) / 1000.0, free] {
                    if let Some(text) = quantity(value, unit) {
                        let read = crate::model::Formula::parse(&text).unwrap().is_constant().unwrap();
                        prop_assert_eq!(read.to_bits(), value.to_bits());
                    }
                }
            }
        }
    }
}
