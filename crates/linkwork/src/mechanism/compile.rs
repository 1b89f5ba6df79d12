//! From what the user said to what it means.

use super::coupling_rows::CouplingRows;
use super::features::{BodyIndex, Features};
use super::joint_list;
use super::joints::{self, JointSpec};
use super::links::Links;
use super::maps::{Affine, Maps};
use super::modal::Modal;
use super::resolve::{BodyNodes, Resolved, Role, resolve};
use super::rows::{Owner, Row, Rows};
use super::{
    AssemblyReport, Closing, Mechanism, MechanismBody, MechanismJoint, MechanismPoint, Redundancy, Shape,
    Shown, Start, Timing, assembly, attach, masses, redundancy,
};
use crate::constraints::{Constraint, Distance, Linear};
use crate::contact::Crowds;
use crate::error::names::segment;
use crate::interactions::{Action, Interactions};
use crate::joints::Revolute;
use crate::linalg::vec3::{Vec3, add, axpy, dot, norm, scale, sub};
use crate::model::{
    Axis, Fault, Faults, Joint, JointKind, MAX_NUMBER, MIN_NUMBER, Mass, Model, Place, Severity,
};
use crate::particles::{Candidate, EquivalentBody, MassProperties, Primary};
use crate::topology::Plain;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Compiles a plain model; one that takes a state over begins with it. `t0`: when masses that vary are taken.
/// `shape`: that of a mechanism which it is a neighbour of.
pub(super) fn compile(
    plain: Plain<'_>,
    start: Option<&Start>,
    t0: f64,
    shape: Option<&Shape>,
) -> Result<Mechanism, Faults> {
    let Plain { model, expansion } = plain;
    // what was spelled out has been checked before
    let mut faults: Vec<Fault> = if expansion.is_some() { Vec::new() } else { crate::model::check(model) };
    let give_up = |list: Vec<Fault>| Err(Faults { list, provenance: model.provenance.clone() });
    let relative = model.relative();
    let (model, plain) = (relative.as_ref(), Plain { model: relative.as_ref(), expansion });
    faults.extend(rounded_drawing(model));
    let listed = if failed(&faults) { None } else { list(plain, start, t0, shape, &mut faults) };
    let Some(mut mechanism) = listed else { return give_up(faults) };
    let keeps = mechanism.interactions.hints > 0 || !mechanism.interactions.holds.is_empty();
    if !keeps && start.is_some_and(|start| start.fits) {
        mechanism.timing = mechanism.timing();
        mechanism.warnings = faults;
        return Ok(mechanism);
    }
    // One pattern serves all: with unit masses for the geometry, with the true ones for the motion.
    let Some(mut kkt) = mechanism.solver() else {
        faults.push(assembly::too_large());
        return give_up(faults);
    };
    kkt.set_mass(mechanism.mass.iter().map(|&(i, j, _)| f64::from(u8::from(i == j))));
    let posed = if start.is_none() { mechanism.pose_joints() } else { Ok(()) };
    if let Err(mut more) = posed.and_then(|()| assembly::assemble(&mut mechanism, &mut kkt)) {
        faults.append(&mut more);
        return give_up(faults);
    }
    mechanism.redundancy = redundancy::of(&mechanism, &mut kkt);
    kkt.set_mass(mechanism.mass.iter().map(|m| m.2));
    if let Err(mut more) = assembly::massless(&mechanism, &mut kkt) {
        faults.append(&mut more);
        return give_up(faults);
    }
    mechanism.solver = Some(Arc::new(kkt));
    let velocities = match start {
        None => match mechanism.joint_rates() {
            Ok(true) => Ok(()),
            Ok(false) => assembly::start_velocities(&mut mechanism),
            Err(faults) => Err(faults),
        },
        Some(start) => assembly::velocities_that_fit(&mut mechanism, start),
    };
    match velocities {
        Err(mut more) => faults.append(&mut more),
        Ok(_) => mechanism.check_start_forces(&mut faults),
    }
    if failed(&faults) {
        return give_up(faults);
    }
    mechanism.timing = mechanism.timing();
    faults.extend(mechanism.driver_jumps());
    mechanism.warnings = faults;
    Ok(mechanism)
}

