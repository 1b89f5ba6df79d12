//! Beams: their points, sections and stiffness.

use super::{Checker, Checks, Sign};
use crate::drawing::GROUND;
use crate::error::names::segment;
use crate::model::{Beam, BeamLayout, CrossSection, Fault, MAX_SECTIONS, Model, Severity, Unlaid};
use std::collections::HashSet;

/// Everything wrong with the beams of a model.
pub(super) fn check(model: &Model) -> Vec<Fault> {
    let mut checker = Checker::new(model);
    checker.beams();
    checker.faults
}

/// Whether sections can be made: nothing is an error.
pub(super) fn can_be_laid_out(faults: &[Fault]) -> bool {
    faults.iter().all(|fault| fault.severity != Severity::Error)
}

impl Checker<'_> {
    fn beams(&mut self) {
        let model = self.model;
        self.names("beams", model.beams.iter().map(|beam| beam.name.as_str()));
        let mut total = 0;
        for beam in &model.beams {
            let path = format!("beams.{}", segment(&beam.name));
            let before = self.faults.len();
            self.stations(beam, &path);
            self.clamps(beam, &path);
            self.breaks(beam, &path);
            self.beam_numbers(beam, &path);
            self.section_shape(beam, &path);
            if self.faults.len() > before {
                continue;
            }
            self.beam_stiffness(beam, &path);
            match BeamLayout::new(model, beam) {
                Ok(layout) => total += layout.sections.len(),
                Err(why) => self.unlaid(beam, &path, &why),
            }
        }
        if total > MAX_SECTIONS {
            let message = format!("all beams together have {total} sections, more than {MAX_SECTIONS}");
            self.error_with("beams", message, "take fewer elements");
        }
        self.names_of_sections();
        self.sections_stay();
    }

    fn stations(&mut self, beam: &Beam, path: &str) {
        let mut seen = HashSet::new();
        for (k, point) in beam.stations().enumerate() {
            let path = match k {
                0 => format!("{path}.from"),
                k if k <= beam.points.len() => format!("{path}.points[{}]", k - 1),
                _ => format!("{path}.to"),
            };
            if self.point(&path, point).is_some() && !seen.insert(point) {
                let help = "a ring is made of two beams";
                self.error_with(path, format!("the beam passes through `{point}` twice"), help);
            }
        }
    }

    fn clamps(&mut self, beam: &Beam, path: &str) {
        let model = self.model;
        for (end, point) in [&beam.from, &beam.to].into_iter().enumerate() {
            let Some(body) = beam.clamped_to(end) else { continue };
            let path = format!("{path}.clamp[{end}]");
            // a section of another beam
            let own = |other: &&Beam| other.name != beam.name && other.section_at(point) == body;
            if let Some(other) = model.beams.iter().find(|other| body == other.name) {
                let help = format!("name its section: \"{}\"", other.section_at(point));
                self.error_with(path, format!("`{body}` is a beam, not a body"), help);
            } else if model.beams.iter().filter(own).any(|other| other.stations().any(|p| p == point)) {
                continue;
            } else if self.held.contains_key(body) {
                if !self.holds(body, point) {
                    let message = format!("the point `{point}` is not a point of `{body}`");
                    let help = match body {
                        GROUND => format!("add `{point}` to `ground`"),
                        _ => format!("add `{point}` to the `points` of `{body}`"),
                    };
                    self.error_with(path, message, help);
                }
            } else {
                let bodies = model.bodies.iter().map(|b| b.name.as_str());
                let known = bodies.chain([GROUND, "none"]).collect();
                self.unknown(&path, "body", body, known);
            }
        }
    }

    fn breaks(&mut self, beam: &Beam, path: &str) {
        for (i, point) in beam.breaks_at.iter().enumerate() {
            let path = format!("{path}.breaks_at[{i}]");
            if beam.breaks_at[..i].contains(point) {
                self.error(path, format!("`{point}` is there twice"));
            } else if *point == beam.from || *point == beam.to {
                let help = "an end breaks off where it is clamped: `detach` its joint";
                self.error_with(path, format!("`{point}` is an end of the beam"), help);
            } else if !beam.points.contains(point) {
                let help = format!("add `{point}` to its `points`");
                self.error_with(path, format!("the beam does not pass through `{point}`"), help);
            }
        }
        for (key, given) in [("break_force", beam.break_force), ("break_moment", beam.break_moment)] {
            if given.is_some() && beam.breaks_at.is_empty() {
                let help = "say at which of its `points` it may break: `breaks_at`";
                self.error_with(format!("{path}.{key}"), "the beam breaks nowhere", help);
            }
        }
    }

    fn beam_numbers(&mut self, beam: &Beam, path: &str) {
        let one = |x: Option<f64>| x.map(|x| [x; 2]);
        let numbers = [
            ("youngs_modulus", one(beam.youngs_modulus)),
            ("density", one(beam.density)),
            ("axial_stiffness", one(beam.axial_stiffness)),
            ("shear_stiffness", beam.shear_stiffness),
            ("bending_stiffness", beam.bending_stiffness),
            ("torsional_stiffness", one(beam.torsional_stiffness)),
            ("mass_per_length", one(beam.mass_per_length)),
            ("break_force", one(beam.break_force)),
            ("break_moment", one(beam.break_moment)),
        ];
        for (key, values) in numbers {
            let Some([first, second]) = values else { continue };
            self.number(&format!("{path}.{key}"), first, Sign::Positive);
            if second.to_bits() != first.to_bits() {
                self.number(&format!("{path}.{key}"), second, Sign::Positive);
            }
        }
        self.number(&format!("{path}.damping"), beam.damping, Sign::NotNegative);
        self.sizes(&format!("{path}.twist"), "the twist", &[beam.twist]);
        if let Some(ratio) = beam.poisson_ratio.filter(|ratio| !(*ratio > -1.0 && *ratio <= 0.5)) {
            let message = format!("`poisson_ratio` must be more than -1 and at most 0.5, it is {ratio}");
            self.error(format!("{path}.poisson_ratio"), message);
        }
        if let Some(up) = beam.up {
            self.vector(&format!("{path}.up"), up);
            if up.iter().all(|x| x.abs() < crate::expressions::MIN_NUMBER) {
                self.error(format!("{path}.up"), "this is no direction: it is zero");
            }
        }
        if self.planar() {
            let only = [
                ("up", beam.up.is_some()),
                ("twist", beam.twist != 0.0),
                ("torsional_stiffness", beam.torsional_stiffness.is_some()),
            ];
            for (key, _) in only.iter().filter(|(_, given)| *given) {
                let message = format!("`{key}` is for beams in space, the model is planar");
                self.error_with(format!("{path}.{key}"), message, "leave it out");
            }
            for (key, values) in
                [("shear_stiffness", beam.shear_stiffness), ("bending_stiffness", beam.bending_stiffness)]
            {
                if values.is_some_and(|[a, b]| a.to_bits() != b.to_bits()) {
                    let message = format!("`{key}` has two values, a beam in the plane one");
                    self.error_with(format!("{path}.{key}"), message, "keep the one in the plane");
                }
            }
        }
        if beam.elements.is_some_and(|n| n == 0 || n > MAX_SECTIONS / beam.order.pieces()) {
            let (most, n) = (MAX_SECTIONS / beam.order.pieces(), beam.elements.unwrap_or(0));
            let message = format!("`elements` must be from 1 to {most}, it is {n}");
            self.error(format!("{path}.elements"), message);
        }
    }

    fn section_shape(&mut self, beam: &Beam, path: &str) {
        let Some(section) = &beam.section else { return };
        let path = format!("{path}.section");
        let sizes = [
            ("width", section.width),
            ("height", section.height),
            ("diameter", section.diameter),
            ("inner_diameter", section.inner_diameter),
        ];
        for (key, values) in sizes {
            let sign = if key == "inner_diameter" { Sign::NotNegative } else { Sign::Positive };
            for value in values.into_iter().flatten() {
                self.number(&format!("{path}.{key}"), value, sign);
            }
        }
        match (section.width, section.height, section.diameter, section.inner_diameter) {
            (Some(_), Some(_), None, None) | (None, None, Some(_), None) => {}
            (None, None, Some(outer), Some(inner)) => {
                if let Some(end) = (0..2).find(|&end| inner[end] >= outer[end]) {
                    let message = format!(
                        "the inner diameter {} m is not smaller than the diameter {} m",
                        inner[end], outer[end]
                    );
                    self.error(format!("{path}.inner_diameter"), message);
                }
            }
            _ => {
                let help = "give `width` and `height`; or `diameter`; or `diameter` and `inner_diameter`";
                self.error_with(path, "these sizes make no section", help);
            }
        }
    }

    fn beam_stiffness(&mut self, beam: &Beam, path: &str) {
        let planar = self.planar();
        if CrossSection::of(beam, 0.0, planar).is_some() {
            return;
        }
        let shape = beam.section.is_some();
        let modulus = beam.material.is_some() || beam.youngs_modulus.is_some();
        let density = beam.material.is_some() || beam.density.is_some();
        let elastic = shape && modulus;
        let mut missing = Vec::new();
        let wants = [
            ("axial_stiffness", !elastic && beam.axial_stiffness.is_none()),
            ("bending_stiffness", !elastic && beam.bending_stiffness.is_none()),
            ("torsional_stiffness", !elastic && !planar && beam.torsional_stiffness.is_none()),
            ("mass_per_length", !(shape && density) && beam.mass_per_length.is_none()),
        ];
        missing.extend(wants.iter().filter(|(_, missing)| *missing).map(|(key, _)| format!("`{key}`")));
        let message =
            format!("nobody knows how stiff and heavy this beam is: {} missing", missing.join(", "));
        let help = match (shape, modulus) {
            (true, false) => "give a `material`, or `youngs_modulus` and `density`",
            (true, true) => "give the `density`",
            _ => "give a `section` and a `material`, or these numbers",
        };
        self.error_with(path, message, help);
    }

    fn unlaid(&mut self, beam: &Beam, path: &str, why: &Unlaid) {
        match why {
            Unlaid::Point => {} // has been said
            Unlaid::Coincide(k) => {
                let names: Vec<&String> = beam.stations().collect();
                let message = format!("`{}` and `{}` coincide", names[*k], names[k + 1]);
                self.error_with(path, message, "draw them apart: the beam lies between them");
            }
            Unlaid::Along => {
                let message = "the beam runs along `up` somewhere, where its sections have no second axis";
                self.error_with(format!("{path}.up"), message, "give an `up` that is nowhere along the beam");
            }
            Unlaid::Many(n) => {
                let message = format!("these are {n} elements, too many");
                self.error(format!("{path}.elements"), message);
            }
            Unlaid::Infinite => {
                let message = "its length, its mass or its stiffness is too large to compute with";
                self.error_with(
                    path,
                    message,
                    "look at the units of its points, its section and its material",
                );
            }
        }
    }

    /// Sections are not taken away one by one: what is between them needs them all.
    fn sections_stay(&mut self) {
        let model = self.model;
        for change in &model.changes {
            for (i, name) in change.remove.iter().enumerate() {
                let beam = name.split_once('/').map(|(beam, _)| beam);
                if let Some(beam) = beam.filter(|beam| model.beams.iter().any(|b| b.name == *beam)) {
                    let path = format!("changes.{}.remove[{i}]", segment(&change.name));
                    let help = "open the joints that hold the beam instead: `detach`";
                    self.error_with(
                        path,
                        format!("`{name}` is a section of the beam `{beam}` and stays"),
                        help,
                    );
                }
            }
        }
    }

    /// Sections are called after their beam: `blade/1`, `blade/tip`.
    fn names_of_sections(&mut self) {
        let model = self.model;
        let beams: HashSet<&str> = model.beams.iter().map(|beam| beam.name.as_str()).collect();
        let points = model.points.iter().map(|point| ("points", point.name.as_str()));
        let bodies = model.bodies.iter().map(|body| ("bodies", body.name.as_str()));
        let chains = model.chains.iter().map(|chain| ("chains", chain.name.as_str()));
        for (table, name) in points.chain(bodies).chain(chains) {
            let taken = match table {
                "chains" => beams.contains(name).then_some(name),
                _ => name.split_once('/').map(|(beam, _)| beam).filter(|beam| beams.contains(beam)),
            };
            if let Some(beam) = taken {
                let message =
                    format!("names that begin with `{beam}/` are those of the sections of the beam `{beam}`");
                self.error_with(format!("{table}.{}", segment(name)), message, "choose another name");
            }
        }
    }
}
