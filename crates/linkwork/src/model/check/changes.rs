//! Changes of what the mechanism consists of, and what waits for them.

use super::{Checker, Checks, Sign};
use crate::error::names::segment;
use crate::model::{Chain, Change, Fault, GROUND, Joint};
use std::collections::{HashMap, HashSet};

/// Joints by their names.
pub(super) struct Joined<'a> {
    entries: HashMap<&'a str, &'a Joint>,
    /// Points that bodies or the ground hold.
    pub held: HashSet<&'a str>,
    /// Points where bodies, or a body and a chain, are joined.
    shared: HashSet<&'a str>,
}

impl<'a> Joined<'a> {
    pub fn new(checker: &Checker<'a>) -> Self {
        let mut holders: HashMap<&str, usize> = HashMap::new();
        for point in checker.held.values().flatten() {
            *holders.entry(point).or_default() += 1;
        }
        let held = holders.keys().copied().collect();
        for chain in &checker.model.chains {
            for end in [Some(&chain.from), chain.to.as_ref()].into_iter().flatten() {
                *holders.entry(end).or_default() += 1;
            }
        }
        Joined {
            held,
            entries: checker.model.joints.iter().map(|joint| (joint.name.as_str(), joint)).collect(),
            shared: holders.into_iter().filter(|(_, count)| *count > 1).map(|(point, _)| point).collect(),
        }
    }

    /// Whether a name begins with a shared point as those of implied joints do: `P`, `P.BODY`, `P'`.
    fn implied(&self, name: &str) -> bool {
        let mut ends = name.char_indices().filter(|(_, c)| ['.', '\''].contains(c)).map(|(i, _)| i);
        self.shared.contains(name) || ends.any(|end| self.shared.contains(&name[..end]))
    }
}

fn set(names: &[String]) -> HashSet<&str> {
    names.iter().map(String::as_str).collect()
}

impl<'a> Checker<'a> {
    pub(super) fn changes(&mut self) {
        let model = self.model;
        self.names("changes", model.changes.iter().map(|change| change.name.as_str()));
        self.waiting();
        if model.changes.is_empty() {
            return;
        }
        let joined = Joined::new(self);
        let detached = model.changes.iter().flat_map(|change| set(&change.detach)).collect();
        let present = model.bodies.iter().filter(|body| body.present);
        let present = present.map(|body| body.name.as_str()).collect();
        let chains = model.chains.iter().map(|chain| (chain.name.as_str(), chain)).collect();
        for change in &model.changes {
            let path = format!("changes.{}", segment(&change.name));
            self.change_time(change, &path);
            self.changed_joints(change, &path, &joined, &detached);
            self.changed_bodies(change, &path, &present);
            self.cuts(change, &path, &chains);
            let joints = change.detach.is_empty() && change.attach.is_empty();
            let bodies = change.add.is_empty() && change.remove.is_empty();
            if joints && bodies && change.cut.is_empty() {
                let help = "give `detach`, `attach`, `add`, `remove` or `cut`";
                self.error_with(&path, "this changes nothing", help);
            }
        }
    }

    fn change_time(&mut self, change: &Change, path: &str) {
        match (change.at, &change.when) {
            (Some(_), Some(_)) => {
                let help = "keep one of the two; a condition may name the time `t`";
                self.error_with(path, "`at` and `when` are both given", help);
            }
            (None, None) => {
                let help = "at = a time in s; or when = a condition such as \"point.A.y < 0\"";
                self.error_with(path, "a change without `at` or `when` never happens", help);
            }
            (Some(t), None) => {
                let (path, duration) = (format!("{path}.at"), self.model.settings.duration);
                self.number(&path, t, Sign::NotNegative);
                if t.is_finite() && t > duration {
                    let message =
                        format!("at {t} s the run has ended, it lasts {duration} s: nothing happens");
                    self.faults.push(Fault::warning(path, message));
                }
            }
            (None, Some(condition)) => self.condition(&format!("{path}.when"), condition),
        }
    }

