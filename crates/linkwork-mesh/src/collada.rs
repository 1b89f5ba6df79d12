//! Collada (`.dae`), which many robots come in: the triangles of its scene with the diffuse colours of their materials, in m.
//!
//! A node has transforms in their order, and what is in it stands in the product of them:
//!
//!   (C1)  x_parent = T₁ T₂ … x_node
//!
//! A geometry has lists of numbers (`source`); `p` has, for each corner, one index into each of its inputs, of which only that of the positions is followed. Skins are
//! taken as they are bound. `unit` scales; `up_axis` is left alone, as the programs do that robots are described for.

use std::collections::HashMap;

use nalgebra::{Affine3, Matrix4, Point3, Rotation3, Translation3, Unit, Vector3};
use roxmltree::{Document, Node, ParsingOptions};

use crate::numbers::numbers;
use crate::{Colour, Mesh, MeshError, damaged};

/// Most nodes of a document.
const MAX_NODES: u32 = 2_000_000;
/// Deepest nesting of nodes of the scene.
const MAX_DEPTH: usize = 100;
/// Most visits of nodes: one that many share is visited by each.
const MAX_VISITS: usize = 100_000;

pub(crate) fn read(bytes: &[u8]) -> Result<Mesh, MeshError> {
    let text = std::str::from_utf8(bytes).map_err(|_| damaged("the file is not UTF-8 text"))?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, entity_resolver: None };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = Document::parse_with_options(text, options).map_err(|error| match error {
        roxmltree::Error::DtdDetected => damaged("the document has a DTD: entities are not followed"),
        roxmltree::Error::NodesLimitReached => MeshError::TooLarge(format!("{MAX_NODES} nodes")),
        error => MeshError::Damaged {
            line: Some(error.pos().row as usize),
            what: format!("not well-formed XML: {error}"),
        },
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(damaged(format!("<{}> is not the root of a Collada file", root.tag_name().name())));
    }
    let ids = root.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect();
    let mut reading =
        Reading { document: &document, ids, colours: HashMap::new(), mesh: Mesh::default(), visits: 0 };
    let unit = along(root, &["asset", "unit"]).and_then(|unit| unit.attribute("meter"));
    let unit = match unit.map(crate::numbers::number).transpose()? {
        Some(unit) if unit <= 0.0 => return Err(damaged(format!("the unit has {unit} m"))),
        unit => unit.unwrap_or(1.0),
    };
    let frame = Affine3::from_matrix_unchecked(Matrix4::new_scaling(unit));
    let scene =
        along(root, &["scene", "instance_visual_scene"]).and_then(|scene| reading.target(scene, "url"));
    match scene {
        Some(scene) => reading.node(scene, &frame, 0)?,
        None => {
            for geometry in root.descendants().filter(|node| node.tag_name().name() == "geometry") {
                reading.geometry(geometry, &HashMap::new(), &frame)?;
            }
        }
    }
    Ok(reading.mesh)
}

struct Reading<'a, 'd> {
    document: &'a Document<'d>,
    ids: HashMap<&'a str, Node<'a, 'd>>,
    /// Of materials that have been looked up.
    colours: HashMap<&'a str, Option<Colour>>,
    mesh: Mesh,
    visits: usize,
}

fn child<'a, 'd>(node: Node<'a, 'd>, name: &str) -> Option<Node<'a, 'd>> {
    node.children().find(|child| child.tag_name().name() == name)
}

fn along<'a, 'd>(node: Node<'a, 'd>, path: &[&str]) -> Option<Node<'a, 'd>> {
    path.iter().try_fold(node, |node, name| child(node, name))
}

fn text<'a>(node: Node<'a, '_>) -> &'a str {
    node.text().unwrap_or_default()
}

impl<'a, 'd> Reading<'a, 'd> {
    fn fault(&self, node: Node<'_, '_>, what: impl Into<String>) -> MeshError {
        damaged(what).at(self.document.text_pos_at(node.range().start).row as usize)
    }

    /// The element that an attribute points to.
    fn target(&self, node: Node<'_, '_>, attribute: &str) -> Option<Node<'a, 'd>> {
        self.ids.get(node.attribute(attribute)?.strip_prefix('#')?).copied()
    }

