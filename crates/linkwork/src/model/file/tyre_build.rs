//! The table of a tyre into the model.

use super::format::TyreTable;
use super::values::TyreModel;
use crate::error::names::segment;
use crate::file::decode::Reader;
use crate::model::{Brush, Dimension, Fault, Formula, Tyre};

pub(super) fn tyre(name: String, table: TyreTable, dimension: Dimension, reader: &mut Reader<'_>) -> Tyre {
    let path = format!("tyres.{}", segment(&name));
    let grips = table.model.is_some_and(|choice| choice.0 == TyreModel::Brush);
    let planar = dimension == Dimension::Planar;
    let slip_stiffness = table.slip_stiffness.map(|value| value.0);
    let cornering_stiffness = table.cornering_stiffness.map(|value| value.0);
    let friction = table.friction.map(|value| value.0);
    let rolling_resistance = table.rolling_resistance.map(|value| value.0);
    let slip_speed = table.slip_speed.map(|value| value.0);
    let keys = [
        ("slip_stiffness", slip_stiffness, true),
        ("cornering_stiffness", cornering_stiffness, !planar),
        ("friction", friction, true),
        ("rolling_resistance", rolling_resistance, false),
        ("slip_speed", slip_speed, false),
    ];
    for (key, value, needed) in keys {
        let at = format!("{path}.{key}");
        if value.is_some() && !grips {
            let fault = Fault::error(at, format!("a radial tyre has no `{key}`"));
            reader.reject(fault.help("model = \"brush\" makes the tyre grip the road"));
        } else if value.is_some() && planar && key == "cornering_stiffness" {
            reader.reject(Fault::error(at, "in the plane no tyre slips sideways: remove it"));
        } else if grips && needed && value.is_none() && !reader.broken.contains(&at) {
            reader.reject(Fault::error(path.clone(), format!("a brush tyre needs `{key}`")));
        }
    }
    let brush = grips.then(|| Brush {
        slip_stiffness: slip_stiffness.unwrap_or(0.0),
        cornering_stiffness: cornering_stiffness.unwrap_or(0.0),
        friction: friction.unwrap_or(0.0),
        rolling_resistance: rolling_resistance.unwrap_or(0.0),
        slip_speed: slip_speed.unwrap_or(Brush::SLIP_SPEED),
    });
    Tyre {
        name,
        body: table.body.unwrap_or_default(),
        centre: table.centre.unwrap_or_default(),
        axis: table.axis.map(|direction| direction.0),
        radius: table.radius.map_or(1.0, |value| value.0),
        stiffness: table.stiffness.map_or(1.0, |value| value.0),
        damping: table.damping.map_or(0.0, |value| value.0),
        brush,
        road: table.road.map_or(Formula::constant(0.0), |road| road.0),
    }
}
