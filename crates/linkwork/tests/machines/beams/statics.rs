//! Bent beams at rest: closed forms, and rods integrated along their arc.

use super::{assemble, cantilever, distance, rest};
use linkwork::analysis::EquilibriumOptions;
use linkwork::model::{Beam, BeamOrder, BeamSection, Couple, Force, Material, Model};
use serde_json::Value;
use std::f64::consts::{LN_2, PI};

/// `studies/rod_witness.py` wrote it.
fn witnesses(case: &str) -> Vec<Value> {
    of_case(include_str!("../../data/rods.json"), case)
}

fn of_case(text: &str, case: &str) -> Vec<Value> {
    let all: Vec<Value> = serde_json::from_str(text).expect("a list");
    all.into_iter().filter(|entry| entry["case"] == case).collect()
}

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    std::array::from_fn(|i| value[i].as_f64().expect("a number"))
}

/// A beam in space with the stiffness of a witness, clamped at A.
fn rod(witness: &Value, through: &[String]) -> Beam {
    let [ea, ga_2, ga_3, gj, ei_2, ei_3] = numbers(&witness["stiffness"]);
    Beam::new("rod", "A", "B")
        .through(through)
        .stiffness(ea, [ei_2, ei_3], 1.0)
        .shear([ga_2, ga_3])
        .torsion(gj)
        .clamp("ground", "none")
}

/// M = 2π EI/L rolls a clamped beam into a circle: its tip comes back to the clamp. Errors fall with h² and h⁴, as promised, down to 1e-8 of its length.
#[test]
fn order_of_a_beam_rolled_into_a_circle() {
    for (order, counts, least, most) in
        [(BeamOrder::Linear, [20, 40], 1.9, 0.3), (BeamOrder::Quadratic, [64, 256], 3.95, 1e-7)]
    {
        let errors = counts.map(|n| {
            let moment = 2.0 * PI * 100.0 / 10.0;
            let model = cantilever(n, order).couple(Couple::new("m", "beam/B", [0.0, 0.0, moment]));
            let error = distance(rest(&model, "B"), [0.0; 3]);
            println!("{order:?} {n}: {error:.3e} m");
            error
        });
        let rate = (errors[0] / errors[1]).ln() / (counts[1] as f64 / counts[0] as f64).ln();
        println!("{order:?}: order {rate:.2}");
        assert!(rate > least && errors[1] < most, "{order:?}: {errors:?}");
    }
}

/// [bathe1979]: an arc of 45° with the radius 100 under 600 across its plane, with two torsion constants, against the rod integrated along its arc: errors fall with h⁴ to 1e-4.
#[test]
fn paper_arc_of_45_degrees() {
    let at = |angle: f64| [100.0 * angle.sin(), 100.0 * (1.0 - angle.cos()), 0.0];
    for witness in witnesses("arc") {
        let known: [f64; 3] = numbers(&witness["moved"]);
        let errors = [8, 24].map(|elements| {
            let model = Model::spatial("arc")
                .point("A", at(0.0))
                .point("M", at(PI / 8.0))
                .point("B", at(PI / 4.0))
                .ground(["A"])
                .beam(rod(&witness, &["M".into()]).elements(elements, BeamOrder::Quadratic))
                .force(Force::new("f", "rod/B", "B", [0.0, 0.0, 600.0]));
            let tip = rest(&model, "B");
            let moved: [f64; 3] = std::array::from_fn(|i| tip[i] - at(PI / 4.0)[i]);
            println!("{elements}: {moved:?}, {:.1e} off", distance(moved, known));
            distance(moved, known)
        });
        let rate = (errors[0] / errors[1]).ln() / 3f64.ln();
        println!("order {rate:.2}");
        assert!(errors[1] < 1e-4 && rate > 3.8, "{errors:?}");
    }
}

