//! Mass properties of triangle meshes by volume integrals.
//!
//! Each triangle (a, b, c) and the origin span a tetrahedron of signed volume
//!
//!   (M1)  V_t = a · (b × c) / 6
//!
//! The signed sum over a closed surface is the solid's volume. With s = a + b + c, and the origin as the fourth corner,
//!
//!   (M2)  ∫ x dV   = V_t s / 4
//!   (M3)  ∫ x xᵀ dV = V_t (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 20
//!
//! and with Σ = ∫ x xᵀ dV about the centre of mass, I = tr(Σ) 1 − Σ for density 1. The sums are taken about the middle of the mesh, so that a mesh far from its
//! origin loses no digits. An open surface has no volume: (M1) then depends on the origin, and [`Mesh::openness`] says how open it is.

use nalgebra::{Matrix3, Vector3};

use crate::Mesh;

/// Volume, its centre, and inertia for density one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// m³; negative if the triangles face inwards.
    pub volume: f64,
    /// Its centre, m.
    pub com: Vector3<f64>,
    /// About the centre for one kg/m³, kg m².
    pub inertia: Matrix3<f64>,
}

impl Mesh {
    /// Corners of all triangles, from a place.
    fn seen_from(&self, place: Vector3<f64>) -> impl Iterator<Item = [Vector3<f64>; 3]> + '_ {
        self.triangles
            .iter()
            .map(move |triangle| self.corners(*triangle).map(|corner| Vector3::from(corner) - place))
    }

    /// Volume integrals (M1) to (M3). `None` without a volume.
    pub fn volume(&self) -> Option<Volume> {
        let [low, high] = self.bounds()?.map(Vector3::from);
        let middle = (low + high) * 0.5;
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for [a, b, c] in self.seen_from(middle) {
            let v = a.dot(&b.cross(&c)) / 6.0; // (M1)
            volume += v;
            first += (a + b + c) * (v / 4.0); // (M2)
            second += products(a, b, c) * (v / 20.0); // (M3)
        }
        let box_volume = (high - low).product();
        if !volume.is_finite() || volume.abs() <= 1e-12 * box_volume || volume == 0.0 {
            return None;
        }
        Some(about_centre(volume, first, second, middle))
    }

    /// Volume integrals in which every tetrahedron counts as positive: too much where the surface is not star-shaped about its middle, but a volume for surfaces
    /// with holes as well. What MuJoCo calls `legacy`, step by step: the fourth corner is the middle of the surface, which gives a centre; it is then that centre, which gives
    /// volume and inertia.
    pub fn unsigned_volume(&self) -> Option<Volume> {
        let middle = self.surface()?.com;
        let (volume, first, _) = self.unsigned_about(middle);
        let com = middle + first / volume;
        let (volume, _, second) = self.unsigned_about(com);
        let inertia = Matrix3::identity() * second.trace() - second;
        (volume.is_finite() && volume > 0.0).then_some(Volume { volume, com, inertia })
    }

    /// Unsigned sums of (M1) to (M3) about a place.
    fn unsigned_about(&self, middle: Vector3<f64>) -> (f64, Vector3<f64>, Matrix3<f64>) {
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for [a, b, c] in self.seen_from(middle) {
            let v = (a.dot(&b.cross(&c)) / 6.0).abs(); // (M1)
            volume += v;
            first += (a + b + c) * (v / 4.0); // (M2)
            second += products(a, b, c) * (v / 20.0); // (M3)
        }
        (volume, first, second)
    }

    /// Area, and the inertia of one kg/m² on the surface: with A for V, the third parts of (M2) and A (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 12 for (M3), s = a + b + c.
    pub fn surface(&self) -> Option<Volume> {
        let [low, high] = self.bounds()?.map(Vector3::from);
        let middle = (low + high) * 0.5;
        let (mut area, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for [a, b, c] in self.seen_from(middle) {
            let part = (b - a).cross(&(c - a)).norm() / 2.0;
            area += part;
            first += (a + b + c) * (part / 3.0);
            second += products(a, b, c) * (part / 12.0);
        }
        (area.is_finite() && area > 0.0).then(|| about_centre(area, first, second, middle))
    }

    /// |Σ area vectors| / Σ areas: zero for a closed surface, one for a single triangle.
    pub fn openness(&self) -> f64 {
        let (mut vector, mut area) = (Vector3::zeros(), 0.0);
        for [a, b, c] in self.seen_from(Vector3::zeros()) {
            let twice = (b - a).cross(&(c - a));
            vector += twice;
            area += twice.norm();
        }
        match area > 0.0 {
            true => vector.norm() / area,
            false => 1.0,
        }
    }
}

/// a aᵀ + b bᵀ + c cᵀ + s sᵀ with s = a + b + c.
fn products(a: Vector3<f64>, b: Vector3<f64>, c: Vector3<f64>) -> Matrix3<f64> {
    let s = a + b + c;
    a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose()
}

/// Moments about the centre from those about another place.
fn about_centre(size: f64, first: Vector3<f64>, second: Matrix3<f64>, middle: Vector3<f64>) -> Volume {
    let com = first / size;
    let about_com = second - com * com.transpose() * size;
    let inertia = Matrix3::identity() * about_com.trace() - about_com;
    Volume { volume: size, com: com + middle, inertia }
}