/// What a model consists of, wherever it may be: for its columns.
pub(super) fn outline(plain: Plain<'_>) -> Result<Mechanism, Faults> {
    let mut faults = Vec::new();
    list(plain, None, 0.0, None, &mut faults)
        .ok_or_else(|| Faults { list: faults, provenance: plain.model.provenance.clone() })
}

/// A warning where the distance from the origin leaves fewer digits of the drawing than the tolerance asks for.
fn rounded_drawing(model: &Model) -> Option<Fault> {
    if model.origin == [0.0; 3] || model.expanded {
        return None;
    }
    let (distance, extent) = model.distance_and_extent();
    let rounding = 0.5 * f64::EPSILON * distance;
    (rounding > model.settings.tolerance * extent).then(|| {
        let message = format!(
            "the points are drawn {distance:.1e} m from the origin: coordinates there are rounded to {rounding:.1e} m, which is more than \
             `tolerance` times the extent of the drawing, {extent:.1e} m"
        );
        Fault::warning("points", message)
            .help("draw the mechanism nearer to the origin; it is computed relative to a point near it, but the file says no more digits")
    })
}

fn failed(faults: &[Fault]) -> bool {
    faults.iter().any(|f| f.severity == Severity::Error)
}

/// Lists all that a mechanism consists of and what acts in it; nothing where that is at fault.
fn list(
    plain: Plain<'_>,
    start: Option<&Start>,
    t0: f64,
    shape: Option<&Shape>,
    faults: &mut Vec<Fault>,
) -> Option<Mechanism> {
    let model = plain.model;
    let mut features = Features::new(plain);
    let specs = joint_specs(model, &mut features);
    let mut properties = mass_properties(model, &features, faults);
    if failed(faults) {
        return None;
    }
    let burns = masses::burns(model, faults);
    let drawn: Vec<f64> = properties.iter().map(|p| p.mass).collect();
    let varying = masses::list(model, &burns, &drawn, t0, faults);
    for mass in &varying {
        let (own, by) = (&mut properties[mass.body], mass.base / drawn[mass.body]);
        if by != 1.0 {
            own.mass = mass.base;
            own.inertia_about_com.iter_mut().flatten().for_each(|i| *i *= by);
        }
    }
    if failed(faults) {
        return None;
    }
    let mut mechanism = build(plain, &features, &specs, properties, shape, faults);
    mechanism.masses = varying;
    mechanism.burns = burns;
    mechanism.shown = Shown::new(&mechanism, &features);
    if let Some(start) = start {
        mechanism.start_time = start.t;
        start.place(&mut mechanism);
    }
    check_particles(&mechanism.bodies, faults);
    if failed(faults) {
        return None;
    }
    mechanism.links = Links::new(&mechanism);
    attach::attach(&mut mechanism, &features, faults);
    constant_forces(&mut mechanism);
    if let Some(start) = start {
        start.carry_on(&mut mechanism);
    }
    if failed(faults) { None } else { Some(mechanism) }
}

