//! The open chain of rods in a mechanism, if it is one.
//!
//! Node 0 is the joint with the ground, or the free end of the first body of a chain that floats. Rod i runs from node i − 1
//! to node i, and its mass lies on that line: the last rod, which has no joint at its far end, runs to a
//! named point or to its centre of mass. A body of one point without inertia is a mass on the rod that
//! holds the point ([lu2014] puts all masses at nodes). A rod of mass m with centre of mass at σ l from its first node and moment of
//! inertia I about it is two particles at its ends and one in the middle:
//!
//!   (M1)  M_11 = m (1 − σ)² + κ,   M_12 = m σ (1 − σ) − κ,   M_22 = m σ² + κ,   κ = I / l²
//!
//! The middle particle is 4 M_12; its velocity is the mean of the ends', and with it M is no longer diagonal.

use crate::error::names::segment;
use crate::linalg::vec3::{Vec3, add, axpy, cross, norm, scale, sub};
use crate::mechanism::{BodyIndex, Mechanism, Tree};
use crate::model::{Dimension, Fault, JointKind};

/// Centres of mass nearer than this part of the size to the line of a rod lie on it.
const ON_LINE: f64 = 1e-9;

/// A rod of the chain with the masses that sit on it.
#[derive(Clone, Debug)]
pub struct Rod {
    pub body: usize,
    /// Mechanism node at its first end, if there is one.
    pub entry: Option<usize>,
    /// Mechanism node that it shares with the next rod.
    pub exit: Option<usize>,
    /// Its first end as drawn.
    pub start: Vec3,
    /// From its first to its second end as drawn.
    pub along: Vec3,
    /// M of (M1), masses on the rod included.
    pub ends: [f64; 3],
}

/// A body of one point that sits on a rod.
#[derive(Clone, Copy, Debug)]
pub struct PointMass {
    pub body: usize,
    pub node: usize,
    pub rod: usize,
    /// Whether it sits at node 0, before the first rod.
    pub first: bool,
}

/// The chain.
#[derive(Clone, Debug)]
pub struct Chain {
    pub rods: Vec<Rod>,
    pub masses: Vec<PointMass>,
    /// Where node 0 is held, if it is.
    pub pinned: Option<Vec3>,
}

/// A place on a rod.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub rod: usize,
    /// From the rod's first end, as drawn.
    pub d: Vec3,
}

fn at_body(mechanism: &Mechanism, body: usize, message: String) -> Fault {
    Fault::error(format!("bodies.{}", segment(&mechanism.bodies[body].name)), message)
}

