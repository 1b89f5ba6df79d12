//! SDF 1.4 to 1.12: models whose links and joints form any graph.
//!
//! Every link, joint, frame and nested model has a frame, given by a `<pose>` in another frame; [`frames`] holds all of them by their full name
//! (`arm::gripper::finger`) and finds where they are in the world. Joints stand in the frame of their child unless they say otherwise, and the pose that the
//! file describes is the zero pose of all of them: loops are closed as drawn, and a joint that closes one is a joint like the others.
//!
//! What changed between the versions and matters here: up to 1.4 an axis is given in the model's frame, in 1.5 and 1.6 in the joint's frame or, with
//! `use_parent_model_frame`, in the model's, from 1.7 on in the frame that `expressed_in` names. From 1.7 on poses have `relative_to`, models have `<frame>`s.

mod frames;
mod joints;
mod links;

use std::sync::Arc;

use nalgebra::Vector3;

use crate::fault::Fault;
use crate::files::Trail;
use crate::notes::{Report, Severity};
use crate::robot::{Robot, too_many};
use crate::xml::{Element, parse, quoted};
use crate::{Base, Context};

use frames::{Attached, Frames, in_scope};

/// What is collected of all models before frames can be found.
struct Collected {
    frames: Frames,
    /// Links with their full names, in the robot's order.
    links: Vec<String>,
    /// Joints: their element, and the full name of the model that they stand in.
    joints: Vec<(Element, String)>,
    version: f64,
}

/// Reads an `<sdf>`.
pub fn read(root: &Element, context: &Context<'_>, report: &mut Report) -> Option<Robot> {
    let version = report.take(root.number("version"))?.unwrap_or(1.4);
    let mut robot = Robot::new(String::new(), format!("SDF {version}"), root.place.clone());
    let mut all = Collected { frames: Frames::default(), links: Vec::new(), joints: Vec::new(), version };
    let world = root.child("world").unwrap_or(root);
    if world.name == "world" {
        robot.name = world.attribute("name").unwrap_or("world").to_owned();
        let gravity = world.child_vector("gravity").and_then(|own| match own {
            Some(own) => Ok(Some(own)),
            None => world.child("physics").map_or(Ok(None), |physics| physics.child_vector("gravity")),
        });
        // the default of the specification
        robot.gravity = report.take(gravity)?.unwrap_or(Vector3::new(0.0, 0.0, -9.8));
    }
    let models: Vec<&Element> =
        world.children.iter().filter(|child| matches!(child.name.as_str(), "model" | "include")).collect();
    if models.is_empty() {
        report.fault(root.fault("there is no `<model>`"));
        return None;
    }
    frames_of(world, "", &mut all, report);
    for child in &world.children {
        match child.name.as_str() {
            "model" => model(child, "", None, context, &context.trail, &mut robot, &mut all, report),
            "include" => include(child, "", context, &context.trail, &mut robot, &mut all, report),
            "joint" => all.joints.push((child.clone(), String::new())),
            "frame" | "gravity" | "physics" | "world" | "name" => {}
            _ => report.note(
                Severity::LeftOut,
                &child.place,
                child.item(),
                format!("<{}>", child.name),
                "not part of the motion; left out",
            ),
        }
    }
    if let Some(fault) = too_many(&root.place, robot.links.len(), all.joints.len()) {
        report.fault(fault);
    }
    if !report.faults.is_empty() {
        return None;
    }
    for (n, name) in all.links.iter().enumerate() {
        robot.links[n].pose = report.take(all.frames.in_world(name, &robot.links[n].place))?;
    }
    joints::fill(&mut robot, &all, report);
    if !report.faults.is_empty() {
        return None;
    }
    if robot.links.is_empty() {
        report.fault(root.fault("the models have no links"));
        return None;
    }
    short_names(&mut robot, &all.links, models.len() == 1);
    if context.options.base == Some(Base::Fixed) {
        robot.links[0].fixed = true;
    }
    if context.options.base == Some(Base::Floating) {
        for joint in &mut robot.joints {
            if joint.kind == crate::robot::JointKind::Fixed
                && (joint.first.is_none() || joint.second.is_none())
            {
                joint.kind = crate::robot::JointKind::Floating;
            }
        }
    }
    Some(robot)
}

/// Names without the model's in front, where there is one model.
fn short_names(robot: &mut Robot, full: &[String], one_model: bool) {
    let shortened = |name: &str| match name.split_once("::").filter(|_| one_model) {
        Some((_, rest)) => rest.to_owned(),
        None => name.to_owned(),
    };
    for (link, full) in robot.links.iter_mut().zip(full) {
        link.name = shortened(full);
    }
    for joint in &mut robot.joints {
        joint.name = shortened(&joint.name);
    }
    for coupling in &mut robot.couplings {
        coupling.name = shortened(&coupling.name);
    }
}

/// `<frame>`s of a model or world.
fn frames_of(element: &Element, scope: &str, all: &mut Collected, report: &mut Report) {
    for frame in element.all("frame") {
        let Some(name) = report.take(frame.required("name")) else { continue };
        let attached = frame.attribute("attached_to").filter(|to| !to.is_empty());
        let to = in_scope(scope, attached.unwrap_or(if scope.is_empty() { "world" } else { "__model__" }));
        let result = all.frames.add(frame, scope, name, &to, Attached::Frame(to.clone()));
        report.take(result);
    }
}

