//! Beams as drawn: outlines of the size of their sections, and the bodies that carry their named points.

use super::build::Drawing;
use super::deformable::Beam;
use linkwork::interactions::Beam as Law;
use linkwork::mechanism::MechanismBeam;
use linkwork::model::{self, BeamLayout, Model};

/// The outline is drawn so many times from one section to the next of a beam with few of them, and on all beams no more often than this.
const RINGS: usize = 4;
const MOST: usize = 2000;
/// No part of an outline is thinner than this part of the scene's unit, so that it is seen.
const THINNEST: f64 = 0.2;
/// A strain that is large, and a stress that belongs to it.
const LARGE_STRAIN: f64 = 1e-3;

/// Names of the sections at the points of beams: they carry those points.
pub(super) fn stations(model: &Model) -> Vec<String> {
    let of_beam =
        |beam: &model::Beam| beam.stations().map(|point| beam.section_at(point)).collect::<Vec<_>>();
    model.beams.iter().flat_map(of_beam).collect()
}

/// All beams.
pub(super) fn beams(drawing: &Drawing<'_>) -> Vec<Beam> {
    let all = &*drawing.all;
    let sections: usize = all.beams().iter().map(|beam| beam.points.len()).sum();
    let rings = (MOST / sections.max(1)).clamp(1, RINGS);
    let layouts = all.expansion().map_or(&[][..], |expansion| &expansion.beams);
    let beam = |compiled: &MechanismBeam| {
        let k = all.model().beams.iter().position(|beam| beam.name == compiled.name)?;
        let (said, layout, law) = (&all.model().beams[k], layouts.get(k)?, compiled.law(all)?);
        let half = outlines(said, layout, law, drawing.planar, drawing.unit);
        Some(Beam {
            name: compiled.name.clone(),
            colour: 0,
            pieces: law.pieces,
            // a straight stretch needs none in between, but no beam stays straight
            rings,
            round: !drawing.planar && is_round(said, law),
            large: large(law, &half),
            half,
        })
    };
    all.beams().iter().filter_map(beam).collect()
}

/// Half the sizes along axes 2 and 3 at each section: those of its shape, or of the shape that has its radii of gyration. In the plane what is across it is thin.
fn outlines(beam: &model::Beam, layout: &BeamLayout, law: &Law, planar: bool, unit: f64) -> Vec<[f64; 2]> {
    let least = THINNEST * unit;
    let at = |s: f64| {
        let part = s / layout.length;
        let size = |ends: Option<[f64; 2]>| ends.map(|[a, b]| 0.5 * (a + part * (b - a)));
        let section = beam.section.as_ref();
        let half = section.and_then(|section| match size(section.diameter) {
            Some(radius) => Some([radius; 2]),
            None => Some([size(section.height)?, size(section.width)?]),
        });
        half.unwrap_or_else(|| by_gyration(law, unit))
    };
    let bounded = |[y, z]: [f64; 2]| {
        let across = if planar { super::shapes::THIN * unit } else { z.max(least) };
        [y.max(least), across]
    };
    layout.sections.iter().map(|section| bounded(at(section.s))).collect()
}

/// Half the sizes of a rectangle or a disc with the same ratios of bending to axial stiffness, neither thread nor trunk.
fn by_gyration(law: &Law, unit: f64) -> [f64; 2] {
    let factor = if alike(law) { 4.0 } else { 3.0 };
    let half = |bending: f64, axial: f64| (factor * bending / axial).sqrt().clamp(0.2 * unit, 1.5 * unit);
    match law.points.first() {
        Some(point) => {
            [half(point.stiffness[5], point.stiffness[0]), half(point.stiffness[4], point.stiffness[0])]
        }
        None => [unit; 2],
    }
}

/// Whether it bends as easily about one axis as about the other.
fn alike(law: &Law) -> bool {
    law.points.iter().all(|point| (point.stiffness[4] / point.stiffness[5] - 1.0).abs() < 1e-6)
}

fn is_round(beam: &model::Beam, law: &Law) -> bool {
    match &beam.section {
        Some(section) => section.diameter.is_some(),
        None => alike(law),
    }
}

/// Values of the fields that belong to a large strain.
fn large(law: &Law, half: &[[f64; 2]]) -> [f64; 5] {
    let thick = half.iter().map(|[y, _]| *y).fold(f64::INFINITY, f64::min);
    let curvature = LARGE_STRAIN / thick;
    let largest = |i: usize| law.points.iter().map(|point| point.stiffness[i]).fold(0.0, f64::max);
    let values = [
        curvature,
        largest(5).max(largest(4)) * curvature,
        largest(0) * LARGE_STRAIN,
        largest(1).max(largest(2)) * LARGE_STRAIN,
        largest(3) * curvature,
    ];
    values.map(|x| if x.is_finite() && x > 0.0 { x } else { 1.0 })
}
