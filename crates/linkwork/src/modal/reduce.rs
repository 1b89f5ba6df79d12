//! Craig–Bampton reduction ([craig1968]) with modes of the free body at its end.
//!
//! B are the degrees of freedom of the interfaces, I all others. The interfaces move by b: three numbers for a node, a rigid motion of six for several
//! nodes, u_B = T b. The columns of the reduction are
//!
//!   (C1)  constraint modes     u_B = T b,   u_I = −K_II⁻¹ K_IB T b
//!   (C2)  held modes           u_B = 0,     K_II φ = ω² M_II φ, the lowest ones
//!   (C3)  residual vectors     u_B = 0,     K_II φ = M_I· R for the six rigid motions R, less their part along (C2)
//!
//! With (C1) a body follows loads at its interfaces exactly as long as nothing swings; with (C3) those of gravity and of acceleration
//! as well, whatever is left out in (C2). The reduced pair has six rigid motions, which the frame carries, and
//!
//!   (C4)  K_r x = ω² M_r x        the modes of the free body, orthogonal to rigid motion
//!
//! Where the interfaces leave the body free to turn (one node, or nodes on a line), up to three further nodes are held and released in
//! the same way, so that K_II is regular.
//!
//! How many modes (C2) are taken is said by their number, or by a frequency up to which the motion matters; then they are those below [`BEYOND`] times that.

use super::inner::{Inner, dot};
use super::recovery::{Recovery, Stress};
use super::surface::Surface;
use super::{
    ElasticMode, FiniteElements, Held, Interface, InterfaceModes, ModalBasis, ModalError, StressedNode,
    Symmetric, eigen,
};
use crate::linalg::vec3::{Vec3, add, axpy, cross, dot as dot3, norm, scale, sub, unit};

/// Nodes that a body may have.
pub const MAX_NODES: usize = 20_000;
/// Modes of the free body that one may have: each is nine coordinates.
pub const MAX_MODES: usize = 64;

/// What is left of a force or mass that must vanish, relative to the largest entry: files have seven digits or more.
const ALIKE: f64 = 1e-6;
/// Of a residual vector nothing new is left below this part.
const NOTHING_NEW: f64 = 1e-5;

