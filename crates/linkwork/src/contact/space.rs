//! The contact-space matrix, island by island.
//!
//! Contacts act on each other through bodies. With K the response of the bodies to unit forces and J what makes relative velocities of theirs,
//!
//!   (1)  W = J K
//!
//! has an entry for two contacts only where a body that moves, or bodies that joints and couplings make move together, take part in both: the ground joins
//! nobody. Contacts that are joined so, also through others, are an island; W is one block per island and exact zeros elsewhere.
//!
//! A body that nothing holds answers by itself, with d the arm of the contact from its centre of mass and R its rotation:
//!
//!   (2)  Δv = f/m,   Δω = R I⁻¹ Rᵀ (d × f)
//!
//! All others are asked for through the formulation. As islands do not feel each other, one answer serves a column of each of them: the number of
//! answers is that of the island with the most columns, not the sum.

use super::Site;
use crate::interactions::{BodyIndex, BodyWrench, Motion};
use crate::linalg::spatial::Twist;
use crate::linalg::vec3::{Mat3, Vec3, add, apply, apply_transposed, cross, dot, scale};
use std::ops::Range;

/// A direction at a contact: its place in the list of sites, and along what.
pub type Along = (usize, Vec3);

/// The unknowns and equations of an island, and where its block of W is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Unknowns.
    pub columns: Range<usize>,
    /// Equations.
    pub rows: Range<usize>,
    /// Its block of W, column by column.
    pub entries: Range<usize>,
}

/// Finds islands of contacts and their blocks of W.
#[derive(Clone, Debug, Default)]
pub struct ContactSpace {
    /// By body: 1/m and I⁻¹ as drawn where nothing holds it.
    free: Vec<Option<(f64, Mat3)>>,
    /// By body: the first of those that move together.
    component: Vec<usize>,
    /// By component: one that touches it, nearer to the first of all.
    parent: Vec<usize>,
    /// By component: its island.
    number: Vec<usize>,
    members: Vec<usize>,
    starts: Vec<usize>,
    next: Vec<usize>,
    wrenches: Vec<BodyWrench>,
    twists: Vec<Twist>,
    /// By island: the columns that the formulation is asked for.
    asked: Vec<usize>,
    asked_starts: Vec<usize>,
    answers: u64,
}

/// No island.
const NONE: usize = usize::MAX;

impl ContactSpace {
    /// For bodies: 1/m and I⁻¹ as drawn where nothing holds a body, and the first of the bodies that each moves together with.
    pub fn new(free: Vec<Option<(f64, Mat3)>>, component: Vec<usize>) -> Self {
        let bodies = free.len();
        ContactSpace {
            parent: (0..bodies).collect(),
            number: vec![NONE; bodies],
            starts: vec![0],
            twists: vec![Twist::default(); bodies],
            free,
            component,
            ..ContactSpace::default()
        }
    }

    /// Groups contacts into islands, given the two bodies of each.
    pub fn find_islands(&mut self, contacts: impl Iterator<Item = [BodyIndex; 2]> + Clone) {
        self.parent.iter_mut().enumerate().for_each(|(i, parent)| *parent = i);
        self.number.fill(NONE);
        for bodies in contacts.clone() {
            if let [Some(a), Some(b)] = bodies {
                let [a, b] = [a, b].map(|body| self.root(body));
                // the lower one: the same islands for the same contacts
                self.parent[a.max(b)] = a.min(b);
            }
        }
        self.starts.clear();
        self.starts.push(0);
        // counts, then places
        let mut count = 0;
        for bodies in contacts.clone() {
            count += 1;
            let Some(root) = self.root_of(bodies) else { continue };
            if self.number[root] == NONE {
                self.number[root] = self.starts.len() - 1;
                self.starts.push(0);
            }
            self.starts[self.number[root] + 1] += 1;
        }
        for island in 1..self.starts.len() {
            self.starts[island] += self.starts[island - 1];
        }
        self.members.clear();
        self.members.resize(self.starts[self.starts.len() - 1], 0);
        self.next.clone_from(&self.starts);
        debug_assert!(self.members.len() <= count);
        for (i, bodies) in contacts.enumerate() {
            let Some(root) = self.root_of(bodies) else { continue };
            let place = &mut self.next[self.number[root]];
            self.members[*place] = i;
            *place += 1;
        }
    }

