//! Finite elements of solids: tetrahedra, wedges and hexahedra of first and second order, with the nodes in the order of Abaqus and CalculiX.
//!
//! With the polynomials N_k over the coordinates r of an element, N_k(r_l) = δ_kl at its nodes,
//!
//!   (M1)  x = Σ N_k x_k,   u = Σ N_k u_k,   J = ∂x/∂r = Σ x_k ⊗ ∂N_k/∂r,   ∂N_k/∂x = J⁻ᵀ ∂N_k/∂r
//!
//! Polynomials of a kind are made from those of lines and triangles: with barycentric coordinates L and, across a wedge or brick, ±1,
//!
//!   (M2)  tetrahedron   first order L_a;   second order L_a (2 L_a − 1), 4 L_a L_b
//!   (M3)  wedge         first order L_a (1 ± t)/2;   second order (serendipity) ½ L_a ((2 L_a − 1)(1 ± t) − (1 − t²)), 2 L_a L_b (1 ± t), L_a (1 − t²)
//!   (M4)  hexahedron    first order Π(1 + r_k r)/8;   second order (serendipity) Π(1 + r_k r)(Σ r_k r − 2)/8, (1 − r²)(1 + s_k s)(1 + t_k t)/4
//!
//! [zienkiewicz2005] chapter 4.

use crate::linalg::vec3::Vec3;

/// A kind of element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// Four nodes: `C3D4`.
    Tet4,
    /// Ten: `C3D10`.
    Tet10,
    /// Six: `C3D6`.
    Wedge6,
    /// Fifteen: `C3D15`.
    Wedge15,
    /// Eight: `C3D8`.
    Hex8,
    /// Twenty: `C3D20`.
    Hex20,
}

/// An element: its kind and its nodes, by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Which kind.
    pub kind: ElementKind,
    /// Its nodes.
    pub nodes: Vec<usize>,
}

/// A linear isotropic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
}

/// Elements, and what they are made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The elements.
    pub elements: Vec<Element>,
    /// Their material; without one stresses are not known.
    pub material: Option<Elasticity>,
}

/// Polynomials of an element at a place, and their derivatives.
pub(super) struct Shape {
    pub values: Vec<f64>,
    pub slopes: Vec<Vec3>,
}

/// Edges of a wedge and of a hexahedron in the order in which their middles are listed.
const WEDGE_EDGES: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)];
const TET_EDGES: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)];
const HEX_EDGES: [(usize, usize); 12] =
    [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)];
const HEX: [Vec3; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];
/// Gradients of the barycentric coordinates of a triangle and of a tetrahedron by r, s, t.
const BARYCENTRIC: [Vec3; 4] = [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Faces of a kind by their corners, counter-clockwise from outside; middles of edges follow from them.
const TET_FACES: [&[usize]; 4] = [&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]];
const WEDGE_FACES: [&[usize]; 5] = [&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];
const HEX_FACES: [&[usize]; 6] =
    [&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]];

impl ElementKind {
    /// All of them.
    pub const ALL: [ElementKind; 6] = [
        ElementKind::Tet4,
        ElementKind::Tet10,
        ElementKind::Wedge6,
        ElementKind::Wedge15,
        ElementKind::Hex8,
        ElementKind::Hex20,
    ];

    /// How many nodes it has.
    pub fn nodes(self) -> usize {
        match self {
            ElementKind::Tet4 => 4,
            ElementKind::Tet10 => 10,
            ElementKind::Wedge6 => 6,
            ElementKind::Wedge15 => 15,
            ElementKind::Hex8 => 8,
            ElementKind::Hex20 => 20,
        }
    }

    /// How many of them are corners: the first ones.
    pub fn corners(self) -> usize {
        match self {
            ElementKind::Tet4 | ElementKind::Tet10 => 4,
            ElementKind::Wedge6 | ElementKind::Wedge15 => 6,
            ElementKind::Hex8 | ElementKind::Hex20 => 8,
        }
    }

