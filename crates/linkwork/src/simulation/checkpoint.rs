//! A run under way as bytes: all that the rest of it depends on.
//!
//! A checkpoint is taken between two steps, when the rows and events so far have been shown. It holds the stepper with the method's history, what the
//! formulation remembers, what events watch, the counted turns of joints, the sums of the summary and the next row's number, each number with
//! all its bits. So the rest of the run has the bits that it would have had without the interruption.
//!
//! One file, little-endian, without padding:
//!
//! ```text
//!   20 bytes   "linkwork checkpoint\n"
//!    4         number of the format
//!   string     version of Linkwork
//!    8         fingerprint of the model, its settings aside
//!   string     name of the model
//!   string     the settings
//!    8, 8, 8   time reached (s), rows and events so far
//!   string     what the one who took it adds: where result files ended, say
//!   string     the state
//!    8         fingerprint of all bytes before
//! ```
//!
//! A string is its length in 8 bytes and its bytes. It is read by the very version of Linkwork that wrote it only: another one need not give the same bits.

use super::ledger::Ledger;
use super::run::{Run, row_time};
use crate::Error;
use crate::error::CheckpointError;
use crate::formulations::Formulate;
use crate::keep::{Bytes, Damaged, Fingerprint, Keep};
use crate::mechanism::Mechanism;
use crate::model::{Formulation, Integrator, Model, Settings};
use crate::topology::Topology;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

const HEAD: &[u8] = b"linkwork checkpoint\n";
/// Changes with everything that a state holds.
const FORMAT: u32 = 9;

/// A run under way. Get one from [`Observer::checkpoint`](super::Observer::checkpoint), go on with
/// [`Mechanism::resume`](crate::mechanism::Mechanism::resume).
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    model: u64,
    name: String,
    settings: Vec<String>,
    t: f64,
    rows: u64,
    events: u64,
    /// For whoever took it: comes back as it is.
    pub note: Vec<u8>,
    state: Vec<u8>,
}

impl Checkpoint {
    /// Time reached, s.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// Rows shown before it.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Events shown before it.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Whether a run of this mechanism, with the settings of its model, can go on from here. What counts is the model as its author wrote it, not the points and bodies that stand
    /// for its chains, nor what of it is there at the moment.
    ///
    /// # Errors
    /// [`CheckpointError::OtherModel`], [`CheckpointError::OtherSettings`].
    pub fn belongs_to(&self, mechanism: &Mechanism) -> Result<(), CheckpointError> {
        let model = mechanism.author_model();
        if fingerprint(model) != self.model {
            return Err(CheckpointError::OtherModel { theirs: self.name.clone() });
        }
        let now = settings(mechanism);
        if now == self.settings {
            return Ok(());
        }
        let pairs = self.settings.iter().zip(&now).filter(|(theirs, ours)| theirs != ours);
        let differences = pairs.map(|(theirs, ours)| format!("{theirs} there, {ours} here")).collect();
        Err(CheckpointError::OtherSettings { differences })
    }

