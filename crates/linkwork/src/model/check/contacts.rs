//! Surfaces and contacts.

use super::{Checker, Checks, Sign};
use crate::error::names::{nearest, segment};
use crate::linalg::hull::{convex_hull, convex_polygon};
use crate::model::contact::MAX_CONTACTS;
use crate::model::meetings::{Entry, Kind, Meetings, Sides, own_shape};
use crate::model::{Axis, Contact, Fault, GROUND, Mass, Meeting, Place, Shape, Surface, SurfaceForm};
use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};

/// Entries with more pairs are compared with others without listing them.
const MANY: u64 = 2000;
const TAKE_STEPS: &str =
    "take time steps: `contact_method = \"auto\"` or `\"steps\"`, and leave `integrator` out";

impl<'a> Checker<'a> {
    pub(super) fn surfaces(&mut self) {
        let model = self.model;
        self.names("surfaces", model.surfaces.iter().map(|surface| surface.name.as_str()));
        for surface in &model.surfaces {
            let path = format!("surfaces.{}", segment(&surface.name));
            if self.held.contains_key(surface.name.as_str()) {
                let message = format!("`{}` is the name of a body, too", surface.name);
                let help = "contacts name surfaces and bodies alike: choose another name for the surface";
                self.error_with(&path, message, help);
            }
            if self.body(&format!("{path}.body"), &surface.body) {
                self.one_surface(surface, &path);
            }
        }
    }

    fn one_surface(&mut self, surface: &Surface, path: &str) {
        match &surface.form {
            SurfaceForm::Plane { at, normal } => {
                if let Some(at) = at {
                    self.place_on(&format!("{path}.at"), at, &surface.body);
                }
                let path = format!("{path}.normal");
                let vector = self.axis(&path, normal);
                if self.planar() && vector.is_some_and(|n| n[2] != 0.0) {
                    self.error(path, "the model is planar: the normal lies in the plane");
                }
            }
            SurfaceForm::Point { at } => self.place_on(&format!("{path}.at"), at, &surface.body),
            SurfaceForm::Solid(shape) => self.solid(surface, shape, path),
            SurfaceForm::Hull { points, vertices } => self.hull(surface, points, vertices, path),
            SurfaceForm::HullOf(hull) => self.mesh(path, &hull.mesh, &surface.body),
        }
    }

    /// A place; a named one is a point of the body.
    pub(super) fn place_on(&mut self, path: &str, place: &Place, body: &str) {
        match place {
            Place::Point(name) => self.point_of(path, name, body),
            Place::At(position) => self.vector(path, *position),
        }
    }

    fn solid(&mut self, surface: &Surface, shape: &Shape, path: &str) {
        let ground = surface.body == GROUND;
        let (center, axis) = match shape {
            Shape::Sphere { radius, center } => {
                self.number(&format!("{path}.radius"), *radius, Sign::Positive);
                (center, None)
            }
            Shape::Box { size, pose } => {
                for (i, &edge) in size.iter().enumerate().take(self.model.dimension.columns()) {
                    self.number(&format!("{path}.size[{i}]"), edge, Sign::Positive);
                }
                (&pose.center, pose.axis.zip(Some(pose.side)))
            }
            Shape::Cylinder { radius, length, pose } => {
                self.number(&format!("{path}.radius"), *radius, Sign::Positive);
                let disc = self.planar() && pose.axis.is_some_and(|a| a[0] == 0.0 && a[1] == 0.0);
                match length {
                    Some(length) => self.number(&format!("{path}.length"), *length, Sign::Positive),
                    None if disc => {}
                    None if self.length_unknown(&surface.body) => self.error_with(
                        path,
                        "the length of the cylinder is not known",
                        "give its `length`, or two points to the body: it runs from the first to the second",
                    ),
                    None => {}
                }
                (&pose.center, pose.axis.zip(Some(None)))
            }
            Shape::Capsule { radius, length, pose } => {
                self.number(&format!("{path}.radius"), *radius, Sign::Positive);
                match length {
                    Some(length) => self.number(&format!("{path}.length"), *length, Sign::Positive),
                    None if self.length_unknown(&surface.body) => self.error_with(
                        path,
                        "the length of the capsule is not known",
                        "give its `length`, or two points to the body: it runs from the first to the second",
                    ),
                    None => {}
                }
                (&pose.center, pose.axis.zip(Some(None)))
            }
            other => {
                let message = format!("a {} cannot touch", other.name());
                self.error_with(path, message, "use spheres, boxes, cylinders and capsules");
                return;
            }
        };
        match center {
            Some(center) => self.place_on(&format!("{path}.center"), center, &surface.body),
            None if ground => self.error_with(
                path,
                "a surface of `ground` needs its `center`",
                "center = coordinates or a point of the ground; or say whose surface it is with `body`",
            ),
            None => {}
        }
        let Some((axis, side)) = axis else { return };
        for (key, direction) in [("axis", Some(axis)), ("side", side)] {
            let Some(direction) = direction else { continue };
            let path = format!("{path}.{key}");
            let vector = self.axis(&path, &Axis::Vector(direction));
            if self.planar()
                && let Some([x, y, z]) = vector
                && z != 0.0
                && (x != 0.0 || y != 0.0)
            {
                self.error(path, "the model is planar: the axis lies in the plane or is [0, 0, 1]");
            }
        }
    }

