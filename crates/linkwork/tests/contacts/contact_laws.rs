//! Contacts that last: rest, friction that sticks and slips, rolling, rocking, stacks. Closed forms.

use crate::suite;

use linkwork::contact::Feature;
use linkwork::interactions::Direction;
use linkwork::mechanism::{Mechanism, MechanismContact};
use linkwork::model::{Body, Formulation, Inertia, Integrator, Model, Settings};
use linkwork::simulation::{EventKind, Status, Trajectory};
use suite::contacts::{against_ground, run_with, spot};
use suite::{G, applicable, settings};

const FEW: [Formulation; 3] = [Formulation::Points, Formulation::NewtonEuler, Formulation::Tmt];

fn kinds(run: &Trajectory) -> Vec<EventKind> {
    run.summary.events.iter().map(|e| e.kind).collect()
}

/// A disc of 0.1 m that falls from 1 m with e = 0.7: impacts at t₁ + 2 v/g (e + … ), at rest after t₁ (1 + e)/(1 − e).
#[test]
fn exact_bouncing_ball_comes_to_rest() {
    let (e, r) = (0.7, 0.1);
    let model = Model::planar("ball").gravity([0.0, -G]).point("P", [0.0, 1.0 + r]).body(Body::with_inertia(
        "ball",
        ["P"],
        0.5,
        [0.0, 1.0 + r, 0.0],
        Inertia::Polar(0.002),
    ));
    for f in applicable(&model) {
        let model = model.clone().settings(Settings { formulation: f, ..settings(5.0, 0.1, 1e-11) });
        let mut mechanism = model.assemble().unwrap();
        let centre = spot(&mechanism, "ball", [0.0, 1.0 + r, 0.0]);
        against_ground(&mut mechanism, "floor", [0.0; 3], [0.0, 1.0, 0.0], centre, r, 0.3, e);
        let run = run_with(&mechanism);
        let (mut t, mut v, mut worst) = ((2.0 / G).sqrt(), (2.0 * G).sqrt(), 0.0_f64);
        let impacts: Vec<_> = run.summary.events.iter().filter(|e| e.kind == EventKind::Impact).collect();
        for event in &impacts[..impacts.len() - 1] {
            worst = worst.max((event.t - t).abs());
            v *= e;
            t += 2.0 * v / G;
        }
        let end = (2.0 / G).sqrt() * (1.0 + e) / (1.0 - e);
        let rest = run.summary.events.last().unwrap();
        assert_eq!(rest.kind, EventKind::Rest, "{f:?}");
        let last = run.frames.last().unwrap();
        println!(
            "{}: {} impacts, times off by {worst:.1e} s, at rest {:.1e} s early, gap {:.1e}, N off by {:.1e}, energy {:.1e}",
            f.name(),
            impacts.len(),
            end - rest.t,
            last.contacts[0].gap,
            last.contacts[0].normal - 0.5 * G,
            run.summary.energy_drift
        );
        assert!(worst < 1e-9 && (0.0..1e-4).contains(&(end - rest.t)), "{f:?}");
        assert!(last.contacts[0].gap.abs() < 1e-14 && (last.contacts[0].normal - 0.5 * G).abs() < 1e-11);
        assert!(run.summary.energy_drift < 1e-9, "{f:?}: {}", run.summary.energy_drift);
    }
}

/// A block 0.4 m by 0.2 m, its lower corners on an incline whose direction is `along`.
fn block_on_incline(slope: f64, friction: f64, speed: f64, s: Settings) -> Mechanism {
    let angle = slope.atan();
    let (x, n) = ([angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]);
    let at = |a: f64, b: f64| [a * x[0] + b * n[0], a * x[1] + b * n[1]];
    let v = [speed * x[0], speed * x[1]];
    let corners = ["A", "B", "C", "D"];
    let mut model = Model::planar("block").gravity([0.0, -G]);
    for (name, (a, b)) in corners.iter().zip([(-0.2, 0.0), (0.2, 0.0), (0.2, 0.2), (-0.2, 0.2)]) {
        model = model.point(*name, at(a, b)).velocity(*name, v);
    }
    let model = model.body(Body::plate("block", corners, 3.0)).settings(s);
    let mut mechanism = model.assemble().unwrap();
    for (i, name) in ["A", "B"].into_iter().enumerate() {
        let corner = spot(&mechanism, "block", model.points[i].position);
        against_ground(&mut mechanism, name, [0.0; 3], [n[0], n[1], 0.0], corner, 0.0, friction, 0.2);
    }
    mechanism
}