fn joint_specs(model: &Model, features: &mut Features) -> Vec<JointSpec> {
    let mut held: HashMap<BodyIndex, BTreeSet<usize>> = HashMap::new();
    for i in 0..features.list.len() {
        held.entry(features.list[i].body).or_default().insert(features.root(i));
    }
    let of = |features: &Features, joint: &Joint| {
        let mut bodies = joint.bodies.each_ref().map(|name| features.body(name));
        bodies.sort_unstable();
        bodies
    };
    let mut entries: HashMap<[BodyIndex; 2], usize> = HashMap::new();
    for joint in model.joints.iter().filter(|joint| !joint.kind().slides()) {
        *entries.entry(of(features, joint)).or_default() += 1;
    }
    // two of the nodes that two bodies share, where there are two
    let mut known: HashMap<[BodyIndex; 2], Option<[usize; 2]>> = HashMap::new();
    let mut specs = Vec::new();
    for joint in &model.joints {
        let bodies = of(features, joint);
        let shared = *known.entry(bodies).or_insert_with(|| match bodies.map(|b| held.get(&b)) {
            [Some(a), Some(b)] => {
                let mut both = a.intersection(b).copied();
                Some([both.next()?, both.next()?])
            }
            _ => None,
        });
        // each of several hinges has a direction of its own
        let several = entries.get(&bodies).is_some_and(|&n| n > 1);
        let spec = match shared {
            Some([p, q]) if several && joint.kind() == JointKind::Revolute && joint.axis().is_none() => {
                let along = sub(features.list[q].at, features.list[p].at);
                let data = Revolute { axis: Some(Axis::Vector(along)) }.into();
                let joint = Joint { data, ..joint.clone() };
                joints::specify(&joint, features, model.dimension, false)
            }
            _ => joints::specify(joint, features, model.dimension, shared.is_some() && !several),
        };
        specs.extend(spec);
    }
    specs
}

fn mass_properties(model: &Model, features: &Features, faults: &mut Vec<Fault>) -> Vec<MassProperties> {
    let mut all = Vec::new();
    for (b, body) in model.bodies.iter().enumerate() {
        let at: Vec<Vec3> = body
            .points
            .iter()
            .filter_map(|p| features.on_body(Some(b), p).map(|o| features.list[o].at))
            .collect();
        let place = |name: &str| {
            features.on_body(Some(b), name).map(|o| features.list[o].at).or_else(|| features.drawn(name))
        };
        match MassProperties::of_body(body, &at, model.dimension, &place) {
            Ok(mut properties) => {
                if let (Some(length), Mass::Given { com: Place::At(com), .. }) = (body.length, &body.mass) {
                    // the centre of mass moves with the stretched line
                    let drawn: Vec<Vec3> = body.points.iter().filter_map(|p| features.drawn(p)).collect();
                    if let [p, q] = drawn[..] {
                        let along = norm(sub(q, p));
                        properties.com = add(at[0], scale(length / along, sub(*com, p)));
                    }
                }
                let numbers = [properties.mass].into_iter().chain(properties.com);
                let mut numbers = numbers.chain(properties.inertia_about_com.into_iter().flatten());
                if !numbers.all(|x| x.abs() <= MAX_PROPERTY) {
                    faults.push(out_of_range(&body.name));
                } else if let Some(why) = properties.impossible(model.dimension) {
                    let key = match &body.mass {
                        Mass::Given { .. } if properties.mass >= 0.0 => "inertia",
                        _ => "mass",
                    };
                    faults.push(
                        Fault::error(
                            format!("bodies.{}.{key}", segment(&body.name)),
                            format!("no real body has these mass properties: {why}"),
                        )
                        .help("inertia is taken about the centre of mass, in kg m², world axes as drawn"),
                    );
                }
                all.push(properties);
            }
            Err((key, message, help)) => {
                let mut fault = Fault::error(format!("bodies.{}.{key}", segment(&body.name)), message);
                fault.help = help;
                faults.push(fault);
            }
        }
    }
    all
}

/// Mass properties beyond this overflow in the products that the equations contain, SI units.
const MAX_PROPERTY: f64 = 1e100;

fn out_of_range(body: &str) -> Fault {
    let message = format!(
        "the mass and the size of body `{body}` are too large, too small or too far apart to compute with"
    );
    Fault::error(format!("bodies.{}", segment(body)), message)
        .help("check the units of its mass, its shape and its points: all numbers are in SI units")
}

