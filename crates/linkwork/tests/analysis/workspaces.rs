//! Maps of workspaces against their closed forms, cell by cell.

use linkwork::analysis::pose::Target;
use linkwork::analysis::workspace::{CurveKind, GridAxis, Workspace, WorkspaceOptions};
use linkwork::{Error, Mechanism, Model};
use std::f64::consts::PI;

fn assembled(text: &str) -> Mechanism {
    Model::from_toml(text).unwrap().assemble().unwrap()
}

const ARM: &str = r#"
    format = 1
    [points]
    A = [0, 0]
    B = [1, 0]
    P = [1, 0.7]
    [bodies]
    ground = { points = ["A"] }
    upper  = { points = ["A", "B"], mass = 1 }
    fore   = { points = ["B", "P"], mass = 1 }
"#;

/// Cells in which the map and a closed form differ.
fn wrong(map: &Workspace, reached: impl Fn(f64, f64) -> bool) -> Vec<[f64; 2]> {
    let mut list = Vec::new();
    for i in 0..map.axes[0].count {
        for j in 0..map.axes[1].count {
            let (x, y) = (map.axes[0].value(i), map.axes[1].value(j));
            if map.cell([i, j]).is_some() != reached(x, y) {
                list.push([x, y]);
            }
        }
    }
    list
}

/// Folds lie on circles (x, y, r), up to 2⁻¹¹ of a cell, and one stands between each cell that is reached and its neighbour that is not.
fn edges_lie_on(map: &Workspace, circles: &[(f64, f64, f64)]) {
    let step =
        |k: usize| (map.axes[k].range[1] - map.axes[k].range[0]).abs() / (map.axes[k].count - 1) as f64;
    let folds: Vec<[f64; 2]> =
        map.curves.iter().filter(|edge| edge.kind == CurveKind::Fold).map(|edge| edge.at).collect();
    let mut worst = 0.0_f64;
    for at in &folds {
        let off = circles.iter().map(|(x, y, r)| (f64::hypot(at[0] - x, at[1] - y) - r).abs());
        worst = worst.max(off.fold(f64::INFINITY, f64::min));
    }
    println!("{} edges, off the circles by {worst:.1e} m at most", folds.len());
    // the last interval on the way between two cells
    assert!(worst < 2.0 * step(0).max(step(1)) / 4096.0, "{worst}");
    let counts = [map.axes[0].count, map.axes[1].count];
    for i in 0..counts[0] {
        for j in 0..counts[1] {
            for (k, next) in [[i + 1, j], [i, j + 1]].into_iter().enumerate() {
                if next[k] == counts[k] || map.cell([i, j]).is_some() == map.cell(next).is_some() {
                    continue;
                }
                let here = [map.axes[0].value(i), map.axes[1].value(j)];
                let there = [map.axes[0].value(next[0]), map.axes[1].value(next[1])];
                let between = |at: &&[f64; 2]| {
                    (at[1 - k] - here[1 - k]).abs() < 1e-9 && (at[k] - here[k]) * (at[k] - there[k]) <= 0.0
                };
                assert!(folds.iter().any(|at| between(&at)), "no edge between {here:?} and {there:?}");
            }
        }
    }
}

fn grid(x: [f64; 2], y: [f64; 2], counts: [usize; 2]) -> [GridAxis; 2] {
    [GridAxis::new("point.P.x", x, counts[0]), GridAxis::new("point.P.y", y, counts[1])]
}

/// A ring of 0.3 m to 1.7 m; either elbow is a branch.
#[test]
fn exact_ring_of_a_two_link_arm() {
    let arm = assembled(ARM);
    let axes = grid([-2.0, 2.0], [-1.93, 1.93], [21, 20]);
    let map = arm.workspace("point.P", &axes, &WorkspaceOptions::default()).unwrap();
    let inside = |x: f64, y: f64| (0.3..=1.7).contains(&f64::hypot(x, y));
    assert_eq!(wrong(&map, inside), [[0.0; 2]; 0]);
    assert_eq!(map.branches, 1);
    for cell in &map.cells {
        let (x, y) = (map.axes[0].value(cell.index[0]), map.axes[1].value(cell.index[1]));
        assert!((cell.point[0] - x).hypot(cell.point[1] - y) < 1e-11);
    }
    // the edges lie on the circles, up to 2⁻¹² of a cell
    for edge in &map.curves {
        let r = edge.at[0].hypot(edge.at[1]);
        assert!(edge.kind == CurveKind::Fold && (r - 0.3).abs().min((r - 1.7).abs()) < 1e-3, "{edge:?}");
    }
    let all = WorkspaceOptions { all: true, ..WorkspaceOptions::default() };
    let map = arm.workspace("P", &axes, &all).unwrap();
    assert_eq!(map.branches, 2);
    assert_eq!(map.cells.len(), 2 * map.reached());
    assert_eq!(wrong(&map, inside), [[0.0; 2]; 0]);
}

