//! Tyres on a road h(x, y, t). With the height H of the wheel's centre c above the road below it, up = u:
//!
//!   (T1)  H = u·c − h,   δ = R − H,   F = K δ + C δ̇                     radial, as [attia2005] has it: F u at c
//!   (T2)  δ > 0 and F > 0, else F = 0
//!   (T3)  V = ½ K δ² while δ > 0;   power = Σ f·v + m·ω + K δ δ̇          so that E − W stays where F is cut off, too
//!
//! The brush tyre is a thin disc with the spin axis a that touches the plane tangent to the road below its centre. With the
//! road's slopes g = (h_x, h_y) and normal n = (−g_x, −g_y, 1) / √(1 + g²):
//!
//!   (T4)  ρ = n·u H / s,   s = √(1 − (n·a)²),   δ = R − ρ                 ρ: the loaded radius, in the plane of the disc
//!   (T5)  q = c − ρ e,   e = (n − (n·a) a) / s                            the lowest point: where all forces act
//!   (T6)  l = a × n / s,   b = n × l                                      along the road and across it
//!   (T7)  w = v_q − h_t u,   V² = (l·(ċ − h_t u))² + v_s²                 v_q: velocity of the disc at q
//!   (T8)  κ = −l·w / V,   tan α = −b·w / V
//!   (T9)  k = (C_κ κ, C_α tan α),   σ = |k| / μF,   φ = σ − σ²/3 + σ³/27 up to σ = 3, then 1
//!   (T10) force F n + μF φ (k₁ l + k₂ b) / |k|,   couple −c_r F ρ a Ωρ / √((Ωρ)² + v_s²),   Ω = a·ω
//!
//! (T9) is [fiala1954]'s brush with a parabolic pressure, for both slips together as in chapter 3 of [pacejka2012], but with
//! slips that are taken of the speed of travel. The force along the road never does positive work in (T7)'s slip: both its
//! parts oppose their own slip. v_s keeps (T8) finite for a wheel at rest, which then creeps. The rolling radius is ρ. Left out: the aligning moment (the force acts
//! at q, not behind it), relaxation lengths, camber thrust and the width of the tyre.
//!
//! δ̇ is exact. It needs the rate of n along the motion, so the mixed second derivatives of h: with D_X² the second
//! derivative along X in (x, y, t), 2 D_X D_V = D²_{X+V} − D_X² − D_V² (T11).

use crate::expressions::Formula;
use crate::interactions::Interactions;
use crate::interactions::action::{Effect, Law};
use crate::interactions::motion::{BodyPoint, Direction, Motion, Moving, Wrenches, motion_of};
use crate::interactions::program::{Context, Scratch};
use crate::linalg::jet::Jet;
use crate::linalg::vec3::{IDENTITY, Vec3, add, axpy, cross, dot, norm, scale, sub, unit};

/// A disc whose plane is this near to the road has no lowest point.
const FLAT: f64 = 1e-6;

/// How a tyre grips the road: longitudinal slip and slip angle together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brush {
    /// Longitudinal force per slip, for small slip, N.
    pub slip_stiffness: f64,
    /// Lateral force per slip angle, for small angles, N/rad.
    pub cornering_stiffness: f64,
    /// Coefficient of friction between tyre and road.
    pub friction: f64,
    /// Rolling moment over normal force and loaded radius.
    pub rolling_resistance: f64,
    /// Speed below which slip is smoothed, m/s.
    pub slip_speed: f64,
}

impl Brush {
    /// Speed below which slip is smoothed unless set otherwise, m/s.
    pub const SLIP_SPEED: f64 = 0.1;

    /// A brush without rolling resistance.
    pub fn new(slip_stiffness: f64, cornering_stiffness: f64, friction: f64) -> Self {
        let (rolling_resistance, slip_speed) = (0.0, Self::SLIP_SPEED);
        Brush { slip_stiffness, cornering_stiffness, friction, rolling_resistance, slip_speed }
    }
}

