//! Constraints between points: at most quadratic in the coordinates, scaled to lengths.
//!
//! A constraint speaks of *nodes*: points of the mechanism, each an affine function of the
//! coordinates. It gives its residual Φ \[m\], its gradient by each of its nodes (no unit), and
//! γ = −v·Φ_qq·v, so that Φ_q a = γ [m/s²]. The gradient is linear in the positions and γ does not
//! depend on them at all: that is the gift of point coordinates.

mod distance;
mod dot;
mod linear;

pub use distance::Distance;
pub use dot::Dot;
pub use linear::Linear;

use crate::linalg::vec3::Vec3;

/// The most nodes that one constraint speaks of.
pub const MAX_NODES: usize = 5;

/// One scalar constraint.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// Two nodes stay a fixed distance apart.
    Distance(Distance),
    /// Two vectors between nodes keep their scalar product.
    Dot(Dot),
    /// A weighted sum of one component of nodes keeps its value.
    Linear(Linear),
}

impl Constraint {
    /// The nodes, in the order of the gradient; a node may occur twice.
    pub fn nodes(&self) -> Vec<usize> {
        match self {
            Constraint::Distance(c) => vec![c.a, c.b],
            Constraint::Dot(c) => c.nodes.to_vec(),
            Constraint::Linear(c) => c.terms.iter().map(|t| t.0).collect(),
        }
    }

    /// The same equation between other nodes: `node` has the number of an end and the node there.
    pub fn renumbered(&self, node: impl Fn(usize, usize) -> usize) -> Self {
        match self {
            Constraint::Distance(c) => {
                Constraint::Distance(Distance { a: node(0, c.a), b: node(1, c.b), length: c.length })
            }
            Constraint::Dot(c) => {
                let nodes = std::array::from_fn(|i| node(i, c.nodes[i]));
                Constraint::Dot(Dot { nodes, ..c.clone() })
            }
            Constraint::Linear(c) => {
                let terms = c.terms.iter().enumerate().map(|(i, t)| (node(i, t.0), t.1)).collect();
                Constraint::Linear(Linear { terms, ..c.clone() })
            }
        }
    }

    /// The signed length of the gradient by node number `n`, where it is the same in every position, and
    /// nodes of opposite sign have opposite gradients; zero where nothing is certain.
    pub fn certain_part(&self, n: usize) -> f64 {
        match self {
            Constraint::Distance(_) => [-1.0, 1.0][n],
            Constraint::Dot(_) => 0.0,
            Constraint::Linear(c) => c.terms[n].1,
        }
    }

    /// Φ, m.
    #[inline]
    pub fn residual(&self, r: &[Vec3]) -> f64 {
        match self {
            Constraint::Distance(c) => c.residual(r),
            Constraint::Dot(c) => c.residual(r),
            Constraint::Linear(c) => c.residual(r),
        }
    }

    /// ∂Φ/∂r of each node.
    #[inline]
    pub fn gradient(&self, r: &[Vec3], out: &mut [Vec3; MAX_NODES]) {
        match self {
            Constraint::Distance(c) => c.gradient(r, out),
            Constraint::Dot(c) => c.gradient(r, out),
            Constraint::Linear(c) => c.gradient(out),
        }
    }

    /// γ, m/s².
    #[inline]
    pub fn gamma(&self, v: &[Vec3]) -> f64 {
        match self {
            Constraint::Distance(c) => c.gamma(v),
            Constraint::Dot(c) => c.gamma(v),
            Constraint::Linear(_) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::vec3::dot;

    /// Gradients and γ of every kind against central differences, which are exact up to rounding for a
    /// quadratic: step 1e-3 leaves about 1e-13.
    #[test]
    fn cross_gradients_meet_finite_differences() {
        let r = [[0.1, 0.2, -0.3], [1.4, -0.5, 0.8], [-0.7, 0.9, 0.4], [0.6, 1.1, -1.2]];
        let v = [[0.3, -0.1, 0.7], [-0.4, 0.2, 0.1], [0.9, 0.5, -0.6], [0.2, -0.8, 0.3]];
        let all = [
            Constraint::Distance(Distance { a: 1, b: 3, length: 1.7 }),
            Constraint::Dot(Dot { nodes: [0, 1, 2, 3], value: 0.2, scale: 1.3 }),
            Constraint::Dot(Dot { nodes: [0, 1, 0, 3], value: 0.0, scale: 0.7 }),
            Constraint::Linear(Linear {
                terms: vec![(0, 0.4), (2, 0.6), (3, -1.0)],
                component: 1,
                value: 0.3,
            }),
        ];
        let h = 1e-3;
        for c in &all {
            let mut gradient = [[0.0; 3]; MAX_NODES];
            c.gradient(&r, &mut gradient);
            let along: f64 = c.nodes().iter().zip(&gradient).map(|(&n, &g)| dot(g, v[n])).sum();
            let moved = |s: f64| {
                let at: Vec<Vec3> = (0..4).map(|i| std::array::from_fn(|k| r[i][k] + s * v[i][k])).collect();
                c.residual(&at)
            };
            let first = (moved(h) - moved(-h)) / (2.0 * h);
            let second = (moved(h) - 2.0 * moved(0.0) + moved(-h)) / (h * h);
            assert!((along - first).abs() < 1e-11, "{c:?}: {along} {first}");
            assert!((c.gamma(&v) + second).abs() < 1e-8, "{c:?}: {} {second}", c.gamma(&v));
        }
    }
}
