//! Frames by their full names, and where they are.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::fault::{Fault, Place};
use crate::pose::Pose;
use crate::xml::{Element, quoted};

/// Longest chain of frames that are given in each other; a longer one goes in a circle.
const MAX_CHAIN: usize = 1000;

/// The full name of a reference within a model.
pub(super) fn in_scope(scope: &str, name: &str) -> String {
    match (name, scope) {
        ("world", _) => "world".into(),
        (_, "") => name.to_owned(),
        _ => format!("{scope}::{name}"),
    }
}

/// What a frame moves with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Attached {
    /// It is a link.
    Link,
    /// What another frame moves with.
    Frame(String),
    /// It does not move.
    World,
}

#[derive(Clone, Debug)]
struct Frame {
    /// The frame that it is given in.
    relative_to: String,
    pose: Pose,
    attached: Attached,
    /// Of a model: the frame within that the pose is meant for.
    placement: Option<String>,
}

/// All frames of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames(HashMap<String, Frame>);

impl Frames {
    fn insert(&mut self, name: String, frame: Frame, element: &Element) -> Result<(), Fault> {
        match self.0.insert(name, frame) {
            None => Ok(()),
            Some(_) => Err(element.fault("another link, joint, frame or model here has this name")),
        }
    }

    /// The frame of a link, joint or `<frame>`, given in the frame `default` where its pose names none.
    pub(super) fn add(
        &mut self,
        element: &Element,
        scope: &str,
        name: &str,
        default: &str,
        attached: Attached,
    ) -> Result<(), Fault> {
        let (pose, relative) = pose(element)?;
        let relative_to = relative.map_or_else(|| default.to_owned(), |name| in_scope(scope, name));
        self.insert(in_scope(scope, name), Frame { relative_to, pose, attached, placement: None }, element)
    }

    /// The frame of a model: `scope`, and `scope::__model__` as it is called within.
    pub(super) fn add_model(
        &mut self,
        element: &Element,
        outer: &str,
        scope: &str,
        placement: Option<&str>,
        attached: Attached,
    ) -> Result<(), Fault> {
        let (pose, relative) = pose(element)?;
        let default = if outer.is_empty() { "world".to_owned() } else { in_scope(outer, "__model__") };
        let relative_to = relative.map_or(default, |name| in_scope(outer, name));
        let placement = placement.map(|frame| in_scope(scope, frame));
        self.insert(
            scope.to_owned(),
            Frame { relative_to, pose, attached: attached.clone(), placement },
            element,
        )?;
        let inner =
            Frame { relative_to: scope.to_owned(), pose: Pose::identity(), attached, placement: None };
        self.insert(in_scope(scope, "__model__"), inner, element)
    }

    /// Where a frame is, in the world.
    pub(super) fn in_world(&self, name: &str, place: &Place) -> Result<Pose, Fault> {
        self.pose_in(name, "world", place, 0)
    }

    fn pose_in(&self, name: &str, outer: &str, place: &Place, depth: usize) -> Result<Pose, Fault> {
        let mut pose = Pose::identity();
        let mut at = name.to_owned();
        for _ in 0..MAX_CHAIN {
            if at == outer {
                return Ok(pose);
            }
            if at == "world" {
                break; // the outer frame is not on the way
            }
            let Some(frame) = self.0.get(&at) else {
                return Err(Fault::new(
                    place.clone(),
                    format!("frame {}", quoted(&at)),
                    "there is no such frame",
                ));
            };
            let mut own = frame.pose;
            if let Some(placement) = &frame.placement {
                if depth > 20 {
                    break;
                }
                // the placement frame stands at the pose: the model stands where that puts it
                own = own.then(&self.pose_in(placement, &at, place, depth + 1)?.inverse());
            }
            pose = own.then(&pose);
            at.clone_from(&frame.relative_to);
        }
        let message = "it is given in a circle of frames";
        Err(Fault::new(place.clone(), format!("frame {}", quoted(name)), message))
    }

    /// The link that a frame moves with, by its full name; `None` for the world.
    pub(super) fn link_of(&self, name: &str, place: &Place) -> Result<Option<String>, Fault> {
        let mut at = name.to_owned();
        for _ in 0..MAX_CHAIN {
            if at == "world" {
                return Ok(None);
            }
            match self.0.get(&at).map(|frame| &frame.attached) {
                Some(Attached::Link) => return Ok(Some(at)),
                Some(Attached::World) => return Ok(None),
                Some(Attached::Frame(other)) => at = other.clone(),
                None => {
                    return Err(Fault::new(
                        place.clone(),
                        format!("link {}", quoted(&at)),
                        "there is no such link",
                    ));
                }
            }
        }
        let message = "it is attached in a circle of frames";
        Err(Fault::new(place.clone(), format!("frame {}", quoted(name)), message))
    }
}

/// The `<pose>` of an element, and the frame that it names.
pub(super) fn pose(element: &Element) -> Result<(Pose, Option<&str>), Fault> {
    let Some(pose) = element.child("pose") else { return Ok((Pose::identity(), None)) };
    let named = |fault: Fault| Fault { item: format!("{}, <pose>", element.item()), ..fault };
    let relative =
        ["relative_to", "frame"].iter().find_map(|name| pose.attribute(name)).filter(|name| !name.is_empty());
    if pose.text.is_empty() {
        return Ok((Pose::identity(), relative));
    }
    let quaternion = pose.attribute("rotation_format") == Some("quat_xyzw");
    let found = if quaternion {
        let [x, y, z, qx, qy, qz, qw] = pose.text_array::<7>().map_err(named)?;
        Pose::from_quaternion(Vector3::new(x, y, z), [qw, qx, qy, qz])
            .ok_or_else(|| named(pose.fault("the quaternion is zero")))?
    } else {
        let [x, y, z, roll, pitch, yaw] = pose.text_array::<6>().map_err(named)?;
        let degrees = pose.flag("degrees").map_err(named)?.unwrap_or(false);
        let unit = if degrees { std::f64::consts::PI / 180.0 } else { 1.0 };
        Pose::from_rpy(Vector3::new(x, y, z), Vector3::new(roll, pitch, yaw) * unit)
    };
    Ok((found, relative))
}
