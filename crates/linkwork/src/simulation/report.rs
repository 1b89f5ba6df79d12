//! What a mechanism is and how a run went, as JSON for programs.

use super::{Event, JointImpulse, Status, Summary};
use crate::linalg::vec3::add;
use crate::mechanism::{BodyParticles, Mechanism, MechanismJoint, Tree};
use crate::model::{Dimension, Mass};
use crate::results::{Column, LongTable, columns};
use serde_json::{Value, json};

const COMPONENTS: [&str; 6] = ["force.x", "force.y", "force.z", "moment.x", "moment.y", "moment.z"];

fn joint(mechanism: &Mechanism, j: usize, joint: &MechanismJoint) -> Value {
    let open: Vec<&str> =
        (0..6).filter(|&c| mechanism.redundancy.not_unique[j][c]).map(|c| COMPONENTS[c]).collect();
    json!({
        "name": joint.name,
        "type": joint.kind.name(),
        "bodies": [mechanism.body_name(joint.bodies[0]), mechanism.body_name(joint.bodies[1])],
        "reaction_on": mechanism.body_name(joint.bodies[1]),
        "reaction_at": mechanism.node_names[joint.points[1]],
        "reaction_not_unique": open,
    })
}

/// The particles that stand for each body, and what they add up to.
pub fn particles_json(mechanism: &Mechanism) -> Value {
    let d = mechanism.columns();
    let of_body = |body: &BodyParticles| {
        let i = &body.inertia;
        let particles: Vec<Value> = body
            .list
            .iter()
            .map(|p| {
                json!({
                    "name": p.name,
                    "primary": p.m_bar.is_some(),
                    "at": &p.at[..d],
                    "mass": p.mass,
                    "m_bar": p.m_bar,
                })
            })
            .collect();
        json!({
            "body": body.body,
            "particles": particles,
            "mass": body.mass,
            "com": &body.com[..d],
            "inertia_about_com": if d == 2 { json!(i[2][2]) } else {
                json!([i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]])
            },
            "difference": { "mass": body.difference[0], "com": body.difference[1], "inertia": body.difference[2] },
        })
    };
    mechanism.body_particles().iter().map(of_body).collect()
}

/// The mechanism: freedom, bodies, joints, assembly, redundancy.
pub fn mechanism_json(mechanism: &Mechanism) -> Value {
    let planar = mechanism.dimension() == Dimension::Planar;
    let d = mechanism.columns();
    let bodies: Vec<Value> = mechanism
        .named_bodies()
        .iter()
        .zip(&mechanism.model.bodies)
        .map(|(body, said)| {
            let p = &body.particles.properties;
            let i = &p.inertia_about_com;
            json!({
                "name": body.name,
                "points": said.points,
                "shape": match &said.mass { Mass::Shape(shape, _) => shape.name(), Mass::Given { .. } => "given" },
                "mass": p.mass,
                "com": &add(p.com, mechanism.model.origin)[..d],
                "inertia_about_com": if planar { json!(i[2][2]) } else {
                    json!([i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]])
                },
                "particles": body.particles.k(),
            })
        })
        .collect();
    let joints: Vec<Value> = mechanism.named_joints().map(|(j, x)| joint(mechanism, j, x)).collect();
    let chains = mechanism.chains.iter().map(|chain| {
        json!({
            "name": chain.name,
            "segments": chain.joints.len(),
            "segment_length": chain.segment,
            "mass": chain.masses.iter().sum::<f64>(),
            "pays_out": chain.from_container,
        })
    });
    let chains: Vec<Value> = chains.collect();
    let beams = mechanism.beams.iter().map(|beam| {
        json!({
            "name": beam.name,
            "sections": beam.points.len(),
            "length": beam.s.last(),
            "mass": beam.mass(mechanism),
        })
    });
    let beams: Vec<Value> = beams.collect();
    let redundancy = &mechanism.redundancy;
    let assembly = &mechanism.assembly;
    json!({
        "model": mechanism.model.name,
        "dimension": d,
        "gravity": &mechanism.model.gravity[..d],
        "size": mechanism.size,
        "degrees_of_freedom": mechanism.degrees_of_freedom(),
        "coordinates": mechanism.coordinate_count(),
        "constraints": mechanism.row_count(),
        "velocity_constraints": mechanism.velocity_constraints(),
        "independent_constraints": redundancy.rank,
        "bodies": bodies,
        "joints": joints,
        "chains": chains,
        "beams": beams,
        "cut_joints": Tree::new(mechanism).cut.iter().map(|&j| &mechanism.joints[j].name).collect::<Vec<_>>(),
        "springs": mechanism.links.springs.len(),
        "drivers": mechanism.model.drivers.iter().map(|d| &d.name).collect::<Vec<_>>(),
        "couplings": mechanism.model.couplings.iter().map(|c| &c.name).collect::<Vec<_>>(),
        "measures": mechanism.model.measures.iter().map(|m| &m.name).collect::<Vec<_>>(),
        "inputs": mechanism.model.inputs.iter().map(|i| &i.name).collect::<Vec<_>>(),
        "states": mechanism.model.states.iter().map(|s| &s.name).collect::<Vec<_>>(),
        "assembly": {
            "residual_before": assembly.residual_before,
            "residual_after": assembly.residual_after,
            "worst_before": assembly.worst_before,
            "iterations": assembly.iterations,
            "moved": assembly.moved.iter().map(|m| json!({ "point": m.point, "distance": m.distance })).collect::<Vec<_>>(),
        },
        "redundant_constraints": {
            "count": redundancy.count,
            "dependent": redundancy.dependencies.iter()
                .map(|d| json!({ "constraint": d.row, "leaves_open": d.open })).collect::<Vec<_>>(),
        },
    })
}

