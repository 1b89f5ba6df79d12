//! Modal bodies: the L-shaped bracket of `studies/modal_body.py` against its full finite-element model, invariants and closed forms.
//!
//! Figures of the full model are those of scipy in `tests/data/modal_bodies/figures.json`.

use linkwork::analysis::EquilibriumOptions;
use linkwork::joints::Fixed;
use linkwork::linalg::vec3::{Vec3, add, axpy, cross, dot, norm, scale, sub};
use linkwork::mechanism::Mechanism;
use linkwork::modal::{
    Elasticity, Element, ElementKind, FiniteElements, Held, Interface, Mesh, ModalBasis, Symmetric,
};
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

/// The elements of the bracket and their material.
fn mesh() -> Mesh {
    let text = std::fs::read_to_string(folder().join("bracket.inp")).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with("*ELEMENT")).skip(1);
    let numbers: Vec<usize> =
        lines.take_while(|line| !line.starts_with('*')).flat_map(numbers).map(|x| x as usize).collect();
    let element = |words: &[usize]| Element {
        kind: ElementKind::Hex20,
        nodes: words[1..].iter().map(|k| k - 1).collect(),
    };
    Mesh {
        elements: numbers.chunks(21).map(element).collect(),
        material: Some(Elasticity { young: 2.1e11, poisson: 0.3 }),
    }
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
        mesh: Some(mesh()),
    }
}

fn figures(file: &str) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(folder().join(file)).unwrap()).unwrap()
}

