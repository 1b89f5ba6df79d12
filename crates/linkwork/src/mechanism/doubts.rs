//! What is probably a mistake, though the model can be run: each doubt has a code, says what was found and
//! what to do about it.
//!
//! A doubt must be rare where nothing is wrong, so each needs more than one sign: a point is far only
//! if all others lie close together, a body is alone only if nothing at all acts on it.

use super::{BodyIndex, Mechanism};
use crate::error::names::segment;
use crate::interactions::elements::Use;
use crate::joints::Demand;
use crate::linalg::vec3::{Vec3, norm, sub};
use crate::model::{ActsOn, Blow, Dimension, Driven, Fault, JointKind, Mass, Meeting, Shape};
use std::collections::{HashMap, HashSet};
use std::f64::consts::TAU;

/// A point this many times farther than the others is far.
const FAR: f64 = 100.0;
/// A pair of spring and body is stiff if it would swing this often during the run.
const STIFF: f64 = 1e5;
/// Radii and ratios that differ by less than this part agree.
const ALIKE: f64 = 0.02;
/// Teeth reach this part of a disc's radius beyond it at most: the addendum of a small gear.
const TEETH: f64 = 0.2;

impl Mechanism {
    /// What is probably a mistake. Nothing here hinders a run; the list is made when it is asked for.
    pub fn doubts(&self) -> Vec<Fault> {
        let mut doubts = Vec::new();
        self.freedom(&mut doubts);
        self.held_slides(&mut doubts);
        self.far_points(&mut doubts);
        self.wide_limits(&mut doubts);
        self.frequencies(&mut doubts);
        self.stiff_pairs(&mut doubts);
        self.lonely_bodies(&mut doubts);
        self.nothing_held(&mut doubts);
        self.gears(&mut doubts);
        doubts
    }

    /// Drivers against degrees of freedom.
    fn freedom(&self, doubts: &mut Vec<Fault>) {
        let model = &self.model;
        // what comes and goes changes the count, and a chain is never stiff as a whole
        let changes = !model.changes.is_empty() || !model.locks.is_empty() || !model.chains.is_empty();
        let free = self.degrees_of_freedom();
        let drivers: Vec<&str> = model.drivers.iter().map(|driver| driver.name.as_str()).collect();
        let label = |name: &str| format!("driver `{name}`");
        // drivers whose force follows from no equation: they share it with others
        let open = |name: &str| {
            let force = format!("{}: its force", label(name));
            self.redundancy.dependencies.iter().any(|d| d.row == label(name) || d.open.contains(&force))
        };
        let shared: Vec<&str> = drivers.iter().copied().filter(|name| open(name)).collect();
        if shared.len() > 1 {
            let names = shared.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let message = format!(
                "the drivers {names} prescribe the same motion: there are more of them than degrees of freedom"
            );
            let help = "leave one out: together they agree only as long as their formulas do, and how they share the force is open";
            let path = format!("drivers.{}", segment(shared[shared.len() - 1]));
            doubts.push(Fault::warning(path, message).code("drivers-exceed-freedom").help(help));
        } else if let [name] = shared[..] {
            let message = format!("what the driver `{name}` prescribes follows from the joints already");
            let help = "what it drives cannot move otherwise: leave it out, or free a joint";
            let path = format!("drivers.{}", segment(name));
            doubts.push(Fault::warning(path, message).code("drivers-exceed-freedom").help(help));
        } else if free == 0 && drivers.is_empty() && !changes && !self.bodies.is_empty() {
            let message = "nothing can move: there is no degree of freedom, and no driver";
            let help = "for a structure at rest this is as it should be, and its reactions are computed; \
                        otherwise a joint holds too much, or one is there twice: `linkwork check` lists them";
            doubts.push(Fault::warning("joints", message).code("cannot-move").help(help));
        } else if free > 0 && !drivers.is_empty() && !changes && !self.pushed() {
            let message = format!(
                "{} of the mechanism {} driven, and no force acts on anything: what is not driven stays as it was",
                if free == 1 { "1 degree of freedom".into() } else { format!("{free} degrees of freedom") },
                if free == 1 { "is not" } else { "are not" }
            );
            let help = "add a driver, or gravity, springs and other forces that decide its motion";
            doubts.push(Fault::warning("drivers", message).code("undriven-freedom").help(help));
        }
    }

    /// Whether anything but drivers and joints sets bodies in motion.
    fn pushed(&self) -> bool {
        let model = &self.model;
        norm(model.gravity) > 0.0
            || !self.interactions.actions.is_empty()
            || !model.impulses.is_empty()
            || !model.contacts.is_empty()
            || !model.initial.velocities.is_empty()
            || !model.initial.angular_velocities.is_empty()
    }

