//! Changes of what a mechanism consists of, while it runs.

use super::Formula;
use crate::file::list::keys;
#[cfg(feature = "file")]
use crate::file::prelude::*;

keys! {
    /// Lets parts of the mechanism come and go, once: `at` a time, or `when` a condition becomes true.
    Change(name) {
        /// When, s.
        at: Option<f64> => optional Time,
        /// It happens when this condition becomes true.
        when: Option<Formula> => optional Truth,
        /// Joints that open, by their names in results.
        detach: Vec<String> => default Vec<String> = Vec::new(),
        /// Joints that close: entries of `joints` that are not active yet, or that have opened.
        attach: Vec<String> => default Vec<String> = Vec::new(),
        /// Bodies that appear where they are drawn; they have `present = false`.
        add: Vec<String> => default Vec<String> = Vec::new(),
        /// The body that those move with at first, as if they had been fixed to it; with the initial velocities of the model if left out.
        moving_with: Option<String> => optional String,
        /// Bodies that vanish, with all that is attached to them.
        remove: Vec<String> => default Vec<String> = Vec::new(),
        /// Chains that break, by name, and how far from their `from`, m: at the node that is next to it.
        cut: Vec<(String, f64)> => default Named<Length> = Vec::new(),
    }
}

#[cfg(feature = "file")]
impl Rules for Change {}

impl Change {
    fn new(name: impl Into<String>) -> Self {
        Change {
            name: name.into(),
            at: None,
            when: None,
            detach: Vec::new(),
            attach: Vec::new(),
            add: Vec::new(),
            moving_with: None,
            remove: Vec::new(),
            cut: Vec::new(),
        }
    }

    /// Happens at a time, s.
    pub fn at(name: impl Into<String>, t: f64) -> Self {
        Change { at: Some(t), ..Self::new(name) }
    }

    /// Happens when a condition becomes true.
    pub fn when(name: impl Into<String>, condition: impl Into<Formula>) -> Self {
        Change { when: Some(condition.into()), ..Self::new(name) }
    }

    /// Opens a joint.
    pub fn detach(mut self, joint: impl Into<String>) -> Self {
        self.detach.push(joint.into());
        self
    }

    /// Closes a joint.
    pub fn attach(mut self, joint: impl Into<String>) -> Self {
        self.attach.push(joint.into());
        self
    }

    /// Lets a body appear.
    #[allow(clippy::should_implement_trait, reason = "the key in the model file; nothing is summed")]
    pub fn add(mut self, body: impl Into<String>) -> Self {
        self.add.push(body.into());
        self
    }

    /// Lets the bodies that appear move with another at first.
    pub fn moving_with(mut self, body: impl Into<String>) -> Self {
        self.moving_with = Some(body.into());
        self
    }

    /// Lets a body vanish.
    pub fn remove(mut self, body: impl Into<String>) -> Self {
        self.remove.push(body.into());
        self
    }

    /// Breaks a chain so far from its `from`, m.
    pub fn cut(mut self, chain: impl Into<String>, at: f64) -> Self {
        self.cut.push((chain.into(), at));
        self
    }
}