/// What a reference of the road's formula is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// x
    X,
    /// y
    Y,
    /// t
    Time,
}

/// Height of the road.
#[derive(Clone, Debug)]
pub struct Road {
    /// h
    pub height: Formula,
    /// What its references are, in their order.
    pub places: Vec<Place>,
    /// x, y and height in the world of the origin that places are relative to, m.
    pub origin: [f64; 3],
}

/// The road below a moving point.
#[derive(Clone, Copy, Debug, Default)]
struct Ground {
    h: f64,
    /// h_t
    lift: f64,
    /// g
    slope: [f64; 2],
    /// ġ along the motion
    slope_rate: [f64; 2],
    /// ḣ along the motion
    rate: f64,
}

impl Road {
    /// Value and derivatives at (x, y, t) along a direction.
    fn along(&self, at: [f64; 3], direction: [f64; 3], scratch: &mut Scratch) -> Jet {
        let value = |place: &Place| {
            let i = *place as usize;
            Jet::new(at[i] + if i < 2 { self.origin[i] } else { 0.0 }, direction[i], 0.0)
        };
        let mut jets = [Jet::default(); 3];
        for (jet, place) in jets.iter_mut().zip(&self.places) {
            *jet = value(place);
        }
        let mut height = self.height.eval_jet(&jets[..self.places.len()], &mut scratch.jets);
        height.x -= self.origin[2];
        height
    }

    /// Height at (x, y, t), m.
    pub fn height(&self, at: [f64; 3]) -> f64 {
        self.along(at, [0.0; 3], &mut Scratch::default()).x
    }

    /// Whether the height depends on a place or on the time.
    pub fn uses(&self, place: Place) -> bool {
        self.places.contains(&place)
    }

    /// Below a point that moves; slopes only where they are asked for.
    fn below(&self, at: [f64; 3], v: [f64; 3], slopes: bool, scratch: &mut Scratch) -> Ground {
        if let Some(h) = self.height.is_constant() {
            return Ground { h: h - self.origin[2], ..Default::default() };
        }
        let moving = self.along(at, v, scratch);
        let mut ground = Ground { h: moving.x, rate: moving.d, lift: moving.d, ..Default::default() };
        if slopes {
            for (i, place) in [Place::X, Place::Y].into_iter().enumerate() {
                if self.uses(place) {
                    let unit = IDENTITY[i];
                    let own = self.along(at, unit, scratch);
                    ground.slope[i] = own.d;
                    ground.lift -= own.d * v[i];
                    // (T11)
                    let both = self.along(at, add(unit, v), scratch);
                    ground.slope_rate[i] = 0.5 * (both.dd - own.dd - moving.dd);
                }
            }
        }
        ground
    }
}

/// A tyre.
#[derive(Clone, Debug)]
pub struct Tyre {
    /// Centre of the wheel.
    pub centre: BodyPoint,
    /// Spin axis, fixed in the wheel.
    pub axis: Direction,
    /// The component that points up: 1 in the plane, 2 in space.
    pub up: usize,
    /// R
    pub radius: f64,
    /// K
    pub stiffness: f64,
    /// C
    pub damping: f64,
    /// The slips' law; none for the radial tyre.
    pub brush: Option<Brush>,
    /// The road.
    pub road: Road,
}

/// A tyre at an instant.
#[derive(Clone, Copy, Debug, Default)]
struct Contact {
    /// δ
    deflection: f64,
    /// δ̇
    rate: f64,
    /// F
    normal: f64,
    /// Along l and b.
    tangential: [f64; 2],
    /// κ and tan α.
    slip: [f64; 2],
    /// All forces together.
    force: Vec3,
    couple: Vec3,
    /// Where they act: from the centre of the wheel.
    arm: Vec3,
}