    /// Slides between bodies that also share a point: nothing slides there.
    fn held_slides(&self, doubts: &mut Vec<Fault>) {
        let sharing = |[a, b]: [BodyIndex; 2]| {
            self.joints.iter().find(|j| !j.shared.is_empty() && (j.bodies == [a, b] || j.bodies == [b, a]))
        };
        for joint in &self.joints {
            let demands = joint.kind.freedom(self.dimension() == Dimension::Planar).demands;
            let slides = joint.kind.slides() && demands.iter().any(|d| matches!(d, Demand::Square(..)));
            let Some(other) = sharing(joint.bodies).filter(|_| slides && joint.entry.is_some()) else {
                continue;
            };
            let point = &self.node_names[other.shared[0]];
            let message = format!(
                "the bodies of this {} joint share the point `{point}` as well, which holds them",
                joint.kind.name()
            );
            let help = format!(
                "let only one of the two bodies list `{point}` if they should slide; a beam on a pin and a roller has a `point-on-line` joint"
            );
            let path = format!("joints.{}", segment(&joint.name));
            doubts.push(Fault::warning(path, message).code("held-slide").help(help));
        }
    }

    /// Points that lie a hundred times farther than most.
    fn far_points(&self, doubts: &mut Vec<Fault>) {
        let points = &self.model.points;
        if points.len() < 3 {
            return;
        }
        let middle: Vec3 = std::array::from_fn(|c| {
            let mut all: Vec<f64> = points.iter().map(|point| point.position[c]).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        });
        let mut far: Vec<(f64, &str)> =
            points.iter().map(|point| (norm(sub(point.position, middle)), point.name.as_str())).collect();
        far.sort_by(|a, b| a.0.total_cmp(&b.0));
        // the widest gap, with most of the points below it
        let half = far.len() / 2;
        let gap = |i: usize| if far[i].0 > 0.0 { far[i + 1].0 / far[i].0 } else { 0.0 };
        let Some(at) = (half..far.len() - 1).max_by(|&i, &k| gap(i).total_cmp(&gap(k))) else { return };
        if gap(at) < FAR {
            return;
        }
        let (near, (distance, name)) = (far[at].0, far[at + 1]);
        let others = far.len() - at - 2;
        let more = if others == 0 { String::new() } else { format!(" (and {others} more)") };
        let message = format!(
            "the point `{name}`{more} lies {distance:.4} m from the middle of the others, which lie within {near:.4} m"
        );
        let largest = points.iter().find(|point| point.name == name).map_or(0.0, |point| {
            point.position.iter().fold(0.0_f64, |s, &x| if x.abs() > s.abs() { x } else { s })
        });
        let help = match distance / 1000.0 <= FAR * near {
            true => format!("numbers without a unit are metres: did you mean \"{largest} mm\"?"),
            false => "check its coordinates and their units".into(),
        };
        doubts
            .push(Fault::warning(format!("points.{}", segment(name)), message).code("far-point").help(help));
    }

    /// Whether the text at a path says a unit: then it is meant.
    fn says_unit(&self, path: &str) -> bool {
        let said = |path: &str| {
            let provenance = self.model.provenance.as_ref()?;
            provenance.text.get(provenance.spans.get(path)?.clone())
        };
        said(path).is_some_and(|text| text.contains(|c: char| c.is_alphabetic()))
    }

    /// Limits of angles beyond a turn.
    fn wide_limits(&self, doubts: &mut Vec<Fault>) {
        let dimension = self.model.dimension;
        for joint in &self.model.joints {
            let path = format!("joints.{}", segment(&joint.name));
            let soft =
                joint.forces.iter().enumerate().filter_map(|(i, f)| Some((i + 1, f.limits?, "limits")));
            let hard = joint.impact_limits.iter().map(|l| (l.coordinate, l.range, "impact_limits"));
            for (coordinate, [low, high], key) in soft.chain(hard) {
                let turns = joint.kind().turns(dimension.is_planar(), coordinate) == Some(true);
                let beyond = [low, high].into_iter().find(|x| x.is_finite() && x.abs() > TAU * (1.0 + 1e-9));
                let Some(beyond) = beyond.filter(|_| turns) else { continue };
                let path = format!("{path}.{key}");
                let items = (0..coordinate).map(|i| format!("{path}[{i}].range"));
                let places: Vec<String> = match key {
                    "limits" => vec![path.clone()],
                    _ => items.chain([format!("{path}.range")]).collect(),
                };
                if places.iter().any(|place| self.says_unit(place)) {
                    continue;
                }
                let message = format!("this limit lies {:.1} turns away: {beyond} rad", beyond.abs() / TAU);
                let help = format!("angles without a unit are radians: \"{beyond} deg\"?");
                doubts.push(Fault::warning(path, message).code("limit-beyond-turn").help(help));
            }
        }
    }

