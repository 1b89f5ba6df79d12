//! A second opinion on what all formulations share: virtual work.
//!
//! Formulations agree on the laws of elements and on constraint rows that one module evaluates for all of them, right or wrong. What
//! can be checked without that module's algebra is whether forces do the work that the law accounts for. For any velocities (v, ω) of
//! the bodies, with the forces f, moments m and the potential V that the element reports,
//!
//!   (W1)  Σ f·v + m·ω  =  P − dV/dt              P: power that no potential accounts for
//!   (W2)  Σ f·v + m·ω + Φ_t  =  dΦ/dt            a constraint row: f, m are its gradient
//!
//! where d/dt is a difference of V or Φ between poses moved along (v, ω) by ±h:
//!
//!   (W3)  c ± h v,   exp(±h [ω]×) R,   t ± h;    h |v| is [`REACH`] of the mechanism's size
//!
//! Velocities are those of the run and some that are drawn at random. Rows whose force acts elsewhere than along the gradient (teeth,
//! rolling) mean something along the motion of the run only. A wrong lever arm, sign or gradient shows in (W1) and (W2); a wrong
//! coefficient in a law with neither potential nor gradient does not.

use crate::interactions::{
    BodyWrench, Context, CouplingOwner, Evaluated, Motion, Scene, Scratch, Touch, Workspace, Wrenches,
};
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::{Mat3, Vec3, axpy, cross, dot, norm};
use crate::mechanism::Mechanism;
use crate::results::Frame;

/// Instants of a run that are looked at.
const INSTANTS: usize = 8;
/// Velocities drawn at random at each of them.
const DRAWN: usize = 4;
/// The way of (W3), relative to the size: the error of a central difference, ~1e-10, meets that of its rounding there.
const REACH: f64 = 1e-5;
/// Instants at which a law has a kink within ±h are left out: those that change this much with h.
const KINK: f64 = 1e-6;

/// Error of (W1) or (W2) for one element, relative to the powers in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The element or joint: `tyre.front`, `joint gear`.
    pub name: String,
    /// The largest error over the instants; `None` if nothing was at work at any of them.
    pub error: Option<f64>,
}

impl Witness {
    /// An error beyond this is a fault of the element, not of differences.
    pub const BOUND: f64 = 1e-5;
}

/// Elements and rows that all formulations share, with their witness.
pub(super) fn witnesses(mechanism: &Mechanism, frames: &[Frame]) -> Vec<Witness> {
    let interactions = &mechanism.interactions;
    // where what the mechanism consists of has changed, it is another one
    let same: Vec<&Frame> = frames.iter().filter(|f| f.stage.is_none() && f.fits(mechanism)).collect();
    let rows = interactions.couplings.iter().map(|c| row_name(mechanism, c.owner)).collect::<Vec<_>>();
    let mut found: Vec<Witness> = Vec::new();
    let mut note = |name: &str, error: Option<f64>| match found.iter_mut().find(|w| w.name == name) {
        Some(w) => w.error = [w.error, error].into_iter().flatten().reduce(f64::max),
        None => found.push(Witness { name: name.to_owned(), error }),
    };
    for action in &interactions.actions {
        note(action_name(&action.name), None);
    }
    for name in rows.iter().flatten() {
        note(name, None);
    }
    if same.is_empty() {
        return found;
    }
    let mut look = Look::new(mechanism);
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    for k in 0..INSTANTS.min(same.len()) {
        let frame = same[k * (same.len() - 1) / (INSTANTS - 1).max(1)];
        for drawn in 0..=DRAWN {
            let motions = if drawn == 0 { frame.motions.clone() } else { draw.velocities(mechanism, frame) };
            for (i, action) in interactions.actions.iter().enumerate() {
                note(action_name(&action.name), look.action(i, frame, &motions));
            }
            for (row, name) in rows.iter().enumerate() {
                let gradient = matches!(interactions.couplings[row].touch, Touch::Gauges);
                if let (Some(name), true) = (name, drawn == 0 || gradient) {
                    note(name, look.row(row, frame, &motions));
                }
            }
        }
    }
    found
}

fn action_name(name: &str) -> &str {
    if name.is_empty() { "springs and friction of joints" } else { name }
}

