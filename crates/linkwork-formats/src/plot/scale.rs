//! Axes: limits, ticks and their labels.

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Lowest and highest value shown.
    pub limits: [f64; 2],
    /// Values with a tick.
    pub ticks: Vec<f64>,
    /// What stands at each tick.
    pub labels: Vec<String>,
    /// The labels are to be multiplied by ten to this power, then `offset` is added.
    pub power: i32,
    /// See `power`; with all the digits that the labels need.
    pub offset: Option<String>,
}

/// The range of all finite values, or nothing.
pub fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.filter(|x| x.is_finite()).fold(None, |range, x| match range {
        None => Some([x, x]),
        Some([low, high]) => Some([low.min(x), high.max(x)]),
    })
}

/// A range with room on both sides, as a part of its length. One value alone gets a range about it.
pub fn widened([low, high]: [f64; 2], by: f64) -> [f64; 2] {
    let size = low.abs().max(high.abs());
    let span = high - low;
    // what differs by rounding only is one value
    if span <= 1e-14 * size || span == 0.0 {
        let around = if size == 0.0 { 1.0 } else { 0.1 * size };
        return [low - around, high + around];
    }
    // values near the largest number would leave it
    [(low - by * span).max(f64::MIN), (high + by * span).min(f64::MAX)]
}

impl Scale {
    /// An axis over these limits with about so many ticks.
    pub fn new(limits: [f64; 2], about: f64) -> Scale {
        let step = nice_step((limits[1] / 2.0 - limits[0] / 2.0) / about.max(1.0) * 2.0);
        let first = (limits[0] / step - 1e-9).ceil();
        let mut ticks: Vec<f64> = (0..64)
            .map(|i| (first + f64::from(i)) * step)
            .take_while(|x| x.is_finite() && *x <= limits[1] + 1e-9 * step)
            .collect();
        for x in &mut ticks {
            // no 1e-17 where there is zero
            if x.abs() < 1e-9 * step {
                *x = 0.0;
            }
        }
        let largest = ticks.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        // where ticks differ in their seventh digit or later, what they share is reported once
        let offset = if largest > 0.0 && step / largest < 1e-6 { middle_of(&ticks, step) } else { 0.0 };
        let spread = ticks.iter().fold(0.0_f64, |m, x| m.max((x - offset).abs()));
        let exponent = if spread > 0.0 { (spread * (1.0 + 1e-9)).log10().floor() as i32 } else { 0 };
        let power = if (-2..=4).contains(&exponent) { 0 } else { exponent.clamp(-300, 308) };
        let unit = 10_f64.powi(power);
        let decimals = (power - (step * (1.0 + 1e-9)).log10().floor() as i32).clamp(0, 15) as usize;
        let labels = ticks.iter().map(|x| signed(&format!("{:.decimals$}", (x - offset) / unit))).collect();
        let offset = (offset != 0.0).then(|| signed(&format!("{offset}")));
        Scale { limits, ticks, labels, power, offset }
    }

    /// An axis of a width in letters over logarithms to the base ten, labelled with the numbers: ticks at their first digits, labels at as many as there is room for.
    pub fn logarithmic(limits: [f64; 2], wide: f64) -> Scale {
        let decade = wide / (limits[1] - limits[0]).max(f64::MIN_POSITIVE);
        // labels are about four letters wide: of each decade 1, 2 and 5 have one, or 1, or one 1 in several decades
        let (labelled, every): (&[i32], i32) = match decade {
            d if d > 18.0 => (&[1, 2, 5], 1),
            d if d > 5.0 => (&[1], 1),
            d => (&[1], (5.0 / d).ceil().min(1e3) as i32),
        };
        let digits: &[i32] = if decade > 5.0 { &[1, 2, 3, 4, 5, 6, 7, 8, 9] } else { &[1] };
        let (mut ticks, mut labels) = (Vec::new(), Vec::new());
        let [first, last] = [limits[0].floor().max(-300.0) as i32, limits[1].ceil().min(300.0) as i32];
        for power in first..=last {
            for &digit in digits {
                let number = f64::from(digit) * 10_f64.powi(power);
                let at = number.log10();
                if at < limits[0] - 1e-9
                    || at > limits[1] + 1e-9
                    || (every > 1 && power.rem_euclid(every) != 0)
                {
                    continue;
                }
                ticks.push(at);
                labels.push(match (labelled.contains(&digit), (-4..=5).contains(&power)) {
                    (false, _) => String::new(),
                    (true, true) => format!("{number:.*}", (-power).max(0) as usize),
                    (true, false) => signed(&format!("{digit}e{power}")),
                });
            }
        }
        Scale { limits, ticks, labels, power: 0, offset: None }
    }