    /// Frequencies in Hz where angles per second are read.
    fn frequencies(&self, doubts: &mut Vec<Fault>) {
        let Some(provenance) = self.model.provenance.as_ref() else { return };
        let said = |path: &str| provenance.text.get(provenance.spans.get(path)?.clone());
        let hertz = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Hz");
        let turns = |text: &str| {
            text.split(|c: char| !c.is_alphanumeric()).any(|word| ["pi", "tau", "rev"].contains(&word))
        };
        for driver in &self.model.drivers {
            let path = format!("drivers.{}.value", segment(&driver.name));
            let Some(text) = said(&path) else { continue };
            let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let parameters: Vec<&str> =
                words.filter_map(|word| said(&format!("parameters.{word}"))).collect();
            let all = || parameters.iter().copied().chain([text]);
            if all().any(hertz) && !all().any(turns) {
                let message = "1 Hz is read as 1 rad/s here, not as a turn per second";
                let help = "write `sin(2*pi * 5 Hz * t)` for an oscillation, and turns as `rpm` or `rev/s`";
                doubts.push(Fault::warning(path, message).code("hertz-as-radians").help(help));
            }
        }
    }

    /// Springs so stiff beside a body's mass that the run is a very long one.
    fn stiff_pairs(&self, doubts: &mut Vec<Fault>) {
        let model = &self.model;
        let duration = model.settings.duration;
        let spot: HashMap<&str, BodyIndex> = self.point_bodies();
        let index: HashMap<&str, usize> =
            self.bodies.iter().enumerate().map(|(b, body)| (body.name.as_str(), b)).collect();
        // path of the element, what it is, its stiffness, bodies, and whether it turns them
        let mut pairs: Vec<(String, String, f64, Vec<usize>, bool)> = Vec::new();
        for spring in &model.springs {
            let on = spring.between.iter().filter_map(|p| *spot.get(p.as_str())?).collect();
            let path = format!("springs.{}.stiffness", segment(&spring.name));
            pairs.push((path, format!("spring `{}`", spring.name), spring.stiffness, on, false));
        }
        for cable in &model.cables {
            let on = cable.through.iter().filter_map(|p| *spot.get(p.as_str())?).collect();
            let path = format!("cables.{}.stiffness", segment(&cable.name));
            pairs.push((path, format!("cable `{}`", cable.name), cable.stiffness, on, false));
        }
        for bushing in &model.bushings {
            let on: Vec<usize> =
                bushing.bodies.iter().filter_map(|b| index.get(b.as_str()).copied()).collect();
            let path = format!("bushings.{}.stiffness", segment(&bushing.name));
            let largest = |part: &[f64]| part.iter().fold(0.0_f64, |s, k| s.max(*k));
            let name = format!("bushing `{}`", bushing.name);
            pairs.push((path.clone(), name.clone(), largest(&bushing.stiffness[..3]), on.clone(), false));
            pairs.push((path, name, largest(&bushing.stiffness[3..]), on, true));
        }
        for spring in &model.torsion_springs {
            let on: Vec<usize> = match &spring.of {
                ActsOn::Turn { bodies, .. } => {
                    bodies.iter().filter_map(|b| index.get(b.as_str()).copied()).collect()
                }
                ActsOn::Joint { joint, .. } => {
                    self.joints.iter().filter(|j| j.name == *joint).flat_map(|j| j.bodies).flatten().collect()
                }
                ActsOn::Between(_) => Vec::new(),
            };
            let path = format!("torsion_springs.{}.stiffness", segment(&spring.name));
            pairs.push((path, format!("torsion spring `{}`", spring.name), spring.stiffness, on, true));
        }
        let mut reported = HashSet::new();
        for (path, name, stiffness, on, turning) in pairs {
            let inertia = |b: usize| {
                let p = &self.bodies[b].particles.properties;
                // a torsion spring turns the body about its joint, not about its centre
                let arm =
                    self.bodies[b].particles.at.iter().fold(0.0_f64, |s, &x| s.max(norm(sub(x, p.com))));
                let largest = (0..3).fold(0.0_f64, |s, c| s.max(p.inertia_about_com[c][c]));
                if turning { largest + p.mass * arm * arm } else { p.mass }
            };
            let lightest = on
                .into_iter()
                .filter(|&b| inertia(b) > 0.0)
                .min_by(|&a, &b| inertia(a).total_cmp(&inertia(b)));
            let Some(b) = lightest.filter(|_| stiffness > 0.0) else { continue };
            let swings = (stiffness / inertia(b)).sqrt() * duration / TAU;
            if swings > STIFF && reported.insert(name.clone()) {
                let period = duration / swings;
                let message = format!(
                    "the {name} ({stiffness:.3e} {}) on the body `{}` ({:.3e} {}) swings with a period of {period:.1e} s, \
                     {swings:.1e} times in this run",
                    if turning { "N m/rad" } else { "N/m" },
                    self.bodies[b].name,
                    inertia(b),
                    if turning { "kg m²" } else { "kg" }
                );
                let help = "check both units; if they are meant, a joint instead of the spring, damping with `integrator = \"radau5\"`, \
                            or a shorter run is faster";
                doubts.push(Fault::warning(path, message).code("stiff-pair").help(help));
            }
        }
    }

