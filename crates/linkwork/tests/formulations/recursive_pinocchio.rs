//! Trees of links against Pinocchio: `data/make_pinocchio.py` tells how its figures were made and how conventions differ.

use linkwork::recursive::{Derivatives, Dynamics, Inverse, Link, LinkJoint, MassMatrix, Tree};
use serde_json::Value;

use crate::suite::trees;
use trees::apart;

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

fn vector(value: &Value) -> [f64; 3] {
    numbers(value).try_into().unwrap()
}

fn matrix(value: &Value) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| vector(&value[i]))
}

fn link(value: &Value) -> Link {
    let axis = vector(&value["axis"]);
    let joint = match value["joint"].as_str().unwrap() {
        "revolute" => LinkJoint::revolute(axis),
        "prismatic" => LinkJoint::prismatic(axis),
        "ball" => LinkJoint::Ball,
        "free" => LinkJoint::Free,
        other => panic!("{other}"),
    };
    Link {
        mass: value["mass"].as_f64().unwrap(),
        com: vector(&value["com"]),
        inertia: matrix(&value["inertia"]),
        ..Link::massless(
            value["parent"].as_u64().map(|p| p as usize),
            joint,
            matrix(&value["rotation"]),
            vector(&value["translation"]),
        )
    }
}

fn lower(n: usize, full: &[f64]) -> Vec<f64> {
    (0..n).flat_map(|i| full[i * n..i * n + i + 1].iter().copied()).collect()
}

/// All of the family, relative to the largest number of each quantity.
#[test]
fn cross_pinocchio() {
    let data: Value = serde_json::from_str(include_str!("../data/pinocchio.json")).unwrap();
    let gravity = vector(&data["gravity"]);
    for case in data["cases"].as_array().unwrap() {
        let links: Vec<Link> = case["links"].as_array().unwrap().iter().map(link).collect();
        let tree = Tree::new(&links, gravity).unwrap();
        let n = tree.u_count();
        let [q, u, accelerations, tau] = ["q", "u", "accelerations", "tau"].map(|key| numbers(&case[key]));
        let mut figures = Vec::new();
        let mut out = vec![0.0; n];
        Inverse::new(tree.clone()).forces(&q, &u, &accelerations, &mut out);
        figures.push(("τ", apart(&out, &tau), 1e-12));
        Dynamics::new(tree.clone()).forward(&q, &u, &tau, &mut out);
        figures.push(("u̇", apart(&out, &accelerations), 1e-11));
        let mut mass = MassMatrix::new(tree.clone());
        let mut m = vec![0.0; n * n];
        mass.full(&q, &mut m);
        figures.push(("M", apart(&lower(n, &m), &numbers(&case["mass_lower"])), 1e-12));
        mass.inverse(&q, &mut m).unwrap();
        figures.push(("M⁻¹", apart(&lower(n, &m), &numbers(&case["inverse_lower"])), 1e-11));
        let mut derivatives = Derivatives::new(tree);
        derivatives.inverse(&q, &u, &accelerations);
        let by_position = apart(derivatives.by_position(), &numbers(&case["tau_by_position"]));
        let by_rate = apart(derivatives.by_rate(), &numbers(&case["tau_by_rate"]));
        figures.extend([("∂τ/∂q", by_position, 1e-12), ("∂τ/∂u", by_rate, 1e-12)]);
        derivatives.forward(&q, &u, &tau).unwrap();
        let by_position = apart(derivatives.by_position(), &numbers(&case["acceleration_by_position"]));
        let by_rate = apart(derivatives.by_rate(), &numbers(&case["acceleration_by_rate"]));
        let by_force = apart(&lower(n, derivatives.by_force()), &numbers(&case["inverse_lower"]));
        figures.extend([
            ("∂u̇/∂q", by_position, 1e-11),
            ("∂u̇/∂u", by_rate, 1e-11),
            ("∂u̇/∂τ", by_force, 1e-11),
        ]);
        let told: Vec<String> = figures.iter().map(|(name, x, _)| format!("{name} {x:.1e}")).collect();
        println!("{}: {}", case["name"].as_str().unwrap(), told.join(", "));
        for (name, error, bar) in figures {
            assert!(error < bar, "{} {name}: {error:.1e}", case["name"]);
        }
    }
}
