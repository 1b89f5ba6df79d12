//! Files of up to a megabyte are read and assembled, or refused, at once and in little memory.

use linkwork::Error;
use linkwork::mechanism::Mechanism;
use linkwork::model::{Faults, Model};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Time of the processor. In release each of these takes less than a second; here the arithmetic is checked.
const PATIENCE: Duration = Duration::from_secs(10);
/// What reading and assembling may hold at once.
const MOST_BYTES: u64 = 256 << 20;

struct File {
    text: String,
    points: String,
    ground: Vec<String>,
    bodies: String,
    rest: String,
}

impl File {
    fn new(dimension: usize) -> Self {
        let gravity = if dimension == 2 { "[0, -9.81]" } else { "[0, 0, -9.81]" };
        let text = format!("format = 1\nmodel = {{ dimension = {dimension}, gravity = {gravity} }}\n");
        File { text, points: String::new(), ground: vec![], bodies: String::new(), rest: String::new() }
    }
    fn point(&mut self, name: &str, at: &[f64]) {
        writeln!(self.points, "{name}={at:?}").unwrap();
    }
    fn ground(&mut self, name: &str) {
        self.ground.push(name.into());
    }
    fn body(&mut self, name: &str, table: &str) {
        writeln!(self.bodies, "{name}={{{table}}}").unwrap();
    }
    fn rod(&mut self, name: &str, p: &str, q: &str) {
        self.body(name, &format!("points=[\"{p}\",\"{q}\"],mass=1"));
    }
    fn text(&self) -> String {
        let File { text, points, ground, bodies, rest } = self;
        format!("{text}\n[points]\n{points}\n[bodies]\nground={{points={ground:?}}}\n{bodies}\n{rest}")
    }
}

/// Measures the time that this thread computes, which other work on the machine does not add to; where the system does not tell it, that of the clock.
struct Stopwatch {
    begun: Instant,
    computed: u64,
}

impl Stopwatch {
    fn start() -> Self {
        Stopwatch { begun: Instant::now(), computed: Self::computed() }
    }

    /// Nanoseconds that the thread has run; zero where nobody counts them.
    fn computed() -> u64 {
        let line = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        line.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(0)
    }

    fn elapsed(&self) -> Duration {
        match Self::computed() {
            0 => self.begun.elapsed(),
            now => Duration::from_nanos(now - self.computed),
        }
    }
}

/// Reads and assembles; prints time and memory.
fn assemble(what: &str, text: &str) -> Result<Box<Mechanism>, Faults> {
    assert!(text.len() < 1 << 20, "{what}: {} bytes", text.len());
    let mut result = None;
    let clock = Stopwatch::start();
    let mut read = Duration::ZERO;
    let counted = allocation_counter::measure(|| {
        let model = Model::parse("large.toml", text);
        read = clock.elapsed();
        result = Some(match model {
            Ok(model) => model.assemble().map(Box::new),
            Err(Error::Model(faults)) => Err(faults),
            Err(other) => panic!("{other}"),
        });
    });
    let time = clock.elapsed();
    let result = result.unwrap();
    let outcome = match &result {
        Ok(mechanism) => format!(
            "{} dof, {} rows, rank {}, {} redundant",
            mechanism.degrees_of_freedom(),
            mechanism.rows().len(),
            mechanism.redundancy().rank,
            mechanism.redundancy().count
        ),
        Err(faults) => {
            let error = faults.list.iter().find(|f| f.severity == linkwork::model::Severity::Error).unwrap();
            format!("refused: {}: {}", error.path, error.message)
        }
    };
    println!(
        "{what:34} {:4} kB  read {:5.0} ms, in all {:6.0} ms, {:4} MB  {outcome:.140}",
        text.len() / 1000,
        1e3 * read.as_secs_f64(),
        1e3 * time.as_secs_f64(),
        counted.bytes_max >> 20,
    );
    assert!(counted.bytes_max < MOST_BYTES, "{what}: {} bytes", counted.bytes_max);
    assert!(time < PATIENCE, "{what}: {time:?}");
    result
}

fn too_large(result: Result<Box<Mechanism>, Faults>) {
    let faults = result.map(|_| ()).unwrap_err();
    assert!(faults.list[0].message.contains("too large"), "{faults}");
}