impl ModalBasis {
    /// Reduces finite elements to a body with interfaces.
    ///
    /// # Errors
    /// [`ModalError`] where they are no free body of solid elements, or an interface makes no sense.
    pub fn reduce(
        body: &FiniteElements,
        interfaces: &[Interface],
        held: impl Into<Held>,
    ) -> Result<Self, ModalError> {
        let n = body.positions.len();
        if n > MAX_NODES {
            return Err(ModalError::TooMany { nodes: n });
        }
        for (what, matrix) in [("stiffness", &body.stiffness), ("mass", &body.mass)] {
            if matrix.n() != 3 * n {
                return Err(ModalError::Size { what, nodes: n, rows: matrix.n() });
            }
        }
        let scalar = one_for_three(&body.mass)?;
        let mass3 = three_for_one(&scalar)?;
        let mut at_node = vec![0.0; n];
        scalar.times(&vec![1.0; n], &mut at_node);
        let mass: f64 = at_node.iter().sum();
        if mass.is_nan() || mass <= 0.0 {
            return Err(ModalError::Mass { what: "its entries add up to nothing" });
        }
        let com = scale(
            1.0 / mass,
            body.positions.iter().zip(&at_node).fold([0.0; 3], |s, (&x, &m)| axpy(s, m, x)),
        );
        let xi: Vec<Vec3> = body.positions.iter().map(|&x| sub(x, com)).collect();
        let extent = xi.iter().map(|&x| norm(x)).fold(0.0, f64::max);
        let second = second_moments(&scalar, &xi);
        let rigid = rigid_motions(&xi, extent);
        moves_freely(&body.stiffness, &rigid)?;

        let body = FiniteElements { mass: mass3, ..body.clone() };
        let groups = judged(&body, interfaces)?;
        let columns = Columns::new(&body, &rigid, &groups)?;
        let held = held.into();
        let swings_up_to = match held {
            Held::UpTo(frequency) => std::f64::consts::TAU * frequency,
            _ => f64::INFINITY,
        };
        let modes = columns.held(held)?;
        let (values, shapes) = columns.free(&modes)?;

        let mut basis = ModalBasis {
            mass,
            com,
            inertia: [
                second[1][1] + second[2][2],
                second[0][0] + second[2][2],
                second[0][0] + second[1][1],
                -second[0][1],
                -second[0][2],
                -second[1][2],
            ],
            modes: Vec::new(),
            interfaces: groups
                .iter()
                .take(interfaces.len())
                .map(|group| InterfaceModes {
                    name: group.name.clone(),
                    at: middle(&body.positions, &group.nodes),
                    turns: group.nodes.len() > 1,
                    moves: Vec::new(),
                    turned: Vec::new(),
                })
                .collect(),
            first: Vec::new(),
            with_place: Vec::new(),
            between: Vec::new(),
            extent,
            held: modes.len(),
            swings_up_to,
            nodes: xi,
            shapes: Vec::new(),
            surface: body.mesh.as_ref().map(Surface::of),
            stresses: None,
            stressed: Vec::new(),
            source: None,
        };
        let recovery = body.mesh.as_ref().and_then(|mesh| Recovery::new(&body.positions, mesh));
        let mut fields: Vec<Vec<f64>> = Vec::new(); // by 3 j + i
        let mut force = vec![0.0; 3 * n];
        for (value, mut shape) in values.into_iter().zip(shapes) {
            let largest = (0..n).map(|k| norm(of_node(&shape, k))).fold(0.0, f64::max);
            shape.iter_mut().for_each(|u| *u /= largest);
            without_rigid(&body.mass, &rigid, &mut shape);
            body.mass.times(&shape, &mut force);
            let modal_mass = dot(&shape, &force);
            basis.modes.push(ElasticMode { frequency: value.max(0.0).sqrt(), mass: modal_mass });
            for (interface, group) in basis.interfaces.iter_mut().zip(&groups) {
                let (moves, turned) = motion_of(&body.positions, &group.nodes, &shape);
                interface.moves.push(moves);
                interface.turned.push(turned);
            }
            if let (Some(recovery), Some(surface)) = (&recovery, &basis.surface) {
                let stresses = recovery.stresses(&shape);
                let on_surface = surface.nodes.iter().map(|&k| stresses[k]).collect();
                basis.stresses.get_or_insert_default().push(on_surface);
            }
            basis.shapes.push((0..n).map(|k| of_node(&shape, k)).collect());
            fields.extend((0..3).map(|i| (0..n).map(|k| shape[3 * k + i]).collect::<Vec<f64>>()));
        }
        let count = fields.len();
        basis.between = vec![0.0; count * count];
        let mut image = vec![0.0; n];
        for (b, field) in fields.iter().enumerate() {
            scalar.times(field, &mut image);
            basis.first.push(image.iter().sum());
            basis.with_place.push(basis.nodes.iter().zip(&image).fold([0.0; 3], |s, (&x, &m)| axpy(s, m, x)));
            for (a, other) in fields.iter().enumerate().take(b + 1) {
                let value = dot(other, &image);
                basis.between[a * count + b] = value;
                basis.between[b * count + a] = value;
            }
        }
        Ok(basis)
    }

    /// Names nodes whose stresses results show. `body` is what it was reduced from.
    ///
    /// # Errors
    /// [`ModalError::Stress`] where its elements or their material are not known, or a node belongs to none of them.
    pub fn show_stresses(
        &mut self,
        body: &FiniteElements,
        nodes: impl IntoIterator<Item = (String, usize)>,
    ) -> Result<(), ModalError> {
        let missing = |what| Err(ModalError::Stress { what });
        let Some(mesh) = &body.mesh else { return missing("the elements are not known") };
        if mesh.material.is_none() {
            return missing("the material is not known");
        }
        let Some(recovery) = Recovery::new(&body.positions, mesh) else {
            return missing("an element is turned inside out");
        };
        let stresses: Vec<Vec<Stress>> =
            self.shapes.iter().map(|shape| recovery.stresses(shape.as_flattened())).collect();
        for (name, node) in nodes {
            if !mesh.elements.iter().any(|element| element.nodes.contains(&node)) {
                return missing("a node belongs to no element");
            }
            let modes = stresses.iter().map(|mode| mode[node]).collect();
            self.stressed.push(StressedNode { name, node, modes });
        }
        Ok(())
    }
}

