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

    /// Positions of a named point over time, m.
    pub fn positions(&self, mechanism: &Mechanism, point: &str) -> Option<Vec<Vec3>> {
        let at = mechanism.points.iter().position(|p| p.name == point)?;
        Some(self.frames.iter().map(|f| f.positions[at]).collect())
    }
}
