//! ∂f/∂y by differences, for the components that steer something.

use super::control::{Evaluator, Failure};
use super::{Step, System};

/// J at the start of the step, row by row, of the components `active`; `scale` is that of [`System::error_scale`](super::System::error_scale), `column` and `stage` are scratch.
///
/// One column an unknown. Steps of half the digits, measured by the scale of the component, first the way the solution goes: that side may be
/// the only one where f exists.
pub(super) fn differentiate<S: System>(
    f: &mut Evaluator<S>,
    step: &Step,
    (active, scale): (&[usize], &[f64]),
    jacobian: &mut [f64],
    [column, stage]: [&mut [f64]; 2],
) -> Result<(), Failure<S::Error>> {
    let &Step { t, h, y, dy, .. } = step;
    let m = active.len();
    stage.copy_from_slice(y);
    for (j, &at) in active.iter().enumerate() {
        let size = f64::EPSILON.sqrt() * scale[at].max(y[at].abs()).max(1e-10);
        let mut moved = y[at] + size.copysign(dy[at] * h);
        stage[at] = moved;
        if f.derivative(t, stage, column).is_err() {
            moved = y[at] - size.copysign(dy[at] * h);
            stage[at] = moved;
            f.derivative(t, stage, column)?;
        }
        stage[at] = y[at];
        let inverse = 1.0 / (moved - y[at]);
        for (i, &row) in active.iter().enumerate() {
            jacobian[i * m + j] = (column[row] - dy[row]) * inverse;
        }
    }
    Ok(())
}
