//! Forces between and on points. A force speaks of nodes, as a constraint does.

mod spring_damper;

pub use spring_damper::SpringDamper;
