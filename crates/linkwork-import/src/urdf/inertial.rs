//! Mass properties of a link.

use nalgebra::{Matrix3, Vector3};

use crate::fault::Fault;
use crate::notes::Report;
use crate::pose::Pose;
use crate::robot::Link;
use crate::xml::Element;

/// The link without its shapes. Its place in the world is found later.
pub(super) fn link(element: &Element, name: &str, report: &mut Report) -> Link {
    let mut link = Link::new(name, element.place.clone(), Pose::identity());
    if let Some(inertial) = element.child("inertial")
        && let Some((mass, com, inertia)) = report.take(properties(inertial, element))
    {
        (link.mass, link.com, link.inertia) = (mass, com, inertia);
    }
    link
}

/// Mass, centre of mass, and inertia about it along the link's axes.
fn properties(inertial: &Element, link: &Element) -> Result<(f64, Vector3<f64>, Matrix3<f64>), Fault> {
    let origin = super::origin(inertial)?;
    let mass = match inertial.child("mass") {
        Some(mass) => mass.number("value")?.ok_or_else(|| mass.fault("the attribute `value` is missing"))?,
        None => return Err(Fault { item: link.item(), ..inertial.fault("`<inertial>` has no `<mass>`") }),
    };
    if mass < 0.0 {
        let fault = inertial.fault(format!("the mass is {mass} kg"));
        return Err(Fault { item: link.item(), ..fault });
    }
    let mut matrix = Matrix3::zeros();
    if let Some(inertia) = inertial.child("inertia") {
        for (name, a, b) in
            [("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2)]
        {
            let value = inertia.number(name)?.unwrap_or(0.0);
            matrix[(a, b)] = value;
            matrix[(b, a)] = value;
        }
    }
    Ok((mass, origin.origin, origin.inertia(matrix)))
}
