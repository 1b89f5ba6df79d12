//! Result tables as Parquet files, for pandas, Polars, DuckDB, Spark and others.
//!
//! Every column is an optional `DOUBLE` with the bits of `results.csv`; an empty cell is a null. Names, which tables of beams and chains have, are a column of
//! UTF-8 texts. The metadata of the file have the key `linkwork.units`: JSON with the unit of each column.

use crate::Error;
use crate::table::Table;
use linkwork::results::Table as Results;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
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

/// Writes a table that lies on the disk; rows are read as they are written, so that long runs need little memory.
pub fn write(table: &Table, to: impl Write + Send) -> Result<(), Error> {
    let columns: Vec<[&str; 2]> = table.columns.iter().map(|c| [c.name.as_str(), &c.unit]).collect();
    let mut writer = begin(&columns, &table.text, to)?;
    let numbers: Vec<usize> = (0..columns.len()).filter(|place| !table.text.contains(place)).collect();
    let most = (NUMBERS_TO_A_GROUP / columns.len().max(1)).max(1000);
    let mut group: Vec<Cells> = (0..columns.len())
        .map(|place| match table.text.contains(&place) {
            true => Cells::Texts(Vec::new()),
            false => Cells::Numbers(Vec::new()),
        })
        .collect();
    let mut lines = 0;
    table.for_each_line(&numbers, |row, line| {
        let mut row = row.iter();
        for (place, cells) in group.iter_mut().enumerate() {
            match cells {
                Cells::Numbers(list) => list.extend(row.next()),
                Cells::Texts(list) => list.push(line.text(place).into()),
            }
        }
        lines += 1;
        if lines == most {
            lines = 0;
            write_group(&mut writer, &mut group)?;
        }
        Ok(())
    })?;
    if lines > 0 {
        write_group(&mut writer, &mut group)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

/// Writes results that are in memory: the file has the bytes that it would have by way of `results.csv`.
pub fn write_results(table: &Results, to: impl Write + Send) -> Result<(), Error> {
    let columns: Vec<[&str; 2]> = table.columns().iter().map(|c| [c.name.as_str(), &*c.unit]).collect();
    let mut writer = begin(&columns, &[], to)?;
    let most = (NUMBERS_TO_A_GROUP / columns.len().max(1)).max(1000);
    for first in (0..table.rows()).step_by(most) {
        let last = (first + most).min(table.rows());
        let mut group: Vec<Cells> =
            table.values().map(|column| Cells::Numbers(column[first..last].to_vec())).collect();
        write_group(&mut writer, &mut group)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

/// Cells of a column.
enum Cells {
    Numbers(Vec<f64>),
    Texts(Vec<ByteArray>),
}

/// The head of a file, for columns of these names and units; those with places in `text` hold texts.
fn begin<W: Write + Send>(
    columns: &[[&str; 2]],
    text: &[usize],
    to: W,
) -> Result<SerializedFileWriter<W>, Error> {
    let mut fields = Vec::new();
    for (place, [name, _]) in columns.iter().enumerate() {
        let field = match text.contains(&place) {
            true => Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
                .with_logical_type(Some(LogicalType::String)),
            false => Type::primitive_type_builder(name, Physical::DOUBLE),
        };
        let field = field.with_repetition(Repetition::OPTIONAL);
        fields.push(Arc::new(field.build().map_err(failed)?));
    }
    let schema = Type::group_type_builder("results").with_fields(fields).build().map_err(failed)?;
    let units: serde_json::Map<String, serde_json::Value> =
        columns.iter().map(|[name, unit]| (name.to_string(), unit.to_string().into())).collect();
    let units = KeyValue::new(UNITS_KEY.to_string(), serde_json::Value::Object(units).to_string());
    let properties = WriterProperties::builder()
        .set_compression(Compression::GZIP(parquet::basic::GzipLevel::default()))
        .set_created_by(format!("linkwork {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(vec![units]))
        .build();
    SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties)).map_err(failed)
}

fn write_group(
    writer: &mut SerializedFileWriter<impl Write + Send>,
    group: &mut [Cells],
) -> Result<(), Error> {
    let mut rows = writer.next_row_group().map_err(failed)?;
    for cells in group.iter_mut() {
        let Some(mut to) = rows.next_column().map_err(failed)? else { continue };
        match cells {
            Cells::Numbers(column) => {
                // of an empty cell only its level is written: it is not there
                let levels: Vec<i16> = column.iter().map(|x| i16::from(!x.is_nan())).collect();
                column.retain(|x| !x.is_nan());
                to.typed::<DoubleType>().write_batch(column, Some(&levels), None).map_err(failed)?;
                column.clear();
            }
            Cells::Texts(column) => {
                let levels = vec![1; column.len()];
                to.typed::<ByteArrayType>().write_batch(column, Some(&levels), None).map_err(failed)?;
                column.clear();
            }
        }
        to.close().map_err(failed)?;
    }
    rows.close().map_err(failed)?;
    Ok(())
}

fn failed(error: ParquetError) -> Error {
    Error::Encoding { what: "a Parquet file", why: error.to_string() }
}
