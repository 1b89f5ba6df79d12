//! Who touches whom, as entries of `[contacts]`.
//!
//! Two shapes with the bits (t, a), what they are and what they touch, meet if
//!
//!   (K1)  t₁ ∧ a₂ ≠ 0  or  t₂ ∧ a₁ ≠ 0
//!
//! as MuJoCo has it; SDF's `collide_bitmask` is both at once. Shapes with the same bits and the same friction are a class, and pairs of classes that meet with the same
//! coefficient become one entry where all of them do, and else one entry each. Links that a joint connects do not meet; that a mechanism says by itself. It is said of those that
//! several joints connect, one behind the other, with nothing but a massless link between them, and of those that the file excludes.

use std::collections::{BTreeMap, BTreeSet};

use crate::robot::{FrictionRule, Robot, Shape};

/// An entry of `[contacts]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub name: String,
    /// Surfaces by their numbers. Among many, the second list is empty.
    pub sides: [Vec<usize>; 2],
    pub friction: f64,
    pub jointed: bool,
}

/// What surfaces have in common that meet in the same way.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Class {
    bits: [u32; 2],
    friction: f64,
    smooth: bool,
    fixed: bool,
}

impl Class {
    fn of(shape: &Shape, fixed: bool, rule: FrictionRule) -> Class {
        let Shape { bits, smooth, .. } = *shape;
        Class { bits, smooth, fixed, friction: shape.friction.unwrap_or(rule.default).max(0.0) }
    }

    /// The coefficient with which two classes meet; `None` if they do not.
    fn meets(&self, other: &Class, rule: FrictionRule) -> Option<f64> {
        let [[t, a], [u, b]] = [self.bits, other.bits];
        let meet = (t & b != 0 || u & a != 0) && !(self.fixed && other.fixed); // (K1)
        meet.then(|| match (self.smooth && other.smooth, rule.larger) {
            (true, _) => 0.0,
            (false, true) => self.friction.max(other.friction),
            (false, false) => self.friction.min(other.friction),
        })
    }
}

/// The entries of surfaces: each the link that it is of, and its shape. Entries none of whose pairs can meet are left out: `apart` are links that do not.
pub(crate) fn entries(
    robot: &Robot,
    surfaces: &[(usize, &Shape)],
    apart: &BTreeSet<[usize; 2]>,
) -> Vec<Entry> {
    let rule = robot.friction;
    let mut classes: Vec<(Class, Vec<usize>)> = Vec::new();
    for (number, (link, shape)) in surfaces.iter().enumerate() {
        let class = Class::of(shape, robot.links[*link].fixed, rule);
        match classes.iter_mut().find(|(known, _)| *known == class) {
            Some((_, members)) => members.push(number),
            None => classes.push((class, vec![number])),
        }
    }
    // pairs of classes by their friction
    let mut by_friction: BTreeMap<u64, Vec<[usize; 2]>> = BTreeMap::new();
    for i in 0..classes.len() {
        for j in i..classes.len() {
            if let Some(friction) = classes[i].0.meets(&classes[j].0, rule) {
                by_friction.entry(friction.to_bits()).or_default().push([i, j]);
            }
        }
    }
    let bodies = |members: &[usize]| -> BTreeSet<Option<usize>> {
        members
            .iter()
            .map(|number| Some(surfaces[*number].0).filter(|link| !robot.links[*link].fixed))
            .collect()
    };
    let mut out = Vec::new();
    for (friction, pairs) in by_friction {
        let friction = f64::from_bits(friction);
        let involved: BTreeSet<usize> = pairs.iter().flatten().copied().collect();
        let all_meet = involved.iter().all(|&i| {
            let others = involved.iter().filter(|&&j| j >= i);
            others.clone().all(|&j| classes[i].0.fixed && classes[j].0.fixed || pairs.contains(&[i, j]))
        });
        let members = |list: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
            let mut all: Vec<usize> = list.flat_map(|class| classes[class].1.iter().copied()).collect();
            all.sort_unstable();
            all
        };
        if all_meet {
            let all = members(&mut involved.iter().copied());
            if bodies(&all).len() > 1 {
                out.push(Entry { name: String::new(), sides: [all, Vec::new()], friction, jointed: false });
            }
            continue;
        }
        for i in involved {
            let own = &classes[i].1;
            if pairs.contains(&[i, i]) && bodies(own).len() > 1 {
                out.push(Entry {
                    name: String::new(),
                    sides: [own.clone(), Vec::new()],
                    friction,
                    jointed: false,
                });
            }
            let others = members(&mut pairs.iter().filter(|[a, b]| *a == i && b > a).map(|[_, b]| *b));
            if !others.is_empty() && (bodies(own).len() > 1 || bodies(own) != bodies(&others)) {
                out.push(Entry {
                    name: String::new(),
                    sides: [own.clone(), others],
                    friction,
                    jointed: false,
                });
            }
        }
    }
    if rule.ground_meets_jointed {
        out.extend(on_the_ground(robot, surfaces));
    }
    let joined = joined(robot);
    out.retain(|entry| {
        let of =
            |list: &[usize]| -> BTreeSet<usize> { list.iter().map(|number| surfaces[*number].0).collect() };
        let [first, second] = entry.sides.each_ref().map(|list| of(list));
        let second = if second.is_empty() { &first } else { &second };
        first.iter().flat_map(|a| second.iter().map(move |b| [*a.min(b), *a.max(b)])).any(|[a, b]| {
            let bodies = [a, b].map(|link| Some(link).filter(|link| !robot.links[*link].fixed));
            bodies[0] != bodies[1] && !apart.contains(&[a, b]) && (entry.jointed || !joined.contains(&bodies))
        })
    });
    name(robot, surfaces, &mut out);
    out
}

