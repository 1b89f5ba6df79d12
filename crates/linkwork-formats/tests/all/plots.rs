//! Plots as people and browsers see them.

use linkwork_formats::Error;
use linkwork_formats::plot::{Plot, Size, Terminal};
use linkwork_formats::table::Table;
use roxmltree::{Document, Node};
use std::fmt::Write;
use std::path::Path;

/// A folder with a table of these columns, and perhaps a summary with their units.
fn results(
    folder: &Path,
    columns: &[(&str, &str)],
    rows: impl Iterator<Item = Vec<Option<f64>>>,
    summary: bool,
) {
    std::fs::create_dir_all(folder).unwrap();
    let mut text: String = columns.iter().map(|c| c.0).collect::<Vec<_>>().join(",") + "\n";
    for row in rows {
        let cells: Vec<String> = row.iter().map(|x| x.map_or(String::new(), |x| format!("{x:?}"))).collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    std::fs::write(folder.join("results.csv"), text).unwrap();
    if summary {
        let list: Vec<_> =
            columns.iter().map(|(name, unit)| serde_json::json!({ "name": name, "unit": unit })).collect();
        std::fs::write(folder.join("summary.json"), serde_json::json!({ "columns": list }).to_string())
            .unwrap();
    }
}

fn plot(folder: &Path, columns: &[&str], x: Option<&str>) -> Plot {
    let columns: Vec<String> = columns.iter().map(|c| (*c).to_string()).collect();
    Plot::of(&[Table::open(folder).unwrap()], &columns, x, [None, None]).unwrap()
}

fn number(node: &Node, key: &str) -> f64 {
    node.attribute(key).unwrap_or_else(|| panic!("{key} of {node:?}")).trim_end_matches("mm").parse().unwrap()
}

fn said(node: &Node) -> String {
    node.descendants().filter(Node::is_text).filter_map(|t| t.text()).collect()
}

fn texts(document: &Document) -> Vec<String> {
    document.descendants().filter(|n| n.has_tag_name("text")).map(|n| said(&n)).collect()
}

/// The places of a path, from its commands M and l.
fn places(path: &Node) -> Vec<[f64; 2]> {
    let mut list: Vec<[f64; 2]> = Vec::new();
    let d = path.attribute("d").unwrap();
    let mut rest = d;
    while let Some(start) = rest.find(['M', 'l']) {
        let relative = rest[start..].starts_with('l');
        let body = &rest[start + 1..];
        let end = body.find(['M', 'l', 'z']).unwrap_or(body.len());
        let split = body[1..end].find([' ', '-']).unwrap() + 1;
        let pair = [body[..split].trim().parse::<f64>().unwrap(), body[split..end].trim().parse().unwrap()];
        let from = if relative { *list.last().unwrap() } else { [0.0; 2] };
        list.push([from[0] + pair[0], from[1] + pair[1]]);
        rest = &body[end..];
    }
    list
}

/// The curves: paths in the colours of curves within what is cut at the panel.
fn curves<'a, 'i>(document: &'a Document<'i>) -> Vec<Node<'a, 'i>> {
    document
        .descendants()
        .filter(|n| n.has_tag_name("path") && n.parent().is_some_and(|g| g.has_attribute("clip-path")))
        .collect()
}

/// Where a value is, by the labels of the ticks: upright for y, across for x.
fn axis(document: &Document, labels: [(&str, f64); 2], upright: bool) -> impl Fn(f64) -> f64 + use<> {
    let [a, b] = labels.map(|(label, value)| {
        let anchor = if upright { "end" } else { "middle" };
        let node = document.descendants().find(|n| {
            n.has_tag_name("text")
                && n.attribute("text-anchor") == Some(anchor)
                && said(n) == label
                && n.has_attribute("x")
        });
        let node = node.unwrap_or_else(|| panic!("no label {label} in {:?}", texts(document)));
        // a label stands with the middle of its digits at its tick
        let lift = if upright { 0.714 / 2.0 * number(&node, "font-size") } else { 0.0 };
        (value, number(&node, if upright { "y" } else { "x" }) - lift)
    });
    move |value| a.1 + (b.1 - a.1) * (value - a.0) / (b.0 - a.0)
}

#[test]
fn exact_a_curve_is_where_its_numbers_say() {
    let dir = tempfile::tempdir().unwrap();
    let wave = |t: f64| 2.0 * (3.0 * t).sin();
    let rows = (0..=400).map(|i| f64::from(i) * 0.01).map(|t| vec![Some(t), Some(wave(t))]);
    results(dir.path(), &[("t", "s"), ("joint.A.q", "rad")], rows, true);
    let mut plot = plot(dir.path(), &["joint.A.q"], None);
    plot.size = Some(Size::Pixels([800.0, 500.0]));
    let drawing = plot.draw();
    let svg = drawing.to_svg();
    let document = Document::parse(&svg).unwrap();
    let texts = texts(&document);
    for label in ["time (s)", "joint.A.q (rad)", "−2.0", "0.0"] {
        assert!(texts.iter().any(|t| t == label), "{label} in {texts:?}");
    }
    let x = axis(&document, [("0.0", 0.0), ("4.0", 4.0)], false);
    let y = axis(&document, [("−2.0", -2.0), ("2.0", 2.0)], true);
    let curves = curves(&document);
    assert_eq!(curves.len(), 1);
    let places = places(&curves[0]);
    assert!(places.len() > 50);
    for [px, py] in &places {
        // the inverse of the axis of time
        let t = (px - x(0.0)) / (x(4.0) - x(0.0)) * 4.0;
        assert!((py - y(wave(t))).abs() < 0.4, "at t = {t}: {py} is not {}", y(wave(t)));
    }
    assert!((places[0][0] - x(0.0)).abs() < 0.02 && (places[places.len() - 1][0] - x(4.0)).abs() < 0.02);

    // the same in pixels: the curve is blue where it must be, and the label of the axis is written
    let pixels = drawing.to_pixels().unwrap();
    assert_eq!(pixels.size(), [800, 500]);
    for t in [0.5_f64, 1.1, 2.7, 3.3] {
        let at = pixels.at(x(t).round() as u32, y(wave(t)).round() as u32).unwrap();
        assert!(at.b > at.r.saturating_add(40), "{t}: {at:?}");
    }
    let dark = (0..30)
        .flat_map(|dx| (0..500).map(move |y| (dx, y)))
        .filter(|(x, y)| pixels.at(*x, *y).unwrap().r < 100)
        .count();
    assert!(dark > 100, "no text at the left edge: {dark}");
    let png = pixels.to_png().unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (800, 500));
    assert!(reader.info().pixel_dims.is_some());
}

