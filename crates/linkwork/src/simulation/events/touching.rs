//! What touches at an instant, and how it acts on itself: the contact-space matrix of each island.

use crate::contact::solve::{Mode, Problem, Tangent};
use crate::contact::{Along, ContactFailure, ContactSpace, Site, SpaceBlock};
use crate::formulations::{Formulate, MotionError, Twist};
use crate::interactions::{BodyWrench, Motion};
use crate::linalg::least_squares::LeastSquares;
use crate::linalg::vec3::{Vec3, axpy, dot};
use crate::mechanism::Mechanism;

/// Sites that act on each other.
#[derive(Clone, Debug)]
struct Island {
    /// Ascending.
    sites: Vec<usize>,
    /// Row by row.
    w: Vec<f64>,
}

/// All sites that touch, island by island.
#[derive(Clone, Debug)]
pub(super) struct Touching {
    pub sites: Vec<Site>,
    /// Directions of each.
    pub d: usize,
    islands: Vec<Island>,
}

/// Impulses, or forces, of all sites along their axes, and what each does.
pub(super) struct Found {
    pub p: Vec<f64>,
    pub modes: Vec<Mode>,
}

impl Touching {
    /// Asks for what unit impulses at the sites do, with a formulation that has been evaluated at a state where the bodies are.
    pub fn new<F: Formulate>(
        system: &mut F,
        space: &mut ContactSpace,
        y: &[f64],
        motions: &[Motion],
        sites: Vec<Site>,
        d: usize,
    ) -> Result<Self, MotionError> {
        let mut change = vec![0.0; system.rates().len()];
        space.find_islands(sites.iter().map(|site| site.bodies));
        let mut list: Vec<Along> = Vec::with_capacity(sites.len() * d);
        let mut blocks = Vec::with_capacity(space.islands());
        for island in 0..space.islands() {
            let from = list.len();
            for &i in space.members(island) {
                list.extend(sites[i].axes[..d].iter().map(|&axis| (i, axis)));
            }
            let range = from..list.len();
            blocks.push(SpaceBlock { columns: range.clone(), rows: range, ..SpaceBlock::default() });
        }
        let mut entries = Vec::new();
        let respond = |pulls: &[BodyWrench], twists: &mut [Twist]| {
            system.respond(pulls, &mut change)?;
            system.twists(y, &change, twists);
            Ok(())
        };
        space.respond((&sites, motions), (&list, &list), &mut blocks, &mut entries, respond)?;
        let islands = blocks.iter().enumerate().map(|(island, block)| {
            let (n, w) = (block.rows.len(), &entries[block.entries.clone()]);
            let mean = |k: usize| 0.5 * (w[k] + w[k % n * n + k / n]);
            Island { sites: space.members(island).to_vec(), w: (0..n * n).map(mean).collect() }
        });
        let islands = islands.collect();
        Ok(Touching { sites, d, islands })
    }

    /// Along the axes of each site.
    pub fn components(&self, vectors: &[Vec3]) -> Vec<f64> {
        let of = |(site, v): (&Site, &Vec3)| site.axes.map(|axis| dot(axis, *v));
        self.sites.iter().zip(vectors).flat_map(|s| of(s).into_iter().take(self.d)).collect()
    }

    pub fn vector(&self, i: usize, p: &[f64]) -> Vec3 {
        let axes = self.sites[i].axes[..self.d].iter().zip(&p[i * self.d..]);
        axes.fold([0.0; 3], |s, (&axis, &p)| axpy(s, p, axis))
    }

    pub fn velocities(&self, motions: &[Motion]) -> Vec<f64> {
        let v: Vec<Vec3> = self.sites.iter().map(|site| site.velocity(motions)).collect();
        self.components(&v)
    }

