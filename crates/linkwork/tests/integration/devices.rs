//! Batches on devices: straight-line code, and what is handed back, give the bits of single runs.

use super::batch::{assemble, bits, chain, tree};
use linkwork::batch::{Batch, BatchRun, KeptRows, Variant};
use linkwork::model::*;
use linkwork::straight::{Accelerator, AcceleratorError, Columns, Program, Runner, Steps};
use std::sync::Mutex;

/// A device that is none: straight-line code on the processor. Remembers what it was given.
#[derive(Debug, Default)]
struct OnProcessor {
    broken: bool,
    given: Mutex<Vec<(usize, usize, usize)>>,
}

impl Accelerator for OnProcessor {
    fn name(&self) -> &str {
        "the processor"
    }

    fn most_operations(&self) -> usize {
        20_000
    }

    fn variants_at_a_time(&self) -> usize {
        100
    }

    fn run(&self, program: &Program, steps: Steps, columns: &mut Columns) -> Result<(), AcceleratorError> {
        if self.broken {
            return Err(AcceleratorError { device: "it".into(), message: "it is broken".into() });
        }
        self.given.lock().unwrap().push((columns.variants, program.parameters(), program.rates.operations()));
        Runner::new(program).run(steps, columns);
        Ok(())
    }
}

/// 62 steps and a half.
fn settings(integrator: Integrator) -> Settings {
    Settings { duration: 0.25, output_step: 0.03, integrator, step: Some(0.004), ..Default::default() }
}

fn same(name: &str, here: &[BatchRun], there: &[BatchRun]) {
    assert_eq!(here.len(), there.len());
    for (i, (here, there)) in here.iter().zip(there).enumerate() {
        assert_eq!(there.not_on_device, None, "{name}, variant {i}");
        assert!(there.on_device && there.is_finished() && !here.on_device, "{name}, variant {i}");
        assert_eq!(bits(&here.rows), bits(&there.rows), "{name}, variant {i}");
        assert_eq!(here.statistics.accepted_steps, there.statistics.accepted_steps);
        assert_eq!(here.statistics.last_step, there.statistics.last_step);
        assert_eq!(here.t, there.t);
    }
    println!(
        "{name}: {} numbers have the same bits",
        here.iter().map(|run| run.rows[0].len()).sum::<usize>()
    );
}

/// The tree of the tests of batches without what acts on it, and with balls in the place of joints whose turns links do not count: floating, with hinges, a slide, balls and forks.
fn bare_tree(x: f64) -> Model {
    let mut model = tree(x);
    model.joints.retain(|joint| !matches!(joint.kind(), JointKind::Cylindrical | JointKind::Universal));
    model.springs.clear();
    model.forces.clear();
    model.couples.clear();
    model
}

