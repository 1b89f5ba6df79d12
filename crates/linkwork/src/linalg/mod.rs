//! Small vectors; static sparse factorisation; the saddle-point solver of constrained motion.

pub mod dual;
pub mod kkt;
pub mod ldl;
pub mod ordering;
pub mod vec3;
