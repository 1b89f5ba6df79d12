//! Modal bodies in a mechanism: a floating frame with mode amplitudes, in point coordinates.
//!
//! The frame of a body is four particles: r₀ at the centre of mass and p_i = r₀ + L d_i along its axes. With w_ji = s_ji − r₀ for the sliders s_ji of mode j
//! (see `modal`),
//!
//!   (B1)  x_k = r₀ + Σ_i ξ_ki/L (p_i − r₀) + Σ_ji Ψ_kij w_ji
//!
//! Each slider stays on its axis, and those of a mode are equally far out:
//!
//!   (B2)  w_ji · d_k = 0,  i ≠ k                            six rows; the two of the first slider are those of its joint
//!   (B3)  (s_j2 − s_j1)·(d_1 + d_2) = 0,  (s_j3 − s_j1)·(d_1 + d_3) = 0        for w_ji = η_i d_i is (s_2 − s_1)·(d_1 + d_2) = η_2 − η_1
//!
//! so that a mode has nine coordinates, eight rows and one degree of freedom, η_j = w_j1 · d_1, along which its joint has a spring and a
//! damper. All that is quadratic. The mass matrix is that of (B1): the rigid part is that of the frame's particles, and
//!
//!   (B4)  ½ Σ m_kl ẋ_k·ẋ_l = rigid + Σ_a Σ_b c_ab ẏ_a·ẇ_b + ½ Σ_ab D_ab ẇ_a·ẇ_b
//!
//! with y the particles of the frame, c and D from the second and third of (F3). It never changes, and no frequency, no centrifugal or Coriolis force has to be
//! written down: they are in it.
//!
//! An interface is a body without mass. Its point is tied to (B1); if it turns, its axes e_i follow D_i = d_i + Σ_j η_j θ_j × d_i, the
//! linearised motion of its nodes, by
//!
//!   (B5)  e_2 · D_3 = 0,  e_3 · D_1 = 0,  e_1 · D_2 = 0
//!
//! Left out: stiffness that changes with the load, as that of a blade in the centrifugal field. Displacements must be small in the frame.

use super::maps::Affine;
use super::rows::{Owner, Row};
use super::{Mechanism, MechanismBody, Role};
use crate::constraints::{Constraint, Dot, Linear};
use crate::interactions::Motion;
use crate::linalg::vec3::{Vec3, apply, dot, sub};
use crate::modal::{ModalBasis, von_mises};
use crate::model::Model;
use std::collections::{BTreeMap, HashMap};

/// A modal body, compiled.
#[derive(Clone, Debug)]
pub struct MechanismModalBody {
    /// Its name.
    pub name: String,
    /// Its place in the model.
    pub entry: usize,
    /// Its frame, among the bodies.
    pub frame: usize,
    /// For each mode the node of its first slider.
    pub modes: Vec<usize>,
    /// For each mode its three sliders, among the bodies.
    pub sliders: Vec<[usize; 3]>,
    /// For each interface its body.
    pub interfaces: Vec<usize>,
}

impl MechanismModalBody {
    /// The amplitudes of its modes where the bodies move like this, m: η_j = w_j1 · d_1.
    pub fn amplitudes(&self, motions: &[Motion]) -> Vec<f64> {
        let frame = &motions[self.frame];
        let axis = apply(&frame.turned, [1.0, 0.0, 0.0]);
        self.sliders.iter().map(|mode| dot(sub(motions[mode[0]].c, frame.c), axis)).collect()
    }

    /// Their rates, m/s.
    pub fn amplitude_rates(&self, motions: &[Motion]) -> Vec<f64> {
        let frame = &motions[self.frame];
        let axis = apply(&frame.turned, [1.0, 0.0, 0.0]);
        let rate = |mode: &[usize; 3]| {
            let slider = &motions[mode[0]];
            // the axis turns with the frame, and the slider lies on it
            dot(sub(slider.v, frame.v), axis)
        };
        self.sliders.iter().map(rate).collect()
    }

    /// What it was reduced to.
    pub fn basis<'m>(&self, mechanism: &'m Mechanism) -> &'m ModalBasis {
        &mechanism.model.modal_bodies[self.entry].basis
    }

    /// A column of results.
    pub(crate) fn value(&self, mechanism: &Mechanism, motions: &[Motion], quantity: ModalQuantity) -> f64 {
        let (basis, amplitudes) = (self.basis(mechanism), self.amplitudes(motions));
        match quantity {
            ModalQuantity::LargestDisplacement => basis.largest_displacement(&amplitudes),
            ModalQuantity::LargestStress => basis.largest_stress(&amplitudes).unwrap_or(f64::NAN),
            ModalQuantity::VonMises(node) => von_mises(basis.stressed[node].stress(&amplitudes)),
            ModalQuantity::Stress(node, component) => basis.stressed[node].stress(&amplitudes)[component],
        }
    }
}

/// What results show of a modal body besides its amplitudes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ModalQuantity {
    LargestDisplacement,
    LargestStress,
    /// Of a node among those whose stresses are shown.
    VonMises(usize),
    /// Likewise, and which component.
    Stress(usize, usize),
}

