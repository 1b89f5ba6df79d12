//! Surfaces of which so many pairs can meet that nobody lists them.

use super::{Form, Surface};
use crate::interactions::BodyIndex;

/// The surfaces of one contact of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crowd {
    /// The model's contact.
    pub of: usize,
    /// Each of the first list meets each of the second; among many, both are the same.
    pub sides: [Vec<usize>; 2],
    /// Whether surfaces of bodies that a joint connects meet, too.
    pub jointed: bool,
    /// Bodies whose surfaces do not meet, the smaller one first, ascending.
    pub except: Vec<[BodyIndex; 2]>,
}

/// All crowds of a mechanism.
#[derive(Clone, Debug, Default)]
pub struct Crowds {
    list: Vec<Crowd>,
    /// Bodies that joints connect, the smaller one first; the ground comes before all, ascending.
    joined: Vec<[BodyIndex; 2]>,
}

/// A pair of a crowd, in the order in which the model's contact lists its surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrowdPair {
    /// Both surfaces.
    pub surfaces: [usize; 2],
    /// The model's contact.
    pub of: usize,
}

impl Crowds {
    /// Crowds, and the pairs of bodies that joints connect.
    pub fn new(list: Vec<Crowd>, joined: impl IntoIterator<Item = [BodyIndex; 2]>) -> Self {
        let mut joined: Vec<_> = joined.into_iter().map(|[a, b]| [a.min(b), a.max(b)]).collect();
        joined.sort_unstable();
        joined.dedup();
        Crowds { list, joined }
    }

    /// The crowds, one for each contact of the model that has one, ascending.
    pub fn list(&self) -> &[Crowd] {
        &self.list
    }

    /// That of a contact of the model.
    pub fn of(&self, contact: usize) -> Option<&Crowd> {
        self.list.binary_search_by_key(&contact, |crowd| crowd.of).ok().map(|c| &self.list[c])
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// A surface of a crowd.
#[derive(Clone, Copy, Debug)]
struct Member {
    crowd: u32,
    /// The sides that it is on, bit by bit.
    sides: u8,
    /// Its place in the list of the first of them.
    place: u32,
}

/// Crowds by their surfaces.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    crowds: Crowds,
    /// Of surface s: `list[starts[s]..starts[s + 1]]`.
    list: Vec<Member>,
    starts: Vec<usize>,
    body: Vec<BodyIndex>,
    /// Those that are planes, and the others, ascending.
    pub planes: Vec<usize>,
    pub solids: Vec<usize>,
}

impl Members {
    pub fn new(surfaces: &[Surface], crowds: &Crowds) -> Self {
        let mut all: Vec<(usize, u32, u8, u32)> = Vec::new();
        for (c, crowd) in crowds.list.iter().enumerate() {
            for (side, list) in crowd.sides.iter().enumerate() {
                let places = list.iter().enumerate();
                all.extend(places.map(|(place, &s)| (s, c as u32, 1 << side, place as u32)));
            }
        }
        all.sort_unstable();
        all.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 |= next.2;
            }
            same
        });
        let mut starts = vec![0; surfaces.len() + 1];
        all.iter().for_each(|member| starts[member.0 + 1] += 1);
        for s in 0..surfaces.len() {
            starts[s + 1] += starts[s];
        }
        let members = (0..surfaces.len()).filter(|&s| starts[s + 1] > starts[s]);
        let (planes, solids) = members.partition(|&s| matches!(surfaces[s].form, Form::Plane { .. }));
        Members {
            crowds: crowds.clone(),
            list: all.into_iter().map(|(_, crowd, sides, place)| Member { crowd, sides, place }).collect(),
            starts,
            body: surfaces.iter().map(Surface::body).collect(),
            planes,
            solids,
        }
    }

    /// The contact in which two surfaces meet, if they do.
    pub fn pair(&self, a: usize, b: usize) -> Option<CrowdPair> {
        if self.body[a] == self.body[b] {
            return None;
        }
        let (a, b) = (a.min(b), a.max(b));
        let [mut of_a, mut of_b] = [a, b].map(|s| &self.list[self.starts[s]..self.starts[s + 1]]);
        while let (Some(first), Some(second)) = (of_a.first(), of_b.first()) {
            if first.crowd < second.crowd {
                of_a = &of_a[1..];
                continue;
            }
            if second.crowd < first.crowd {
                of_b = &of_b[1..];
                continue;
            }
            let crowd = &self.crowds.list[first.crowd as usize];
            let on = |one: &Member, other: &Member| one.sides & 1 != 0 && other.sides & 2 != 0;
            let [ahead, back] = [on(first, second), on(second, first)];
            let bodies = [self.body[a].min(self.body[b]), self.body[a].max(self.body[b])];
            let apart = crowd.except.binary_search(&bodies).is_ok()
                || !crowd.jointed && self.crowds.joined.binary_search(&bodies).is_ok();
            if (ahead || back) && !apart {
                // among many the first is the one listed first
                let written = ahead && (!back || first.place < second.place);
                return Some(CrowdPair { surfaces: if written { [a, b] } else { [b, a] }, of: crowd.of });
            }
            (of_a, of_b) = (&of_a[1..], &of_b[1..]);
        }
        None
    }
}
