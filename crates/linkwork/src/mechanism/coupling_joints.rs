//! Joints that couple bodies in ways that no row between points can: screws, shafts that turn alike, teeth, wheels, curves.
//!
//! With θ a turn and s a path since the drawing:
//!
//!   (J1)  screw                s − p θ / 2π = 0                          p: the pitch
//!   (J2)  constant velocity    x₁·y₂ − y₁·x₂ = 0                         x, y across each shaft
//!   (J3)  gears                w₁ θ₁ − w₂ θ₂ = 0,  w_i = t·(a_i × (P − C_i))
//!   (J4)  rack and pinion      w θ − s = 0
//!   (J5)  disc on a line       s ± r θ = 0  and  n·(C − S) = ± r
//!   (J6)  wheel on a plane     the rows of [`Rolling`]
//!   (J7)  point on a curve     the rows of [`Curve`]
//!
//! In (J3) P is the pitch point, a_i and C_i the gears' axes and centres and t the direction in which the teeth push; θ_i are
//! turns against the carrier, and the teeth act at P: their force loads the bearings as it does in the
//! workshop. In (J2) the frames of the shafts are alike when the shafts are in line; the second shaft's drawn
//! frame is the first's, bent by the shortest way. If R turns 1 into 2 about an axis across the first shaft, its entries
//! xy and yx are equal, and the other way round: this is the bisecting-plane condition.

use super::attach::Attach;
use super::{BodyIndex, Coordinate, MechanismJoint};
use crate::error::names::segment;
use crate::interactions::{
    Beside, BodyPoint, CoordinateFunction, Coupling, CouplingOwner, Curve, CurveShape, Direction, Mesh,
    Rolling, Touch,
};
use crate::joints;
use crate::linalg::vec3::{Vec3, any_perpendicular, cross, dot, norm, scale, sub, unit};
use crate::model::{Dimension, Fault, Joint, JointKind};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Directions and places of a drawing that agree to this, relative to the size, are the same.
const SAME: f64 = 1e-6;
const Z: Vec3 = [0.0, 0.0, 1.0];

