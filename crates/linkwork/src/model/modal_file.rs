//! The keys of a modal body in a file: matrices and nodes are read from files beside the model file and reduced.

use super::{Material, ModalBody};
use crate::drawing::Dimension;
use crate::expressions::units;
use crate::file::csv_table::{self, Kept};
use crate::file::document::{Node, Value};
use crate::file::prelude::*;
use crate::modal::files::{self, MatrixText, NodeText};
use crate::modal::{
    ElasticMode, Elasticity, Element, FiniteElements, Held, Interface, InterfaceModes, Mesh, ModalBasis,
    ModalError, Nodes, Source, Symmetric,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

table! {
    /// Where the modes come from.
    ModesKeys {
        /// File of the stiffness matrix, by its path from the model file: Matrix Market, lines `row column value` as CalculiX's `.sti`, lines `node, direction, node, direction, value` as Abaqus writes, or DMIG cards of Nastran. Without it the elements of `nodes` are assembled. What has several lines is no name of a file but its text; so are the others.
        stiffness: optional String,
        /// File of the mass matrix, likewise.
        mass: optional String,
        /// File of the nodes: blocks of Abaqus, CalculiX and gmsh, cards of Nastran, or lines `number, x, y, z`. Of its elements surfaces are drawn and stresses computed. Rows 3k − 2, 3k − 1, 3k of matrices that do not name them are x, y, z of the k-th node.
        nodes: required String,
        /// File that says which degree of freedom each row is: lines `node.direction`, as CalculiX's `.dof`.
        dofs: optional String,
        /// Where it is held: names of points, each with a node, a list of nodes that move together as a flange, or the name of a set of the file of nodes.
        interface: required Interfaces,
        /// Number of modes with the interfaces held; those of the interfaces and of acceleration come on top. As many as the first five frequencies of the free body take if neither this nor `up_to` is given.
        modes: optional Count,
        /// Frequency up to which motions are kept, such as "2000 Hz": it says how many modes there are. Faster modes are damped critically: they follow their loads without swinging.
        up_to: optional Frequency,
        /// Its material: steel, aluminium, titanium, brass or acrylic. That of the file of nodes if left out.
        material: optional Choice<Material>,
        /// Young's modulus, Pa; that of the material if left out.
        youngs_modulus: optional Si<-1, 1, -2>,
        /// Poisson's ratio; that of the material if left out.
        poisson_ratio: optional Plain,
        /// Density, kg/m^3; that of the material if left out.
        density: optional Density,
        /// Nodes whose stresses results show: a node, a list of nodes, or the name of a set.
        stress: optional StressedNodes,
        /// Units of node positions, stiffness and mass, such as ["mm", "N/mm", "t"]; SI if left out.
        units: optional Vec<UnitName>,
    }
}

/// Interfaces by name.
#[derive(Clone, Debug)]
pub(crate) struct Interfaces(Vec<(String, Nodes)>);

impl JsonSchema for Interfaces {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Interfaces".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": nodes_schema() })
    }
}

/// What names nodes: one, several, or a set.
fn nodes_schema() -> Schema {
    let number = json_schema!({ "type": "integer", "minimum": 0 });
    json_schema!({
        "anyOf": [number, { "type": "array", "items": number, "minItems": 1 }, { "type": "string" }]
    })
}

fn nodes_of(node: &Node, reader: &mut Reader<'_>) -> Option<Nodes> {
    match &node.value {
        Value::String(set) => Some(Nodes::Set(set.clone())),
        Value::Array(_) => {
            let numbers = Vec::<Count>::decode(node, reader)?;
            Some(Nodes::Several(numbers.into_iter().map(|n| n.0).collect()))
        }
        _ => Count::decode(node, reader).map(|n| Nodes::One(n.0)),
    }
}

impl Decode for Interfaces {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node)?;
        let mut list = Vec::new();
        for (key, node) in entries {
            let nodes = reader.entry(key, node, |reader| nodes_of(node, reader))?;
            list.push((key.name.clone(), nodes));
        }
        Some(Interfaces(list))
    }
}

/// Nodes whose stresses are shown.
#[derive(Clone, Debug)]
pub(crate) struct StressedNodes(Nodes);