/// What a reduction is made of.
struct Columns<'b> {
    body: &'b FiniteElements,
    rigid: &'b [Vec<f64>],
    /// (C1), each with the mass one.
    constraint: Vec<Vec<f64>>,
    inner: Inner,
}

/// Modes that are held to begin with, where a frequency says how many there are to be.
const FIRST: usize = 12;
/// Motions up to a frequency take the held modes up to so many times that frequency: the error of free frequencies is then below 1e-3 (docs/theory/modal-bodies.md).
const BEYOND: f64 = 5.0;

impl<'b> Columns<'b> {
    fn new(
        body: &'b FiniteElements,
        rigid: &'b [Vec<f64>],
        groups: &[Interface],
    ) -> Result<Self, ModalError> {
        let n = body.positions.len();
        let mut constraint = Vec::new();
        let mut is_held = vec![false; n];
        for group in groups {
            group.nodes.iter().for_each(|&k| is_held[k] = true);
            constraint.extend(interface_motions(&body.positions, group));
        }
        let inner = Inner::new(body, &is_held)?;
        let mut force = vec![0.0; 3 * n];
        for column in &mut constraint {
            body.stiffness.times(column, &mut force);
            let moved = inner.solve(&force); // (C1)
            column.iter_mut().zip(&moved).for_each(|(u, x)| *u -= x);
            let size = mass_norm(&body.mass, column);
            column.iter_mut().for_each(|u| *u /= size);
        }
        Ok(Columns { body, rigid, constraint, inner })
    }

    /// (C2)
    fn held(&self, held: Held) -> Result<Vec<Vec<f64>>, ModalError> {
        let most = MAX_MODES.saturating_sub(self.constraint.len());
        let within = most.min(self.inner.dofs.len() / 2);
        let up_to = match held {
            Held::Count(count) if count > most => return Err(ModalError::Modes { modes: count, most }),
            Held::Count(count) => return self.inner.modes(&self.body.mass, count),
            Held::UpTo(frequency) => std::f64::consts::TAU * frequency,
            Held::FirstFive => {
                let modes = self.inner.modes(&self.body.mass, FIRST.min(within))?;
                let (values, _) = self.free(&modes)?;
                values.get(4).or(values.last()).map_or(0.0, |value| value.max(0.0).sqrt())
            }
        };
        let limit = BEYOND * up_to;
        let mut wanted = FIRST.min(within);
        loop {
            let mut modes = self.inner.modes(&self.body.mass, wanted)?;
            let below = modes.iter().take_while(|mode| self.frequency(mode) <= limit).count();
            if below < modes.len() || wanted == within {
                // what a frequency asks for must be there; by default it is as much as there can be
                if below == modes.len() && within == most && held != Held::FirstFive {
                    return Err(ModalError::Modes { modes: below + 1, most });
                }
                modes.truncate(below);
                return Ok(modes);
            }
            wanted = (2 * wanted).min(within);
        }
    }

    /// Of a held mode, which has the mass one.
    fn frequency(&self, mode: &[f64]) -> f64 {
        let mut force = vec![0.0; mode.len()];
        self.body.stiffness.times(mode, &mut force);
        dot(mode, &force).max(0.0).sqrt()
    }

