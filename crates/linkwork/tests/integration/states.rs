//! States as data, and questions about one instant, in all formulations.

use crate::suite;
use crate::suite::trees::{Random, largest};
use linkwork::Error;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Formulation, Model};
use linkwork::results::Frame;
use linkwork::simulation::{ContactMode, FrictionMode, LimitMode, Modes, State};
use std::f64::consts::TAU;

/// The largest difference.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()))
}

fn example(name: &str) -> Model {
    let path = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Model::from_file(&path).unwrap_or_else(|e| panic!("{e}"))
}

fn examples() -> Vec<(String, Model)> {
    let folder = format!("{}/../../examples", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".toml")?.to_owned()))
        .collect();
    names.sort();
    assert!(names.len() > 30);
    names.into_iter().map(|name| (name.clone(), example(&name))).collect()
}

/// A state near the initial one that meets the constraints, if there is one.
fn somewhere(mechanism: &Mechanism, initial: &State, random: &mut Random) -> Option<State> {
    let mut state = initial.clone();
    state.coordinates.iter_mut().for_each(|q| *q += 0.05 * random.next());
    state.rates.iter_mut().for_each(|u| *u += random.next());
    Some(mechanism.projected(&state).ok()?.0)
}

/// How far two samples are apart: positions against the size, velocities against the fastest, energies against the largest.
fn difference(mechanism: &Mechanism, a: &Frame, b: &Frame) -> f64 {
    let off = |a: &[[f64; 3]], b: &[[f64; 3]]| apart(a.as_flattened(), b.as_flattened());
    let fastest = largest(a.velocities.as_flattened()).max(1.0);
    let energy = a.kinetic.abs().max(a.potential.abs()).max(1.0);
    (off(&a.positions, &b.positions) / mechanism.size())
        .max(off(&a.velocities, &b.velocities) / fastest)
        .max((a.kinetic - b.kinetic).abs() / energy)
        .max((a.potential - b.potential).abs() / energy)
}

/// A state of one formulation is the same motion in all others, and comes back as it was.
#[test]
fn cross_states_in_all_formulations() {
    let (mut worst, mut conversions) = (0.0_f64, 0);
    for name in [
        "four-bar",
        "double-pendulum",
        "slider-crank",
        "four-bar-in-space",
        "spinning-body",
        "excavator",
        "governor",
    ] {
        let mut model = example(name);
        model.settings.duration = model.settings.duration.min(0.4);
        for from in suite::applicable(&model) {
            model.settings.formulation = from;
            let mechanism = model.assemble().unwrap();
            let mut simulation = mechanism.simulation().unwrap();
            simulation.advance_to(0.3 * model.settings.duration).unwrap();
            let state = simulation.state();
            assert_eq!(state.formulation, from);
            let sample = simulation.sample().unwrap().clone();
            for to in suite::applicable(&model) {
                let there = mechanism.converted(&state, to).unwrap();
                assert_eq!(there.formulation, to);
                let mut other = model.clone();
                other.settings.formulation = to;
                let other = other.assemble().unwrap();
                let mut simulation = other.simulation().unwrap();
                let moved = simulation.set_state(&there).unwrap();
                assert!(moved.coordinates < 1e-9 && moved.rates < 1e-7, "{name} {from} {to}: {moved:?}");
                assert_eq!(simulation.t(), state.t);
                let off = difference(&mechanism, &sample, simulation.sample().unwrap());
                assert!(off < 1e-9, "{name}: {from} to {to} is off by {off:.1e}");
                worst = worst.max(off);
                let joints = |frame: &Frame| frame.joints.iter().flatten().map(|c| c.q).collect::<Vec<_>>();
                let turned = apart(&joints(&sample), &joints(simulation.sample().unwrap()));
                assert!(turned < 1e-8, "{name}: {from} to {to}: joints off by {turned:.1e}");
                let back = mechanism.converted(&there, from).unwrap();
                // angles come back within half a turn
                for (back, was) in back.coordinates.iter().zip(&state.coordinates) {
                    let off = (back - was) - TAU * ((back - was) / TAU).round();
                    assert!(off.abs() < 1e-9, "{name} {from} {to}: {back} instead of {was}");
                }
                conversions += 1;
            }
        }
    }
    println!("{conversions} conversions, the worst off by {worst:.1e}");
}

