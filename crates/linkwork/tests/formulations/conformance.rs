//! Every formulation on the same mechanisms: the same accelerations, reactions and motion.
//!
//! A new formulation takes part by being in `Formulation::ALL`. One that objects to a model is skipped, with its
//! reason printed; the general ones must never object (`suite`).

use crate::suite;
use crate::suite::of_kind;
use linkwork::joints::{Fixed, Revolute};

use linkwork::linalg::vec3::{Vec3, cross, norm, scale, sub, unit};
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use linkwork::results::Frame;
use linkwork::simulation::{Outcome, Status, Witness};
use std::path::PathBuf;

/// A small generator of reproducible numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    /// In [-1, 1).
    fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }
    fn vector(&mut self, planar: bool) -> Vec3 {
        [self.number(), self.number(), if planar { 0.0 } else { self.number() }]
    }
}

/// Frames of every formulation that takes a mechanism, the first one's first.
fn all_frames(mechanism: &Mechanism) -> Vec<(Formulation, Vec<Frame>)> {
    let mut all = Vec::new();
    for formulation in Formulation::ALL {
        let settings = Settings { formulation, ..mechanism.model().settings.clone() };
        let mechanism = mechanism.clone().with_settings(settings);
        // `lagrange` only warns of many variables
        if formulation.unsupported(&mechanism).iter().any(|f| f.severity == Severity::Error) {
            assert_eq!(formulation, Formulation::Kane, "the others take every model");
            continue;
        }
        let run = mechanism.simulate().unwrap_or_else(|e| panic!("{formulation:?}: {e}"));
        assert_eq!(run.summary.status, Status::Finished, "{formulation:?}");
        all.push((formulation, run.frames));
    }
    all
}

/// Largest differences at the first row (accelerations, reactions) and over all rows (positions).
fn apart(mechanism: &Mechanism, a: &[Frame], b: &[Frame]) -> [f64; 3] {
    let largest = |v: &mut dyn Iterator<Item = f64>| v.fold(0.0, f64::max);
    let size = |v: f64| v.max(1.0);
    let (f, g) = (&a[0], &b[0]);
    let acceleration =
        largest(&mut f.accelerations.iter().zip(&g.accelerations).map(|(p, q)| norm(sub(*p, *q))))
            / size(largest(&mut f.accelerations.iter().map(|p| norm(*p))));
    let mut reaction: f64 = 0.0;
    let scale_of = size(largest(&mut f.reactions.iter().map(|r| norm(r.force))));
    for ((p, q), open) in f.reactions.iter().zip(&g.reactions).zip(&mechanism.redundancy().not_unique) {
        for c in 0..3 {
            if !open[c] {
                reaction = reaction.max((p.force[c] - q.force[c]).abs() / scale_of);
            }
            if !open[c + 3] {
                reaction = reaction.max((p.moment[c] - q.moment[c]).abs() / (scale_of * mechanism.size()));
            }
        }
    }
    let position = largest(&mut a.iter().zip(b).flat_map(|(f, g)| {
        f.positions.iter().zip(&g.positions).map(|(p, q)| norm(sub(*p, *q))).collect::<Vec<_>>()
    })) / mechanism.size();
    [acceleration, reaction, position]
}

