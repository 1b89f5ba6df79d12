//! Cables and chains.

use super::super::chain_tables::{ChainContactTable, ChainDragTable, ChainTable, PayOutTable};
use super::super::force_tables::{CableTable, PulleyTable, WinchTable};
use crate::file::writing::context::Context;
use crate::file::writing::item::{Entry, Item, are, is};
use crate::model::{
    Cable, Chain, ChainContact, ChainDrag, ChainKind, Lumping, PayOut, PayOutLaw, Pulley, Side, SupplyEnd,
    Winch,
};

pub(super) fn cable(cable: &Cable, context: &Context<'_>) -> Item {
    let Cable {
        name: _,
        through,
        pulleys,
        axis,
        stiffness,
        damping,
        free_length,
        pushes,
        inextensible,
        winch,
    } = cable;
    // what holds it has to be given
    let nothing = is(*damping, 0.0) && !inextensible;
    Entry::new(CableTable::KEYS)
        .set("through", through)
        .unless(pulleys.is_empty(), "pulleys", Entry::named(pulleys.iter().map(pulley).collect()))
        .maybe("axis", axis.as_ref().map(|axis| Item::axis(axis, context.dimension)))
        .unless(is(*stiffness, 0.0) && !nothing, "stiffness", Item::Quantity(*stiffness, "N/m"))
        .unless_zero("damping", *damping, "N s/m")
        .maybe("free_length", free_length.map(|length| Item::Quantity(length, "m")))
        .unless(!pushes, "tension_only", !pushes)
        .unless(!inextensible, "inextensible", *inextensible)
        .maybe("winch", winch.as_ref().map(self::winch))
        .into()
}

fn pulley(pulley: &Pulley) -> (String, Item) {
    let Pulley { point, radius, side } = pulley;
    let side = match side {
        Side::Left => "left",
        Side::Right => "right",
    };
    let entry = Entry::new(PulleyTable::KEYS).set("radius", Item::Quantity(*radius, "m")).set("side", side);
    (point.clone(), entry.into())
}

fn winch(winch: &Winch) -> Item {
    let Winch { joint, coordinate, radius } = winch;
    Entry::new(WinchTable::KEYS)
        .set("joint", joint)
        .unless(*coordinate == 1, "coordinate", *coordinate)
        .set("radius", Item::Quantity(*radius, "m"))
        .into()
}

pub(super) fn chain(chain: &Chain, context: &Context<'_>) -> Item {
    let Chain {
        name: _,
        from,
        to,
        direction,
        length,
        segments,
        segment_length,
        mass_per_length,
        kind,
        lumping,
        stiffness,
        damping,
        bending_stiffness,
        bending_damping,
        drag,
        contact,
        break_force,
        pay_out,
    } = chain;
    let metres = |length: &f64| Item::Quantity(*length, "m");
    let newtons = |force: &f64| Item::Quantity(*force, "N");
    Entry::new(ChainTable::KEYS)
        .set("from", from)
        .maybe("to", to.as_ref())
        .maybe("direction", direction.as_ref().map(|v| Item::direction(v, context.dimension)))
        .maybe("length", length.as_ref().map(metres))
        .maybe("segments", *segments)
        .maybe("segment_length", segment_length.as_ref().map(metres))
        .set("mass_per_length", Item::Quantity(*mass_per_length, "kg/m"))
        .unless(*kind == ChainKind::default(), "kind", kind.name())
        .unless(*lumping == Lumping::default(), "masses", lumping.name())
        .maybe("stiffness", stiffness.as_ref().map(newtons))
        .unless_zero("damping", *damping, "N s")
        .unless_zero("bending_stiffness", *bending_stiffness, "N m^2")
        .unless_zero("bending_damping", *bending_damping, "N m^2 s")
        .maybe("drag", drag.as_ref().map(|drag| self::drag(drag, context)))
        .maybe("contact", contact.as_ref().map(self::contact))
        .maybe("break_force", break_force.as_ref().map(newtons))
        .maybe("pay_out", pay_out.as_ref().map(self::pay_out))
        .into()
}

fn drag(drag: &ChainDrag, context: &Context<'_>) -> Item {
    let ChainDrag { density, diameter, normal, tangential, linear, wind } = drag;
    let default = ChainDrag::default();
    // a coefficient has to be given
    let others = !is(*tangential, 0.0) || !is(*linear, 0.0);
    Entry::new(ChainDragTable::KEYS)
        .unless(is(*density, default.density), "density", Item::Quantity(*density, "kg/m^3"))
        .unless_zero("diameter", *diameter, "m")
        .unless(is(*normal, 0.0) && others, "normal", *normal)
        .unless(is(*tangential, 0.0), "tangential", *tangential)
        .unless_zero("linear", *linear, "N s/m^2")
        .unless(are(wind, [0.0; 3]), "wind", context.vector(wind))
        .into()
}

fn contact(contact: &ChainContact) -> Item {
    let ChainContact { surface, friction, restitution } = contact;
    Entry::new(ChainContactTable::KEYS)
        .set("surface", surface)
        .unless(is(*friction, 0.0), "friction", *friction)
        .unless(is(*restitution, 0.0), "restitution", *restitution)
        .into()
}

fn pay_out(pay_out: &PayOut) -> Item {
    let PayOut { law, pick_up, exit_tension, supply, at_end } = pay_out;
    let entry = Entry::new(PayOutTable::KEYS);
    let entry = match law {
        PayOutLaw::Follows => entry,
        PayOutLaw::Length(length) => entry.set("length", length),
        PayOutLaw::Winch(winch) => entry.set("winch", self::winch(winch)),
    };
    entry
        .unless(is(*pick_up, PayOut::follows().pick_up), "pick_up", *pick_up)
        .unless_zero("exit_tension", *exit_tension, "N")
        .maybe("supply", supply.map(|length| Item::Quantity(length, "m")))
        .unless(*at_end == SupplyEnd::Tied, "at_end", at_end.name())
        .into()
}
