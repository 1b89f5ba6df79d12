//! What is read: examples, faults and their messages, hostile and large models.

mod beam_faults;
mod examples;
mod force_element_faults;
mod hostile_input;
mod initial_joints;
mod large_models;
mod measure_units;
mod mesh_files;
mod messages;
mod robustness;
mod table_files;
mod thruster_faults;
mod written_by_hand;
mod written_files;
mod written_random;