/// Rows of joints and couplings; drivers, locks and limits hold a coordinate that a joint of the model reads.
fn row_name(mechanism: &Mechanism, owner: CouplingOwner) -> Option<String> {
    match owner {
        CouplingOwner::Joint(j) => Some(format!("joint.{}", mechanism.joints[j].name)),
        CouplingOwner::Proportion(_) => Some("couplings".into()),
        CouplingOwner::Driver(d) => Some(format!("driver.{}", mechanism.model.drivers[d].name)),
        CouplingOwner::Cable(_) => Some("cables".into()),
        CouplingOwner::Chain(_)
        | CouplingOwner::Lock(_)
        | CouplingOwner::Impulse(_)
        | CouplingOwner::Limit(_) => None,
    }
}

/// Numbers that are the same in every run (xorshift).
struct Draw(u64);

impl Draw {
    /// Between -1 and 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// The poses of a frame with other velocities: of crossing the mechanism's size in a second, or as fast as it is.
    fn velocities(&mut self, mechanism: &Mechanism, frame: &Frame) -> Vec<Motion> {
        let fastest = frame.velocities.iter().fold(0.0, |m: f64, v| m.max(norm(*v)));
        let speed = fastest.max(mechanism.size);
        let planar = mechanism.model.dimension.columns() == 2;
        let mut moved = frame.motions.clone();
        for motion in &mut moved {
            motion.v = std::array::from_fn(|i| if planar && i == 2 { 0.0 } else { speed * self.next() });
            let turn = speed / mechanism.size;
            motion.w = std::array::from_fn(|i| if planar && i < 2 { 0.0 } else { turn * self.next() });
        }
        moved
    }
}

/// Evaluates single actions and rows at poses near those of a frame.
struct Look<'m> {
    mechanism: &'m Mechanism,
    workspace: Workspace,
    moved: Vec<Motion>,
    scratch: Scratch,
    pulls: Wrenches,
}

impl<'m> Look<'m> {
    fn new(mechanism: &'m Mechanism) -> Self {
        let workspace = Workspace::new(&mechanism.interactions, mechanism.bodies.len());
        Look {
            mechanism,
            workspace,
            moved: Vec::new(),
            scratch: Scratch::default(),
            pulls: Wrenches::default(),
        }
    }

    /// (W3), and h: none where nothing moves.
    fn reach(&self, motions: &[Motion]) -> Option<f64> {
        let size = self.mechanism.size;
        let fastest = motions.iter().fold(0.0, |m: f64, x| m.max(norm(x.v)).max(norm(x.w) * size));
        let h = REACH * size / fastest;
        h.is_normal().then_some(h)
    }

    fn shift(&mut self, motions: &[Motion], h: f64) {
        self.moved.clear();
        self.moved.extend(motions.iter().map(|m| Motion {
            c: axpy(m.c, h, m.v),
            turned: turned(&m.turned, m.w, h),
            ..*m
        }));
    }

    /// The error of (W1).
    fn action(&mut self, i: usize, frame: &Frame, motions: &[Motion]) -> Option<f64> {
        let h = self.reach(motions)?;
        let interactions = &self.mechanism.interactions;
        let action = &interactions.actions[i].action;
        let (hints, holds) = frame.auxiliary.split_at_checked(interactions.hints)?;
        let effect = |look: &mut Self, h: f64| {
            look.shift(motions, h);
            let scene =
                Scene { t: frame.t + h, bodies: &look.moved, hints, holds, switches: &frame.switches };
            look.workspace.motions.clone_from(&look.moved);
            look.workspace.switches.clone_from(&frame.switches);
            look.workspace.measure(interactions, frame.t + h, &frame.auxiliary, &[]);
            let measures = &look.workspace.measures;
            let at = Context { interactions, scene: &scene, measures, locals: &[], late: &[] };
            look.pulls.clear();
            action.apply(&at, &mut look.scratch, &mut look.pulls)
        };
        let rate =
            |look: &mut Self, h: f64| (effect(look, h).potential - effect(look, -h).potential) / (2.0 * h);
        let (stored, nearer) = (rate(self, h), rate(self, 0.5 * h));
        let here = effect(self, 0.0);
        let (work, size) = power(&self.pulls.list, motions);
        let size = size + here.power.abs() + stored.abs();
        // the rounding of a difference of potentials counts as no error
        let rounding = 4.0 * f64::EPSILON * here.potential.abs() / h;
        error(work - here.power + stored, stored - nearer, size, rounding)
    }

