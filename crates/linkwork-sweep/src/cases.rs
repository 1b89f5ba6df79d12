//! Cases with their results, as columns; and as the bytes of a part.
//!
//! A part is a Parquet file. Its metadata hold the hash of its own bytes, taken with zeros in the place of the hash: a part that differs in a single bit is known before
//! anything else of it is read.

use crate::{Error, Manifest};
use linkwork_formats::cells::{self, CellColumn, CellWriter, Cells};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaseStatus {
    /// It came to its end.
    Finished,
    /// Its run could not go on.
    Failed,
    /// Its values make the model impossible.
    Refused,
}

impl CaseStatus {
    /// The word in tables.
    pub fn name(self) -> &'static str {
        match self {
            CaseStatus::Finished => "finished",
            CaseStatus::Failed => "failed",
            CaseStatus::Refused => "refused",
        }
    }

    fn named(word: &str) -> Option<Self> {
        [CaseStatus::Finished, CaseStatus::Failed, CaseStatus::Refused].into_iter().find(|s| s.name() == word)
    }
}

/// Cases and what they gave, column by column.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    /// Their numbers in the plan.
    pub numbers: Vec<u64>,
    /// The values of each parameter.
    pub parameters: Vec<Vec<f64>>,
    /// The results; not a number where a case did not finish, or a result was not there.
    pub results: Vec<Vec<f64>>,
    /// How each ended.
    pub status: Vec<CaseStatus>,
    /// The code of what went wrong; empty where nothing did.
    pub codes: Vec<Cow<'static, str>>,
    /// What went wrong, in words, where this is known: the place of the case in this list, and the message.
    pub messages: Vec<(usize, String)>,
    /// How many ran side by side in lanes.
    pub in_lanes: usize,
    /// How many a device moved.
    pub on_device: usize,
    /// Why others ran here, where a device was to move them, and how many there are of each.
    pub not_on_device: BTreeMap<String, usize>,
}

/// The keys of a part's hash and of the hash of its plan, and how the place of a value of the metadata is found: the head that it has behind its key.
const HASH_KEY: &str = "linkwork.sha256";
const PLAN_KEY: &str = "linkwork.plan";
const VALUE_HEAD: [u8; 2] = [0x18, 64];
const HASH_LENGTH: usize = 64;

impl Cases {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// How many ended in a way.
    pub fn count(&self, status: CaseStatus) -> usize {
        self.status.iter().filter(|s| **s == status).count()
    }

    /// Puts the cases of another list in the place of those with the same numbers.
    pub(crate) fn replace(&mut self, with: &Cases) {
        for (from, number) in with.numbers.iter().enumerate() {
            let Some(to) = self.numbers.iter().position(|n| n == number) else { continue };
            self.status[to] = with.status[from];
            self.codes[to].clone_from(&with.codes[from]);
            for (old, new) in self.results.iter_mut().zip(&with.results) {
                old[to] = new[from];
            }
        }
    }

    /// The columns of a table: `case`, parameters, results, `status`, `code`.
    pub(crate) fn columns(&self, manifest: &Manifest) -> Vec<CellColumn> {
        let column =
            |name: &str, unit: &str, cells| CellColumn { name: name.into(), unit: unit.into(), cells };
        // a plan has at most 2^30 cases
        let numbers = self.numbers.iter().map(|n| i64::try_from(*n).unwrap_or(i64::MAX)).collect();
        let mut columns = vec![column("case", "", Cells::Integers(numbers))];
        for (name, values) in manifest.parameter_names().zip(&self.parameters) {
            columns.push(column(name, "", Cells::Numbers(values.clone())));
        }
        for (result, values) in manifest.columns.iter().zip(&self.results) {
            columns.push(column(&result.name, &result.unit, Cells::Numbers(values.clone())));
        }
        let status = self.status.iter().map(|status| status.name().to_owned()).collect();
        columns.push(column("status", "", Cells::Words(status)));
        columns.push(column("code", "", Cells::Words(self.codes.iter().map(|c| c.to_string()).collect())));
        columns
    }