impl Chain {
    /// Finds the chain, or says what keeps the mechanism from being one, by item.
    pub fn find(mechanism: &Mechanism) -> Result<Chain, Vec<Fault>> {
        let advice = |f: Fault| f.help("use formulation = \"joints\" or \"points\"");
        let mut faults = Vec::new();
        if mechanism.dimension() == Dimension::Spatial {
            let what = "`kane` solves open chains in the plane; this model is spatial";
            return Err(vec![advice(Fault::error("simulation.formulation", what))]);
        }
        let tree = Tree::new(mechanism);
        for (j, joint) in mechanism.joints.iter().enumerate() {
            let path = format!("joints.{}", segment(&joint.name));
            if joint.kind != JointKind::Revolute || joint.shared.len() != 1 {
                let what =
                    format!("`kane` knows revolute joints only; `{}` is {}", joint.name, joint.kind.name());
                faults.push(advice(Fault::error(path, what)));
            } else if tree.cut.contains(&j) {
                let what = format!("`kane` solves open chains; `{}` closes a loop", joint.name);
                faults.push(advice(Fault::error(path, what)));
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let walk = Walk::new(mechanism);
        let rods = walk.rods().map_err(|list| list.into_iter().map(advice).collect::<Vec<_>>())?;
        let mut masses = Vec::new();
        for b in 0..mechanism.bodies.len() {
            if let Some(node) = walk.point_mass[b] {
                match rods.iter().position(|rod| mechanism.bodies[rod.body].weights(node).is_some()) {
                    Some(rod) => {
                        let first = rod == 0 && rods[0].entry == Some(node);
                        masses.push(PointMass { body: b, node, rod, first });
                    }
                    None => faults.push(advice(at_body(
                        mechanism,
                        b,
                        format!("`{}` sits on no rod of the chain", mechanism.bodies[b].name),
                    ))),
                }
            }
        }
        let pinned = walk.ground.map(|node| mechanism.start_position(node));
        let mut chain = Chain { rods, masses, pinned };
        for i in 0..chain.rods.len() {
            if let Err(fault) = chain.weigh(mechanism, i) {
                faults.push(advice(fault));
            }
        }
        if faults.is_empty() { Ok(chain) } else { Err(faults) }
    }

    /// (M1) of a rod with the masses on it; chooses the free ends of the first and the last rod.
    fn weigh(&mut self, mechanism: &Mechanism, i: usize) -> Result<(), Fault> {
        let body = self.rods[i].body;
        let p = &mechanism.bodies[body].particles.properties;
        let mut parts = vec![(p.mass, p.com, p.inertia_about_com[2][2])];
        for mass in self.masses.iter().filter(|m| m.rod == i) {
            let m = mechanism.bodies[mass.body].particles.properties.mass;
            parts.push((m, mechanism.bodies[body].drawn(mass.node), 0.0));
        }
        let m: f64 = parts.iter().map(|part| part.0).sum();
        let first = parts.iter().fold([0.0; 3], |s, part| axpy(s, part.0, part.1));
        let com = if m > 0.0 { scale(1.0 / m, first) } else { p.com };
        let about = |part: &(f64, Vec3, f64)| part.2 + part.0 * norm(sub(part.1, com)).powi(2);
        let inertia: f64 = parts.iter().map(about).sum();
        let flat = ON_LINE * mechanism.size;
        // the end of a line that starts at `from`: a named point beyond, with the mass on the line to it
        let far_end = |from: Vec3| {
            let named = mechanism.points.iter().map(|point| point.node);
            let held = named.filter(|&node| mechanism.bodies[body].weights(node).is_some());
            let places = held.map(|node| sub(mechanism.bodies[body].drawn(node), from));
            let c = sub(com, from);
            places
                .filter(|&d| norm(d) > flat && norm(cross(d, c)) <= flat * norm(d))
                .max_by(|a, b| norm(*a).total_cmp(&norm(*b)))
                .or((norm(c) > flat).then_some(c))
                .unwrap_or([if m > 0.0 { (inertia / m).sqrt() } else { 0.0 }, 0.0, 0.0])
        };
        let place = |node: Option<usize>| node.map(|node| mechanism.bodies[body].drawn(node));
        let rod = &mut self.rods[i];
        let (entry, exit) = (place(rod.entry), place(rod.exit));
        (rod.start, rod.along) = match (entry, exit) {
            (Some(a), Some(b)) => (a, sub(b, a)),
            (None, Some(b)) => {
                let back = far_end(b);
                (add(b, back), scale(-1.0, back))
            }
            (Some(a), None) => (a, far_end(a)),
            (None, None) => {
                let named = mechanism.points.iter().map(|point| point.node);
                let a = named.into_iter().find(|&n| mechanism.bodies[body].weights(n).is_some());
                let a = place(a).unwrap_or(com);
                (a, far_end(a))
            }
        };
        let name = &mechanism.bodies[body].name;
        let l = norm(rod.along);
        if l <= flat {
            return Err(at_body(mechanism, body, format!("`{name}` has no length, as a rod of `kane` must")));
        }
        let c = sub(com, rod.start);
        let off = norm(cross(rod.along, c)) / l;
        if off > flat {
            return Err(at_body(
                mechanism,
                body,
                format!(
                    "`kane` knows rods: the mass of `{name}` lies {off:.3e} m off the line through its joints"
                ),
            ));
        }
        let sigma = crate::linalg::vec3::dot(rod.along, c) / (l * l);
        let kappa = inertia / (l * l);
        rod.ends =
            [m * (1.0 - sigma).powi(2) + kappa, m * sigma * (1.0 - sigma) - kappa, m * sigma * sigma + kappa];
        Ok(())
    }

    /// Which rod carries a body.
    pub fn rod_of(&self, body: usize) -> Option<usize> {
        let own = self.rods.iter().position(|rod| rod.body == body);
        own.or_else(|| self.masses.iter().find(|m| m.body == body).map(|m| m.rod))
    }

    /// The place of a point of a body, as drawn.
    pub fn place(&self, mechanism: &Mechanism, body: usize, x: Vec3) -> Place {
        let rod = self.rod_of(body).unwrap_or(0);
        // a point mass is where its rod has the point
        let mass = self.masses.iter().find(|m| m.body == body);
        let x = mass.map_or(x, |m| mechanism.bodies[self.rods[rod].body].drawn(m.node));
        Place { rod, d: sub(x, self.rods[rod].start) }
    }

    /// The place of a node that a body holds.
    pub fn place_of_node(&self, mechanism: &Mechanism, body: BodyIndex, node: usize) -> Option<Place> {
        body.map(|b| self.place(mechanism, b, mechanism.bodies[b].drawn(node)))
    }
}

/// Who meets whom.
struct Walk<'m> {
    mechanism: &'m Mechanism,
    /// The node of each body that is a mass of one point.
    point_mass: Vec<Option<usize>>,
    /// Nodes at which each rod meets another or the ground.
    meets: Vec<Vec<usize>>,
    /// Rods at each node.
    at: Vec<Vec<usize>>,
    /// The node at which the ground holds the chain.
    ground: Option<usize>,
}

impl<'m> Walk<'m> {
    fn new(mechanism: &'m Mechanism) -> Self {
        let n = mechanism.bodies.len();
        let mut nodes_of: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut at: Vec<Vec<BodyIndex>> = vec![Vec::new(); mechanism.maps.len()];
        for joint in &mechanism.joints {
            for body in joint.bodies {
                let node = joint.shared[0];
                if !at[node].contains(&body) {
                    at[node].push(body);
                    body.into_iter().for_each(|b| nodes_of[b].push(node));
                }
            }
        }
        let point_mass: Vec<Option<usize>> = (0..n)
            .map(|b| {
                let p = &mechanism.bodies[b].particles.properties;
                let [node] = nodes_of[b][..] else { return None };
                let off = norm(sub(mechanism.bodies[b].drawn(node), p.com));
                (p.inertia_about_com[2][2] == 0.0 && off <= ON_LINE * mechanism.size).then_some(node)
            })
            .collect();
        let rods_at: Vec<Vec<usize>> = at
            .iter()
            .map(|all| all.iter().flatten().copied().filter(|&b| point_mass[b].is_none()).collect())
            .collect();
        let ground = (0..at.len()).find(|&node| at[node].contains(&None) && !rods_at[node].is_empty());
        let meets = (0..n)
            .map(|b| {
                let nodes = nodes_of[b].iter().copied();
                nodes.filter(|&node| rods_at[node].len() > 1 || at[node].contains(&None)).collect()
            })
            .collect();
        Walk { mechanism, point_mass, meets, at: rods_at, ground }
    }

