//! Parquet files read back by the crate's own reader.

use linkwork_formats::parquet::{UNITS_KEY, write};
use linkwork_formats::table::Table;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

#[test]
fn same_numbers_units_and_empty_cells() {
    let dir = tempfile::tempdir().unwrap();
    let mut text = "t,point.P.x,measure.odd name,energy.total\n".to_string();
    let value = |i: usize| (i as f64 * 0.7).sin() * 1e-7;
    for i in 0..2500 {
        let middle = if i % 3 == 0 { String::new() } else { format!("{:?}", value(i)) };
        text += &format!("{:?},{:?},{middle},\n", i as f64 * 0.1, -value(i));
    }
    std::fs::write(dir.path().join("results.csv"), text).unwrap();
    let table = Table::open(dir.path()).unwrap();
    let file = dir.path().join("results.parquet");
    write(&table, std::fs::File::create(&file).unwrap()).unwrap();

    let reader = SerializedFileReader::new(std::fs::File::open(&file).unwrap()).unwrap();
    let about = reader.metadata().file_metadata();
    let names: Vec<&str> = about.schema_descr().columns().iter().map(|c| c.name()).collect();
    assert_eq!(names, ["t", "point.P.x", "measure.odd name", "energy.total"]);
    let units = about.key_value_metadata().unwrap().iter().find(|kv| kv.key == UNITS_KEY).unwrap();
    let units: serde_json::Value = serde_json::from_str(units.value.as_ref().unwrap()).unwrap();
    assert_eq!(
        (units["t"].as_str(), units["point.P.x"].as_str(), units["energy.total"].as_str()),
        (Some("s"), Some("m"), Some("J"))
    );
    let mut rows = 0;
    for (i, row) in reader.get_row_iter(None).unwrap().enumerate() {
        let row = row.unwrap();
        let cells: Vec<&Field> = row.get_column_iter().map(|(_, field)| field).collect();
        assert_eq!(cells[0], &Field::Double(i as f64 * 0.1));
        assert_eq!(cells[1], &Field::Double(-value(i)));
        assert_eq!(cells[2], &if i % 3 == 0 { Field::Null } else { Field::Double(value(i)) });
        assert_eq!(cells[3], &Field::Null);
        rows += 1;
    }
    assert_eq!(rows, 2500);
}
