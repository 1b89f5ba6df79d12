//! Workspaces: where a point gets to while one or two quantities run over a grid, branch by branch.
//!
//! The map grows from one pose: a flood over the grid in which every cell starts from a neighbour's pose, so that branches are kept apart. From cell to cell
//!
//! ```text
//!   (W1)  C z = 0,  G z = Δ                 the way to go, from the constraints and the gradients of the quantities
//!   (W2)  q ← project(q ⊕ z)                with the quantities at their values; half the way where the projection moves bodies too far,
//!                                           or the determinant of [C; G] changes its sign
//! ```
//!
//! Where no way is short enough the branch ends, at a fold (a singular position of [C; G]) or at a limit; both are found up to 2⁻¹² of a cell.

mod axis;
mod flood;
mod quality;

pub use axis::GridAxis;

use super::configuration::{Configuration, DEPENDENT};
use super::pose::{self, Target};
use super::position_quantity::PositionQuantity;
use crate::Error;
use crate::linalg::singular_values::SingularValues;
use crate::linalg::vec3::Vec3;
use crate::mechanism::Mechanism;
use crate::model::{Fault, Faults};

/// A map has at most this many cells.
pub const MAX_CELLS: usize = 1_000_000;

/// How a map is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkspaceOptions {
    /// The time at which drivers are held, s.
    pub at: f64,
    /// Quantities that keep a value in all cells: freedoms that the grid does not run over.
    pub hold: Vec<Target>,
    /// The quantities that are driven, where the grid runs over others: `joint.A.q`. Left out: those of the grid.
    pub drives: Vec<String>,
    /// Looks for other branches, too, by random starts in some of the cells.
    pub all: bool,
    /// What the random starts begin with.
    pub seed: u64,
}

/// A map.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The point.
    pub of: String,
    /// What the grid runs over: one axis or two.
    pub axes: Vec<GridAxis>,
    /// Units of the axes in which their values are given: `rad`, `m` or none.
    pub units: Vec<&'static str>,
    /// Cells that are reached, branch by branch in the order of the grid.
    pub cells: Vec<Cell>,
    /// Where branches end between two cells, and where the drive Jacobian loses its rank.
    pub curves: Vec<CurvePoint>,
    /// How many branches there are.
    pub branches: usize,
    /// Quantities that were driven, for conditions, transmission and stiffness; none if nothing says what drives the mechanism.
    pub drives: Vec<String>,
}

/// A cell of a map in one branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its place on the axes.
    pub index: [usize; 2],
    /// The branch, from 0.
    pub branch: usize,
    /// Where the point is, m.
    pub point: Vec3,
    /// Largest over smallest singular value of the drive Jacobian ∂x/∂u, lengths in parts of the size; infinite where it has lost its rank, `None` without drives.
    pub condition: Option<f64>,
    /// Smallest transmission angle, rad; `None` where no two-force body transmits.
    pub transmission: Option<f64>,
    /// Smallest stiffness at the point for drives of unit stiffness: 1 / largest singular value of ∂x/∂u, squared.
    pub stiffness: Option<f64>,
    /// How far the nearest limit of a joint is, as a part of its range; `None` without limits.
    pub margin: Option<f64>,
}

/// Why a curve is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveKind {
    /// Two branches meet: the quantities of the grid cannot go further.
    Fold,
    /// A joint is at its limit.
    Limit,
    /// The drive Jacobian loses its rank: the point cannot move in some direction.
    Rank,
}

/// A place of a curve, between two cells.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    /// Why.
    pub kind: CurveKind,
    /// The branch.
    pub branch: usize,
    /// Values on the axes.
    pub at: [f64; 2],
    /// Where the point is, m.
    pub point: Vec3,
}

impl CurveKind {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            CurveKind::Fold => "fold",
            CurveKind::Limit => "limit",
            CurveKind::Rank => "rank",
        }
    }
}

impl Workspace {
    /// The best cell at a place of the grid: that of the first branch that reaches it.
    pub fn cell(&self, index: [usize; 2]) -> Option<&Cell> {
        self.cells.iter().filter(|cell| cell.index == index).min_by_key(|cell| cell.branch)
    }

    /// How many places of the grid are reached.
    pub fn reached(&self) -> usize {
        let mut places: Vec<[usize; 2]> = self.cells.iter().map(|cell| cell.index).collect();
        places.sort_unstable();
        places.dedup();
        places.len()
    }

    /// How many cells the grid has.
    pub fn size(&self) -> usize {
        self.axes.iter().map(|axis| axis.count).product()
    }
}

/// What a map is made of.
struct Task {
    axes: Vec<GridAxis>,
    /// The quantities of the axes and their scales, then those that keep a value.
    over: Vec<(PositionQuantity, f64)>,
    held: Vec<f64>,
    of: [PositionQuantity; 3],
    columns: usize,
    drives: Vec<PositionQuantity>,
}

