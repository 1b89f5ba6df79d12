//! The roads that elements run on, as far as the run may get.

use super::build::Drawing;
use super::{Scene, Solid};
use linkwork::interactions::{Road, RoadPlace};
use linkwork::linalg::vec3::{Vec3, add, scale};

/// Places along a road at which its height is looked up.
const LOOKS: usize = 4000;
/// Places along and across, where the height depends on both.
const GRID: [usize; 2] = [120, 40];

/// One solid for each different road.
pub(super) fn roads(drawing: &Drawing<'_>, scene: &Scene) -> Vec<Solid> {
    let mut seen: Vec<(String, usize)> = Vec::new();
    let mut solids = Vec::new();
    let actions = drawing.all.interactions().actions.iter();
    for (below, up) in actions.filter_map(|named| named.action.road()) {
        let name = (below.height.text().to_owned(), up);
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        solids.extend(road(drawing, scene, below, up));
    }
    solids
}

/// From where to where the bodies may get along x and y: what there is, and how far the start velocity carries it.
fn range(drawing: &Drawing<'_>, scene: &Scene) -> [[f64; 2]; 2] {
    let [low, high] = scene.bounds;
    let size = (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max);
    let (mut mass, mut momentum) = (0.0, [0.0; 3]);
    for (body, motion) in drawing.start.bodies().iter().zip(drawing.start.start_motions()) {
        let m = body.particles.properties.mass;
        mass += m;
        momentum = add(momentum, scale(m, motion.v));
    }
    let duration = drawing.start.model().settings.duration;
    let way: Vec3 = if mass > 0.0 { scale(duration / mass, momentum) } else { [0.0; 3] };
    [0, 1].map(|i| [low[i] - size + way[i].min(0.0), high[i] + size + way[i].max(0.0)])
}

fn road(drawing: &Drawing<'_>, scene: &Scene, road: &Road, up: usize) -> Option<Solid> {
    let height = |x: f64, y: f64| road.height([x, y, 0.0]);
    let at = |x: f64, y: f64, h: f64| if up == 1 { [x, h, 0.0] } else { [x, y, h] };
    let mut normal = [0.0; 3];
    normal[up] = 1.0;
    if road.places.is_empty() || road.places.iter().all(|place| *place == RoadPlace::Time) {
        let h = height(0.0, 0.0);
        return h.is_finite().then(|| Solid::Plane { at: at(0.0, 0.0, h), normal });
    }
    let [along, across] = range(drawing, scene);
    if road.uses(RoadPlace::Y) && up == 2 {
        return grid(along, across, &height);
    }
    let profile = profile(along, &|x| height(x, 0.0));
    if profile.len() < 2 {
        return None;
    }
    if up == 1 {
        return Some(Solid::Line { through: profile.iter().map(|[x, h]| at(*x, 0.0, *h)).collect() });
    }
    let mut vertices = Vec::new();
    let (mut triangles, mut edges) = (Vec::new(), Vec::new());
    for (i, [x, h]) in profile.iter().enumerate() {
        vertices.extend([at(*x, across[0], *h), at(*x, across[1], *h)]);
        let k = 2 * i as u32;
        if i > 0 {
            triangles.extend([[k - 2, k, k - 1], [k, k + 1, k - 1]]);
            edges.extend([[k - 2, k], [k - 1, k + 1]]);
        }
    }
    Some(Solid::Mesh { vertices, triangles, edges })
}

/// Places of a line, those left out that lie on the line through their neighbours.
fn profile(range: [f64; 2], height: &dyn Fn(f64) -> f64) -> Vec<[f64; 2]> {
    let step = (range[1] - range[0]) / LOOKS as f64;
    let mut kept: Vec<[f64; 2]> = Vec::new();
    let mut last: Option<[f64; 2]> = None;
    let tolerance = 1e-3 * step;
    for k in 0..=LOOKS {
        let x = range[0] + step * k as f64;
        let now = [x, height(x)];
        if !now[1].is_finite() {
            continue;
        }
        if let (Some(&[a, ha]), Some([b, hb])) = (kept.last(), last)
            && b > a
        {
            let straight = ha + (now[1] - ha) * (b - a) / (x - a);
            if (straight - hb).abs() > tolerance {
                kept.push([b, hb]);
            }
        }
        if kept.is_empty() {
            kept.push(now);
        }
        last = Some(now);
    }
    kept.extend(last);
    kept.dedup();
    kept
}

fn grid(along: [f64; 2], across: [f64; 2], height: &dyn Fn(f64, f64) -> f64) -> Option<Solid> {
    let [n, m] = GRID;
    let mut vertices = Vec::new();
    for i in 0..=n {
        for j in 0..=m {
            let x = along[0] + (along[1] - along[0]) * i as f64 / n as f64;
            let y = across[0] + (across[1] - across[0]) * j as f64 / m as f64;
            vertices.push([x, y, height(x, y)]);
        }
    }
    if vertices.iter().any(|v| !v[2].is_finite()) {
        return None;
    }
    let (n, row) = (n as u32, m as u32 + 1);
    let (mut triangles, mut edges) = (Vec::new(), Vec::new());
    for i in 0..n {
        for j in 0..row - 1 {
            let k = i * row + j;
            triangles.extend([[k, k + row, k + row + 1], [k, k + row + 1, k + 1]]);
            if i % 4 == 0 {
                edges.push([k, k + 1]);
            }
            if j % 4 == 0 {
                edges.push([k, k + row]);
            }
        }
    }
    Some(Solid::Mesh { vertices, triangles, edges })
}
