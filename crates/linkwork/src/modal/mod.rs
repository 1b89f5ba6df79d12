//! Deformable bodies from finite elements: Craig–Bampton reduction to a few modes (\[craig1968\]), and the invariants with which a floating frame
//! carries them.
//!
//! Nodes k of the elements lie at X_k, with the stiffness matrix K and the mass matrix M of a free body. Solid elements have one mass for all
//! three directions, M = M_s ⊗ 1₃, which is checked. The reduction ends in modes of the free body (`reduce.rs`),
//!
//!   (F1)  u_k = Σ_j η_j Ψ_kj,     orthogonal to rigid motion: Σ m Ψ_j = 0, Σ m ξ × Ψ_j = 0
//!
//! with ξ_k = X_k − X_c from the centre of mass, so that the frame d₁, d₂, d₃ at r₀ is the mean one (of Tisserand and Buckens). In motion
//!
//!   (F2)  x_k = r₀ + Σ_i ξ_ki d_i + Σ_j Σ_i Ψ_kij w_ji,    w_ji = η_j d_i
//!
//! is linear in r₀, d_i and w_ji with weights that never change. Hence the mass matrix over these vectors is constant, and [`ModalBasis`] keeps what
//! it takes: besides mass, centre and inertia of the rigid body
//!
//!   (F3)  Σ m_kl Ψ_kij,    Σ m_kl ξ_ka Ψ_lij,    Σ m_kl Ψ_kij Ψ_lpq
//!
//! The amplitude η_j is the largest displacement in the mode, m: each Ψ_j is scaled so.

mod assembly;
mod dissection;
mod eigen;
#[cfg(feature = "file")]
pub(crate) mod files;
mod inner;
mod mesh;
mod quadrature;
mod recovery;
mod reduce;
mod surface;
mod symmetric;

pub use mesh::{Elasticity, Element, ElementKind, Mesh};
pub use recovery::{Stress, von_mises};
pub use reduce::{MAX_MODES, MAX_NODES};
pub use surface::Surface;
pub use symmetric::Symmetric;

use crate::linalg::vec3::{Vec3, axpy, norm};

/// Nodes, stiffness and mass of finite elements. Degrees of freedom are numbered 3 k + c for component c of node k.
#[derive(Clone, Debug, PartialEq)]
pub struct FiniteElements {
    /// Places of the nodes, m.
    pub positions: Vec<Vec3>,
    /// Stiffness matrix, N/m.
    pub stiffness: Symmetric,
    /// Mass matrix, kg.
    pub mass: Symmetric,
    /// The elements, where they are known: what surfaces and stresses come from.
    pub mesh: Option<Mesh>,
}

/// Which modes with the interfaces held are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Held {
    /// So many, the lowest.
    Count(usize),
    /// Those that it takes for motions up to this frequency, Hz.
    UpTo(f64),
    /// Those that it takes for the first five frequencies of the free body.
    #[default]
    FirstFive,
}

impl From<usize> for Held {
    fn from(count: usize) -> Self {
        Held::Count(count)
    }
}

/// Where a body is held: one node, or several that move together as a rigid flange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Its nodes, by their place in [`FiniteElements::positions`].
    pub nodes: Vec<usize>,
}

/// What an interface does in the modes.
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceModes {
    /// Its name.
    pub name: String,
    /// Its place: that of its node, or the middle of its nodes, m.
    pub at: Vec3,
    /// Whether it turns: whether it is more than one node.
    pub turns: bool,
    /// Displacement for each mode of amplitude one, no unit.
    pub moves: Vec<Vec3>,
    /// Small turn for each mode of amplitude one, rad/m; zero where it does not turn.
    pub turned: Vec<Vec3>,
}

/// A mode of the free body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticMode {
    /// Angular frequency of the free body, rad/s.
    pub frequency: f64,
    /// Modal mass, kg: kinetic energy is half of it times the square of the rate of the amplitude.
    pub mass: f64,
}