    /// Whether it has nodes on its edges: displacements are polynomials of second order.
    pub fn is_quadratic(self) -> bool {
        self.nodes() > self.corners()
    }

    /// The corners that each node between two corners stands between, in order.
    pub(super) fn edges(self) -> Vec<(usize, usize)> {
        let upright = [(0, 3), (1, 4), (2, 5)];
        match self {
            ElementKind::Tet10 => TET_EDGES.into(),
            ElementKind::Wedge15 => WEDGE_EDGES.into_iter().chain(upright).collect(),
            ElementKind::Hex20 => HEX_EDGES.into(),
            _ => Vec::new(),
        }
    }

    /// Its faces: their corners, counter-clockwise from outside, and the nodes between those, none in first order.
    pub(super) fn faces(self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let faces: &[&[usize]] = match self.corners() {
            4 => &TET_FACES,
            6 => &WEDGE_FACES,
            _ => &HEX_FACES,
        };
        let edges = self.edges();
        let middle = |a: usize, b: usize| {
            let k = edges.iter().position(|&(p, q)| (p, q) == (a, b) || (q, p) == (a, b))?;
            Some(self.corners() + k)
        };
        let face = |corners: &&[usize]| {
            let middles =
                (0..corners.len()).filter_map(|k| middle(corners[k], corners[(k + 1) % corners.len()]));
            (corners.to_vec(), middles.collect())
        };
        faces.iter().map(face).collect()
    }

    /// (M2) to (M4)
    pub(super) fn shape(self, at: Vec3) -> Shape {
        let corners = match self.corners() {
            4 => tetrahedron(at),
            6 => wedge(at),
            _ => return hexahedron(at, self == ElementKind::Hex20),
        };
        match self {
            ElementKind::Tet10 => quadratic_tetrahedron(&corners),
            ElementKind::Wedge15 => quadratic_wedge(at),
            _ => corners,
        }
    }
}

fn tetrahedron([r, s, t]: Vec3) -> Shape {
    Shape { values: vec![1.0 - r - s - t, r, s, t], slopes: BARYCENTRIC.into() }
}

fn quadratic_tetrahedron(first: &Shape) -> Shape {
    let (l, d) = (&first.values, &first.slopes);
    let corners = (0..4).map(|a| (l[a] * (2.0 * l[a] - 1.0), d[a].map(|x| x * (4.0 * l[a] - 1.0))));
    let middles = TET_EDGES.iter().map(|&(a, b)| {
        let slope = std::array::from_fn(|c| 4.0 * (d[a][c] * l[b] + l[a] * d[b][c]));
        (4.0 * l[a] * l[b], slope)
    });
    let (values, slopes) = corners.chain(middles).unzip();
    Shape { values, slopes }
}

