//! A run kept in memory.

use super::Summary;
use crate::linalg::vec3::Vec3;
use crate::mechanism::Mechanism;
use crate::results::{Column, Frame};

/// All rows of a run.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// Columns of the result table.
    pub columns: Vec<Column>,
    /// Every row.
    pub frames: Vec<Frame>,
    /// How the run went.
    pub summary: Summary,
}

impl Trajectory {
    /// The values of one column, as in `trajectory.column(&mechanism, "point.B.x")`.
    pub fn column(&self, mechanism: &Mechanism, name: &str) -> Option<Vec<f64>> {
        let at = self.columns.iter().position(|c| c.name == name)?;
        let mut row = Vec::new();
        Some(
            self.frames
                .iter()
                .map(|frame| {
                    crate::results::row(mechanism, frame, &mut row);
                    row[at]
                })
                .collect(),
        )
    }

    /// Positions of a named point over time, m. Of a node of a chain that is not there yet, or no more, NaN.
    pub fn positions(&self, mechanism: &Mechanism, point: &str) -> Option<Vec<Vec3>> {
        let mut last: (*const Mechanism, Option<usize>) = (std::ptr::null(), None);
        let mut known = false;
        let mut all = Vec::with_capacity(self.frames.len());
        for frame in &self.frames {
            let stage = frame.stage.as_deref().unwrap_or(mechanism);
            if !std::ptr::eq(last.0, stage) {
                last = (stage, stage.points.iter().position(|p| p.name == point));
                known |= last.1.is_some();
            }
            all.push(last.1.map_or([f64::NAN; 3], |at| frame.positions[at]));
        }
        known.then_some(all)
    }
}
