//! The start: positions that close every joint, and velocities that the constraints allow.
//!
//! Positions: the nearest to the drawing in the sense of least squares, by Newton steps
//!
//!   (A1)  [1 Aᵀ; A 0] [Δq; μ] = [q_drawn − q; −Φ]
//!
//! each shortened until the residual falls. A drawing that is closed already is left as it is.
//!
//! That search ends too early in two cases. (A1) leaves the curvature of Φ out of the distance: where the way is long beside the radii of curvature, the pull to the
//! drawing does not fade. And rows of joint coordinates have the slope of rigid bodies: a body that a step has stretched in second order turns them
//! by more than the step has closed, so that a whole step opens the largest residual, though the next one closes it. Then the drawing is closed anew by (A1) with q for q_drawn, in
//! whole steps of at most [`LONGEST`], whose residuals may grow up to that of the drawing. What is found is near the drawing, and need not be the nearest.
//!
//! Velocities: those given hold exactly, the rest have the least kinetic energy,
//!
//!   (A2)  M v + Aᵀ λ + Vᵀ μ = 0,  A v = 0,  V v = given

use super::Start;
use super::{Mechanism, farthest, judged_by};
use crate::error::OpenBy;
use crate::error::names::segment;
use crate::interactions::{CouplingOwner, Workspace};
use crate::linalg::kkt::{Kkt, KktFailure, MAX_FACTOR_ENTRIES, MAX_FACTOR_WORK};
use crate::linalg::ordering::RowPattern;
use crate::linalg::vec3::{Vec3, cross, dot, norm, sub, unit};
use crate::model::Fault;
use std::collections::HashMap;

/// A named point that the assembly moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Movement {
    /// The point.
    pub point: String,
    /// How far, m.
    pub distance: f64,
}

/// What the assembly found and did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssemblyReport {
    /// Largest residual of the drawing, m, and the row it stands at.
    pub residual_before: f64,
    /// Where the drawing is worst.
    pub worst_before: Option<String>,
    /// Largest residual after, m.
    pub residual_after: f64,
    /// Newton steps taken.
    pub iterations: u32,
    /// Named points that moved, farthest first.
    pub moved: Vec<Movement>,
    /// Largest difference between given start velocities and those found, m/s (zero if all fit).
    pub velocity_residual: f64,
}

/// Residuals below this part of the mechanism's size are closed.
pub(crate) const CLOSED: f64 = 1e-14;
const MAX_ITERATIONS: u32 = 60;
/// Longest step where residuals may grow, as a part of the mechanism's size.
const LONGEST: f64 = 0.1;
/// Drivers that are left out one by one to find which of them contradict each other, at most.
const MAX_DRIVERS_TRIED: usize = 20;
/// Multiplications that the search for the start position may take in factorisations; a few Newton steps
/// are always taken.
const MAX_ASSEMBLY_WORK: u64 = 500_000_000;

/// The fault of a mechanism whose equations take too much memory or time.
pub(crate) fn too_large() -> Fault {
    Fault::error(
        "bodies",
        format!(
            "the mechanism is too large: its loops couple too many points with each other \
             (more than {MAX_FACTOR_ENTRIES} entries or {MAX_FACTOR_WORK} multiplications per solution)"
        ),
    )
    .help("use fewer bodies in one loop or between the same points, or merge bodies that move as one")
}

struct Worst {
    value: f64,
    row: usize,
}

fn worst(phi: &[f64]) -> Worst {
    phi.iter().enumerate().fold(Worst { value: 0.0, row: 0 }, |w, (row, v)| {
        let size = if v.is_nan() { f64::INFINITY } else { v.abs() };
        if size > w.value { Worst { value: size, row } } else { w }
    })
}

/// What (A1) pulls a position to, besides what closes it.
#[derive(Clone, Copy, PartialEq)]
enum Pull {
    ToDrawing,
    None,
}

/// A position that is sought, with everything that it takes.
pub(super) struct Search {
    pub q: Vec<f64>,
    r: Vec<Vec3>,
    phi: Vec<f64>,
    couplings: Couplings,
    iterations: u32,
}