impl JsonSchema for StressedNodes {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "StressedNodes".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        nodes_schema()
    }
}

impl Decode for StressedNodes {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        nodes_of(node, reader).map(StressedNodes)
    }
}

/// What is wrong: the key, what, and what to do.
type Wrong = (&'static str, String, Option<&'static str>);

impl ModesKeys {
    /// `None` where a key is missing, which has been reported.
    fn source(&self) -> Result<Option<Source>, Wrong> {
        let units = match self.units.as_deref() {
            None => None,
            Some([length, stiffness, mass]) => Some([length, stiffness, mass].map(|unit| unit.0.clone())),
            Some(list) => {
                let message =
                    format!("these are the units of places, stiffness and mass; there are {}", list.len());
                return Err((".units", message, Some("units = [\"mm\", \"N/mm\", \"t\"]")));
            }
        };
        let (Some(nodes), Some(interface)) = (self.nodes.clone(), &self.interface) else { return Ok(None) };
        let matrices = match (self.stiffness.clone(), self.mass.clone()) {
            (Some(stiffness), Some(mass)) => Some([stiffness, mass]),
            (None, None) => None,
            (Some(_), None) => return Err((".stiffness", "it needs `mass`, the other matrix".into(), None)),
            (None, Some(_)) => return Err((".mass", "it needs `stiffness`, the other matrix".into(), None)),
        };
        let held = match (self.modes, self.up_to) {
            (Some(_), Some(_)) => {
                let message = "`modes` says how many modes there are already".to_owned();
                return Err((".up_to", message, Some("give one of the two")));
            }
            (Some(modes), None) => Held::Count(usize::try_from(modes.0).unwrap_or(usize::MAX)),
            (None, Some(Si(frequency))) if frequency > 0.0 => Held::UpTo(frequency),
            (None, Some(_)) => return Err((".up_to", "a frequency is positive".into(), None)),
            (None, None) => Held::FirstFive,
        };
        let [young, poisson, density] = self.material.as_ref().map_or([None; 3], |m| m.0.values().map(Some));
        let (young, poisson) =
            (self.youngs_modulus.map(|x| x.0).or(young), self.poisson_ratio.map(|x| x.0).or(poisson));
        let density = self.density.map(|x| x.0).or(density);
        for (key, value) in [(".youngs_modulus", young), (".density", density)] {
            if value.is_some_and(|x| !(x > 0.0 && x.is_finite())) {
                return Err((key, "it must be more than zero".into(), None));
            }
        }
        if poisson.is_some_and(|x| !(x > -1.0 && x < 0.5)) {
            return Err((".poisson_ratio", "it must be more than -1 and less than 0.5".into(), None));
        }
        Ok(Some(Source {
            matrices,
            nodes,
            dofs: self.dofs.clone(),
            interface: interface.0.clone(),
            held,
            stress: self.stress.as_ref().map(|nodes| nodes.0.clone()),
            material: [young, poisson, density],
            units,
        }))
    }
}

/// Bytes that a file of a matrix may have.
const MAX_BYTES: usize = 256 << 20;

