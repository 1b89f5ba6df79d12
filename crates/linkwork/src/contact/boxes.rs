//! Two boxes: corners of each over faces of the other, and edges that cross.
//!
//! Boxes a and b with centres d apart, edges a_k and b_k, half edges h_k and H_k. Along a direction m they are apart by
//!
//!   (X1)  σ(m) = |m·d| − Σ h_k |m·a_k| − Σ H_k |m·b_k|
//!
//! They overlap if σ is negative for all a_k, b_k and a_i × b_j; the direction with the largest σ tells which faces *look at each other*.
//!
//! **Corner over a face.** Corner Q of b lies at x_k = a_k·(Q − O_a). It is seen from the face of a with the largest σ(a_k), of
//! all of b, not of the corner: where a box stands on another of the same size, its corners are as near to the sides as to the
//! top, and rounding must not choose. Then
//!
//!   (X2)  g = |x_k| − h_k,   n = sign(d·a_k) a_k
//!
//! **Crossing edges.** An edge of a's face and one of b's that look at each other, through P_a along u and P_b along w:
//!
//!   (X3)  c = u × w,   n = ±c / |c|,   g = n·(P_b − P_a)
//!   (X4)  P_a + t u:  t = ((P_b − P_a) × w)·c / c²,    P_b + τ w:  τ = ((P_b − P_a) × u)·c / c²
//!
//! Four by four of them: the corners of the patch in which two faces that lie on each other meet are corners of either or crossings.
//!
//! **Where they hold.** (X2) holds over the face, (X3) within both edges and where n keeps the boxes apart as well as any direction
//! does. What lies beyond, as a length, is added to the gap, so that it is continuous and no false contact arises; rate, bias and normal stay those
//! of the face or the edges. A corner that slides over an edge therefore hands over to the edge or corner under it while n stays as it is,
//! which the true distance would not do: that turns by a right angle there. Where boxes are flush, each corner of the patch should be one
//! contact: b counts as smaller than a by 10⁻⁹ of their size. So b's corners are over a's face up to its border and a little beyond, a's corners are
//! over b's face a little within it, and edges cross a little beyond the end of a's and within that of b's.

use super::Touch;
use super::jets::{Jets, cross, dot, length_and_unit, plus, sub, times};
use super::solids::{Block, Placed};
use crate::interactions::{BodyPoint, Direction, Motion};
use crate::linalg::vec3::{self, Vec3};

/// The border of a face or an edge has this part of the box's size.
const BORDER: f64 = 1e-9;
/// Edges with a smaller sine between them are parallel.
const PARALLEL: f64 = 1e-6;

/// σ(m), and m turned so that it points from a to b.
fn apart(m: Vec3, [a, b]: [&Block; 2], [at_a, at_b]: [&Placed; 2]) -> (f64, Vec3) {
    let along = vec3::dot(m, vec3::sub(at_b.centre, at_a.centre));
    let extent = |block: &Block, at: &Placed| -> f64 {
        (0..block.directions()).map(|k| block.half[k] * vec3::dot(m, at.axes[k]).abs()).sum()
    };
    let n = if along < 0.0 { vec3::scale(-1.0, m) } else { m };
    (along.abs() - extent(a, at_a) - extent(b, at_b), n) // (X1)
}

/// The best direction among the faces of the first block: its number, σ, and n.
fn best_face(blocks: [&Block; 2], at: [&Placed; 2]) -> (usize, f64, Vec3) {
    let mut best = (0, f64::NEG_INFINITY, at[0].axes[0]);
    for k in 0..blocks[0].directions() {
        let (sigma, n) = apart(at[0].axes[k], blocks, at);
        if sigma > best.1 {
            best = (k, sigma, n);
        }
    }
    best
}

/// The direction in which two boxes are farthest apart, from a to b, and by how much; negative: how deep they overlap.
pub(super) fn separation(blocks: [&Block; 2], bodies: &[Motion]) -> (f64, Vec3) {
    let placed = blocks.map(|b| b.at(bodies));
    separated(blocks, [&placed[0], &placed[1]])
}

fn separated([a, b]: [&Block; 2], at: [&Placed; 2]) -> (f64, Vec3) {
    // faces before edges and a before b, unless clearly worse: parallel directions must not take turns
    let slack = BORDER * (a.reach() + b.reach());
    let (_, mut sigma, mut n) = best_face([a, b], at);
    let (_, of_b, from_b) = best_face([b, a], [at[1], at[0]]);
    if of_b > sigma + slack {
        (sigma, n) = (of_b, vec3::scale(-1.0, from_b));
    }
    if a.directions() == 3 && b.directions() == 3 {
        for u in at[0].axes {
            for w in at[1].axes {
                let c = vec3::cross(u, w);
                let length = vec3::norm(c);
                if length > PARALLEL {
                    let (edges, m) = apart(vec3::scale(1.0 / length, c), [a, b], at);
                    if edges > sigma + slack {
                        (sigma, n) = (edges, m);
                    }
                }
            }
        }
    }
    (sigma, n)
}

