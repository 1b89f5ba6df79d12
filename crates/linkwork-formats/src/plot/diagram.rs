//! Diagrams of many cases: histograms, and points of one number over another.

use super::layout::plain_axes;
use super::scale::{range, widened};
use super::{COLOURS, with_unit};
use crate::drawing::{Drawing, Pen};

/// A histogram: how many values lie in each of some parts of equal width between two limits. Lengths are in pixels.
///
/// ```
/// let drawing = linkwork_formats::plot::histogram(["force", "N"], [0.0, 4.0], &[1, 5, 2, 0], [320.0, 240.0]);
/// assert!(drawing.to_svg().contains("force (N)"));
/// ```
pub fn histogram([name, unit]: [&str; 2], limits: [f64; 2], counts: &[u64], size: [f64; 2]) -> Drawing {
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let x_limits = widened(limits, 0.03);
    let label = with_unit(name, unit);
    let (mut drawing, at) = plain_axes(size, [&label, "cases"], [x_limits, [0.0, 1.06 * most]]);
    drawing.description = format!("{label}: how many cases have which value");
    let colour = COLOURS[0];
    let width = (limits[1] - limits[0]) / counts.len().max(1) as f64;
    for (i, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to) = (limits[0] + width * i as f64, limits[0] + width * (i + 1) as f64);
        let (low, high) = (at([from, 0.0]), at([to, *count as f64]));
        // one value alone still has a bar
        let right = high[0].max(low[0] + 2.0);
        let corners = vec![[low[0], low[1]], [right, low[1]], [right, high[1]], [low[0], high[1]]];
        drawing.polygon(corners, Some(colour.lighter(0.4)), Some(Pen::solid(colour, 0.8)));
    }
    drawing
}

/// Points of one number over another; those that are not finite are left out. Lengths are in pixels.
pub fn scatter([x_name, y_name]: [[&str; 2]; 2], points: &[[f64; 2]], size: [f64; 2]) -> Drawing {
    let finite = || points.iter().filter(|point| point.iter().all(|x| x.is_finite()));
    let limits = |c: usize| widened(range(finite().map(|point| point[c])).unwrap_or([0.0, 1.0]), 0.04);
    let labels = [with_unit(x_name[0], x_name[1]), with_unit(y_name[0], y_name[1])];
    let (mut drawing, at) = plain_axes(size, [&labels[0], &labels[1]], [limits(0), limits(1)]);
    drawing.description = format!("{} over {}, a point for each case", labels[1], labels[0]);
    for point in finite() {
        drawing.circle(at(*point), 1.6, Some(COLOURS[0].faded(0.55)), None);
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::Element;

    #[test]
    fn exact_marks_stand_where_their_values_are() {
        let points = [[0.0, 0.0], [1.0, 10.0], [0.5, 5.0], [f64::NAN, 1.0]];
        let drawing = scatter([["l", "m"], ["x", ""]], &points, [320.0, 240.0]);
        let circles: Vec<[f64; 2]> = drawing
            .elements
            .iter()
            .filter_map(|e| match e {
                Element::Circle { at, .. } => Some(*at),
                _ => None,
            })
            .collect();
        assert_eq!(circles.len(), 3);
        for c in 0..2 {
            let middle = (circles[0][c] + circles[1][c]) / 2.0;
            // pixels, a few roundings of numbers near 100
            assert!((middle - circles[2][c]).abs() < 1e-9);
        }
        assert!(circles[0][0] < circles[1][0] && circles[0][1] > circles[1][1]);
        let bars = |counts: &[u64]| {
            let drawing = histogram(["x", ""], [2.0, 2.0], counts, [320.0, 240.0]);
            drawing.elements.iter().filter(|e| matches!(e, Element::Path { fill: Some(_), .. })).count()
        };
        assert_eq!(bars(&[3, 0, 1]), 2);
        assert!(drawing.to_svg().starts_with("<svg"));
    }
}