fn travelled(run: &Trajectory, slope: f64) -> f64 {
    let x = [slope.atan().cos(), slope.atan().sin()];
    let [a, b] = [run.frames[0].positions[0], run.frames.last().unwrap().positions[0]];
    (b[0] - a[0]) * x[0] + (b[1] - a[1]) * x[1]
}

/// Below the friction angle nothing moves; the corners carry the weight and |T| <= μN, though friction is shared.
#[test]
fn exact_block_stays_on_incline() {
    for (slope, mu) in [(0.4, 0.5), (0.49999, 0.5), (0.2, 0.9), (0.0, 0.0)] {
        for f in FEW {
            let s = Settings { formulation: f, ..settings(100.0, 10.0, 1e-10) };
            let run = run_with(&block_on_incline(slope, mu, 0.0, s));
            let last = run.frames.last().unwrap();
            let moved = last
                .positions
                .iter()
                .zip(&run.frames[0].positions)
                .fold(0.0_f64, |m, (a, b)| m.max((a[0] - b[0]).abs()).max((a[1] - b[1]).abs()));
            let angle = f64::atan(slope);
            let normal: f64 = last.contacts.iter().map(|c| c.normal).sum();
            for c in &last.contacts {
                assert!(c.friction[0].hypot(c.friction[1]) <= mu * c.normal + 1e-9, "{f:?} {slope}: {c:?}");
            }
            println!(
                "{}, slope {slope}: moved {moved:.1e} m in 100 s, N off by {:.1e}, events {:?}",
                f.name(),
                normal - 3.0 * G * angle.cos(),
                kinds(&run)
            );
            // without friction nothing holds the block: it may go on for 100 s with a rounding of its velocity
            assert!(moved < if mu > 0.0 { 1e-12 } else { 1e-10 }, "{f:?} {slope}: {moved}");
            assert!((normal - 3.0 * G * angle.cos()).abs() < 1e-10);
        }
    }
}

/// Above the friction angle: g (sin − μ cos).
#[test]
fn exact_block_slides_down() {
    let (slope, mu, t) = (0.7_f64, 0.5, 1.5);
    for f in FEW {
        let s = Settings { formulation: f, ..settings(t, 0.1, 1e-11) };
        let run = run_with(&block_on_incline(slope, mu, 0.0, s));
        let angle = slope.atan();
        let exact = -0.5 * G * (angle.sin() - mu * angle.cos()) * t * t;
        let off = travelled(&run, slope) - exact;
        println!("{}: off by {off:.1e} m, energy {:.1e}", f.name(), run.summary.energy_drift);
        assert!(off.abs() < 1e-11, "{f:?}: {off}");
        assert!(run.summary.energy_drift < 1e-10);
    }
}

/// Thrown up the incline a block stops after v²/(2g (sin + μ cos)); it stays below the friction angle, and comes back above it.
#[test]
fn exact_block_thrown_up() {
    for (slope, mu) in [(0.3_f64, 0.5), (0.7, 0.5)] {
        for f in FEW {
            let (v, t) = (2.0, 2.0);
            let s = Settings { formulation: f, ..settings(t, 0.1, 1e-11) };
            let run = run_with(&block_on_incline(slope, mu, v, s));
            let angle = slope.atan();
            let (up, down) =
                (G * (angle.sin() + mu * angle.cos()), G * (angle.sin() - mu * angle.cos()).max(0.0));
            let stop = v / up;
            let exact = 0.5 * v * stop - 0.5 * down * (t - stop).powi(2);
            let off = travelled(&run, slope) - exact;
            let found = run.summary.events.iter().find(|e| e.t > 0.0).map(|e| e.t);
            println!("{}, slope {slope}: off by {off:.1e} m, {:?} {found:?}", f.name(), kinds(&run));
            assert!(off.abs() < 1e-10, "{f:?}: {off}");
            assert!((found.unwrap() - stop).abs() < 1e-9, "{f:?}");
            assert!(run.summary.energy_drift < 1e-9);
        }
    }
}

