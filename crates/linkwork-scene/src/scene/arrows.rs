//! Forces that can be shown as arrows, and the result columns that give them.

use super::build::Drawing;
use super::{Arrow, ArrowKind, BodyPoint, Scene};
use linkwork::interactions::elements::{Line, Symbol};
use linkwork::model::JointKind;
use std::collections::HashSet;

/// All arrows whose columns are there.
pub(super) fn arrows(drawing: &Drawing<'_>, scene: &Scene) -> Vec<Arrow> {
    let known: HashSet<String> =
        linkwork::results::columns(drawing.start).into_iter().map(|column| column.name).collect();
    let mut arrows = Vec::new();
    let mut push = |arrow: Arrow| {
        if !arrow.columns.is_empty() && arrow.columns.iter().all(|column| known.contains(column)) {
            arrows.push(arrow);
        }
    };
    let axes = if drawing.planar { &["x", "y"][..] } else { &["x", "y", "z"] };
    let components = |name: &str| axes.iter().map(|axis| format!("{name}.{axis}")).collect();
    for joint in scene.joints.iter().filter(|joint| joint.kind != JointKind::Floating.name()) {
        let name = format!("joint.{}", joint.name);
        let columns = components(&format!("{name}.force"));
        push(Arrow { name, kind: ArrowKind::Reaction, at: joint.spots[1], towards: None, columns });
    }
    // what acts along lines comes first
    let mut symbols: Vec<_> = drawing.symbols.iter().collect();
    symbols.sort_by_key(|(.., symbol)| match symbol {
        Symbol::Line { .. } => 0,
        Symbol::Rope { .. } => 1,
        _ => 2,
    });
    for (word, name, symbol) in symbols {
        let name = format!("{word}.{name}");
        match symbol {
            Symbol::Line { look, ends: [first, second] } if *look != Line::Actuator => {
                if let (Some(first), Some(second)) = (drawing.point(first), drawing.point(second)) {
                    along(&name, [first, second], &mut push);
                }
            }
            Symbol::Rope { through, radii, .. } => {
                let points: Option<Vec<BodyPoint>> = through.iter().map(|p| drawing.point(p)).collect();
                ends_of_rope(&name, &points.unwrap_or_default(), radii, &mut push);
            }
            Symbol::Arrow { body, at } => {
                if let Some(at) = on(drawing, body, *at) {
                    let columns = components(&name);
                    push(Arrow { name, kind: ArrowKind::Force, at, towards: None, columns });
                }
            }
            _ => {}
        }
    }
    arrows
}

/// A point of a body, or its centre of mass.
fn on(drawing: &Drawing<'_>, body: &str, at: Option<&str>) -> Option<BodyPoint> {
    let body = drawing.body(body)?;
    at.map_or(Some(BodyPoint { body, at: [0.0; 3] }), |point| Some(drawing.on(body, drawing.drawn(point)?)))
}

/// What pulls along a line: an arrow at either end.
fn along(name: &str, [first, second]: [BodyPoint; 2], push: &mut impl FnMut(Arrow)) {
    for (at, towards) in [(first, second), (second, first)] {
        let columns = vec![format!("{name}.force")];
        push(Arrow { name: name.into(), kind: ArrowKind::Spring, at, towards: Some(towards), columns });
    }
}

/// Arrows at both ends of a rope. Beside a pulley the rope does not lead to the point.
fn ends_of_rope(name: &str, through: &[BodyPoint], radii: &[f64], push: &mut impl FnMut(Arrow)) {
    let runs_straight = |radius: Option<&f64>| radius.is_none_or(|r| *r == 0.0);
    if let [first, second, ..] = through[..]
        && runs_straight(radii.get(1))
    {
        along(name, [first, second], push);
    }
    if let [.., before, last] = through[..]
        && through.len() > 2
        && runs_straight(radii.get(through.len() - 2))
    {
        along(name, [last, before], push);
    }
}
