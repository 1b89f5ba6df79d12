//! Who can touch whom: the surfaces of a model and the pairs of each contact.
//!
//! Pairs are counted without listing them, since `among` of a thousand surfaces has half a million. With n surfaces in a list, n_B of them on body B,
//!
//!   (P1)  among:    n(n − 1)/2 − Σ_B n_B(n_B − 1)/2 − Σ_(A, B apart) n_A n_B
//!   (P2)  between:  n m − Σ_B n_B m_B − Σ_(A, B apart) (n_A m_B + n_B m_A)
//!
//! where bodies are apart that a joint connects, unless `jointed = true`, and those that `except` names.

use super::contact::{Contact, Meeting, SurfaceForm};
use super::{Axis, Body, GROUND, HullFile, Mass, Model, Place, Shape};
use std::collections::{HashMap, HashSet};

/// A surface that takes part in contacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Participant<'a> {
    pub name: &'a str,
    pub body: &'a str,
    /// The body as a number.
    pub number: usize,
    pub form: Kind<'a>,
}

/// What a participant is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'a> {
    Plane { at: Option<&'a Place>, normal: &'a Axis },
    Point(&'a Place),
    Solid(&'a Shape),
    Hull { points: &'a [String], vertices: &'a [[f64; 3]] },
    HullOf(&'a HullFile),
}

/// Participants of a contact of the model.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub sides: Sides,
    /// Whether surfaces of joined bodies meet.
    pub jointed: bool,
    /// Numbers of bodies that do not meet, the smaller one first.
    pub except: HashSet<[usize; 2]>,
    /// How many pairs can meet.
    pub count: u64,
}

/// Participants, by their places.
#[derive(Clone, Debug)]
pub(crate) enum Sides {
    Between([Vec<usize>; 2]),
    Among(Vec<usize>),
}

/// Who can touch whom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meetings<'a> {
    pub participants: Vec<Participant<'a>>,
    /// By contact of the model.
    pub entries: Vec<Entry>,
    /// Numbers of bodies that a joint connects, the smaller one first.
    joined: HashSet<[usize; 2]>,
}

/// A body's own shape, if it has one that can touch.
pub(crate) fn own_shape(body: &Body) -> Option<&Shape> {
    match &body.mass {
        Mass::Shape(
            shape @ (Shape::Box { .. }
            | Shape::Cylinder { .. }
            | Shape::Sphere { .. }
            | Shape::Capsule { .. }),
            _,
        ) => Some(shape),
        _ => None,
    }
}

/// Bodies that a joint connects, by their names in order: they share a point, or an entry joins them. A floating joint leaves
/// its bodies free, also where they share its point.
fn joined(model: &Model) -> HashSet<[&str; 2]> {
    let mut holders: HashMap<&str, Vec<&str>> = HashMap::new();
    let ground = model.ground.iter().map(|p| (p, GROUND));
    let bodies = model.bodies.iter().flat_map(|b| b.points.iter().map(move |p| (p, b.name.as_str())));
    for (point, body) in ground.chain(bodies) {
        holders.entry(point).or_default().push(body);
    }
    fn in_order<'n>(a: &'n str, b: &'n str) -> [&'n str; 2] {
        if a < b { [a, b] } else { [b, a] }
    }
    let (free, tied): (Vec<_>, Vec<_>) = model.joints.iter().partition(|joint| joint.kind().is_free());
    let free: HashSet<[&str; 2]> =
        free.into_iter().map(|joint| in_order(joint.bodies[0].as_str(), joint.bodies[1].as_str())).collect();
    let mut joined = HashSet::new();
    for list in holders.values() {
        for (i, a) in list.iter().enumerate() {
            joined.extend(list[i + 1..].iter().map(|b| in_order(a, b)).filter(|pair| !free.contains(pair)));
        }
    }
    joined.extend(tied.into_iter().map(|joint| in_order(joint.bodies[0].as_str(), joint.bodies[1].as_str())));
    joined
}

impl Sides {
    /// All participants.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        let [first, second] = match self {
            Sides::Between([first, second]) => [&first[..], second],
            Sides::Among(list) => [&list[..], &[]],
        };
        first.iter().chain(second).copied()
    }

    /// Whether a pair of participants is one of these.
    fn have(&self, [a, b]: [usize; 2]) -> bool {
        match self {
            Sides::Between([first, second]) => {
                first.contains(&a) && second.contains(&b) || first.contains(&b) && second.contains(&a)
            }
            Sides::Among(list) => list.contains(&a) && list.contains(&b),
        }
    }

    /// Pairs of participants in the order of the lists, whether they can meet or not.
    fn pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        let (first, second) = match self {
            Sides::Between([first, second]) => (first, Some(second)),
            Sides::Among(list) => (list, None),
        };
        first.iter().enumerate().flat_map(move |(i, &a)| {
            let others = second.map_or_else(|| &first[i + 1..], |second| &second[..]);
            others.iter().map(move |&b| [a, b])
        })
    }
}