impl Tyre {
    fn contact(&self, at: &Context<'_>, scratch: &mut Scratch) -> Contact {
        let c = self.centre.at(at.scene.bodies);
        let across = if self.up == 2 { 1 } else { 2 };
        // the road knows x and, in space, y
        let (place, v) = ([c.r[0], c.r[across], at.scene.t], [c.v[0], c.v[across], 1.0]);
        let road = self.road.below(place, v, self.brush.is_some(), scratch);
        let (height, height_rate) = (c.r[self.up] - road.h, c.v[self.up] - road.rate);
        match &self.brush {
            None => self.radial(height, height_rate),
            Some(brush) => self.brush(brush, at, &c, &road, height, height_rate, across),
        }
    }

    /// (T1), (T2)
    fn radial(&self, height: f64, height_rate: f64) -> Contact {
        let (deflection, rate) = (self.radius - height, -height_rate);
        let normal = self.normal(deflection, rate);
        Contact { deflection, rate, normal, force: scale(normal, IDENTITY[self.up]), ..Default::default() }
    }

    /// (T2)
    fn normal(&self, deflection: f64, rate: f64) -> f64 {
        // a deflection that is no number makes a force that is none, so that the run says so
        if deflection <= 0.0 {
            return 0.0;
        }
        let force = self.stiffness * deflection + self.damping * rate;
        if force < 0.0 { 0.0 } else { force }
    }

    #[allow(clippy::too_many_arguments)]
    fn brush(
        &self,
        brush: &Brush,
        at: &Context<'_>,
        c: &Moving,
        road: &Ground,
        height: f64,
        height_rate: f64,
        across: usize,
    ) -> Contact {
        let body = motion_of(at.scene.bodies, self.centre.body);
        let up = IDENTITY[self.up];
        let a = self.axis.at(at.scene.bodies);
        let a_rate = cross(body.w, a);
        let [gx, gy] = road.slope;
        let [gx_rate, gy_rate] = road.slope_rate;
        let n_up = 1.0 / (1.0 + gx * gx + gy * gy).sqrt();
        let n_up_rate = -n_up.powi(3) * (gx * gx_rate + gy * gy_rate);
        let level = |x: f64, y: f64, z: f64| {
            let mut v = [0.0; 3];
            (v[0], v[self.up]) = (-x, z);
            // in the plane nothing depends on the third component
            if self.up == 2 {
                v[across] = -y;
            }
            v
        };
        let n = scale(n_up, level(gx, gy, 1.0));
        let n_rate = axpy(scale(n_up_rate / n_up, n), n_up, level(gx_rate, gy_rate, 0.0));
        let sine = dot(n, a);
        let square = 1.0 - sine * sine;
        if square < FLAT * FLAT {
            return Contact::default();
        }
        let s = square.sqrt();
        // (T4)
        let s_rate = -sine * (dot(n_rate, a) + dot(n, a_rate)) / s;
        let rho = n_up * height / s;
        let rho_rate = (n_up_rate * height + n_up * height_rate - rho * s_rate) / s;
        let (deflection, rate) = (self.radius - rho, -rho_rate);
        let normal = self.normal(deflection, rate);
        let e = scale(1.0 / s, axpy(n, -sine, a));
        let arm = scale(-rho, e);
        let mut contact = Contact { deflection, rate, normal, arm, ..Default::default() };
        if normal == 0.0 {
            return contact;
        }
        let l = scale(1.0 / s, cross(a, n)); // (T6)
        let b = cross(n, l);
        // (T7), (T8)
        let own = axpy(c.v, -road.lift, up);
        let w = add(own, cross(body.w, arm));
        let speed = dot(l, own).hypot(brush.slip_speed);
        contact.slip = [-dot(l, w) / speed, -dot(b, w) / speed];
        // (T9)
        let k = [brush.slip_stiffness * contact.slip[0], brush.cornering_stiffness * contact.slip[1]];
        let size = k[0].hypot(k[1]);
        if size > 0.0 {
            let grip = brush.friction * normal;
            let sigma = size / grip;
            let phi = if sigma < 3.0 { sigma - sigma * sigma / 3.0 + sigma.powi(3) / 27.0 } else { 1.0 };
            contact.tangential = k.map(|k| grip * phi * k / size);
        }
        // (T10)
        let rim = dot(a, body.w) * rho;
        let rolling = -brush.rolling_resistance * normal * rho * rim / rim.hypot(brush.slip_speed);
        let [longitudinal, lateral] = contact.tangential;
        contact.force = axpy(axpy(scale(normal, n), longitudinal, l), lateral, b);
        contact.couple = scale(rolling, a);
        contact
    }

