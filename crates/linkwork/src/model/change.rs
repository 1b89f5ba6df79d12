//! Changes of what a mechanism consists of, while it runs.

use super::Formula;

/// Something that lets parts of a mechanism come and go. It happens once: at a time, or when a condition becomes true.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its name, used in results.
    pub name: String,
    /// When, s; or
    pub at: Option<f64>,
    /// when this becomes true.
    pub when: Option<Formula>,
    /// Joints that open, by their names in results.
    pub detach: Vec<String>,
    /// Joints that close: entries that are not active yet, or that have opened.
    pub attach: Vec<String>,
    /// Bodies that appear where they are drawn.
    pub add: Vec<String>,
    /// The body that those move with when they appear, as if they had been fixed to it since the drawing; at rest, or with the
    /// model's start velocities, if left out.
    pub moving_with: Option<String>,
    /// Bodies that vanish, with all that is attached to them.
    pub remove: Vec<String>,
    /// Chains that break, and how far from their `from`, m: at the node that is next to it.
    pub cut: Vec<(String, f64)>,
}

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
