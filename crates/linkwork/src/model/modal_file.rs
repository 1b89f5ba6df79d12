//! The keys of a modal body in a file: matrices and nodes are read from files beside the model file and reduced.

use super::ModalBody;
use crate::drawing::Dimension;
use crate::expressions::units;
use crate::file::csv_table::{self, Kept};
use crate::file::document::{Node, Value};
use crate::file::prelude::*;
use crate::modal::files::{self, MatrixText, NodeText};
use crate::modal::{
    ElasticMode, FiniteElements, Interface, ModalBasis, ModalError, Nodes, Source, Symmetric,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

table! {
    /// Where the modes come from.
    ModesKeys {
        /// File of the stiffness matrix, by its path from the model file: Matrix Market, or lines `row column value` as CalculiX's `.sti`.
        stiffness: required String,
        /// File of the mass matrix, likewise.
        mass: required String,
        /// File of the node positions: `*NODE` blocks of Abaqus and CalculiX, or lines `number, x, y, z`. Rows 3k − 2, 3k − 1, 3k of the matrices are x, y, z of the k-th node.
        nodes: required String,
        /// File that says which degree of freedom each row of the matrices is: lines `node.direction`, as CalculiX's `.dof`.
        dofs: optional String,
        /// Where it is held: names of points, each with a node, a list of nodes that move together as a flange, or the name of a set of the file of nodes.
        interface: required Interfaces,
        /// Number of modes with the interfaces held; those of the interfaces and of acceleration come on top.
        modes: required Count,
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
        let number = json_schema!({ "type": "integer", "minimum": 0 });
        json_schema!({
            "type": "object",
            "additionalProperties": {
                "anyOf": [number, { "type": "array", "items": number, "minItems": 1 }, { "type": "string" }]
            }
        })
    }
}

impl Decode for Interfaces {
    fn decode(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node)?;
        let mut list = Vec::new();
        for (key, node) in entries {
            let nodes = reader.entry(key, node, |reader| match &node.value {
                Value::String(set) => Some(Nodes::Set(set.clone())),
                Value::Array(_) => {
                    let numbers = Vec::<Count>::decode(node, reader)?;
                    Some(Nodes::Several(numbers.into_iter().map(|n| n.0).collect()))
                }
                _ => Count::decode(node, reader).map(|n| Nodes::One(n.0)),
            })?;
            list.push((key.name.clone(), nodes));
        }
        Some(Interfaces(list))
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
        let files = [&self.stiffness, &self.mass, &self.nodes].map(Clone::clone);
        let ([Some(stiffness), Some(mass), Some(nodes)], Some(interface), Some(modes)) =
            (files, &self.interface, self.modes)
        else {
            return Ok(None);
        };
        Ok(Some(Source {
            stiffness,
            mass,
            nodes,
            dofs: self.dofs.clone(),
            interface: interface.0.clone(),
            modes: usize::try_from(modes.0).unwrap_or(usize::MAX),
            units,
        }))
    }
}

/// Bytes that a file of a matrix may have.
const MAX_BYTES: usize = 256 << 20;