/// Every particle must have a place, a mass and a distance from the others that can be computed with.
fn check_particles(bodies: &[MechanismBody], faults: &mut Vec<Fault>) {
    for body in bodies {
        let p = &body.particles;
        let mut lengths =
            (0..p.k()).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| norm(sub(p.at[i], p.at[j])));
        let weights = body.others.iter().flat_map(|o| &o.1).chain(p.gram.iter().flatten());
        let sound = lengths.all(|l| (MIN_NUMBER..=MAX_NUMBER).contains(&l))
            && weights.copied().all(|w| w.abs() <= MAX_PROPERTY);
        if !sound {
            faults.push(out_of_range(&body.name));
        }
    }
}

/// Everything but loads, start and redundancy.
fn build(
    plain: Plain<'_>,
    features: &Features,
    specs: &[JointSpec],
    properties: Vec<MassProperties>,
    shape: Option<&Shape>,
    faults: &mut Vec<Fault>,
) -> Mechanism {
    let model = plain.model;
    // Nodes: one per group of occurrences, then helpers.
    let mut node_of_root: HashMap<usize, usize> = HashMap::new();
    let mut node_of = vec![0; features.list.len()];
    let mut fixed: Vec<Option<Vec3>> = Vec::new();
    let mut drawn: Vec<Vec3> = Vec::new();
    let mut node_names: Vec<String> = Vec::new();
    let mut holders: Vec<BTreeSet<BodyIndex>> = Vec::new();
    for (i, occurrence) in features.list.iter().enumerate() {
        let node = *node_of_root.entry(features.root(i)).or_insert_with(|| {
            fixed.push(None);
            drawn.push(occurrence.at);
            node_names.push(String::new());
            holders.push(BTreeSet::new());
            fixed.len() - 1
        });
        node_of[i] = node;
        holders[node].insert(occurrence.body);
        if occurrence.body.is_none() {
            fixed[node] = Some(occurrence.at);
            drawn[node] = occurrence.at;
        }
        if node_names[node].is_empty() {
            node_names[node] = match (occurrence.point, occurrence.body) {
                (Some(p), _) => model.points[p].name.clone(),
                (None, Some(b)) => format!("a hidden point of {}", model.bodies[b].name),
                (None, None) => "a hidden point of ground".into(),
            };
        }
    }
    let joint_sides: HashSet<usize> = specs.iter().flat_map(|s| s.sides).map(|o| node_of[o]).collect();

    // Bodies: primary particles and the rest.
    let mut of_body: Vec<Vec<usize>> = vec![Vec::new(); model.bodies.len()];
    for (i, occurrence) in features.list.iter().enumerate() {
        if let Some(b) = occurrence.body {
            of_body[b].push(i);
        }
    }
    let mut bodies: Vec<MechanismBody> = Vec::new();
    for ((body, properties), occurrences) in model.bodies.iter().zip(properties).zip(&of_body) {
        let candidates: Vec<Candidate> = occurrences
            .iter()
            .map(|&o| Candidate {
                at: features.list[o].at,
                joint: holders[node_of[o]].len() > 1 || joint_sides.contains(&node_of[o]),
            })
            .collect();
        let wanted = |name: &String| {
            let o = features.on_body(Some(bodies.len()), name)?;
            occurrences.iter().position(|&own| own == o)
        };
        let first: Vec<usize> = body.primary.iter().filter_map(wanted).collect();
        let given = shape.map_or(Vec::new(), |shape| shape.of_body(bodies.len(), &candidates));
        let particles = EquivalentBody::in_shape(properties, &candidates, &first, &given, model.dimension);
        if first.len() > particles.k() {
            let k = particles.k();
            let message = format!(
                "the body `{}` is {}: {k} primary {} its place, these are {}",
                body.name,
                if k == 1 { "a particle" } else { "a rod or a thin plate" },
                if k == 1 { "point says" } else { "points say" },
                first.len()
            );
            faults.push(Fault::error(format!("bodies.{}.primary", segment(&body.name)), message));
        }
        let mut nodes = Vec::new();
        for primary in &particles.primaries {
            nodes.push(match *primary {
                Primary::Candidate(i) => node_of[occurrences[i]],
                Primary::Helper(at) => {
                    fixed.push(None);
                    drawn.push(at);
                    node_names.push(format!("a hidden point of {}", body.name));
                    holders.push(BTreeSet::from([Some(bodies.len())]));
                    fixed.len() - 1
                }
            });
        }
        let others = occurrences
            .iter()
            .filter(|&&o| !nodes.contains(&node_of[o]))
            .map(|&o| (node_of[o], particles.weights(features.list[o].at)))
            .collect();
        bodies.push(MechanismBody { name: body.name.clone(), particles, nodes, others });
    }
    let body_nodes: Vec<BodyNodes> =
        bodies.iter().map(|b| BodyNodes { primaries: b.nodes.clone(), others: b.others.clone() }).collect();
    let mut resolved = resolve(&fixed, &body_nodes);

    let nodes = joint_list::Nodes {
        model,
        expansion: plain.expansion,
        features,
        bodies: &bodies,
        holders: &holders,
        names: &node_names,
        drawn: &drawn,
        node_of: &node_of,
    };
    let mut joints = joint_list::list(&nodes, specs, faults);
    let (mut rows, spare_rows, closings) =
        list_rows(model, &bodies, &resolved, &holders, &node_names, &mut joints, specs, &node_of);
    let points: Vec<MechanismPoint> = (model.points.iter().zip(features.shown()))
        .filter_map(|(point, shown)| Some(MechanismPoint { name: point.name.clone(), node: node_of[shown?] }))
        .collect();
    let mut mass = mass_matrix(&bodies, &resolved.maps);
    let modal_bodies = match model.modal_bodies.is_empty() {
        true => Vec::new(),
        false => {
            let node = |body: usize, point: &str| Some(node_of[features.on_body(Some(body), point)?]);
            let mut modal = Modal {
                maps: &mut resolved.maps,
                roles: &mut resolved.roles,
                node_names: &mut node_names,
                mass: &mut mass,
                rows: &mut rows,
            };
            modal.add(model, &bodies, &node)
        }
    };
    let maps = Maps::new(model.dimension.columns(), &resolved.maps);

    let middle = scale(
        1.0 / model.points.len().max(1) as f64,
        model.points.iter().fold([0.0; 3], |s, p| add(s, p.position)),
    );
    let extent = model.points.iter().fold(0.0_f64, |s, p| s.max(norm(sub(p.position, middle))));
    let of_particles = bodies.iter().flat_map(|b| {
        b.particles.at.iter().map(|&x| norm(sub(x, b.particles.properties.com))).collect::<Vec<_>>()
    });
    let chains = plain.expansion.iter().flat_map(|e| &e.chains);
    let extent = chains.map(|c| c.segment * c.links.len().max(1) as f64).fold(extent, f64::max);
    let size = of_particles.fold(extent, f64::max);

    let columns = model.dimension.columns();
    let mut start_positions = vec![0.0; resolved.coordinates.len() * columns];
    for (block, &node) in resolved.coordinates.iter().enumerate() {
        start_positions[block * columns..][..columns].copy_from_slice(&drawn[node][..columns]);
    }
    Mechanism {
        points,
        mass,
        modal_bodies,
        rows: Rows::new(rows, &maps),
        spare_rows,
        weight: vec![0.0; start_positions.len()],
        constant_force: vec![0.0; start_positions.len()],
        constant_potential: 0.0,
        body_forces: vec![[[0.0; 3]; 4]; bodies.len()],
        start_velocities: vec![0.0; start_positions.len()],
        start_positions,
        maps,
        roles: resolved.roles,
        node_names,
        coordinates: resolved.coordinates,
        follow_order: resolved.order,
        closings,
        links: Links::default(),
        interactions: Interactions::default(),
        coupling_rows: CouplingRows::default(),
        events: super::Events::default(),
        chains: Vec::new(),
        beams: Vec::new(),
        shown: Shown::default(),
        expansion: plain.expansion.cloned(),
        origin: None,
        start_time: 0.0,
        start_joints: HashMap::new(),
        at_rest: false,
        contacts: Vec::new(),
        surfaces: Vec::new(),
        pairs: Vec::new(),
        crowds: Crowds::default(),
        only_steps: None,
        measures_may_lack_values: false,
        timing: Timing::default(),
        late: Vec::new(),
        masses: Vec::new(),
        joint_inertias: Vec::new(),
        burns: Vec::new(),
        solver: None,
        bodies,
        joints,
        size: if size > 0.0 { size } else { 1.0 },
        assembly: AssemblyReport::default(),
        redundancy: Redundancy::default(),
        warnings: Vec::new(),
        model: model.clone(),
    }
}

