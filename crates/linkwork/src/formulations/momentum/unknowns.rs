//! What is solved for: accelerations of the particles that remain, reactions of cut joints, and multipliers of
//! rows that joints of the tree keep.
//!
//! A spatial body of four particles gives up one that no other body holds: it plays particle 3 of
//! [attia2005] (2.10), and its three distances need no equations. A body whose four particles are all shared
//! keeps them, and all six distances.

use super::invariants::{ParticleInvariants, scalar};
use crate::constraints::Constraint;
use crate::linalg::spatial::product;
use crate::linalg::vec3::{Mat3, Vec3, add, apply, scale};
use crate::mechanism::{Mechanism, Owner, Role, Tree};
use crate::particles::Primary;

/// A vector that is linear in the unknowns: Σ M x(column..) + constant.
#[derive(Clone, Debug, Default)]
pub(super) struct Expression {
    pub terms: Vec<(usize, Mat3)>,
    pub constant: Vec3,
}

impl Expression {
    fn clear(&mut self) {
        self.terms.clear();
        self.constant = [0.0; 3];
    }

    fn add(&mut self, factor: &Mat3, other: &Expression) {
        self.constant = add(self.constant, apply(factor, other.constant));
        for (column, m) in &other.terms {
            let m = product(factor, m);
            match self.terms.iter_mut().find(|t| t.0 == *column) {
                Some(t) => (0..3).for_each(|i| t.1[i] = add(t.1[i], m[i])),
                None => self.terms.push((*column, m)),
            }
        }
    }
}

/// A particle that follows from the other three of its body.
#[derive(Clone, Debug)]
struct Follower {
    /// Its coordinate block.
    block: usize,
    /// Particles 1, 2, 4.
    others: [usize; 3],
    invariants: ParticleInvariants,
}

/// A reaction that is solved for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Released {
    /// The force at a shared node on the joint's second body, and back on the first, in columns from here.
    Node { joint: usize, node: usize, column: usize },
    /// The multiplier of a row: −ν ∂Φ/∂r on each of its points.
    Row { joint: usize, row: usize, column: usize },
}

/// All unknowns, and how the nodes' accelerations read in them.
#[derive(Clone, Debug)]
pub(super) struct Unknowns {
    /// How many are accelerations; those come first.
    pub accelerations: usize,
    /// How many there are.
    pub count: usize,
    /// Where the multipliers of couplings begin; they come last.
    pub couplings: usize,
    /// Constraint rows that are left.
    pub rows: Vec<usize>,
    /// Reactions of cut joints, then rows that joints of the tree keep.
    pub released: Vec<Released>,
    /// How many of them belong to cut joints.
    pub of_cut: usize,
    /// By node.
    pub nodes: Vec<Expression>,
    /// By coordinate block.
    blocks: Vec<Expression>,
    followers: Vec<Follower>,
    /// Nodes with a follower in them.
    moved: Vec<usize>,
}

/// One particle of each body of four that may play particle 3, each after those that it needs.
fn followers(mechanism: &Mechanism) -> Vec<Follower> {
    let mut waiting = Vec::new();
    let mut holders = vec![0_u32; mechanism.maps.len()];
    for body in &mechanism.bodies {
        body.nodes.iter().chain(body.others.iter().map(|o| &o.0)).for_each(|&n| holders[n] += 1);
    }
    for body in mechanism.bodies.iter().filter(|body| body.nodes.len() == 4) {
        let candidates = (0..4).rev().filter(|&i| {
            matches!(mechanism.roles[body.nodes[i]], Role::Coordinate(_)) && holders[body.nodes[i]] == 1
        });
        // hidden points first: nobody looks at them
        let Some(chosen) =
            candidates.max_by_key(|&i| (matches!(body.particles.primaries[i], Primary::Helper(_)), i))
        else {
            continue;
        };
        let others: Vec<usize> = (0..4).filter(|&i| i != chosen).collect();
        let at = &body.particles.at;
        let [one, two, four] = [others[0], others[1], others[2]];
        let Some(invariants) = ParticleInvariants::new([at[one], at[two], at[chosen], at[four]]) else {
            continue;
        };
        if let Role::Coordinate(block) = mechanism.roles[body.nodes[chosen]] {
            waiting.push(Follower { block, others: [one, two, four].map(|i| body.nodes[i]), invariants });
        }
    }
    // Points that follow from a body lead to no circle (mechanism/resolve), so neither do these.
    let mut done = Vec::new();
    while !waiting.is_empty() {
        let mut open = vec![false; mechanism.coordinates.len()];
        waiting.iter().for_each(|f: &Follower| open[f.block] = true);
        let needs_open = |f: &Follower| {
            let mut needed = f.others.iter().flat_map(|&n| mechanism.maps.terms(n));
            needed.any(|&(b, _)| open[b as usize])
        };
        let (later, now): (Vec<_>, Vec<_>) = waiting.into_iter().partition(needs_open);
        debug_assert!(!now.is_empty());
        if now.is_empty() {
            break; // all four stay, as for a body that shares them all
        }
        done.extend(now);
        waiting = later;
    }
    done
}