    /// (C3) for held modes.
    fn residual(&self, modes: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut residual: Vec<Vec<f64>> = Vec::new();
        let mut force = vec![0.0; 3 * self.body.positions.len()];
        for motion in self.rigid {
            self.body.mass.times(motion, &mut force);
            let mut x = self.inner.solve(&force);
            let before = mass_norm(&self.body.mass, &x);
            for _ in 0..2 {
                for other in modes.iter().chain(&residual) {
                    self.body.mass.times(other, &mut force);
                    let part = dot(&x, &force);
                    x.iter_mut().zip(other).for_each(|(x, o)| *x -= part * o);
                }
            }
            let left = mass_norm(&self.body.mass, &x);
            if left > NOTHING_NEW * before {
                x.iter_mut().for_each(|x| *x /= left);
                residual.push(x);
            }
        }
        residual
    }

    /// (C4): squares of frequencies, and the modes.
    fn free(&self, modes: &[Vec<f64>]) -> Result<(Vec<f64>, Vec<Vec<f64>>), ModalError> {
        let columns = [&self.constraint[..], modes, &self.residual(modes)].concat();
        free_modes(self.body, &columns)
    }
}

fn of_node(x: &[f64], k: usize) -> Vec3 {
    [x[3 * k], x[3 * k + 1], x[3 * k + 2]]
}

fn mass_norm(mass: &Symmetric, x: &[f64]) -> f64 {
    let mut image = vec![0.0; x.len()];
    mass.times(x, &mut image);
    dot(x, &image).max(0.0).sqrt()
}

/// M_s of M = M_s ⊗ 1₃.
fn one_for_three(mass: &Symmetric) -> Result<Symmetric, ModalError> {
    let n = mass.n() / 3;
    let largest = mass.largest();
    let mut entries = Vec::new();
    for k in 0..n {
        if (0..3).any(|c| mass.entry(3 * k + c, 3 * k + c) < 0.0) {
            return Err(ModalError::Mass { what: "an entry of its diagonal is negative" });
        }
        for c in 0..3 {
            for (j, v) in mass.row(3 * k + c) {
                let (l, d) = (j / 3, j % 3);
                let off = if c == d { (v - mass.entry(3 * k, 3 * l)).abs() } else { v.abs() };
                if off > ALIKE * largest {
                    return Err(ModalError::Direction { node: k + 1, part: off / largest });
                }
                if c == d && l <= k {
                    entries.push((k as u32, l as u32, v / 3.0));
                }
            }
        }
    }
    Symmetric::new("mass", n, &entries, false)
}

/// M_s ⊗ 1₃
fn three_for_one(scalar: &Symmetric) -> Result<Symmetric, ModalError> {
    let n = scalar.n();
    let lower = (0..n).flat_map(|k| {
        scalar
            .row(k)
            .filter(move |&(l, _)| l <= k)
            .flat_map(move |(l, v)| (0..3).map(move |c| ((3 * k + c) as u32, (3 * l + c) as u32, v)))
    });
    Symmetric::new("mass", 3 * n, &lower.collect::<Vec<_>>(), false)
}

/// Σ m_kl ξ_k ξ_lᵀ
fn second_moments(scalar: &Symmetric, xi: &[Vec3]) -> [[f64; 3]; 3] {
    let mut second = [[0.0; 3]; 3];
    for (k, x) in xi.iter().enumerate() {
        let sum = scalar.row(k).fold([0.0; 3], |s, (l, m)| axpy(s, m, xi[l]));
        for (row, x) in second.iter_mut().zip(x) {
            *row = axpy(*row, *x, sum);
        }
    }
    second
}

/// Three shifts, and three turns about the centre of mass by one over the extent.
fn rigid_motions(xi: &[Vec3], extent: f64) -> Vec<Vec<f64>> {
    let axis = |c: usize| -> Vec3 { std::array::from_fn(|i| f64::from(u8::from(i == c))) };
    let shift = |c: usize| xi.iter().flat_map(|_| axis(c)).collect::<Vec<f64>>();
    let turn = |c: usize| xi.iter().flat_map(|&x| cross(axis(c), scale(1.0 / extent, x))).collect();
    (0..3).map(shift).chain((0..3).map(turn)).collect()
}

