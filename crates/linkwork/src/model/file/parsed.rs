//! A model file that is read once and evaluated many times.
//!
//! Text becomes a tree once; what depends on values of parameters (expressions, tables, checks) is evaluated for each model. The places of items in the text are the same
//! in every model of a file, so that all of them share one [`Provenance`]. CSV files that the model names are read once, too.

use super::{
    Document, MAX_FILE_BYTES, Node, Provenance, Syntax, Value, check, decode, document, further, parameters,
    put_in_order, reading,
};
use crate::Error;
use crate::error::names::nearest;
use crate::expressions::quantity::{Quantity, State, evaluate};
use crate::expressions::{Expression, Problem};
use crate::file::csv_table::Kept;
use crate::file::decode::Reader;
use crate::model::{Fault, Faults, MeshFile, Model, Optimization};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A model file whose text has been read: [`ModelFile::model`] evaluates it for values of its parameters. Sweeps, fits and other studies
/// make thousands of models of one file.
///
/// ```
/// use linkwork::model::ModelFile;
/// let text = r#"
///     format = 1
///     parameters = { l = "30 cm", half = "l / 2" }
///     points = { A = [0, 0], B = ["2 * half", 0] }
///     bodies.ground = { points = ["A"] }
///     bodies.pendulum = { points = ["A", "B"], mass = "200 g" }
/// "#;
/// let file = ModelFile::parse("pendulum.toml", text)?;
/// let half_a_metre = file.value("l", "50 cm")?;
/// assert_eq!(file.model(&[("l", half_a_metre)])?.points[1].position, [0.5, 0.0, 0.0]);
/// assert!(file.value("l", "2 kg").is_err());
/// # Ok::<(), linkwork::Error>(())
/// ```
#[derive(Debug)]
pub struct ModelFile {
    file: String,
    folder: Option<PathBuf>,
    text: String,
    /// Where the values begin in the text that were given along with the file.
    given: Option<usize>,
    root: Node,
    faults: Vec<Fault>,
    uncounted: usize,
    /// That of the first model without faults.
    provenance: OnceLock<Arc<Provenance>>,
    tables: Kept,
}

