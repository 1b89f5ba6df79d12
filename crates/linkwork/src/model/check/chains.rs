//! Chains and ropes, and how they are paid out.

use super::changes::Joined;
use super::{Checker, Checks, MAX_SEGMENTS, MIN_NUMBER, Sign};
use crate::error::names::segment;
use crate::linalg::jet::Jet;
use crate::model::{Chain, ChainContact, ChainDrag, ChainKind, Fault, Formula, Lumping};
use crate::model::{PayOut, PayOutLaw, SupplyEnd, TIME};
use std::collections::HashSet;

/// Lengths that differ by less than this part of theirs are the same: roundings of lengths that were computed.
const SAME: f64 = 1e-9;
/// What is out at the start may differ from the drawing by this part: the assembly takes it up.
const DRAWN: f64 = 1e-6;

/// Whether a number may be computed with.
fn sound(x: f64) -> bool {
    x.is_finite() && x > 0.0
}

impl<'a> Checker<'a> {
    pub(super) fn chains(&mut self) {
        let model = self.model;
        if model.chains.is_empty() {
            return;
        }
        self.names("chains", model.chains.iter().map(|chain| chain.name.as_str()));
        self.generated_names();
        let joined = Joined::new(self);
        let mut total = 0.0;
        for chain in &model.chains {
            let path = format!("chains.{}", segment(&chain.name));
            let distance = self.chain_ends(chain, &path);
            self.chain_numbers(chain, &path);
            total += self.chain_segments(chain, &path, distance).unwrap_or(0.0);
            self.chain_kind(chain, &path);
            if let Some(drag) = &chain.drag {
                self.chain_drag(drag, &format!("{path}.drag"));
            }
            if let Some(contact) = &chain.contact {
                self.chain_contact(contact, &format!("{path}.contact"));
            }
            if let Some(pay_out) = &chain.pay_out {
                self.pay_out(chain, pay_out, &path, distance, &joined);
            }
        }
        if total > MAX_SEGMENTS as f64 && model.chains.len() > 1 {
            let message = format!("all chains together have {total} segments, more than {MAX_SEGMENTS}");
            self.error_with("chains", message, "take longer segments");
        }
    }

    /// Whether a chain begins or ends at a point.
    pub(super) fn chain_end(&self, point: &str) -> bool {
        self.model.chains.iter().any(|chain| chain.from == point || chain.to.as_deref() == Some(point))
    }