fn moves_freely(stiffness: &Symmetric, rigid: &[Vec<f64>]) -> Result<(), ModalError> {
    let mut force = vec![0.0; stiffness.n()];
    let largest = stiffness.largest();
    for motion in rigid {
        stiffness.times(motion, &mut force);
        let part = force.iter().fold(0.0_f64, |s, f| s.max(f.abs())) / largest;
        if part.is_nan() || part > ALIKE {
            return Err(ModalError::Supported { part });
        }
    }
    Ok(())
}

fn middle(positions: &[Vec3], nodes: &[usize]) -> Vec3 {
    let sum = nodes.iter().fold([0.0; 3], |s, &k| add(s, positions[k]));
    scale(1.0 / nodes.len().max(1) as f64, sum)
}

/// Distance of the farthest of some places from the line through the first and the one farthest from it, relative to that.
fn off_a_line(places: &[Vec3]) -> f64 {
    let Some(&first) = places.first() else { return 0.0 };
    let farthest = places.iter().map(|&x| sub(x, first)).max_by(|a, b| norm(*a).total_cmp(&norm(*b)));
    let Some(along) = farthest.filter(|&d| norm(d) > 0.0) else { return 0.0 };
    let e = unit(along);
    let off = places.iter().map(|&x| {
        let d = sub(x, first);
        norm(axpy(d, -dot3(d, e), e))
    });
    off.fold(0.0, f64::max) / norm(along)
}

/// Places this near to a line leave turning about it free.
const ON_A_LINE: f64 = 1e-3;

/// The interfaces, and further nodes where they leave the body free to turn.
fn judged(body: &FiniteElements, interfaces: &[Interface]) -> Result<Vec<Interface>, ModalError> {
    let mut seen = vec![false; body.positions.len()];
    for interface in interfaces {
        let wrong = |what| Err(ModalError::Interface { name: interface.name.clone(), what });
        if interface.nodes.is_empty() {
            return wrong("has no nodes");
        }
        for &k in &interface.nodes {
            if k >= seen.len() {
                return wrong("names a node that is not there");
            }
            if std::mem::replace(&mut seen[k], true) {
                return wrong("has a node twice, or one of another interface");
            }
        }
        let places: Vec<Vec3> = interface.nodes.iter().map(|&k| body.positions[k]).collect();
        if places.len() > 1 && off_a_line(&places) < ON_A_LINE {
            return wrong(
                "has nodes on one line, about which they do not turn the body: give one node, or three that are not on a line",
            );
        }
    }
    let mut groups = interfaces.to_vec();
    let mut held: Vec<Vec3> = interfaces.iter().flat_map(|i| &i.nodes).map(|&k| body.positions[k]).collect();
    while held.len() < 3 || off_a_line(&held) < ON_A_LINE {
        let far: Vec<f64> = match held[..] {
            [] => {
                let all: Vec<usize> = (0..body.positions.len()).collect();
                let centre = middle(&body.positions, &all);
                body.positions.iter().map(|&x| norm(sub(x, centre))).collect()
            }
            [a] => body.positions.iter().map(|&x| norm(sub(x, a))).collect(),
            [a, ..] => {
                let along = held.iter().map(|&b| sub(b, a)).max_by(|p, q| norm(*p).total_cmp(&norm(*q)));
                let e = unit(along.unwrap_or([1.0, 0.0, 0.0]));
                let off = |x: Vec3| norm(axpy(sub(x, a), -dot3(sub(x, a), e), e));
                body.positions.iter().map(|&x| off(x)).collect()
            }
        };
        let best = (0..far.len()).filter(|&k| !seen[k]).max_by(|&a, &b| far[a].total_cmp(&far[b]));
        let Some(k) = best.filter(|&k| far[k] > 0.0) else { break };
        seen[k] = true;
        held.push(body.positions[k]);
        groups.push(Interface { name: String::new(), nodes: vec![k] });
    }
    Ok(groups)
}

