//! What pages get to see: the scene once, then frames.

use crate::stream::{Encoder, Quanta};
use linkwork::mechanism::Mechanism;
use linkwork::results::{Column, Frame, columns, row};
use linkwork::simulation::mechanism_json;
use linkwork_scene::{Poser, Scene};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Makes messages of frames.
pub(super) struct Feed {
    pub scene: Scene,
    poser: Poser,
    columns: Vec<Column>,
    places: HashMap<String, usize>,
    quanta: Quanta,
    encoder: Encoder,
    numbers: Vec<f64>,
}

impl Feed {
    /// For a mechanism as drawn.
    pub fn new(drawn: &Mechanism) -> Self {
        let (scene, columns) = (Scene::of(drawn), columns(drawn));
        let places = columns.iter().enumerate().map(|(i, column)| (column.name.clone(), i)).collect();
        let pull = drawn.model().gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
        let mass: f64 = drawn.bodies().iter().map(|body| body.particles.properties.mass).sum();
        // contacts mostly carry weights
        let quanta = Quanta::of(&scene, pull * mass);
        Self::with(scene, columns, places, quanta)
    }

    fn with(scene: Scene, columns: Vec<Column>, places: HashMap<String, usize>, quanta: Quanta) -> Self {
        let (poser, encoder) = (Poser::new(&scene), Encoder::new(&scene, quanta));
        Feed { scene, poser, columns, places, quanta, encoder, numbers: Vec::new() }
    }

    /// Whether pages see the same things with another one.
    pub fn shows_the_same(&self, other: &Feed) -> bool {
        self.scene == other.scene && self.columns == other.columns
    }

    /// For another mechanism of the same things.
    pub fn again(other: &Feed) -> Self {
        Self::with(other.scene.clone(), other.columns.clone(), other.places.clone(), other.quanta)
    }

    /// What a page needs to know before the first frame.
    pub fn data(&self, mechanism: &Mechanism, warnings: &[String]) -> Value {
        let columns: Vec<Value> =
            self.columns.iter().map(|column| json!({ "name": column.name, "unit": column.unit })).collect();
        let mut motion = json!(self.quanta);
        motion["frames"] = 0.into();
        json!({
            "format": 1,
            "kind": "live",
            "scene": self.scene,
            "summary": mechanism_json(mechanism),
            "warnings": warnings,
            "events": [],
            "table": { "columns": columns, "rows": 0 },
            "motion": motion,
        })
    }

    /// Where columns of these names stand.
    pub fn places(&self, names: &[String]) -> Vec<Option<usize>> {
        names.iter().map(|name| self.places.get(name).copied()).collect()
    }

    /// The parts of the messages of a frame: its motion is the same for all, values are taken from its row.
    pub fn take(&mut self, mechanism: &Mechanism, frame: &Frame) -> Shot<'_> {
        row(mechanism, frame, &mut self.numbers);
        let pose = self.poser.pose(mechanism, frame);
        let mut motion = Vec::new();
        self.encoder.encode_alone(&pose, &mut motion);
        Shot { t: frame.t, motion, row: &self.numbers }
    }
}

/// A frame on its way out.
pub(super) struct Shot<'a> {
    t: f64,
    motion: Vec<u8>,
    row: &'a [f64],
}

impl Shot<'_> {
    /// The message for somebody who watches these columns.
    pub fn message(&self, watched: &[Option<usize>]) -> Vec<u8> {
        let mut out = Vec::with_capacity(13 + 4 * watched.len() + self.motion.len());
        out.push(1);
        out.extend(self.t.to_le_bytes());
        out.extend((watched.len() as u32).to_le_bytes());
        for place in watched {
            let value = place.and_then(|i| self.row.get(i)).copied().unwrap_or(f64::NAN);
            out.extend((value as f32).to_le_bytes());
        }
        out.extend(&self.motion);
        out
    }
}