    /// Points and places whose hull has a volume; in the plane an area.
    fn hull(&mut self, surface: &Surface, points: &[String], vertices: &[[f64; 3]], path: &str) {
        let model = self.model;
        let before = self.faults.len();
        for (i, name) in points.iter().enumerate() {
            self.point_of(&format!("{path}.points[{i}]"), name, &surface.body);
        }
        for (i, vertex) in vertices.iter().enumerate() {
            self.vector(&format!("{path}.vertices[{i}]"), *vertex);
        }
        if self.faults.len() > before {
            return;
        }
        let at = |name: &String| model.points.iter().find(|p| p.name == *name).map(|p| p.position);
        let all: Vec<[f64; 3]> = points.iter().filter_map(at).chain(vertices.iter().copied()).collect();
        let (flat, message, help) = match self.planar() {
            true => (
                convex_polygon(&all).is_none(),
                "the points of the hull lie on one line, so it has no area",
                "a hull in the plane needs three points that do not",
            ),
            false => (
                convex_hull(&all).is_none(),
                "the points of the hull lie in one plane, so it has no volume",
                "a hull in space needs four points that do not",
            ),
        };
        if flat {
            self.error_with(path, message, help);
        }
    }

    /// Whether a body has no two points that lie apart.
    pub(super) fn length_unknown(&self, body: &str) -> bool {
        let model = self.model;
        let body = model.bodies.iter().find(|b| b.name == body);
        let ends = body.and_then(|body| self.corners(body));
        !ends.is_some_and(|ends| ends.len() >= 2 && ends[0] != ends[1])
    }

    pub(super) fn contacts(&mut self) {
        let model = self.model;
        self.names("contacts", model.contacts.iter().map(|contact| contact.name.as_str()));
        let before = self.faults.len();
        for contact in &model.contacts {
            let path = format!("contacts.{}", segment(&contact.name));
            self.number(&format!("{path}.friction"), contact.friction, Sign::NotNegative);
            let e = contact.restitution;
            if !(0.0..=1.0).contains(&e) {
                self.error(
                    format!("{path}.restitution"),
                    format!("`restitution` must be from 0 to 1, it is {e}"),
                );
            }
            self.meeting(contact, &path);
        }
        if self.faults.len() == before {
            self.pairs();
        }
    }

    fn meeting(&mut self, contact: &'a Contact, path: &str) {
        match &contact.of {
            Meeting::Between(sides) => {
                for (i, names) in sides.iter().enumerate() {
                    let path = format!("{path}.between[{i}]");
                    if names.is_empty() {
                        self.error(&path, "this names no surface");
                    }
                    let listed = names.len() > 1 || self.said(&format!("{path}[0]")).is_some();
                    self.participants(names, &path, listed);
                }
                if let Some(name) = sides[0].iter().find(|name| sides[1].contains(name)) {
                    let message = format!("`{name}` stands on both sides");
                    self.error_with(
                        format!("{path}.between"),
                        message,
                        "`among` lets surfaces of one list meet",
                    );
                }
            }
            Meeting::Among(names) => {
                let path = format!("{path}.among");
                if names.len() < 2 {
                    self.error(&path, "two surfaces or more can meet");
                }
                self.participants(names, &path, true);
            }
        }
        for (i, pair) in contact.except.iter().enumerate() {
            for (k, body) in pair.iter().enumerate() {
                self.body(&format!("{path}.except[{i}][{k}]"), body);
            }
        }
    }

    fn participants(&mut self, names: &'a [String], path: &str, listed: bool) {
        let mut seen: HashMap<&str, ()> = HashMap::new();
        for (i, name) in names.iter().enumerate() {
            let path = if listed { format!("{path}[{i}]") } else { path.to_owned() };
            if seen.insert(name, ()).is_some() {
                self.error(path, format!("`{name}` is listed twice"));
            } else {
                self.participant(name, path);
            }
        }
    }

