//! Units by the names of columns, as `docs/results.md` lists them, for tables without a summary.

/// The unit that a result column has by its name; empty where the name does not tell, as of measures.
pub fn unit_of(name: &str) -> &'static str {
    if name == "t" {
        return "s";
    }
    let (table, rest) = name.split_once('.').unwrap_or((name, ""));
    let last = rest.rsplit('.').next().unwrap_or_default();
    let quantity = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let inner = rest.rsplit('.').nth(1).unwrap_or_default();
    match (table, quantity) {
        ("point", "x" | "y" | "z") => "m",
        ("point", "vx" | "vy" | "vz") => "m/s",
        ("joint", "x" | "y" | "z") if inner == "moment" => "N m",
        ("joint", "x" | "y" | "z") => "N",
        ("joint" | "contact", "gap") => "m",
        ("contact", "slip") => "m/s",
        ("contact", "impulse") => "N s",
        // a turn or a path: the name does not tell
        ("joint", _) => "",
        ("body" | "balance" | "book", "mass") => "kg",
        ("spring" | "cable", "length") => "m",
        ("spring" | "cable", "rate") => "m/s",
        ("bushing", "x" | "y" | "z") | ("tyre", "deflection") | ("constraint", _) => "m",
        ("bushing", "rx" | "ry" | "rz") | ("torsion_spring", "angle") | ("tyre", "slip_angle") => "rad",
        ("bushing", "fx" | "fy" | "fz") => "N",
        ("bushing", "mx" | "my" | "mz") | ("torsion_spring", "moment") => "N m",
        ("torsion_spring", "rate") => "rad/s",
        ("drag", "speed") => "m/s",
        ("thruster", "mass_flow") => "kg/s",
        ("drag" | "thruster" | "force", "x" | "y" | "z") => "N",
        ("couple", _) => "N m",
        ("actuator", "power") => "W",
        ("tyre", "longitudinal" | "lateral") | ("contact", "normal" | "x" | "y" | "z") => "N",
        ("chain", _) if inner == "tension" => "N",
        ("energy", _) | ("balance" | "book", "energy" | "supplied") => "J",
        ("balance" | "book", "x" | "y" | "z") => "N s",
        ("measure", _) => "",
        (_, "force") => "N",
        (_, "torque") => "N m",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_units_by_names() {
        for (name, unit) in [
            ("t", "s"),
            ("point.A.x", "m"),
            ("point.A.b.vx", "m/s"),
            ("joint.A.force.x", "N"),
            ("joint.P.crank.moment.z", "N m"),
            ("spring.s.rate", "m/s"),
            ("lock.brake.torque2", "N m"),
            ("energy.kinetic", "J"),
            ("constraint.residual", "m"),
            ("chain.rope.tension.exit", "N"),
            ("balance.impulse.y", "N s"),
            ("contact.floor.state", ""),
            ("contact.floor.1.slip", "m/s"),
            ("contact.floor.impulse", "N s"),
            ("energy.lost_in_friction", "J"),
            ("measure.camber", ""),
        ] {
            assert_eq!(unit_of(name), unit, "{name}");
        }
    }
}
