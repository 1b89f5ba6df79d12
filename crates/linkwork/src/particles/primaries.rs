//! Which points of a body become its primary particles.
//!
//! Joint points come first: a particle shared with another body needs no constraint. A point is taken
//! while it stands well off the span of those already taken, so that P is well conditioned; what is
//! missing is added as hidden helper points. How many are needed is the dimension of what the body
//! really is: its points, its centre of mass, and the directions in which its mass has extent.

use super::MassProperties;
use crate::drawing::Dimension;
use crate::linalg::vec3::{Vec3, add, axpy, dot, norm, scale, sub, unit};

/// A point of a body that may become primary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Position as drawn.
    pub at: Vec3,
    /// Whether it is shared with another body or held by a joint.
    pub joint: bool,
}

/// A primary particle: one of the candidates, or a helper of our own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primary {
    /// The candidate with this index.
    Candidate(usize),
    /// A hidden point at this place.
    Helper(Vec3),
}

/// Points nearer than this part of the body's size to a line or plane lie in it.
const FLAT: f64 = 1e-9;
/// Mass extent below this part of the body's size does not count.
const THIN: f64 = 1e-5;
/// A point must stand this part of the body's size off the span of those taken before it.
const WELL_OFF: f64 = 0.1;

/// Directions that span a body, from its first primary point.
struct Span {
    axes: Vec<Vec3>,
}

impl Span {
    fn off(&self, x: Vec3) -> Vec3 {
        self.axes.iter().fold(x, |rest, &e| axpy(rest, -dot(rest, e), e))
    }
    fn push(&mut self, x: Vec3) {
        // twice: the second pass removes what rounding left
        let e = unit(self.off(unit(self.off(x))));
        self.axes.push(e);
    }
}

/// Chooses the primary points of a body; `first` are candidates that the user wants, independent of each other.
pub(super) fn choose(
    properties: &MassProperties,
    candidates: &[Candidate],
    first: &[usize],
    dimension: Dimension,
) -> Vec<Primary> {
    let com = properties.com;
    let moments = properties.principal_second_moments(dimension);
    let radius = |s: f64| if properties.mass > 0.0 { (s.max(0.0) / properties.mass).sqrt() } else { 0.0 };
    let gyration = radius(moments.iter().map(|m| m.0.max(0.0)).sum());
    let size = candidates.iter().fold(gyration, |s, c| s.max(norm(sub(c.at, com))));
    let start = first.first().copied().or_else(|| candidates.iter().position(|c| c.joint));
    let start = start.or((!candidates.is_empty()).then_some(0));
    let origin = start.map_or(com, |i| candidates[i].at);

    // What the body spans: its points and centre of mass, then its mass extent.
    let mut hull = Span { axes: Vec::new() };
    let mut places: Vec<Vec3> = candidates.iter().map(|c| sub(c.at, origin)).collect();
    places.push(sub(com, origin));
    let wide = |hull: &Span| hull.axes.len() < dimension.columns();
    while wide(&hull) {
        let far = places.iter().map(|&p| hull.off(p)).max_by(|a, b| norm(*a).total_cmp(&norm(*b)));
        match far {
            Some(x) if norm(x) > FLAT * size => hull.push(x),
            _ => break,
        }
    }
    match dimension {
        // In the plane the polar moment fits on any line through the body.
        Dimension::Planar if hull.axes.is_empty() && gyration > THIN * size => hull.push([1.0, 0.0, 0.0]),
        Dimension::Planar => {}
        Dimension::Spatial => {
            for &(s, e) in moments.iter().rev() {
                if wide(&hull) && radius(s) > THIN * size {
                    let off = hull.off(e);
                    if norm(scale(radius(s), off)) > THIN * size {
                        hull.push(off);
                    }
                }
            }
        }
    }

    let mut taken: Vec<Primary> = Vec::new();
    let mut at: Vec<Vec3> = Vec::new();
    match start {
        Some(i) => taken.push(Primary::Candidate(i)),
        None => taken.push(Primary::Helper(com)),
    }
    at.push(origin);
    let mut span = Span { axes: Vec::new() };
    while span.axes.len() < hull.axes.len() {
        let wanted = first.get(at.len()).copied();
        let best = wanted.or_else(|| {
            [true, false].into_iter().find_map(|joint| {
                let of_kind = candidates.iter().enumerate().filter(|(_, c)| c.joint == joint);
                let (i, off) = of_kind
                    .map(|(i, c)| (i, norm(span.off(sub(c.at, origin)))))
                    .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
                (off > WELL_OFF * size).then_some(i)
            })
        });
        let next = match best {
            Some(i) => {
                taken.push(Primary::Candidate(i));
                candidates[i].at
            }
            None => {
                let place = helper(&hull, &span, &at, com, size);
                taken.push(Primary::Helper(place));
                place
            }
        };
        span.push(sub(next, origin));
        at.push(next);
    }
    taken
}

