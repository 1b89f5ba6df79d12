//! Parquet files read back by the crate's own reader.

use linkwork::Model;
use linkwork::results::{CsvResults, Frame};
use linkwork_formats::parquet::{UNITS_KEY, write, write_results};
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

/// Results in memory give the bytes that they give by way of the disk: as CSV, and as Parquet.
#[test]
fn same_bytes_from_memory_and_from_a_folder() {
    for name in ["four-bar", "breaking-chain", "box-stack"] {
        let file = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let mut model = Model::from_file(file).unwrap();
        model.settings.duration = model.settings.duration.min(0.9);
        let mechanism = model.assemble().unwrap();
        let (table, summary) = mechanism.record().unwrap();
        assert!(table.rows() > 10 && summary.rows == table.rows() as u64, "{name}");
        let mut written = CsvResults::new(&mechanism, Vec::new()).unwrap();
        mechanism.run(&mut |frame: &Frame| written.write(frame).unwrap()).unwrap();
        let mut from_table = Vec::new();
        table.write_csv(&mut from_table).unwrap();
        assert!(written.finish().unwrap() == from_table, "{name}: another CSV");
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("results.csv"), &from_table).unwrap();
        let columns: Vec<serde_json::Value> =
            table.columns().iter().map(|c| serde_json::json!({ "name": c.name, "unit": c.unit })).collect();
        let about = serde_json::json!({ "columns": columns }).to_string();
        std::fs::write(dir.path().join("summary.json"), about).unwrap();
        let (mut by_disk, mut by_memory) = (Vec::new(), Vec::new());
        write(&Table::open(dir.path()).unwrap(), &mut by_disk).unwrap();
        write_results(&table, &mut by_memory).unwrap();
        assert!(by_disk == by_memory, "{name}: another Parquet file");
        let t = table.column("t").unwrap();
        assert!(t.windows(2).all(|pair| pair[0] <= pair[1]) && table.column("nothing").is_none());
    }
}

/// A table of sections, whose second column is a name.
#[test]
fn exact_names_and_units_of_a_table_in_long_form() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("beams.csv");
    std::fs::write(&file, "t,beam,section,moment\n0,boom,0,1.5\n0,'=a,1,\n").unwrap();
    let column = |name: &str, unit: &str| serde_json::json!({ "name": name, "unit": unit });
    let columns = [column("t", "s"), column("beam", ""), column("section", ""), column("moment", "N m")];
    let about = serde_json::json!({ "columns": [], "tables": [{ "file": "beams.csv", "columns": columns }] });
    std::fs::write(dir.path().join("summary.json"), about.to_string()).unwrap();
    let to = dir.path().join("beams.parquet");
    let table = Table::open(&file).unwrap();
    assert_eq!((&table.text[..], table.columns[3].unit.as_str()), (&[1][..], "N m"));
    write(&table, std::fs::File::create(&to).unwrap()).unwrap();
    let reader = SerializedFileReader::new(std::fs::File::open(&to).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    let rows: Vec<Vec<Field>> =
        rows.map(|row| row.unwrap().get_column_iter().map(|(_, field)| field.clone()).collect()).collect();
    let [zero, one] = [0.0, 1.0].map(Field::Double);
    assert_eq!(rows[0], [zero.clone(), Field::Str("boom".into()), zero.clone(), Field::Double(1.5)]);
    assert_eq!(rows[1], [zero, Field::Str("=a".into()), one, Field::Null]);
}
