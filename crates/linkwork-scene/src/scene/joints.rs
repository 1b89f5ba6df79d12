//! Joints, and the guides that some of them run on.

use super::build::Drawing;
use super::{BodyPoint, Joint, Scene, Solid, Vector};
use linkwork::interactions::CurveShape;
use linkwork::joints::Coupling;
use linkwork::linalg::vec3::{Vec3, axpy, dot, sub};
use linkwork::mechanism::MechanismJoint;
use linkwork::model::JointKind;

/// Places between two points of a curve.
const ON_CURVE: usize = 8;

/// All joints that results show and that are between bodies of the scene.
pub(super) fn joints(drawing: &Drawing<'_>) -> Vec<Joint> {
    let all = &*drawing.all;
    let joint = |joint: &MechanismJoint| {
        let spots = [spot(drawing, joint, 0)?, spot(drawing, joint, 1)?];
        let turns = drawing.planar && joint.kind == JointKind::Revolute;
        let axis = joint.axis.or(turns.then_some([0.0, 0.0, 1.0]));
        let (kind, symbol) = (joint.kind.name().into(), joint.kind.descriptor().symbol);
        Some(Joint { name: joint.name.clone(), kind, symbol, spots, axis })
    };
    all.named_joints().filter_map(|(_, j)| joint(j)).collect()
}

/// A joint's place on one of its bodies.
fn spot(drawing: &Drawing<'_>, joint: &MechanismJoint, side: usize) -> Option<BodyPoint> {
    let all = &*drawing.all;
    let body = drawing.body_of(all, joint.bodies[side])?;
    let node = joint.points[side];
    let holds = joint.bodies[side].is_none_or(|b| all.bodies()[b].weights(node).is_some());
    if holds {
        return drawing.spot(all, &all.spot(joint.bodies[side], node));
    }
    // a body that does not have the point has its place where that is drawn
    let said = drawing.model.joints.iter().find(|said| said.name == joint.name)?;
    Some(drawing.on(body, drawing.drawn(&said.at[side])?))
}

/// Adds guides to the bodies that carry them: lines along which something slides, and curves.
pub(super) fn guides(drawing: &Drawing<'_>, scene: &mut Scene) {
    for said in &drawing.model.joints {
        let Some(joint) = scene.joints.iter().find(|joint| joint.name == said.name) else { continue };
        let body = joint.spots[0].body;
        let line = match said.data.coupling() {
            _ if joint.symbol.is_guided() => joint.axis.map(|axis| slide(drawing, joint, axis)),
            Coupling::Curve(points, closed) => curve(drawing, body, points, closed),
            _ => None,
        };
        if let Some(through) = line {
            scene.bodies[body].solids.push(Solid::Line { through });
        }
    }
}

/// From the joint's point on the first body past that on the second, and some way on.
fn slide(drawing: &Drawing<'_>, joint: &Joint, axis: Vector) -> Vec<Vector> {
    let [first, second] = joint.spots.map(|spot| drawing.as_drawn(&spot));
    let along = dot(axis, sub(second, first));
    let beyond = if joint.spots[0].body == 0 { 8.0 } else { 3.0 } * drawing.unit;
    let at = joint.spots[0].at;
    let end = |s: f64| axpy(at, s, axis);
    let said = drawing.model.joints.iter().find(|said| said.name == joint.name);
    let limits = said.and_then(|said| said.forces.first()).and_then(|forces| forces.limits);
    // as long as its limits say, where there are some
    let [low, high] = limits.map_or([None; 2], |limits| limits.map(|x| Some(x).filter(|x| x.is_finite())));
    let least = low.unwrap_or(along.min(0.0) - beyond);
    vec![end(least), end(high.unwrap_or(along.max(0.0) + beyond))]
}

fn curve(drawing: &Drawing<'_>, body: usize, points: &[String], closed: bool) -> Option<Vec<Vector>> {
    let drawn = points.iter().filter_map(|point| drawing.drawn(point));
    let points: Vec<Vec3> = drawn.map(|p| drawing.on(body, p).at).collect();
    Some(CurveShape::new(&points, closed).ok()?.places(ON_CURVE))
}
