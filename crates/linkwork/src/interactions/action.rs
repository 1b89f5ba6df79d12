//! Forces and moments that bodies feel: what kinds there are, and what each tells about itself.

use super::coupling::Scene;
use super::elements::{Road, each_action};
use super::motion::{Motion, Wrenches};
use super::program::{Context, Scratch};
use super::response::Response;
use super::{Interactions, Program};
use crate::linalg::vec3::Vec3;

/// The law of a force or of a set of forces.
pub(crate) trait Law {
    /// Adds its forces to the pulls; returns power and potential.
    fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Wrenches) -> Effect;
    /// The columns it shows: what each is called, and its unit.
    fn columns(&self, interactions: &Interactions) -> Vec<(&'static str, &'static str)> {
        let _ = interactions;
        Vec::new()
    }
    /// The numbers of those columns.
    fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        let _ = (at, scratch, out);
    }
    /// Point and force of a contact with what is no body, as of a wheel with the road; `None` if there is none. `outputs` are the numbers of its columns.
    fn contact_force(&self, bodies: &[Motion], t: f64, outputs: &[f64]) -> Option<[Vec3; 2]> {
        let _ = (bodies, t, outputs);
        None
    }
    /// The ground that it runs on, and the axis of the world that is up; `None` if there is none.
    fn road(&self) -> Option<(&Road, usize)> {
        None
    }
    /// The formulas it uses.
    fn programs(&self) -> Vec<&Program> {
        Vec::new()
    }
    /// The moving bodies it concerns.
    fn bodies(&self, interactions: &Interactions) -> Vec<usize>;
    /// The moving bodies whose motions each of its forces depends on, in groups: two bodies that are in no group together do not feel each other.
    fn groups(&self, interactions: &Interactions) -> Vec<Vec<usize>> {
        vec![self.bodies(interactions)]
    }
    /// Whether [`Law::responses`] tells all derivatives of its wrenches.
    fn has_responses(&self) -> bool {
        false
    }
    /// Adds the derivatives of its wrenches by motions of bodies; with these elastic stresses where there are any.
    fn responses(&self, bodies: &[Motion], stresses: &[[f64; 6]], out: &mut Vec<Response>) {
        let _ = (bodies, stresses, out);
    }
    /// The elastic stresses that would be there after a displacement of the bodies, given as their velocities, if strains were linear. None where they are.
    fn foretell(&self, bodies: &[Motion], out: &mut Vec<[f64; 6]>) {
        let _ = bodies;
        out.clear();
    }
    /// Why it has no power series, where it has none.
    fn without_series(&self) -> &'static str {
        "it has no power series"
    }
}

/// The kinds of force, each with a law.
macro_rules! actions {
    ($($(#[doc = $doc:literal])* $kind:ident($law:ty),)*) => {
        /// A force or a set of forces.
        #[derive(Clone, Debug)]
        pub enum Action {
            $($(#[doc = $doc])* $kind(Box<$law>),)*
        }

        impl Action {
            /// Adds its forces to the pulls; returns power and potential.
            #[inline]
            pub fn apply(&self, at: &Context<'_>, scratch: &mut Scratch, pulls: &mut Wrenches) -> Effect {
                match self {
                    $(Action::$kind(law) => law.apply(at, scratch, pulls),)*
                }
            }

            fn law(&self) -> &dyn Law {
                match self {
                    $(Action::$kind(law) => &**law,)*
                }
            }
        }
    };
}
each_action!(actions);

/// An action of the model, or one that belongs to a joint.
#[derive(Clone, Debug)]
pub struct NamedAction {
    /// Where its columns begin, as `tyre.front`; nothing for what is not shown by itself.
    pub name: String,
    /// The law.
    pub action: Action,
}

/// What an action did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effect {
    /// Power of what no potential accounts for, W.
    pub power: f64,
    /// Potential energy, J.
    pub potential: f64,
}

impl Action {
    /// The columns it shows: what each is called, and its unit.
    pub fn columns(&self, interactions: &Interactions) -> Vec<(&'static str, &'static str)> {
        self.law().columns(interactions)
    }

    /// The numbers of those columns.
    pub fn outputs(&self, at: &Context<'_>, scratch: &mut Scratch, out: &mut Vec<f64>) {
        self.law().outputs(at, scratch, out);
    }

    /// Point and force of a contact with what is no body, as of a wheel with the road; `None` if there is none. `outputs` are the numbers of its columns.
    pub fn contact_force(&self, bodies: &[Motion], t: f64, outputs: &[f64]) -> Option<[Vec3; 2]> {
        self.law().contact_force(bodies, t, outputs)
    }

    /// The ground that it runs on, and the axis of the world that is up; `None` if there is none.
    pub fn road(&self) -> Option<(&Road, usize)> {
        self.law().road()
    }

    /// The outputs of an action that uses no formula: what other formulas may read.
    pub(super) fn plain_outputs(&self, interactions: &Interactions, scene: &Scene<'_>, out: &mut Vec<f64>) {
        let at = Context { interactions, scene, measures: &[], locals: &[], late: &[] };
        self.outputs(&at, &mut Scratch::default(), out);
    }

    /// The formulas it uses.
    pub fn programs(&self) -> Vec<&Program> {
        self.law().programs()
    }

    /// The moving bodies it concerns.
    pub fn bodies(&self, interactions: &Interactions) -> Vec<usize> {
        self.law().bodies(interactions)
    }

    /// The same in groups: two bodies that are in no group together do not feel each other.
    pub fn groups(&self, interactions: &Interactions) -> Vec<Vec<usize>> {
        self.law().groups(interactions)
    }

    /// Whether [`Action::responses`] tells all derivatives of its wrenches: where not, differences do.
    pub fn has_responses(&self) -> bool {
        self.law().has_responses()
    }

    /// Adds the derivatives of its wrenches by motions of bodies; with these elastic stresses where there are any.
    pub fn responses(&self, bodies: &[Motion], stresses: &[[f64; 6]], out: &mut Vec<Response>) {
        self.law().responses(bodies, stresses, out);
    }

    /// The elastic stresses that would be there after a displacement of the bodies, given as their velocities, if strains were linear. None where they are.
    pub fn foretell(&self, bodies: &[Motion], out: &mut Vec<[f64; 6]>) {
        self.law().foretell(bodies, out);
    }

    /// Why it has no power series, where it has none.
    pub(crate) fn without_series(&self) -> &'static str {
        self.law().without_series()
    }

    /// Whether it is linear or constant: its work steers no step size, and it looks at nothing but the bodies it pulls at.
    pub fn is_plain(&self) -> bool {
        matches!(self, Action::Spring(_) | Action::Constant(_))
    }

    /// Whether it is a plain force at body points and no couple: where points are coordinates, no motion of a body is needed for it.
    pub fn acts_at_points(&self) -> bool {
        match self {
            Action::Spring(_) => true,
            Action::Constant(constant) => constant.couple == [0.0; 3],
            _ => false,
        }
    }

    /// Whether all its power comes from a potential.
    pub fn is_conservative(&self) -> bool {
        match self {
            Action::Spring(spring) => spring.damping == 0.0,
            _ => self.acts_at_points(),
        }
    }
}
