//! Forces that are narrower than a step, in space, in velocity and in time: run by default, against the same equations of one coordinate written out here and
//! integrated by `dop853` with steps that are a fraction of the thing's width.

use linkwork::integrate::{Limits, Stepper, System};
use linkwork::model::{Integrator, Model};
use linkwork::simulation::{Status, Trajectory};
use std::convert::Infallible;

fn run(text: &str) -> Trajectory {
    let model = Model::from_toml(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mechanism = model.assemble().unwrap_or_else(|error| panic!("{error}\n{text}"));
    let run = mechanism.simulate().unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(run.summary.status, Status::Finished, "{text}");
    run
}

/// Numbers that look random, the same everywhere.
struct Dice(u64);
impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll()
    }
    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.roll() * list.len() as f64) as usize]
    }
}

/// What a law looks like around c, of width e and height 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Exp,
    Window,
    Step,
    Lorentz,
    If,
    Linear,
    Monotone,
}

impl Shape {
    const ALL: [Shape; 7] =
        [Shape::Exp, Shape::Window, Shape::Step, Shape::Lorentz, Shape::If, Shape::Linear, Shape::Monotone];

    /// As the model file has it, with the table that it needs.
    fn text(self, u: &str, c: f64, e: f64) -> (String, String) {
        let table = |kind: &str| {
            let knots = format!("x = [{}, {}, {c}, {}, {}]", c - 3.0, c - e, c + e, c + 3.0);
            (
                format!("spike({u})"),
                format!("[tables.spike]\n{knots}\ny = [0, 0, 1, 0, 0]\ninterpolation = \"{kind}\"\n"),
            )
        };
        let plain = |text: String| (text, String::new());
        match self {
            Shape::Exp => plain(format!("exp(-(({u} - ({c}))/{e})^2)")),
            Shape::Window => {
                let (low, high, w) = (c - e, c + e, e / 3.0);
                plain(format!("0.5*(tanh(({u} - ({low}))/{w}) - tanh(({u} - ({high}))/{w}))"))
            }
            Shape::Step => plain(format!("0.5 + 0.5*tanh(({u} - ({c}))/{e})")),
            Shape::Lorentz => plain(format!("1/(1 + (({u} - ({c}))/{e})^2)^2")),
            Shape::If => plain(format!("if({u} > {} and {u} < {}, 1, 0)", c - e, c + e)),
            Shape::Linear => table("linear"),
            Shape::Monotone => table("monotone"),
        }
    }