    /// The error of (W2).
    fn row(&mut self, row: usize, frame: &Frame, motions: &[Motion]) -> Option<f64> {
        let h = self.reach(motions)?;
        let interactions = &self.mechanism.interactions;
        if frame.auxiliary.len() < interactions.auxiliary()
            || interactions.couplings[row].binds_velocities_only()
        {
            return None;
        }
        let at = |look: &mut Self, h: f64| -> Evaluated {
            look.shift(motions, h);
            look.workspace.motions.clone_from(&look.moved);
            look.workspace.switches.clone_from(&frame.switches);
            look.workspace.rows(interactions, frame.t + h, &frame.auxiliary);
            look.workspace.evaluated[row]
        };
        let rate = |look: &mut Self, h: f64| (at(look, h).phi - at(look, -h).phi) / (2.0 * h);
        let (change, nearer) = (rate(self, h), rate(self, 0.5 * h));
        let here = at(self, 0.0);
        let (work, size) = power(self.workspace.pulls(row), motions);
        let rounding = 16.0 * f64::EPSILON * self.mechanism.size / h;
        let size = size + here.phi_t.abs();
        error(work + here.phi_t - change, change - nearer, size, rounding)
    }
}

/// Relative; none where nothing is at work, or a kink lies between.
fn error(off: f64, bend: f64, size: f64, rounding: f64) -> Option<f64> {
    if !(size.is_finite() && off.is_finite()) || size <= 1e3 * rounding || bend.abs() > KINK * size {
        return None;
    }
    Some((off.abs() - rounding).max(0.0) / size)
}

/// Σ f·v + m·ω, and Σ of its terms' sizes.
fn power(pulls: &[BodyWrench], motions: &[Motion]) -> (f64, f64) {
    pulls.iter().fold((0.0, 0.0), |(sum, size), p| {
        let (m, Wrench { force, moment }) = (&motions[p.body], p.wrench);
        let sizes = norm(force) * norm(m.v) + norm(moment) * norm(m.w);
        (sum + dot(force, m.v) + dot(moment, m.w), size + sizes)
    })
}

/// exp(h [ω]×) R by its series: h |ω| is small.
fn turned(r: &Mat3, w: Vec3, h: f64) -> Mat3 {
    let mut out = *r;
    for column in 0..3 {
        let u: Vec3 = std::array::from_fn(|i| r[i][column]);
        let (mut term, mut sum) = (u, u);
        for k in 1..=4 {
            term = cross(w, term).map(|x| x * h / f64::from(k));
            sum = axpy(sum, 1.0, term);
        }
        for i in 0..3 {
            out[i][column] = sum[i];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interactions::Action;
    use crate::model::Model;

    fn frames(model: &str) -> (Mechanism, Vec<Frame>) {
        let mechanism = Model::from_toml(model).unwrap().assemble().unwrap();
        let frames = mechanism.simulate().unwrap().frames;
        (mechanism, frames)
    }

    const MODEL: &str = r#"
        format = 1
        [model]
        gravity = "-z"
        [points]
        A = [0, 0, 0]
        B = [0.3, 0.1, 0.2]
        C = [0.5, 0.4, 0.3]
        [bodies]
        ground = { points = ["A"] }
        block = { points = ["B", "C"], mass = 2, shape = { type = "box", size = [0.2, 0.3, 0.4] } }
        [bushings.mount]
        bodies = ["ground", "block"]
        at = "B"
        stiffness = [300, 400, 500, 10, 20, 30]
        damping = [3, 4, 5, 0.1, 0.2, 0.3]
        [simulation]
        duration = 0.5
        output_step = 0.05
    "#;

    #[test]
    fn cross_bushing_does_the_work_of_its_potential() {
        let (mechanism, frames) = frames(MODEL);
        let found = witnesses(&mechanism, &frames);
        let error = found.iter().find(|w| w.name == "bushing.mount").and_then(|w| w.error);
        println!("virtual work of the bushing: {error:?}");
        assert!(error.is_some_and(|e| e < 1e-8), "{found:?}");
    }

    /// Axes that are not at right angles: moments are no longer the gradient of the potential.
    #[test]
    fn wrong_moments_are_contradicted() {
        let (mut mechanism, frames) = frames(MODEL);
        for action in &mut mechanism.interactions.actions {
            if let Action::Bushing(bushing) = &mut action.action {
                bushing.axes[0][1] += 0.2;
            }
        }
        let found = witnesses(&mechanism, &frames);
        let error = found.iter().find(|w| w.name == "bushing.mount").and_then(|w| w.error);
        println!("virtual work of a wrong bushing: {error:?}");
        assert!(error.is_some_and(|e| e > Witness::BOUND), "{found:?}");
    }
}
