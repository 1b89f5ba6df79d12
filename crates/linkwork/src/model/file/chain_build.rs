//! The tables of chains and changes into the model.
//!
//! What a model that was built may contradict as well is reported by its check.

use super::build::{Drawing, vector};
use super::chain_tables::{ChainDragTable, ChainTable, ChangeTable, PayOutTable};
use crate::error::names::segment;
use crate::file::decode::Reader;
use crate::model::{
    Chain, ChainContact, ChainDrag, ChainKind, Change, Fault, Lumping, PayOut, PayOutLaw, SupplyEnd,
};

/// A chain; one at fault keeps its ends, and is one that no check objects to.
pub(super) fn chain(name: String, table: ChainTable, drawing: &Drawing, reader: &mut Reader<'_>) -> Chain {
    let path = format!("chains.{}", segment(&name));
    let kind = table.kind.map_or_else(ChainKind::default, |choice| choice.0);
    if kind == ChainKind::Rods && table.masses.is_some() {
        let fault = Fault::error(format!("{path}.masses"), "rods have their mass along themselves");
        reader.reject(fault.help("leave `masses` out, or choose kind = \"lumped\""));
    }
    let drag = table.drag.map(|drag| self::drag(drag, &path, reader));
    let pay_out = table.pay_out.map(|pay_out| self::pay_out(pay_out, &path, reader));
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
        drag,
        contact: table.contact.map(|contact| ChainContact {
            surface: contact.surface.unwrap_or_default(),
            friction: contact.friction.map_or(0.0, |value| value.0),
            restitution: contact.restitution.map_or(0.0, |value| value.0),
        }),
        break_force: table.break_force.map(|value| value.0),
        pay_out,
    }
}

fn drag(table: ChainDragTable, path: &str, reader: &mut Reader<'_>) -> ChainDrag {
    let path = format!("{path}.drag");
    let broken = reader.broken.iter().any(|broken| crate::file::within(broken, &path));
    if table.normal.is_none() && table.tangential.is_none() && table.linear.is_none() && !broken {
        let fault = Fault::error(path, "drag needs a coefficient");
        reader.reject(fault.help("give `normal` or `tangential` with `diameter`, or `linear`"));
    }
    let default = ChainDrag::default();
    ChainDrag {
        density: table.density.map_or(default.density, |value| value.0),
        diameter: table.diameter.map_or(default.diameter, |value| value.0),
        normal: table.normal.map_or(default.normal, |value| value.0),
        tangential: table.tangential.map_or(default.tangential, |value| value.0),
        linear: table.linear.map_or(default.linear, |value| value.0),
        wind: table.wind.map_or(default.wind, |value| value.0),
    }
}

fn pay_out(table: PayOutTable, path: &str, reader: &mut Reader<'_>) -> PayOut {
    let path = format!("{path}.pay_out");
    let law = match (table.length, table.winch) {
        (Some(_), Some(_)) => {
            let fault = Fault::error(path, "`length` and `winch` both say how much is out");
            reader.reject(fault.help("keep one of the two; with neither it follows the motion"));
            PayOutLaw::Follows
        }
        (Some(length), None) => PayOutLaw::Length(length.0),
        (None, Some(winch)) => PayOutLaw::Winch(winch),
        (None, None) => PayOutLaw::Follows,
    };
    let default = PayOut::follows();
    PayOut {
        law,
        pick_up: table.pick_up.map_or(default.pick_up, |value| value.0),
        exit_tension: table.exit_tension.map_or(default.exit_tension, |value| value.0),
        supply: table.supply.map(|value| value.0),
        at_end: table.at_end.map_or(SupplyEnd::Tied, |choice| choice.0),
    }
}

/// Nothing if something of it could not be read; it has been reported.
pub(super) fn change(name: String, table: ChangeTable, reader: &Reader<'_>) -> Option<Change> {
    let path = format!("changes.{}", segment(&name));
    if reader.broken.iter().any(|broken| crate::file::within(broken, &path)) {
        return None;
    }
    let cut = table.cut.map_or(Vec::new(), |named| named.0);
    Some(Change {
        name,
        at: table.at.map(|value| value.0),
        when: table.when.map(|condition| condition.0),
        detach: table.detach.unwrap_or_default(),
        attach: table.attach.unwrap_or_default(),
        add: table.add.unwrap_or_default(),
        moving_with: table.moving_with,
        remove: table.remove.unwrap_or_default(),
        cut: cut.into_iter().filter_map(|(chain, at)| Some((chain, at?.0))).collect(),
    })
}
