//! Initial joint coordinates and rates: extra constraints of the assembly, and of nothing else.
//!
//! With w = 1 for paths and the size of the mechanism for angles, each coordinate that is given adds a row
//!
//!   (J1)  Φ = w (q_j − q_given − v_given t),   Φ_t = −w v_given
//!
//! to (A1) and (A2) of the assembly. Positions go from the drawing to the given ones in steps of up to [`STRIDE`], so that loops stay in the branch that is drawn.

use super::assembly::{Search, start_velocities};
use super::coupling_rows::CouplingRows;
use super::{Coordinate, Mechanism};
use crate::error::names::segment;
use crate::interactions::{Coupling, CouplingOwner, Prescribed};
use crate::linalg::kkt::Kkt;
use crate::model::{Fault, Formula};

/// Angles change by this at a time, rad, and paths by this part of the mechanism's size.
const STRIDE: f64 = 0.1;
/// Steps on the way, at most.
const MAX_STRIDES: f64 = 200.0;
/// Halvings that find out how far a coordinate gets.
const HALVINGS: u32 = 12;
/// Angles are read within half a turn.
const HALF_TURN: f64 = 0.999 * std::f64::consts::PI;

/// A coordinate of a joint with what is given of it.
struct Wanted {
    joint: usize,
    name: String,
    number: usize,
    coordinate: Coordinate,
    angle: bool,
    q: Option<f64>,
    v: Option<f64>,
}

impl Wanted {
    fn path(&self) -> String {
        format!("initial.joints.{}", segment(&self.name))
    }

    fn label(&self) -> String {
        match self.number {
            0 => format!("the initial coordinate of `{}`", self.name),
            i => format!("the initial coordinate {} of `{}`", i + 1, self.name),
        }
    }

    /// A value of the coordinate, for people.
    fn shown(&self, q: f64) -> String {
        if self.angle { format!("{:.4} deg", q.to_degrees()) } else { format!("{q:.6} m") }
    }
}