fn mass_matrix(bodies: &[MechanismBody], maps: &[Affine]) -> Vec<(usize, usize, f64)> {
    let mut mass: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for body in bodies {
        for (i, &ni) in body.nodes.iter().enumerate() {
            for (j, &nj) in body.nodes.iter().enumerate() {
                for &(bi, wi) in &maps[ni].terms {
                    for &(bj, wj) in &maps[nj].terms {
                        if bi >= bj {
                            *mass.entry((bi, bj)).or_default() += wi * wj * body.particles.gram[i][j];
                        }
                    }
                }
            }
        }
    }
    mass.into_iter().map(|((i, j), v)| (i, j, v)).collect()
}

#[allow(clippy::too_many_arguments)]
fn list_rows(
    model: &Model,
    bodies: &[MechanismBody],
    resolved: &Resolved,
    holders: &[BTreeSet<BodyIndex>],
    node_names: &[String],
    joints: &mut [MechanismJoint],
    specs: &[JointSpec],
    node_of: &[usize],
) -> (Vec<Row>, Vec<Row>, Vec<Closing>) {
    let mut rows = Vec::new();
    let mut closings = Vec::new();
    let mut spare_rows = Vec::new();
    // the first joint that a body has at a node, and the first of a name
    let mut joint_at: HashMap<(usize, BodyIndex), usize> = HashMap::new();
    let mut joint_of_entry: HashMap<usize, usize> = HashMap::new();
    for (i, joint) in joints.iter().enumerate() {
        for key in joint.shared.iter().flat_map(|&node| joint.bodies.map(|body| (node, body))) {
            joint_at.entry(key).or_insert(i);
        }
        if let Some(entry) = joint.entry {
            joint_of_entry.insert(entry, i);
        }
    }
    for (b, body) in bodies.iter().enumerate() {
        let at = &body.particles.at;
        for (i, &x) in body.nodes.iter().enumerate() {
            for (j, &y) in body.nodes.iter().enumerate().take(i) {
                let length = norm(sub(at[i], at[j]));
                let mut difference = resolved.maps[x].clone();
                difference.add(-1.0, &resolved.maps[y]);
                let settled = difference.terms.is_empty()
                    && (norm(difference.constant) - length).abs() <= 1e-12 * length;
                if length == 0.0 {
                    continue;
                }
                let row = Row {
                    constraint: Constraint::Distance(Distance { a: y, b: x, length }),
                    owner: Owner::Body(b),
                    label: format!("body `{}`: distance {} – {}", body.name, node_names[y], node_names[x]),
                    acts_on: vec![Some(b), Some(b)],
                };
                if !settled && !kept_by_another(b, x, y, bodies, holders) {
                    rows.push(row);
                } else if holders[x] != holders[y]
                    || holders[x].len() > 2
                    || joint_at.get(&(x, Some(b))) != joint_at.get(&(y, Some(b)))
                {
                    // not needed for the motion, but a force along it may pass through several joints
                    spare_rows.push(row);
                }
            }
        }
        for (node, weights) in &body.others {
            if resolved.roles[*node] == Role::Follows(b) {
                continue;
            }
            closings.push(Closing { body: b, node: *node, first_row: rows.len() });
            let joint = joint_at.get(&(*node, Some(b)));
            let name = joint.map_or(node_names[*node].as_str(), |&j| joints[j].name.as_str());
            for c in 0..model.dimension.columns() {
                let mut terms: Vec<(usize, f64)> =
                    body.nodes.iter().copied().zip(weights.iter().copied()).collect();
                terms.retain(|t| t.1 != 0.0);
                let mut acts_on = vec![Some(b); terms.len()];
                terms.push((*node, -1.0));
                acts_on.push(None);
                rows.push(Row {
                    constraint: Constraint::Linear(Linear { terms, component: c, value: 0.0 }),
                    owner: Owner::Body(b),
                    label: format!(
                        "joint `{name}`: {} of `{}` at {}",
                        ["x", "y", "z"][c],
                        body.name,
                        node_names[*node]
                    ),
                    acts_on,
                });
            }
        }
    }
    for (entry, (joint, spec)) in model.joints.iter().zip(specs).enumerate() {
        let Some(&j) = joint_of_entry.get(&entry) else { continue };
        for row in &spec.rows {
            joints[j].rows.push(rows.len());
            rows.push(Row {
                constraint: row.constraint.renumbered(|_, o| node_of[o]),
                owner: Owner::Joint(j),
                label: format!("joint `{}`: {}", joint.name, row.what),
                acts_on: row.acts_on.clone(),
            });
        }
    }
    (rows, spare_rows, closings)
}

