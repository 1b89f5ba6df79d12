//! Nodes as affine functions of the coordinates: r = Σ w_j q_j + constant.
//!
//! A node is a coordinate itself, a fixed point, or a point of a body written by the body's primary
//! particles. All are treated alike; the weights never change.

use crate::linalg::vec3::{Vec3, add, axpy, scale};

/// One node while it is being worked out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Affine {
    /// (coordinate block, weight).
    pub terms: Vec<(usize, f64)>,
    /// m.
    pub constant: Vec3,
}

impl Affine {
    /// A fixed point.
    pub fn fixed(constant: Vec3) -> Self {
        Affine { terms: Vec::new(), constant }
    }

    /// A coordinate block.
    pub fn coordinate(block: usize) -> Self {
        Affine { terms: vec![(block, 1.0)], constant: [0.0; 3] }
    }

    /// Adds w times another; weights that cancel to rounding vanish.
    pub fn add(&mut self, w: f64, other: &Affine) {
        const CANCELLED: f64 = 1e-13;
        self.constant = axpy(self.constant, w, other.constant);
        for &(block, v) in &other.terms {
            match self.terms.iter_mut().find(|t| t.0 == block) {
                Some(t) => t.1 += w * v,
                None => self.terms.push((block, w * v)),
            }
        }
        self.terms.retain(|t| t.1.abs() > CANCELLED);
    }
}

/// All nodes, flat.
#[derive(Clone, Debug, Default)]
pub struct Maps {
    columns: usize,
    ptr: Vec<u32>,
    terms: Vec<(u32, f64)>,
    constant: Vec<Vec3>,
}

impl Maps {
    /// Packs the nodes.
    pub fn new(columns: usize, nodes: &[Affine]) -> Self {
        let mut maps = Maps { columns, ptr: vec![0], ..Default::default() };
        for node in nodes {
            maps.terms.extend(node.terms.iter().map(|&(b, w)| (b as u32, w)));
            maps.ptr.push(maps.terms.len() as u32);
            maps.constant.push(node.constant);
        }
        maps
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.constant.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.constant.is_empty()
    }

    /// The terms of a node.
    #[inline]
    pub fn terms(&self, node: usize) -> &[(u32, f64)] {
        &self.terms[self.ptr[node] as usize..self.ptr[node + 1] as usize]
    }

    /// The constant part of a node, m.
    pub fn constant(&self, node: usize) -> Vec3 {
        self.constant[node]
    }

    #[inline]
    fn block(&self, x: &[f64], b: u32) -> Vec3 {
        let at = b as usize * self.columns;
        if self.columns == 2 { [x[at], x[at + 1], 0.0] } else { [x[at], x[at + 1], x[at + 2]] }
    }

    /// Positions of all nodes.
    pub fn positions(&self, q: &[f64], out: &mut [Vec3]) {
        for node in 0..self.len() {
            out[node] = add(self.constant[node], self.combine(node, q));
        }
    }

    /// Position of one node.
    pub fn position(&self, node: usize, q: &[f64]) -> Vec3 {
        add(self.constant[node], self.combine(node, q))
    }

    /// Velocities (or accelerations, or displacements) of all nodes.
    pub fn rates(&self, v: &[f64], out: &mut [Vec3]) {
        for node in 0..self.len() {
            out[node] = self.combine(node, v);
        }
    }

    #[inline]
    fn combine(&self, node: usize, x: &[f64]) -> Vec3 {
        match self.terms(node) {
            [] => [0.0; 3],
            &[(b, 1.0)] => self.block(x, b),
            terms => terms.iter().fold([0.0; 3], |s, &(b, w)| add(s, scale(w, self.block(x, b)))),
        }
    }

    /// Adds a force at a node to the coordinates' forces.
    #[inline]
    pub fn pull_back(&self, node: usize, force: Vec3, f: &mut [f64]) {
        for &(b, w) in self.terms(node) {
            let at = b as usize * self.columns;
            for c in 0..self.columns {
                f[at + c] += w * force[c];
            }
        }
    }
}