    /// The rods in order, their ends not yet placed.
    fn rods(&self) -> Result<Vec<Rod>, Vec<Fault>> {
        let mechanism = self.mechanism;
        let mut faults = Vec::new();
        let all: Vec<usize> = (0..mechanism.bodies.len()).filter(|&b| self.point_mass[b].is_none()).collect();
        for &b in &all {
            if self.meets[b].len() > 2 {
                let name = &mechanism.bodies[b].name;
                let what =
                    format!("`kane` solves chains; `{name}` has joints at {} points", self.meets[b].len());
                faults.push(at_body(mechanism, b, what));
            }
        }
        for (node, rods) in self.at.iter().enumerate() {
            let on_ground = usize::from(self.ground == Some(node));
            if rods.len() + on_ground > 2 {
                let joint = mechanism.joints.iter().find(|j| j.shared.contains(&node));
                let name = joint.map_or(&mechanism.node_names[node], |j| &j.name);
                let what = format!(
                    "`kane` solves chains; {} bodies meet at {}",
                    rods.len() + on_ground,
                    mechanism.node_names[node]
                );
                faults.push(Fault::error(format!("joints.{}", segment(name)), what));
            }
        }
        let start = match self.ground {
            Some(node) => self.at[node].first().copied(),
            None => all.iter().copied().find(|&b| self.meets[b].len() < 2),
        };
        let Some(start) = start else {
            faults.push(Fault::error("bodies", "`kane` needs a chain of at least one rod"));
            return Err(faults);
        };
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut rods: Vec<Rod> = Vec::new();
        let (mut body, mut entry) = (start, self.ground);
        loop {
            let exit = self.meets[body].iter().copied().find(|&n| Some(n) != entry);
            rods.push(Rod { body, entry, exit, start: [0.0; 3], along: [0.0; 3], ends: [0.0; 3] });
            let next = exit.and_then(|node| self.at[node].iter().copied().find(|&b| b != body));
            let Some(next) = next else { break };
            (body, entry) = (next, exit);
        }
        for &b in all.iter().filter(|&&b| !rods.iter().any(|rod| rod.body == b)) {
            let name = &mechanism.bodies[b].name;
            faults.push(at_body(
                mechanism,
                b,
                format!("`kane` solves one chain; `{name}` is not part of it"),
            ));
        }
        if faults.is_empty() { Ok(rods) } else { Err(faults) }
    }
}