/// Barycentric coordinates of the triangle across a wedge, and their gradients.
fn triangle([r, s, _]: Vec3) -> ([f64; 3], [Vec3; 3]) {
    ([1.0 - r - s, r, s], [[-1.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
}

fn wedge(at: Vec3) -> Shape {
    let (l, d) = triangle(at);
    let of = |k: usize| {
        let (a, side) = (k % 3, if k < 3 { -1.0 } else { 1.0 });
        let across = 0.5 * (1.0 + side * at[2]);
        (l[a] * across, [d[a][0] * across, d[a][1] * across, 0.5 * side * l[a]])
    };
    let (values, slopes) = (0..6).map(of).unzip();
    Shape { values, slopes }
}

fn quadratic_wedge(at: Vec3) -> Shape {
    let (l, d) = triangle(at);
    let t = at[2];
    let mut shape = Shape { values: Vec::new(), slopes: Vec::new() };
    let mut push = |value: f64, slope: Vec3| {
        shape.values.push(value);
        shape.slopes.push(slope);
    };
    for k in 0..6 {
        let (a, side) = (k % 3, if k < 3 { -1.0 } else { 1.0 });
        let across = 1.0 + side * t;
        let along = 0.5 * ((4.0 * l[a] - 1.0) * across - (1.0 - t * t));
        let by_t = 0.5 * l[a] * ((2.0 * l[a] - 1.0) * side + 2.0 * t);
        let value = 0.5 * l[a] * ((2.0 * l[a] - 1.0) * across - (1.0 - t * t));
        push(value, [d[a][0] * along, d[a][1] * along, by_t]);
    }
    for (k, &(a, b)) in WEDGE_EDGES.iter().enumerate() {
        let (a, b, side) = (a % 3, b % 3, if k < 3 { -1.0 } else { 1.0 });
        let across = 1.0 + side * t;
        let slope = |c: usize| 2.0 * across * (d[a][c] * l[b] + l[a] * d[b][c]);
        push(2.0 * l[a] * l[b] * across, [slope(0), slope(1), 2.0 * side * l[a] * l[b]]);
    }
    for a in 0..3 {
        let bubble = 1.0 - t * t;
        push(l[a] * bubble, [d[a][0] * bubble, d[a][1] * bubble, -2.0 * t * l[a]]);
    }
    shape
}

fn hexahedron(at: Vec3, quadratic: bool) -> Shape {
    let mut shape = Shape { values: Vec::new(), slopes: Vec::new() };
    let without = |f: Vec3, c: usize| (0..3).filter(|&k| k != c).map(|k| f[k]).product::<f64>();
    for node in HEX {
        let f: Vec3 = std::array::from_fn(|c| 1.0 + node[c] * at[c]);
        let product: f64 = f.iter().product();
        let s = (0..3).map(|c| node[c] * at[c]).sum::<f64>() - 2.0;
        let (factor, more) = if quadratic { (s, product) } else { (1.0, 0.0) };
        shape.values.push(product * factor / 8.0);
        shape.slopes.push(std::array::from_fn(|c| node[c] * (without(f, c) * factor + more) / 8.0));
    }
    for (a, b) in HEX_EDGES.iter().filter(|_| quadratic) {
        let node: Vec3 = std::array::from_fn(|c| 0.5 * (HEX[*a][c] + HEX[*b][c]));
        // along the edge 1 − r², across it 1 ± s
        let f: Vec3 =
            std::array::from_fn(|c| if node[c] == 0.0 { 1.0 - at[c] * at[c] } else { 1.0 + node[c] * at[c] });
        shape.values.push(f.iter().product::<f64>() / 4.0);
        let slope = |c: usize| if node[c] == 0.0 { -2.0 * at[c] } else { node[c] };
        shape.slopes.push(std::array::from_fn(|c| slope(c) * without(f, c) / 4.0));
    }
    shape
}

impl Shape {
    /// ∂N_k/∂x of (M1), and the determinant of J; `None` where the element is turned inside out.
    pub fn gradients(&self, nodes: &[Vec3]) -> Option<(Vec<Vec3>, f64)> {
        use crate::linalg::vec3::{cross, dot};
        // columns of J by r, s, t
        let mut by = [[0.0; 3]; 3];
        for (x, slope) in nodes.iter().zip(&self.slopes) {
            for (c, column) in by.iter_mut().enumerate() {
                for (entry, x) in column.iter_mut().zip(x) {
                    *entry += slope[c] * x;
                }
            }
        }
        let rows = [cross(by[1], by[2]), cross(by[2], by[0]), cross(by[0], by[1])];
        let determinant = dot(by[0], rows[0]);
        if determinant.is_nan() || determinant <= 0.0 {
            return None;
        }
        let gradient = |slope: &Vec3| -> Vec3 {
            std::array::from_fn(|i| (0..3).map(|c| rows[c][i] * slope[c]).sum::<f64>() / determinant)
        };
        Some((self.slopes.iter().map(gradient).collect(), determinant))
    }
}

impl Mesh {
    /// The first element that is turned inside out, or so distorted that it has no volume somewhere.
    pub(super) fn inside_out(&self, positions: &[Vec3]) -> Option<usize> {
        self.elements.iter().position(|element| {
            let nodes: Vec<Vec3> = element.nodes.iter().map(|&k| positions[k]).collect();
            super::quadrature::points(element.kind)
                .iter()
                .any(|(at, _)| element.kind.shape(*at).gradients(&nodes).is_none())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the nodes of a kind stand in its own coordinates.
    pub fn own_places(kind: ElementKind) -> Vec<Vec3> {
        let corners: Vec<Vec3> = match kind.corners() {
            4 => vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            6 => [-1.0, 1.0].iter().flat_map(|&t| [[0.0, 0.0, t], [1.0, 0.0, t], [0.0, 1.0, t]]).collect(),
            _ => HEX.into(),
        };
        let middle = |(a, b): (usize, usize)| std::array::from_fn(|c| 0.5 * (corners[a][c] + corners[b][c]));
        let middles: Vec<Vec3> = kind.edges().into_iter().map(middle).collect();
        [corners, middles].concat()
    }

    /// Polynomials are one at their own node and zero at the others; slopes are those of differences; together they give a linear field exactly.
    #[test]
    fn exact_polynomials_of_all_kinds() {
        for kind in ElementKind::ALL {
            let places = own_places(kind);
            assert_eq!(places.len(), kind.nodes());
            for (l, at) in places.iter().enumerate() {
                let shape = kind.shape(*at);
                for (k, value) in shape.values.iter().enumerate() {
                    let wanted = f64::from(u8::from(k == l));
                    assert!((value - wanted).abs() < 1e-14, "{kind:?} {k} {l} {value}");
                }
            }
            let at = [0.21, 0.33, 0.17];
            let shape = kind.shape(at);
            let h = 1e-6;
            for c in 0..3 {
                let moved = |by: f64| {
                    let mut at = at;
                    at[c] += by;
                    kind.shape(at).values
                };
                for ((ahead, behind), slope) in moved(h).iter().zip(moved(-h)).zip(&shape.slopes) {
                    assert!(((ahead - behind) / (2.0 * h) - slope[c]).abs() < 1e-9, "{kind:?}");
                }
            }
            let (gradients, _) = shape.gradients(&places).unwrap();
            let field = |x: &Vec3| 1.0 + 2.0 * x[0] - x[1] + 0.5 * x[2];
            let slope: Vec3 =
                std::array::from_fn(|c| gradients.iter().zip(&places).map(|(g, x)| g[c] * field(x)).sum());
            for (found, wanted) in slope.iter().zip([2.0, -1.0, 0.5]) {
                assert!((found - wanted).abs() < 1e-12, "{kind:?} {slope:?}");
            }
        }
    }

    /// Normals of faces point outward, and each edge of a closed element lies in two faces that pass it in opposite senses.
    #[test]
    fn exact_faces_of_all_kinds_point_outward() {
        use crate::linalg::vec3::{cross, dot, sub};
        for kind in ElementKind::ALL {
            let places = own_places(kind);
            let middle: Vec3 =
                std::array::from_fn(|c| places.iter().map(|x| x[c]).sum::<f64>() / places.len() as f64);
            let mut passed = std::collections::HashSet::new();
            for (corners, middles) in kind.faces() {
                assert_eq!(middles.len(), if kind.is_quadratic() { corners.len() } else { 0 });
                let [a, b, c] = [0, 1, 2].map(|k| places[corners[k]]);
                assert!(dot(cross(sub(b, a), sub(c, a)), sub(a, middle)) > 0.0, "{kind:?} {corners:?}");
                for k in 0..corners.len() {
                    assert!(passed.insert((corners[k], corners[(k + 1) % corners.len()])));
                }
            }
            assert!(passed.iter().all(|&(a, b)| passed.contains(&(b, a))));
        }
    }
}
