//! The loop for eight mechanisms side by side: that of a run, less everything that only one of them could do, such as events.

use super::summary::Pace;
use super::{observe, row_time};
use crate::formulations::recursive::{LaneTrouble, Lanes};
use crate::integrate::{Statistics, StepOutcome, Stepper, System};
use crate::mechanism::Mechanism;
use crate::results::Frame;

/// Runs the lanes, which share settings and corners of functions of time, and shows the rows of the first `mechanisms.len()` of them: all rows, or only
/// the last one. Anything that goes wrong in any lane ends the run.
pub(crate) fn drive_lanes(
    lanes: &mut Lanes<'_>,
    mechanisms: &[&Mechanism],
    mut stepper: Stepper,
    all_rows: bool,
    take: &mut dyn FnMut(usize, &Frame),
) -> Result<Statistics, LaneTrouble> {
    let first = mechanisms[0];
    let settings = &first.model.settings;
    let (output_step, duration) = (settings.output_step, settings.duration);
    let project = settings.projects();
    let mut view = View {
        mechanisms,
        frames: mechanisms.iter().map(|mechanism| Frame::new(mechanism)).collect(),
        one: Vec::new(),
        row: Vec::new(),
        take,
    };
    let mut y = lanes.start();
    let mut dy = vec![0.0; y.len()];
    let mut pace = Pace::new(settings);
    // joints that links do not count the turns of are counted from row to row
    let looks = all_rows || !lanes.lane(0).counts_turns();
    view.show(lanes, 0.0, &y, all_rows)?;
    stepper.start(lanes, 0.0, &y, first.next_edge(0.0)).map_err(|_| LaneTrouble)?;
    let mut k = 1;
    loop {
        let outcome = stepper.step(lanes).map_err(|_| LaneTrouble)?;
        let until = stepper.t();
        loop {
            let t = row_time(k, output_step, duration);
            if t > until || row_time(k - 1, output_step, duration) >= duration {
                break;
            }
            k += 1;
            if !(looks || t >= duration) {
                continue;
            }
            if t == until {
                y.copy_from_slice(stepper.y());
            } else {
                stepper.interpolate(lanes, t, &mut y).map_err(|_| LaneTrouble)?;
                if project {
                    lanes.project(t, &mut y, &mut dy)?;
                }
            }
            view.show(lanes, t, &y, all_rows || t >= duration)?;
        }
        if outcome == StepOutcome::Finished {
            if until >= duration {
                return Ok(*stepper.statistics());
            }
            // a corner of a function of time: the next stretch starts again
            y.copy_from_slice(stepper.y());
            stepper.set_end(first.next_edge(until));
            stepper.restart(lanes, until, &y).map_err(|_| LaneTrouble)?;
        }
        if pace.stalled(until, y.len(), stepper.statistics()).is_some() {
            return Err(LaneTrouble);
        }
    }
}

/// What shows rows.
struct View<'a> {
    mechanisms: &'a [&'a Mechanism],
    frames: Vec<Frame>,
    one: Vec<f64>,
    row: Vec<f64>,
    take: &'a mut dyn FnMut(usize, &Frame),
}

impl View<'_> {
    /// Observes a row of each lane and shows it, or lets joints count their turns and no more.
    fn show(&mut self, lanes: &mut Lanes<'_>, t: f64, y: &[f64], wanted: bool) -> Result<(), LaneTrouble> {
        for (k, (mechanism, frame)) in self.mechanisms.iter().zip(&mut self.frames).enumerate() {
            lanes.pick(y, k, &mut self.one);
            if wanted {
                observe(mechanism, lanes.lane(k), t, &self.one, frame, &mut self.row)
                    .map_err(|_| LaneTrouble)?;
                (self.take)(k, frame);
            } else {
                lanes.lane(k).count_joints(t, &self.one, frame);
            }
        }
        Ok(())
    }
}