/// A simulation that is put back to a state goes on as before.
#[test]
fn same_motion_from_a_state() {
    let mut worst = 0.0_f64;
    for name in ["four-bar", "governor", "vehicle", "latch", "bouncing-ball", "box-stack", "tower-crane"] {
        let mut model = example(name);
        model.settings.duration = model.settings.duration.min(1.0);
        let duration = model.settings.duration;
        let mechanism = model.assemble().unwrap();
        let mut simulation = mechanism.simulation().unwrap();
        simulation.advance_to(0.5 * duration).unwrap();
        let state = simulation.state();
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state, "{name}: as JSON");
        simulation.advance_to(0.8 * duration).unwrap();
        let first = simulation.sample().unwrap().clone();
        let moved = simulation.set_state(&state).unwrap();
        assert_eq!(simulation.t(), state.t);
        simulation.advance_to(0.8 * duration).unwrap();
        let second = simulation.sample().unwrap().clone();
        let off = difference(&mechanism, &first, &second);
        println!("{name}: {off:.1e}, moved by {:.1e} and {:.1e}", moved.coordinates, moved.rates);
        // what two runs with other steps are apart
        assert!(off < 1e-6, "{name}: {off:.1e}");
        worst = worst.max(off);
    }
    println!("worst: {worst:.1e}");
}

/// Accelerations and inverse dynamics are each other's inverse; the mass matrix gives the energy that points have; Jacobians give the velocities that points have.
#[test]
fn cross_dynamics_of_random_states() {
    let (mut worst, mut states, mut mechanisms) = ([0.0_f64; 4], 0, 0);
    let mut skipped = Vec::new();
    for (name, model) in examples() {
        let mechanism = model.assemble().unwrap();
        let Ok(initial) = mechanism.initial_state(Formulation::Recursive) else {
            skipped.push(name);
            continue;
        };
        if !mechanism.masses().is_empty() || initial.rates.len() > 60 {
            skipped.push(name);
            continue;
        }
        let mut random = Random(7);
        let mut here = mechanism.at(&initial).unwrap();
        let n = initial.rates.len();
        let mut found = 0;
        for _ in 0..130 {
            if found == 100 {
                break;
            }
            let Some(state) = somewhere(&mechanism, &initial, &mut random) else { continue };
            here.go_to(&state).unwrap();
            let Ok(own) = here.accelerations() else { continue };
            found += 1;
            let mass = here.mass_matrix();
            let size = |forces: &[f64], a: &[f64]| {
                largest(forces).max(largest(&product(&mass, a))).max(f64::MIN_POSITIVE)
            };
            // what moves by itself needs nothing
            let bias = here.bias().unwrap();
            let none = here.inverse_dynamics(&own).unwrap();
            worst[0] = worst[0].max(largest(&none) / size(&bias, &own));
            assert!(
                largest(&none) <= 1e-10 * size(&bias, &own),
                "{name}: {:.1e}",
                largest(&none) / size(&bias, &own)
            );
            // forces, accelerations, forces, accelerations
            let forces: Vec<f64> = (0..n).map(|k| mass[k * n + k] * 10.0 * random.next()).collect();
            let a = here.accelerations_under(&forces).unwrap();
            let again = here.inverse_dynamics(&a).unwrap();
            let b = here.accelerations_under(&again).unwrap();
            // drivers may allow none: then against what the forces would do without them
            let off = apart(&a, &b) / largest(&a).max(10.0);
            worst[1] = worst[1].max(off);
            assert!(off < 1e-10, "{name}: accelerations {off:.1e}");
            if here.constraints().unwrap().1.is_empty() {
                let off = apart(&forces, &again) / size(&bias, &a);
                assert!(off < 1e-10, "{name}: forces {off:.1e}");
            }
            if found > 10 {
                continue;
            }
            // other coordinates know nothing of this mass matrix and these Jacobians
            let points = mechanism.converted(&state, Formulation::Points).unwrap();
            assert_eq!(points.formulation, Formulation::Points);
            let sample = mechanism.at(&points).unwrap().sample().unwrap().clone();
            let u = &state.rates;
            let kinetic = 0.5 * u.iter().zip(product(&mass, u)).map(|(u, p)| u * p).sum::<f64>();
            let spins = kinetic - sample.kinetic;
            // thin rods and particles spin idly
            let usual = 0.5 * (0..n).map(|k| mass[k * n + k]).fold(0.0, f64::max);
            if spins.abs() > 1e-9 * kinetic.max(usual) {
                assert!(spins > 0.0, "{name}: {kinetic} {}", sample.kinetic);
            } else {
                worst[2] = worst[2].max(spins.abs() / kinetic.max(usual));
            }
            let fastest = largest(sample.velocities.as_flattened()).max(mechanism.size());
            for (point, v) in mechanism.points().iter().zip(&sample.velocities) {
                let jacobian = here.jacobian(&point.name).unwrap();
                let off = apart(&product(&jacobian, u), v) / fastest;
                worst[3] = worst[3].max(off);
                assert!(off < 1e-9, "{name}: {} moves otherwise, {off:.1e}", point.name);
            }
        }
        if found > 0 {
            mechanisms += 1;
            states += found;
        } else {
            skipped.push(name);
        }
    }
    println!(
        "{states} states of {mechanisms} examples: inverse dynamics of the own motion {:.1e}, there and back {:.1e}, energy {:.1e}, Jacobians {:.1e}",
        worst[0], worst[1], worst[2], worst[3]
    );
    println!("without joint variables, with masses that vary or contacts closed: {skipped:?}");
    assert!(mechanisms > 20);
}