impl Unknowns {
    pub fn new(mechanism: &Mechanism, tree: &Tree) -> Self {
        let d = mechanism.columns();
        let followers = followers(mechanism);
        let mut follows = vec![false; mechanism.coordinates.len()];
        followers.iter().for_each(|f| follows[f.block] = true);
        let mut blocks = vec![Expression::default(); mechanism.coordinates.len()];
        let mut count = 0;
        for (expression, _) in blocks.iter_mut().zip(&follows).filter(|(_, follows)| !**follows) {
            expression.terms.push((count, scalar(1.0)));
            count += d;
        }
        let accelerations = count;
        let rows = (0..mechanism.rows.len())
            .filter(|&r| {
                let row = &mechanism.rows.list[r];
                let (Owner::Body(_), Constraint::Distance(distance)) = (row.owner, &row.constraint) else {
                    return true;
                };
                let follows = |n: usize| matches!(mechanism.roles[n], Role::Coordinate(b) if follows[b]);
                !follows(distance.a) && !follows(distance.b)
            })
            .collect();
        let mut released = Vec::new();
        for &joint in &tree.cut {
            for &node in &mechanism.joints[joint].shared {
                released.push(Released::Node { joint, node, column: count });
                count += d;
            }
            for &row in &mechanism.joints[joint].rows {
                released.push(Released::Row { joint, row, column: count });
                count += 1;
            }
        }
        let of_cut = released.len();
        for &joint in &tree.kept {
            for &row in mechanism.joints[joint].kept_rows() {
                released.push(Released::Row { joint, row, column: count });
                count += 1;
            }
        }
        let moved = (0..mechanism.maps.len())
            .filter(|&n| mechanism.maps.terms(n).iter().any(|t| follows[t.0 as usize]))
            .collect();
        let mut unknowns = Unknowns {
            accelerations,
            count: count + mechanism.interactions.couplings.len(),
            couplings: count,
            rows,
            released,
            of_cut,
            nodes: vec![Expression::default(); mechanism.maps.len()],
            blocks,
            followers,
            moved,
        };
        for node in 0..mechanism.maps.len() {
            unknowns.express(mechanism, node);
        }
        unknowns
    }

    fn express(&mut self, mechanism: &Mechanism, node: usize) {
        let expression = &mut self.nodes[node];
        expression.clear();
        for &(b, w) in mechanism.maps.terms(node) {
            expression.add(&scalar(w), &self.blocks[b as usize]);
        }
    }

    /// (2.14) at positions r and velocities v, and the nodes that it moves.
    pub fn evaluate(&mut self, mechanism: &Mechanism, r: &[Vec3], v: &[Vec3]) {
        for f in &self.followers {
            let mut expression = std::mem::take(&mut self.blocks[f.block]);
            expression.clear();
            let factors = f.invariants.factors(f.others.map(|n| r[n]));
            for (factor, &node) in factors.iter().zip(&f.others) {
                for &(b, w) in mechanism.maps.terms(node) {
                    expression.add(&factor.map(|row| scale(w, row)), &self.blocks[b as usize]);
                }
            }
            let convective = f.invariants.convective(f.others.map(|n| v[n]));
            expression.constant = add(expression.constant, convective);
            self.blocks[f.block] = expression;
        }
        for i in 0..self.moved.len() {
            self.express(mechanism, self.moved[i]);
        }
    }

    /// Accelerations of all coordinates from the unknowns.
    pub fn accelerations_into(&self, columns: usize, x: &[f64], out: &mut [f64]) {
        for (block, expression) in self.blocks.iter().enumerate() {
            let a = expression.terms.iter().fold(expression.constant, |s, (column, m)| {
                let mut part = [0.0; 3];
                part[..columns].copy_from_slice(&x[*column..column + columns]);
                add(s, apply(m, part))
            });
            out[block * columns..][..columns].copy_from_slice(&a[..columns]);
        }
    }

    /// The coordinate block that an acceleration belongs to.
    pub fn block_of(&self, unknown: usize, columns: usize) -> usize {
        let column = unknown - unknown % columns;
        self.blocks
            .iter()
            .position(|b| b.terms.len() == 1 && b.terms[0].0 == column && b.terms[0].1 == scalar(1.0))
            .unwrap_or(0)
    }
}
