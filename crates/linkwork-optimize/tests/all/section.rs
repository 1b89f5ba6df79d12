//! The section `[optimize]`: what it may say, and how faults are named.

use crate::{refusal, study};
use linkwork::model::{Goal, Model, ModelFile, Over, Part, Reduction};
use linkwork_optimize::{End, Method, Options, Study, optimize};

const SLIDER: &str = r#"format = 1
parameters = { r = "30 mm", l = "120 mm" }   # crank and rod
points = { O = [0, 0], A = ["r", 0], B = ["r + l", 0] }
bodies.ground = { points = ["O"] }
bodies.crank = { points = ["O", "A"], mass = 1 }
bodies.rod = { points = ["A", "B"], mass = 1, length = "l" }
bodies.piston = { points = ["B"], mass = 1, com = "B", inertia = 1 }
joints.guide = { type = "prismatic", bodies = ["ground", "piston"], at = "B", axis = [1, 0] }
drivers.motor = { joint = "O", value = "2 * pi * t" }
measures.lift = "point.B.x - 0.1"
simulation = { duration = 1, output_step = 0.02 }
[optimize]
"#;

fn with(section: &str) -> String {
    format!("{SLIDER}{section}")
}

/// The stroke of a slider-crank is 2 r, whatever the rod: an equality and an inequality, which is active.
#[test]
fn exact_stroke_with_constraints() {
    let text = with(
        "over = \"kinematics\"\nminimize = \"r + l\"\nvariables = { r = { from = 0.01, to = 0.06 }, l = { from = 0.05, to = 0.3 } }\n\
         constraints = { stroke = \"max(point.B.x) - min(point.B.x) == 80 mm\", slim = \"l >= 3 * r\" }",
    );
    for method in [Method::Auto, Method::Sqp] {
        let found =
            optimize(&study("slider.toml", &text), &Options { method, runs: 6000, ..Options::default() })
                .unwrap();
        assert!(
            (found.x[0] - 0.04).abs() < 1e-6 && (found.x[1] - 0.12).abs() < 1e-6,
            "{method:?} {:?} {}",
            found.x,
            found.message
        );
        assert!(found.constraints.iter().all(|one| one.holds), "{:?}", found.constraints);
        // one per cent of 3 r = 0.12 m allows a rod that is so much shorter
        let slim = found.limits.iter().find(|limit| limit.what.starts_with("slim")).unwrap();
        assert!((slim.per_cent + 0.0012).abs() < 1e-4 && !slim.is_equation, "{slim:?}");
        // r + l = 2 × stroke: one per cent of 80 mm more costs 1.6 mm
        let stroke = found.limits.iter().find(|limit| limit.what.starts_with("stroke")).unwrap();
        assert!((stroke.per_cent - 0.0016).abs() < 1e-5 && stroke.is_equation, "{stroke:?}");
    }
}

/// A rod that is too short for the crank cannot be assembled: the search starts there, closes the mechanism and goes on.
#[test]
fn exact_search_from_a_mechanism_that_does_not_close() {
    let text = r#"format = 1
model.dimension = 2
parameters = { a = 2.5, b = 1 }
points = { O = [0, 0], A = [1, 0], B = [2, 1], C = [3, 0] }
bodies.ground = { points = ["O", "C"] }
bodies.crank = { points = ["O", "A"], mass = 1 }
bodies.rod = { points = ["A", "B"], mass = 1, length = "b" }
bodies.rocker = { points = ["B", "C"], mass = 1, length = "a" }
drivers.motor = { joint = "O", value = "t" }
simulation = { duration = 0.2, output_step = 0.02 }
[optimize]
over = "kinematics"
minimize = "(b - 2)^2 + (final(point.B.y) - 1.5)^2"
variables = { b = { from = 0.3, to = 3 } }
"#;
    // |AC| = 2 < a − b: no triangle
    let text = text.replace("b = 1 }", "b = 0.35 }");
    let study = study("open.toml", &text);
    let found = optimize(&study, &Options::default()).unwrap();
    assert!(found.first_objective.is_nan() && found.history[0].open > 0.0);
    assert!(found.objective.is_finite() && found.constraints.is_empty(), "{}", found.message);
    assert!(found.x[0] > 0.5, "{:?}", found.x);
}

#[test]
fn same_result_for_any_number_of_threads() {
    let text = with(
        "over = \"kinematics\"\nresiduals = [\"max(point.B.x) - 0.2\", \"min(lift) + 0.02\"]\nvariables = { r = { from = 0.01, to = 0.06 }, l = { from = 0.05, to = 0.3 } }",
    );
    let found = |jobs| {
        let study =
            linkwork_optimize::Study::new(ModelFile::parse("slider.toml", &text).unwrap(), jobs).unwrap();
        let found = optimize(&study, &Options { global: true, runs: 600, ..Options::default() }).unwrap();
        (found.x, found.evaluations, found.history.len())
    };
    assert_eq!(found(1), found(3));
}

