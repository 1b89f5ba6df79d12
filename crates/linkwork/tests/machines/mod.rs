//! Joints, force elements, drivers, ropes, and whole machines made of them.

mod beams;
mod control_loops;
mod coupling_joints;
mod drivers;
mod example_machines;
mod example_mechanisms;
mod force_elements;
mod joint_entries;
mod joint_kinds;
mod line_throwing_rocket;
mod modal_bodies;
mod moving_exit;
mod ropes;
mod steering;
mod variable_mass;
mod vehicle;
