//! Mechanisms that are drawn far from the origin, or travel far: the same motion as near it, as far as coordinates have digits.

use crate::suite;

use linkwork::linalg::vec3::{Vec3, add, norm, sub};
use linkwork::model::*;
use linkwork::simulation::{Status, Trajectory};
use std::path::PathBuf;
use suite::{applicable, planar_four_bar, settings};

fn case(name: &str) -> Model {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases");
    Model::from_file(folder.join(format!("{name}.toml"))).unwrap_or_else(|e| panic!("{e}"))
}

fn example(name: &str) -> Model {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    Model::from_file(folder.join(format!("{name}.toml"))).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The model with everything that it draws moved; formulas that read places are left as they are.
fn moved(mut model: Model, by: Vec3) -> Model {
    let place = |place: &mut Place| {
        if let Place::At(at) = place {
            *at = add(*at, by);
        }
    };
    let shape = |shape: &mut Shape| match shape {
        Shape::Sphere { center, .. } => center.iter_mut().for_each(place),
        Shape::Box { pose, .. }
        | Shape::Cylinder { pose, .. }
        | Shape::Tube { pose, .. }
        | Shape::Capsule { pose, .. } => {
            pose.center.iter_mut().for_each(place);
        }
        _ => {}
    };
    model.points.iter_mut().for_each(|p| p.position = add(p.position, by));
    for body in &mut model.bodies {
        match &mut body.mass {
            Mass::Given { com, .. } => place(com),
            Mass::Shape(s, _) => shape(s),
        }
    }
    for surface in &mut model.surfaces {
        match &mut surface.form {
            SurfaceForm::Plane { at, .. } => place(at.get_or_insert(Place::At([0.0; 3]))),
            SurfaceForm::Point { at } => place(at),
            SurfaceForm::Solid(s) => shape(s),
            SurfaceForm::Hull { vertices, .. } => vertices.iter_mut().for_each(|x| *x = add(*x, by)),
            SurfaceForm::HullOf(hull) => place(hull.mesh.pose.center.get_or_insert(Place::At([0.0; 3]))),
        }
    }
    model
}

/// Places on a grid of 2⁻³⁰ m, so that moving them by a multiple of it up to 2²² m is exact.
fn on_grid(mut model: Model) -> Model {
    let grid = 2_f64.powi(30);
    let round = |x: &mut f64| *x = (*x * grid).round() / grid;
    model.points.iter_mut().flat_map(|p| &mut p.position).for_each(round);
    for body in &mut model.bodies {
        if let Mass::Given { com: Place::At(at), .. } = &mut body.mass {
            at.iter_mut().for_each(round);
        }
    }
    model
}

fn simulate(model: &Model) -> Result<Trajectory, String> {
    let mechanism = model.assemble().map_err(|e| e.to_string())?;
    let run = mechanism.simulate().map_err(|e| e.to_string())?;
    match &run.summary.status {
        Status::Finished | Status::Stopped => Ok(run),
        Status::Failed(failure) => Err(failure.message.clone()),
    }
}

/// The largest difference of a point's place between two runs, less what one was moved by.
fn apart(a: &Trajectory, b: &Trajectory, by: Vec3) -> f64 {
    let rows = a.frames.iter().zip(&b.frames).filter(|(a, b)| a.t == b.t);
    let points = rows.flat_map(|(a, b)| a.positions.iter().zip(&b.positions));
    points.fold(0.0, |m: f64, (p, q)| m.max(norm(sub(sub(*q, by), *p))))
}

/// Examples that do not speak of places in formulas, with how long they run here. The motion of those that strike or slide
/// multiplies roundings: their bound is wider.
const EXAMPLES: [(&str, f64, f64); 20] = [
    ("pendulum", 1.0, 1.0),
    ("double-pendulum", 1.0, 1.0),
    ("point-mass-pendulum", 1.0, 1.0),
    ("spring", 1.0, 1.0),
    ("four-bar", 1.0, 1.0),
    ("four-bar-in-space", 1.0, 1.0),
    ("latch", 1.0, 1.0),
    ("stiff-pendulum", 0.2, 1.0),
    ("slider-crank", 1.0, 1.0),
    ("manipulator-3rrr", 0.5, 1.0),
    ("spinning-body", 3.0, 1.0),
    ("squeezer", 0.03, 1.0),
    ("gear-train", 0.3, 1.0),
    ("universal-shaft", 0.5, 1.0),
    ("governor", 0.5, 1.0),
    ("bouncing-ball", 1.0, 10.0),
    ("block-on-incline", 1.0, 10.0),
    ("rocking-block", 1.0, 10.0),
    ("newtons-cradle", 1.0, 10.0),
    ("chain", 0.5, 1.0),
];

/// Drawn a long way off, the drawing being exact there as well: the same motion, to the roundings of the coordinates that rows show.
#[test]
fn same_examples_far_from_the_origin() {
    for (name, duration, wide) in EXAMPLES {
        let mut model = on_grid(example(name));
        model.settings.duration = model.settings.duration.min(duration);
        let near = simulate(&model).unwrap_or_else(|e| panic!("{name}: {e}"));
        let size = near.summary.size;
        for far in [2_f64.powi(13), 2_f64.powi(20)] {
            let mut by = [far, -0.5 * far, 0.25 * far];
            if model.dimension == Dimension::Planar {
                by[2] = 0.0;
            }
            let run = simulate(&moved(model.clone(), by))
                .unwrap_or_else(|e| panic!("{name} {far:.0e} m away: {e}"));
            let off = apart(&near, &run, by);
            // half a rounding of the largest coordinate in each direction, and the errors of both runs
            let bound = 2.0 * f64::EPSILON * far + 1e-8 * wide * size;
            println!(
                "{name:22} {far:7.0} m away: off by {off:.1e} m of {size:.1e}, at most {bound:.1e}, {} steps, {} near",
                run.summary.steps.accepted_steps, near.summary.steps.accepted_steps
            );
            assert!(off < bound, "{name} {far} m away: {off:.1e}");
        }
    }
}

/// A thousand million metres away the drawing has five digits left: it runs, and says so.
#[test]
fn same_four_bar_a_million_kilometres_away_with_a_warning() {
    let mut model = example("four-bar");
    model.settings.duration = 1.0;
    let model = moved(model, [1e9, 0.0, 0.0]);
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    let warned = mechanism.warnings().iter().find(|w| w.path == "points").expect("a warning");
    println!("{}", warned.message);
    assert!(warned.message.contains("rounded to 1.1e-7 m"), "{}", warned.message);
    let run = mechanism.simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished);
    assert!(
        run.summary.constraint_residual < 1e-12 * run.summary.size,
        "{:.1e}",
        run.summary.constraint_residual
    );
}

