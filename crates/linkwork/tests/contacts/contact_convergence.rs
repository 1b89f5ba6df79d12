//! Time steps over contacts converge: errors against closed forms and against events, for shorter and shorter steps.

use linkwork::model::Model;
use linkwork::simulation::{Status, Trajectory};

const G: f64 = 9.81;

fn run(text: &str) -> Trajectory {
    let model = Model::from_toml(text).unwrap_or_else(|faults| panic!("{faults}\n{text}"));
    let run = model.assemble().unwrap_or_else(|faults| panic!("{faults}")).simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished, "{:?}", run.summary.status);
    run
}

/// Time steps of a length.
fn steps(step: f64) -> String {
    format!("contact_method = \"steps\"\nstep = {step:e}\n")
}

/// The place of the first point and two axes of the first body at the end.
fn end(run: &Trajectory) -> [[f64; 3]; 3] {
    let last = run.frames.last().unwrap();
    let turned = last.motions[0].turned;
    [last.positions[0], turned[0], turned[1]]
}

/// The largest difference.
fn apart(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

/// Errors of a model at steps that are halved twice, against its events.
fn errors(name: &str, text: impl Fn(&str) -> String, step: f64) -> [f64; 3] {
    let truth = end(&run(&text("contact_method = \"events\"\ntolerance = 1e-10\n")));
    let found = [step, 0.5 * step, 0.25 * step].map(|h| apart(&end(&run(&text(&steps(h)))), &truth));
    println!("{name}: {found:?}");
    found
}

fn sphere(angle: f64, mu: f64, method: &str) -> String {
    let gravity = [G * angle.sin(), 0.0, -G * angle.cos()];
    format!(
        r#"format = 1
model = {{ dimension = 3, gravity = {gravity:?} }}
[points]
C = [0, 0, 0.1]
[bodies]
ball = {{ points = ["C"], mass = 1, shape = {{ type = "sphere", radius = 0.1 }} }}
[surfaces]
floor = {{ type = "plane", normal = [0, 0, 1] }}
[contacts]
f = {{ between = ["ball", "floor"], friction = {mu} }}
[simulation]
duration = 0.5
output_step = 0.5
{method}"#
    )
}

/// A ball on a slope rolls with 5/7 g sin α where friction holds it, μ ≥ 2/7 tan α, and slides with g (sin α − μ cos α) and the angular acceleration 5 μ g cos α/2r where not.
#[test]
fn exact_ball_rolls_and_slides_on_slope() {
    let angle: f64 = 0.4;
    for (mu, a, spin) in [
        (0.3, 5.0 / 7.0 * G * angle.sin(), 50.0 / 7.0 * G * angle.sin()),
        (0.1, G * (angle.sin() - 0.1 * angle.cos()), 2.5 * G * angle.cos()),
    ] {
        for step in [1e-2, 1e-3] {
            let run = run(&sphere(angle, mu, &steps(step)));
            let motion = run.frames.last().unwrap().motions[0];
            let off = [motion.v[0] - 0.5 * a, motion.w[1] - 0.5 * spin, motion.c[0] - 0.125 * a];
            println!("mu {mu}, h {step}: {off:?}");
            // forces are constant: steps are exact, but for 1e-6 of a velocity that the solver may leave
            assert!(off.iter().all(|x| x.abs() < 1e-7), "{off:?}");
        }
    }
}

/// A ball rolls over the top of a fixed one: the surface is curved, and the normal turns.
#[test]
fn order_ball_rolls_on_ball() {
    let text = |method: &str| {
        format!(
            r#"format = 1
model = {{ dimension = 3, gravity = "-z" }}
[points]
C = [0, 0, 0.3]
[bodies]
ball = {{ points = ["C"], mass = 1, shape = {{ type = "sphere", radius = 0.1 }} }}
[surfaces]
hill = {{ type = "sphere", center = [0, 0, 0], radius = 0.2 }}
[contacts]
f = {{ between = ["ball", "hill"], friction = 2 }}
[initial.velocities]
C = [0.5, 0.2, 0]
[initial.angular_velocities]
ball = [-2, 5, 0]
[simulation]
duration = 0.2
output_step = 0.2
{method}"#
        )
    };
    let found = errors("ball on ball", text, 4e-3);
    assert!(found[2] < 1e-3 && found[2] < 0.6 * found[0] / 2.0, "{found:?}");
}

/// A coin on its edge, spun about the vertical, a few degrees off it: its point of contact travels around the rim.
#[test]
fn order_spinning_coin() {
    let text = |method: &str| {
        let (sin, cos) = 80_f64.to_radians().sin_cos();
        let height = 0.012 * sin + 0.001 * cos;
        format!(
            r#"format = 1
model = {{ dimension = 3, gravity = "-z" }}
[points]
C = [0, 0, {height}]
[bodies]
coin = {{ points = ["C"], mass = 0.006, shape = {{ type = "cylinder", radius = 0.012, length = 0.002, axis = [0, {sin}, {cos}] }} }}
[surfaces]
floor = {{ type = "plane", normal = [0, 0, 1] }}
[contacts]
f = {{ between = ["coin", "floor"], friction = 0.3 }}
[initial.angular_velocities]
coin = [0, 0, 20]
[simulation]
duration = 0.05
output_step = 0.05
{method}"#
        )
    };
    let found = errors("coin", text, 1e-3);
    assert!(found[2] < 0.02 && found[2] < 0.6 * found[0] / 2.0, "{found:?}");
}

/// A rod that stands nearly upright falls: its end holds, then slips.
#[test]
fn order_falling_rod() {
    let text = |method: &str| {
        let (sin, cos) = 20_f64.to_radians().sin_cos();
        format!(
            r#"format = 1
model = {{ dimension = 2, gravity = "-y" }}
[points]
C = [0, {}]
A = [{}, 0]
[bodies]
rod = {{ points = ["C", "A"], mass = 0.5, com = "C", inertia = 0.0104 }}
[surfaces]
floor = {{ type = "plane", normal = [0, 1] }}
tip = {{ type = "point", at = "A", body = "rod" }}
[contacts]
f = {{ between = ["tip", "floor"], friction = 0.25 }}
[simulation]
duration = 0.3
output_step = 0.3
{method}"#,
            0.25 * cos,
            -0.25 * sin
        )
    };
    let slips = |text: &str| {
        let run = run(text);
        run.frames.last().unwrap().positions[1][0] - run.frames[0].positions[1][0]
    };
    assert!(slips(&text("contact_method = \"events\"\n")).abs() > 1e-3, "the end has to slip");
    let found = errors("rod", text, 4e-3);
    assert!(found[2] < 1e-3 && found[2] < 0.6 * found[0] / 2.0, "{found:?}");
}
