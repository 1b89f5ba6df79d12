//! Deformable bodies: beams, whose outlines are swept along their sections, and surfaces of modal bodies, which move with the amplitudes of their modes.
//!
//! Section a of a beam stands at r_a with the axes d_1, d_2, d_3, d_1 along it. Between sections the beam is drawn as it is computed: with the polynomials N_a of
//! its elements, the corner (y, z) of its outline at s is
//!
//!   (D1)  x = Σ N_a(s) (r_a + y_a d_2^a + z_a d_3^a)
//!
//! A place ξ of a modal body with the pose (c, R) and the amplitudes η_j stands at
//!
//!   (D2)  x = c + R (ξ + Σ_j η_j Ψ_j)

use super::Vector;
use crate::pose::Section;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use linkwork::linalg::quaternion;
use linkwork::linalg::vec3::{Vec3, add, axpy, scale};
use linkwork::modal::von_mises;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// A beam.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Beam {
    /// Its name.
    pub name: String,
    /// Which colour of the palette it has.
    pub colour: usize,
    /// Sections of an element, less one: 1 or 2.
    pub pieces: usize,
    /// How many times the outline is drawn from one section to the next.
    pub rings: usize,
    /// Whether the outline is round; else it is a rectangle.
    pub round: bool,
    /// Half the size of the outline along axes 2 and 3, for each section.
    pub half: Vec<[f64; 2]>,
    /// Values of [`BEAM_FIELDS`] that are large for this beam: what a live view counts in, which does not know what will come.
    pub large: [f64; BEAM_FIELDS.len()],
}

/// What colours can show of beams: key, name and unit, and whether its sign says something. A [`Section`] has a value for each.
pub const BEAM_FIELDS: [Field; 5] = [
    Field { key: "curvature", name: "change of curvature", unit: "1/m", signed: false },
    Field { key: "moment", name: "bending moment", unit: "N m", signed: false },
    Field { key: "axial-force", name: "axial force", unit: "N", signed: true },
    Field { key: "shear-force", name: "shear force", unit: "N", signed: false },
    Field { key: "torsion", name: "torsion", unit: "N m", signed: true },
];

/// What colours can show of modal bodies.
pub const MODAL_FIELDS: [Field; 2] = [
    Field { key: "displacement", name: "elastic displacement", unit: "m", signed: false },
    Field { key: "stress", name: "von Mises stress", unit: "Pa", signed: false },
];

/// A quantity that colours show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// How options name it.
    pub key: &'static str,
    /// How legends name it.
    pub name: &'static str,
    /// Its SI unit.
    pub unit: &'static str,
    /// Whether its sign says something.
    pub signed: bool,
}

/// The outline of a beam somewhere along it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// The place on the axis.
    pub at: Vector,
    /// d_2 and d_3 as interpolated.
    pub across: [Vector; 2],
    /// Half the size along them.
    pub half: [f64; 2],
    /// The values of [`BEAM_FIELDS`].
    pub values: [f64; BEAM_FIELDS.len()],
}

