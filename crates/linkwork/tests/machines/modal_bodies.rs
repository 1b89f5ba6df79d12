//! Modal bodies: the L-shaped bracket of `studies/modal_body.py` against its full finite-element model, invariants and closed forms.
//!
//! Figures of the full model are those of scipy in `tests/data/modal_bodies/figures.json`.

use linkwork::analysis::EquilibriumOptions;
use linkwork::joints::Fixed;
use linkwork::linalg::vec3::{Vec3, add, axpy, cross, dot, norm, scale, sub};
use linkwork::mechanism::Mechanism;
use linkwork::modal::{FiniteElements, Interface, ModalBasis, Symmetric};
use linkwork::model::{Body, Formulation, Inertia, Integrator, Joint, ModalBody, Model, Settings};
use std::path::PathBuf;

const G: f64 = 9.81;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/modal_bodies")
}

fn numbers(line: &str) -> Vec<f64> {
    line.split([' ', ',']).filter(|w| !w.is_empty()).map(|w| w.parse().unwrap()).collect()
}

/// Entries of a Matrix Market file, read here once more.
fn entries(file: &str) -> Vec<(u32, u32, f64)> {
    let text = std::fs::read_to_string(folder().join(file)).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('%')).skip(1);
    lines.map(numbers).map(|w| (w[0] as u32 - 1, w[1] as u32 - 1, w[2])).collect()
}

fn positions() -> Vec<Vec3> {
    let text = std::fs::read_to_string(folder().join("bracket.inp")).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with("*NODE")).skip(1);
    lines.take_while(|line| !line.starts_with('*')).map(numbers).map(|w| [w[1], w[2], w[3]]).collect()
}

/// The bracket with its stiffness times a factor.
fn bracket(factor: f64) -> FiniteElements {
    let positions = positions();
    let n = 3 * positions.len();
    let stiffness: Vec<_> =
        entries("bracket_K.mtx").into_iter().map(|(i, j, v)| (i, j, v * factor)).collect();
    FiniteElements {
        stiffness: Symmetric::new("stiffness", n, &stiffness, false).unwrap(),
        mass: Symmetric::new("mass", n, &entries("bracket_M.mtx"), false).unwrap(),
        positions,
        mesh: None,
    }
}

/// Nodes at a place along an axis.
fn plane(body: &FiniteElements, axis: usize, at: f64) -> Vec<usize> {
    (0..body.positions.len()).filter(|&k| (body.positions[k][axis] - at).abs() < 1e-9).collect()
}

fn interface(name: &str, nodes: Vec<usize>) -> Interface {
    Interface { name: name.into(), nodes }
}