/// A random tree of up to `n` bodies with mixed joints, with `loops` rods across it.
fn random_mechanism(seed: u64, planar: bool, n: usize, loops: usize) -> Model {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut model = if planar { Model::planar("random") } else { Model::spatial("random") };
    model.gravity = if planar { [0.5, -9.0, 0.0] } else { [0.5, -1.0, -9.0] };
    // large ones for a few steps only: `lagrange` differentiates its way through each
    let duration = if n > 10 { 0.004 } else { 0.1 };
    let output_step = duration / 2.0;
    model.settings = Settings { duration, output_step, tolerance: 1e-12, ..Default::default() };
    let mut held: Vec<Vec<String>> = Vec::new();
    let mut at: Vec<Vec3> = Vec::new(); // a point of each body
    let floating = random.below(3) == 0;
    for i in 0..n {
        let parent = if i == 0 { None } else { Some(random.below(i)) };
        let from = parent.map_or([0.0; 3], |p| at[p]);
        let joint = linkwork::linalg::vec3::add(from, scale(0.4, random.vector(planar)));
        let end = linkwork::linalg::vec3::add(joint, scale(0.5, random.vector(planar)));
        let (j, e) = (format!("J{i}"), format!("E{i}"));
        model = model.point(&j, joint).point(&e, end);
        match parent {
            None if floating => {}
            None => model.ground.push(j.clone()),
            Some(p) => held[p].push(j.clone()),
        }
        let kinds: &[JointKind] = if planar {
            &[
                JointKind::Revolute,
                JointKind::Revolute,
                JointKind::Prismatic,
                JointKind::PointOnLine,
                JointKind::Fixed,
                JointKind::Distance,
            ]
        } else {
            &[
                JointKind::Spherical,
                JointKind::Revolute,
                JointKind::Revolute,
                JointKind::Prismatic,
                JointKind::Cylindrical,
                JointKind::PointOnLine,
                JointKind::Fixed,
                JointKind::Universal,
                JointKind::Planar,
                JointKind::PointOnPlane,
                JointKind::Distance,
            ]
        };
        let kind = kinds[random.below(kinds.len())];
        if i > 0 || !floating {
            let first = parent.map_or("ground".into(), |p: usize| format!("b{p}"));
            let pin = planar && kind == JointKind::Revolute;
            let data = if pin {
                Revolute { axis: None }.into()
            } else if matches!(kind, JointKind::Spherical | JointKind::Fixed | JointKind::Distance) {
                of_kind(kind, [0.0; 3], [0.0; 3])
            } else {
                let axis = unit(random.vector(planar));
                let universal = kind == JointKind::Universal;
                of_kind(kind, axis, if universal { cross(axis, random.vector(planar)) } else { axis })
            };
            let mut entry = Joint::new(format!("K{i}"), data, [&first, &format!("b{i}")], &j);
            if kind == JointKind::Distance {
                // from the joint's point on the parent to the end of the body
                entry.at[1].clone_from(&e);
            }
            model = model.joint(entry);
        }
        held.push(if kind == JointKind::Distance && (i > 0 || !floating) { vec![e] } else { vec![j, e] });
        at.push(end);
    }
    for (i, points) in held.iter().enumerate() {
        let mass = 0.5 + random.number().abs();
        let com = linkwork::linalg::vec3::add(at[i], scale(0.2, random.vector(planar)));
        // second moments of four random particles: a real body
        let mut s = [[0.0; 3]; 3];
        for _ in 0..4 {
            let x = scale(0.3, random.vector(planar));
            for r in 0..3 {
                for c in 0..3 {
                    s[r][c] += 0.25 * mass * x[r] * x[c];
                }
            }
        }
        let trace = s[0][0] + s[1][1] + s[2][2];
        let inertia = if planar {
            Inertia::Polar(trace)
        } else {
            Inertia::Matrix([trace - s[0][0], trace - s[1][1], trace - s[2][2], -s[0][1], -s[0][2], -s[1][2]])
        };
        model = model.body(Body::with_inertia(format!("b{i}"), points.clone(), mass, com, inertia));
    }
    for k in 0..loops {
        let (i, j) = (random.below(n), random.below(n));
        if i != j
            && model
                .bodies
                .iter()
                .all(|b| !(b.points.contains(&format!("E{i}")) && b.points.contains(&format!("E{j}"))))
        {
            model = model.body(Body::rod(format!("rod{k}"), [&format!("E{i}"), &format!("E{j}")], 0.3));
        }
    }
    let w = random.vector(true);
    model = model.angular_velocity("b0", if planar { [0.0, 0.0, w[0]] } else { w });
    model
        .force(Force::new("f", "b0", "E0", [3.0, -2.0]))
        .spring(Spring::new("s", ["E0", &format!("E{}", n - 1)], 40.0).damping(0.3))
}

