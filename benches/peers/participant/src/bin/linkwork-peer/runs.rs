//! Whole runs: mechanisms of rods, and the vehicle from its own file. A run starts from the assembled mechanism, as the peers' runs do.

use linkwork::mechanism::Mechanism;
use linkwork::model::{Body, Formulation, Integrator, Model};
use peers_participant::protocol::{Loaded, Variant};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Run {
    Rods {
        name: String,
        dimensions: usize,
        gravity: Vec<f64>,
        points: Vec<Vec<f64>>,
        velocities: Vec<Vec<f64>>,
        fixed: Vec<usize>,
        rods: Vec<(usize, usize, f64)>,
        duration: f64,
        rows: usize,
        tip: usize,
        #[serde(default)]
        open: bool,
    },
    Vehicle {
        file: String,
        duration: f64,
        rows: usize,
        heights: Vec<String>,
    },
}

/// What is read from a run's rows.
#[derive(Clone)]
enum Reading {
    /// Coordinates of one point: the first two or all three.
    Place(String, usize),
    /// Heights of several points.
    Heights(Vec<String>),
}

struct Whole {
    mechanism: Mechanism,
    reading: Reading,
}

impl Variant for Whole {
    fn answer(&mut self, _: usize) -> Result<Vec<f64>, String> {
        let run = self.mechanism.simulate().map_err(|e| e.to_string())?;
        let path = |point: &str| run.positions(&self.mechanism, point).ok_or(format!("no point {point}"));
        match &self.reading {
            Reading::Place(point, dimensions) => {
                Ok(path(point)?.iter().skip(1).flat_map(|p| p[..*dimensions].to_vec()).collect())
            }
            Reading::Heights(points) => {
                let paths = points.iter().map(|p| path(p)).collect::<Result<Vec<_>, _>>()?;
                Ok((1..paths[0].len())
                    .flat_map(|row| paths.iter().map(move |p| p[row][2]).collect::<Vec<_>>())
                    .collect())
            }
        }
    }

    fn repeat(&mut self, k: usize) -> Result<(), String> {
        for _ in 0..k {
            std::hint::black_box(self.mechanism.simulate().map_err(|e| e.to_string())?);
        }
        Ok(())
    }
}

pub fn load(json: serde_json::Value) -> Result<Loaded, String> {
    let run: Run = serde_json::from_value(json).map_err(|e| e.to_string())?;
    let (mut model, bodies, reading, duration, rows, formulations) = match run {
        Run::Rods {
            name,
            dimensions,
            gravity,
            points,
            velocities,
            fixed,
            rods,
            duration,
            rows,
            tip,
            open,
        } => {
            let bodies = rods.len();
            let formulations =
                if open { vec![Formulation::Points, Formulation::Recursive] } else { vec![Formulation::Points] };
            let model = rod_model(&name, dimensions, &gravity, &points, &velocities, &fixed, &rods);
            (model, bodies, Reading::Place(format!("P{tip}"), dimensions), duration, rows, formulations)
        }
        Run::Vehicle { file, duration, rows, heights } => {
            let model = Model::from_file(&file).map_err(|e| e.to_string())?;
            let bodies = model.bodies.len();
            let formulations = vec![Formulation::Points, Formulation::Recursive];
            (model, bodies, Reading::Heights(heights), duration, rows, formulations)
        }
    };
    model.settings.duration = duration;
    model.settings.output_step = duration / rows as f64;
    let mut variants: Vec<(String, Box<dyn Variant>)> = Vec::new();
    for formulation in formulations {
        model.settings.formulation = formulation;
        let mut add = |label: String, integrator: Integrator, tolerance: Option<f64>, step: Option<f64>| {
            let mut model = model.clone();
            model.settings.integrator = integrator;
            model.settings.tolerance = tolerance.unwrap_or(model.settings.tolerance);
            model.settings.step = step;
            // a pair of method and formulation that does not go together is left out
            if let Ok(mechanism) = model.assemble() {
                let whole = Whole { mechanism, reading: reading.clone() };
                variants.push((format!("{}-{label}", formulation.name()), Box::new(whole)));
            }
        };
        for tolerance in ["1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9"] {
            if formulation == Formulation::Points && model.tyres.is_empty() {
                add(format!("taylor-{tolerance}"), Integrator::Taylor, tolerance.parse().ok(), None);
            }
            add(format!("dop853-{tolerance}"), Integrator::Dop853, tolerance.parse().ok(), None);
        }
        for step in ["1e-2", "1e-3", "1e-4"] {
            if formulation == Formulation::Points {
                add(format!("index3-{step}"), Integrator::Index3, None, step.parse().ok());
                add(format!("alpha-{step}"), Integrator::GeneralizedAlpha, None, step.parse().ok());
            }
            add(format!("rk4-{step}"), Integrator::Rk4, None, step.parse().ok());
        }
    }
    Ok(Loaded { bodies, variants })
}

fn rod_model(
    name: &str,
    dimensions: usize,
    gravity: &[f64],
    points: &[Vec<f64>],
    velocities: &[Vec<f64>],
    fixed: &[usize],
    rods: &[(usize, usize, f64)],
) -> Model {
    let planar = |x: &[f64]| [x[0], x[1]];
    let spatial = |x: &[f64]| [x[0], x[1], x[2]];
    let mut model = if dimensions == 2 {
        Model::planar(name).gravity(planar(gravity))
    } else {
        Model::spatial(name).gravity(spatial(gravity))
    };
    for (i, (x, v)) in points.iter().zip(velocities).enumerate() {
        let point = format!("P{i}");
        model =
            if dimensions == 2 { model.point(&point, planar(x)) } else { model.point(&point, spatial(x)) };
        if v.iter().any(|v| *v != 0.0) {
            model = if dimensions == 2 {
                model.velocity(&point, planar(v))
            } else {
                model.velocity(&point, spatial(v))
            };
        }
    }
    model = model.ground(fixed.iter().map(|i| format!("P{i}")));
    for (i, (a, b, mass)) in rods.iter().enumerate() {
        model = model.body(Body::rod(format!("rod{i}"), [&format!("P{a}"), &format!("P{b}")], *mass));
    }
    model
}