/// A ball with backspin slides, then rolls with 5/7 v − 2/7 r ω, from t = 2 (v + r ω)/(7 μ g) on.
#[test]
fn exact_ball_slides_then_rolls() {
    let (r, m, mu, v, w) = (0.1, 0.4, 0.3, 2.0, 5.0);
    let i = 0.4 * m * r * r;
    let model = Model::spatial("ball")
        .gravity([0.0, 0.0, -G])
        .point("P", [0.0, 0.0, r])
        .body(Body::with_inertia("ball", ["P"], m, [0.0, 0.0, r], Inertia::Matrix([i, i, i, 0.0, 0.0, 0.0])))
        .velocity("P", [v, 0.0, 0.0])
        .angular_velocity("ball", [0.0, -w, 0.0]);
    for f in applicable(&model) {
        let model = model.clone().settings(Settings { formulation: f, ..settings(2.0, 0.1, 1e-11) });
        let mut mechanism = model.assemble().unwrap();
        let centre = spot(&mechanism, "ball", [0.0, 0.0, r]);
        against_ground(&mut mechanism, "table", [0.0; 3], [0.0, 0.0, 1.0], centre, r, mu, 0.5);
        let run = run_with(&mechanism);
        let exact = 5.0 / 7.0 * v - 2.0 / 7.0 * r * w;
        let begins = 2.0 * (v + r * w) / (7.0 * mu * G);
        let last = run.frames.last().unwrap();
        let stick = run.summary.events.iter().find(|e| e.kind == EventKind::Stick).unwrap();
        println!(
            "{}: speed off by {:.1e}, rolls at {:.1e} s from the closed form, energy {:.1e}",
            f.name(),
            last.velocities[0][0] - exact,
            stick.t - begins,
            run.summary.energy_drift
        );
        assert!((last.velocities[0][0] - exact).abs() < 1e-9, "{f:?}");
        assert!((stick.t - begins).abs() < 1e-9, "{f:?}");
        assert!(run.summary.energy_drift < 1e-9);
    }
}

