//! Units of measures that are given without one.

use linkwork::mechanism::columns;
use linkwork::model::Model;

/// A measure without a unit has the SI unit of its value, unless a bare number in it may convert units.
#[test]
fn exact_units_of_measures_that_tell_them() {
    let model = Model::from_toml(
        r#"
        format = 1
        parameters = { k = "2 N/m", plain = 2 }
        points = { A = [0, 0], B = [1, 0] }
        bodies.ground = { points = ["A"] }
        bodies.rod = { points = ["A", "B"], mass = 1 }
        [measures]
        place = "point.B.x"
        far = { value = "hypot(point.B.x, point.B.y)" }
        speed = "point.B.vx"
        pull = "k * point.B.y"
        area = "point.B.x * point.B.y"
        shown = { value = "point.B.x", unit = "mm" }
        millimetres = "1000 * point.B.x"
        turn = "joint.A.q"
        scaled = "plain * point.B.x"
        "#,
    );
    let mechanism = model.unwrap().assemble().unwrap();
    let units: Vec<(String, String)> = columns(&mechanism)
        .into_iter()
        .filter_map(|column| Some((column.name.strip_prefix("measure.")?.to_owned(), column.unit)))
        .collect();
    let expected = [
        ("place", "m"),
        ("far", "m"),
        ("speed", "m/s"),
        ("pull", "N"),
        ("area", "m^2"),
        ("shown", "mm"),
        ("millimetres", ""),
        ("turn", ""),
        ("scaled", ""),
    ];
    assert_eq!(units, expected.map(|(name, unit)| (name.to_owned(), unit.to_owned())));
}