/// A column of results at an instant.
fn column(mechanism: &Mechanism, frame: &linkwork::results::Frame, name: &str) -> f64 {
    let mut row = Vec::new();
    linkwork::results::row(mechanism, frame, &mut row);
    let names = linkwork::results::columns(mechanism);
    row[names.iter().position(|column| column.name == name).unwrap_or_else(|| panic!("{name}"))]
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

const COMPONENTS: [&str; 6] = ["xx", "yy", "zz", "xy", "xz", "yz"];

/// Stresses of the clamped bracket under 0.1 N across at the tip are those of the full model, recovered there by a script.
#[test]
fn cross_stresses_are_those_of_the_full_model() {
    let file = std::fs::read_to_string(folder().join("clamped.toml")).unwrap();
    let text = file.replace("modes = 5", "modes = 5, stress = [1, 30, 34, 50, 70]");
    assert_ne!(file, text);
    let dir = copied("modal-stresses", &["bracket.inp", "bracket_K.mtx", "bracket_M.mtx"]);
    std::fs::write(dir.join("model.toml"), text).unwrap();
    let model = Model::from_file(dir.join("model.toml")).unwrap_or_else(|e| panic!("{e}"));
    let force = linkwork::model::Force::new("load", "bracket/tip", "tip", [0.0, 0.1, 0.0]);
    let mechanism =
        Model { gravity: [0.0; 3], ..model }.force(force).assemble().unwrap_or_else(|e| panic!("{e}"));
    let found = mechanism.equilibrium(&EquilibriumOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let full = &figures("figures.json")["stress_under_50_n_along_y_pa"];
    let mut largest = 0.0_f64;
    for (node, stress) in full.as_object().unwrap() {
        for (component, exact) in COMPONENTS.iter().zip(stress.as_array().unwrap()) {
            let name = format!("modal_body.bracket.{node}.{component}");
            let (found, exact) = (column(&mechanism, &found.frame, &name), 0.002 * exact.as_f64().unwrap());
            // 1.1e4 Pa is the largest; the frame turns by 2e-6, which the linear model does not know
            assert!((found - exact).abs() < 1e-5 * 1.1e4, "{name}: {found} {exact}");
            largest = largest.max(found.abs());
        }
    }
    assert!(largest > 1e4);
    let node = column(&mechanism, &found.frame, "modal_body.bracket.34.von_mises");
    assert!(node <= column(&mechanism, &found.frame, "modal_body.bracket.von_mises.max"));
    let moved = column(&mechanism, &found.frame, "modal_body.bracket.displacement.max");
    // from the floating frame, which follows the mass: the full model's displacements without their mean motion, weighted by mass
    assert!((moved / 3.109893e-8 - 1.0).abs() < 1e-5, "{moved}");
}

/// A block of two `C3D8` under a load at a corner: matrices and stresses by CalculiX, in millimetres, newtons and tonnes.
#[test]
fn paper_stresses_of_calculix() {
    let dir = copied("modal-calculix", &["brick.inp", "brick.sti", "brick.mas", "brick.dof"]);
    let text = "format = 1\nmodel = { name = \"block\", dimension = 3, gravity = [0, 0, 0] }\n\
        modal_bodies.block = { stiffness = \"brick.sti\", mass = \"brick.mas\", dofs = \"brick.dof\", nodes = \"brick.inp\", units = [\"mm\", \"N/mm\", \"t\"], interface = { P = 9, base = [1, 2, 3, 4] }, modes = 2, stress = [1, 5, 6, 9, 11] }\n\
        bodies.ground = { points = [\"base\"] }\n\
        joints.wall = { type = \"fixed\", bodies = [\"ground\", \"block/base\"], at = \"base\" }\n\
        forces.load = { body = \"block/P\", at = \"P\", force = [1, -0.5, 0.3] }\n";
    std::fs::write(dir.join("model.toml"), text).unwrap();
    let model = Model::from_file(dir.join("model.toml")).unwrap_or_else(|e| panic!("{e}"));
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let found = mechanism.equilibrium(&EquilibriumOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let figures = figures("brick.json");
    for (node, stress) in figures["stress_mpa"].as_object().unwrap() {
        for (component, exact) in COMPONENTS.iter().zip(stress.as_array().unwrap()) {
            let name = format!("modal_body.block.{node}.{component}");
            // a hundredth of the load; six digits are printed of 3.3 MPa
            let (found, exact) = (column(&mechanism, &found.frame, &name), 1e4 * exact.as_f64().unwrap());
            assert!((found - exact).abs() < 1e-4 * 3.3e4, "{name}: {found} {exact}");
        }
    }
    let moved = at(&mechanism, &found.frame.positions, "P");
    let drawn = [0.0, 0.0, 0.06];
    for c in 0..3 {
        let exact = 1e-5 * figures["node_9_moves_mm"][c].as_f64().unwrap();
        assert!((moved[c] - drawn[c] - exact).abs() < 1e-4 * 4e-8, "{moved:?}");
    }
}

/// A folder of this name with copies of some files of the tests.
fn copied(name: &str, files: &[&str]) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).unwrap();
    for file in files {
        std::fs::copy(folder().join(file), dir.join(file)).expect("a copy");
    }
    dir
}

/// The number of held modes that is taken where none is said: the first five frequencies of the free bracket are those of the full model to 1e-3, while five held modes leave 3e-3. A frequency
/// up to which motions matter says the number likewise.
#[test]
fn cross_first_five_frequencies_of_the_free_bracket() {
    let body = bracket(1.0);
    let flanges = || [interface("clamp", plane(&body, 2, 0.12)), interface("tip", plane(&body, 0, 0.16))];
    let figures = figures("figures.json");
    let full: Vec<f64> = figures["free_with_rigid_flanges_hz"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f.as_f64().unwrap())
        .collect();
    let worst = |held: Held| {
        let basis = ModalBasis::reduce(&body, &flanges(), held).unwrap();
        let off = |(mode, full): (&linkwork::modal::ElasticMode, &f64)| {
            mode.frequency / std::f64::consts::TAU / full - 1.0
        };
        (
            basis.modes.iter().zip(&full).take(5).map(off).fold(0.0_f64, |most, x| most.max(x.abs())),
            basis.held,
        )
    };
    let (usual, held) = worst(Held::default());
    assert!(usual < 1e-3 && held < 20, "{usual} with {held} held modes");
    let (few, _) = worst(Held::Count(5));
    assert!((2e-3..2e-2).contains(&few), "{few}");
    assert_eq!(worst(Held::UpTo(full[4])).1, held);
    let refused = ModalBasis::reduce(&body, &flanges(), Held::UpTo(1e6)).unwrap_err().to_string();
    assert!(refused.contains("modes are more than"), "{refused}");
}

/// Matrices that are assembled from the elements give the body of those in the files; the same matrices in the forms of Abaqus and Nastran, too.
#[test]
fn same_body_from_elements_and_from_other_programs() {
    let from_files = bracket(1.0);
    let Mesh { elements, material } = mesh();
    let assembled = FiniteElements::of_mesh(positions(), elements, material.unwrap(), 7850.0).unwrap();
    let reduced = |body: &FiniteElements| {
        ModalBasis::reduce(body, &[interface("clamp", plane(body, 2, 0.12))], 4).unwrap()
    };
    let (a, b) = (reduced(&from_files), reduced(&assembled));
    assert!((a.mass / b.mass - 1.0).abs() < 1e-10);
    for (a, b) in a.modes.iter().zip(&b.modes) {
        // thirteen digits stand in the files, and bending is soft beside the largest entries
        assert!((a.frequency / b.frequency - 1.0).abs() < 1e-7, "{a:?} {b:?}");
    }
    let dir = copied("modal-others", &["brick.inp", "brick.sti", "brick.mas", "brick.dof"]);
    let dofs: Vec<String> = std::fs::read_to_string(folder().join("brick.dof"))
        .unwrap()
        .lines()
        .map(|line| line.trim().into())
        .collect();
    let entries = |file: &str| -> Vec<(String, String, String)> {
        let text = std::fs::read_to_string(folder().join(file)).unwrap();
        let words = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>();
        let dof = |word: &str| dofs[word.parse::<usize>().unwrap() - 1].clone();
        text.lines().map(words).map(|w| (dof(&w[0]), dof(&w[1]), w[2].clone())).collect()
    };
    for (file, of) in [("brick.sti", 'K'), ("brick.mas", 'M')] {
        let (mut abaqus, mut nastran) =
            (String::new(), format!("DMIG    {of}AAX           0       6       2       0\n"));
        for (row, column, value) in entries(file) {
            abaqus += &format!("{}, {}, {value}\n", row.replace('.', ","), column.replace('.', ","));
            let (row, column) = (row.split_once('.').unwrap(), column.split_once('.').unwrap());
            nastran += &format!("DMIG*   {:<16}{:>16}{:>16}\n", format!("{of}AAX"), column.0, column.1);
            let value = format!("{:.9E}", value.parse::<f64>().unwrap()).replace('E', "D");
            nastran += &format!("*       {:>16}{:>16}{value:>16}\n", row.0, row.1);
        }
        std::fs::write(dir.join(format!("abaqus_{of}.mtx")), abaqus).unwrap();
        std::fs::write(dir.join(format!("nastran_{of}.pch")), nastran).unwrap();
    }
    let read = |matrices: &str| {
        let text = format!(
            "format = 1\nmodel = {{ name = \"block\", dimension = 3 }}\n\
             modal_bodies.block = {{ {matrices}, nodes = \"brick.inp\", units = [\"mm\", \"N/mm\", \"t\"], interface = {{ P = 9 }}, modes = 2 }}\n"
        );
        std::fs::write(dir.join("model.toml"), text).unwrap();
        let model = Model::from_file(dir.join("model.toml")).unwrap_or_else(|e| panic!("{e}"));
        model.modal_bodies[0].basis.clone()
    };
    let calculix = read("stiffness = \"brick.sti\", mass = \"brick.mas\", dofs = \"brick.dof\"");
    for others in ["abaqus_K.mtx\", mass = \"abaqus_M.mtx", "nastran_K.pch\", mass = \"nastran_M.pch"] {
        let other = read(&format!("stiffness = \"{others}\""));
        for (a, b) in calculix.modes.iter().zip(&other.modes) {
            // ten digits stand in the file of Nastran
            assert!((a.frequency / b.frequency - 1.0).abs() < 1e-7, "{others}: {a:?} {b:?}");
        }
    }
}

/// A cube of six tetrahedra, two wedges or one hexahedron of second order: mass and inertia are exact, and a displacement of second order has the same energy in all.
#[test]
fn exact_energy_of_a_quadratic_field_in_all_elements() {
    let corners: Vec<Vec3> = (0..8).map(|k| [0, 1, 2].map(|c| f64::from((k >> c) & 1))).collect();
    // corners by bits x, y, z
    let solids: [(ElementKind, Vec<Vec<usize>>); 3] = [
        (ElementKind::Hex20, vec![vec![0, 1, 3, 2, 4, 5, 7, 6]]),
        (ElementKind::Wedge15, vec![vec![0, 1, 2, 4, 5, 6], vec![1, 3, 2, 5, 7, 6]]),
        (
            ElementKind::Tet10,
            [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]]
                .map(Vec::from)
                .into(),
        ),
    ];
    let (material, density) = (Elasticity { young: 2e11, poisson: 0.3 }, 7000.0);
    let field = |[x, y, z]: Vec3| [x * y + z * z, x * z - 0.5 * y * y, x * x + y * z];
    let mut energies = Vec::new();
    for (kind, solids) in solids {
        let mut positions: Vec<Vec3> = corners.clone();
        let mut elements = Vec::new();
        for solid in solids {
            let mut nodes = solid.clone();
            for (a, b) in edges(kind) {
                let middle = scale(0.5, add(corners[solid[a]], corners[solid[b]]));
                let known = positions.iter().position(|x| norm(sub(*x, middle)) < 1e-12);
                nodes.push(known.unwrap_or_else(|| {
                    positions.push(middle);
                    positions.len() - 1
                }));
            }
            elements.push(Element { kind, nodes });
        }
        let body = FiniteElements::of_mesh(positions.clone(), elements, material, density).unwrap();
        let product = |matrix: &Symmetric, x: &[f64]| -> f64 {
            let mut image = vec![0.0; x.len()];
            matrix.times(x, &mut image);
            x.iter().zip(image).map(|(x, y)| x * y).sum()
        };
        let along: Vec<f64> = positions.iter().flat_map(|_| [1.0, 0.0, 0.0]).collect();
        assert!((product(&body.mass, &along) - density).abs() < 1e-9 * density, "{kind:?}");
        let turning: Vec<f64> = positions.iter().flat_map(|x| cross([0.0, 0.0, 1.0], *x)).collect();
        assert!((product(&body.mass, &turning) / density - 2.0 / 3.0).abs() < 1e-12, "{kind:?}");
        let bent: Vec<f64> = positions.iter().flat_map(|x| field(*x)).collect();
        energies.push(product(&body.stiffness, &bent));
    }
    assert!(energies.iter().all(|e| (e / energies[0] - 1.0).abs() < 1e-12), "{energies:?}");
}

