//! A model file that is read once.

use linkwork::Error;
use linkwork::model::{Model, ModelFile};

const TEXT: &str = r#"
format = 1
model = { name = "slider", dimension = 2, gravity = "-y" }

[parameters]
r = "l / 3"
l = "300 mm"
m = 2

[points]
O = [0, 0]
A = ["r", 0]
B = ["r + l", 0]

[bodies]
ground = { points = ["O"] }
crank = { points = ["O", "A"], mass = "m" }
rod = { points = ["A", "B"], mass = "m / 4", length = "l" }
"#;

/// A file that is read once gives, again and again, the models and faults of a file that is read anew.
#[test]
fn same_models_of_a_file_that_is_read_once() {
    let file = ModelFile::parse("slider.toml", TEXT).unwrap();
    // places are kept in no order
    let bare = |model: Model| format!("{:?}", Model { provenance: None, ..model });
    for l in [0.2, 0.31, -1.0, 0.2] {
        let values = [("l", l), ("m", 1.5)];
        match (file.model(&values), Model::parse_with("slider.toml", TEXT, &values)) {
            (Ok(a), Ok(b)) => assert!(bare(a) == bare(b) && l > 0.0),
            (Err(a), Err(Error::Model(b))) => assert!(a.list == b.list && l < 0.0, "{a}\n{b}"),
            (a, b) => panic!("{a:?} {b:?}"),
        }
    }
    let said = |parameter: &str, text: &str| file.value(parameter, text).map_err(|faults| faults.to_string());
    assert_eq!(said("l", "2 cm + 1 mm"), Ok(0.021));
    assert_eq!(said("m", "3"), Ok(3.0));
    for (parameter, text, word) in [
        ("l", "2 kg", "a length"),
        ("k", "1", "no parameter `k`"),
        ("l", "m / 2", "uses no names"),
        ("l", "1 / 0", "1 / 0"),
        ("l", "", "empty"),
    ] {
        let error = said(parameter, text).unwrap_err();
        assert!(error.contains(word), "{text}: {error}");
    }
}

/// A table beside the file is read once: what happens to it later changes nothing.
#[test]
fn same_table_while_a_file_is_evaluated() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("model");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("load.csv"), "t,f\n0,1\n1,2\n").unwrap();
    let text = format!("{TEXT}\n[tables]\nload = {{ file = \"load.csv\", columns = [\"t\", \"f\"] }}\n");
    let file = ModelFile::parse_beside(&folder.join("m.toml").display().to_string(), text).unwrap();
    let first = file.model(&[]).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(file.model(&[("m", 3.0)]).unwrap().tables, first.tables);
}
