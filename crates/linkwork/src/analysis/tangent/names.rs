//! What the rates of a formulation are called, as states.

use crate::Error;
use crate::formulations::Recursive;
use crate::mechanism::Mechanism;
use crate::model::{Faults, Formulation};
use crate::recursive::LinkJoint;
use crate::simulation::Probe;

/// The names of a rate and of the position that it changes.
pub(in crate::analysis) struct Names {
    pub position: String,
    pub velocity: String,
    /// Minus one where results show it with the other sign.
    pub sign: f64,
}

/// Names of all rates: of joints as the columns of results, of bodies that move freely by axes, of other formulations by what they say of their components.
pub(super) fn of_rates(
    mechanism: &Mechanism,
    formulation: Formulation,
    probe: &mut Probe,
) -> Result<Vec<Names>, Error> {
    if formulation == Formulation::Recursive {
        return of_links(mechanism);
    }
    let rates = probe.rates();
    let names: Vec<String> = rates.map(|i| probe.component_name(i)).collect();
    let many = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let of = |(k, name): (usize, &String)| {
        let before = names[..k].iter().filter(|other| *other == name).count() + 1;
        let name = name.strip_prefix("the ").unwrap_or(name);
        let number = if many(&names[k]) { format!(" {before}") } else { String::new() };
        let position = name.replacen("velocity", "position", 1).replacen("rate", "coordinate", 1);
        Names { position: format!("{position}{number}"), velocity: format!("{name}{number}"), sign: 1.0 }
    };
    Ok(names.iter().enumerate().map(of).collect())
}

/// Rates that are no motion: how a particle turns.
pub(super) fn turns_of_particles(mechanism: &Mechanism, formulation: Formulation) -> Vec<usize> {
    match Recursive::new(mechanism) {
        Ok(system) if formulation == Formulation::Recursive => system.turns_of_particles(),
        _ => Vec::new(),
    }
}

/// Names of the rates of `recursive`.
pub(in crate::analysis) fn of_links(mechanism: &Mechanism) -> Result<Vec<Names>, Error> {
    let refuse =
        |fault| Error::Model(Faults { list: vec![fault], provenance: mechanism.model().provenance.clone() });
    let system = Recursive::new(mechanism).map_err(refuse)?;
    let (links, tree) = (system.links(), system.tree());
    let mut out = Vec::new();
    for k in 0..tree.u_count() {
        let link = links.link_of(tree, k, true);
        let nth = k - tree.first(link).1;
        if let Some(own) = links.coordinates.iter().find(|own| own.link == link) {
            let joint = &mechanism.joints()[own.joint].name;
            let number = if own.index == 0 { String::new() } else { (own.index + 1).to_string() };
            out.push(Names {
                position: format!("joint.{joint}.q{number}"),
                velocity: format!("joint.{joint}.v{number}"),
                sign: own.sign,
            });
            continue;
        }
        let body = links.of_link[link];
        let owner = match links.spanning.branches[body].joint {
            Some(joint) => format!("joint.{}", mechanism.joints()[joint].name),
            None => format!("body.{}", mechanism.bodies()[body].name),
        };
        let axis = |vector: [f64; 3]| {
            let largest = (0..3).max_by(|&a, &b| vector[a].abs().total_cmp(&vector[b].abs()));
            ["x", "y", "z"][largest.unwrap_or(0)]
        };
        let (turns, axis) = match links.list[link].joint {
            LinkJoint::Axis { axis: vector, turn, .. } => (turn != 0.0, axis(vector)),
            LinkJoint::Ball => (true, ["x", "y", "z"][nth % 3]),
            LinkJoint::Free => (nth >= 3, ["x", "y", "z"][nth % 3]),
        };
        let [position, velocity] = if turns { ["r", "w"] } else { ["", "v"] };
        let [mut position, mut velocity] = [position, velocity].map(|what| format!("{owner}.{what}{axis}"));
        let before = out.iter().filter(|names: &&Names| names.position.starts_with(&position)).count();
        if before > 0 {
            position += &(before + 1).to_string();
            velocity += &(before + 1).to_string();
        }
        out.push(Names { position, velocity, sign: 1.0 });
    }
    Ok(out)
}
