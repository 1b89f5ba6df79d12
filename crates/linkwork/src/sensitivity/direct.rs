//! Direct differentiation: the derivatives are integrated along with the motion, all variables together.

use super::bundle::{Bundle, Tables};
use super::lines::Lines;
use super::march::{March, reported};
use super::record::Record;
use super::stencil::FOUR;
use super::vicinity::Vicinity;
use super::{Method, Sensitivities, SensitivityError, Study};

impl Study<'_> {
    /// Derivatives by integrating them along with the motion, with the jump rule at events. As accurate as the run, 1e-10 as a rule. A variable costs
    /// a fifth to a third of a run where the equations can be differentiated with the factor that they leave, and otherwise as much as four and more. No errors are estimated: compare with [`Study::differences`].
    ///
    /// # Errors
    /// As [`Study::differences`]; and mechanisms that sample, or whose topology changes.
    pub fn direct(&self) -> Result<Sensitivities, SensitivityError> {
        let (nominal, settled) = self.settled()?;
        self.without_samples(&nominal, Method::Direct)?;
        let record = Record::for_derivatives(&nominal, &self.quantities)?;
        let mut vicinity = Vicinity::new(self, nominal, &settled, &FOUR)?;
        let tables = Tables::new(self, &mut vicinity, &record.columns, record.formulation)?;
        let notes = tables.notes(self, &vicinity);
        // another formulation has the same events, and its steps serve as well
        vicinity.formulate(tables.formulation);
        let bundle = Bundle::new(&vicinity, tables);
        let found = March::through(self, &record, &vicinity, Method::Direct, Lines::new(bundle))?;
        let neighbours = vicinity.lines.iter().map(Vec::len).sum();
        reported(self, Method::Direct, record, found, neighbours, notes)
    }
}
