//! `linkwork check`.

use crate::arguments::Format;
use crate::output::{count, print_json, print_text, short};
use crate::source::{Setting, read_model_with, setting};
use crate::{Outcome, refuse, tell};
use clap::Args;
use linkwork::Error;
use linkwork::linalg::vec3::add;
use linkwork::mechanism::{Mechanism, Tree};
use linkwork::model::Dimension;
use linkwork::simulation::{mechanism_json, particles_json};
use std::fmt::Write;

#[derive(Args)]
pub struct CheckArguments {
    /// Model file (TOML or JSON), name of a built-in example, or - for standard input
    pub model: String,
    /// Another value for a key of the model, as if it stood in the file: a parameter (`l='50 cm'`), a point (`C=[0.1, 0.2]`, `C.x='10 mm'`) or any key by its path (`bodies.rod.mass=2`); several options set several
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<Setting>,
    /// List the particles that stand for each body: masses, places, m-bar, and what they add up to
    #[arg(long)]
    pub particles: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

pub fn check(args: &CheckArguments) -> Outcome {
    let assembled =
        read_model_with(&args.model, &args.set).and_then(|model| model.assemble().map_err(Error::Model));
    let mechanism = match assembled {
        Ok(mechanism) => mechanism,
        Err(error) => return refuse(&error, args.format),
    };
    let warnings = crate::warnings(&mechanism);
    match args.format {
        Format::Json => {
            let mut report = mechanism_json(&mechanism);
            report["status"] = "good".into();
            report["warnings"] = warnings.to_json();
            if args.particles {
                report["particles"] = particles_json(&mechanism);
            }
            print_json(&report);
        }
        Format::Text => {
            if !warnings.list.is_empty() {
                tell(&warnings);
            }
            let mut text = describe(&mechanism);
            if args.particles {
                particles(&mechanism, &mut text);
            }
            print_text(&text);
        }
    }
    Outcome::Good
}

/// A vector for people; what is rounding beside `size` is shown as zero.
fn vector(x: &[f64], size: f64) -> String {
    let parts: Vec<String> = x.iter().map(|v| short(if v.abs() < 1e-14 * size { 0.0 } else { *v })).collect();
    format!("({})", parts.join(", "))
}

/// What a mechanism is, for people: the text of `linkwork check`.
pub fn describe(mechanism: &Mechanism) -> String {
    let mut text = String::new();
    let d = mechanism.columns();
    let planar = mechanism.dimension() == Dimension::Planar;
    let redundancy = mechanism.redundancy();
    let _ = writeln!(
        text,
        "{}: {}, gravity {} m/s², size {} m",
        mechanism.model().name,
        if planar { "planar" } else { "spatial" },
        vector(&mechanism.model().gravity[..d], 0.0),
        short(mechanism.size())
    );
    let _ = writeln!(
        text,
        "\n{} = {} − {}",
        count(mechanism.degrees_of_freedom(), "degree of freedom", "degrees of freedom"),
        count(mechanism.coordinate_count(), "coordinate", "coordinates"),
        count(redundancy.rank, "independent constraint", "independent constraints")
    );
    let drivers: Vec<&str> = mechanism.model().drivers.iter().map(|d| d.name.as_str()).collect();
    if !drivers.is_empty() {
        let _ = writeln!(
            text,
            "{} among them: {}",
            count(drivers.len(), "driver", "drivers"),
            drivers.join(", ")
        );
    }
    let velocities = mechanism.velocity_constraints();
    if velocities > 0 {
        let _ = writeln!(
            text,
            "{velocities} of the constraints bind velocities only (rolling): positions keep {}",
            count(mechanism.degrees_of_freedom() + velocities, "degree of freedom", "degrees of freedom")
        );
    }
    bodies(mechanism, planar, &mut text);
    joints(mechanism, &mut text);
    chains(mechanism, &mut text);
    modal_bodies(mechanism, &mut text);
    elements(mechanism, &mut text);
    let cut: Vec<&str> =
        Tree::new(mechanism).cut.iter().map(|&j| mechanism.joints()[j].name.as_str()).collect();
    if !cut.is_empty() {
        let _ = writeln!(
            text,
            "\nformulations in joint variables cut {}: {}",
            count(cut.len(), "joint", "joints"),
            cut.join(", ")
        );
    }
    let assembly = mechanism.assembly();
    if assembly.moved.is_empty() {
        let _ = writeln!(
            text,
            "\nassembly: closed as drawn (largest residual {:.1e} m)",
            assembly.residual_after
        );
    } else {
        let _ = writeln!(
            text,
            "\nassembly: the drawing was open by {} m ({}); closed to {:.1e} m in {}",
            short(assembly.residual_before),
            assembly.worst_before.as_deref().unwrap_or("everywhere"),
            assembly.residual_after,
            count(assembly.iterations as usize, "step", "steps")
        );
        for moved in assembly.moved.iter().take(20) {
            let _ = writeln!(text, "  point {} moved by {} m", moved.point, short(moved.distance));
        }
    }
    if redundancy.count == 0 {
        let _ = writeln!(text, "redundant constraints: none");
    } else {
        let _ = writeln!(
            text,
            "\n{}: what follows from the other constraints, and the reactions it leaves open",
            count(redundancy.count, "redundant constraint", "redundant constraints")
        );
        for dependency in redundancy.dependencies.iter().take(40) {
            let _ = writeln!(text, "  {}\n    leaves open: {}", dependency.row, dependency.open.join(", "));
        }
        let _ = writeln!(text, "reactions that are not unique:");
        for (joint, open) in mechanism.named_joints().map(|(j, joint)| (joint, &redundancy.not_unique[j])) {
            let names = ["force x", "force y", "force z", "moment x", "moment y", "moment z"];
            let open: Vec<&str> =
                names.iter().zip(open).filter(|(_, open)| **open).map(|(n, _)| *n).collect();
            if !open.is_empty() {
                let _ = writeln!(text, "  joint {}: {}", joint.name, open.join(", "));
            }
        }
    }
    text
}

fn bodies(mechanism: &Mechanism, planar: bool, text: &mut String) {
    let named = mechanism.named_bodies();
    if named.is_empty() {
        return;
    }
    let width = named.iter().map(|b| b.name.chars().count()).max().unwrap_or(0).max(4);
    let _ = writeln!(text, "\nbodies");
    for (body, said) in named.iter().zip(&mechanism.model().bodies) {
        let p = &body.particles.properties;
        let inertia = if planar {
            short(p.inertia_about_com[2][2])
        } else {
            vector(&p.principal_inertia(), p.principal_inertia()[2])
        };
        let _ = writeln!(
            text,
            "  {:width$}  {} kg, com {} m, {} {inertia} kg m², {}, points {}",
            body.name,
            short(p.mass),
            vector(&add(p.com, mechanism.model().origin)[..mechanism.columns()], mechanism.size()),
            if planar { "inertia" } else { "principal inertia" },
            count(body.particles.k(), "primary particle", "primary particles"),
            said.points.join(" ")
        );
    }
}

/// The particles that stand for each body.
fn particles(mechanism: &Mechanism, text: &mut String) {
    let (d, size) = (mechanism.columns(), mechanism.size());
    for body in mechanism.body_particles() {
        let primary = body.list.iter().filter(|p| p.m_bar.is_some()).count();
        let _ = writeln!(
            text,
            "\nparticles of {}: {} and {}",
            body.body,
            count(primary, "primary", "primary ones"),
            count(body.list.len() - primary, "halfway between two", "halfway between two")
        );
        let width = body.list.iter().map(|p| p.name.chars().count()).max().unwrap_or(0);
        for p in &body.list {
            let m_bar = p.m_bar.map_or(String::new(), |m| format!(", m-bar {} kg", short(m)));
            let _ = writeln!(
                text,
                "  {:width$}  {} kg at {} m{m_bar}",
                p.name,
                short(p.mass),
                vector(&p.at[..d], size)
            );
        }
        let i = &body.inertia;
        let inertia = match d {
            2 => short(i[2][2]),
            _ => vector(
                &[i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]],
                i[0][0].max(i[1][1]).max(i[2][2]),
            ),
        };
        let _ = writeln!(
            text,
            "  together {} kg, com {} m, inertia {inertia} kg m²; the body's own to {:.1e}, {:.1e}, {:.1e}",
            short(body.mass),
            vector(&body.com[..d], size),
            body.difference[0],
            body.difference[1],
            body.difference[2]
        );
    }
}

