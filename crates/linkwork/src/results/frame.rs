//! One instant of a motion.

use super::Balance;
use crate::interactions::{CoordinateFunction, CouplingOwner, Motion, Workspace};
use crate::linalg::spatial::Wrench;
use crate::linalg::vec3::{Vec3, add, axpy, dot, scale};
use crate::mechanism::{ContactOf, ContactResult, Instant, JointCoordinate, Late, Mechanism};
use std::collections::HashMap;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A contact at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactState {
    /// m
    pub gap: f64,
    /// Whether it is closed: it pushes.
    pub closed: bool,
    /// Whether it is closed and does not slip.
    pub sticks: bool,
    /// The push, N.
    pub normal: f64,
    /// Force of friction on b, N, world axes.
    pub friction: Vec3,
    /// Velocity of b's material against a's, across the normal, m/s.
    pub slip: Vec3,
    /// All force on b, N, world axes.
    pub force: Vec3,
}

/// The contacts of an entry of the model together, at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactSum {
    /// The least gap, m; not a number where pairs are too many to be listed.
    pub gap: f64,
    /// How many are closed; of an entry whose pairs are not listed, how many points push.
    pub closed: usize,
    /// The sum of the pushes, N.
    pub normal: f64,
    /// The sum of the forces of friction, N, world axes: on bodies where the other side is the ground, else on the second surfaces as the entry is written.
    pub friction: Vec3,
    /// The sum of all forces, on the same sides, N, world axes.
    pub force: Vec3,
}

/// Energy that contacts have taken since the run began, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactLosses {
    /// In impacts, friction during them included.
    pub impacts: f64,
    /// In friction of contacts that slide.
    pub friction: f64,
}

impl ContactSum {
    /// Of one contact, a pair or an entry.
    pub(crate) fn new(mechanism: &Mechanism, contacts: &[ContactState], of: ContactOf) -> Self {
        let mut sum = ContactSum { gap: f64::INFINITY, ..ContactSum::default() };
        let pairs = match of {
            ContactOf::One(contact) => {
                contacts.get(contact).into_iter().for_each(|contact| sum.add(contact, 1.0));
                return sum;
            }
            ContactOf::Pair(pair) => pair..pair + 1,
            ContactOf::Entry(entry) => mechanism.pairs_of(entry),
        };
        if matches!(of, ContactOf::Entry(entry) if mechanism.crowds.of(entry).is_some()) {
            sum.gap = f64::NAN;
        }
        for pair in &mechanism.pairs[pairs] {
            for contact in pair.contacts() {
                let Some(state) = contacts.get(contact) else { continue };
                let side = if state.closed { mechanism.side(pair, contact) } else { 1.0 };
                sum.add(state, side);
            }
        }
        sum
    }

    fn add(&mut self, contact: &ContactState, side: f64) {
        self.gap = self.gap.min(contact.gap);
        if contact.closed {
            self.add_force(contact.normal, scale(side, contact.friction), scale(side, contact.force));
        }
    }

    /// A point of a crowd.
    fn add_push(&mut self, push: &Push) {
        // crowds have their surfaces as they are written
        let side = if matches!(push.bodies, [Some(_), None]) { -1.0 } else { 1.0 };
        let normal = push.normal_force();
        let friction = axpy(push.force, -normal, push.normal);
        self.add_force(normal, scale(side, friction), scale(side, push.force));
    }

    fn add_force(&mut self, normal: f64, friction: Vec3, force: Vec3) {
        self.closed += 1;
        self.normal += normal;
        self.friction = add(self.friction, friction);
        self.force = add(self.force, force);
    }
}

/// A point of contact that pushed in the last time step over contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push {
    /// The contact of the model, by its place there.
    pub of: Option<usize>,
    /// a and b; `None` is the ground.
    pub bodies: [Option<usize>; 2],
    /// Where, in the middle of the step, relative to [`Model::origin`](crate::model::Model::origin).
    pub point: Vec3,
    /// Unit length, from a to b.
    pub normal: Vec3,
    /// Mean force on b over the step, N.
    pub force: Vec3,
}