    /// By site: what a unit normal impulse does to its own gap.
    pub fn yielding(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.sites.len()];
        for Island { sites, w } in &self.islands {
            let n = sites.len() * self.d;
            sites.iter().enumerate().for_each(|(at, &i)| all[i] = w[at * self.d * (n + 1)]);
        }
        all
    }

    /// p of all sites, from the problem and the sites of each island, with velocities or accelerations without any. By `tangent`, some may slide.
    pub fn solve(
        &self,
        mechanism: &Mechanism,
        free: &[f64],
        tangent: &[Tangent],
        mut solve: impl FnMut(&Problem, &[usize]) -> Result<(Vec<f64>, Vec<Mode>), ContactFailure>,
    ) -> Result<Found, ContactFailure> {
        let d = self.d;
        let mut found = Found { p: vec![0.0; free.len()], modes: vec![Mode::Open; self.sites.len()] };
        for Island { sites, w } in &self.islands {
            let problem = Problem {
                directions: d,
                w: w.clone(),
                free: self.of_island(sites, free).collect(),
                friction: sites.iter().map(|&i| mechanism.contacts[self.sites[i].contact].friction).collect(),
                tangent: sites.iter().map(|&i| tangent.get(i).copied().unwrap_or(Tangent::Cone)).collect(),
            };
            let (p, modes) = solve(&problem, sites).map_err(|failure| renamed(failure, sites))?;
            for (at, &i) in sites.iter().enumerate() {
                found.p[i * d..][..d].copy_from_slice(&p[at * d..][..d]);
                found.modes[i] = modes.get(at).copied().unwrap_or(Mode::Open);
            }
        }
        Ok(found)
    }

    fn of_island<'a>(&self, sites: &'a [usize], all: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let d = self.d;
        sites.iter().flat_map(move |&i| all[i * d..][..d].iter().copied())
    }

    /// Relative velocities after impulses.
    pub fn after(&self, before: &[f64], p: &[f64]) -> Vec<f64> {
        let d = self.d;
        let mut u = before.to_vec();
        for Island { sites, w } in &self.islands {
            let p: Vec<f64> = self.of_island(sites, p).collect();
            for (row, w) in w.chunks_exact(p.len()).enumerate() {
                let sum = w.iter().zip(&p).map(|(w, p)| w * p).sum::<f64>();
                u[sites[row / d] * d + row % d] += sum;
            }
        }
        u
    }

    /// The shortest impulses that take given components of velocities away; `rows` tells how many of each site.
    pub fn stopping(&self, u: &[f64], rows: impl Fn(usize) -> usize) -> Vec<f64> {
        let d = self.d;
        let mut p = vec![0.0; u.len()];
        for Island { sites, w } in &self.islands {
            let n = sites.len() * d;
            let stopped: Vec<usize> =
                sites.iter().enumerate().flat_map(|(at, &i)| at * d..at * d + rows(i)).collect();
            let place = |r: usize| sites[r / d] * d + r % d;
            let mut square = LeastSquares::new(stopped.len(), stopped.len());
            for &r in &stopped {
                let line: Vec<f64> = stopped.iter().map(|c| w[r * n + c]).collect();
                square.push(&line, -u[place(r)], 1.0);
            }
            let mut found = vec![0.0; stopped.len()];
            square.solve(&mut found);
            stopped.iter().zip(&found).for_each(|(&r, &x)| p[place(r)] = x);
        }
        p
    }

    /// The sites of a list only; it ascends.
    pub fn part(&self, list: &[usize]) -> Touching {
        let d = self.d;
        let mut number = vec![usize::MAX; self.sites.len()];
        list.iter().enumerate().for_each(|(new, &i)| number[i] = new);
        let islands = self.islands.iter().filter_map(|Island { sites, w }| {
            let n = sites.len() * d;
            let kept: Vec<usize> = (0..sites.len()).filter(|&at| number[sites[at]] != usize::MAX).collect();
            let rows = || kept.iter().flat_map(|&at| at * d..(at + 1) * d);
            let w = rows().flat_map(|r| rows().map(move |c| w[r * n + c])).collect();
            let sites: Vec<usize> = kept.iter().map(|&at| number[sites[at]]).collect();
            (!sites.is_empty()).then_some(Island { sites, w })
        });
        let islands = islands.collect();
        Touching { sites: list.iter().map(|&i| self.sites[i]).collect(), d, islands }
    }

    /// The sites that a site acts on, and itself.
    pub fn island_of(&self, site: usize) -> &[usize] {
        let found = self.islands.iter().find(|island| island.sites.contains(&site));
        found.map_or(&[], |island| &island.sites)
    }

    /// The same sites with the velocities that the bodies have now.
    pub fn moved(&self, mechanism: &Mechanism, motions: &[Motion]) -> Touching {
        let planar = mechanism.columns() == 2;
        let again = |s: &Site| Site::new(s.contact, &mechanism.contacts[s.contact].feature, planar, motions);
        Touching { sites: self.sites.iter().map(again).collect(), ..self.clone() }
    }

    pub fn pulls(&self, p: &[f64]) -> Vec<BodyWrench> {
        let mut pulls = Vec::new();
        for (i, site) in self.sites.iter().enumerate() {
            site.pull(self.vector(i, p), &mut pulls);
        }
        pulls
    }
}

/// A failure of an island, said of all sites.
fn renamed(mut failure: ContactFailure, sites: &[usize]) -> ContactFailure {
    match &mut failure {
        ContactFailure::NotFinite { contact } | ContactFailure::Unsolved { contact, .. } => {
            *contact = sites[*contact];
        }
    }
    failure
}