#[test]
fn exact_two_units_have_two_axes_and_three_have_panels() {
    let dir = tempfile::tempdir().unwrap();
    let columns = [("t", "s"), ("a", "rad"), ("b", "N"), ("c", "J")];
    let rows =
        (0..50).map(f64::from).map(|t| vec![Some(t), Some(t.sin()), Some(1e6 * t.cos()), Some(1e-9 * t)]);
    results(dir.path(), &columns, rows, true);
    let two = plot(dir.path(), &["a", "b"], None).draw().to_svg();
    let document = Document::parse(&two).unwrap();
    let upright: Vec<String> = document
        .descendants()
        .filter(|n| n.has_tag_name("text") && n.has_attribute("transform"))
        .map(|n| said(&n))
        .collect();
    assert_eq!(upright, ["a (rad)", "b (N)"]);
    assert!(texts(&document).contains(&"b (right)".to_string()));
    // a power of ten is raised
    assert!(
        document
            .descendants()
            .any(|n| n.has_tag_name("tspan") && n.attribute("dy").is_some_and(|d| d.starts_with('-')))
    );
    assert!(texts(&document).contains(&"×106".to_string()), "{:?}", texts(&document));
    let three = plot(dir.path(), &["*"], None).draw().to_svg();
    let document = Document::parse(&three).unwrap();
    // t itself is a column too: four units, four panels
    assert_eq!(document.descendants().filter(|n| n.has_tag_name("clipPath")).count(), 4);
}

/// A path of lengths against lengths is not distorted.
#[test]
fn same_scales_for_lengths() {
    let dir = tempfile::tempdir().unwrap();
    let rows =
        (0..=100).map(|i| f64::from(i) * 0.063).map(|a| vec![Some(a), Some(a.cos()), Some(0.25 * a.sin())]);
    results(dir.path(), &[("t", "s"), ("point.P.x", "m"), ("point.P.y", "m")], rows, false);
    for size in [None, Some(Size::Pixels([900.0, 300.0])), Some(Size::Paper([85.0, 120.0]))] {
        let mut plot = plot(dir.path(), &["point.P.y"], Some("point.P.x"));
        plot.size = size;
        let svg = plot.draw().to_svg();
        let document = Document::parse(&svg).unwrap();
        let places = places(&curves(&document)[0]);
        let range = |k: usize| {
            let values = places.iter().map(|p| p[k]);
            values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
        };
        assert!((range(0) / range(1) - 4.0).abs() < 0.05, "{size:?}: {} × {}", range(0), range(1));
        // units without a summary
        assert!(texts(&document).contains(&"point.P.x (m)".to_string()));
    }
}

#[test]
fn exact_empty_cells_are_gaps() {
    let dir = tempfile::tempdir().unwrap();
    let rows =
        (0..40).map(|i| vec![Some(f64::from(i)), (!(10..20).contains(&i)).then_some(1.0 + f64::from(i))]);
    results(dir.path(), &[("t", "s"), ("point.P.x", "m")], rows, false);
    let svg = plot(dir.path(), &["point.P.x"], None).draw().to_svg();
    let document = Document::parse(&svg).unwrap();
    assert_eq!(curves(&document)[0].attribute("d").unwrap().matches('M').count(), 2);
}