impl Search {
    /// At the drawing.
    pub fn new(mechanism: &Mechanism) -> Self {
        let mut search = Search {
            q: mechanism.start_positions.clone(),
            r: vec![[0.0; 3]; mechanism.maps.len()],
            phi: vec![0.0; mechanism.row_count()],
            couplings: Couplings::new(mechanism),
            iterations: 0,
        };
        search.couplings.residuals(mechanism, &search.q, &mut search.r, &mut search.phi);
        search
    }

    /// Closes the drawing as far as it goes. Rows that are `left_out` hold nothing.
    pub fn close(&mut self, mechanism: &Mechanism, kkt: &mut Kkt, left_out: &dyn Fn(usize) -> bool) {
        self.approach(mechanism, kkt, left_out, Pull::ToDrawing);
        if !self.is_closed(mechanism) {
            let mut other = Search::new(mechanism);
            other.approach(mechanism, kkt, left_out, Pull::None);
            if other.is_closed(mechanism) {
                other.iterations += self.iterations;
                *self = other;
            }
        }
    }

    /// (A1) as far as it goes.
    fn approach(
        &mut self,
        mechanism: &Mechanism,
        kkt: &mut Kkt,
        left_out: &dyn Fn(usize) -> bool,
        pull: Pull,
    ) {
        let columns = mechanism.columns();
        let (n, m) = (mechanism.coordinate_count(), mechanism.row_count());
        let most_iterations =
            (MAX_ASSEMBLY_WORK / kkt.factor_work().max(1)).clamp(5, MAX_ITERATIONS.into()) as u32;
        let drawn = mechanism.start_positions.clone();
        let mut trial_phi = vec![0.0; m];
        let (mut f, mut g, mut dq, mut mu) = (vec![0.0; n], vec![0.0; m], vec![0.0; n], vec![0.0; m]);
        let mut trial = self.q.clone();
        let residuals = |couplings: &mut Couplings, q: &[f64], r: &mut [Vec3], phi: &mut [f64]| {
            couplings.residuals(mechanism, q, r, phi);
            phi.iter_mut().enumerate().filter(|(row, _)| left_out(*row)).for_each(|(_, phi)| *phi = 0.0);
        };
        let Search { q, r, phi, couplings, iterations } = self;
        residuals(couplings, q, r, phi);
        // far from the origin coordinates are rounded more coarsely than the size says
        let size = judged_by(mechanism.size, farthest(r));
        let closed = CLOSED * size;
        let mut residual = worst(phi).value;
        let drawn_residual = residual;
        while residual > closed && *iterations < most_iterations {
            *iterations += 1;
            mechanism.rows.jacobian(r, columns, kkt);
            mechanism.coupling_jacobian(&couplings.ws, r, kkt, &mut couplings.gamma);
            for row in (0..m).filter(|&row| left_out(row)) {
                let (start, points) = kkt.row(row);
                let end = start + points.len() * columns;
                kkt.a[start..end].fill(0.0);
            }
            kkt.weigh_rows();
            if kkt.factor().is_err() {
                break;
            }
            // Near the end only the constraints count; rounding in q_drawn − q must not keep moving it.
            let pulled = pull == Pull::ToDrawing && residual >= 1e-9 * size;
            for i in 0..n {
                f[i] = if pulled { drawn[i] - q[i] } else { 0.0 };
            }
            for i in 0..m {
                g[i] = -phi[i];
            }
            kkt.solve(&f, &g, &mut dq, &mut mu);
            let longest = dq.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let mut s = if pull == Pull::None { (LONGEST * size / longest).min(1.0) } else { 1.0 };
            let mut best = f64::INFINITY;
            while s > 1e-4 {
                for i in 0..n {
                    trial[i] = q[i] + s * dq[i];
                }
                residuals(couplings, &trial, r, &mut trial_phi);
                best = worst(&trial_phi).value;
                let falls = best < (1.0 - 0.25 * s) * residual || best <= closed;
                if falls || (pull == Pull::None && best <= drawn_residual) {
                    break;
                }
                s *= 0.5;
            }
            let most = if pull == Pull::None { drawn_residual } else { residual };
            if best > most || (best == residual && pull == Pull::ToDrawing) {
                residuals(couplings, q, r, phi);
                break;
            }
            q.copy_from_slice(&trial);
            phi.copy_from_slice(&trial_phi);
            residual = best;
        }
    }