/// Reads and reduces.
fn read(source: &Source, reader: &Reader<'_>) -> Result<ModalBasis, Wrong> {
    let text = |key: &'static str, file: &str| -> Result<String, Wrong> {
        if is_text(file) {
            return Ok(file.to_owned());
        }
        csv_table::text(reader.folder, file, MAX_BYTES, "keep the model in a file, with these beside it")
            .map_err(|wrong| (key, wrong.message, None))
    };
    let at = |key: &'static str, file: &str, (line, what): files::Wrong| -> Wrong {
        let file = called(file, key);
        let place = line.map_or(format!("`{file}`"), |line| format!("{file}:{line}"));
        (key, format!("{place}: {what}"), None)
    };
    let name_of_nodes = called(&source.nodes, ".nodes");
    let sizes = sizes(source)?;
    let text_of_nodes = text(".nodes", &source.nodes)?;
    let nodes = files::nodes(&text_of_nodes).map_err(|w| at(".nodes", &source.nodes, w))?;
    let mut matrices = Vec::new();
    let kinds = [(".stiffness", files::Which::Stiffness), (".mass", files::Which::Mass)];
    for ((key, which), file) in kinds.into_iter().zip(source.matrices.iter().flatten()) {
        matrices.push(files::matrix(&text(key, file)?, which).map_err(|w| at(key, file, w))?);
    }
    let dofs = match &source.dofs {
        None => None,
        Some(file) => Some(files::dofs(&text(".dofs", file)?).map_err(|w| at(".dofs", file, w))?),
    };
    // which row is what: the file of degrees of freedom says it, or the stiffness matrix itself
    let labels = dofs.as_ref().map(|dofs| (".dofs", dofs)).or_else(|| {
        matrices.first().and_then(|matrix| matrix.labels.as_ref()).map(|labels| (".stiffness", labels))
    });
    let (nodes, places) = match labels {
        None => (nodes, None),
        Some((key, labels)) => {
            let (nodes, places) = renumbered(nodes, labels).map_err(|message| (key, message, None))?;
            (nodes, Some(places))
        }
    };
    let index: HashMap<u64, usize> = nodes.numbers.iter().enumerate().map(|(k, &n)| (n, k)).collect();
    let mut interfaces = Vec::new();
    for (name, wanted) in &source.interface {
        let list = named(&nodes, wanted, (".interface", source, name))?;
        let mut places = Vec::new();
        for node in list {
            let Some(&k) = index.get(node) else {
                let message =
                    format!("`{name_of_nodes}` has no node {node}, which the interface `{name}` names");
                return Err((".interface", message, None));
            };
            places.push(k);
        }
        interfaces.push(Interface { name: name.clone(), nodes: places });
    }
    let positions: Vec<[f64; 3]> = nodes.positions.iter().map(|x| x.map(|x| x * sizes[0])).collect();
    let mesh = mesh(&nodes, &index, source).map_err(|w| at(".nodes", &source.nodes, w))?;
    let [young, poisson, density] = material(&nodes, source, sizes)?;
    let elastic = young.zip(poisson).map(|(young, poisson)| Elasticity { young, poisson });
    let body = match source.matrices {
        None => {
            let Some(elements) = mesh else {
                let message = format!("`{name_of_nodes}` has no solid elements to be assembled");
                return Err((".nodes", message, Some("`stiffness` and `mass` name files of matrices")));
            };
            let (Some(elastic), Some(density)) = (elastic, density) else {
                let message = format!("the material is needed, which `{name_of_nodes}` does not say");
                return Err((
                    ".material",
                    message,
                    Some("material = \"steel\", or `youngs_modulus`, `poisson_ratio` and `density`"),
                ));
            };
            FiniteElements::of_mesh(positions, elements, elastic, density).map_err(|e| refused(&e, source))?
        }
        Some(_) => {
            let n = 3 * nodes.numbers.len();
            let mut made = Vec::new();
            for ((matrix, what), size) in
                matrices.into_iter().zip(["stiffness", "mass"]).zip([sizes[1], sizes[2]])
            {
                let places = match matrix.labels.as_ref() {
                    Some(labels) if dofs.is_none() => Some(rows_of(labels, &index).map_err(|node| {
                        let key = if what == "mass" { ".mass" } else { ".stiffness" };
                        let message =
                            format!("the node {node} of the {what} matrix is none of the stiffness matrix");
                        (key, message, None)
                    })?),
                    _ => places.clone(),
                };
                made.push(packed(matrix, what, n, places.as_deref(), size).map_err(|e| refused(&e, source))?);
            }
            let (Some(mass), Some(stiffness)) = (made.pop(), made.pop()) else {
                unreachable!("two matrices were read")
            };
            let mesh = mesh.map(|elements| Mesh { elements, material: elastic });
            FiniteElements { positions, stiffness, mass, mesh }
        }
    };
    let mut basis = ModalBasis::reduce(&body, &interfaces, source.held).map_err(|e| refused(&e, source))?;
    if let Some(wanted) = &source.stress {
        let mut shown = Vec::new();
        for node in named(&nodes, wanted, (".stress", source, "stress"))? {
            let Some(&k) = index.get(node) else {
                return Err((".stress", format!("`{name_of_nodes}` has no node {node}"), None));
            };
            shown.push((node.to_string(), k));
        }
        basis.show_stresses(&body, shown).map_err(|e| refused(&e, source))?;
    }
    Ok(ModalBasis { source: Some(Box::new(source.clone())), ..basis })
}