/// A spring of 1 kN/m under 2 kg of weight gives way by 19.62 mm: the stiffness for 10 mm.
#[test]
fn exact_stiffness_for_a_given_rest() {
    let text = r#"format = 1
model = { dimension = 2, gravity = "-y" }
points = { A = [0, 0], B = [0, -0.2] }
bodies.ground = { points = ["A"] }
bodies.mass = { points = ["B"], mass = 2, com = "B", inertia = 1 }
joints.guide = { type = "prismatic", bodies = ["ground", "mass"], at = "B", axis = [0, 1] }
springs.s = { between = ["A", "B"], stiffness = "1 kN/m", free_length = 0.2 }   # too soft
[optimize]
over = "equilibrium"
residuals = ["point.B.y + 210 mm"]
variables = { "springs.s.stiffness" = { from = 500, to = 5000 } }
"#;
    let study = study("hanging.toml", text);
    let found = optimize(&study, &Options::default()).unwrap();
    assert!((found.x[0] / 1962.0 - 1.0).abs() < 1e-8, "{:?} {}", found.x, found.message);
    assert!(study.text_with(&found.x).contains("# too soft"));
}

/// The end of a fall is −½ g t², and of a run its mean is a third of that.
#[test]
fn exact_duration_of_a_run() {
    let text = r#"format = 1
parameters.g = 9
model = { dimension = 2, gravity = [0, "-g"] }
points.B = [0, 0]
bodies.mass = { points = ["B"], mass = 2, com = "B", inertia = 1 }
simulation = { duration = 2, output_step = 0.01 }
[optimize]
residuals = ["mean(point.B.y) + 2"]
variables = { g = { from = 1, to = 20 } }
"#;
    let found = optimize(&study("fall.toml", text), &Options::default()).unwrap();
    // the mean of samples is that of straight lines between them: −g (T²/6 + h²/12)
    let exact = 2.0 / (4.0 / 6.0 + 1e-4 / 12.0);
    assert!((found.x[0] - exact).abs() < 1e-6, "{:?} {exact}", found.x);
}

#[test]
fn exact_parts_of_a_section() {
    let text =
        with("minimize = \"2 * max(abs(lift)) + at(0.5 s, point.B.x)\"\nvariables.r = { within = \"5 mm\" }");
    let file = ModelFile::parse("slider.toml", &text).unwrap();
    let optimization = file.model_and_optimization(&[]).unwrap().1.unwrap();
    assert_eq!(optimization.over, Over::Run);
    let Some(Goal::Minimize(reduced)) = optimization.goal else { panic!() };
    let kinds: Vec<Reduction> = reduced
        .parts
        .iter()
        .map(|part| match part {
            Part::Reduced(kind, _) => *kind,
            Part::Path(_) => panic!(),
        })
        .collect();
    assert_eq!(kinds, [Reduction::Max, Reduction::At(0.5)]);
}

/// The section stays when a model is written.
#[test]
fn same_section_in_a_written_file() {
    let text = with(
        "over = \"kinematics\"\nminimize = \"max(lift)\"  # as low as can be\nvariables.r = { within = \"5 mm\" }",
    );
    let written = Model::from_toml(&text).unwrap().to_toml().unwrap();
    let read = |text: &str| ModelFile::parse("m.toml", text).unwrap().model_and_optimization(&[]).unwrap().1;
    assert_eq!(read(&written), read(&text));
    assert!(written.contains("# as low as can be"), "{written}");
}

