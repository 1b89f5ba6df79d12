//! Parts and their markers.

use nalgebra::Matrix3;

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{End, InitialMotion, Link};

use super::tree::Node;
use super::{Marker, Reading};

/// Speeds below these are roundings of a solver, m/s and rad/s.
const STILL: f64 = 1e-12;

impl Reading<'_> {
    pub(super) fn part(
        &mut self,
        part: &Node,
        above: &str,
        frame: &Pose,
        report: &mut Report,
    ) -> Result<(), Fault> {
        let name = part.name()?;
        let pose = frame.then(&part.pose(self.unit)?);
        let number = self.robot.links.len();
        let mut link = Link::new(name, part.place.clone(), pose);
        match part.child("PrincipalMassMarker") {
            Some(marker) => {
                let own = marker.pose(self.unit)?;
                let mass = marker.number("Mass")?.unwrap_or(0.0);
                let moments = marker.vector("MomentOfInertias")?.unwrap_or_default();
                if mass < 0.0 {
                    return Err(part.fault(format!("the mass is {mass} kg")));
                }
                let inertia = Matrix3::from_diagonal(&moments) * self.unit.powi(2);
                (link.mass, link.com, link.inertia) = (mass, own.origin, own.inertia(inertia));
                if mass == 1.0 && moments.iter().all(|moment| *moment == 1.0) {
                    let what = "a mass of 1 and moments of inertia of 1, as FreeCAD writes where it has none";
                    report.note(Severity::Assumed, &marker.place, part.item(), what, "taken as they are");
                }
            }
            None => {
                report.note(Severity::Assumed, &part.place, part.item(), "no mass", "a body without mass")
            }
        }
        let speed = part.vector("Velocity3D")?.unwrap_or_default() * self.unit;
        let turn = part.vector("Omega3D")?.unwrap_or_default();
        if speed.norm() > STILL || turn.norm() > STILL {
            let [velocity, angular] = [speed, turn].map(|v| frame.direction(v));
            self.robot.initial_motions.push(InitialMotion {
                link: number,
                at: pose.origin,
                velocity,
                angular,
            });
        }
        self.robot.links.push(link);
        self.ref_points(part, &format!("{above}/{name}"), Some(number), &pose, report);
        Ok(())
    }

    /// Markers, which stand in reference points, which stand in a part or the assembly.
    pub(super) fn ref_points(
        &mut self,
        holder: &Node,
        above: &str,
        link: End,
        frame: &Pose,
        report: &mut Report,
    ) {
        let points = holder.child("RefPoints").map(|points| points.children.as_slice()).unwrap_or_default();
        for point in points {
            let Some(place) = report.take(point.pose(self.unit)) else { continue };
            let place = frame.then(&place);
            for marker in point.child("Markers").iter().flat_map(|markers| &markers.children) {
                let (Some(name), Some(own)) =
                    (report.take(marker.name()), report.take(marker.pose(self.unit)))
                else {
                    continue;
                };
                let marked = Marker { link, pose: place.then(&own) };
                if self.markers.insert(format!("{above}/{name}"), marked).is_some() {
                    report.fault(marker.fault("another marker here has this name"));
                }
            }
        }
        for list in ["RefCurves", "RefSurfaces"] {
            if let Some(node) = holder.child(list).filter(|node| !node.children.is_empty()) {
                report.note(Severity::LeftOut, &node.place, holder.item(), format!("`{list}`"), "left out");
            }
        }
    }

    /// A marker by what an element calls it.
    pub(super) fn marker(&self, element: &Node, key: &str) -> Result<Marker, Fault> {
        let name = element.value(key).ok_or_else(|| element.fault(format!("it has no `{key}`")))?;
        let found = self.markers.get(name);
        found
            .copied()
            .ok_or_else(|| element.fault(format!("there is no marker {}", crate::xml::quoted(name))))
    }
}