    /// What Newton cannot push below a few roundings of the size is closed all the same.
    pub fn is_closed(&self, mechanism: &Mechanism) -> bool {
        worst(&self.phi).value <= 1e-12 * judged_by(mechanism.size, farthest(&self.r))
    }
}

/// Drivers without one of which the mechanism closes; all of them if it takes more; none if they are not to blame.
fn contradicting_drivers(mechanism: &Mechanism, kkt: &mut Kkt) -> Vec<usize> {
    let first = mechanism.rows.len();
    let driver = |row: usize| {
        let coupling = mechanism.interactions.couplings.get(row.checked_sub(first)?)?;
        if let CouplingOwner::Driver(d) = coupling.owner { Some(d) } else { None }
    };
    let mut closes = |left_out: &dyn Fn(usize) -> bool| {
        let mut search = Search::new(mechanism);
        search.close(mechanism, kkt, left_out);
        search.is_closed(mechanism)
    };
    let drivers: Vec<usize> = (first..mechanism.row_count()).filter_map(driver).collect();
    if drivers.is_empty() || !closes(&|row| driver(row).is_some()) {
        return Vec::new();
    }
    let cures: Vec<usize> = match drivers.len() <= MAX_DRIVERS_TRIED {
        true => drivers.iter().copied().filter(|&d| closes(&|row| driver(row) == Some(d))).collect(),
        false => Vec::new(),
    };
    if cures.is_empty() { drivers } else { cures }
}

/// Finds the start position; sets free lengths of springs that the drawing defines.
pub(super) fn assemble(mechanism: &mut Mechanism, kkt: &mut Kkt) -> Result<(), Vec<Fault>> {
    let mut search = Search::new(mechanism);
    let before = worst(&search.phi);
    let drawn_r = search.r.clone();
    let mut report = AssemblyReport {
        residual_before: before.value,
        worst_before: (before.value > 0.0).then(|| mechanism.row_label(before.row).into()),
        ..Default::default()
    };
    search.close(mechanism, kkt, &|_| false);
    report.iterations = search.iterations;
    let after = worst(&search.phi);
    report.residual_after = after.value;
    if !search.is_closed(mechanism) {
        let drivers = contradicting_drivers(mechanism, kkt);
        let fault = match drivers.first() {
            None => cannot_close(mechanism, &search.phi, &after),
            Some(_) => cannot_follow(mechanism, &drivers, &after),
        };
        return Err(vec![Fault { residual: OpenBy::new(after.value), ..fault }]);
    }
    let Search { q, r, mut couplings, .. } = search;
    let size = judged_by(mechanism.size, farthest(&r));
    for point in &mechanism.points {
        let distance = norm(sub(r[point.node], drawn_r[point.node]));
        if distance > 1e-12 * size {
            report.moved.push(Movement { point: point.name.clone(), distance });
        }
    }
    report.moved.sort_by(|a, b| b.distance.total_cmp(&a.distance));
    mechanism.start_positions = q;
    mechanism.assembly = report;
    mechanism.interactions.hint_starts = couplings.auxiliary[..mechanism.interactions.hints].to_vec();
    mechanism.motions(&r, &couplings.still, &mut couplings.ws.motions);
    let hints = mechanism.interactions.hint_starts.clone();
    mechanism.interactions.settle_free_lengths(&couplings.ws.motions, &hints);
    let mut beyond = mechanism.settle_holds(&couplings.ws.motions, &hints);
    beyond.extend(mechanism.overlaps(&couplings.ws.motions));
    if !beyond.is_empty() {
        return Err(beyond);
    }
    Ok(())
}

/// The couplings while the start position is sought.
pub(super) struct Couplings {
    pub ws: Workspace,
    auxiliary: Vec<f64>,
    pub gamma: Vec<f64>,
    still: Vec<Vec3>,
}

impl Couplings {
    pub fn new(mechanism: &Mechanism) -> Self {
        let mut ws = Workspace::new(&mechanism.interactions, mechanism.bodies.len());
        // a lock holds what the assembly finds
        ws.switches.fill(false);
        Couplings {
            ws,
            auxiliary: mechanism.initial_auxiliary(),
            gamma: vec![0.0; mechanism.interactions.couplings.len()],
            still: vec![[0.0; 3]; mechanism.maps.len()],
        }
    }

