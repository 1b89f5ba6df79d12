//! `<compiler>` and `<option>`: how the other elements are meant.

use nalgebra::{Matrix3, Vector3};

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::GRAVITY;
use crate::xml::{Element, quoted};

use super::include::REPLICA;

/// Whether masses come from geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromGeoms {
    Always,
    Never,
    WhereMissing,
}

/// Settings of `<compiler>`.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    /// One unit of angle, rad.
    pub(super) angle: f64,
    eulerseq: [u8; 3],
    pub(super) autolimits: bool,
    pub(super) from_geoms: FromGeoms,
    pub(super) groups: [f64; 2],
    pub(super) mesh_folder: String,
    pub(super) strip_path: bool,
    pub(super) total_mass: Option<f64>,
    pub(super) least_mass: f64,
    pub(super) least_inertia: f64,
    pub(super) balance: bool,
}

/// Attributes of `<compiler>` that are read, or that say nothing about the mechanism: how bodies are stored, textures, threads.
const KNOWN: [&str; 22] = [
    "angle",
    "eulerseq",
    "coordinate",
    "autolimits",
    "inertiafromgeom",
    "inertiagrouprange",
    "meshdir",
    "assetdir",
    "texturedir",
    "strippath",
    "settotalmass",
    "boundmass",
    "boundinertia",
    "balanceinertia",
    "fusestatic",
    "discardvisual",
    "usethread",
    "convexhull",
    "exactmeshinertia",
    "alignfree",
    "fitaabb",
    "saveinertial",
];

impl Compiler {
    /// All `<compiler>` of the file; later ones win.
    pub(super) fn read(root: &Element, report: &mut Report) -> Self {
        let mut compiler = Compiler {
            angle: std::f64::consts::PI / 180.0,
            eulerseq: *b"xyz",
            autolimits: true,
            from_geoms: FromGeoms::WhereMissing,
            groups: [0.0, 5.0],
            mesh_folder: String::new(),
            strip_path: false,
            total_mass: None,
            least_mass: 0.0,
            least_inertia: 0.0,
            balance: false,
        };
        for element in root.all("compiler") {
            report.take(compiler.apply(element));
            for attribute in element.attributes.iter().filter(|a| !KNOWN.contains(&a.name.as_str())) {
                let what = format!("the setting {}", quoted(&attribute.name));
                report.note(Severity::Changed, &element.place, "<compiler>", what, "left out");
            }
        }
        compiler
    }

    fn apply(&mut self, element: &Element) -> Result<(), Fault> {
        match element.attribute("angle") {
            Some("radian") => self.angle = 1.0,
            Some("degree") => self.angle = std::f64::consts::PI / 180.0,
            Some(other) => {
                return Err(
                    element.fault(format!("`angle` is {}, neither `degree` nor `radian`", quoted(other)))
                );
            }
            None => {}
        }
        if let Some(sequence) = element.attribute("eulerseq") {
            self.eulerseq = <[u8; 3]>::try_from(sequence.as_bytes())
                .ok()
                .filter(|axes| axes.iter().all(|axis| b"xyzXYZ".contains(axis)))
                .ok_or_else(|| {
                    element.fault(format!("`eulerseq` is {}: three of x, y, z, X, Y, Z", quoted(sequence)))
                })?;
        }
        if element.attribute("coordinate").is_some_and(|coordinate| coordinate != "local") {
            let fault = element
                .fault("`coordinate` is not `local`: frames given in world axes were removed from MJCF");
            return Err(fault.help("load and save the file with MuJoCo 2.3.3 or older"));
        }
        if let Some(on) = element.flag("autolimits")? {
            self.autolimits = on;
        }
        match element.attribute("inertiafromgeom") {
            Some("true") => self.from_geoms = FromGeoms::Always,
            Some("false") => self.from_geoms = FromGeoms::Never,
            Some("auto") => self.from_geoms = FromGeoms::WhereMissing,
            Some(other) => return Err(element.fault(format!("`inertiafromgeom` is {}", quoted(other)))),
            None => {}
        }
        if let Some(groups) = element.array("inertiagrouprange")? {
            self.groups = groups;
        }
        if let Some(folder) = element.attribute("meshdir").or(element.attribute("assetdir")) {
            self.mesh_folder = folder.to_owned();
        }
        if let Some(on) = element.flag("strippath")? {
            self.strip_path = on;
        }
        if let Some(mass) = element.number("settotalmass")? {
            self.total_mass = (mass > 0.0).then_some(mass);
        }
        self.least_mass = element.number("boundmass")?.unwrap_or(self.least_mass);
        self.least_inertia = element.number("boundinertia")?.unwrap_or(self.least_inertia);
        if let Some(on) = element.flag("balanceinertia")? {
            self.balance = on;
        }
        Ok(())
    }

