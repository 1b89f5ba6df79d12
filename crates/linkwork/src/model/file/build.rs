//! Decoded tables into a [`Model`].
//!
//! An item at fault becomes a harmless stand-in of the same name: the model then serves to find further
//! faults, and is thrown away.

use super::format::Root;
use super::joint_build;
use crate::file::decode::Reader;
use crate::file::keys::Kind;
use crate::model::{Amount, Dimension, Initial, Mass, Model, TIME};

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
    model.joints = root.joints.map_or(Vec::new(), |entries| entries.0);
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
    model.view = root.view.unwrap_or_default();
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