/// Over its joints the arm gets everywhere. With J = ∂P/∂(q₁, q₂) its condition is that of a 2 × 2 matrix, and it loses its rank at the stretched and the folded elbow.
#[test]
fn exact_condition_and_rank_of_a_two_link_arm() {
    let arm = assembled(ARM);
    let axes: [GridAxis; 2] =
        ["joint.A.q=-60..60deg:9".parse().unwrap(), "joint.B.q=-170..100 deg:19".parse().unwrap()];
    let map = arm.workspace("point.P", &axes, &WorkspaceOptions::default()).unwrap();
    assert_eq!(map.reached(), 9 * 19);
    let size = arm.size();
    for cell in &map.cells {
        let (a, b) = (map.axes[0].value(cell.index[0]), PI / 2.0 + map.axes[1].value(cell.index[1]));
        let tip = [a.cos() + 0.7 * (a + b).cos(), a.sin() + 0.7 * (a + b).sin()];
        assert!((cell.point[0] - tip[0]).hypot(cell.point[1] - tip[1]) < 1e-12);
        let j = [[-tip[1], -0.7 * (a + b).sin()], [tip[0], 0.7 * (a + b).cos()]];
        let square: f64 = j.iter().flatten().map(|x| x * x).sum();
        let det = (j[0][0] * j[1][1] - j[0][1] * j[1][0]).abs();
        let root = (square * square - 4.0 * det * det).max(0.0).sqrt();
        let exact = ((square + root) / (square - root)).sqrt();
        let found = cell.condition.unwrap();
        // angles as drives, lengths in parts of the size: the same factor for both
        assert!(exact > 1e6 || (found / exact - 1.0).abs() < 1e-7, "{found} {exact} {size}");
        let stiff = 2.0 / (square + root);
        assert!((cell.stiffness.unwrap() / stiff - 1.0).abs() < 1e-9);
    }
    // stretched and folded: the elbow turned by −90 and by 90 degrees since the drawing
    let rank: Vec<f64> = map.curves.iter().filter(|c| c.kind == CurveKind::Rank).map(|c| c.at[1]).collect();
    assert_eq!(rank.len(), 18);
    assert!(rank.iter().all(|q| (q.abs() - PI / 2.0).abs() < 1e-3), "{rank:?}");
}

const FIVE_BAR: &str = r#"
    format = 1
    [points]
    A = [0, 0]
    B = [-0.3, 0.9]
    P = [0.5, 1.7]
    C = [1.3, 0.9]
    D = [1, 0]
    [bodies]
    ground = { points = ["A", "D"] }
    left   = { points = ["A", "B"], mass = 1 }
    upper  = { points = ["B", "P"], mass = 1 }
    lower  = { points = ["P", "C"], mass = 1 }
    right  = { points = ["C", "D"], mass = 1 }
"#;

/// Two rings: what both arms reach. All working modes together.
#[test]
fn exact_rings_of_a_five_bar() {
    let bars = assembled(FIVE_BAR);
    let axes = grid([-2.2, 3.2], [-2.3, 2.3], [15, 12]);
    let options = WorkspaceOptions { all: true, ..WorkspaceOptions::default() };
    let map = bars.workspace("point.P", &axes, &options).unwrap();
    let (crank, rod) = (0.9f64.hypot(0.3), 0.8f64.hypot(0.8));
    let ring = |x: f64, y: f64| (rod - crank..=rod + crank).contains(&f64::hypot(x, y));
    assert_eq!(wrong(&map, |x, y| ring(x, y) && ring(x - 1.0, y)), [[0.0; 2]; 0]);
    assert!(map.branches >= 4, "two elbows on either side: {}", map.branches);
    // its boundary: each elbow stretched or folded
    let circles = [0.0, 1.0].map(|x| [(x, 0.0, rod - crank), (x, 0.0, rod + crank)]).concat();
    edges_lie_on(&map, &circles);
}

