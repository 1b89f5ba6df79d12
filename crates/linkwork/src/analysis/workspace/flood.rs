//! The flood over the grid: from cell to cell, and where it ends.

use super::quality::Quality;
use super::{Cell, CurveKind, CurvePoint, Task, Workspace, WorkspaceOptions};
use crate::Error;
use crate::analysis::configuration::{Configuration, DEPENDENT, Demands, Positions};
use crate::analysis::pose::{Bound, Random, Search, VIOLATED, apart};
use crate::interactions::Motion;
use crate::linalg::lu::Lu;
use crate::linalg::singular_values::SingularValues;
use std::collections::VecDeque;

/// A part of the way between two cells below this is none.
const LEAST: f64 = 1.0 / 4096.0;
/// A prediction turns no angle further than this, rad, and moves no path by more than this part of the size.
const LONGEST: f64 = 0.35;
/// Damping of predictions, as a part of the largest singular value.
const DAMPING: f64 = 1e-9;
/// The projection may move bodies by this part of what the prediction did.
const STRAY: f64 = 0.5;
/// Poses are the same within this.
const SAME: f64 = 1e-6;
/// Likewise next to a singular pose.
const SAME_SINGULAR: f64 = 1e-3;
/// Singular values below this part of the largest are next to zero: a pose that is found up to 1e-12 of its targets is known to the root of that there.
const NEARLY_SINGULAR: f64 = 1e-5;
/// Neighbours further apart than this are looked at again.
const FAR: f64 = 0.5;
/// Random starts in each of the cells that are looked at for other branches.
const STARTS: usize = 24;
/// Cells along each axis that are looked at for other branches.
const LOOKED_AT: usize = 5;
/// Cells that are tried for a first pose.
const MOST_SEEDS: usize = 400;

/// A cell in a branch.
struct Node {
    cell: [usize; 2],
    branch: usize,
    at: Positions,
    motions: Vec<Motion>,
}

pub(super) struct Flood<'m> {
    at: Configuration<'m>,
    task: Task,
    limits: Vec<Bound>,
    nodes: Vec<Node>,
    /// Nodes of each cell.
    of_cell: Vec<Vec<usize>>,
    curves: Vec<CurvePoint>,
    branches: usize,
    /// Branches that wind over themselves, and what is beside them.
    sheets: Vec<[usize; 2]>,
}

/// Why a way ends, and at which part of it.
struct Ended(CurveKind, f64);

impl<'m> Flood<'m> {
    pub fn new(at: Configuration<'m>, task: Task, limits: Vec<Bound>) -> Self {
        let cells = task.axes.iter().map(|axis| axis.count).product();
        Flood {
            at,
            task,
            limits,
            nodes: Vec::new(),
            of_cell: vec![Vec::new(); cells],
            curves: Vec::new(),
            branches: 0,
            sheets: Vec::new(),
        }
    }

    fn counts(&self) -> [usize; 2] {
        [self.task.axes[0].count, self.task.axes.get(1).map_or(1, |axis| axis.count)]
    }

    fn place(&self, [i, j]: [usize; 2]) -> usize {
        j * self.counts()[0] + i
    }

    /// Values on the axes.
    fn values(&self, cell: [usize; 2]) -> Vec<f64> {
        self.task.axes.iter().zip(cell).map(|(axis, i)| axis.value(i)).collect()
    }