    fn lateral(&self) -> bool {
        self.up == 2
    }
}

impl Tyre {
    /// Normal of the road below a place, by differences: for pictures.
    fn road_normal(&self, at: Vec3, t: f64) -> Vec3 {
        let mut normal = [0.0; 3];
        normal[self.up] = 1.0;
        let step = 1e-4 * self.radius;
        for (i, place) in [Place::X, Place::Y].into_iter().enumerate().take(self.up) {
            if self.road.uses(place) {
                let height = |by: f64| {
                    let mut there = [at[0], at[1], t];
                    there[i] += by;
                    self.road.height(there)
                };
                normal[i] = -(height(step) - height(-step)) / (2.0 * step);
            }
        }
        unit(normal)
    }
}

impl Law for Tyre {
    fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Wrenches) -> Effect {
        let contact = self.contact(at, scratch);
        let body = motion_of(at.scene.bodies, self.centre.body);
        let centre = self.centre.at(at.scene.bodies);
        let arm = add(centre.arm, contact.arm);
        // (T3)
        let (mut potential, mut power) = (0.0, 0.0);
        if contact.deflection > 0.0 {
            potential = 0.5 * self.stiffness * contact.deflection * contact.deflection;
            power = self.stiffness * contact.deflection * contact.rate;
        }
        if contact.normal != 0.0 {
            pulls.add(self.centre.body, arm, contact.force, contact.couple);
            let v = add(body.v, cross(body.w, sub(add(centre.r, contact.arm), body.c)));
            power += dot(contact.force, v) + dot(contact.couple, body.w);
        }
        Effect { power, potential }
    }

    fn columns(&self, _: &Interactions) -> Vec<(&'static str, &'static str)> {
        let mut list = vec![("force", "N"), ("deflection", "m")];
        match (&self.brush, self.lateral()) {
            (None, _) => {}
            (Some(_), false) => list.extend([("longitudinal", "N"), ("slip", "")]),
            (Some(_), true) => {
                list.extend([("longitudinal", "N"), ("lateral", "N"), ("slip", ""), ("slip_angle", "rad")]);
            }
        }
        list
    }

    fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        let c = self.contact(at, scratch);
        let ([longitudinal, lateral], [slip, tangent]) = (c.tangential, c.slip);
        out.extend([c.normal, c.deflection]);
        match (&self.brush, self.lateral()) {
            (None, _) => {}
            (Some(_), false) => out.extend([longitudinal, slip]),
            (Some(_), true) => out.extend([longitudinal, lateral, slip, tangent.atan()]),
        }
    }

    fn bodies(&self, _: &Interactions) -> Vec<usize> {
        self.centre.body.into_iter().collect()
    }

    fn contact_force(&self, bodies: &[Motion], t: f64, outputs: &[f64]) -> Option<[Vec3; 2]> {
        let [normal, deflection, ..] = *outputs else { return None };
        if normal <= 0.0 {
            return None;
        }
        let centre = self.centre.at(bodies).r;
        let loaded = self.radius - deflection;
        let mut up = [0.0; 3];
        up[self.up] = 1.0;
        if self.brush.is_none() {
            return Some([axpy(centre, -loaded, up), scale(normal, up)]);
        }
        let n = self.road_normal(centre, t);
        let a = self.axis.at(bodies);
        let out = axpy(n, -dot(n, a), a);
        if norm(out) < FLAT {
            return None;
        }
        let along = unit(cross(a, n));
        let mut force = axpy(scale(normal, n), *outputs.get(2)?, along);
        if self.up == 2 {
            force = axpy(force, *outputs.get(3)?, cross(n, along));
        }
        Some([axpy(centre, -loaded, unit(out)), force])
    }

    fn road(&self) -> Option<(&Road, usize)> {
        Some((&self.road, self.up))
    }

    fn without_series(&self) -> &'static str {
        "a tyre lifts off and slides"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interactions::{Interactions, Motion, Scene};
    use crate::linalg::quaternion;
    use crate::linalg::vec3::{norm, unit};

    fn road(text: &str) -> Road {
        let height = Formula::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let place = |name: &str| match name {
            "x" => Place::X,
            "y" => Place::Y,
            _ => Place::Time,
        };
        let places = height.references().iter().map(|r| place(r.target.single().unwrap())).collect();
        Road { height, places, origin: [0.0; 3] }
    }

    fn tyre(brush: bool, text: &str) -> Tyre {
        Tyre {
            centre: BodyPoint { body: Some(0), s: [0.02, -0.01, 0.03] },
            axis: Direction { body: Some(0), u: unit([0.1, 1.0, 0.05]) },
            up: 2,
            radius: 0.35,
            stiffness: 1.5e5,
            damping: 1.3e3,
            brush: brush.then(|| Brush { rolling_resistance: 0.015, ..Brush::new(6e4, 5e4, 0.9) }),
            road: road(text),
        }
    }

    /// A wheel that shifts and turns steadily.
    fn wheel(t: f64, v: Vec3, w: Vec3) -> Motion {
        let (s, c) = (0.5 * norm(w) * t).sin_cos();
        let a = unit(w);
        let turned = quaternion::matrix(&[c, s * a[0], s * a[1], s * a[2]]);
        Motion { c: axpy([0.4, -0.3, 0.36], t, v), turned, v, w }
    }

    fn at<T>(t: f64, motion: Motion, what: impl FnOnce(&Context<'_>) -> T) -> T {
        let (interactions, bodies) = (Interactions::default(), [motion]);
        let scene = Scene { t, bodies: &bodies, hints: &[], holds: &[], switches: &[] };
        what(&Context { interactions: &interactions, scene: &scene, measures: &[], locals: &[], late: &[] })
    }

    /// δ̇ against differences of δ on a road that is curved and moves; the power against force, motion and potential.
    #[test]
    fn cross_rates_and_powers_meet_finite_differences() {
        let (v, w) = ([4.0, 0.7, -0.3], [0.4, 11.0, 0.6]);
        let roads = ["0.05 + 0.02*sin(5*x + 2*t)*cos(3*y) + 0.01*x*y", "0.06 + 0.1*x - 0.05*y", "0.05"];
        for (text, brush) in roads.into_iter().flat_map(|r| [(r, false), (r, true)]) {
            let tyre = tyre(brush, text);
            let contact = |t: f64| at(t, wheel(t, v, w), |c| tyre.contact(c, &mut Scratch::default()));
            let effect = |t: f64| {
                at(t, wheel(t, v, w), |c| {
                    let mut pulls = Wrenches::default();
                    let effect = tyre.apply(c, &mut Scratch::default(), &mut pulls);
                    let m = wheel(t, v, w);
                    let power: f64 = pulls.list.iter().map(|p| p.wrench.power(&m.twist())).sum();
                    (effect, power)
                })
            };
            let h = 1e-5;
            let now = contact(0.0);
            assert!(now.deflection > 0.0 && now.normal > 0.0, "{text}: {now:?}");
            let rate = (contact(h).deflection - contact(-h).deflection) / (2.0 * h);
            // h² of the third derivative
            assert!((now.rate - rate).abs() < 1e-7, "{text} {brush}: {} {rate}", now.rate);
            let (here, power) = effect(0.0);
            let stored = (effect(h).0.potential - effect(-h).0.potential) / (2.0 * h);
            assert!((here.power - power - stored).abs() < 1e-3 * power.abs().max(1.0), "{text} {brush}");
        }
    }

    /// (T9): its slope for small slip, the sliding force beyond, and no force that the slip could take power from.
    #[test]
    fn exact_brush_law() {
        let law = |vx: f64, vy: f64, spin: f64| {
            let motion =
                Motion { c: [0.0, 0.0, 0.33], v: [vx, vy, 0.0], w: [0.0, spin, 0.0], ..Motion::FIXED };
            let mut tyre = tyre(true, "0");
            (tyre.centre.s, tyre.axis.u) = ([0.0; 3], [0.0, 1.0, 0.0]);
            at(0.0, motion, |c| tyre.contact(c, &mut Scratch::default()))
        };
        let normal = 1.5e5 * 0.02;
        let rolling = 15.0 / 0.33;
        let small = law(15.0, 0.0, rolling * (1.0 + 1e-6));
        assert!((small.normal - normal).abs() < 1e-9);
        // 4e-5 from the smoothing at 0.1 m/s of 15, and as much from the curvature of the law
        assert!((small.tangential[0] - 6e4 * 1e-6).abs() < 1e-4 * 6e-2, "{small:?}");
        let side = law(15.0, -15e-6, rolling);
        assert!((side.tangential[1] - 5e4 * 1e-6).abs() < 1e-4 * 5e-2, "{side:?}");
        // at σ = 1.5 the parabola gives 1.5 − 0.75 + 0.125
        let half = law(15.0, 0.0, rolling * (1.0 + 1.5 * 0.9 * normal / 6e4));
        assert!((half.tangential[0] / (0.9 * normal) - 0.875).abs() < 1e-4, "{half:?}");
        let locked = law(15.0, 0.0, 0.0);
        assert!((locked.tangential[0] + 0.9 * normal).abs() < 1e-9, "{locked:?}");
        for (vx, vy, spin) in [(15.0, 2.0, 50.0), (-3.0, 1.0, 4.0), (0.0, 0.0, 1.0), (0.0, -1e-3, 0.0)] {
            let c = law(vx, vy, spin);
            let slip = [vx - 0.33 * spin, vy];
            assert!(c.tangential[0] * slip[0] <= 0.0 && c.tangential[1] * slip[1] <= 0.0, "{c:?}");
            assert!(c.tangential[0].hypot(c.tangential[1]) <= 0.9 * normal * (1.0 + 1e-12));
        }
        assert_eq!(law(0.0, 0.0, 0.0).tangential, [0.0; 2]);
    }

    /// Off the ground and lying flat there is no force; a road without a value makes the force none.
    #[test]
    fn exact_edges() {
        let contact = |tyre: &Tyre, c: Vec3, v: Vec3| {
            let motion = Motion { c, v, ..Motion::FIXED };
            at(0.0, motion, |at| tyre.contact(at, &mut Scratch::default()))
        };
        for brush in [false, true] {
            let up = contact(&tyre(brush, "0"), [0.0, 0.0, 0.4], [0.0; 3]);
            assert_eq!((up.normal, up.force), (0.0, [0.0; 3]));
            // it springs back faster than the damper lets it push
            let leaving = contact(&tyre(brush, "0"), [0.0, 0.0, 0.3], [0.0, 0.0, 9.0]);
            assert!(leaving.normal == 0.0 && leaving.deflection > 0.0);
            let nowhere = contact(&tyre(brush, "sqrt(x - 1)"), [0.0, 0.0, 0.3], [0.0; 3]);
            assert!(nowhere.normal.is_nan(), "{nowhere:?}");
        }
        let mut flat = tyre(true, "0");
        flat.axis.u = [0.0, 0.0, 1.0];
        assert_eq!(contact(&flat, [0.0, 0.0, 0.01], [0.0; 3]).normal, 0.0);
    }
}