impl Push {
    /// How hard it pushes, N.
    pub fn normal_force(&self) -> f64 {
        dot(self.normal, self.force)
    }
}

/// A coordinate of a joint that stands in the state of a formulation, but for a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateCoordinate {
    /// The joint.
    pub joint: usize,
    /// Which of its coordinates.
    pub index: usize,
    /// Where the coordinate stands in the state.
    pub q: usize,
    /// Where its rate does.
    pub u: usize,
    /// One; minus one where the state has it the other way round.
    pub sense: f64,
}

/// Everything there is to know at one instant. Points and joints stand in the mechanism's order.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Time, s.
    pub t: f64,
    /// Positions of named points in the world, m.
    pub positions: Vec<Vec3>,
    /// Velocities of named points, m/s.
    pub velocities: Vec<Vec3>,
    /// Accelerations of named points, m/s².
    pub accelerations: Vec<Vec3>,
    /// Positions of all nodes of the mechanism relative to [`Model::origin`](crate::model::Model::origin), hidden ones included, m; empty in `newton-euler` and `kane`, which have no nodes.
    pub nodes: Vec<Vec3>,
    /// Their velocities, m/s.
    pub node_velocities: Vec<Vec3>,
    /// Coordinates of the joints, as many as each has.
    pub joints: Vec<Vec<JointCoordinate>>,
    /// Where the bodies are, relative to [`Model::origin`](crate::model::Model::origin).
    pub motions: Vec<Motion>,
    /// Turns, places on curves and held values that belong to the state.
    pub auxiliary: Vec<f64>,
    /// Multipliers of the couplings.
    pub multipliers: Vec<f64>,
    /// Which switches of the couplings are on.
    pub switches: Vec<bool>,
    /// The contacts.
    pub contacts: Vec<ContactState>,
    /// The entries of the model's contacts, each with all its contacts together.
    pub contact_sums: Vec<ContactSum>,
    /// The sum of the forces of contacts on each body, N, world axes; empty where there are no contacts.
    pub contact_forces: Vec<Vec3>,
    /// Points that push, where time steps go over contacts; those of entries without columns included.
    pub pushes: Vec<Push>,
    /// Where open contacts are left out: which ones are filled in. The others have a gap of zero, and there are no sums.
    pub(crate) closed_only: Option<Vec<usize>>,
    /// Outputs of the actions, one after the other.
    pub outputs: Vec<f64>,
    /// Values of the measures.
    pub measures: Vec<f64>,
    /// Masses that vary, in the order of [`Mechanism::masses`], kg.
    pub masses: Vec<f64>,
    /// Σ ṁ ċ of the bodies whose mass varies: the momentum that their changes of mass take along, N.
    pub mass_flow_momentum: Vec3,
    /// Reactions of joints on their second body, moments about their points there.
    pub reactions: Vec<Wrench>,
    /// How far each joint has come apart, m: rounding, unless the run does not project.
    pub gaps: Vec<f64>,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// What contacts have taken of the energy so far; it is part of the work, with the other sign.
    pub contact_losses: Option<ContactLosses>,
    /// Potential energy of gravity, springs and constant forces, J.
    pub potential: f64,
    /// Work done so far by dampers and couples, J.
    pub work: f64,
    /// Largest constraint residual, m.
    pub constraint_residual: f64,
    /// Largest rate of a constraint, m/s.
    pub velocity_residual: f64,
    /// Sum of what actions, contacts and couplings do to the bodies: what is left of it acts from the ground, N.
    pub acting: Vec3,
    /// The balances, where they are kept.
    pub balance: Option<Balance>,
    /// The mechanism that it shows, where what a mechanism consists of has changed since the run began.
    pub stage: Option<Arc<Mechanism>>,
    /// When the joint angles were last counted on.
    joints_at: f64,
    /// The formulation's coordinates then, where they count turns.
    counted_by: Vec<f64>,
}