    fn at(self, u: f64, c: f64, e: f64) -> f64 {
        let z = (u - c) / e;
        match self {
            Shape::Exp => (-z * z).exp(),
            Shape::Window => 0.5 * ((3.0 * (z + 1.0)).tanh() - (3.0 * (z - 1.0)).tanh()),
            Shape::Step => 0.5 + 0.5 * z.tanh(),
            Shape::Lorentz => (1.0 + z * z).powi(-2),
            Shape::If => f64::from(u8::from(z.abs() < 1.0)),
            Shape::Linear => (1.0 - z.abs()).max(0.0),
            // no slope at the points: all are extremes
            Shape::Monotone => {
                let s = (1.0 - z.abs()).max(0.0);
                s * s * (3.0 - 2.0 * s)
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    Place,
    Rate,
    Time,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Host {
    Force,
    Spring,
    Actuator,
    Friction,
    Hinge,
}

/// One law in a mechanism of one degree of freedom.
#[derive(Clone, Copy, Debug)]
struct Case {
    host: Host,
    of: Of,
    shape: Shape,
    height: f64,
    c: f64,
    e: f64,
    friction: f64,
    friction_speed: f64,
    tolerance: f64,
}

const DURATION: f64 = 0.5;

impl Case {
    fn new(i: usize, dice: &mut Dice) -> Self {
        let shape = Shape::ALL[i % 7];
        let of = [Of::Place, Of::Rate, Of::Time][i / 7 % 3];
        let host = [Host::Force, Host::Spring, Host::Actuator, Host::Friction, Host::Hinge][i / 21 % 5];
        let hinge = host == Host::Hinge;
        let sign = dice.of(&[-1.0, 1.0]);
        let e = 10f64.powf(dice.between(-3.3, -1.5));
        // a thing in space does a few per cent of the energies as work, one in time changes the velocity as much
        let (c, e, mut height): (f64, f64, f64) = match of {
            Of::Place if hinge => (dice.between(-1.0, -0.2), e, dice.between(0.1, 1.0) / e / 1.77),
            Of::Place => (dice.between(0.2, 0.85), e, dice.between(0.1, 1.0) / e / 1.77),
            // less than gravity: a velocity that a jump holds fast is no motion of any formula
            Of::Rate if hinge => (dice.between(-3.0, -1.0), 3.0 * e, dice.between(1.0, 4.0)),
            Of::Rate => (dice.between(-4.0, -1.0), 5.0 * e, dice.between(5.0, 20.0)),
            Of::Time => (dice.between(0.1, 0.4), 0.3 * e, dice.between(0.1, 0.5) / (0.3 * e) / 1.77),
        };
        if shape == Shape::Step {
            height = dice.between(1.0, 4.0);
        }
        Case {
            host,
            of,
            shape,
            height: sign * height,
            c: (c * 1e6).round() / 1e6,
            e,
            friction: if host == Host::Friction { dice.between(0.2, 2.0) } else { 0.0 },
            friction_speed: 10f64.powf(dice.between(-2.5, -1.3)),
            tolerance: if i % 4 == 3 { 10f64.powf(dice.between(-12.0, -8.0)) } else { 1e-11 },
        }
    }

    fn text(&self) -> String {
        let (x, v) = match self.host {
            Host::Spring => ("(length - 1)", "rate"),
            Host::Actuator | Host::Hinge => ("q", "v"),
            Host::Force | Host::Friction => ("point.P.x", "point.P.vx"),
        };
        let u = match self.of {
            Of::Place => x,
            Of::Rate => v,
            Of::Time => "t",
        };
        let (law, table) = self.shape.text(u, self.c, self.e);
        // a spring's law is a pull that makes it shorter
        let height = if self.host == Host::Spring { -self.height } else { self.height };
        let law = format!("({height}) * ({law})");
        let settings = format!(
            "[simulation]\nduration = {DURATION}\noutput_step = 0.1\ntolerance = {:e}\n",
            self.tolerance
        );
        if self.host == Host::Hinge {
            return format!(
                "format = 1\n[model]\nname = \"hinge\"\ndimension = 2\ngravity = [0, -9.81]\n[points]\nO = [0, 0]\nP = [1, 0]\n\
                 [bodies]\nground = {{ points = [\"O\"] }}\nb = {{ points = [\"O\", \"P\"], mass = 1 }}\n\
                 [actuators]\nm = {{ joint = \"O\", torque = \"{law}\" }}\n{table}{settings}"
            );
        }
        let friction = match self.host {
            Host::Friction => {
                format!("friction = {}\nfriction_speed = {}\n", self.friction, self.friction_speed)
            }
            _ => String::new(),
        };
        let element = match self.host {
            Host::Spring => format!("[springs]\ns = {{ between = [\"A\", \"P\"], law = \"{law}\" }}\n"),
            Host::Actuator => format!("[actuators]\nm = {{ joint = \"r\", force = \"{law}\" }}\n"),
            _ => format!("f = {{ body = \"b\", at = \"P\", force = [\"{law}\", 0] }}\n"),
        };
        format!(
            "format = 1\n[model]\nname = \"slider\"\ndimension = 2\n[points]\nO = [0, 0]\nA = [-1, 0]\nP = [1, 0]\n\
             [bodies]\nground = {{ points = [\"O\", \"A\"] }}\nb = {{ points = [\"P\"], mass = 1 }}\n\
             [joints.r]\ntype = \"point-on-line\"\nbodies = [\"ground\", \"b\"]\nat = [\"O\", \"P\"]\naxis = [1, 0]\n{friction}\
             [forces]\nk = {{ body = \"b\", at = \"P\", force = [\"-100*(point.P.x - 0.5)\", 0] }}\n{element}{table}{settings}"
        )
    }

    /// A step that no thing hides in.
    fn max_step(&self) -> f64 {
        let fastest = match self.of {
            Of::Place => 6.0,
            Of::Rate => 60.0,
            Of::Time => 1.0,
        };
        0.4 * self.e / fastest
    }

    /// Places and rates at the rows.
    fn reference(&self) -> Vec<[f64; 2]> {
        let mut system = *self;
        let mut stepper = Stepper::dop853(2, 1e-13).with_limits(Limits {
            max_step: self.max_step(),
            max_steps: 10_000_000,
            ..Limits::default()
        });
        let start = if self.host == Host::Hinge { [0.0, 0.0] } else { [1.0, 0.0] };
        stepper.start(&mut system, 0.0, &start, 0.0).unwrap();
        let mut rows = vec![start];
        for k in 1..=5 {
            stepper.set_end(0.1 * f64::from(k));
            while !stepper.is_finished() {
                stepper.step(&mut system).unwrap();
            }
            rows.push([stepper.y()[0], stepper.y()[1]]);
        }
        rows
    }
}

impl System for Case {
    type Error = Infallible;
    fn dimension(&self) -> usize {
        2
    }
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Infallible> {
        let u = match self.of {
            Of::Place => y[0],
            Of::Rate => y[1],
            Of::Time => t,
        };
        let law = self.height * self.shape.at(u, self.c, self.e);
        dy[0] = y[1];
        dy[1] = match self.host {
            Host::Hinge => 3.0 * (law - 0.5 * 9.81 * y[0].cos()),
            _ => law - 100.0 * (y[0] - 0.5) - self.friction * (y[1] / self.friction_speed).tanh(),
        };
        Ok(())
    }
}

/// Errors of a run in units of its tolerance, and as they are.
fn errors(case: &Case, run: &Trajectory) -> (f64, f64) {
    let p = run.frames[0].positions.len() - 1;
    let mut worst = 0.0_f64;
    for (frame, [x, v]) in run.frames.iter().zip(case.reference()) {
        let (place, rate) = (frame.positions[p], frame.velocities[p]);
        let (expected, expected_rate) = match case.host {
            Host::Hinge => ([x.cos(), x.sin()], [-v * x.sin(), v * x.cos()]),
            _ => ([x, 0.0], [v, 0.0]),
        };
        for c in 0..2 {
            worst = worst.max((place[c] - expected[c]).abs()).max((rate[c] - expected_rate[c]).abs());
        }
    }
    (worst / case.tolerance, worst)
}

/// A local error per step of the tolerance times size + |v|, at most 6, in about a hundred steps, and what bumps make of it.
const MULTIPLE: f64 = 2e3;

fn family(count: usize) {
    let mut dice = Dice(15);
    let mut found: Vec<(f64, f64, usize, Case)> = Vec::new();
    let (mut steps, mut rejected) = (0, 0);
    for i in 0..count {
        let case = Case::new(i, &mut dice);
        let run = run(&case.text());
        let (relative, error) = errors(&case, &run);
        steps += run.summary.steps.accepted_steps;
        rejected += run.summary.steps.rejected_steps;
        found.push((relative, error, i, case));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!(
        "{count} laws: errors in tolerances: median {:.1e}, nine in ten below {:.1e}, worst {:.1e}; {steps} steps, {rejected} rejected",
        found[count / 2].0,
        found[count / 10].0,
        found[0].0
    );
    for (relative, error, i, case) in found.iter().take(8) {
        println!("  {relative:.1e} tolerances, {error:.1e}: {i} {case:?}");
    }
    assert!(found[0].0 < MULTIPLE, "{:?}", found[0]);
}

/// 200 laws by default settings.
#[test]
fn narrow_laws_are_seen() {
    family(200);
}

/// A longer list of the same kind.
#[test]
#[ignore = "takes a minute"]
fn many_narrow_laws_are_seen() {
    family(2000);
}

fn case(name: &str) -> String {
    let path = format!("{}/tests/data/cases/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn with_settings(text: &str, settings: &str) -> String {
    text.replace("[simulation]", &format!("[simulation]\n{settings}"))
}

/// Largest difference of positions over all rows.
fn apart(a: &Trajectory, b: &Trajectory) -> f64 {
    assert_eq!(a.frames.len(), b.frames.len());
    let rows = a.frames.iter().zip(&b.frames);
    let points = rows.flat_map(|(a, b)| a.positions.iter().zip(&b.positions));
    points.flat_map(|(p, q)| (0..3).map(|c| (p[c] - q[c]).abs())).fold(0.0, f64::max)
}

/// A detent 2 mm wide in the middle of an oscillation of 1 m, by every integrator with error control, against short steps.
#[test]
fn a_detent_is_seen_by_every_integrator() {
    let text = case("taylor-steps-over-force");
    let short = "max_step = 5e-5\nformulation = \"points\"\nintegrator = \"dop853\"\n";
    let reference = run(&with_settings(&text, short));
    let plain = run(&text.replace("2000*exp", "0*exp"));
    println!("the detent moves it by {:.2} m", apart(&plain, &reference));
    assert!(apart(&plain, &reference) > 0.1);
    for (integrator, tolerance, bound) in [
        ("auto", 1e-11, 1e-8),
        ("taylor", 1e-9, 1e-6),
        ("dop853", 1e-11, 1e-8),
        ("dop853", 1e-7, 1e-4),
        ("dopri5", 1e-9, 1e-6),
        ("radau5", 1e-8, 1e-4),
        ("bdf", 1e-8, 1e-3),
    ] {
        let run = run(&with_settings(
            &text,
            &format!("integrator = \"{integrator}\"\ntolerance = {tolerance:e}\n"),
        ));
        let (off, s) = (apart(&run, &reference), &run.summary);
        println!(
            "{integrator} at {tolerance:.0e}: {off:.1e} m, {} steps, {} rejected",
            s.steps.accepted_steps, s.steps.rejected_steps
        );
        assert!(off < bound, "{integrator}");
    }
}

/// A slider with friction turns round twice in each turn of its crank: the error follows the tolerance.
#[test]
fn friction_follows_the_tolerance() {
    let text = case("crank-friction").replace("tolerance = 1e-12\n", "");
    let short = "tolerance = 1e-13\nmax_step = 2e-4\nformulation = \"recursive\"\nintegrator = \"dop853\"\n";
    let reference = run(&with_settings(&text, short));
    let mut last = f64::INFINITY;
    // 50 turns multiply an error by about a hundred
    for tolerance in [1e-8_f64, 1e-10, 1e-12] {
        let run = run(&with_settings(&text, &format!("tolerance = {tolerance:e}\n")));
        assert_eq!(run.summary.integrator, Integrator::Taylor);
        let (off, s) = (apart(&run, &reference), &run.summary);
        println!(
            "{tolerance:.0e}: {off:.1e} m, {} steps, {} rejected",
            s.steps.accepted_steps, s.steps.rejected_steps
        );
        assert!(off < (2e3 * tolerance).max(1e-9) && off < last, "{off}");
        last = off;
    }
}