fn chain(n: usize) -> File {
    let mut file = File::new(2);
    file.ground("P0");
    file.point("P0", &[0.0, 0.0]);
    for i in 1..=n {
        file.point(&format!("P{i}"), &[i as f64, (i % 2) as f64]);
        file.rod(&format!("r{i}"), &format!("P{}", i - 1), &format!("P{i}"));
    }
    file
}

#[test]
fn keeps_chains_and_stars_quick() {
    let mechanism = assemble("chain of 8,000 rods", &chain(8000).text()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(mechanism.degrees_of_freedom(), 8000);

    for fixed in [true, false] {
        let mut star = File::new(2);
        star.point("H", &[0.0, 0.0]);
        if fixed {
            star.ground("H");
        }
        for i in 0..5000 {
            let angle = i as f64;
            star.point(&format!("P{i}"), &[(1e3 * angle.cos()).round() / 1e3, 1.5 * angle.sin()]);
            star.rod(&format!("r{i}"), "H", &format!("P{i}"));
        }
        let mechanism = assemble(&format!("star of 5,000, ground {fixed}"), &star.text())
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(mechanism.degrees_of_freedom(), if fixed { 5000 } else { 5002 });
    }

    // bodies of four points share the one that is none of their particles
    let mut star = File::new(2);
    star.point("H", &[0.0, 0.0]);
    for i in 0..2500 {
        let (s, c) = (i as f64).sin_cos();
        let at = |u: f64, v: f64| [u * c - v * s, u * s + v * c];
        for (k, [u, v]) in [[3.0, 0.0], [0.0, 3.0], [-3.0, 0.0]].into_iter().enumerate() {
            star.point(&format!("P{i}{}", ["a", "b", "c"][k]), &at(u, v));
        }
        let table =
            format!("points=[\"H\",\"P{i}a\",\"P{i}b\",\"P{i}c\"],mass=1,shape={{type=\"sphere\",radius=1}}");
        star.body(&format!("b{i}"), &table);
    }
    assemble("star of 2,500 plates", &star.text()).unwrap_or_else(|e| panic!("{e}"));

    // every rod stands twice
    let mut twice = File::new(2);
    twice.ground("A");
    twice.point("A", &[0.0, 0.0]);
    twice.point("B", &[1.0, 0.0]);
    for i in 0..18_000 {
        twice.rod(&format!("r{i}"), "A", "B");
    }
    let mechanism = assemble("18,000 rods side by side", &twice.text()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(mechanism.degrees_of_freedom(), 1);
}

#[test]
fn keeps_loops_quick() {
    let grid = |columns: usize, rows: usize, true_to_length: bool| {
        let mut grid = File::new(2);
        let name = |i: usize, j: usize| format!("P{i}_{j}");
        for i in 0..columns {
            for j in 0..rows {
                grid.point(&name(i, j), &[i as f64, j as f64 + 0.1 * (i % 3) as f64]);
                if i > 0 {
                    let (p, q) = (name(i - 1, j), name(i, j));
                    match true_to_length {
                        true => grid.rod(&format!("h{i}_{j}"), &p, &q),
                        false => {
                            let table = format!("points=[\"{p}\",\"{q}\"],mass=1,length=1.02");
                            grid.body(&format!("h{i}_{j}"), &table);
                        }
                    }
                }
                if j > 0 {
                    grid.rod(&format!("v{i}_{j}"), &name(i, j - 1), &name(i, j));
                }
            }
        }
        grid.ground(&name(0, 0));
        assemble(&format!("grid of {columns} x {rows}"), &grid.text())
    };
    let mechanism = grid(60, 30, true).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(mechanism.degrees_of_freedom(), 2 * 1799 - mechanism.redundancy().rank);
    let mechanism = grid(60, 30, false).unwrap_or_else(|e| panic!("{e}"));
    assert!(mechanism.assembly().iterations > 1);
    let mechanism = grid(100, 40, true).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(mechanism.degrees_of_freedom(), 2 * 3999 - mechanism.redundancy().rank);

    // squares with both diagonals: one rod too many in each
    let cells = 2500;
    let mut braced = File::new(2);
    braced.ground("A0");
    for i in 0..=cells {
        braced.point(&format!("A{i}"), &[i as f64, 0.0]);
        braced.point(&format!("B{i}"), &[i as f64, 1.0]);
        braced.rod(&format!("v{i}"), &format!("A{i}"), &format!("B{i}"));
        if i > 0 {
            let (a, b) = (format!("A{}", i - 1), format!("B{}", i - 1));
            braced.rod(&format!("a{i}"), &a, &format!("A{i}"));
            braced.rod(&format!("b{i}"), &b, &format!("B{i}"));
            braced.rod(&format!("c{i}"), &a, &format!("B{i}"));
            braced.rod(&format!("d{i}"), &b, &format!("A{i}"));
        }
    }
    let mechanism =
        assemble("2,500 squares, each too stiff", &braced.text()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(mechanism.degrees_of_freedom(), 1);
    assert_eq!(mechanism.redundancy().count, cells);

    for points in [20, 35, 200] {
        let mut complete = File::new(2);
        for i in 0..points {
            let (s, c) = (i as f64).sin_cos();
            complete.point(&format!("P{i}"), &[10.0 * c, 7.0 * s + 0.01 * i as f64]);
            for j in 0..i {
                complete.rod(&format!("r{i}_{j}"), &format!("P{i}"), &format!("P{j}"));
            }
        }
        let result = assemble(&format!("complete graph of {points}"), &complete.text());
        match points {
            200 => too_large(result),
            _ => assert_eq!(result.unwrap_or_else(|e| panic!("{e}")).degrees_of_freedom(), 3),
        }
    }
}

#[test]
fn keeps_joints_quick() {
    let n = 5000;
    let mut file = File::new(2);
    file.ground("Q0");
    file.point("Q0", &[0.0, 0.0]);
    writeln!(file.rest, "[joints]").unwrap();
    for i in 1..=n {
        file.point(&format!("P{i}"), &[i as f64 - 1.0, 0.0]);
        file.point(&format!("Q{i}"), &[i as f64, 0.0]);
        file.rod(&format!("r{i}"), &format!("P{i}"), &format!("Q{i}"));
        let before = if i == 1 { "ground".into() } else { format!("r{}", i - 1) };
        writeln!(
            file.rest,
            "J{i}={{type=\"revolute\",bodies=[\"{before}\",\"r{i}\"],at=[\"Q{}\",\"P{i}\"]}}",
            i - 1
        )
        .unwrap();
    }
    let mechanism = assemble("5,000 pins between two points", &file.text()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((mechanism.degrees_of_freedom(), mechanism.joints().len()), (n, n));

    // all slide along one body, all at one point
    let mut file = File::new(2);
    file.ground("O");
    file.point("O", &[0.0, 0.0]);
    writeln!(file.rest, "[joints]").unwrap();
    for i in 0..4000 {
        file.point(&format!("P{i}"), &[i as f64 + 1.0, 1.0]);
        file.rod(&format!("r{i}"), "O", &format!("P{i}"));
        writeln!(file.rest, "S{i}={{type=\"prismatic\",bodies=[\"ground\",\"r{i}\"],at=\"O\",axis=[1,0]}}")
            .unwrap();
    }
    too_large(assemble("4,000 slides at one point", &file.text()));

    // joints between two large bodies
    let mut file = File::new(2);
    let n = 4000;
    let (mut a, mut b) = (vec!["O".to_owned()], vec!["O".to_owned()]);
    file.ground("O");
    file.point("O", &[0.0, 0.0]);
    writeln!(file.rest, "[joints]").unwrap();
    for i in 0..n {
        file.point(&format!("A{i}"), &[i as f64, 1.0]);
        file.point(&format!("B{i}"), &[i as f64, 1.0]);
        a.push(format!("A{i}"));
        b.push(format!("B{i}"));
        writeln!(file.rest, "J{i}={{type=\"revolute\",bodies=[\"a\",\"b\"],at=[\"A{i}\",\"B{i}\"]}}")
            .unwrap();
    }
    for (name, points) in [("a", a), ("b", b)] {
        file.body(name, &format!("points={points:?},mass=1,shape={{type=\"sphere\",radius=1}}"));
    }
    let faults = assemble("4,000 pins between two bodies", &file.text()).map(|_| ()).unwrap_err();
    assert!(faults.list[0].message.contains("makes a fixed joint"), "{}", faults.list[0].message);

    let n = 3000;
    let mut file = File::new(3);
    file.ground("P0");
    file.point("P0", &[0.0, 0.0, 0.0]);
    writeln!(file.rest, "[joints]").unwrap();
    for i in 1..=n {
        file.point(&format!("P{i}"), &[i as f64, (i % 2) as f64, 0.0]);
        let table = format!("points=[\"P{}\",\"P{i}\"],mass=1,shape={{type=\"cylinder\",radius=0.1}}", i - 1);
        file.body(&format!("b{i}"), &table);
        let before = if i == 1 { "ground".into() } else { format!("b{}", i - 1) };
        writeln!(
            file.rest,
            "J{i}={{type=\"revolute\",bodies=[\"{before}\",\"b{i}\"],at=\"P{}\",axis=[0,{},1]}}",
            i - 1,
            i % 3
        )
        .unwrap();
    }
    let mechanism = assemble("3,000 hinges in space", &file.text()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(mechanism.degrees_of_freedom(), n);
}

#[test]
fn keeps_points_and_springs_quick() {
    let n = 10_000;
    let mut file = File::new(2);
    file.ground("O");
    file.point("O", &[0.0, 0.0]);
    let mut names = vec!["O".to_owned()];
    for i in 0..n {
        file.point(&format!("P{i}"), &[(i % 100) as f64, (i / 100) as f64 + 1.0]);
        names.push(format!("P{i}"));
    }
    file.body("plate", &format!("points={names:?},mass=1,shape={{type=\"sphere\",radius=1}}"));
    let mechanism = assemble("a body with 10,000 points", &file.text()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(mechanism.degrees_of_freedom(), 1);
    writeln!(file.rest, "[springs]").unwrap();
    for i in 0..5000 {
        writeln!(file.rest, "s{i}={{between=[\"O\",\"P{}\"],stiffness=1}}", n - 1 - i).unwrap();
    }
    assemble("5,000 springs at its points", &file.text()).unwrap_or_else(|e| panic!("{e}"));
    writeln!(file.rest, "[forces]").unwrap();
    for i in 0..3000 {
        writeln!(file.rest, "f{i}={{body=\"plate\",at=\"P{}\",force=[1,0]}}", n - 1 - i).unwrap();
    }
    assemble("and 3,000 forces", &file.text()).unwrap_or_else(|e| panic!("{e}"));

    let mut file = chain(5000);
    writeln!(file.rest, "[springs]").unwrap();
    for i in 2..=5000 {
        writeln!(file.rest, "s{i}={{between=[\"P{}\",\"P{i}\"],stiffness=1}}", i - 2).unwrap();
    }
    assemble("5,000 springs along a chain", &file.text()).unwrap_or_else(|e| panic!("{e}"));

    let mut file = chain(4000);
    writeln!(file.rest, "[initial.velocities]").unwrap();
    for i in (2..=4000).rev() {
        writeln!(file.rest, "P{i}=[0, 0]").unwrap();
    }
    writeln!(file.rest, "[initial.angular_velocities]").unwrap();
    for i in (2..=4000).rev() {
        writeln!(file.rest, "r{i}=0").unwrap();
    }
    assemble("8,000 start velocities", &file.text()).unwrap_or_else(|e| panic!("{e}"));
}

/// What is refused is refused as quickly: names of half a megabyte, and lists that repeat them.
#[test]
fn keeps_long_names_cheap() {
    let long = "n".repeat(500_000);
    let list = vec!["1"; 19_000].join(",");
    let mut file = File::new(2);
    file.point("A", &[0.0, 0.0]);
    file.point("B", &[1.0, 0.0]);
    let names = vec!["\"A\""; 9000].join(",");
    file.body(&long, &format!("points=[\"B\"],mass=1,shape={{type=\"polygon\",outline=[{names}]}}"));
    assemble("a long name in every message", &file.text()).map(drop).unwrap_err();
    let mut file = File::new(2);
    file.body(&long, &format!("points=[{list}],mass=1"));
    assemble("a long name in every path", &file.text()).map(drop).unwrap_err();
    // likenesses of long names
    let mut file = File::new(2);
    file.point(&format!("A{}", &long[..450_000]), &[0.0, 0.0]);
    file.rod("r", &format!("B{}", &long[..450_000]), "A");
    assemble("two long names nearly alike", &file.text()).map(drop).unwrap_err();
}