impl Mechanism {
    /// Places the mechanism as the model's initial joint coordinates say: a drawing for the assembly.
    pub(super) fn pose_joints(&mut self) -> Result<(), Vec<Fault>> {
        let wanted = self.wanted()?;
        let placed: Vec<&Wanted> = wanted.iter().filter(|w| w.q.is_some()).collect();
        if placed.is_empty() {
            return Ok(());
        }
        let from: Vec<f64> = placed.iter().map(|w| self.read_coordinate(w.coordinate)).collect();
        let to: Vec<f64> = placed.iter().map(|w| w.q.unwrap_or(0.0)).collect();
        let at = |s: f64| -> Vec<[f64; 2]> {
            from.iter().zip(&to).map(|(a, b)| [if s >= 1.0 { *b } else { a + s * (b - a) }, 0.0]).collect()
        };
        let mut held = self.with_rows(&placed);
        let Some(mut kkt) = held.solver() else { return Err(vec![super::assembly::too_large()]) };
        kkt.set_mass(self.mass.iter().map(|&(i, j, _)| f64::from(u8::from(i == j))));
        let farthest = placed.iter().zip(&from).map(|(w, a)| {
            let way = (w.q.unwrap_or(0.0) - a).abs();
            if w.angle { way } else { way / self.size }
        });
        let strides = (farthest.fold(0.0, f64::max) / STRIDE).ceil().clamp(1.0, MAX_STRIDES);
        let (mut reached, mut k) = (0.0, 1.0);
        while k <= strides {
            if !held.closes_at(&at(k / strides), &mut kkt) {
                break;
            }
            (reached, k) = (k / strides, k + 1.0);
        }
        if reached < 1.0 {
            // coordinates that depend on each other do not go there in proportion
            let mut at_once = self.with_rows(&placed);
            if at_once.closes_at(&at(1.0), &mut kkt) {
                held = at_once;
            } else {
                let mut beyond = k / strides;
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (reached + beyond);
                    match held.closes_at(&at(middle), &mut kkt) {
                        true => reached = middle,
                        false => beyond = middle,
                    }
                }
                return Err(vec![self.out_of_reach(&placed, &at(reached))]);
            }
        }
        self.start_positions = held.start_positions;
        Ok(())
    }

    /// Initial velocities with the model's joint rates; whether there are any.
    pub(super) fn joint_rates(&mut self) -> Result<bool, Vec<Fault>> {
        let wanted = self.wanted()?;
        let moving: Vec<&Wanted> = wanted.iter().filter(|w| w.v.is_some()).collect();
        if moving.is_empty() {
            return Ok(false);
        }
        let motions: Vec<[f64; 2]> =
            moving.iter().map(|w| [self.read_coordinate(w.coordinate), w.v.unwrap_or(0.0)]).collect();
        let mut held = self.with_rows(&moving);
        held.set_rows(&motions);
        if let Err(faults) = start_velocities(&mut held) {
            let off = held.assembly.velocity_residual;
            let own = |fault: Fault| {
                let to_blame =
                    moving.iter().find(|w| fault.message.contains(&w.label())).unwrap_or(&moving[0]);
                let message = format!(
                    "the initial rate of `{}` contradicts the constraints or other initial velocities: they are off by {off:.3e} m/s",
                    to_blame.name
                );
                Fault::error(to_blame.path(), message)
                    .help("give fewer rates and velocities; the rest follow from the constraints")
            };
            return Err(faults.into_iter().map(own).collect());
        }
        self.start_velocities = held.start_velocities;
        self.assembly.velocity_residual = held.assembly.velocity_residual;
        Ok(true)
    }

    /// What the model gives, by coordinates of joints.
    fn wanted(&self) -> Result<Vec<Wanted>, Vec<Fault>> {
        let (mut list, mut faults) = (Vec::new(), Vec::new());
        for start in &self.model.initial.joints {
            let path = format!("initial.joints.{}", segment(&start.joint));
            let Some(joint) = self.joints.iter().position(|joint| joint.name == start.joint) else {
                let message = format!("there is no joint `{}`", start.joint);
                let help = self.joint_names_like(&start.joint);
                faults.push(Fault { help, ..Fault::error(path, message) });
                continue;
            };
            let known = &self.joints[joint].coordinates;
            let given = start.q.len().max(start.v.len());
            if given > known.len() {
                let kind = self.joints[joint].kind.name();
                let message =
                    format!("`{}` is {kind} and has {} coordinates, not {given}", start.joint, known.len());
                faults.push(Fault::error(path, message));
                continue;
            }
            for (number, &coordinate) in known.iter().enumerate().take(given) {
                let angle = self.interactions.gauges[coordinate.gauge].is_angle();
                let (q, v) = (start.q.get(number).copied(), start.v.get(number).copied());
                if let Some(q) = q.filter(|q| angle && q.abs() > HALF_TURN) {
                    let message =
                        format!("{:.1} deg is half a turn or more from the drawing", q.to_degrees());
                    let help =
                        "give an angle between -180 deg and 180 deg, or draw the mechanism nearer to it";
                    faults.push(Fault::error(path.clone(), message).help(help));
                }
                let name = start.joint.clone();
                list.push(Wanted { joint, name, number, coordinate, angle, q, v });
            }
        }
        if faults.is_empty() { Ok(list) } else { Err(faults) }
    }

    /// A coordinate where the mechanism is now.
    fn read_coordinate(&self, Coordinate { gauge, factor }: Coordinate) -> f64 {
        factor * self.interactions.gauges[gauge].jet(&self.start_motions(), &self.initial_auxiliary()).x
    }

    /// This mechanism with a row (J1) for each of the coordinates.
    fn with_rows(&self, wanted: &[&Wanted]) -> Mechanism {
        let mut held = self.clone();
        held.solver = None;
        for w in wanted {
            let Coordinate { gauge, factor } = w.coordinate;
            let scale = if w.angle { self.size } else { 1.0 };
            let (terms, owner) = (vec![(gauge, factor * scale)], CouplingOwner::Joint(w.joint));
            let row = Coupling::new(&self.interactions.gauges, terms, owner, w.label());
            let drive = Some(Prescribed::of_time(scale, Formula::constant(0.0)));
            held.interactions.couplings.push(Coupling { drive, ..row });
        }
        held.coupling_rows = CouplingRows::new(&held.interactions.couplings, &held.bodies, &held.maps);
        held
    }

    /// Sets q_given and v_given of the rows that [`with_rows`](Self::with_rows) has added.
    fn set_rows(&mut self, motions: &[[f64; 2]]) {
        let first = self.interactions.couplings.len() - motions.len();
        for (coupling, [q, v]) in self.interactions.couplings[first..].iter_mut().zip(motions) {
            if let Some(drive) = &mut coupling.drive {
                let value = Formula::parse(&format!("({q:e}) + ({v:e}) * t"));
                *drive = Prescribed::of_time(drive.weight, value.unwrap_or_else(|_| Formula::constant(*q)));
            }
        }
    }

    /// Whether the mechanism closes with these values; if so, it stays there.
    fn closes_at(&mut self, motions: &[[f64; 2]], kkt: &mut Kkt) -> bool {
        self.set_rows(motions);
        let mut search = Search::new(self);
        search.close(self, kkt, &|_| false);
        let closed = search.is_closed(self);
        if closed {
            self.start_positions = search.q;
        }
        closed
    }

    /// The coordinate that is farthest from what is given, and by how much.
    fn out_of_reach(&self, placed: &[&Wanted], reached: &[[f64; 2]]) -> Fault {
        let missing = |(w, [at, _]): &(&&Wanted, &[f64; 2])| {
            let off = (w.q.unwrap_or(0.0) - at).abs();
            if w.angle { off } else { off / self.size }
        };
        let worst = placed.iter().zip(reached).max_by(|a, b| missing(a).total_cmp(&missing(b)));
        let Some((w, [at, _])) = worst else { return Fault::error("initial.joints", "out of reach") };
        let target = w.q.unwrap_or(0.0);
        let message = format!(
            "the mechanism cannot be assembled with {} at {}: it gets to {}, {} short of it",
            w.label(),
            w.shown(target),
            w.shown(*at),
            w.shown((target - at).abs())
        );
        let help = match placed.len() {
            1 => "give a value that the loops of the mechanism allow",
            _ => {
                "give fewer coordinates, or values that fit each other: the rest follow from the constraints"
            }
        };
        Fault::error(w.path(), message).help(help)
    }
}
