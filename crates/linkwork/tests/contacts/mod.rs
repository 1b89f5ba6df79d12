//! Contacts, impacts and everything else that happens at an instant.

mod changes;
mod contact_convergence;
mod contact_crowd_sums;
mod contact_crowds;
mod contact_impacts;
mod contact_laws;
mod contact_mechanisms;
mod contact_models;
mod contact_overlaps;
mod contact_poisson;
mod contact_readings;
mod contact_rest;
mod contact_shapes;
mod contact_sleep;
mod contact_step_limits;
mod contact_steps;
mod contact_tumbling;
mod events;
mod impulse_response;
mod impulses;