    /// Nodes and Φ of all rows.
    pub fn residuals(&mut self, mechanism: &Mechanism, q: &[f64], r: &mut [Vec3], phi: &mut [f64]) {
        mechanism.maps.positions(q, r);
        let (between_points, coupled) = phi.split_at_mut(mechanism.rows.len());
        mechanism.rows.residuals(r, between_points);
        mechanism.couple(mechanism.start_time, r, &self.still, &self.auxiliary, &mut self.ws);
        self.ws.settle(&mechanism.interactions, &mut self.auxiliary);
        for (phi, row) in coupled.iter_mut().zip(&self.ws.evaluated) {
            *phi = row.phi;
        }
    }
}

/// Drivers that ask for what no position can give.
fn cannot_follow(mechanism: &Mechanism, drivers: &[usize], after: &Worst) -> Fault {
    let named: Vec<String> = drivers.iter().map(|&d| mechanism.driver_at(d, mechanism.start_time)).collect();
    let open = format!("{} stays open by {:.3e} m", mechanism.row_label(after.row), after.value);
    let path = format!("drivers.{}", segment(&mechanism.model.drivers[drivers[drivers.len() - 1]].name));
    match &named[..] {
        [one] => Fault::error(path, format!("{one} asks for a position that the mechanism cannot take at the start: {open}"))
            .help("without this driver it can be assembled: change the driver's value at the start, or the lengths of the loop that it turns"),
        _ => Fault::error(path, format!("{} contradict each other at the start: {open}", named.join(" and ")))
            .help("without one of them the mechanism can be assembled: drive as many coordinates as there are degrees of freedom, or fewer"),
    }
}

fn cannot_close(mechanism: &Mechanism, phi: &[f64], after: &Worst) -> Fault {
    let mut open: Vec<(f64, usize)> = phi.iter().enumerate().map(|(i, p)| (p.abs(), i)).collect();
    open.sort_by(|a, b| b.0.total_cmp(&a.0));
    let others: Vec<String> = open
        .iter()
        .skip(1)
        .take(3)
        .filter(|(v, _)| *v > 0.1 * after.value)
        .map(|&(v, i)| format!("{} by {v:.3e} m", mechanism.row_label(i)))
        .collect();
    let label = mechanism.row_label(after.row);
    let path = match mechanism.rows.list.get(after.row).map(|row| row.owner) {
        Some(super::Owner::Body(b)) => format!("bodies.{}", segment(&mechanism.bodies[b].name)),
        Some(super::Owner::Joint(j)) => format!("joints.{}", segment(&mechanism.joints[j].name)),
        None => mechanism.coupling_path(after.row - mechanism.rows.len()),
    };
    let mut message =
        format!("the mechanism cannot be assembled: {label} stays open by {:.3e} m", after.value);
    if !others.is_empty() {
        message.push_str(&format!(" (next: {})", others.join(", ")));
    }
    Fault::error(path, message)
        .help("check the lengths of this loop: no position of the bodies satisfies all of them")
}

/// Every point must have mass, or be held by constraints.
pub(super) fn massless(mechanism: &Mechanism, kkt: &mut Kkt) -> Result<(), Vec<Fault>> {
    // A holds the Jacobian at the start position
    kkt.weigh_rows();
    // Stricter than during the run: what is as good as massless now may vanish in the next position.
    match kkt.factor().and_then(|()| kkt.check_pivots(1e-11)) {
        Ok(()) => Ok(()),
        Err(KktFailure::Massless { point }) => {
            let node = mechanism.coordinates[point];
            let name = &mechanism.node_names[node];
            let holder = mechanism.bodies.iter().find(|b| b.nodes.contains(&node));
            let path = holder.map_or("bodies".into(), |b| format!("bodies.{}", segment(&b.name)));
            Err(vec![
                Fault::error(
                    path,
                    format!("nothing with mass moves with {name}, so its motion is undetermined"),
                )
                .help("give the body at this point some mass or inertia"),
            ])
        }
        Err(KktFailure::NotFinite) => {
            Err(vec![Fault::error("bodies", "masses or lengths differ so much that the equations overflow")])
        }
    }
}

