//! Joints. Those that Linkwork does not have in one piece become several, one behind the other, with links without mass between them:
//!
//! | ASMT | demands | Linkwork |
//! | --- | --- | --- |
//! | ParallelAxes | z ∥ z | prismatic along z, planar across it |
//! | NoRotation | axes ∥ | three prismatic |
//! | Perpendicular | z ⟂ z | three prismatic, universal |
//! | CylSph | distance of J from the line of I | cylindrical about I, spherical at J |
//! | RevCyl | z ∥ z at a distance | revolute at I, cylindrical at J |
//! | RevRev | likewise, level | revolute at I, revolute at J |
//!
//! Gears, racks and screws demand something of how I and J move against each other. With both on a common carrier, whose joints with them have the coordinates q, that is
//!
//!   (A1)  gear:   r_I θ_I + r_J θ_J = const
//!   (A2)  rack:   s_I − r θ_J = const,   s along x of I
//!   (A3)  screw:  2π (z_J − z_I) − p (θ_J − θ_I) = const
//!
//! with turns and paths along z of I, and a sign where an axis looks the other way or a joint counts from the other side.

use nalgebra::Vector3;
use std::f64::consts::TAU;

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::robot::{Coordinate, Coupling, End, Joint, JointKind, Link};

use super::tree::Node;
use super::{Marker, Reading};

/// A joint of the file among those of the robot: where its path and its turn are, and what they are as drawn.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Made {
    /// Joint and coordinate of the path along z of I, and how far J is along it.
    pub path: Option<(usize, usize, f64)>,
    /// Joint and coordinate of the turn about z of I, and how far J is turned.
    pub turn: Option<(usize, usize, f64)>,
}

/// How far apart places may be drawn and still be one, m.
const CLOSED: f64 = 1e-9;
/// Sine of the angle below which directions are drawn parallel.
const PARALLEL: f64 = 1e-6;

/// Whether a joint relates the motions of others.
pub(super) fn is_relation(kind: &str) -> bool {
    matches!(kind, "GearJoint" | "RackPinionJoint" | "ScrewJoint")
}