    /// Items of a list, each once. Those at fault are left out.
    fn listed<'n>(&mut self, path: &str, names: &'n [String]) -> Vec<(String, &'n str)> {
        let mut seen = HashSet::new();
        let mut items = Vec::new();
        for (i, name) in names.iter().enumerate() {
            let path = format!("{path}[{i}]");
            if seen.insert(name) {
                items.push((path, name.as_str()));
            } else {
                self.error(path, format!("`{name}` is listed twice"));
            }
        }
        items
    }

    fn changed_joints(&mut self, change: &Change, path: &str, joined: &Joined<'a>, detached: &HashSet<&str>) {
        let opening = set(&change.detach);
        for (path, name) in self.listed(&format!("{path}.detach"), &change.detach) {
            self.joint_named(&path, name, joined);
        }
        for (path, name) in self.listed(&format!("{path}.attach"), &change.attach) {
            let Some(joint) = joined.entries.get(name) else {
                self.no_entry(&path, name, joined);
                continue;
            };
            if opening.contains(name) {
                self.error(path, format!("`{name}` cannot open and close at once"));
                continue;
            }
            let breaks = joint.break_force.is_some() || joint.break_moment.is_some();
            if joint.active && !breaks && !detached.contains(name) {
                let message = format!("`{name}` is closed from the start, and nothing opens it");
                let warning = Fault::warning(path, message);
                self.faults.push(warning.help(format!("give joints.{} `active = false`", segment(name))));
            }
        }
    }

    fn no_entry(&mut self, path: &str, name: &str, joined: &Joined<'a>) {
        let model = self.model;
        if joined.implied(name) {
            let message = format!("`{name}` is a shared point: only entries of `[joints]` can close");
            let help =
                "bodies that share a point are joined from the start; give each its own, and join those";
            self.error_with(path, message, help);
        } else {
            let known = model.joints.iter().map(|joint| joint.name.as_str()).collect();
            self.unknown(path, "joint", name, known);
        }
    }

    fn changed_bodies(&mut self, change: &Change, path: &str, present: &HashSet<&str>) {
        let added = set(&change.add);
        for (path, name) in self.listed(&format!("{path}.add"), &change.add) {
            if !self.body(&path, name) {
                continue;
            }
            if name == GROUND {
                self.error(path, "`ground` is always there");
            } else if present.contains(name) {
                let help = format!("give bodies.{} `present = false`", segment(name));
                self.error_with(path, format!("`{name}` is there from the start"), help);
            }
        }
        for (path, name) in self.listed(&format!("{path}.remove"), &change.remove) {
            if self.body(&path, name) && name == GROUND {
                self.error(path, "`ground` is always there");
            } else if added.contains(name) {
                self.error(path, format!("`{name}` cannot appear and vanish at once"));
            }
        }
        let Some(other) = &change.moving_with else { return };
        let path = format!("{path}.moving_with");
        if self.body(&path, other) {
            if change.add.is_empty() {
                self.error(path, "`moving_with` is for bodies that appear: `add` is missing");
            } else if change.add.contains(other) {
                self.error(path, format!("`{other}` appears itself"));
            } else if change.remove.contains(other) {
                self.error(path, format!("`{other}` vanishes itself"));
            }
        }
    }

    fn cuts(&mut self, change: &Change, path: &str, chains: &HashMap<&str, &Chain>) {
        let model = self.model;
        for (name, at) in &change.cut {
            let path = format!("{path}.cut.{}", segment(name));
            let before = self.faults.len();
            self.number(&path, *at, Sign::Positive);
            let Some(chain) = chains.get(name.as_str()) else {
                let known = model.chains.iter().map(|chain| chain.name.as_str()).collect();
                self.unknown(&path, "chain", name, known);
                continue;
            };
            if let Some(length) = chain.length
                && *at >= length
                && self.faults.len() == before
            {
                let message = format!("`{name}` has {length} m, so it cannot be cut after {at} m");
                self.error(path, message);
            }
        }
    }

    /// What is not there from the start on, and that no change brings.
    fn waiting(&mut self) {
        let model = self.model;
        let changes = &model.changes;
        let named: HashSet<&String> = changes.iter().flat_map(|change| &change.attach).collect();
        for joint in model.joints.iter().filter(|joint| !joint.active && !named.contains(&joint.name)) {
            let path = format!("joints.{}.active", segment(&joint.name));
            let warning = Fault::warning(path, format!("no change closes the joint `{}`", joint.name));
            self.faults.push(warning.help("name it under `attach` of an entry of [changes], or remove it"));
        }
        let named: HashSet<&String> = changes.iter().flat_map(|change| &change.add).collect();
        for body in model.bodies.iter().filter(|body| !body.present && !named.contains(&body.name)) {
            let path = format!("bodies.{}.present", segment(&body.name));
            let warning = Fault::warning(path, format!("no change lets the body `{}` appear", body.name));
            self.faults.push(warning.help("name it under `add` of an entry of [changes], or remove it"));
        }
    }

    /// When a joint breaks.
    pub(super) fn joint_breaks(&mut self, joint: &Joint, path: &str) {
        for (key, value) in [("break_force", joint.break_force), ("break_moment", joint.break_moment)] {
            let Some(value) = value else { continue };
            let path = format!("{path}.{key}");
            self.number(&path, value, Sign::Positive);
            if joint.kind().is_free() {
                self.error(path, "a floating joint holds nothing that could break");
            }
        }
    }

    /// The name of an entry, or of a joint that a shared point implies.
    pub(super) fn joint_named(&mut self, path: &str, name: &str, joined: &Joined<'a>) {
        let model = self.model;
        if joined.entries.contains_key(name) || joined.implied(name) {
            return;
        }
        let entries = model.joints.iter().map(|joint| joint.name.as_str());
        let points = model.points.iter().map(|point| point.name.as_str());
        let known = entries.chain(points.filter(|point| joined.shared.contains(point))).collect();
        self.unknown(path, "joint", name, known);
    }
}
