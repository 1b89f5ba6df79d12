//! Which nodes are coordinates, which are fixed, and which follow from a body's primary particles.
//!
//! A node that is primary on every body that holds it is a coordinate. A node that some body holds
//! without it being primary there follows from that body's primary particles, as long as that leads to
//! no circle; otherwise it becomes a coordinate and the body is held to it by constraint rows.

use super::maps::Affine;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A point of the ground.
    Fixed,
    /// Its position is among the unknowns.
    Coordinate(usize),
    /// It follows from the primary particles of this body.
    Follows(usize),
}

/// A body as far as this step needs it.
pub struct BodyNodes {
    /// Nodes of the primary particles.
    pub primaries: Vec<usize>,
    /// Every other node the body holds, with its weights over the primary particles.
    pub others: Vec<(usize, Vec<f64>)>,
}

/// The outcome.
pub struct Resolved {
    /// Role of each node.
    pub roles: Vec<Role>,
    /// Each node by coordinates.
    pub maps: Vec<Affine>,
    /// Nodes that follow from bodies, in the order in which they were worked out.
    pub order: Vec<usize>,
    /// Node of each coordinate block.
    pub coordinates: Vec<usize>,
}

/// A node that depends on more coordinates than this becomes one itself.
const MAX_TERMS: usize = 12;

/// Works out every node. `fixed[n]` is the place of a ground node.
pub fn resolve(fixed: &[Option<[f64; 3]>], bodies: &[BodyNodes]) -> Resolved {
    let n = fixed.len();
    let mut definer: Vec<Option<(usize, usize)>> = vec![None; n];
    let mut primary_of: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (b, body) in bodies.iter().enumerate() {
        for (o, &(node, _)) in body.others.iter().enumerate() {
            if fixed[node].is_none() && definer[node].is_none() {
                definer[node] = Some((b, o));
            }
        }
        for &node in &body.primaries {
            primary_of[node].push(b);
        }
    }
    let mut done = Resolved {
        roles: vec![Role::Fixed; n],
        maps: vec![Affine::default(); n],
        order: Vec::new(),
        coordinates: Vec::new(),
    };
    let mut known = vec![false; n];
    let mut missing: Vec<usize> = bodies.iter().map(|b| b.primaries.len()).collect();
    let mut ready: Vec<usize> = Vec::new(); // bodies whose primary particles are all known
    let mut learn = |node: usize, role: Role, map: Affine, done: &mut Resolved, ready: &mut Vec<usize>| {
        done.roles[node] = role;
        done.maps[node] = map;
        for &b in &primary_of[node] {
            missing[b] -= 1;
            if missing[b] == 0 {
                ready.push(b);
            }
        }
    };
    let become_coordinate = |done: &mut Resolved, node: usize| {
        done.coordinates.push(node);
        let block = done.coordinates.len() - 1;
        (Role::Coordinate(block), Affine::coordinate(block))
    };
    for node in 0..n {
        if let Some(at) = fixed[node] {
            known[node] = true;
            learn(node, Role::Fixed, Affine::fixed(at), &mut done, &mut ready);
        } else if definer[node].is_none() {
            known[node] = true;
            let (role, map) = become_coordinate(&mut done, node);
            learn(node, role, map, &mut done, &mut ready);
        }
    }
    let mut waiting = (0..n).filter(|&i| !known[i]).collect::<Vec<_>>().into_iter();
    loop {
        while let Some(b) = ready.pop() {
            for (o, (node, weights)) in bodies[b].others.iter().enumerate() {
                if known[*node] || definer[*node] != Some((b, o)) {
                    continue;
                }
                known[*node] = true;
                let mut map = Affine::default();
                for (&p, &w) in bodies[b].primaries.iter().zip(weights) {
                    let part = done.maps[p].clone();
                    map.add(w, &part);
                }
                if map.terms.len() > MAX_TERMS {
                    let (role, map) = become_coordinate(&mut done, *node);
                    learn(*node, role, map, &mut done, &mut ready);
                } else {
                    done.order.push(*node);
                    learn(*node, Role::Follows(b), map, &mut done, &mut ready);
                }
            }
        }
        // A circle: one of its nodes becomes a coordinate.
        let Some(node) = waiting.by_ref().find(|&i| !known[i]) else { break };
        known[node] = true;
        let (role, map) = become_coordinate(&mut done, node);
        learn(node, role, map, &mut done, &mut ready);
    }
    done
}