/// A place for a helper: off the span of the points taken, over their middle, as far as they are apart.
fn helper(hull: &Span, span: &Span, at: &[Vec3], com: Vec3, size: f64) -> Vec3 {
    let direction = hull
        .axes
        .iter()
        .map(|&e| span.off(e))
        .max_by(|a, b| norm(*a).total_cmp(&norm(*b)))
        .map_or([1.0, 0.0, 0.0], unit);
    let middle = scale(1.0 / at.len() as f64, at.iter().fold([0.0; 3], |s, &p| add(s, p)));
    let pairs = at.iter().enumerate().flat_map(|(i, &p)| at[..i].iter().map(move |&q| norm(sub(p, q))));
    let (count, sum) = pairs.fold((0, 0.0), |(n, s), d| (n + 1, s + d));
    let reach = if count > 0 { 0.8 * sum / count as f64 } else { size };
    // towards the centre of mass, so that the particles surround it
    let side = if dot(direction, sub(com, middle)) < 0.0 { -1.0 } else { 1.0 };
    axpy(middle, side * reach, direction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn properties(mass: f64, com: Vec3, inertia: [f64; 3]) -> MassProperties {
        let mut inertia_about_com = [[0.0; 3]; 3];
        for i in 0..3 {
            inertia_about_com[i][i] = inertia[i];
        }
        MassProperties { mass, com, inertia_about_com }
    }
    fn joints(at: &[Vec3]) -> Vec<Candidate> {
        at.iter().map(|&at| Candidate { at, joint: true }).collect()
    }

    #[test]
    fn exact_numbers_of_primary_points() {
        use Dimension::*;
        let rod = properties(1.0, [0.5, 0.0, 0.0], [0.0, 1.0 / 12.0, 1.0 / 12.0]);
        let ends = joints(&[[0.0; 3], [1.0, 0.0, 0.0]]);
        assert_eq!(choose(&rod, &ends, &[], Planar).len(), 2, "planar rod");
        assert_eq!(choose(&rod, &ends, &[], Spatial).len(), 2, "rod in space has no spin inertia");
        let bar = properties(1.0, [0.5, 0.0, 0.0], [1e-4, 1.0 / 12.0, 1.0 / 12.0]);
        assert_eq!(choose(&bar, &ends, &[], Spatial).len(), 4, "a bar has");
        let off_line = properties(1.0, [0.5, 0.2, 0.0], [0.0, 0.0, 0.1]);
        assert_eq!(choose(&off_line, &ends, &[], Planar).len(), 3);
        let lamina = properties(1.0, [0.3, 0.3, 0.0], [0.1, 0.1, 0.2]);
        assert_eq!(choose(&lamina, &ends, &[], Spatial).len(), 3, "a thin plate");
        let particle = properties(1.0, [0.0; 3], [0.0; 3]);
        assert_eq!(choose(&particle, &ends[..1], &[], Spatial).len(), 1);
        let wheel = properties(1.0, [0.0; 3], [0.0, 0.0, 0.5]);
        assert_eq!(choose(&wheel, &ends[..1], &[], Planar).len(), 2);
        let gyro = properties(1.0, [0.0; 3], [1.0, 2.0, 2.5]);
        assert_eq!(choose(&gyro, &ends[..1], &[], Spatial).len(), 4);
    }

    #[test]
    fn exact_joint_points_come_first() {
        let body = properties(1.0, [0.0; 3], [1.0, 2.0, 2.5]);
        let mut all = joints(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        all[0].joint = false;
        let taken = choose(&body, &all, &[], Dimension::Spatial);
        assert_eq!(taken[..3], [Primary::Candidate(1), Primary::Candidate(2), Primary::Candidate(0)]);
        assert!(matches!(taken[3], Primary::Helper(_)));
        let taken = choose(&body, &all, &[2, 0], Dimension::Spatial);
        assert_eq!(taken[..3], [Primary::Candidate(2), Primary::Candidate(0), Primary::Candidate(1)]);
    }
}
