//! Links that fixed joints hold together become one body, and what remains is put in order for the model file.

use nalgebra::Vector3;

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::robot::{Impossible, Initial, JointKind, Robot, possible_inertia};
use crate::xml::quoted;

/// Links in groups: each knows one of its group, the one of the smallest number is the first.
struct Groups(Vec<usize>);

impl Groups {
    fn first(&mut self, mut link: usize) -> usize {
        while self.0[link] != link {
            self.0[link] = self.0[self.0[link]];
            link = self.0[link];
        }
        link
    }

    /// Joins two groups; the smaller first one stays.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}

impl Robot {
    /// Makes one body of links that fixed joints hold together, and of links that are fixed to the world part of the ground.
    pub fn merge_fixed(&mut self, report: &mut Report) {
        let world = self.links.len();
        let mut groups = Groups((0..=world).collect());
        for (n, link) in self.links.iter().enumerate() {
            if link.fixed {
                groups.join(n, world);
            }
        }
        let merges = |joint: &crate::robot::Joint| joint.kind == JointKind::Fixed && !joint.keep;
        for joint in self.joints.iter().filter(|joint| merges(joint)) {
            let [a, b] = [joint.first, joint.second].map(|end| end.unwrap_or(world));
            groups.join(a, b);
        }
        let ground = groups.first(world);
        // a group is called by its link that no fixed joint hangs on another one
        let mut hangs = vec![false; world];
        for joint in self.joints.iter().filter(|joint| merges(joint)) {
            if let Some(second) = joint.second {
                hangs[second] = true;
            }
        }
        let mut head: Vec<usize> = (0..world).map(|n| groups.first(n)).collect();
        let mut named: std::collections::HashMap<usize, usize> = std::collections::HashMap::new();
        for n in (0..world).filter(|n| !hangs[*n]) {
            named.entry(head[n]).or_insert(n);
        }
        for first in head.iter_mut().filter(|first| **first != ground) {
            *first = named.get(first).copied().unwrap_or(*first);
        }
        for n in 0..world {
            let first = head[n];
            if first == ground {
                if !self.links[n].fixed {
                    self.links[n].fixed = true;
                    let link = &self.links[n];
                    let what = match link.mass > 0.0 {
                        true => "fixed to the world",
                        false => "fixed to the world, no mass",
                    };
                    report.note(
                        Severity::Equivalent,
                        &link.place,
                        format!("link {}", quoted(&link.name)),
                        what,
                        "part of the ground; its mass does not move and is left out",
                    );
                }
            } else if first != n {
                let placeholder =
                    crate::robot::Link::new("", self.links[n].place.clone(), self.links[n].pose);
                let link = std::mem::replace(&mut self.links[n], placeholder);
                report.note(
                    Severity::Equivalent,
                    &link.place,
                    format!("link {}", quoted(&link.name)),
                    format!("fixed to {}", quoted(&self.links[first].name)),
                    "merged into it: one body",
                );
                self.links[first].absorb(link);
            }
        }
        // new numbers: of links that stay, and of joints that stay
        let mut new_link = vec![0; world];
        let mut kept = 0;
        for n in 0..world {
            let stays = head[n] == ground || head[n] == n;
            if stays {
                new_link[n] = kept;
                kept += 1;
            }
        }
        for n in 0..world {
            let first = head[n];
            if first != ground && first != n {
                new_link[n] = new_link[first];
            }
        }
        let mut n = 0;
        self.links.retain(|_| {
            n += 1;
            let first = head[n - 1];
            first == ground || first == n - 1
        });
        let mut new_joint = Vec::with_capacity(self.joints.len());
        let mut kept = 0;
        for joint in &self.joints {
            new_joint.push((!merges(joint)).then_some(kept));
            kept += usize::from(!merges(joint));
        }
        self.joints.retain(|joint| !merges(joint));
        for joint in &mut self.joints {
            joint.first = joint.first.map(|link| new_link[link]);
            joint.second = joint.second.map(|link| new_link[link]);
        }
        self.renumber(&new_link, &new_joint);
        self.drop_joints_of_one_body(report);
    }