/// All columns but those of joints: the angles of balls are counted from row to row.
fn without_angles(batch: Batch<'_>) -> Batch<'_> {
    let names: Vec<String> = batch.kept_columns().map(|column| column.name.clone()).collect();
    batch.columns(names.iter().filter(|name| !name.starts_with("joint."))).unwrap()
}

#[test]
fn same_bits_of_other_starts() {
    for (name, model) in [("two rods", chain(2)), ("nine rods", chain(9)), ("tree", bare_tree(0.02))] {
        for integrator in [Integrator::Rk4, Integrator::Euler] {
            let base = assemble(&model.clone().settings(settings(integrator)));
            let batch = without_angles(Batch::new(&base).threads(1));
            let (q, u) = batch.start().unwrap();
            let variants: Vec<Variant> = (0..130)
                .map(|k| {
                    let moved = |list: &[f64], by: f64| -> Vec<f64> {
                        list.iter()
                            .enumerate()
                            .map(|(i, x)| x + by * ((k * 31 + i * 7) as f64).sin())
                            .collect()
                    };
                    Variant::new().start(moved(&q, 0.1), moved(&u, 0.3))
                })
                .collect();
            let device = OnProcessor::default();
            same(name, &batch.run(&variants), &batch.clone().on(&device).run(&variants));
            let given = device.given.into_inner().unwrap();
            assert_eq!(
                given.iter().map(|given| (given.0, given.1)).collect::<Vec<_>>(),
                [(100, 0), (30, 0)],
                "{name}"
            );
        }
    }
}

/// Numbers that differ are parameters of one program; the others are constants of it.
#[test]
fn same_bits_of_other_models() {
    for integrator in [Integrator::Rk4, Integrator::Euler] {
        let chains: Vec<Model> = (0..20)
            .map(|k| {
                let mut model = chain(5).settings(settings(integrator));
                model.bodies[1 + k % 3].mass =
                    Mass::Shape(Shape::Rod { area: None }, Amount::Mass(0.07 + 0.01 * k as f64));
                model.points[5].position[0] += 0.001 * k as f64;
                model
            })
            .collect();
        let trees: Vec<Model> =
            (0..20).map(|k| bare_tree(0.01 * k as f64).settings(settings(integrator))).collect();
        for (name, models) in [("chains", chains), ("trees", trees)] {
            let base = assemble(&models[0]);
            let variants: Vec<Variant> = models.into_iter().map(Variant::of_model).collect();
            let (batch, device) = (without_angles(Batch::new(&base)), OnProcessor::default());
            same(name, &batch.run(&variants), &batch.clone().on(&device).run(&variants));
            let given = device.given.into_inner().unwrap();
            let (_, parameters, operations) = given[0];
            println!("{name}: {parameters} parameters, {operations} operations");
            assert!(given.len() == 1 && parameters > 5);
        }
    }
}

/// What a device cannot move runs here with the same result and says why; who runs beside it does not notice.
#[test]
fn same_bits_of_what_is_handed_back() {
    let base = assemble(&chain(3).settings(settings(Integrator::Rk4)));
    let batch = Batch::new(&base).columns(["point.P3.x", "joint.P0.q"]).unwrap();
    let (q, u) = batch.start().unwrap();
    let spinning = |rate: f64| Variant::new().start(q.clone(), [rate, u[1], u[2]]);
    let mut sprung = chain(3).settings(settings(Integrator::Rk4));
    sprung = sprung.spring(Spring::new("s", ["P0", "P3"], 5.0));
    let refused = Variant::made_by(|| Ok(chain(2)));
    // 1e6 rad/s for a quarter of a second: angles beyond 1e5
    let variants = [
        spinning(1.0),
        spinning(1e6),
        Variant::of_model(sprung),
        refused,
        Variant::new(),
        spinning(f64::MAX),
    ];
    let device = OnProcessor::default();
    let (here, there) = (batch.run(&variants), batch.clone().on(&device).run(&variants));
    for (here, there) in here.iter().zip(&there) {
        assert_eq!(bits(&here.rows), bits(&there.rows));
        assert_eq!(here.error, there.error);
    }
    let why: Vec<Option<&str>> = there.iter().map(|run| run.not_on_device.as_deref()).collect();
    println!("{why:?}");
    assert!(why[0].is_none() && why[4].is_none() && there[0].on_device && there[4].on_device);
    assert!(why[1].unwrap().contains("angle"), "{why:?}");
    assert!(why[2].unwrap().contains("refused"), "{why:?}");
    assert!(why[3].unwrap().contains("refused"), "{why:?}");
    assert!(why[5].is_some());
}

#[test]
fn same_bits_without_a_device_that_works() {
    let base = assemble(&chain(3).settings(settings(Integrator::Rk4)));
    let variants = vec![Variant::new(); 9];
    let batch = Batch::new(&base);
    let told = |batch: Batch<'_>, device: &OnProcessor, words: &str| {
        let runs = batch.clone().on(device).run(&variants);
        for (run, here) in runs.iter().zip(batch.run(&variants)) {
            let why = run.not_on_device.as_deref().unwrap_or("nothing");
            assert!(!run.on_device && why.contains(words), "{why}, not {words}");
            assert_eq!(bits(&run.rows), bits(&here.rows), "{words}");
        }
    };
    told(batch.clone(), &OnProcessor { broken: true, ..OnProcessor::default() }, "it is broken");
    let device = OnProcessor::default();
    told(batch.clone().rows(KeptRows::All), &device, "rows on the way");
    let others = |change: fn(&mut Model)| {
        let mut model = chain(3).settings(settings(Integrator::Rk4));
        change(&mut model);
        assemble(&model)
    };
    told(
        Batch::new(&others(|model| model.settings.integrator = Integrator::Dopri5)),
        &device,
        "`rk4` and `euler`",
    );
    let sprung = others(|model| *model = model.clone().spring(Spring::new("s", ["P0", "P3"], 5.0)));
    told(Batch::new(&sprung), &device, "springs");
    let loops =
        Model::from_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/four-bar.toml")).unwrap();
    told(Batch::new(&assemble(&loops.settings(settings(Integrator::Rk4)))), &device, "loops");
    // angles of balls are counted from row to row
    let balls = assemble(&bare_tree(0.0).settings(settings(Integrator::Rk4)));
    told(Batch::new(&balls), &device, "turns");
    assert!(device.given.into_inner().unwrap().is_empty());
}
