//! Boxes that hit each other with corners and edges never overlap, by a measure that the event-driven method does not use: the depth of contact manifolds.

use linkwork::Model;
use linkwork::contact::{Block, Form, Surface, manifold};
use linkwork::interactions::BodyPoint;
use linkwork::linalg::vec3::{Vec3, axpy, cross, dot, norm, scale};

/// A box as drawn: edges along `axis`, `side` and across both.
struct Brick {
    mass: f64,
    centre: Vec3,
    size: Vec3,
    axis: Vec3,
    side: Vec3,
    spin: Vec3,
}

impl Brick {
    fn axes(&self) -> [Vec3; 3] {
        let a = scale(1.0 / norm(self.axis), self.axis);
        let b = axpy(self.side, -dot(a, self.side), a);
        let b = scale(1.0 / norm(b), b);
        [a, b, cross(a, b)]
    }
}

fn model(bricks: &[Brick], planar: bool, [friction, restitution]: [f64; 2], time: [f64; 2]) -> String {
    let count = if planar { 2 } else { 3 };
    let part = |x: Vec3| format!("{:?}", &x[..count]);
    let names: Vec<String> = (0..bricks.len()).map(|i| format!("\"b{i}\"")).collect();
    let names = names.join(", ");
    let up = if planar { "[0, 1]" } else { "[0, 0, 1]" };
    let mut text =
        format!("format = 1\nmodel = {{ dimension = {count}, gravity = \"-{}\" }}\n", ["y", "z"][count - 2]);
    text += "[points]\n";
    for (i, brick) in bricks.iter().enumerate() {
        text += &format!("P{i} = {}\n", part(brick.centre));
    }
    text += "[bodies]\n";
    for (i, brick) in bricks.iter().enumerate() {
        let side = if planar { String::new() } else { format!(", side = {:?}", brick.side) };
        text += &format!(
            "b{i} = {{ points = [\"P{i}\"], mass = {}, shape = {{ type = \"box\", size = {}, axis = {}{side} }} }}\n",
            brick.mass,
            part(brick.size),
            part(brick.axis),
        );
    }
    text += &format!(
        "[surfaces]\nfloor = {{ type = \"plane\", normal = {up} }}\n[contacts]\nf = {{ between = [[{names}], \"floor\"], friction = {friction}, restitution = {restitution} }}\nb = {{ among = [{names}], friction = {friction}, restitution = {restitution} }}\n[initial.angular_velocities]\n"
    );
    for (i, brick) in bricks.iter().enumerate() {
        let spin = if planar { format!("{:?}", brick.spin[2]) } else { format!("{:?}", brick.spin) };
        text += &format!("b{i} = {spin}\n");
    }
    let [duration, step] = time;
    text + &format!(
        "[simulation]\nduration = {duration}\noutput_step = {step}\ncontact_method = \"events\"\n"
    )
}