fn clamped() -> Model {
    Model::from_file(folder().join("clamped.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn at(mechanism: &Mechanism, positions: &[Vec3], point: &str) -> Vec3 {
    positions[mechanism.points().iter().position(|p| p.name == point).unwrap()]
}

/// Under a tenth of its weight, and with 5 N across at the tip, the clamped bracket bends as the full model does. The reduction is exact there; what is left is
/// the square of the small turn, which the linear model has not: 1e-5 of the deflection.
#[test]
fn cross_static_deflection_is_that_of_the_full_model() {
    let model = clamped();
    let rest = |model: &Model| {
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        let found = mechanism.equilibrium(&EquilibriumOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        at(&mechanism, &found.frame.positions, "tip")
    };
    let drawn = [0.16, 0.02, 0.005];
    let heavy = Model { gravity: [0.0, 0.0, -0.1 * G], ..model.clone() };
    let heavy = sub(rest(&heavy), drawn);
    for (found, exact) in [(heavy[0], -3.228678153031058e-7), (heavy[2], -1.136962641177657e-6)] {
        assert!((found / exact - 1.0).abs() < 1e-4, "{found} {exact}");
    }
    let force = linkwork::model::Force::new("load", "bracket/tip", "tip", [0.0, 5.0, 0.0]);
    let loaded = sub(rest(&Model { gravity: [0.0; 3], ..model }.force(force)), drawn);
    assert!((loaded[1] / 1.2054622297202898e-5 - 1.0).abs() < 1e-4, "{loaded:?}");
}

/// Places and velocities of all nodes of the elements from the frame and the amplitudes of a frame of results.
fn nodes_of(
    mechanism: &Mechanism,
    basis: &ModalBasis,
    nodes: &[Vec3],
    rates: &[Vec3],
) -> (Vec<Vec3>, Vec<Vec3>) {
    let modal = &mechanism.modal_bodies()[0];
    let corner =
        |x: &[Vec3]| -> Vec<Vec3> { mechanism.bodies()[modal.frame].nodes.iter().map(|&n| x[n]).collect() };
    let arm = basis.extent;
    let (r, v) = (corner(nodes), corner(rates));
    let directors: Vec<Vec3> = (1..4).map(|i| scale(1.0 / arm, sub(r[i], r[0]))).collect();
    let turning: Vec<Vec3> = (1..4).map(|i| scale(1.0 / arm, sub(v[i], v[0]))).collect();
    let slid: Vec<(f64, f64)> = modal
        .modes
        .iter()
        .map(|&s| {
            let (w, dw) = (sub(nodes[s], r[0]), sub(rates[s], v[0]));
            (dot(w, directors[0]), dot(dw, directors[0]) + dot(w, turning[0]))
        })
        .collect();
    let placed = basis.nodes.iter().enumerate().map(|(k, xi)| {
        let shapes = basis.shapes.iter().map(|shape| shape[k]);
        let (mut x, mut dx) = (r[0], v[0]);
        for i in 0..3 {
            let off: f64 = xi[i] + shapes.clone().zip(&slid).map(|(s, a)| s[i] * a.0).sum::<f64>();
            let rate: f64 = shapes.clone().zip(&slid).map(|(s, a)| s[i] * a.1).sum();
            x = axpy(x, off, directors[i]);
            dx = add(dx, axpy(scale(rate, directors[i]), off, turning[i]));
        }
        (x, dx)
    });
    placed.unzip()
}

/// A free bracket that tumbles and swings: energy, momentum and angular momentum, the latter two and the kinetic energy summed over the finite elements themselves.
#[test]
fn keeps_energy_and_momenta_of_a_free_bracket_and_sums_them_over_its_elements() {
    let body = bracket(1.0);
    let clamp = plane(&body, 2, 0.12);
    let basis = ModalBasis::reduce(&body, &[interface("clamp", clamp)], 2).unwrap();
    let model = Model::spatial("free")
        .modal_body(ModalBody::new("bracket", basis.clone()))
        .angular_velocity("bracket", [40.0, 25.0, -30.0])
        .settings(Settings { duration: 2e-3, output_step: 5e-4, tolerance: 1e-10, ..Settings::default() });
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    let mut first: Option<(Vec3, Vec3)> = None;
    let mass: Vec<(u32, u32, f64)> = entries("bracket_M.mtx");
    let mut deformed = 0.0_f64;
    for frame in &run.frames {
        let (x, v) = nodes_of(&mechanism, &basis, &frame.nodes, &frame.node_velocities);
        let (mut kinetic, mut momentum, mut angular) = (0.0, [0.0; 3], [0.0; 3]);
        for &(i, j, m) in mass.iter().filter(|e| e.0 % 3 == 0 && e.1 % 3 == 0) {
            let (k, l) = (i as usize / 3, j as usize / 3);
            let pairs: &[(usize, usize)] = if k == l { &[(k, l)] } else { &[(k, l), (l, k)] };
            for &(k, l) in pairs {
                kinetic += 0.5 * m * dot(v[k], v[l]);
                momentum = axpy(momentum, m, v[l]);
                angular = axpy(angular, m, cross(x[k], v[l]));
            }
        }
        assert!((kinetic / frame.kinetic - 1.0).abs() < 1e-9, "{kinetic} {}", frame.kinetic);
        let (p, l) = *first.get_or_insert((momentum, angular));
        assert!(norm(sub(momentum, p)) < 1e-9 * norm(angular) / basis.extent);
        assert!(norm(sub(angular, l)) < 1e-8 * norm(l), "{angular:?} {l:?}");
        let spread = norm(sub(x[0], x[79])) / norm(sub(body.positions[0], body.positions[79])) - 1.0;
        deformed = deformed.max(spread.abs());
    }
    let energies = run.column(&mechanism, "energy.total").unwrap();
    assert!(energies.iter().all(|e| (e / energies[0] - 1.0).abs() < 1e-8), "{energies:?}");
    // it is no rigid body that was looked at
    assert!(deformed > 1e-6, "{deformed}");
}

/// One mode of a free body that is given a small rate swings as η = v/ω sin ωt.
#[test]
fn exact_swing_of_one_mode() {
    let body = bracket(1.0);
    let basis = ModalBasis::reduce(&body, &[interface("clamp", plane(&body, 2, 0.12))], 2).unwrap();
    let (omega, rate) = (basis.modes[0].frequency, 1e-4);
    let model = Model::spatial("free")
        .modal_body(ModalBody::new("bracket", basis))
        .initial_joint("bracket/1", Vec::new(), [rate])
        .settings(Settings { duration: 3e-3, output_step: 1e-3, tolerance: 1e-11, ..Settings::default() });
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    let found = run.column(&mechanism, "joint.bracket/1.q").unwrap();
    for (frame, q) in run.frames.iter().zip(found) {
        let exact = rate / omega * (omega * frame.t).sin();
        assert!((q - exact).abs() < 1e-7 * rate / omega, "{q} {exact}");
    }
}

/// A bracket a million times as stiff hangs from its flange and swings as the rigid body of its mass and inertia.
#[test]
fn cross_stiff_bracket_moves_as_a_rigid_body() {
    let body = bracket(1e6);
    let basis = ModalBasis::reduce(&body, &[interface("pin", plane(&body, 2, 0.12))], 1).unwrap();
    let (com, mass, inertia) = (basis.com, basis.mass, basis.inertia);
    let settings = Settings {
        duration: 0.3,
        output_step: 0.1,
        integrator: Integrator::Bdf,
        tolerance: 1e-8,
        ..Settings::default()
    };
    let hinge = |of: &str| {
        let revolute = linkwork::joints::Revolute { axis: Some(linkwork::model::Axis::Y) };
        Joint::new("hinge", revolute, ["ground", of], "pin")
    };
    let swung = |model: Model, point: &str| {
        let mechanism = model.settings(settings.clone()).assemble().unwrap_or_else(|e| panic!("{e}"));
        let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
        run.column(&mechanism, point).unwrap()
    };
    let start = Model::spatial("pendulum").gravity([G, 0.0, 0.0]).ground(["pin"]);
    let modal = start.clone().modal_body(ModalBody::new("bracket", basis)).joint(hinge("bracket/pin"));
    let rigid = start
        .point("pin", [0.005, 0.02, 0.12])
        .body(Body::with_inertia("bracket", ["pin"], mass, com, Inertia::Matrix(inertia)))
        .joint(hinge("bracket"));
    let (soft, hard) = (swung(modal, "joint.hinge.q"), swung(rigid, "joint.hinge.q"));
    assert!(hard[3].abs() > 0.3, "{hard:?}");
    for (a, b) in soft.iter().zip(&hard) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
}

/// What is not a free body of solid elements is refused with the reason, and so are other formulations.
#[test]
fn what_cannot_be_a_modal_body_is_refused() {
    let good = bracket(1.0);
    let held =
        |body: &FiniteElements, nodes: Vec<usize>| ModalBasis::reduce(body, &[interface("A", nodes)], 2);
    let n = 3 * good.positions.len();
    let mut supported = entries("bracket_K.mtx");
    supported.push((0, 0, 1e9));
    let supported = FiniteElements {
        stiffness: Symmetric::new("stiffness", n, &supported, false).unwrap(),
        ..good.clone()
    };
    let mut heavy = entries("bracket_M.mtx");
    heavy.push((2, 2, 1.0));
    let heavy = FiniteElements { mass: Symmetric::new("mass", n, &heavy, false).unwrap(), ..good.clone() };
    let short = FiniteElements { positions: good.positions[1..].to_vec(), ..good.clone() };
    for (found, words) in [
        (held(&supported, vec![0]), "resists a rigid motion"),
        (held(&heavy, vec![0]), "not the same in x, y and z at node 1"),
        (held(&short, vec![0]), "79 nodes have 237 degrees of freedom"),
        (held(&good, vec![0, 0]), "a node twice"),
        (held(&good, vec![0, 1]), "on one line"),
        (held(&good, vec![800]), "not there"),
    ] {
        let error = found.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let basis = held(&good, plane(&good, 2, 0.12)).unwrap();
    let model = Model::spatial("free").modal_body(ModalBody::new("bracket", basis.clone()));
    let mechanism = model.clone().assemble().unwrap_or_else(|e| panic!("{e}"));
    for formulation in Formulation::ALL {
        let refused = formulation.unsupported(&mechanism);
        let takes = matches!(formulation, Formulation::Auto | Formulation::Points);
        assert_eq!(refused.is_empty(), takes, "{formulation}");
    }
    let joined = model.ground(["A"]).joint(Joint::new("wall", Fixed, ["ground", "bracket"], "A"));
    let faults = joined.check().to_string();
    assert!(faults.contains("mean frame of a modal body"), "{faults}");
    let planar = Model::planar("flat").modal_body(ModalBody::new("bracket", basis)).check().to_string();
    assert!(planar.contains("but the model is planar"), "{planar}");
}