/// Random trees and loops. A failing case prints its seed and the model.
#[test]
fn cross_random_mechanisms() {
    let mut worst: Vec<(Formulation, [f64; 3], usize)> =
        Formulation::ALL.iter().map(|&f| (f, [0.0; 3], 0)).collect();
    let mut cases = 0;
    for seed in 1..=60 {
        let planar = seed % 2 == 0;
        let n = 2 + (seed as usize * 7) % 29; // up to 30 bodies
        let loops = if seed % 3 == 0 { 1 + seed as usize % 3 } else { 0 };
        let model = random_mechanism(seed, planar, n, loops);
        let mechanism = match model.assemble() {
            Ok(mechanism) => mechanism,
            // a fixed or prismatic first body may forbid the start velocity, a rod may lock what it spans
            Err(faults) if faults.to_string().contains("initial") => {
                let mut model = model.clone();
                model.initial = Initial::default();
                model.assemble().unwrap_or_else(|e| panic!("seed {seed}: {e}"))
            }
            Err(faults) => panic!("seed {seed}: {faults}"),
        };
        if mechanism.degrees_of_freedom() == 0 {
            continue;
        }
        cases += 1;
        let all = all_frames(&mechanism);
        for (formulation, frames) in &all[1..] {
            let off = apart(&mechanism, &all[0].1, frames);
            let entry = worst.iter_mut().find(|w| w.0 == *formulation).unwrap();
            entry.2 += 1;
            for (w, o) in entry.1.iter_mut().zip(off) {
                *w = w.max(o);
            }
            // one solve each at the start: rounding, times what long chains and stiff angles make of it; then a few
            // steps with local errors of 1e-12
            assert!(
                off[0] < 1e-10 && off[1] < 1e-9 && off[2] < 1e-8,
                "seed {seed} ({n} bodies, planar {planar}, {loops} rods), {formulation:?}: accelerations {:.1e}, \
                 reactions {:.1e}, positions {:.1e}\n{model:#?}",
                off[0],
                off[1],
                off[2]
            );
        }
    }
    assert!(cases > 40, "{cases}");
    for (formulation, [a, r, p], count) in worst {
        println!(
            "{:13} {count:3} random mechanisms: accelerations {a:.1e}, reactions {r:.1e}, positions {p:.1e}",
            formulation.name()
        );
    }
}

/// Random open chains of rods in the plane, pinned or flying, with a spring and a couple: here `kane` takes part too.
#[test]
fn cross_random_chains() {
    let mut worst = [0.0_f64; 3];
    for seed in 1..=20 {
        let mut random = Random(0x2545_F491_4F6C_DD1D ^ (seed * 7919));
        let n = 2 + random.below(9);
        let mut model = Model::planar("chain").gravity([0.4, -9.0]).point("P0", [0.0, 0.0]);
        if seed % 3 != 0 {
            model = model.ground(["P0"]);
        }
        let mut at = [0.0; 3];
        for i in 1..=n {
            let step = linkwork::linalg::vec3::add(at, scale(0.4, random.vector(true)));
            at = linkwork::linalg::vec3::add(step, [0.3, 0.0, 0.0]);
            let (from, to) = (format!("P{}", i - 1), format!("P{i}"));
            model = model.point(&to, at).body(Body::rod(
                format!("r{i}"),
                [&from, &to],
                0.2 + random.number().abs(),
            ));
            model = model.angular_velocity(format!("r{i}"), [0.0, 0.0, random.number()]);
        }
        model = model
            .spring(Spring::new("s", ["P0", &format!("P{n}")], 25.0).damping(0.4))
            .couple(Couple::new("c", "r1", [0.0, 0.0, 0.7]))
            .settings(Settings { duration: 0.1, output_step: 0.05, tolerance: 1e-12, ..Default::default() });
        let all = all_frames(&model.assemble().unwrap_or_else(|e| panic!("seed {seed}: {e}")));
        assert_eq!(all.len(), Formulation::ALL.len(), "seed {seed}: every formulation takes a chain");
        let mechanism = model.assemble().unwrap();
        for (formulation, frames) in &all[1..] {
            let off = apart(&mechanism, &all[0].1, frames);
            worst = std::array::from_fn(|i| worst[i].max(off[i]));
            // as for the random mechanisms: one solve each at the start, then steps at 1e-12
            assert!(
                off[0] < 1e-10 && off[1] < 1e-9 && off[2] < 1e-8,
                "seed {seed}, {formulation:?}: {off:?}\n{model:#?}"
            );
        }
    }
    println!(
        "random chains: accelerations {:.1e}, reactions {:.1e}, positions {:.1e}",
        worst[0], worst[1], worst[2]
    );
}