/// A corner of `other` over `block`, and how far beyond the face it is.
pub(super) fn corner_on_block(
    block: &Block,
    other: &Block,
    corner: &BodyPoint,
    border: bool,
    bodies: &[Motion],
) -> (Touch, f64) {
    let placed = [block.at(bodies), other.at(bodies)];
    let (k, _, n) = best_face([block, other], [&placed[0], &placed[1]]);
    let q = corner.at(bodies).jets();
    let d = sub(q, block.centre.at(bodies).jets());
    let a = block.axis(k).jets(bodies);
    let outward = times(if vec3::dot(n, placed[0].axes[k]) < 0.0 { -1.0 } else { 1.0 }, a);
    let height = dot(outward, d) - block.half[k]; // (X2)
    let slack = if border { BORDER } else { -BORDER } * (block.reach() + other.reach());
    let d = d.map(|x| x.x);
    // below the opposite face it is not over this one
    let under = -height.x - 2.0 * block.half[k];
    let beyond = (0..block.directions())
        .filter(|&j| j != k)
        .map(|j| vec3::dot(placed[0].axes[j], d).abs() - block.half[j] - slack)
        .fold(under, f64::max);
    (Touch::of(height, q, outward), beyond)
}

/// How many pairs of edges of two faces there are.
pub(super) const CROSSINGS: usize = 16;

/// The middle of an edge, its direction, and half its length.
struct Edge {
    middle: BodyPoint,
    along: Direction,
    half: f64,
}

/// One of the four edges of the face that looks along n.
fn edge(block: &Block, at: &Placed, n: Vec3, number: usize) -> Edge {
    let facing = |k: usize| vec3::dot(n, at.axes[k]);
    let face = (1..3).fold(0, |best, k| if facing(k).abs() > facing(best).abs() { k } else { best });
    let (first, second) = ((face + 1) % 3, (face + 2) % 3);
    let (along, across) = if number & 2 == 0 { (first, second) } else { (second, first) };
    let to_face = block.half[face].copysign(facing(face));
    let to_edge = if number & 1 == 0 { -block.half[across] } else { block.half[across] };
    let s = vec3::axpy(block.centre.s, to_face, block.axes[face]);
    Edge {
        middle: BodyPoint { s: vec3::axpy(s, to_edge, block.axes[across]), ..block.centre },
        along: block.axis(along),
        half: block.half[along],
    }
}

/// Two edges of the faces that look at each other, and how far beyond their ends they cross.
pub(super) fn crossing(blocks: [&Block; 2], number: usize, bodies: &[Motion]) -> (Touch, f64) {
    let placed = blocks.map(|b| b.at(bodies));
    let at = [&placed[0], &placed[1]];
    let size = blocks[0].reach() + blocks[1].reach();
    let (sigma, n) = separated(blocks, at);
    let a = edge(blocks[0], at[0], n, number >> 2);
    let b = edge(blocks[1], at[1], vec3::scale(-1.0, n), number & 3);
    let (p, q) = (a.middle.at(bodies).jets(), b.middle.at(bodies).jets());
    let (u, w) = (a.along.jets(bodies), b.along.jets(bodies));
    let d = sub(q, p);
    let c = cross(u, w);
    let values = |x: Jets| x.map(|x| x.x);
    if vec3::norm(values(c)) <= PARALLEL {
        // parallel edges do not cross: corners see what there is to see
        let touch = Touch { gap: sigma, point: values(p), normal: n, ..Touch::default() };
        return (touch, size);
    }
    let (length, unit) = length_and_unit(c);
    let sign = if vec3::dot(n, values(unit)) < 0.0 { -1.0 } else { 1.0 };
    let normal = times(sign, unit);
    let gap = dot(normal, d); // (X3)
    let square = length * length;
    let t = dot(cross(d, w), c) / square; // (X4)
    let tau = dot(cross(d, u), c) / square;
    let (same, _) = apart(values(normal), blocks, at);
    let border = BORDER * size;
    let ends = f64::max(t.x.abs() - a.half - border, tau.x.abs() - b.half + border);
    (Touch::of(gap, plus(p, t, u), normal), ends.max(sigma - same - border))
}
