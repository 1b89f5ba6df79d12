//! Springs, bushings, forces, couples and drag.

use super::super::force_tables::{BushingTable, DragTable, TorsionSpringTable};
use super::super::format::{CoupleTable, ForceTable, SpringTable};
use crate::file::writing::context::Context;
use crate::file::writing::item::{Entry, Item, are, is, numbers, once};
use crate::file::writing::number::RADIAN;
use crate::model::{ActsOn, Axes, Bushing, Couple, Dimension, Drag, Force, Formula, Spring, TorsionSpring};

pub(super) fn spring(spring: &Spring) -> Item {
    let Spring { name: _, between, stiffness, damping, free_length, law, table, tension_only, preload } =
        spring;
    // one of them has to be given
    let nothing = is(*damping, 0.0) && is(*preload, 0.0) && law.is_none() && table.is_none();
    Entry::new(SpringTable::KEYS)
        .set("between", between)
        .unless(is(*stiffness, 0.0) && !nothing, "stiffness", Item::Quantity(*stiffness, "N/m"))
        .unless_zero("damping", *damping, "N s/m")
        .maybe("free_length", free_length.map(|length| Item::Quantity(length, "m")))
        .maybe("law", law.as_ref())
        .maybe("table", table.as_ref())
        .unless(!tension_only, "tension_only", *tension_only)
        .unless_zero("preload", *preload, "N")
        .into()
}

pub(super) fn torsion_spring(spring: &TorsionSpring, context: &Context<'_>) -> Item {
    let TorsionSpring { name: _, of, stiffness, damping, free_angle, law, table, preload } = spring;
    let entry = Entry::new(TorsionSpringTable::KEYS);
    let entry = match of {
        ActsOn::Joint { joint, coordinate } => {
            entry.set("joint", joint).unless(*coordinate == 1, "coordinate", *coordinate)
        }
        ActsOn::Turn { bodies, axis } => entry
            .set("bodies", bodies)
            .maybe("axis", axis.as_ref().map(|axis| Item::axis(axis, context.dimension))),
        // no angle: the reader says that it acts on nothing
        ActsOn::Between(_) => entry,
    };
    let nothing = is(*damping, 0.0) && is(*preload, 0.0) && law.is_none() && table.is_none();
    entry
        .unless(is(*stiffness, 0.0) && !nothing, "stiffness", Item::Quantity(*stiffness, "N m/rad"))
        .unless_zero("damping", *damping, "N m s/rad")
        .maybe("free_angle", free_angle.map(|angle| Item::Quantity(angle, RADIAN)))
        .maybe("law", law.as_ref())
        .maybe("table", table.as_ref())
        .unless_zero("preload", *preload, "N m")
        .into()
}

pub(super) fn bushing(bushing: &Bushing, context: &Context<'_>) -> Item {
    let Bushing { name: _, bodies, at, axes, stiffness, damping, preload } = bushing;
    let dimension = context.dimension;
    let six = |six: &[f64; 6]| match dimension {
        Dimension::Planar => numbers(&[six[0], six[1], six[5]]),
        Dimension::Spatial => numbers(six),
    };
    let zeros = |six: &[f64; 6]| are(six, [0.0; 6]);
    let axes = axes.as_ref().map(|axes| axes.iter().map(|axis| Item::axis(axis, dimension)));
    Entry::new(BushingTable::KEYS)
        .set("bodies", bodies)
        .set("at", once(at))
        .maybe("axes", axes.map(|axes| Item::List(axes.collect())))
        .unless(zeros(stiffness), "stiffness", six(stiffness))
        .unless(zeros(damping), "damping", six(damping))
        .unless(zeros(preload), "preload", six(preload))
        .into()
}

/// Adds the axes that components are meant in.
pub(super) fn with_axes(entry: Entry, axes: Axes) -> Entry {
    entry.unless(axes == Axes::World, "axes", "body")
}

pub(super) fn force(force: &Force, context: &Context<'_>) -> Item {
    let Force { name: _, body, at, force, axes } = force;
    let entry = Entry::new(ForceTable::KEYS).set("body", body).maybe("at", at.as_ref());
    with_axes(entry.set("force", context.formulas(force)), *axes).into()
}

pub(super) fn couple(couple: &Couple, context: &Context<'_>) -> Item {
    let Couple { name: _, body, moment, axes } = couple;
    let moment = match context.dimension {
        Dimension::Planar => Item::from(&moment[2]),
        Dimension::Spatial => context.formulas(moment),
    };
    with_axes(Entry::new(CoupleTable::KEYS).set("body", body).set("moment", moment), *axes).into()
}

pub(super) fn drag(drag: &Drag, context: &Context<'_>) -> Item {
    let Drag { name: _, body, at, coefficient, linear, wind } = drag;
    let none = is(*coefficient, 0.0) && !is(*linear, 0.0);
    let wind = wind.as_ref().map(|wind: &[Formula; 3]| context.formulas(wind));
    Entry::new(DragTable::KEYS)
        .set("body", body)
        .maybe("at", at.as_ref())
        .unless(none, "coefficient", Item::Quantity(*coefficient, "kg/m"))
        .unless_zero("linear", *linear, "N s/m")
        .maybe("wind", wind)
        .into()
}