/// Corners between which the nodes of second order stand, in the order of Abaqus.
fn edges(kind: ElementKind) -> Vec<(usize, usize)> {
    match kind {
        ElementKind::Tet10 => vec![(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
        ElementKind::Wedge15 => {
            vec![(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
        }
        _ => {
            let upright = (0..4).map(|k| (k, k + 4));
            let round = |low: usize| (0..4).map(move |k| (low + k, low + (k + 1) % 4));
            round(0).chain(round(4)).chain(upright).collect()
        }
    }
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

/// Two derivations of the same motion: `points` with its constant mass matrix and sliders, `newton-euler` with a floating frame of rotation parameters, amplitudes and the invariants of
/// modes. A soft bracket swings from a hinge at its flange under its weight, with a mass hung to its tip by a ball joint, a damper and a driven force on an amplitude.
#[test]
fn cross_newton_euler_and_points() {
    let body = bracket(1e-2);
    let flanges = [interface("pin", plane(&body, 2, 0.12)), interface("tip", vec![plane(&body, 0, 0.16)[0]])];
    let basis = ModalBasis::reduce(&body, &flanges, 2).unwrap();
    let revolute = linkwork::joints::Revolute { axis: Some(linkwork::model::Axis::Vector([0.3, 1.0, 0.1])) };
    let tip = basis.interfaces[1].at;
    let model = Model::spatial("swing")
        .gravity([G, 0.0, 0.0])
        .ground(["pin"])
        .point("end", add(tip, [0.0, 0.03, -0.1]))
        .point("tip", tip)
        .modal_body(ModalBody::new("bracket", basis).damping(0.01))
        .body(Body::rod("rod", ["tip", "end"], 0.05))
        .joint(Joint::new("hinge", revolute, ["ground", "bracket/pin"], "pin"))
        .force(linkwork::model::Force::new("push", "bracket/tip", "tip", [0.0, 0.4, 0.2]))
        .initial_joint("bracket/1", Vec::new(), [0.3]);
    let swung = |formulation: Formulation| {
        let settings = Settings {
            duration: 0.02,
            output_step: 0.005,
            tolerance: 1e-11,
            integrator: Integrator::Dop853,
            formulation,
            ..Settings::default()
        };
        let mechanism = model.clone().settings(settings).assemble().unwrap_or_else(|e| panic!("{e}"));
        let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
        let column = |name: &str| run.column(&mechanism, name).unwrap();
        let names = [
            "joint.hinge.q",
            "joint.bracket/1.q",
            "joint.bracket/3.q",
            "point.end.z",
            "joint.bracket/1.v",
            "modal_body.bracket.displacement.max",
            "modal_body.bracket.von_mises.max",
            "energy.kinetic",
            "energy.total",
            "energy.work",
            "joint.hinge.force.x",
            "joint.hinge.moment.x",
        ];
        names.map(|name| (name, column(name)))
    };
    let (a, b) = (swung(Formulation::Points), swung(Formulation::NewtonEuler));
    assert!(a[1].1.iter().any(|q| q.abs() > 1e-4), "{:?}", a[1]);
    for ((name, a), (_, b)) in a.iter().zip(&b) {
        let largest = a.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (x, y) in a.iter().zip(b) {
            // reactions and velocities of the fast modes are known less exactly than places
            assert!((x - y).abs() < 1e-7 * largest, "{name}: {a:?} {b:?}");
        }
    }
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
        let takes = matches!(formulation, Formulation::Auto | Formulation::Points | Formulation::NewtonEuler);
        assert_eq!(refused.is_empty(), takes, "{formulation}");
    }
    let joined = model.ground(["A"]).joint(Joint::new("wall", Fixed, ["ground", "bracket"], "A"));
    let faults = joined.check().to_string();
    assert!(faults.contains("mean frame of a modal body"), "{faults}");
    let planar = Model::planar("flat").modal_body(ModalBody::new("bracket", basis)).check().to_string();
    assert!(planar.contains("but the model is planar"), "{planar}");
}
