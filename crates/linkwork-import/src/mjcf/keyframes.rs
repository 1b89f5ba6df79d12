//! Keyframes: the motion begins at the first one.

use crate::notes::{Report, Severity};
use crate::robot::Initial;
use crate::xml::{Element, quoted};

use super::Reading;
use super::tree::Kind;

impl Reading<'_> {
    pub(super) fn keyframes(&mut self, keys: &[&Element], report: &mut Report) {
        let Some((first, others)) = keys.split_first() else { return };
        for key in others {
            report.note(
                Severity::LeftOut,
                &key.place,
                key.item(),
                "a further keyframe",
                "left out: the motion begins at the first",
            );
        }
        let Some(positions) = report.take(first.numbers("qpos")) else { return };
        let Some(rates) = report.take(first.numbers("qvel")) else { return };
        let mut wanted = [0, 0];
        for info in &self.order {
            wanted = [0, 1].map(|n| wanted[n] + info.kind.numbers()[n]);
        }
        for (list, count, name) in [(&positions, wanted[0], "qpos"), (&rates, wanted[1], "qvel")] {
            if let Some(list) = list.as_ref().filter(|list| list.len() != count) {
                let message = format!("{} has {} numbers and needs {count}", quoted(name), list.len());
                return report.fault(first.fault(message));
            }
        }
        let (mut q, mut v, mut moved) = (0, 0, false);
        for info in &self.order {
            let position = positions.as_ref().map(|list| list[q]);
            let rate = rates.as_ref().map_or(0.0, |list| list[v]);
            match info.kind {
                Kind::Hinge | Kind::Slide => {
                    let position = position.map_or(0.0, |position| position - info.reference);
                    if position != 0.0 || rate != 0.0 {
                        self.robot.initial.push(Initial {
                            joint: info.number,
                            coordinate: 0,
                            q: position,
                            v: rate,
                        });
                    }
                }
                Kind::Ball | Kind::Free => {
                    moved |= self.moves(info, positions.as_deref(), rates.as_deref(), q, v)
                }
            }
            q += info.kind.numbers()[0];
            v += info.kind.numbers()[1];
        }
        if moved {
            let what = "free and ball joints in a keyframe";
            report.note(
                Severity::Changed,
                &first.place,
                first.item(),
                what,
                "they begin as drawn and at rest",
            );
        }
        for attribute in
            first.attributes.iter().filter(|a| !["name", "qpos", "qvel", "time"].contains(&a.name.as_str()))
        {
            let what = format!("{} of a keyframe", attribute.name);
            report.note(
                Severity::Changed,
                &first.place,
                first.item(),
                what,
                "left out: inputs begin at zero",
            );
        }
        report.note(Severity::Assumed, &first.place, first.item(), "a keyframe", "the motion begins there");
    }

    /// Whether a keyframe has a free or ball joint elsewhere than drawn.
    fn moves(
        &self,
        info: &super::JointInfo,
        positions: Option<&[f64]>,
        rates: Option<&[f64]>,
        q: usize,
        v: usize,
    ) -> bool {
        let [numbers, speeds] = info.kind.numbers();
        let rotates = rates.is_some_and(|list| list[v..v + speeds].iter().any(|rate| *rate != 0.0));
        let Some(list) = positions else { return rotates };
        let mut drawn = vec![0.0; 4];
        drawn[0] = 1.0;
        if info.kind == Kind::Free {
            let link = self.robot.joints[info.number].second;
            let pose = self.pose(link);
            let turned = nalgebra::UnitQuaternion::from_matrix(&pose.rotation);
            drawn =
                vec![pose.origin[0], pose.origin[1], pose.origin[2], turned.w, turned.i, turned.j, turned.k];
        }
        rotates || list[q..q + numbers].iter().zip(&drawn).any(|(a, b)| (a - b).abs() > 1e-9)
    }
}
