//! Keyframes: the motion begins at one of them, the first unless the user names another.
//!
//! Hinges and slides begin at their coordinates, which count from the drawn pose. Free and ball joints have no such coordinates: their bodies, with all that hangs on them, are
//! drawn where the keyframe has them. With q of a ball, which turns in the frame of its body, R of that body as drawn, and the anchor a,
//!
//!   (K1)  x → a + T (x − a),   T = R q Rᵀ
//!
//! and a free body stands where its seven numbers say.

use nalgebra::Vector3;

use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{Initial, InitialMotion};
use crate::xml::{Element, quoted};

use super::Reading;
use super::tree::Kind;

/// The keyframe at which the motion begins.
pub(super) struct Key {
    element: Element,
    positions: Option<Vec<f64>>,
    rates: Option<Vec<f64>>,
}

/// The keyframe that is asked for: by its name or its number, counted from zero; the first if none is; none for `none`.
pub(super) fn choose(keys: &[&Element], wanted: Option<&str>, report: &mut Report) -> Option<Key> {
    let name = |key: &Element| key.attribute("name").map(str::to_owned);
    let chosen = match wanted {
        Some("none") => return None,
        None => keys.first(),
        Some(wanted) => {
            let by_name = keys.iter().find(|key| name(key).as_deref() == Some(wanted));
            let found = by_name.or_else(|| keys.get(wanted.parse::<usize>().ok()?));
            if found.is_none() {
                let names: Vec<String> = keys
                    .iter()
                    .enumerate()
                    .map(|(n, key)| name(key).map_or_else(|| n.to_string(), |name| quoted(&name)))
                    .collect();
                let known = if names.is_empty() {
                    "the file has none".into()
                } else {
                    format!("there are {}", names.join(", "))
                };
                let place = crate::fault::Place::whole(
                    &keys.first().map_or_else(|| "the file".into(), |key| key.place.file.clone()),
                );
                report.fault(crate::Fault::new(
                    place,
                    "",
                    format!("there is no keyframe {}: {known}", quoted(wanted)),
                ));
            }
            found
        }
    }?;
    let others: Vec<&Element> = keys.iter().copied().filter(|key| key.place != chosen.place).collect();
    for key in others {
        let done = "left out: the motion begins at another one; `--keyframe` chooses";
        report.note(Severity::LeftOut, &key.place, key.item(), "a further keyframe", done);
    }
    let numbers = |name: &str, report: &mut Report| report.take(chosen.numbers(name)).flatten();
    let (positions, rates) = (numbers("qpos", report), numbers("qvel", report));
    Some(Key { element: (*chosen).clone(), positions, rates })
}

impl Key {
    /// Numbers of `qpos` or `qvel` from a place on; `None` if they are not there.
    fn slice(list: &Option<Vec<f64>>, from: usize, count: usize) -> Option<&[f64]> {
        list.as_ref()?.get(from..from + count)
    }
}