impl Beam {
    /// The outlines along the beam, one after the other; none where it is not there.
    pub fn swept(&self, sections: &[Section]) -> Vec<Ring> {
        let (pieces, rings) = (self.pieces.clamp(1, 2), self.rings.max(1));
        if sections.len() != self.half.len() || sections.len() <= pieces {
            return Vec::new();
        }
        let axes: Vec<[Vec3; 2]> = sections.iter().map(Section::across).collect();
        let mut out = Vec::new();
        for element in 0..(sections.len() - 1) / pieces {
            let (first, cuts) = (element * pieces, rings * pieces);
            for k in usize::from(element > 0)..=cuts {
                let x = 2.0 * k as f64 / cuts as f64 - 1.0;
                let weights = match pieces {
                    1 => [0.5 * (1.0 - x), 0.5 * (1.0 + x), 0.0],
                    _ => [0.5 * x * (x - 1.0), 1.0 - x * x, 0.5 * x * (x + 1.0)],
                };
                let mut ring = Ring {
                    at: [0.0; 3],
                    across: [[0.0; 3]; 2],
                    half: [0.0; 2],
                    values: [0.0; BEAM_FIELDS.len()],
                };
                for (a, &w) in weights.iter().enumerate().take(pieces + 1) {
                    ring.at = axpy(ring.at, w, sections[first + a].at);
                    for i in 0..2 {
                        ring.across[i] = axpy(ring.across[i], w, axes[first + a][i]);
                        ring.half[i] += w * self.half[first + a][i];
                    }
                }
                // values straight from section to section: a parabola would overshoot
                let (a, s) = ((k / rings).min(pieces - 1), k as f64 / rings as f64);
                let (before, after) = (&sections[first + a].values, &sections[first + a + 1].values);
                let s = s - a as f64;
                ring.values = std::array::from_fn(|i| before[i] + s * (after[i] - before[i]));
                out.push(ring);
            }
        }
        out
    }

    /// Places on the outline, as parts of its half size, each with the direction out of it. Two neighbours are joined; those of a rectangle stand twice at its corners.
    pub fn outline(&self) -> Vec<([f64; 2], [f64; 2])> {
        if self.round {
            let around = (0..ROUND).map(|k| (std::f64::consts::TAU * k as f64 / ROUND as f64).sin_cos());
            return around.map(|(sin, cos)| ([cos, sin], [cos, sin])).collect();
        }
        let corners = [[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let out = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
        (0..4).flat_map(|k| [(corners[k], out[k]), (corners[(k + 1) % 4], out[k])]).collect()
    }
}

/// Outlines from one section to the next are no more than this.
pub(super) const MOST_RINGS: usize = 64;
/// Corners of a surface times its modes are no more than this.
pub(super) const MOST_NUMBERS: usize = 1 << 22;

/// Corners of a round outline.
const ROUND: usize = 12;

impl Ring {
    /// A place of the outline, by its parts of the half size.
    pub fn place(&self, [y, z]: [f64; 2]) -> Vector {
        axpy(axpy(self.at, y * self.half[0], self.across[0]), z * self.half[1], self.across[1])
    }

    /// A direction by its components along axes 2 and 3.
    pub fn direction(&self, [y, z]: [f64; 2]) -> Vector {
        axpy(scale(y, self.across[0]), z, self.across[1])
    }
}

impl Section {
    /// d_2 and d_3.
    fn across(&self) -> [Vec3; 2] {
        let m = quaternion::matrix(&self.quat_wxyz);
        [1, 2].map(|i| [m[0][i], m[1][i], m[2][i]])
    }
}

/// The surface of a modal body, in the axes of its frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModalBody {
    /// Its name.
    pub name: String,
    /// Its frame, by its place among the scene's bodies.
    pub body: usize,
    /// How many modes it has.
    pub modes: usize,
    /// Corners where nothing is deformed.
    pub vertices: Vec<Vector>,
    /// Triangles, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Edges to be drawn as lines.
    pub edges: Vec<[u32; 2]>,
    /// Displacements: three for each corner in each mode, no unit.
    pub displacements: Packed,
    /// Stresses: xx, yy, zz, xy, xz, yz for each corner in each mode, Pa/m. Nothing where they are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stresses: Option<Packed>,
}

/// Many numbers in little space: whole ones for each mode, in a unit of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Packed {
    /// The unit for each mode.
    pub quanta: Vec<f64>,
    /// Base64 of a zlib stream of 16-bit integers, little-endian, mode after mode.
    pub blob: String,
}