    /// The body that holds each named point; of several the first.
    fn point_bodies(&self) -> HashMap<&str, BodyIndex> {
        let spots = self.point_spots();
        self.points.iter().zip(spots).map(|(point, spot)| (point.name.as_str(), spot.body)).collect()
    }

    /// Bodies that nothing joins and on which nothing acts.
    fn lonely_bodies(&self, doubts: &mut Vec<Fault>) {
        let model = &self.model;
        if model.bodies.len() < 2 || !model.changes.is_empty() {
            return;
        }
        let mut points: HashSet<&str> = HashSet::new();
        let mut bodies: HashSet<&str> = HashSet::new();
        let lists = model.elements();
        for used in lists.iter().flat_map(|(_, elements)| elements).flat_map(|element| element.uses()) {
            match used {
                Use::Joint(_) => {}
                Use::Point(point) => {
                    points.insert(point);
                }
                Use::Body(body) => {
                    bodies.insert(body);
                }
            }
        }
        points.extend(
            model.chains.iter().flat_map(|e| [Some(&e.from), e.to.as_ref()]).flatten().map(String::as_str),
        );
        points.extend(model.initial.velocities.iter().map(|(name, _)| name.as_str()));
        bodies.extend(model.initial.angular_velocities.iter().map(|(name, _)| name.as_str()));
        bodies.extend(model.surfaces.iter().map(|e| e.body.as_str()));
        for contact in &model.contacts {
            let names: Vec<&str> = match &contact.of {
                Meeting::Between(sides) => sides.iter().flatten().map(String::as_str).collect(),
                Meeting::Among(names) => names.iter().map(String::as_str).collect(),
            };
            points.extend(&names);
            bodies.extend(&names);
        }
        for driver in &model.drivers {
            match &driver.of {
                Driven::Point { point, .. } => points.extend([point.as_str()]),
                Driven::Body { body, against, .. } => bodies.extend([body.as_str(), against.as_str()]),
                Driven::Joint { .. } => {}
            }
        }
        for impulse in &model.impulses {
            if let Blow::Strike { body, point, .. } = &impulse.gives {
                bodies.extend(body.as_deref());
                points.extend(point.as_deref());
            }
        }
        let joined: HashSet<usize> = self
            .joints
            .iter()
            .filter(|joint| !joint.kind.is_free())
            .flat_map(|joint| joint.bodies)
            .flatten()
            .collect();
        let coupled: HashSet<usize> =
            self.interactions.couplings.iter().flat_map(|c| c.bodies.iter().copied()).collect();
        let pulled: HashSet<usize> =
            self.interactions.actions.iter().flat_map(|a| a.action.bodies(&self.interactions)).collect();
        for (b, body) in model.bodies.iter().enumerate() {
            let named = bodies.contains(body.name.as_str())
                || body.points.iter().any(|point| points.contains(point.as_str()))
                || model.joints.iter().any(|j| j.kind().is_free() && j.bodies.contains(&body.name));
            if joined.contains(&b) || coupled.contains(&b) || pulled.contains(&b) || named {
                continue;
            }
            let message = format!("nothing holds the body `{}`, and no element acts on it", body.name);
            let help = "bodies are joined where they list the same point; two points at one place are two points: \
                        give both bodies the same name, or add a joint";
            let path = format!("bodies.{}", segment(&body.name));
            doubts.push(Fault::warning(path, message).code("isolated-body").help(help));
        }
    }

