//! Forces as arrows, from the table of results.

use crate::Error;
use crate::geometry::{Vector, length, scaled, sub, unit};
use crate::motion::place;
use crate::table::Table;
use linkwork_scene::scene::ArrowKind;
use linkwork_scene::{Scene, Snapshot};
use std::collections::HashMap;

/// A force that suits most arrows of a kind is drawn this long, by bars; none is longer than so many times that.
const LENGTH: f64 = 12.0;
const LONGEST: f64 = 5.0;
/// The part of all forces that a suitable one is above.
const MOST: f64 = 0.75;

/// An arrow in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceArrow {
    /// What it shows.
    pub kind: ArrowKind,
    /// Where it begins.
    pub at: Vector,
    /// As long as it is drawn, m.
    pub way: Vector,
}

/// The forces of a run over time, and how long they are drawn.
#[derive(Clone, Debug)]
pub struct Forces {
    times: Vec<f64>,
    values: HashMap<String, Vec<f64>>,
    /// N for an arrow of the usual length.
    suitable: HashMap<u8, f64>,
}

impl Forces {
    /// Reads what the arrows of a scene need.
    pub fn read(table: &Table, scene: &Scene) -> Result<Forces, Error> {
        let place = |name: &str| table.columns.iter().position(|column| column.name == name);
        let mut names: Vec<&str> =
            scene.arrows.iter().flat_map(|arrow| &arrow.columns).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names.retain(|name| place(name).is_some());
        let places: Vec<usize> =
            place("t").into_iter().chain(names.iter().filter_map(|name| place(name))).collect();
        let mut columns = table.read(&places)?.into_iter();
        let times = columns.next().unwrap_or_default();
        let values = names.iter().map(|name| (*name).to_owned()).zip(columns).collect();
        let mut forces = Forces { times, values, suitable: HashMap::new() };
        for kind in [ArrowKind::Reaction, ArrowKind::Spring, ArrowKind::Force] {
            let of_kind = scene.arrows.iter().filter(|arrow| arrow.kind == kind);
            let mut sizes: Vec<f64> = of_kind
                .flat_map(|arrow| (0..forces.times.len()).map(|row| length(forces.row(&arrow.columns, row))))
                .filter(|size| *size > 0.0 && size.is_finite())
                .collect();
            sizes.sort_by(f64::total_cmp);
            if let Some(suitable) = sizes.get((MOST * (sizes.len().saturating_sub(1)) as f64) as usize) {
                forces.suitable.insert(kind as u8, *suitable);
            }
        }
        Ok(forces)
    }

    fn row(&self, columns: &[String], row: usize) -> Vector {
        std::array::from_fn(|k| {
            let column = columns.get(k).and_then(|name| self.values.get(name));
            column.and_then(|column| column.get(row)).copied().unwrap_or(0.0)
        })
    }

    /// The arrows at the time of a pose, by the row before it.
    pub fn arrows(&self, scene: &Scene, pose: &Snapshot) -> Vec<ForceArrow> {
        let row = self.times.partition_point(|t| *t <= pose.t + 1e-9).saturating_sub(1);
        let usual = LENGTH * scene.unit;
        let mut arrows = Vec::new();
        for arrow in &scene.arrows {
            let (Some(at), Some(suitable)) = (place(&arrow.at, pose), self.suitable.get(&(arrow.kind as u8)))
            else {
                continue;
            };
            let force = self.row(&arrow.columns, row);
            let drawn = |force: f64| (force / suitable).clamp(-LONGEST, LONGEST) * usual;
            let mut push = |at: Vector, way: Vector| {
                if length(way) > 0.4 * scene.unit {
                    arrows.push(ForceArrow { kind: arrow.kind, at, way });
                }
            };
            match arrow.towards.and_then(|towards| place(&towards, pose)) {
                Some(other) if arrow.columns.len() == 1 => {
                    let along = unit(sub(other, at));
                    push(at, scaled(along, drawn(force[0])));
                    push(other, scaled(along, -drawn(force[0])));
                }
                _ => push(at, scaled(unit(force), drawn(length(force)))),
            }
        }
        arrows
    }
}
