//! Tables of numbers, integers and words as Parquet files, written group by group and read back.
//!
//! Every column is optional: a number that is not one and an empty word are nulls. Numbers keep their bits. The metadata have the units of the columns, as
//! [`parquet`](crate::parquet) has them, and whatever the writer adds. The same cells give the same bytes.

use crate::Error;
use crate::parquet::UNITS_KEY;
use parquet::basic::{Compression, ConvertedType, GzipLevel, Repetition, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// The cells of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Integers; none is missing.
    Integers(Vec<i64>),
    /// Numbers; one that is not a number is missing.
    Numbers(Vec<f64>),
    /// Words; an empty one is missing.
    Words(Vec<String>),
}

/// A column: its name, its unit, and what its cells are.
#[derive(Clone, Debug, PartialEq)]
pub struct CellColumn {
    /// Its name.
    pub name: String,
    /// Its unit; empty where it has none.
    pub unit: String,
    /// Its cells.
    pub cells: Cells,
}

/// Writes a table, group by group.
pub struct CellWriter<W: Write + Send> {
    writer: SerializedFileWriter<W>,
}

impl<W: Write + Send> CellWriter<W> {
    /// A file with the columns of its first group, and with metadata.
    ///
    /// # Errors
    /// A table that cannot be encoded or written.
    pub fn new(columns: &[CellColumn], metadata: &[(&str, &str)], to: W) -> Result<Self, Error> {
        let mut fields = Vec::new();
        for column in columns {
            let (physical, converted) = match column.cells {
                Cells::Integers(_) => (Physical::INT64, ConvertedType::NONE),
                Cells::Numbers(_) => (Physical::DOUBLE, ConvertedType::NONE),
                Cells::Words(_) => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
            };
            let field = Type::primitive_type_builder(&column.name, physical)
                .with_converted_type(converted)
                .with_repetition(Repetition::OPTIONAL);
            fields.push(Arc::new(field.build().map_err(failed)?));
        }
        let schema = Type::group_type_builder("results").with_fields(fields).build().map_err(failed)?;
        let units: serde_json::Map<String, serde_json::Value> =
            columns.iter().map(|column| (column.name.clone(), column.unit.clone().into())).collect();
        let units = serde_json::Value::Object(units).to_string();
        let mut entries = vec![KeyValue::new(UNITS_KEY.to_string(), units)];
        entries.extend(metadata.iter().map(|(key, value)| KeyValue::new(key.to_string(), value.to_string())));
        let properties = WriterProperties::builder()
            .set_compression(Compression::GZIP(GzipLevel::default()))
            .set_created_by(format!("linkwork {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(entries))
            .build();
        let writer = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        Ok(CellWriter { writer })
    }

    /// Appends rows.
    ///
    /// # Errors
    /// Columns of another kind, or what cannot be written.
    pub fn group(&mut self, columns: &[CellColumn]) -> Result<(), Error> {
        let mut rows = self.writer.next_row_group().map_err(failed)?;
        for column in columns {
            let Some(mut to) = rows.next_column().map_err(failed)? else { break };
            let written = match &column.cells {
                Cells::Integers(list) => {
                    to.typed::<Int64Type>().write_batch(list, Some(&vec![1; list.len()]), None)
                }
                Cells::Numbers(list) => {
                    let levels: Vec<i16> = list.iter().map(|x| i16::from(!x.is_nan())).collect();
                    let there: Vec<f64> = list.iter().copied().filter(|x| !x.is_nan()).collect();
                    to.typed::<DoubleType>().write_batch(&there, Some(&levels), None)
                }
                Cells::Words(list) => {
                    let levels: Vec<i16> = list.iter().map(|word| i16::from(!word.is_empty())).collect();
                    let there: Vec<ByteArray> = list
                        .iter()
                        .filter(|word| !word.is_empty())
                        .map(|word| word.as_str().into())
                        .collect();
                    to.typed::<ByteArrayType>().write_batch(&there, Some(&levels), None)
                }
            };
            written.map_err(failed)?;
            to.close().map_err(failed)?;
        }
        rows.close().map_err(failed)?;
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn close(self) -> Result<(), Error> {
        self.writer.close().map_err(failed)?;
        Ok(())
    }
}

/// Reads a whole table.
///
/// # Errors
/// A file that cannot be opened, is no Parquet file, or has columns of other kinds.
pub fn read(path: &Path) -> Result<Vec<CellColumn>, Error> {
    let unreadable = |error: ParquetError| Error::Unreadable { file: path.into(), what: error.to_string() };
    let file = File::open(path).map_err(|source| Error::Io { file: path.into(), source })?;
    let reader = SerializedFileReader::new(file).map_err(unreadable)?;
    let metadata = reader.metadata().file_metadata();
    let units =
        metadata.key_value_metadata().and_then(|list| list.iter().find(|entry| entry.key == UNITS_KEY));
    let units: serde_json::Value =
        units.and_then(|entry| serde_json::from_str(entry.value.as_deref()?).ok()).unwrap_or_default();
    let mut columns: Vec<CellColumn> = Vec::new();
    for (i, description) in metadata.schema_descr().columns().iter().enumerate() {
        let name = description.name().to_owned();
        let cells = match description.physical_type() {
            Physical::INT64 => Cells::Integers(Vec::new()),
            Physical::DOUBLE => Cells::Numbers(Vec::new()),
            Physical::BYTE_ARRAY => Cells::Words(Vec::new()),
            other => {
                let what =
                    format!("column {} (`{name}`) is of the type {other}, which is not read here", i + 1);
                return Err(Error::Unreadable { file: path.into(), what });
            }
        };
        let unit = units.get(&name).and_then(|unit| unit.as_str()).unwrap_or_default().to_owned();
        columns.push(CellColumn { name, unit, cells });
    }
    for g in 0..reader.num_row_groups() {
        let group = reader.get_row_group(g).map_err(unreadable)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        for (i, column) in columns.iter_mut().enumerate() {
            let from = group.get_column_reader(i).map_err(unreadable)?;
            take(from, rows, &mut column.cells).map_err(unreadable)?;
        }
    }
    Ok(columns)
}

/// Reads so many cells of a column.
fn take(from: ColumnReader, rows: usize, to: &mut Cells) -> Result<(), ParquetError> {
    let short = || ParquetError::General("a column ends too early".into());
    let mut levels: Vec<i16> = Vec::new();
    macro_rules! all {
        ($reader:expr, $values:expr) => {
            while levels.len() < rows {
                let (read, ..) =
                    $reader.read_records(rows - levels.len(), Some(&mut levels), None, &mut $values)?;
                if read == 0 {
                    return Err(short());
                }
            }
        };
    }
    match (from, to) {
        (ColumnReader::Int64ColumnReader(mut reader), Cells::Integers(list)) => {
            let mut values = Vec::new();
            all!(reader, values);
            if values.len() != rows {
                return Err(ParquetError::General("an integer is missing".into()));
            }
            list.extend(values);
        }
        (ColumnReader::DoubleColumnReader(mut reader), Cells::Numbers(list)) => {
            let mut values = Vec::new();
            all!(reader, values);
            let mut values = values.into_iter();
            for level in levels {
                list.push(if level == 1 { values.next().ok_or_else(short)? } else { f64::NAN });
            }
        }
        (ColumnReader::ByteArrayColumnReader(mut reader), Cells::Words(list)) => {
            let mut values: Vec<ByteArray> = Vec::new();
            all!(reader, values);
            let mut values = values.into_iter();
            for level in levels {
                list.push(match level {
                    1 => values.next().ok_or_else(short)?.as_utf8()?.to_owned(),
                    _ => String::new(),
                });
            }
        }
        _ => return Err(ParquetError::General("a column is of another type than its head says".into())),
    }
    Ok(())
}

fn failed(error: ParquetError) -> Error {
    Error::Encoding { what: "a Parquet file", why: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, cells: Cells) -> CellColumn {
        CellColumn { name: name.into(), unit: "m".into(), cells }
    }

    #[test]
    fn same_cells_after_writing_and_reading() {
        let columns = |from: i64| {
            let word = |i: i64| if i % 3 == 0 { String::new() } else { format!("word {i}") };
            [
                column("case", Cells::Integers((from..from + 5).collect())),
                column("x", Cells::Numbers(vec![1.5, f64::NAN, -0.0, f64::MIN_POSITIVE, 0.1])),
                column("status", Cells::Words((from..from + 5).map(word).collect())),
            ]
        };
        let mut bytes = Vec::new();
        let mut writer = CellWriter::new(&columns(0), &[("key", "value")], &mut bytes).unwrap();
        writer.group(&columns(0)).unwrap();
        writer.group(&columns(5)).unwrap();
        writer.close().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        std::fs::write(&path, &bytes).unwrap();
        let read = read(&path).unwrap();
        assert_eq!(read[0].cells, Cells::Integers((0..10).collect()));
        let Cells::Numbers(x) = &read[1].cells else { panic!() };
        let bits: Vec<u64> = x[..5].iter().map(|x| x.to_bits()).collect();
        assert_eq!(bits[2], (-0.0_f64).to_bits());
        assert!(x[1].is_nan() && x[6].is_nan() && x[9] == 0.1);
        let Cells::Words(words) = &read[2].cells else { panic!() };
        assert_eq!((&*words[0], &*words[8], &*read[1].unit), ("", "word 8", "m"));
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(matches!(super::read(&path), Err(Error::Unreadable { .. })));
    }
}
