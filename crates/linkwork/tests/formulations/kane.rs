//! `kane`: open planar chains against the other formulations, and what it refuses.

use crate::suite;
use linkwork::joints::Fixed;

use linkwork::linalg::vec3::{Vec3, add, axpy, cross, norm, scale, sub};
use linkwork::model::*;
use linkwork::simulation::{Status, Trajectory};
use std::path::PathBuf;

const G: f64 = 9.81;

fn settings(duration: f64) -> Settings {
    Settings { duration, output_step: 0.05, tolerance: 1e-12, ..Default::default() }
}

fn run(model: &Model, formulation: Formulation) -> Trajectory {
    let mut model = model.clone();
    model.settings.formulation = formulation;
    let run = model.assemble().unwrap_or_else(|e| panic!("{e}")).simulate().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary);
    run
}

/// Positions, velocities, joint coordinates, reactions and energies against `points`.
fn meets_points(what: &str, model: &Model, bound: f64) {
    assert!(suite::applicable(model).contains(&Formulation::Kane), "{what}");
    let (points, kane) = (run(model, Formulation::Points), run(model, Formulation::Kane));
    let (mut start, mut place, mut joint, mut force, mut energy): (f64, f64, f64, f64, f64) =
        (0.0, 0.0, 0.0, 0.0, 0.0);
    let reactions = || points.frames.iter().flat_map(|f| &f.reactions);
    let largest = reactions().fold(1e-30, |m: f64, r| m.max(norm(r.force)));
    for (i, (a, b)) in points.frames.iter().zip(&kane.frames).enumerate() {
        for (p, q) in a.positions.iter().zip(&b.positions).chain(a.velocities.iter().zip(&b.velocities)) {
            place = place.max(norm(sub(*p, *q)));
        }
        for (p, q) in a.joints.iter().zip(&b.joints) {
            let (p, q) = (p[0], q[0]);
            joint = joint.max((p.q - q.q).abs()).max((p.v - q.v).abs());
        }
        for (p, q) in a.reactions.iter().zip(&b.reactions) {
            force = force.max(norm(sub(p.force, q.force)) / largest).max(norm(sub(p.moment, q.moment)));
        }
        energy = energy.max((a.energy() - b.energy()).abs()).max((a.work - b.work).abs());
        if i == 0 {
            start = force;
        }
    }
    println!(
        "{what}: start {start:.1e} (reactions); {place:.1e} m, m/s, joints {joint:.1e}, reactions {force:.1e}, energy {energy:.1e} J; \
         drift {:.1e} J, {} / {} steps",
        kane.summary.energy_drift, points.summary.steps.accepted_steps, kane.summary.steps.accepted_steps
    );
    assert!(start < 1e-10, "{what}");
    assert!(place < bound && joint < 10.0 * bound && force < 10.0 * bound && energy < bound, "{what}");
}

/// Rods of different mass and length, one of them with an offset centre of mass; forces, couples, springs.
fn chain() -> Model {
    Model::planar("chain")
        .gravity([0.0, -G])
        .point("A", [0.1, 0.2])
        .point("B", [0.5, 0.4])
        .point("C", [0.9, 0.1])
        .point("M", [0.7, 0.25])
        .point("D", [1.5, 0.3])
        .point("W", [0.2, 0.9])
        .body(Body::rod("one", ["A", "B"], 1.0))
        .body(Body::with_inertia("two", ["B", "M", "C"], 0.7, [0.6, 0.325], Inertia::Polar(0.02)))
        .body(Body::rod("three", ["C", "D"], 0.4))
        .spring(Spring::new("s", ["W", "M"], 15.0).damping(0.3).free_length(0.2))
        .spring(Spring::new("t", ["A", "D"], 5.0))
        .force(Force::new("f", "two", "M", [0.4, 0.3]))
        .couple(Couple::new("c", "three", [0.0, 0.0, 0.2]))
        .settings(settings(1.0))
}

#[test]
fn cross_pinned_chain() {
    meets_points("pinned chain", &chain().ground(["A", "W"]), 1e-9);
    // listed from the far end: the chain is found all the same
    let mut turned = chain().ground(["W", "A"]);
    turned.bodies.reverse();
    meets_points("pinned chain, listed backwards", &turned, 1e-9);
    let held_at_the_other_end = chain().ground(["D", "W"]);
    meets_points("pinned at the other end", &held_at_the_other_end, 1e-9);
}

