//! Small vectors; static sparse factorisation; dense least squares; power series; the saddle-point solver of constrained motion.

pub mod dual;
pub mod hull;
pub mod jet;
pub mod kkt;
pub mod ldl;
pub mod least_distance;
pub mod least_squares;
pub mod lu;
pub mod ordering;
pub mod quaternion;
pub mod singular_values;
pub mod spatial;
mod supernodes;
pub mod tape;
pub mod vec3;
