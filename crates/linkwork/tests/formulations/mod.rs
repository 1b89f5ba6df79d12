//! Every formulation of the papers against the others, closed forms and independent solutions.

mod conformance;
mod joint_inertia;
mod kane;
mod lagrangian;
mod linear_cost;
mod mechanics;
mod momentum;
mod newton_euler;
mod point_mechanics;
mod recursive_family;
mod recursive_kernel;
mod recursive_pinocchio;
mod references;
mod tree_formulations;