/// Node 0 is free: two coordinates more.
#[test]
fn cross_free_flying_chain() {
    let model = chain()
        .ground(["W"])
        .angular_velocity("one", [0.0, 0.0, 3.0])
        .angular_velocity("three", [0.0, 0.0, -4.0])
        .velocity("A", [1.0, 2.0]);
    meets_points("free chain with loads", &model, 1e-9);
    // without loads: momentum and angular momentum stay
    let mut free = model.clone();
    (free.springs, free.forces, free.couples) = (vec![], vec![], vec![]);
    free.gravity = [0.0; 3];
    meets_points("free chain", &free, 1e-9);
    let mechanism = free.assemble().unwrap();
    let run = run(&free, Formulation::Kane);
    let momenta = |k: usize| {
        let frame = &run.frames[k];
        let (mut p, mut l) = ([0.0; 3], [0.0; 3]);
        for body in mechanism.bodies() {
            let at = |node: usize| mechanism.points().iter().position(|point| point.node == node).unwrap();
            for (i, &x) in body.nodes.iter().enumerate() {
                for (j, &y) in body.nodes.iter().enumerate() {
                    let v = scale(body.particles.gram[i][j], frame.velocities[at(y)]);
                    p = add(p, v);
                    l = add(l, cross(frame.positions[at(x)], v));
                }
            }
        }
        (p, l)
    };
    let (p0, l0): (Vec3, Vec3) = momenta(0);
    let (mut p_off, mut l_off): (f64, f64) = (0.0, 0.0);
    for k in 0..run.frames.len() {
        let (p, l) = momenta(k);
        p_off = p_off.max(norm(sub(p, p0)) / norm(p0));
        l_off = l_off.max(norm(sub(l, l0)) / norm(l0));
    }
    println!("free chain: momentum {p_off:.1e}, angular momentum {l_off:.1e} relative");
    assert!(p_off < 1e-11 && l_off < 1e-10);
    // a single rod thrown
    let rod = Model::planar("rod")
        .gravity([0.0, -G])
        .point("A", [0.0, 0.0])
        .point("B", [1.0, 0.5])
        .body(Body::rod("rod", ["A", "B"], 1.0))
        .velocity("A", [1.0, 2.0])
        .angular_velocity("rod", [0.0, 0.0, 5.0])
        .settings(settings(1.0));
    let thrown = self::run(&rod, Formulation::Kane);
    let middle = |k: usize| scale(0.5, add(thrown.frames[k].positions[0], thrown.frames[k].positions[1]));
    let speed = scale(0.5, add(thrown.frames[0].velocities[0], thrown.frames[0].velocities[1]));
    let exact = axpy(axpy(middle(0), 1.0, speed), 0.5, [0.0, -G, 0.0]);
    assert!(norm(sub(middle(20), exact)) < 1e-12, "a parabola");
    meets_points("a thrown rod", &rod, 1e-9);
}

/// Masses of one point at nodes, within a rod and at the free ends, as the paper's line-throwing rocket has them.
#[test]
fn cross_point_masses_on_the_chain() {
    let bob = |name: &str, at: &str, m: f64| Body::with_inertia(name, [at], m, at, Inertia::Polar(0.0));
    let model = chain()
        .body(bob("rocket", "A", 2.0))
        .body(bob("knot", "B", 0.2))
        .body(bob("bead", "M", 0.3))
        .body(bob("hook", "D", 0.4))
        .force(Force::new("thrust", "rocket", "A", [3.0, 25.0]));
    meets_points("free chain with point masses", &model.clone().ground(["W"]), 1e-9);
    meets_points("pinned chain with point masses", &model.clone().ground(["A", "W"]), 1e-9);
    let mut first = model.clone().ground(["A", "W"]);
    first.bodies.reverse();
    meets_points("the same, masses listed first", &first, 1e-9);
}