    /// Where a value lies: 0 at the lower limit, 1 at the upper.
    pub fn place(&self, x: f64) -> f64 {
        let [low, high] = self.limits;
        (x / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
    }

    /// The multiplier and offset as pieces of text: `×10` and a raised power; empty where there is none.
    pub fn factor(&self) -> Vec<(String, bool)> {
        let mut pieces = Vec::new();
        if self.power != 0 {
            pieces.push(("×10".into(), false));
            pieces.push((signed(&self.power.to_string()), true));
        }
        if let Some(offset) = &self.offset {
            let joint = if offset.starts_with('−') { " " } else { " +" };
            pieces.push((format!("{joint}{offset}"), false));
        }
        pieces
    }
}

/// 1, 2 or 5 times a power of ten, near a length.
pub fn nice_step(length: f64) -> f64 {
    let length = if length.is_finite() && length > 0.0 { length } else { 1.0 };
    let unit = 10_f64.powf(length.log10().floor());
    let unit = if unit > 0.0 && unit.is_finite() { unit } else { f64::MIN_POSITIVE };
    let part = length / unit;
    unit * if part < 1.5 {
        1.0
    } else if part < 3.5 {
        2.0
    } else if part < 7.5 {
        5.0
    } else {
        10.0
    }
}

/// A round number within the ticks.
fn middle_of(ticks: &[f64], step: f64) -> f64 {
    let first = ticks.first().copied().unwrap_or(0.0);
    let coarse = 100.0 * step;
    let round = (first / coarse).round() * coarse;
    // written with as many digits as it has and no more
    format!("{round:.*e}", ((round.abs() / coarse).log10().ceil().max(0.0) as usize).min(16))
        .parse()
        .unwrap_or(first)
}

/// A number with a minus sign instead of a hyphen, and no minus before zero.
pub fn signed(number: &str) -> String {
    if number.starts_with('-') && number.chars().all(|c| "-0.".contains(c)) {
        return number[1..].to_string();
    }
    number.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_ticks() {
        let scale = Scale::new([-1.05, 1.05], 5.0);
        assert_eq!(scale.labels, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(scale.place(0.0), 0.5);
        let scale = Scale::new([0.0, 3e-7], 3.0);
        assert_eq!((scale.labels.join(" "), scale.power), ("0 1 2 3".into(), -7));
        assert_eq!(scale.factor(), [("×10".into(), false), ("−7".into(), true)]);
        let scale = Scale::new([0.0, 12000.0], 6.0);
        assert_eq!((scale.labels[1].as_str(), scale.power), ("2000", 0));
        // only the last digits differ
        let scale = Scale::new([123_456.000_000_1, 123_456.000_000_9], 4.0);
        assert!(scale.offset.is_some() && scale.labels.iter().all(|l| l.chars().count() < 8), "{scale:?}");
    }

    /// Decades, with digits between them where there is room.
    #[test]
    fn exact_logarithmic_ticks() {
        let scale = Scale::logarithmic([-1.1, 2.2], 60.0);
        assert_eq!(
            scale.labels.iter().filter(|l| !l.is_empty()).collect::<Vec<_>>(),
            ["0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50", "100"]
        );
        assert!(scale.ticks.len() > 25 && scale.ticks.contains(&2.0_f64.log10()));
        let scale = Scale::logarithmic([-1.1, 2.2], 30.0);
        assert_eq!(
            scale.labels.iter().filter(|l| !l.is_empty()).collect::<Vec<_>>(),
            ["0.1", "1", "10", "100"]
        );
        let scale = Scale::logarithmic([-40.0, 40.0], 50.0);
        assert!(scale.labels.len() < 12 && scale.labels.contains(&"1".into()), "{scale:?}");
        for limits in [[0.0, 0.0], [-1e9, 1e9], [0.3, 0.31]] {
            assert!(Scale::logarithmic(widened(limits, 0.0), 50.0).ticks.len() < 100);
        }
    }

    /// Whatever the limits, there are a few ticks within them and no label is absurd.
    #[test]
    fn keeps_sane_at_the_edges() {
        for limits in [
            [0.0, 1e-300],
            [-1e300, 1e300],
            [f64::MIN, f64::MAX],
            [1.0, 1.0 + 1e-13],
            [-5e-324, 5e-324],
            [1e15, 1e15 + 1.0],
        ] {
            let scale = Scale::new(widened(limits, 0.0), 5.0);
            assert!(scale.ticks.iter().all(|x| x.is_finite()), "{scale:?}");
            assert!(scale.labels.iter().all(|l| !l.contains("NaN") && l.len() < 30), "{scale:?}");
        }
        assert_eq!(widened([2.0, 2.0], 0.05), [1.8, 2.2]);
    }
}