/// [housner1963]: a rocking block loses ω⁺/ω⁻ = 1 − 3/2 sin²α at each impact, and falls back within the time that energy tells.
#[test]
fn exact_rocking_block() {
    let (b, h, tilt) = (0.2_f64, 0.6_f64, 0.1_f64);
    let (alpha, radius) = ((b / h).atan(), 0.5 * b.hypot(h));
    let (c, s) = (tilt.cos(), tilt.sin());
    // turned about the right lower corner, clockwise
    let at = |x: f64, y: f64| [c * (x - b) + s * y + b, -s * (x - b) + c * y];
    let corners = [("A", 0.0, 0.0), ("B", b, 0.0), ("C", b, h), ("D", 0.0, h)];
    let mut model = Model::planar("block").gravity([0.0, -G]);
    for (name, x, y) in corners {
        model = model.point(name, at(x, y));
    }
    let model = model.body(Body::plate("block", ["A", "B", "C", "D"], 5.0));
    // ∫ dθ/ω with θ = tilt (1 − s²)
    let n = 20_000;
    let quarter: f64 = (0..n)
        .map(|k| {
            let s = (k as f64 + 0.5) / n as f64;
            let theta = tilt * (1.0 - s * s);
            let fall = (alpha - tilt).cos() - (alpha - theta).cos();
            2.0 * tilt * s / (1.5 * G / radius * fall).sqrt() / n as f64
        })
        .sum();
    let ratio = 1.0 - 1.5 * alpha.sin().powi(2);
    for f in FEW {
        let model = model.clone().settings(Settings { formulation: f, ..settings(4.0, 0.05, 1e-11) });
        let mut mechanism = model.assemble().unwrap();
        for i in [0, 1] {
            let corner = spot(&mechanism, "block", model.points[i].position);
            let name = ["A", "B"][i];
            against_ground(&mut mechanism, name, [0.0; 3], [0.0, 1.0, 0.0], corner, 0.0, 2.0, 0.0);
        }
        let run = run_with(&mechanism);
        let impacts: Vec<_> = run.summary.events.iter().filter(|e| e.kind == EventKind::Impact).collect();
        let mut worst: f64 = 0.0;
        for event in impacts.iter().take(10) {
            let rates: Vec<f64> = run
                .frames
                .iter()
                .filter(|frame| frame.t == event.t)
                .map(|frame| frame.motions[0].w[2])
                .collect();
            worst = worst.max((rates[1] / rates[0] - ratio).abs());
        }
        let last = run.frames.last().unwrap();
        println!(
            "{}: {} impacts, first off by {:.1e} s, ratio by {worst:.1e}, at rest at {:.3} s, energy {:.1e}",
            f.name(),
            impacts.len(),
            impacts[0].t - quarter,
            run.summary.events.last().unwrap().t,
            run.summary.energy_drift
        );
        assert!((impacts[0].t - quarter).abs() < 1e-7, "{f:?}");
        assert!(worst < 1e-9, "{f:?}: {worst}");
        assert!(last.motions[0].w[2].abs() < 1e-12 && last.contacts.iter().all(|c| c.closed), "{f:?}");
    }
}

/// Boxes dropped on each other come to rest, one by one; every floor carries what is above it.
#[test]
fn exact_stack_of_boxes() {
    let names = ["low", "middle", "high"];
    let mut model = Model::planar("stack").gravity([0.0, -G]);
    for (k, name) in names.iter().enumerate() {
        let (x, y) = (0.02 * k as f64, 0.21 * k as f64 + 0.01);
        let corners = [(-0.2, 0.0), (0.2, 0.0), (0.2, 0.2), (-0.2, 0.2)];
        let mut points = Vec::new();
        for (c, (dx, dy)) in corners.into_iter().enumerate() {
            let point = format!("{name}{c}");
            model = model.point(point.clone(), [x + dx, y + dy]);
            points.push(point);
        }
        model = model.body(Body::plate(*name, points, 2.0));
    }
    for f in FEW {
        let model = model.clone().settings(Settings { formulation: f, ..settings(3.0, 0.1, 1e-10) });
        let mut mechanism = model.assemble().unwrap();
        for (k, name) in names.iter().enumerate() {
            for c in [0, 1] {
                let corner = spot(&mechanism, name, model.points[4 * k + c].position);
                let label = format!("{name}{c}");
                if k == 0 {
                    against_ground(&mut mechanism, &label, [0.0; 3], [0.0, 1.0, 0.0], corner, 0.0, 0.4, 0.3);
                    continue;
                }
                let plane = spot(&mechanism, names[k - 1], model.points[4 * (k - 1) + 2].position);
                let normal = Direction { body: plane.body, u: [0.0, 1.0, 0.0] };
                let feature = Feature::BallOnPlane { plane, normal, centre: corner, radius: 0.0 };
                mechanism.add_contact(MechanismContact {
                    name: label,
                    feature,
                    friction: 0.4,
                    restitution: 0.3,
                    hidden: false,
                });
            }
        }
        let run = run_with(&mechanism);
        let last = run.frames.last().unwrap();
        let load = |k: usize| last.contacts[2 * k].normal + last.contacts[2 * k + 1].normal;
        let off = [load(0) - 6.0 * G, load(1) - 4.0 * G, load(2) - 2.0 * G];
        println!(
            "{}: {} events, the last at {:.3} s, loads off by {off:?}, energy {:.1e}",
            f.name(),
            run.summary.events.len(),
            run.summary.events.last().unwrap().t,
            run.summary.energy_drift
        );
        assert!(off.iter().all(|x| x.abs() < 1e-9), "{f:?}: {off:?}");
        assert!(last.motions.iter().all(|m| m.v[1].abs() < 1e-12 && m.w[2].abs() < 1e-12), "{f:?}");
        assert!(run.summary.energy_drift < 1e-8);
    }
}

