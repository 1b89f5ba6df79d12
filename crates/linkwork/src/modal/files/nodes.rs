//! Nodes, elements, sets and materials: blocks of Abaqus and CalculiX (gmsh writes them, too), cards of Nastran, or lines `number, x, y, z`.

use super::{Wrong, nastran, number, whole};
use crate::modal::{ElementKind, MAX_NODES};
use std::collections::{HashMap, HashSet};

/// An element as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ElementText {
    /// Which kind; none of those that are no solids, such as the triangles that name a surface.
    pub kind: Option<ElementKind>,
    /// Its nodes by their numbers, in the order of Abaqus.
    pub nodes: Vec<u64>,
    /// The line where it begins.
    pub line: usize,
}

/// What a file of nodes says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct NodeText {
    /// Their numbers.
    pub numbers: Vec<u64>,
    /// Their places, in the unit of the file.
    pub positions: Vec<[f64; 3]>,
    /// Sets of nodes by their names in capitals; a set of elements is the set of their nodes.
    pub sets: HashMap<String, Vec<u64>>,
    /// Elements.
    pub elements: Vec<ElementText>,
    /// Young's modulus, Poisson's ratio and density of each material, as far as they are said.
    pub materials: Vec<[Option<f64>; 3]>,
}

/// Elements that a file may have.
const MAX_ELEMENTS: usize = 4 * MAX_NODES;

impl NodeText {
    pub(super) fn add_node(
        &mut self,
        seen: &mut HashSet<u64>,
        node: u64,
        at: [f64; 3],
        line: usize,
    ) -> Result<(), Wrong> {
        if !seen.insert(node) {
            return Err((Some(line), format!("the node {node} is given twice")));
        }
        if self.numbers.len() == MAX_NODES {
            return Err((Some(line), format!("more than {MAX_NODES} nodes")));
        }
        self.numbers.push(node);
        self.positions.push(at);
        Ok(())
    }

    pub(super) fn add_element(&mut self, element: ElementText) -> Result<(), Wrong> {
        if self.elements.len() == MAX_ELEMENTS {
            return Err((Some(element.line), format!("more than {MAX_ELEMENTS} elements")));
        }
        self.elements.push(element);
        Ok(())
    }
}

/// Reads nodes and what else there is.
pub(crate) fn nodes(text: &str) -> Result<NodeText, Wrong> {
    let begins = |word: &str| {
        text.lines()
            .any(|line| line.trim_start().get(..word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word)))
    };
    let out = match (begins("*NODE"), begins("GRID")) {
        (false, true) => nastran::nodes(text)?,
        (false, false) if !begins("*") => plain(text)?,
        _ => Blocks::read(text)?,
    };
    match out.numbers.is_empty() {
        true => Err((
            None,
            "there are no nodes: expected a `*NODE` block, `GRID` cards, or lines `number, x, y, z`".into(),
        )),
        false => Ok(out),
    }
}

fn words(line: &str) -> Vec<&str> {
    line.split([',', ';', '\t', ' ']).filter(|word| !word.is_empty()).collect()
}

fn node_line(words: &[&str], at: usize) -> Result<(u64, [f64; 3]), Wrong> {
    let &[node, x, y, z, ..] = words else {
        return Err((Some(at), format!("expected `number, x, y, z`, found {} words", words.len())));
    };
    Ok((whole(node, at)?, [number(x, at)?, number(y, at)?, number(z, at)?]))
}

/// Lines `number, x, y, z`, below a line of names or not.
fn plain(text: &str) -> Result<NodeText, Wrong> {
    let (mut out, mut seen) = (NodeText::default(), HashSet::new());
    for (at, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line.trim())) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let words = words(line);
        if out.numbers.is_empty() && words.first().is_some_and(|word| word.parse::<f64>().is_err()) {
            continue; // names of columns
        }
        let (node, place) = node_line(&words, at)?;
        out.add_node(&mut seen, node, place, at)?;
    }
    Ok(out)
}

/// What the lines of a block are.
enum Block {
    Nodes,
    Elements(Option<ElementKind>, Vec<String>),
    Set(String, bool),
    Elastic,
    Density,
    Other,
}

/// A file of blocks, as it is read.
#[derive(Default)]
struct Blocks {
    out: NodeText,
    seen: HashSet<u64>,
    /// Sets of elements, by the places of these.
    element_sets: HashMap<String, Vec<usize>>,
    /// Numbers of elements.
    numbers: HashMap<u64, usize>,
    /// Words of an element that goes on in the next line, and where it begins.
    unfinished: Vec<u64>,
    begun: usize,
}

