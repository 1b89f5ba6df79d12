//! Wavefront OBJ: `v`, `f` and the diffuse colours of `usemtl`. Faces with more corners are fans; lines, curves and points are left out.

use std::collections::HashMap;

use crate::numbers::number;
use crate::{Colour, Companions, Mesh, MeshError, damaged_at};

pub(crate) fn read(bytes: &[u8], companions: &Companions<'_>) -> Result<Mesh, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let mut materials: HashMap<String, Colour> = HashMap::new();
    let mut colour = None;
    let mut mesh = Mesh::default();
    for (line, content) in text.lines().enumerate().map(|(n, content)| (n + 1, content)) {
        let (word, rest) = first_word(content);
        match word {
            "v" => {
                let mut place = [0.0; 3];
                let mut words = rest.split_ascii_whitespace();
                for x in &mut place {
                    let word =
                        words.next().ok_or_else(|| damaged_at(line, "a vertex needs three numbers"))?;
                    *x = number(word).map_err(|error| error.at(line))?;
                }
                mesh.vertex(place)?;
            }
            "f" => {
                let mut fan: [Option<u32>; 2] = [None, None];
                for word in rest.split_ascii_whitespace() {
                    let vertex = corner(word, mesh.vertices.len()).map_err(|what| damaged_at(line, what))?;
                    match fan {
                        [None, _] => fan[0] = Some(vertex),
                        [Some(_), None] => fan[1] = Some(vertex),
                        [Some(first), Some(last)] => {
                            mesh.triangle([first, last, vertex], colour)?;
                            fan[1] = Some(vertex);
                        }
                    }
                }
            }
            "usemtl" => colour = materials.get(rest).copied(),
            // colours that cannot be read are none: the form is what counts
            "mtllib" => rest.split_ascii_whitespace().for_each(|name| {
                if let Ok(library) = companions(name) {
                    add_materials(&library, &mut materials);
                }
            }),
            _ => {}
        }
    }
    Ok(mesh)
}

/// The material files that a text names.
pub(crate) fn libraries(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let named = text.lines().map(first_word).filter(|(word, _)| *word == "mtllib");
    named.flat_map(|(_, rest)| rest.split_ascii_whitespace()).map(str::to_owned).collect()
}

fn first_word(line: &str) -> (&str, &str) {
    let line = line.trim();
    line.split_once(|c: char| c.is_ascii_whitespace()).map_or((line, ""), |(word, rest)| (word, rest.trim()))
}

/// The vertex of `7/2/3`, counted from one, or from the end where negative.
fn corner(word: &str, vertices: usize) -> Result<u32, String> {
    let index = word.split('/').next().and_then(|first| first.parse::<i64>().ok());
    let index = index.ok_or_else(|| "not a corner of a face".to_owned())?;
    let at = match index {
        1.. => index - 1,
        _ => vertices as i64 + index,
    };
    let vertex = usize::try_from(at).ok().filter(|at| index != 0 && *at < vertices);
    vertex.map(|at| at as u32).ok_or_else(|| format!("there is no vertex {index}"))
}

fn add_materials(bytes: &[u8], materials: &mut HashMap<String, Colour>) {
    let text = String::from_utf8_lossy(bytes);
    let mut name = None;
    for line in text.lines() {
        match (first_word(line), &name) {
            (("newmtl", rest), _) => name = Some(rest.to_owned()),
            (("Kd", rest), Some(name)) => {
                let parts: Vec<f32> =
                    rest.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
                if let [red, green, blue, ..] = parts[..] {
                    materials.insert(name.clone(), [red, green, blue, 1.0]);
                }
            }
            _ => {}
        }
    }
}