/// A start velocity that was given: which coordinates, what value, and where it stands in the model.
struct Given {
    node: usize,
    minus: Option<usize>,
    value: Vec3,
    path: String,
}

/// Finds start velocities from what is given (A2).
pub(super) fn start_velocities(mechanism: &mut Mechanism) -> Result<(), Vec<Fault>> {
    let idle = idle_spins(mechanism);
    if !idle.is_empty() {
        return Err(idle);
    }
    let given = given_velocities(mechanism);
    // a mechanism that is driven moves at once
    let driven = mechanism.interactions.couplings.iter().any(|c| c.drive.is_some());
    if given.is_empty() && !driven {
        return Ok(());
    }
    let columns = mechanism.columns();
    let (n, m) = (mechanism.coordinate_count(), mechanism.row_count());
    let mut rows = mechanism.patterns();
    let mut values: Vec<Vec<(usize, f64)>> = Vec::new();
    for item in &given {
        // Σ w v of the node, less that of the other
        let mut terms: Vec<(usize, f64)> =
            mechanism.maps.terms(item.node).iter().map(|&(b, w)| (b as usize, w)).collect();
        if let Some(other) = item.minus {
            for &(b, w) in mechanism.maps.terms(other) {
                match terms.iter_mut().find(|t| t.0 == b as usize) {
                    Some(t) => t.1 -= w,
                    None => terms.push((b as usize, -w)),
                }
            }
        }
        for _ in 0..columns {
            rows.push(RowPattern {
                points: terms.iter().map(|t| t.0).collect(),
                certain: terms.iter().map(|t| t.1.abs() > 0.3).collect(),
                simplex: None,
            });
            values.push(terms.clone());
        }
    }
    let Some(mut kkt) = Kkt::new(mechanism.coordinates.len(), columns, &mechanism.mass, &rows) else {
        return Err(vec![Fault::error("initial", "too many start velocities for a mechanism of this size")]);
    };
    let (_, couplings) = mechanism.start_jacobian(&mut kkt);
    let mut g = vec![0.0; m + values.len()];
    for (g, row) in g[mechanism.rows.len()..].iter_mut().zip(&couplings.evaluated) {
        *g = -row.phi_t;
    }
    for (i, terms) in values.iter().enumerate() {
        let start = kkt.row(m + i).0;
        for (s, &(_, w)) in terms.iter().enumerate() {
            kkt.a[start + s * columns + i % columns] = w;
        }
        g[m + i] = given[i / columns].value[i % columns];
    }
    kkt.weigh_rows();
    if kkt.factor().is_err() {
        return Err(vec![Fault::error(
            "initial",
            "the start velocities cannot be worked out: the equations are singular",
        )]);
    }
    let f = vec![0.0; n];
    let (mut v, mut lambda) = (vec![0.0; n], vec![0.0; g.len()]);
    kkt.solve(&f, &g, &mut v, &mut lambda);
    let residual: Vec<f64> = (0..g.len()).map(|i| kkt.row_times(i, &v) - g[i]).collect();
    let driven = g[..m].iter().fold(0.0_f64, |s, v| s.max(v.abs()));
    let scale = given.iter().fold(driven, |s, i| s.max(norm(i.value)));
    let off = worst(&residual);
    mechanism.assembly.velocity_residual = off.value;
    if off.value > 1e-9 * scale && given.is_empty() {
        let row = worst(&residual[..m]).row;
        let path = match row.checked_sub(mechanism.rows.len()) {
            Some(coupling) => mechanism.coupling_path(coupling),
            None => "drivers".into(),
        };
        let message = format!(
            "the drivers contradict each other or the joints: {} is off by {:.3e} m/s at the start",
            mechanism.row_label(row),
            off.value
        );
        return Err(vec![
            Fault::error(path, message)
                .help("drive as many coordinates as there are degrees of freedom, or fewer"),
        ]);
    }
    if off.value > 1e-9 * scale {
        // which of the given values fits worst
        let worst_given = worst(&residual[m..]);
        let item = &given[worst_given.row / columns];
        return Err(vec![
            Fault::error(
                &item.path,
                format!(
                    "this start velocity contradicts the constraints or the other start velocities: off by {:.3e} m/s",
                    off.value
                ),
            )
            .help("give fewer velocities; the rest follow from the constraints"),
        ]);
    }
    mechanism.start_velocities = v;
    Ok(())
}

