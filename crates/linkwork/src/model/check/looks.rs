//! Looks, and meshes wherever they are.

use super::{Checker, Checks, Sign};
use crate::error::names::segment;
use crate::model::{Axis, Fault, GROUND, LookForm, MeshFile, MeshSolid, Orientation, Place, Shape};

impl Checker<'_> {
    pub(super) fn looks(&mut self) {
        let model = self.model;
        self.names("looks", model.looks.iter().map(|look| look.name.as_str()));
        for look in &model.looks {
            let path = format!("looks.{}", segment(&look.name));
            // where the file names no body, the name of the look is that of one
            let said = look.body != look.name || self.model.provenance.is_none();
            let at = if said { format!("{path}.body") } else { path.clone() };
            if !self.body(&at, &look.body) {
                continue;
            }
            match &look.form {
                LookForm::Mesh(mesh) => self.mesh(&path, mesh, &look.body),
                LookForm::Solid(shape) => self.seen(&path, shape, &look.body),
                LookForm::Ellipsoid { size, pose } => {
                    for (i, &edge) in size.iter().enumerate().take(model.dimension.columns()) {
                        self.number(&format!("{path}.size[{i}]"), edge, Sign::Positive);
                    }
                    self.seen_pose(&path, pose, &look.body);
                }
                LookForm::Plane { at, normal } => {
                    if let Some(at) = at {
                        self.place_on(&format!("{path}.at"), at, &look.body);
                    }
                    self.axis(&format!("{path}.normal"), normal);
                }
            }
        }
    }

    /// A solid that is only seen.
    fn seen(&mut self, path: &str, shape: &Shape, body: &str) {
        let at = |key: &str| format!("{path}.{key}");
        match shape {
            Shape::Sphere { radius, center } => {
                self.number(&at("radius"), *radius, Sign::Positive);
                self.seen_centre(path, center.as_ref(), body);
            }
            Shape::Box { size, pose } => {
                for (i, &edge) in size.iter().enumerate().take(self.model.dimension.columns()) {
                    self.number(&format!("{path}.size[{i}]"), edge, Sign::Positive);
                }
                self.seen_pose(path, pose, body);
            }
            Shape::Cylinder { radius, length, pose }
            | Shape::Capsule { radius, length, pose }
            | Shape::Tube { radius, length, pose, .. } => {
                self.number(&at("radius"), *radius, Sign::Positive);
                if let Shape::Tube { inner_radius, .. } = shape {
                    self.number(&at("inner_radius"), *inner_radius, Sign::NotNegative);
                }
                let disc = self.planar() && pose.axis.is_some_and(|a| a[0] == 0.0 && a[1] == 0.0);
                match length {
                    Some(length) => self.number(&at("length"), *length, Sign::Positive),
                    None if !disc && self.length_unknown(body) => {
                        let message = format!("the length of the {} is not known", shape.name());
                        let help = "give its `length`, or two points to the body: it runs from the first to the second";
                        self.error_with(path, message, help);
                    }
                    None => {}
                }
                self.seen_pose(path, pose, body);
            }
            Shape::Mesh { mesh, .. } => self.mesh(path, mesh, body),
            Shape::Rod { .. } | Shape::Polygon { .. } => {
                self.error(at("type"), format!("a {} is no look", shape.name()));
            }
        }
    }

    fn seen_centre(&mut self, path: &str, center: Option<&Place>, body: &str) {
        match center {
            Some(center) => self.place_on(&format!("{path}.center"), center, body),
            None if body == GROUND => self.error_with(
                path,
                "a look of `ground` needs its `center`",
                "center = coordinates or a point of the ground",
            ),
            None => {}
        }
    }

    fn seen_pose(&mut self, path: &str, pose: &Orientation, body: &str) {
        self.seen_centre(path, pose.center.as_ref(), body);
        self.directions(path, pose);
    }

    fn directions(&mut self, path: &str, pose: &Orientation) {
        for (key, direction) in [("axis", pose.axis), ("side", pose.side)] {
            if let Some(direction) = direction {
                self.axis(&format!("{path}.{key}"), &Axis::Vector(direction));
            }
        }
    }

    /// A mesh of a body; named points are points of it.
    pub(super) fn mesh(&mut self, path: &str, mesh: &MeshFile, body: &str) {
        for factor in mesh.scale {
            if !(factor.abs() > 0.0 && factor.is_finite()) {
                self.error(format!("{path}.scale"), format!("the scale {factor} leaves nothing of the mesh"));
            }
        }
        if let Some(at) = &mesh.pose.center {
            self.place_on(&format!("{path}.at"), at, body);
        }
        self.directions(path, &mesh.pose);
    }

    /// What a mesh weighs.
    pub(super) fn mesh_solid(&mut self, path: &str, mesh: &MeshFile, solid: &MeshSolid) {
        if !(solid.volume > 0.0 && solid.volume.is_finite()) {
            self.error(path, format!("the mesh encloses {} m³", solid.volume));
        }
        if solid.open_edges > 0 {
            let edges = solid.open_edges;
            let message = format!(
                "the surface of `{}` is open: {edges} edges have no triangle on one side, so its volume depends on where it lies",
                mesh.file
            );
            let warning = Fault::warning(path, message).code("open-mesh");
            self.faults.push(
                warning.help("close it in the program that made it, or give `mass`, `com` and `inertia`"),
            );
        }
    }
}
