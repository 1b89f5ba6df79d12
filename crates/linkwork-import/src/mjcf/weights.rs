//! Masses of bodies: given, of geoms, within bounds; and the inertia that hangs on a joint.

use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use crate::fault::Fault;
use crate::notes::{Report, Severity};
use crate::pose::Pose;
use crate::robot::{JointKind, about};
use crate::xml::{Element, quoted};

use super::Reading;
use super::geoms::Weight;

impl Reading<'_> {
    /// Mass properties of `<inertial>` in the frame of the body.
    pub(super) fn inertial(&self, element: &Element, frame: &Pose, body: String) -> Result<Weight, Fault> {
        let named = |fault: Fault| Fault { item: format!("{body}: <inertial>"), ..fault };
        let pose = frame.then(&self.compiler.pose(element).map_err(named)?);
        let mass = element
            .number("mass")
            .map_err(named)?
            .ok_or_else(|| named(element.fault("`mass` is missing")))?;
        let inertia = match element.array::<6>("fullinertia").map_err(named)? {
            Some([xx, yy, zz, xy, xz, yz]) => Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
            None => {
                Matrix3::from_diagonal(&element.vector("diaginertia").map_err(named)?.unwrap_or_default())
            }
        };
        if mass < 0.0 {
            return Err(named(element.fault(format!("the mass is {mass} kg"))));
        }
        Ok(Weight { mass, com: pose.origin, inertia: pose.inertia(inertia) })
    }

    /// `boundmass`, `boundinertia` and `balanceinertia`.
    pub(super) fn bounded(&self, mut weight: Weight, element: &Element, report: &mut Report) -> Weight {
        weight.mass = weight.mass.max(self.compiler.least_mass);
        if self.compiler.least_inertia <= 0.0 && !self.compiler.balance {
            return weight;
        }
        let eigen = SymmetricEigen::new(weight.inertia);
        let bounded = eigen.eigenvalues.map(|moment| moment.max(self.compiler.least_inertia));
        let mut moments = bounded;
        if self.compiler.balance && 2.0 * bounded.max() > bounded.sum() {
            moments = Vector3::from_element(bounded.sum() / 3.0);
            let what = "moments of inertia that no body has, with `balanceinertia`";
            report.note(
                Severity::Equivalent,
                &element.place,
                element.item(),
                what,
                "their mean, as MuJoCo does",
            );
        }
        if moments != eigen.eigenvalues {
            weight.inertia =
                eigen.eigenvectors * Matrix3::from_diagonal(&moments) * eigen.eigenvectors.transpose();
            weight.inertia = (weight.inertia + weight.inertia.transpose()) * 0.5;
        }
        weight
    }

    /// `settotalmass`.
    pub(super) fn scale_mass(&mut self, report: &mut Report) {
        let Some(wanted) = self.compiler.total_mass else { return };
        let total: f64 = self.robot.links.iter().map(|link| link.mass).sum();
        if total <= 0.0 {
            return report.fault(Fault::new(
                self.robot.place.clone(),
                "<compiler>",
                "`settotalmass` needs bodies with mass",
            ));
        }
        let factor = wanted / total;
        for link in &mut self.robot.links {
            link.mass *= factor;
            link.inertia *= factor;
        }
    }

    /// `springdamper`: stiffness and damping by time constant τ and damping ratio ζ of the joint alone, with the inertia J that hangs on it:
    /// k = J / (τ ζ)², c = 2 J / τ.
    pub(super) fn spring_dampers(&mut self, report: &mut Report) {
        for (number, [time, ratio]) in std::mem::take(&mut self.pending) {
            let inertia = self.hanging_inertia(number);
            let joint = &mut self.robot.joints[number];
            let coordinate = &mut joint.coordinates[0];
            coordinate.stiffness = inertia / (time * ratio).powi(2);
            coordinate.damping = 2.0 * inertia / time;
            let what = "springdamper".to_owned();
            let done = "stiffness and damping for the inertia of the drawn pose";
            report.note(
                Severity::Equivalent,
                &joint.place,
                format!("joint {}", quoted(&joint.name)),
                what,
                done,
            );
        }
    }

    /// Inertia along a hinge or slide of all that hangs on it, at the zero pose.
    pub(super) fn hanging_inertia(&self, number: usize) -> f64 {
        let joint = &self.robot.joints[number];
        let mut hangs = vec![false; self.robot.links.len()];
        let mut inertia = joint.coordinates.first().map_or(0.0, |coordinate| coordinate.armature);
        for (n, link) in self.robot.links.iter().enumerate() {
            // parents come before their children
            hangs[n] = joint.second == Some(n) || self.links[n].parent.is_some_and(|parent| hangs[parent]);
            if hangs[n] && joint.kind == JointKind::Prismatic {
                inertia += link.mass;
            } else if hangs[n] {
                let whole = link.world_inertia() + about(link.mass, link.world_com() - joint.origin);
                inertia += joint.axis.dot(&(whole * joint.axis));
            }
        }
        inertia
    }
}

/// Mass properties of several parts together.
pub(super) fn sum(weights: &[Weight]) -> Option<Weight> {
    let mass: f64 = weights.iter().map(|weight| weight.mass).sum();
    if weights.is_empty() {
        return None;
    }
    let com = weights.iter().map(|weight| weight.com * weight.mass).sum::<Vector3<f64>>() / mass;
    let inertia = weights.iter().map(|weight| weight.inertia + about(weight.mass, weight.com - com)).sum();
    Some(Weight { mass, com, inertia })
}
