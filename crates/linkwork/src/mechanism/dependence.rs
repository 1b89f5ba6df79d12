//! Which constraints are about to contradict or repeat each other: the combination of rows that is nearest to vanishing.
//!
//! With A the Jacobian of all rows at a position, those of drivers included,
//!
//!   (D1)  A Aᵀ y = σ² y,  |y| = 1
//!
//! a small σ belongs to a set of forces y in the rows that nearly balance each other: near a dead centre the force of a driver against
//! those inside the bodies of the loop that it cannot turn any further. Rows that depend on others from the start have σ = 0 all the time
//! and are left out. The rows are worked out in point coordinates, whatever the motion is computed in, so that
//! every formulation names the same culprits.
//!
//! This is for people who ask why a run ended: dense, and only up to [`MOST_ROWS`].

use super::{Mechanism, Owner};
use crate::interactions::{CouplingOwner, Workspace};
use crate::linalg::kkt::Kkt;
use crate::linalg::vec3::Vec3;
use nalgebra::DMatrix;

/// More rows than this are not looked into: it would take seconds.
const MOST_ROWS: usize = 300;
/// σ² below this at the start is a row that depends on others: as in [`Kkt::dependent_rows`].
const DEPENDENT: f64 = 1e-11;
/// Rows with less than this part of the largest in y take no part.
const PART: f64 = 0.02;
/// Names at one place that are listed before "and more".
const LISTED: usize = 8;

/// The combination of rows that is nearest to vanishing.
#[derive(Clone, Debug)]
pub(crate) struct Dependence {
    /// σ over what it is at the start.
    pub sigma: f64,
    /// y, couplings behind the other rows.
    y: Vec<f64>,
}

impl Mechanism {
    /// (D1) where the nodes are `r`; `None` if there are no rows or too many.
    pub(crate) fn dependence(&self, t: f64, r: &[Vec3], auxiliary: &[f64]) -> Option<Dependence> {
        let m = self.row_count();
        if m == 0 || m > MOST_ROWS {
            return None;
        }
        let mut kkt = self.solver()?;
        let mut ws = Workspace::new(&self.interactions, self.bodies.len());
        let start = self.start_nodes().0;
        let still = vec![[0.0; 3]; self.maps.len()];
        let mut gamma = vec![0.0; self.interactions.couplings.len()];
        let mut at = |t: f64, r: &[Vec3], auxiliary: &[f64]| {
            self.rows.jacobian(r, self.columns(), &mut kkt);
            self.couple(t, r, &still, auxiliary, &mut ws);
            self.coupling_jacobian(&ws, r, &mut kkt, &mut gamma);
            spectrum(&kkt, self.coordinate_count())
        };
        let (before, _) = at(self.start_time, &start, &self.initial_auxiliary())?;
        let (now, vectors) = at(t, r, auxiliary)?;
        let known = before.iter().filter(|&&x| x <= DEPENDENT).count();
        let usual = before.get(known)?.max(DEPENDENT);
        let least = now.get(known)?.max(0.0);
        Some(Dependence { sigma: (least / usual).sqrt(), y: vectors.column(known).iter().copied().collect() })
    }
}

/// Eigenvalues of A Aᵀ, ascending, and eigenvectors in that order; rows are taken at unit length.
fn spectrum(kkt: &Kkt, n: usize) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let m = kkt.m();
    let mut a = DMatrix::<f64>::zeros(n, m);
    for row in 0..m {
        let mut column = vec![0.0; n];
        kkt.add_row(row, 1.0, &mut column);
        let length = column.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            column.iter_mut().for_each(|x| *x /= length);
        }
        a.column_mut(row).copy_from_slice(&column);
    }
    if a.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let eigen = (a.transpose() * &a).symmetric_eigen();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[i].total_cmp(&eigen.eigenvalues[j]));
    let values = order.iter().map(|&i| eigen.eigenvalues[i]).collect();
    Some((values, DMatrix::from_fn(m, m, |row, k| eigen.eigenvectors[(row, order[k])])))
}

impl Dependence {
    /// Whether a row takes part.
    fn has(&self, row: usize) -> bool {
        let largest = self.y.iter().fold(0.0_f64, |s, y| s.max(y.abs()));
        self.y[row].abs() > PART * largest
    }