    /// The whole file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = HEAD.to_vec();
        FORMAT.keep(&mut out);
        env!("CARGO_PKG_VERSION").to_string().keep(&mut out);
        self.model.keep(&mut out);
        self.name.keep(&mut out);
        self.settings.keep(&mut out);
        self.t.keep(&mut out);
        self.rows.keep(&mut out);
        self.events.keep(&mut out);
        self.note.keep(&mut out);
        self.state.keep(&mut out);
        Fingerprint::of(&out).0.keep(&mut out);
        out
    }

    /// From the bytes of a file.
    ///
    /// # Errors
    /// [`CheckpointError`], if it is none, damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let Some(rest) = bytes.strip_prefix(HEAD) else { return Err(CheckpointError::NotOne) };
        let cut = |_| CheckpointError::Damaged { why: "it ends too early" };
        let mut from = Bytes::new(rest);
        let format = u32::recalled(&mut from).map_err(cut)?;
        let theirs = String::recalled(&mut from).map_err(cut)?;
        let ours = env!("CARGO_PKG_VERSION");
        if theirs != ours || format != FORMAT {
            let number = |version: &str, format: u32| format!("{version} (format {format})");
            return Err(CheckpointError::OtherVersion {
                theirs: number(&theirs, format),
                ours: number(ours, FORMAT),
            });
        }
        let (body, end) = bytes.split_last_chunk::<8>().ok_or(Damaged).map_err(cut)?;
        if Fingerprint::of(body).0 != u64::from_le_bytes(*end) {
            return Err(CheckpointError::Damaged { why: "its bytes are not those that were written" });
        }
        let read = |from: &mut Bytes<'_>| {
            Ok(Checkpoint {
                model: u64::recalled(from)?,
                name: String::recalled(from)?,
                settings: Vec::recalled(from)?,
                t: f64::recalled(from)?,
                rows: u64::recalled(from)?,
                events: u64::recalled(from)?,
                note: Vec::recalled(from)?,
                state: Vec::recalled(from)?,
            })
        };
        let checkpoint = read(&mut from).map_err(cut)?;
        if from.left() != end.len() {
            return Err(CheckpointError::Damaged { why: "it is longer than it should be" });
        }
        Ok(checkpoint)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Checkpoint`] as [`from_bytes`](Self::from_bytes).
    pub fn read(file: impl AsRef<Path>) -> Result<Self, Error> {
        let file = file.as_ref();
        let bytes =
            std::fs::read(file).map_err(|source| Error::Io { file: file.display().to_string(), source })?;
        Ok(Self::from_bytes(&bytes)?)
    }
}

/// Of all that a model says, but for its settings and where it stands in a file.
fn fingerprint(model: &Model) -> u64 {
    let bare = Model { settings: Settings::default(), provenance: None, ..model.clone() };
    let mut print = Fingerprint::default();
    // floats are written with as many digits as tell them from all others
    let _ = write!(print, "{bare:?}");
    print.0
}

/// Those of a run of a mechanism, which may be others than its author's, one by one, as `name: value`.
fn settings(mechanism: &Mechanism) -> Vec<String> {
    // the names in conditions are the author's
    let stop = &mechanism.author_model().settings.stop;
    let Settings {
        duration,
        output_step,
        initial,
        formulation,
        integrator,
        tolerance,
        order,
        step,
        spectral_radius,
        projection,
        contact_method,
        impact,
        sleep,
        sleep_speed,
        max_step,
        max_steps,
        stop: _,
    } = &mechanism.model.settings;
    let or = |x: Option<f64>| x.map_or("not given".to_string(), |x| x.to_string());
    vec![
        format!("duration {duration}"),
        format!("output_step {output_step}"),
        format!("initial {}", initial.name()),
        format!("formulation {}", formulation.name()),
        format!("integrator {}", integrator.name()),
        format!("tolerance {tolerance}"),
        format!("order {order:?}"),
        format!("step {}", or(*step)),
        format!("spectral_radius {}", or(*spectral_radius)),
        format!("projection {projection:?}"),
        format!("contact_method {}", contact_method.name()),
        format!("impact {}", impact.name()),
        format!("sleep {}", or(*sleep)),
        format!("sleep_speed {}", or(*sleep_speed)),
        format!("max_step {}", or(*max_step)),
        format!("max_steps {max_steps}"),
        format!("stop {stop:?}"),
    ]
}

/// What had been chosen when a run was kept, into its ledger.
pub(super) fn recall_choices(state: &[u8], ledger: &mut Ledger) -> Result<Begun, CheckpointError> {
    let begun = Begun::recalled(&mut Bytes::new(state))?;
    ledger.formulation = begun.chosen(0, &Formulation::ALL, Formulation::name);
    ledger.integrator = begun.chosen(1, &Integrator::ALL, Integrator::name);
    Ok(begun)
}

impl Checkpoint {
    /// The mechanism that was running, if it is not the one that a run begins with. The ledger gets what had been chosen for it.
    pub(super) fn stage(
        &self,
        mechanism: &Mechanism,
        ledger: &mut Ledger,
    ) -> Result<Option<Mechanism>, CheckpointError> {
        let begun = recall_choices(&self.state, ledger)?;
        match &begun.structure[..] {
            [structure] => mechanism.resumed(structure, &begun).map(Some).map_err(|_| Damaged.into()),
            _ => Ok(None),
        }
    }
}

/// What a stage began with; nothing of a run's first one.
#[derive(Clone, Debug, Default)]
pub(super) struct Begun {
    pub structure: Vec<Topology>,
    pub t: f64,
    pub positions: Vec<f64>,
    pub velocities: Vec<f64>,
    /// Turns that were counted, and what was locked.
    pub hints: Vec<f64>,
    pub switches: Vec<bool>,
    /// Formulation and integrator, each with the reason if there is one: a stage may have them from the one before.
    pub choices: Vec<Vec<String>>,
}

crate::keep::keep!(Begun { structure, t, positions, velocities, hints, switches, choices });

impl Begun {
    /// What was chosen, if it is known.
    fn chosen<C: Copy>(
        &self,
        which: usize,
        all: &[C],
        name: impl Fn(C) -> &'static str,
    ) -> Option<Chosen<C>> {
        let (first, why) = self.choices.get(which)?.split_first()?;
        let choice = all.iter().copied().find(|&c| name(c) == first)?;
        Some((choice, why.first().cloned()))
    }
}

/// A choice and its reason.
type Chosen<C> = (C, Option<String>);

impl<F: Formulate> Run<'_, F> {
    /// The run as it stands, in bytes.
    pub(super) fn kept(&self) -> Vec<u8> {
        let mut state = Vec::new();
        // what runs may have been exchanged since the stage began
        let formulation = self.ledger.formulation.iter().map(|(f, why)| (f.name(), why));
        let choices = formulation
            .chain([(self.integrator.name(), &self.why)])
            .map(|(name, why)| [name.to_string()].into_iter().chain(why.clone()).collect())
            .collect();
        let begun = match &self.frame.stage {
            None => Begun { choices, ..Begun::default() },
            Some(stage) => Begun {
                structure: stage.topology().cloned().into_iter().collect(),
                t: stage.start_time,
                positions: stage.start_positions.clone(),
                velocities: stage.start_velocities.clone(),
                hints: stage.interactions.hint_starts.clone(),
                switches: stage.interactions.switches.clone(),
                choices,
            },
        };
        begun.keep(&mut state);
        self.stepper.keep(&mut state);
        self.ledger.keep(&mut state);
        self.singular.keep(&mut state);
        self.frame.keep(&mut state);
        (self.ledger.wall().as_nanos() as u64).keep(&mut state);
        self.events.iter().for_each(|events| events.keep(&mut state));
        self.system.keep(&mut state);
        self.acts.seen.keep(&mut state);
        state
    }

    /// The run as it stands, for a file.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        let model = self.mechanism.author_model();
        Checkpoint {
            model: fingerprint(model),
            name: model.name.clone(),
            settings: settings(self.mechanism),
            t: self.stepper.t(),
            rows: self.ledger.sums.rows(),
            events: self.ledger.event_count,
            note: Vec::new(),
            state: self.kept(),
        }
    }

    /// Puts a run that has just been made where the checkpoint was taken.
    pub(super) fn recall(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        self.recall_kept(&checkpoint.state)?;
        let sound = self.next_row_follows(checkpoint.t) && self.stepper.t() == checkpoint.t;
        if sound { Ok(()) } else { Err(Damaged.into()) }
    }

    /// As it stood when it was [`kept`](Self::kept).
    pub(super) fn recall_kept(&mut self, state: &[u8]) -> Result<(), CheckpointError> {
        let mut from = Bytes::new(state);
        Begun::recalled(&mut from)?;
        self.stepper.recall(&mut from)?;
        self.ledger.recall(&mut from)?;
        self.singular.recall(&mut from)?;
        self.frame.recall(&mut from)?;
        self.ledger.before = Duration::from_nanos(u64::recalled(&mut from)?);
        if let Some(events) = &mut self.events {
            events.recall(&mut from)?;
        }
        self.system.recall(&mut from)?;
        self.acts.seen.recall(&mut from)?;
        let seen = [0, self.mechanism.late.len()].contains(&self.acts.seen.len());
        self.narrow.forget();
        let balanced = !self.balances || self.ledger.balances.t() == self.stepper.t();
        let sound = from.left() == 0 && seen && balanced && self.frame.fits(self.mechanism);
        if sound { Ok(()) } else { Err(Damaged.into()) }
    }

    /// Whether the next row is the first that is due after a time at which a checkpoint was taken.
    fn next_row_follows(&self, t: f64) -> bool {
        let settings = &self.mechanism.model.settings;
        let (output_step, duration) = (settings.output_step, settings.duration);
        let Some(last) = self.ledger.k.checked_sub(1) else { return false };
        let last = row_time(last, output_step, duration);
        // an event that is this close to a row takes its place
        let was_shown = last <= t + 1e-9 * output_step;
        was_shown && (last >= duration || row_time(self.ledger.k, output_step, duration) >= t)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Observer, Status};
    use super::*;
    use crate::integrate::Stepper;
    use crate::model::{Body, Formulation, Integrator};
    use crate::results::Frame;
    use std::ops::ControlFlow;

    struct Taker(Option<Checkpoint>);

    impl Observer for Taker {
        fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
            assert!(frame.positions.iter().flatten().all(|x| x.is_finite()));
            ControlFlow::Continue(())
        }
        fn wants_checkpoint(&mut self, t: f64) -> bool {
            t > 0.3
        }
        fn checkpoint(&mut self, checkpoint: Checkpoint) -> ControlFlow<()> {
            self.0 = Some(checkpoint);
            ControlFlow::Break(())
        }
    }

    /// Every component of the state in turn.
    #[test]
    fn exact_a_state_that_is_not_finite_is_named() {
        let mut model = Model::planar("pendulum")
            .gravity([0.0, -9.81])
            .point("O", [0.0, 0.0])
            .point("A", [1.0, 0.0])
            .ground(["O"])
            .body(Body::rod("rod", ["O", "A"], 1.0));
        model.settings.integrator = Integrator::Dop853;
        model.settings.formulation = Formulation::Points;
        model.settings.duration = 1.0;
        let mechanism = model.assemble().unwrap();
        let mut taker = Taker(None);
        mechanism.run(&mut taker).unwrap();
        let checkpoint = taker.0.unwrap();
        let n = 2 * mechanism.coordinate_count() + 1;
        let mut stepper = Stepper::dop853(n, 1.0);
        let mut from = Bytes::new(&checkpoint.state);
        Begun::recalled(&mut from).unwrap();
        stepper.recall(&mut from).unwrap();
        let mut bits = Vec::new();
        stepper.y().to_vec().keep(&mut bits);
        let place = checkpoint.state.windows(bits.len()).position(|window| window == bits).unwrap();
        for i in 0..n {
            for bad in [f64::NAN, f64::INFINITY] {
                let mut spoiled = checkpoint.clone();
                let at = place + 8 * (i + 1); // behind the length
                spoiled.state[at..at + 8].copy_from_slice(&bad.to_le_bytes());
                let summary = mechanism.resume(&spoiled, &mut |_: &Frame| panic!("a row")).unwrap();
                let Status::Failed(failure) = summary.status else { panic!("{i}: {:?}", summary.status) };
                assert_eq!(failure.code, "not-finite");
                let name = if i + 1 == n { "the work" } else { "`A`" };
                let what = ["position", "velocity", "work"][2 * i / (n - 1)];
                let named =
                    failure.message.contains(what) && failure.message.contains(name.trim_matches('`'));
                assert!(named, "{i}: {}", failure.message);
                assert_eq!((failure.t, summary.rows), (checkpoint.t, checkpoint.rows));
            }
        }
    }
}