/// Every formulation, at 1,000 km, with gravity of either kind.
#[test]
fn same_four_bar_a_thousand_kilometres_away_in_every_formulation() {
    let far = [2_f64.powi(20), 0.0, 0.0];
    let mut model = planar_four_bar();
    model.settings.duration = 1.0;
    let near = simulate(&model).unwrap();
    for formulation in applicable(&model) {
        let mut model = moved(model.clone(), far);
        model.settings.formulation = formulation;
        let run = simulate(&model).unwrap_or_else(|e| panic!("{formulation:?}: {e}"));
        let off = apart(&near, &run, far);
        println!("{:12} 1,000 km away: off by {off:.1e} m", formulation.name());
        assert!(off < 1e-9, "{formulation:?}: {off:.1e}");
    }
    // the file that failed in every formulation: 100,000 g sideways, so a short while
    let mut model = case("far-from-origin-four-bar");
    model.settings.duration = 0.05;
    for formulation in applicable(&model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        let run = simulate(&model).unwrap_or_else(|e| panic!("{formulation:?}: {e}"));
        let drift = run.summary.relative_energy_drift();
        println!(
            "{:12} sideways: {} steps, drift {drift:.1e}",
            formulation.name(),
            run.summary.steps.accepted_steps
        );
        assert!(drift < 1e-8, "{formulation:?}: {drift:.1e}");
    }
}

