//! MATLAB files, version 5, without compression ([matlab2024]): a header of 128 bytes, then an element for each variable. Matrices are column by column; lists of texts are
//! cell arrays of row vectors of characters, two bytes each.

use super::Part;

const INT8: u32 = 1;
const UINT16: u32 = 4;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const DOUBLE: u32 = 9;
const MATRIX: u32 = 14;
/// Classes of arrays.
const CELL: u32 = 1;
const CHARACTERS: u32 = 4;
const NUMBERS: u32 = 6;

/// Type, length and data, padded to eight bytes.
fn element(kind: u32, data: &[u8]) -> Vec<u8> {
    let mut out = kind.to_le_bytes().to_vec();
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out.resize(out.len().next_multiple_of(8), 0);
    out
}

fn array(class: u32, rows: usize, columns: usize, name: &str, content: &[u8]) -> Vec<u8> {
    let flags: Vec<u8> = [class, 0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let size: Vec<u8> = [rows as i32, columns as i32].iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut body = element(UINT32, &flags);
    body.extend(element(INT32, &size));
    body.extend(element(INT8, name.as_bytes()));
    body.extend(content);
    element(MATRIX, &body)
}

/// The file.
pub fn file(parts: &[(&str, Part<'_>)]) -> Vec<u8> {
    let mut out = b"MATLAB 5.0 MAT-file, a linear system by Linkwork".to_vec();
    out.resize(124, b' ');
    out.extend(0x0100_u16.to_le_bytes());
    out.extend(b"IM");
    for (name, part) in parts {
        match part {
            Part::Matrix(rows, columns, values) => {
                let places = (0..*columns).flat_map(|k| (0..*rows).map(move |i| i * columns + k));
                let data: Vec<u8> = places.flat_map(|place| values[place].to_le_bytes()).collect();
                out.extend(array(NUMBERS, *rows, *columns, name, &element(DOUBLE, &data)));
            }
            Part::Texts(texts) => {
                let cell = |text: &&str| {
                    let units: Vec<u16> = text.encode_utf16().collect();
                    let data: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
                    array(
                        CHARACTERS,
                        usize::from(!units.is_empty()),
                        units.len(),
                        "",
                        &element(UINT16, &data),
                    )
                };
                let cells: Vec<u8> = texts.iter().flat_map(cell).collect();
                out.extend(array(CELL, texts.len(), 1, name, &cells));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of elements are multiples of eight, and numbers stand column by column.
    #[test]
    fn exact_bytes_of_a_file() {
        let bytes =
            file(&[("A", Part::Matrix(2, 2, &[1.0, 2.0, 3.0, 4.0])), ("s", Part::Texts(vec!["ab", ""]))]);
        assert_eq!(bytes[124..128], [0x00, 0x01, b'I', b'M']);
        assert_eq!(bytes.len() % 8, 0);
        let second =
            bytes[bytes.len().min(128 + 8 + 16 + 16 + 16 + 8 + 8)..][..8].try_into().expect("eight bytes");
        assert_eq!(f64::from_le_bytes(second), 3.0, "the second number is that below the first");
    }
}