/// The converged tip that programs publish for that arc is the one of a parabola through three of its points, which those programs draw instead of it. Through points of that
/// parabola ours is there, too.
#[test]
fn paper_converged_tip_of_a_parabola() {
    let witness = &witnesses("parabola")[0];
    let ([a, b], published): ([f64; 2], [f64; 3]) =
        (numbers(&witness["coefficients"]), numbers(&witness["published"]));
    let known: [f64; 3] = numbers(&witness["moved"]);
    assert!(distance(published, known) < 1e-9, "{published:?} {known:?}");
    let end = witness["end"].as_f64().expect("a number");
    let at = |k: usize| {
        let x = end * k as f64 / 16.0;
        [x, a * x * x + b * x, 0.0]
    };
    let names: Vec<String> = (1..16).map(|k| format!("P{k}")).collect();
    let mut model = Model::spatial("parabola").point("A", at(0)).point("B", at(16)).ground(["A"]);
    for (k, name) in names.iter().enumerate() {
        model = model.point(name, at(k + 1));
    }
    let beam = rod(witness, &names).elements(32, BeamOrder::Quadratic);
    let tip = rest(&model.beam(beam).force(Force::new("f", "rod/B", "B", [0.0, 0.0, 600.0])), "B");
    let moved: [f64; 3] = std::array::from_fn(|i| tip[i] - at(16)[i]);
    println!("{moved:?}, {:.1e} off", distance(moved, published));
    // elements as in the arc, and a spline through 17 points
    assert!(distance(moved, published) < 1e-3, "{moved:?} {published:?}");
}

/// The Princeton beam [bauchau2015] against the rod integrated along its arc, and at equal mesh against Exudyn (`studies/beam_peers.py`).
#[test]
fn cross_princeton_beam() {
    let tip = |witness: &Value, elements: usize, order: BeamOrder| -> [f64; 3] {
        let number = |key: &str| witness[key].as_f64().expect("a number");
        let (length, load, angle) = (number("length"), number("load"), number("angle").to_radians());
        let model = Model::spatial("princeton")
            .point("A", [0.0; 3])
            .point("B", [length, 0.0, 0.0])
            .ground(["A"])
            .beam(rod(witness, &[]).up([0.0, 1.0, 0.0]).elements(elements, order))
            .force(Force::new("f", "rod/B", "B", [0.0, load * angle.cos(), load * angle.sin()]));
        let tip = rest(&model, "B");
        [tip[0] - length, tip[1], tip[2]]
    };
    let mut worst: f64 = 0.0;
    for witness in witnesses("princeton") {
        let (found, known) = (tip(&witness, 8, BeamOrder::Quadratic), numbers(&witness["moved"]));
        worst = worst.max(distance(found, known) / distance(known, [0.0; 3]));
    }
    println!("off by {worst:.1e} of the displacement with 8 quadratic elements");
    assert!(worst < 2e-5, "{worst}");
    let peers: Value = serde_json::from_str(include_str!("../../data/exudyn_beams.json")).expect("a file");
    for peer in of_case(&peers["cases"].to_string(), "princeton") {
        let elements = peer["elements"].as_u64().expect("a count") as usize;
        let (found, theirs) = (tip(&peer, elements, BeamOrder::Linear), numbers(&peer["moved"]));
        let off = distance(found, theirs) / distance(theirs, [0.0; 3]);
        let same = |w: &&Value| w["load"] == peer["load"] && w["angle"] == peer["angle"];
        let all = witnesses("princeton");
        let exact: [f64; 3] = numbers(&all.iter().find(same).expect("a witness")["moved"]);
        let error = |tip: [f64; 3]| distance(tip, exact) / distance(exact, [0.0; 3]);
        println!(
            "{}°: apart by {off:.1e}; ours off by {:.1e}, theirs by {:.1e}",
            peer["angle"],
            error(found),
            error(theirs)
        );
        assert!(off < 1e-3, "{found:?} {theirs:?}");
    }
}

/// A rectangle whose width falls evenly to a half: with I = I_0 (1 − s/2L) the tip moves by F L³/E I_0 (2 ln 2 − 1), and by shear by 2 ln 2 F L/G A_0 k.
#[test]
fn exact_deflection_of_a_tapered_cantilever() {
    let (width, height, length, force) = (20e-3, 4e-3, 0.8, 1e-6);
    let section =
        BeamSection::rectangle(width, height).tapered_to(&BeamSection::rectangle(0.5 * width, height));
    let model = Model::planar("taper")
        .point("A", [0.0, 0.0])
        .point("B", [length, 0.0])
        .ground(["A"])
        .beam(Beam::new("blade", "A", "B").material(Material::Steel, section).clamp("ground", "none"))
        .force(Force::new("f", "blade/B", "B", [0.0, -force, 0.0]));
    let [young, poisson, _] = Material::Steel.values();
    let (area, second) = (width * height, width * height.powi(3) / 12.0);
    let shear = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson) * 0.5 * young / (1.0 + poisson) * area;
    let exact =
        force * length.powi(3) / (young * second) * (2.0 * LN_2 - 1.0) + 2.0 * LN_2 * force * length / shear;
    let tip = rest(&model, "B");
    // eight elements: two Gauss points each for 1/(1 − s/2L)
    assert!((tip[1] / -exact - 1.0).abs() < 1e-5, "{} {exact}", tip[1]);
}

