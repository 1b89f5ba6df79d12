//! Which colour is which value.

use super::INK;
use crate::deformable::{Looks, Scale};
use crate::drawing::{Anchor, Drawing};

/// Pieces of a bar of colours.
const PIECES: usize = 24;

/// Draws the scales of colours into the corner at the top left, one below the other; and by how much deformations are enlarged.
pub(super) fn draw(drawing: &mut Drawing, looks: &Looks, letters: f64) {
    let (left, mut top) = (0.8 * letters, 1.6 * letters);
    let small = 0.85 * letters;
    for scale in looks.scales() {
        let text = format!("{}, {}", scale.field.name, scale.field.unit);
        drawing.text([left, top], &text, small, Anchor::Start, INK);
        ramp(drawing, scale, [left, top + 0.4 * letters], [11.0 * letters, 0.6 * letters]);
        let ends = scale.range.map(told);
        let below = top + 1.9 * letters;
        drawing.text([left, below], &ends[0], small, Anchor::Start, INK);
        drawing.text([left + 11.0 * letters, below], &ends[1], small, Anchor::End, INK);
        top += 3.8 * letters;
    }
    if looks.enlarged != 1.0 && looks.has_surfaces() {
        let text = format!("deformation ×{}", told(looks.enlarged));
        drawing.text([left, top], &text, small, Anchor::Start, INK);
    }
}

fn ramp(drawing: &mut Drawing, scale: &Scale, [left, top]: [f64; 2], [wide, high]: [f64; 2]) {
    let [low, upper] = scale.range;
    for k in 0..PIECES {
        let x = |k: usize| left + wide * k as f64 / PIECES as f64;
        let value = low + (upper - low) * (k as f64 + 0.5) / PIECES as f64;
        // a hair wider, so that nothing shows between
        let right = (x(k + 1) + 0.3).min(left + wide);
        let corners = vec![[x(k), top], [right, top], [right, top + high], [x(k), top + high]];
        drawing.polygon(corners, Some(scale.colour(value)), None);
    }
}

/// A number with three digits.
fn told(x: f64) -> String {
    let size = x.abs();
    let text = match size {
        0.0 => "0".into(),
        _ if (0.01..10_000.0).contains(&size) => {
            let digits = (2.0 - size.log10().floor()).max(0.0) as usize;
            let text = format!("{x:.digits$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
        }
        _ => format!("{x:.2e}"),
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    #[test]
    fn exact_numbers_of_legends() {
        for (x, text) in [
            (0.0, "0"),
            (1.213_4, "1.21"),
            (-0.010_12, "−0.0101"),
            (16.76, "16.8"),
            (200.0, "200"),
            (0.001, "1.00e−3"),
            (2.5e8, "2.50e8"),
        ] {
            assert_eq!(super::told(x), text);
        }
    }
}
