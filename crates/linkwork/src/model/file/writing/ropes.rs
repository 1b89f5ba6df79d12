//! Chains.

use super::super::chain_tables::ChainTable;
use crate::file::keys::Kind;
use crate::file::writing::context::Context;
use crate::file::writing::item::{Entry, Item};
use crate::model::{Chain, ChainContact, ChainDrag, ChainKind, Lumping, PayOut};

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
        .maybe("drag", drag.as_ref().map(|drag| ChainDrag::write(drag, context)))
        .maybe("contact", contact.as_ref().map(|contact| ChainContact::write(contact, context)))
        .maybe("break_force", break_force.as_ref().map(newtons))
        .maybe("pay_out", pay_out.as_ref().map(|pay_out| PayOut::write(pay_out, context)))
        .into()
}