/// A quarter of a circle, clamped at its foot, under a small force F along the tangent of its tip: F R³/EI (3π/4 − 2) + F R π/4 (1/EA + 1/GA).
#[test]
fn exact_deflection_of_a_curved_cantilever() {
    let (radius, force) = (2.0, 1e-5);
    let at = |angle: f64| [radius * angle.sin(), radius * (1.0 - angle.cos())];
    let model = Model::planar("quarter")
        .point("A", at(0.0))
        .point("M", at(0.25 * PI))
        .point("B", at(0.5 * PI))
        .ground(["A"])
        .beam(
            Beam::new("arc", "A", "B")
                .through(["M"])
                .stiffness(1e4, [100.0; 2], 1.0)
                .shear([4e3; 2])
                .elements(16, BeamOrder::Quadratic)
                .clamp("ground", "none"),
        )
        .force(Force::new("f", "arc/B", "B", [0.0, force, 0.0]));
    let exact =
        force * radius.powi(3) / 100.0 * (0.75 * PI - 2.0) + force * radius * 0.25 * PI * (1e-4 + 2.5e-4);
    let tip = rest(&model, "B");
    println!("{} {exact}", tip[1] - radius);
    assert!(((tip[1] - radius) / exact - 1.0).abs() < 1e-4, "{} {exact}", tip[1] - radius);
}

/// Thousands of elements: a cantilever of 2,000 bends as one of 20 does, in as many steps.
#[test]
fn same_equilibrium_with_two_thousand_elements() {
    let found = [20, 2000].map(|elements| {
        let model = cantilever(elements, BeamOrder::Quadratic).force(Force::new(
            "f",
            "beam/B",
            "B",
            [0.0, -5.0, 0.0],
        ));
        let mechanism = assemble(&model);
        let rest = mechanism.equilibrium(&EquilibriumOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let k = mechanism.points().iter().position(|p| p.name == "B").expect("a point");
        println!("{elements}: {} iterations, {:?}", rest.iterations, rest.frame.positions[k]);
        (rest.iterations, rest.frame.positions[k])
    });
    // 20 elements are not all there is to say
    assert!(distance(found[0].1, found[1].1) < 1e-4 && found[1].0 <= found[0].0 + 3, "{found:?}");
}

/// A rope of `[chains]` that stretches and bends is a beam without torsion and shear, at a third of the coordinates: between two pins both sag alike under their weight, the nearer the
/// finer the rope.
#[test]
fn cross_a_rope_is_a_beam_without_torsion() {
    let sag = |part: &str| {
        let text = format!(
            r#"
format = 1
model = {{ name = "sag", gravity = [0, -9.81] }}
points = {{ A = [0, 0], B = [1, 0] }}
bodies = {{ ground = {{ points = ["A", "B"] }} }}
{part}
"#
        );
        let model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
        let rest =
            assemble(&model).equilibrium(&EquilibriumOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        // sections have particles off the axis
        rest.frame.positions.iter().map(|r| r[1]).filter(|y| *y < 0.0).fold(0.0, f64::min)
    };
    let beam = sag(
        "beams.line = { from = 'A', to = 'B', elements = 32, axial_stiffness = 1e3, shear_stiffness = 1e6, bending_stiffness = 0.5, mass_per_length = 1 }",
    );
    let apart = [16, 32].map(|segments| {
        let rope = sag(&format!(
            "chains.line = {{ from = 'A', to = 'B', segments = {segments}, mass_per_length = 1, stiffness = 1e3, bending_stiffness = 0.5 }}"
        ));
        println!("{segments}: rope {rope}, beam {beam}");
        (rope / beam - 1.0).abs()
    });
    assert!(apart[1] < 3e-3 && apart[1] < 0.4 * apart[0], "{apart:?}");
}