    /// Joints whose two links are one body by now, such as the guide of a base that is fixed.
    fn drop_joints_of_one_body(&mut self, report: &mut Report) {
        let same: Vec<usize> = (0..self.links.len()).collect();
        let body = |end: crate::robot::End| end.filter(|link| !self.links[*link].fixed);
        let mut kept = 0;
        let mut new_joint = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let stays = body(joint.first) != body(joint.second);
            new_joint.push(stays.then_some(kept));
            kept += usize::from(stays);
            if !stays {
                let item = format!("joint {}", quoted(&joint.name));
                report.note(
                    Severity::Equivalent,
                    &joint.place,
                    item,
                    "its links do not move against each other",
                    "left out",
                );
            }
        }
        let mut n = 0;
        self.joints.retain(|_| {
            n += 1;
            new_joint[n - 1].is_some()
        });
        self.renumber(&same, &new_joint);
    }

    /// Numbers of links and joints after some have gone; what spoke of a joint that is gone goes, too.
    fn renumber(&mut self, new_link: &[usize], new_joint: &[Option<usize>]) {
        use crate::robot::Quantity::*;
        self.couplings.retain_mut(|coupling| {
            coupling.terms.retain_mut(|term| new_joint[term.0].map(|joint| term.0 = joint).is_some());
            coupling.terms.len() > 1
        });
        let mut new_actuator = Vec::new();
        let mut kept = 0;
        for actuator in &self.actuators {
            let stays = new_joint[actuator.joint].is_some();
            new_actuator.push(stays.then_some(kept));
            kept += usize::from(stays);
        }
        self.actuators
            .retain_mut(|actuator| new_joint[actuator.joint].map(|joint| actuator.joint = joint).is_some());
        self.initial
            .retain_mut(|initial| new_joint[initial.joint].map(|joint| initial.joint = joint).is_some());
        let mut new_tendon = Vec::new();
        let mut kept = 0;
        self.tendons.retain_mut(|tendon| {
            tendon.terms.retain_mut(|term| new_joint[term.0].map(|joint| term.0 = joint).is_some());
            let stays = !tendon.terms.is_empty();
            new_tendon.push(stays.then_some(kept));
            kept += usize::from(stays);
            stays
        });
        self.drivers.retain_mut(|driver| new_joint[driver.joint].map(|joint| driver.joint = joint).is_some());
        self.initial_motions.iter_mut().for_each(|motion| motion.link = new_link[motion.link]);
        self.sensors.retain_mut(|sensor| match &mut sensor.quantity {
            Coordinate { joint, .. } | Rate { joint, .. } | Reaction { joint, .. } => {
                new_joint[*joint].map(|new| *joint = new).is_some()
            }
            Point { link, .. } | Along { link, .. } | Direction { link, .. } => {
                *link = new_link[*link];
                true
            }
            ActuatorForce { actuator, .. } | ActuatorLength { actuator, .. } => {
                new_actuator[*actuator].map(|new| *actuator = new).is_some()
            }
            Tendon { tendon, .. } => new_tendon[*tendon].map(|new| *tendon = new).is_some(),
            Time => true,
        });
        let through =
            self.cables.iter_mut().flat_map(|cable| cable.through.iter_mut().map(|point| &mut point.1));
        for link in self.points.iter_mut().map(|point| &mut point.link).chain(through) {
            *link = link.map(|link| new_link[link]);
        }
        for pair in &mut self.no_contact {
            *pair = pair.map(|link| new_link[link]);
        }
        self.no_contact.retain(|[a, b]| a != b);
    }

