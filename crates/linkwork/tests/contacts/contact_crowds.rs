//! Contacts with so many pairs that these are not listed.

use linkwork::model::{Amount, Body, Contact, Mass, Model, Shape, Surface};
use linkwork::simulation::Status;
use std::time::Instant;

/// So many spheres in a box of five planes, a little above its floor.
fn spheres(count: usize, duration: f64) -> Model {
    let side = (count as f64).cbrt().ceil() as usize;
    let mut model = Model::spatial("spheres").gravity([0.0, 0.0, -9.81]);
    let mut names = Vec::new();
    for i in 0..count {
        let [x, y, z] = [i % side, i / side % side, i / side / side].map(|k| k as f64);
        let (point, name) = (format!("P{i}"), format!("s{i}"));
        model = model.point(&point, [0.11 * x + 0.003 * z, 0.11 * y - 0.002 * z, 0.11 * z + 0.06]);
        let sphere = Shape::Sphere { radius: 0.05, center: None };
        model = model.body(Body::new(&name, [point.as_str()], Mass::Shape(sphere, Amount::Density(2500.0))));
        names.push(name);
    }
    let wide = 0.11 * side as f64 + 0.05;
    let walls = [
        ("floor", [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
        ("left", [-0.08, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ("right", [wide, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        ("near", [0.0, -0.1, 0.0], [0.0, 1.0, 0.0]),
        ("far", [0.0, wide, 0.0], [0.0, -1.0, 0.0]),
    ];
    for (name, at, normal) in walls {
        model = model.surface(Surface::plane(name, at, normal));
    }
    let mut bin = Contact::between("bin", "s0", "floor").friction(0.4);
    bin.of =
        linkwork::model::Meeting::Between([names.clone(), walls.map(|(name, ..)| name.to_string()).to_vec()]);
    model = model.contact(Contact::among("heap", names).friction(0.4).restitution(0.2)).contact(bin);
    model.settings.duration = duration;
    model.settings.output_step = 0.02;
    model
}

/// Nothing is listed, no column is made for single pairs, points that push are in the samples, and a saved run goes on with the same bits.
#[test]
fn same_bits_of_crowds_after_restore() {
    let mechanism = spheres(64, 0.3).assemble().unwrap_or_else(|faults| panic!("{faults}"));
    // 2016 pairs are a crowd, 320 are not
    assert_eq!((mechanism.pairs().len(), mechanism.crowds().list().len()), (320, 1));
    let mut simulation = mechanism.simulation().unwrap();
    simulation.advance_to(0.2).unwrap();
    let saved = simulation.save();
    simulation.advance_to(0.3).unwrap();
    let first = simulation.sample().unwrap().clone();
    simulation.restore(&saved).unwrap();
    simulation.advance_to(0.3).unwrap();
    let again = simulation.sample().unwrap();
    assert_eq!(first.positions, again.positions);
    assert_eq!(first.pushes, again.pushes);
    assert!(first.pushes.iter().any(|push| push.bodies.iter().all(Option::is_some) && push.of == Some(0)));
    // weights are borne by the floor: the sum of all pushes from the ground is what acts from outside
    assert!(first.pushes.iter().any(|push| push.of == Some(1)));
    assert!(
        first
            .pushes
            .iter()
            .all(|push| push.force.iter().zip(push.normal).map(|(f, n)| f * n).sum::<f64>() > 0.0)
    );
}

/// The same motion whether pairs are listed or found on the way, until a last bit has grown.
#[test]
fn cross_crowds_move_as_listed_pairs() {
    let crowd = spheres(34, 0.3);
    let mut listed = crowd.clone();
    // 561 pairs in three entries of less than 500
    let names: Vec<String> = (0..34).map(|i| format!("s{i}")).collect();
    let (one, two) = names.split_at(17);
    listed.contacts.remove(0);
    let mut between = Contact::between("c", "s0", "s1").friction(0.4).restitution(0.2);
    between.of = linkwork::model::Meeting::Between([one.to_vec(), two.to_vec()]);
    listed = listed
        .contact(Contact::among("a", one.to_vec()).friction(0.4).restitution(0.2))
        .contact(Contact::among("b", two.to_vec()).friction(0.4).restitution(0.2))
        .contact(between);
    let [crowd, listed] =
        [crowd, listed].map(|model| model.assemble().unwrap_or_else(|faults| panic!("{faults}")));
    assert!(crowd.crowds().list().len() == 1 && listed.crowds().is_empty());
    let [a, b] = [&crowd, &listed].map(|mechanism| mechanism.simulate().unwrap());
    let far = |a: &linkwork::results::Frame, b: &linkwork::results::Frame| {
        let both = a.positions.iter().zip(&b.positions);
        both.flat_map(|(p, q)| (0..3).map(move |i| (p[i] - q[i]).abs())).fold(0.0, f64::max)
    };
    let off: Vec<f64> = a.frames.iter().zip(&b.frames).map(|(a, b)| far(a, b)).collect();
    println!("{off:?}");
    // the order of contacts differs, and sweeps end at 1e-6 of the velocities
    assert!(off[5] < 1e-6 && off.iter().all(|x| x.is_finite()), "{off:?}");
    let sum = |frame: &linkwork::results::Frame| frame.pushes.iter().map(|push| push.force[2]).sum::<f64>();
    assert!((sum(&a.frames[5]) - sum(&b.frames[5])).abs() < 1e-3 * sum(&a.frames[5]).abs().max(1.0));
}

/// Five hundred spheres, 124,750 pairs: no room for that many in events.
#[test]
fn keeps_crowds_apart() {
    let mechanism = spheres(500, 0.1).assemble().unwrap_or_else(|faults| panic!("{faults}"));
    let run = mechanism.simulate().unwrap();
    assert_eq!(run.summary.status, Status::Finished);
    let counts = run.summary.contact_steps.unwrap();
    println!("{counts:?}");
    // 1e-4 of a radius
    assert!(counts.overlap < 5e-6 && counts.most > 0, "{counts:?}");
}

/// Overlaps of a crowd are named, not all of them.
#[test]
fn exact_overlaps_of_crowds() {
    let mut model = spheres(200, 0.1);
    for (i, point) in model.points.iter_mut().enumerate().take(60) {
        point.position = [0.02 * i as f64, 0.0, 5.0];
    }
    let faults = model.assemble().unwrap_err();
    let named = faults.list.iter().filter(|f| f.message.contains("overlap by")).count();
    assert!(named == 20, "{named}");
    assert!(
        faults.list.iter().any(|f| f.message.contains("more pairs of surfaces overlap")),
        "{:?}",
        faults.list.last()
    );
}

/// Time and memory of many spheres; run by hand.
#[test]
#[ignore = "a measurement"]
fn measure_many_spheres() {
    let memory = || -> String {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        status.lines().filter(|l| l.starts_with("VmHWM")).map(|l| l.replace('\t', " ")).collect()
    };
    let list = std::env::var("SPHERES").unwrap_or("200 1000 2000 5000".into());
    let seconds: f64 = std::env::var("SECONDS_OF_MOTION").ok().and_then(|s| s.parse().ok()).unwrap_or(0.1);
    for count in list.split(' ').filter_map(|n| n.parse().ok()) {
        let model = spheres(count, seconds);
        let start = Instant::now();
        let mechanism = model.assemble().unwrap_or_else(|faults| panic!("{faults}"));
        let assembled = start.elapsed();
        let start = Instant::now();
        let mut simulation = mechanism.simulation().unwrap();
        let made = start.elapsed();
        let start = Instant::now();
        let mut until = 0.0;
        while until < seconds - 1e-9 {
            until = (until + 0.02_f64).min(seconds);
            simulation.advance_to(until).unwrap();
            if seconds > 1.0 && ((until / 0.02).round() as usize).is_multiple_of(50) {
                println!("  t = {until:.2}: {:?}, {}", start.elapsed(), memory());
            }
        }
        let ran = start.elapsed();
        let energy = simulation.sample().unwrap().energy();
        println!(
            "{count} spheres: assembled in {assembled:?}, simulation in {made:?}, {seconds} s in {ran:?}, {}, energy {energy}",
            memory()
        );
    }
}
