//! Steady motion against closed forms.

use linkwork::Error;
use linkwork::analysis::{Hold, SteadyMotion, SteadyOptions};
use linkwork::mechanism::Mechanism;
use linkwork::model::Model;
use std::f64::consts::PI;

const G: f64 = 9.81;

fn example(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn steady(mechanism: &Mechanism, hold: &[(&str, f64)]) -> SteadyMotion {
    let mut options = SteadyOptions::default();
    options.hold.extend(hold.iter().map(|&(what, value)| Hold { what: what.into(), value }));
    mechanism.steady_motion(&options).unwrap_or_else(|error| panic!("{error}"))
}

/// The angle of the governor's arms at a speed: the root of the derivative of V − ω² I / 2 over the angle.
fn arm_angle(omega: f64) -> f64 {
    let (arm, link, e_arm, e_link, top) = (0.25_f64, 0.22_f64, 0.03, 0.04, 0.6);
    let (ball, rod, sleeve, k) = (2.0, 0.15, 3.0, 800.0);
    let (axial, across) =
        (0.5 * rod * 0.005_f64.powi(2), rod * (3.0 * 0.005_f64.powi(2) + link * link) / 12.0);
    let height = |a: f64| {
        let x = e_arm + arm * a.sin();
        top - arm * a.cos() - (link * link - (x - e_link).powi(2)).sqrt()
    };
    let free_length = top - height(PI / 6.0);
    let slope = |a: f64| {
        let x = e_arm + arm * a.sin();
        let sin = (x - e_link) / link;
        let cos = (1.0 - sin * sin).sqrt();
        let (dx, dz) = (arm * a.cos(), arm * a.sin());
        let turn = dx / (link * cos);
        let ds = dz + link * sin * turn;
        let potential = 2.0 * (ball * G * dz + 0.5 * rod * G * (dz + ds)) + sleeve * G * ds
            - k * (top - height(a) - free_length) * ds;
        let inertia = 2.0
            * (2.0 * ball * x * dx
                + 0.5 * rod * (x + e_link) * dx
                + 2.0 * (across - axial) * sin * cos * turn);
        potential - 0.5 * omega * omega * inertia
    };
    let (mut low, mut high) = (0.12, 1.1);
    assert!(slope(low) * slope(high) < 0.0);
    let sign = slope(low).signum();
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if slope(middle).signum() == sign {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The flyball governor at four speeds: where centrifugal force, weights and spring balance; by a driver and by a held rate.
#[test]
fn exact_governor_at_four_speeds() {
    let text = example("governor");
    let at = text.find("[drivers.motor]").unwrap();
    let end = text.find("[measures]").unwrap();
    for rpm in [90.0, 110.0, 140.0, 170.0] {
        let omega = rpm * PI / 30.0;
        let driver = format!("[drivers.motor]\njoint = \"bearing\"\nvalue = \"{omega:?}*t\"\n\n");
        for (driven, hold) in [(true, vec![]), (false, vec![("joint.bearing.v", omega)])] {
            let middle = if driven { driver.as_str() } else { "" };
            let model = Model::from_toml(&format!("{}{middle}{}", &text[..at], &text[end..])).unwrap();
            let mechanism = model.assemble().unwrap();
            let found = steady(&mechanism, &hold);
            let arm = found.joints.iter().find(|joint| joint.joint == "arm 1").unwrap();
            let (angle, exact) = (PI / 6.0 + arm.after, arm_angle(omega));
            // accelerations are zero up to 1e-13 of the usual ones, and differences only steer the steps
            assert!((angle - exact).abs() < 1e-10, "{rpm}: {angle} {exact} {:e}", found.residual);
            let spindle = found.travelling.iter().find(|rate| rate.0 == "joint.bearing.v").unwrap();
            assert!((spindle.1 - omega).abs() < 1e-12 * omega);
            for held in &found.held {
                // nothing brakes it
                assert!(held.force.unwrap().abs() < 1e-9, "{held:?}");
            }
        }
    }
}

/// The example as it stands at 0.5 s, when its driver has turned by 330 degrees at 110 rpm.
#[test]
fn exact_governor_at_a_time() {
    let mechanism = Model::from_toml(&example("governor")).unwrap().assemble().unwrap();
    let mut options = SteadyOptions::default();
    options.at = 0.5;
    let found = mechanism.steady_motion(&options).unwrap();
    let arm = found.joints.iter().find(|joint| joint.joint == "arm 1").unwrap();
    assert!((PI / 6.0 + arm.after - arm_angle(110.0 * PI / 30.0)).abs() < 1e-10);
}

/// A trolley at a given speed with a pendulum in the wind of its drag: F = c v² = m g tan φ, and what holds the speed is the drag.
#[test]
fn exact_towed_pendulum() {
    let model = Model::from_toml(
        r#"
        format = 1
        [model]
        gravity = "-y"
        [points]
        O = [0, 0]
        C = [0, 0]
        M = [0, -0.5]
        [bodies]
        ground = { points = ["O"] }
        trolley = { points = ["C"], mass = 3 }
        bob = { points = ["C", "M"], mass = 2, com = "M", inertia = 0 }
        [joints]
        rail = { type = "prismatic", bodies = ["ground", "trolley"], at = ["O", "C"], axis = [1, 0] }
        pin = { type = "revolute", bodies = ["trolley", "bob"], at = "C" }
        [forces]
        wind = { body = "bob", at = "M", force = ["-0.3 * point.M.vx * abs(point.M.vx)", 0] }
        "#,
    )
    .unwrap();
    let mechanism = model.assemble().unwrap();
    let found = steady(&mechanism, &[("joint.rail.v", 4.0)]);
    let pin = found.joints.iter().find(|joint| joint.joint == "pin").unwrap();
    let exact = (0.3 * 16.0 / (2.0 * G)).atan();
    assert!((pin.after.abs() - exact).abs() < 1e-11, "{} {exact}", pin.after);
    assert!((found.held[0].force.unwrap() - 0.3 * 16.0).abs() < 1e-9, "{:?}", found.held);
    assert_eq!(found.travelling.len(), 1);
    // without a force that drives it, it has none but that at rest
    let error = mechanism.steady_motion(&SteadyOptions::default());
    assert!(error.is_ok_and(|rest| rest.travelling.is_empty()));
}

/// A car on brush tyres at 15 m/s runs straight at one height; wheels roll at the speed that this takes.
#[test]
fn exact_vehicle_at_constant_speed() {
    let model = Model::from_toml(&example("vehicle")).unwrap();
    let mechanism = model.assemble().unwrap();
    let found = steady(&mechanism, &[("body.chassis.vx", 15.0)]);
    let z = mechanism.points().iter().position(|point| point.name == "centre").unwrap();
    // radial tyres do not resist: the height is that at rest
    assert!((found.frame.positions[z][2] - 0.498927571487).abs() < 4e-11, "{}", found.frame.positions[z][2]);
    let fastest = found.frame.accelerations.iter().flatten().fold(0.0, |most: f64, a| most.max(a.abs()));
    assert!(fastest < 1e-9, "{fastest:e}");
}

/// What is not there cannot be held, and what accelerates is named.
#[test]
fn rates_are_named() {
    let model = Model::from_toml(
        "format = 1\n[model]\ngravity = [1, 0]\n[points]\nO = [0, 0]\nC = [1, 0]\n[bodies]\nground.points = [\"O\"]\ncart = { points = [\"C\"], mass = 2 }\n\
         [joints]\nrail = { type = \"prismatic\", bodies = [\"ground\", \"cart\"], at = [\"O\", \"C\"], axis = [1, 0] }\n",
    )
    .unwrap();
    let mechanism = model.assemble().unwrap();
    let message = |hold: &[(&str, f64)]| {
        let mut options = SteadyOptions::default();
        options.hold.extend(hold.iter().map(|&(what, value)| Hold { what: what.into(), value }));
        match mechanism.steady_motion(&options) {
            Err(Error::Equilibrium(message)) => message,
            other => panic!("{other:?}"),
        }
    };
    assert!(message(&[("joint.rial.v", 1.0)]).contains("cannot hold `joint.rial.v`"));
    assert!(
        message(&[]).contains("`rail`") && message(&[]).contains("changes with 1.000e0"),
        "{}",
        message(&[])
    );
    // held, it takes the force of its weight
    let found = steady(&mechanism, &[("joint.rail.v", 1.0)]);
    assert!((found.held[0].force.unwrap() + 2.0).abs() < 1e-12, "{:?}", found.held);
}

/// A four-bar and a slider-crank whose cranks are held at a speed go on, but not steadily: other rates change. Nor does a bicycle that is held leaning over more and more.
#[test]
fn exact_loops_at_constant_speed_are_no_steady_motion() {
    for name in ["four-bar", "slider-crank", "bicycle"] {
        let mechanism = Model::from_toml(&example(name)).unwrap().assemble().unwrap();
        let error = mechanism.steady_motion(&SteadyOptions::default()).unwrap_err().to_string();
        println!("{error}");
        assert!(error.contains("no steady motion with these rates: `"), "{name}: {error}");
    }
    // the Hooke's joints of a shaft that is bent make its middle speed up and slow down
    let mechanism = Model::from_toml(&example("universal-shaft")).unwrap().assemble().unwrap();
    let error = mechanism.steady_motion(&SteadyOptions::default()).unwrap_err().to_string();
    assert!(error.contains("no steady motion with these rates"), "{error}");
}

/// Roundings are no travel; the vehicle on radial tyres slides without its wheels.
#[test]
fn exact_vehicle_at_rest_travels_nowhere() {
    let mechanism = Model::from_toml(&example("vehicle")).unwrap().assemble().unwrap();
    let found = steady(&mechanism, &[]);
    assert!(found.travelling.is_empty(), "{:?}", found.travelling);
    let found = steady(&mechanism, &[("body.chassis.vx", 15.0)]);
    assert_eq!(found.travelling.len(), 1);
    assert_eq!(found.travelling[0].0, "body.chassis.vx");
}
