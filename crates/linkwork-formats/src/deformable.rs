//! Bodies that deform, as faces with colours: beams swept along their sections, surfaces of modal bodies.

use crate::Error;
use crate::drawing::Colour;
use crate::geometry::{Vector, add, cross, scaled, sub, turned, unit};
use crate::motion::{Motion, placement};
use crate::solid::Face;
use linkwork_scene::scene::deformable::{
    BEAM_FIELDS, Beam, Field, MODAL_FIELDS, ModalBody, Ring, Unpacked, scale_colour,
};
use linkwork_scene::{Section, Snapshot};

/// A scale of colours: what it shows, and from where to where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// What.
    pub field: Field,
    /// The value of its first and of its last colour.
    pub range: [f64; 2],
    /// Its place among the values of a beam or a modal body.
    place: usize,
}

/// A face, and its colour unless it has that of its owner.
pub type Shaded = (Face, Option<Colour>);

impl Scale {
    /// The colour of a value.
    pub fn colour(&self, value: f64) -> Colour {
        let [low, high] = self.range;
        let [r, g, b] = scale_colour(self.field.signed, (value - low) / (high - low));
        Colour { r, g, b, a: 255 }
    }

    /// For the largest size of its values; nothing where there are none.
    fn up_to(field: Field, place: usize, largest: f64) -> Option<Self> {
        let low = if field.signed { -largest } else { 0.0 };
        (largest > 0.0 && largest.is_finite()).then_some(Scale { field, range: [low, largest], place })
    }
}

/// What colours show of a motion, and how much deformations of modal bodies are enlarged.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    /// Of beams; nothing where each has one colour.
    pub beams: Option<Scale>,
    /// Of modal bodies.
    pub bodies: Option<Scale>,
    /// Displacements of modal bodies times this.
    pub enlarged: f64,
    /// The numbers of the surfaces.
    surfaces: Vec<Option<Unpacked>>,
}

impl Default for Looks {
    fn default() -> Self {
        Looks { beams: None, bodies: None, enlarged: 1.0, surfaces: Vec::new() }
    }
}

/// No colours: the word that options have for it.
pub const NO_FIELD: &str = "none";

impl Looks {
    /// Those of a motion: the fields with these keys, or where there are none the change of curvature of beams and the stress of modal bodies, or where that is not known their
    /// displacement.
    pub fn of(motion: &Motion, keys: &[String], enlarged: f64) -> Result<Looks, Error> {
        let scene = &motion.scene;
        let surfaces: Vec<Option<Unpacked>> = scene.modal_bodies.iter().map(ModalBody::unpacked).collect();
        let mut looks = Looks { enlarged, surfaces, ..Looks::default() };
        let stressed = scene.modal_bodies.iter().any(|body| body.stresses.is_some());
        let usual = [BEAM_FIELDS[0].key, MODAL_FIELDS[usize::from(stressed)].key].map(String::from);
        let keys = if keys.is_empty() { &usual[..] } else { keys };
        for key in keys.iter().filter(|key| *key != NO_FIELD) {
            if let Some(place) = BEAM_FIELDS.iter().position(|field| field.key == key) {
                let values = motion.poses.iter().flat_map(|pose| pose.beams.iter().flatten());
                let largest = values.map(|section| section.values[place].abs()).fold(0.0, f64::max);
                looks.beams = Scale::up_to(BEAM_FIELDS[place], place, largest);
            } else if let Some(place) = MODAL_FIELDS.iter().position(|field| field.key == key) {
                looks.bodies = Scale::up_to(MODAL_FIELDS[place], place, looks.largest(motion, place));
            } else {
                let known: Vec<&str> = BEAM_FIELDS.iter().chain(&MODAL_FIELDS).map(|f| f.key).collect();
                let message =
                    format!("colours do not show `{key}`; they show {} or {NO_FIELD}", known.join(", "));
                return Err(Error::Empty(message));
            }
        }
        Ok(looks)
    }

    /// The largest value of a field of modal bodies, over some of the poses.
    fn largest(&self, motion: &Motion, place: usize) -> f64 {
        let poses = motion.poses.iter().step_by(motion.poses.len() / 300 + 1).chain(motion.poses.last());
        let values = poses.flat_map(|pose| {
            let bodies = motion.scene.modal_bodies.iter().zip(&self.surfaces).zip(&pose.amplitudes);
            bodies.flat_map(|((body, numbers), amplitudes)| {
                let bent = numbers.as_ref().map(|numbers| body.bent(numbers, amplitudes));
                bent.unwrap_or_default().into_iter().map(|(_, values)| values[place])
            })
        });
        values.fold(0.0, f64::max)
    }