/// Every example in every formulation that applies, at tolerance 1e-12, over its own duration. Sensitive ones
/// and those that are slow in `lagrange` have a shorter span, stated here.
#[test]
fn cross_every_example() {
    // what is sensitive is compared over a short span: collisions multiply what small differences there are
    let spans = [
        ("chain", 0.2),
        ("bump", 0.2),
        ("vehicle", 0.5),
        ("double-pendulum", 5.0),
        // the whole flight is one of 5 km, on which formulations differ by 8e-7 m
        ("sounding-rocket", 4.0),
        // five metres of rope; tests/machines/line_throwing_rocket.rs has the whole flight
        ("line-throwing-rocket", 0.15),
        // tests/machines/ropes.rs has whole runs
        ("rope-swing", 0.2),
        ("whip", 0.05),
        ("hanging-chain", 0.2),
        ("winch", 0.3),
        // 0.2 s beyond its break
        ("breaking-chain", 0.9),
        ("spinning-body", 3.0),
        // up to its singular position
        ("linkage", 0.6),
        ("stiff-pendulum", 0.05),
        ("dominoes", 0.2),
        ("heap-of-spheres", 0.3),
        // up to where `auto` takes time steps: `contacts::contact_steps` compares formulations in these
        ("conveyor", 0.1),
        ("gripper", 0.45),
        ("marble-run", 0.5),
    ];
    // time steps over many contacts from the start, hundreds of unknowns
    let crowds = ["brick-wall", "hundred-dominoes", "rolling-bearing", "sand-heap"];
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        if crowds.contains(&name.as_str()) || crate::suite::BEAMS.contains(&name.as_str()) {
            continue;
        }
        let mut model = Model::from_file(&file).unwrap();
        model.settings.tolerance = 1e-12;
        if let Some((_, span)) = spans.iter().find(|s| s.0 == name) {
            model.settings.duration = *span;
        }
        // `lagrange` takes the cube of their number
        for chain in &mut model.chains {
            chain.segments = chain.segments.map(|n| n.min(4));
        }
        let mechanism = model.assemble().unwrap();
        let comparison = mechanism.compare().unwrap();
        for Witness { name: element, error } in &comparison.shared {
            println!(
                "{name:20} virtual work of `{element}`: {}",
                error.map_or("idle".into(), |e| format!("{e:.1e}"))
            );
        }
        // differences of potentials: 1e-10 of their size, of which a small force may be a part
        let worst = comparison.shared.iter().filter_map(|w| w.error).fold(0.0, f64::max);
        assert!(worst < Witness::BOUND, "{name}: virtual work off by {worst:.1e}");
        for (formulation, outcome) in &comparison.entries {
            match outcome {
                Outcome::Ran { summary, difference: d, compared_until, agrees, .. } => {
                    println!(
                        "{name:20} {:13} start: accelerations {:.1e}, reactions {:.1e}; {compared_until} s: positions {:.1e}, \
                         velocities {:.1e}, reactions {:.1e}",
                        formulation.name(),
                        d.start_accelerations,
                        d.start_reactions,
                        d.positions,
                        d.velocities,
                        d.reactions
                    );
                    assert!(*agrees && summary.status == Status::Finished, "{name}: {formulation:?}");
                    // a model may end its run itself
                    let end = summary.stopped_by().map_or(model.settings.duration, |(_, t)| t);
                    assert_eq!(*compared_until, end, "{name}: {formulation:?}");
                    assert!(
                        d.start_accelerations < 1e-10 && d.start_reactions < 1e-10,
                        "{name}: {formulation:?}"
                    );
                    assert!(d.positions < 1e-7 && d.reactions < 1e-6, "{name}: {formulation:?}");
                }
                Outcome::Refused(faults) => {
                    println!("{name:20} {:13} {}", formulation.name(), faults[0].message);
                    assert_eq!(*formulation, Formulation::Kane, "the others take every model");
                }
            }
        }
    }
}

/// Values by name, in the order of the names.
type Named<T> = Vec<(String, T)>;

/// The end of a run in one formulation: positions by name, and sizes of the joints' forces by name.
fn end_of(model: &Model, formulation: Formulation) -> (Named<Vec3>, Named<f64>) {
    let mut model = model.clone();
    model.settings.formulation = formulation;
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished);
    let last = run.frames.last().unwrap();
    let mut places: Named<Vec3> =
        mechanism.points().iter().zip(&last.positions).map(|(p, r)| (p.name.clone(), *r)).collect();
    let mut forces: Named<f64> = mechanism
        .joints()
        .iter()
        .zip(&last.reactions)
        .map(|(j, r)| (j.name.clone(), norm(r.force)))
        .collect();
    places.sort_by(|a, b| a.0.cmp(&b.0));
    forces.sort_by(|a, b| a.0.cmp(&b.0));
    (places, forces)
}