impl Attach<'_> {
    /// The couplings of all joints that have any.
    pub fn coupling_joints(&mut self) {
        let mechanism = self.mechanism;
        for (j, joint) in mechanism.joints.iter().enumerate() {
            let Some(said) = joint.entry.map(|e| &mechanism.model.joints[e]) else { continue };
            let path = format!("joints.{}", segment(&joint.name));
            let outcome = match joint.kind.descriptor().coupling {
                joints::Coupling::None => Ok(()),
                joints::Coupling::Thread => self.screw(j, joint, said),
                joints::Coupling::EqualTurns => self.constant_velocity(j, joint),
                joints::Coupling::Teeth => self.gear(j, joint, said),
                joints::Coupling::Rack => self.rack(j, joint, said),
                joints::Coupling::Rolling => self.rolling(j, joint, said),
                joints::Coupling::Curve => self.on_curve(j, joint, said),
            };
            if let Err((message, help)) = outcome {
                self.faults.push(Fault::error(path, message).help(help));
            }
        }
    }

    /// A spot of a body at a place of the drawing.
    fn spot_at(&self, body: BodyIndex, place: Vec3) -> BodyPoint {
        let com = body.map_or([0.0; 3], |b| self.mechanism.bodies[b].particles.properties.com);
        BodyPoint { body, s: sub(place, com) }
    }

    /// Adds a row of a joint that vanishes as drawn.
    fn couple(&mut self, j: usize, terms: Vec<(usize, f64)>, touch: Touch, what: &str) {
        let offset = self.as_drawn(&terms);
        self.couple_to(j, terms, offset, touch, what);
    }

    fn couple_to(&mut self, j: usize, terms: Vec<(usize, f64)>, offset: f64, touch: Touch, what: &str) {
        for &(g, _) in &terms {
            self.track(g, 0.0);
        }
        let label = format!("joint `{}`: {what}", self.mechanism.joints[j].name);
        let mut row = Coupling::new(&self.list.gauges, terms, CouplingOwner::Joint(j), label);
        match &touch {
            Touch::Gauges => {}
            Touch::Mesh(mesh) => row.bodies = mesh.bodies.into_iter().flatten().collect(),
            Touch::Rolling(rolling, _) => row.bodies = rolling.bodies(),
        }
        row.bodies.sort_unstable();
        row.bodies.dedup();
        self.list.couplings.push(Coupling { offset, touch, ..row });
    }

    /// Bodies that a turn is asked of must have an orientation.
    fn must_turn(&self, bodies: [BodyIndex; 2]) -> Result<(), (String, String)> {
        if self.turns(bodies) {
            return Ok(());
        }
        let least = self.mechanism.columns();
        let thin = bodies.iter().flatten().find(|&&b| self.mechanism.bodies[b].nodes.len() < least);
        let name = self.mechanism.body_name(thin.copied());
        let message = format!("`{name}` has no inertia about itself, so nothing says how far it has turned");
        Err((message, "give the body a shape with some thickness, or an inertia".into()))
    }

    /// (J1)
    fn screw(&mut self, j: usize, joint: &MechanismJoint, said: &Joint) -> Result<(), (String, String)> {
        self.must_turn(joint.bodies)?;
        let [turn, path] = [0, 1].map(|i| self.coordinates[j][i].gauge);
        let lead = said.pitch.unwrap_or(0.0) / TAU;
        self.couple(j, vec![(path, 1.0), (turn, -lead)], Touch::Gauges, "thread");
        Ok(())
    }

    /// (J2)
    fn constant_velocity(&mut self, j: usize, joint: &MechanismJoint) -> Result<(), (String, String)> {
        self.must_turn(joint.bodies)?;
        let [a, b] = joint.bodies;
        let z1 = joint.axis.unwrap_or(Z);
        let z2 = joint.axis2.unwrap_or(z1);
        let x1 = any_perpendicular(z1);
        let y1 = cross(z1, x1);
        // the shortest way from one shaft to the other: R v = v + n × v + n × (n × v) / (1 + z₁·z₂), n = z₁ × z₂
        let n = cross(z1, z2);
        let bend = |v: Vec3| {
            let first = cross(n, v);
            let second = scale(1.0 / (1.0 + dot(z1, z2)), cross(n, first));
            unit(crate::linalg::vec3::add(v, crate::linalg::vec3::add(first, second)))
        };
        let length = self.mechanism.size;
        let cosine = |u: Vec3, v: Vec3| CoordinateFunction::Cosine {
            first: Direction { body: a, u },
            second: Direction { body: b, u: v },
            length,
        };
        let (p, q) = (self.gauge(cosine(x1, bend(y1))), self.gauge(cosine(y1, bend(x1))));
        self.couple_to(j, vec![(p, 1.0), (q, -1.0)], 0.0, Touch::Gauges, "equal turns");
        Ok(())
    }

    /// The joint on which a body turns, or slides, against the carrier: the one between the two, or any of its kind
    /// that the body has (with an axis that the carrier turns about as well).
    fn bearing(&self, body: BodyIndex, carrier: BodyIndex, kinds: &[JointKind]) -> Option<&MechanismJoint> {
        let of = |body: BodyIndex| {
            self.mechanism.joints.iter().filter(move |j| kinds.contains(&j.kind) && j.bodies.contains(&body))
        };
        let line = |joint: &MechanismJoint| {
            let planar = self.mechanism.dimension() == Dimension::Planar;
            let spot = self.mechanism.spot(joint.bodies[0], joint.points[0]);
            (if planar { Z } else { joint.axis.unwrap_or(Z) }, spot.at(&self.drawn()).r)
        };
        let same = |p: &MechanismJoint, q: &MechanismJoint| {
            let ((a, at), (b, bt)) = (line(p), line(q));
            let off = cross(a, sub(bt, at));
            norm(cross(a, b)) <= SAME && norm(off) <= SAME * self.mechanism.size
        };
        of(body)
            .find(|joint| joint.bodies.contains(&carrier))
            .or_else(|| of(body).find(|joint| of(carrier).any(|other| same(joint, other))))
    }

    /// The body that carries the bearings of two bodies.
    fn carrier(
        &self,
        joint: &MechanismJoint,
        said: &Joint,
        kinds: [&[JointKind]; 2],
    ) -> Result<BodyIndex, (String, String)> {
        if let Some(name) = &said.carrier {
            return Ok(self.mechanism.bodies.iter().position(|b| b.name == *name));
        }
        let partners = |body: BodyIndex, kinds: &[JointKind]| -> Vec<BodyIndex> {
            let of_kind = self.mechanism.joints.iter().filter(|k| kinds.contains(&k.kind));
            of_kind
                .filter_map(|k| match k.bodies {
                    [a, b] if a == body => Some(b),
                    [a, b] if b == body => Some(a),
                    _ => None,
                })
                .filter(|b| !joint.bodies.contains(b))
                .collect()
        };
        let [first, second] = [0, 1].map(|i| partners(joint.bodies[i], kinds[i]));
        let mut common: Vec<BodyIndex> = first.into_iter().filter(|b| second.contains(b)).collect();
        common.dedup();
        match common[..] {
            [one] => Ok(one),
            [] => Err((
                format!("no body carries the bearings of both `{}` and `{}`", said.bodies[0], said.bodies[1]),
                "carrier = the body on which both are mounted".into(),
            )),
            _ => Err((
                "several bodies carry the bearings of both".into(),
                "carrier = the one that the teeth belong to".into(),
            )),
        }
    }

    /// Axis and centre of a body's bearing, as drawn.
    fn axle(&self, body: BodyIndex, carrier: BodyIndex) -> Result<(Vec3, Vec3), (String, String)> {
        let planar = self.mechanism.dimension() == Dimension::Planar;
        let found = self.bearing(body, carrier, &[JointKind::Revolute, JointKind::Cylindrical]);
        let Some(bearing) = found else {
            let name = self.mechanism.body_name(body);
            return Err((
                format!("`{name}` turns on no bearing"),
                "join it to the carrier by a revolute joint".into(),
            ));
        };
        let side = if bearing.bodies[0] == body { 0 } else { 1 };
        let spot = self.mechanism.spot(body, bearing.points[side]);
        let com = body.map_or([0.0; 3], |b| self.mechanism.bodies[b].particles.properties.com);
        let axis = if planar { Z } else { bearing.axis.unwrap_or(Z) };
        Ok((axis, crate::linalg::vec3::add(com, spot.s)))
    }

    fn pitch_point(&self, said: &Joint) -> Vec3 {
        let found = self.mechanism.model.points.iter().find(|p| p.name == said.at[0]);
        found.map_or([0.0; 3], |p| p.position)
    }

    /// (J3)
    fn gear(&mut self, j: usize, joint: &MechanismJoint, said: &Joint) -> Result<(), (String, String)> {
        const TURNS: &[JointKind] = &[JointKind::Revolute, JointKind::Cylindrical];
        let carrier = self.carrier(joint, said, [TURNS, TURNS])?;
        let [first, second] = joint.bodies;
        for body in joint.bodies {
            self.must_turn([body, carrier])?;
        }
        let at = self.pitch_point(said);
        let (a1, c1) = self.axle(first, carrier)?;
        let (a2, c2) = self.axle(second, carrier)?;
        let (arm1, arm2) = (cross(a1, sub(at, c1)), cross(a2, sub(at, c2)));
        let size = self.mechanism.size;
        let t = unit(arm1);
        if norm(arm1) <= SAME * size || norm(arm2) <= SAME * size {
            return Err((
                format!("the pitch point `{}` lies on the axis of a gear", said.at[0]),
                "at = the point where the pitch circles touch".into(),
            ));
        }
        if norm(cross(t, arm2)) > SAME * norm(arm2) {
            return Err((
                format!("at `{}` the rims of the two gears do not run the same way", said.at[0]),
                "at = the point where the pitch circles touch: in one plane with both axes".into(),
            ));
        }
        let one = self.gauge(CoordinateFunction::turn(carrier, first, a1, None));
        let two = self.gauge(CoordinateFunction::turn(carrier, second, a2, None));
        let mesh = Mesh {
            bodies: joint.bodies,
            at: self.spot_at(carrier, at),
            along: Direction { body: carrier, u: t },
        };
        self.couple_to(j, vec![(one, norm(arm1)), (two, -dot(t, arm2))], 0.0, Touch::Mesh(mesh), "teeth");
        self.coordinates[j] =
            vec![Coordinate { gauge: one, factor: 1.0 }, Coordinate { gauge: two, factor: 1.0 }];
        Ok(())
    }

    /// (J4)
    fn rack(&mut self, j: usize, joint: &MechanismJoint, said: &Joint) -> Result<(), (String, String)> {
        const TURNS: &[JointKind] = &[JointKind::Revolute, JointKind::Cylindrical];
        const SLIDES: &[JointKind] = &[JointKind::Prismatic];
        let carrier = self.carrier(joint, said, [TURNS, SLIDES])?;
        let [pinion, rack] = joint.bodies;
        self.must_turn([pinion, carrier])?;
        let at = self.pitch_point(said);
        let (a, c) = self.axle(pinion, carrier)?;
        let arm = cross(a, sub(at, c));
        if norm(arm) <= SAME * self.mechanism.size {
            return Err((
                format!("the pitch point `{}` lies on the axis of the pinion", said.at[0]),
                "at = the point where the rack touches the pitch circle".into(),
            ));
        }
        let t = unit(arm);
        let slide = self.bearing(rack, carrier, SLIDES).and_then(|k| k.axis);
        if slide.is_none_or(|u| norm(cross(t, u)) > SAME) {
            return Err((
                format!("the rack `{}` does not slide along the teeth", said.bodies[1]),
                "join it to the carrier by a prismatic joint along the pitch line, square to the pinion's radius".into(),
            ));
        }
        let turn = self.gauge(CoordinateFunction::turn(carrier, pinion, a, None));
        let along = Direction { body: carrier, u: t };
        let path = self.gauge(CoordinateFunction::Component {
            from: self.spot_at(carrier, at),
            to: self.spot_at(rack, at),
            along,
        });
        let mesh = Mesh { bodies: joint.bodies, at: self.spot_at(carrier, at), along };
        self.couple_to(j, vec![(turn, norm(arm)), (path, -1.0)], 0.0, Touch::Mesh(mesh), "teeth");
        self.coordinates[j] =
            vec![Coordinate { gauge: turn, factor: 1.0 }, Coordinate { gauge: path, factor: 1.0 }];
        Ok(())
    }

    /// (J5), (J6)
    fn rolling(&mut self, j: usize, joint: &MechanismJoint, said: &Joint) -> Result<(), (String, String)> {
        self.must_turn(joint.bodies)?;
        let [base, wheel] = joint.bodies;
        let [plane, centre] = [0, 1].map(|s| self.mechanism.spot(joint.bodies[s], joint.points[s]));
        let drawn = self.drawn();
        let d = sub(centre.at(&drawn).r, plane.at(&drawn).r);
        let touches_not = |what: &str| {
            Err((
                format!("the centre `{}` lies on the {what} that it should roll on", said.at[1]),
                "draw it one radius off, or give the `radius`".into(),
            ))
        };
        if self.mechanism.dimension() == Dimension::Planar {
            let u = joint.axis.unwrap_or([1.0, 0.0, 0.0]);
            let n = cross(Z, u);
            let height = dot(n, d);
            if height == 0.0 {
                return touches_not("line");
            }
            let (radius, side) = (said.radius.unwrap_or(height.abs()), height.signum());
            let across = CoordinateFunction::Component {
                from: plane,
                to: centre,
                along: Direction { body: base, u: n },
            };
            let across = self.gauge(across);
            self.couple_to(j, vec![(across, 1.0)], side * radius, Touch::Gauges, "off the line");
            let [path, turn] = [0, 1].map(|i| self.coordinates[j][i].gauge);
            self.couple(j, vec![(path, 1.0), (turn, side * radius)], Touch::Gauges, "slip");
            return Ok(());
        }
        let mut n = joint.axis.unwrap_or(Z);
        if dot(n, d) == 0.0 {
            return touches_not("plane");
        }
        if dot(n, d) < 0.0 {
            n = scale(-1.0, n); // towards the wheel
        }
        let axis = joint.axis2.map(|u| Direction { body: wheel, u });
        let tilt = axis.map_or(0.0, |a| dot(n, a.u));
        let upright = (1.0 - tilt * tilt).max(0.0).sqrt();
        if upright < 1e-3 {
            return Err((
                "the wheel lies flat on its side".into(),
                "`axis2` is the axis that it turns about, `axis` the normal of the plane".into(),
            ));
        }
        let radius = said.radius.unwrap_or(dot(n, d) / upright);
        let normal = Direction { body: base, u: n };
        let rolling = Rolling { plane, normal, centre, axis, radius };
        for (k, what) in
            [(Rolling::NORMAL, "off the plane"), (0, "slip along the track"), (1, "slip across the track")]
        {
            self.couple_to(j, vec![], 0.0, Touch::Rolling(Box::new(rolling.clone()), k), what);
        }
        Ok(())
    }

    /// (J7)
    fn on_curve(&mut self, j: usize, joint: &MechanismJoint, said: &Joint) -> Result<(), (String, String)> {
        let mechanism = self.mechanism;
        let body = joint.bodies[0];
        let com = body.map_or([0.0; 3], |b| mechanism.bodies[b].particles.properties.com);
        let drawn =
            |name: &String| mechanism.model.points.iter().find(|p| p.name == *name).map(|p| p.position);
        let points: Vec<Vec3> = said.curve.iter().filter_map(drawn).map(|p| sub(p, com)).collect();
        let shape = CurveShape::new(&points, said.closed).map_err(|e| {
            (
                format!("there is no curve through these points: {}", e.message),
                "no two neighbours may coincide".to_owned(),
            )
        })?;
        let planar = mechanism.dimension() == Dimension::Planar;
        let (shape, hint) = (Arc::new(shape), self.hint(f64::NAN));
        let point = mechanism.spot(joint.bodies[1], joint.points[1]);
        let read = |read: Beside| {
            CoordinateFunction::Curve(Box::new(Curve {
                shape: shape.clone(),
                body,
                point,
                planar,
                read,
                hint,
            }))
        };
        let first = self.gauge(read(Beside::First));
        self.couple_to(j, vec![(first, 1.0)], 0.0, Touch::Gauges, "beside the curve");
        if !planar {
            let second = self.gauge(read(Beside::Second));
            self.couple_to(j, vec![(second, 1.0)], 0.0, Touch::Gauges, "beside the curve 2");
        }
        let along = self.gauge(read(Beside::Along));
        self.coordinates[j] = vec![Coordinate { gauge: along, factor: 1.0 }];
        Ok(())
    }
}