/// Bodies that a joint connects, both ways round; the ground is `None`.
fn joined(robot: &Robot) -> BTreeSet<[Option<usize>; 2]> {
    let body = |end: crate::robot::End| end.filter(|link| !robot.links[*link].fixed);
    let tied = robot.joints.iter().filter(|joint| joint.kind.freedoms() < 6);
    tied.map(|joint| [body(joint.first), body(joint.second)]).flat_map(|[a, b]| [[a, b], [b, a]]).collect()
}

/// Surfaces of the ground with those of links that a joint holds on it.
fn on_the_ground(robot: &Robot, surfaces: &[(usize, &Shape)]) -> Vec<Entry> {
    let fixed = |end: crate::robot::End| end.is_none_or(|link| robot.links[link].fixed);
    let mut held = BTreeSet::new();
    for joint in robot.joints.iter().filter(|joint| joint.kind.freedoms() < 6) {
        match (fixed(joint.first), fixed(joint.second)) {
            (true, false) => held.extend(joint.second),
            (false, true) => held.extend(joint.first),
            _ => {}
        }
    }
    let mut by_friction: BTreeMap<u64, Vec<[usize; 2]>> = BTreeMap::new();
    for (i, (ground, one)) in surfaces.iter().enumerate().filter(|(_, (link, _))| robot.links[*link].fixed) {
        for (j, (link, other)) in surfaces.iter().enumerate().filter(|(_, (link, _))| held.contains(link)) {
            let [one, other] = [
                Class::of(one, robot.links[*ground].fixed, robot.friction),
                Class::of(other, robot.links[*link].fixed, robot.friction),
            ];
            if let Some(friction) = one.meets(&other, robot.friction) {
                by_friction.entry(friction.to_bits()).or_default().push([i, j]);
            }
        }
    }
    let mut out: Vec<Entry> = Vec::new();
    for (friction, pairs) in by_friction {
        // those of the ground that meet the same
        let mut partners: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        pairs.iter().for_each(|[i, j]| partners.entry(*i).or_default().push(*j));
        let mut groups: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        partners.into_iter().for_each(|(i, list)| groups.entry(list).or_default().push(i));
        for (others, own) in groups {
            let friction = f64::from_bits(friction);
            out.push(Entry { name: String::new(), sides: [own, others], friction, jointed: true });
        }
    }
    out
}

/// Names by what meets: the ground or the robot itself.
fn name(robot: &Robot, surfaces: &[(usize, &Shape)], entries: &mut [Entry]) {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for entry in entries {
        let ground = |list: &[usize]| list.iter().any(|number| robot.links[surfaces[*number].0].fixed);
        let word = match (entry.jointed, ground(&entry.sides[0]) || ground(&entry.sides[1])) {
            (true, _) => "held_on_ground",
            (false, true) => "ground",
            (false, false) => "itself",
        };
        let count = taken.entry(word.to_owned()).or_default();
        *count += 1;
        entry.name = if *count == 1 { word.to_owned() } else { format!("{word}_{count}") };
    }
}

/// Pairs of links that do not meet though no joint connects them: excluded by the file, or with nothing but massless links without shapes between them.
pub(crate) fn kept_apart(robot: &Robot) -> BTreeSet<[usize; 2]> {
    let mut apart: BTreeSet<[usize; 2]> =
        robot.no_contact.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
    let empty = |link: usize| {
        robot.links[link].mass == 0.0 && robot.links[link].shapes.is_empty() && !robot.links[link].fixed
    };
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); robot.links.len()];
    for joint in robot.joints.iter().filter(|joint| joint.kind.freedoms() < 6) {
        if let (Some(a), Some(b)) = (joint.first, joint.second) {
            next[a].push(b);
            next[b].push(a);
        }
    }
    for start in (0..robot.links.len()).filter(|link| !empty(*link) && !robot.links[*link].fixed) {
        let mut behind: Vec<usize> = next[start].iter().copied().filter(|link| empty(*link)).collect();
        let mut seen: BTreeSet<usize> = behind.iter().copied().collect();
        while let Some(link) = behind.pop() {
            for &other in next[link].iter().filter(|other| **other != start && !robot.links[**other].fixed) {
                if !empty(other) {
                    apart.insert([start.min(other), start.max(other)]);
                } else if seen.insert(other) {
                    behind.push(other);
                }
            }
        }
    }
    apart
}