impl Frame {
    /// An empty frame of the right size.
    pub fn new(mechanism: &Mechanism) -> Self {
        Frame {
            positions: vec![[0.0; 3]; mechanism.points.len()],
            velocities: vec![[0.0; 3]; mechanism.points.len()],
            accelerations: vec![[0.0; 3]; mechanism.points.len()],
            joints: vec![Vec::new(); mechanism.joints.len()],
            motions: vec![Motion::FIXED; mechanism.bodies.len()],
            reactions: vec![Wrench::default(); mechanism.joints.len()],
            gaps: vec![0.0; mechanism.joints.len()],
            ..Default::default()
        }
    }

    /// An empty frame that shows closed contacts only, unless something is read off the others.
    pub(crate) fn of_closed_contacts(mechanism: &Mechanism) -> Self {
        let closed_only = mechanism.late.is_empty().then(Vec::new);
        Frame { closed_only, ..Frame::new(mechanism) }
    }

    /// Whether it has the size that [`Frame::new`] gives it.
    pub(crate) fn fits(&self, mechanism: &Mechanism) -> bool {
        let shown = self.closed_only.iter().flatten().all(|&i| i < self.contacts.len());
        let of_points = [&self.positions, &self.velocities, &self.accelerations];
        let of_joints = [self.joints.len(), self.reactions.len(), self.gaps.len()];
        of_points.iter().all(|list| list.len() == mechanism.points.len())
            && of_joints.iter().all(|&n| n == mechanism.joints.len())
            && self.motions.len() == mechanism.bodies.len()
            && shown
    }

    /// Counts the turns of joints on from where those of another mechanism were at a time.
    pub(crate) fn count_on_from(
        &mut self,
        mechanism: &Mechanism,
        t: f64,
        before: &HashMap<String, Vec<JointCoordinate>>,
    ) {
        for (joint, list) in mechanism.joints.iter().zip(&mut self.joints) {
            if let Some(known) = before.get(&joint.name)
                && known.len() == joint.coordinates.len()
            {
                list.clone_from(known);
            }
        }
        self.joints_at = t;
        self.counted_by.clear();
    }

    /// Counts the turns of joints on from given coordinates at a time, as far as there are any.
    pub(crate) fn count_on(&mut self, joints: &[Vec<JointCoordinate>], t: f64) {
        for (list, known) in self.joints.iter_mut().zip(joints) {
            list.clone_from(known);
        }
        self.joints_at = t;
        self.counted_by.clear();
    }

    /// Counts the turns of joints on from the last instant by coordinates q of the formulation that do so: `carry` moves the joints' coordinates on from those of that
    /// instant to these.
    pub(crate) fn count_on_by(
        &mut self,
        t: f64,
        q: &[f64],
        carry: impl FnOnce(&[f64], &mut [Vec<JointCoordinate>]),
    ) {
        if self.counted_by.len() == q.len() {
            carry(&self.counted_by, &mut self.joints);
            self.joints_at = t;
        }
        self.counted_by.clear();
        self.counted_by.extend_from_slice(q);
    }

    /// A coordinate of a joint at a state near this instant, counted on from here; `None` where the formulation counts no turns.
    pub(crate) fn coordinate(&self, c: &StateCoordinate, y: &[f64]) -> Option<f64> {
        let here = self.joints.get(c.joint)?.get(c.index)?.q;
        Some(here + c.sense * (y.get(c.q)? - self.counted_by.get(c.q)?))
    }

