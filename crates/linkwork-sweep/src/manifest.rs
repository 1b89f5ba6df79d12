//! What a sweep is, as `plan.json`: everything that its cases depend on.

use crate::plan::{Parameter, Plan};
use crate::study::Study;
use crate::{Changes, Error, Sampling, Values};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// The format of `plan.json`.
const FORMAT: u32 = 1;
/// A plan is no larger than this, bytes: a model of the largest size, escaped.
const MOST_BYTES: u64 = 64 << 20;

/// A sweep as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    /// The version of Linkwork that made it.
    pub linkwork: String,
    /// The hash of all that follows.
    pub hash: String,
    /// The model.
    pub model: ManifestModel,
    /// Settings that differ from those of the model.
    pub settings: Changes,
    /// Whether cases share their steps.
    pub lockstep: bool,
    /// The parameters and their values.
    pub parameters: Vec<ManifestParameter>,
    /// How cases are chosen.
    pub sample: Sampling,
    /// The seed of random numbers.
    pub seed: u64,
    /// How many cases there are.
    pub cases: u64,
    /// Cases in a part.
    pub part_size: u64,
    /// The results.
    pub columns: Vec<ManifestColumn>,
}

/// A model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestModel {
    /// Its name, as it was given.
    pub file: String,
    /// The SHA-256 of its text.
    pub hash: String,
    /// The SHA-256 of the tables that it reads from other files; empty if there are none.
    pub tables: String,
    /// The text.
    pub text: String,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestParameter {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestColumn {
    /// Its name, as in `max(energy.kinetic)`.
    pub name: String,
    /// Its unit.
    pub unit: String,
}

impl Manifest {
    /// What a study is, with so many cases in a part.
    pub fn new(study: &Study, part_size: u64) -> Manifest {
        let plan = study.plan();
        let file = study.file();
        let parameters = plan.parameters().iter().map(|parameter| ManifestParameter {
            name: parameter.name.clone(),
            values: parameter.values.clone(),
        });
        let columns =
            study.columns().map(|(name, unit)| ManifestColumn { name: name.into(), unit: unit.into() });
        let mut manifest = Manifest {
            format: FORMAT,
            linkwork: env!("CARGO_PKG_VERSION").into(),
            hash: String::new(),
            model: ManifestModel {
                file: file.name().into(),
                hash: hash(file.text().as_bytes()),
                tables: study.hash_of_tables(),
                text: file.text().into(),
            },
            settings: study.changes().clone(),
            lockstep: study.lockstep(),
            parameters: parameters.collect(),
            sample: plan.sampling(),
            seed: plan.seed(),
            cases: plan.cases(),
            part_size,
            columns: columns.collect(),
        };
        manifest.hash = manifest.own_hash();
        manifest
    }

    /// The hash of everything but itself and the name of the file.
    fn own_hash(&self) -> String {
        let mut bare = self.clone();
        bare.hash.clear();
        bare.model.file.clear();
        hash(serde_json::to_string(&bare).unwrap_or_default().as_bytes())
    }

    /// As the text of a file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read, or is not what was written.
    pub fn read(path: &Path) -> Result<Manifest, Error> {
        let length = std::fs::metadata(path).map_err(Error::io(path))?.len();
        if length > MOST_BYTES {
            return Err(Error::damaged(
                path,
                format!("it has {length} bytes, a plan has {MOST_BYTES} at most"),
            ));
        }
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let manifest: Manifest =
            serde_json::from_slice(&bytes).map_err(|error| Error::damaged(path, error.to_string()))?;
        if manifest.format != FORMAT {
            let why = format!("it has the format {}, this version reads {FORMAT}", manifest.format);
            return Err(Error::damaged(path, why));
        }
        let sound = manifest.hash == manifest.own_hash()
            && manifest.model.hash == hash(manifest.model.text.as_bytes())
            && manifest.part_size > 0
            && manifest.plan().is_ok_and(|plan| plan.cases() == manifest.cases);
        match sound {
            true => Ok(manifest),
            false => Err(Error::damaged(
                path,
                "its contents do not have its hash: it was changed after it was written",
            )),
        }
    }

    /// The plan.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn plan(&self) -> Result<Plan, Error> {
        let parameters = self.parameters.iter().cloned();
        let parameters = parameters.map(|p| Parameter { name: p.name, values: p.values }).collect();
        Plan::new(parameters, self.sample, self.seed)
    }

    /// The names of the parameters.
    pub fn parameter_names(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(|parameter| parameter.name.as_str())
    }

    /// How many parts there are.
    pub fn parts(&self) -> u64 {
        self.cases.div_ceil(self.part_size)
    }

    /// The cases of a part.
    pub fn cases_of(&self, part: u64) -> std::ops::Range<u64> {
        part * self.part_size..((part + 1) * self.part_size).min(self.cases)
    }

    /// The first thing in which another sweep differs, for people.
    pub(crate) fn difference(&self, other: &Manifest) -> Option<String> {
        let names = |m: &Manifest| m.columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>().join(",");
        let values = |m: &Manifest| {
            m.parameters.iter().map(|p| format!("{} = {:?}", p.name, p.values)).collect::<Vec<_>>().join(", ")
        };
        let differs = [
            ("the model", short(&self.model.hash), short(&other.model.hash)),
            ("the tables that the model reads", self.model.tables.clone(), other.model.tables.clone()),
            ("--set", values(self), values(other)),
            ("--sample", self.sample.to_string(), other.sample.to_string()),
            ("--seed", self.seed.to_string(), other.seed.to_string()),
            ("--columns", names(self), names(other)),
            ("--part-size", self.part_size.to_string(), other.part_size.to_string()),
            ("the settings", format!("{:?}", self.settings), format!("{:?}", other.settings)),
            ("--lockstep", self.lockstep.to_string(), other.lockstep.to_string()),
            ("the version of Linkwork", self.linkwork.clone(), other.linkwork.clone()),
        ];
        let found = differs.into_iter().find(|(_, own, other)| own != other);
        found.map(|(what, own, other)| format!("{what} is {own} there and {other} here"))
    }
}

/// As much of a hash as people compare.
fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}

/// The SHA-256 of bytes, in hexadecimal digits.
pub(crate) fn hash(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