/// A reduced body.
#[derive(Clone, Debug, PartialEq)]
pub struct ModalBasis {
    /// kg
    pub mass: f64,
    /// Centre of mass, m.
    pub com: Vec3,
    /// About the centre of mass, kg m²: entries xx, yy, zz, xy, xz, yz of the matrix.
    pub inertia: [f64; 6],
    /// The modes, by frequency.
    pub modes: Vec<ElasticMode>,
    /// The interfaces.
    pub interfaces: Vec<InterfaceModes>,
    /// First of (F3), kg, by 3 j + i; zero but for rounding.
    pub first: Vec<f64>,
    /// Second of (F3), kg m: three numbers for each 3 j + i.
    pub with_place: Vec<Vec3>,
    /// Third of (F3), kg, rows and columns by 3 j + i.
    pub between: Vec<f64>,
    /// Largest distance of a node from the centre of mass, m.
    pub extent: f64,
    /// How many modes with the interfaces held it was made from.
    pub held: usize,
    /// Modes that are faster than this follow their loads without swinging, rad/s: they are damped critically. Infinite where no frequency was said.
    pub swings_up_to: f64,
    /// Places of the nodes from the centre of mass, m.
    pub nodes: Vec<Vec3>,
    /// Displacements of all nodes in each mode.
    pub shapes: Vec<Vec<Vec3>>,
    /// The surface of the elements, where they are known.
    pub surface: Option<Surface>,
    /// Stresses at the corners of the surface in each mode, Pa/m; none where the material is not known.
    pub stresses: Option<Vec<Vec<Stress>>>,
    /// Nodes whose stresses results show.
    pub stressed: Vec<StressedNode>,
    /// Where it was read from.
    pub source: Option<Box<Source>>,
}

/// A node whose stress results show.
#[derive(Clone, Debug, PartialEq)]
pub struct StressedNode {
    /// What it is called: its number in the file.
    pub name: String,
    /// Its place among the nodes.
    pub node: usize,
    /// Its stress in each mode, in the axes of the frame, Pa/m.
    pub modes: Vec<Stress>,
}

impl StressedNode {
    /// The stress for the amplitudes of the modes, Pa.
    pub fn stress(&self, amplitudes: &[f64]) -> Stress {
        superposed(self.modes.iter().zip(amplitudes))
    }
}

/// Σ η_j S_j
fn superposed<'s>(parts: impl Iterator<Item = (&'s Stress, &'s f64)>) -> Stress {
    parts.fold([0.0; 6], |sum, (stress, amplitude)| std::array::from_fn(|c| sum[c] + amplitude * stress[c]))
}

impl ModalBasis {
    /// The largest displacement of a node from where it would be in the rigid body, m.
    pub fn largest_displacement(&self, amplitudes: &[f64]) -> f64 {
        let of_node = |k: usize| {
            let parts = self.shapes.iter().zip(amplitudes);
            norm(parts.fold([0.0; 3], |sum, (shape, amplitude)| axpy(sum, *amplitude, shape[k])))
        };
        (0..self.nodes.len()).map(of_node).fold(0.0, f64::max)
    }

    /// The largest equivalent stress on the surface, Pa; `None` where stresses are not known.
    pub fn largest_stress(&self, amplitudes: &[f64]) -> Option<f64> {
        let stresses = self.stresses.as_ref()?;
        let corners = self.surface.as_ref().map_or(0, |surface| surface.nodes.len());
        let of_corner =
            |k: usize| von_mises(superposed(stresses.iter().map(|mode| &mode[k]).zip(amplitudes)));
        Some((0..corners).map(of_corner).fold(0.0, f64::max))
    }
}

