//! Beams of a mechanism: their sections, and the elements between them.

use super::attach::Attach;
use crate::interactions::{Action, Beam, BeamSection, GaussPoint, NamedAction, shapes};
use crate::model::abscissas;
use std::collections::HashMap;

/// A beam, compiled.
#[derive(Clone, Debug)]
pub struct MechanismBeam {
    /// Its name.
    pub name: String,
    /// The points of its sections, by their places among the points.
    pub points: Vec<usize>,
    /// The bodies that its sections are.
    pub bodies: Vec<usize>,
    /// Length of arc to each section as drawn, m.
    pub s: Vec<f64>,
    /// What acts between them.
    pub action: usize,
}

impl Attach<'_> {
    /// All beams of the model.
    pub(super) fn beams(&mut self) -> Vec<MechanismBeam> {
        let mechanism = self.mechanism;
        let mut beams = Vec::new();
        let Some(expansion) = mechanism.expansion.clone() else { return beams };
        let places: HashMap<&str, usize> =
            mechanism.bodies.iter().enumerate().map(|(b, body)| (body.name.as_str(), b)).collect();
        for (model, layout) in mechanism.model.beams.iter().zip(&expansion.beams) {
            let pieces = model.order.pieces();
            let bodies = layout.sections.iter().map(|s| places.get(s.body.as_str()).copied());
            let bodies: Option<Vec<usize>> = bodies.collect();
            let points: Option<Vec<usize>> =
                layout.sections.iter().map(|s| self.point_index(&s.point)).collect();
            let (Some(bodies), Some(points)) = (bodies, points) else { continue };
            if layout.elements.is_empty() {
                continue; // what cannot be laid out has been refused
            }
            let sections = layout.sections.iter().zip(&bodies);
            let mut beam = Beam {
                sections: sections.map(|(s, &b)| BeamSection { body: Some(b), axes: s.axes }).collect(),
                pieces,
                firsts: layout.elements.iter().map(|element| element.first).collect(),
                points: Vec::new(),
                pairs: Vec::new(),
                damping: model.damping,
                planar: mechanism.model.dimension.is_planar(),
            };
            for element in &layout.elements {
                for (&x, section) in abscissas(pieces).iter().zip(&element.sections) {
                    let (n, slope) = shapes(pieces, x, element.length);
                    let weight = element.length / pieces as f64;
                    let stiffness = section.stiffness;
                    beam.points.push(GaussPoint { weight, stiffness, drawn: [0.0; 6], n, slope });
                }
            }
            beam.settle(&layout.sections.iter().map(|s| s.at).collect::<Vec<_>>());
            let name = format!("beam.{}", model.name);
            self.list.actions.push(NamedAction { name, action: Action::Beam(Box::new(beam)) });
            beams.push(MechanismBeam {
                name: model.name.clone(),
                points,
                bodies,
                s: layout.sections.iter().map(|s| s.s).collect(),
                action: self.list.actions.len() - 1,
            });
        }
        beams
    }
}

impl MechanismBeam {
    /// Its mass, kg.
    pub fn mass(&self, mechanism: &super::Mechanism) -> f64 {
        self.bodies.iter().map(|&b| mechanism.bodies[b].particles.properties.mass).sum()
    }

    /// What acts between its sections.
    pub fn law<'m>(&self, mechanism: &'m super::Mechanism) -> Option<&'m Beam> {
        match &mechanism.interactions.actions[self.action].action {
            Action::Beam(beam) => Some(beam),
            _ => None,
        }
    }
}
