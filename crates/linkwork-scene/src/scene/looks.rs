//! Looks of bodies: meshes of files, thinned out together to what a page can hold, and solids.

use super::build::Drawing;
use super::{Look, Solid, Surface, Vector, shapes};
use linkwork::linalg::hull::convex_hull;
use linkwork::linalg::vec3::{Vec3, axpy, scale, triad, unit};
use linkwork::model::{Body, GROUND, LookForm, Mass, MeshFile, Orientation, Place, Shape};
use linkwork_mesh::{Mesh, MeshError, cell_for};
use std::collections::HashMap;
use std::path::PathBuf;

/// Triangles that all meshes of a scene have together, at most: about 5 bytes each in a page.
pub const MOST_TRIANGLES: usize = 60_000;

/// What is seen of the bodies of a scene, the ground first, and what to say of it.
pub(super) struct Looks {
    pub of_bodies: Vec<Vec<Look>>,
    pub remarks: Vec<String>,
}

/// A mesh as a body has it.
struct Hung<'m> {
    body: usize,
    color: Option<String>,
    mesh: &'m MeshFile,
    /// Its place among the meshes that were read.
    read: usize,
}

/// Meshes that have been read, each file and scale once.
#[derive(Default)]
struct Library {
    known: HashMap<(PathBuf, [u64; 3]), Result<usize, MeshError>>,
    meshes: Vec<Mesh>,
}

impl Library {
    fn read(&mut self, file: &MeshFile) -> Result<usize, MeshError> {
        let key = (file.path.clone(), file.scale.map(f64::to_bits));
        let meshes = &mut self.meshes;
        let read = || {
            meshes.push(Mesh::read(&file.path)?.scaled(file.scale).welded());
            Ok(meshes.len() - 1)
        };
        self.known.entry(key).or_insert_with(read).clone()
    }
}

/// Reads, thins out and places all looks of a model.
pub(super) fn looks(drawing: &Drawing<'_>) -> Looks {
    let model = drawing.model;
    let mut out = Looks { of_bodies: vec![Vec::new(); model.bodies.len() + 1], remarks: Vec::new() };
    let mut library = Library::default();
    let mut hung = Vec::new();
    let mut hang =
        |body: usize, name: &str, color: Option<String>, mesh, remarks: &mut Vec<String>| match library
            .read(mesh)
        {
            Ok(read) => hung.push(Hung { body, color, mesh, read }),
            Err(error) => remarks.push(format!("`{name}` is not drawn as `{}`: {error}", mesh.file)),
        };
    for (b, body) in model.bodies.iter().enumerate().filter(|(_, body)| body.visible) {
        // what weighs like a mesh looks like it, unless it has a look of its own
        if let Mass::Shape(Shape::Mesh { mesh, .. }, _) = &body.mass
            && model.looks.iter().all(|look| look.body != body.name)
        {
            hang(b + 1, &body.name, None, mesh, &mut out.remarks);
        }
    }
    for look in &model.looks {
        let Some(body) = drawing.body(&look.body).filter(|b| *b == 0 || model.bodies[b - 1].visible) else {
            continue;
        };
        let color = look.color.map(|color| color.to_string());
        if let LookForm::Mesh(mesh) = &look.form {
            hang(body, &look.body, color, mesh, &mut out.remarks);
        } else if let Some(solid) = solid(drawing, body, &look.form) {
            let solid = solid.moved(scale(-1.0, drawing.com(body)));
            out.of_bodies[body].push(Look { paint: color, solid });
        }
    }
    let read: Vec<&Mesh> = hung.iter().map(|hung| &library.meshes[hung.read]).collect();
    let cells = cell_for(&read, MOST_TRIANGLES);
    let mut left = 0;
    for (n, hung) in hung.iter().enumerate() {
        let mesh = read[n];
        let thin = cells.as_ref().map(|cells| mesh.thinned(cells[n]));
        let parts = surfaces(drawing, hung, thin.as_ref().unwrap_or(mesh));
        left += parts.iter().map(|look| triangles(&look.solid)).sum::<usize>();
        out.of_bodies[hung.body].extend(parts);
    }
    if let Some(cells) = cells {
        let all: usize = read.iter().map(|mesh| mesh.triangles.len()).sum();
        let size = cells.iter().fold(0.0, |most: f64, size| most.max(*size));
        out.remarks.push(format!(
            "meshes are drawn with {left} of their {all} triangles: details below {} mm are left out",
            rounded(1e3 * size)
        ));
    }
    out
}

/// Two digits.
fn rounded(x: f64) -> String {
    let digits = (1.0 - x.abs().max(1e-12).log10().floor()).max(0.0) as usize;
    format!("{x:.digits$}")
}

fn triangles(solid: &Solid) -> usize {
    match solid {
        Solid::Surface(surface) => surface.triangles().len(),
        _ => 0,
    }
}