impl<'a> Meetings<'a> {
    /// Of a model. Unknown names are left out.
    pub fn new(model: &'a Model) -> Self {
        let mut meetings = Meetings::default();
        if model.contacts.is_empty() {
            return meetings;
        }
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut index: HashMap<&str, usize> = HashMap::new();
        let surfaces = model.surfaces.iter().map(|surface| {
            let form = match &surface.form {
                SurfaceForm::Plane { at, normal } => Kind::Plane { at: at.as_ref(), normal },
                SurfaceForm::Point { at } => Kind::Point(at),
                SurfaceForm::Solid(shape) => Kind::Solid(shape),
                SurfaceForm::Hull { points, vertices } => Kind::Hull { points, vertices },
                SurfaceForm::HullOf(hull) => Kind::HullOf(hull),
            };
            (&surface.name, &surface.body, form)
        });
        let bodies = model.bodies.iter().filter_map(|body| {
            let shape = own_shape(body)?;
            Some((&body.name, &body.name, Kind::Solid(shape)))
        });
        for (name, body, form) in surfaces.chain(bodies) {
            if index.contains_key(name.as_str()) {
                continue;
            }
            index.insert(name, meetings.participants.len());
            let next = numbers.len();
            let number = *numbers.entry(body).or_insert(next);
            meetings.participants.push(Participant { name, body, number, form });
        }
        for [a, b] in joined(model) {
            if let (Some(&a), Some(&b)) = (numbers.get(a), numbers.get(b)) {
                meetings.joined.insert([a.min(b), a.max(b)]);
            }
        }
        let find = |names: &[String]| -> Vec<usize> {
            names.iter().filter_map(|n| index.get(n.as_str())).copied().collect()
        };
        let except = |contact: &Contact| -> HashSet<[usize; 2]> {
            let pairs = contact.except.iter();
            let found =
                pairs.filter_map(|[a, b]| Some([*numbers.get(a.as_str())?, *numbers.get(b.as_str())?]));
            found.filter(|[a, b]| a != b).map(|[a, b]| [a.min(b), a.max(b)]).collect()
        };
        let entry = |contact: &Contact| {
            let sides = match &contact.of {
                Meeting::Between([first, second]) => Sides::Between([find(first), find(second)]),
                Meeting::Among(names) => Sides::Among(find(names)),
            };
            let mut entry = Entry { sides, jointed: contact.jointed, except: except(contact), count: 0 };
            entry.count = meetings.count(&entry);
            entry
        };
        let entries = model.contacts.iter().map(entry).collect();
        meetings.entries = entries;
        meetings
    }

    /// (P1), (P2)
    fn count(&self, entry: &Entry) -> u64 {
        let by_body = |list: &[usize]| {
            let mut count: HashMap<usize, u64> = HashMap::new();
            list.iter().for_each(|&p| *count.entry(self.participants[p].number).or_default() += 1);
            count
        };
        let joined = self.joined.iter().filter(|pair| !entry.jointed && !entry.except.contains(*pair));
        let apart = || joined.clone().chain(&entry.except);
        match &entry.sides {
            Sides::Among(list) => {
                let (n, count) = (list.len() as u64, by_body(list));
                let of = |body: &usize| count.get(body).copied().unwrap_or(0);
                let same: u64 = count.values().map(|n| n * (n - 1) / 2).sum();
                let apart: u64 = apart().filter(|[a, b]| a != b).map(|[a, b]| of(a) * of(b)).sum();
                n * n.saturating_sub(1) / 2 - same - apart
            }
            Sides::Between([first, second]) => {
                let counts = [first, second].map(|list| by_body(list));
                let of = |side: usize, body: &usize| counts[side].get(body).copied().unwrap_or(0);
                let same: u64 = counts[0].iter().map(|(body, n)| n * of(1, body)).sum();
                let apart = apart().filter(|[a, b]| a != b);
                let apart: u64 = apart.map(|[a, b]| of(0, a) * of(1, b) + of(0, b) * of(1, a)).sum();
                first.len() as u64 * second.len() as u64 - same - apart
            }
        }
    }

    /// Whether a joint connects the bodies of two participants.
    pub fn joined(&self, [a, b]: [usize; 2]) -> bool {
        let [a, b] = [a, b].map(|p| self.participants[p].number);
        self.joined.contains(&[a.min(b), a.max(b)])
    }

    /// Numbers of bodies that joints connect.
    pub fn joined_bodies(&self) -> impl Iterator<Item = [usize; 2]> {
        self.joined.iter().copied()
    }

