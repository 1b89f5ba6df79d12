//! What the files of kinds need to describe them.

pub(super) use super::Coordinate::{Angle, Bend, Coupled, Path, Turn, TurnAboutAxis2, TurnOfAxis2};
pub(super) use super::Demand::{Across, Square};
pub(super) use super::describe::*;
pub(super) use crate::checks::{Checks, Sign};
pub(super) use crate::drawing::Axis;
pub(super) use crate::file::list::keys;
#[cfg(feature = "file")]
pub(super) use crate::file::values::{Direction, Length};