/// An event.
pub fn event_json(event: &Event) -> Value {
    let mut value = json!({
        "t": event.t,
        "kind": event.kind.name(),
        "name": event.name,
        "coordinate": event.coordinate,
        "impulse": event.impulse,
        "unit": event.unit(),
        "energy": event.energy,
    });
    if let Some(contact) = &event.contact {
        value["contact"] =
            json!({ "impulse": contact.impulse, "point": contact.point, "normal": contact.normal });
    }
    if !event.joints.is_empty() {
        let joint = |j: &JointImpulse| json!({ "joint": j.joint, "force": j.force, "moment": j.moment });
        value["joints"] = event.joints.iter().map(joint).collect();
    }
    value
}

fn columns_json(columns: &[Column]) -> Value {
    columns.iter().map(|c| json!({ "name": c.name, "unit": c.unit })).collect()
}

/// The run: status, statistics, drift, versions, columns with units.
pub fn summary_json(mechanism: &Mechanism, summary: &Summary) -> Value {
    let settings = &mechanism.model.settings;
    let (status, failure) = match &summary.status {
        Status::Finished => ("finished", Value::Null),
        Status::Stopped => ("stopped", Value::Null),
        Status::Failed(f) => (
            "failed",
            json!({ "t": f.t, "step": f.step, "code": f.code, "message": f.message, "advice": f.advice }),
        ),
    };
    let fixed = settings.fixed_step();
    let mut report = json!({
        "linkwork": env!("CARGO_PKG_VERSION"),
        "status": status,
        "partial": summary.status != Status::Finished,
        "failure": failure,
        "t": summary.t,
        "rows": summary.rows,
        "stopped_by": summary.stopped_by().map(|(condition, t)| json!({ "condition": condition, "t": t })),
        "event_count": summary.event_count,
        "events": summary.events.iter().map(event_json).collect::<Vec<_>>(),
        "remarks": summary.remarks.iter()
            .map(|r| json!({ "t": r.t, "code": r.code, "message": r.message })).collect::<Vec<_>>(),
        "settings": {
            "duration": settings.duration,
            "output_step": settings.output_step,
            "formulation": summary.formulation.name(),
            "formulation_chosen_because": summary.formulation_chosen,
            "integrator": summary.integrator.name(),
            "integrator_chosen_because": summary.chosen,
            "tolerance": if settings.tolerance_unused().is_some() { Value::Null } else { json!(settings.tolerance) },
            "step": fixed,
            "projection": settings.projects(),
        },
        "fallback": summary.fallback.as_ref().map(|fallback| json!({
            "integrator": fallback.integrator.name(),
            "reasons": fallback.reasons.iter()
                .map(|reason| json!({ "element": reason.element, "why": reason.why })).collect::<Vec<_>>(),
        })),
        "statistics": {
            "steps": summary.steps.accepted_steps,
            "rejected_steps": summary.steps.rejected_steps,
            "rejected_projections": summary.steps.leaps,
            "evaluations": summary.steps.derivative_evaluations,
            "factorisations": summary.counters.factorisations,
            "solves": summary.counters.solves,
            "projection_steps": summary.counters.projection_steps,
            "smallest_step": summary.steps.smallest_step,
            "largest_step": summary.steps.largest_step,
            "wall_seconds": summary.wall.as_secs_f64(),
        },
        "accuracy": {
            "energy_drift": summary.energy_drift,
            "energy_scale": summary.energy_scale,
            "relative_energy_drift": summary.relative_energy_drift(),
            "constraint_residual": summary.constraint_residual,
            "constraint_rate": summary.velocity_residual,
            "relative_constraint_residual": summary.constraint_residual / summary.size,
            "contact_steps": summary.contact_steps.map(|counts| json!({
                "steps": counts.steps,
                "contacts": counts.contacts,
                "most_contacts": counts.most,
                "sweeps": counts.sweeps,
                "velocity_residual": counts.residual,
                "overlap": counts.overlap,
                "relative_overlap": counts.overlap / summary.size,
                "overlap_at": counts.overlap_at,
                "lifted": counts.lifted,
                "unsolved": counts.unsolved,
                "asleep": counts.asleep,
                "most_asleep": counts.most_asleep,
            })),
            "contact_losses": summary.contact_losses.map(|lost| json!({
                "impacts": lost.impacts,
                "friction": lost.friction,
            })),
            "balances": summary.balances.map(|balances| json!({
                "momentum_gap": balances.momentum,
                "largest_momentum": balances.largest_momentum,
                "energy_gap": balances.energy,
                "largest_energy": balances.largest_energy,
            })),
        },
        "columns": columns_json(&columns(mechanism)),
    });
    let tables = LongTable::ALL.into_iter().filter(|table| table.is_of(mechanism));
    report["tables"] = tables
        .map(|table| json!({ "file": table.file(), "columns": columns_json(&table.columns(mechanism)) }))
        .collect();
    report["mechanism"] = mechanism_json(mechanism);
    report
}