fn joints(mechanism: &Mechanism, text: &mut String) {
    let width = mechanism.named_joints().map(|(_, j)| j.name.chars().count()).max().unwrap_or(0).max(4);
    if mechanism.named_joints().next().is_none() {
        return;
    }
    let _ = writeln!(text, "\njoints");
    for (_, joint) in mechanism.named_joints() {
        let _ = writeln!(
            text,
            "  {:width$}  {:17}  {} – {}",
            joint.name,
            joint.kind.name(),
            mechanism.body_name(joint.bodies[0]),
            mechanism.body_name(joint.bodies[1])
        );
    }
}

fn chains(mechanism: &Mechanism, text: &mut String) {
    if mechanism.chains().is_empty() {
        return;
    }
    let _ = writeln!(text, "\nchains");
    for chain in mechanism.chains() {
        let _ = writeln!(
            text,
            "  {}  {} of {} m, {} kg{}",
            chain.name,
            count(chain.joints.len(), "segment", "segments"),
            short(chain.segment),
            short(chain.masses.iter().sum()),
            if chain.from_container { ", and more as it is paid out" } else { "" }
        );
    }
}

/// Whatever acts beyond gravity and joints, by the names of its columns.
/// Most modes of a body that are listed one by one.
const LISTED_MODES: usize = 12;

