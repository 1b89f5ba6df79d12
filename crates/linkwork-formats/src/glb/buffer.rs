//! The numbers of a glTF file. All are 32 bits wide, or four times 16, so that everything is aligned.

use serde_json::{Value, json};

const FLOAT: u32 = 5126;
const SHORT: u32 = 5123;
const FOR_VERTICES: u32 = 34962;

/// Numbers, and how they are divided.
#[derive(Default)]
pub struct Buffer {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

impl Buffer {
    /// Single numbers with their lowest and highest, as times need them; the accessor's place.
    pub fn scalars(&mut self, values: &[f32]) -> usize {
        let (low, high) =
            values.iter().fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
        let accessor = json!({ "type": "SCALAR", "min": [low], "max": [high] });
        self.push(values.iter().copied(), values.len(), accessor, false)
    }

    /// Single numbers without bounds; the accessor's place.
    pub fn numbers(&mut self, values: &[f32]) -> usize {
        self.push(values.iter().copied(), values.len(), json!({ "type": "SCALAR" }), false)
    }

    /// Matrices, column after column; the accessor's place.
    pub fn matrices(&mut self, values: &[[f32; 16]]) -> usize {
        self.push(values.iter().flatten().copied(), values.len(), json!({ "type": "MAT4" }), false)
    }

    /// For each corner which joint of a skin moves it, alone; the accessor's place.
    pub fn joints(&mut self, joints: &[u16]) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(joints.iter().flat_map(|joint| [*joint, 0, 0, 0]).flat_map(u16::to_le_bytes));
        let length = self.bytes.len() - start;
        self.views
            .push(json!({ "buffer": 0, "byteOffset": start, "byteLength": length, "target": FOR_VERTICES }));
        self.accessors.push(json!({
            "type": "VEC4", "bufferView": self.views.len() - 1, "componentType": SHORT, "count": joints.len(),
        }));
        self.accessors.len() - 1
    }

    /// Vectors of three or four; the accessor's place.
    pub fn vectors<const N: usize>(&mut self, values: &[[f32; N]], for_vertices: bool) -> usize {
        let accessor = json!({ "type": if N == 4 { "VEC4" } else { "VEC3" } });
        self.push(values.iter().flatten().copied(), values.len(), accessor, for_vertices)
    }

    /// Corners, with their bounds; the accessor's place.
    pub fn positions(&mut self, values: &[[f32; 3]]) -> usize {
        let place = self.vectors(values, true);
        let bound = |fold: fn(f32, f32) -> f32| {
            values
                .iter()
                .copied()
                .reduce(|a, b| std::array::from_fn(|k| fold(a[k], b[k])))
                .unwrap_or_default()
        };
        self.accessors[place]["min"] = json!(bound(f32::min));
        self.accessors[place]["max"] = json!(bound(f32::max));
        place
    }

    fn push(
        &mut self,
        values: impl Iterator<Item = f32>,
        count: usize,
        mut accessor: Value,
        for_vertices: bool,
    ) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(values.flat_map(f32::to_le_bytes));
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start });
        if for_vertices {
            view["target"] = FOR_VERTICES.into();
        }
        self.views.push(view);
        accessor["bufferView"] = (self.views.len() - 1).into();
        accessor["componentType"] = FLOAT.into();
        accessor["count"] = count.into();
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}
