//! Elements along lines and over pulleys, from their descriptions.

use super::build::Drawing;
use super::{BodyPoint, Cable, Spring, SpringLook};
use linkwork::interactions::elements::{Line, Symbol};

/// What acts along a line between two points.
pub(super) fn lines(drawing: &Drawing<'_>) -> Vec<Spring> {
    let line = |(_, name, symbol): &(_, &str, Symbol<'_>)| {
        let Symbol::Line { look, ends: [first, second] } = symbol else { return None };
        let ends = [drawing.point(first)?, drawing.point(second)?];
        Some(Spring { name: (*name).into(), look: SpringLook::from(*look), ends })
    };
    drawing.symbols.iter().filter_map(line).collect()
}

impl From<Line> for SpringLook {
    fn from(look: Line) -> Self {
        match look {
            Line::Coil => SpringLook::Spring,
            Line::Damper => SpringLook::Damper,
            Line::CoilAndDamper => SpringLook::Both,
            Line::Rope => SpringLook::Rope,
            Line::Actuator => SpringLook::Actuator,
        }
    }
}

/// Ropes with their pulleys.
pub(super) fn ropes(drawing: &Drawing<'_>) -> Vec<Cable> {
    let rope = |(_, name, symbol): &(_, &str, Symbol<'_>)| {
        let Symbol::Rope { through, radii, axis } = symbol else { return None };
        let points = through.iter().map(|point| drawing.point(point));
        Some(Cable {
            name: (*name).into(),
            through: points.collect::<Option<Vec<BodyPoint>>>()?,
            radii: radii.clone(),
            axis: axis.map_or(Some([0.0, 0.0, 1.0]), |axis| drawing.direction(axis))?,
        })
    };
    drawing.symbols.iter().filter_map(rope).collect()
}