    /// Whether each joint is surely no part of a loop: what remains after links with one joint are taken away again and again may be one.
    pub fn outside_loops(&self) -> Vec<bool> {
        let world = self.links.len();
        let end = |end: crate::robot::End| end.filter(|link| !self.links[*link].fixed).unwrap_or(world);
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); world + 1];
        for (n, joint) in self.joints.iter().enumerate() {
            at[end(joint.first)].push(n);
            at[end(joint.second)].push(n);
        }
        let mut left: Vec<usize> = at.iter().map(Vec::len).collect();
        let mut outside = vec![false; self.joints.len()];
        let mut leaves: Vec<usize> = (0..world).filter(|link| left[*link] == 1).collect();
        while let Some(leaf) = leaves.pop() {
            for &n in &at[leaf] {
                if !outside[n] {
                    outside[n] = true;
                    for link in [end(self.joints[n].first), end(self.joints[n].second)] {
                        left[link] -= 1;
                        if link != world && left[link] == 1 {
                            leaves.push(link);
                        }
                    }
                }
            }
        }
        outside
    }

    /// Inertias that no body can have, after merging: many of them vanish in a larger body, whose sum stays exact.
    pub fn repair_inertias(&mut self, indefinite_too: bool, report: &mut Report) {
        for link in self.links.iter_mut().filter(|link| !link.fixed) {
            let item = format!("link {}", quoted(&link.name));
            if link.mass == 0.0 && link.inertia.amax() > 0.0 {
                link.inertia = nalgebra::Matrix3::zeros();
                report.note(Severity::Changed, &link.place, item, "inertia without mass", "left out");
                continue;
            }
            let (possible, wrong) = possible_inertia(&link.inertia);
            match wrong {
                Some(Impossible::Indefinite(least)) if indefinite_too => report.note(
                    Severity::Changed,
                    &link.place,
                    item,
                    format!("an indefinite inertia, with a principal moment of {least:.4e} kg m²"),
                    "the nearest possible one",
                ),
                Some(Impossible::Indefinite(least)) => {
                    let message = format!("the inertia is indefinite: a principal moment is {least:.4e} kg m²");
                    report.fault(Fault::new(link.place.clone(), item, message).help("correct `<inertia>` in the file, or import with `--repair-inertia`"));
                }
                Some(Impossible::Triangle([a, b, c])) => report.note(
                    Severity::Changed,
                    &link.place,
                    item,
                    format!("moments of inertia {a:.4e}, {b:.4e}, {c:.4e} kg m², which no body has (the sum of two is less than the third)"),
                    "the nearest possible ones",
                ),
                None => {}
            }
            link.inertia = possible;
        }
        // A mass that turns in its joints needs some inertia: a ball as small as roundings of the size is the least that differs from none.
        let mut joints = vec![0; self.links.len()];
        for end in self.joints.iter().flat_map(|joint| [joint.first, joint.second]).flatten() {
            joints[end] += 1;
        }
        let reach = self.reach();
        for (n, link) in self.links.iter_mut().enumerate() {
            if !link.fixed && link.mass > 0.0 && link.inertia == nalgebra::Matrix3::zeros() && joints[n] > 1 {
                let least = 1e-10 * link.mass * reach * reach;
                link.inertia = nalgebra::Matrix3::identity() * least;
                let item = format!("link {}", quoted(&link.name));
                let done = format!("{least:.1e} kg m² about each axis");
                report.note(
                    Severity::Assumed,
                    &link.place,
                    item,
                    "mass without inertia, between joints",
                    done,
                );
            }
        }
    }

    /// Hard stops need a start between them. A joint whose zero pose lies outside begins a little within the nearer stop, where nothing else says where; in a
    /// loop, or where a coupling says where, the stops are left out. What `[initial.joints]` does not name would move, so that all others are named then.
    pub fn start_within_limits(&mut self, report: &mut Report) {
        let outside = self.outside_loops();
        let coupled: Vec<usize> =
            self.couplings.iter().flat_map(|c| c.terms.iter().map(|term| term.0)).collect();
        for n in 0..self.joints.len() {
            for c in 0..self.joints[n].coordinates.len() {
                let given = self.initial.iter().find(|initial| (initial.joint, initial.coordinate) == (n, c));
                let start = given.map_or(0.0, |initial| initial.q);
                let coordinate = self.joints[n].coordinates[c];
                let [low, high] = coordinate.limits;
                let item = format!("joint {}", quoted(&self.joints[n].name));
                let place = self.joints[n].place.clone();
                if low > high {
                    report.fault(Fault::new(place, item, format!("the limits are {low} and {high}")));
                    continue;
                }
                if low == high {
                    self.joints[n].coordinates[c].limits = [f64::NEG_INFINITY, f64::INFINITY];
                    let what = format!("both limits are {low}");
                    report.note(Severity::Assumed, &place, item, what, "taken for no limits");
                    continue;
                }
                if coordinate.stop.is_some() || (low <= start && start <= high) {
                    continue;
                }
                let q = match low > start {
                    true => low + (0.1 * (high - low)).min(0.2),
                    false => high - (0.1 * (high - low)).min(0.2),
                };
                let too_far = self.joints[n].kind.coordinates()[c] == "rad" && q.abs() >= 3.1;
                if given.is_some() || !outside[n] || coupled.contains(&n) || too_far {
                    self.joints[n].coordinates[c].limits = [f64::NEG_INFINITY, f64::INFINITY];
                    let what = "the start is outside the limits";
                    report.note(Severity::Changed, &place, item, what, "the joint has no limits");
                } else {
                    self.initial.push(Initial { joint: n, coordinate: c, q, v: 0.0 });
                    let done = format!("it starts at {q:.4}, in `[initial.joints]`");
                    report.note(Severity::Assumed, &place, item, "the zero pose is outside the limits", done);
                }
            }
        }
    }

    /// If the motion begins anywhere but at the zero pose, the zeros of all coordinates outside of loops, those of free bodies and of balls among them: what is
    /// not named would follow with the least motion, and a base would not stay where it is drawn.
    pub fn name_all_initial(&mut self) {
        if self.initial.is_empty() {
            return;
        }
        let outside = self.outside_loops();
        let followers: Vec<usize> = self.couplings.iter().map(|coupling| coupling.terms[0].0).collect();
        for (n, joint) in
            self.joints.iter().enumerate().filter(|(n, _)| outside[*n] && !followers.contains(n))
        {
            for coordinate in 0..joint.kind.pose() {
                if !self.initial.iter().any(|initial| (initial.joint, initial.coordinate) == (n, coordinate))
                {
                    self.initial.push(Initial { joint: n, coordinate, q: 0.0, v: 0.0 });
                }
            }
        }
        self.initial.sort_by_key(|initial| (initial.joint, initial.coordinate));
    }

    /// Links without mass that nothing with mass follows: their joints have no inertia to move, so they are held.
    pub fn hold_massless(&mut self, report: &mut Report) {
        let robot = self;
        // a link carries mass if it has some, or if a joint leads from it to one that does; walk up from the leaves
        let outside = robot.outside_loops();
        let mut carries: Vec<bool> = robot.links.iter().map(|link| link.mass > 0.0 || link.fixed).collect();
        for _ in 0..robot.joints.len() {
            let mut changed = false;
            for (n, joint) in robot.joints.iter().enumerate() {
                if let (Some(first), Some(second)) = (joint.first, joint.second)
                    && (carries[second] || !outside[n])
                    && !carries[first]
                {
                    carries[first] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for (n, joint) in robot.joints.iter_mut().enumerate() {
            let Some(second) = joint.second.filter(|second| !carries[*second] && outside[n]) else {
                continue;
            };
            let has_inertia = joint.coordinates.iter().any(|c| c.armature > 0.0);
            if joint.kind.freedoms() > 0 && !has_inertia {
                let link = quoted(&robot.links[second].name);
                report.note(
                    Severity::Changed,
                    &joint.place,
                    format!("joint {}", quoted(&joint.name)),
                    format!("{link} and all behind it have no mass"),
                    "held fixed: nothing says how it would move",
                );
                joint.kind = crate::robot::JointKind::Fixed;
            }
        }
    }

    /// Total mass of what moves, kg.
    pub fn moving_mass(&self) -> f64 {
        self.links.iter().filter(|link| !link.fixed).map(|link| link.mass).sum()
    }

    /// Largest distance of a place from the origin, m; at least a millimetre.
    pub fn reach(&self) -> f64 {
        let joints = self.joints.iter().map(|joint| joint.origin);
        let links = self.links.iter().map(|link| link.world_com());
        joints.chain(links).map(|place: Vector3<f64>| place.amax()).fold(1e-3, f64::max)
    }
}