/// A model with all that is in it. `over`: the `<include>` that brought it, which may rename and move it.
#[allow(clippy::too_many_arguments)]
fn model(
    element: &Element,
    outer: &str,
    over: Option<&Element>,
    context: &Context<'_>,
    trail: &Arc<Trail>,
    robot: &mut Robot,
    all: &mut Collected,
    report: &mut Report,
) {
    let renamed = over.and_then(|over| over.child_text("name"));
    let Some(own) = renamed.or_else(|| report.take(element.required("name"))) else { return };
    if robot.name.is_empty() {
        robot.name = own.to_owned();
    }
    let merged = over.is_some_and(|over| matches!(over.attribute("merge"), Some("true" | "1")));
    if merged {
        report.note(
            Severity::Assumed,
            &element.place,
            element.item(),
            "an include that merges",
            "kept as a nested model",
        );
    }
    let scope = in_scope(outer, own);
    let posed = over.filter(|over| over.child("pose").is_some()).unwrap_or(element);
    let placement = over
        .and_then(|over| over.child_text("placement_frame"))
        .or_else(|| element.attribute("placement_frame"))
        .filter(|frame| !frame.is_empty());
    let first_link = element.child("link").and_then(|link| link.attribute("name"));
    let canonical = element.attribute("canonical_link").filter(|link| !link.is_empty()).or(first_link);
    let attached = match canonical {
        Some(link) => Attached::Frame(in_scope(&scope, link)),
        None => Attached::World,
    };
    let result = all.frames.add_model(posed, outer, &scope, placement, attached);
    report.take(result);
    frames_of(element, &scope, all, report);
    let is_static = report.take(element.child_flag("static")).flatten().unwrap_or(false)
        || over.is_some_and(|over| matches!(over.child_text("static"), Some("true" | "1")));
    for child in &element.children {
        match child.name.as_str() {
            "link" => {
                let Some(name) = report.take(child.required("name")) else { continue };
                let full = in_scope(&scope, name);
                let result =
                    all.frames.add(child, &scope, name, &in_scope(&scope, "__model__"), Attached::Link);
                if report.take(result).is_some() {
                    let mut link = links::link(child, context, trail, report);
                    link.fixed = is_static;
                    robot.links.push(link);
                    all.links.push(full);
                }
            }
            "joint" => {
                let Some(name) = report.take(child.required("name")) else { continue };
                let to = child.child_text("child").unwrap_or_default();
                let to = in_scope(&scope, to);
                let result = all.frames.add(child, &scope, name, &to, Attached::Frame(to.clone()));
                report.take(result);
                all.joints.push((child.clone(), scope.clone()));
            }
            "model" => model(child, &scope, None, context, trail, robot, all, report),
            "include" => include(child, &scope, context, trail, robot, all, report),
            "pose" | "frame" | "static" | "name" => {}
            _ => {
                let what = format!("<{}>", child.name);
                report.note(
                    Severity::LeftOut,
                    &child.place,
                    element.item(),
                    what,
                    "not part of the motion; left out",
                );
            }
        }
    }
}

/// An included model: a file, or a folder with a `model.config` or a `model.sdf`.
fn include(
    element: &Element,
    scope: &str,
    context: &Context<'_>,
    trail: &Arc<Trail>,
    robot: &mut Robot,
    all: &mut Collected,
    report: &mut Report,
) {
    let Some(uri) = element.child_text("uri") else {
        report.fault(element.fault("`<uri>` is missing"));
        return;
    };
    let read = |reference: &str| -> Result<(Element, Arc<Trail>), Fault> {
        let (file, text, trail) = context.files.include(reference, trail, &element.place)?;
        Ok((parse(&file, &text)?, trail))
    };
    let uri = uri.trim_end_matches('/');
    let from = trail.folder();
    let there = |name: &str| context.files.resolve(&format!("{uri}/{name}"), from).is_ok();
    let reference = match (there("model.config"), there("model.sdf")) {
        (true, _) => match read(&format!("{uri}/model.config")) {
            Ok((config, _)) => {
                let file = config.all("sdf").last().map_or("model.sdf", |sdf| sdf.text.as_str());
                format!("{uri}/{file}")
            }
            Err(fault) => return report.fault(fault),
        },
        (false, true) => format!("{uri}/model.sdf"),
        (false, false) => uri.to_owned(),
    };
    let Some((root, trail)) = report.take(read(&reference)) else { return };
    let Some(inner) = root.child("model") else {
        report.fault(element.fault(format!("{} has no `<model>`", quoted(&reference))));
        return;
    };
    let outer_version = all.version;
    let own = report.take(root.number("version")).flatten().unwrap_or(1.4);
    if (own < 1.5) != (outer_version < 1.5) {
        report.fault(element.fault(format!(
            "it is SDF {own} in a file of SDF {outer_version}: they give axes in different frames"
        )));
        return;
    }
    model(inner, scope, Some(element), context, &trail, robot, all, report);
}
