//! Chains.

use super::super::chain_tables::{ChainContactTable, ChainDragTable, ChainTable, PayOutTable};
use crate::file::writing::context::Context;
use crate::file::writing::item::{Entry, Item, are, is};
use crate::model::{Chain, ChainContact, ChainDrag, ChainKind, Lumping, PayOut, PayOutLaw, SupplyEnd};

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
        .maybe("pay_out", pay_out.as_ref().map(|pay_out| self::pay_out(pay_out, context)))
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

fn pay_out(pay_out: &PayOut, context: &Context<'_>) -> Item {
    let PayOut { law, pick_up, exit_tension, supply, at_end } = pay_out;
    let entry = Entry::new(PayOutTable::KEYS);
    let entry = match law {
        PayOutLaw::Follows => entry,
        PayOutLaw::Length(length) => entry.set("length", length),
        PayOutLaw::Winch(winch) => {
            entry.set("winch", Item::from(crate::file::keys::Keys::write(winch, context)))
        }
    };
    entry
        .unless(is(*pick_up, PayOut::follows().pick_up), "pick_up", *pick_up)
        .unless_zero("exit_tension", *exit_tension, "N")
        .maybe("supply", supply.map(|length| Item::Quantity(length, "m")))
        .unless(*at_end == SupplyEnd::Tied, "at_end", at_end.name())
        .into()
}