impl Packed {
    /// Of the numbers of each mode; the largest becomes `levels`.
    pub fn new(modes: &[Vec<f64>], levels: f64) -> Self {
        let mut quanta = Vec::new();
        let mut bytes = Vec::new();
        for numbers in modes {
            let largest = numbers.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let quantum = if largest > 0.0 && largest.is_finite() { largest / levels } else { 1.0 };
            quanta.push(quantum);
            bytes.extend(numbers.iter().flat_map(|x| ((x / quantum).round() as i16).to_le_bytes()));
        }
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(9));
        // into memory nothing fails
        let packed = encoder.write_all(&bytes).and_then(|()| encoder.finish()).unwrap_or_default();
        Packed { quanta, blob: STANDARD.encode(packed) }
    }

    /// The numbers, mode after mode; nothing where they are not as many as they should be.
    pub fn numbers(&self, modes: usize, each: usize) -> Option<Vec<f64>> {
        let wanted = 2 * modes.checked_mul(each)?;
        if self.quanta.len() != modes || !self.quanta.iter().all(|q| q.is_finite()) {
            return None;
        }
        let packed = STANDARD.decode(&self.blob).ok()?;
        let mut bytes = Vec::new();
        // no more than there may be, whatever the stream says
        ZlibDecoder::new(&packed[..]).take(wanted as u64 + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() != wanted {
            return None;
        }
        let whole = bytes.chunks_exact(2).map(|pair| f64::from(i16::from_le_bytes([pair[0], pair[1]])));
        Some(whole.enumerate().map(|(k, x)| x * self.quanta[k / each.max(1)]).collect())
    }
}

/// The numbers of a surface, unpacked.
#[derive(Clone, Debug, PartialEq)]
pub struct Unpacked {
    corners: usize,
    displacements: Vec<f64>,
    stresses: Option<Vec<f64>>,
}

impl ModalBody {
    /// Its numbers, for [`ModalBody::bent`].
    pub fn unpacked(&self) -> Option<Unpacked> {
        let corners = self.vertices.len();
        let stresses = match &self.stresses {
            Some(packed) => Some(packed.numbers(self.modes, 6 * corners)?),
            None => None,
        };
        Some(Unpacked {
            corners,
            displacements: self.displacements.numbers(self.modes, 3 * corners)?,
            stresses,
        })
    }

    /// The places of the corners in the axes of the frame, and the values of [`MODAL_FIELDS`] there; NaN where one is not known.
    pub fn bent(&self, unpacked: &Unpacked, amplitudes: &[f64]) -> Vec<(Vector, [f64; MODAL_FIELDS.len()])> {
        let sum = |numbers: &[f64], width: usize, k: usize, c: usize| -> f64 {
            let of_mode =
                |(j, amplitude): (usize, &f64)| amplitude * numbers[(j * unpacked.corners + k) * width + c];
            amplitudes.iter().take(self.modes).enumerate().map(of_mode).sum()
        };
        let place = |(k, vertex): (usize, &Vector)| {
            let moved: Vector = std::array::from_fn(|c| sum(&unpacked.displacements, 3, k, c));
            let size = moved.iter().map(|x| x * x).sum::<f64>().sqrt();
            let stress = unpacked
                .stresses
                .as_ref()
                .map_or(f64::NAN, |stresses| von_mises(std::array::from_fn(|c| sum(stresses, 6, k, c))));
            (add(*vertex, moved), [size, stress])
        };
        self.vertices.iter().enumerate().map(place).collect()
    }
}

impl Field {
    /// The field with a key.
    pub fn find(key: &str) -> Option<Field> {
        BEAM_FIELDS.into_iter().chain(MODAL_FIELDS).find(|field| field.key == key)
    }
}

/// Colours of a scale, from its lowest value to its highest: 0xRRGGBB.
pub fn scale_colours(signed: bool) -> &'static [u32] {
    match signed {
        // one hue on either side of grey
        true => &[0x2166AC, 0x67A9CF, 0xD9DDE0, 0xEF8A62, 0xB2182B],
        // rises evenly in lightness, also for those who see colours differently
        false => &[0x440154, 0x414487, 0x2A788E, 0x22A884, 0x7AD151, 0xFDE725],
    }
}