/// A plate on a ball with a flap on a hinge, a spring with a damper across and a couple; lengths in units of
/// `unit` metres, seen in axes turned by `map`.
fn flap(unit: f64, map: &dyn Fn(Vec3) -> Vec3) -> Model {
    let at = |p: Vec3| map(scale(unit, p));
    let places =
        [("O", [0.0, 0.0, 0.0]), ("P", [0.5, 0.1, 0.0]), ("H", [0.5, 0.4, 0.1]), ("Q", [1.1, 0.2, 0.3])];
    let mut model = Model::spatial("flap").gravity(at([0.0, 0.0, -9.81]));
    for (name, place) in places {
        model = model.point(name, at(place));
    }
    model
        .ground(["O"])
        .body(Body::plate("plate", ["O", "P", "H"], 1.0))
        .body(Body::plate("leaf", ["P", "H", "Q"], 0.6))
        .couple(Couple::new("c", "leaf", scale(unit, at([0.1, 0.2, -0.3]))))
        .spring(Spring::new("s", ["O", "Q"], 20.0).damping(0.5))
        .angular_velocity("plate", map([1.0, -2.0, 0.5]))
        .settings(Settings { duration: 0.5, output_step: 0.25, tolerance: 1e-12, ..Default::default() })
}

/// Axes turned, lengths in millimetres, points and bodies listed backwards: the same motion in each formulation.
#[test]
fn same_motion_turned_scaled_and_renumbered() {
    let turn = |p: Vec3| {
        let [x, y, z] = [p[2], p[0], p[1]];
        [0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y, z]
    };
    let base = flap(1.0, &|p| p);
    for formulation in suite::applicable(&base) {
        let (places, forces) = end_of(&base, formulation);
        let close = |other: &Model, place: &dyn Fn(Vec3) -> Vec3, size: f64, what: &str| {
            let (theirs, their_forces) = end_of(other, formulation);
            for ((name, p), (other_name, q)) in places.iter().zip(&theirs) {
                let off = norm(sub(place(*p), *q)) / size;
                assert!(name == other_name && off < 1e-10, "{formulation:?} {what}: {name} off by {off:.1e}");
            }
            for ((name, f), (other_name, g)) in forces.iter().zip(&their_forces) {
                let off = (f * size - g).abs() / (f * size);
                assert!(name == other_name && off < 1e-8, "{formulation:?} {what}: {name} off by {off:.1e}");
            }
        };
        close(&flap(1.0, &turn), &turn, 1.0, "turned");
        close(&flap(1000.0, &|p| p), &|p| scale(1000.0, p), 1000.0, "in millimetres");
        let mut backwards = base.clone();
        backwards.points.reverse();
        backwards.bodies.reverse();
        for body in &mut backwards.bodies {
            body.points.reverse();
        }
        // the hinge is called after the point that is listed first
        backwards = backwards.joint(Joint::new("P", Revolute { axis: None }, ["leaf", "plate"], "P"));
        close(&backwards, &|p| p, 1.0, "backwards");
    }
}