    /// A name of a surface, or of a body that has a shape of its own.
    fn participant(&mut self, name: &str, path: String) {
        let model = self.model;
        if model.surfaces.iter().any(|surface| surface.name == name) {
            return;
        }
        let Some(body) = model.bodies.iter().find(|body| body.name == name) else {
            let surfaces = model.surfaces.iter().map(|s| s.name.as_str());
            let known: Vec<&str> = surfaces.chain(model.bodies.iter().map(|b| b.name.as_str())).collect();
            let message = match name {
                GROUND => "the ground has no shape of its own".into(),
                _ => format!("there is no surface or body `{name}`"),
            };
            let help = match name {
                GROUND => Some("name a surface of the ground: [surfaces.floor] type = \"plane\"".into()),
                _ => nearest(name, known),
            };
            self.faults.push(Fault { help, ..Fault::error(path, message) });
            return;
        };
        if own_shape(body).is_none() {
            let message = match &body.mass {
                Mass::Given { .. } => format!("body `{name}` has no shape of its own"),
                Mass::Shape(shape, _) => format!("body `{name}` is a {}, which cannot touch", shape.name()),
            };
            let help = format!(
                "give it a surface, as [surfaces.NAME] with body = \"{name}\" and a `type`, and name that"
            );
            self.error_with(path, message, help);
        }
    }

    /// Which pairs there are, once all names are known.
    fn pairs(&mut self) {
        let model = self.model;
        let meetings = Meetings::new(model);
        let events = model.settings.contacts_are_events();
        let all: u64 = meetings.entries.iter().map(|entry| entry.count).sum();
        if events && all > MAX_CONTACTS as u64 {
            let message = format!("these are {all} pairs of surfaces, more than {MAX_CONTACTS}");
            let help = format!("{TAKE_STEPS}; or let fewer surfaces meet: `between` instead of `among`");
            self.error_with("contacts", message, &help);
            return;
        }
        self.meet_once(&meetings);
        for (contact, entry) in model.contacts.iter().zip(&meetings.entries) {
            let path = format!("contacts.{}", segment(&contact.name));
            self.planes(&meetings, entry, &path);
            if entry.count == 0 {
                let help =
                    "surfaces of one body never do; bodies that a joint connects do with `jointed = true`";
                let message = format!("no two surfaces of contact `{}` can meet", contact.name);
                self.error_with(path, message, help);
                continue;
            }
            for pair in meetings.left_out(entry) {
                let [p, q] = pair.map(|i| meetings.participants[i].name);
                let message = format!("`{p}` and `{q}` do not meet: a joint connects their bodies");
                let help = "`jointed = true` lets them";
                self.faults.push(Fault::warning(&path, message).help(help));
            }
            if events && let Some((pair, why)) = meetings.without_events(entry, self.planar()) {
                let [p, q] = pair.map(|i| meetings.participants[i].name);
                let message = format!("`{p}` and `{q}` cannot meet in events: {why}");
                self.error_with(path, message, TAKE_STEPS);
            }
        }
    }

    /// Two surfaces meet in one contact only.
    fn meet_once(&mut self, meetings: &Meetings<'_>) {
        let mut first: HashMap<[usize; 2], usize> = HashMap::new();
        let mut twice: Vec<[usize; 4]> = Vec::new();
        let (many, few): (Vec<usize>, Vec<usize>) =
            (0..meetings.entries.len()).partition(|&c| meetings.entries[c].count > MANY);
        for c in few {
            for [a, b] in meetings.pairs(&meetings.entries[c]) {
                match first.entry([a.min(b), a.max(b)]) {
                    Occupied(other) => twice.push([*other.get(), c, a, b]),
                    Vacant(free) => {
                        free.insert(c);
                    }
                }
            }
        }
        for c in many {
            for other in (0..meetings.entries.len()).filter(|&d| d < c || meetings.entries[d].count <= MANY) {
                if let Some([a, b]) = meetings.in_both([&meetings.entries[other], &meetings.entries[c]])
                    && other != c
                {
                    twice.push([other.min(c), other.max(c), a, b]);
                }
            }
        }
        for [other, c, a, b] in twice {
            let [p, q] = [a, b].map(|i| meetings.participants[i].name);
            let [other, contact] = [other, c].map(|c| &self.model.contacts[c].name);
            let message = format!("`{p}` and `{q}` meet in contact `{other}` already");
            self.error(format!("contacts.{}", segment(contact)), message);
        }
    }

    /// Half-spaces are solid: two of them nearly always overlap.
    fn planes(&mut self, meetings: &Meetings<'_>, entry: &Entry, path: &str) {
        let is_plane = |&p: &usize| matches!(meetings.participants[p].form, Kind::Plane { .. });
        let planes = match &entry.sides {
            Sides::Between([a, b]) => {
                Sides::Between([a, b].map(|list| list.iter().copied().filter(is_plane).collect()))
            }
            Sides::Among(list) => Sides::Among(list.iter().copied().filter(is_plane).collect()),
        };
        let planes = Entry { sides: planes, ..entry.clone() };
        if let Some(pair) = meetings.pairs(&planes).next() {
            let [p, q] = pair.map(|i| meetings.participants[i].name);
            let message = format!("`{p}` and `{q}` cannot meet: both are planes");
            self.error_with(path, message, "a plane is solid on its whole back: make one of them a box");
        }
    }
}
