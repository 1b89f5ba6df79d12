//! Every formulation on the same mechanisms: the same accelerations, reactions and motion.
//!
//! A new formulation takes part by being in `Formulation::ALL`. One that objects to a model is told so and
//! printed; `points` and `joints` must never object.

use linkwork::linalg::vec3::{Vec3, cross, norm, scale, sub, unit};
use linkwork::mechanism::Mechanism;
use linkwork::model::*;
use linkwork::results::Frame;
use linkwork::simulation::{Outcome, Status};
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
        let mut mechanism = mechanism.clone();
        mechanism.model.settings.formulation = formulation;
        if !formulation.objections(&mechanism).is_empty() {
            assert!(!matches!(formulation, Formulation::Points | Formulation::Joints));
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
    for ((p, q), open) in f.reactions.iter().zip(&g.reactions).zip(&mechanism.redundancy.not_unique) {
        for c in 0..3 {
            if !open[c] {
                reaction = reaction.max((p.force[c] - q.force[c]).abs() / scale_of);
            }
            if !open[c + 3] {
                reaction = reaction.max((p.moment[c] - q.moment[c]).abs() / (scale_of * mechanism.size));
            }
        }
    }
    let position = largest(&mut a.iter().zip(b).flat_map(|(f, g)| {
        f.positions.iter().zip(&g.positions).map(|(p, q)| norm(sub(*p, *q))).collect::<Vec<_>>()
    })) / mechanism.size;
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
            ]
        };
        let kind = kinds[random.below(kinds.len())];
        if i > 0 || !floating {
            let first = parent.map_or("ground".into(), |p: usize| format!("b{p}"));
            let mut entry = Joint::new(format!("K{i}"), kind, [&first, &format!("b{i}")], &j);
            let pin = planar && kind == JointKind::Revolute;
            if !pin && !matches!(kind, JointKind::Spherical | JointKind::Fixed) {
                entry = entry.axis(Axis::Vector(unit(random.vector(planar))));
            }
            model = model.joint(entry);
        }
        held.push(vec![j, e]);
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

/// Every example in every formulation that applies, at tolerance 1e-12, over its own duration or as long as the
/// motion is not too sensitive.
#[test]
fn cross_every_example() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    for file in files {
        let mut model = Model::from_file(&file).unwrap();
        model.settings.tolerance = 1e-12;
        // `lagrange` takes its time with many bodies
        let most = if model.bodies.len() > 10 { 0.2 } else { 3.0 };
        model.settings.duration = model.settings.duration.min(most);
        let mechanism = model.assemble().unwrap();
        let comparison = mechanism.compare().unwrap();
        for (formulation, outcome) in &comparison.entries {
            match outcome {
                Outcome::Ran { summary, difference, compared_until, agrees, .. } => {
                    println!(
                        "{:20} {:13} positions {:.1e}, velocities {:.1e}, reactions {:.1e} (start {:.1e}) over {compared_until} s",
                        file.file_stem().unwrap().to_string_lossy(),
                        formulation.name(),
                        difference.positions,
                        difference.velocities,
                        difference.reactions,
                        difference.start_reactions
                    );
                    assert!(
                        *agrees && summary.status == Status::Finished,
                        "{}: {formulation:?}",
                        file.display()
                    );
                    assert!(difference.positions < 1e-6 && difference.reactions < 1e-5);
                    assert!(difference.start_reactions < 1e-10);
                }
                Outcome::Refused(faults) => {
                    println!(
                        "{:20} {:13} {}",
                        file.file_stem().unwrap().to_string_lossy(),
                        formulation.name(),
                        faults[0].message
                    );
                    assert!(!matches!(formulation, Formulation::Points | Formulation::Joints));
                }
            }
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
        model = model.joint(Joint::new(name, JointKind::Revolute, bodies, at).cut());
    }
    let mechanism = model.assemble().unwrap();
    let particles: std::collections::BTreeSet<usize> =
        mechanism.bodies.iter().flat_map(|b| b.nodes.iter().copied()).collect();
    assert_eq!(particles.len(), 9, "primary particles");
    let mut joints = linkwork::formulations::Joints::new(&mechanism).unwrap();
    let names: Vec<String> =
        joints.variables().branches.iter().map(|b| mechanism.bodies[b.body].name.clone()).collect();
    assert_eq!(joints.variables().u_count, 7);
    let cut: Vec<&str> =
        joints.variables().tree.cut.iter().map(|&j| mechanism.joints[j].name.as_str()).collect();
    assert_eq!(cut, ["J7", "J9"]);
    let (q, _) = joints.variables().start(&mechanism);
    let point = |name: &str| {
        let p = mechanism.points.iter().find(|p| p.name == name).unwrap();
        (p.node, mechanism.model.points.iter().find(|p| p.name == name).unwrap().position)
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