impl Reading<'_> {
    /// Where `qpos` and `qvel` of the next joint begin.
    fn next_numbers(&self) -> [usize; 2] {
        self.order.iter().filter(|info| info.in_file).fold([0, 0], |[q, v], info| {
            let [a, b] = info.kind.numbers();
            [q + a, v + b]
        })
    }

    /// Where the keyframe has a free body.
    pub(super) fn free_pose(&self, before: [usize; 2]) -> Option<Pose> {
        let [at, _] = self.after(before);
        let numbers: [f64; 7] = Key::slice(&self.key.as_ref()?.positions, at, 7)?.try_into().ok()?;
        let [x, y, z, w, a, b, c] = numbers;
        Pose::from_quaternion(Vector3::new(x, y, z), [w, a, b, c])
    }

    /// (K1): the turn of a ball joint in the frame of its body.
    pub(super) fn ball_turn(&self, before: [usize; 2]) -> Option<Pose> {
        let [at, _] = self.after(before);
        let numbers: [f64; 4] = Key::slice(&self.key.as_ref()?.positions, at, 4)?.try_into().ok()?;
        Pose::from_quaternion(Vector3::zeros(), numbers)
    }

    /// `before`: numbers of joints of the same body that are not in the order yet.
    fn after(&self, before: [usize; 2]) -> [usize; 2] {
        let [q, v] = self.next_numbers();
        [q + before[0], v + before[1]]
    }

    /// Begins the motion at the keyframe, once all joints and actuators are known.
    pub(super) fn keyframes(&mut self, report: &mut Report) {
        let Some(Key { element, positions, rates }) = self.key.take() else { return };
        let wanted = self.next_numbers();
        for (list, count, name) in [(&positions, wanted[0], "qpos"), (&rates, wanted[1], "qvel")] {
            if let Some(list) = list.as_ref().filter(|list| list.len() != count) {
                let message = format!("{} has {} numbers and needs {count}", quoted(name), list.len());
                return report.fault(element.fault(message));
            }
        }
        let (mut q, mut v) = (0, 0);
        for info in self.order.clone().into_iter().filter(|info| info.in_file) {
            let [numbers, speeds] = info.kind.numbers();
            let rate = rates.as_ref().map(|list| &list[v..v + speeds]);
            match info.kind {
                Kind::Hinge | Kind::Slide => {
                    let position = positions.as_ref().map_or(0.0, |list| list[q] - info.reference);
                    let rate = rate.map_or(0.0, |list| list[0]);
                    if position != 0.0 || rate != 0.0 {
                        let initial = Initial { joint: info.number, coordinate: 0, q: position, v: rate };
                        self.robot.initial.push(initial);
                    }
                }
                Kind::Free if info.number == usize::MAX => {}
                Kind::Free => {
                    if let (Some(link), Some([x, y, z, a, b, c])) =
                        (self.robot.joints[info.number].second, rate)
                        && rate.is_some_and(|list| list.iter().any(|rate| *rate != 0.0))
                    {
                        // the path in world axes, the turn in those of the body
                        let pose = self.robot.links[link].pose;
                        let angular = pose.direction(Vector3::new(*a, *b, *c));
                        let velocity = Vector3::new(*x, *y, *z);
                        self.robot.initial_motions.push(InitialMotion {
                            link,
                            at: pose.origin,
                            velocity,
                            angular,
                        });
                    }
                }
                Kind::Ball => {
                    if let (Some(link), Some([a, b, c])) = (self.robot.joints[info.number].second, rate) {
                        // the rate is that in the axes of the body; those of roll, pitch and yaw in world axes, where the turn is zero
                        let rates = self.robot.links[link].pose.direction(Vector3::new(*a, *b, *c));
                        let list = rates.iter().enumerate().filter(|(_, rate)| **rate != 0.0);
                        self.robot.initial.extend(list.map(|(coordinate, &v)| Initial {
                            joint: info.number,
                            coordinate,
                            q: 0.0,
                            v,
                        }));
                    }
                }
            }
            q += numbers;
            v += speeds;
        }
        self.key_controls(&element, report);
        for attribute in
            element.attributes.iter().filter(|a| matches!(a.name.as_str(), "act" | "mpos" | "mquat"))
        {
            let what = format!("{} of a keyframe", attribute.name);
            report.note(Severity::Changed, &element.place, element.item(), what, "left out");
        }
        report.note(
            Severity::Assumed,
            &element.place,
            element.item(),
            "a keyframe",
            "the motion begins there",
        );
    }

    /// `ctrl`: what inputs are at first, and the states that follow them.
    fn key_controls(&mut self, element: &Element, report: &mut Report) {
        let Some(list) = report.take(element.numbers("ctrl")).flatten() else { return };
        if list.len() != self.controls.len() {
            let message = format!("`ctrl` has {} numbers and needs {}", list.len(), self.controls.len());
            return report.fault(element.fault(message));
        }
        for (control, value) in self.controls.iter().zip(list) {
            let drive = match control {
                Some(super::Control::Joint(number)) => &mut self.robot.actuators[*number].drive,
                Some(super::Control::Tendon(super::Pulled::Fixed(on), n)) => {
                    &mut self.robot.tendons[*on].drives[*n].drive
                }
                Some(super::Control::Tendon(super::Pulled::Spatial(on), n)) => {
                    &mut self.robot.cables[*on].drives[*n].drive
                }
                None => continue,
            };
            drive.default = value;
        }
    }
}