/// The deepest overlap of any two of them in any sample, m, and the time of the last sample, s.
fn deepest(bricks: &[Brick], planar: bool, laws: [f64; 2], time: [f64; 2]) -> [f64; 2] {
    let text = model(bricks, planar, laws, time);
    deepest_of(bricks, planar, Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

/// The same in a model that has these bricks as its bodies.
fn deepest_of(bricks: &[Brick], planar: bool, model: Model) -> [f64; 2] {
    let run = model.assemble().unwrap_or_else(|e| panic!("{e}")).simulate().unwrap();
    let surfaces: Vec<Surface> = bricks
        .iter()
        .enumerate()
        .map(|(i, brick)| {
            let centre = BodyPoint { body: Some(i), s: [0.0; 3] };
            let mut half = scale(0.5, brick.size);
            if planar {
                half[2] = f64::INFINITY;
            }
            Surface { at: centre, form: Form::Block(Block { centre, axes: brick.axes(), half }) }
        })
        .collect();
    let (mut deepest, mut points) = (0.0_f64, Vec::new());
    for frame in &run.frames {
        for i in 0..bricks.len() {
            for j in 0..i {
                points.clear();
                manifold(&surfaces[j], &surfaces[i], &frame.motions, planar, 1e-3, &mut points);
                points.iter().for_each(|point| deepest = deepest.max(-point.gap));
            }
        }
    }
    [deepest, run.frames.last().map_or(0.0, |frame| frame.t)]
}

fn brick(centre: Vec3, size: Vec3, axis: Vec3, side: Vec3) -> Brick {
    Brick { mass: 1.0, centre, size, axis, side, spin: [0.0; 3] }
}

/// A whole model file of the test data.
fn case(name: &str) -> Model {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/cases/");
    Model::from_file(format!("{folder}{name}.toml")).unwrap_or_else(|e| panic!("{e}"))
}

/// Two boxes in space that fall onto each other.
fn edges() -> [Brick; 2] {
    [
        brick(
            [0.0, 0.0, 0.4],
            [0.3, 0.2, 0.15],
            [0.3559575378822398, -0.2477045361611927, 0.901075298734785],
            [-0.8130007120146874, -0.5575295627866514, 0.16790065182284586],
        ),
        brick(
            [-0.046442341542043034, -0.012813961054971928, 0.85],
            [0.2, 0.2, 0.2],
            [0.6234068776159642, -0.7818471938075736, 0.008878652844695079],
            [-0.13083800746817986, -0.11550556061184336, -0.9846521625779838],
        ),
    ]
}

/// Two boxes in the plane, the lower one turning.
fn corners() -> [Brick; 2] {
    let first = brick(
        [0.0, 0.7, 0.0],
        [0.41452045986831065, 0.2508915907975351, 0.0],
        [0.8649579243531471, 0.5018443873340573, 0.0],
        [-0.5018443873340573, 0.8649579243531471, 0.0],
    );
    let second = brick(
        [0.05307403569171615, 1.6, 0.0],
        [0.3000239393731533, 0.2222707030181518, 0.0],
        [0.7318912631406648, 0.6814214400342582, 0.0],
        [-0.6814214400342582, 0.7318912631406648, 0.0],
    );
    [Brick { spin: [0.0, 0.0, 2.41], ..first }, Brick { mass: 2.225342108911507, ..second }]
}

/// An edge came through an edge within a step, and the corner that took over was found 0.35 mm inside.
#[test]
fn keeps_edges_out_of_edges() {
    for step in [0.01, 0.001] {
        let [depth, end] = deepest(&edges(), false, [0.0, 0.0], [0.5, step]);
        assert_eq!(end, 0.5);
        println!("samples {step} s apart: {depth:.1e} m");
        // boxes that touch may be 10 times the tolerance of the size inside before that is an event; 1e-8 m here
        assert!(depth < 1e-8, "{depth}");
    }
}

/// A corner that passes an edge in the plane.
#[test]
fn keeps_corners_out_of_edges() {
    for step in [0.01, 0.001] {
        let [depth, end] = deepest(&corners(), true, [0.3, 0.0], [1.2, step]);
        assert_eq!(end, 1.2);
        println!("samples {step} s apart: {depth:.1e} m");
        assert!(depth < 1e-8, "{depth}");
    }
}

/// The same boxes as a user runs them, to the end, with whichever method does it.
#[test]
fn keeps_boxes_of_whole_files_apart() {
    for (name, bricks, planar, duration) in
        [("box-overlap-3d", edges(), false, 1.5), ("corner-overlap-2d", corners(), true, 2.0)]
    {
        let [depth, end] = deepest_of(&bricks, planar, case(name));
        println!("{name}: {depth:.1e} m until {end} s");
        // time steps may take over from the events: 1e-5 of the size of a box
        assert!(depth < 2e-6 && end == duration, "{name}: {depth:e}, {end}");
    }
}

/// Numbers that look random, the same every time.
struct Random(u64);

impl Random {
    fn between(&mut self, a: f64, b: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        a + (b - a) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self) -> Vec3 {
        [0; 3].map(|_| self.between(-1.0, 1.0))
    }
}

/// One box falls on another one, whichever way both are turned, and nothing overlaps. In space a box that rattles between another and the floor may still end with `branches` or
/// `stalled`; they have met by 0.3 s, and most runs finish.
#[test]
fn keeps_tumbling_boxes_apart() {
    let mut random = Random(11);
    let (mut worst, mut finished) = (0.0_f64, 0);
    for case in 0..20 {
        let planar = case % 2 == 0;
        let mut one = |height: f64| {
            let size = [0; 3].map(|_| random.between(0.1, 0.3));
            let (mut axis, mut side, spin) = (random.vector(), random.vector(), scale(5.0, random.vector()));
            let beside = random.between(-0.08, 0.08);
            let centre = if planar { [beside, height, 0.0] } else { [beside, 0.0, height] };
            if planar {
                axis[2] = 0.0;
                side = [-axis[1], axis[0], 0.0];
            }
            Brick { mass: random.between(0.5, 2.0), centre, size, axis, side, spin }
        };
        let bricks = [one(0.35), one(0.9)];
        let [depth, end] = deepest(&bricks, planar, [0.0, 0.3], [0.4, 0.002]);
        worst = worst.max(depth);
        finished += i32::from(end == 0.4);
        println!("case {case}: {depth:.1e} m until {end} s");
        assert!(depth < 1e-8 && end > 0.3, "case {case}: {depth}, {end}");
    }
    println!("twenty pairs: {worst:.1e} m at most, {finished} runs finished");
    assert!(finished >= 16, "{finished}");
}