/// A body cut in two and welded together again moves as the whole.
#[test]
fn same_motion_of_a_body_in_two_parts() {
    for planar in [true, false] {
        let place = |x: f64| [x, 0.0, 0.0];
        let bar = |name: &str, points: &[&str], from: f64, to: f64| {
            let pose = Orientation {
                center: Some(Place::At(place((from + to) / 2.0))),
                axis: Some(place(1.0)),
                side: None,
            };
            let shape = Shape::Box { size: [to - from, 0.1, 0.06], pose };
            Body::new(name, points.iter().copied(), Mass::Shape(shape, Amount::Mass(2.0 * (to - from))))
        };
        let frame = || {
            let mut model = if planar { Model::planar("bar") } else { Model::spatial("bar") };
            model.gravity = if planar { [0.0, -9.81, 0.0] } else { [0.0, 1.0, -9.81] };
            model.point("A", place(0.0)).point("C", place(1.0)).ground(["A"]).settings(Settings {
                duration: 0.5,
                output_step: 0.25,
                tolerance: 1e-12,
                ..Default::default()
            })
        };
        let whole = frame().body(bar("bar", &["A", "C"], 0.0, 1.0));
        let parts = frame()
            .point("B", place(0.4))
            .body(bar("near", &["A", "B"], 0.0, 0.4))
            .body(bar("far", &["B", "C"], 0.4, 1.0))
            .joint(Joint::new("weld", Fixed, ["near", "far"], "B"));
        for formulation in suite::applicable(&whole) {
            let mechanism = parts.assemble().unwrap();
            if !formulation.unsupported(&mechanism).is_empty() {
                assert_eq!(formulation, Formulation::Kane);
                continue;
            }
            let ((a, fa), (b, fb)) = (end_of(&whole, formulation), end_of(&parts, formulation));
            let off = norm(sub(a[1].1, b[2].1));
            assert!(off < 1e-10, "planar {planar}, {formulation:?}: C off by {off:.1e}");
            assert!(
                (fa[0].1 - fb[0].1).abs() < 1e-8 * fa[0].1,
                "planar {planar}, {formulation:?}: {fa:?} {fb:?}"
            );
        }
    }
}

/// The matrices of [attia2003] section 7 for the 3-RRR manipulator: 9 primary particles, 7 joint variables with
/// columns k × r_(i, joint), cut joints at 7 and 9, C of 4 x 7, an 11 x 11 system.
#[test]
fn paper_matrices_of_the_manipulator() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/manipulator-3rrr.toml");
    let mut model = Model::from_file(file).unwrap();
    for (name, bodies, at) in [("J7", ["link5", "ground"], "7"), ("J9", ["link7", "ground"], "9")] {
        model = model.joint(Joint::new(name, Revolute { axis: None }, bodies, at).cut());
    }
    let mechanism = model.assemble().unwrap();
    let particles: std::collections::BTreeSet<usize> =
        mechanism.bodies().iter().flat_map(|b| b.nodes.iter().copied()).collect();
    assert_eq!(particles.len(), 9, "primary particles");
    let mut joints = linkwork::formulations::Joints::new(&mechanism).unwrap();
    let names: Vec<String> =
        joints.variables().branches.iter().map(|b| mechanism.bodies()[b.body].name.clone()).collect();
    assert_eq!(joints.variables().u_count, 7);
    let cut: Vec<&str> =
        joints.variables().tree.cut.iter().map(|&j| mechanism.joints()[j].name.as_str()).collect();
    assert_eq!(cut, ["J7", "J9"]);
    let (q, _) = joints.variables().start(&mechanism);
    let point = |name: &str| {
        let p = mechanism.points().iter().find(|p| p.name == name).unwrap();
        (p.node, mechanism.model().points.iter().find(|p| p.name == name).unwrap().position)
    };
    // body, its joint's particle, and the particles that it carries in the paper's figure 3
    let carried = [
        ("link1", "1", vec!["2", "3", "4", "5", "6", "8", "7", "9"]),
        ("link2", "2", vec!["3", "4", "5", "6", "8", "7", "9"]),
        ("platform", "3", vec!["4", "5", "6", "8", "7", "9"]),
        ("link4", "4", vec!["6", "7"]),
        ("link5", "6", vec!["7"]),
        ("link6", "5", vec!["8", "9"]),
        ("link7", "8", vec!["9"]),
    ];
    let c = joints.cut_matrix(&q);
    assert_eq!((c.len(), c[0].len()), (4, 7));
    for (body, at, moved) in carried {
        let column = names.iter().position(|n| n == body).unwrap();
        for particle in ["2", "3", "4", "5", "6", "8", "7", "9"] {
            let r = sub(point(particle).1, point(at).1);
            let expected = if moved.contains(&particle) { cross([0.0, 0.0, 1.0], r) } else { [0.0; 3] };
            // 7 and 9 belong to the ground: their columns are the rows of C
            let ours = match particle {
                "7" => [c[0][column], c[1][column], 0.0],
                "9" => [c[2][column], c[3][column], 0.0],
                _ => joints.velocity_matrix(&q, point(particle).0)[column],
            };
            let sign = if matches!(particle, "7" | "9") { -1.0 } else { 1.0 };
            assert!(
                norm(sub(scale(sign, ours), expected)) < 1e-12,
                "{body} {particle}: {ours:?} {expected:?}"
            );
        }
    }
}