    /// Nodes are called after their chain: `rope/1`, `rope/2`.
    fn generated_names(&mut self) {
        let model = self.model;
        let chains: HashSet<&str> = model.chains.iter().map(|chain| chain.name.as_str()).collect();
        let points = model.points.iter().map(|point| ("points", point.name.as_str()));
        let bodies = model.bodies.iter().map(|body| ("bodies", body.name.as_str()));
        for (table, name) in points.chain(bodies) {
            let Some((chain, number)) = name.rsplit_once('/') else { continue };
            if chains.contains(chain) && !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()) {
                let message = format!("`{name}` is what the chain `{chain}` calls one of its nodes");
                self.error_with(format!("{table}.{}", segment(name)), message, "choose another name");
            }
        }
    }

    /// The ends, and how far they are apart as drawn.
    fn chain_ends(&mut self, chain: &Chain, path: &str) -> Option<f64> {
        let from = self.point(&format!("{path}.from"), &chain.from);
        if let Some(direction) = chain.direction {
            self.chain_direction(chain, direction, &format!("{path}.direction"));
        }
        let Some(end) = &chain.to else {
            self.hanging(chain, path);
            return None;
        };
        let at = format!("{path}.to");
        let to = self.point(&at, end);
        if *end == chain.from {
            self.error(at, format!("a chain has two ends, this has `{end}` twice"));
            return None;
        }
        let (from, to) = (from?, to?);
        let distance = (to[0] - from[0]).hypot(to[1] - from[1]).hypot(to[2] - from[2]);
        if distance == 0.0 && chain.length.is_none() {
            let message = format!("the chain has no length: `{}` and `{end}` coincide", chain.from);
            let help = if chain.pay_out.is_some() {
                "draw them apart: their distance is what is out at the start"
            } else {
                "give its `length`, or draw them apart"
            };
            self.error_with(path, message, help);
        }
        distance.is_finite().then_some(distance)
    }

    fn chain_direction(&mut self, chain: &Chain, direction: [f64; 3], path: &str) {
        self.vector(path, direction);
        if direction.iter().all(|x| x.abs() < MIN_NUMBER) {
            self.error(path, "this is no direction: it is zero");
        } else if chain.to.is_some() {
            let message = "the chain lies between `from` and `to`: it needs no `direction`";
            self.error_with(path, message, "leave out `direction`, or `to`");
        }
    }

    fn hanging(&mut self, chain: &Chain, path: &str) {
        if chain.pay_out.is_some() {
            let help = "to = the point where it leaves the container or the drum";
            self.error_with(path, "a chain that is paid out needs its exit `to`", help);
            return;
        }
        if chain.length.is_none() {
            let help = "give its `length`, or its other end with `to`";
            self.error_with(path, "nobody knows how long this chain is", help);
        }
        if chain.direction.is_none() && self.model.gravity == [0.0; 3] {
            let help = "direction = a vector or two points; or its other end with `to`";
            self.error_with(path, "nobody knows where this chain lies: there is no gravity", help);
        }
    }

    fn chain_numbers(&mut self, chain: &Chain, path: &str) {
        let lengths = [("length", chain.length), ("segment_length", chain.segment_length)];
        let forces = [("stiffness", chain.stiffness), ("break_force", chain.break_force)];
        let density = [("mass_per_length", Some(chain.mass_per_length))];
        for (key, value) in lengths.into_iter().chain(forces).chain(density) {
            if let Some(value) = value {
                self.number(&format!("{path}.{key}"), value, Sign::Positive);
            }
        }
        let others = [
            ("damping", chain.damping),
            ("bending_stiffness", chain.bending_stiffness),
            ("bending_damping", chain.bending_damping),
        ];
        for (key, value) in others {
            self.number(&format!("{path}.{key}"), value, Sign::NotNegative);
        }
    }

    /// How many segments it has at the start, if that is known; and whether they reach.
    fn chain_segments(&mut self, chain: &Chain, path: &str, distance: Option<f64>) -> Option<f64> {
        let paid_out = chain.pay_out.is_some();
        match (chain.segments, chain.segment_length) {
            (Some(_), _) if paid_out => {
                let message = "segments of a chain that is paid out come and go";
                self.error_with(format!("{path}.segments"), message, "give `segment_length` instead");
            }
            (Some(_), Some(_)) => {
                let message = "`segments` and `segment_length` are both given";
                self.error_with(format!("{path}.segment_length"), message, "keep one of the two");
            }
            (None, None) => {
                let needed = if paid_out { "`segment_length`" } else { "`segments` or `segment_length`" };
                let help = "the finer, the closer to a rope, and the longer a run takes";
                self.error_with(path, format!("{needed} is missing"), help);
            }
            _ => {}
        }
        if chain.segments.is_some_and(|n| n == 0 || n > MAX_SEGMENTS) {
            let n = chain.segments.unwrap_or(0);
            let message = format!("`segments` must be from 1 to {MAX_SEGMENTS}, it is {n}");
            self.error(format!("{path}.segments"), message);
            return None;
        }
        if paid_out && chain.length.is_some() {
            let message = "what is out at the start is the distance of `from` and `to`";
            let help = "leave `length` out; `supply` in `pay_out` is the length of the whole chain";
            self.error_with(format!("{path}.length"), message, help);
        }
        let length = chain.length.filter(|_| !paid_out).or(distance).filter(|x| sound(*x))?;
        let count = match (chain.segments.filter(|_| !paid_out), chain.segment_length) {
            (Some(n), _) => n as f64,
            // the last one grows
            (None, Some(one)) if sound(one) && paid_out => (length / one).ceil().max(1.0),
            (None, Some(one)) if sound(one) => (length / one).round().max(1.0),
            _ => return None,
        };
        if count > MAX_SEGMENTS as f64 {
            let message = format!("these are {count} segments, more than {MAX_SEGMENTS}");
            self.error_with(format!("{path}.segment_length"), message, "take longer ones");
            return None;
        }
        if let Some(distance) = distance.filter(|_| chain.stiffness.is_none() && !paid_out) {
            self.chain_reaches(chain, path, [length, distance], count);
        }
        Some(count)
    }

    /// Rigid segments fill the distance of the ends, or sag.
    fn chain_reaches(&mut self, chain: &Chain, path: &str, [length, distance]: [f64; 2], count: f64) {
        let path = format!("{path}.length");
        let ends = format!("`{}` and `{}`", chain.from, chain.to.as_deref().unwrap_or_default());
        if length < distance * (1.0 - SAME) {
            let message =
                format!("a chain of {length} m is too short to reach: {ends} are {distance} m apart");
            self.error_with(path, message, "make it longer, or elastic by a `stiffness`");
        } else if count == 1.0 && length > distance * (1.0 + SAME) {
            let message =
                format!("one rigid segment of {length} m is too long: {ends} are {distance} m apart");
            self.error_with(path, message, "a chain that sags has two segments or more");
        }
    }

    fn chain_kind(&mut self, chain: &Chain, path: &str) {
        let rods = chain.kind == ChainKind::Rods;
        if rods && chain.stiffness.is_some() {
            let help = "leave `stiffness` out, or choose kind = \"lumped\"";
            self.error_with(format!("{path}.stiffness"), "rods are rigid: they have no `stiffness`", help);
        } else if chain.stiffness.is_none() && chain.damping != 0.0 {
            let help = "remove it, or give the `stiffness`; bends are damped by `bending_damping`";
            self.error_with(format!("{path}.damping"), "a rigid chain has no `damping`", help);
        }
        if rods && chain.masses != Lumping::Halves {
            let help = "leave `masses` out, or choose kind = \"lumped\"";
            self.error_with(format!("{path}.masses"), "rods have their mass along themselves", help);
        }
    }

    fn chain_drag(&mut self, drag: &ChainDrag, path: &str) {
        let numbers = [
            ("density", drag.density),
            ("diameter", drag.diameter),
            ("normal", drag.normal),
            ("tangential", drag.tangential),
            ("linear", drag.linear),
        ];
        for (key, value) in numbers {
            self.number(&format!("{path}.{key}"), value, Sign::NotNegative);
        }
        self.vector(&format!("{path}.wind"), drag.wind);
        if drag.diameter == 0.0 && (drag.normal != 0.0 || drag.tangential != 0.0) {
            let message = "`normal` and `tangential` drag need the `diameter` of the chain";
            self.error_with(path, message, "diameter in m; or give `linear` drag, which needs none");
        }
    }

    fn chain_contact(&mut self, contact: &ChainContact, path: &str) {
        let model = self.model;
        if model.surfaces.iter().all(|surface| surface.name != contact.surface) {
            let known = model.surfaces.iter().map(|surface| surface.name.as_str()).collect();
            self.unknown(&format!("{path}.surface"), "surface", &contact.surface, known);
        }
        self.number(&format!("{path}.friction"), contact.friction, Sign::NotNegative);
        let e = contact.restitution;
        if !(0.0..=1.0).contains(&e) {
            let message = format!("`restitution` must be from 0 to 1, it is {e}");
            self.error(format!("{path}.restitution"), message);
        }
    }

    fn pay_out(
        &mut self,
        chain: &Chain,
        pay_out: &PayOut,
        path: &str,
        distance: Option<f64>,
        joined: &Joined<'a>,
    ) {
        if let Some(exit) = &chain.to
            && self.positions.contains_key(exit.as_str())
            && !joined.held.contains(exit.as_str())
        {
            let message = format!("no body holds the exit `{exit}` of this chain");
            let help = "add it to the `points` of a body or of `ground`";
            self.error_with(format!("{path}.to"), message, help);
        }
        let rigid = chain.stiffness.is_none();
        let path = format!("{path}.pay_out");
        self.number(&format!("{path}.pick_up"), pay_out.pick_up, Sign::NotNegative);
        self.number(&format!("{path}.exit_tension"), pay_out.exit_tension, Sign::NotNegative);
        match (pay_out.supply, distance) {
            (Some(supply), Some(out)) if rigid && sound(supply) && supply < out * (1.0 - SAME) => {
                let message =
                    format!("the whole chain has {supply} m, but {out} m of it are out at the start");
                self.error(format!("{path}.supply"), message);
            }
            (Some(supply), _) => self.number(&format!("{path}.supply"), supply, Sign::Positive),
            (None, _) if pay_out.at_end == SupplyEnd::Loose => {
                let message = "`at_end` has no effect: the supply has no end";
                let warning = Fault::warning(format!("{path}.at_end"), message);
                self.faults.push(warning.help("give the length of the whole chain as `supply`"));
            }
            (None, _) => {}
        }
        match &pay_out.law {
            PayOutLaw::Follows => {}
            PayOutLaw::Length(law) => {
                self.pay_out_length(law, &format!("{path}.length"), distance.filter(|_| rigid));
            }
            PayOutLaw::Winch(winch) => {
                let path = format!("{path}.winch");
                self.sizes(&format!("{path}.radius"), "the radius", &[winch.radius]);
                if winch.coordinate == 0 {
                    self.error(format!("{path}.coordinate"), "coordinates are counted from one");
                }
                self.joint_named(&format!("{path}.joint"), &winch.joint, joined);
            }
        }
    }

    /// A length as a function of time. `out`: what it is at the start by the drawing.
    fn pay_out_length(&mut self, law: &Formula, path: &str, out: Option<f64>) {
        let before = self.faults.len();
        self.formula(path, law, &[]);
        if law.references().iter().any(|r| r.target.single() != Some(TIME)) {
            let help = "a chain that a drum gives out has a `winch`";
            self.error_with(path, "the length that is out is a function of the time `t` alone", help);
        }
        if self.faults.len() > before {
            return;
        }
        let Ok((law, _)) = self.readings.resolve(law, &[]) else { return };
        let times = vec![Jet::time(0.0); law.references().len()];
        let start = law.eval_jet(&times, &mut Vec::new());
        if !(start.x.is_finite() && start.d.is_finite() && start.dd.is_finite()) {
            let why = law.trouble(&times).map_or(String::new(), |e| format!(": {}", e.message));
            let message = format!("the length, its rate or its acceleration has no value at t = 0{why}");
            self.error(path, message);
        } else if start.x <= 0.0 {
            self.error(
                path,
                format!("the length that is out must be more than zero, at t = 0 it is {} m", start.x),
            );
        } else if let Some(out) = out.filter(|out| sound(*out) && (start.x - out).abs() > DRAWN * out) {
            let message = format!(
                "at t = 0 this is {} m, but `from` and `to` are {out} m apart: so much is out",
                start.x
            );
            self.error_with(path, message, "move one of the points, or change the expression");
        }
    }
}