/// A rod that flies off at 1 km/s turns as it would at rest, q − p = (cos 3t, sin 3t), to the roundings of its places.
#[test]
fn exact_free_rod_a_thousand_kilometres_on_its_way() {
    let model = case("free-rod-far");
    for formulation in applicable(&model) {
        let mut model = model.clone();
        model.settings.formulation = formulation;
        model.settings.duration = if formulation == Formulation::Points { 1000.0 } else { 200.0 };
        let run = simulate(&model).unwrap_or_else(|e| panic!("{formulation:?}: {e}"));
        let last = run.frames.last().unwrap();
        let d = sub(last.positions[1], last.positions[0]);
        let (sin, cos) = (3.0 * last.t).sin_cos();
        let off = norm(sub(d, [cos, sin, 0.0]));
        let remarks: Vec<&str> = run.summary.remarks.iter().map(|r| r.code).collect();
        println!(
            "{:12} at {:.0e} m: off by {off:.1e}, {} steps {remarks:?}",
            formulation.name(),
            last.positions[0][0],
            run.summary.steps.accepted_steps
        );
        // 3000 rad to 1e-11 relative; roundings of 1e-10 m a step
        assert!(off < 1e-6, "{formulation:?}: {off:.1e}");
        assert!(remarks.contains(&"far-away"), "{formulation:?}");
    }
}

/// All integrators, with a mechanism that is 1,000 km away after ten seconds.
#[test]
fn exact_free_rod_far_away_with_every_integrator() {
    let mut model = case("free-rod-far");
    model.initial.velocities[0].1 = [1e5, 0.0, 0.0];
    model.settings = settings(10.0, 0.5, 1e-9);
    for integrator in crate::suite::integrators() {
        let mut model = model.clone();
        model.settings.integrator = integrator;
        let fixed = integrator.fixed_step();
        model.settings.formulation = Formulation::Points;
        let first = matches!(integrator, Integrator::Euler | Integrator::SemiImplicitEuler);
        if fixed {
            model.settings.step = Some(if first { 5e-4 } else { 5e-3 });
        }
        let run = simulate(&model).unwrap_or_else(|e| panic!("{integrator:?}: {e}"));
        let last = run.frames.last().unwrap();
        let d = sub(last.positions[1], last.positions[0]);
        let (sin, cos) = (3.0 * last.t).sin_cos();
        let off = norm(sub(d, [cos, sin, 0.0]));
        println!(
            "{:20} at 1e6 m: off by {off:.1e}, {} steps",
            integrator.name(),
            run.summary.steps.accepted_steps
        );
        // order 1: 30 rad with errors of ω h/2; order 2: ω³ h² t / 24 = 3e-4
        // of lower order under error control: 700 steps of 1e-9, which add up along the turn
        let bound = match integrator {
            // without projection the distance drifts by 2 %, near the origin as well
            Integrator::SemiImplicitEuler => 1.0,
            _ if first => 0.2,
            _ if fixed => 2e-3,
            Integrator::Bdf => 1e-4,
            _ => 1e-5,
        };
        assert!(off < bound, "{integrator:?}: {off:.1e}");
    }
}

