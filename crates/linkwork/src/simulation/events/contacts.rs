//! Contacts that close, open, slip and stick.
//!
//! Whatever happens, all contacts that touch are looked at together, twice:
//!
//!   (1)  velocities: where any two surfaces approach each other, impulses by the law of [`sequence`], or of [`impact`] for all at once; restitution is zero where
//!        the flight would be too low or too short ((E3), with a = N W_nn: what the contact's push at rest gives back to the gap)
//!   (2)  accelerations, of those whose gaps do not grow: forces by [`solve`], which say what closes, sticks and slips
//!
//! An open contact that touches idly (its gap is zero and it carries nothing) is watched like one that is far away: it
//! closes when its gap falls 10⁻¹³ of the size below where it was when last looked at.
//!
//! Margins of closed contacts: a gap (of surfaces that end), the pull −N, or |T| − μN where it sticks, in units of the force that counts as zero; where it slides,
//!
//!   (3)  ½|s| − s·d     d the slip's direction when it was last looked at
//!
//! which is positive where the slip comes to an end or turns back, and in space where it has turned by 60°: then d is taken
//! again and nothing else happens. A closed contact that leaves the region in which its feature holds, as a corner that slides over the edge
//! of a face does, opens; what takes over touches already.

use super::coupled::Coupled;
use super::near::Broad;
use super::touching::{Found, Touching};
use super::{CLEARLY, Event, EventKind, Events, NO_GAP};
use crate::contact::solve::{Mode, Solution, Tangent, impact, poisson, sequence, solve};
use crate::contact::{ClosedContact, ContactFailure, ContactSpace, Site, StickOrSlip};
use crate::formulations::{Formulate, Impulses, MotionError, Twist, impulses};
use crate::interactions::BodyWrench;
use crate::linalg::vec3::{Vec3, add, dot, norm, scale, sub, unit};
use crate::mechanism::{Mechanism, judged_by};
use crate::model::ImpactLaw;
use crate::simulation::events::record::{ContactImpulse, JointImpulse};

/// Contacts this part of the size apart touch at the start: they have been drawn so.
const DRAWN: f64 = 1e-10;
/// Accelerations below this part of the largest are rounding.
const NO_ACCELERATION: f64 = 1e-9;
/// Impulses below this part of the largest are rounding.
const NO_IMPULSE: f64 = 1e-12;

/// A slip ends when it has turned back by this part of the speed that counts as zero.
const END: f64 = 1e-4;

/// What a run knows of its contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    /// The closed ones.
    pub held: Vec<ClosedContact>,
    /// By contact: its place in `held`.
    pub place: Vec<Option<usize>>,
    /// By contact, (E4): t₀ and g₀.
    pub left: Vec<Option<(f64, f64)>>,
    /// By contact: the gap, if negative, where an open one was when last looked at.
    pub base: Vec<f64>,
    /// By contact: the slip that counted as none when it began to slide. A corner about which a body turns passes through such.
    pub none: Vec<Vec3>,
    /// By pair of surfaces: how deep they overlapped when last looked at.
    pub pairs: Vec<f64>,
    /// What is near in the step that is looked into; nothing where there are few contacts, and all are looked at.
    pub broad: Option<Box<Broad>>,
    pub coupled: Coupled,
    /// Islands of what touches.
    pub space: ContactSpace,
    pub no_speed: f64,
    /// A closed contact with a larger gap has come to the end of its surface.
    pub gone: f64,
}

impl Contacts {
    /// None where steps go over contacts.
    pub fn new(mechanism: &Mechanism, events: bool) -> Self {
        let count = if events { mechanism.contacts.len() } else { 0 };
        Contacts {
            held: Vec::new(),
            place: vec![None; count],
            left: vec![None; count],
            base: vec![0.0; count],
            none: vec![[0.0; 3]; count],
            pairs: vec![0.0; if events { mechanism.pairs.len() } else { 0 }],
            broad: if events { Broad::new(mechanism) } else { None },
            coupled: Coupled::default(),
            space: match events {
                true => ContactSpace::new(mechanism.free_bodies(), mechanism.components()),
                false => ContactSpace::default(),
            },
            no_speed: mechanism.no_speed(),
            gone: mechanism.gone(),
        }
    }
}

