//! Tables, measures, couplings, drivers and impulses.

use super::super::format::{CouplingTable, CurveTable, DriverTable, MeasureTable};
use super::super::impulse_build::ImpulseTable;
use crate::file::writing::context::{Context, RATE, unit};
use crate::file::writing::item::{Entry, Item, are, is, numbers};
use crate::model::{Blow, Coupling, Driven, Driver, Extend, GROUND, Impulse, Interpolation, Measure, Table};

fn seconds(time: &f64) -> Item {
    Item::Quantity(*time, "s")
}

pub(super) fn table(table: &Table) -> Item {
    let (interpolation, extend) = (table.interpolation(), table.extend());
    Entry::new(CurveTable::KEYS)
        .set("x", numbers(table.x()))
        .set("y", numbers(table.y()))
        .unless(interpolation == Interpolation::default(), "interpolation", interpolation.name())
        .unless(extend == Extend::default(), "extend", extend.name())
        .into()
}

pub(super) fn measure(measure: &Measure) -> Item {
    let Measure { name: _, formula, unit } = measure;
    Entry::new(MeasureTable::KEYS).alone("value").set("value", formula).maybe("unit", unit.as_ref()).into()
}

pub(super) fn coupling(coupling: &Coupling) -> Item {
    let Coupling { name: _, terms } = coupling;
    let joints: Vec<Item> = terms.iter().map(|(joint, ..)| joint.into()).collect();
    let coordinates: Vec<Item> = terms.iter().map(|&(_, coordinate, _)| coordinate.into()).collect();
    let entry = Entry::new(CouplingTable::KEYS).set("joints", joints);
    let first = terms.iter().all(|(_, coordinate, _)| *coordinate == 1);
    let entry = entry.unless(first, "coordinates", coordinates);
    match &terms[..] {
        [(.., one), (.., factor)] if is(*one, 1.0) => entry.set("ratio", -factor),
        _ => entry.set("factors", numbers(&terms.iter().map(|(.., factor)| *factor).collect::<Vec<_>>())),
    }
    .into()
}

pub(super) fn driver(driver: &Driver, context: &Context<'_>) -> Item {
    let Driver { name: _, of, value } = driver;
    let entry = Entry::new(DriverTable::KEYS);
    let entry = match of {
        Driven::Joint { joint, coordinate } => {
            entry.set("joint", joint).unless(*coordinate == 1, "coordinate", *coordinate)
        }
        Driven::Point { point, component } => {
            // another component is none: the reader says so
            entry.set("point", point).set("component", *["x", "y", "z"].get(*component).unwrap_or(&"?"))
        }
        Driven::Body { body, against, axis } => entry
            .set("body", body)
            .unless(against == GROUND, "against", against)
            .maybe("axis", axis.as_ref().map(|axis| Item::axis(axis, context.dimension))),
    };
    entry.set("value", value).into()
}

pub(super) fn impulse(impulse: &Impulse, context: &Context<'_>) -> Item {
    let Impulse { name: _, at, gives } = impulse;
    let at = match &at[..] {
        [at] => seconds(at),
        _ => Item::List(at.iter().map(seconds).collect()),
    };
    let entry = Entry::new(ImpulseTable::KEYS).set("at", at);
    match gives {
        Blow::Strike { body, point, impulse, angular_impulse } => {
            let zero = |v: &[f64; 3]| are(v, [0.0; 3]);
            let turn = Item::turning(angular_impulse, "N m s", context.dimension);
            entry
                .maybe("point", point.as_ref())
                .maybe("body", body.as_ref())
                .unless(zero(impulse) && !zero(angular_impulse), "impulse", context.vector(impulse))
                .unless(zero(angular_impulse), "angular_impulse", turn)
                .into()
        }
        Blow::Rate { joint, coordinate, rate } => {
            let unit = unit(context.turns(joint, coordinate.unwrap_or(1)), RATE);
            entry
                .set("joint", joint)
                .maybe("coordinate", *coordinate)
                .set("rate", Item::Quantity(*rate, unit))
                .into()
        }
    }
}