    /// Position and orientation of an element in the frame that it stands in.
    pub(super) fn pose(&self, element: &Element) -> Result<Pose, Fault> {
        if let Some(times) = element.number(REPLICA)? {
            return self.replica(element, times as usize);
        }
        let origin = element.vector("pos")?.unwrap_or_default();
        Ok(Pose { origin, ..self.turn(element)? })
    }

    fn replica(&self, element: &Element, times: usize) -> Result<Pose, Fault> {
        let step = Pose { origin: element.vector("offset")?.unwrap_or_default(), ..self.turn(element)? };
        // the step so many times, by squares
        let (mut pose, mut power, mut left) = (Pose::identity(), step, times);
        while left > 0 {
            if left % 2 == 1 {
                pose = pose.then(&power);
            }
            power = power.then(&power);
            left /= 2;
        }
        Ok(pose)
    }

    fn turn(&self, element: &Element) -> Result<Pose, Fault> {
        if let Some(wxyz) = element.array::<4>("quat")? {
            return Pose::from_quaternion(Vector3::zeros(), wxyz)
                .ok_or_else(|| element.fault("`quat` has no length"));
        }
        if let Some([x, y, z, angle]) = element.array::<4>("axisangle")? {
            let axis = direction(element, "axisangle", Vector3::new(x, y, z))?;
            return Ok(Pose::turn(axis, angle * self.angle));
        }
        if let Some(angles) = element.vector("euler")? {
            return Ok(self.euler(angles * self.angle));
        }
        if let Some([a, b, c, d, e, f]) = element.array::<6>("xyaxes")? {
            let x = direction(element, "xyaxes", Vector3::new(a, b, c))?;
            let y = Vector3::new(d, e, f);
            let y = direction(element, "xyaxes", y - x * x.dot(&y))?;
            let rotation = Matrix3::from_columns(&[x, y, x.cross(&y)]);
            return Ok(Pose { rotation, origin: Vector3::zeros() });
        }
        if let Some(z) = element.vector("zaxis")? {
            return Ok(along(direction(element, "zaxis", z)?));
        }
        Ok(Pose::identity())
    }

    /// Three turns: about axes that turn along for small letters, about fixed ones for capitals.
    fn euler(&self, angles: Vector3<f64>) -> Pose {
        let mut pose = Pose::identity();
        for (letter, angle) in self.eulerseq.iter().zip(angles.iter()) {
            let axis = match letter.to_ascii_lowercase() {
                b'x' => Vector3::x(),
                b'y' => Vector3::y(),
                _ => Vector3::z(),
            };
            let turn = Pose::turn(axis, *angle);
            pose = if letter.is_ascii_lowercase() { pose.then(&turn) } else { turn.then(&pose) };
        }
        pose
    }
}

/// A unit vector, or the fault of one without length.
pub(super) fn direction(element: &Element, name: &str, vector: Vector3<f64>) -> Result<Vector3<f64>, Fault> {
    match vector.norm() {
        length if length > 1e-10 => Ok(vector / length),
        _ => Err(element.fault(format!("`{name}` has no direction"))),
    }
}

/// The least turn that takes z along a unit vector; half a turn about x where it points down.
pub(super) fn along(z: Vector3<f64>) -> Pose {
    let axis = Vector3::z().cross(&z);
    let sine = axis.norm();
    match sine > 1e-10 {
        true => Pose::turn(axis, sine.atan2(z[2])),
        false if z[2] >= 0.0 => Pose::identity(),
        false => Pose::turn(Vector3::x(), std::f64::consts::PI),
    }
}