/// T of an interface, column by column.
fn interface_motions(positions: &[Vec3], interface: &Interface) -> Vec<Vec<f64>> {
    let axis = |c: usize| -> Vec3 { std::array::from_fn(|i| f64::from(u8::from(i == c))) };
    let at = middle(positions, &interface.nodes);
    let mut all = Vec::new();
    for c in 0..if interface.nodes.len() > 1 { 6 } else { 3 } {
        let mut column = vec![0.0; 3 * positions.len()];
        for &k in &interface.nodes {
            let u = if c < 3 { axis(c) } else { cross(axis(c - 3), sub(positions[k], at)) };
            column[3 * k..][..3].copy_from_slice(&u);
        }
        all.push(column);
    }
    all
}

/// (C4), without the six rigid motions.
fn free_modes(body: &FiniteElements, columns: &[Vec<f64>]) -> Result<(Vec<f64>, Vec<Vec<f64>>), ModalError> {
    let (count, dofs) = (columns.len(), body.mass.n());
    let reduced = |matrix: &Symmetric| {
        let mut small = vec![0.0; count * count];
        let mut image = vec![0.0; dofs];
        for (b, column) in columns.iter().enumerate() {
            matrix.times(column, &mut image);
            for (a, other) in columns.iter().enumerate().take(b + 1) {
                let value = dot(other, &image);
                small[a * count + b] = value;
                small[b * count + a] = value;
            }
        }
        small
    };
    if count < 6 {
        return Err(ModalError::Mass { what: "nodes on a line have no moment of inertia about it" });
    }
    let (k, m) = (reduced(&body.stiffness), reduced(&body.mass));
    let Some((values, vectors)) = eigen::generalised(&k, &m, count) else {
        return Err(ModalError::Mass { what: "a deformation of the reduced body has no mass" });
    };
    let shape = |x: &Vec<f64>| {
        let mut u = vec![0.0; dofs];
        for (x, column) in x.iter().zip(columns) {
            u.iter_mut().zip(column).for_each(|(u, c)| *u += x * c);
        }
        u
    };
    Ok((values[6..].to_vec(), vectors[6..].iter().map(shape).collect()))
}

/// Takes away what rounding has left of rigid motion.
fn without_rigid(mass: &Symmetric, rigid: &[Vec<f64>], shape: &mut [f64]) {
    let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for motion in rigid {
        let mut x = motion.clone();
        for (other, image) in &basis {
            let part = dot(&x, image);
            x.iter_mut().zip(other).for_each(|(x, o)| *x -= part * o);
        }
        let mut image = vec![0.0; x.len()];
        mass.times(&x, &mut image);
        let size = dot(&x, &image).max(0.0).sqrt();
        if size > 0.0 {
            x.iter_mut().for_each(|x| *x /= size);
            image.iter_mut().for_each(|x| *x /= size);
            basis.push((x, image));
        }
    }
    for _ in 0..2 {
        for (motion, image) in &basis {
            let part = dot(shape, image);
            shape.iter_mut().zip(motion).for_each(|(u, r)| *u -= part * r);
        }
    }
}

/// Displacement of the middle of some nodes and their small turn, which is exact where they move as a rigid flange.
fn motion_of(positions: &[Vec3], nodes: &[usize], shape: &[f64]) -> (Vec3, Vec3) {
    let moves: Vec<Vec3> = nodes.iter().map(|&k| of_node(shape, k)).collect();
    let mean = scale(1.0 / nodes.len() as f64, moves.iter().fold([0.0; 3], |s, &u| add(s, u)));
    if nodes.len() == 1 {
        return (mean, [0.0; 3]);
    }
    let at = middle(positions, nodes);
    let (mut a, mut b) = ([[0.0; 3]; 3], [0.0; 3]);
    for (&k, &u) in nodes.iter().zip(&moves) {
        let d = sub(positions[k], at);
        for (i, row) in a.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += if i == j { dot3(d, d) } else { 0.0 } - d[i] * d[j];
            }
        }
        b = add(b, cross(d, sub(u, mean)));
    }
    // a is symmetric: its columns are its rows
    let det = dot3(a[0], cross(a[1], a[2]));
    let by = [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])];
    (mean, by.map(|c| dot3(c, b) / det))
}
