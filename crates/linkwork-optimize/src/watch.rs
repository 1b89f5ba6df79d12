//! A search as another thread sees it: how far it is, and an end to it before its time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far the searches of a study are; it can end them.
///
/// ```
/// # use linkwork::model::ModelFile;
/// # use linkwork_optimize::{End, Options, Study, optimize};
/// # let file = ModelFile::parse("fall.toml", r#"
/// #     format = 1
/// #     model = { dimension = 2, gravity = [0, -9.81] }
/// #     points.B = [0, 0]
/// #     bodies.mass = { points = ["B"], mass = 2, com = "B", inertia = 1 }
/// #     initial.velocities.B = [1, 0]
/// #     simulation.duration = 1
/// #     [optimize]
/// #     residuals = ["final(point.B.x) + 1 m"]
/// #     variables."initial.velocities.B.x" = { from = 0, to = 5 }
/// # "#)?;
/// let study = Study::new(file, 1)?;
/// let found = std::thread::scope(|scope| {
///     let search = scope.spawn(|| optimize(&study, &Options { runs: 1_000_000, global: true, ..Options::default() }));
///     while study.watch().evaluations() < 5 {
///         std::thread::yield_now();
///     }
///     study.watch().stop();
///     search.join().unwrap()
/// })?;
/// assert!(found.end == End::Interrupted && !found.success && !found.x.is_empty());
/// # Ok::<(), linkwork_optimize::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Watch {
    stop: AtomicBool,
    done: AtomicU64,
}

impl Watch {
    /// Ends what the study searches, after the evaluations that are under way: it gives the best so far. What it is asked later ends at once.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it has been asked to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag that ends it, for those who have one to set.
    pub fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Evaluations so far.
    pub fn evaluations(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Evaluates something, unless it has been asked to end.
    pub(crate) fn unless_stopped<T: Default>(&self, evaluate: impl FnOnce() -> T) -> T {
        if self.is_stopped() {
            return T::default();
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        evaluate()
    }
}
