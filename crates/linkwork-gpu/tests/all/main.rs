//! The text of kernels, run by an executor of its instructions; and on a card, with `--ignored`.

mod executor;
mod on_a_card;

use executor::Paper;
use linkwork::batch::{Batch, BatchRun, Variant};
use linkwork::joints::{JointData, Revolute, Spherical};
use linkwork::model::{Axis, Body, Inertia, Integrator, Joint, Model, Settings};
use linkwork::straight::Accelerator;

fn settings(integrator: Integrator, steps: u32) -> Settings {
    let duration = (f64::from(steps) - 0.5) * 1e-3;
    Settings { duration, output_step: 1.0, integrator, step: Some(1e-3), ..Default::default() }
}

/// Rods in the plane, with lengths and masses of their own.
fn planar_chain(rods: usize, x: f64) -> Model {
    let mut model = Model::planar("chain").gravity([0.0, -9.81]).point("P0", [0.0, 0.0]).ground(["P0"]);
    for i in 1..=rods {
        let (before, point) = (format!("P{}", i - 1), format!("P{i}"));
        model = model.point(&point, [(0.3 + x) * i as f64, 0.1 * (i % 2) as f64]);
        model = model.body(Body::rod(format!("rod{i}"), [&before, &point], 0.5 + x));
    }
    model
}

/// Bodies in space on hinges, or balls, of which the first one floats or stands on the ground.
fn spatial_chain(bodies: usize, floats: bool, balls: bool, x: f64) -> Model {
    let at = |i: usize| [0.3 * i as f64, (0.1 + x) * (1.7 * i as f64).sin(), 0.1 * (1.1 * i as f64).cos()];
    let mut model = Model::spatial("chain").gravity([0.3, -0.2, -9.81 + x]).point("P0", at(0));
    if !floats {
        model = model.ground(["P0"]);
    }
    for i in 0..bodies {
        let (a, b) = (at(i), at(i + 1));
        let com = [0.5 * (a[0] + b[0]) + 0.03, 0.5 * (a[1] + b[1]) - 0.05, 0.5 * (a[2] + b[2]) + 0.04];
        let (pin, point) = (format!("P{i}"), format!("P{}", i + 1));
        let inertia = Inertia::Matrix([0.03, 0.04 + 0.1 * x, 0.05, 0.002, -0.001, 0.003]);
        model = model.point(&point, b);
        model = model.body(Body::with_inertia(format!("b{i}"), [&pin, &point], 1.0 + x, com, inertia));
        if i > 0 || !floats {
            let on = if i == 0 { "ground".to_owned() } else { format!("b{}", i - 1) };
            let own = format!("b{i}");
            let data = match balls {
                true => JointData::from(Spherical),
                false => Revolute { axis: Some(Axis::Vector([0.3 + x, 1.0, 0.4 * i as f64])) }.into(),
            };
            model = model.joint(Joint::new(format!("J{i}"), data, [on.as_str(), own.as_str()], &pin));
        }
    }
    if floats || balls { model.angular_velocity("b0", [0.4, -0.6 + x, 0.3]) } else { model }
}

/// A mechanism by its number.
type Case = (&'static str, fn(f64) -> Model);

/// Mechanisms of which variants with other numbers are moved.
fn cases() -> Vec<Case> {
    vec![
        ("pendulum", |x| planar_chain(1, x)),
        ("double pendulum", |x| planar_chain(2, x)),
        ("chain in space", |x| spatial_chain(4, false, false, x)),
        ("balls on the ground", |x| spatial_chain(3, false, true, x)),
        ("floating bodies with balls", |x| spatial_chain(3, true, true, x)),
        ("floating body with hinges", |x| spatial_chain(3, true, false, x)),
    ]
}

/// Runs of the same variants here and on a device: other numbers, and other starts.
fn here_and_there(
    model: fn(f64) -> Model,
    (integrator, steps): (Integrator, u32),
    count: usize,
    device: &dyn Accelerator,
) -> [[Vec<BatchRun>; 2]; 2] {
    let model = move |x: f64| model(x).settings(settings(integrator, steps));
    let base = model(0.0).assemble().unwrap_or_else(|faults| panic!("{faults}"));
    // the angles of balls are counted from row to row
    let all = Batch::new(&base);
    let names: Vec<String> = all.kept_columns().map(|column| column.name.clone()).collect();
    let batch = all.columns(names.iter().filter(|name| !name.starts_with("joint."))).unwrap();
    let (q, u) = batch.start().unwrap();
    let models: Vec<Variant> =
        (0..count).map(|k| Variant::made_by(move || Ok(model(0.1 * k as f64 / count as f64)))).collect();
    let starts: Vec<Variant> = (0..count)
        .map(|k| {
            let moved = |list: &[f64], by: f64| -> Vec<f64> {
                list.iter().enumerate().map(|(i, x)| x + by * ((k * 31 + i * 7) as f64).sin()).collect()
            };
            Variant::new().start(moved(&q, 0.4), moved(&u, 2.0))
        })
        .collect();
    [models, starts].map(|variants| [batch.run(&variants), batch.clone().on(device).run(&variants)])
}

/// How many numbers there are; all of them have the same bits.
fn same_bits(name: &str, [here, there]: &[Vec<BatchRun>; 2]) -> usize {
    let mut numbers = 0;
    for (i, (here, there)) in here.iter().zip(there).enumerate() {
        assert!(
            there.on_device && there.is_finished(),
            "{name}, variant {i}: {:?} {:?}",
            there.not_on_device,
            there.error
        );
        let bits = |run: &BatchRun| run.rows.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(here), bits(there), "{name}, variant {i}");
        numbers += here.rows[0].len();
    }
    numbers
}

#[test]
fn same_bits_by_the_text_of_the_kernels() {
    for (name, model) in cases() {
        for integrator in [Integrator::Rk4, Integrator::Euler] {
            for runs in here_and_there(model, (integrator, 6), 9, &Paper) {
                println!("{name}, {}: {} numbers", integrator.name(), same_bits(name, &runs));
            }
        }
    }
}

/// An angle of 1e5 rad ends a variant on the device, and nothing happens to those beside it.
#[test]
fn same_bits_beside_one_that_is_handed_back() {
    let base = planar_chain(2, 0.0).settings(settings(Integrator::Rk4, 6)).assemble().unwrap();
    let batch = Batch::new(&base);
    let (q, u) = batch.start().unwrap();
    let far: Vec<Variant> = (0..40)
        .map(|k| Variant::new().start(q.clone(), [if k == 7 { 1e9 } else { 0.1 * k as f64 }, u[1]]))
        .collect();
    let (here, there) = (batch.run(&far), batch.clone().on(&Paper).run(&far));
    for (k, (here, there)) in here.iter().zip(&there).enumerate() {
        assert_eq!(here.rows, there.rows, "{k}");
        assert_eq!(there.on_device, k != 7);
    }
    assert!(there[7].not_on_device.as_deref().unwrap().contains("angle"));
}
