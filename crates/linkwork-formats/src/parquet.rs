//! Result tables as Parquet files, for pandas, Polars, DuckDB, Spark and others.
//!
//! Every column is an optional `DOUBLE` with the bits of `results.csv`; an empty cell is a null. The metadata of the file have the key
//! `linkwork.units`: JSON with the unit of each column.

use crate::Error;
use crate::table::Table;
use parquet::basic::{Compression, Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;

/// The key of the metadata that has the units.
pub const UNITS_KEY: &str = "linkwork.units";
/// Numbers that are kept in memory at a time.
const NUMBERS_TO_A_GROUP: usize = 4_000_000;

/// Writes a table; rows are read as they are written, so that long runs need little memory.
pub fn write(table: &Table, to: impl Write + Send) -> Result<(), Error> {
    let mut fields = Vec::new();
    for column in &table.columns {
        let field = Type::primitive_type_builder(&column.name, Physical::DOUBLE)
            .with_repetition(Repetition::OPTIONAL);
        fields.push(Arc::new(field.build().map_err(failed)?));
    }
    let schema = Type::group_type_builder("results").with_fields(fields).build().map_err(failed)?;
    let units: serde_json::Map<String, serde_json::Value> =
        table.columns.iter().map(|c| (c.name.clone(), c.unit.clone().into())).collect();
    let units = KeyValue::new(UNITS_KEY.to_string(), serde_json::Value::Object(units).to_string());
    let properties = WriterProperties::builder()
        .set_compression(Compression::GZIP(parquet::basic::GzipLevel::default()))
        .set_created_by(format!("linkwork {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(vec![units]))
        .build();
    let mut writer = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties)).map_err(failed)?;

    let places: Vec<usize> = (0..table.columns.len()).collect();
    let most = (NUMBERS_TO_A_GROUP / places.len().max(1)).max(1000);
    let mut group: Vec<Vec<f64>> = vec![Vec::new(); places.len()];
    table.for_each_row(&places, |row| {
        group.iter_mut().zip(row).for_each(|(column, x)| column.push(*x));
        if group[0].len() >= most {
            write_group(&mut writer, &mut group)?;
        }
        Ok(())
    })?;
    if !group[0].is_empty() {
        write_group(&mut writer, &mut group)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

fn write_group(
    writer: &mut SerializedFileWriter<impl Write + Send>,
    group: &mut [Vec<f64>],
) -> Result<(), Error> {
    let mut rows = writer.next_row_group().map_err(failed)?;
    for column in group.iter_mut() {
        // of an empty cell only its level is written: it is not there
        let levels: Vec<i16> = column.iter().map(|x| i16::from(!x.is_nan())).collect();
        column.retain(|x| !x.is_nan());
        if let Some(mut to) = rows.next_column().map_err(failed)? {
            to.typed::<DoubleType>().write_batch(column, Some(&levels), None).map_err(failed)?;
            to.close().map_err(failed)?;
        }
        column.clear();
    }
    rows.close().map_err(failed)?;
    Ok(())
}

fn failed(error: ParquetError) -> Error {
    Error::Encoding { what: "a Parquet file", why: error.to_string() }
}