impl ModelFile {
    /// Reads a file, without looking at what its values mean.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read, [`Error::Model`] if its syntax is at fault.
    pub fn read(path: impl AsRef<Path>) -> Result<ModelFile, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let bytes = super::bytes_of(path)?;
        ModelFile::parse_beside(&name, bytes)
    }

    /// Reads text; the name is used in messages, and its ending says whether the text is TOML or JSON.
    ///
    /// # Errors
    /// [`Error::Model`] if the syntax is at fault.
    pub fn parse(file: &str, contents: impl AsRef<[u8]>) -> Result<ModelFile, Error> {
        Self::new(file, None, contents.as_ref(), None).map_err(Error::Model)
    }

    /// As [`ModelFile::parse`], for text that has a place: CSV files that it names are read from the folder of `file`.
    ///
    /// # Errors
    /// As [`ModelFile::parse`].
    pub fn parse_beside(file: &str, contents: impl AsRef<[u8]>) -> Result<ModelFile, Error> {
        let folder = Path::new(file).parent().filter(|_| !file.starts_with('<'));
        Self::new(file, None, contents.as_ref(), folder).map_err(Error::Model)
    }

    /// Says where a mesh is that the text names, wherever the text is.
    pub fn locate(self, mesh: &str, path: impl Into<PathBuf>) -> Self {
        MeshFile { file: mesh.to_owned(), ..MeshFile::new(path) }.keep(&self.tables);
        self
    }

    pub(super) fn new(
        file: &str,
        syntax: Option<Syntax>,
        bytes: &[u8],
        folder: Option<&Path>,
    ) -> Result<ModelFile, Faults> {
        let refuse = |text: String, list: Vec<Fault>, uncounted: usize| {
            let provenance = Provenance { file: file.to_owned(), text, ..Provenance::default() };
            let mut faults = Faults { list, provenance: Some(Arc::new(provenance)) };
            put_in_order(&mut faults, uncounted);
            Err(faults)
        };
        if bytes.len() > MAX_FILE_BYTES {
            let message = format!("a model file may have {} MiB", MAX_FILE_BYTES >> 20);
            let fault = Fault::error("", message)
                .help("split the mechanism, or build the model with the library")
                .at(0..0);
            return refuse(String::new(), vec![fault], 0);
        }
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(error) => {
                let at = error.valid_up_to();
                let message = format!("the file is not UTF-8 text: byte 0x{:02x}", bytes[at]);
                let fault = Fault::error("", message).help("save it with the encoding UTF-8").at(at..at + 1);
                return refuse(String::from_utf8_lossy(bytes).into_owned(), vec![fault], 0);
            }
        };
        let syntax = syntax.unwrap_or_else(|| Syntax::of(file, &text));
        let Document { root, faults, uncounted } = document::read(syntax, &text);
        let Some(root) = root else { return refuse(text, faults, uncounted) };
        let long = document::long_keys(&root);
        if !long.is_empty() {
            return refuse(text, faults.into_iter().chain(long).collect(), uncounted);
        }
        Ok(ModelFile {
            file: file.to_owned(),
            folder: folder.map(Path::to_path_buf),
            text,
            given: None,
            root,
            faults,
            uncounted,
            provenance: OnceLock::new(),
            tables: Kept::default(),
        })
    }

    /// The name of the file, as it was given.
    pub fn name(&self) -> &str {
        &self.file
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text[..self.given.unwrap_or(self.text.len())]
    }

    /// The text, and what was given along with it.
    pub(super) fn whole_text(&self) -> &str {
        &self.text
    }

    /// The same file with another tree, and more text behind its own.
    pub(super) fn changed(&self, text: String, root: Node) -> ModelFile {
        ModelFile {
            file: self.file.clone(),
            folder: self.folder.clone(),
            given: self.given.or(Some(self.text.len())),
            text,
            root,
            faults: self.faults.clone(),
            uncounted: self.uncounted,
            provenance: OnceLock::new(),
            tables: Kept::default(),
        }
    }

    /// The text with the places of its items.
    pub(super) fn source(&self, spans: HashMap<String, Range<usize>>) -> Provenance {
        let (file, text, given) = (self.file.clone(), self.text.clone(), self.given);
        Provenance { file, text, spans, given, ..Provenance::default() }
    }

    /// The model, with other values for some of the file's `[parameters]`: see [`Model::parse_with`].
    ///
    /// # Errors
    /// All faults of the file with these values.
    pub fn model(&self, values: &[(&str, f64)]) -> Result<Model, Faults> {
        self.model_of(&self.root, values)
    }

    /// The tree of the text.
    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    /// The model of a tree: that of the text, or the same with other numbers.
    pub(super) fn model_of(&self, root: &Node, values: &[(&str, f64)]) -> Result<Model, Faults> {
        self.both_of(root, values).map(|(model, _)| model)
    }

    /// As `model_of`, with what is to be optimised; `None` without a section `[optimize]`.
    pub(super) fn both_of(
        &self,
        root: &Node,
        values: &[(&str, f64)],
    ) -> Result<(Model, Option<Optimization>), Faults> {
        let mut reader = self.reader(values);
        self.faults.iter().cloned().for_each(|fault| reader.push(fault));
        let model = decode(root, &mut reader);
        let Reader { spans, units, ranges, mut faults, uncounted, broken, .. } = reader;
        let fresh = || Arc::new(Provenance { units, ranges, ..self.source(spans) });
        let Some((mut model, optimization)) = model else {
            let mut faults = Faults { list: faults, provenance: Some(fresh()) };
            put_in_order(&mut faults, uncounted);
            return Err(faults);
        };
        if model.name.is_empty() {
            let stem = Path::new(&self.file).file_stem().filter(|_| !self.file.starts_with('<'));
            model.name = stem.map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
            model.name.retain(|c| !c.is_control());
        }
        let known = self.provenance.get().cloned();
        let provenance = known.unwrap_or_else(fresh);
        model.provenance = Some(provenance.clone());
        let mut more = check::check(&model);
        if let Some(optimization) = &optimization {
            more.extend(check::check_optimization(&model, optimization));
        }
        faults.extend(further(more, &broken));
        let mut faults = Faults { list: faults, provenance: Some(provenance.clone()) };
        if !faults.any_errors() {
            self.provenance.get_or_init(|| provenance);
            return Ok((model, optimization));
        }
        put_in_order(&mut faults, uncounted);
        Err(faults)
    }

    /// A value for one of the file's parameters, in SI units: a number or an expression with units and no names. Its unit must fit that of the parameter, if both have one.
    ///
    /// # Errors
    /// A parameter that the file does not have; a text that is no value, or one of another dimension.
    pub fn value(&self, parameter: &str, text: &str) -> Result<f64, Faults> {
        let refuse = |message: String, help: Option<String>| {
            let fault = Fault { help, ..Fault::error(format!("parameters.{parameter}"), message) };
            Err(Faults { list: vec![fault], provenance: None })
        };
        let mut reader = self.reader(&[]);
        if let Value::Table(entries) = &self.root.value
            && let Some((key, node)) = entries.iter().find(|(key, _)| key.name == "parameters")
        {
            reader.entry(key, node, |reader| parameters::resolve(node, reader));
        }
        let Some(own) = reader.parameters.get(parameter) else {
            let mut known: Vec<&str> = reader.parameters.keys().map(String::as_str).collect();
            known.sort_unstable();
            let help = nearest(parameter, known).or_else(|| Some("define it under [parameters]".into()));
            return refuse(format!("the model has no parameter `{parameter}` to give a value to"), help);
        };
        let wrong = |problem: Problem| refuse(format!("`{text}`: {}", problem.message), problem.help);
        let expression = match Expression::compile(text) {
            Ok(expression) if expression.references.is_empty() && expression.tables.is_empty() => expression,
            Ok(_) => return refuse(format!("`{text}` is not a number: a value uses no names"), None),
            Err(problem) => return wrong(problem),
        };
        let unknown = |_| Quantity { value: f64::NAN, state: State::Unknown };
        let found = match evaluate(&expression, unknown) {
            Ok(found) => found,
            Err(problem) => return wrong(problem),
        };
        if !found.value.is_finite() {
            return refuse(format!("`{text}` is not finite"), None);
        }
        if let (Some(own), Some(found)) = (own.state.dims(), found.state.dims())
            && own != found
        {
            return refuse(format!("`{parameter}` is {own}, but `{text}` is {found}"), None);
        }
        Ok(found.value)
    }

    pub(super) fn reader<'a>(&'a self, values: &'a [(&'a str, f64)]) -> Reader<'a> {
        let mut reader = Reader::new(&self.text, reading::dims);
        reader.uncounted = self.uncounted;
        (reader.overrides, reader.folder) = (values, self.folder.as_deref());
        reader.files = Some(&self.tables);
        reader
    }
}