/// Several runs, many curves, odd names: no label leaves the picture.
#[test]
fn keeps_everything_inside() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..20).map(|i| format!("joint.a rather long name & <{i}>.force.x")).collect();
    let columns: Vec<(&str, &str)> =
        std::iter::once(("t", "s")).chain(names.iter().map(|n| (n.as_str(), "N"))).collect();
    let mut tables = Vec::new();
    for run in ["first", "second"] {
        let folder = dir.path().join(run);
        let rows = (0..30).map(|i| {
            (0..21).map(|k| Some(if k == 0 { f64::from(i) } else { f64::from(i * k) * 1e4 })).collect()
        });
        results(&folder, &columns, rows, true);
        tables.push(Table::open(&folder).unwrap());
    }
    for size in [None, Some(Size::Paper([85.0, 60.0])), Some(Size::Pixels([300.0, 200.0]))] {
        let mut plot = Plot::of(&tables, &["joint.*".into()], None, [None, None]).unwrap();
        plot.size = size;
        plot.title =
            Some("A title that is quite long, longer than a narrow picture is wide, but fits".into());
        let drawing = plot.draw();
        let svg = drawing.to_svg();
        let document = Document::parse(&svg).unwrap();
        for node in document.descendants().filter(|n| n.has_tag_name("text") && n.has_attribute("x")) {
            let long = linkwork_formats::drawing::text_width(&said(&node)) * number(&node, "font-size");
            let from = number(&node, "x")
                - match node.attribute("text-anchor") {
                    Some("middle") => long / 2.0,
                    Some("end") => long,
                    _ => 0.0,
                };
            assert!(
                from > -0.5 && from + long < drawing.size[0] + 0.5,
                "{size:?}: {} from {from} to {}",
                said(&node),
                from + long
            );
            assert!((0.0..=drawing.size[1]).contains(&number(&node, "y")), "{size:?}: {}", said(&node));
        }
        assert!(document.root_element().first_element_child().unwrap().has_tag_name("title"));
    }
}

#[test]
fn exact_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let rows = (0..200).map(|i| f64::from(i) * 0.05).map(|t| vec![Some(t), Some(t.sin()), Some(t.cos())]);
    results(dir.path(), &[("t", "s"), ("a", "rad"), ("b", "rad")], rows, true);
    let plot = plot(dir.path(), &["a", "b"], None);
    let plain = plot.to_text(Terminal { width: 80, colours: false });
    assert!(plain.lines().all(|line| line.chars().count() <= 80), "{plain}");
    assert!(!plain.contains('\x1b') && plain.contains("a (rad)") && plain.contains("time (s)"));
    // the first row of dots has crests, the last has troughs, in each of the two panels
    assert_eq!(plain.lines().filter(|line| line.contains('└')).count(), 2);
    assert!(plain.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count() > 100);
    let coloured = plot.to_text(Terminal { width: 100, colours: true });
    assert!(coloured.contains("\x1b[34m") && coloured.contains("\x1b[31m"));
    assert_eq!(coloured.lines().filter(|line| line.contains('└')).count(), 1);
}

#[test]
fn exact_errors_for_people() {
    let dir = tempfile::tempdir().unwrap();
    let missing = Table::open(dir.path()).unwrap_err().to_string();
    assert!(missing.contains("results.csv") && missing.contains("linkwork run"), "{missing}");
    results(
        dir.path(),
        &[("t", "s"), ("joint.A.q", "rad"), ("energy.kinetic", "J")],
        [vec![Some(0.0), Some(1.0), None]].into_iter(),
        true,
    );
    let table = Table::open(dir.path()).unwrap();
    for (asked, near) in
        [("joint.A.qq", "joint.A.q"), ("kinetic", "energy.kinetic"), ("Joint.a.Q", "joint.A.q")]
    {
        let error = table.select(asked).unwrap_err();
        assert!(matches!(error, Error::UnknownColumn { .. }));
        assert!(error.to_string().contains(near), "{error}");
    }
    let nothing =
        Plot::of(std::slice::from_ref(&table), &["energy.kinetic".into()], None, [None, None]).unwrap_err();
    assert!(matches!(nothing, Error::Empty(_)), "{nothing}");
    let nothing = Plot::of(&[table], &["joint.A.q".into()], None, [Some(5.0), None]).unwrap_err();
    assert!(nothing.to_string().contains("time"), "{nothing}");
    std::fs::write(dir.path().join("results.csv"), "t,a\n0,1\n1,soon\n").unwrap();
    let table = Table::open(dir.path()).unwrap();
    let wrong = table.read(&[1]).unwrap_err().to_string();
    assert!(wrong.contains("line 3") && wrong.contains("`soon`"), "{wrong}");
    std::fs::write(dir.path().join("results.csv"), "").unwrap();
    assert!(Table::open(dir.path()).is_err());
}