/// Whether what stands for a file is its text: it has several lines.
fn is_text(file: &str) -> bool {
    file.contains('\n')
}

/// What a file is called: its name, or the key that has its text.
fn called<'f>(file: &'f str, key: &'static str) -> &'f str {
    if is_text(file) { key.trim_start_matches('.') } else { file }
}

/// Sizes of the units of places, stiffness and mass.
fn sizes(source: &Source) -> Result<[f64; 3], Wrong> {
    let mut sizes = [1.0; 3];
    if let Some(names) = &source.units {
        let wanted = [("m", "a length"), ("N/m", "a stiffness"), ("kg", "a mass")];
        for ((size, name), (unit, what)) in sizes.iter_mut().zip(names).zip(wanted) {
            let (factor, dims) = units::parse(name).unwrap_or((1.0, units::Dims::NONE));
            if units::parse(unit).map(|u| u.1) != Some(dims) {
                return Err((".units", format!("`{name}` is not the unit of {what}"), None));
            }
            *size = factor;
        }
    }
    Ok(sizes)
}

/// The nodes that a key names; `what` is the key, the source, and what needs them.
fn named<'n>(
    nodes: &'n NodeText,
    wanted: &'n Nodes,
    (key, source, what): (&'static str, &Source, &str),
) -> Result<&'n [u64], Wrong> {
    match wanted {
        Nodes::One(node) => Ok(std::slice::from_ref(node)),
        Nodes::Several(list) => Ok(list),
        Nodes::Set(set) => nodes.sets.get(&set.to_uppercase()).map(Vec::as_slice).ok_or_else(|| {
            let file = called(&source.nodes, ".nodes");
            let message = format!("`{file}` has no set of nodes `{set}`, which `{what}` names");
            (key, message, Some("sets are `*NSET, NSET=...` or `*ELSET, ELSET=...` blocks"))
        }),
    }
}

/// The solid elements by places of their nodes; `None` if there are none.
fn mesh(
    nodes: &NodeText,
    index: &HashMap<u64, usize>,
    source: &Source,
) -> Result<Option<Vec<Element>>, files::Wrong> {
    let mut elements = Vec::new();
    for element in &nodes.elements {
        let Some(kind) = element.kind else { continue };
        let mut own = Vec::new();
        for node in &element.nodes {
            match index.get(node) {
                Some(&k) => own.push(k),
                None => {
                    let lacking =
                        if source.matrices.is_some() { "the matrices lack" } else { "there is no node" };
                    return Err((Some(element.line), format!("{lacking} {node}, which an element has")));
                }
            }
        }
        elements.push(Element { kind, nodes: own });
    }
    Ok((!elements.is_empty()).then_some(elements))
}

/// Young's modulus, Poisson's ratio and density in SI units: what the model says, else what the file of nodes does.
fn material(
    nodes: &NodeText,
    source: &Source,
    [length, stiffness, mass]: [f64; 3],
) -> Result<[Option<f64>; 3], Wrong> {
    let [first, others @ ..] = &nodes.materials[..] else { return Ok(source.material) };
    let sizes = [stiffness / length, 1.0, mass / length.powi(3)];
    let mut found = source.material;
    for (k, value) in found.iter_mut().enumerate().filter(|(_, value)| value.is_none()) {
        if others.iter().any(|other| other[k] != first[k]) {
            let file = called(&source.nodes, ".nodes");
            let message = format!("`{file}` has several materials; one is taken");
            return Err((".material", message, Some("say which material it is: one for all elements")));
        }
        *value = first[k].map(|x| x * sizes[k]);
    }
    Ok(found)
}

/// Where the rows of a matrix that names them belong; the node that is none of the body.
fn rows_of(labels: &[(u64, usize)], index: &HashMap<u64, usize>) -> Result<Vec<u32>, u64> {
    labels.iter().map(|(node, c)| index.get(node).map(|k| (3 * k + c) as u32).ok_or(*node)).collect()
}