#[test]
fn wrong_sections_are_named() {
    let variables = "variables.r = { within = 0.01 }\n";
    for (section, words) in [
        ("minimize = \"max(lift)\"", vec!["`variables` is missing"]),
        (
            "minimize = \"max(lift)\"\nresiduals = [\"r\"]\nvariables.r = { within = 1 }",
            vec!["beside `residuals`"],
        ),
        (
            "minimize = \"max(min(lift))\"\nvariables.r = { within = 0.01 }",
            vec!["stands in another reduction", "13:"],
        ),
        ("minimize = \"max(lfit)\"\nvariables.r = { within = 0.01 }", vec!["`lfit`", "did you mean `lift`"]),
        ("minimize = \"max(point.X.y)\"\nvariables.r = { within = 0.01 }", vec!["`X`"]),
        ("minimize = \"at(9, lift)\"\nvariables.r = { within = 0.01 }", vec!["after the end of the run"]),
        ("minimize = \"path(B, way)\"\nvariables.r = { within = 0.01 }", vec!["no path `way`"]),
        ("minimize = \"path(Q, way)\"\nvariables.r = { within = 0.01 }", vec!["no point `Q`"]),
        ("minimize = \"r\"\nvariables.q = { within = 0.01 }", vec!["no number `q`"]),
        ("minimize = \"r\"\nvariables.r = { from = 1, to = 2 }", vec!["outside its range"]),
        ("minimize = \"r\"\nvariables.r = { from = 2, to = 1 }", vec!["range is empty"]),
        ("minimize = \"r\"\nvariables.r = { from = 2 }", vec!["`from` and `to`, or `within`"]),
        ("minimize = \"r\"\nvariables.r = { within = -1 }", vec!["must be positive"]),
        ("minimize = \"r\"\nvariables = {}", vec!["nothing that may change"]),
        (
            "minimize = \"max(lift)\"\nover = \"kinetics\"\nvariables.r = { within = 0.01 }",
            vec!["`kinetics`"],
        ),
        (
            "minimize = \"r\"\nvariables.r = { within = 0.01 }\nconstraints.c = \"r\"",
            vec!["compares two expressions"],
        ),
        ("minimize = \"r\"\nvariables.r = { within = 0.01 }\nconstraints.c = \"r < 1\"", vec!["no `<`"]),
        (
            "minimize = \"r\"\nvariables.r = { within = 0.01 }\nconstraints.c = \"max(point.B.x) <= 3 kg\"",
            vec!["a mass"],
        ),
        (
            "minimize = \"path(B, w)\"\nvariables.r = { within = 0.01 }\npaths.w.points = [[0, 0]]",
            vec!["nothing says when"],
        ),
        (
            "minimize = \"path(B, w, timing = free)\"\nvariables.r = { within = 0.01 }\npaths.w.points = [[0, 0]]",
            vec!["over kinematics only"],
        ),
        (
            "minimize = \"max(point.B.vx)\"\nover = \"kinematics\"\nvariables.r = { within = 0.01 }",
            vec!["more than positions"],
        ),
    ] {
        let said = refusal(&with(section));
        for word in words {
            assert!(said.contains(word), "{section}\n{said}");
        }
    }
    assert!(
        refusal(&with(variables).replace("[optimize]\n", "[optimize]\nminimise = \"r\"\n"))
            .contains("did you mean `minimize`")
    );
    assert!(refusal(SLIDER.trim_end().strip_suffix("[optimize]").unwrap()).contains("no section [optimize]"));
    let undriven = with("over = \"kinematics\"\nminimize = \"max(lift)\"\nvariables.r = { within = 0.01 }");
    let undriven = undriven.replace("drivers.motor = { joint = \"O\", value = \"2 * pi * t\" }\n", "");
    assert!(refusal(&undriven).contains("driven by nothing"));
}

/// A section that is given along with a file counts as one in it, and is no part of the text of the best model. What has no place in the text cannot be found.
#[test]
fn exact_section_given_along() {
    let (alone, wanted) = (
        SLIDER.trim_end().strip_suffix("[optimize]").unwrap(),
        r#"{ over = "kinematics", residuals = ["max(lift) - min(lift) - 80 mm"], variables = { r = { from = 0.01, to = 0.06 } } }"#,
    );
    let file = ModelFile::parse("slider.toml", alone).unwrap().with(&[("optimize", wanted)]).unwrap();
    let study = Study::new(file, 1).unwrap();
    let found = optimize(&study, &Options::default()).unwrap();
    assert_eq!(found.end, End::Converged);
    assert!((found.x[0] - 0.04).abs() < 1e-9);
    assert_eq!(study.text_with(&[0.04]), alone.replace("30 mm", "40 mm"));
    let file = ModelFile::parse("slider.toml", alone).unwrap();
    let given = file.with(&[("r", "20 mm"), ("l", "130 mm"), ("optimize", wanted)]).unwrap();
    let variables = given.variables().unwrap();
    let pairs: Vec<_> = variables.list().iter().map(|variable| (variable, 0.05)).collect();
    assert!(pairs.len() > 5);
    assert!(given.text_with(&pairs).contains("bodies.crank = { points = [\"O\", \"A\"], mass = 0.05 }"));
    let said = Study::new(given, 1).unwrap_err().to_string();
    assert!(said.contains("`r` was given along with the file") && said.contains("write its value"), "{said}");
}

/// A point with its derivatives: f = (2 r − 0.08)² and the slack of l ≥ 3 r, in parts of the larger side at the start.
#[test]
fn exact_evaluation_with_derivatives() {
    let text = with(
        "over = \"kinematics\"\nresiduals = [\"max(lift) - min(lift) - 80 mm\"]\nvariables.r = { from = 0.01, to = 0.06 }\n\
         constraints = { slim = \"l >= 3 * r\", short = \"r == 20 mm\" }",
    );
    let study = study("slider.toml", &text);
    let here = study.evaluation(&[0.03], true).unwrap();
    assert!((here.objective - 4e-4).abs() < 1e-12 && (here.gradient[0] + 0.08).abs() < 1e-8, "{here:?}");
    assert!((here.residuals[0] + 0.02).abs() < 1e-12 && (here.jacobian[0][0] - 2.0).abs() < 1e-8);
    assert!((here.constraints[0] - (0.09 - 0.12) / 0.12).abs() < 1e-12);
    assert!((here.constraint_gradients[0][0] - 3.0 / 0.12).abs() < 1e-6);
    assert!((here.constraints[1] - 0.01 / 0.03).abs() < 1e-12);
    assert!(study.evaluation(&[0.07], false).unwrap_err().to_string().contains("keep to the bounds"));
    assert!(study.evaluation(&[f64::NAN], false).is_err() && study.evaluation(&[], false).is_err());
    study.watch().stop();
    assert!(optimize(&study, &Options::default()).unwrap_err().to_string().contains("interrupted"));
}