/// Whether another body keeps this distance already: both hold the two nodes, and the other is first or
/// has one of them as a dependent point.
fn kept_by_another(
    b: usize,
    x: usize,
    y: usize,
    bodies: &[MechanismBody],
    holders: &[BTreeSet<BodyIndex>],
) -> bool {
    holders[x].intersection(&holders[y]).any(|&other| match other {
        Some(c) if c != b => {
            let primary = |n: usize| bodies[c].nodes.contains(&n);
            !(primary(x) && primary(y)) || c < b
        }
        _ => false,
    })
}

/// Forces that never change, as particles and coordinates of points feel them: gravity, and constant forces on bodies.
fn constant_forces(mechanism: &mut Mechanism) {
    let mut origin = vec![[0.0; 3]; mechanism.maps.len()];
    mechanism.maps.positions(&vec![0.0; mechanism.weight.len()], &mut origin);
    for (b, body) in mechanism.bodies.iter().enumerate() {
        for (i, &node) in body.nodes.iter().enumerate() {
            let m_bar: f64 = body.particles.gram[i].iter().sum();
            let f = scale(m_bar, mechanism.model.gravity);
            mechanism.body_forces[b][i] = f;
            mechanism.maps.pull_back(node, f, &mut mechanism.weight);
            mechanism.constant_potential -= dot(f, origin[node]);
        }
    }
    for named in &mechanism.interactions.actions {
        let Action::Constant(load) = &named.action else { continue };
        let Some(b) = load.at.body else { continue };
        let particles = &mechanism.bodies[b].particles;
        let at = add(particles.properties.com, load.at.s);
        for (i, w) in particles.weights(at).into_iter().enumerate() {
            mechanism.body_forces[b][i] = axpy(mechanism.body_forces[b][i], w, load.force);
        }
    }
    for (b, body) in mechanism.bodies.iter().enumerate() {
        for (i, &node) in body.nodes.iter().enumerate() {
            mechanism.maps.pull_back(node, mechanism.body_forces[b][i], &mut mechanism.constant_force);
        }
    }
}