/// What modal bodies add to nodes, masses and rows.
pub(super) struct Modal<'a> {
    pub maps: &'a mut Vec<Affine>,
    pub roles: &'a mut Vec<Role>,
    pub node_names: &'a mut Vec<String>,
    pub mass: &'a mut Vec<(usize, usize, f64)>,
    pub rows: &'a mut Vec<Row>,
}

/// Weights over nodes.
type Weights = Vec<(usize, f64)>;

impl Modal<'_> {
    /// Adds all modal bodies of a model that has been spelled out.
    pub fn add(
        &mut self,
        model: &Model,
        bodies: &[MechanismBody],
        node: &dyn Fn(usize, &str) -> Option<usize>,
    ) -> Vec<MechanismModalBody> {
        let index: HashMap<&str, usize> =
            bodies.iter().enumerate().map(|(b, body)| (body.name.as_str(), b)).collect();
        let mut masses: BTreeMap<(usize, usize), f64> =
            self.mass.iter().map(|&(i, j, v)| ((i, j), v)).collect();
        let mut all = Vec::new();
        for (entry, modal) in model.modal_bodies.iter().enumerate() {
            let names = modal.names();
            let nodes = |body: usize, points: &[String]| -> Option<Vec<usize>> {
                points.iter().map(|p| node(body, p)).collect()
            };
            let slider = |name: &String| node(*index.get(name.as_str())?, name);
            let sliders = names.sliders.iter().map(|mode| mode.iter().map(slider).collect());
            let sliders: Option<Vec<Vec<usize>>> = sliders.collect();
            // a body that is not there has none
            let (Some(&frame), Some(sliders)) = (index.get(names.frame.as_str()), sliders) else { continue };
            let Some(corners) = nodes(frame, &names.corners) else { continue };
            let flat: Vec<usize> = sliders.iter().flatten().copied().collect();
            let body = Body { name: &modal.name, frame, corners: &corners, sliders: &sliders, flat: &flat };
            let basis = &modal.basis;
            body.mass(basis, modal.arm(), self.maps, &mut masses);
            self.modes(&body, modal.arm(), &index, &names.sliders);
            let arm = modal.interface_arm();
            for ((name, points), interface) in names.interfaces.iter().zip(&basis.interfaces) {
                let Some(&held) = index.get(name.as_str()) else { continue };
                let Some(points) = nodes(held, points) else { continue };
                let xi: Vec3 = std::array::from_fn(|c| interface.at[c] - basis.com[c]);
                let at = body.weights(xi, modal.arm(), &interface.moves);
                let at = self.node(&at, frame, format!("interface `{name}`"));
                for c in 0..3 {
                    self.rows.push(Row {
                        constraint: Constraint::Linear(Linear {
                            terms: vec![(at, 1.0), (points[0], -1.0)],
                            component: c,
                            value: 0.0,
                        }),
                        owner: Owner::Body(frame),
                        label: format!("modal body `{}`: {} of `{name}`", modal.name, ["x", "y", "z"][c]),
                        acts_on: vec![None, Some(held)],
                    });
                }
                if interface.turns {
                    self.turns(&body, modal.arm(), arm, (name, held, &points), (xi, interface, at));
                }
            }
            all.push(MechanismModalBody {
                name: modal.name.clone(),
                entry,
                frame,
                modes: sliders.iter().map(|mode| mode[0]).collect(),
                sliders: names
                    .sliders
                    .iter()
                    .map(|mode| {
                        mode.each_ref().map(|name| index.get(name.as_str()).copied().unwrap_or(frame))
                    })
                    .collect(),
                interfaces: names
                    .interfaces
                    .iter()
                    .filter_map(|(name, _)| index.get(name.as_str()).copied())
                    .collect(),
            });
        }
        *self.mass = masses.into_iter().map(|((i, j), v)| (i, j, v)).collect();
        all
    }

    /// A node that follows from others.
    fn node(&mut self, weights: &Weights, frame: usize, name: String) -> usize {
        let mut map = Affine::default();
        for &(node, w) in weights {
            let part = self.maps[node].clone();
            map.add(w, &part);
        }
        self.maps.push(map);
        self.roles.push(Role::Follows(frame));
        self.node_names.push(name);
        self.maps.len() - 1
    }

    /// (B2) and (B3)
    fn modes(&mut self, body: &Body<'_>, arm: f64, index: &HashMap<&str, usize>, names: &[[String; 3]]) {
        let [o, x, y, z] = [body.corners[0], body.corners[1], body.corners[2], body.corners[3]];
        let corner = [x, y, z];
        // r₀ + L (d_1 + d_i)
        let sums = [y, z].map(|other| {
            let weights = vec![(x, 1.0), (other, 1.0), (o, -1.0)];
            self.node(&weights, body.frame, format!("a hidden point of {}", body.name))
        });
        for (j, (mode, names)) in body.sliders.iter().zip(names).enumerate() {
            let of = |slider: usize| index.get(names[slider].as_str()).copied();
            let label = |what: &str| format!("modal body `{}`, mode {}: {what}", body.name, j + 1);
            for i in 1..3 {
                for k in (0..3).filter(|&k| k != i) {
                    let nodes = [o, mode[i], o, corner[k]];
                    self.rows.push(Row {
                        constraint: Constraint::Dot(Dot { nodes, value: 0.0, scale: arm }),
                        owner: Owner::Body(body.frame),
                        label: label("off its axis"),
                        acts_on: vec![Some(body.frame), of(i), Some(body.frame), Some(body.frame)],
                    });
                }
                let nodes = [mode[0], mode[i], o, sums[i - 1]];
                self.rows.push(Row {
                    constraint: Constraint::Dot(Dot { nodes, value: 0.0, scale: arm }),
                    owner: Owner::Body(body.frame),
                    label: label("equal amplitudes"),
                    acts_on: vec![of(0), of(i), Some(body.frame), None],
                });
            }
        }
    }

    /// (B5), with D_i as the vector from the interface to a node that follows.
    fn turns(
        &mut self,
        body: &Body<'_>,
        arm: f64,
        interface_arm: f64,
        (name, held, points): (&str, usize, &[usize]),
        (xi, interface, at): (Vec3, &crate::modal::InterfaceModes, usize),
    ) {
        let ends: Vec<usize> = (0..3)
            .map(|i| {
                let e: Vec3 = std::array::from_fn(|c| f64::from(u8::from(c == i)));
                let place: Vec3 = std::array::from_fn(|c| xi[c] + interface_arm * e[c]);
                let moved = |(moves, turned): (&Vec3, &Vec3)| -> Vec3 {
                    let turn = crate::linalg::vec3::cross(*turned, e);
                    std::array::from_fn(|c| moves[c] + interface_arm * turn[c])
                };
                let moves: Vec<Vec3> = interface.moves.iter().zip(&interface.turned).map(moved).collect();
                let weights = body.weights(place, arm, &moves);
                self.node(&weights, body.frame, format!("interface `{name}`"))
            })
            .collect();
        for (e, d) in [(1, 2), (2, 0), (0, 1)] {
            self.rows.push(Row {
                constraint: Constraint::Dot(Dot {
                    nodes: [at, ends[d], points[0], points[e + 1]],
                    value: 0.0,
                    scale: interface_arm,
                }),
                owner: Owner::Body(body.frame),
                label: format!("modal body `{}`: turning of `{name}`", body.name),
                acts_on: vec![None, None, Some(held), Some(held)],
            });
        }
    }
}