    /// Makes the map.
    pub fn map(mut self, of: &str, options: &WorkspaceOptions) -> Result<Workspace, Error> {
        self.seed()?;
        if options.all {
            self.other_branches(options.seed);
        }
        let mut quality = Quality::new(&self.at, &self.task);
        let mut cells = Vec::with_capacity(self.nodes.len());
        let mut signs = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            self.at.go_to(&node.at);
            let found = quality.at(&self.at, &self.task);
            signs.push(found.sign);
            let margin = |bound: &Bound| {
                let ([low, high], value) = (bound.range, bound.value(&self.at));
                (value - low).min(high - value) / (high - low)
            };
            cells.push(Cell {
                index: node.cell,
                branch: node.branch,
                point: point(&self.at, &self.task),
                condition: found.condition,
                transmission: found.transmission,
                stiffness: found.stiffness,
                margin: self.limits.iter().map(margin).reduce(f64::min),
            });
        }
        self.rank_curves(&mut quality, &signs);
        let [width, _] = self.counts();
        cells.sort_by_key(|cell| (cell.branch, cell.index[1] * width + cell.index[0]));
        Ok(Workspace {
            of: of.into(),
            units: self.task.over[..self.task.axes.len()]
                .iter()
                .map(|(quantity, _)| quantity.unit())
                .collect(),
            axes: self.task.axes.clone(),
            cells,
            curves: self.curves,
            branches: self.branches,
            drives: self.task.drives.iter().map(|drive| drive.name.clone()).collect(),
        })
    }

    /// The first pose: in the cell nearest to the drawing that a pose is found for.
    fn seed(&mut self) -> Result<(), Error> {
        let freedoms = {
            let n = self.at.freedoms_of_tree();
            n - SingularValues::new(&self.at.constraint_rows(), n).rank(DEPENDENT)
        };
        if self.task.over.len() > freedoms {
            let drivers = match self.at.mechanism.model().drivers.len() {
                0 => "",
                _ => " with its drivers held",
            };
            let freedoms = if freedoms == 1 { "1 freedom".into() } else { format!("{freedoms} freedoms") };
            let over = match self.task.over.len() {
                1 => "1 quantity is to have values".into(),
                n => format!("{n} quantities are to have values"),
            };
            return Err(Error::State(format!(
                "{over}, and the mechanism{drivers} has {freedoms}: give fewer quantities, or leave drivers out"
            )));
        }
        let drawn: Vec<f64> = (0..self.task.axes.len())
            .map(|i| self.task.over[i].0.value(&self.at, self.task.axes[i].value(0)))
            .collect();
        let [width, height] = self.counts();
        let mut cells: Vec<([usize; 2], f64)> = Vec::new();
        for j in 0..height {
            for i in 0..width {
                let values = self.values([i, j]);
                let far = values.iter().zip(&drawn).zip(&self.task.over);
                let far: f64 = far.map(|((a, b), (_, scale))| ((a - b) / scale).powi(2)).sum();
                cells.push(([i, j], far));
            }
        }
        cells.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0[1].cmp(&b.0[1])).then(a.0[0].cmp(&b.0[0])));
        let drawing = self.at.at.clone();
        // all of a small grid, one cell in several of a large one
        let every = cells.len().div_ceil(MOST_SEEDS);
        let near = cells.iter().take(MOST_SEEDS / 4);
        let tried: Vec<[usize; 2]> = near.chain(cells.iter().step_by(every)).map(|cell| cell.0).collect();
        for cell in tried {
            self.at.go_to(&drawing);
            if self.reach(cell) {
                let left = self.freedoms_left();
                if left > 0 && !self.is_singular() {
                    let over = self.task.over.len();
                    let left = if left == 1 { "1 freedom is".into() } else { format!("{left} freedoms are") };
                    let over = if over == 1 {
                        "1 quantity has its value".into()
                    } else {
                        format!("{over} quantities have their values")
                    };
                    let message = format!("{left} left when {over}: hold others, or let drivers hold them");
                    return Err(Error::State(message));
                }
                if left == 0 {
                    self.flood(cell);
                    return Ok(());
                }
            }
        }
        Err(Error::State(
            "no cell of the grid is reached from the drawing: check its ranges and units".into(),
        ))
    }

    /// Goes to a cell by the solver of poses; whether it is reached with its limits kept.
    fn reach(&mut self, cell: [usize; 2]) -> bool {
        let values: Vec<f64> = self.values(cell).into_iter().chain(self.task.held.iter().copied()).collect();
        let search = Search::new(&self.task.over, &values, &self.limits);
        search.go(&mut self.at)
    }

    fn stacked(&self) -> Vec<f64> {
        let rates = self.at.body_rates();
        let mut rows = self.at.constraint_rows();
        for (quantity, scale) in &self.task.over {
            rows.extend(quantity.gradient(&self.at, &rates).iter().map(|d| d / scale));
        }
        rows
    }

    fn freedoms_left(&self) -> usize {
        let n = self.at.freedoms_of_tree();
        let all = SingularValues::new(&self.stacked(), n);
        let left = all.null_space(all.rank(DEPENDENT));
        crate::analysis::pose::visible(&self.at, &self.at.body_rates(), &left)
    }

    /// Whether the quantities have lost their rank beside the constraints.
    fn is_singular(&self) -> bool {
        let n = self.at.freedoms_of_tree();
        let own = SingularValues::new(&self.at.constraint_rows(), n);
        let all = SingularValues::new(&self.stacked(), n);
        all.rank(DEPENDENT) < own.rank(DEPENDENT) + self.task.over.len()
    }

    /// Whether the present pose is so near to a singular one that a way from it may lead into any branch.
    fn is_nearly_singular(&self) -> bool {
        let n = self.at.freedoms_of_tree();
        let own = SingularValues::new(&self.at.constraint_rows(), n);
        let all = SingularValues::new(&self.stacked(), n);
        all.rank(NEARLY_SINGULAR) < own.rank(DEPENDENT) + self.task.over.len()
    }

    /// The sign of the determinant of [C; G]; zero where that is not square.
    fn sign(&self) -> f64 {
        let n = self.at.freedoms_of_tree();
        let rows = self.stacked();
        let mut lu = Lu::new(n);
        let factored = rows.len() == n * n && lu.factor(n, |i, j| rows[i * n + j]).is_ok();
        if factored { lu.sign() } else { 0.0 }
    }

    /// (W1), (W2): from values to values. Where it does not arrive, it is at the last place that it came to.
    fn go(&mut self, from: &[f64], to: &[f64]) -> Result<(), Ended> {
        let n = self.at.freedoms_of_tree();
        let (mut s, mut ds) = (0.0, 1.0);
        let mut sign = self.sign();
        while s < 1.0 {
            let next = f64::min(s + ds, 1.0);
            let rows = self.stacked();
            let of_constraints = rows.len() / n.max(1) - self.task.over.len();
            let mut right = vec![0.0; of_constraints];
            for (k, (_, scale)) in self.task.over.iter().enumerate() {
                let way = if k < from.len() { (next - s) * (to[k] - from[k]) / scale } else { 0.0 };
                right.push(way);
            }
            let change = SingularValues::new(&rows, n).damped(&right, DAMPING);
            let longest = change.iter().fold(0.0, |m: f64, z| m.max(z.abs()));
            let before = self.at.at.clone();
            let motions = self.at.motions.clone();
            let mut why = CurveKind::Fold;
            let mut arrived = longest <= LONGEST;
            if arrived {
                self.at.displace(&change);
                let predicted = self.at.motions.clone();
                let values: Vec<f64> = (0..self.task.over.len())
                    .map(|k| {
                        if k < from.len() {
                            from[k] + next * (to[k] - from[k])
                        } else {
                            self.task.held[k - from.len()]
                        }
                    })
                    .collect();
                let over = &self.task.over;
                arrived = self.at.project(|at| demands(over, &values, at));
                let size = self.at.mechanism.size();
                let (way, stray) =
                    (apart(&motions, &predicted, size), apart(&predicted, &self.at.motions, size));
                arrived &= stray <= STRAY * way + 1e-9;
                let now = if arrived { self.sign() } else { sign };
                arrived &= now * sign >= 0.0;
                if arrived && self.limits.iter().any(|bound| bound.excess(&self.at).abs() > VIOLATED) {
                    (arrived, why) = (false, CurveKind::Limit);
                }
                if arrived && now != 0.0 {
                    sign = now;
                }
            }
            if arrived {
                (s, ds) = (next, 2.0 * ds);
                continue;
            }
            self.at.go_to(&before);
            ds = 0.5 * (next - s);
            if ds < LEAST {
                return Err(Ended(why, s));
            }
        }
        Ok(())
    }

    /// Adds the present pose as a node.
    fn add(&mut self, cell: [usize; 2], branch: usize) -> usize {
        let place = self.place(cell);
        self.nodes.push(Node { cell, branch, at: self.at.at.clone(), motions: self.at.motions.clone() });
        self.of_cell[place].push(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The node of a cell that has the present pose.
    fn known(&self, cell: [usize; 2]) -> Option<usize> {
        let size = self.at.mechanism.size();
        let within = if self.is_nearly_singular() { SAME_SINGULAR } else { SAME };
        let same = |&&node: &&usize| apart(&self.nodes[node].motions, &self.at.motions, size) < within;
        self.of_cell[self.place(cell)].iter().find(same).copied()
    }

    /// Grows a branch from the present pose.
    fn flood(&mut self, cell: [usize; 2]) {
        let branch = self.branches;
        self.branches += 1;
        let mut queue = VecDeque::from([self.add(cell, branch)]);
        loop {
            while let Some(node) = queue.pop_front() {
                self.grow(node, &mut queue);
            }
            // thin corners, which no straight way along an axis leads to
            if !self.fill_corners(branch, &mut queue) {
                break;
            }
        }
    }

    /// The branch beside a branch that winds over itself.
    fn sheet_of(&mut self, branch: usize) -> usize {
        match self.sheets.iter().find(|pair| pair[0] == branch) {
            Some(pair) => pair[1],
            None => {
                self.sheets.push([branch, self.branches]);
                self.branches += 1;
                self.branches - 1
            }
        }
    }

    fn neighbours(&self, [i, j]: [usize; 2], reach: isize) -> Vec<[usize; 2]> {
        let [width, height] = self.counts();
        let mut list = Vec::new();
        for dj in -reach..=reach {
            for di in -reach..=reach {
                let (Some(i), Some(j)) = (i.checked_add_signed(di), j.checked_add_signed(dj)) else {
                    continue;
                };
                if (di, dj) != (0, 0) && i < width && j < height {
                    list.push([i, j]);
                }
            }
        }
        list
    }

    fn grow(&mut self, node: usize, queue: &mut VecDeque<usize>) {
        let size = self.at.mechanism.size();
        let Node { cell, branch, at, motions } = &self.nodes[node];
        let (cell, branch, at, motions) = (*cell, *branch, at.clone(), motions.clone());
        let from = self.values(cell);
        self.at.go_to(&at);
        if self.is_nearly_singular() {
            return;
        }
        for next in self.neighbours(cell, 1) {
            let straight = next[0] == cell[0] || next[1] == cell[1];
            let own = self.of_cell[self.place(next)]
                .iter()
                .find(|&&other| self.nodes[other].branch == branch)
                .copied();
            if own.is_some_and(|own| apart(&self.nodes[own].motions, &motions, size) < FAR) {
                continue;
            }
            if own.is_some() && !straight {
                continue;
            }
            self.at.go_to(&at);
            match self.go(&from, &self.values(next)) {
                Ok(()) if self.known(next).is_some() => {}
                // another sheet of the same branch is a branch of its own
                Ok(()) if own.is_some() => {
                    let sheet = self.sheet_of(branch);
                    queue.push_back(self.add(next, sheet));
                }
                Ok(()) => queue.push_back(self.add(next, branch)),
                Err(Ended(kind, s)) if straight => {
                    let to = self.values(next);
                    let mut there = [0.0; 2];
                    for (k, (a, b)) in from.iter().zip(&to).enumerate() {
                        there[k] = a + s * (b - a);
                    }
                    let point = point(&self.at, &self.task);
                    self.curves.push(CurvePoint { kind, branch, at: there, point });
                }
                Err(_) => {}
            }
        }
    }

    /// Tries cells next to those of a branch with the solver of poses; whether any was reached.
    fn fill_corners(&mut self, branch: usize, queue: &mut VecDeque<usize>) -> bool {
        let before = self.nodes.len();
        for node in 0..before {
            if self.nodes[node].branch != branch {
                continue;
            }
            let cell = self.nodes[node].cell;
            self.at.go_to(&self.nodes[node].at.clone());
            if self.is_nearly_singular() {
                continue;
            }
            let sign = self.sign();
            for next in self.neighbours(cell, 1) {
                let place = self.place(next);
                if self.of_cell[place].iter().any(|&other| self.nodes[other].branch == branch) {
                    continue;
                }
                self.at.go_to(&self.nodes[node].at.clone());
                let near = self.reach(next)
                    && self.sign() * sign >= 0.0
                    && apart(&self.nodes[node].motions, &self.at.motions, self.at.mechanism.size())
                        < 2.0 * FAR;
                if near && self.known(next).is_none() {
                    let node = self.add(next, branch);
                    queue.push_back(node);
                }
            }
        }
        self.nodes.len() > before
    }

    /// Looks for other branches by random starts in some cells.
    fn other_branches(&mut self, seed: u64) {
        let [width, height] = self.counts();
        let drawing = self.nodes[0].at.clone();
        let mut random = Random::new(seed);
        let places = |count: usize| -> Vec<usize> {
            let n = count.min(LOOKED_AT);
            (0..n).map(|k| ((2 * k + 1) * count) / (2 * n)).collect()
        };
        for j in places(height) {
            for i in places(width) {
                for _ in 0..STARTS {
                    self.at.go_to(&drawing);
                    let scattered = random.positions(&self.at, &self.limits);
                    self.at.go_to(&scattered);
                    if self.at.close()
                        && self.reach([i, j])
                        && !self.is_singular()
                        && self.known([i, j]).is_none()
                    {
                        self.flood([i, j]);
                    }
                }
            }
        }
    }

    /// Where the determinant of the drive Jacobian changes its sign between two cells of a branch.
    fn rank_curves(&mut self, quality: &mut Quality, signs: &[f64]) {
        let size = self.at.mechanism.size();
        for node in 0..self.nodes.len() {
            let Node { cell, branch, at, motions } = &self.nodes[node];
            let (cell, branch, at, motions) = (*cell, *branch, at.clone(), motions.clone());
            for next in [[cell[0] + 1, cell[1]], [cell[0], cell[1] + 1]] {
                let [width, height] = self.counts();
                if next[0] >= width || next[1] >= height {
                    continue;
                }
                let near = |&&other: &&usize| {
                    self.nodes[other].branch == branch
                        && apart(&self.nodes[other].motions, &motions, size) < 2.0 * FAR
                };
                let Some(&other) = self.of_cell[self.place(next)].iter().find(near) else { continue };
                if signs[node] * signs[other] >= 0.0 {
                    continue;
                }
                let (from, to) = (self.values(cell), self.values(next));
                let (mut low, mut high) = (0.0, 1.0);
                let along =
                    |s: f64| -> Vec<f64> { from.iter().zip(&to).map(|(a, b)| a + s * (b - a)).collect() };
                while high - low > LEAST {
                    let middle = 0.5 * (low + high);
                    self.at.go_to(&at);
                    if self.go(&from, &along(middle)).is_err() {
                        break;
                    }
                    let now = quality.at(&self.at, &self.task).sign;
                    if now * signs[node] > 0.0 { low = middle } else { high = middle }
                }
                let there = along(0.5 * (low + high));
                let at = [there[0], there.get(1).copied().unwrap_or(0.0)];
                let point = point(&self.at, &self.task);
                self.curves.push(CurvePoint { kind: CurveKind::Rank, branch, at, point });
            }
        }
    }
}

fn point(at: &Configuration<'_>, task: &Task) -> [f64; 3] {
    let mut place = [0.0; 3];
    for (out, quantity) in place[..task.columns].iter_mut().zip(&task.of) {
        *out = quantity.value(at, 0.0);
    }
    place
}

/// Quantities that are to have values.
fn demands(
    over: &[(crate::analysis::position_quantity::PositionQuantity, f64)],
    values: &[f64],
    at: &Configuration<'_>,
) -> Demands {
    let rates = at.body_rates();
    let mut demands = Demands::default();
    for ((quantity, scale), value) in over.iter().zip(values) {
        demands.rows.extend(quantity.gradient(at, &rates).iter().map(|d| d / scale));
        demands.missing.push(-quantity.off(at, *value) / scale);
    }
    demands
}