impl Mechanism {
    /// A map of where a point gets to while quantities run over a grid.
    ///
    /// ```
    /// use linkwork::Model;
    /// use linkwork::analysis::workspace::{GridAxis, WorkspaceOptions};
    /// use linkwork::model::Body;
    /// let arm = Model::planar("arm")
    ///     .point("A", [0.0, 0.0])
    ///     .point("B", [1.0, 0.0])
    ///     .point("P", [1.0, 0.5])
    ///     .ground(["A"])
    ///     .body(Body::rod("upper", ["A", "B"], 1.0))
    ///     .body(Body::rod("fore", ["B", "P"], 1.0))
    ///     .assemble()?;
    /// let axes = [GridAxis::new("point.P.x", [-2.0, 2.0], 9), GridAxis::new("point.P.y", [-2.0, 2.0], 9)];
    /// let map = arm.workspace("point.P", &axes, &WorkspaceOptions::default())?;
    /// // a ring between the circles of 0.5 m and 1.5 m
    /// assert!(map.cell([4, 4]).is_none() && map.cell([6, 4]).is_some() && map.cell([8, 4]).is_none());
    /// # Ok::<(), linkwork::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Model`] for quantities that the mechanism does not have, [`Error::State`] if no cell is reached, or freedoms are left.
    pub fn workspace(
        &self,
        of: &str,
        over: &[GridAxis],
        options: &WorkspaceOptions,
    ) -> Result<Workspace, Error> {
        if !options.at.is_finite() {
            return Err(Error::State(format!("the time of a map is a number, not {}", options.at)));
        }
        let mut configuration = Configuration::new(self)?;
        if !configuration.close() {
            let (row, gap) = configuration.worst().unwrap_or_default();
            return Err(Error::State(format!("cannot close the mechanism: {row} is {gap:.1e} m from it")));
        }
        configuration.advance_to(options.at).map_err(|reached| {
            Error::State(format!("the drivers get to t = {reached} s only; give a time before that"))
        })?;
        let task = bind(&configuration, of, over, options)?;
        let limits = pose::limits(&configuration);
        flood::Flood::new(configuration, task, limits).map(of, options)
    }
}

/// Binds the quantities.
fn bind(
    configuration: &Configuration<'_>,
    of: &str,
    over: &[GridAxis],
    options: &WorkspaceOptions,
) -> Result<Task, Error> {
    let mut faults = Vec::new();
    let size = configuration.mechanism.size();
    let columns = configuration.mechanism.columns();
    let mut quantity = |path: String, text: &str| match PositionQuantity::new(configuration, text) {
        Ok(quantity) => Some(quantity),
        Err(message) => {
            faults.push(Fault::error(path, message));
            None
        }
    };
    let mut list = Vec::new();
    for axis in over {
        if let Some(found) = quantity(format!("over `{}`", axis.quantity), &axis.quantity) {
            let scale = found.scale(size);
            list.push((found, scale));
        }
    }
    let place = if of.contains('.') { of.to_owned() } else { format!("point.{of}") };
    let axes = ["x", "y", if columns == 3 { "z" } else { "x" }];
    // a point that is not there is reported once
    let of_place: Vec<PositionQuantity> =
        axes.iter().map_while(|axis| quantity(format!("of `{of}`"), &format!("{place}.{axis}"))).collect();
    let drives: Vec<PositionQuantity> =
        options.drives.iter().filter_map(|text| quantity(format!("drive `{text}`"), text)).collect();
    for axis in over {
        if let Err(message) = axis.check() {
            faults.push(Fault::error(format!("over `{}`", axis.quantity), message));
        }
    }
    if !(1..=2).contains(&over.len()) {
        faults.push(Fault::error("over", format!("a map runs over one quantity or two, not {}", over.len())));
    }
    let cells = over.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.count));
    if cells.is_none_or(|cells| cells > MAX_CELLS) {
        faults.push(Fault::error("over", format!("a map has at most {MAX_CELLS} cells; take fewer")));
    }
    let held = pose::held_values(configuration, &options.hold, &mut faults);
    if !faults.is_empty() {
        return Err(Error::Model(Faults { list: faults, provenance: None }));
    }
    let mut values = Vec::new();
    for (quantity, value) in held {
        let scale = quantity.scale(size);
        list.push((quantity, scale));
        values.push(value);
    }
    let Ok(of_place) = <[PositionQuantity; 3]>::try_from(of_place) else {
        return Err(Error::State(format!("`{of}` is no point")));
    };
    let drives = if drives.is_empty() { usual_drives(configuration, over, &list) } else { drives };
    Ok(Task { axes: over.to_vec(), over: list, held: values, of: of_place, columns, drives })
}

/// What drives the mechanism if nobody says so: joint coordinates that the grid runs over; else those of joints on the ground, or all, if these are as many as there are freedoms.
fn usual_drives(
    configuration: &Configuration<'_>,
    over: &[GridAxis],
    list: &[(PositionQuantity, f64)],
) -> Vec<PositionQuantity> {
    if over.iter().all(|axis| axis.quantity.trim().starts_with("joint.")) {
        return list[..over.len()].iter().map(|(quantity, _)| quantity.clone()).collect();
    }
    let n = configuration.freedoms_of_tree();
    let rank = |more: &[PositionQuantity]| {
        let rates = configuration.body_rates();
        let mut rows = configuration.constraint_rows();
        more.iter().for_each(|quantity| rows.extend(quantity.gradient(configuration, &rates)));
        SingularValues::new(&rows, n).rank(DEPENDENT)
    };
    let freedoms = n - rank(&[]);
    let joints = configuration.mechanism.joints();
    let coordinates = |ground: bool| -> Vec<PositionQuantity> {
        let chosen = joints.iter().enumerate().filter(|(_, joint)| !ground || joint.bodies.contains(&None));
        let each = chosen.flat_map(|(j, joint)| (0..joint.coordinates.len()).map(move |i| (j, i)));
        each.filter_map(|(j, i)| PositionQuantity::of_joint(configuration, j, i)).collect()
    };
    [true, false]
        .into_iter()
        .map(coordinates)
        .find(|list| list.len() == freedoms && rank(list) == n)
        .unwrap_or_default()
}
