//! The zero pose: from the root, joint by joint.

use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::Link;
use crate::xml::quoted;

use super::joints::Given;

/// Places all links; the base, and the frame of each joint at the zero pose. A joint whose child was placed by another one closes a loop.
pub(super) fn place(links: &mut [Link], joints: &[Given<'_>], report: &mut Report) -> (usize, Vec<Pose>) {
    let mut is_child = vec![false; links.len()];
    let mut from: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (n, joint) in joints.iter().enumerate() {
        is_child[joint.child] = true;
        from[joint.parent].push(n);
    }
    let mut frames = vec![Pose::identity(); joints.len()];
    let mut placed = vec![false; links.len()];
    let roots: Vec<usize> = (0..links.len()).filter(|link| !is_child[*link]).collect();
    let base = roots.first().copied().unwrap_or(0);
    // what no root reaches is a ring of links: one of it is placed at the origin, as a root is
    let starts = roots.iter().copied().chain(0..links.len());
    for (n, start) in starts.enumerate() {
        if placed[start] {
            continue;
        }
        if start != base {
            let done = "it stands at the origin and is free";
            let item = format!("link {}", quoted(&links[start].name));
            report.note(Severity::Assumed, &links[start].place, item, "another root", done);
        }
        debug_assert!(n == 0 || base != start);
        placed[start] = true;
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(link) = queue.pop_front() {
            for &n in &from[link] {
                let joint = &joints[n];
                frames[n] = links[link].pose.then(&joint.origin);
                if !placed[joint.child] {
                    placed[joint.child] = true;
                    links[joint.child].pose = frames[n].then(&joint.offset);
                    queue.push_back(joint.child);
                }
            }
        }
    }
    (base, frames)
}