/// Reads and reduces.
fn read(source: &Source, reader: &Reader<'_>) -> Result<ModalBasis, Wrong> {
    let text = |key: &'static str, file: &str| -> Result<String, Wrong> {
        csv_table::text(reader.folder, file, MAX_BYTES, "keep the model in a file, with these beside it")
            .map_err(|wrong| (key, wrong.message, None))
    };
    let at = |key: &'static str, file: &str, (line, what): files::Wrong| -> Wrong {
        let place = line.map_or(format!("`{file}`"), |line| format!("{file}:{line}"));
        (key, format!("{place}: {what}"), None)
    };
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
    let nodes = files::nodes(&text(".nodes", &source.nodes)?).map_err(|w| at(".nodes", &source.nodes, w))?;
    let mut matrices = Vec::new();
    for (key, file) in [(".stiffness", &source.stiffness), (".mass", &source.mass)] {
        matrices.push(files::matrix(&text(key, file)?).map_err(|w| at(key, file, w))?);
    }
    let dofs = match &source.dofs {
        None => None,
        Some(file) => Some(files::dofs(&text(".dofs", file)?).map_err(|w| at(".dofs", file, w))?),
    };
    let (nodes, places) = match dofs {
        None => (nodes, None),
        Some(dofs) => {
            let (nodes, places) = renumbered(nodes, &dofs).map_err(|message| (".dofs", message, None))?;
            (nodes, Some(places))
        }
    };
    let index: HashMap<u64, usize> = nodes.numbers.iter().enumerate().map(|(k, &n)| (n, k)).collect();
    let mut interfaces = Vec::new();
    for (name, wanted) in &source.interface {
        let list: &[u64] = match wanted {
            Nodes::One(node) => std::slice::from_ref(node),
            Nodes::Several(list) => list,
            Nodes::Set(set) => match nodes.sets.get(&set.to_uppercase()) {
                Some(list) => list,
                None => {
                    let message =
                        format!("`{}` has no set of nodes `{set}`, which `{name}` names", source.nodes);
                    return Err((
                        ".interface",
                        message,
                        Some("sets are `*NSET, NSET=...` blocks with numbers of nodes"),
                    ));
                }
            },
        };
        let mut places = Vec::new();
        for node in list {
            let Some(&k) = index.get(node) else {
                let message =
                    format!("`{}` has no node {node}, which the interface `{name}` names", source.nodes);
                return Err((".interface", message, None));
            };
            places.push(k);
        }
        interfaces.push(Interface { name: name.clone(), nodes: places });
    }
    let n = 3 * nodes.numbers.len();
    let mut made = Vec::new();
    for ((matrix, what), size) in matrices.into_iter().zip(["stiffness", "mass"]).zip([sizes[1], sizes[2]]) {
        made.push(packed(matrix, what, n, places.as_deref(), size).map_err(|e| refused(&e, source))?);
    }
    let (Some(mass), Some(stiffness)) = (made.pop(), made.pop()) else {
        unreachable!("two matrices were read")
    };
    let positions = nodes.positions.iter().map(|x| x.map(|x| x * sizes[0])).collect();
    let body = FiniteElements { positions, stiffness, mass };
    let basis = ModalBasis::reduce(&body, &interfaces, source.modes).map_err(|e| refused(&e, source))?;
    Ok(ModalBasis { source: Some(Box::new(source.clone())), ..basis })
}

/// Nodes in the order in which a `.dof` file first names them, and where each row of the matrices belongs.
fn renumbered(nodes: NodeText, dofs: &[(u64, usize)]) -> Result<(NodeText, Vec<u32>), String> {
    let known: HashMap<u64, [f64; 3]> = nodes.numbers.iter().copied().zip(nodes.positions).collect();
    let mut out = NodeText { sets: nodes.sets, ..NodeText::default() };
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
        ModalError::TooMany { .. } => ".nodes",
        ModalError::Interface { .. } => ".interface",
        ModalError::Modes { .. } | ModalError::NotConverged { .. } => ".modes",
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

/// What a reduced body is kept by.
fn request(source: &Source) -> String {
    format!("{source:?}")
}

impl Group for ModesKeys {
    type Value = Arc<ModalBasis>;

    fn build(self, reader: &mut Reader<'_>) -> Option<Arc<ModalBasis>> {
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
                None
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
            nodes: 0,
            drawn: Vec::new(),
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
        entry
            .set("stiffness", &source.stiffness)
            .set("mass", &source.mass)
            .set("nodes", &source.nodes)
            .maybe("dofs", source.dofs.as_ref().map(Item::from))
            .set("interface", Item::from(Entry::named(interfaces)))
            .set("modes", source.modes)
            .maybe("units", units)
    }
}