/// Massless rods between masses, and an end body whose mass lies off its named points.
#[test]
fn cross_odd_ends() {
    let model = Model::planar("odd ends")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("P", [0.4, 0.3])
        .point("Q", [0.9, 0.2])
        .point("R", [1.2, 0.6])
        .ground(["O"])
        .body(Body::with_inertia("rod1", ["O", "P"], 1.0, "P", Inertia::Polar(0.0)))
        .body(Body::rod("link", ["P", "Q"], 0.0))
        .body(Body::with_inertia("plate", ["Q", "R"], 0.8, [1.1, 0.1], Inertia::Polar(0.05)))
        .settings(settings(1.0));
    meets_points("massless link and a plate at the end", &model, 1e-9);
    let wheel = Model::planar("wheel on an arm")
        .gravity([0.0, -G])
        .point("O", [0.0, 0.0])
        .point("P", [0.4, 0.3])
        .ground(["O"])
        .body(Body::rod("arm", ["O", "P"], 1.0))
        .body(Body::with_inertia("wheel", ["P"], 0.8, "P", Inertia::Polar(0.05)))
        .couple(Couple::new("motor", "wheel", [0.0, 0.0, 0.7]))
        .settings(settings(1.0));
    meets_points("wheel on an arm", &wheel, 1e-9);
}

/// The chain of twenty rods of the examples: chaotic in the end, so over the first half second only.
#[test]
fn cross_chain_of_the_examples() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/chain.toml");
    let mut model = Model::from_file(file).unwrap_or_else(|e| panic!("{e}"));
    model.settings = Settings { output_step: 0.02, ..settings(0.5) };
    meets_points("chain of twenty rods, 0.5 s", &model, 1e-8);
    model.settings = Settings { duration: 3.0, tolerance: 1e-11, ..settings(3.0) };
    let run = run(&model, Formulation::Kane);
    println!("3 s: drift {:.1e}, {} steps", run.summary.energy_drift, run.summary.steps.accepted_steps);
    assert!(run.summary.relative_energy_drift() < 1e-8);
}

/// Everything that is no open planar chain of rods, refused by name before it runs.
#[test]
fn exact_refusals_name_the_item() {
    let refused = |model: &Model| {
        let mut model = model.clone();
        model.settings.formulation = Formulation::Kane;
        let faults = model.assemble().unwrap().simulate().unwrap_err();
        faults.list.iter().map(|f| format!("{}: {}", f.path, f.message)).collect::<Vec<_>>().join("\n")
    };
    let has = |text: &str, parts: [&str; 2]| {
        println!("{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    let spatial = Model::spatial("s")
        .point("A", [0.0; 3])
        .point("B", [1.0, 0.0, 0.0])
        .ground(["A"])
        .body(Body::rod("rod", ["A", "B"], 1.0));
    has(&refused(&spatial), ["simulation.formulation", "spatial"]);
    let base = Model::planar("p")
        .point("A", [0.0, 0.0])
        .point("B", [1.0, 0.0])
        .point("C", [2.0, 1.0])
        .body(Body::rod("one", ["A", "B"], 1.0))
        .body(Body::rod("two", ["B", "C"], 1.0));
    let grounded = base.clone().ground(["A"]);
    let with_d = |model: &Model| model.clone().point("D", [2.0, -1.0]);
    has(&refused(&base.clone().ground(["A", "C"])), ["joints.", "closes a loop"]);
    has(
        &refused(&with_d(&grounded).body(Body::rod("three", ["B", "D"], 1.0))),
        ["joints.", "3 bodies meet at B"],
    );
    let weld = Joint::new("W", Fixed, ["one", "two"], "B");
    has(&refused(&grounded.clone().joint(weld)), ["joints.W", "revolute joints only"]);
    let far = with_d(&base).point("E", [3.0, -1.0]).body(Body::rod("far", ["D", "E"], 1.0));
    has(&refused(&far), ["bodies.far", "not part"]);
    let plate = Body::with_inertia("plate", ["C", "D"], 1.0, [2.5, 0.0], Inertia::Polar(0.1));
    let on_plate =
        with_d(&grounded).point("E", [3.0, -1.0]).body(plate).body(Body::rod("end", ["D", "E"], 1.0));
    has(&refused(&on_plate), ["bodies.plate", "off the line through its joints"]);
    let hub = Body::rod("three", ["A", "D"], 1.0);
    has(&refused(&with_d(&grounded).body(hub)), ["joints.", "3 bodies meet at A"]);
}