/// Over its cranks: a cell is reached where the rods can meet, and the angle between them is the transmission angle.
#[test]
fn exact_transmission_angle_of_a_five_bar() {
    let bars = assembled(FIVE_BAR);
    let axes: [GridAxis; 2] =
        ["joint.A.q=-100..100deg:11".parse().unwrap(), "joint.D.q=-100..100deg:11".parse().unwrap()];
    let map = bars.workspace("point.P", &axes, &WorkspaceOptions::default()).unwrap();
    let (crank, rod) = (0.9f64.hypot(0.3), 0.8f64.hypot(0.8));
    let elbow = |zero: f64, q: f64, x: f64| [x + crank * (zero + q).cos(), crank * (zero + q).sin()];
    let between = |a: f64, d: f64| {
        let b = elbow(0.9f64.atan2(-0.3), a, 0.0);
        let c = elbow(0.9f64.atan2(0.3), d, 1.0);
        f64::hypot(b[0] - c[0], b[1] - c[1])
    };
    assert_eq!(wrong(&map, |a, d| between(a, d) <= 2.0 * rod), [[0.0; 2]; 0]);
    for cell in &map.cells {
        let far = between(map.axes[0].value(cell.index[0]), map.axes[1].value(cell.index[1]));
        // the apex of a triangle of two rods; the acute angle counts
        let apex = 2.0 * (far / (2.0 * rod)).asin();
        let exact = apex.min(PI - apex);
        assert!((cell.transmission.unwrap() - exact).abs() < 1e-7, "{:?} {exact}", cell.transmission);
    }
}

/// The platform of the 3-RRR with a given turn: three rings around shifted bases.
#[test]
fn exact_rings_of_the_3_rrr() {
    let path = format!("{}/../../examples/manipulator-3rrr.toml", env!("CARGO_MANIFEST_DIR"));
    let manipulator = Model::from_file(path).unwrap().assemble().unwrap();
    let axes =
        [GridAxis::new("point.center.x", [-1.0, 6.0], 15), GridAxis::new("point.center.y", [-2.5, 5.0], 16)];
    let hold: Target = "body.platform.angle = 10 deg".parse().unwrap();
    let options = WorkspaceOptions { hold: vec![hold], ..WorkspaceOptions::default() };
    let map = manipulator.workspace("point.center", &axes, &options).unwrap();
    let turn = 10f64.to_radians();
    let third = 2.0 / 3f64.sqrt();
    let legs = [([0.0, 0.0], 210.0f64), ([5.0, 0.0], 330.0), ([2.5, 4.33], 90.0)];
    let inside = |x: f64, y: f64| {
        legs.iter().all(|([bx, by], angle)| {
            let angle = angle.to_radians() + turn;
            f64::hypot(x + third * angle.cos() - bx, y + third * angle.sin() - by) <= 4.0
        })
    };
    assert_eq!(wrong(&map, inside), [[0.0; 2]; 0]);
    assert!(map.reached() > 20);
    // its boundary: a leg of 4 m stretched
    let circles = legs.map(|([bx, by], angle)| {
        let angle = angle.to_radians() + turn;
        (bx - third * angle.cos(), by - third * angle.sin(), 4.0)
    });
    edges_lie_on(&map, &circles);
}

/// A stop on the elbow cuts the ring; margins are parts of its range.
#[test]
fn exact_limits_cut_the_map() {
    let arm = assembled(&format!(
        "{ARM}\n[joints]\nA = {{ type = \"revolute\", bodies = [\"ground\", \"upper\"], at = \"A\", impact_limits = {{ range = [\"-30 deg\", \"60 deg\"], restitution = 0 }} }}\n"
    ));
    let axes: [GridAxis; 2] =
        ["joint.A.q=-89..89deg:12".parse().unwrap(), "joint.B.q=-45..45deg:4".parse().unwrap()];
    let map = arm.workspace("point.P", &axes, &WorkspaceOptions::default()).unwrap();
    let range = [-30f64.to_radians(), 60f64.to_radians()];
    assert_eq!(wrong(&map, |a, _| (range[0]..=range[1]).contains(&a)), [[0.0; 2]; 0]);
    for cell in &map.cells {
        let a = map.axes[0].value(cell.index[0]);
        let exact = (a - range[0]).min(range[1] - a) / (range[1] - range[0]);
        assert!((cell.margin.unwrap() - exact).abs() < 1e-12);
    }
    for edge in &map.curves {
        let off = (edge.at[0] - range[0]).abs().min((edge.at[0] - range[1]).abs());
        assert!(edge.kind == CurveKind::Limit && off < 1e-4, "{edge:?}");
    }
}