/// A modal body by nodes.
struct Body<'a> {
    name: &'a str,
    frame: usize,
    corners: &'a [usize],
    sliders: &'a [Vec<usize>],
    flat: &'a [usize],
}

impl Body<'_> {
    /// (B1) for a node at ξ that moves by Ψ_j in mode j.
    fn weights(&self, xi: Vec3, arm: f64, moves: &[Vec3]) -> Weights {
        let mut weights: Weights =
            self.corners[1..].iter().zip(xi).map(|(&corner, x)| (corner, x / arm)).collect();
        for (mode, moves) in self.sliders.iter().zip(moves) {
            weights.extend(mode.iter().copied().zip(*moves));
        }
        let others: f64 = weights.iter().map(|w| w.1).sum();
        weights.push((self.corners[0], 1.0 - others));
        weights
    }

    /// (B4) without the rigid part.
    fn mass(
        &self,
        basis: &crate::modal::ModalBasis,
        arm: f64,
        maps: &[Affine],
        masses: &mut BTreeMap<(usize, usize), f64>,
    ) {
        let n = self.flat.len();
        let nodes: Vec<usize> = self.corners.iter().chain(self.flat).copied().collect();
        // over r₀, p_i and s, symmetric: those of w go to s, and their negative to r₀
        let size = nodes.len();
        let mut block = vec![0.0; size * size];
        for b in 0..n {
            let along: Vec3 = basis.with_place[b].map(|x| x / arm);
            let rest = basis.first[b] - along.iter().sum::<f64>();
            for (a, c) in [rest, along[0], along[1], along[2]].into_iter().enumerate() {
                for (to, sign) in [(4 + b, 1.0), (0, -1.0)] {
                    block[a * size + to] += sign * c;
                    block[to * size + a] += sign * c;
                }
            }
            for a in 0..n {
                let d = basis.between[a * n + b];
                for (i, s) in [(4 + a, 1.0), (0, -1.0)] {
                    for (j, t) in [(4 + b, 1.0), (0, -1.0)] {
                        block[i * size + j] += s * t * d;
                    }
                }
            }
        }
        for (a, &i) in nodes.iter().enumerate() {
            for (b, &j) in nodes.iter().enumerate() {
                for &(bi, wi) in &maps[i].terms {
                    for &(bj, wj) in &maps[j].terms {
                        if bi >= bj {
                            *masses.entry((bi, bj)).or_default() += wi * wj * block[a * size + b];
                        }
                    }
                }
            }
        }
    }
}