    /// Where bodies, points and joints are, for a mechanism that goes on from here.
    pub(crate) fn instant(&self) -> Instant<'_> {
        Instant {
            t: self.t,
            motions: &self.motions,
            positions: &self.positions,
            velocities: &self.velocities,
            joints: &self.joints,
            switches: &self.switches,
        }
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }

    fn read_masses(&mut self, mechanism: &Mechanism) {
        self.masses.clear();
        self.mass_flow_momentum = [0.0; 3];
        let mut stack = Vec::new();
        for mass in &mechanism.masses {
            let now = mass.at(self.t, &mut stack);
            self.masses.push(now.mass);
            self.mass_flow_momentum = axpy(self.mass_flow_momentum, now.rate, self.motions[now.body].v);
        }
    }

    /// Reads masses and what acts off the motions, and nothing else: all that balances need where nothing leans on the ground.
    pub(crate) fn read_actions(&mut self, mechanism: &Mechanism, ws: &mut Workspace, auxiliary: &[f64]) {
        self.read_masses(mechanism);
        ws.motions.clone_from(&self.motions);
        let (pulls, _) = ws.loads(&mechanism.interactions, self.t, auxiliary);
        self.acting = pulls.iter().fold([0.0; 3], |sum, pull| add(sum, pull.wrench.force));
    }

    /// Whether coordinates of the formulation count the turns of joints.
    pub(crate) fn is_counted_by_formulation(&self) -> bool {
        !self.counted_by.is_empty()
    }

    /// Reads the joints' coordinates off the motions alone, and counts whole turns.
    pub(crate) fn count_joints(&mut self, mechanism: &Mechanism, t: f64, auxiliary: &[f64]) {
        self.counted_by.clear();
        self.read_joints(mechanism, t, auxiliary);
    }

    /// Reads the joints' coordinates off the motions, and counts whole turns.
    pub(crate) fn read_joints(&mut self, mechanism: &Mechanism, t: f64, auxiliary: &[f64]) {
        let interactions = &mechanism.interactions;
        let dt = t - self.joints_at;
        let hints = &auxiliary[..interactions.hints];
        for (joint, list) in mechanism.joints.iter().zip(&mut self.joints) {
            let known = !list.is_empty();
            list.resize(joint.coordinates.len(), JointCoordinate::default());
            for (out, c) in list.iter_mut().zip(&joint.coordinates) {
                let gauge = &interactions.gauges[c.gauge];
                let jet = gauge.jet(&self.motions, hints) * c.factor;
                let mut now = JointCoordinate { q: jet.x, v: jet.d };
                if known && matches!(gauge, CoordinateFunction::Angle { hint: None, .. }) {
                    // known up to whole turns: between two frames a joint turns by about its mean rate times the time
                    let expected = out.q + 0.5 * (out.v + now.v) * dt;
                    now.q += TAU * ((expected - now.q) / TAU).round();
                }
                *out = now;
            }
        }
        self.joints_at = t;
    }

    /// Reads joints, actions and measures off the motions, auxiliary states, multipliers and reactions, which are set.
    pub(crate) fn read(&mut self, mechanism: &Mechanism, ws: &mut Workspace) {
        let origin = mechanism.model.origin;
        if origin != [0.0; 3] {
            self.positions.iter_mut().for_each(|r| *r = add(*r, origin));
        }
        let auxiliary = std::mem::take(&mut self.auxiliary);
        self.read_joints(mechanism, self.t, &auxiliary);
        self.auxiliary = auxiliary;
        let interactions = &mechanism.interactions;
        self.acting = [0.0; 3];
        self.read_masses(mechanism);
        if interactions.is_idle() && interactions.measures.is_empty() {
            return;
        }
        self.switches.clone_from(&ws.switches);
        ws.motions.clone_from(&self.motions);
        self.potential += ws.observe(interactions, self.t, &self.auxiliary, &mut self.outputs);
        self.acting = ws.observed_loads().iter().fold([0.0; 3], |sum, pull| add(sum, pull.wrench.force));
        for (row, (coupling, lambda)) in interactions.couplings.iter().zip(&self.multipliers).enumerate() {
            // those of joints are in their reactions
            if !matches!(coupling.owner, CouplingOwner::Joint(_)) {
                let pulls = ws.pulls(row).iter();
                self.acting = pulls.fold(self.acting, |sum, pull| axpy(sum, -lambda, pull.wrench.force));
            }
        }
        let late: Vec<f64> = mechanism.late.iter().map(|l| l.value(mechanism, self)).collect();
        ws.measure(interactions, self.t, &self.auxiliary, &late);
        self.measures.clone_from(&ws.measures);
    }
}