/// Velocities that were taken over, as the constraints allow them: what contradicts them is lost as in a plastic impact,
///
///   (A3)  M Δv + Aᵀ λ = p − M v,  A (v + Δv) = −Φ_t
///
/// with p the momentum that the bodies bring along: where two meet at a node, v is that of one of them.
pub(super) fn velocities_that_fit(mechanism: &mut Mechanism, start: &Start) -> Result<(), Vec<Fault>> {
    let Some(mut kkt) = mechanism.solver() else { return Err(vec![too_large()]) };
    let (_, couplings) = mechanism.start_jacobian(&mut kkt);
    let m = mechanism.row_count();
    let mut g = vec![0.0; m];
    for (i, g) in g.iter_mut().enumerate() {
        *g = -kkt.row_times(i, &mechanism.start_velocities);
    }
    for (g, row) in g[mechanism.rows.len()..].iter_mut().zip(&couplings.evaluated) {
        *g -= row.phi_t;
    }
    let speed = mechanism.start_velocities.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
    let missing = start.missing_momentum(mechanism);
    if worst(&g).value <= 1e-14 * speed && missing.is_none() {
        return Ok(());
    }
    kkt.weigh_rows();
    if kkt.factor().is_err() {
        let message = "the velocities cannot be made to fit: the equations are singular";
        return Err(vec![Fault::error("bodies", message)]);
    }
    let (mut dv, mut impulses) = (vec![0.0; mechanism.coordinate_count()], vec![0.0; m]);
    let missing = missing.unwrap_or_else(|| vec![0.0; dv.len()]);
    kkt.solve(&missing, &g, &mut dv, &mut impulses);
    for (v, dv) in mechanism.start_velocities.iter_mut().zip(&dv) {
        *v += dv;
    }
    Ok(())
}

/// Angular velocities about axes that a body has no inertia about: they move nothing.
fn idle_spins(mechanism: &Mechanism) -> Vec<Fault> {
    let bodies: HashMap<&str, &super::MechanismBody> =
        mechanism.bodies.iter().map(|b| (b.name.as_str(), b)).collect();
    let mut faults = Vec::new();
    for (name, w) in &mechanism.model.initial.angular_velocities {
        let Some(body) = bodies.get(name.as_str()) else { continue };
        let at = &body.particles.at;
        let about_itself = match (at.len(), mechanism.columns()) {
            (1, _) => norm(*w),
            (2, 3) => dot(unit(sub(at[1], at[0])), *w).abs(),
            _ => 0.0,
        };
        if about_itself > 1e-9 * norm(*w) {
            let message = format!(
                "`{name}` has no inertia about itself: turning by {about_itself:.3e} rad/s moves nothing"
            );
            let help = "leave that part out, or give the body a shape with some thickness";
            let path = format!("initial.angular_velocities.{}", segment(name));
            faults.push(Fault::error(path, message).help(help));
        }
    }
    faults
}

fn given_velocities(mechanism: &Mechanism) -> Vec<Given> {
    let mut given = Vec::new();
    let initial = &mechanism.model.initial;
    if initial.velocities.is_empty() && initial.angular_velocities.is_empty() {
        return given;
    }
    let points: HashMap<&str, usize> = mechanism.points.iter().map(|p| (p.name.as_str(), p.node)).collect();
    let bodies: HashMap<&str, usize> =
        mechanism.bodies.iter().enumerate().map(|(i, b)| (b.name.as_str(), i)).collect();
    for (name, value) in &initial.velocities {
        if let Some(&node) = points.get(name.as_str()) {
            let path = format!("initial.velocities.{}", segment(name));
            given.push(Given { node, minus: None, value: *value, path });
        }
    }
    let r = mechanism.start_nodes().0;
    for (name, w) in &initial.angular_velocities {
        if let Some(body) = bodies.get(name.as_str()).map(|&b| &mechanism.bodies[b]) {
            for &node in &body.nodes[1..] {
                let value = cross(*w, sub(r[node], r[body.nodes[0]]));
                let path = format!("initial.angular_velocities.{}", segment(name));
                given.push(Given { node, minus: Some(body.nodes[0]), value, path });
            }
        }
    }
    given
}
