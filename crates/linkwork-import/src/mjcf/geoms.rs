//! Geoms: what bodies look like, where they touch, and their masses where a body has no `<inertial>`.
//!
//! Solids have the inertia of the textbooks. A capsule of radius r and half length h is a cylinder of mass m₁ and two half balls of mass m₂ together, in the
//! ratio of their volumes:
//!
//!   (G1)  I_z = m₁ r²/2 + m₂ 2r²/5
//!   (G2)  I_x = m₁ (3r² + 4h²)/12 + m₂ (2r²/5 + h² + 3hr/4)
//!
//! With `shellinertia` the mass sits on the surface, in the ratio of the areas:
//!
//!   (G3)  I_z = m₁ r² + m₂ 2r²/3,   I_x = m₁ (r²/2 + h²/3) + m₂ (2r²/3 + h² + hr)

use std::collections::HashMap;
use std::f64::consts::PI;
use std::path::PathBuf;

use nalgebra::{Matrix3, Vector3};

use crate::fault::{Fault, Place};
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{Geometry, Role, Shape};
use crate::xml::{Element, quoted};
use linkwork_mesh::{Mesh, Volume};

use super::compiler::{Compiler, along, direction};
use super::unread::Unread;

/// Density of a geom that says neither mass nor density, kg/m³.
const DENSITY: f64 = 1000.0;

/// A mesh of `<asset>`.
pub(super) struct MeshAsset {
    place: Place,
    item: String,
    /// The file, or why it cannot be read.
    file: Result<PathBuf, String>,
    scale: Vector3<f64>,
    /// Where the vertices of the file are in the frame of the geom.
    reference: Pose,
    kind: MeshMass,
    solid: Option<Result<Volume, String>>,
}

/// How mass is spread in a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MeshMass {
    /// Tetrahedra from a middle, all counted as positive: MuJoCo's own choice.
    Legacy,
    /// The volume integral.
    Exact,
    /// On the surface.
    Shell,
    /// In the convex hull.
    Hull,
}

/// Meshes and colours of `<asset>`.
#[derive(Default)]
pub(super) struct Assets {
    meshes: HashMap<String, MeshAsset>,
    materials: HashMap<String, [f64; 4]>,
}

/// A geom: what is seen and touched, and what it weighs.
pub(super) struct Geom {
    pub(super) shape: Shape,
    pub(super) group: f64,
    /// Mass, centre and inertia about it in the frame of the body; `None` where it has none.
    pub(super) mass: Option<Weight>,
}

/// Mass properties in the frame of the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) mass: f64,
    pub(super) com: Vector3<f64>,
    pub(super) inertia: Matrix3<f64>,
}

/// Attributes of a geom that are read.
const KNOWN: [&str; 24] = [
    "name",
    "class",
    "type",
    "contype",
    "conaffinity",
    "group",
    "size",
    "material",
    "rgba",
    "friction",
    "mass",
    "density",
    "shellinertia",
    "fromto",
    "pos",
    "quat",
    "axisangle",
    "xyaxes",
    "zaxis",
    "euler",
    "mesh",
    "hfield",
    "condim",
    "user",
];

impl Assets {
    /// Reads what is needed of `<asset>`; the element with the values of its class comes from `resolve`.
    pub(super) fn read(
        root: &Element,
        compiler: &Compiler,
        context: &crate::Context<'_>,
        resolve: &dyn Fn(&Element, &mut Report) -> Element,
        unread: &mut Unread,
        report: &mut Report,
    ) -> Self {
        let mut assets = Assets::default();
        for element in root.all("asset").flat_map(|asset| &asset.children) {
            match element.name.as_str() {
                "mesh" => {
                    let element = resolve(element, report);
                    if let Some((name, mesh)) = report.take(mesh(&element, compiler, context)) {
                        assets.meshes.insert(name, mesh);
                    }
                }
                "material" => {
                    let element = resolve(element, report);
                    if let (Some(name), Some(Some(rgba))) =
                        (element.attribute("name"), report.take(element.array("rgba")))
                    {
                        assets.materials.insert(name.to_owned(), rgba);
                    }
                }
                "texture" => unread.element(element),
                _ => report.note(Severity::LeftOut, &element.place, element.item(), "this asset", "left out"),
            }
        }
        assets
    }

