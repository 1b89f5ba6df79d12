//! What goes when bodies are not there or joints are open: all that is attached to them.
//!
//! Points of bodies that are not there stand where they are drawn, so that formulas which read them keep a meaning; nothing acts on
//! them, and results do not show them. Elements on such a body or on such a joint are out of force. A measure or condition that speaks of something that
//! is gone has no value for as long.

use super::Topology;
use crate::interactions::elements::Use;
use crate::model::{Blow, Driven, Formula, GROUND, Meeting, Model, StateChange, Target};
use std::collections::{HashMap, HashSet};

/// Table and name of what is gone, by the words that formulas use.
type Gone = HashSet<(&'static str, String)>;

/// Leaves out what a structure lacks. Returns the points that nobody holds any more.
pub(super) fn leave_out(model: &mut Model, structure: &Topology) -> HashSet<String> {
    if structure.absent.is_empty() && structure.open.is_empty() && structure.partings.is_empty() {
        return HashSet::new();
    }
    let mut gone: Gone = structure.absent.iter().map(|body| ("body", body.clone())).collect();
    gone.extend(structure.open.iter().map(|joint| ("joint", joint.clone())));
    gone.extend(structure.partings.iter().map(|parting| ("joint", parting.joint.clone())));
    let before = holders(model);
    let had: HashMap<String, Vec<String>> =
        model.bodies.iter().map(|b| (b.name.clone(), b.points.clone())).collect();
    let listed = |body: &str, point: &String| had.get(body).is_some_and(|points| points.contains(point));
    model.bodies.retain(|body| !structure.absent.contains(&body.name));
    let after = holders(model);
    let count = |holders: &HashMap<String, usize>, point: &str| holders.get(point).copied().unwrap_or(0);
    let chain_ends: HashSet<&String> =
        model.chains.iter().flat_map(|chain| [Some(&chain.from), chain.to.as_ref()]).flatten().collect();
    let mut alone = HashSet::new();
    for point in &model.points {
        let (was, is) = (count(&before, &point.name), count(&after, &point.name));
        if was > 1 && is < 2 {
            gone.insert(("joint", point.name.clone()));
        }
        if was > 2 && is < was {
            // joints there are named after their bodies; the first body has none
            let lost = structure.absent.iter().filter(|body| listed(body, &point.name));
            gone.extend(lost.map(|body| ("joint", format!("{}.{body}", point.name))));
            if !model.ground.contains(&point.name)
                && let Some(first) = model.bodies.iter().find(|b| b.points.contains(&point.name))
            {
                gone.insert(("joint", format!("{}.{}", point.name, first.name)));
            }
        }
        if is == 0 && was > 0 && !chain_ends.contains(&point.name) {
            alone.insert(point.name.clone());
        }
    }
    model.ground.extend(model.points.iter().map(|p| &p.name).filter(|p| alone.contains(*p)).cloned());
    let no_body = |gone: &Gone, name: &str| name != GROUND && gone.contains(&("body", name.into()));
    let no_joint = |gone: &Gone, name: &str| gone.contains(&("joint", name.into()));
    model.joints.retain(|joint| {
        let goes = no_joint(&gone, &joint.name) || joint.bodies.iter().any(|b| no_body(&gone, b));
        if goes {
            gone.insert(("joint", joint.name.clone()));
        }
        !goes
    });
    macro_rules! drop_where {
        ($list:ident, $kind:literal, |$item:ident| $goes:expr) => {
            model.$list.retain(|$item| {
                let goes = $goes;
                if goes {
                    gone.insert(($kind, $item.name.clone()));
                }
                !goes
            });
        };
    }
    model.retain_elements(|kind, element| {
        let lost = |used: Use<'_>| match used {
            Use::Point(point) => alone.contains(point),
            Use::Body(body) => no_body(&gone, body),
            Use::Joint(joint) => no_joint(&gone, joint),
        };
        let goes = element.uses().into_iter().any(lost);
        if goes {
            gone.insert((kind, element.name().to_owned()));
        }
        !goes
    });
    drop_where!(couplings, "coupling", |c| c.terms.iter().any(|(joint, ..)| no_joint(&gone, joint)));
    drop_where!(drivers, "driver", |d| match &d.of {
        Driven::Joint { joint, .. } => no_joint(&gone, joint),
        Driven::Point { point, .. } => alone.contains(point),
        Driven::Body { body, against, .. } => no_body(&gone, body) || no_body(&gone, against),
    });
    drop_where!(locks, "lock", |l| no_joint(&gone, &l.joint));
    drop_where!(impulses, "impulse", |i| match &i.gives {
        Blow::Strike { body, point, .. } => {
            body.as_ref().is_some_and(|b| no_body(&gone, b))
                || point.as_ref().is_some_and(|p| alone.contains(p))
        }
        Blow::Rate { joint, .. } => no_joint(&gone, joint),
    });
    let mut surfaces: HashSet<String> = structure.absent.iter().cloned().collect();
    model.surfaces.retain(|surface| {
        let goes = no_body(&gone, &surface.body);
        if goes {
            surfaces.insert(surface.name.clone());
        }
        !goes
    });
    for contact in &mut model.contacts {
        let lists: Vec<&mut Vec<String>> = match &mut contact.of {
            Meeting::Between([first, second]) => vec![first, second],
            Meeting::Among(list) => vec![list],
        };
        lists.into_iter().for_each(|list| list.retain(|name| !surfaces.contains(name)));
    }
    drop_where!(contacts, "contact", |c| match &c.of {
        Meeting::Between(lists) => lists.iter().any(Vec::is_empty),
        Meeting::Among(list) => list.len() < 2,
    });
    model.initial.velocities.retain(|(point, _)| !alone.contains(point));
    model.initial.angular_velocities.retain(|(body, _)| !no_body(&gone, body));
    model.initial.joints.retain(|start| !no_joint(&gone, &start.joint));
    formulas(model, &mut gone);
    alone
}