    /// The bytes of a part.
    pub(crate) fn to_part(&self, manifest: &Manifest) -> Result<Vec<u8>, Error> {
        let columns = self.columns(manifest);
        let zeros = "0".repeat(HASH_LENGTH);
        let metadata = [(PLAN_KEY, manifest.hash.as_str()), (HASH_KEY, zeros.as_str())];
        let mut bytes = Vec::new();
        let mut writer = CellWriter::new(&columns, &metadata, &mut bytes)?;
        writer.group(&columns)?;
        writer.close()?;
        let Some(at) = place_of(HASH_KEY, &bytes) else {
            return Err(linkwork_formats::Error::Encoding {
                what: "a part",
                why: "its hash has no place".into(),
            }
            .into());
        };
        let hash = hash_of(&bytes, at);
        bytes[at..at + HASH_LENGTH].copy_from_slice(hash.as_bytes());
        Ok(bytes)
    }

    /// Reads a part and makes sure that it is whole, of this plan, and holds these cases.
    pub(crate) fn of_part(
        path: &Path,
        manifest: &Manifest,
        cases: std::ops::Range<u64>,
    ) -> Result<Cases, Error> {
        let again = "delete it and run the sweep again with --resume";
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let whole = place_of(HASH_KEY, &bytes)
            .is_some_and(|at| bytes.get(at..at + HASH_LENGTH) == Some(hash_of(&bytes, at).as_bytes()));
        if !whole {
            return Err(Error::damaged(path, format!("its bytes are not those that were written; {again}")));
        }
        let plan = place_of(PLAN_KEY, &bytes).and_then(|at| bytes.get(at..at + HASH_LENGTH));
        if plan != Some(manifest.hash.as_bytes()) {
            return Err(Error::damaged(path, format!("it belongs to another plan; {again}")));
        }
        drop(bytes);
        let list = cells::read(path)?;
        let names = || list.iter().map(|column| column.name.as_str());
        let wanted: Vec<&str> = std::iter::once("case")
            .chain(manifest.parameter_names())
            .chain(manifest.columns.iter().map(|column| column.name.as_str()))
            .chain(["status", "code"])
            .collect();
        if !names().eq(wanted.iter().copied()) {
            return Err(Error::damaged(path, format!("it has other columns than the plan; {again}")));
        }
        let mut found = Cases::default();
        let (mut numbers, mut words) = (Vec::new(), Vec::new());
        for column in list {
            match column.cells {
                Cells::Integers(list) => found.numbers = list.into_iter().map(|n| n.max(0) as u64).collect(),
                Cells::Numbers(list) => numbers.push(list),
                Cells::Words(list) => words.push(list),
            }
        }
        let count = manifest.parameter_names().count();
        found.results = numbers.split_off(count.min(numbers.len()));
        found.parameters = numbers;
        found.codes = words.pop().unwrap_or_default().into_iter().map(Cow::Owned).collect();
        let status = words.pop().unwrap_or_default();
        found.status = status.iter().filter_map(|word| CaseStatus::named(word)).collect();
        let complete = found.numbers.iter().copied().eq(cases) && found.status.len() == found.len();
        match complete && found.results.len() == manifest.columns.len() {
            true => Ok(found),
            false => Err(Error::damaged(path, format!("it holds other cases than its name says; {again}"))),
        }
    }
}

/// Where a hash stands in the metadata of a part.
fn place_of(key: &str, bytes: &[u8]) -> Option<usize> {
    let head = [key.as_bytes(), &VALUE_HEAD].concat();
    let at = bytes.windows(head.len()).rposition(|window| window == head)? + head.len();
    (at + HASH_LENGTH <= bytes.len()).then_some(at)
}

/// The hash of bytes in which the hash at a place counts as zeros.
fn hash_of(bytes: &[u8], at: usize) -> String {
    let mut hash = Sha256::new();
    hash.update(&bytes[..at]);
    hash.update("0".repeat(HASH_LENGTH));
    hash.update(&bytes[at + HASH_LENGTH..]);
    crate::manifest::hexadecimal(&hash.finalize())
}