/// Gravity, and notes on what else `<option>` says.
pub(super) fn option(root: &Element, report: &mut Report) -> Vector3<f64> {
    let mut gravity = Vector3::new(0.0, 0.0, -GRAVITY);
    for element in root.all("option") {
        if let Some(Some(given)) = report.take(element.vector("gravity")) {
            gravity = given;
        }
        for attribute in &element.attributes {
            let name = attribute.name.as_str();
            let what = format!("{name} = {}", quoted(&attribute.value));
            match name {
                "gravity" => {}
                "density" | "viscosity" if attribute.value.trim().parse() == Ok(0.0) => {}
                "density" | "viscosity" | "wind" => {
                    let done = "left out: nothing resists motion through the medium; `[drags]` can";
                    report.note(Severity::Changed, &element.place, "<option>", what, done);
                }
                "magnetic" => report.note(Severity::LeftOut, &element.place, "<option>", what, "left out"),
                "impratio" | "o_margin" | "o_solref" | "o_solimp" | "o_friction" | "cone" => {
                    let done = "left out: contacts and constraints are rigid";
                    report.note(Severity::Equivalent, &element.place, "<option>", what, done);
                }
                _ => {
                    let done = "left out: the integrator controls its error by itself";
                    report.note(Severity::Equivalent, &element.place, "<option>", what, done);
                }
            }
        }
        for flag in element.all("flag") {
            for attribute in &flag.attributes {
                let off = attribute.value == "disable";
                let what = format!("{} = {}", attribute.name, quoted(&attribute.value));
                match attribute.name.as_str() {
                    "gravity" if off => gravity = Vector3::zeros(),
                    "contact" | "constraint" | "equality" | "frictionloss" | "limit" | "spring"
                    | "damper" | "actuation" | "passive"
                        if off =>
                    {
                        let done = "left out: what is switched off there stays in the model";
                        report.note(Severity::Changed, &flag.place, "<flag>", what, done);
                    }
                    _ => report.note(
                        Severity::Equivalent,
                        &flag.place,
                        "<flag>",
                        what,
                        "left out: a choice of the solver",
                    ),
                }
            }
        }
    }
    gravity
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose(settings: &str, attributes: &str) -> Pose {
        let text = format!("<mujoco><compiler {settings}/><body {attributes}/></mujoco>");
        let root = crate::xml::parse(&"test.xml".into(), &text).unwrap();
        let mut report = Report::default();
        let compiler = Compiler::read(&root, &mut report);
        assert!(report.faults.is_empty(), "{:?}", report.faults);
        compiler.pose(root.child("body").unwrap()).unwrap()
    }

    /// Turns about axes that turn along are the turns about fixed axes in reverse order.
    #[test]
    fn cross_euler_sequences() {
        let about = |axis, angle: f64| Pose::turn(axis, angle.to_radians());
        let expected =
            about(Vector3::x(), 10.0).then(&about(Vector3::y(), 20.0)).then(&about(Vector3::z(), 30.0));
        let same = |pose: Pose| assert!((pose.rotation - expected.rotation).norm() < 1e-15);
        same(pose("", "euler='10 20 30'"));
        same(pose("eulerseq='ZYX'", "euler='30 20 10'"));
        same(pose(
            "angle='radian'",
            &format!("euler='{} {} {}'", 10f64.to_radians(), 20f64.to_radians(), 30f64.to_radians()),
        ));
        let columns = expected.rotation;
        let axes = format!(
            "xyaxes='{} {} {} {} {} {}'",
            columns[(0, 0)],
            columns[(1, 0)],
            columns[(2, 0)],
            columns[(0, 1)],
            columns[(1, 1)],
            columns[(2, 1)]
        );
        same(pose("", &axes));
    }

    #[test]
    fn exact_zaxis() {
        for z in [[0.0, 0.0, 2.0], [0.0, 0.0, -1.0], [1.0, 2.0, -3.0]] {
            let turned = pose("", &format!("zaxis='{} {} {}'", z[0], z[1], z[2]));
            let z = Vector3::from(z).normalize();
            assert!((turned.direction(Vector3::z()) - z).norm() < 1e-15);
            assert!((turned.rotation.determinant() - 1.0).abs() < 1e-15);
        }
    }
}
