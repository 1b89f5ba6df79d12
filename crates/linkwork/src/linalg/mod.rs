//! Small vectors; static sparse factorisation; the saddle-point solver of constrained motion.

pub mod kkt;
pub mod ldl;
pub mod ordering;
pub mod quaternion;
pub mod vec3;