    /// Reads a geom whose class is resolved. `frame`: where its coordinates are in the body. `weigh`: whether its mass counts, so that its mesh must be read.
    pub(super) fn geom(
        &mut self,
        element: &Element,
        compiler: &Compiler,
        frame: &Pose,
        weigh: bool,
        unread: &mut Unread,
        report: &mut Report,
    ) -> Result<Option<Geom>, Fault> {
        unread.attributes(element, &KNOWN);
        let mut size = element.numbers("size")?.unwrap_or_default();
        size.resize(3, 0.0);
        let kind = element.attribute("type").unwrap_or("sphere");
        let mut pose = frame.then(&compiler.pose(element)?);
        if let Some([a, b, c, d, e, f]) = element.array::<6>("fromto")? {
            let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
            let local = Pose { origin: (from + to) * 0.5, ..along(direction(element, "fromto", from - to)?) };
            pose = frame.then(&local);
            let half = (from - to).norm() * 0.5;
            match kind {
                "capsule" | "cylinder" => size[1] = half,
                "ellipsoid" | "box" => size[2] = half,
                other => return Err(element.fault(format!("`fromto` does not go with a {}", quoted(other)))),
            }
        }
        let mut unit = None; // volume, centre and inertia for density one, where the geometry does not say them
        if element.attribute("mesh").is_some() && kind != "mesh" {
            let fitted = element.fault(format!("a {kind} fitted to a mesh is not read"));
            return Err(fitted.help("give the geom `size` instead of `mesh`"));
        }
        let needs = |count: usize| match size.iter().take(count).all(|edge| *edge > 0.0) {
            true => Ok(()),
            false => Err(element.fault(format!("a {kind} needs {count} positive numbers in `size`"))),
        };
        let geometry = match kind {
            "plane" => Geometry::Plane,
            "sphere" => {
                needs(1)?;
                Geometry::Sphere { radius: size[0] }
            }
            "capsule" => {
                needs(2)?;
                Geometry::Capsule { radius: size[0], length: 2.0 * size[1] }
            }
            "cylinder" => {
                needs(2)?;
                Geometry::Cylinder { radius: size[0], length: 2.0 * size[1] }
            }
            "ellipsoid" => {
                needs(3)?;
                Geometry::Ellipsoid { radii: Vector3::new(size[0], size[1], size[2]) }
            }
            "box" => {
                needs(3)?;
                Geometry::Box { size: Vector3::new(size[0], size[1], size[2]) * 2.0 }
            }
            "mesh" => {
                let name = element.required("mesh")?;
                let asset = self.meshes.get_mut(name).ok_or_else(|| {
                    element.fault(format!("there is no mesh {} in `<asset>`", quoted(name)))
                })?;
                pose = pose.then(&asset.reference);
                if weigh {
                    unit = Some(asset.solid(element, report)?);
                }
                match &asset.file {
                    Ok(file) => Geometry::Mesh { file: file.clone(), scale: asset.scale, own_colours: false },
                    Err(why) => {
                        let (place, why) = (asset.place.clone(), why.clone());
                        let item = asset.item.clone();
                        report.note(
                            Severity::LeftOut,
                            &place,
                            item,
                            format!("a mesh that is only seen: {why}"),
                            "left out",
                        );
                        return Ok(None);
                    }
                }
            }
            other => {
                let what = format!("a geom of type {}", quoted(other));
                report.note(Severity::Changed, &element.place, element.item(), what, "left out");
                return Ok(None);
            }
        };
        let shell = element.flag("shellinertia")?.unwrap_or(false);
        let unit = match unit {
            Some(unit) => Some(unit),
            None => solid(&geometry, shell, element, report),
        };
        let given = element.number("mass")?;
        let density = element.number("density")?.unwrap_or(DENSITY);
        if given.is_some_and(|mass| mass < 0.0) || density < 0.0 {
            return Err(element.fault("the mass or density is negative"));
        }
        let mass = unit.filter(|_| weigh).and_then(|unit| {
            let mass = given.unwrap_or(density * unit.volume);
            (mass > 0.0 && unit.volume > 0.0).then(|| Weight {
                mass,
                com: pose.point(unit.com),
                inertia: pose.inertia(unit.inertia * (mass / unit.volume)),
            })
        });
        let bits = |name: &str| Ok::<u32, Fault>(element.number(name)?.map_or(1, |bits| bits as i64 as u32));
        let bits = [bits("contype")?, bits("conaffinity")?];
        let group = element.number("group")?.unwrap_or(0.0);
        let material = element.attribute("material").and_then(|name| self.materials.get(name)).copied();
        let shape = Shape {
            name: element.attribute("name").unwrap_or("").to_owned(),
            place: element.place.clone(),
            // groups from 3 on are hidden in MuJoCo's own viewer: they only touch
            role: match (bits == [0, 0], group >= 3.0) {
                (true, _) => Role::Visual,
                (false, true) => Role::Collision,
                (false, false) => Role::Both,
            },
            geometry,
            pose,
            colour: element.array("rgba")?.or(material),
            friction: element.numbers("friction")?.and_then(|list| list.first().copied()),
            smooth: element.number("condim")? == Some(1.0),
            bits,
        };
        Ok(Some(Geom { shape, group, mass }))
    }
}