/// Nodes in the order in which a `.dof` file first names them, and where each row of the matrices belongs.
fn renumbered(nodes: NodeText, dofs: &[(u64, usize)]) -> Result<(NodeText, Vec<u32>), String> {
    let known: HashMap<u64, [f64; 3]> = nodes.numbers.iter().copied().zip(nodes.positions).collect();
    let mut out = NodeText {
        sets: nodes.sets,
        elements: nodes.elements,
        materials: nodes.materials,
        ..NodeText::default()
    };
    let mut place: HashMap<u64, usize> = HashMap::new();
    let mut rows = Vec::new();
    let mut taken = std::collections::HashSet::new();
    for &(node, c) in dofs {
        let Some(&position) = known.get(&node) else {
            return Err(format!("the node {node} has no place in the file of nodes"));
        };
        let k = *place.entry(node).or_insert_with(|| {
            out.numbers.push(node);
            out.positions.push(position);
            out.numbers.len() - 1
        });
        if !taken.insert((k, c)) {
            return Err(format!("direction {} of node {node} is listed twice", c + 1));
        }
        rows.push((3 * k + c) as u32);
    }
    if rows.len() != 3 * out.numbers.len() {
        let lacks = out.numbers.iter().enumerate().find(|&(k, _)| (0..3).any(|c| !taken.contains(&(k, c))));
        let node = lacks.map_or(0, |(_, &node)| node);
        return Err(format!(
            "the node {node} lacks a direction: the elements must be free, without supports"
        ));
    }
    Ok((out, rows))
}

fn packed(
    matrix: MatrixText,
    what: &'static str,
    n: usize,
    places: Option<&[u32]>,
    size: f64,
) -> Result<Symmetric, ModalError> {
    if matrix.rows > n || (places.is_none() && matrix.rows != n) {
        return Err(ModalError::Size { what, nodes: n / 3, rows: matrix.rows });
    }
    let row = |i: u32| places.map_or(i, |places| places[i as usize]);
    let entries: Vec<_> = matrix.entries.iter().map(|&(i, j, v)| (row(i), row(j), v * size)).collect();
    Symmetric::new(what, n, &entries, matrix.both)
}

fn refused(error: &ModalError, source: &Source) -> Wrong {
    let key = match error {
        ModalError::Entry { what, .. }
        | ModalError::NotSymmetric { what, .. }
        | ModalError::Size { what, .. } => {
            if *what == "mass" {
                ".mass"
            } else {
                ".stiffness"
            }
        }
        ModalError::Direction { .. } | ModalError::Mass { .. } => ".mass",
        ModalError::Supported { .. } | ModalError::Loose { .. } | ModalError::TooLarge { .. } => ".stiffness",
        ModalError::TooMany { .. } | ModalError::Element { .. } => ".nodes",
        ModalError::Interface { .. } => ".interface",
        ModalError::Stress { .. } => ".stress",
        ModalError::Modes { .. } | ModalError::NotConverged { .. } => match source.held {
            Held::UpTo(_) => ".up_to",
            _ => ".modes",
        },
    };
    // without files of matrices it is the elements
    let key = match key {
        ".mass" | ".stiffness" if source.matrices.is_none() => ".nodes",
        key => key,
    };
    let help = match error {
        ModalError::Supported { .. } => Some(
            "assemble the elements without supports; the k-th node of the file must be rows 3k - 2 to 3k of the matrices, or `dofs` must say which they are",
        ),
        ModalError::Direction { .. } => Some(
            "masses of solid elements are the same in all directions; those of shells and beams with rotations are not taken",
        ),
        ModalError::Size { .. } if source.dofs.is_none() => {
            Some("`dofs` names a file that says which degree of freedom each row is")
        }
        ModalError::Stress { .. } => Some(
            "stresses need the elements in the file of `nodes`, and their material there or in `material`",
        ),
        ModalError::TooMany { .. } | ModalError::TooLarge { .. } => {
            Some("reduce it to a substructure first, or take a coarser mesh")
        }
        _ => None,
    };
    (key, error.to_string(), help)
}

