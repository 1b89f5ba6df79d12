//! What derivatives cost in units of the run itself: by one, four and all numbers of small mechanisms, by direct differentiation and by the adjoint.
//!
//! `cargo bench -p linkwork --bench sensitivities`. The run is the same method (`dop853` in point coordinates) at the same tolerance, to its end and without rows of results. A call of
//! `Study::derivatives` makes the neighbours of the mechanism, runs it twice at the tolerance of the model for its events, and then integrates motion and derivatives; all of that counts here.
//! Figures are the best of several repetitions, interleaved, so that a busy machine slows all of them alike. `-- NAME WAY COUNT` makes one call for a profiler that counts instructions;
//! a COUNT of 0 makes the run alone.

use linkwork::Error;
use linkwork::model::{Formulation, Integrator, ModelFile};
use linkwork::sensitivity::{Method, Quantity, Study, Take};
use std::time::Instant;

const WAYS: [Method; 2] = [Method::Direct, Method::Adjoint];

const REPETITIONS: usize = 5;
/// That of these ways.
const TOLERANCE: f64 = 1e-13;

const FOUR_BAR: &str = r#"
    format = 1
    model = { dimension = 2, gravity = [0, -9.81] }
    points = { A = [0, 0], B = [0, 1], C = [2, 2], D = [2, 0], P = [1.2, 2.4], Q = [2.1, 0.7] }
    [bodies]
    ground = { points = ["A", "D"] }
    crank = { points = ["A", "B"], mass = 1 }
    coupler = { points = ["B", "C", "P"], mass = 2, shape = "polygon" }
    rocker = { points = ["C", "D", "Q"], mass = 1.5, shape = "polygon" }
    [initial.angular_velocities]
    crank = -3
    [simulation]
    duration = 20
"#;

const DOUBLE_PENDULUM: &str = r#"
    format = 1
    model = { dimension = 2, gravity = [0, -9.81] }
    points = { A = [0, 0], B = [1, 0], C = [1.6, -0.3], P = [0.5, 0.1], Q = [1.3, -0.4] }
    [bodies]
    ground = { points = ["A"] }
    one = { points = ["A", "B", "P"], mass = 2, com = [0.5, 0], inertia = 0.2 }
    two = { points = ["B", "C", "Q"], mass = 1.5, com = [1.3, -0.1], inertia = 0.1 }
    [initial.angular_velocities]
    one = 0.4
    two = -0.6
    [simulation]
    duration = 5
"#;

/// Name, model, numbers, and a result.
const CASES: [(&str, &str, &[&str], &str); 3] = [
    (
        "four-bar",
        FOUR_BAR,
        &[
            "points.*",
            "bodies.crank.mass",
            "bodies.coupler.mass",
            "bodies.rocker.mass",
            "initial.angular_velocities.crank",
        ],
        "joint.A.q",
    ),
    (
        "double-pendulum",
        DOUBLE_PENDULUM,
        &[
            "points.*",
            "bodies.one.mass",
            "bodies.two.mass",
            "bodies.one.inertia",
            "bodies.two.inertia",
            "initial.angular_velocities.one",
            "initial.angular_velocities.two",
        ],
        "point.C.x",
    ),
    ("3-rrr", include_str!("../examples/manipulator-3rrr.toml"), &["points.*"], "point.center.x"),
];

fn run(file: &ModelFile) -> Result<(), Error> {
    let mut model = file.model(&[])?;
    model.settings.tolerance = TOLERANCE;
    (model.settings.integrator, model.settings.formulation) = (Integrator::Dop853, Formulation::Points);
    let mechanism = model.assemble()?;
    let mut simulation = mechanism.simulation()?;
    simulation.advance_to(mechanism.model().settings.duration)?;
    std::hint::black_box(simulation.t());
    Ok(())
}

fn derivatives(
    file: &ModelFile,
    way: Method,
    by: &[String],
    of: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let study = Study::of_file_with(file, by, vec![Quantity::new(Take::Final, of)], |model| {
        model.settings.integrator = Integrator::Dop853;
    })?;
    std::hint::black_box(study.derivatives(way)?);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|x| x != "--bench").collect();
    for (name, text, by, of) in CASES {
        let file = ModelFile::parse(name, text)?;
        let known = file.variables()?;
        let all: Vec<String> = known.find_all(by)?.iter().map(|variable| variable.name.clone()).collect();
        if let [wanted, way, count] = &arguments[..] {
            if wanted == name {
                match count.parse()? {
                    0 => run(&file)?,
                    count => derivatives(&file, way.parse()?, &all[..count], of)?,
                }
            }
            continue;
        }
        let counts = [1, 4, all.len()];
        let calls: Vec<(Method, usize)> =
            WAYS.into_iter().flat_map(|way| counts.map(|count| (way, count))).collect();
        let mut best = f64::INFINITY;
        let mut best_of = vec![f64::INFINITY; calls.len()];
        for _ in 0..REPETITIONS {
            let start = Instant::now();
            run(&file)?;
            best = best.min(start.elapsed().as_secs_f64());
            for (&(way, count), best) in calls.iter().zip(&mut best_of) {
                let start = Instant::now();
                derivatives(&file, way, &all[..count], of)?;
                *best = best.min(start.elapsed().as_secs_f64());
            }
        }
        println!("{name}: a run takes {:.2} ms", 1e3 * best);
        for ((way, count), of_it) in calls.iter().zip(&best_of) {
            println!("    {way} by {count:2} numbers: {:.2} runs", of_it / best);
        }
    }
    Ok(())
}