fn mesh(
    element: &Element,
    compiler: &Compiler,
    context: &crate::Context<'_>,
) -> Result<(String, MeshAsset), Fault> {
    let kind = match element.attribute("inertia") {
        None | Some("legacy") => MeshMass::Legacy,
        Some("exact") => MeshMass::Exact,
        Some("shell") => MeshMass::Shell,
        Some("convex") => MeshMass::Hull,
        Some(other) => return Err(element.fault(format!("`inertia` is {}", quoted(other)))),
    };
    let origin = element.vector("refpos")?.unwrap_or_default();
    let wxyz = element.array::<4>("refquat")?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
    let reference = Pose::from_quaternion(origin, wxyz)
        .ok_or_else(|| element.fault("`refquat` has no length"))?
        .inverse();
    let mut name = element.attribute("name").unwrap_or("").to_owned();
    let file = match element.attribute("file") {
        None => Err("it has no file, and meshes of `vertex` are not read".to_owned()),
        Some(file) => {
            let plain = file.rsplit(['/', '\\']).next().unwrap_or(file);
            if name.is_empty() {
                name = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem).to_owned();
            }
            let file = if compiler.strip_path { plain } else { file };
            let wanted = std::path::Path::new(&compiler.mesh_folder).join(file);
            let wanted = wanted.to_string_lossy();
            // relative to the main file, or else to the file that names it
            let home = context.trail.folder();
            let including = home.join(&*element.place.file);
            let beside = || including.parent().and_then(|folder| context.files.resolve(&wanted, folder).ok());
            context.files.resolve(&wanted, home).or_else(|why| beside().ok_or(why))
        }
    };
    let scale = element.vector("scale")?.unwrap_or(Vector3::from_element(1.0));
    let (place, item) = (element.place.clone(), element.item());
    Ok((name, MeshAsset { place, item, file, scale, reference, kind, solid: None }))
}

impl MeshAsset {
    /// Volume, centre and inertia for density one. A mesh without them is a fault: the body would have another mass.
    fn solid(&mut self, geom: &Element, report: &mut Report) -> Result<Volume, Fault> {
        if self.solid.is_none() {
            let kind = self.kind;
            let scale = self.scale;
            let solid = match &self.file {
                Err(why) => Err(why.clone()),
                Ok(file) => Mesh::read(file).map_err(|error| error.to_string()).and_then(|mesh| {
                    let mesh = mesh.scaled(scale.into());
                    let no_volume = || format!("{} has no volume", quoted(&file.display().to_string()));
                    match kind {
                        MeshMass::Exact => {
                            if mesh.openness() > 1e-6 {
                                let what = "a surface with holes that a mass comes from";
                                report.note(
                                    Severity::Assumed,
                                    &self.place,
                                    self.item.as_str(),
                                    what,
                                    "its volume integral as it is",
                                );
                            }
                            mesh.volume().filter(|volume| volume.volume > 0.0)
                        }
                        MeshMass::Legacy => mesh.unsigned_volume(),
                        MeshMass::Shell => mesh.surface(),
                        MeshMass::Hull => {
                            return Err(
                                "the mass of its convex hull (`inertia = \"convex\"`) is not computed".into(),
                            );
                        }
                    }
                    .ok_or_else(no_volume)
                }),
            };
            self.solid = Some(solid);
        }
        match &self.solid {
            Some(Ok(solid)) => Ok(*solid),
            Some(Err(why)) => Err(geom
                .fault(format!("the mass of this geom comes from the mesh {}: {why}", self.item))
                .help("give the geom a `mass` of 0 and the body an `<inertial>`")),
            None => Err(geom.fault("the mesh has no mass")),
        }
    }
}

