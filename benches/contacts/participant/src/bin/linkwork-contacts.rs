//! Linkwork as a participant: `linkwork-contacts MODEL.toml LIMIT` runs a model file and writes an [`Answer`] to standard output.
//! LIMIT is the CPU time, s, at which the run is cut off.

use contacts_participant::{Answer, cpu, timed};
use linkwork::linalg::vec3::Mat3;
use linkwork::simulation::{Observer, Status};
use linkwork::{Model, results::Frame};
use std::ops::ControlFlow;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let limit: f64 = arguments[2].parse().expect("a number");
    let answer = run(&arguments[1], limit);
    serde_json::to_writer(std::io::stdout(), &answer).expect("standard output is open");
}

/// Keeps poses, and ends the run at a limit of CPU time.
struct Watcher {
    t: Vec<f64>,
    poses: Vec<Vec<[f64; 13]>>,
    until: f64,
}

impl Observer for Watcher {
    fn row(&mut self, frame: &Frame) -> ControlFlow<()> {
        self.t.push(frame.t);
        self.poses.push(frame.motions.iter().map(pose).collect());
        if cpu() > self.until { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn run(file: &str, limit: f64) -> Answer {
    let mut answer = Answer::default();
    let (mechanism, setup, _) = timed(|| Model::from_file(file)?.assemble().map_err(linkwork::Error::from));
    answer.setup = setup;
    let mechanism = match mechanism {
        Ok(mechanism) => mechanism,
        Err(error) => {
            answer.status = format!("refused: {}", error.to_string().lines().take(6).collect::<Vec<_>>().join(" / "));
            return answer;
        }
    };
    let mut watcher = Watcher { t: Vec::new(), poses: Vec::new(), until: cpu() + limit };
    let (summary, cpu, wall) = timed(|| mechanism.run(&mut watcher));
    (answer.t, answer.poses) = (watcher.t, watcher.poses);
    (answer.cpu, answer.wall) = (cpu, wall);
    match summary {
        Err(faults) => answer.status = format!("refused: {faults}"),
        Ok(summary) => {
            summary.remarks.iter().for_each(|remark| eprintln!("{}", remark.message));
            answer.status = match &summary.status {
                Status::Finished => "finished".into(),
                Status::Stopped => format!("cut off at t = {:.3} s", summary.t),
                other => format!("failed at t = {:.4} s: {other:?}", summary.t),
            };
            answer.steps = summary.steps.accepted_steps as u64;
            if let Some(counts) = &summary.contact_steps {
                answer.contacts = counts.most;
                answer.own["overlap"] = counts.overlap.into();
                answer.own["velocity_residual"] = counts.residual.into();
                answer.own["sweeps"] = counts.sweeps.into();
                answer.own["contact_steps"] = counts.steps.into();
            }
            answer.own["energy_drift"] = summary.relative_energy_drift().into();
            answer.own["integrator"] = summary.integrator.name().into();
            answer.own["formulation"] = summary.formulation.name().into();
            answer.own["remarks"] = summary.remarks.iter().map(|r| r.code).collect::<Vec<_>>().into();
        }
    }
    answer
}

fn pose(motion: &linkwork::interactions::Motion) -> [f64; 13] {
    let ([x, y, z], [w, i, j, k]) = (motion.c, quaternion(&motion.turned));
    let (v, o) = (motion.v, motion.w);
    [x, y, z, w, i, j, k, v[0], v[1], v[2], o[0], o[1], o[2]]
}

/// The largest component first, so that nothing cancels.
fn quaternion(r: &Mat3) -> [f64; 4] {
    let squares = [
        1.0 + r[0][0] + r[1][1] + r[2][2],
        1.0 + r[0][0] - r[1][1] - r[2][2],
        1.0 - r[0][0] + r[1][1] - r[2][2],
        1.0 - r[0][0] - r[1][1] + r[2][2],
    ];
    let largest = (0..4).max_by(|&a, &b| squares[a].total_cmp(&squares[b])).expect("four");
    let (x, y, z) = (r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]);
    let (xy, xz, yz) = (r[0][1] + r[1][0], r[0][2] + r[2][0], r[1][2] + r[2][1]);
    let q = match largest {
        0 => [squares[0], x, y, z],
        1 => [x, squares[1], xy, xz],
        2 => [y, xy, squares[2], yz],
        _ => [z, xz, yz, squares[3]],
    };
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / length)
}
