//! The table of a chain into the model.
//!
//! What a model that was built may contradict as well is reported by its check.

use super::build::{Drawing, vector};
use super::chain_tables::ChainTable;
use crate::error::names::segment;
use crate::file::decode::Reader;
use crate::model::{Chain, ChainKind, Fault, Lumping};

/// A chain; one at fault keeps its ends, and is one that no check objects to.
pub(super) fn chain(name: String, table: ChainTable, drawing: &Drawing, reader: &mut Reader<'_>) -> Chain {
    let path = format!("chains.{}", segment(&name));
    let kind = table.kind.map_or_else(ChainKind::default, |choice| choice.0);
    if kind == ChainKind::Rods && table.masses.is_some() {
        let fault = Fault::error(format!("{path}.masses"), "rods have their mass along themselves");
        reader.reject(fault.help("leave `masses` out, or choose kind = \"lumped\""));
    }
    let direction =
        table.direction.map(|direction| vector(&direction.0, &format!("{path}.direction"), drawing, reader));
    if reader.broken.iter().any(|broken| crate::file::within(broken, &path)) {
        let plain = Chain::new(name, table.from.unwrap_or_default(), 1, 1.0);
        return match table.to {
            Some(to) => plain.to(to),
            None => plain.length(1.0).direction([1.0, 0.0]),
        };
    }
    Chain {
        name,
        from: table.from.unwrap_or_default(),
        to: table.to,
        direction,
        length: table.length.map(|value| value.0),
        segments: table.segments.map(crate::file::keys::Kind::value),
        segment_length: table.segment_length.map(|value| value.0),
        mass_per_length: table.mass_per_length.map_or(1.0, |value| value.0),
        kind,
        lumping: table.masses.map_or_else(Lumping::default, |choice| choice.0),
        stiffness: table.stiffness.map(|value| value.0),
        damping: table.damping.map_or(0.0, |value| value.0),
        bending_stiffness: table.bending_stiffness.map_or(0.0, |value| value.0),
        bending_damping: table.bending_damping.map_or(0.0, |value| value.0),
        drag: table.drag,
        contact: table.contact,
        break_force: table.break_force.map(|value| value.0),
        pay_out: table.pay_out,
    }
}
