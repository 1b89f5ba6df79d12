//! Decoded tables into a [`Model`].
//!
//! An item at fault becomes a harmless stand-in of the same name: the model then serves to find further
//! faults, and is thrown away.

use super::format::{ImpactLimits, JointTable, Root};
use super::joint_build;
use crate::error::names::segment;
use crate::expressions::units::Dims;
use crate::file::decode::Reader;
use crate::file::keys::Kind;
use crate::file::values::{Direction, Range};
use crate::model::{Amount, Dimension, Fault, ImpactLimit, Initial, Joint, JointKind, Mass, Model, TIME};

/// Builds the model; structural faults go to the reader.
pub(super) fn build(root: Root, dimension: Dimension, reader: &mut Reader<'_>) -> Model {
    let Root { sections: root, lists } = root;
    let about = root.model.unwrap_or_default();
    let mut model = Model::empty(about.name.unwrap_or_default(), dimension);
    model.gravity = about.gravity.map_or([0.0; 3], |gravity| gravity.0);
    model.points = root.points.unwrap_or_default().0;
    let bodies = root.bodies.unwrap_or_default();
    model.ground = bodies.ground.and_then(|ground| ground.points).unwrap_or_default();
    model.bodies = bodies.moving;
    for (name, table) in root.joints.map_or(Vec::new(), |named| named.0) {
        let table = table.unwrap_or_default();
        let forces = joint_build::joint_forces(&name, &table, dimension, reader);
        model.joints.push(Joint { forces, ..joint(name, table, reader) });
    }
    lists.fill(&mut model);
    initial_masses(&mut model);
    let initial = root.initial.unwrap_or_default();
    let initial_joints = initial.joints.map_or(Vec::new(), |named| named.0);
    model.initial = Initial {
        joints: initial_joints
            .into_iter()
            .filter_map(|(name, entry)| Some(joint_build::initial_joint(name, entry?.0, reader)))
            .collect(),
        velocities: initial.velocities.map_or(Vec::new(), Kind::value),
        angular_velocities: initial.angular_velocities.map_or(Vec::new(), Kind::value),
    };
    model.settings = root.simulation.unwrap_or_default();
    model
}

/// Sets the masses that vary to what they are at t = 0. Where a formula has no value the check will tell.
fn initial_masses(model: &mut Model) {
    for body in &mut model.bodies {
        let (Some(law), Mass::Given { mass, .. } | Mass::Shape(_, Amount::Mass(mass))) =
            (&body.mass_law, &mut body.mass)
        else {
            continue;
        };
        let only_time = law.references().iter().all(|reference| reference.target.single() == Some(TIME));
        let table = |name: &str| model.tables.iter().find(|table| table.name == name);
        if let Ok(law) = law.clone().with_tables(|name| table(name).map(|table| table.table.clone()))
            && only_time
        {
            *mass = law.eval(&[0.0], &mut Vec::new());
        }
    }
}

fn joint(name: String, table: JointTable, reader: &mut Reader<'_>) -> Joint {
    // without a kind nobody knows which of these belong
    let kind = table.r#type.map(|choice| choice.0);
    let direction = |key: Option<Direction>| key.filter(|_| kind.is_some()).map(|direction| direction.0);
    let (axis, axis2) = (direction(table.axis), direction(table.axis2));
    let limits = impact_limits(&name, kind, table.impact_limits, reader);
    Joint {
        name,
        kind: kind.unwrap_or(JointKind::Fixed),
        bodies: table.bodies.map_or_else(Default::default, |two| two.0),
        at: table.at.map_or_else(Default::default, |at| at.0),
        axis,
        axis2,
        length: table.length.filter(|_| kind.is_some()).map(|length| length.0),
        pitch: table.pitch.filter(|_| kind.is_some()).map(|pitch| pitch.0),
        radius: table.radius.filter(|_| kind.is_some()).map(|radius| radius.0),
        carrier: table.carrier.filter(|_| kind.is_some()),
        curve: table.curve.filter(|_| kind.is_some()).unwrap_or_default(),
        closed: table.closed.unwrap_or(false),
        cut: table.cut.unwrap_or(false),
        forces: Vec::new(),
        impact_limits: limits,
        active: table.active.unwrap_or(true),
        break_force: table.break_force.map(|force| force.0),
        break_moment: table.break_moment.map(|moment| moment.0),
    }
}

/// The limits of a joint. Without a kind nobody knows whether they are angles.
fn impact_limits(
    name: &str,
    kind: Option<JointKind>,
    limits: Option<ImpactLimits>,
    reader: &mut Reader<'_>,
) -> Vec<ImpactLimit> {
    let (Some(kind), Some(ImpactLimits(tables))) = (kind, limits) else { return Vec::new() };
    let mut limits = Vec::new();
    for (i, table) in tables.into_iter().enumerate() {
        let (Some(Range(range, dims)), Some(restitution)) = (table.range, table.restitution) else {
            continue;
        };
        let coordinate = table.coordinate.map_or(i + 1, |n| usize::try_from(n.0).unwrap_or(usize::MAX));
        let expected = reader.dimension.and_then(|dimension| coordinate_dims(kind, dimension, coordinate));
        if let (Some(found), Some(expected)) = (dims, expected)
            && found != expected
        {
            let path = format!("joints.{}.impact_limits", segment(name));
            reader.reject(Fault::error(path, format!("`range`: expected {expected}, found {found}")));
        }
        limits.push(ImpactLimit { coordinate, range, restitution: restitution.0 });
    }
    limits
}

/// Of a coordinate of a joint, counted from one, where its kind tells.
fn coordinate_dims(kind: JointKind, dimension: Dimension, coordinate: usize) -> Option<Dims> {
    kind.turns(dimension.is_planar(), coordinate)
        .map(|turns| if turns { Dims::NONE } else { Dims::new(1, 0, 0) })
}