fn modal_bodies(mechanism: &Mechanism, text: &mut String) {
    if mechanism.modal_bodies().is_empty() {
        return;
    }
    let _ = writeln!(text, "\nmodal bodies");
    for modal in mechanism.modal_bodies() {
        let basis = &mechanism.model().modal_bodies[modal.entry].basis;
        let hertz: Vec<f64> = basis.modes.iter().map(|mode| mode.frequency / std::f64::consts::TAU).collect();
        let _ = writeln!(
            text,
            "  {}: {} nodes, {} modes of the free body, up to {:.3e} Hz",
            modal.name,
            basis.nodes.len(),
            hertz.len(),
            hertz.last().copied().unwrap_or(0.0)
        );
        for (j, (mode, hertz)) in basis.modes.iter().zip(&hertz).take(LISTED_MODES).enumerate() {
            let moves = basis
                .interfaces
                .iter()
                .map(|i| format!("{} {:.2}", i.name, i.moves[j].iter().map(|x| x * x).sum::<f64>().sqrt()));
            let moves: Vec<String> = moves.collect();
            let (name, mass) = (&modal.name, mode.mass);
            let _ = writeln!(
                text,
                "    {name}/{}: {hertz:.2} Hz, {mass:.3e} kg; moves {}",
                j + 1,
                moves.join(", ")
            );
        }
        if hertz.len() > LISTED_MODES {
            let _ = writeln!(text, "    and {} more", hertz.len() - LISTED_MODES);
        }
    }
}

fn elements(mechanism: &Mechanism, text: &mut String) {
    let model = mechanism.model();
    let actions = mechanism.interactions().actions.iter().map(|a| a.name.clone());
    let mut all: Vec<String> = actions.filter(|name| !name.is_empty()).collect();
    all.extend(model.cables.iter().filter(|c| c.inextensible).map(|c| format!("cable.{}", c.name)));
    all.extend(model.couplings.iter().map(|c| format!("coupling.{}", c.name)));
    all.extend(model.locks.iter().map(|l| format!("lock.{}", l.name)));
    all.extend(model.impulses.iter().map(|i| format!("impulse.{}", i.name)));
    let limits = mechanism.events().limits.iter().map(|l| &mechanism.joints()[l.joint].name);
    all.extend(limits.map(|joint| format!("limit.{joint}")));
    if !all.is_empty() {
        let _ = writeln!(text, "\nelements: {}", all.join(", "));
    }
    let lists: [(&str, Vec<&str>); 3] = [
        ("measures", model.measures.iter().map(|m| m.name.as_str()).collect()),
        ("inputs", model.inputs.iter().map(|i| i.name.as_str()).collect()),
        ("states", model.states.iter().map(|s| s.name.as_str()).collect()),
    ];
    for (what, names) in lists.iter().filter(|(_, names)| !names.is_empty()) {
        let _ = writeln!(text, "{what}: {}", names.join(", "));
    }
}
