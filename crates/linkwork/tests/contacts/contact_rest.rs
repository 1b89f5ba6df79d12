//! Rest means rest under time steps over contacts: what stands, stands for good, without a given step.

use linkwork::model::Model;
use linkwork::simulation::Status;

type Corner = [f64; 2];

/// Area, centre of area, and second moment about it, of a polygon.
fn properties(corners: &[Corner]) -> (f64, Corner, f64) {
    let (mut area, mut centre, mut moment) = (0.0, [0.0; 2], 0.0);
    for (i, &[x, y]) in corners.iter().enumerate() {
        let [u, v] = corners[(i + 1) % corners.len()];
        let c = x * v - u * y;
        area += 0.5 * c;
        centre = [centre[0] + c * (x + u) / 6.0, centre[1] + c * (y + v) / 6.0];
        moment += c * (x * x + x * u + u * u + y * y + y * v + v * v) / 12.0;
    }
    let centre = centre.map(|x| x / area);
    (area, centre, moment - area * (centre[0] * centre[0] + centre[1] * centre[1]))
}

/// Blocks of a thickness of 1 m and 2000 kg/m³ that stand on a floor and on each other.
fn blocks(list: &[Vec<Corner>], friction: f64, duration: f64) -> String {
    let mut text = String::from("format = 1\nmodel = { dimension = 2, gravity = \"-y\" }\n[points]\n");
    let all: Vec<_> = list.iter().map(|corners| properties(corners)).collect();
    for (i, (_, [x, y], _)) in all.iter().enumerate() {
        text += &format!("P{i} = [{x}, {y}]\n");
    }
    text += "[bodies]\n";
    for (i, (area, _, moment)) in all.iter().enumerate() {
        text += &format!(
            "b{i} = {{ points = [\"P{i}\"], mass = {}, com = \"P{i}\", inertia = {} }}\n",
            2000.0 * area,
            2000.0 * moment
        );
    }
    text += "[surfaces]\nfloor = { type = \"plane\", normal = [0, 1] }\n";
    for (i, corners) in list.iter().enumerate() {
        text += &format!("s{i} = {{ type = \"hull\", body = \"b{i}\", vertices = {corners:?} }}\n");
    }
    let names = (0..list.len()).map(|i| format!("\"s{i}\"")).collect::<Vec<_>>().join(", ");
    text += &format!(
        "[contacts]\nf = {{ between = [[{names}], \"floor\"], friction = {friction} }}\nb = {{ among = [{names}], friction = {friction} }}\n\
         [simulation]\nduration = {duration}\noutput_step = {}\ncontact_method = \"steps\"\n",
        0.1 * duration
    );
    text
}

/// How far anything moves in all, and in the last nine tenths of the time.
fn creep(text: &str) -> [f64; 2] {
    let model = Model::from_toml(text).unwrap_or_else(|faults| panic!("{faults}\n{text}"));
    let run = model.assemble().unwrap_or_else(|faults| panic!("{faults}")).simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished);
    assert!(run.summary.remarks.is_empty(), "{:?}", run.summary.remarks);
    let last = run.frames.last().unwrap();
    [0, 1].map(|k| {
        let pairs = run.frames[k].positions.iter().zip(&last.positions);
        pairs.fold(0.0, |most: f64, (a, b)| most.max((a[0] - b[0]).hypot(a[1] - b[1])))
    })
}

/// Half a ring of nine wedges holds itself up.
#[test]
fn exact_arch_stands() {
    let wedge = |i: u32| {
        let [a, b] = [i, i + 1].map(|k| std::f64::consts::PI * f64::from(k) / 9.0);
        let corner = |r: f64, t: f64| [r * t.cos(), (r * t.sin()).max(0.0)];
        vec![corner(0.4, a), corner(0.55, a), corner(0.55, b), corner(0.4, b)]
    };
    let arch: Vec<Vec<Corner>> = (0..9).map(wedge).collect();
    let [all, late] = creep(&blocks(&arch, 0.7, 50.0));
    println!("arch: {all:.1e} m in 50 s, {late:.1e} m of it after 5 s");
    // the first steps do not begin with an answer
    assert!(all < 1e-6 && late < 1e-10, "{all:e} {late:e}");
}

/// A wall of bricks in running bond.
#[test]
fn exact_wall_stands() {
    let mut wall = Vec::new();
    for row in 0..4 {
        for column in 0..3 {
            let (x, y) = (0.2 * f64::from(column) + 0.06 * f64::from(row % 2), 0.1 * f64::from(row));
            wall.push(vec![[x, y], [x + 0.199, y], [x + 0.199, y + 0.1], [x, y + 0.1]]);
        }
    }
    let [all, late] = creep(&blocks(&wall, 0.5, 50.0));
    println!("wall: {all:.1e} m in 50 s, {late:.1e} m of it after 5 s");
    assert!(all < 1e-6 && late < 1e-10, "{all:e} {late:e}");
}
