//! Default classes: values that elements of a class have unless they say otherwise. Classes nest; a nested one begins with all of its parent.

use std::collections::HashMap;

use crate::notes::Report;
use crate::xml::{Attribute, Element, quoted};

/// Elements that share one set of defaults in a class.
pub(super) const ACTUATORS: [&str; 13] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "pid",
    "orientation",
    "plugin",
];

#[derive(Clone, Debug, Default)]
struct Class {
    /// Attributes by the name of the element.
    values: HashMap<String, Vec<Attribute>>,
    /// Elements for actuators, outermost class first: they build on each other.
    actuators: Vec<Element>,
}

/// All classes.
#[derive(Debug, Default)]
pub(super) struct Classes {
    by_name: HashMap<String, Class>,
    /// The outermost class.
    main: Class,
    main_name: String,
}

impl Classes {
    /// Reads all `<default>` of the file.
    pub(super) fn read(root: &Element, report: &mut Report) -> Self {
        let mut classes = Classes { main_name: "main".into(), ..Classes::default() };
        for section in root.all("default") {
            if let Some(name) = section.attribute("class") {
                classes.main_name = name.to_owned();
            }
            let mut main = std::mem::take(&mut classes.main);
            fill(&mut main, section);
            classes.main = main.clone();
            classes.nested(section, &main, report);
        }
        classes
    }

    fn nested(&mut self, section: &Element, parent: &Class, report: &mut Report) {
        for element in section.all("default") {
            let Some(name) = report.take(element.required("class")) else { continue };
            let mut class = parent.clone();
            fill(&mut class, element);
            if name == self.main_name || self.by_name.insert(name.to_owned(), class.clone()).is_some() {
                report.fault(element.fault(format!("another class is called {}", quoted(name))));
            }
            self.nested(element, &class, report);
        }
    }

    fn class(&self, element: &Element, childclass: Option<&str>, report: &mut Report) -> &Class {
        let Some(name) = element.attribute("class").or(childclass) else { return &self.main };
        match self.by_name.get(name) {
            Some(class) => class,
            None => {
                if name != self.main_name {
                    report.fault(element.fault(format!("there is no default class {}", quoted(name))));
                }
                &self.main
            }
        }
    }

    /// The element with what its class says besides.
    pub(super) fn resolve(
        &self,
        element: &Element,
        childclass: Option<&str>,
        report: &mut Report,
    ) -> Element {
        let class = self.class(element, childclass, report);
        let mut out = Element { children: Vec::new(), ..shallow(element) };
        if let Some(values) = class.values.get(&element.name) {
            let turned = ORIENTATIONS.iter().any(|name| element.attribute(name).is_some());
            for value in values {
                let other_turn = turned && ORIENTATIONS.contains(&value.name.as_str());
                if element.attribute(&value.name).is_none() && !other_turn {
                    out.attributes.push(value.clone());
                }
            }
        }
        out
    }

    /// Elements that build up an actuator, outermost class first, the actuator itself last.
    pub(super) fn actuator(&self, element: &Element, report: &mut Report) -> Vec<Element> {
        let mut out = self.class(element, None, report).actuators.clone();
        out.push(shallow(element));
        out
    }
}

/// Attributes that say how a frame is turned: one excludes the others.
pub(super) const ORIENTATIONS: [&str; 6] = ["quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto"];

fn shallow(element: &Element) -> Element {
    Element {
        name: element.name.clone(),
        place: element.place.clone(),
        attributes: element.attributes.clone(),
        children: Vec::new(),
        text: String::new(),
    }
}

fn fill(class: &mut Class, section: &Element) {
    for element in section.children.iter().filter(|element| element.name != "default") {
        if ACTUATORS.contains(&element.name.as_str()) {
            class.actuators.push(shallow(element));
            continue;
        }
        let values = class.values.entry(element.name.clone()).or_default();
        let turned = element.attributes.iter().any(|a| ORIENTATIONS.contains(&a.name.as_str()));
        values.retain(|old| {
            element.attribute(&old.name).is_none() && !(turned && ORIENTATIONS.contains(&old.name.as_str()))
        });
        values.extend(element.attributes.iter().cloned());
    }
}