/// On a cart that rolls at 100 m/s the pendulum swings as on one that stands: Galilei's ship.
#[test]
fn same_pendulum_on_a_cart_that_rolls_for_kilometres() {
    let mut model = case("moving-cart-20km");
    model.settings.duration = 250.0;
    for formulation in [Formulation::Auto, Formulation::NewtonEuler] {
        model.settings.formulation = formulation;
        let rolls = simulate(&model).unwrap_or_else(|e| panic!("{formulation:?}: {e}"));
        let mut stands = model.clone();
        stands.initial.velocities.iter_mut().for_each(|v| v.1[0] -= 100.0);
        let stands = simulate(&stands).unwrap();
        let mut worst = [0.0_f64; 2];
        for (a, b) in rolls.frames.iter().zip(&stands.frames) {
            let off = norm(sub(sub(a.positions[2], a.positions[1]), sub(b.positions[2], b.positions[1])));
            worst[usize::from(a.t > 10.0)] = worst[usize::from(a.t > 10.0)].max(off);
        }
        println!(
            "{:12} cart at 100 m/s: off by {:.1e} m in 10 s, {:.1e} m in 250 s",
            formulation.name(),
            worst[0],
            worst[1]
        );
        // errors of 1e-11 of 100 m/s a step, over 100 swings
        assert!(worst[0] < 1e-7 && worst[1] < 1e-5, "{formulation:?}: {worst:?}");
    }
}

/// What formulas read, drivers, planes without a place and conditions speak of the world, wherever it is computed from.
#[test]
fn same_world_in_formulas_drivers_and_planes() {
    let far = 2_f64.powi(20);
    let text = |x: f64| {
        format!(
            "format = 1\n[model]\ngravity = '-y'\n[points]\nO = [{x}, 2]\nA = [{}, 2]\nB = [{}, 2]\nC = [{}, 3]\n[bodies]\nground = {{ points = ['O'] }}\n\
             rod = {{ points = ['A', 'B'], mass = 1 }}\nball = {{ points = ['C'], mass = 1, shape = {{ type = 'disc', radius = 0.1 }} }}\n\
             slider = {{ points = ['A'], mass = 1 }}\n[joints.rail]\ntype = 'prismatic'\nbodies = ['ground', 'slider']\nat = ['O', 'A']\naxis = [1, 0]\n\
             [drivers.x]\npoint = 'A'\ncomponent = 'x'\nvalue = '{} + 0.2*sin(3*t)'\n[surfaces]\nfloor = {{ type = 'plane', normal = [0, 1] }}\n\
             [contacts]\nland = {{ between = ['ball', 'floor'], restitution = 0.5 }}\n\
             [forces.field]\nbody = 'rod'\nat = 'B'\nforce = ['-5*(point.B.x - {x})', 0]\n\
             [measures]\nfar_x = 'point.B.x'\nlow = 'point.C.y'\n[simulation]\nduration = 1.5\nstop = 'point.B.x > {}'\n",
            x + 0.5,
            x + 1.25,
            x + 3.0,
            x + 0.5,
            x + 100.0
        )
    };
    let runs = [0.0, far].map(|x| {
        let model = Model::from_toml(&text(x)).unwrap_or_else(|e| panic!("{e}"));
        let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(mechanism.model().origin[0] != 0.0, x != 0.0);
        let run = mechanism.simulate().unwrap();
        assert_eq!(run.summary.status, Status::Finished);
        run
    });
    let [near, away] = &runs;
    for (column, by) in [
        ("point.B.x", far),
        ("far_x", far),
        ("low", 0.0),
        ("point.A.x", far),
        ("driver.x.force", 0.0),
        ("land.gap", 0.0),
    ] {
        let find = |run: &Trajectory| run.columns.iter().position(|c| c.name.ends_with(column));
        let Some(at) = find(near) else {
            panic!("no column {column} in {:?}", near.columns.iter().map(|c| &c.name).collect::<Vec<_>>())
        };
        let mechanisms = [0.0, far].map(|x| Model::from_toml(&text(x)).unwrap().assemble().unwrap());
        let (mut a, mut b, mut worst) = (Vec::new(), Vec::new(), 0.0_f64);
        for (p, q) in near.frames.iter().zip(&away.frames) {
            linkwork::results::row(&mechanisms[0], p, &mut a);
            linkwork::results::row(&mechanisms[1], q, &mut b);
            worst = worst.max((b[at] - by - a[at]).abs());
        }
        println!("{column:16} off by {worst:.1e}");
        // roundings of the world's coordinates, 1e-10 m, times 5 N/m; the ball's impacts
        assert!(worst < 1e-7, "{column}: {worst:.1e}");
    }
}