/// Measures and conditions that speak of what is gone.
fn formulas(model: &mut Model, gone: &mut Gone) {
    loop {
        let before = gone.len();
        model.measures.retain(|measure| {
            let goes = speaks_of(&measure.value, gone);
            if goes {
                gone.insert(("measure", measure.name.clone()));
            }
            !goes
        });
        if gone.len() == before {
            break;
        }
    }
    let gone = &*gone;
    for state in model.states.iter_mut().filter(|state| speaks_of(state.formula(), gone)) {
        // it stays as it is
        state.change = StateChange::Rate(Formula::constant(0.0));
    }
    model.settings.stop.retain(|stop| !speaks_of(stop, gone));
    for lock in &mut model.locks {
        lock.when = lock.when.take().filter(|f| !speaks_of(f, gone));
        lock.release = lock.release.take().filter(|f| !speaks_of(f, gone));
    }
    model.changes.retain(|change| change.when.as_ref().is_none_or(|f| !speaks_of(f, gone)));
}

fn speaks_of(formula: &Formula, gone: &Gone) -> bool {
    formula.references().iter().any(|reference| match &reference.target {
        Target::Name(parts) => match parts.as_slice() {
            // a measure goes by its bare name
            [name] => gone.contains(&("measure", name.clone())),
            [table, name, ..] => gone.iter().any(|(kind, lost)| kind == table && lost == name),
            _ => false,
        },
        Target::Call { .. } => false,
    })
}

/// How many hold each point.
fn holders(model: &Model) -> HashMap<String, usize> {
    let mut count: HashMap<String, usize> = HashMap::new();
    for point in model.ground.iter().chain(model.bodies.iter().flat_map(|b| &b.points)) {
        *count.entry(point.clone()).or_default() += 1;
    }
    count
}
