//! Boxes thrown on a floor, with whatever friction and restitution: runs finish, nothing sinks in, the energy balance closes, energy only falls.

use crate::suite;

use linkwork::model::{Body, Formulation, Inertia, Model, Settings};
use linkwork::simulation::{EventKind, Status};
use suite::contacts::{against_ground, spot};
use suite::{G, settings};

/// Numbers that look random, the same every time.
struct Random(u64);

impl Random {
    fn between(&mut self, a: f64, b: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        a + (b - a) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn tumble(case: u64, random: &mut Random, spatial: bool) {
    let half = [random.between(0.05, 0.3), random.between(0.05, 0.3), random.between(0.05, 0.3)];
    let angle = random.between(0.0, std::f64::consts::TAU);
    let (c, s) = (angle.cos(), angle.sin());
    let high = 0.5;
    let mut corners = Vec::new();
    for i in 0..if spatial { 8 } else { 4 } {
        let [x, y, z] = [0, 1, 2].map(|k| if i >> k & 1 == 0 { half[k] } else { -half[k] });
        corners.push(match spatial {
            false => [c * x - s * y, s * x + c * y + high, 0.0],
            // up is z: turned about x, then a little about y
            true => {
                let (y, z) = (c * y - s * z, s * y + c * z);
                let (x, z) = (0.8 * x + 0.6 * z, -0.6 * x + 0.8 * z);
                [x, y, z + high]
            }
        });
    }
    let names: Vec<String> = (0..corners.len()).map(|i| format!("P{i}")).collect();
    let (gravity, up) = match spatial {
        true => ([0.0, 0.0, -G], [0.0, 0.0, 1.0]),
        false => ([0.0, -G, 0.0], [0.0, 1.0, 0.0]),
    };
    let mut model = match spatial {
        true => Model::spatial("box").gravity(gravity),
        false => Model::planar("box").gravity([0.0, -G]),
    };
    for (name, at) in names.iter().zip(&corners) {
        model = match spatial {
            true => model.point(name.clone(), *at),
            false => model.point(name.clone(), [at[0], at[1]]),
        };
    }
    let centre = [0.0, if spatial { 0.0 } else { high }, if spatial { high } else { 0.0 }];
    let i = 0.02;
    let inertia = match spatial {
        true => Inertia::Matrix([i, 1.2 * i, 0.9 * i, 0.0, 0.0, 0.0]),
        false => Inertia::Polar(i),
    };
    let w = match spatial {
        true => [random.between(-8.0, 8.0), random.between(-8.0, 8.0), random.between(-8.0, 8.0)],
        false => [0.0, 0.0, random.between(-8.0, 8.0)],
    };
    let v = [random.between(-2.0, 2.0), 0.0, 0.0];
    model = model.body(Body::with_inertia("box", names.clone(), 1.0, centre, inertia));
    let d = [corners[0][0] - centre[0], corners[0][1] - centre[1], corners[0][2] - centre[2]];
    let at_first = linkwork::linalg::vec3::add(v, linkwork::linalg::vec3::cross(w, d));
    model = match spatial {
        true => model.velocity("P0", at_first),
        false => model.velocity("P0", [at_first[0], at_first[1]]),
    };
    let formulation = [Formulation::Points, Formulation::NewtonEuler, Formulation::Tmt][case as usize % 3];
    model = model.angular_velocity("box", w).settings(Settings { formulation, ..settings(3.0, 0.02, 1e-9) });
    let (mu, e) = (random.between(0.0, 1.0), random.between(0.0, 0.9));
    let mut mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    for (name, at) in names.iter().zip(&corners) {
        let corner = spot(&mechanism, "box", *at);
        against_ground(&mut mechanism, name, [0.0; 3], up, corner, 0.0, mu, e);
    }
    let run = mechanism.simulate().unwrap_or_else(|e| panic!("{e}"));
    let summary = &run.summary;
    let deepest = run.frames.iter().flat_map(|f| &f.contacts).fold(f64::INFINITY, |m, c| m.min(c.gap));
    let last = run.frames.last().unwrap();
    println!(
        "case {case}, {}, mu {mu:.2}, e {e:.2}: {} events, {} steps, lowest gap {deepest:.1e}, drift {:.1e}, speed at the end {:.1e}, {:.2} s",
        formulation.name(),
        summary.events.len(),
        summary.steps.accepted_steps,
        summary.energy_drift,
        (2.0 * last.kinetic).sqrt(),
        summary.wall.as_secs_f64(),
    );
    assert_eq!(summary.status, Status::Finished, "case {case}: {:?}", summary.status);
    assert!(deepest > -1e-10, "case {case}: {deepest}");
    assert!(summary.relative_energy_drift() < 1e-6, "case {case}: {}", summary.energy_drift);
    for event in summary.events.iter().filter(|e| e.kind == EventKind::Impact) {
        assert!(event.energy <= 1e-10, "case {case}: {event:?}");
    }
    let energies = run.frames.windows(2).map(|f| f[1].energy() - f[0].energy());
    assert!(energies.fold(0.0, f64::max) < 1e-6, "case {case}: energy grows");
}

#[test]
fn keeps_laws_in_the_plane() {
    let mut random = Random(3);
    (0..24).for_each(|case| tumble(case, &mut random, false));
}

#[test]
fn keeps_laws_in_space() {
    let mut random = Random(5);
    (0..9).for_each(|case| tumble(case, &mut random, true));
}