impl ModalBody {
    /// Keeps the reduced body for a text that names its files.
    pub(in crate::model) fn keep(&self, kept: &Kept) {
        if let Some(source) = &self.basis.source {
            let _ = kept.made(request(source), || Ok::<_, Infallible>(ModalBasis::clone(&self.basis)));
        }
    }
}

/// An interface of which nothing is known but its name, and whether it is a flange.
fn unmoved((name, nodes): &(String, Nodes)) -> InterfaceModes {
    let turns = !matches!(nodes, Nodes::One(_));
    InterfaceModes { name: name.clone(), at: [0.0; 3], turns, moves: Vec::new(), turned: Vec::new() }
}

/// What a reduced body is kept by.
fn request(source: &Source) -> String {
    format!("{source:?}")
}

impl Group for ModesKeys {
    type Value = Arc<ModalBasis>;

    fn build(self, reader: &mut Reader<'_>) -> Option<Arc<ModalBasis>> {
        let interface = self.interface.clone();
        let made = match self.source() {
            Ok(None) => return None,
            Ok(Some(source)) => match reader.files {
                Some(kept) => kept.made(request(&source), || read(&source, reader)),
                None => read(&source, reader).map(Arc::new),
            },
            Err(wrong) => Err(wrong),
        };
        match made {
            Ok(basis) => Some(basis),
            Err((key, message, help)) => {
                let fault = Fault::error(format!("{}{key}", reader.path()), message);
                reader.reject(match help {
                    Some(help) => fault.help(help),
                    None => fault,
                });
                // its interfaces are named, so that nothing else is reported that speaks of them
                let mut basis = ModalBasis::clone(&Self::stand_in());
                basis.interfaces = interface.iter().flat_map(|list| &list.0).map(unmoved).collect();
                Some(Arc::new(basis))
            }
        }
    }

    fn stand_in() -> Arc<ModalBasis> {
        Arc::new(ModalBasis {
            mass: 1.0,
            com: [0.0; 3],
            inertia: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
            modes: Vec::<ElasticMode>::new(),
            interfaces: Vec::new(),
            first: Vec::new(),
            with_place: Vec::new(),
            between: Vec::new(),
            extent: 1.0,
            held: 0,
            swings_up_to: f64::INFINITY,
            nodes: Vec::new(),
            shapes: Vec::new(),
            surface: None,
            stresses: None,
            stressed: Vec::new(),
            source: None,
        })
    }

    fn write(basis: &Arc<ModalBasis>, entry: Entry, context: &Context<'_>) -> Entry {
        debug_assert_eq!(context.dimension, Dimension::Spatial);
        let Some(source) = &basis.source else { return entry };
        let number = |n: &u64| Item::Number(*n as f64);
        let nodes = |nodes: &Nodes| match nodes {
            Nodes::One(node) => number(node),
            Nodes::Several(list) => Item::List(list.iter().map(number).collect()),
            Nodes::Set(set) => set.into(),
        };
        let interfaces = source.interface.iter().map(|(name, list)| (name.clone(), nodes(list))).collect();
        let units = source.units.as_ref().map(|units| Item::List(units.iter().map(Item::from).collect()));
        let [young, poisson, density] = source.material;
        let [stiffness, mass] = source.matrices.as_ref().map_or([None, None], |[k, m]| [Some(k), Some(m)]);
        let (modes, up_to) = match source.held {
            Held::Count(count) => (Some(count as f64), None),
            Held::UpTo(frequency) => (None, Some(frequency)),
            Held::FirstFive => (None, None),
        };
        entry
            .maybe("stiffness", stiffness.map(Item::from))
            .maybe("mass", mass.map(Item::from))
            .set("nodes", &source.nodes)
            .maybe("dofs", source.dofs.as_ref().map(Item::from))
            .set("interface", Item::from(Entry::named(interfaces)))
            .maybe("modes", modes.map(Item::Number))
            .maybe("up_to", up_to.map(Item::Number))
            .maybe("youngs_modulus", young.map(Item::Number))
            .maybe("poisson_ratio", poisson.map(Item::Number))
            .maybe("density", density.map(Item::Number))
            .maybe("stress", source.stress.as_ref().map(nodes))
            .maybe("units", units)
    }
}