    /// Drivers that take part, by their number, the largest part first.
    pub(crate) fn drivers(&self, mechanism: &Mechanism) -> Vec<usize> {
        let first = mechanism.rows.len();
        let couplings = mechanism.interactions.couplings.iter().enumerate();
        let mut found: Vec<(f64, usize)> = couplings
            .filter_map(|(i, coupling)| match coupling.owner {
                CouplingOwner::Driver(d) if self.has(first + i) => Some((self.y[first + i].abs(), d)),
                _ => None,
            })
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, d)| d).collect()
    }

    /// The bodies that take part.
    fn bodies(&self, mechanism: &Mechanism) -> Vec<usize> {
        let mut found = vec![false; mechanism.bodies.len()];
        for (_, row) in mechanism.rows.list.iter().enumerate().filter(|(i, _)| self.has(*i)) {
            match row.owner {
                Owner::Body(b) => found[b] = true,
                Owner::Joint(j) => mechanism.joints[j].bodies.iter().flatten().for_each(|&b| found[b] = true),
            }
        }
        let first = mechanism.rows.len();
        for (i, coupling) in mechanism.interactions.couplings.iter().enumerate() {
            if self.has(first + i) {
                coupling.bodies.iter().for_each(|&b| found[b] = true);
            }
        }
        (0..found.len()).filter(|&b| found[b]).collect()
    }

    /// The loop: its bodies, and the joints between them and to the ground; "bodies `a`, `b` with joints `A`, `B`".
    pub(crate) fn parts(&self, mechanism: &Mechanism) -> String {
        let bodies = self.bodies(mechanism);
        let list = |names: Vec<String>| {
            let more = if names.len() > LISTED { " and more" } else { "" };
            let shown: Vec<String> = names.into_iter().take(LISTED).collect();
            format!("{}{more}", shown.join(", "))
        };
        let inside =
            |joint: &&super::MechanismJoint| joint.bodies.iter().flatten().all(|b| bodies.contains(b));
        let joints: Vec<String> =
            mechanism.joints.iter().filter(inside).map(|joint| format!("`{}`", joint.name)).collect();
        let bodies: Vec<String> = bodies.iter().map(|&b| format!("`{}`", mechanism.bodies[b].name)).collect();
        match (bodies.is_empty(), joints.is_empty()) {
            (true, _) => "the joints".into(),
            (false, true) => list(bodies),
            (false, false) => format!("{} with joints {}", list(bodies), list(joints)),
        }
    }

    /// The row with the largest part, for people.
    pub(crate) fn main_row<'m>(&self, mechanism: &'m Mechanism) -> &'m str {
        let largest = (0..self.y.len()).fold(0, |k, i| if self.y[i].abs() > self.y[k].abs() { i } else { k });
        mechanism.row_label(largest)
    }
}

impl Mechanism {
    /// Whether the value of a driver changes at a time.
    pub(crate) fn drives_on(&self, driver: usize, t: f64) -> bool {
        let coupling = self.interactions.couplings.iter().find(|c| c.owner == CouplingOwner::Driver(driver));
        let drive = coupling.and_then(|c| c.drive.as_ref());
        drive.is_some_and(|drive| drive.initial_jet(t, &self.interactions).d != 0.0)
    }

    /// A driver with what it moves and where that is to be at a time: "driver `motor` (joint `A` to 0.5236 rad, 30 degrees)".
    pub(crate) fn driver_at(&self, driver: usize, t: f64) -> String {
        use crate::model::Driven;
        let said = &self.model.drivers[driver];
        let what = match &said.of {
            Driven::Joint { joint, .. } => format!("joint `{joint}`"),
            Driven::Point { point, component } => {
                format!("{} of point `{point}`", ["x", "y", "z"][(*component).min(2)])
            }
            Driven::Body { body, .. } => format!("body `{body}`"),
        };
        let coupling = self.interactions.couplings.iter().find(|c| c.owner == CouplingOwner::Driver(driver));
        let value = coupling.and_then(|c| {
            let turns = self.interactions.gauges[c.terms.first()?.0].is_angle();
            let value = c.drive.as_ref()?.initial_jet(t, &self.interactions).x;
            Some(match turns {
                true => format!("{value:.6} rad, {:.3}°", value.to_degrees()),
                false => format!("{value:.6} m"),
            })
        });
        let value = value.map_or(String::new(), |value| format!(", {value}"));
        format!("driver `{}` ({what}{value})", said.name)
    }
}