/// Runge–Kutta of order 4 is exact on parabolas; Euler, which does not project, comes to rest as well and sinks in by its own error only.
#[test]
fn exact_bouncing_with_fixed_steps() {
    let r = 0.1;
    let model = Model::planar("ball").gravity([0.0, -G]).point("P", [0.0, 1.0 + r]).body(Body::with_inertia(
        "ball",
        ["P"],
        0.5,
        [0.0, 1.0 + r, 0.0],
        Inertia::Polar(0.002),
    ));
    for (integrator, step) in [(Integrator::Rk4, 0.01), (Integrator::Euler, 1e-3)] {
        for f in FEW {
            let model = model.clone().settings(Settings {
                formulation: f,
                integrator,
                step: Some(step),
                ..settings(4.0, 0.1, 1e-9)
            });
            let mut mechanism = model.assemble().unwrap();
            let centre = spot(&mechanism, "ball", [0.0, 1.0 + r, 0.0]);
            against_ground(&mut mechanism, "floor", [0.0; 3], [0.0, 1.0, 0.0], centre, r, 0.3, 0.6);
            let run = mechanism.simulate().unwrap();
            assert_eq!(run.summary.status, Status::Finished, "{f:?}: {:?}", run.summary);
            let first = run.summary.events[0].t - (2.0 / G).sqrt();
            let last = run.frames.last().unwrap().contacts[0];
            println!(
                "{}, {integrator:?}: first impact off by {first:.1e} s, {} events, gap {:.1e}",
                f.name(),
                run.summary.events.len(),
                last.gap
            );
            assert!(last.closed && last.gap.abs() < 1e-11, "{f:?}: {last:?}");
            assert!((last.normal - 0.5 * G).abs() < 1e-9, "{f:?}: {last:?}");
            assert!(first.abs() < if integrator == Integrator::Rk4 { 1e-12 } else { 2e-3 }, "{f:?}");
        }
    }
}

/// Painlevé's rod: it slides on its end with so much friction that no force obeys the laws. The slip ends at once, and the energy is lost.
#[test]
fn exact_rod_that_jams() {
    let (m, l, angle, v, mu) = (1.0, 0.5, 1.0_f64, 1.0, 3.0);
    let (c, s) = (angle.cos(), angle.sin());
    assert!(1.0 + 3.0 * c * c - 3.0 * mu * s * c < 0.0);
    let model = Model::planar("rod")
        .gravity([0.0, -G])
        .point("P", [0.0, 0.0])
        .point("Q", [2.0 * l * c, 2.0 * l * s])
        .body(Body::rod("rod", ["P", "Q"], m))
        .velocity("P", [-v, 0.0])
        .velocity("Q", [-v, 0.0]);
    for f in FEW {
        let model = model.clone().settings(Settings { formulation: f, ..settings(0.01, 0.01, 1e-10) });
        let mut mechanism = model.assemble().unwrap();
        let end = spot(&mechanism, "rod", [0.0; 3]);
        against_ground(&mut mechanism, "floor", [0.0; 3], [0.0, 1.0, 0.0], end, 0.0, mu, 0.0);
        let run = run_with(&mechanism);
        let event = &run.summary.events[0];
        assert_eq!((event.kind, event.t), (EventKind::Impact, 0.0));
        // about the end that stops: (4/3) l² ω = l v sin θ
        let w = 0.75 * v * s / l;
        let after = &run.frames[1];
        let energy = 2.0 / 3.0 * m * l * l * w * w - 0.5 * m * v * v;
        let off = [after.motions[0].w[2].abs() - w, event.energy - energy, after.velocities[0][0]];
        println!("{}: {off:?}", f.name());
        assert!(off.iter().all(|x| x.abs() < 1e-12), "{f:?}: {off:?}");
    }
}