/// Cells that lie on the edge itself, where both elbows meet, are reached and let no branch through to the other.
#[test]
fn exact_branches_meet_at_the_edge_and_stay_apart() {
    let arm = assembled(&ARM.replace("P = [1, 0.7]", "P = [1, 0.5]"));
    // 1.5 m: (0.9, 1.2) and (1.5, 0) are cells
    let axes = grid([-1.8, 1.8], [-1.8, 1.8], [13, 13]);
    let map = arm.workspace("point.P", &axes, &WorkspaceOptions::default()).unwrap();
    let inside = |x: f64, y: f64| (0.5 - 1e-9..=1.5 + 1e-9).contains(&f64::hypot(x, y));
    assert_eq!(wrong(&map, inside), [[0.0; 2]; 0]);
    assert!(map.branches == 1 && map.curves.iter().all(|curve| curve.kind == CurveKind::Fold));
    assert_eq!(map.cells.len(), map.reached());
}

#[test]
fn same_options_give_the_same_map() {
    let bars = assembled(FIVE_BAR);
    let axes = grid([0.0, 1.0], [1.0, 2.0], [5, 5]);
    let options = WorkspaceOptions { all: true, seed: 3, ..WorkspaceOptions::default() };
    let map = || bars.workspace("point.P", &axes, &options).unwrap().cells;
    assert_eq!(map(), map());
}

#[test]
fn maps_that_make_no_sense_are_refused_by_name() {
    let arm = assembled(ARM);
    let refused = |of: &str, axes: &[GridAxis]| match arm.workspace(of, axes, &WorkspaceOptions::default()) {
        Err(Error::Model(faults)) => format!("{faults}"),
        Err(error) => error.to_string(),
        Ok(_) => "a map".into(),
    };
    let good = || GridAxis::new("joint.A.q", [0.0, 1.0], 3);
    for (of, axes, words) in [
        ("point.Q", vec![good(), GridAxis::new("joint.B.q", [0.0, 1.0], 3)], "Q"),
        ("point.P", vec![good()], "1 freedom is left when 1 quantity has its value"),
        ("point.P", vec![], "one quantity or two"),
        ("point.P", vec![good(), GridAxis::new("joint.Z.q", [0.0, 1.0], 3)], "there is no joint `Z`"),
        ("point.P", vec![good(), GridAxis::new("joint.B.q", [0.0, f64::NAN], 3)], "finite"),
        ("point.P", vec![good(), GridAxis::new("joint.B.q", [0.0, 1.0], 1)], "two values"),
        ("point.P", grid([5.0, 6.0], [0.0, 1.0], [3, 3]).to_vec(), "no cell"),
        ("point.P", grid([5.0, 6.0], [0.0, 1.0], [3000, 3000]).to_vec(), "at most"),
    ] {
        let said = refused(of, &axes);
        assert!(said.contains(words), "{words}: {said}");
    }
    let rod = assembled(
        "format = 1\n[points]\nA = [0, 0]\nP = [1, 0]\n[bodies]\nground = { points = [\"A\"] }\nrod = { points = [\"A\", \"P\"], mass = 1 }\n",
    );
    let axes = grid([-1.0, 1.0], [-1.0, 1.0], [5, 5]);
    let error = rod.workspace("point.P", &axes, &WorkspaceOptions::default()).unwrap_err().to_string();
    assert!(error.contains("2 quantities are to have values, and the mechanism has 1 freedom:"), "{error}");
    for text in ["joint.A.q", "joint.A.q=0..1", "joint.A.q=0..1:x", "joint.A.q=1..1:3", "joint.A.q=0..1:1"] {
        assert!(text.parse::<GridAxis>().is_err(), "{text}");
    }
}