impl Frame {
    /// Sums of contacts over entries and bodies. Where open contacts are left out nothing reads them: there are none.
    pub(crate) fn sum_up_contacts(&mut self, mechanism: &Mechanism) {
        let Frame { contacts, pushes, contact_sums, contact_forces, .. } = self;
        contact_sums.clear();
        contact_forces.clear();
        if self.closed_only.is_some() {
            return;
        }
        let sum = |entry| ContactSum::new(mechanism, contacts, ContactOf::Entry(entry));
        contact_sums.extend((0..mechanism.shown_entries()).map(sum));
        contact_forces.resize(mechanism.bodies.len(), [0.0; 3]);
        let mut acts = |bodies: [Option<usize>; 2], force: Vec3| {
            for (body, sign) in bodies.into_iter().zip([-1.0, 1.0]) {
                if let Some(body) = body {
                    contact_forces[body] = axpy(contact_forces[body], sign, force);
                }
            }
        };
        for (state, contact) in contacts.iter().zip(&mechanism.contacts).filter(|(state, _)| state.closed) {
            acts(contact.feature.bodies(), state.force);
        }
        // crowds have no contacts of their own
        for push in pushes.iter() {
            let Some(entry) = push.of.filter(|entry| mechanism.crowds.of(*entry).is_some()) else { continue };
            acts(push.bodies, push.force);
            if let Some(sum) = contact_sums.get_mut(entry) {
                sum.add_push(push);
            }
        }
    }

    /// Contacts together.
    pub(crate) fn contact_sum(&self, mechanism: &Mechanism, of: ContactOf) -> ContactSum {
        match of {
            ContactOf::Entry(entry) => self.contact_sums.get(entry).copied().unwrap_or_default(),
            _ => ContactSum::new(mechanism, &self.contacts, of),
        }
    }
}

impl ContactState {
    /// Open, slips, sticks: 0, 1, 2.
    pub(crate) fn mode(&self) -> f64 {
        f64::from(u8::from(self.closed) + u8::from(self.sticks))
    }
}

impl ContactSum {
    pub(crate) fn result(&self, what: ContactResult) -> f64 {
        match what {
            ContactResult::Normal => self.normal,
            ContactResult::Friction(c) => self.friction[c],
            ContactResult::Force(c) => self.force[c],
            ContactResult::Closed => self.closed as f64,
            // of one contact only
            ContactResult::State => f64::NAN,
        }
    }
}

impl Late {
    pub(crate) fn value(self, mechanism: &Mechanism, frame: &Frame) -> f64 {
        match self {
            Late::Acceleration(point, c) => frame.accelerations[point][c],
            Late::Reaction(joint, c) if c < 3 => frame.reactions[joint].force[c],
            Late::Reaction(joint, c) => frame.reactions[joint].moment[c - 3],
            Late::Multiplier(row) => frame.multipliers[row],
            Late::Driver(row) => {
                let weight = mechanism.interactions.couplings[row].drive.as_ref().map_or(0.0, |d| d.weight);
                -weight * frame.multipliers[row]
            }
            Late::Output(i) => frame.outputs[i],
            Late::Contact(ContactOf::One(contact), ContactResult::State) => {
                frame.contacts.get(contact).map_or(0.0, ContactState::mode)
            }
            Late::Contact(of, what) => frame.contact_sum(mechanism, of).result(what),
            Late::OnBody(body, c) => frame.contact_forces.get(body).map_or(0.0, |force| force[c]),
        }
    }
}

crate::keep::keep!(ContactState { gap, closed, sticks, normal, friction, slip, force });

crate::keep::keep!(ContactLosses { impacts, friction });

crate::keep::keep!(ContactSum { gap, closed, normal, friction, force });

crate::keep::keep!(Push { of, bodies, point, normal, force });

crate::keep::keep!(Frame {
    t,
    positions,
    velocities,
    accelerations,
    nodes,
    node_velocities,
    joints,
    motions,
    auxiliary,
    multipliers,
    switches,
    contacts,
    contact_sums,
    contact_forces,
    contact_losses,
    pushes,
    closed_only,
    outputs,
    measures,
    masses,
    mass_flow_momentum,
    reactions,
    gaps,
    kinetic,
    potential,
    work,
    constraint_residual,
    velocity_residual,
    joints_at,
    counted_by,
    acting,
    balance
} but { stage });