impl Reading<'_> {
    pub(super) fn joint(&mut self, element: &Node, above: &str, report: &mut Report) -> Result<(), Fault> {
        let name = element.name()?.to_owned();
        let [i, j] = [self.marker(element, "MarkerI")?, self.marker(element, "MarkerJ")?];
        if i.link == j.link {
            return Err(element.fault("both markers are on one part"));
        }
        let full = format!("{above}/{name}");
        let length = |key: &str| Ok::<f64, Fault>(element.number(key)?.unwrap_or(0.0) * self.unit);
        let (zi, zj) = (axis(&i, 2), axis(&j, 2));
        let mut build = Build { element, name: &name, ends: [i, j], made: Made::default() };
        let turned = axis(&i, 1).dot(&axis(&j, 0)).atan2(axis(&i, 0).dot(&axis(&j, 0)));
        let along = (j.pose.origin - i.pose.origin).dot(&zi);
        match element.text.as_str() {
            "FixedJoint" => {
                if (i.pose.rotation - j.pose.rotation).amax() > PARALLEL {
                    let done = "they are held as they are drawn";
                    report.note(
                        Severity::Changed,
                        &element.place,
                        element.item(),
                        "its markers are drawn turned against each other",
                        done,
                    );
                }
                self.single(&mut build, JointKind::Fixed, report);
            }
            "RevoluteJoint" => {
                let n = self.single(&mut build, JointKind::Revolute, report);
                build.made.turn = Some((n, 0, turned));
            }
            "TranslationalJoint" => {
                let n = self.single(&mut build, JointKind::Prismatic, report);
                build.made.path = Some((n, 0, along));
            }
            "CylindricalJoint" => {
                let n = self.single(&mut build, JointKind::Cylindrical, report);
                (build.made.path, build.made.turn) = (Some((n, 0, along)), Some((n, 1, turned)));
            }
            "SphericalJoint" => {
                self.single(&mut build, JointKind::Spherical, report);
            }
            "UniversalJoint" => {
                build.square(zi, zj)?;
                self.single(&mut build, JointKind::Universal { axis2: zj }, report);
            }
            "ConstantVelocityJoint" => {
                self.single(&mut build, JointKind::ConstantVelocity { axis2: zj }, report);
            }
            "PointInLineJoint" => {
                self.single(&mut build, JointKind::PointOnLine, report);
            }
            "PointInPlaneJoint" | "PlanarJoint" | "LineInPlaneJoint" => {
                let offset = length("offset")?;
                build.ends[0].pose.origin += zi * offset;
                match element.text.as_str() {
                    "PlanarJoint" => {
                        let n = self.single(&mut build, JointKind::Planar, report);
                        build.made.turn = Some((n, 2, turned));
                    }
                    "PointInPlaneJoint" => {
                        self.single(&mut build, JointKind::PointOnPlane, report);
                    }
                    _ => {
                        build.square(zi, zj)?;
                        self.single(&mut build, JointKind::PointOnPlane, report);
                        // a second point of the line
                        let second = format!("{name}_2");
                        let mut other = Build { name: &second, ..build.clone() };
                        other.ends.iter_mut().for_each(|end| end.pose.origin += zj * self.robot.reach());
                        self.single(&mut other, JointKind::PointOnPlane, report);
                    }
                }
            }
            "SphSphJoint" => {
                let distance = length("distanceIJ")?;
                let drawn = (j.pose.origin - i.pose.origin).norm();
                if !(distance > 0.0 && drawn > 0.0) {
                    return Err(element.fault("the distance is zero: make it a spherical joint"));
                }
                self.push(
                    &build,
                    JointKind::Distance { length: distance },
                    [i.link, j.link],
                    zi,
                    Some(j.pose.origin),
                );
            }
            "CylSphJoint" => self.rod(&build, JointKind::Cylindrical, JointKind::Spherical, report),
            "RevCylJoint" => self.rod(&build, JointKind::Revolute, JointKind::Cylindrical, report),
            "RevRevJoint" => self.rod(&build, JointKind::Revolute, JointKind::Revolute, report),
            "ParallelAxesJoint" => {
                build.parallel(report);
                self.chain(&build, &[(JointKind::Prismatic, zi), (JointKind::Planar, zi)]);
            }
            "NoRotationJoint" => {
                let steps = [0, 1, 2].map(|k| (JointKind::Prismatic, axis(&i, k)));
                self.chain(&build, &steps);
            }
            "PerpendicularJoint" => {
                build.square(zi, zj)?;
                let mut steps: Vec<_> = (0..3).map(|k| (JointKind::Prismatic, axis(&i, k))).collect();
                steps.push((JointKind::Universal { axis2: zj }, zi));
                self.chain(&build, &steps);
            }
            "GearJoint" => {
                let radii = [length("radiusI")?, length("radiusJ")?];
                if radii.contains(&0.0) {
                    return Err(element.fault("a radius is zero"));
                }
                let turns =
                    [(0, zi), (1, zj)].map(|(end, axis)| self.on_carrier(&build.ends[end], axis, "rad"));
                self.relate(
                    &build,
                    turns.iter().zip(radii).map(|(turn, r)| Some((turn.as_ref()?, r))).collect(),
                    report,
                ); // (A1)
            }
            "RackPinionJoint" => {
                let radius = length("pitchRadius")?;
                let path = self.on_carrier(&i, axis(&i, 0), "m");
                let turn = self.on_carrier(&j, zi, "rad");
                self.relate(
                    &build,
                    vec![path.as_ref().map(|path| (path, 1.0)), turn.as_ref().map(|turn| (turn, -radius))],
                    report,
                ); // (A2)
            }
            "ScrewJoint" => self.screw(&build, length("pitch")?, report),
            other => {
                let what = format!("a joint of the kind `{other}`");
                report.note(Severity::Changed, &element.place, element.item(), what, "left out");
            }
        }
        let made = build.made;
        if self.joints.insert(full, made).is_some() {
            return Err(element.fault("another joint has this name"));
        }
        Ok(())
    }

    /// One joint of the robot for one of the file: its number.
    fn single(&mut self, build: &mut Build<'_>, kind: JointKind, report: &mut Report) -> usize {
        let [i, j] = build.ends;
        let parallel = kind.has_axis()
            && !matches!(
                kind,
                JointKind::Universal { .. }
                    | JointKind::ConstantVelocity { .. }
                    | JointKind::PointOnLine
                    | JointKind::PointOnPlane
            );
        if parallel {
            build.parallel(report);
        }
        let z = axis(&i, 2);
        let between = j.pose.origin - i.pose.origin;
        // what of the places the joint holds together
        let apart = match kind {
            JointKind::Prismatic | JointKind::Cylindrical | JointKind::PointOnLine => {
                between - z * z.dot(&between)
            }
            JointKind::Planar | JointKind::PointOnPlane => z * z.dot(&between),
            _ => between,
        };
        // as drawn where that is closed; else each end at its place, and the assembly closes it
        let (origin, second) = match apart.norm() <= CLOSED {
            true => (j.pose.origin, None),
            false => (i.pose.origin, Some(j.pose.origin)),
        };
        self.push_at(build, kind, [i.link, j.link], z, origin, second)
    }

    fn push(
        &mut self,
        build: &Build<'_>,
        kind: JointKind,
        links: [End; 2],
        axis: Vector3<f64>,
        second: Option<Vector3<f64>>,
    ) -> usize {
        self.push_at(build, kind, links, axis, build.ends[0].pose.origin, second)
    }

    fn push_at(
        &mut self,
        build: &Build<'_>,
        kind: JointKind,
        links: [End; 2],
        axis: Vector3<f64>,
        origin: Vector3<f64>,
        second: Option<Vector3<f64>>,
    ) -> usize {
        let count = kind.coordinates().len();
        self.robot.joints.push(Joint {
            name: build.name.to_owned(),
            place: build.element.place.clone(),
            kind,
            first: links[0],
            second: links[1],
            origin,
            origin_on_second: second,
            axis,
            keep: second.is_some(),
            coordinates: vec![Coordinate::default(); count],
        });
        self.robot.joints.len() - 1
    }

    /// A link without mass, at a place.
    fn massless(&mut self, build: &Build<'_>, number: usize) -> End {
        let name = format!(
            "{}_between{}",
            build.name,
            if number == 0 { String::new() } else { format!("_{}", number + 1) }
        );
        let pose = build.ends[0].pose;
        self.robot.links.push(Link::new(name, build.element.place.clone(), pose));
        Some(self.robot.links.len() - 1)
    }

    /// Joints one behind the other at the place of J, with links without mass between them.
    fn chain(&mut self, build: &Build<'_>, steps: &[(JointKind, Vector3<f64>)]) {
        let [i, j] = build.ends;
        let mut from = i.link;
        for (n, (kind, axis)) in steps.iter().enumerate() {
            let last = n + 1 == steps.len();
            let to = if last { j.link } else { self.massless(build, n) };
            let name = if n == 0 { build.name.to_owned() } else { format!("{}_{}", build.name, n + 1) };
            let step = Build { name: &name, ..build.clone() };
            self.push_at(&step, *kind, [from, to], *axis, j.pose.origin, None);
            from = to;
        }
    }

    /// A rod without mass from I to J, which keeps their distance as drawn.
    fn rod(&mut self, build: &Build<'_>, at_i: JointKind, at_j: JointKind, report: &mut Report) {
        let [i, j] = build.ends;
        if at_j != JointKind::Spherical {
            build.parallel(report);
        }
        let drawn = j.pose.origin - i.pose.origin;
        let z = axis(&i, 2);
        let distance = if at_i == JointKind::Revolute && at_j == JointKind::Revolute {
            drawn
        } else {
            drawn - z * z.dot(&drawn)
        };
        let wanted = build.element.number("distanceIJ").ok().flatten().unwrap_or(0.0) * self.unit;
        if (distance.norm() - wanted).abs() > PARALLEL * wanted.abs().max(self.robot.reach()) {
            let what = format!("a distance of {wanted} m that is drawn as {} m", distance.norm());
            report.note(Severity::Changed, &build.element.place, build.element.item(), what, "as drawn");
        }
        let between = self.massless(build, 0);
        self.push_at(build, at_i, [i.link, between], z, i.pose.origin, None);
        let name = format!("{}_2", build.name);
        self.push_at(
            &Build { name: &name, ..build.clone() },
            at_j,
            [between, j.link],
            axis(&j, 2),
            j.pose.origin,
            None,
        );
    }

    /// The coordinate of a part against its carrier along or about a direction: joint, coordinate, sign, and the carrier. Parts of gears and racks have one such joint.
    fn on_carrier(&self, marker: &Marker, direction: Vector3<f64>, unit: &str) -> Option<OnCarrier> {
        let mut found = self.robot.joints.iter().enumerate().filter_map(|(n, joint)| {
            let sign = match (joint.first == marker.link, joint.second == marker.link) {
                (false, true) => 1.0,
                (true, false) => -1.0,
                _ => return None,
            };
            let coordinate = joint.kind.coordinates().iter().position(|of| *of == unit)?;
            let straight = joint.kind.has_axis() && joint.axis.cross(&direction).norm() < PARALLEL;
            let carrier = if sign > 0.0 { joint.first } else { joint.second };
            let fits = straight
                && matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical);
            fits.then(|| OnCarrier {
                joint: n,
                coordinate,
                sign: sign * joint.axis.dot(&direction).signum(),
                carrier,
            })
        });
        found.next()
    }

    /// Σ factor · coordinate = const, of coordinates on one carrier.
    fn relate(&mut self, build: &Build<'_>, terms: Vec<Option<(&OnCarrier, f64)>>, report: &mut Report) {
        let Some(terms) = terms.into_iter().collect::<Option<Vec<_>>>() else {
            let what = "parts without a joint about its axis, or along it, on a carrier";
            return report.note(
                Severity::Changed,
                &build.element.place,
                build.element.item(),
                what,
                "left out",
            );
        };
        let carrier = |end: End| end.filter(|link| !self.robot.links[*link].fixed);
        if terms.windows(2).any(|pair| carrier(pair[0].0.carrier) != carrier(pair[1].0.carrier)) {
            let what = "parts on different carriers";
            return report.note(
                Severity::Changed,
                &build.element.place,
                build.element.item(),
                what,
                "left out",
            );
        }
        let terms =
            terms.into_iter().map(|(on, factor)| (on.joint, on.coordinate, factor * on.sign)).collect();
        self.robot.couplings.push(Coupling {
            name: build.name.to_owned(),
            place: build.element.place.clone(),
            terms,
        });
    }

    /// (A3): a cylindrical joint between the same parts becomes a screw; else path and turn on a carrier are coupled.
    fn screw(&mut self, build: &Build<'_>, pitch: f64, report: &mut Report) {
        let [i, j] = build.ends;
        let z = axis(&i, 2);
        if pitch == 0.0 {
            return report.fault(build.element.fault("the pitch is zero"));
        }
        let own = self.robot.joints.iter().position(|joint| {
            let ends = [joint.first, joint.second];
            let same = ends == [i.link, j.link] || ends == [j.link, i.link];
            same && joint.kind == JointKind::Cylindrical && joint.axis.cross(&z).norm() < PARALLEL
        });
        if let Some(n) = own {
            let joint = &mut self.robot.joints[n];
            joint.kind = JointKind::Screw { pitch };
            joint.coordinates.truncate(1);
            // path and turn are one coordinate now, a turn
            for made in self.joints.values_mut() {
                if let Some((known, _, drawn)) = made.turn.filter(|turn| turn.0 == n) {
                    (made.turn, made.path) = (Some((known, 0, drawn)), None);
                }
            }
            return;
        }
        let [paths, turns] = ["m", "rad"].map(|unit| [i, j].map(|end| self.on_carrier(&end, z, unit)));
        // one part slides and the other one turns
        let (path, turn) = match (&paths, &turns) {
            ([Some(path), _], [_, Some(turn)]) => ((path, -TAU), (turn, -pitch)),
            ([_, Some(path)], [Some(turn), _]) => ((path, TAU), (turn, pitch)),
            _ => {
                let what = "a screw without a cylindrical joint, or a slide and a hinge on a carrier";
                return report.note(
                    Severity::Changed,
                    &build.element.place,
                    build.element.item(),
                    what,
                    "left out",
                );
            }
        };
        self.relate(build, vec![Some(path), Some(turn)], report);
    }
}

