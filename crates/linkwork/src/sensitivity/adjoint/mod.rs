//! The discrete adjoint: derivatives by any number of variables for the price of a few runs.
//!
//! A quantity J is a function of all steps of a run. What a state weighs in it, ȳ = ∂J/∂y with all that follows, goes back from the end to the start: over each step by the transpose of its twelve
//! stages ([`Tableau`](crate::integrate::Tableau)), with
//!
//!   (A1)  Ȳ = f_yᵀ k̄,   dJ/dp_j = Σ f_(p_j)ᵀ k̄ + ȳ(0)·∂y₀/∂p_j + …
//!
//! and the factor that f needs at that stage. What the numbers of the compiled tables weigh is summed over all stages, so that variables cost nothing on the way; in the end each sum is multiplied by
//! what a variable changes there. On the way back ȳ takes up
//!
//!   (A2)  c_y                                   where a column is taken: at an instant, or of an integral h b_i c_y at each stage
//!   (A3)  ȳ_near = E_yᵀ ȳ⁺,   dJ/dp_j += E_(p_j)·ȳ⁺        over an event, with the map E of [jumps](super::jump) from a time shortly before it
//!
//! Several quantities go back side by side, eight at most. The motion itself is gone through once, and its stages are kept or worked out again ([`trail`]).

mod back;
mod forth;
mod trail;

use super::bundle::{Bundle, Tables};
use super::march::reported;
use super::record::Record;
use super::stencil::FOUR;
use super::vicinity::Vicinity;
use super::{Method, Sensitivities, SensitivityError, Study};

/// Quantities that go back side by side.
const WIDEST: usize = 8;

impl Study<'_> {
    /// Derivatives by the discrete adjoint of a run: its cost does not grow with the number of variables, but for the neighbours that tell what each of them changes in the compiled mechanism, and for events.
    /// As accurate as [`Study::direct`], of which it is the transpose.
    ///
    /// # Errors
    /// As [`Study::direct`]; mechanisms with elements that are not on the tape, closed contacts, masses that vary and inertias along joints, and integrals of columns that need accelerations or reactions.
    pub fn adjoint(&self) -> Result<Sensitivities, SensitivityError> {
        let (nominal, settled) = self.settled()?;
        self.without_samples(&nominal, Method::Adjoint)?;
        let record = Record::for_derivatives(&nominal, &self.quantities)?;
        let mut vicinity = Vicinity::new(self, nominal, &settled, &FOUR)?;
        let tables = Tables::new(self, &mut vicinity, &record.columns, record.formulation)?;
        let notes = tables.doubtful(self, &vicinity);
        if let Some(why) = tables.lacking() {
            return Err(SensitivityError::Refused { method: Method::Adjoint, t: record.begin(), why });
        }
        vicinity.formulate(tables.formulation);
        let bundle = Bundle::new(&vicinity, tables);
        let mut way = forth::Way::new(self, &record, &vicinity, bundle)?;
        way.go()?;
        let mut values = Vec::new();
        let mut derivatives = Vec::new();
        let all: Vec<usize> = (0..self.quantities.len()).collect();
        for quantities in all.chunks(WIDEST) {
            let (some, by) = way.back(quantities)?;
            values.extend(some);
            derivatives.extend(by);
        }
        drop(way);
        if let Some(known) = &record.values {
            values.clone_from(&known.values);
        }
        let neighbours = vicinity.lines.iter().map(Vec::len).sum();
        reported(self, Method::Adjoint, record, (values, derivatives), neighbours, notes)
    }
}
