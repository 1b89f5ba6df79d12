//! Included files in the place of what includes them, and `<replicate>` as the frames that it stands for.

use std::sync::Arc;

use crate::Context;
use crate::fault::Fault;
use crate::files::Trail;
use crate::notes::Report;
use crate::xml::{self, Attribute, Element, MAX_DEPTH};

/// Most elements of a file with all that it includes and replicates.
const MAX_ELEMENTS: usize = 500_000;

/// What has been put in place so far.
pub(super) struct Expansion<'a, 'c> {
    context: &'a Context<'c>,
    elements: usize,
    /// Whether the limits were exceeded; reported once.
    stopped: bool,
}

impl<'a, 'c> Expansion<'a, 'c> {
    pub(super) fn new(context: &'a Context<'c>) -> Self {
        Expansion { context, elements: 0, stopped: false }
    }

    /// A copy of the element without `<include>` and `<replicate>`.
    pub(super) fn expand(
        &mut self,
        element: &Element,
        trail: &Arc<Trail>,
        depth: usize,
        report: &mut Report,
    ) -> Element {
        let mut out = Element {
            name: element.name.clone(),
            place: element.place.clone(),
            attributes: element.attributes.clone(),
            children: Vec::new(),
            text: element.text.clone(),
        };
        self.children(element, trail, depth, report, &mut out.children);
        out
    }

    fn children(
        &mut self,
        element: &Element,
        trail: &Arc<Trail>,
        depth: usize,
        report: &mut Report,
        out: &mut Vec<Element>,
    ) {
        for child in &element.children {
            self.elements += 1;
            if self.stopped {
                return;
            }
            if depth >= MAX_DEPTH || self.elements > MAX_ELEMENTS {
                self.stopped = true;
                let message = match depth >= MAX_DEPTH {
                    true => format!("elements are nested deeper than {MAX_DEPTH}, includes counted"),
                    false => format!("more than {MAX_ELEMENTS} elements, includes and replicas counted"),
                };
                return report.fault(child.fault(message));
            }
            match child.name.as_str() {
                "include" => self.include(child, trail, depth, report, out),
                "replicate" => self.replicate(child, trail, depth, report, out),
                _ => {
                    let expanded = self.expand(child, trail, depth + 1, report);
                    out.push(expanded);
                }
            }
        }
    }

    fn include(
        &mut self,
        element: &Element,
        trail: &Arc<Trail>,
        depth: usize,
        report: &mut Report,
        out: &mut Vec<Element>,
    ) {
        let Some((root, inner)) = report.take(self.included(element, trail)) else { return };
        self.children(&root, &inner, depth + 1, report, out);
    }

    /// The root element of an included file. Names are relative to the folder of the main file, or else of the file that includes.
    fn included(&self, element: &Element, trail: &Arc<Trail>) -> Result<(Element, Arc<Trail>), Fault> {
        let name = element.required("file")?;
        let from_main = self.context.files.resolve(name, self.context.trail.folder()).ok();
        let found = from_main.as_ref().and_then(|path| path.to_str());
        let (file, text, inner) = self.context.files.include(found.unwrap_or(name), trail, &element.place)?;
        Ok((xml::parse(&file, &text)?, inner))
    }

    /// The frames of `<replicate>`: each stands as to the one before it as the second to the first.
    fn replicate(
        &mut self,
        element: &Element,
        trail: &Arc<Trail>,
        depth: usize,
        report: &mut Report,
        out: &mut Vec<Element>,
    ) {
        let count = match element.number("count") {
            Ok(Some(count)) if count >= 0.0 && count.fract() == 0.0 && count <= MAX_ELEMENTS as f64 => {
                count as usize
            }
            Ok(_) => return report.fault(element.fault("`count` must be a whole number")),
            Err(fault) => return report.fault(fault),
        };
        let separator = element.attribute("sep").unwrap_or("");
        let digits = count.saturating_sub(1).to_string().len();
        let inner = self.expand(element, trail, depth + 1, report);
        let size = size(&inner);
        for n in 0..count {
            self.elements = self.elements.saturating_add(size);
            if self.elements > MAX_ELEMENTS || self.stopped {
                if !self.stopped {
                    self.stopped = true;
                    report
                        .fault(element.fault(format!("more than {MAX_ELEMENTS} elements, replicas counted")));
                }
                return;
            }
            let mut frame = inner.clone();
            frame.name = "frame".into();
            frame.attributes.retain(|a| matches!(a.name.as_str(), "offset" | "euler" | "childclass"));
            let line = element.place.line;
            frame.attributes.push(Attribute { name: REPLICA.into(), value: n.to_string(), line });
            let suffix = format!("{separator}{n:0digits$}");
            rename(&mut frame, &suffix);
            out.push(frame);
        }
    }
}

/// Attribute of a frame made by `<replicate>`: how often `offset` and `euler` apply.
pub(super) const REPLICA: &str = "replica number";

fn size(element: &Element) -> usize {
    1 + element.children.iter().map(size).sum::<usize>()
}

fn rename(element: &mut Element, suffix: &str) {
    for child in &mut element.children {
        if let Some(name) = child.attributes.iter_mut().find(|a| a.name == "name") {
            name.value.push_str(suffix);
        }
        rename(child, suffix);
    }
}