    /// The scales that a picture has to explain.
    pub fn scales(&self) -> impl Iterator<Item = &Scale> {
        self.beams.iter().chain(&self.bodies)
    }

    /// Whether there is a surface that deformations could be seen on.
    pub fn has_surfaces(&self) -> bool {
        !self.surfaces.is_empty()
    }

    /// The faces of a beam with the colours that they have, where these are not all one; and its edges.
    pub fn beam(&self, beam: &Beam, sections: &[Section]) -> (Vec<Shaded>, Vec<Vec<Vector>>) {
        let rings = beam.swept(sections);
        let outline = beam.outline();
        let sides: Vec<[usize; 2]> = match beam.round {
            true => (0..outline.len()).map(|k| [k, (k + 1) % outline.len()]).collect(),
            false => (0..outline.len()).step_by(2).map(|k| [k, k + 1]).collect(),
        };
        let colour = |value: f64| self.beams.map(|scale| scale.colour(value));
        let value = |ring: &Ring| self.beams.map_or(0.0, |scale| ring.values[scale.place]);
        let mut faces = Vec::new();
        for pair in rings.windows(2) {
            let shade = colour(0.5 * (value(&pair[0]) + value(&pair[1])));
            for [i, j] in &sides {
                let corners = [(0, i), (0, j), (1, j), (1, i)].map(|(r, k)| pair[r].place(outline[*k].0));
                let normals =
                    [(0, i), (0, j), (1, j), (1, i)].map(|(r, k)| unit(pair[r].direction(outline[*k].1)));
                faces.push((Face { corners: corners.into(), normals: normals.into() }, shade));
            }
        }
        let mut lines = Vec::new();
        for (ring, backwards) in [(rings.first(), true), (rings.last(), false)] {
            let Some(ring) = ring else { continue };
            let mut corners: Vec<Vector> = sides.iter().map(|[i, _]| ring.place(outline[*i].0)).collect();
            let mut loop_ = corners.clone();
            loop_.extend(corners.first().copied());
            lines.push(loop_);
            let mut normal = unit(cross(ring.across[0], ring.across[1]));
            if backwards {
                corners.reverse();
                normal = scaled(normal, -1.0);
            }
            faces.push((Face { corners, normals: vec![normal] }, colour(value(ring))));
        }
        if !beam.round {
            lines.extend(
                sides.iter().map(|[i, _]| rings.iter().map(|ring| ring.place(outline[*i].0)).collect()),
            );
        }
        (faces, lines)
    }

    /// The axis of a beam as short lines with their colours.
    pub fn axis(&self, beam: &Beam, sections: &[Section]) -> Vec<([Vector; 2], Option<Colour>)> {
        let rings = beam.swept(sections);
        let value = |ring: &Ring, scale: &Scale| ring.values[scale.place];
        let line = |pair: &[Ring]| {
            let shade = self
                .beams
                .map(|scale| scale.colour(0.5 * (value(&pair[0], &scale) + value(&pair[1], &scale))));
            ([pair[0].at, pair[1].at], shade)
        };
        rings.windows(2).map(line).collect()
    }

    /// The faces of a modal body, and its edges.
    pub fn surface(
        &self,
        index: usize,
        body: &ModalBody,
        pose: &Snapshot,
    ) -> (Vec<Shaded>, Vec<Vec<Vector>>) {
        let known = || {
            let numbers = self.surfaces.get(index)?.as_ref()?;
            let amplitudes = pose.amplitudes.get(index).filter(|list| list.len() == body.modes)?;
            Some((numbers, amplitudes, placement(body.body, pose)?))
        };
        let Some((numbers, amplitudes, at)) = known() else { return Default::default() };
        let values: Vec<f64> = match self.bodies {
            Some(scale) => {
                body.bent(numbers, amplitudes).into_iter().map(|(_, values)| values[scale.place]).collect()
            }
            None => Vec::new(),
        };
        let larger: Vec<f64> = amplitudes.iter().map(|x| x * self.enlarged).collect();
        let bent = body.bent(numbers, &larger);
        let places: Vec<Vector> =
            bent.into_iter().map(|(place, _)| add(at.at, turned(at.quat_wxyz, place))).collect();
        let face = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|k| places[k as usize]);
            let normal = unit(cross(sub(b, a), sub(c, a)));
            let mean = |values: &[f64]| triangle.iter().map(|&k| values[k as usize]).sum::<f64>() / 3.0;
            let shade = self.bodies.map(|scale| scale.colour(mean(&values)));
            (Face { corners: vec![a, b, c], normals: vec![normal] }, shade)
        };
        let lines = body.edges.iter().map(|pair| pair.iter().map(|&k| places[k as usize]).collect());
        (body.triangles.iter().map(face).collect(), lines.collect())
    }
}