/// One surface for each colour of a mesh, in the axes of its body.
fn surfaces(drawing: &Drawing<'_>, hung: &Hung<'_>, mesh: &Mesh) -> Vec<Look> {
    let named = |name: &str| drawing.drawn(name);
    let Some((origin, axes)) = hung.mesh.frame(&named) else { return Vec::new() };
    let rows = std::array::from_fn(|k| std::array::from_fn(|n| axes[n][k]));
    let by: Vec3 = axpy(origin, -1.0, drawing.com(hung.body));
    let mut by_colour: Vec<(Option<String>, Vec<[u32; 3]>)> = Vec::new();
    let mut rest = &mesh.triangles[..];
    for part in &mesh.parts {
        let (own, others) = rest.split_at(part.count.min(rest.len()));
        rest = others;
        let colour =
            hung.color.clone().or_else(|| part.colour.map(|colour| hex([colour[0], colour[1], colour[2]])));
        match by_colour.iter_mut().find(|(known, _)| *known == colour) {
            Some((_, list)) => list.extend(own),
            None => by_colour.push((colour, own.to_vec())),
        }
    }
    let surface = |(paint, triangles): (Option<String>, Vec<[u32; 3]>)| {
        let part = linkwork_mesh::Part { count: triangles.len(), colour: None };
        let own = Mesh { vertices: mesh.vertices.clone(), triangles, parts: vec![part] }.placed(rows, by);
        Some(Look { paint, solid: Solid::Surface(Surface::of(&own)?) })
    };
    by_colour.into_iter().filter_map(surface).collect()
}

fn hex(colour: [f32; 3]) -> String {
    let [red, green, blue] = colour.map(|part| (part.clamp(0.0, 1.0) * 255.0).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// What is no mesh, as drawn.
fn solid(drawing: &Drawing<'_>, body: usize, form: &LookForm) -> Option<Solid> {
    let own: Option<&Body> = body.checked_sub(1).map(|b| &drawing.model.bodies[b]);
    let at: Vec<Vec3> =
        own.iter().flat_map(|body| &body.points).filter_map(|point| drawing.drawn(point)).collect();
    let named = |name: &str| drawing.drawn(name);
    match form {
        LookForm::Mesh(_) => None, // read before
        LookForm::Solid(shape) => shapes::solid(drawing, shape, &at, &named),
        LookForm::Ellipsoid { size, pose } => ellipsoid(drawing, *size, pose, &at),
        LookForm::Plane { at, normal } => {
            let at = match at {
                None => [0.0; 3],
                Some(place) => drawing.place(place)?,
            };
            Some(Solid::Plane { at, normal: drawing.direction(normal)? })
        }
    }
}

/// Directions around an ellipsoid, and from pole to pole.
const AROUND: u32 = 24;
const RINGS: u32 = 12;

/// As the hull of places on it; in the plane a plate.
fn ellipsoid(drawing: &Drawing<'_>, size: Vector, pose: &Orientation, points: &[Vec3]) -> Option<Solid> {
    let centre = match &pose.center {
        Some(Place::At(at)) => *at,
        Some(Place::Point(name)) => drawing.drawn(name)?,
        None => {
            scale(1.0 / points.len().max(1) as f64, points.iter().fold([0.0; 3], |sum, p| axpy(sum, 1.0, *p)))
        }
    };
    let axes = triad(unit(pose.axis.unwrap_or([1.0, 0.0, 0.0])), pose.side);
    let place =
        |direction: Vec3| (0..3).fold(centre, |sum, k| axpy(sum, 0.5 * size[k] * direction[k], axes[k]));
    let mut places = Vec::new();
    for ring in 0..=RINGS {
        let (s, c) = (std::f64::consts::PI * f64::from(ring) / f64::from(RINGS)).sin_cos();
        for k in 0..if ring == 0 || ring == RINGS { 1 } else { AROUND } {
            let (y, x) = (std::f64::consts::TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
            places.push(place([s * x, s * y, c]));
        }
    }
    if drawing.planar {
        return shapes::convex(drawing, &places);
    }
    let (corners, faces) = convex_hull(&places)?;
    let vertices: Vec<Vec3> = corners.iter().map(|&k| places[k]).collect();
    let fan =
        |face: &Vec<u32>| face.windows(2).skip(1).map(|two| [face[0], two[0], two[1]]).collect::<Vec<_>>();
    let triangles: Vec<[u32; 3]> = faces.iter().flat_map(fan).collect();
    let part = linkwork_mesh::Part { count: triangles.len(), colour: None };
    Surface::of(&Mesh { vertices, triangles, parts: vec![part] }).map(Solid::Surface)
}

/// Whether a body, or the ground, has looks that take the place of all else; a plane of the ground does not.
pub(super) fn has_looks(drawing: &Drawing<'_>, body: &str) -> bool {
    let replaces = |form: &LookForm| body != GROUND || !matches!(form, LookForm::Plane { .. });
    let own = drawing.model.bodies.iter().find(|known| known.name == body);
    let weighs = own.is_some_and(|body| matches!(&body.mass, Mass::Shape(Shape::Mesh { .. }, _)));
    weighs || drawing.model.looks.iter().any(|look| look.body == body && replaces(&look.form))
}
