//! Forces that can be shown as arrows, and the result columns that give them.

use super::build::Drawing;
use super::{Arrow, ArrowKind, BodyPoint, Scene, SpringLook};
use linkwork::model::JointKind;
use std::collections::HashSet;

/// All arrows whose columns are there.
pub(super) fn arrows(drawing: &Drawing<'_>, scene: &Scene) -> Vec<Arrow> {
    let model = drawing.model;
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
    for spring in scene.springs.iter().filter(|spring| spring.look != SpringLook::Actuator) {
        let name = format!("spring.{}", spring.name);
        along(name, spring.ends, &mut push);
    }
    for cable in &scene.cables {
        let name = format!("cable.{}", cable.name);
        // beside a pulley the rope does not lead to the point
        let runs_straight = |radius: Option<&f64>| radius.is_none_or(|r| *r == 0.0);
        if let [first, second, ..] = cable.through[..]
            && runs_straight(cable.radii.get(1))
        {
            along(name.clone(), [first, second], &mut push);
        }
        if let [.., before, last] = cable.through[..]
            && cable.through.len() > 2
            && runs_straight(cable.radii.get(cable.through.len() - 2))
        {
            along(name, [last, before], &mut push);
        }
    }
    let on = |body: &str, at: Option<&String>| -> Option<BodyPoint> {
        let body = drawing.body(body)?;
        at.map_or(Some(BodyPoint { body, at: [0.0; 3] }), |point| {
            Some(drawing.on(body, drawing.drawn(point)?))
        })
    };
    let forces = model.forces.iter().map(|f| ("force", &f.name, &f.body, f.at.as_ref()));
    let thrusters = model.thrusters.iter().map(|t| ("thruster", &t.name, &t.body, t.at.as_ref()));
    let drags = model.drags.iter().map(|d| ("drag", &d.name, &d.body, d.at.as_ref()));
    for (table, name, body, at) in forces.chain(thrusters).chain(drags) {
        if let Some(at) = on(body, at) {
            let name = format!("{table}.{name}");
            let columns = components(&name);
            push(Arrow { name, kind: ArrowKind::Force, at, towards: None, columns });
        }
    }
    arrows
}

/// What pulls along a line: an arrow at either end.
fn along(name: String, [first, second]: [BodyPoint; 2], push: &mut impl FnMut(Arrow)) {
    for (at, towards) in [(first, second), (second, first)] {
        let columns = vec![format!("{name}.force")];
        push(Arrow { name: name.clone(), kind: ArrowKind::Spring, at, towards: Some(towards), columns });
    }
}