/// What a contact gives back, and what it bears.
#[derive(Clone, Copy, Debug)]
struct Bounce {
    /// e of the model.
    e: f64,
    /// N, if it stayed closed.
    push: f64,
    /// What that gives back to the gap, m/s².
    a: f64,
}

impl Bounce {
    /// Whether it takes part in an impact from the start: it bears against the ground, has no restitution, or is a part of a face, such as a corner of a box on another.
    fn supports(&self, mechanism: &Mechanism, site: &Site) -> bool {
        self.e == 0.0 || site.bodies.contains(&None) || !mechanism.contacts[site.contact].feature.is_round()
    }
}

/// Forces of those that may close, and what is to be held.
struct Closing {
    /// By site: the push.
    normal: Vec<f64>,
    held: Vec<ClosedContact>,
}

/// A closed contact this part of the size inside of its region leaves together with another one of the same bodies.
const ALMOST: f64 = 1e-8;

impl Events<'_> {
    /// Sites of all contacts that touch: closed ones, and those with hardly a gap.
    fn touching(&mut self, start: bool) -> Vec<Site> {
        let mechanism = self.mechanism;
        let reach = if start { DRAWN * mechanism.size } else { 10.0 * self.no_gap };
        let planar = mechanism.columns() == 2;
        let mut near = Vec::new();
        mechanism.near_contacts(&self.ws.motions, &mut near);
        let sites =
            near.iter().map(|&i| Site::new(i, &mechanism.contacts[i].feature, planar, &self.ws.motions));
        let contacts = &self.contacts;
        let closed = |s: &Site| contacts.place[s.contact].is_some() && s.touch.gap <= contacts.gone;
        // what has left the region in which it holds has handed over to its neighbours
        let beyond = |contact: usize| mechanism.contacts[contact].feature.beyond(&self.ws.motions);
        // two bodies of which one closed contact leaves: those that would follow at once go with it
        let leave: Vec<_> = contacts
            .held
            .iter()
            .filter(|hold| beyond(hold.contact) > 0.0)
            .map(|hold| mechanism.contacts[hold.contact].feature.bodies())
            .collect();
        let holds = |s: &Site| {
            let follows = contacts.place[s.contact].is_some() && leave.contains(&s.bodies);
            beyond(s.contact) <= if follows { -ALMOST * mechanism.size } else { 0.0 }
        };
        let moves = |s: &Site| s.bodies != [None, None];
        sites.filter(|s| moves(s) && (closed(s) || s.touch.gap <= reach)).filter(holds).collect()
    }

    fn unsolved(&self, touching: &Touching, failure: &ContactFailure) -> MotionError {
        let (ContactFailure::NotFinite { contact } | ContactFailure::Unsolved { contact, .. }) = failure;
        let contact = self.mechanism.contacts[touching.sites[*contact].contact].name.clone();
        MotionError::Contact { contact, why: failure.clone() }
    }

    /// (2): forces of sites that stay together, at a state; the system holds nothing. Bodies are where they are.
    fn close<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &[f64],
        touching: &Touching,
    ) -> Result<Closing, MotionError> {
        let mechanism = self.mechanism;
        let (d, count) = (touching.d, touching.sites.len());
        if count == 0 {
            return Ok(Closing { normal: Vec::new(), held: Vec::new() });
        }
        let mut dy = vec![0.0; y.len()];
        let mut accelerations = vec![Twist::default(); mechanism.bodies.len()];
        system.derivative(t, y, &mut dy)?;
        system.body_accelerations(y, &dy, &mut accelerations);
        let motions = &self.ws.motions;
        let free: Vec<Vec3> =
            touching.sites.iter().map(|s| s.acceleration(motions, &accelerations)).collect();
        let free = touching.components(&free);
        let mut tangent = vec![Tangent::Cone; count];
        let slips: Vec<Vec3> = touching.sites.iter().map(|s| s.across(s.velocity(motions))).collect();
        for (i, (site, &slip)) in touching.sites.iter().zip(&slips).enumerate() {
            if norm(slip) > self.contacts.no_speed {
                let along = scale(1.0 / norm(slip), slip);
                let last = if d == 3 { dot(site.axes[2], along) } else { 0.0 };
                tangent[i] = Tangent::Sliding([dot(site.axes[1], along), last]);
            }
        }
        let each = touching.solve(mechanism, &free, &tangent, |problem, _| {
            solve(problem).map(|Solution { p, modes }| (p, modes))
        });
        let Found { p, modes } = each.map_err(|e| self.unsolved(touching, &e))?;
        let after = touching.after(&free, &p);
        let largest = free.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut closing = Closing { normal: vec![0.0; count], held: Vec::new() };
        for (i, site) in touching.sites.iter().enumerate() {
            closing.normal[i] = p[i * d];
            if modes[i] == Mode::Open || p[i * d] <= self.no_force {
                continue;
            }
            let force = touching.vector(i, &p);
            let friction = site.across(force);
            let starts = site.across(touching.vector(i, &after));
            let sliding = tangent[i] != Tangent::Cone;
            let grip = if mechanism.contacts[site.contact].friction == 0.0 {
                StickOrSlip::Slide(if sliding { unit(slips[i]) } else { site.axes[1] })
            } else if sliding {
                StickOrSlip::Slide(unit(slips[i]))
            } else if modes[i] == Mode::Stick {
                StickOrSlip::Stick
            } else if norm(starts) > NO_ACCELERATION * largest {
                StickOrSlip::Slide(unit(starts))
            } else {
                StickOrSlip::Full(unit(scale(-1.0, friction)))
            };
            let before = self.contacts.place[site.contact].map(|i| self.contacts.held[i]);
            let stayed = before.filter(|h| !matches!(h.grip, StickOrSlip::Slide(_))).and_then(|h| h.anchor);
            let corner = mechanism.contacts[site.contact].feature.is_corner();
            let anchor = match grip {
                StickOrSlip::Slide(_) => None,
                _ if corner => Some(stayed.unwrap_or_else(|| site.marks(motions))),
                _ => None,
            };
            closing.held.push(ClosedContact { contact: site.contact, grip, anchor, force });
        }
        Ok(closing)
    }

    /// Restitution of each site: none where it would not be seen, (E3).
    fn bounces<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &[f64],
        touching: &Touching,
        before: &[f64],
    ) -> Result<Vec<Bounce>, MotionError> {
        let mechanism = self.mechanism;
        let d = touching.d;
        let said = |s: &Site| Bounce { e: mechanism.contacts[s.contact].restitution, push: 0.0, a: 0.0 };
        let mut all: Vec<Bounce> = touching.sites.iter().map(said).collect();
        if all.iter().all(|bounce| bounce.e == 0.0) {
            return Ok(all);
        }
        // as if all of them stayed: how hard would they push?
        let stopped = touching.solve(mechanism, before, &[], |problem, sites| {
            impact(problem, &problem.free, &vec![0.0; sites.len()]).map(|found| (found.p, found.modes))
        });
        let stopped = stopped.map_err(|e| self.unsolved(touching, &e))?;
        let mut still = y.to_vec();
        self.strike_contacts(system, &mut still, &touching.pulls(&stopped.p))?;
        let after = touching.after(before, &stopped.p);
        let stays: Vec<usize> =
            (0..all.len()).filter(|&i| after[i * d].abs() <= self.contacts.no_speed).collect();
        system.locate_bodies(&still, &mut self.ws.motions);
        let part = touching.part(&stays).moved(mechanism, &self.ws.motions);
        let closing = self.close(system, t, &still, &part)?;
        let yielding = touching.yielding();
        for (&i, &push) in stays.iter().zip(&closing.normal) {
            (all[i].push, all[i].a) = (push, push * yielding[i]);
        }
        system.locate_bodies(y, &mut self.ws.motions);
        Ok(all)
    }

    /// e of a contact that approaches with a velocity.
    fn restitution(&self, bounce: &Bounce, approach: f64) -> f64 {
        let back = bounce.e * approach.min(0.0);
        let low = 0.5 * back * back / bounce.a < self.lowest_flight;
        let short = -2.0 * back / bounce.a < self.shortest_flight;
        if bounce.push > self.no_force && (low || short) { 0.0 } else { bounce.e }
    }

    /// Impulses of all that touch, by the law of the model.
    fn impacts(
        &mut self,
        t: f64,
        touching: &Touching,
        before: &[f64],
        bounces: &[Bounce],
        rounding: f64,
    ) -> Result<Vec<f64>, MotionError> {
        let (mechanism, d) = (self.mechanism, touching.d);
        let law = mechanism.model.settings.impact;
        let e = |i: usize, approach: f64| self.restitution(&bounces[i], approach);
        let support = |i: usize| bounces[i].supports(mechanism, &touching.sites[i]);
        let (mut rounds, mut cut) = (0, false);
        let found = touching.solve(mechanism, before, &[], |problem, sites| match law {
            ImpactLaw::Simultaneous => {
                let e: Vec<f64> = sites.iter().map(|&i| e(i, before[i * d])).collect();
                impact(problem, &problem.free, &e).map(|found| (found.p, found.modes))
            }
            ImpactLaw::Poisson => {
                let found = poisson(problem, |at, approach| e(sites[at], approach))?;
                Ok((found.p, found.modes))
            }
            ImpactLaw::Sequential => {
                let support: Vec<bool> = sites.iter().map(|&i| support(i)).collect();
                let found = sequence(problem, rounding, &support, |at, approach| e(sites[at], approach))?;
                rounds = found.rounds.max(rounds);
                cut |= found.cut;
                Ok((found.p, Vec::new()))
            }
        });
        let p = found.map_err(|e| self.unsolved(touching, &e))?.p;
        if law != ImpactLaw::Sequential {
            // a contact that did not approach, and pushes: the shock has come through others
            let most = p.iter().step_by(d).fold(0.0_f64, |m, p| m.max(*p));
            let struck = |&i: &usize| before[i * d] >= -rounding && p[i * d] > NO_IMPULSE * most;
            rounds = 1 + (0..bounces.len()).filter(struck).filter(|&i| !support(i)).count();
        }
        self.contacts.coupled.note(t, rounds, cut);
        Ok(p)
    }

    /// Lets impulses change the rates of a state; returns the work of drivers that answer.
    pub(super) fn strike_contacts<F: Formulate>(
        &mut self,
        system: &mut F,
        y: &mut [f64],
        pulls: &[BodyWrench],
    ) -> Result<f64, MotionError> {
        let rates = system.rates();
        let mut change = vec![0.0; rates.len()];
        let work = system.respond(pulls, &mut change)?;
        y[rates].iter_mut().zip(&change).for_each(|(u, du)| *u += du);
        Ok(work)
    }

    /// How sites act on each other, with a formulation that has been evaluated at a state. Bodies are where they are.
    fn interplay<F: Formulate>(
        &mut self,
        system: &mut F,
        y: &[f64],
        sites: Vec<Site>,
    ) -> Result<Touching, MotionError> {
        Touching::new(system, &mut self.contacts.space, y, &self.ws.motions, sites, self.mechanism.columns())
    }

    /// Everything that contacts do at an instant. Tells whether velocities, or what is closed, have changed.
    pub(super) fn settle<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        start: bool,
    ) -> Result<bool, MotionError> {
        let mechanism = self.mechanism;
        if self.contacts.place.is_empty() {
            return Ok(false);
        }
        system.locate_bodies(y, &mut self.ws.motions);
        let places = self.ws.motions.iter().flat_map(|motion| motion.c);
        let far = places.fold(0.0, |m: f64, x| m.max(x.abs()));
        self.no_gap = NO_GAP * judged_by(mechanism.size, far);
        let sites = self.touching(start);
        self.note_overlaps();
        if sites.is_empty() && self.contacts.held.is_empty() {
            return Ok(false);
        }
        let d = mechanism.columns();
        let mut dy = vec![0.0; y.len()];
        system.hold(&[]);
        // until the very end: whatever fails, the contacts are as they were
        let found = (|| {
            system.derivative(t, y, &mut dy)?;
            let touching = self.interplay(system, y, sites)?;
            let jumped = self.collide(system, t, y, &touching)?;
            let mut touching = touching.moved(mechanism, &self.ws.motions);
            if jumped {
                // a limit may have let go
                system.derivative(t, y, &mut dy)?;
                touching = self.interplay(system, y, touching.sites)?;
            }
            let (closing, more) = self.stay(system, t, y, &touching)?;
            let u = touching.velocities(&self.ws.motions);
            Ok((touching, u, closing, jumped || more))
        })();
        let (touching, u, closing, jumped) = match found {
            Ok(found) => found,
            Err(error) => {
                system.hold(&self.contacts.held);
                return Err(error);
            }
        };
        for (i, contact) in self.contacts.left.iter_mut().enumerate() {
            *contact = None;
            self.contacts.base[i] = 0.0;
        }
        for (i, site) in touching.sites.iter().enumerate() {
            let slip = site.across(site.velocity(&self.ws.motions));
            let small = norm(slip) <= self.contacts.no_speed;
            self.contacts.none[site.contact] = if small { slip } else { [0.0; 3] };
            self.contacts.base[site.contact] = site.touch.gap.min(0.0);
            if u[i * d] > self.contacts.no_speed {
                self.contacts.left[site.contact] = Some((t, site.touch.gap));
            }
        }
        let changed = self.tell(t, &closing.held);
        self.contacts.place.fill(None);
        for (i, hold) in closing.held.iter().enumerate() {
            self.contacts.place[hold.contact] = Some(i);
        }
        self.contacts.held = closing.held;
        system.hold(&self.contacts.held);
        Ok(changed || jumped)
    }

    /// (2) for all contacts whose gaps do not grow, or hardly: those that are pushed back before they have risen visibly, (E3), stay as
    /// well. A block that rocks ends so. Tells whether velocities have changed.
    fn stay<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        touching: &Touching,
    ) -> Result<(Closing, bool), MotionError> {
        let (mechanism, d) = (self.mechanism, touching.d);
        let g = norm(self.mechanism.model.gravity);
        let slow = (2.0 * self.lowest_flight * g).sqrt().max(0.5 * g * self.shortest_flight);
        let slow = slow.max(self.contacts.no_speed);
        let u = touching.velocities(&self.ws.motions);
        let yielding = touching.yielding();
        let mut stays: Vec<usize> = (0..touching.sites.len()).filter(|&i| u[i * d] <= slow).collect();
        loop {
            let part = touching.part(&stays);
            let closing = match self.close(system, t, y, &part) {
                Err(MotionError::Contact {
                    why: ContactFailure::Unsolved { sliding: true, contact, .. },
                    ..
                }) if self.jam(system, t, y, &part.part(part.island_of(contact)))? => {
                    let part = part.moved(mechanism, &self.ws.motions);
                    return Ok((self.close(system, t, y, &part)?, true));
                }
                closing => closing?,
            };
            let rising = |i: usize| u[i * d] > self.contacts.no_speed;
            let rises = |i: usize, push: f64| {
                let a = push * yielding[i];
                let low = 0.5 * u[i * d] * u[i * d] / a < self.lowest_flight;
                let short = 2.0 * u[i * d] / a < self.shortest_flight;
                rising(i) && !(push > self.no_force && (low || short))
            };
            let high: Vec<usize> = stays
                .iter()
                .zip(&closing.normal)
                .filter(|&(&i, &push)| rises(i, push))
                .map(|(&i, _)| i)
                .collect();
            if !high.is_empty() {
                stays.retain(|i| !high.contains(i));
                continue;
            }
            if !stays.iter().any(|&i| rising(i)) {
                return Ok((closing, false));
            }
            self.halt(system, y, &part, &closing.held)?;
            let part = part.moved(mechanism, &self.ws.motions);
            return Ok((self.close(system, t, y, &part)?, true));
        }
    }

    /// Takes what is left of the velocities of closed contacts away.
    fn halt<F: Formulate>(
        &mut self,
        system: &mut F,
        y: &mut [f64],
        touching: &Touching,
        held: &[ClosedContact],
    ) -> Result<(), MotionError> {
        let d = touching.d;
        let u = touching.velocities(&self.ws.motions);
        let rows = |i: usize| match held.iter().find(|hold| hold.contact == touching.sites[i].contact) {
            None => 0,
            Some(hold) if hold.grip == StickOrSlip::Stick => d,
            Some(_) => 1,
        };
        let p = touching.stopping(&u, rows);
        let after = touching.after(&u, &p);
        let work: f64 = p.iter().zip(u.iter().zip(&after)).map(|(p, (u, v))| 0.5 * p * (u + v)).sum();
        let driven = self.strike_contacts(system, y, &touching.pulls(&p))?;
        y[system.work_index()] += work + driven;
        self.account(system.work_index(), y, touching, &p, work);
        system.locate_bodies(y, &mut self.ws.motions);
        Ok(())
    }

    /// (1): impulses, if anything approaches. The bodies' velocities are those after, then.
    fn collide<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        touching: &Touching,
    ) -> Result<bool, MotionError> {
        let d = touching.d;
        let before = touching.velocities(&self.ws.motions);
        let largest = before.iter().fold(0.0_f64, |m, u| m.max(u.abs()));
        let rounding = 1e-5 * self.contacts.no_speed + 1e-15 * largest;
        let fastest = before.iter().step_by(d).fold(0.0_f64, |m, u| m.min(*u));
        if fastest >= -rounding {
            return Ok(false);
        }
        let bounces = self.bounces(system, t, y, touching, &before)?;
        let p = self.impacts(t, touching, &before, &bounces, rounding)?;
        // leaves the factor of this very place
        let answer = impulses(system, t, y, &touching.pulls(&p), &mut self.frame)?;
        if let Some(i) = self.pulled_limit(&answer.couplings) {
            // a limit cannot pull: without it, all is different
            self.lift(system, t, i);
            let mut dy = vec![0.0; y.len()];
            system.derivative(t, y, &mut dy)?;
            let free = self.interplay(system, y, touching.sites.clone())?;
            self.collide(system, t, y, &free)?;
            return Ok(true);
        }
        self.apply(system, t, y, touching, &before, &p, answer, -fastest > self.contacts.no_speed)?;
        Ok(true)
    }

    /// Where no forces obey the laws while contacts slide (Painlevé), their slip ends at once: impulses stop them. Tells whether
    /// such impulses push and stay within the cones; they take energy then, as they act against the slip.
    fn jam<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        touching: &Touching,
    ) -> Result<bool, MotionError> {
        let (mechanism, d) = (self.mechanism, touching.d);
        let before = touching.velocities(&self.ws.motions);
        let p = touching.stopping(&before, |_| d);
        let after = touching.after(&before, &p);
        let stopped = after.iter().all(|u| u.abs() <= self.contacts.no_speed);
        let obeys = p.chunks_exact(d).zip(&touching.sites).all(|(p, site)| {
            let bound = mechanism.contacts[site.contact].friction * p[0];
            p[0] >= 0.0 && p[1..].iter().map(|t| t * t).sum::<f64>().sqrt() <= bound
        });
        if !(stopped && obeys) {
            return Ok(false);
        }
        let mut dy = vec![0.0; y.len()];
        system.derivative(t, y, &mut dy)?;
        let answer = impulses(system, t, y, &touching.pulls(&p), &mut self.frame)?;
        if self.pulled_limit(&answer.couplings).is_some() {
            return Ok(false);
        }
        self.apply(system, t, y, touching, &before, &p, answer, true)?;
        Ok(true)
    }

    /// Lets impulses act that have been found, and notes them.
    #[allow(clippy::too_many_arguments)]
    fn apply<F: Formulate>(
        &mut self,
        system: &mut F,
        t: f64,
        y: &mut [f64],
        touching: &Touching,
        before: &[f64],
        p: &[f64],
        answer: Impulses,
        reported: bool,
    ) -> Result<(), MotionError> {
        let (mechanism, d) = (self.mechanism, touching.d);
        let after = touching.after(before, p);
        let mut work: f64 =
            p.iter().zip(before.iter().zip(&after)).map(|(p, (u, v))| 0.5 * p * (u + v)).sum();
        self.account(system.work_index(), y, touching, p, work);
        work += self.strike_contacts(system, y, &touching.pulls(p))?;
        y[system.work_index()] += work;
        system.locate_bodies(y, &mut self.ws.motions);
        if reported {
            let joints = mechanism.joints.iter().zip(&answer.joints).map(|(joint, r)| JointImpulse {
                joint: joint.name.clone(),
                force: r.force,
                moment: r.moment,
            });
            let mut first = Some((work, joints.collect()));
            let most = p.iter().step_by(d).fold(0.0_f64, |m, p| m.max(*p));
            for (i, site) in touching.sites.iter().enumerate() {
                if p[i * d] <= NO_IMPULSE * most {
                    continue;
                }
                let (energy, joints) = first.take().unwrap_or_default();
                let impulse = touching.vector(i, p);
                let point = add(site.touch.point, mechanism.model.origin);
                let contact = ContactImpulse { impulse, point, normal: site.touch.normal };
                self.list.push(Event {
                    t,
                    kind: EventKind::Impact,
                    name: mechanism.contacts[site.contact].name.clone(),
                    impulse: p[i * d],
                    energy,
                    contact: Some(contact),
                    joints,
                    ..Event::default()
                });
            }
        }
        Ok(())
    }

    /// Notes what impacts take, and the impulses that they give.
    fn account(&self, work_index: usize, y: &mut [f64], touching: &Touching, p: &[f64], work: f64) {
        let Some(places) = self.mechanism.account_places(work_index) else { return };
        y[places.impacts()] -= work;
        for (site, p) in touching.sites.iter().zip(p.chunks_exact(touching.d)) {
            if let Some(impulse) = self.mechanism.entry_of(site.contact).and_then(|e| places.impulse(e)) {
                y[impulse] += p[0];
            }
        }
    }

    /// A limit that would have to pull at what rests on it.
    pub(super) fn pulled_limit(&self, impulses: &[f64]) -> Option<usize> {
        let largest = impulses.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let limits = &self.mechanism.events.limits;
        (0..self.bouncers.len()).find(|&i| {
            self.bouncers[i]
                .rests
                .is_some_and(|end| Self::push(end, impulses[limits[i].row.coupling]) < -CLEARLY * largest)
        })
    }

    /// Notes what is different in what is held; tells whether anything is.
    fn tell(&mut self, t: f64, held: &[ClosedContact]) -> bool {
        let mechanism = self.mechanism;
        let mut changed = false;
        let mut place = vec![None; mechanism.contacts.len()];
        held.iter().for_each(|hold| place[hold.contact] = Some(hold.grip));
        for (i, contact) in mechanism.contacts.iter().enumerate() {
            let before = self.contacts.place[i].map(|at| self.contacts.held[at].grip);
            let slides = |grip: StickOrSlip| matches!(grip, StickOrSlip::Slide(_));
            let kind = match (before, place[i]) {
                (None, Some(_)) => EventKind::Rest,
                (Some(_), None) => EventKind::Lift,
                (Some(a), Some(b)) if slides(a) && !slides(b) => EventKind::Stick,
                (Some(a), Some(b)) if !slides(a) && slides(b) => EventKind::Slip,
                // the other way
                (Some(StickOrSlip::Slide(a)), Some(StickOrSlip::Slide(b)))
                    if dot(a, b) < 0.0 && contact.friction > 0.0 =>
                {
                    EventKind::Slip
                }
                _ => continue,
            };
            changed = true;
            self.list.push(Event { t, kind, name: contact.name.clone(), ..Event::default() });
        }
        changed
    }

    /// Whether nothing but the direction of a slip has to be taken again.
    pub(super) fn only_turns(&self, watch: usize) -> bool {
        let super::Of::Contact(i) = self.watches[watch].of else { return false };
        let Some(at) = self.contacts.place[i] else { return false };
        let Some(state) = self.frame.contacts.get(i) else { return false };
        matches!(self.contacts.held[at].grip, StickOrSlip::Slide(_))
            && norm(state.slip) > 10.0 * self.contacts.no_speed
            && state.normal > 0.0
    }

    /// How far a contact is from doing something else, where the bodies are.
    pub(super) fn contact_margin(&self, i: usize, t: f64) -> f64 {
        let contacts = &self.contacts;
        let contact = &self.mechanism.contacts[i];
        let Some(at) = contacts.place[i] else {
            let touch = contact.feature.touch(&self.ws.motions);
            return match contacts.left[i] {
                Some((t0, _)) if t <= t0 => -touch.rate,
                Some((t0, gap0)) => -(touch.gap - gap0) / (t - t0), // (E4)
                None => contacts.base[i] - touch.gap - self.no_gap,
            };
        };
        let state = &self.frame.contacts[i];
        let pull = -state.normal / self.no_force;
        let bound = contact.friction * state.normal;
        let other = match contacts.held[at].grip {
            _ if contact.friction == 0.0 => -1.0,
            StickOrSlip::Stick => (norm(state.friction) - bound) / self.no_force - 1.0,
            StickOrSlip::Full(_) => 0.01 * norm(state.slip) / contacts.no_speed - 1.0,
            // (3); the sooner the slip's end is seen, the less friction acts in the wrong direction
            StickOrSlip::Slide(d) => {
                let slip = sub(state.slip, contacts.none[i]);
                (0.5 * norm(slip) - dot(slip, d)) / contacts.no_speed - END
            }
        };
        let beyond = contact.feature.beyond(&self.ws.motions) / self.no_gap;
        (pull.max(beyond) - 1.0).max(other).max(state.gap / contacts.gone - 1.0)
    }
}

crate::keep::keep!(Contacts { held, place, left, base, none, pairs, coupled } but { broad, space, no_speed, gone });
