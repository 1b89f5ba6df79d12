//! NumPy archives: arrays in the format `.npy`, version 1.0, in a zip file without compression.
//!
//! An array is a magic, the length of its header, the header (a Python dictionary, padded to a multiple of 64) and the numbers. A zip file is its entries, each behind a local
//! header, and a directory of them; both are short enough that a crate would cost more than it saves.

use super::Part;

fn npy(part: &Part<'_>) -> Vec<u8> {
    let (kind, shape, data) = match part {
        Part::Matrix(rows, columns, values) => {
            let data: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
            ("<f8".to_owned(), format!("({rows}, {columns})"), data)
        }
        Part::Texts(texts) => {
            let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
            let padded = |text: &&str| {
                let characters = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
                characters.flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
            };
            (format!("<U{width}"), format!("({},)", texts.len()), texts.iter().flat_map(padded).collect())
        }
    };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // magic, version, length and header together
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(data);
    out
}

/// CRC-32 of zip files.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { (c >> 1) ^ 0xEDB8_8320 } else { c >> 1 })
    };
    !bytes.iter().fold(!0, step)
}

/// The archive.
pub fn archive(parts: &[(&str, Part<'_>)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, part) in parts {
        let (name, data) = (format!("{name}.npy"), npy(part));
        let offset = out.len() as u32;
        // version 2.0, no flags, stored, 1 January 1980
        let mut facts: Vec<u8> = [20_u16, 0, 0, 0, 0x21].iter().flat_map(|x| x.to_le_bytes()).collect();
        for number in [crc(&data), data.len() as u32, data.len() as u32] {
            facts.extend(number.to_le_bytes());
        }
        facts.extend((name.len() as u16).to_le_bytes());
        facts.extend(0_u16.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&facts);
        out.extend(name.as_bytes());
        out.extend(&data);
        directory.extend(b"PK\x01\x02");
        directory.extend(20_u16.to_le_bytes());
        directory.extend(&facts);
        // no comment, first disk, no attributes
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (offset, length, count) = (out.len() as u32, directory.len() as u32, parts.len() as u16);
    out.extend(directory);
    out.extend(b"PK\x05\x06");
    out.extend([0; 4]);
    for _ in 0..2 {
        out.extend(count.to_le_bytes());
    }
    out.extend(length.to_le_bytes());
    out.extend(offset.to_le_bytes());
    out.extend([0; 2]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of CRC-32, and where things stand in an archive.
    #[test]
    fn exact_bytes_of_an_archive() {
        assert_eq!(crc(b"123456789"), 0xCBF4_3926);
        let array = npy(&Part::Matrix(1, 2, &[1.0, -2.5]));
        assert_eq!(array.len() % 64, 16);
        assert!(array.ends_with(&[1.0_f64.to_le_bytes(), (-2.5_f64).to_le_bytes()].concat()));
        let bytes = archive(&[("A", Part::Matrix(1, 2, &[1.0, -2.5])), ("n", Part::Texts(vec!["ω", "ab"]))]);
        assert!(bytes.starts_with(b"PK\x03\x04") && bytes[30..35] == *b"A.npy");
        assert_eq!(bytes[bytes.len() - 22..][..4], *b"PK\x05\x06");
    }
}