    /// How many islands there are.
    pub fn islands(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The contacts of an island, ascending.
    pub fn members(&self, island: usize) -> &[usize] {
        &self.members[self.starts[island]..self.starts[island + 1]]
    }

    /// How often a formulation has been asked so far.
    pub fn answers(&self) -> u64 {
        self.answers
    }

    /// W of the blocks, whose columns and rows are ranges of two lists, into `w`; the ranges of the entries are set. `respond` gives the twists of all bodies for
    /// wrenches on some.
    pub fn respond<E>(
        &mut self,
        (sites, motions): (&[Site], &[Motion]),
        (columns, rows): (&[Along], &[Along]),
        blocks: &mut [Block],
        w: &mut Vec<f64>,
        mut respond: impl FnMut(&[BodyWrench], &mut [Twist]) -> Result<(), E>,
    ) -> Result<(), E> {
        w.clear();
        self.asked.clear();
        self.asked_starts.clear();
        let mut most = 0;
        for block in blocks.iter_mut() {
            self.asked_starts.push(self.asked.len());
            block.entries = w.len()..w.len();
            for column in block.columns.clone() {
                let (site, force) = (&sites[columns[column].0], columns[column].1);
                let rows = &rows[block.rows.clone()];
                match self.by_themselves(site, force, motions) {
                    Some(twists) => {
                        w.extend(rows.iter().map(|&(row, along)| {
                            dot(along, relative_of_two(&sites[row], site.bodies, &twists))
                        }))
                    }
                    None => {
                        self.asked.push(column);
                        w.resize(w.len() + rows.len(), 0.0);
                    }
                }
            }
            block.entries.end = w.len();
            most = most.max(self.asked.len() - self.asked_starts[self.asked_starts.len() - 1]);
        }
        self.asked_starts.push(self.asked.len());
        for turn in 0..most {
            self.wrenches.clear();
            let asked = |starts: &[usize], island: usize| {
                let at = starts[island] + turn;
                (at < starts[island + 1]).then_some(at)
            };
            for island in 0..blocks.len() {
                if let Some(at) = asked(&self.asked_starts, island) {
                    let (site, force) = columns[self.asked[at]];
                    sites[site].pull(force, &mut self.wrenches);
                }
            }
            respond(&self.wrenches, &mut self.twists)?;
            self.answers += 1;
            for (island, block) in blocks.iter().enumerate() {
                let Some(at) = asked(&self.asked_starts, island) else { continue };
                let first = block.entries.start + (self.asked[at] - block.columns.start) * block.rows.len();
                for (entry, &(row, along)) in w[first..].iter_mut().zip(&rows[block.rows.clone()]) {
                    *entry = dot(along, sites[row].relative(&self.twists));
                }
            }
        }
        Ok(())
    }

    /// (2) for both bodies of a contact; `None` if one of them is held.
    fn by_themselves(&self, site: &Site, force: Vec3, motions: &[Motion]) -> Option<[Twist; 2]> {
        let mut twists = [Twist::default(); 2];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(body) = site.bodies[side] else { continue };
            let (mass, inertia) = self.free[body].as_ref()?;
            let force = scale(sign, force);
            let turned = &motions[body].turned;
            let moment = apply_transposed(turned, cross(site.arms[side], force));
            twists[side] = Twist { v: scale(*mass, force), w: apply(turned, apply(inertia, moment)) };
        }
        Some(twists)
    }

    fn root(&mut self, body: usize) -> usize {
        let mut at = self.component[body];
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn root_of(&mut self, bodies: [BodyIndex; 2]) -> Option<usize> {
        bodies.into_iter().flatten().next().map(|body| self.root(body))
    }
}

/// v_b(p) − v_a(p) at a contact where only two bodies move.
fn relative_of_two(site: &Site, moved: [BodyIndex; 2], twists: &[Twist; 2]) -> Vec3 {
    let mut u = [0.0; 3];
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        let Some(body) = site.bodies[side] else { continue };
        for (twist, &of) in twists.iter().zip(&moved) {
            if of == Some(body) {
                u = add(u, scale(sign, add(twist.v, cross(twist.w, site.arms[side]))));
            }
        }
    }
    u
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Feature;
    use crate::interactions::{BodyPoint, Direction};
    use crate::linalg::vec3::IDENTITY;

    fn corner(body: usize, s: Vec3) -> Site {
        let plane = BodyPoint { body: None, s: [0.0; 3] };
        let normal = Direction { body: None, u: [0.0, 0.0, 1.0] };
        let centre = BodyPoint { body: Some(body), s };
        Site::new(0, &Feature::BallOnPlane { plane, normal, centre, radius: 0.0 }, false, &motions(body + 1))
    }

    fn motions(count: usize) -> Vec<Motion> {
        vec![Motion { turned: IDENTITY, ..Motion::FIXED }; count]
    }