impl Blocks {
    fn read(text: &str) -> Result<NodeText, Wrong> {
        let mut blocks = Blocks::default();
        let mut block = Block::Other;
        for (at, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line.trim())) {
            if line.is_empty() || line.starts_with("**") || line.starts_with('#') {
                continue;
            }
            match line.strip_prefix('*') {
                Some(keyword) => {
                    blocks.whole_elements(at)?;
                    block = blocks.keyword(keyword, at)?;
                }
                None => blocks.line(&block, line, at)?,
            }
        }
        blocks.whole_elements(text.lines().count())?;
        for (name, elements) in blocks.element_sets {
            // a set of nodes of the same name is what was meant
            let elements = elements.iter().map(|&k| &blocks.out.elements[k]);
            let nodes: std::collections::BTreeSet<u64> =
                elements.flat_map(|e| e.nodes.iter().copied()).collect();
            blocks.out.sets.entry(name).or_insert_with(|| nodes.into_iter().collect());
        }
        Ok(blocks.out)
    }

    fn keyword(&mut self, keyword: &str, at: usize) -> Result<Block, Wrong> {
        let mut words = keyword.split(',').map(|word| word.trim().to_uppercase());
        let name = words.next().unwrap_or_default();
        let options: Vec<String> = words.collect();
        let value = |key: &str| {
            options.iter().find_map(|o| {
                o.split_once('=').filter(|(k, _)| k.trim() == key).map(|(_, v)| v.trim().to_owned())
            })
        };
        Ok(match name.as_str() {
            "NODE" => Block::Nodes,
            "ELEMENT" => Block::Elements(
                kind_of(&value("TYPE").unwrap_or_default()),
                value("ELSET").into_iter().collect(),
            ),
            "NSET" | "ELSET" => match value(&name) {
                Some(set) if name == "NSET" => Block::Set(set, options.iter().any(|o| o == "GENERATE")),
                Some(_) => Block::Other,
                None => return Err((Some(at), "this set has no name".into())),
            },
            "MATERIAL" => {
                self.out.materials.push([None; 3]);
                Block::Other
            }
            "ELASTIC" => Block::Elastic,
            "DENSITY" => Block::Density,
            _ => Block::Other,
        })
    }

    fn line(&mut self, block: &Block, line: &str, at: usize) -> Result<(), Wrong> {
        let words = words(line);
        match block {
            Block::Other => {}
            Block::Nodes => {
                let (node, place) = node_line(&words, at)?;
                self.out.add_node(&mut self.seen, node, place, at)?;
            }
            Block::Elements(kind, sets) => {
                if self.unfinished.is_empty() {
                    self.begun = at;
                }
                for word in words {
                    self.unfinished.push(whole(word, at)?);
                }
                let wanted = kind.map(|kind| kind.nodes() + 1);
                // of elements that are no solids the end of the line is the end
                if wanted.map_or(!line.ends_with(','), |wanted| self.unfinished.len() >= wanted) {
                    self.element(*kind, sets)?;
                }
            }
            Block::Set(name, generate) => {
                let numbers: Result<Vec<u64>, Wrong> = words.iter().map(|word| whole(word, at)).collect();
                let numbers = match numbers {
                    Ok(numbers) => numbers,
                    // a set of sets
                    Err(_) => {
                        let of = |word: &&str| self.out.sets.get(&word.to_uppercase());
                        let Some(sets) = words.iter().map(of).collect::<Option<Vec<_>>>() else {
                            return Err((
                                Some(at),
                                "expected numbers of nodes, or names of sets above".into(),
                            ));
                        };
                        sets.into_iter().flatten().copied().collect()
                    }
                };
                let list = self.out.sets.entry(name.clone()).or_default();
                match (generate, &numbers[..]) {
                    (true, &[from, to]) => list.extend((from..=to).take(MAX_NODES)),
                    (true, &[from, to, step]) if step > 0 => {
                        list.extend((from..=to).step_by(step as usize).take(MAX_NODES));
                    }
                    (true, _) => return Err((Some(at), "expected `first, last, step`".into())),
                    (false, _) => list.extend(numbers),
                }
            }
            Block::Elastic | Block::Density => {
                let values =
                    words.iter().map(|word| number(word, at)).collect::<Result<Vec<f64>, Wrong>>()?;
                if self.out.materials.is_empty() {
                    self.out.materials.push([None; 3]);
                }
                let Some(material) = self.out.materials.last_mut() else { return Ok(()) };
                // further lines are for other temperatures
                match (block, &values[..]) {
                    (Block::Elastic, &[young, poisson, ..]) if material[0].is_none() => {
                        (material[0], material[1]) = (Some(young), Some(poisson));
                    }
                    (Block::Density, &[density, ..]) if material[2].is_none() => material[2] = Some(density),
                    (Block::Elastic, _) if material[0].is_none() => {
                        return Err((Some(at), "expected Young's modulus and Poisson's ratio".into()));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn element(&mut self, kind: Option<ElementKind>, sets: &[String]) -> Result<(), Wrong> {
        let mut nodes = std::mem::take(&mut self.unfinished);
        let number = nodes.remove(0);
        if let Some(kind) = kind
            && nodes.len() != kind.nodes()
        {
            let message =
                format!("the element {number} has {} nodes; there should be {}", nodes.len(), kind.nodes());
            return Err((Some(self.begun), message));
        }
        let place = self.out.elements.len();
        self.numbers.insert(number, place);
        for set in sets {
            self.element_sets.entry(set.clone()).or_default().push(place);
        }
        self.out.add_element(ElementText { kind, nodes, line: self.begun })
    }

    fn whole_elements(&self, at: usize) -> Result<(), Wrong> {
        match self.unfinished.is_empty() {
            true => Ok(()),
            false => Err((Some(at), format!("the element of line {} lacks nodes", self.begun))),
        }
    }
}

/// The kind of a type of Abaqus or CalculiX: `C3D20R` is a `C3D20` with fewer points.
fn kind_of(name: &str) -> Option<ElementKind> {
    let digits: String = name.strip_prefix("C3D")?.chars().take_while(char::is_ascii_digit).collect();
    let nodes: usize = digits.parse().ok()?;
    ElementKind::ALL.into_iter().find(|kind| kind.nodes() == nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_sets_are_read() {
        let text = "*HEADING\nbracket\n*NODE, NSET=all\n1, 0., 1., 2.\n** between\n7, 3, 4, 5\n*ELEMENT, TYPE=T3D2\n1, 1, 7\n*NSET, NSET=Flange\n1, 7\n*NSET, NSET=many, GENERATE\n1, 7, 3\n*NSET, NSET=sum\nflange, many\n";
        let read = nodes(text).unwrap();
        assert_eq!((read.numbers, read.positions), (vec![1, 7], vec![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]));
        assert_eq!((&read.sets["FLANGE"], &read.sets["MANY"]), (&vec![1, 7], &vec![1, 4, 7]));
        assert_eq!(read.sets["SUM"], [1, 7, 1, 4, 7]);
        let csv = nodes("node,x,y,z\n3,1,2,3\n4,1e-1,2,3\n").unwrap();
        assert_eq!(csv.numbers, [3, 4]);
        assert_eq!(nodes("1, 2, 3\n").unwrap_err().0, Some(1));
        assert_eq!(nodes("*NODE\n1,0,0,0\n1,0,0,1\n").unwrap_err().0, Some(3));
    }

    #[test]
    fn elements_and_materials_are_read() {
        let text = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT, TYPE=CPS3, ELSET=foot\n1, 1, 2, 3\n*ELEMENT, TYPE=C3D4, ELSET=all\n2, 1, 2,\n3, 4\n*MATERIAL, NAME=S\n*ELASTIC\n2.1e5, 0.3, 20.\n2.0e5, 0.3, 200.\n*DENSITY\n7.85e-9,\n";
        let read = nodes(text).unwrap();
        assert_eq!(read.elements[0], ElementText { kind: None, nodes: vec![1, 2, 3], line: 7 });
        let tet = ElementText { kind: Some(ElementKind::Tet4), nodes: vec![1, 2, 3, 4], line: 9 };
        assert_eq!(read.elements[1], tet);
        assert_eq!(read.materials, [[Some(2.1e5), Some(0.3), Some(7.85e-9)]]);
        assert_eq!((&read.sets["FOOT"], &read.sets["ALL"]), (&vec![1, 2, 3], &vec![1, 2, 3, 4]));
        assert_eq!(kind_of("C3D20R"), Some(ElementKind::Hex20));
        assert_eq!(kind_of("S4"), None);
        for (text, line) in [
            ("*NODE\n1,0,0,0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4, 5\n", Some(4)),
            ("*NODE\n1,0,0,0\n*ELEMENT, TYPE=C3D4\n1, 1, 2\n*END STEP\n", Some(5)),
            ("*NODE\n1,0,0,0\n*MATERIAL, NAME=S\n*ELASTIC\n7\n", Some(5)),
        ] {
            assert_eq!(nodes(text).unwrap_err().0, line, "{text}");
        }
    }
}