    /// Whether two participants of an entry can meet.
    pub fn meet(&self, entry: &Entry, pair: [usize; 2]) -> bool {
        let [a, b] = pair.map(|p| self.participants[p].number);
        a != b && (entry.jointed || !self.joined(pair)) && !entry.except.contains(&[a.min(b), a.max(b)])
    }

    /// The pairs of an entry that can meet, in the order of its lists.
    pub fn pairs<'s>(&'s self, entry: &'s Entry) -> impl Iterator<Item = [usize; 2]> + 's {
        entry.sides.pairs().filter(|pair| self.meet(entry, *pair))
    }

    /// Pairs that do not meet because a joint connects them, where each is asked for by name and no other entry lets them.
    pub fn left_out<'s>(&'s self, entry: &'s Entry) -> impl Iterator<Item = [usize; 2]> + 's {
        let few = matches!(&entry.sides, Sides::Between(sides) if sides.iter().any(|side| side.len() == 1));
        let between = few && !entry.jointed && !self.joined.is_empty();
        let elsewhere = move |pair: &[usize; 2]| {
            self.entries
                .iter()
                .any(|other| other.jointed && other.sides.have(*pair) && self.meet(other, *pair))
        };
        let apart = |pair: &[usize; 2]| {
            let [a, b] = pair.map(|p| self.participants[p].number);
            a != b && self.joined(*pair) && !entry.except.contains(&[a.min(b), a.max(b)])
        };
        entry.sides.pairs().take_while(move |_| between).filter(apart).filter(move |pair| !elsewhere(pair))
    }

    /// A pair of participants that meets in both of two entries, if there is one.
    pub fn in_both(&self, [first, second]: [&Entry; 2]) -> Option<[usize; 2]> {
        let mut role = vec![0u8; self.participants.len()];
        let lists = |entry: &'_ Entry| match &entry.sides {
            Sides::Between([a, b]) => [a.clone(), b.clone()],
            Sides::Among(list) => [list.clone(), list.clone()],
        };
        for (side, list) in lists(first).iter().enumerate() {
            list.iter().for_each(|&p| role[p] |= 1 << side);
        }
        let [left, right] = lists(second);
        let within = |list: &[usize], side: usize| -> Vec<usize> {
            list.iter().copied().filter(|&p| role[p] >> side & 1 == 1).collect()
        };
        let find = |a: Vec<usize>, b: Vec<usize>| {
            let meet = |pair: &[usize; 2]| self.meet(first, *pair) && self.meet(second, *pair);
            a.iter().flat_map(|&p| b.iter().map(move |&q| [p, q])).find(meet)
        };
        find(within(&left, 0), within(&right, 1)).or_else(|| find(within(&left, 1), within(&right, 0)))
    }

    /// A pair of an entry that the event-driven method has no features for, if there is one, and what they are.
    pub fn without_events(&self, entry: &Entry, planar: bool) -> Option<([usize; 2], &'static str)> {
        let kind = |p: usize| Solid::of(self.participants[p].form, planar);
        if entry.sides.all().all(|p| kind(p) == Solid::Known) {
            return None;
        }
        let why = |[a, b]: [usize; 2]| kind(a).without_events(kind(b));
        self.pairs(entry).find_map(|pair| Some((pair, why(pair)?)))
    }
}

/// What the event-driven method knows of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Solid {
    /// Planes, balls, points.
    Known,
    Box,
    Cylinder,
    Capsule,
    Hull,
}

impl Solid {
    fn of(form: Kind<'_>, planar: bool) -> Solid {
        match form {
            Kind::Solid(Shape::Box { .. }) => Solid::Box,
            // in the plane a disc or a rectangle
            Kind::Solid(Shape::Cylinder { .. }) if !planar => Solid::Cylinder,
            Kind::Solid(Shape::Capsule { pose, .. }) => {
                let upright = pose.axis.is_some_and(|a| a[0] == 0.0 && a[1] == 0.0);
                if planar && upright { Solid::Known } else { Solid::Capsule }
            }
            Kind::Hull { .. } | Kind::HullOf(_) => Solid::Hull,
            _ => Solid::Known,
        }
    }

    /// Why two surfaces cannot meet in events, if they cannot.
    fn without_events(self, other: Solid) -> Option<&'static str> {
        let either = |solid: Solid| self == solid || other == solid;
        match (self, other) {
            _ if either(Solid::Hull) => Some("the event-driven method has no hulls"),
            _ if either(Solid::Capsule) => Some("the event-driven method has no capsules"),
            (Solid::Cylinder, Solid::Cylinder) => {
                Some("the event-driven method has no two cylinders in space")
            }
            (Solid::Cylinder, Solid::Box) | (Solid::Box, Solid::Cylinder) => {
                Some("the event-driven method has no cylinder and box in space")
            }
            _ => None,
        }
    }
}