    /// Blocks with all three directions of each contact.
    fn blocks(space: &ContactSpace, sites: &[Site]) -> (Vec<Along>, Vec<Block>) {
        let (mut list, mut blocks) = (Vec::new(), Vec::new());
        for island in 0..space.islands() {
            let from = list.len();
            for &i in space.members(island) {
                list.extend(sites[i].axes.map(|axis| (i, axis)));
            }
            let range = from..list.len();
            blocks.push(Block { columns: range.clone(), rows: range, entries: 0..0 });
        }
        (list, blocks)
    }

    /// Boxes with four corners on the ground: as many blocks as boxes, no question to the formulation, entries that grow with their number and not with its square.
    #[test]
    fn keeps_the_cost_of_separate_bodies_linear() {
        let inertia = [[1.0 / 0.02, 0.0, 0.0], [0.0, 1.0 / 0.03, 0.0], [0.0, 0.0, 1.0 / 0.04]];
        for n in [1, 10, 100] {
            let free = vec![Some((0.5, inertia)); n];
            let mut space = ContactSpace::new(free, (0..n).collect());
            let arms = [[0.1, 0.1, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1], [0.1, -0.1, -0.1]];
            // corner by corner, so that those of a box are not neighbours in the list
            let sites: Vec<Site> = arms.iter().flat_map(|&s| (0..n).map(move |b| corner(b, s))).collect();
            space.find_islands(sites.iter().map(|site| site.bodies));
            assert_eq!(space.islands(), n);
            let (list, mut blocks) = blocks(&space, &sites);
            let mut w = Vec::new();
            let never = |_: &[BodyWrench], _: &mut [Twist]| Err("asked");
            space.respond((&sites, &motions(n)), (&list, &list), &mut blocks, &mut w, never).unwrap();
            assert_eq!((w.len(), space.answers()), (n * 12 * 12, 0));
        }
    }

    /// What is held is asked for, a column of each island at a time; what comes back is the same as (2) where both speak of the same bodies.
    #[test]
    fn cross_answers_of_all_islands_at_once_are_those_of_each() {
        let inertia = [[50.0, 3.0, 0.0], [3.0, 30.0, 1.0], [0.0, 1.0, 25.0]];
        let count = 6;
        let known = vec![Some((0.5, inertia)); count];
        let sites: Vec<Site> =
            (0..count).flat_map(|b| [[0.1, 0.2, -0.1], [-0.3, 0.1, -0.1]].map(|s| corner(b, s))).collect();
        let mut free = ContactSpace::new(known.clone(), (0..count).collect());
        let mut held = ContactSpace::new(vec![None; count], (0..count).collect());
        let mut found = Vec::new();
        for space in [&mut free, &mut held] {
            space.find_islands(sites.iter().map(|site| site.bodies));
            let (list, mut blocks) = blocks(space, &sites);
            let mut w = Vec::new();
            let answer = |wrenches: &[BodyWrench], twists: &mut [Twist]| {
                twists.fill(Twist::default());
                for pull in wrenches {
                    let twist = &mut twists[pull.body];
                    twist.v = add(twist.v, scale(0.5, pull.wrench.force));
                    twist.w = add(twist.w, apply(&inertia, pull.wrench.moment));
                }
                Ok::<(), ()>(())
            };
            space.respond((&sites, &motions(count)), (&list, &list), &mut blocks, &mut w, answer).unwrap();
            found.push(w);
        }
        // six columns of an island, whatever their number
        assert_eq!((free.answers(), held.answers()), (0, 6));
        for (a, b) in found[0].iter().zip(&found[1]) {
            // the same sums in another order
            assert!((a - b).abs() < 1e-14, "{a} {b}");
        }
    }

    /// Bodies of one mechanism are one island, as are those that touch each other; the ground joins nobody.
    #[test]
    fn islands_hang_together_through_joints_and_contacts() {
        let mut space = ContactSpace::new(vec![None; 6], vec![0, 1, 1, 3, 4, 5]);
        let contacts =
            [[None, Some(0)], [None, Some(1)], [Some(4), Some(3)], [None, Some(2)], [Some(5), None]];
        space.find_islands(contacts.into_iter());
        let all: Vec<Vec<usize>> = (0..space.islands()).map(|i| space.members(i).to_vec()).collect();
        assert_eq!(all, [vec![0], vec![1, 3], vec![2], vec![4]]);
        // of no body: in no island
        space.find_islands([[None, None], [None, Some(0)]].into_iter());
        assert_eq!((space.islands(), space.members(0)), (1, &[1][..]));
    }
}
