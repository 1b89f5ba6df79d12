//! What is wrong with beams is told: where, what, and what to do.

use linkwork::model::Model;

const HEAD: &str = "format = 1
points = { A = [0, 0], B = [1, 0], C = [2, 0] }
[bodies]
ground = { points = ['A'] }
rod = { points = ['B', 'C'], mass = 1 }
";

const SPACE: &str = "format = 1
points = { A = [0, 0, 0], B = [0, 0, 1], C = [1, 0, 1] }
[bodies]
ground = { points = ['A'] }
";

fn told(head: &str, cases: &[(&str, &str, &str, &str)]) {
    for (text, path, message, help) in cases {
        let text = format!("{head}{text}");
        let list = match Model::from_toml(&text) {
            Err(linkwork::Error::Model(faults)) => faults.list,
            Err(other) => panic!("{other}"),
            Ok(model) => model.assemble().err().unwrap_or_else(|| panic!("nothing wrong with\n{text}")).list,
        };
        let found = list.iter().any(|fault| {
            fault.path == *path
                && fault.message.contains(message)
                && fault.help.as_deref().unwrap_or_default().contains(help)
        });
        assert!(found, "{text}\n{list:#?}");
    }
}

#[test]
#[rustfmt::skip]
fn exact_faults_in_the_plane() {
    const STEEL: &str = "material = 'steel', section = { diameter = 0.01 }";
    let with = |rest: &str| format!("[beams]\nb = {{ from = 'A', to = 'B', {rest} }}");
    let cases = [
        (with("material = 'steel'"), "beams.b", "nobody knows how stiff", "`section`"),
        (with("section = { diameter = 0.01 }"), "beams.b", "`mass_per_length` missing", "`material`"),
        (with("material = 'stel', section = { diameter = 0.01 }"), "beams.b.material", "unknown material `stel`", "did you mean `steel`?"),
        (with("material = 'steel', section = { diameter = 0.01, width = 0.1 }"), "beams.b.section", "no section", "`inner_diameter`"),
        (with("material = 'steel', section = { diameter = 0.01, inner_diameter = [0, 0.02] }"), "beams.b.section.inner_diameter", "not smaller", ""),
        (with("material = 'steel', section = { diameter = '1 kg' }"), "beams.b.section.diameter", "expected", ""),
        (with(&format!("{STEEL}, clamp = ['ground', 'rodd']")), "beams.b.clamp[1]", "no body `rodd`", "did you mean `rod`?"),
        (with(&format!("{STEEL}, clamp = ['rod', 'none']")), "beams.b.clamp[0]", "`A` is not a point of `rod`", "add `A`"),
        (with(&format!("{STEEL}, clamp = ['b', 'none']")), "beams.b.clamp[0]", "is a beam", "b/A"),
        (with(&format!("{STEEL}, points = ['B']")), "beams.b.to", "through `B` twice", "two beams"),
        (with(&format!("{STEEL}, points = ['X']")), "beams.b.points[0]", "no point `X`", ""),
        (with(&format!("{STEEL}, elements = 1000000")), "beams.b.elements", "from 1 to 50000", ""),
        (with(&format!("{STEEL}, damping = -1")), "beams.b.damping", "must not be negative", ""),
        (with(&format!("{STEEL}, poisson_ratio = 0.7")), "beams.b.poisson_ratio", "at most 0.5", ""),
        (with(&format!("{STEEL}, twist = 1")), "beams.b.twist", "planar", "leave it out"),
        (with(&format!("{STEEL}, breaks_at = ['C']")), "beams.b.breaks_at[0]", "does not pass through `C`", "add `C`"),
        (with(&format!("{STEEL}, breaks_at = ['B']")), "beams.b.breaks_at[0]", "`B` is an end", "detach"),
        (with(&format!("{STEEL}, break_moment = 3")), "beams.b.break_moment", "breaks nowhere", "`breaks_at`"),
        (with(&format!("{STEEL}, break_force = -3")), "beams.b.break_force", "more than zero", ""),
        (with("axial_stiffness = 1e5, bending_stiffness = [1, 2], mass_per_length = 1"), "beams.b.bending_stiffness", "two values", ""),
        (format!("{}\n[changes]\nc = {{ at = 0, remove = ['b/1'] }}", with(STEEL)), "changes.c.remove[0]", "a section of the beam", "detach"),
        (format!("{}\n[forces]\nf = {{ body = 'b/X', force = [0, 1] }}", with(STEEL)), "forces.f.body", "no body `b/X`", ""),
    ];
    let cases: Vec<_> = cases.iter().map(|(text, path, message, help)| (text.as_str(), *path, *message, *help)).collect();
    told(HEAD, &cases);
    // a name of the author that is one of ours
    let clash = "points = { A = [0, 0], 'b/1' = [1, 0], B = [2, 0] }\n[bodies]\nground = { points = ['A', 'b/1'] }\n";
    told(&format!("format = 1\n{clash}"), &[(&with(STEEL), "points.\"b/1\"", "those of the sections", "another name")]);
}

#[test]
#[rustfmt::skip]
fn exact_faults_in_space() {
    told(SPACE, &[
        ("[beams]\nb = { from = 'A', to = 'B', up = [0, 0, 1], material = 'steel', section = { diameter = 0.01 } }", "beams.b.up", "runs along `up`", "nowhere along"),
        ("[beams]\nb = { from = 'A', to = 'B', axial_stiffness = 1e5, bending_stiffness = 1, mass_per_length = 1 }", "beams.b", "`torsional_stiffness` missing", ""),
        ("[beams]\nb = { from = 'A', to = 'B', up = [0, 0, 0], material = 'steel', section = { diameter = 0.01 } }", "beams.b.up", "", ""),
    ]);
    // along z the second axis is towards y
    let text = format!("{SPACE}[beams]\nb = {{ from = 'A', to = 'B', points = [], clamp = ['ground', 'none'], material = 'steel', section = {{ width = 0.02, height = [0.02, 0.01] }} }}\nc = {{ from = 'B', to = 'C', clamp = ['b/B', 'none'], material = 'steel', section = {{ diameter = 0.01, inner_diameter = 0.008 }}, twist = '90 deg' }}\n");
    let model = Model::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    let mechanism = model.assemble().unwrap_or_else(|e| panic!("{e}"));
    // 17 sections each, six freedoms, less the two that are welded
    assert_eq!(mechanism.degrees_of_freedom(), 6 * (17 - 1) + 6 * (17 - 1));
    let again = Model::from_toml(&model.to_toml().unwrap()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(format!("{:?}", again.beams), format!("{:?}", model.beams));
}