/// A coordinate of a part against what carries it.
struct OnCarrier {
    joint: usize,
    coordinate: usize,
    sign: f64,
    carrier: End,
}

/// A joint of the file.
#[derive(Clone)]
struct Build<'a> {
    element: &'a Node,
    name: &'a str,
    ends: [Marker; 2],
    made: Made,
}

impl Build<'_> {
    /// z of both markers has to be drawn parallel: it is the axis of both.
    fn parallel(&self, report: &mut Report) {
        let sine = axis(&self.ends[0], 2).cross(&axis(&self.ends[1], 2)).norm();
        if sine > PARALLEL {
            let what = format!("axes that are drawn {:.1e} rad apart", sine.min(1.0).asin());
            let done = "that of the first marker, in both parts as drawn: solve the assembly before";
            report.note(Severity::Changed, &self.element.place, self.element.item(), what, done);
        }
    }

    fn square(&self, zi: Vector3<f64>, zj: Vector3<f64>) -> Result<(), Fault> {
        match zi.dot(&zj).abs() > PARALLEL {
            true => Err(self
                .element
                .fault("its axes are not drawn square to each other: solve the assembly before")),
            false => Ok(()),
        }
    }
}

fn axis(marker: &Marker, k: usize) -> Vector3<f64> {
    marker.pose.rotation.column(k).into_owned()
}