/// The colour of a part from 0 to 1 of a scale: red, green, blue.
pub fn scale_colour(signed: bool, part: f64) -> [u8; 3] {
    let stops = scale_colours(signed);
    let at = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 } * (stops.len() - 1) as f64;
    let k = (at as usize).min(stops.len() - 2);
    let channel = |rgb: u32, shift: u32| f64::from(rgb >> shift & 255);
    [16, 8, 0].map(|shift| {
        let (a, b) = (channel(stops[k], shift), channel(stops[k + 1], shift));
        (a + (at - k as f64) * (b - a)).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::Section;

    fn section(angle: f64, radius: f64) -> Section {
        let (sin, cos) = (0.5 * angle).sin_cos();
        Section {
            at: [radius * angle.sin(), radius * (1.0 - angle.cos()), 0.0],
            quat_wxyz: [cos, 0.0, 0.0, sin],
            values: [angle, 0.0, 0.0, 0.0, 0.0],
        }
    }

    /// A quadratic element on an arc: outlines stand on it to the fourth power of its angle, its sections exactly, and values run straight between sections.
    #[test]
    fn order_of_an_arc_between_sections() {
        let off = |angle: f64| {
            let sections: Vec<Section> = (0..3).map(|k| section(0.5 * angle * f64::from(k), 2.0)).collect();
            let beam =
                Beam { pieces: 2, rings: 3, half: vec![[0.1, 0.2]; 3], large: [1.0; 5], ..Beam::default() };
            let rings = beam.swept(&sections);
            assert_eq!(rings.len(), 7);
            for (ring, section) in rings.iter().step_by(3).zip(&sections) {
                assert!((0..3).all(|c| (ring.at[c] - section.at[c]).abs() < 1e-15));
                assert!((ring.values[0] - section.values[0]).abs() < 1e-15);
            }
            assert!((rings[1].values[0] - angle / 6.0).abs() < 1e-15);
            // the outer side of the outline is an arc, too
            let radius = |ring: &Ring| {
                let [x, y, _] = ring.place([-1.0, 0.0]);
                x.hypot(y - 2.0)
            };
            rings.iter().map(|ring| (radius(ring) - 2.1).abs()).fold(0.0, f64::max)
        };
        let order = (off(0.8) / off(0.4)).log2();
        assert!((3.5..4.5).contains(&order), "{order}");
    }

    /// Packed numbers are back within half a unit; the bent corners and the equivalent stress are those of the sums.
    #[test]
    fn exact_numbers_of_a_surface_there_and_back() {
        let moves = [vec![1.0, 0.0, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.25], vec![0.0; 9]];
        let stresses = [vec![3e6; 18], vec![-1e6; 18]];
        let body = ModalBody {
            modes: 2,
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2]],
            displacements: Packed::new(&moves, 2047.0),
            stresses: Some(Packed::new(&stresses, 127.0)),
            ..ModalBody::default()
        };
        let numbers = body.displacements.numbers(2, 9).unwrap();
        assert!(numbers.iter().zip(moves.iter().flatten()).all(|(a, b)| (a - b).abs() <= 0.5 / 2047.0));
        assert!(body.displacements.numbers(2, 8).is_none() && body.displacements.numbers(1, 18).is_none());
        let bent = body.bent(&body.unpacked().unwrap(), &[0.2, 1.0]);
        assert!((bent[0].0[0] - 0.2).abs() < 1e-12 && (bent[1].0[1] + 0.1).abs() < 1e-4);
        // 0.2 · 3 MPa − 1 MPa in every component: three shear stresses of 0.4 MPa
        assert!((bent[2].1[1] - 3.0 * 0.4e6).abs() < 1.0, "{}", bent[2].1[1]);
        assert_eq!(scale_colour(false, 0.0), [0x44, 0x01, 0x54]);
        assert_eq!(
            (scale_colour(true, 0.5), scale_colour(true, 7.0)),
            ([0xD9, 0xDD, 0xE0], [0xB2, 0x18, 0x2B])
        );
    }
}
