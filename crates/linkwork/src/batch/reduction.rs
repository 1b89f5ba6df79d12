//! Numbers that are made of the rows of a run while it goes on.

/// Takes the rows of a run as they come: see [`Batch::reduce`](super::Batch::reduce).
///
/// ```
/// use linkwork::batch::{Batch, Reduction, Variant};
/// use linkwork::model::{Body, Model, Settings};
///
/// /// How often a pendulum goes through the bottom.
/// #[derive(Default)]
/// struct Passages { last: f64, count: usize }
///
/// impl Reduction for Passages {
///     fn row(&mut self, _t: f64, columns: &[f64]) {
///         self.count += usize::from(self.last * columns[0] < 0.0);
///         self.last = columns[0];
///     }
/// }
///
/// let model = Model::planar("pendulum").gravity([0.0, -9.81]).point("A", [0.0, 0.0]).point("B", [0.1, -1.0]).ground(["A"])
///     .body(Body::rod("rod", ["A", "B"], 1.0))
///     .settings(Settings { duration: 5.0, ..Settings::default() });
/// let base = model.assemble()?;
/// let variants = [Variant::new()];
/// let runs = Batch::new(&base).columns(["point.B.x"])?.reduce(&variants, |_| Passages::default());
/// assert_eq!(runs[0].1.count, 6);
/// # Ok::<(), linkwork::model::Faults>(())
/// ```
pub trait Reduction {
    /// A row: the time, and the columns that the batch keeps.
    fn row(&mut self, t: f64, columns: &[f64]);

    /// Whether all rows are wanted; else the last one is enough, and others may be left out.
    fn wants_every_row(&self) -> bool {
        true
    }
}

/// Makes nothing of the rows.
impl Reduction for () {
    fn row(&mut self, _: f64, _: &[f64]) {}

    fn wants_every_row(&self) -> bool {
        false
    }
}