    fn node(&mut self, node: Node<'a, 'd>, outer: &Affine3<f64>, depth: usize) -> Result<(), MeshError> {
        self.visits += 1;
        if depth > MAX_DEPTH || self.visits > MAX_VISITS {
            let most = format!("{MAX_VISITS} nodes, or nodes nested deeper than {MAX_DEPTH}");
            return Err(MeshError::TooLarge(most));
        }
        let mut pose = *outer;
        for part in node.children().filter(Node::is_element) {
            if let Some(own) = self.transform(part)? {
                pose *= own; // (C1)
            }
        }
        for part in node.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "node" => self.node(part, &pose, depth + 1)?,
                "instance_node" => {
                    let other =
                        self.target(part, "url").ok_or_else(|| self.fault(part, "there is no such node"))?;
                    self.node(other, &pose, depth + 1)?;
                }
                "instance_geometry" => self.instance(part, part, &pose)?,
                "instance_controller" => {
                    let skin = self.target(part, "url").and_then(|controller| child(controller, "skin"));
                    let Some(skin) = skin else { continue };
                    let bound = child(skin, "bind_shape_matrix").map(|node| self.matrix(node)).transpose()?;
                    let pose = bound.map_or(pose, |bound| pose * bound);
                    self.instance(part, skin, &pose)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn list<const N: usize>(&self, node: Node<'_, '_>) -> Result<[f64; N], MeshError> {
        let list = numbers(text(node)).map_err(|_| self.fault(node, "not numbers"))?;
        let found = list.len();
        list.try_into().map_err(|_| self.fault(node, format!("has {found} numbers and needs {N}")))
    }

    /// Row by row.
    fn matrix(&self, node: Node<'_, '_>) -> Result<Affine3<f64>, MeshError> {
        Ok(Affine3::from_matrix_unchecked(Matrix4::from_row_slice(&self.list::<16>(node)?)))
    }

    fn transform(&self, node: Node<'_, '_>) -> Result<Option<Affine3<f64>>, MeshError> {
        let matrix = match node.tag_name().name() {
            "matrix" => return self.matrix(node).map(Some),
            "translate" => Translation3::from(self.list::<3>(node)?).to_homogeneous(),
            "scale" => Matrix4::new_nonuniform_scaling(&Vector3::from(self.list::<3>(node)?)),
            "rotate" => {
                let [x, y, z, angle] = self.list::<4>(node)?;
                match Unit::try_new(Vector3::new(x, y, z), 1e-12) {
                    Some(axis) => Rotation3::from_axis_angle(&axis, angle.to_radians()).to_homogeneous(),
                    None => Matrix4::identity(),
                }
            }
            "lookat" | "skew" => {
                return Err(MeshError::Unsupported(format!("Collada's <{}>", node.tag_name().name())));
            }
            _ => return Ok(None),
        };
        Ok(Some(Affine3::from_matrix_unchecked(matrix)))
    }

    /// A geometry with the materials that its instance binds.
    fn instance(
        &mut self,
        instance: Node<'a, 'd>,
        of: Node<'a, 'd>,
        pose: &Affine3<f64>,
    ) -> Result<(), MeshError> {
        let attribute = if of == instance { "url" } else { "source" };
        let geometry =
            self.target(of, attribute).ok_or_else(|| self.fault(instance, "there is no such geometry"))?;
        let bound = along(instance, &["bind_material", "technique_common"]);
        let mut materials = HashMap::new();
        for material in bound.iter().flat_map(|bound| bound.children()) {
            if let Some(symbol) = material.attribute("symbol") {
                materials.insert(symbol, self.colour(material));
            }
        }
        self.geometry(geometry, &materials, pose)
    }

    /// The diffuse colour that an `<instance_material>` leads to.
    fn colour(&mut self, instance: Node<'a, 'd>) -> Option<Colour> {
        let name = instance.attribute("target")?;
        if let Some(known) = self.colours.get(name) {
            return *known;
        }
        let effect = self.target(instance, "target").and_then(|material| child(material, "instance_effect"));
        let effect = effect.and_then(|effect| self.target(effect, "url"));
        let technique = effect.and_then(|effect| along(effect, &["profile_COMMON", "technique"]));
        let shading = technique.and_then(|technique| technique.children().find(Node::is_element));
        let colour = shading.and_then(|shading| along(shading, &["diffuse", "color"]));
        let parts: Option<Vec<f32>> = colour.map(|colour| {
            text(colour).split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect()
        });
        let colour = match parts.as_deref() {
            Some([red, green, blue, ..]) => Some([*red, *green, *blue, 1.0]),
            _ => None,
        };
        self.colours.insert(name, colour);
        colour
    }

    fn geometry(
        &mut self,
        geometry: Node<'a, 'd>,
        materials: &HashMap<&str, Option<Colour>>,
        pose: &Affine3<f64>,
    ) -> Result<(), MeshError> {
        let Some(mesh) = child(geometry, "mesh") else { return Ok(()) };
        // lists of triangles share their positions
        let mut placed: HashMap<&str, (u32, usize)> = HashMap::new();
        for list in mesh.children().filter(Node::is_element) {
            if !matches!(
                list.tag_name().name(),
                "triangles" | "polylist" | "polygons" | "trifans" | "tristrips"
            ) {
                continue;
            }
            let inputs: Vec<Node<'_, '_>> =
                list.children().filter(|c| c.tag_name().name() == "input").collect();
            let offset =
                |input: &Node<'_, '_>| input.attribute("offset").and_then(|o| o.parse::<usize>().ok());
            let Some(stride) = inputs.iter().filter_map(offset).max().map(|most| most + 1) else { continue };
            let of_vertices = inputs.iter().find(|input| input.attribute("semantic") == Some("VERTEX"));
            let Some((vertices, own)) =
                of_vertices.and_then(|input| Some((self.target(*input, "source")?, offset(input)?)))
            else {
                return Err(self.fault(list, "its corners have no vertices"));
            };
            let positions = vertices
                .children()
                .find(|input| input.attribute("semantic") == Some("POSITION"))
                .and_then(|input| Some((input.attribute("source")?, self.target(input, "source")?)));
            let Some((name, source)) = positions else {
                return Err(self.fault(list, "its vertices have no positions"));
            };
            let (first, count) = match placed.get(name) {
                Some(known) => *known,
                None => {
                    let new = self.positions(source, pose)?;
                    placed.insert(name, new);
                    new
                }
            };
            let material = list.attribute("material").and_then(|symbol| materials.get(symbol));
            let corners = Corners { first, count, stride, own, colour: material.copied().flatten() };
            self.triangles(list, &corners, pose)?;
        }
        Ok(())
    }

    /// Adds the positions of a source as vertices: the first, and how many.
    fn positions(&mut self, source: Node<'a, 'd>, pose: &Affine3<f64>) -> Result<(u32, usize), MeshError> {
        let first = self.mesh.vertices.len() as u32;
        let accessor = along(source, &["technique_common", "accessor"]);
        let array = accessor
            .and_then(|accessor| self.target(accessor, "source"))
            .or_else(|| child(source, "float_array"));
        let Some(array) = array else { return Err(self.fault(source, "the positions have no numbers")) };
        let list = numbers(text(array)).map_err(|error| match error {
            MeshError::Damaged { what, .. } => self.fault(array, what),
            other => other,
        })?;
        let number = |name: &str| accessor.and_then(|a| a.attribute(name)?.parse::<usize>().ok());
        let stride = number("stride").unwrap_or(3).max(3);
        let list = list.get(number("offset").unwrap_or(0)..).unwrap_or_default();
        for place in list.chunks_exact(stride) {
            let place = pose * Point3::new(place[0], place[1], place[2]);
            self.mesh.vertex(place.coords.into())?;
        }
        Ok((first, list.len() / stride))
    }

    fn triangles(
        &mut self,
        list: Node<'a, 'd>,
        corners: &Corners,
        pose: &Affine3<f64>,
    ) -> Result<(), MeshError> {
        let mirrored = pose.matrix().fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        let counts = child(list, "vcount").map(|counts| self.indices(counts)).transpose()?;
        for p in list.children().filter(|c| c.tag_name().name() == "p") {
            let indices: Vec<usize> = self.indices(p)?;
            let own: Vec<usize> =
                indices.chunks_exact(corners.stride).map(|corner| corner[corners.own]).collect();
            if let Some(index) = own.iter().find(|index| **index >= corners.count) {
                return Err(self.fault(p, format!("there is no vertex {index}")));
            }
            let mut add = |[a, b, c]: [usize; 3]| {
                let three = if mirrored { [a, c, b] } else { [a, b, c] };
                self.mesh.triangle(three.map(|corner| corners.first + corner as u32), corners.colour)
            };
            let mut fan = |polygon: &[usize]| match polygon {
                [first, rest @ ..] => rest.windows(2).try_for_each(|two| add([*first, two[0], two[1]])),
                [] => Ok(()),
            };
            match (list.tag_name().name(), &counts) {
                ("polylist", Some(counts)) => {
                    let mut rest = &own[..];
                    for count in counts {
                        let Some((polygon, others)) = rest.split_at_checked(*count) else { break };
                        fan(polygon)?;
                        rest = others;
                    }
                }
                ("tristrips", _) => own.windows(3).enumerate().try_for_each(|(n, three)| match n % 2 {
                    0 => add([three[0], three[1], three[2]]),
                    _ => add([three[1], three[0], three[2]]),
                })?,
                ("triangles", _) => {
                    own.chunks_exact(3).try_for_each(|three| add([three[0], three[1], three[2]]))?
                }
                _ => fan(&own)?,
            }
        }
        Ok(())
    }

    fn indices(&self, node: Node<'_, '_>) -> Result<Vec<usize>, MeshError> {
        let words = text(node).split_ascii_whitespace();
        words.map(|word| word.parse().map_err(|_| self.fault(node, "not indices"))).collect()
    }
}

/// Where the vertices of a list are in the mesh, and in its indices.
struct Corners {
    first: u32,
    count: usize,
    stride: usize,
    /// Place of the vertex among the indices of a corner.
    own: usize,
    colour: Option<Colour>,
}