    /// Joined bodies that fall, because nothing holds them to the ground.
    fn nothing_held(&self, doubts: &mut Vec<Fault>) {
        let model = &self.model;
        let free = norm(model.gravity) > 0.0
            && model.ground.is_empty()
            && !self.joints.is_empty()
            && model.changes.is_empty()
            && model.chains.is_empty()
            && self.joints.iter().all(|joint| joint.bodies.iter().all(Option::is_some));
        let acts = !self.interactions.actions.is_empty()
            || !self.interactions.couplings.is_empty()
            || !model.contacts.is_empty()
            || !model.initial.velocities.is_empty()
            || !model.initial.angular_velocities.is_empty();
        if free && !acts {
            let message = "nothing is held by the ground: all bodies fall together";
            let help = "name the points that never move: ground = { points = [...] } under [bodies]";
            doubts.push(Fault::warning("bodies", message).code("nothing-held").help(help));
        }
    }

    /// The radius of a body that is a disc.
    fn disc(&self, body: BodyIndex) -> Option<f64> {
        match &self.model.bodies.get(body?)?.mass {
            Mass::Shape(Shape::Cylinder { radius, .. } | Shape::Tube { radius, .. }, _) => Some(*radius),
            _ => None,
        }
    }

    /// Gears whose ratio or teeth do not fit the radii that are drawn.
    fn gears(&self, doubts: &mut Vec<Fault>) {
        let model = &self.model;
        let joint = |name: &str| self.joints.iter().find(|joint| joint.name == name);
        let place = |node: usize| self.start_position(node);
        for coupling in &model.couplings {
            let [(p, 1, f), (q, 1, g)] = &coupling.terms[..] else { continue };
            let (Some(p), Some(q)) = (joint(p), joint(q)) else { continue };
            if p.kind != JointKind::Revolute || q.kind != JointKind::Revolute || p.bodies[0] != q.bodies[0] {
                continue;
            }
            let (Some(r1), Some(r2)) = (self.disc(p.bodies[1]), self.disc(q.bodies[1])) else { continue };
            let distance = norm(sub(place(p.points[0]), place(q.points[0])));
            // f q1 + g q2 = 0
            let ratio = -g / f;
            let expected = if (distance - (r1 + r2)).abs() <= ALIKE * (r1 + r2) {
                -r2 / r1
            } else if (distance - (r1 - r2).abs()).abs() <= ALIKE * (r1 - r2).abs() && distance > 0.0 {
                r2 / r1
            } else {
                continue;
            };
            if (ratio - expected).abs() > ALIKE * expected.abs() {
                let mesh = if expected < 0.0 { "mesh from outside" } else { "mesh, one within the other" };
                let message = format!(
                    "the discs of `{}` and `{}` {mesh}, with radii {r1:.4} m and {r2:.4} m: the first turns {expected:.4} times \
                     as far as the second, not {ratio:.4} times",
                    p.name, q.name
                );
                let help = "the ratio is the angle of the first joint over that of the second; wheels that touch from outside turn \
                            against each other";
                let key = if self.says(&format!("couplings.{}.ratio", segment(&coupling.name))) {
                    ".ratio"
                } else {
                    ""
                };
                let path = format!("couplings.{}{key}", segment(&coupling.name));
                doubts.push(Fault::warning(path, message).code("gear-ratio").help(help));
            }
        }
        for gear in self.joints.iter().filter(|joint| joint.kind == JointKind::Gear) {
            for (side, body) in gear.bodies.into_iter().enumerate() {
                let Some(radius) = self.disc(body) else { continue };
                let own =
                    self.joints.iter().filter(|j| j.kind == JointKind::Revolute && j.bodies.contains(&body));
                let arms: Vec<f64> =
                    own.map(|j| norm(sub(place(j.points[0]), place(gear.points[side])))).collect();
                // a shaft may carry a smaller wheel beside its disc, not a larger one
                if arms.len() == 1 && arms[0] > (1.0 + TEETH) * radius {
                    let message = format!(
                        "the teeth lie {:.4} m from the axis of `{}`, whose disc has a radius of {radius:.4} m",
                        arms[0],
                        self.body_name(body)
                    );
                    let help = "`at` is the point where the gears touch, on the line between their axes; the ratio follows from it";
                    let path = format!("joints.{}.at", segment(&gear.name));
                    doubts.push(Fault::warning(path, message).code("gear-ratio").help(help));
                }
            }
        }
    }

    /// Whether the file has an item at a path.
    fn says(&self, path: &str) -> bool {
        self.model.provenance.as_ref().is_some_and(|provenance| provenance.spans.contains_key(path))
    }
}