/// Volume (or area) and inertia for density one of what is not a mesh.
fn solid(geometry: &Geometry, shell: bool, element: &Element, report: &mut Report) -> Option<Volume> {
    let (volume, moments) = match geometry {
        Geometry::Sphere { radius: r } => {
            let (volume, factor) = match shell {
                false => (4.0 / 3.0 * PI * r.powi(3), 0.4),
                true => (4.0 * PI * r * r, 2.0 / 3.0),
            };
            (volume, Vector3::from_element(factor * volume * r * r))
        }
        Geometry::Capsule { radius: r, length } => round(*r, *length, shell, true),
        Geometry::Cylinder { radius: r, length } => round(*r, *length, shell, false),
        Geometry::Ellipsoid { radii } => {
            if shell {
                let what = "shellinertia of an ellipsoid";
                report.note(Severity::Changed, &element.place, element.item(), what, "a solid one");
            }
            let volume = 4.0 / 3.0 * PI * radii.product();
            (volume, perpendicular(radii.component_mul(radii)) * (volume / 5.0))
        }
        Geometry::Box { size } => {
            let squares = size.component_mul(size);
            match shell {
                false => (size.product(), perpendicular(squares) * (size.product() / 12.0)),
                true => {
                    // two faces across each axis: second moments A a²/4 along the axis and A b²/12 within the face
                    let areas = Vector3::new(size[1] * size[2], size[2] * size[0], size[0] * size[1]) * 2.0;
                    let along = |n: usize| squares[n] * (areas[n] / 4.0 + (areas.sum() - areas[n]) / 12.0);
                    (areas.sum(), perpendicular(Vector3::new(along(0), along(1), along(2))))
                }
            }
        }
        Geometry::Plane | Geometry::Mesh { .. } => return None,
    };
    Some(Volume { volume, com: Vector3::zeros(), inertia: Matrix3::from_diagonal(&moments) })
}

/// Moments of inertia from second moments.
fn perpendicular(second: Vector3<f64>) -> Vector3<f64> {
    second.map(|own| second.sum() - own)
}

/// (G1) to (G3), and a cylinder with its lids.
fn round(r: f64, length: f64, shell: bool, capsule: bool) -> (f64, Vector3<f64>) {
    let h = 0.5 * length;
    let (m1, m2, z, x);
    if shell {
        m1 = 2.0 * PI * r * length;
        m2 = if capsule { 4.0 * PI * r * r } else { 2.0 * PI * r * r };
        let wall = m1 * (r * r / 2.0 + h * h / 3.0);
        (z, x) = match capsule {
            true => (m1 * r * r + m2 * 2.0 / 3.0 * r * r, wall + m2 * (2.0 / 3.0 * r * r + h * h + h * r)), // (G3)
            false => (m1 * r * r + m2 * r * r / 2.0, wall + m2 * (r * r / 4.0 + h * h)),
        };
    } else {
        m1 = PI * r * r * length;
        m2 = if capsule { 4.0 / 3.0 * PI * r.powi(3) } else { 0.0 };
        z = m1 * r * r / 2.0 + m2 * 0.4 * r * r; // (G1)
        x = m1 * (3.0 * r * r + length * length) / 12.0 + m2 * (0.4 * r * r + h * h + 0.75 * h * r); // (G2)
    }
    (m1 + m2, Vector3::new(x, x, z))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(geometry: &Geometry, shell: bool) -> (f64, Matrix3<f64>) {
        let root = crate::xml::parse(&"test.xml".into(), "<geom/>").unwrap();
        let volume = solid(geometry, shell, &root, &mut Report::default()).unwrap();
        (volume.volume, volume.inertia)
    }

    /// A shell is the derivative of the solid as its surface moves outwards.
    #[test]
    fn cross_shells_are_differences_of_solids() {
        let grow = |by: f64| {
            [
                Geometry::Sphere { radius: 0.3 + by },
                Geometry::Capsule { radius: 0.2 + by, length: 0.7 },
                Geometry::Cylinder { radius: 0.2 + by, length: 0.7 + 2.0 * by },
                Geometry::Box { size: Vector3::new(0.2, 0.5, 0.9).add_scalar(2.0 * by) },
            ]
        };
        let h = 1e-5;
        for ((less, more), shape) in grow(-h).iter().zip(&grow(h)).zip(&grow(0.0)) {
            let (area, inertia) = moments(shape, true);
            let (solid_less, solid_more) = (moments(less, false), moments(more, false));
            let slope = (solid_more.0 - solid_less.0) / (2.0 * h);
            assert!((slope - area).abs() < 1e-8 * area, "{shape:?}: {slope} {area}");
            let slope = (solid_more.1 - solid_less.1) / (2.0 * h);
            assert!((slope - inertia).norm() < 1e-8 * inertia.norm(), "{shape:?}: {slope} {inertia}");
        }
    }
}