fn product(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    matrix.chunks(x.len()).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

/// A crank-rocker held by a torque: inverse dynamics of the loop, projected onto its one freedom, is virtual work.
#[test]
fn exact_virtual_work_of_a_loop() {
    let mechanism = example("four-bar").assemble().unwrap();
    let mut simulation = mechanism.simulation().unwrap();
    simulation.advance_to(0.3).unwrap();
    let mut state = mechanism.converted(&simulation.state(), Formulation::Recursive).unwrap();
    state.rates.fill(0.0);
    let mut here = mechanism.at(&state).unwrap();
    let still = vec![0.0; state.rates.len()];
    let holding = here.inverse_dynamics(&still).unwrap();
    // a motion that the loop allows
    let (c, _) = here.constraints().unwrap();
    assert!(!c.is_empty());
    let mut moving = state.clone();
    moving.rates.fill(1.0);
    let moving = mechanism.projected(&moving).unwrap().0;
    let speed = largest(&moving.rates);
    assert!(speed > 1e-3);
    // power of the holding forces is that against the weights
    let power: f64 = holding.iter().zip(&moving.rates).map(|(f, u)| f * u).sum();
    let mut there = mechanism.at(&moving).unwrap();
    let h = 1e-5;
    let potential = |s: f64| {
        let mut state = moving.clone();
        state.coordinates.iter_mut().zip(&moving.rates).for_each(|(q, u)| *q += s * u);
        let state = mechanism.projected(&state).unwrap().0;
        mechanism.at(&state).unwrap().sample().unwrap().potential
    };
    let rise = (potential(h) - potential(-h)) / (2.0 * h);
    println!("power {power:.9}, rise of the potential {rise:.9}");
    assert!(rise.abs() > 1.0 && (power - rise).abs() < 1e-7 * rise.abs());
    assert!(there.sample().unwrap().constraint_residual < 1e-12);
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let mechanism = example("four-bar").assemble().unwrap();
    let mut simulation = mechanism.simulation().unwrap();
    simulation.advance_to(0.1).unwrap();
    let before = simulation.sample().unwrap().positions.clone();
    let state = simulation.state();
    type Spoil = fn(&mut State);
    let cases: [(&str, Spoil); 5] = [
        ("coordinates", |s| s.coordinates.push(0.0)),
        ("rates", |s| s.rates.truncate(1)),
        ("not finite", |s| s.coordinates[0] = f64::NAN),
        ("another mechanism", |s| s.topology ^= 1),
        ("time", |s| s.t = f64::INFINITY),
    ];
    for (word, spoil) in cases {
        let mut spoilt = state.clone();
        spoil(&mut spoilt);
        let error = simulation.set_state(&spoilt).unwrap_err();
        assert!(error.to_string().contains(word) || matches!(error, Error::Time { .. }), "{word}: {error}");
        assert_eq!(simulation.sample().unwrap().positions, before, "{word}");
        assert!(mechanism.at(&spoilt).is_err() || word == "time");
    }
    type Mode = fn(&mut Modes);
    let modes: [(&str, Mode); 3] = [
        ("lock `nothing`", |m| m.locks.push("nothing".into())),
        ("joint `nothing`", |m| {
            m.limits.push(LimitMode { joint: "nothing".into(), coordinate: 1, upper: true })
        }),
        ("contact `nothing`", |m| {
            let (friction, anchor, force) = (FrictionMode::Stick, None, [0.0; 3]);
            m.contacts.push(ContactMode { contact: "nothing".into(), friction, anchor, force });
        }),
    ];
    for (word, spoil) in modes {
        let mut spoilt = state.clone();
        spoil(&mut spoilt.modes);
        let error = simulation.set_state(&spoilt).unwrap_err().to_string();
        assert!(error.contains(word), "{word}: {error}");
        assert_eq!(simulation.sample().unwrap().positions, before, "{word}");
    }
    // a loop that cannot close: the simulation stays where it was, and goes on
    let mut far = mechanism.converted(&state, Formulation::Recursive).unwrap();
    far.coordinates.iter_mut().for_each(|q| *q = 1e6 * (*q + 1.0));
    let error = simulation.set_state(&far).unwrap_err();
    assert!(matches!(error, Error::Run(_)), "{error}");
    assert_eq!(simulation.sample().unwrap().positions, before);
    simulation.advance_to(0.2).unwrap();
    let mut auto = state.clone();
    auto.formulation = Formulation::Auto;
    assert!(mechanism.at(&auto).is_err());
    let mut here = mechanism.at(&state).unwrap();
    assert!(here.inverse_dynamics(&[1.0]).is_err());
    let impossible: Vec<f64> = (0..here.rates().len()).map(|k| 1.0 + k as f64).collect();
    assert!(here.inverse_dynamics(&impossible).unwrap_err().to_string().contains("forbids"));
    assert!(here.jacobian("nowhere").is_err());
    assert!(
        serde_json::from_str::<Formulation>("\"newton\"").unwrap_err().to_string().contains("newton-euler")
    );
}

/// The rate of change of the accelerations along a motion: (∂u̇/∂q) u + (∂u̇/∂u) u̇, against a difference of fourth order in time.
#[test]
fn cross_derivatives_of_accelerations_along_motions() {
    let springs = "[springs]\ns = { between = ['A', 'C'], stiffness = 30, damping = 0.4 }\n";
    let head = "format = 1\n[model]\ngravity = '-y'\n[points]\nO = [0, 0]\nA = [1, 0]\nB = [1.4, 0.9]\nC = [2.5, 0]\n[bodies]\n";
    let end = "[simulation]\nduration = 1\ntolerance = 1e-12\noutput_step = 0.1\nformulation = 'recursive'\n";
    let arm = format!(
        "{head}ground = {{ points = ['O'] }}\nu = {{ points = ['O', 'A'], mass = 2 }}\nl = {{ points = ['A', 'B'], mass = 1 }}\nt = {{ points = ['B', 'C'], mass = 1 }}\n"
    );
    let loops = format!(
        "{head}ground = {{ points = ['O', 'C'] }}\nu = {{ points = ['O', 'A'], mass = 2 }}\nl = {{ points = ['A', 'B'], mass = 1 }}\nt = {{ points = ['B', 'C'], mass = 1 }}\n"
    );
    let space = "format = 1\n[model]\ndimension = 3\ngravity = '-z'\n[points]\nO = [0, 0, 0]\nA = [1, 0, 0]\nB = [1.4, 0.9, 0.2]\n[bodies]\n\
        ground = { points = ['O'] }\nu = { points = ['O', 'A'], mass = 2, com = [0.5, 0, 0], inertia = [0.1, 0.3, 0.25] }\n\
        l = { points = ['A', 'B'], mass = 1, com = [1.2, 0.4, 0.1], inertia = [0.2, 0.1, 0.15] }\n\
        [joints]\nO = { type = 'spherical', bodies = ['ground', 'u'], at = 'O' }\nA = { type = 'spherical', bodies = ['u', 'l'], at = 'A' }\n\
        [initial]\nangular_velocities = { u = [0.5, 0.3, -1], l = [1, 0.2, 2] }\n";
    for (name, text, bound) in [
        ("tree", format!("{arm}{end}"), 1e-8),
        ("tree with a spring", format!("{arm}{springs}{end}"), 1e-8),
        ("loop with a spring", format!("{loops}{springs}{end}"), 1e-8),
        ("balls in space", format!("{space}{end}"), 1e-8),
    ] {
        let mechanism = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}")).assemble().unwrap();
        let mut simulation = mechanism.simulation().unwrap();
        let (t, h) = (0.4, 5e-4);
        let mut at = |t: f64| {
            simulation.advance_to(t).unwrap();
            simulation.state()
        };
        let states: Vec<State> = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|k| at(t + k * h)).into();
        let accelerations: Vec<Vec<f64>> =
            states.iter().map(|state| mechanism.at(state).unwrap().accelerations().unwrap()).collect();
        let mut here = mechanism.at(&states[2]).unwrap();
        let change = here.acceleration_derivatives().unwrap();
        let (u, du) = (here.state().rates.clone(), &accelerations[2]);
        let n = u.len();
        let mut worst: f64 = 0.0;
        for i in 0..n {
            let by: f64 = (0..n)
                .map(|k| change.by_position[i * n + k] * u[k] + change.by_rate[i * n + k] * du[k])
                .sum();
            let a = |k: usize| accelerations[k][i];
            let in_time = (a(0) - a(4) + 8.0 * (a(3) - a(1))) / (12.0 * h);
            worst = worst.max((by - in_time).abs() / (1.0 + in_time.abs()));
        }
        println!("{name}: {worst:.1e}");
        assert!(worst < bound, "{name}: {worst:e}");
        // forces: the same as asking with each of them
        for k in 0..n {
            let mut unit = vec![0.0; n];
            unit[k] = 1.0;
            let under = here.accelerations_under(&unit).unwrap();
            for i in 0..n {
                let off = (under[i] - du[i] - change.by_force[i * n + k]).abs();
                assert!(off < 1e-10 * (1.0 + du[i].abs()), "{name} {i} {k}: {off:e}");
            }
        }
    }
}
