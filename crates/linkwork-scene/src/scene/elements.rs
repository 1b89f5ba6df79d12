//! Springs, dampers, ropes, actuators and cables.

use super::build::Drawing;
use super::{BodyPoint, Cable, Spring, SpringLook};
use linkwork::model::{self, ActsOn, Side};

/// What pulls along a line between two points.
pub(super) fn springs(drawing: &Drawing<'_>) -> Vec<Spring> {
    let ends = |points: &[String; 2]| Some([drawing.point(&points[0])?, drawing.point(&points[1])?]);
    let spring = |spring: &model::Spring| {
        Some(Spring { name: spring.name.clone(), look: look(spring), ends: ends(&spring.between)? })
    };
    let actuator = |(name, of): (&String, &ActsOn)| {
        let ActsOn::Between(points) = of else { return None };
        Some(Spring { name: name.clone(), look: SpringLook::Actuator, ends: ends(points)? })
    };
    let (actuators, motors) = (&drawing.model.actuators, &drawing.model.motors);
    let acting = actuators.iter().map(|a| (&a.name, &a.of)).chain(motors.iter().map(|m| (&m.name, &m.of)));
    drawing.model.springs.iter().filter_map(spring).chain(acting.filter_map(actuator)).collect()
}

fn look(spring: &model::Spring) -> SpringLook {
    let springs =
        spring.stiffness > 0.0 || spring.table.is_some() || spring.law.is_some() || spring.preload != 0.0;
    match (spring.tension_only, springs, spring.damping > 0.0) {
        (true, ..) => SpringLook::Rope,
        (false, false, true) => SpringLook::Damper,
        (false, true, true) => SpringLook::Both,
        _ => SpringLook::Spring,
    }
}

/// Cables with their pulleys.
pub(super) fn cables(drawing: &Drawing<'_>) -> Vec<Cable> {
    let cable = |cable: &model::Cable| {
        let through =
            cable.through.iter().map(|point| drawing.point(point)).collect::<Option<Vec<BodyPoint>>>()?;
        let radius = |point: &String| {
            let pulley = cable.pulleys.iter().find(|pulley| pulley.point == *point);
            pulley.map_or(0.0, |pulley| match pulley.side {
                Side::Left => pulley.radius,
                Side::Right => -pulley.radius,
            })
        };
        Some(Cable {
            name: cable.name.clone(),
            through,
            radii: cable.through.iter().map(radius).collect(),
            axis: cable.axis.as_ref().map_or(Some([0.0, 0.0, 1.0]), |axis| drawing.direction(axis))?,
        })
    };
    drawing.model.cables.iter().filter_map(cable).collect()
}