/// The files and choices that a reduced body was made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// Files of the stiffness and the mass matrix; none where they are assembled from the elements.
    pub matrices: Option<[String; 2]>,
    /// File of the nodes, and of the elements if there are any.
    pub nodes: String,
    /// File that says which degree of freedom each row of the matrices is.
    pub dofs: Option<String>,
    /// The interfaces as the user named them.
    pub interface: Vec<(String, Nodes)>,
    /// Which modes with the interfaces held.
    pub held: Held,
    /// Nodes whose stresses results show.
    pub stress: Option<Nodes>,
    /// The material as the model says it: Young's modulus, Pa; Poisson's ratio; density, kg/m³.
    pub material: [Option<f64>; 3],
    /// Units of places, stiffness and mass; SI if left out.
    pub units: Option<[String; 3]>,
}

/// Nodes of an interface as a user names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nodes {
    /// One, by its number in the file.
    One(u64),
    /// Several.
    Several(Vec<u64>),
    /// A set of the file.
    Set(String),
}

/// Why finite elements cannot become a modal body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModalError {
    /// An entry out of range.
    #[error(
        "the {what} matrix has an entry in row {row}, column {column} that is not finite or outside the matrix"
    )]
    Entry {
        /// Which matrix.
        what: &'static str,
        /// Counted from one.
        row: usize,
        /// Counted from one.
        column: usize,
    },
    /// Not symmetric.
    #[error("the {what} matrix is not symmetric at row {row}, column {column}")]
    NotSymmetric {
        /// Which matrix.
        what: &'static str,
        /// Counted from one.
        row: usize,
        /// Counted from one.
        column: usize,
    },
    /// Sizes that do not fit.
    #[error("{nodes} nodes have {} degrees of freedom, but the {what} matrix has {rows} rows", 3 * nodes)]
    Size {
        /// Which matrix.
        what: &'static str,
        /// Number of nodes.
        nodes: usize,
        /// Number of rows.
        rows: usize,
    },
    /// Too many nodes.
    #[error("{nodes} nodes are more than the {MAX_NODES} that can be reduced here")]
    TooMany {
        /// Number of nodes.
        nodes: usize,
    },
    /// A factor that is too large.
    #[error("the stiffness matrix of {nodes} nodes fills in too much to be factorised here")]
    TooLarge {
        /// Number of nodes.
        nodes: usize,
    },
    /// Supported elements, or nodes in another order than the matrix.
    #[error(
        "the stiffness matrix resists a rigid motion of all nodes: a force of {part:.1e} of its largest entry is left"
    )]
    Supported {
        /// Of the largest entry times the displacement.
        part: f64,
    },
    /// Masses that differ by direction.
    #[error(
        "the mass matrix is not the same in x, y and z at node {node} (counted from one): {part:.1e} of its largest entry"
    )]
    Direction {
        /// Which node.
        node: usize,
        /// Of the largest entry.
        part: f64,
    },
    /// No mass.
    #[error("the mass matrix is not positive: {what}")]
    Mass {
        /// What shows it.
        what: &'static str,
    },
    /// An interface that makes no sense.
    #[error("the interface `{name}` {what}")]
    Interface {
        /// Its name.
        name: String,
        /// What is wrong.
        what: &'static str,
    },
    /// A mechanism within the elements.
    #[error(
        "the stiffness matrix does not hold node {node} (counted from one) when the interfaces are held: parts are not connected, or the node belongs to no element"
    )]
    Loose {
        /// Which node.
        node: usize,
    },
    /// Too many modes.
    #[error("{modes} modes are more than {most}: the most there can be here")]
    Modes {
        /// Wanted.
        modes: usize,
        /// Possible.
        most: usize,
    },
    /// An element that cannot be taken.
    #[error("the element {element} (counted from one) {what}")]
    Element {
        /// Which one.
        element: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// Stresses that cannot be known.
    #[error("stresses cannot be computed: {what}")]
    Stress {
        /// What is missing.
        what: &'static str,
    },
    /// The eigenvalue problem.
    #[error("the modes with the interfaces held were not found to the tolerance: {residual:.1e} is left")]
    NotConverged {
        /// Largest relative residual.
        residual: f64,
    },
}
